//! Counts of instructions, as `sps report` prints them: one alone or several side by side, nothing added up over them.

mod csv;
mod document;
mod table;

use std::io::{Result, Write};

pub use table::{calls, difference, text};

use super::document::{markdown, page};
use crate::count::differences;
use crate::record::Count;

/// Functions that a report names of each arm.
const TOP: usize = 10;

/// A count and what it is called.
pub type Named = (String, Count);

/// Writes counts.
type Print = fn(&[Named], &mut dyn Write) -> Result<()>;

/// The formats that counts have.
pub const FORMATS: [(&str, Print); 5] = [
    ("table", |counts, out| out.write_all(tables(counts).as_bytes())),
    ("markdown", |counts, out| out.write_all(markdown(&document::document(counts)?).as_bytes())),
    ("html", |counts, out| out.write_all(page(&document::document(counts)?)?.as_bytes())),
    ("json", json),
    ("csv", csv::write),
];

fn tables(counts: &[Named]) -> String {
    let mut texts: Vec<String> = counts.iter().map(|(_, count)| text(count, TOP)).collect();
    if counts.len() > 1 {
        texts.push(table::side_by_side(counts, &unlike(counts)));
    }
    texts.join("\n")
}

/// As `sps count --json` writes it; several become an array.
fn json(counts: &[Named], out: &mut dyn Write) -> Result<()> {
    match counts {
        [(_, one)] => serde_json::to_writer_pretty(&mut *out, one)?,
        several => {
            let several: Vec<&Count> = several.iter().map(|(_, count)| count).collect();
            serde_json::to_writer_pretty(&mut *out, &several)?;
        }
    }
    out.write_all(b"\n")
}

/// What each count after the first has not in common with it, beside its instructions.
fn unlike(counts: &[Named]) -> Vec<String> {
    let Some(((_, base), others)) = counts.split_first() else { return Vec::new() };
    let mut texts = Vec::new();
    for (name, count) in others {
        texts.extend(differences(base, count).into_iter().map(|text| format!("{name}: {text}")));
    }
    texts
}

/// The arms of all counts, in the order of the first that has them.
fn arms(counts: &[Named]) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for arm in counts.iter().flat_map(|(_, count)| &count.arms) {
        if !names.contains(&arm.name.as_str()) {
            names.push(&arm.name);
        }
    }
    names
}

/// Instructions per select of `arm` in each count, and how many times those of the first they are.
fn across<'a>(counts: &'a [Named], arm: &str) -> impl Iterator<Item = Option<(f64, Option<f64>)>> + 'a {
    let of = |count: &Count, arm: &str| Some(count.arm(arm)?.instructions_per_select);
    let base = counts.first().and_then(|(_, count)| of(count, arm));
    let arm = arm.to_owned();
    counts.iter().map(move |(_, count)| {
        let found = of(count, &arm)?;
        Some((found, base.map(|base| found / base)))
    })
}

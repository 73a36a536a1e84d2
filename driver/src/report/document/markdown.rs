//! A document as Markdown, for a README or an issue: its charts are left to the page, their numbers stay.

use std::fmt::Write;

use super::{Document, Part, Sheet};

/// The whole text.
pub fn markdown(document: &Document) -> String {
    let mut out = format!("# {}\n\n", escape(&document.title));
    for line in &document.lead {
        out += &format!("{}\n\n", escape(line));
    }
    for section in &document.sections {
        out += &format!("## {}\n\n", escape(&section.title));
        for part in &section.parts {
            out += &of_part(part);
        }
    }
    out.truncate(out.trim_end().len());
    out + "\n"
}

/// Parts alone, to be put into another text: no empty line at the end.
pub fn fragment(parts: &[Part]) -> String {
    let text: String = parts.iter().map(of_part).collect();
    text.trim_end().to_owned() + "\n"
}

/// One part, with an empty line after it.
fn of_part(part: &Part) -> String {
    match part {
        Part::Text(text) => format!("{}\n\n", escape(text)),
        Part::Warnings(warnings) => {
            warnings.iter().map(|warning| format!("- **warning**: {}\n", escape(warning))).collect::<String>() + "\n"
        }
        Part::Facts(sheet) | Part::Table(sheet) => table(sheet),
        Part::Chart(chart) if chart.numbers.folded => String::new(),
        Part::Chart(chart) => format!("{}\n\n{}", escape(&chart.caption), table(&chart.numbers)),
        Part::Command(command) => code(command),
        Part::Fold(_) => String::new(),
        Part::Heading(title) => format!("### {}\n\n", escape(title)),
    }
}

/// `sheet` as a table; nothing of a folded one.
fn table(sheet: &Sheet) -> String {
    if sheet.folded || sheet.rows.is_empty() {
        return String::new();
    }
    let line = |cells: &mut dyn Iterator<Item = String>| {
        cells.fold(String::from("|"), |mut line, cell| {
            // writing to a string does not fail
            let _ = write!(line, " {cell} |");
            line
        }) + "\n"
    };
    let mut out = line(&mut sheet.columns.iter().map(|column| escape(&column.name)));
    out += &line(&mut sheet.columns.iter().map(|column| if column.number { "---:" } else { "---" }.into()));
    for row in &sheet.rows {
        out += &line(&mut row.iter().map(|cell| escape(cell)));
    }
    out + "\n"
}

/// A block of code, its fence longer than any in it.
fn code(text: &str) -> String {
    let longest = text.split(|letter| letter != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}\n{}\n{fence}\n\n", super::flat(text))
}

/// Text that stays text: no markup, no cell's end, no HTML, on one line.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in super::flat(text).chars() {
        match letter {
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '&' => out += "&amp;",
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '#' | '~' | '$' => {
                out.push('\\');
                out.push(letter);
            }
            _ => out.push(letter),
        }
    }
    out
}

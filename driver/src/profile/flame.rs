//! Flame graphs, by inferno.

use inferno::differential::{self, Options as Differential};
use inferno::flamegraph::{self, Options};

use crate::error::{Error, Result};

/// What stands on a picture.
#[derive(Clone, Debug)]
pub struct Caption {
    pub title: String,
    pub subtitle: String,
    /// Of the numbers: `ns`, `cycles`.
    pub unit: String,
}

/// The picture of folded stacks, as SVG.
pub fn graph(lines: &[String], caption: Caption) -> Result<String> {
    draw(lines.iter().map(String::as_str), options(caption))
}

/// The picture of `test`, red where it takes more than `base` and blue where less.
pub fn difference(base: &[String], test: &[String], caption: Caption) -> Result<String> {
    let joined = |lines: &[String]| lines.join("\n") + "\n";
    let (base, test) = (joined(base), joined(test));
    let mut lines = Vec::new();
    differential::from_readers(Differential::default(), base.as_bytes(), test.as_bytes(), &mut lines)
        .map_err(failed)?;
    let lines = String::from_utf8_lossy(&lines).into_owned();
    draw(lines.lines(), options(caption))
}

fn options(caption: Caption) -> Options<'static> {
    let mut options = Options::default();
    options.title = caption.title;
    options.subtitle = Some(caption.subtitle);
    options.count_name = caption.unit;
    // thinner ones are lines that nobody can point at, and most of a file
    options.min_width = 0.1;
    // the same picture of the same stacks
    options.deterministic = true;
    options
}

fn draw<'l>(lines: impl Iterator<Item = &'l str>, mut options: Options<'static>) -> Result<String> {
    let mut svg = Vec::new();
    flamegraph::from_lines(&mut options, lines, &mut svg).map_err(failed)?;
    String::from_utf8(svg).map_err(|error| Error::failed(format!("the flame graph is not text: {error}")))
}

fn failed(error: impl std::fmt::Display) -> Error {
    Error::failed(format!("cannot draw the flame graph: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn caption() -> Caption {
        Caption { title: "rescan <1>".into(), subtitle: "by cpu-clock".into(), unit: "ns".into() }
    }

    #[test]
    fn a_picture_names_its_functions_and_is_the_same_each_time() {
        let lines = ["loop;ExecScan 70".to_owned(), "loop;ExecScan;_bt_first 30".to_owned()];
        let svg = graph(&lines, caption()).unwrap();
        assert!(svg.contains("rescan &lt;1&gt;") && svg.contains("_bt_first (30 ns, 30"), "{svg}");
        assert_eq!(svg, graph(&lines, caption()).unwrap());
    }

    #[test]
    fn a_difference_holds_both_sides() {
        let lines = |number: u64| vec![format!("loop;ExecScan {number}")];
        let svg = difference(&lines(50), &lines(80), caption()).unwrap();
        assert!(svg.contains("ExecScan (80 ns, 100.00%; +"), "{svg}");
    }
}

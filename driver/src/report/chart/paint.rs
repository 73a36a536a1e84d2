//! Colours, and the SVG that the plotting library writes made fit for a page.
//!
//! The library knows colours as numbers only. So each variable of the style sheet has a number of its own while drawing,
//! and the finished text has the variable in its place.

use plotters::style::{RGBAColor, RGBColor};

/// The style sheet of charts: to be put into the page once.
pub const STYLE: &str = include_str!("style.css");

/// Colours in a row; with dashes and markers, series are told apart well beyond that.
const COLOURS: usize = 6;

const DASHES: [&str; 4] = ["", "16 8", "4 7", "20 7 4 7"];

/// What something is drawn with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ink {
    Text,
    /// Texts that matter less.
    Quiet,
    /// Lines behind the data.
    Grid,
    Axis,
    /// Text upon a strong colour.
    Paper,
    /// The colour of a series, counted from 0.
    Series(usize),
    /// The same, its line dashed in the series' own way.
    Dashed(usize),
}

/// Red of all our numbers: the library itself draws with none but what it is given.
const MARK: u8 = 1;

impl Ink {
    pub fn solid(self) -> RGBAColor {
        self.sheer(1.0)
    }

    /// See-through: `opacity` from 0 to 1.
    pub fn sheer(self, opacity: f64) -> RGBAColor {
        let (green, blue) = match self {
            Self::Text => (0, 0),
            Self::Quiet => (0, 1),
            Self::Grid => (0, 2),
            Self::Axis => (0, 3),
            Self::Paper => (0, 4),
            Self::Series(at) => (1, (at % 256) as u8),
            Self::Dashed(at) => (2, (at % 256) as u8),
        };
        let RGBColor(red, green, blue) = RGBColor(MARK, green, blue);
        RGBAColor(red, green, blue, opacity)
    }

    /// The attribute value, from its opening quote to its last one, that stands for the number `code`.
    fn css(code: &str) -> Option<String> {
        let part = |at: usize| u8::from_str_radix(code.get(at..at + 2)?, 16).ok();
        let (red, green, blue) = (part(0)?, part(2)?, part(4)?);
        if red != MARK {
            return None;
        }
        let series = |at: u8| format!("\"var(--chart-{})\"", usize::from(at) % COLOURS + 1);
        match (green, blue) {
            (0, at) => {
                let name = ["text", "quiet", "grid", "axis", "paper"].get(usize::from(at))?;
                Some(format!("\"var(--chart-{name})\""))
            }
            (1, at) => Some(series(at)),
            (2, at) => {
                let dash = DASHES[usize::from(at) % DASHES.len()];
                let dash = if dash.is_empty() { String::new() } else { format!(" stroke-dasharray=\"{dash}\"") };
                Some(series(at) + &dash)
            }
            _ => None,
        }
    }
}

/// The library's `drawing` of `size`, with variables for numbers, the page's width, and words for who cannot see it.
pub fn finish(drawing: &str, (width, height): (u32, u32), title: &str, about: &str) -> String {
    // all that the library opens its text with: we say it better
    let body = drawing.split_once(">\n").map_or(drawing, |(_, body)| body);
    let mut out = format!(
        "<svg class=\"chart\" role=\"img\" viewBox=\"0 0 {width} {height}\"><title>{}</title><desc>{}</desc>\n",
        escape(title),
        escape(about)
    );
    let mut rest = body;
    // quotes in names are escaped: `"#` opens a colour and nothing else
    while let Some(at) = rest.find("\"#") {
        let (before, code) = rest.split_at(at);
        out.push_str(before);
        match code.get(2..8).filter(|_| code[8..].starts_with('"')).and_then(Ink::css) {
            Some(value) => {
                out.push_str(&value);
                rest = &code[9..];
            }
            None => {
                out.push_str("\"#");
                rest = &code[2..];
            }
        }
    }
    out.push_str(rest);
    out
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

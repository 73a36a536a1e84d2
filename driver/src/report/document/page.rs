//! A document as one HTML page: style and charts inline, no script, nothing to fetch.

use askama::Template;

use super::{Document, Part, Section};
use crate::error::printable;
use crate::report::chart;

#[derive(Template)]
#[template(path = "page.html")]
struct Page<'a> {
    document: &'a Document,
    /// Of this program alone.
    style: &'a str,
}

/// The whole page. Everything in `document` but its charts is text, whatever it holds.
///
/// # Errors
/// None that writing to memory would not have.
pub fn page(document: &Document) -> std::io::Result<String> {
    let style = format!("{}{}", include_str!("../../../templates/page.css"), chart::STYLE);
    let page = Page { document, style: &style }.render().map_err(std::io::Error::other)?;
    // HTML knows no other control characters
    Ok(printable(&page, &['\n', '\t']))
}

impl Section {
    /// To link to: the position makes it unlike any other.
    fn anchor(&self, at: &usize) -> String {
        let word = |letter: char| if letter.is_ascii_alphanumeric() { letter.to_ascii_lowercase() } else { '-' };
        format!("{}-{}", at + 1, self.title.chars().map(word).collect::<String>())
    }
}

//! What a report says, without saying how it looks: sections of text, facts, tables and charts. A page and a Markdown text
//! are two ways of writing the same document, so that they cannot differ in what they say.

mod markdown;
mod page;

pub use markdown::{fragment, markdown};
pub use page::page;

use super::chart::Svg;

/// A report for people.
#[derive(Clone, Debug, Default)]
pub struct Document {
    pub title: String,
    /// A line or two under the title.
    pub lead: Vec<String>,
    pub sections: Vec<Section>,
}

#[derive(Clone, Debug, Default)]
pub struct Section {
    pub title: String,
    pub parts: Vec<Part>,
}

#[derive(Clone, Debug)]
pub enum Part {
    /// A paragraph.
    Text(String),
    /// What the reader must not miss.
    Warnings(Vec<String>),
    /// Names with what they stand for; one value for each record shown.
    Facts(Sheet),
    Table(Sheet),
    Chart(Chart),
    /// A command line, word for word.
    Command(String),
    /// Begins a part of the document that is about one record alone, under a heading of its own.
    Heading(String),
    /// One of many alike: a page shows it when asked to, Markdown leaves it out.
    Fold(Fold),
}

/// Parts under a title that opens them. A fold in a fold is not shown.
#[derive(Clone, Debug)]
pub struct Fold {
    /// To link to: letters, digits and dashes, unlike any other's.
    pub anchor: String,
    pub title: String,
    pub parts: Vec<Part>,
}

/// A chart with its numbers.
#[derive(Clone, Debug)]
pub struct Chart {
    /// What is to be seen, in a sentence.
    pub caption: String,
    pub svg: Svg,
    pub numbers: Sheet,
}

/// A table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sheet {
    pub columns: Vec<Column>,
    /// As many cells as columns.
    pub rows: Vec<Vec<String>>,
    /// Long and for looking things up: a page shows it when asked to, Markdown leaves it out.
    pub folded: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    pub name: String,
    /// Numbers stand to the right.
    pub number: bool,
}

impl Sheet {
    /// Without rows yet; the names of columns that hold numbers begin with `#`.
    pub fn new(columns: &[&str]) -> Self {
        let column = |name: &&str| Column { name: name.trim_start_matches('#').into(), number: name.starts_with('#') };
        Self { columns: columns.iter().map(column).collect(), ..Self::default() }
    }

    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        let mut cells: Vec<String> = cells.into_iter().collect();
        cells.resize(self.columns.len(), String::new());
        self.rows.push(cells);
    }

    /// Without column `at`.
    #[must_use]
    pub fn without(mut self, at: usize) -> Self {
        self.columns.remove(at);
        self.rows.iter_mut().for_each(|row| drop(row.remove(at)));
        self
    }

    /// Without the columns that say nothing of any row.
    #[must_use]
    pub fn without_empty(mut self) -> Self {
        for at in (0..self.columns.len()).rev() {
            if self.rows.iter().all(|row| row[at].is_empty()) {
                self = self.without(at);
            }
        }
        self
    }

    #[must_use]
    pub fn folded(mut self) -> Self {
        self.folded = true;
        self
    }
}

/// `text` on one line, its control characters spelled out.
fn flat(text: &str) -> String {
    crate::error::printable(text, &[])
}

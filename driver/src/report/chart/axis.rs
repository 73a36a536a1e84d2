//! What an axis says and how it is divided.

/// An axis.
#[derive(Clone, Debug)]
pub struct Axis<'a> {
    /// What is measured, and its unit where numbers have none.
    pub(super) label: &'a str,
    /// A number as the axis writes it.
    pub(super) text: fn(f64) -> String,
    pub(super) kind: Kind,
    pub(super) marks: Vec<f64>,
    pub(super) start: Option<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Linear,
    Log,
}

impl<'a> Axis<'a> {
    /// Evenly divided; it need not begin at 0.
    pub fn linear(label: &'a str, text: fn(f64) -> String) -> Self {
        Self { label, text, kind: Kind::Linear, marks: Vec::new(), start: None }
    }

    /// Logarithmic: equal ratios are equal distances.
    pub fn log(label: &'a str, text: fn(f64) -> String) -> Self {
        Self { kind: Kind::Log, ..Self::linear(label, text) }
    }

    /// Marks these values, which the axis then spans, instead of choosing its own: client counts, scales, 0 and 1.
    #[must_use]
    pub fn marks(mut self, marks: impl IntoIterator<Item = f64>) -> Self {
        self.marks = marks.into_iter().collect();
        self
    }

    /// Begins at `start`, which is to be no larger than any value: 0 for bars whose lengths are to be compared.
    #[must_use]
    pub fn from(mut self, start: f64) -> Self {
        self.start = Some(start);
        self
    }
}

//! Where a value lies on an axis, and which values are marked.

use std::ops::Range;

use plotters::coord::ranged1d::{KeyPointHint, KeyPointWeight, NoDefaultFormatting, Ranged, ValueFormatter};

use super::axis::{Axis, Kind};

/// Room beyond the outermost values, as a share of the span.
const PADDING: f64 = 0.04;

/// At most so many marks on a whole chart's width or height: their texts must not touch.
pub const MARKS: f64 = 6.0;

/// An axis with its ends.
#[derive(Clone, Debug)]
pub enum Scale {
    /// Positions are `map`ped values, evenly spread from `low` to `high`.
    Values { map: fn(f64) -> f64, low: f64, high: f64, marks: Vec<f64> },
    /// `count` rows or columns; the first is `from_top` or on the left. Value 0 is the first one's middle.
    Places { count: usize, from_top: bool },
}

impl Scale {
    /// The scale of `axis` that holds `values`, with `most` marks at most.
    pub fn of(axis: &Axis<'_>, most: f64, values: impl Iterator<Item = f64>) -> Self {
        let map = match axis.kind {
            Kind::Linear => |value: f64| value,
            Kind::Log => f64::log10,
        };
        let mapped =
            axis.marks.iter().copied().chain(axis.start).chain(values).map(map).filter(|value| value.is_finite());
        let ends = mapped.fold(None, |ends: Option<(f64, f64)>, value| match ends {
            Some((low, high)) => Some((low.min(value), high.max(value))),
            None => Some((value, value)),
        });
        let (low, high) = ends.unwrap_or((0.0, 1.0));
        // one value alone lies in the middle
        let room = if high > low { (high - low) * PADDING } else { (low.abs() * 0.1).max(0.1) };
        let (low, high) = (axis.start.map_or(low - room, |_| low), high + room);
        let marks = match axis.kind {
            _ if !axis.marks.is_empty() => axis.marks.clone(),
            Kind::Linear => even(low, high, most),
            Kind::Log => round_numbers(low, high, most),
        };
        Self::Values { map, low, high, marks }
    }

    /// Can `value` be shown?
    pub fn holds(&self, value: f64) -> bool {
        self.share(value).is_finite()
    }

    fn share(&self, value: f64) -> f64 {
        match self {
            Self::Values { map, low, high, .. } => (map(value) - low) / (high - low),
            Self::Places { count, from_top } => {
                let share = (value + 0.5) / *count as f64;
                if *from_top { 1.0 - share } else { share }
            }
        }
    }

    pub fn marks(&self) -> Vec<f64> {
        match self {
            Self::Values { marks, .. } => marks.clone(),
            Self::Places { count, .. } => (0..*count).map(|place| place as f64).collect(),
        }
    }
}

/// Multiples of 1, 2 or 5 times a power of ten, about `most` at most.
fn even(low: f64, high: f64, most: f64) -> Vec<f64> {
    let wanted = (high - low) / most;
    let power = 10_f64.powf(wanted.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|part| part * power).find(|step| *step >= wanted);
    let step = step.unwrap_or(power * 10.0);
    // by whole numbers: adding steps up would make 0.30000000000000004 of 0.3
    let (first, last) = ((low / step - 1e-9).ceil() as i64, (high / step + 1e-9).floor() as i64);
    let digits = (-step.log10().floor()).max(0.0) as i32;
    let exact = 10_f64.powi(digits);
    (first..=last).map(|at| (at as f64 * step * exact).round() / exact).collect()
}

/// Round numbers between two powers of ten (given as logarithms): powers of ten, with 2 and 5 times them where there is room,
/// evenly spread ones where even so there are too few.
fn round_numbers(low: f64, high: f64, most: f64) -> Vec<f64> {
    let within = |value: &f64| (low..=high).contains(&value.log10());
    let times = |parts: &'static [f64]| {
        let powers = low.floor() as i32..=high.ceil() as i32;
        powers.flat_map(move |power| parts.iter().map(move |part| part * 10_f64.powi(power))).filter(within)
    };
    let fine: Vec<f64> = times(&[1.0, 2.0, 5.0]).collect();
    if fine.len() < 3 {
        return even(10_f64.powf(low), 10_f64.powf(high), most);
    }
    if fine.len() as f64 <= most {
        return fine;
    }
    let powers: Vec<f64> = times(&[1.0]).collect();
    let every = (powers.len() as f64 / most).ceil() as usize;
    powers.into_iter().step_by(every.max(1)).collect()
}

impl Ranged for Scale {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        let length = f64::from(limit.1 - limit.0);
        limit.0 + (self.share(*value) * length).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        match hint.weight() {
            KeyPointWeight::Bold => self.marks(),
            KeyPointWeight::Any => Vec::new(),
        }
    }

    fn range(&self) -> Range<f64> {
        match self {
            Self::Values { low, high, .. } => *low..*high,
            Self::Places { count, .. } => -0.5..*count as f64 - 0.5,
        }
    }
}

// labels are given by the frame
impl ValueFormatter<f64> for Scale {
    fn format(value: &f64) -> String {
        value.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::{MARKS, Scale, even, round_numbers};
    use crate::report::chart::Axis;

    #[test]
    fn marks_are_round_and_few() {
        assert_eq!(even(0.0, 1.04, MARKS), [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]);
        assert_eq!(even(97.3, 102.1, MARKS), [98.0, 99.0, 100.0, 101.0, 102.0]);
        assert_eq!(even(-0.02, 0.03, MARKS), [-0.02, -0.01, 0.0, 0.01, 0.02, 0.03]);
        assert_eq!(round_numbers(2.0, 5.0, MARKS), [100.0, 1000.0, 10_000.0, 100_000.0]);
        assert_eq!(round_numbers(-0.1, 1.1, MARKS), [1.0, 2.0, 5.0, 10.0]);
        assert_eq!(round_numbers(90_f64.log10(), 110_f64.log10(), MARKS), [90.0, 95.0, 100.0, 105.0, 110.0]);
        assert!(round_numbers(0.0, 30.0, MARKS).len() <= 6);
    }

    #[test]
    fn a_scale_holds_its_values_and_no_others() {
        let axis = Axis::log("time", |value| value.to_string());
        let scale = Scale::of(&axis, MARKS, [10.0, 1000.0, f64::NAN, 0.0].into_iter());
        assert!(scale.holds(10.0) && scale.holds(5e9) && !scale.holds(0.0) && !scale.holds(f64::NAN));
        assert!((scale.share(100.0) - 0.5).abs() < 1e-12 && scale.share(10.0) > 0.0 && scale.share(1000.0) < 1.0);
    }

    #[test]
    fn an_axis_begins_where_it_is_told_to() {
        let axis = Axis::linear("n", |value| value.to_string()).from(0.0);
        let scale = Scale::of(&axis, MARKS, [5.0, 10.0].into_iter());
        assert!(scale.share(0.0).abs() < 1e-12 && scale.share(10.0) < 1.0);
    }

    #[test]
    fn nothing_and_one_value_have_a_scale_too() {
        let axis = Axis::linear("n", |value| value.to_string());
        assert!(Scale::of(&axis, MARKS, std::iter::empty()).holds(0.5));
        assert!((Scale::of(&axis, MARKS, std::iter::once(7.0)).share(7.0) - 0.5).abs() < 1e-12);
    }
}

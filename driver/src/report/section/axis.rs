//! Axes that bars begin from.

use crate::report::chart::Axis;

/// From this ratio of the longest to the shortest bar on an even axis would leave the shortest without length.
const SPREAD: f64 = 200.0;

/// From 0, or logarithmic where `values` spread far.
pub fn of_bars<'a>(label: &'a str, text: fn(f64) -> String, values: impl Iterator<Item = f64> + Clone) -> Axis<'a> {
    let least = values.clone().fold(f64::INFINITY, f64::min);
    if values.fold(0.0, f64::max) > SPREAD * least {
        logarithmic(label, text, least)
    } else {
        Axis::linear(label, text).from(0.0)
    }
}

/// From a power of ten below `least`.
pub fn logarithmic(label: &str, text: fn(f64) -> String, least: f64) -> Axis<'_> {
    Axis::log(label, text).from(10_f64.powf((least.log10() - 0.05).floor()))
}

//! Percentile curves: latency against the share of selects that took no longer, drawn out towards the slowest.

use plotters::prelude::PathElement;

use super::Svg;
use super::frame::{Frame, Layout, line};
use super::scale::{MARKS as MOST, Scale};

/// A distribution by its quantiles.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve<'a> {
    pub name: &'a str,
    /// (quantile from 0 to below 1, value), in order. Quantile 1 has no place on such an axis: leave the maximum to the table.
    pub points: Vec<(f64, f64)>,
}

/// Quantiles that are marked, as far as the curves reach.
const MARKS: [f64; 7] = [0.5, 0.9, 0.99, 0.999, 0.9999, 0.99999, 0.999999];

/// Each curve's values over -log(1 - quantile): as far from 99 to 99.9 % as from 90 to 99 %. Of `frame.x` only the label is used.
///
/// # Errors
/// None that writing to memory would not have.
pub fn tails(frame: &Frame<'_>, curves: &[Curve<'_>]) -> std::io::Result<Svg> {
    let rank = |quantile: f64| -(1.0 - quantile).log10();
    let points = || curves.iter().flat_map(|curve| &curve.points).filter(|(quantile, _)| rank(*quantile).is_finite());
    let last = points().map(|(quantile, _)| rank(*quantile)).fold(1.0, f64::max);
    let marks: Vec<f64> = MARKS.into_iter().filter(|quantile| rank(*quantile) <= last * 1.001).collect();
    let x = Scale::Values { map: |quantile| -(1.0 - quantile).log10(), low: 0.0, high: last, marks };
    let y = Scale::of(&frame.y, MOST, points().map(|(_, value)| *value));
    let x_text = |value: &f64| format!("{} %", (value * 1e8).round() / 1e6);
    let y_text = |value: &f64| (frame.y.text)(*value);
    let names = curves.iter().map(|curve| curve.name).collect();
    Layout::of(frame, x.clone(), y.clone(), names, [&x_text, &y_text]).draw(|_, plot| {
        for (at, curve) in curves.iter().enumerate() {
            let fits = |point: &&(f64, f64)| x.holds(point.0) && y.holds(point.1);
            let points: Vec<(f64, f64)> = curve.points.iter().filter(fits).copied().collect();
            plot.draw_series([PathElement::new(points, line(at))])?;
        }
        Ok(())
    })
}

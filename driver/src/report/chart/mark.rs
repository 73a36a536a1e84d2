//! Markers of points: a shape for each series, so that colour is not all that tells them apart.

use plotters::prelude::{Circle, PathElement, Polygon};
use plotters::style::ShapeStyle;

use super::frame::{Area, Failure};
use super::paint::Ink;

/// Half a marker's width.
pub const RADIUS: i32 = 7;

/// Draws the marker of series `at` in the middle of pixel `(x, y)` of `area`.
pub fn draw(area: &Area<'_>, (x, y): (i32, i32), at: usize, opacity: f64) -> Result<(), Failure> {
    let fill = ShapeStyle::from(Ink::Series(at).sheer(opacity)).filled();
    let stroke = ShapeStyle::from(Ink::Series(at).sheer(opacity)).stroke_width(3);
    let r = RADIUS;
    match at % 5 {
        0 => area.draw(&Circle::new((x, y), r, fill)),
        1 => area.draw(&Polygon::new(vec![(x - r, y - r), (x + r, y - r), (x + r, y + r), (x - r, y + r)], fill)),
        2 => area.draw(&Polygon::new(vec![(x, y - r - 1), (x + r + 1, y + r), (x - r - 1, y + r)], fill)),
        3 => {
            area.draw(&PathElement::new(vec![(x - r, y - r), (x + r, y + r)], stroke))?;
            area.draw(&PathElement::new(vec![(x - r, y + r), (x + r, y - r)], stroke))
        }
        _ => area.draw(&Polygon::new(vec![(x, y - r - 2), (x + r + 2, y), (x, y + r + 2), (x - r - 2, y)], fill)),
    }
}

//! A grid of numbers, the larger the darker: scales against client counts.

use plotters::prelude::Rectangle;
use plotters::style::ShapeStyle;
use plotters::style::text_anchor::HPos;

use super::Svg;
use super::frame::{Frame, LINE, Layout, words};
use super::paint::Ink;
use super::scale::Scale;

/// Rows and columns by name, and a number where there is one.
#[derive(Clone, Debug, PartialEq)]
pub struct Grid<'a> {
    pub columns: Vec<String>,
    /// From top to bottom.
    pub rows: Vec<String>,
    /// The number of a (row, column).
    pub cells: &'a [Vec<Option<f64>>],
}

/// Above this opacity text in a cell is written in the paper's colour.
const STRONG: f64 = 0.6;

/// Cells shaded from the smallest number to the largest, each with its number as `text` writes it; those without one stay empty. Of the
/// frame's axes only the labels are used.
///
/// # Errors
/// None that writing to memory would not have.
pub fn heat(frame: &Frame<'_>, grid: &Grid<'_>, text: fn(f64) -> String) -> std::io::Result<Svg> {
    let numbers = || grid.cells.iter().flatten().flatten().copied().filter(|value| value.is_finite());
    let (low, high) = numbers().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), at| (low.min(at), high.max(at)));
    let x = Scale::Places { count: grid.columns.len().max(1), from_top: false };
    let y = Scale::Places { count: grid.rows.len().max(1), from_top: true };
    let name = |names: &[String], at: f64| names.get(at as usize).cloned().unwrap_or_default();
    let (x_text, y_text) = (|value: &f64| name(&grid.columns, *value), |value: &f64| name(&grid.rows, *value));
    let mut layout = Layout::of(frame, x, y, Vec::new(), [&x_text, &y_text]);
    layout.height = grid.rows.len().max(1) as u32 * (2 * LINE - 12);
    layout.draw(|area, plot| {
        for (row, cells) in grid.cells.iter().enumerate() {
            for (column, value) in cells.iter().enumerate() {
                let Some(value) = value.filter(|value| value.is_finite()) else { continue };
                let (x, y) = (column as f64, row as f64);
                let share = if high > low { (value - low) / (high - low) } else { 0.0 };
                let opacity = 0.1 + 0.9 * share;
                let fill = ShapeStyle::from(Ink::Series(0).sheer(opacity)).filled();
                plot.draw_series([Rectangle::new([(x - 0.48, y - 0.47), (x + 0.48, y + 0.47)], fill)])?;
                let ink = if opacity > STRONG { Ink::Paper } else { Ink::Text };
                area.draw_text(&text(value), &words(ink, HPos::Center), plot.plotting_area().map_coordinate(&(x, y)))?;
            }
        }
        Ok(())
    })
}

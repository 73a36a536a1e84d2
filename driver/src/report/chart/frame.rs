//! What all charts have: the drawing, a legend, axes with their titles.

use plotters::chart::{ChartBuilder, ChartContext};
use plotters::coord::Shift;
use plotters::prelude::{
    Cartesian2d, DrawingArea, DrawingAreaErrorKind, IntoDrawingArea, IntoFont, PathElement, SVGBackend,
};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, ShapeStyle, TextStyle};

use super::paint::{self, Ink};
use super::scale::Scale;
use super::{Axis, Svg, mark};

/// What may go wrong while drawing: nothing that a text in memory could run into.
pub type Failure = DrawingAreaErrorKind<std::io::Error>;

/// Width of every drawing in its own units; a page shows it at half of that or less.
pub const WIDTH: u32 = 960;

/// Height of the part that data is drawn in, where it does not depend on the data.
const HEIGHT: u32 = 440;

/// Height of a line of text, and of the texts themselves.
pub const LINE: u32 = 38;
const TEXT: i32 = 31;

/// A chart's words and axes.
#[derive(Clone, Debug)]
pub struct Frame<'a> {
    /// What it shows, in a few words: for who cannot see it; a page has its own caption.
    pub title: &'a str,
    /// What is to be seen in it, and that a table has the numbers.
    pub about: &'a str,
    pub x: Axis<'a>,
    pub y: Axis<'a>,
    /// A line across at this height: a ratio's 1, an estimate.
    pub level: Option<f64>,
}

pub type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
pub type Plot<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<Scale, Scale>>;

/// The words at a scale's marks.
pub type Text<'a> = &'a dyn Fn(&f64) -> String;

/// A scale with its words.
pub struct Ruler<'a> {
    scale: Scale,
    text: Text<'a>,
    label: &'a str,
}

/// The plan of a drawing: scales, the words at their marks, and room.
pub struct Layout<'a> {
    pub title: &'a str,
    pub about: &'a str,
    pub x: Ruler<'a>,
    pub y: Ruler<'a>,
    /// Names of the series; one alone needs no legend.
    pub legend: Vec<&'a str>,
    pub height: u32,
    /// Room right of the data.
    pub right: u32,
}

impl<'a> Layout<'a> {
    /// The plan of a chart of `frame` with data of the usual height.
    pub fn of(frame: &'a Frame<'_>, x: Scale, y: Scale, legend: Vec<&'a str>, texts: [Text<'a>; 2]) -> Self {
        let [x_text, y_text] = texts;
        Self {
            title: frame.title,
            about: frame.about,
            x: Ruler { scale: x, text: x_text, label: frame.x.label },
            y: Ruler { scale: y, text: y_text, label: frame.y.label },
            legend,
            height: HEIGHT,
            right: 40,
        }
    }

    /// Draws legend and axes, then has `data` draw the rest, by pixels on the whole drawing or by values on the plot.
    pub fn draw(self, data: impl FnOnce(&Area<'_>, &mut Plot<'_, '_>) -> Result<(), Failure>) -> std::io::Result<Svg> {
        let rows = legend_rows(&self.legend);
        let title = if self.y.label.is_empty() { 0 } else { LINE };
        let below = if self.x.label.is_empty() { LINE + 8 } else { 2 * LINE + 8 };
        let legend = rows.len() as u32 * LINE;
        let size = (WIDTH, legend + title + 16 + self.height + below);
        let mut text = String::new();
        let drawn = || -> Result<(), Failure> {
            let root = SVGBackend::with_string(&mut text, size).into_drawing_area();
            draw_legend(&root, &rows)?;
            if title > 0 {
                root.draw_text(self.y.label, &words(Ink::Quiet, HPos::Left), (0, (legend + LINE / 2) as i32))?;
            }
            let left =
                self.y.scale.marks().iter().map(|value| text_width(&(self.y.text)(value))).max().unwrap_or(0) + 18;
            let mut plot = ChartBuilder::on(&root)
                .margin_top(legend + title + 16)
                .margin_right(self.right)
                .x_label_area_size(below)
                .y_label_area_size(left)
                .build_cartesian_2d(self.x.scale.clone(), self.y.scale.clone())?;
            let mut mesh = plot.configure_mesh();
            mesh.bold_line_style(Ink::Grid.solid().stroke_width(2))
                .axis_style(Ink::Axis.solid().stroke_width(2))
                .label_style(words(Ink::Quiet, HPos::Left))
                .set_all_tick_mark_size(6)
                .x_label_formatter(self.x.text)
                .y_label_formatter(self.y.text);
            if matches!(self.x.scale, Scale::Places { .. }) {
                mesh.disable_x_mesh();
            }
            if matches!(self.y.scale, Scale::Places { .. }) {
                mesh.disable_y_mesh();
            }
            if !self.x.label.is_empty() {
                mesh.x_desc(self.x.label);
            }
            mesh.draw()?;
            data(&root, &mut plot)?;
            root.present()
        }();
        drawn.map_err(|error| std::io::Error::other(format!("cannot draw the chart \"{}\": {error}", self.title)))?;
        Ok(paint::finish(&text, size, self.title, self.about))
    }
}

/// Text of charts, anchored at its middle's `side`.
pub fn words(ink: Ink, side: HPos) -> TextStyle<'static> {
    let font = ("sans-serif", TEXT).into_font();
    TextStyle { font, color: ink.solid().to_backend_color(), pos: Pos::new(side, VPos::Center) }
}

/// About how wide `text` will be: fonts are the reader's.
pub fn text_width(text: &str) -> u32 {
    text.chars().count() as u32 * 16
}

/// Names with their numbers, as many a row as fit.
fn legend_rows<'a>(names: &[&'a str]) -> Vec<Vec<(usize, &'a str, u32)>> {
    let mut rows: Vec<Vec<(usize, &str, u32)>> = Vec::new();
    let mut end = WIDTH;
    for (at, name) in names.iter().enumerate().filter(|_| names.len() > 1) {
        let width = SAMPLE + 12 + text_width(name) + 28;
        if end + width > WIDTH {
            rows.push(Vec::new());
            end = 0;
        }
        if let Some(row) = rows.last_mut() {
            row.push((at, name, end));
        }
        end += width;
    }
    rows
}

/// Length of the line in a legend.
const SAMPLE: u32 = 56;

fn draw_legend(root: &Area<'_>, rows: &[Vec<(usize, &str, u32)>]) -> Result<(), Failure> {
    for (row, names) in rows.iter().enumerate() {
        let y = (row as u32 * LINE + LINE / 2) as i32;
        for (at, name, x) in names {
            let (x, end) = (*x as i32, (*x + SAMPLE) as i32);
            root.draw(&PathElement::new(vec![(x, y), (end, y)], line(*at)))?;
            mark::draw(root, ((x + end) / 2, y), *at, 1.0)?;
            root.draw_text(name, &words(Ink::Text, HPos::Left), (end + 12, y))?;
        }
    }
    Ok(())
}

/// How the line of series `at` is drawn.
pub fn line(at: usize) -> ShapeStyle {
    Ink::Dashed(at).solid().stroke_width(4)
}

//! Series over an axis: as lines with their intervals, or as points.

use plotters::prelude::{PathElement, Polygon};
use plotters::style::{Color, ShapeStyle};

use super::frame::{Failure, Frame, Layout, Plot, line};
use super::paint::Ink;
use super::scale::{MARKS, Scale};
use super::{Svg, mark};

/// One point of a series.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    pub x: f64,
    pub y: f64,
    /// Low and high end.
    pub interval: Option<(f64, f64)>,
}

/// Points under one name.
#[derive(Clone, Debug, PartialEq)]
pub struct Series<'a> {
    pub name: &'a str,
    /// In the order that lines connect them.
    pub points: Vec<Point>,
}

/// Lines through the series' points; intervals are bands behind them, with whiskers.
///
/// # Errors
/// None that writing to memory would not have.
pub fn lines(frame: &Frame<'_>, series: &[Series<'_>]) -> std::io::Result<Svg> {
    draw(frame, series, |plot, area, at, points| {
        let band: Vec<(f64, f64, f64)> =
            points.iter().filter_map(|point| point.interval.map(|(low, high)| (point.x, low, high))).collect();
        let upper = band.iter().map(|(x, _, high)| (*x, *high));
        let lower = band.iter().rev().map(|(x, low, _)| (*x, *low));
        if band.len() > 1 {
            plot.draw_series([Polygon::new(upper.chain(lower).collect::<Vec<_>>(), Ink::Series(at).sheer(0.18))])?;
        }
        let whisker = ShapeStyle::from(Ink::Series(at).sheer(0.7)).stroke_width(2);
        plot.draw_series(band.iter().map(|(x, low, high)| PathElement::new(vec![(*x, *low), (*x, *high)], whisker)))?;
        plot.draw_series([PathElement::new(points.iter().map(|p| (p.x, p.y)).collect::<Vec<_>>(), line(at))])?;
        // markers on a line of many points would hide it
        let few = points.len() <= 40;
        points
            .iter()
            .filter(|_| few)
            .try_for_each(|point| mark::draw(area, plot.plotting_area().map_coordinate(&(point.x, point.y)), at, 1.0))
    })
}

/// The points alone, with whiskers where they have intervals.
///
/// # Errors
/// None that writing to memory would not have.
pub fn scatter(frame: &Frame<'_>, series: &[Series<'_>]) -> std::io::Result<Svg> {
    draw(frame, series, |plot, area, at, points| {
        let whisker = ShapeStyle::from(Ink::Series(at).sheer(0.7)).stroke_width(2);
        let intervals = points.iter().filter_map(|point| point.interval.map(|ends| (point.x, ends)));
        plot.draw_series(intervals.map(|(x, (low, high))| PathElement::new(vec![(x, low), (x, high)], whisker)))?;
        points
            .iter()
            .try_for_each(|point| mark::draw(area, plot.plotting_area().map_coordinate(&(point.x, point.y)), at, 0.75))
    })
}

fn draw(
    frame: &Frame<'_>,
    series: &[Series<'_>],
    one: impl Fn(&mut Plot<'_, '_>, &super::frame::Area<'_>, usize, &[Point]) -> Result<(), Failure>,
) -> std::io::Result<Svg> {
    let points = || series.iter().flat_map(|series| &series.points);
    let x = Scale::of(&frame.x, MARKS, points().map(|point| point.x));
    let ends = points().flat_map(|point| point.interval).flat_map(|(low, high)| [low, high]);
    let y = Scale::of(&frame.y, MARKS, points().map(|point| point.y).chain(ends).chain(frame.level));
    let (x_text, y_text) = (|value: &f64| (frame.x.text)(*value), |value: &f64| (frame.y.text)(*value));
    let names = series.iter().map(|series| series.name).collect();
    Layout::of(frame, x.clone(), y.clone(), names, [&x_text, &y_text]).draw(|area, plot| {
        if let Some(level) = frame.level {
            let ends = plot.plotting_area().get_x_axis_pixel_range();
            let (_, height) = plot.plotting_area().map_coordinate(&(0.0, level));
            let style = Ink::Axis.solid().stroke_width(3);
            area.draw(&PathElement::new(vec![(ends.start, height), (ends.end, height)], style))?;
        }
        for (at, series) in series.iter().enumerate() {
            let shown = |point: &Point| Point {
                interval: point.interval.filter(|(low, high)| y.holds(*low) && y.holds(*high)),
                ..*point
            };
            let fits = |point: &&Point| x.holds(point.x) && y.holds(point.y);
            let points: Vec<Point> = series.points.iter().filter(fits).map(shown).collect();
            if !points.is_empty() {
                one(plot, area, at, &points)?;
            }
        }
        Ok(())
    })
}

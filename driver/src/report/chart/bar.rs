//! Horizontal bars with intervals.

use plotters::prelude::{PathElement, Rectangle};
use plotters::style::text_anchor::HPos;
use plotters::style::{Color, ShapeStyle};

use super::Svg;
use super::frame::{Frame, LINE, Layout, text_width, words};
use super::paint::Ink;
use super::scale::Scale;

/// A bar.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar<'a> {
    pub name: &'a str,
    pub value: f64,
    /// The value as it is written beside the bar.
    pub text: String,
    pub interval: Option<(f64, f64)>,
    /// Up to here the bar is paler: what is not its own, such as the next rung's time.
    pub shared: Option<f64>,
    /// Number of its colour: a kind of bars has one.
    pub kind: usize,
}

/// Marks: names and values beside the bars take half of the width.
const FEW: f64 = 4.0;

/// The axis reaches to intervals' ends up to so many times the longest bar.
const REACH: f64 = 1.5;

/// Bars from top to bottom, from the axis' low end; each has its value written beside it. `frame.x` is the values' axis; `frame.y` gives
/// the title above the names.
///
/// # Errors
/// None that writing to memory would not have.
pub fn bars(frame: &Frame<'_>, bars: &[Bar<'_>]) -> std::io::Result<Svg> {
    // an interval far longer than any bar would leave no room for the bars: it goes on beyond the edge
    let longest = bars.iter().map(|bar| bar.value).filter(|value| value.is_finite()).fold(0.0, f64::max);
    let ends = bars.iter().flat_map(|bar| bar.interval).flat_map(|(low, high)| [low, high]);
    let ends = ends.filter(|end| *end <= REACH * longest);
    let shared = bars.iter().flat_map(|bar| bar.shared);
    let x = Scale::of(&frame.x, FEW, bars.iter().map(|bar| bar.value).chain(ends).chain(shared));
    let y = Scale::Places { count: bars.len().max(1), from_top: true };
    let x_text = |value: &f64| (frame.x.text)(*value);
    let y_text = |value: &f64| bars.get(*value as usize).map(|bar| bar.name.to_owned()).unwrap_or_default();
    let mut layout = Layout::of(frame, x.clone(), y, Vec::new(), [&x_text, &y_text]);
    layout.height = bars.len().max(1) as u32 * (LINE + 4);
    layout.right = bars.iter().map(|bar| text_width(&bar.text)).max().unwrap_or(0) + 24;
    layout.draw(|area, plot| {
        let origin = plot.plotting_area().get_x_axis_pixel_range().start;
        let right = plot.plotting_area().get_x_axis_pixel_range().end;
        for (at, bar) in bars.iter().enumerate().filter(|(_, bar)| x.holds(bar.value)) {
            let place = |value: f64| plot.plotting_area().map_coordinate(&(value, at as f64));
            let (end, y) = place(bar.value);
            let from = bar
                .shared
                .filter(|value| x.holds(*value))
                .map_or(origin, |value| place(value).0.clamp(origin, end.max(origin)));
            let half = LINE as i32 / 3;
            let pale = ShapeStyle::from(Ink::Series(bar.kind).sheer(0.3)).filled();
            let own = ShapeStyle::from(Ink::Series(bar.kind).solid()).filled();
            area.draw(&Rectangle::new([(origin, y - half), (from, y + half)], pale))?;
            area.draw(&Rectangle::new([(from.min(end), y - half), (from.max(end), y + half)], own))?;
            if let Some((low, high)) = bar.interval.filter(|(low, high)| x.holds(*low) && x.holds(*high)) {
                let style = Ink::Text.solid().stroke_width(3);
                let ends = [place(low).0, place(high).0];
                let [low, high] = ends.map(|x| x.clamp(origin, right));
                area.draw(&PathElement::new(vec![(low, y), (high, y)], style))?;
                for x in ends.into_iter().filter(|x| (origin..=right).contains(x)) {
                    area.draw(&PathElement::new(vec![(x, y - half / 2), (x, y + half / 2)], style))?;
                }
            }
            area.draw_text(&bar.text, &words(Ink::Text, HPos::Left), (right + 12, y))?;
        }
        Ok(())
    })
}

//! Charts: what they show and what they must not hold.

use sps::report::chart::{Axis, Bar, Curve, Frame, Grid, Point, STYLE, Series, bars, heat, lines, scatter, tails};

fn plain(value: f64) -> String {
    value.to_string()
}

fn frame<'a>(title: &'a str, x: Axis<'a>) -> Frame<'a> {
    Frame { title, about: "the table has the numbers", x, y: Axis::log("selects/s", plain), level: None }
}

fn series<'a>(name: &'a str, values: &[f64]) -> Series<'a> {
    let point = |(at, y): (usize, &f64)| Point { x: at as f64, y: *y, interval: Some((y * 0.9, y * 1.1)) };
    Series { name, points: values.iter().enumerate().map(point).collect() }
}

/// One of each kind, every name in it being `name`.
fn all(name: &str) -> Vec<String> {
    let over = frame(name, Axis::linear(name, plain));
    let two = [series(name, &[1e3, 2e3, 3e3]), series("other", &[2e3, 1e3, 5e3])];
    let one = Bar { name, value: 90e3, text: name.into(), interval: Some((80e3, 95e3)), shared: Some(14e3), kind: 0 };
    let curve = Curve { name, points: vec![(0.0, 1.0), (0.5, 2.0), (0.99, 9.0), (1.0, 10.0)] };
    let grid =
        Grid { columns: vec![name.into()], rows: vec!["1".into(), "2".into()], cells: &[vec![Some(1.0)], vec![None]] };
    [
        lines(&over, &two),
        scatter(&over, &two),
        bars(&frame(name, Axis::log(name, plain)), &[one]),
        tails(&over, &[curve.clone(), curve]),
        heat(&over, &grid, plain),
    ]
    .into_iter()
    .map(Result::unwrap)
    .collect()
}

#[test]
fn a_name_is_text_wherever_it_stands() {
    for chart in all("<script>\"&'#010000\"#010000") {
        assert!(!chart.contains("<script") && chart.contains("&lt;script"), "{chart}");
        assert!(chart.contains("#010000"), "a name was taken for a colour: {chart}");
    }
}

#[test]
fn a_chart_is_one_element_that_fetches_nothing_and_takes_its_colours_from_the_page() {
    for chart in all("prepared@same") {
        assert!(chart.starts_with("<svg class=\"chart\" role=\"img\" viewBox="), "{chart}");
        assert!(chart.trim_end().ends_with("</svg>") && chart.matches("<svg").count() == 1);
        assert!(chart.contains("<title>prepared@same</title><desc>the table has the numbers</desc>"), "{chart}");
        for held in ["http", "url(", "href", "<style", "id="] {
            assert!(!chart.contains(held), "{held} in {chart}");
        }
        assert!(!chart.contains("=\"#"), "a colour of its own in {chart}");
        for variable in chart.split("var(").skip(1).filter_map(|rest| rest.split(')').next()) {
            assert_eq!(STYLE.matches(&format!("{variable}:")).count(), 2, "{variable}: light and dark");
        }
    }
}

#[test]
fn series_differ_by_more_than_colour() {
    let over = frame("rates", Axis::linear("round", plain));
    let names: Vec<String> = (0..12).map(|at| format!("arm {at}")).collect();
    let chart = lines(&over, &names.iter().map(|name| series(name, &[1e3, 2e3])).collect::<Vec<_>>()).unwrap();
    let strokes: std::collections::BTreeSet<&str> = chart
        .lines()
        .filter(|line| line.starts_with("<polyline") && line.contains("stroke-width=\"4\""))
        .filter_map(|line| Some(line.split_once("stroke=")?.1.split_once(" stroke-width")?.0))
        .collect();
    assert_eq!(strokes.len(), 12, "{strokes:?}");
    for name in names {
        assert!(chart.contains(&name));
    }
}

#[test]
fn what_an_axis_cannot_show_is_left_out() {
    let over = frame("rates", Axis::linear("round", plain));
    let odd = [f64::NAN, 0.0, -5.0, f64::INFINITY];
    for chart in [scatter(&over, &[series("a", &odd)]).unwrap(), lines(&over, &[series("a", &odd)]).unwrap()] {
        assert!(!chart.contains("circle") && !chart.contains("NaN") && !chart.contains("-21474836"), "{chart}");
    }
    assert_eq!(scatter(&over, &[series("a", &[1e3, f64::NAN, 2e3])]).unwrap().matches("<circle").count(), 2);
}

#[test]
fn nothing_makes_an_empty_chart() {
    let over = frame("rates", Axis::linear("round", plain));
    let grid = Grid { columns: Vec::new(), rows: Vec::new(), cells: &[] };
    for chart in [lines(&over, &[]), bars(&over, &[]), tails(&over, &[]), heat(&over, &grid, plain)] {
        assert!(chart.unwrap().starts_with("<svg"));
    }
}

//! The hottest functions: by themselves, and with all that they call.

use std::collections::{BTreeMap, HashSet};

use super::script::Frame;
use super::stack::Stacks;

/// A function's share, in units of the event's weight.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Heat {
    pub own: u64,
    /// With its callees, counted once where it recurses.
    pub total: u64,
}

/// Every function of `stacks`.
pub fn functions(stacks: &Stacks) -> BTreeMap<&Frame, Heat> {
    let mut found: BTreeMap<&Frame, Heat> = BTreeMap::new();
    for (stack, &weight) in &stacks.stacks {
        let distinct: HashSet<&Frame> = stack.iter().collect();
        for frame in distinct {
            found.entry(frame).or_default().total += weight;
        }
        if let Some(leaf) = stack.last() {
            found.entry(leaf).or_default().own += weight;
        }
    }
    found
}

/// A function's own weight per select on both sides.
#[derive(Clone, Debug, PartialEq)]
pub struct Change<'a> {
    pub frame: &'a Frame,
    pub base: f64,
    pub test: f64,
}

/// What grew and shrank from `base` to `test`, each over its selects; the largest change first.
pub fn changes<'a>(base: (&'a Stacks, f64), test: (&'a Stacks, f64)) -> Vec<Change<'a>> {
    let (before, after) = (functions(base.0), functions(test.0));
    let frames: HashSet<&Frame> = before.keys().chain(after.keys()).copied().collect();
    let own = |side: &BTreeMap<&Frame, Heat>, frame: &Frame, selects: f64| {
        side.get(frame).map_or(0.0, |heat| heat.own as f64 / selects)
    };
    let mut changes: Vec<Change<'a>> = frames
        .into_iter()
        .map(|frame| Change { frame, base: own(&before, frame, base.1), test: own(&after, frame, test.1) })
        .collect();
    let size = |change: &Change<'_>| (change.test - change.base).abs();
    changes.sort_by(|a, b| size(b).total_cmp(&size(a)).then_with(|| a.frame.cmp(b.frame)));
    changes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stacks(lines: &[(&str, u64)]) -> Stacks {
        let frame = |name: &str| Frame { name: name.into(), module: "postgres".into() };
        let stacks = lines.iter().map(|(line, weight)| (line.split(';').map(frame).collect(), *weight)).collect();
        Stacks { stacks, ..Stacks::default() }
    }

    #[test]
    fn a_function_that_recurses_is_in_a_stack_once() {
        let stacks = stacks(&[("a;b;a", 3), ("a;b", 4), ("c", 1)]);
        let named: BTreeMap<String, Heat> =
            functions(&stacks).into_iter().map(|(frame, heat)| (frame.name.clone(), heat)).collect();
        assert_eq!(named["a"], Heat { own: 3, total: 7 });
        assert_eq!(named["b"], Heat { own: 4, total: 7 });
        assert_eq!(named["c"], Heat { own: 1, total: 1 });
    }

    #[test]
    fn changes_are_per_select_and_the_largest_comes_first() {
        let (base, test) = (stacks(&[("start", 1000), ("scan", 500)]), stacks(&[("scan", 1200)]));
        let found = changes((&base, 100.0), (&test, 200.0));
        let rows: Vec<(&str, f64, f64)> = found.iter().map(|c| (c.frame.name.as_str(), c.base, c.test)).collect();
        assert_eq!(rows, [("start", 10.0, 0.0), ("scan", 5.0, 6.0)]);
    }
}

//! Stacks of one process, cut to the part that was asked for.

use std::collections::BTreeMap;

use super::script::{Frame, Sample};
use crate::count::callgrind::LIBRARY;

/// The name of the extension's timed functions: what a layer is lies under one of them.
const TIMED: &str = "timed";
/// A stack with this function is whole.
const OUTERMOST: &str = "PostgresMain";

/// What is profiled of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// What lies under a layer's loop.
    Loop,
    All,
}

/// A larger share of samples in functions without a name means a stripped program.
const STRIPPED: f64 = 0.05;

/// Samples of a process.
#[derive(Clone, Debug, Default)]
pub struct Stacks {
    /// Weight of each stack, outermost frame first.
    pub stacks: BTreeMap<Vec<Frame>, u64>,
    /// How many samples are in them.
    pub samples: usize,
    /// Of these, how many are whole stacks under the loop, or all of them where there is no loop.
    pub under_loop: usize,
    /// Samples of whole stacks outside of the loop: set-up, which is left out.
    pub outside: usize,
    /// The event, as perf named it.
    pub event: String,
}

impl Stacks {
    /// Those of process `pid` among `samples`.
    pub fn of(samples: &[Sample], pid: i32, part: Part) -> Self {
        let mut found = Self::default();
        for sample in samples.iter().filter(|sample| sample.pid == pid) {
            let looped = sample.frames.iter().position(is_timed);
            let frames = match (part, looped) {
                (Part::All, _) => &sample.frames[..],
                (Part::Loop, Some(at)) => &sample.frames[at..],
                (Part::Loop, None) if sample.frames.iter().any(|frame| frame.name == OUTERMOST) => {
                    found.outside += 1;
                    continue;
                }
                // a stack that could not be followed to its end
                (Part::Loop, None) => &sample.frames[..],
            };
            found.samples += 1;
            found.under_loop += usize::from(part == Part::All || looped.is_some());
            if found.event.is_empty() {
                found.event.clone_from(&sample.event);
            }
            *found.stacks.entry(merged(frames)).or_default() += sample.weight;
        }
        found
    }

    pub fn weight(&self) -> u64 {
        self.stacks.values().sum()
    }

    /// Share of the samples under the loop.
    pub fn share_under_loop(&self) -> f64 {
        self.under_loop as f64 / self.samples.max(1) as f64
    }

    /// Are the static functions of `module` without names? One with its symbols has a few nameless samples, too.
    pub fn is_stripped(&self, module: &str) -> bool {
        let nameless =
            |stack: &[Frame]| stack.last().is_some_and(|frame| frame.is_nameless() && frame.module == module);
        let weight: u64 = self.stacks.iter().filter(|(stack, _)| nameless(stack)).map(|(_, weight)| weight).sum();
        weight as f64 > STRIPPED * self.weight() as f64
    }

    /// A line a stack, as flame graphs are drawn from: `outer;inner 17`. With `root` in front, where it is not empty.
    pub fn folded(&self, root: &str, scale: impl Fn(u64) -> u64) -> Vec<String> {
        let line = |(stack, weight): (&Vec<Frame>, &u64)| {
            let root = (!root.is_empty()).then(|| root.to_owned());
            let labels: Vec<String> = root.into_iter().chain(stack.iter().map(Frame::label)).collect();
            format!("{} {}", labels.join(";"), scale(*weight))
        };
        self.stacks.iter().map(line).collect()
    }

    /// The same, the loop called `loop` whatever layer's it is: two layers' stacks then begin alike.
    pub fn with_loop_renamed(mut self) -> Self {
        let rename = |(mut stack, weight): (Vec<Frame>, u64)| {
            if let Some(first) = stack.first_mut().filter(|first| is_timed(first)) {
                first.name = "loop".into();
            }
            (stack, weight)
        };
        self.stacks = std::mem::take(&mut self.stacks).into_iter().map(rename).collect();
        self
    }
}

/// `select_loop::pg::timed_loop::timed::<…>`, of our library.
fn is_timed(frame: &Frame) -> bool {
    let path = frame.name.split('<').next().unwrap_or_default().trim_end_matches(':');
    frame.module == LIBRARY && path.rsplit("::").next() == Some(TIMED)
}

/// Functions without a name that call each other are one.
fn merged(frames: &[Frame]) -> Vec<Frame> {
    let mut out: Vec<Frame> = Vec::with_capacity(frames.len());
    for frame in frames {
        if !(frame.is_nameless() && out.last() == Some(frame)) {
            out.push(frame.clone());
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(names: &[&str]) -> Sample {
        let frame = |name: &&str| {
            let module = if name.starts_with("select_loop::") { LIBRARY } else { "postgres" };
            Frame { name: (*name).into(), module: module.into() }
        };
        Sample { pid: 7, event: "cpu-clock".into(), weight: 10, frames: names.iter().map(frame).collect() }
    }

    const LOOP: &str = "select_loop::pg::timed_loop::timed::<select_loop::pg::executor::Rescan>";

    #[test]
    fn set_up_is_left_out_and_what_could_not_be_followed_is_kept() {
        let samples = [
            sample(&["main", "PostgresMain", LOOP, "ExecScan"]),
            sample(&[LOOP, "[static functions]", "[static functions]", "_bt_first"]),
            sample(&["main", "PostgresMain", "pg_parse_query"]),
            sample(&["memcpy"]),
            Sample { pid: 8, ..sample(&[LOOP]) },
        ];
        let found = Stacks::of(&samples, 7, Part::Loop);
        assert_eq!((found.samples, found.under_loop, found.outside, found.weight()), (3, 2, 1, 30));
        assert_eq!(
            found.clone().with_loop_renamed().folded("", |weight| weight / 10),
            ["loop;ExecScan 1", "loop;[static functions of postgres];_bt_first 1", "memcpy 1"]
        );
        assert!(!found.is_stripped("postgres"));
        let stripped = [sample(&[LOOP, "[static functions]"])];
        assert!(Stacks::of(&stripped, 7, Part::Loop).is_stripped("postgres"));
        let all = Stacks::of(&samples, 7, Part::All);
        assert_eq!((all.samples, all.outside, all.share_under_loop()), (4, 0, 1.0));
        assert!(all.folded("backend", |weight| weight).contains(&"backend;memcpy 10".to_owned()));
    }
}

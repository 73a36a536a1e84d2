//! What a suite is going to do, in words: printed before anything is touched.

use super::definition::{Definition, Length, Rebuild};
use super::ground::{Leave, options};
use super::plan::{self, Planned};
use super::workload::{Kind, Workload};
use crate::error::Result;
use crate::report::{percent, plural};
use crate::server::Target;
use crate::server::capacity::{self, human};

/// Disk space: what the suite needs, and what is there.
#[derive(Clone, Debug)]
pub struct Disk {
    /// None where sps makes no tables.
    pub need: Option<u64>,
    /// None where it cannot be seen from here.
    pub free: Option<u64>,
    pub place: String,
}

impl Disk {
    /// On a server that is named.
    pub fn of(target: &Target, definition: &Definition, leave: Leave) -> Result<Self> {
        let need = definition.scales.iter().map(|scale| options(definition, *scale).bytes()).max();
        let place = capacity::data_directory(&target.info, &target.session()?)?;
        Ok(Self {
            need: need.filter(|_| leave != Leave::Use),
            free: place.as_ref().and_then(|place| capacity::free_bytes(place).ok()),
            place: place.map(|place| place.display().to_string()).unwrap_or_default(),
        })
    }
}

/// The plan in a few lines. `runs` are those to be done, of `all`.
pub fn plan(definition: &Definition, runs: &[Planned], all: usize, disk: &Disk) -> String {
    let Definition { name, description, seed, repeats, .. } = definition;
    let title = if description.is_empty() { String::new() } else { format!(": {description}") };
    let left = if runs.len() == all { String::new() } else { format!(" of {all}") };
    let mut lines = vec![
        format!("suite {name}{title}"),
        format!(
            "{}{left} run{}{}, {}",
            runs.len(),
            if all == 1 { "" } else { "s" },
            each(definition.length),
            time(definition.length, runs.len())
        ),
        format!(
            "scales {}; clients {}; {}{}; seed {seed}; {}",
            list(&definition.scales),
            list(&definition.clients),
            plural(*repeats as usize, "repeat"),
            rates(definition),
            match (disk.need, definition.rebuild) {
                (None, _) => "on the tables that are there",
                (_, Rebuild::Scale) => "tables made anew before each scale",
                (_, Rebuild::Repeat) => "tables made anew before each repeat",
                (_, Rebuild::Run) => "tables made anew before each run",
            }
        ),
        format!("workloads {}", definition.workloads.iter().map(named).collect::<Vec<_>>().join(", ")),
    ];
    let free = match disk.free {
        Some(free) => format!("{} free in {}", human(free), disk.place),
        None => "what is free cannot be seen from here".into(),
    };
    lines.push(match disk.need {
        Some(need) => format!("disk: about {} needed, {free}", human(need)),
        None => format!("disk: no tables are made; {free}"),
    });
    lines.join("\n") + "\n"
}

/// Each run a line.
pub fn order(definition: &Definition, runs: &[Planned]) -> String {
    let line = |planned: &Planned| {
        let workload = &definition.workloads[planned.workload];
        format!("{:>5}  repeat {}  {}\n", planned.position + 1, planned.repeat, run(planned, workload))
    };
    runs.iter().map(line).collect()
}

/// `scale 10, prepared@free, 4 clients`.
pub fn run(planned: &Planned, workload: &Workload) -> String {
    let clients = if planned.clients == 1 { "1 client".into() } else { format!("{} clients", planned.clients) };
    let rate = planned.rate.map(|rate| format!(", {rate}/s wanted")).unwrap_or_default();
    format!("scale {}, {}, {clients}{rate}", planned.scale, named(workload))
}

fn named(workload: &Workload) -> String {
    match &workload.kind {
        Kind::Arm(spec) => match spec.placement {
            Some(placement) => format!("{}@{placement}", workload.name),
            None => workload.name.clone(),
        },
        Kind::Script(_) => workload.name.clone(),
    }
}

fn list(numbers: &[impl ToString]) -> String {
    numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

fn rates(definition: &Definition) -> String {
    let rates: Vec<f64> = definition.rates.iter().flatten().copied().collect();
    if rates.is_empty() { String::new() } else { format!("; rates {} per second", list(&rates)) }
}

fn each(length: Length) -> String {
    match length {
        Length::Seconds(seconds) => format!(" of {seconds} s"),
        Length::Transactions(count) => format!(" of {count} transactions a client"),
        Length::Precise { half_width, at_most } => {
            format!(" until each rate is known to ±{}, {at_most} s at most", percent(half_width))
        }
    }
}

fn time(length: Length, runs: usize) -> String {
    match plan::seconds(length, runs) {
        Some(seconds) => {
            let most = if matches!(length, Length::Precise { .. }) { "at most " } else { "" };
            // preparing takes up to a third of the measured time beside making tables
            format!("{most}{} measured, about {} in all", duration(seconds), duration(seconds * 13 / 10))
        }
        None => "for as long as that takes".into(),
    }
}

/// `45 s`, `12 min`, `3 h 20 min`.
fn duration(seconds: u64) -> String {
    match seconds {
        0..120 => format!("{seconds} s"),
        120..7200 => format!("{} min", seconds.div_ceil(60)),
        _ => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
    }
}

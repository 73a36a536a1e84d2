//! What a suite is to do, checked: everything that can be wrong with a definition is found here, before anything is touched.

use std::collections::BTreeMap;
use std::ops::{Range, RangeInclusive};
use std::path::Path;

use toml::Spanned;

use super::mistake::{Source, one_of};
use super::workload::Workload;
use super::written::{Setting, Written};
use crate::error::{Error, Result};
use crate::report;
use crate::results::mask_lines;

/// A suite, as it will be run.
#[derive(Clone, Debug)]
pub struct Definition {
    pub name: String,
    pub description: String,
    pub seed: i64,
    pub scales: Vec<i64>,
    pub clients: Vec<usize>,
    threads: Option<usize>,
    pub repeats: u32,
    pub length: Length,
    /// None: as fast as it goes.
    pub rates: Vec<Option<f64>>,
    pub rebuild: Rebuild,
    pub fillfactor: u8,
    pub unlogged: bool,
    pub before: Before,
    pub host: bool,
    pub metrics: Vec<Metric>,
    pub statistics: bool,
    pub cleanup: bool,
    /// Settings of the private server.
    pub settings: Vec<(String, String)>,
    pub workloads: Vec<Workload>,
    /// The same as TOML that needs no other file: seed and scripts are in it.
    pub text: String,
}

/// When a run ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Length {
    Seconds(u64),
    /// Of each client.
    Transactions(u64),
    Precise {
        half_width: f64,
        at_most: u64,
    },
}

/// How often tables are made anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rebuild {
    Scale,
    Repeat,
    Run,
}

#[derive(Clone, Debug)]
pub struct Before {
    /// None: where sps made the tables.
    pub truncate_history: Option<bool>,
    pub vacuum: bool,
    pub checkpoint: bool,
    pub checkpoint_limit: u64,
    pub warm: bool,
    pub reset_statistics: bool,
    pub hook: Option<String>,
}

#[derive(Clone, Debug)]
pub struct Metric {
    pub name: String,
    pub query: String,
    pub unit: String,
    /// Seconds.
    pub every: u64,
}

impl Definition {
    /// Reads the definition in `path`.
    ///
    /// # Errors
    /// Usage errors with line and column.
    pub fn read(path: &Path) -> Result<Self> {
        let name = path.display().to_string();
        let text = std::fs::read_to_string(path)
            .map_err(|error| Error::usage(format!("cannot read \"{name}\": {error}")).hint(HINT))?;
        Self::parse(&text, &name, path.parent().unwrap_or(Path::new("")))
    }

    /// Reads `text`, called `name` in errors; scripts are looked for in `folder`.
    ///
    /// # Errors
    /// As [`Definition::read`].
    pub fn parse(text: &str, name: &str, folder: &Path) -> Result<Self> {
        let source = Source { name, text };
        if let Some(line) = secret(text) {
            return Err(Error::usage(format!("{name}:{line}:1: a password has no place in a definition")).hint(
                "definitions are kept with the results, and this line looks as if it held one: put it into ~/.pgpass",
            ));
        }
        let mut written: Written = toml::from_str(text).map_err(|error| source.refused(&error))?;
        let workloads = super::choose::workloads(&mut written, source, folder)?;
        let seed = *written.seed.get_or_insert_with(|| i64::from(rand::random::<u32>()));
        let check = Check { source };
        let scales = check.list("scale", &written.scales, 1..=100_000)?;
        let clients = check.list("number of clients", &written.clients, 1..=10_000)?;
        let rates = match &written.rates {
            None => vec![None],
            Some(rates) => {
                check.filled("rates", rates)?;
                let rates = rates.get_ref().iter();
                rates.map(|rate| check.rate(rate).map(Some)).collect::<Result<_>>()?
            }
        };
        let (tables, before) = (&written.tables, &written.before);
        Ok(Self {
            name: check.name(&written.name)?,
            description: written.description.clone(),
            seed,
            scales,
            clients: clients.into_iter().map(|clients| clients as usize).collect(),
            threads: check.number("number of threads", &written.threads, 1..=10_000)?.map(|threads| threads as usize),
            repeats: check.number("number of repeats", &written.repeats, 1..=10_000)?.unwrap_or(3) as u32,
            length: check.length(&written)?,
            rates,
            rebuild: match &tables.rebuild {
                None => Rebuild::Scale,
                Some(rebuild) => check.word("rebuild", rebuild, &REBUILD)?,
            },
            fillfactor: check.number("fill factor", &tables.fillfactor, 10..=100)?.unwrap_or(100) as u8,
            unlogged: tables.unlogged.unwrap_or(false),
            before: Before {
                truncate_history: before.truncate_history,
                vacuum: before.vacuum.unwrap_or(true),
                checkpoint: before.checkpoint.unwrap_or(true),
                checkpoint_limit: check.number("limit", &before.checkpoint_limit, 1..=86_400)?.unwrap_or(600) as u64,
                warm: before.warm.unwrap_or(true),
                reset_statistics: before.reset_statistics.unwrap_or(false),
                hook: before.hook.clone(),
            },
            host: written.during.host.unwrap_or(true),
            metrics: check.metrics(&written)?,
            statistics: written.after.statistics.unwrap_or(true),
            cleanup: written.after.cleanup.unwrap_or(true),
            settings: check.settings(&written.settings)?,
            workloads,
            text: toml::to_string(&written)
                .map_err(|error| Error::failed(format!("cannot write the definition down: {error}")))?,
        })
    }

    /// Threads for so many clients.
    pub fn threads(&self, clients: usize) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        self.threads.unwrap_or_else(cores).clamp(1, clients.max(1))
    }

    pub fn writes(&self) -> bool {
        self.workloads.iter().any(|workload| workload.writes)
    }
}

/// The first line of `text`, from 1, that the results database would not keep as it is.
pub fn secret(text: &str) -> Option<usize> {
    let masked = mask_lines(text);
    let differ = text.lines().zip(masked.lines()).position(|(line, masked)| line != masked);
    differ.map(|line| line + 1)
}

const HINT: &str = "a suite is a TOML file: examples/quick.toml is a short one";

const REBUILD: [(&str, Rebuild); 3] = [("scale", Rebuild::Scale), ("repeat", Rebuild::Repeat), ("run", Rebuild::Run)];

/// Single values held against what is allowed.
#[derive(Clone, Copy)]
pub struct Check<'a> {
    pub source: Source<'a>,
}

impl Check<'_> {
    fn number(&self, what: &str, value: &Option<Spanned<i64>>, allowed: RangeInclusive<i64>) -> Result<Option<i64>> {
        value.as_ref().map(|value| self.within(what, value, &allowed)).transpose()
    }

    fn within(&self, what: &str, value: &Spanned<i64>, allowed: &RangeInclusive<i64>) -> Result<i64> {
        let number = *value.get_ref();
        if allowed.contains(&number) {
            return Ok(number);
        }
        let hint = format!("it has to be a whole number from {} to {}", allowed.start(), allowed.end());
        Err(self.source.mistake(&value.span(), format!("{what} {number} is out of range"), hint))
    }

    fn filled<T>(&self, what: &str, list: &Spanned<Vec<T>>) -> Result<()> {
        match list.get_ref().is_empty() {
            true => Err(self.source.mistake(&list.span(), format!("{what} is empty"), "name at least one")),
            false => Ok(()),
        }
    }

    /// Each value once, in the order given.
    fn list(&self, what: &str, list: &Spanned<Vec<Spanned<i64>>>, allowed: RangeInclusive<i64>) -> Result<Vec<i64>> {
        self.filled(&format!("the list of {what}s"), list)?;
        let mut found: Vec<i64> = Vec::new();
        for value in list.get_ref() {
            let number = self.within(what, value, &allowed)?;
            if found.contains(&number) {
                let hint = "each is run as often as `repeats` says";
                return Err(self.source.mistake(&value.span(), format!("{what} {number} is named twice"), hint));
            }
            found.push(number);
        }
        Ok(found)
    }

    fn rate(&self, rate: &Spanned<f64>) -> Result<f64> {
        let number = *rate.get_ref();
        if number.is_finite() && number > 0.0 {
            return Ok(number);
        }
        let hint = "a rate is a number above 0: transactions a second of all clients together";
        Err(self.source.mistake(&rate.span(), format!("rate {number} is out of range"), hint))
    }

    pub fn word<T: Copy>(&self, key: &str, value: &Spanned<String>, allowed: &[(&str, T)]) -> Result<T> {
        let found = allowed.iter().find(|(name, _)| name == value.get_ref()).map(|(_, meaning)| *meaning);
        found.ok_or_else(|| {
            let names: Vec<&str> = allowed.iter().map(|(name, _)| *name).collect();
            let message = format!("{key} cannot be \"{}\"", value.get_ref());
            self.source.mistake(&value.span(), message, one_of("it can be", value.get_ref(), &names))
        })
    }

    /// What a set or a workload may be called: it stands in tables and in file names.
    pub fn name(&self, name: &Spanned<String>) -> Result<String> {
        let text = name.get_ref();
        if !text.trim().is_empty() && text.chars().count() <= 100 && !text.chars().any(char::is_control) {
            return Ok(text.clone());
        }
        let hint = "a name has 1 to 100 characters, none of them a control character";
        Err(self.source.mistake(&name.span(), "this cannot be a name", hint))
    }

    fn length(&self, written: &Written) -> Result<Length> {
        let seconds = self.number("time", &written.time, 1..=604_800)?.map(|seconds| seconds as u64);
        let count = self.number("number of transactions", &written.transactions, 1..=i64::MAX)?;
        let conflict = |span: Range<usize>, other: &str| {
            let hint = "a run ends by `time`, by `transactions`, or by `half_width` with `time` as the most";
            self.source.mistake(&span, format!("transactions and {other} exclude each other"), hint)
        };
        match (&written.transactions, count, &written.half_width) {
            (Some(value), Some(_), _) if seconds.is_some() => Err(conflict(value.span(), "time")),
            (Some(value), Some(_), Some(_)) => Err(conflict(value.span(), "half_width")),
            (_, Some(count), _) => Ok(Length::Transactions(count as u64)),
            (_, None, Some(width)) => {
                let half_width = report::share_of(width.get_ref())
                    .map_err(|hint| self.source.mistake(&width.span(), "half_width is no share", hint))?;
                Ok(Length::Precise { half_width, at_most: seconds.unwrap_or(60) })
            }
            (_, None, None) => Ok(Length::Seconds(seconds.unwrap_or(60))),
        }
    }

    fn metrics(&self, written: &Written) -> Result<Vec<Metric>> {
        let mut metrics: Vec<Metric> = Vec::new();
        for metric in &written.during.sql {
            let name = self.name(&metric.name)?;
            if metrics.iter().any(|other| other.name == name) {
                let message = format!("metric \"{name}\" is named twice");
                return Err(self.source.mistake(&metric.name.span(), message, "give each a name of its own"));
            }
            metrics.push(Metric {
                name,
                query: metric.query.get_ref().clone(),
                unit: metric.unit.clone(),
                every: self.number("interval", &metric.every, 1..=3600)?.unwrap_or(1) as u64,
            });
        }
        Ok(metrics)
    }

    fn settings(&self, settings: &BTreeMap<Spanned<String>, Setting>) -> Result<Vec<(String, String)>> {
        let check = |(name, value): (&Spanned<String>, &Setting)| {
            if crate::server::is_setting_name(name.get_ref()) {
                return Ok((name.get_ref().clone(), value.to_string()));
            }
            let hint = "settings are those of postgresql.conf: shared_buffers = \"1GB\"";
            Err(self.source.mistake(&name.span(), format!("\"{}\" is not the name of a setting", name.get_ref()), hint))
        };
        settings.iter().map(check).collect()
    }
}

//! A number that the user wants asked of the server while a run goes.

use std::time::Duration;

use super::{Look, Taken};
use crate::error::{Error, Result};
use crate::results::Sample;
use crate::server::Target;
use crate::suite::Metric;
use crate::wire::LeanConnection;

pub struct Query {
    metric: Metric,
    connection: LeanConnection,
}

impl Query {
    pub fn new(target: &Target, metric: &Metric) -> Result<Self> {
        Ok(Self { metric: metric.clone(), connection: LeanConnection::connect(&target.config)? })
    }

    fn value(&mut self) -> Result<Option<f64>> {
        let rows = self.connection.query(&self.metric.query)?;
        let Some(Some(text)) = rows.first().and_then(|row| row.first()) else { return Ok(None) };
        text.parse().map(Some).map_err(|_| {
            Error::failed(format!("metric \"{}\" is \"{text}\", not a number", self.metric.name))
                .hint("the first column of the query's first row is the value: cast it, as in extract(epoch from …)")
        })
    }
}

impl Look for Query {
    fn interval(&self) -> Duration {
        Duration::from_secs(self.metric.every)
    }

    fn look(&mut self, at: f64, taken: &mut Taken) {
        match self.value() {
            Ok(Some(value)) => {
                let (source, name, unit) = ("sql".into(), self.metric.name.clone(), self.metric.unit.clone());
                taken.samples.push(Sample { source, name, unit, at, value });
            }
            Ok(None) => {}
            Err(error) => {
                let warning = format!("metric \"{}\" could not be asked for: {}", self.metric.name, error.message);
                if !taken.warnings.contains(&warning) {
                    taken.warnings.push(warning);
                }
            }
        }
    }
}

/// Asks each once, so that a mistake in one is found before anything is measured.
pub fn check(target: &Target, metrics: &[Metric]) -> Result<()> {
    for metric in metrics {
        let asked = Query::new(target, metric)?.value();
        asked.map_err(|error| error.context(format!("metric \"{}\"", metric.name)))?;
    }
    Ok(())
}

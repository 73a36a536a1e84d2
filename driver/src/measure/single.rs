//! One arm by itself, on a connection of its own: what profiles and counts need, which pair nothing.

use std::time::Duration;

use crate::arm::pgbench;
use crate::error::{Error, Result};
use crate::record::ArmInfo;
use crate::wire::Until;

use super::block::{self, Done, Stretch};
use super::connections::Connections;
use super::plan::{Arm, Kind};
use super::{Measurement, warm};

/// An arm on fresh connections, its data and statements warm.
pub struct Single<'a> {
    measurement: &'a Measurement<'a>,
    arm: &'a Arm,
    connections: Connections,
}

impl<'a> Single<'a> {
    /// Connects arm number `at` of `measurement` and makes it warm. Nothing is checked: see [`Measurement::verify`].
    ///
    /// # Errors
    /// A usage error for the arm `pgbench`, whose processes are its own; otherwise the server's.
    pub fn start(measurement: &'a Measurement<'a>, at: usize) -> Result<Self> {
        let arm = measurement.arms.get(at).ok_or_else(|| Error::usage("no arm is named"))?;
        if let Some(protocol) = pgbench::protocol(&arm.info.arm) {
            let message = format!("the arm {} connects by itself, so that its backend cannot be watched", arm.info.arm);
            return Err(Error::usage(message).hint(format!("name {protocol}, which sends the same messages")));
        }
        let mut connections = Connections::new(measurement, arm, 0)?;
        warm::data(measurement.target, measurement.lookup)?;
        warm::statements(measurement, arm, &mut connections, 0)?;
        Ok(Self { measurement, arm, connections })
    }

    pub fn info(&self) -> &ArmInfo {
        &self.arm.info
    }

    /// Does the arm's loop run in the extension?
    pub fn is_layer(&self) -> bool {
        matches!(self.arm.kind, Kind::Layer(_))
    }

    /// Process ids of the backends.
    pub fn backends(&self) -> Vec<i32> {
        self.connections.backends()
    }

    /// `selects` on each connection; of a layer in one call. The same keys every time.
    pub fn selects(&mut self, selects: i64) -> Result<Done> {
        let units = match self.arm.kind {
            Kind::Layer(_) | Kind::Loop(_) => 1,
            _ => selects as u64,
        };
        self.run(selects, Until::Units(units))
    }

    /// As many as go into `time`, and the one that is under way then; of a layer, calls as the plan has them.
    pub fn lasting(&mut self, time: Duration) -> Result<Done> {
        self.run(self.measurement.plan.selects_per_call, Until::Elapsed(time))
    }

    fn run(&mut self, per_call: i64, until: Until) -> Result<Done> {
        if self.arm.in_transaction() {
            self.connections.on_each("BEGIN")?;
        }
        let clients = self.measurement.plan.clients;
        let stretch = Stretch::untimed(0, 0, clients, per_call, until);
        let done = block::stretch(self.measurement, self.arm, &mut self.connections, stretch)?;
        if self.arm.in_transaction() {
            self.connections.on_each("COMMIT")?;
        }
        Ok(done)
    }
}

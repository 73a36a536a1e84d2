//! The connections of an arm in an epoch: one a client, on the cores of its placement, its statement prepared.

use select_loop_keys::mix;

use crate::arm::{Text, WireArm, tokio};
use crate::error::Result;
use crate::record::Plan;
use crate::wire::{Arrivals, LeanConnection, Queries};

use super::Measurement;
use super::plan::{Arm, Kind};

pub enum Connections {
    Lean {
        connections: Vec<LeanConnection>,
        /// Of each thread's share; none without a rate.
        arrivals: Vec<Arrivals>,
    },
    /// By thread.
    Tokio(Vec<tokio::Share>),
    /// pgbench makes its own.
    None,
}

impl Connections {
    /// New ones, on new backends.
    pub fn new(measurement: &Measurement<'_>, arm: &Arm, epoch: u64) -> Result<Self> {
        let Measurement { target, lookup, plan, .. } = measurement;
        if matches!(arm.kind, Kind::Pgbench(..)) {
            return Ok(Self::None);
        }
        let pin = |thread, nth, pid| measurement.placing.pin_backend(arm.info.placement, thread, nth, pid);
        let text = Text::new(lookup);
        let lookup_is_ours = matches!(arm.kind, Kind::Wire(_) | Kind::Loop(_) | Kind::Tokio);
        let set = match lookup_is_ours && lookup.covered_by_key() {
            true => "SET enable_indexonlyscan = off",
            false => "",
        };
        if matches!(arm.kind, Kind::Tokio) {
            let shares = shares(plan.clients, plan.threads);
            let shares = shares.map(|clients| tokio::Share::connect(&target.config, &text, clients, set));
            let shares = shares.collect::<Result<Vec<_>>>()?;
            for (thread, share) in shares.iter().enumerate() {
                share.backends().enumerate().try_for_each(|(nth, pid)| pin(thread, nth, pid))?;
            }
            return Ok(Self::Tokio(shares));
        }
        let connect = |(thread, nth)| {
            let mut connection = LeanConnection::connect(&target.config)?;
            pin(thread, nth, connection.backend())?;
            if !set.is_empty() {
                connection.query(set)?;
            }
            if let Kind::Wire(wire) = arm.kind {
                set_up(wire, &text, &mut connection)?;
            }
            Ok(connection)
        };
        let seats = shares(plan.clients, plan.threads).enumerate();
        let seats = seats.flat_map(|(thread, clients)| (0..clients).map(move |nth| (thread, nth)));
        let connections = seats.map(connect).collect::<Result<_>>()?;
        Ok(Self::Lean { connections, arrivals: arrivals(plan, epoch) })
    }

    /// Cancels what is under way, since nobody will wait for it.
    pub fn cancel(&self) {
        if let Self::Lean { connections, .. } = self {
            let cancels: Vec<_> = connections.iter().filter_map(LeanConnection::cancel).collect();
            std::thread::scope(|scope| cancels.into_iter().for_each(|cancel| drop(scope.spawn(cancel))));
        }
    }

    /// Process ids of the backends.
    pub fn backends(&self) -> Vec<i32> {
        match self {
            Self::Lean { connections, .. } => connections.iter().map(LeanConnection::backend).collect(),
            Self::Tokio(shares) => shares.iter().flat_map(tokio::Share::backends).collect(),
            Self::None => Vec::new(),
        }
    }

    /// Does something untimed on the first connection; None where there is none.
    pub fn on_first<T>(&mut self, work: impl FnOnce(&mut dyn Queries) -> Result<T>) -> Result<Option<T>> {
        match self {
            Self::Lean { connections, .. } => connections.first_mut().map(|first| work(first)),
            Self::Tokio(shares) => {
                shares.first_mut().and_then(|share| share.each().next().map(|mut one| work(&mut one)))
            }
            Self::None => None,
        }
        .transpose()
    }

    /// Runs `sql` untimed on every connection.
    pub fn on_each(&mut self, sql: &str) -> Result<()> {
        match self {
            Self::Lean { connections, .. } => connections.iter_mut().try_for_each(|one| one.query(sql).map(drop)),
            Self::Tokio(shares) => {
                shares.iter_mut().flat_map(tokio::Share::each).try_for_each(|mut one| one.query(sql).map(drop))
            }
            Self::None => Ok(()),
        }
    }
}

/// The plan's rate, shared among threads as clients are.
fn arrivals(plan: &Plan, epoch: u64) -> Vec<Arrivals> {
    let Some(rate) = plan.rate else { return Vec::new() };
    let shares = shares(plan.clients, plan.threads).enumerate();
    // a round and call that no block has
    let seed = |thread: usize| mix(plan.seed, epoch, u64::MAX, thread as u64, u64::MAX);
    let share = |clients: usize| clients as f64 / plan.clients as f64;
    shares.map(|(thread, clients)| Arrivals::new(seed(thread), rate * share(clients))).collect()
}

fn set_up(wire: &dyn WireArm, text: &Text, connection: &mut LeanConnection) -> Result<()> {
    wire.setup(text, &mut connection.out)?;
    if connection.out.is_empty() {
        return Ok(());
    }
    connection.exchange(&mut |_: crate::wire::Row<'_>| Ok(()))
}

/// How many of `clients` run on each of `threads`, as evenly as they go.
pub fn shares(clients: usize, threads: usize) -> impl Iterator<Item = usize> {
    let threads = threads.clamp(1, clients.max(1));
    (0..threads).map(move |thread| clients / threads + usize::from(thread < clients % threads))
}

#[cfg(test)]
mod tests {
    use super::shares;

    #[test]
    fn every_client_is_on_one_thread_whatever_their_numbers() {
        assert_eq!(shares(5, 2).collect::<Vec<_>>(), [3, 2]);
        assert_eq!(shares(2, 5).collect::<Vec<_>>(), [1, 1]);
        assert_eq!(shares(6, 4).collect::<Vec<_>>(), [2, 2, 1, 1]);
    }
}

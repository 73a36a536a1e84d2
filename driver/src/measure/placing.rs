//! Where clients and backends run.
//!
//! A socket round trip over two cores costs more than the whole lookup, on one core a fraction of it; so placement is
//! part of a wire arm's identity. Client threads pin themselves; backends are pinned by their process ids once they are
//! connected, so that nothing of a server stays pinned when sps is gone. Only pgbench, which connects by itself, needs the
//! postmaster pinned meanwhile.

use crate::arm::Placement;
use crate::error::{Error, Result};
use crate::server::Target;
use crate::server::placement::{CoreSet, Cores, Postmaster, pin_backend, pin_thread};

use super::connections::shares;

/// `--pin`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Pin {
    /// Each wire arm in both placements, same and split
    Both,
    /// Client and backend on one core
    Same,
    /// Client and backend on two cores
    Split,
    /// Wherever the scheduler puts them
    Free,
}

impl Pin {
    /// The placements of a wire arm that does not name its own.
    pub fn placements(self) -> &'static [Placement] {
        match self {
            Self::Both => &[Placement::Same, Placement::Split],
            Self::Same => &[Placement::Same],
            Self::Split => &[Placement::Split],
            Self::Free => &[Placement::Free],
        }
    }
}

/// What is possible on this machine and server, and what was asked for.
pub struct Placing {
    pub pin: Pin,
    /// None where nothing may be pinned.
    cores: Option<Cores>,
    postmaster: Option<i32>,
}

impl Placing {
    /// `pin` None: both where this process may pin and has two cores, same where it has one, else free.
    pub fn new(target: &Target, pin: Option<Pin>) -> Result<Self> {
        let free = Self { pin: Pin::Free, cores: None, postmaster: None };
        if !target.may_pin || target.postmaster.is_none() {
            return match pin {
                None | Some(Pin::Free) => Ok(free),
                Some(_) => Err(Error::usage("this server's processes cannot be pinned to a core from here")
                    .hint("use --pin free, or run sps on the server's machine as its user or as root")),
            };
        }
        let cores = match Cores::detect(target.postmaster) {
            Ok(cores) => cores,
            Err(_) if matches!(pin, None | Some(Pin::Free)) => return Ok(free),
            Err(error) => return Err(error),
        };
        let pin = match pin {
            Some(pin @ (Pin::Both | Pin::Split)) if cores.count() < 2 => {
                let name = if pin == Pin::Both { "both" } else { "split" };
                return Err(Error::usage(format!("--pin {name} needs two cores, and this process may use one"))
                    .hint("use --pin same or --pin free"));
            }
            Some(pin) => pin,
            None if cores.count() > 1 => Pin::Both,
            None => Pin::Same,
        };
        Ok(Self { pin, cores: Some(cores), postmaster: target.postmaster })
    }

    /// The placements of a wire arm that does not name its own.
    pub fn of_wire(&self) -> &'static [Placement] {
        self.pin.placements()
    }

    /// The placement of a layer: pinned to keep it from moving, but several loops need several cores.
    pub fn of_layer(&self, clients: usize) -> Placement {
        if self.pin == Pin::Free || clients > 1 { Placement::Free } else { Placement::Same }
    }

    /// # Errors
    /// A usage error where `placement` is impossible here.
    pub fn check(&self, placement: Placement) -> Result<()> {
        let possible = match (placement, &self.cores) {
            (Placement::Free, _) => true,
            (Placement::Same, cores) => cores.is_some(),
            (Placement::Split, cores) => cores.as_ref().is_some_and(|cores| cores.count() > 1),
        };
        if possible {
            return Ok(());
        }
        Err(Error::usage(format!("placement @{placement} is not possible here"))
            .hint("it needs a local server of the same user (or root), and @split needs two cores"))
    }

    /// Pins the calling thread, the `thread`th of the clients', for good.
    pub fn pin_client(&self, placement: Placement, thread: usize) -> Result<()> {
        match (&self.cores, placement) {
            (None, _) => Ok(()),
            (Some(cores), Placement::Free) => pin_thread(cores.all()),
            (Some(cores), Placement::Same | Placement::Split) => pin_thread(&CoreSet::of([cores.nth(thread)])?),
        }
    }

    /// Pins the backend `pid` of the `nth` client of thread `thread`.
    pub fn pin_backend(&self, placement: Placement, thread: usize, nth: usize, pid: i32) -> Result<()> {
        match self.cores.as_ref().and_then(|cores| backend_cpu(cores, placement, thread, nth)) {
            Some(cpu) => pin_backend(pid, cpu),
            None => Ok(()),
        }
    }

    /// While the result lives, new backends are placed for `placement`; their clients are all on the first core.
    pub fn postmaster(&self, placement: Placement) -> Result<Option<Postmaster>> {
        let (Some(cores), Some(postmaster)) = (&self.cores, self.postmaster) else { return Ok(None) };
        let set = match placement {
            Placement::Free => return Ok(None),
            Placement::Same => CoreSet::of([cores.nth(0)])?,
            Placement::Split => CoreSet::of((1..cores.count()).map(|n| cores.nth(n)))?,
        };
        Postmaster::pinned(postmaster, &set).map(Some)
    }

    /// The CPUs of `clients` on `threads` and of their backends; None where the scheduler chooses them.
    pub fn cpus(&self, placement: Placement, clients: usize, threads: usize) -> Option<(Vec<usize>, Vec<usize>)> {
        let cores = self.cores.as_ref().filter(|_| placement != Placement::Free)?;
        let (mut near, mut far) = (Vec::new(), Vec::new());
        for (thread, share) in shares(clients, threads).enumerate() {
            near.push(cores.nth(thread));
            far.extend((0..share).filter_map(|nth| backend_cpu(cores, placement, thread, nth)));
        }
        for cpus in [&mut near, &mut far] {
            cpus.sort_unstable();
            cpus.dedup();
        }
        Some((near, far))
    }
}

/// A thread is on the core of its number; so are its clients' backends, or they are spread over the cores after it.
fn backend_cpu(cores: &Cores, placement: Placement, thread: usize, nth: usize) -> Option<usize> {
    let others = cores.count().saturating_sub(1);
    match placement {
        Placement::Free => None,
        Placement::Same => Some(cores.nth(thread)),
        Placement::Split if others == 0 => None,
        Placement::Split => Some(cores.nth(thread % cores.count() + 1 + nth % others)),
    }
}

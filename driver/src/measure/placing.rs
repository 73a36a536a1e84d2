//! Where clients and backends run.
//!
//! A socket round trip over two cores costs more than the whole lookup, on one core a fraction of it; so placement is
//! part of a wire arm's identity. Client threads pin themselves; a backend inherits its cores from the postmaster.

use crate::arm::Placement;
use crate::error::{Error, Result};
use crate::server::Target;
use crate::server::placement::{CoreSet, Cores, Postmaster, pin_thread};

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
        if !target.may_pin || target.postmaster.is_none() {
            return match pin {
                None | Some(Pin::Free) => Ok(Self { pin: Pin::Free, cores: None, postmaster: None }),
                Some(_) => Err(Error::usage("this server's processes cannot be pinned to a core from here")
                    .hint("use --pin free, or run sps on the server's machine as its user or as root")),
            };
        }
        let cores = Cores::detect()?;
        let pin = match pin {
            Some(pin @ (Pin::Both | Pin::Split)) if cores.other().is_none() => {
                let name = if pin == Pin::Both { "both" } else { "split" };
                return Err(Error::usage(format!("--pin {name} needs two cores, and this process may use one"))
                    .hint("use --pin same or --pin free"));
            }
            Some(pin) => pin,
            None if cores.other().is_some() => Pin::Both,
            None => Pin::Same,
        };
        Ok(Self { pin, cores: Some(cores), postmaster: target.postmaster })
    }

    /// The placements of a wire arm that does not name its own.
    pub fn of_wire(&self) -> &'static [Placement] {
        match self.pin {
            Pin::Both => &[Placement::Same, Placement::Split],
            Pin::Same => &[Placement::Same],
            Pin::Split => &[Placement::Split],
            Pin::Free => &[Placement::Free],
        }
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
            (Placement::Split, cores) => cores.as_ref().is_some_and(|cores| cores.other().is_some()),
        };
        if possible {
            return Ok(());
        }
        Err(Error::usage(format!("placement @{placement} is not possible here"))
            .hint("it needs a local server of the same user (or root), and @split needs two cores"))
    }

    /// Pins the calling thread, a client's, for good.
    pub fn pin_client(&self, placement: Placement) -> Result<()> {
        match (&self.cores, placement) {
            (None, _) => Ok(()),
            (Some(cores), Placement::Free) => pin_thread(cores.all()),
            (Some(cores), Placement::Same | Placement::Split) => pin_thread(cores.client()),
        }
    }

    /// While the result lives, new backends are placed for `placement`.
    pub fn backends(&self, placement: Placement) -> Result<Option<Postmaster>> {
        match (&self.cores, self.postmaster) {
            (Some(cores), Some(postmaster)) => {
                Postmaster::pinned(postmaster, self.backend_cores(cores, placement)).map(Some)
            }
            _ => Ok(None),
        }
    }

    fn backend_cores<'c>(&self, cores: &'c Cores, placement: Placement) -> &'c CoreSet {
        match placement {
            Placement::Free => cores.all(),
            Placement::Same => cores.client(),
            Placement::Split => cores.other().unwrap_or(cores.all()),
        }
    }
}

//! What is looked at while a run goes: the server's machine every second, the user's queries every so many.
//!
//! A thread for each, asleep but for a moment a second, so that watching takes nothing worth noticing from what is watched.

mod host;
mod query;

use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::error::Result;
use crate::results::Sample;
use crate::server::Target;

use super::Metric;
pub use query::check;

/// Samples of one run, being taken.
pub struct Sampling {
    // dropped: the thread ends
    stops: Vec<Sender<()>>,
    threads: Vec<JoinHandle<Taken>>,
}

/// Samples, and what the reader of them has to know.
#[derive(Default)]
pub struct Taken {
    pub samples: Vec<Sample>,
    pub warnings: Vec<String>,
}

/// One thing that is looked at again and again.
trait Look: Send + 'static {
    fn interval(&self) -> Duration;
    /// Adds what is seen `at` seconds from the start.
    fn look(&mut self, at: f64, taken: &mut Taken);
}

impl Sampling {
    /// Begins; `host` asks for the machine, which is sampled only where the server runs on it: another's numbers would be
    /// worse than none.
    pub fn start(target: &Target, host: bool, metrics: &[Metric]) -> Result<Self> {
        let mut looks: Vec<Box<dyn Look>> = Vec::new();
        if host && target.info.local && target.postmaster.is_some() {
            looks.push(Box::new(host::Machine::new()?));
        }
        for metric in metrics {
            looks.push(Box::new(query::Query::new(target, metric)?));
        }
        let started = Instant::now();
        let mut sampling = Self { stops: Vec::new(), threads: Vec::new() };
        for mut look in looks {
            let (stop, stopped) = mpsc::channel();
            sampling.stops.push(stop);
            sampling.threads.push(thread::spawn(move || {
                let mut taken = Taken::default();
                for turn in 1_u32.. {
                    // from the start, so that no delay adds up
                    let wait = (look.interval() * turn).saturating_sub(started.elapsed());
                    if stopped.recv_timeout(wait) != Err(RecvTimeoutError::Timeout) {
                        break;
                    }
                    look.look(started.elapsed().as_secs_f64(), &mut taken);
                }
                taken
            }));
        }
        Ok(sampling)
    }

    /// Ends, with all that was seen.
    pub fn finish(self) -> Taken {
        drop(self.stops);
        let mut all = Taken::default();
        for thread in self.threads {
            match thread.join() {
                Ok(mut taken) => {
                    all.samples.append(&mut taken.samples);
                    all.warnings.append(&mut taken.warnings);
                }
                Err(_) => all.warnings.push("a thread that takes samples ended unexpectedly".into()),
            }
        }
        all
    }
}

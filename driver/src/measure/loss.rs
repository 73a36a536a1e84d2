//! Lost connections. A block that one hits is dropped and counted, and its epoch goes on with fresh connections of every
//! arm: a server that restarts, or a network that breaks, costs what was under way and nothing more.

use std::time::{Duration, Instant};

use crate::error::{Error, Result};
use crate::interrupt;
use crate::record::Lost;

use super::block::Position;

/// More lost blocks than these, and the run is over: what is left would be another server's every time.
const MOST: usize = 10;

/// So many blocks of one arm in a row, and it is the arm that breaks connections.
const IN_A_ROW: u32 = 2;

/// A server that went away is waited for as long as a restart with recovery may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// Between two attempts to connect.
const PAUSE: Duration = Duration::from_millis(200);

/// The lost blocks of a run.
pub struct Losses {
    count: usize,
    /// By arm, since its last whole block.
    in_a_row: Vec<u32>,
    whole: bool,
    last: Option<Error>,
}

impl Losses {
    pub fn new(arms: usize) -> Self {
        Self { count: 0, in_a_row: vec![0; arms], whole: false, last: None }
    }

    /// A block of `arm` is whole.
    pub fn none(&mut self, arm: usize) {
        self.in_a_row[arm] = 0;
        self.whole = true;
    }

    /// A block ended in `error`: what to record of it.
    ///
    /// # Errors
    /// `error`, where it is no lost connection, or one too many.
    pub fn add(&mut self, error: Error, arm: usize, name: &str, at: Position) -> Result<Lost> {
        if !error.is_lost() || interrupt::requested() {
            return Err(error);
        }
        self.count += 1;
        self.in_a_row[arm] += 1;
        if self.in_a_row[arm] >= IN_A_ROW {
            return Err(error.context(format!("{name} lost its connection in {IN_A_ROW} blocks in a row")));
        }
        if self.count > MOST {
            return Err(error.context(format!("{} blocks were lost with their connections", self.count)));
        }
        let Position { epoch, round, position, .. } = at;
        let lost = Lost { epoch, round, position, arm: name.to_owned(), error: error.message.clone() };
        self.last = Some(error);
        Ok(lost)
    }

    /// # Errors
    /// The last loss, where nothing else is there.
    pub fn finish(self) -> Result<()> {
        match self.last {
            Some(error) if !self.whole => Err(error),
            _ => Ok(()),
        }
    }
}

/// Does `connect` again and again while the server is away.
///
/// # Errors
/// Its last, when the server stays away; any other at once.
pub fn patiently<T>(mut connect: impl FnMut() -> Result<T>) -> Result<T> {
    let begun = Instant::now();
    loop {
        match connect() {
            Err(error) if (error.is_lost() || error.is_away()) && begun.elapsed() < PATIENCE => {}
            other => return other,
        }
        interrupt::check()?;
        std::thread::sleep(PAUSE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT: Position = Position { epoch: 0, round: 0, position: 0 };

    fn lost() -> Error {
        Error::lost("gone")
    }

    #[test]
    fn two_in_a_row_of_one_arm_are_too_many() {
        let mut losses = Losses::new(2);
        assert_eq!(losses.add(lost(), 0, "a", AT).unwrap().error, "gone");
        assert!(losses.add(lost(), 1, "b", AT).is_ok());
        losses.none(0);
        assert!(losses.add(lost(), 0, "a", AT).is_ok());
        assert!(losses.add(lost(), 0, "a", AT).unwrap_err().message.starts_with("a lost its connection in 2"));
    }

    #[test]
    fn more_than_ten_are_too_many_whoever_lost_them() {
        let mut losses = Losses::new(1);
        for _ in 0..MOST {
            losses.add(lost(), 0, "a", AT).unwrap();
            losses.none(0);
        }
        assert!(losses.add(lost(), 0, "a", AT).unwrap_err().message.starts_with("11 blocks were lost"));
    }

    #[test]
    fn another_error_is_no_loss_and_losses_alone_are_no_result() {
        let mut losses = Losses::new(1);
        assert!(losses.add(Error::failed("wrong").sqlstate("22003"), 0, "a", AT).is_err());
        losses.add(lost(), 0, "a", AT).unwrap();
        assert!(losses.finish().is_err());
    }
}

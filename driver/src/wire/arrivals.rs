//! When units are due, whether or not the ones before are answered: arrivals of a Poisson process, as pgbench's `--rate`
//! has them. What waits for a slow server then waits from its due time, so that a stall is seen in every unit that it
//! held up, not in one (coordinated omission).

use std::time::{Duration, Instant};

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The arrivals at the clients of one thread.
#[derive(Debug)]
pub struct Arrivals {
    generator: ChaCha8Rng,
    per_second: f64,
    /// None before the first block.
    next: Option<Instant>,
    paused: Instant,
}

impl Arrivals {
    pub fn new(seed: i64, per_second: f64) -> Self {
        let generator = ChaCha8Rng::seed_from_u64(seed as u64);
        Self { generator, per_second, next: None, paused: Instant::now() }
    }

    /// Goes on at `now` where it was paused: what was due then and not begun is still due.
    pub fn resume(&mut self, now: Instant) {
        self.next = Some(match self.next {
            Some(next) => next + now.duration_since(self.paused),
            None => now + self.gap(),
        });
    }

    pub fn pause(&mut self, now: Instant) {
        self.paused = now;
    }

    /// When the next is due.
    pub fn next(&self) -> Instant {
        self.next.unwrap_or(self.paused)
    }

    /// Takes the next off the list.
    pub fn take(&mut self) -> Instant {
        let due = self.next();
        self.next = Some(due + self.gap());
        due
    }

    /// Between two arrivals: exponentially distributed.
    fn gap(&mut self) -> Duration {
        // from (0, 1], so that the logarithm exists
        let share = 1.0 - self.generator.random::<f64>();
        Duration::try_from_secs_f64(-share.ln() / self.per_second).unwrap_or(Duration::MAX / 4)
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::Arrivals;

    fn gaps(seed: i64, count: usize) -> Vec<f64> {
        let start = Instant::now();
        let mut arrivals = Arrivals::new(seed, 2000.0);
        arrivals.resume(start);
        let mut last = start;
        let mut gap = || {
            let due = arrivals.take();
            due.duration_since(std::mem::replace(&mut last, due)).as_secs_f64()
        };
        (0..count).map(|_| gap()).collect()
    }

    #[test]
    fn gaps_are_exponential_about_the_rate() {
        let gaps = gaps(1, 20_000);
        let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
        assert!((mean * 2000.0 - 1.0).abs() < 0.03, "{mean}");
        // of an exponential distribution 1 - 1/e lies below the mean
        let below = gaps.iter().filter(|gap| **gap < mean).count() as f64 / gaps.len() as f64;
        assert!((below - 0.632).abs() < 0.015, "{below}");
    }

    #[test]
    fn the_seed_decides() {
        assert_eq!(gaps(7, 10), gaps(7, 10));
        assert_ne!(gaps(7, 10), gaps(8, 10));
    }

    #[test]
    fn what_is_due_stays_due_over_a_pause() {
        let start = Instant::now();
        let mut arrivals = Arrivals::new(1, 1000.0);
        arrivals.resume(start);
        let due = arrivals.next().duration_since(start);
        let (end, later) = (start + Duration::from_secs(1), start + Duration::from_secs(9));
        arrivals.pause(end);
        arrivals.resume(later);
        assert_eq!(arrivals.take(), later + due - Duration::from_secs(1));
    }
}

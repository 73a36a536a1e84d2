//! How long the blocks of each arm should be, so that a given time leaves the widest interval as narrow as it gets.

use super::{CONFIDENCE, student_t};

/// What is known of the noise of an arm of which precision is asked; variances are of the log of its rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Noise {
    /// What epochs differ by, which no length of block mends.
    pub between: f64,
    /// What blocks of an epoch differ by, times a block's milliseconds: it falls as blocks get longer.
    pub within: f64,
    /// The shortest block that it can have, milliseconds.
    pub shortest_ms: f64,
}

/// What there is to share out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Room {
    /// Of a round, what goes to arms of which no precision is asked.
    pub fixed_ms: f64,
    pub left_ms: f64,
    pub longest_ms: f64,
    pub epochs_done: f64,
    pub rounds_per_epoch: f64,
}

/// Lengths that are tried, between the largest and the smallest variance that an arm can be brought to.
const STEPS: i32 = 200;

/// The length of each arm's blocks, milliseconds.
///
/// Neyman's allocation (On the two different aspects of the representative method. Journal of the Royal Statistical Society
/// 97 (1934), 558–625) gives a noisy stratum more; his aim is the sum, ours the widest of the intervals. All arms are
/// brought to one variance per epoch, by blocks as long as each needs; of the variances that can be asked for, that one
/// is taken which leaves the narrowest interval when the time is up: shorter blocks leave room for more epochs, longer
/// ones make each epoch better.
pub fn lengths(noises: &[Noise], room: Room) -> Vec<f64> {
    let length = |noise: &Noise, variance: f64| {
        let spare = variance - noise.between;
        let wanted = if spare > 0.0 { noise.within / room.rounds_per_epoch / spare } else { f64::INFINITY };
        wanted.min(room.longest_ms).max(noise.shortest_ms)
    };
    let variance = |noise: &Noise, length: f64| noise.between + noise.within / room.rounds_per_epoch / length;
    let worst = |of: &dyn Fn(&Noise) -> f64| noises.iter().map(|noise| variance(noise, of(noise))).fold(0.0, f64::max);
    let highest = worst(&|noise| noise.shortest_ms);
    if highest <= 0.0 {
        return noises.iter().map(|noise| noise.shortest_ms).collect();
    }
    let lowest = worst(&|noise| noise.shortest_ms.max(room.longest_ms));
    let half_width = |lengths: &[f64]| {
        let round_ms = room.fixed_ms + lengths.iter().sum::<f64>();
        let epochs = (room.epochs_done + room.left_ms / round_ms / room.rounds_per_epoch).max(2.0);
        let quantile = student_t::with_freedom(epochs - 1.0, CONFIDENCE).unwrap_or(f64::INFINITY);
        let worst = noises.iter().zip(lengths).map(|(noise, length)| variance(noise, *length)).fold(0.0, f64::max);
        quantile * (worst / epochs).sqrt()
    };
    // from short blocks to long ones, so that of lengths that are as good the shortest are taken
    let tried = (0..=STEPS).map(|step| {
        let asked = highest * (lowest / highest).powf(f64::from(step) / f64::from(STEPS));
        noises.iter().map(|noise| length(noise, asked)).collect::<Vec<f64>>()
    });
    let best = tried.map(|lengths| (half_width(&lengths), lengths)).reduce(|best, next| {
        // what rounding makes of equal widths is no reason for longer blocks
        if next.0 < best.0 * (1.0 - 1e-9) { next } else { best }
    });
    best.map_or_else(Vec::new, |(_, lengths)| lengths)
}

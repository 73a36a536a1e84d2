//! When which arm runs, and when the results are looked at. Pure: the same seed gives the same order on every machine.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use select_loop_keys::mix;

/// Rounds on the same connections. More would leave fewer independent epochs in a minute, fewer would spend the minute
/// on connecting and warming up.
pub const ROUNDS_PER_EPOCH: u64 = 5;

/// Epochs before the first look: the t interval over epochs has then five degrees of freedom, a quantile of 2.57
/// instead of the 12.7 of two epochs.
pub const MIN_EPOCHS: u64 = 6;

/// Milliseconds of each arm's blocks before the first look: noise that lasts for seconds must have had time to show.
const MIN_MEASURED_MS: u64 = 2_500;

/// Rounds before the first look of a run in blocks of `block_ms`: so many epochs at least, and so much time of each arm.
pub fn first_look(min_epochs: u64, rounds_per_epoch: u64, block_ms: u64) -> u64 {
    min_epochs.saturating_mul(rounds_per_epoch).max(MIN_MEASURED_MS.div_ceil(block_ms.max(1)))
}

/// Client number that no client has, so that no order shares its seed with a call.
const ORDER: u64 = u64::MAX;

/// The order in which round `round` (from 0, through the run) measures `arms` arms: every index below `arms` once.
///
/// Fisher and Yates's shuffle over the ChaCha8 stream, written out: rand's own shuffle may change between its versions.
pub fn order(seed: i64, round: u64, arms: usize) -> Vec<usize> {
    let epoch = round / ROUNDS_PER_EPOCH;
    let mut stream = ChaCha8Rng::seed_from_u64(mix(seed, epoch, round, ORDER, 0) as u64);
    let mut order: Vec<usize> = (0..arms).collect();
    for last in (1..arms).rev() {
        order.swap(last, below(&mut stream, last + 1));
    }
    order
}

/// A number below `bound` by multiplication; its bias, `bound` in 2^64, is far below what any run could show.
fn below(stream: &mut impl RngCore, bound: usize) -> usize {
    ((u128::from(stream.next_u64()) * bound as u128) >> 64) as usize
}

/// Are the results looked at after `rounds` rounds? At 30, 40, 60, 80, 120, 160, 240, …: few looks, since each is one
/// more chance to stop on luck, at distances that grow with the run.
pub fn is_look(rounds: u64) -> bool {
    if rounds < 30 || !rounds.is_multiple_of(10) {
        return false;
    }
    let tens = rounds / 10;
    matches!(tens >> tens.trailing_zeros(), 1 | 3)
}

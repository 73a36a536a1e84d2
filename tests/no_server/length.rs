//! Block lengths that follow the noise.

use sps::record::{Adapt, Block, Header};
use sps::stats::allocation::{self, Noise, Room};
use sps::watch::lengths;

use crate::fixture::{blocks, header, wobble};

const ARMS: [&str; 4] = ["simple@same", "prepared@same", "prepared@split", "plpgsql"];
const RATES: [f64; 4] = [50e3, 70e3, 11e3, 160e3];

fn adapting(arms: &[&str]) -> Header {
    let mut header = header(arms);
    header.plan.adapt = Some(Adapt { after_epochs: 2, shortest_ms: 100, longest_ms: 500 });
    header
}

/// Gives an arm so many times its noise, or a part of it.
fn make_noisy(blocks: &mut [Block], arm: &str, times: f64) {
    for block in blocks.iter_mut().filter(|block| block.arm == arm) {
        block.selects = (block.selects as f64 * (1.0 + (times - 1.0) * (wobble(block.round, 77) - 1.0))) as i64;
    }
}

#[test]
fn blocks_of_one_length_stay_so() {
    let header = header(&ARMS);
    assert_eq!(lengths(&header, &blocks(&header, &RATES, 10), 2), None);
}

#[test]
fn arms_of_which_no_precision_is_asked_have_short_blocks_from_the_start() {
    let header = adapting(&ARMS);
    for epoch in [0, 1] {
        let seen = lengths(&header, &blocks(&header, &RATES, 5 * epoch), epoch);
        assert_eq!(seen, Some(vec![250, 250, 100, 250]));
    }
}

#[test]
fn a_noisy_arm_gets_longer_blocks_and_calm_ones_the_shortest() {
    let header = adapting(&ARMS);
    let mut noisy = blocks(&header, &RATES, 30);
    make_noisy(&mut noisy, "prepared@same", 10.0);
    make_noisy(&mut noisy, "prepared@split", 30.0);
    let seen = lengths(&header, &noisy, 6).unwrap();
    assert!(seen[1] > 150 && seen[1] <= 500, "{seen:?}");
    assert_eq!((seen[0], seen[2], seen[3]), (100, 100, 100), "{seen:?}");
}

#[test]
fn one_stalled_block_is_no_noise() {
    let header = adapting(&ARMS);
    let mut stalled = blocks(&header, &RATES, 30);
    let calm = lengths(&header, &stalled, 6);
    stalled[1].elapsed_ns *= 20;
    assert_eq!(lengths(&header, &stalled, 6), calm);
}

#[test]
fn a_call_is_not_cut_in_two() {
    let header = adapting(&ARMS);
    let mut slow = blocks(&header, &RATES, 10);
    for block in slow.iter_mut().filter(|block| block.arm == "plpgsql") {
        block.calls = Some(1);
    }
    let seen = lengths(&header, &slow, 2).unwrap()[3];
    assert!(seen >= 247, "{seen} ms, a call is 250");
}

#[test]
fn a_ladder_gives_time_to_its_noisy_rungs() {
    let arms = ["pipeline@split", "prepared@same", "spi", "index", "keys"];
    let mut header = adapting(&arms);
    header.command = "ladder".into();
    let mut noisy = blocks(&header, &[20e3, 70e3, 200e3, 400e3, 9e6], 30);
    make_noisy(&mut noisy, "pipeline@split", 15.0);
    let seen = lengths(&header, &noisy, 6).unwrap();
    assert!(seen[0] > 200 && seen[1..].iter().all(|&length| length <= 110), "{seen:?}");
    // the control
    assert_eq!(seen[4], 100);
}

#[test]
fn nothing_measured_is_no_noise() {
    let header = adapting(&ARMS);
    assert_eq!(lengths(&header, &[], 2), Some(vec![100; 4]));
}

fn room() -> Room {
    Room { fixed_ms: 200.0, left_ms: 50_000.0, longest_ms: 500.0, epochs_done: 2.0, rounds_per_epoch: 5.0 }
}

/// What an allocation is for, up to what is the same for all.
fn width(noises: &[Noise], lengths: &[f64], room: Room) -> f64 {
    let round = room.fixed_ms + lengths.iter().sum::<f64>();
    let epochs = room.epochs_done + room.left_ms / round / room.rounds_per_epoch;
    let quantile = sps::stats::student_t::with_freedom(epochs - 1.0, 0.95).unwrap();
    let of = |(noise, length): (&Noise, &f64)| noise.between + noise.within / room.rounds_per_epoch / length;
    quantile * (noises.iter().zip(lengths).map(of).fold(0.0, f64::max) / epochs).sqrt()
}

#[test]
fn no_other_lengths_leave_a_narrower_interval() {
    let noise = |between: f64, block: f64| Noise {
        between: between * between,
        within: block * block * 250.0,
        shortest_ms: 100.0,
    };
    for noises in [
        [noise(0.0, 0.03), noise(0.0, 0.03)],
        [noise(0.01, 0.03), noise(0.01, 0.03)],
        [noise(0.0, 0.01), noise(0.0, 0.08)],
        [noise(0.02, 0.01), noise(0.0, 0.2)],
        [noise(0.001, 0.3), noise(0.05, 0.01)],
    ] {
        let chosen = allocation::lengths(&noises, room());
        let found = width(&noises, &chosen, room());
        let grid = || (0..=80).map(|step| 100.0 + 5.0 * f64::from(step));
        let best = grid().flat_map(|a| grid().map(move |b| [a, b])).map(|pair| width(&noises, &pair, room()));
        let best = best.fold(f64::INFINITY, f64::min);
        assert!(found <= best * 1.03, "{noises:?}: {chosen:?} {found}, best {best}");
    }
}

#[test]
fn equal_noise_asks_for_the_shortest_blocks() {
    let noise = Noise { between: 1e-4, within: 0.1, shortest_ms: 100.0 };
    assert_eq!(allocation::lengths(&[noise; 3], Room { fixed_ms: 0.0, ..room() }), [100.0; 3]);
    assert_eq!(allocation::lengths(&[], room()), Vec::<f64>::new());
}

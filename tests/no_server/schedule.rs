//! The order of arms and the looks.

use sps::schedule::{is_look, order};

#[test]
fn every_round_holds_each_arm_once() {
    for round in 0..200 {
        let mut seen = order(7, round, 9);
        seen.sort_unstable();
        assert_eq!(seen, (0..9).collect::<Vec<_>>());
    }
}

#[test]
fn the_order_is_the_seeds_and_nothing_elses() {
    assert_eq!(order(1, 0, 20), order(1, 0, 20));
    assert_ne!(order(1, 0, 20), order(2, 0, 20));
    assert_ne!(order(1, 0, 20), order(1, 1, 20));
}

#[test]
fn the_order_of_a_seed_never_changes() {
    // written down once: a change here means that old records cannot be repeated
    let orders: Vec<_> = (0..4).map(|round| order(42, round, 5)).collect();
    assert_eq!(orders, GOLDEN);
}

const GOLDEN: [[usize; 5]; 4] = [[1, 4, 3, 0, 2], [0, 2, 3, 1, 4], [3, 0, 1, 4, 2], [4, 3, 0, 1, 2]];

#[test]
fn every_arm_comes_at_every_position_equally_often() {
    let (rounds, arms) = (6000_usize, 3);
    let mut counts = vec![vec![0_usize; arms]; arms];
    for round in 0..rounds {
        for (position, arm) in order(3, round as u64, arms).into_iter().enumerate() {
            counts[arm][position] += 1;
        }
    }
    // 2000 expected, binomial sd 36.5: five of them
    assert!(counts.iter().flatten().all(|&count| (1817..=2183).contains(&count)), "{counts:?}");
}

#[test]
fn no_arm_and_one_arm_are_orders_too() {
    assert_eq!(order(1, 0, 0), Vec::<usize>::new());
    assert_eq!(order(1, 0, 1), vec![0]);
}

#[test]
fn looks_double_from_thirty_and_forty() {
    let looks: Vec<u64> = (0..1000).filter(|&rounds| is_look(rounds)).collect();
    assert_eq!(looks, [30, 40, 60, 80, 120, 160, 240, 320, 480, 640, 960]);
}

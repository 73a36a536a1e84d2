//! Seeds of calls from the seed of a run.

/// The seed of call `call` of client `client` in round `round` of epoch `epoch`.
///
/// Every arm of a round gets the same seeds, so every arm looks up the same keys; no two calls of a run share one but
/// by accident. Each number goes through the finaliser of SplitMix64 (Steele, Lea, Flood: Fast splittable
/// pseudorandom number generators, OOPSLA 2014), so that neighbouring numbers give unrelated seeds.
pub fn mix(run_seed: i64, epoch: u64, round: u64, client: u64, call: u64) -> i64 {
    let mut state = run_seed as u64;
    for number in [epoch, round, client, call] {
        state = finalize(state ^ number.wrapping_mul(0xd1b5_4a32_d192_ed03));
    }
    state as i64
}

/// One step of SplitMix64: a bijection of 64 bits.
pub(crate) fn finalize(state: u64) -> u64 {
    let z = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

//! Drawing keys with the widest vector registers that the processor has.
//!
//! Counterpart: src/port/pg_popcount_x86.c, which chooses its instructions at run time, too.

use select_loop_keys::KeySequence;

/// Keys drawn at a time, and selects between looks at interrupts: enough for vector code, and 5 ms of the slowest layer, whose
/// parser and executor look at interrupts themselves.
pub const BATCH: usize = 128;

/// Draws a batch of a sequence's keys.
#[derive(Clone, Copy)]
pub struct Draw(unsafe fn(&KeySequence, i64, i64, &mut [i64; BATCH]));

impl Draw {
    /// For this processor.
    pub fn new() -> Self {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("bmi2") {
            return Self(wide);
        }
        Self(plain)
    }

    /// `base + key` for keys `first`, `first + 1`, …; never panics, and owns nothing.
    #[inline(always)]
    pub fn draw(self, sequence: &KeySequence, first: i64, base: i64, keys: &mut [i64; BATCH]) {
        // SAFETY: `new` has found the instructions that the function is made of
        unsafe { (self.0)(sequence, first, base, keys) }
    }
}

// called through a pointer, so the timed loop keeps its registers

fn plain(sequence: &KeySequence, first: i64, base: i64, keys: &mut [i64; BATCH]) {
    sequence.draw(first, base, keys);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi2")]
fn wide(sequence: &KeySequence, first: i64, base: i64, keys: &mut [i64; BATCH]) {
    sequence.draw(first, base, keys);
}

//! The one timed loop, and what a layer puts into it.

use crate::error::{Error, Result};
use crate::job::Job;
use crate::outcome::Outcome;
use crate::pg::draw::{BATCH, Draw};
use crate::pg::raw;
use crate::pg::stopwatch::{Reading, Stopwatch};

/// Found rows and the sum of their values. Overflow is remembered, not raised: nothing may panic inside the guard.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    found: i64,
    sum: i64,
    overflowed: bool,
}

impl Tally {
    /// A row with this value; NULL is a row with value 0.
    #[inline(always)]
    pub fn add(&mut self, value: i64) {
        self.found = self.found.wrapping_add(1);
        let (sum, overflowed) = self.sum.overflowing_add(value);
        self.sum = sum;
        // last, so that nothing has to be kept meanwhile
        if overflowed {
            self.overflow();
        }
    }

    /// Of a function of its own, so that a row costs a jump that is never taken and no more.
    #[cold]
    #[inline(never)]
    fn overflow(&mut self) {
        self.overflowed = true;
    }

    /// As an outcome; 22003 where the sum did not fit.
    pub fn outcome(self, reading: Reading) -> Result<Outcome> {
        if self.overflowed {
            return Err(Error::overflow());
        }
        Ok(Outcome { found: Some(self.found), checksum: Some(self.sum), reading })
    }
}

/// One select of a layer.
///
/// # Safety
/// An implementation must not panic and must not own, within `step`, anything that needs dropping: a server ERROR jumps
/// out of it. Wrapping arithmetic, no indexing, no allocation.
pub unsafe trait Step {
    /// Comes before the first of a batch of steps: what need not be done for each. A step that keeps count elsewhere goes on from
    /// `tally`.
    ///
    /// # Safety
    /// As [`Step::step`].
    #[inline(always)]
    unsafe fn begin(&mut self, _tally: &Tally) {}

    /// Looks up `key`, to the end, and adds each row to `tally`.
    ///
    /// # Safety
    /// Only the timed loop calls it, inside its guard.
    unsafe fn step(&mut self, key: i64, tally: &mut Tally);

    /// Comes after the last of a batch of steps; what was counted elsewhere becomes `tally`.
    ///
    /// # Safety
    /// As [`Step::step`].
    #[inline(always)]
    unsafe fn end(&mut self, _tally: &mut Tally) {}
}

/// Draws `job.selects` keys and gives each to `step`, timed, inside one error guard.
pub fn run<S: Step>(job: &Job, step: &mut S) -> (Tally, Reading) {
    let draw = Draw::new();
    let watch = Stopwatch::start();
    // SAFETY: the body draws keys (which never panics), checks for interrupts and steps, all of which own nothing
    let tally = unsafe { raw::guarded(|| timed(job, draw, step)) };
    (tally, watch.stop())
}

/// The loop itself. Every timed stretch is a function of this name, never inlined: a profile shows which layer it is and what lies
/// under it.
///
/// # Safety
/// Inside the error guard only.
#[inline(never)]
unsafe fn timed<S: Step>(job: &Job, draw: Draw, step: &mut S) -> Tally {
    let (sequence, offset, selects) = (job.sequence, job.min.wrapping_sub(1), job.selects);
    let mut tally = Tally::default();
    let mut keys = [0; BATCH];
    let mut done: i64 = 0;
    while done < selects {
        // SAFETY: inside the guard by this function's own condition
        unsafe { raw::check_for_interrupts() };
        draw.draw(&sequence, done, offset, &mut keys);
        let wanted = selects.wrapping_sub(done).min(BATCH as i64) as usize;
        let mut key = keys.as_ptr();
        // SAFETY: at most BATCH keys are wanted
        let end = unsafe { key.add(wanted) };
        // SAFETY: inside the guard, before the steps
        unsafe { step.begin(&tally) };
        while key < end {
            // SAFETY: below the end of the keys; the step is called by the timed loop, inside its guard
            unsafe {
                step.step(*key, &mut tally);
                key = key.add(1);
            }
        }
        // SAFETY: inside the guard, after the steps
        unsafe { step.end(&mut tally) };
        done = done.wrapping_add(BATCH as i64);
    }
    tally
}

/// The loop with nothing in it: what counting, and taking interrupts, costs.
pub fn run_empty(job: &Job) -> Reading {
    /// # Safety
    /// As [`timed`].
    #[inline(never)]
    unsafe fn timed(selects: i64) {
        let mut i = 0;
        while i < selects {
            // SAFETY: inside the guard by this function's own condition
            unsafe { raw::check_for_interrupts() };
            i = i.wrapping_add(1);
        }
    }
    let selects = job.selects;
    let watch = Stopwatch::start();
    // SAFETY: as in `run`
    unsafe { raw::guarded(|| timed(selects)) };
    watch.stop()
}

/// A step that draws its key and does no more.
pub struct KeyOnly;

// SAFETY: black_box neither panics nor allocates
unsafe impl Step for KeyOnly {
    #[inline(always)]
    unsafe fn step(&mut self, key: i64, _tally: &mut Tally) {
        std::hint::black_box(key);
    }
}

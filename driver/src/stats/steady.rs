//! Was an arm's rate the same throughout? Its class is reported, never assumed; nothing is cut off the data.

use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF, Normal};

use super::{mean, variance};

/// Rounds that are averaged before MSER looks at them.
const BATCH: usize = 5;

/// Batches below which nothing is said.
const FEWEST_BATCHES: usize = 4;

/// A longer cut must at least halve MSER's statistic: of pure noise, the very smallest lies anywhere.
const TOLERANCE: f64 = 2.0;

/// How many standard errors apart the part before the cut and the rest must be.
const SHIFT: f64 = 4.0;

/// Significance of the trend test: one steady arm in a hundred is called drifting.
const TREND: f64 = 0.01;

/// How a series of rates went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    Steady,
    /// The beginning differs from the rest.
    Warming,
    /// It rises or falls to the end.
    Drifting,
    /// The level changed in the second half: no part that could be called the steady one.
    NoSteadyState,
    /// Fewer than 20 rounds.
    TooShort,
}

impl Class {
    pub fn about(self) -> &'static str {
        match self {
            Self::Steady => "steady",
            Self::Warming => "warming up: the first rounds differ from the rest",
            Self::Drifting => "drifting: it rose or fell to the end",
            Self::NoSteadyState => "no steady state: its level changed in the second half",
            Self::TooShort => "too short to tell",
        }
    }
}

/// Classifies a series in its order of time.
///
/// The cut is MSER-5's: means of five, cut where the standard error of what remains is smallest (White, Cobb, Spratt:
/// A comparison of five steady-state truncation heuristics for simulation. Winter Simulation Conference 2000); it is
/// trusted in the first half only (Hoad, Robinson, Davies: Automating warm-up length estimation. Journal of the
/// Operational Research Society 61 (2010), 1389–1403). The trend of what remains is Mann–Kendall's (Mann:
/// Nonparametric tests against trend. Econometrica 13 (1945), 245–259).
pub fn class(series: &[f64]) -> Class {
    let batches: Vec<f64> = series.chunks_exact(BATCH).map(mean).collect();
    if batches.len() < FEWEST_BATCHES {
        return Class::TooShort;
    }
    let half = batches.len() / 2;
    let early = mser_cut(&batches, half) * BATCH;
    let late = mser_cut(&batches, batches.len() - 2) * BATCH;
    if late > half * BATCH && differ(&series[early..late], &series[late..]) {
        // a slope pushes the cut to the end, too
        return if has_trend(&series[..late]) { Class::Drifting } else { Class::NoSteadyState };
    }
    let shifted = early > 0 && differ(&series[..early], &series[early..]);
    if has_trend(if shifted { &series[early..] } else { series }) {
        Class::Drifting
    } else if shifted {
        Class::Warming
    } else {
        Class::Steady
    }
}

/// The shortest cut, `most` batches at most, whose MSER statistic is within [`TOLERANCE`] of the smallest.
fn mser_cut(batches: &[f64], most: usize) -> usize {
    let statistic = |cut: usize| {
        let rest = &batches[cut..];
        variance(rest) * (rest.len() - 1) as f64 / (rest.len() as f64).powi(2)
    };
    let smallest = (0..=most).map(statistic).fold(f64::INFINITY, f64::min);
    (0..=most).find(|&cut| statistic(cut) <= TOLERANCE * smallest).unwrap_or(0)
}

fn differ(first: &[f64], second: &[f64]) -> bool {
    let error = (variance(first) / first.len() as f64 + variance(second) / second.len() as f64).sqrt();
    (mean(first) - mean(second)).abs() > SHIFT * error
}

fn has_trend(series: &[f64]) -> bool {
    let n = series.len() as f64;
    let mut score = 0.0;
    for (at, early) in series.iter().enumerate() {
        score += series[at + 1..]
            .iter()
            .map(|late| (late - early).partial_cmp(&0.0).map_or(0.0, |o| o as i8 as f64))
            .sum::<f64>();
    }
    let deviation = (n * (n - 1.0) * (2.0 * n + 5.0) / 18.0).sqrt();
    score.abs() - 1.0 > deviation * Normal::standard().inverse_cdf(1.0 - TREND / 2.0)
}

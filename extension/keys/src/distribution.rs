//! How keys are spread: uniform, or skewed in the ways that pgbench knows.
//!
//! Meaning and limits of the parameters are pgbench's (src/bin/pgbench/pgbench.c: `getExponentialRand`,
//! `getGaussianRand`, `computeIterativeZipfian`); the random numbers are not its own but hashes of (i, seed), so that key
//! `i` can be drawn without drawing those before it.

use crate::hash::hashint8extended;
use crate::mix::finalize;
use std::fmt;

/// pgbench's MIN_ZIPFIAN_PARAM and MAX_ZIPFIAN_PARAM.
const ZIPFIAN: std::ops::RangeInclusive<f64> = 1.001..=1000.0;
/// pgbench's MIN_GAUSSIAN_PARAM.
const GAUSSIAN_MIN: f64 = 2.0;

/// A distribution with its parameter, checked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Distribution {
    Uniform,
    /// Rank 1 is the most frequent; skew is the exponent, 1.001 to 1000.
    Zipfian(f64),
    /// A bell over the middle key; skew is how many standard deviations lie on each side, 2 or more.
    Gaussian(f64),
    /// Key 1 is the most frequent; skew is the decay over the whole range, above 0.
    Exponential(f64),
}

/// Why a distribution was refused; the text is fit for an error message, `hint` for its hint.
#[derive(Clone, Debug, PartialEq)]
pub enum DistributionError {
    Unknown(String),
    Skew { name: &'static str, skew: f64, valid: &'static str },
    NoSkew,
}

impl fmt::Display for DistributionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(name) => write!(f, "unknown distribution \"{name}\""),
            Self::Skew { name, skew, .. } => write!(f, "skew {skew} is out of range for distribution \"{name}\""),
            Self::NoSkew => write!(f, "distribution \"uniform\" takes no skew"),
        }
    }
}

impl std::error::Error for DistributionError {}

impl DistributionError {
    pub fn hint(&self) -> String {
        match self {
            Self::Unknown(_) => format!("Valid distributions are {}.", Distribution::NAMES.join(", ")),
            Self::Skew { valid, .. } => format!("Use a skew {valid}."),
            Self::NoSkew => "Leave skew out, or choose zipfian, gaussian or exponential.".into(),
        }
    }
}

impl Distribution {
    pub const NAMES: [&'static str; 4] = ["uniform", "zipfian", "gaussian", "exponential"];

    /// By name; `skew` None means 1.07 for zipfian and 5.0 for gaussian and exponential.
    pub fn new(name: &str, skew: Option<f64>) -> Result<Self, DistributionError> {
        let check = |name, value: f64, good: bool, valid| {
            if good { Ok(value) } else { Err(DistributionError::Skew { name, skew: value, valid }) }
        };
        match name {
            "uniform" if skew.is_some() => Err(DistributionError::NoSkew),
            "uniform" => Ok(Self::Uniform),
            "zipfian" => {
                let s = skew.unwrap_or(1.07);
                Ok(Self::Zipfian(check("zipfian", s, ZIPFIAN.contains(&s), "from 1.001 to 1000")?))
            }
            "gaussian" => {
                let s = skew.unwrap_or(5.0);
                let good = s >= GAUSSIAN_MIN && s.is_finite();
                Ok(Self::Gaussian(check("gaussian", s, good, "of 2 or more")?))
            }
            "exponential" => {
                let s = skew.unwrap_or(5.0);
                let good = s > 0.0 && s.is_finite();
                Ok(Self::Exponential(check("exponential", s, good, "above 0")?))
            }
            other => Err(DistributionError::Unknown(other.to_owned())),
        }
    }

    pub fn name(&self) -> &'static str {
        match self {
            Self::Uniform => Self::NAMES[0],
            Self::Zipfian(_) => Self::NAMES[1],
            Self::Gaussian(_) => Self::NAMES[2],
            Self::Exponential(_) => Self::NAMES[3],
        }
    }

    pub fn skew(&self) -> Option<f64> {
        match *self {
            Self::Uniform => None,
            Self::Zipfian(s) | Self::Gaussian(s) | Self::Exponential(s) => Some(s),
        }
    }

    /// Key `i` of `rows`, 1 to `rows`.
    pub(crate) fn draw(self, i: i64, seed: i64, rows: i64) -> i64 {
        let mut uniforms = Uniforms { i, seed, drawn: 0 };
        let key = match self {
            Self::Uniform => scale(uniforms.next(), rows),
            Self::Zipfian(s) => zipfian(&mut uniforms, rows, s),
            Self::Gaussian(s) => scale(gaussian(&mut uniforms, s), rows),
            Self::Exponential(s) => scale(exponential(&mut uniforms, s), rows),
        };
        key.clamp(1, rows)
    }
}

/// A fraction in [0, 1) as a key.
fn scale(fraction: f64, rows: i64) -> i64 {
    ((rows as f64 * fraction) as i64).wrapping_add(1)
}

/// Truncated exponential: inverse of its distribution function.
fn exponential(uniforms: &mut Uniforms, skew: f64) -> f64 {
    let cut = libm::exp(-skew);
    let uniform = 1.0 - uniforms.next();
    -libm::log(cut + (1.0 - cut) * uniform) / skew
}

/// Truncated normal: Box–Muller, values outside ±skew drawn again (at skew 2 that is one in 22).
fn gaussian(uniforms: &mut Uniforms, skew: f64) -> f64 {
    loop {
        let radius = libm::sqrt(-2.0 * libm::log(1.0 - uniforms.next()));
        let deviation = radius * libm::sin(2.0 * std::f64::consts::PI * uniforms.next());
        if (-skew..skew).contains(&deviation) {
            return (deviation + skew) / (skew * 2.0);
        }
    }
}

/// Rejection sampling after Devroye: Non-Uniform Random Variate Generation, Springer 1986, pages 550–551.
fn zipfian(uniforms: &mut Uniforms, rows: i64, skew: f64) -> i64 {
    if rows <= 1 {
        return 1;
    }
    let b = libm::pow(2.0, skew - 1.0);
    loop {
        let u = uniforms.next();
        let v = uniforms.next();
        let x = libm::floor(libm::pow(u, -1.0 / (skew - 1.0)));
        let t = libm::pow(1.0 + 1.0 / x, skew - 1.0);
        if v * x * (t - 1.0) / (b - 1.0) <= t / b && x <= rows as f64 {
            return x as i64;
        }
    }
}

/// Random fractions for key `i`: each draw hashes `i` under a seed of its own.
struct Uniforms {
    i: i64,
    seed: i64,
    drawn: u64,
}

impl Uniforms {
    /// In [0, 1), 53 bits.
    fn next(&mut self) -> f64 {
        let seed = finalize((self.seed as u64) ^ finalize(self.drawn));
        self.drawn = self.drawn.wrapping_add(1);
        let bits = hashint8extended(self.i, seed as i64) as u64;
        (bits >> 11) as f64 / (1_u64 << 53) as f64
    }
}

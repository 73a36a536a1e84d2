//! `--pair TEST/BASE` and `--expect 'TEST/BASE>=RATIO'`: which ratios are asked for, and what of them.

use std::str::FromStr;

use crate::arm::ArmSpec;
use crate::error::{Error, Result};
use crate::record::{ArmInfo, Expectation, mask};
use crate::report;
use crate::stats::verdict::Relation;

const EXPECT_HINT: &str = "for example --expect 'plpgsql/prepared@same>=2'; the signs are >=, <=, > and <";

/// A ratio as asked for.
#[derive(Clone, Debug)]
pub struct Pair {
    test: ArmSpec,
    base: ArmSpec,
    flag: &'static str,
}

impl Pair {
    /// Reads `TEST/BASE`, the value of `--pair`.
    pub fn read(text: &str) -> Result<Self> {
        Self::of(text, "--pair").unwrap_or_else(|| {
            Err(Error::usage(format!("--pair \"{}\" is not TEST/BASE", mask(text)))
                .hint("for example --pair plpgsql/prepared@same"))
        })
    }

    /// None where `text` is no pair.
    fn of(text: &str, flag: &'static str) -> Option<Result<Self>> {
        let (test, base) = text.split_once('/').filter(|(test, base)| !test.is_empty() && !base.is_empty())?;
        Some(test.parse().and_then(|test| Ok(Self { test, base: base.parse()?, flag })))
    }

    /// The names of the two among `arms`.
    pub fn resolve(&self, arms: &[ArmInfo]) -> Result<(String, String)> {
        let flag = self.flag;
        let find = |spec: &ArmSpec| {
            report::named(arms, &spec.to_string()).map(|info| info.name.clone()).ok_or_else(|| {
                let names: Vec<&str> = arms.iter().map(|info| info.name.as_str()).collect();
                Error::usage(format!("{flag} names arm \"{spec}\", which is not measured"))
                    .hint(format!("measured are {}", names.join(", ")))
            })
        };
        let (test, base) = (find(&self.test)?, find(&self.base)?);
        if test == base {
            return Err(Error::usage(format!("{flag} compares arm \"{test}\" with itself"))
                .hint("to see the noise floor use --aa"));
        }
        Ok((test, base))
    }
}

/// A ratio and its bound as asked for.
#[derive(Clone, Debug)]
pub struct Expect {
    pair: Pair,
    relation: Relation,
    bound: f64,
}

impl FromStr for Expect {
    type Err = Error;

    /// Reads `TEST/BASE>=RATIO`, blanks allowed between the parts.
    fn from_str(text: &str) -> Result<Self> {
        let wrong = |what: &str| Error::usage(format!("--expect \"{}\" {what}", mask(text))).hint(EXPECT_HINT);
        let signs = Relation::ALL.iter().filter_map(|relation| Some((text.find(relation.sign())?, *relation)));
        // of > and >= at the same place the longer one
        let first = signs.min_by_key(|(at, relation)| (*at, std::cmp::Reverse(relation.sign().len())));
        let (at, relation) = first.ok_or_else(|| wrong("is not TEST/BASE>=RATIO"))?;
        let (pair, bound) = (text[..at].trim(), text[at + relation.sign().len()..].trim());
        let bound = bound.parse::<f64>().ok().filter(|bound| bound.is_finite() && *bound > 0.0);
        let bound = bound.ok_or_else(|| wrong("does not end in a ratio above 0"))?;
        let pair = Pair::of(pair, "--expect").ok_or_else(|| wrong("is not TEST/BASE>=RATIO"))??;
        Ok(Self { pair, relation, bound })
    }
}

impl Expect {
    /// The expectation of `arms`.
    pub fn resolve(&self, arms: &[ArmInfo]) -> Result<Expectation> {
        let (test, base) = self.pair.resolve(arms)?;
        Ok(Expectation { test, base, relation: self.relation, bound: self.bound })
    }
}

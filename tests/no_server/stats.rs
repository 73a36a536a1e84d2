//! Statistics against scipy's values (`tests/golden/reference.py` made them) and against what must hold by construction.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use serde_json::Value;
use sps::stats::estimate::{self, Source};
use sps::stats::ratio_of_totals::{self, Amount, Pair};
use sps::stats::spread::Spread;
use sps::stats::steady::{self, Class};
use sps::stats::{CONFIDENCE, Interval, difference, hodges_lehmann, lag, outlier, student_t, walsh, welch, wilcoxon};

fn golden() -> Value {
    serde_json::from_str(include_str!("../golden/statistics.json")).unwrap()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
}

#[track_caller]
fn close(name: &str, seen: f64, expected: f64) {
    assert!((seen - expected).abs() <= 1e-9 * expected.abs().max(1.0), "{name}: {seen}, by scipy {expected}");
}

#[track_caller]
fn same_interval(name: &str, seen: Option<Interval>, expected: &Value) {
    if expected.is_null() {
        assert_eq!(seen, None, "{name}");
        return;
    }
    let seen = seen.unwrap_or_else(|| panic!("{name}: no interval"));
    let expected = numbers(expected);
    close(&format!("{name}, low"), seen.low, expected[0]);
    close(&format!("{name}, high"), seen.high, expected[1]);
}

/// Normal noise, mean 0 and deviation 1, by twelve uniform numbers.
fn noise(seed: u64, n: usize) -> Vec<f64> {
    let mut stream = ChaCha8Rng::seed_from_u64(seed);
    let mut uniform = move || stream.next_u32() as f64 / 2_f64.powi(32);
    (0..n).map(|_| (0..12).map(|_| uniform()).sum::<f64>() - 6.0).collect()
}

#[test]
fn hodges_lehmann_wilcoxon_and_t_are_scipys() {
    for case in golden()["location"].as_array().unwrap() {
        let name = case["name"].as_str().unwrap();
        let values = numbers(&case["values"]);
        close(name, hodges_lehmann::estimate(&values).unwrap(), case["hodges_lehmann"].as_f64().unwrap());
        same_interval(&format!("{name}, wilcoxon"), wilcoxon::interval(&values, CONFIDENCE), &case["wilcoxon"]);
        same_interval(&format!("{name}, t"), student_t::interval(&values, CONFIDENCE), &case["t"]);
    }
}

#[test]
fn spreads_of_repeats_are_scipys() {
    for case in golden()["spreads"].as_array().unwrap() {
        let name = case["name"].as_str().unwrap();
        let found = Spread::of(&numbers(&case["values"])).unwrap();
        assert_eq!(found.n, case["values"].as_array().unwrap().len());
        let exact = [("mean", found.mean), ("median", found.median), ("min", found.min), ("max", found.max)];
        exact.iter().for_each(|(part, value)| close(&format!("{name}, {part}"), *value, case[part].as_f64().unwrap()));
        for (part, value) in [("sd", found.sd), ("cv", found.cv)] {
            assert_eq!(value.is_some(), case[part].is_number(), "{name}, {part}");
            value.iter().for_each(|value| close(&format!("{name}, {part}"), *value, case[part].as_f64().unwrap()));
        }
        same_interval(name, found.interval(), &case["interval"]);
    }
    assert_eq!(Spread::of(&[]), None);
}

#[test]
fn ratios_of_rates_measured_apart_have_welchs_interval() {
    for case in golden()["apart"].as_array().unwrap() {
        let name = case["name"].as_str().unwrap();
        let found = welch::ratio(&numbers(&case["test"]), &numbers(&case["base"]), CONFIDENCE).unwrap();
        close(name, found.value, case["ratio"].as_f64().unwrap());
        same_interval(name, found.interval, &case["interval"]);
    }
    assert_eq!(welch::ratio(&[], &[1.0], CONFIDENCE), None);
    assert_eq!(welch::ratio(&[2.0], &[1.0, 1.0], CONFIDENCE).unwrap().interval, None);
    let flat = welch::ratio(&[2.0, 2.0], &[1.0, 1.0], CONFIDENCE).unwrap();
    assert_eq!((flat.value, flat.interval.unwrap().width()), (2.0, 0.0));
}

#[test]
fn quantiles_of_t_are_scipys() {
    for row in golden()["t_quantiles"].as_array().unwrap() {
        let row = numbers(row);
        close("t", student_t::quantile(row[0] as usize, CONFIDENCE).unwrap(), row[1]);
    }
}

/// A case's blocks of both arms.
fn pairs_of(case: &Value) -> Vec<Pair> {
    let amounts = |side: &str| -> Vec<Amount> {
        let rows = case[side].as_array().unwrap().iter().map(numbers);
        rows.map(|row| Amount { selects: row[0], elapsed: row[1] }).collect()
    };
    amounts("base").into_iter().zip(amounts("test")).map(|(base, test)| Pair { base, test }).collect()
}

#[test]
fn differences_of_times_have_the_wider_of_scipys_intervals() {
    let mut sources = Vec::new();
    for case in golden()["differences"].as_array().unwrap() {
        let name = case["name"].as_str().unwrap();
        let epochs = numbers(&case["epochs"]).into_iter().map(|epoch| epoch as u64);
        let found = difference::estimate(&epochs.zip(pairs_of(case)).collect::<Vec<_>>()).unwrap();
        close(name, found.value, case["estimate"].as_f64().unwrap());
        same_interval(name, found.interval, &case["interval"]);
        assert_eq!(found.source.unwrap().name(), case["source"], "{name}");
        sources.push(found.source);
    }
    assert!(sources.contains(&Some(Source::Wilcoxon)) && sources.contains(&Some(Source::EpochT)));
}

#[test]
fn lag_1_dependence_is_bartels_s() {
    for case in golden()["lags"].as_array().unwrap() {
        let name = case["name"].as_str().unwrap();
        let found = lag::lag1(&numbers(&case["values"])).unwrap();
        close(name, found.correlation, case["correlation"].as_f64().unwrap());
        assert_eq!(found.clear, case["clear"].as_bool().unwrap(), "{name}");
    }
    assert_eq!(lag::lag1(&noise(1, 19)), None);
    assert_eq!(lag::lag1(&[1.0; 30]), None);
}

#[test]
fn independent_rounds_are_seldom_called_dependent() {
    let called = (0..1000).filter(|&run| lag::lag1(&noise(run, 40)).unwrap().clear).count();
    assert!(called <= 25, "{called} of 1000");
}

#[test]
fn ratio_of_totals_has_the_covariance_term() {
    for case in golden()["totals"].as_array().unwrap() {
        let name = case["name"].as_str().unwrap();
        let pairs = pairs_of(case);
        close(name, ratio_of_totals::log_estimate(&pairs).unwrap(), case["log_estimate"].as_f64().unwrap());
        same_interval(name, ratio_of_totals::log_interval(&pairs, CONFIDENCE), &case["log_interval"]);
    }
}

#[test]
fn walsh_averages_are_those_of_writing_them_out() {
    for n in 1..40 {
        let mut values = noise(n as u64, n);
        values.push(0.0);
        values.push(-0.0);
        values.sort_by(f64::total_cmp);
        let mut all: Vec<f64> = Vec::new();
        for (at, a) in values.iter().enumerate() {
            all.extend(values[at..].iter().map(|b| (a + b) / 2.0));
        }
        all.sort_by(f64::total_cmp);
        let found: Vec<f64> = (1..=walsh::count(values.len())).map(|k| walsh::kth(&values, k)).collect();
        assert_eq!(found, all);
    }
}

#[test]
fn nothing_is_estimated_from_nothing() {
    assert_eq!(hodges_lehmann::estimate(&[]), None);
    assert_eq!(student_t::interval(&[1.0], CONFIDENCE), None);
    assert_eq!(estimate::location(&[], CONFIDENCE), None);
    assert_eq!(estimate::ratio(&[]), None);
    assert_eq!(difference::estimate(&[]), None);
    assert_eq!(ratio_of_totals::log_estimate(&[]), None);
}

#[test]
fn below_six_rounds_there_is_no_interval() {
    let values: Vec<(u64, f64)> = noise(1, 6).iter().map(|y| (0, y.exp())).collect();
    assert_eq!(estimate::location(&values[..5], CONFIDENCE).unwrap().interval, None);
    assert!(estimate::location(&values, CONFIDENCE).unwrap().interval.is_some());
}

#[test]
fn the_wider_interval_is_given() {
    let rounds = |epoch_noise: f64| -> Vec<(u64, f64)> {
        let epochs = noise(5, 8);
        let values = noise(6, 40);
        (0..40).map(|i| (i as u64 / 5, (epochs[i / 5] * epoch_noise + values[i] * 0.01).exp())).collect()
    };
    let lively = estimate::location(&rounds(0.05), CONFIDENCE).unwrap();
    assert_eq!(lively.source, Some(Source::EpochT));
    let logs: Vec<f64> = rounds(0.05).iter().map(|(_, value)| value.ln()).collect();
    assert!(lively.interval.unwrap().map(f64::ln).width() > wilcoxon::interval(&logs, CONFIDENCE).unwrap().width());
    // epochs that agree better than rounds do: Wilcoxon's stays
    let calm: Vec<(u64, f64)> =
        (0..40).map(|i| (i / 5, 1.0 + [-2.0, -1.0, 0.0, 1.0, 2.0][i as usize % 5] / 100.0)).collect();
    assert_eq!(estimate::location(&calm, CONFIDENCE).unwrap().source, Some(Source::Wilcoxon));
}

#[test]
fn an_epoch_cut_short_does_not_count_as_one() {
    let mut values: Vec<(u64, f64)> =
        noise(9, 30).iter().enumerate().map(|(i, y)| (i as u64 / 5, (y * 0.01).exp())).collect();
    let whole = estimate::location(&values, CONFIDENCE).unwrap();
    values.push((6, 1.05));
    let cut = estimate::location(&values, CONFIDENCE).unwrap();
    let widths = (whole.interval.unwrap().width(), cut.interval.unwrap().width());
    assert!(widths.1 < widths.0 * 1.2, "{widths:?}");
}

fn pairs(ratio: impl Fn(usize) -> f64) -> Vec<(u64, Pair)> {
    let base = Amount { selects: 20_000.0, elapsed: 250e6 };
    (0..40)
        .map(|i| {
            (i as u64 / 5, Pair { base, test: Amount { selects: base.selects * ratio(i), elapsed: base.elapsed } })
        })
        .collect()
}

#[test]
fn a_ratio_is_found_with_an_interval_round_it() {
    let wobble = noise(11, 40);
    let found = estimate::ratio(&pairs(|i| 1.5 * (wobble[i] * 0.02).exp())).unwrap();
    assert!((found.estimate.value - 1.5).abs() < 0.03);
    assert!(found.estimate.interval.unwrap().contains(1.5));
    assert!(found.total_interval.unwrap().contains(1.5));
    assert!(!found.skewed);
}

#[test]
fn a_difference_is_what_the_base_takes_more_whatever_is_below_it() {
    let time = |ns: f64| Amount { selects: 1e8 / ns, elapsed: 1e8 };
    let wobble = noise(13, 30);
    for below in [100.0, 100_000.0] {
        let pair = |i: usize| Pair { base: time(below + 70.0 + wobble[i]), test: time(below) };
        let found = difference::estimate(&(0..30).map(|i| (i as u64 / 5, pair(i))).collect::<Vec<_>>()).unwrap();
        assert!((found.value - 70.0).abs() < 1.0, "{found:?}");
        assert!(found.interval.unwrap().contains(70.0));
    }
    let few = difference::estimate(&[(0, Pair { base: time(2.0), test: time(3.0) })]).unwrap();
    assert!((few.value + 1.0).abs() < 1e-9 && few.interval.is_none());
}

#[test]
fn slow_rounds_of_one_arm_are_called_skewed_and_do_not_move_the_estimate() {
    let wobble = noise(12, 40);
    let stalls = |i: usize| if i % 10 == 3 { 0.3 } else { 1.0 };
    let found = estimate::ratio(&pairs(|i| 1.5 * (wobble[i] * 0.02).exp() * stalls(i))).unwrap();
    assert!(found.skewed);
    assert!((found.estimate.value - 1.5).abs() < 0.05);
    assert!(found.total < 1.42);
}

#[test]
fn equal_rounds_give_an_interval_of_no_width_and_no_panic() {
    let found = estimate::ratio(&pairs(|_| 2.0)).unwrap();
    assert_eq!(found.estimate.interval.unwrap().width(), 0.0);
    assert!(!found.skewed);
}

#[test]
fn steady_noise_is_called_steady() {
    let classes: Vec<Class> = (0..400).map(|seed| steady::class(&noise(seed, 40))).collect();
    let steady = classes.iter().filter(|&&class| class == Class::Steady).count();
    assert!(steady >= 375, "{steady} of 400");
}

#[test]
fn a_slow_start_is_called_warming() {
    let series: Vec<f64> = noise(1, 60).iter().enumerate().map(|(i, y)| y + if i < 10 { -20.0 } else { 0.0 }).collect();
    assert_eq!(steady::class(&series), Class::Warming);
}

#[test]
fn a_slope_is_called_drifting() {
    let series: Vec<f64> = noise(2, 60).iter().enumerate().map(|(i, y)| y + i as f64 * 0.1).collect();
    assert_eq!(steady::class(&series), Class::Drifting);
}

#[test]
fn a_late_change_of_level_is_no_steady_state() {
    let series: Vec<f64> = noise(3, 60).iter().enumerate().map(|(i, y)| y + if i < 45 { 0.0 } else { 30.0 }).collect();
    assert_eq!(steady::class(&series), Class::NoSteadyState);
}

#[test]
fn a_few_rounds_are_too_short_to_tell() {
    assert_eq!(steady::class(&noise(1, 19)), Class::TooShort);
    assert_eq!(steady::class(&[]), Class::TooShort);
}

#[test]
fn outliers_are_those_far_out() {
    let mut values = noise(4, 100);
    assert_eq!(outlier::count(&values), 0);
    values.push(50.0);
    values.push(-50.0);
    assert_eq!(outlier::count(&values), 2);
    assert_eq!(outlier::count(&[1.0, 2.0]), 0);
}

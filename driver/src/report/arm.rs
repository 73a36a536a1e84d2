//! One arm's part of a summary.

use crate::record::{ArmInfo, ArmSummary, Block, Latency, Plan, Side};
use crate::stats::ratio_of_totals::Amount;
use crate::stats::{Interval, estimate, outlier, steady};

/// What a block counted; None where it holds no time or no select, which no rate can be made of.
pub fn amount(block: &Block) -> Option<Amount> {
    let whole = block.selects > 0 && block.elapsed_ns > 0;
    whole.then_some(Amount { selects: block.selects as f64, elapsed: block.elapsed_ns as f64 })
}

/// Sums up the blocks of `info`; None without a usable block.
pub fn sum_up(info: &ArmInfo, blocks: &[Block], plan: &Plan) -> Option<ArmSummary> {
    let own: Vec<&Block> = blocks.iter().filter(|block| block.arm == info.name && amount(block).is_some()).collect();
    let rates: Vec<(u64, Amount)> = own.iter().filter_map(|block| Some((block.epoch, amount(block)?))).collect();
    let rate = estimate::rate(&rates)?;
    let series: Vec<f64> = rates.iter().map(|(_, amount)| amount.rate().ln()).collect();
    // a time per select falls as the rate rises: the ends change places
    let time = rate.interval.map(|found| Interval { low: 1e9 / found.high, high: 1e9 / found.low });
    let selects = own.iter().map(|block| block.selects).fold(0, i64::saturating_add);
    let driver_ns = total(&own, |block| Some(block.driver_ns)).unwrap_or(0) as f64;
    let client_cpu = total(&own, |block| block.client_cpu_ns).map(|sum| sum as f64);
    let backend_cpu = total(&own, |block| block.backend_cpu_ns).map(|sum| sum as f64);
    let calls = total(&own, |block| block.calls);
    // also of blocks that finished no select: what they skipped counts
    let told = blocks.iter().filter(|block| block.arm == info.name).filter_map(|block| block.latency.as_ref());
    Some(ArmSummary {
        name: info.name.clone(),
        arm: info.arm.clone(),
        placement: info.placement,
        side: info.side,
        control: info.control,
        sps: rate.value,
        sps_low: rate.interval.map(|found| found.low),
        sps_high: rate.interval.map(|found| found.high),
        ns_per_select: 1e9 / rate.value,
        ns_low: time.map(|found| found.low),
        ns_high: time.map(|found| found.high),
        blocks: own.len(),
        selects,
        elapsed_ns: total(&own, |block| Some(block.elapsed_ns)).unwrap_or(0),
        found: total(&own, |block| block.found),
        calls_per_second: calls
            .filter(|_| info.side == Side::Server)
            .map(|calls| rate.value * calls as f64 / selects as f64),
        client_cpu_ns_per_select: client_cpu.map(|sum| sum / selects as f64),
        client_cpu_share: client_cpu
            .filter(|_| driver_ns > 0.0)
            .map(|sum| sum / driver_ns / plan.threads.max(1) as f64),
        backend_cpu_ns_per_select: backend_cpu.map(|sum| sum / selects as f64),
        cpu_share: client_cpu
            .zip(backend_cpu)
            .filter(|_| driver_ns > 0.0)
            .map(|(client, backend)| (client + backend) / driver_ns),
        course: steady::class(&series),
        outliers: outlier::count(&series),
        involuntary_switches: total(&own, |block| block.involuntary_switches),
        steal: total(&own, |block| block.steal_ns).filter(|_| driver_ns > 0.0).map(|sum| sum as f64 / driver_ns),
        connect_ns: mean(own.iter().filter_map(|block| block.connect_ns)),
        // a damaged histogram costs the percentiles, not the record
        latency: Latency::merge(told).ok().flatten(),
    })
}

fn mean(values: impl Iterator<Item = i64>) -> Option<f64> {
    let (count, sum) = values.fold((0_u64, 0.0), |(count, sum), value| (count + 1, sum + value as f64));
    (count > 0).then(|| sum / count as f64)
}

/// The sum over all blocks; None where one of them does not say.
fn total(blocks: &[&Block], part: impl Fn(&Block) -> Option<i64>) -> Option<i64> {
    blocks.iter().map(|block| part(block)).try_fold(0_i64, |sum, value| Some(sum.saturating_add(value?)))
}

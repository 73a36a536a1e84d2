//! Instructions by the processor's counter, which the extension reads around a layer's loop (perf_event_open).

use crate::error::{Error, Result};
use crate::server::Session;

/// The middle one of so many differences: interrupts in between are not user mode, but page faults repeat instructions.
const REPEATS: usize = 5;

/// Instructions per select of `layer`, in user mode: the median difference of `few` and `few + selects` selects.
///
/// # Errors
/// The machine lends no counter.
pub fn per_select(
    session: &Session,
    schema: &str,
    layer: &str,
    relation: &str,
    few: i64,
    selects: i64,
    seed: i64,
) -> Result<f64> {
    let sql = format!("SELECT instructions FROM {schema}.select_loop($1, $2, $3::text::regclass, $4)");
    let counted = |selects: i64| -> Result<i64> {
        let row = session.interruptible(|| session.query_one(&sql, &[&layer, &selects, &relation, &seed]))?;
        row.try_get::<_, Option<i64>>(0)?.ok_or_else(refused)
    };
    counted(few)?;
    let mut differences = Vec::with_capacity(REPEATS);
    for _ in 0..REPEATS {
        differences.push(counted(few + selects)? - counted(few)?);
    }
    differences.sort_unstable();
    Ok(differences[REPEATS / 2] as f64 / selects as f64)
}

fn refused() -> Error {
    let paranoid = std::fs::read_to_string("/proc/sys/kernel/perf_event_paranoid").unwrap_or_default();
    let reason = match paranoid.trim().parse::<i32>() {
        Ok(level) if level > 2 => format!("kernel.perf_event_paranoid is {level}: sysctl kernel.perf_event_paranoid=2"),
        _ => "most virtual machines and containers lend none".into(),
    };
    Error::failed("the server has no counter of instructions").hint(format!("{reason}; or count with --by callgrind"))
}

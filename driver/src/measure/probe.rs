//! Which arms this server, role and table refuse: found before measuring, so that the others can go on.

use crate::error::{Error, Exit, Result};

use super::connections::Connections;
use super::{Measurement, warm};

/// Leaves out the arms that are refused; a warning for each, with the reason.
///
/// # Errors
/// The first refusal, where nothing is left; anything that is no refusal.
pub fn leave_out_refused(measurement: &mut Measurement<'_>) -> Result<Vec<String>> {
    let mut first: Option<Error> = None;
    let mut warnings = Vec::new();
    let mut kept = Vec::new();
    for arm in &measurement.arms {
        let mut connections = Connections::new(measurement, arm, 0);
        let tried = match &mut connections {
            Ok(connections) => warm::statements(measurement, arm, connections, 0),
            // preparing is a part of it
            Err(_) => connections.map(drop),
        };
        match tried {
            Ok(()) => kept.push(arm.clone()),
            Err(error) if is_refusal(&error) => {
                warnings.push(format!("{}: left out: {}", arm.info.name, error.message));
                first = first.or(Some(error));
            }
            Err(error) if error.exit == Exit::Interrupted => return Err(error),
            Err(error) => return Err(error.context(&arm.info.name)),
        }
    }
    match first {
        Some(error) if kept.is_empty() => Err(error),
        _ => {
            measurement.arms = kept;
            Ok(warnings)
        }
    }
}

/// Does an arm say by this that it is not for this place? Any other error is one of the whole run, a failed honesty gate
/// (55000) among them.
fn is_refusal(error: &Error) -> bool {
    let Some(code) = error.sqlstate.as_deref() else { return false };
    match code {
        // feature not supported: raw layers on partitioned tables, under row-level security, with SERIALIZABLE, …
        "0A000" => true,
        // insufficient privilege
        "42501" => true,
        // invalid transaction termination: a loop that commits, where a transaction has begun already
        "2D000" => true,
        // a prepared statement that is not there, or is there twice: a transaction pooler between
        "26000" | "42P05" => true,
        _ => false,
    }
}

//! `select_loop_ladder`: every layer, interleaved, and the step from each to the next.

use pgrx::pg_sys;
use select_loop_keys::{Distribution, mix};

use crate::error::Result;
use crate::job::Request;
use crate::layer::{Call, Kind, LAYERS, Layer};

/// One layer's cost. `delta_ns` is what the rung above takes more; None for the top and for controls.
pub struct Rung {
    pub layer: &'static str,
    pub ns_per_select: f64,
    pub delta_ns: Option<f64>,
}

/// Runs every layer `rounds` times with its share of `selects`, the same keys for all in a round; the median counts.
pub fn run(selects: i64, rounds: i32, function: pg_sys::Oid) -> Result<Vec<Rung>> {
    let share = (selects / i64::from(rounds)).max(1);
    // controls come last: they are no step of the descent
    let mut layers: Vec<&'static dyn Layer> = LAYERS.to_vec();
    layers.sort_by_key(|layer| layer.kind() == Kind::Control);
    let mut costs = vec![Vec::new(); layers.len()];
    for round in 0..rounds {
        for step in 0..layers.len() {
            // each round starts with another layer, so that none is always first
            let turn = (step + round as usize) % layers.len();
            let seed = mix(0, 0, round as u64, 0, 0);
            let request = Request { selects: share, relation: None, seed, distribution: Distribution::Uniform };
            costs[turn].push(measure(layers[turn], &request, function)?);
        }
    }
    let mut above = None;
    let rungs = layers.iter().zip(costs).map(|(layer, mut costs)| {
        let ns_per_select = median(&mut costs);
        let lookup = layer.kind() != Kind::Control;
        let delta_ns = above.filter(|_| lookup).map(|above: f64| above - ns_per_select);
        above = Some(ns_per_select);
        Rung { layer: layer.name(), ns_per_select, delta_ns }
    });
    Ok(rungs.collect())
}

fn measure(layer: &dyn Layer, request: &Request, function: pg_sys::Oid) -> Result<f64> {
    let (call, job) = Call::begin(function, request, layer.kind())?;
    let outcome = layer.run(&call, &job)?;
    Ok(outcome.reading.elapsed_ns as f64 / request.selects as f64)
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 { values[middle] } else { (values[middle - 1] + values[middle]) / 2.0 }
}

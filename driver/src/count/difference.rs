//! The difference of two run lengths: what a select costs once everything is warm, set-up excluded.

use std::collections::HashMap;

use super::callgrind::{Cost, Function, Profile};
use crate::profile::symbol::NAMELESS;
use crate::record::CountedFunction;

/// Less of its own than this, in instructions a select, …
const LEAST_OWN: f64 = 0.5;
/// … and called less often than this, a function is left out.
const LEAST_CALLS: f64 = 0.01;

/// What a select costs.
#[derive(Clone, Debug)]
pub struct PerSelect {
    pub instructions: f64,
    pub harness_share: f64,
    /// By their own instructions, most first.
    pub functions: Vec<CountedFunction>,
}

/// What `selects` selects more cost, each.
pub fn per_select(few: &Profile, many: &Profile, selects: i64) -> PerSelect {
    let each = |few: i64, many: i64| (many - few) as f64 / selects as f64;
    let none = Cost::default();
    let before: &HashMap<Function, Cost> = &few.functions;
    let mut functions: Vec<CountedFunction> = many
        .functions
        .iter()
        .map(|(function, many)| {
            let few = before.get(function).unwrap_or(&none);
            let (outer, inner) = (each(few.outer.calls, many.outer.calls), each(few.inner.calls, many.inner.calls));
            // a layer's select lies within the execution of the statement that calls the layer, which happens once
            let inclusive = match outer < LEAST_CALLS && LEAST_CALLS <= inner {
                true => each(few.inner.inclusive, many.inner.inclusive),
                false => each(few.outer.inclusive, many.outer.inclusive),
            };
            CountedFunction {
                name: function.name.to_string(),
                module: function.module.to_string(),
                own: each(few.own, many.own),
                inclusive: (&*function.name != NAMELESS).then_some(inclusive),
                calls: outer + inner,
            }
        })
        .filter(|function| LEAST_OWN <= function.own.abs() || LEAST_CALLS <= function.calls.abs())
        .collect();
    functions.sort_by(|a, b| b.own.total_cmp(&a.own).then_with(|| a.name.cmp(&b.name)));
    let instructions = each(few.total(), many.total());
    let harness = each(few.harness(), many.harness());
    PerSelect { instructions, harness_share: (harness / instructions).clamp(0.0, 1.0), functions }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::count::callgrind::Activations;

    fn profile(parts: &[(&str, &str, Cost)]) -> Profile {
        let function = |name: &str, module: &str| Function { name: name.into(), module: module.into() };
        let functions = parts.iter().map(|(name, module, cost)| (function(name, module), *cost)).collect();
        Profile { functions, guards: 5 }
    }

    #[test]
    fn set_up_cancels_and_what_hardly_costs_is_left_out() {
        let cost = |own, inclusive, calls| Cost { own, outer: Activations { inclusive, calls }, ..Cost::default() };
        let within = |cost: Cost, inclusive, calls| Cost { inner: Activations { inclusive, calls }, ..cost };
        let few = profile(&[
            ("start", "postgres", cost(9000, 9000, 1)),
            ("lookup", "postgres", within(cost(1000, 12_300, 1), 1200, 10)),
            ("run", "select_loop.so", cost(100, 1300, 1)),
        ]);
        let many = profile(&[
            ("start", "postgres", cost(9001, 9001, 1)),
            ("lookup", "postgres", within(cost(11_000, 25_300, 1), 13_200, 110)),
            ("run", "select_loop.so", cost(1100, 14_300, 1)),
        ]);
        let found = per_select(&few, &many, 100);
        assert_eq!(found.instructions, 110.01);
        assert_eq!(found.harness_share, 10.0 / 110.01);
        let names: Vec<&str> = found.functions.iter().map(|function| function.name.as_str()).collect();
        assert_eq!(names, ["lookup", "run"]);
        // not the lookup that all of them lie in
        assert_eq!((found.functions[0].inclusive, found.functions[0].calls), (Some(120.0), 1.0));
        assert_eq!(found.functions[1].inclusive, Some(130.0));
    }
}

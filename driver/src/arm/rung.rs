//! The arms of the ladder: from the wire down to the buffer, controls last.

use super::{ArmSpec, LOOPS, Layer, Placement, WIRE_ARMS, plpgsql, tokio};

/// Every arm but pgbench, whose blocks are seconds long. `placements` are those of wire arms, `layers` the extension's,
/// None without it.
///
/// The rungs go down on one core, where noise is least. Beside them each wire arm runs over two, where that is possible:
/// those stand above, and each is one step away from itself on one core, which is what wake-ups cost.
pub fn ladder(placements: &[Placement], layers: Option<&[Layer]>) -> Vec<ArmSpec> {
    let main = placements.iter().find(|placement| **placement == Placement::Same).or(placements.first());
    let beside = placements.iter().filter(|placement| Some(*placement) != main);
    let wire = |placement: Placement| wire_rungs().map(move |arm| spec(arm, Some(placement)));
    let mut specs: Vec<ArmSpec> = beside.clone().chain(main).flat_map(|placement| wire(*placement)).collect();
    specs.extend(server_rungs(layers).iter().map(|arm| spec(arm, None)));
    let controls = WIRE_ARMS.iter().filter(|arm| arm.control());
    for control in controls {
        specs.extend(beside.clone().chain(main).map(|placement| spec(control.name(), Some(*placement))));
    }
    let controls = layers.unwrap_or_default().iter().filter(|layer| layer.control);
    specs.extend(controls.map(|layer| spec(&layer.name, None)));
    specs
}

/// Those that send each select: parsed each time; prepared, on an async runtime first.
fn wire_rungs() -> impl Iterator<Item = &'static str> {
    let parsed = |prepared: bool| {
        WIRE_ARMS
            .iter()
            .filter(move |arm| !arm.control() && arm.statement().is_some() == prepared)
            .map(|arm| arm.name())
    };
    parsed(false).chain([tokio::NAME]).chain(parsed(true))
}

/// Those that loop in the server: the extension's layers in its order, the loop that commits before the one that it is
/// but for that.
fn server_rungs(layers: Option<&[Layer]>) -> Vec<String> {
    let Some(layers) = layers else {
        return LOOPS.iter().map(|which| which.name.to_owned()).collect();
    };
    let mut names: Vec<String> = layers.iter().filter(|layer| !layer.control).map(|layer| layer.name.clone()).collect();
    let at = names.iter().position(|name| name == plpgsql::PLPGSQL.name).unwrap_or(0);
    let commits = LOOPS.iter().filter(|which| which.commits).map(|which| which.name.to_owned());
    names.splice(at..at, commits);
    names
}

fn spec(arm: &str, placement: Option<Placement>) -> ArmSpec {
    ArmSpec { arm: arm.to_owned(), placement, side: None }
}

#[cfg(test)]
mod tests {
    use super::{Layer, Placement, ladder};

    fn names(placements: &[Placement], layers: Option<&[Layer]>) -> Vec<String> {
        ladder(placements, layers).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn rungs_go_down_on_one_core_with_the_others_above_and_controls_last() {
        let layer = |name: &str, control| Layer { name: name.into(), control, about: String::new() };
        let layers = [layer("empty", true), layer("spi_text", false), layer("plpgsql", false), layer("index", false)];
        let names = names(&[Placement::Same, Placement::Split], Some(&layers));
        let wire = ["extended", "simple", "tokio", "prepared", "prepared_transaction", "pipeline"];
        let split = wire.map(|name| format!("{name}@split"));
        let same = wire.map(|name| format!("{name}@same"));
        assert_eq!(names[..12], [split, same].concat());
        let rest = [
            "spi_text",
            "call_commit",
            "plpgsql",
            "index",
            "select_one@split",
            "select_one@same",
            "sync@split",
            "sync@same",
            "empty",
        ];
        assert_eq!(names[12..], rest);
    }

    #[test]
    fn without_the_extension_there_are_wire_arms_and_loops() {
        let names = names(&[Placement::Free], None);
        assert_eq!(names[6..], ["plpgsql_execute", "call_commit", "plpgsql", "select_one@free", "sync@free"]);
    }
}

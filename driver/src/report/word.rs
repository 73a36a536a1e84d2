//! What a step of the ladder is, in words: one table, by what METHODOLOGY.md counts of each arm.

use crate::arm::Placement;
use crate::record::ArmInfo;

/// (from, to): what `from` does and `to` does not; after a semicolon, what `to` does instead.
const STEPS: &[(&str, &str, &str)] = &[
    ("extended", "simple", "five messages and a portal of their own; the key in the text instead"),
    ("simple", "tokio", "parse, analyse, plan; an async runtime instead"),
    ("simple", "prepared", "parse, analyse, plan"),
    ("extended", "tokio", "parse, analyse, plan; an async runtime instead"),
    ("extended", "prepared", "parse, analyse, plan"),
    ("tokio", "prepared", "async runtime, channels, allocated rows"),
    ("prepared", "prepared_transaction", "transaction start and commit"),
    ("prepared_transaction", "pipeline", "wake-ups and system calls, shared by 16; a transaction each instead"),
    ("prepared", "pipeline", "wake-ups and system calls, shared by 16"),
    ("pipeline", "spi_text", "socket, protocol, portal, transaction; parse, analyse, plan instead"),
    ("pipeline", "plpgsql_execute", "socket, protocol, portal, transaction; parse, analyse, plan instead"),
    ("spi_text", "plpgsql_execute", "the key in the text; PL/pgSQL's statements instead"),
    ("plpgsql_execute", "spi_custom", "parse, analyse, PL/pgSQL's statements"),
    ("plpgsql_execute", "call_commit", "parse, analyse, plan; transaction start and commit instead"),
    ("plpgsql_execute", "plpgsql", "parse, analyse, plan"),
    ("spi_custom", "call_commit", "plan; PL/pgSQL, transaction start and commit instead"),
    ("spi_custom", "plpgsql", "plan; PL/pgSQL's statements instead"),
    ("call_commit", "plpgsql", "transaction start and commit"),
    ("plpgsql", "spi", "PL/pgSQL's statements and key expression"),
    ("spi", "executor", "SPI: cached plan, two relation locks, snapshot"),
    ("executor", "nested_loop", "executor start and end, a relation lock; keys drawn in SQL instead"),
    ("executor", "rescan", "executor start and end, a relation lock"),
    ("nested_loop", "rescan", "the join, keys drawn in SQL"),
    ("rescan", "index_begin", "executor's plan node; index scan begin and end instead"),
    ("rescan", "index", "executor's plan node"),
    ("index_begin", "index", "index scan begin and end"),
    ("index", "index_tid", "heap fetch and visibility"),
    ("index_tid", "heap_tid", "index descent; heap fetch by TID instead"),
    ("heap_tid", "buffer", "row by TID, visibility; pin and lock of the page remain"),
];

/// What the step from one rung to the next is.
pub fn of_step(from: &ArmInfo, to: &ArmInfo) -> String {
    let moves = from.placement == Placement::Split && to.placement == Placement::Same;
    if from.arm == to.arm && moves {
        return "wake-ups on another core".into();
    }
    let known = STEPS.iter().find(|(above, below, _)| *above == from.arm && *below == to.arm);
    known.map_or_else(|| format!("from {} to {}", from.name, to.name), |(_, _, words)| (*words).into())
}

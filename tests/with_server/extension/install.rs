//! The install script is written by hand: it is held against the library, and what it makes against what is documented.

use std::collections::BTreeSet;
use std::process::Command;

use super::connection::Connection;
use super::layer::{Subject, layers};
use super::{empty, filled};
use crate::support::{run, skip};

const SCRIPT: &str = include_str!("../../../sql/select_loop--0.1.0.sql");

/// Name, arguments with defaults, result, then volatility, parallel safety, strictness, set or not.
const FUNCTIONS: [(&str, &str, &str, &str); 7] = [
    (
        "select_loop",
        "layer text DEFAULT 'plpgsql'::text, selects bigint DEFAULT 10000, relation regclass DEFAULT NULL::regclass, \
         seed bigint DEFAULT 0, distribution text DEFAULT 'uniform'::text, skew double precision DEFAULT NULL::double precision",
        "TABLE(layer text, selects bigint, found bigint, checksum bigint, elapsed_ns bigint, selects_per_second double precision, \
         user_ns bigint, system_ns bigint, shared_hit bigint, shared_read bigint, instructions bigint)",
        "volatile unsafe called set",
    ),
    (
        "select_loop_check",
        "relation regclass DEFAULT NULL::regclass, OUT item text, OUT value text, OUT ok boolean, OUT hint text",
        "SETOF record",
        "volatile unsafe called set",
    ),
    (
        "select_loop_key",
        "seed bigint, i bigint, rows bigint, distribution text DEFAULT 'uniform'::text, \
         skew double precision DEFAULT NULL::double precision",
        "bigint",
        "immutable safe called one",
    ),
    (
        "select_loop_ladder",
        "selects bigint DEFAULT 100000, rounds integer DEFAULT 5, OUT layer text, OUT ns_per_select double precision, \
         OUT delta_ns double precision",
        "SETOF record",
        "volatile unsafe called set",
    ),
    ("select_loop_layers", "OUT name text, OUT kind text, OUT about text", "SETOF record", "immutable safe strict set"),
    (
        "select_loop_setup",
        "scale integer DEFAULT 1, fillfactor integer DEFAULT 100, unlogged boolean DEFAULT false, \
         fill text DEFAULT 'zero'::text, replace boolean DEFAULT false",
        "TABLE(scale integer, rows bigint, bytes bigint, elapsed_ns bigint)",
        "volatile unsafe called set",
    ),
    ("select_loop_warm", "relation regclass DEFAULT NULL::regclass", "bigint", "volatile unsafe called one"),
];

#[test]
fn the_script_names_every_function_of_the_library_and_no_other() {
    let Some(database) = empty() else { return };
    let folder = Connection::new(&database).value("select setting from pg_config where name = 'PKGLIBDIR'");
    let mut nm = Command::new("nm");
    nm.args(["-D", "--defined-only", "--format=just-symbols", &format!("{folder}/select_loop.so")]);
    if Command::new("nm").arg("--version").output().is_err() {
        return skip("nm (binutils) is not installed");
    }
    let said = run(&mut nm);
    let symbols: BTreeSet<&str> = said.code(0).stdout.lines().collect();
    let exported: BTreeSet<&str> = symbols.iter().copied().filter(|name| name.ends_with("_wrapper")).collect();
    let (infos, exported): (BTreeSet<&str>, BTreeSet<&str>) =
        exported.into_iter().partition(|name| name.starts_with("pg_finfo_"));
    let named: BTreeSet<&str> =
        SCRIPT.lines().filter_map(|line| line.strip_prefix("AS 'MODULE_PATHNAME', '")?.strip_suffix('\'')).collect();
    assert_eq!(named.len(), FUNCTIONS.len());
    assert_eq!(named, exported);
    let expected: BTreeSet<String> = named.iter().map(|name| format!("pg_finfo_{name}")).collect();
    assert_eq!(infos.iter().copied().map(str::to_owned).collect::<BTreeSet<_>>(), expected);
    assert!(symbols.contains("Pg_magic_func"));
}

#[test]
fn the_script_suits_any_schema_and_cannot_be_sourced() {
    assert!(SCRIPT.contains("\\echo Use \"CREATE EXTENSION select_loop\" to load this file. \\quit\n"));
    // @extschema@ refuses some names
    for word in ["@", "public", "CREATE OR REPLACE", "search_path"] {
        assert!(!SCRIPT.contains(word), "{word}");
    }
}

#[test]
fn functions_are_declared_as_documented() {
    let Some(database) = empty() else { return };
    let connection = Connection::new(&database);
    let rows = connection.rows(
        "select p.proname, pg_get_function_arguments(p.oid), pg_get_function_result(p.oid),
                concat_ws(' ', case p.provolatile when 'v' then 'volatile' when 's' then 'stable' else 'immutable' end,
                          case p.proparallel when 'u' then 'unsafe' when 'r' then 'restricted' else 'safe' end,
                          case when p.proisstrict then 'strict' else 'called' end,
                          case when p.proretset then 'set' else 'one' end),
                concat_ws(' ', p.proacl is null, p.prosecdef, p.proleakproof, l.lanname, p.proconfig is null, e.extname)
         from pg_proc p join pg_language l on l.oid = p.prolang
         left join pg_depend d on d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e'
         left join pg_extension e on e.oid = d.refobjid
         where p.proname like 'select\\_loop%' order by 1",
    );
    let text = |row: &[Option<String>], column: usize| row[column].clone().unwrap();
    let found: Vec<_> = rows.iter().map(|row| [0, 1, 2, 3].map(|column| text(row, column))).collect();
    let expected: Vec<_> = FUNCTIONS
        .iter()
        .map(|&(name, arguments, result, rest)| [name, arguments, result, rest].map(str::to_owned))
        .collect();
    assert_eq!(found, expected);
    for row in &rows {
        assert_eq!(text(row, 4), "t f f c t select_loop", "{row:?}");
    }
    // nothing but functions
    let members = "select count(*) from pg_depend d join pg_extension e on e.oid = d.refobjid
                   where d.refclassid = 'pg_extension'::regclass and d.deptype = 'e' and e.extname = 'select_loop'";
    assert_eq!(connection.number(members), FUNCTIONS.len() as i64);
}

#[test]
fn any_schema_will_do_odd_names_too() {
    let Some(database) = filled() else { return };
    let connection = Connection::new(&database);
    for schema in [r#""Odd Name""#, r#""it's ""odd"" \ $$ {schema} %""#, "perf"] {
        connection.run("drop extension select_loop");
        connection.run(&format!("create schema {schema}; create extension select_loop schema {schema}"));
        let names = connection.rows(&format!("select name from {schema}.select_loop_layers()"));
        let expected = Subject::accounts().expected(&connection);
        for name in names.into_iter().map(|mut row| row.remove(0).unwrap()) {
            // first without the schema on the search path
            connection.run(&format!("select * from {schema}.select_loop('{name}', 100, distribution => 'zipfian')"));
            connection.run(&format!("set search_path = {schema}, public"));
            let layer = layers(&connection).into_iter().find(|layer| layer.name == name).unwrap();
            layer.check(Subject::accounts().layer(&connection, &name), expected, &Subject::accounts());
            connection.run("reset search_path");
        }
        connection.run(&format!("select {schema}.select_loop_warm()"));
        connection.run(&format!("select * from {schema}.select_loop_check()"));
        connection.run(&format!("select * from {schema}.select_loop_setup(replace => true, fill => 'key')"));
    }
}

#[test]
fn it_stays_in_its_schema_and_goes_without_a_trace() {
    let Some(database) = filled() else { return };
    let connection = Connection::new(&database);
    assert_eq!(
        connection.value("select extrelocatable::text from pg_extension where extname = 'select_loop'"),
        "false"
    );
    connection.run("create schema elsewhere");
    connection.failure("alter extension select_loop set schema elsewhere").is("0A000");
    let objects = "select count(*) from pg_depend where classid <> 'pg_init_privs'::regclass and objid > 16383";
    connection.run("drop extension select_loop");
    let before = connection.number(objects);
    connection.run("create extension select_loop");
    for layer in layers(&connection) {
        connection.run(&format!("select * from select_loop('{}', 100, distribution => 'gaussian')", layer.name));
    }
    connection.run("drop extension select_loop");
    assert_eq!(connection.number(objects), before);
    assert_eq!(connection.number("select count(*) from pg_proc where proname like 'select\\_loop%'"), 0);
    // tables are the user's
    assert_eq!(connection.number("select count(*) from pgbench_branches"), 1);
    assert_eq!(connection.warnings(), [""; 0]);
}

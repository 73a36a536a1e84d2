//! The key sequence: uniform keys are core SQL's bit for bit, skewed ones are spread as pgbench spreads them.

use std::process::Command;

use select_loop_keys::{Distribution, KeySequence, hashint8extended};

use super::connection::Connection;
use super::empty;
use crate::support::{Database, run};

/// Numbers where the hash folds, wraps or changes sign.
const EDGES: &str =
    "(values (0::bigint), (1), (-1), (2), (-2), (2147483647), (2147483648), (-2147483648), (-2147483649),
                     (4294967295), (4294967296), (-4294967296), (9223372036854775807), (-9223372036854775807),
                     (-9223372036854775808), (1234567890123456789))";
const ROWS: &str = "(values (1::bigint), (2), (7), (100000), (2147483648), (9223372036854775807))";

#[test]
fn uniform_keys_are_those_of_core_sql() {
    let Some(database) = empty() else { return };
    let connection = Connection::new(&database);
    let wrong = |source: &str| {
        connection.number(&format!(
            "select count(*) from {source}
             where select_loop_key(seed, i, rows)
                   is distinct from 1 + (hashint8extended(i, seed) & 9223372036854775807) % rows"
        ))
    };
    let edges = format!("{EDGES} as a (i), {EDGES} as b (seed), {ROWS} as c (rows)");
    assert_eq!(wrong(&edges), 0);
    let many = "(select i - 10000 as i, hashint8extended(i, 5) as seed, 1 + abs(hashint8extended(i, 6) / 2) as rows
                 from generate_series(0, 50000) i) t";
    assert_eq!(wrong(many), 0);
}

#[test]
fn the_driver_s_hash_is_the_server_s() {
    let database = Database::empty();
    let rows = Connection::new(&database).rows(&format!(
        "select i, seed, hashint8extended(i, seed), 1 + (hashint8extended(i, seed) & 9223372036854775807) % 12345
         from {EDGES} as a (i), {EDGES} as b (seed)
         union all
         select i, seed, hashint8extended(i, seed), 1 + (hashint8extended(i, seed) & 9223372036854775807) % 12345
         from (select hashint8extended(n, 1) as i, hashint8extended(n, 2) as seed from generate_series(1, 20000) n) t"
    ));
    assert!(rows.len() > 20_000);
    for row in rows {
        let number = |column: usize| row[column].as_ref().unwrap().parse::<i64>().unwrap();
        let (i, seed) = (number(0), number(1));
        assert_eq!(hashint8extended(i, seed), number(2), "{i} {seed}");
        assert_eq!(KeySequence::new(seed, 12345, Distribution::Uniform).key(i), number(3), "{i} {seed}");
    }
}

#[test]
fn skewed_keys_are_the_same_on_both_sides_and_in_range() {
    let Some(database) = empty() else { return };
    let connection = Connection::new(&database);
    for (name, skew) in [
        ("zipfian", None),
        ("zipfian", Some(1.001)),
        ("zipfian", Some(1000.0)),
        ("gaussian", None),
        ("gaussian", Some(2.0)),
        ("exponential", None),
        ("exponential", Some(1e-9)),
        ("exponential", Some(700.0)),
    ] {
        let argument = skew.map_or("null".to_owned(), |skew: f64| format!("'{skew:?}'::float8"));
        let rows = connection.rows(&format!(
            "select seed, i, rows, select_loop_key(seed, i, rows, '{name}', {argument})
             from {EDGES} as a (i), (values (0::bigint), (-1), (9223372036854775807)) as b (seed), {ROWS} as c (rows)"
        ));
        for row in rows {
            let number = |column: usize| row[column].as_ref().unwrap().parse::<i64>().unwrap();
            let (seed, i, rows, key) = (number(0), number(1), number(2), number(3));
            assert!((1..=rows).contains(&key), "{name} {skew:?}: {key} of {rows}");
            let distribution = Distribution::new(name, skew).unwrap();
            assert_eq!(KeySequence::new(seed, rows, distribution).key(i), key, "{name} {skew:?} {seed} {i} {rows}");
        }
    }
}

#[test]
fn senseless_arguments_are_refused() {
    let Some(database) = empty() else { return };
    let connection = Connection::new(&database);
    for (arguments, code, text) in [
        ("null, 0, 10", "22004", "seed"),
        ("0, null, 10", "22004", "i must"),
        ("0, 0, null", "22004", "rows"),
        ("0, 0, 10, null", "22004", "distribution"),
        ("0, 0, 0", "22023", "rows must be at least 1"),
        ("0, 0, -5", "22023", "-5"),
        ("0, 0, 10, 'pareto'", "22023", "uniform, zipfian, gaussian, exponential"),
        ("0, 0, 10, 'uniform', 2", "22023", "takes no skew"),
        ("0, 0, 10, 'zipfian', 1000.1", "22023", "from 1.001 to 1000"),
        ("0, 0, 10, 'gaussian', 'NaN'", "22023", "of 2 or more"),
        ("0, 0, 10, 'exponential', -1", "22023", "above 0"),
        ("0, 0, 10, 'exponential', 'infinity'", "22023", "above 0"),
    ] {
        connection.failure(&format!("select select_loop_key({arguments})")).is(code).says(text);
    }
}

/// Two samples of equal size, counted by key; how far apart they are by chi-square over the bins that `bin` makes.
fn chi_square(connection: &Connection, bin: &str, ours: &str) -> f64 {
    let statistic = format!(
        "select coalesce(sum((a - b)^2 / (a + b)::float8), 0) from (
           select count(*) filter (where mine) as a, count(*) filter (where not mine) as b
           from (select k, true as mine from ({ours}) as o (k) union all select k, false from draws) as both_samples
           group by {bin}) as bins"
    );
    connection.value(&statistic).parse().unwrap()
}

#[test]
fn skewed_keys_are_spread_as_pgbench_spreads_them() {
    let Some(database) = empty() else { return };
    let connection = Connection::new(&database);
    const DRAWS: usize = 20_000;
    const PER_SCRIPT: usize = 100;
    let logarithmic = "width_bucket(ln(k), 0, 6.91, 20)";
    let linear = "width_bucket(k, 1, 1001, 20)";
    for (name, skew, bin) in [
        ("zipfian", 1.07, logarithmic),
        ("zipfian", 2.5, logarithmic),
        ("gaussian", 5.0, linear),
        ("gaussian", 2.0, linear),
        ("exponential", 5.0, linear),
        ("exponential", 0.5, linear),
    ] {
        connection.run("drop table if exists draws; create table draws (k int)");
        let draws: String = (0..PER_SCRIPT).map(|at| format!("\\set k{at} random_{name}(1, 1000, {skew})\n")).collect();
        let values: Vec<String> = (0..PER_SCRIPT).map(|at| format!("(:k{at})")).collect();
        let script = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(script.path(), format!("{draws}insert into draws values {};\n", values.join(", "))).unwrap();
        let mut pgbench = Command::new("pgbench");
        pgbench.args(["-n", "--random-seed=7", "-t", &(DRAWS / PER_SCRIPT).to_string(), "-f"]).arg(script.path());
        run(pgbench.arg(&database.name)).code(0);

        let ours = |distribution: &str| {
            format!("select select_loop_key(7, i, 1000, {distribution}) from generate_series(1, {DRAWS}) i")
        };
        // 19 degrees of freedom: a chi-square above 60 has a probability of 4e-6; seeds are fixed, so it never happens
        let distance = chi_square(&connection, bin, &ours(&format!("'{name}', {skew}")));
        assert!(distance < 60.0, "{name} {skew}: {distance}");
        // and the measure tells distributions apart
        let uniform = chi_square(&connection, bin, &ours("'uniform'"));
        assert!(uniform > 200.0, "{name} {skew}: uniform is as near as {uniform}");
    }
}

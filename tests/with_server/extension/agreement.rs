//! Every layer finds what plain SQL finds: the same rows, the same sum.

use super::connection::Connection;
use super::layer::{Answer, Subject, layers, looking};
use super::{empty, filled};

/// Seeds at both ends, around zero, and beyond 32 bits on either side.
const SEEDS: [i64; 7] = [0, 1, -1, 123_456_789_012, -123_456_789_012, i64::MIN, i64::MAX];

/// Makes `name` with keys of `key_type` from `keys`, an expression over i = 0 … 4999, and the other columns.
fn make(connection: &Connection, name: &str, key_type: &str, keys: &str, columns: &str, values: &str) {
    connection.run(&format!(
        "create table {name} (k {key_type} primary key, {columns} filler text);
         insert into {name} select {keys}, {values} repeat('x', 50) from generate_series(0::bigint, 4999) as i;
         analyze {name}"
    ));
}

#[test]
fn on_pgbench_s_table_for_any_seed() {
    let Some(database) = filled() else { return };
    let connection = Connection::new(&database);
    for seed in SEEDS {
        let expected = Subject::accounts().seed(seed).agrees(&connection);
        assert_eq!(expected.found, Some(2000));
        assert!(expected.checksum > Some(2000 * 1000), "{expected:?}");
    }
    let sums = [1, 2].map(|seed| Subject::accounts().seed(seed).expected(&connection).checksum);
    assert_ne!(sums[0], sums[1]);
}

#[test]
fn gaps_count_as_not_found() {
    let Some(database) = filled() else { return };
    let connection = Connection::new(&database);
    connection.run("delete from pgbench_accounts where aid % 7 = 3 or aid between 100 and 5000");
    let expected = Subject::accounts().agrees(&connection);
    assert!((1400..1800).contains(&expected.found.unwrap()), "{expected:?}");
    // dead rows and the index entries that point to them, gone or not
    connection.run("vacuum analyze pgbench_accounts");
    assert_eq!(Subject::accounts().agrees(&connection), expected);
}

#[test]
fn for_none_and_one_select() {
    let Some(database) = filled() else { return };
    let connection = Connection::new(&database);
    let none = Subject::accounts().selects(0).agrees(&connection);
    assert_eq!(none, Answer { found: Some(0), checksum: Some(0) });
    assert_eq!(Subject::accounts().selects(1).agrees(&connection).found, Some(1));
}

#[test]
fn around_the_sizes_of_batches() {
    let Some(database) = filled() else { return };
    let connection = Connection::new(&database);
    connection.run("delete from pgbench_accounts where aid % 4 = 0");
    // keys are drawn 64 at a time, TIDs gathered 10,000 at a time
    for selects in [2, 63, 64, 65, 127, 128, 129, 9999, 10_000, 10_001, 20_000, 20_063] {
        Subject::accounts().selects(selects).agrees(&connection);
    }
}

#[test]
fn for_every_type_of_key_and_value() {
    let Some(database) = empty() else { return };
    let connection = Connection::new(&database);
    make(&connection, "two", "smallint", "i - 2500", "abalance smallint,", "(i % 30000) - 9000,");
    make(&connection, "four", "integer", "2147483647 - i", "abalance bigint,", "i * 1000000007,");
    make(&connection, "eight", "bigint", "5000000000 + 3 * i", "abalance integer,", "7 - i,");
    make(&connection, "eight_two", "bigint", "-5000000000 - i", "abalance smallint,", "i,");
    for (relation, value) in
        [("two", "abalance"), ("four", "abalance"), ("eight", "abalance"), ("eight_two", "abalance")]
    {
        for seed in [0, -3] {
            let expected = Subject::new(relation, "k", value).seed(seed).agrees(&connection);
            assert!(expected.found > Some(500) && expected.checksum != Some(0), "{relation}: {expected:?}");
        }
    }
}

#[test]
fn without_a_balance_the_value_is_the_low_bits_of_the_key() {
    let Some(database) = empty() else { return };
    let connection = Connection::new(&database);
    make(&connection, "two", "smallint", "i * 2 - 5000", "", "");
    make(&connection, "four", "integer", "-2147483648 + i", "abalance text,", "'7',");
    make(&connection, "eight", "bigint", "(1::bigint << 40) + i * 2", "", "");
    make(&connection, "lowest", "bigint", "(-9223372036854775808)::bigint + i", "", "");
    make(&connection, "highest", "bigint", "9223372036854775807 - i", "abalance numeric,", "0,");
    make(&connection, "around_zero", "bigint", "i - 2500", "", "");
    for relation in ["two", "four", "eight", "lowest", "highest", "around_zero"] {
        let expected = Subject::new(relation, "k", "k::bigint & 2147483647").agrees(&connection);
        assert!(expected.found > Some(900) && expected.checksum > Some(0), "{relation}: {expected:?}");
    }
}

#[test]
fn null_is_found_with_value_zero() {
    let Some(database) = empty() else { return };
    let connection = Connection::new(&database);
    make(&connection, "holes", "integer", "i", "abalance integer,", "case when i % 3 = 0 then i end,");
    let expected = Subject::new("holes", "k", "abalance").agrees(&connection);
    assert_eq!(expected.found, Some(2000));
    connection.run("update holes set abalance = null");
    let expected = Subject::new("holes", "k", "abalance").agrees(&connection);
    assert_eq!(expected, Answer { found: Some(2000), checksum: Some(0) });
}

#[test]
fn a_sum_past_bigint_is_the_same_error_everywhere() {
    let Some(database) = empty() else { return };
    let connection = Connection::new(&database);
    make(&connection, "rich", "integer", "i", "abalance bigint,", "9223372036854775807 / 3,");
    make(&connection, "poor", "integer", "i", "abalance bigint,", "(-9223372036854775808)::bigint / 3,");
    for relation in ["rich", "poor"] {
        for layer in looking(&connection) {
            match Subject::new(relation, "k", "abalance").try_layer(&connection, &layer.name) {
                Err(failure) => assert_eq!((&*failure.code, &*failure.message), ("22003", "bigint out of range")),
                Ok(Answer { checksum: None, .. }) => {}
                Ok(answer) => panic!("{} on {relation} answers {answer:?}", layer.name),
            }
        }
        Subject::new(relation, "k", "abalance").selects(3).agrees(&connection);
    }
    assert_eq!(connection.warnings(), [""; 0]);
}

#[test]
fn for_names_that_need_quotes_and_columns_that_were_dropped() {
    let Some(database) = empty() else { return };
    let connection = Connection::new(&database);
    connection.run(
        r#"create schema "Odd {key} 'Name'";
           create table "Odd {key} 'Name'"."it's ""odd"" \ $1 {value}" (gone int, "K {relation} 'c'" int, abalance int);
           alter table "Odd {key} 'Name'"."it's ""odd"" \ $1 {value}" drop column gone, add primary key ("K {relation} 'c'");
           insert into "Odd {key} 'Name'"."it's ""odd"" \ $1 {value}" select i, i * 3 from generate_series(1, 5000) i;
           analyze"#,
    );
    let relation = r#""Odd {key} 'Name'"."it's ""odd"" \ $1 {value}""#;
    Subject::new(relation, r#""K {relation} 'c'""#, "abalance").agrees(&connection);
    // literals that read backslashes
    connection.run("set standard_conforming_strings = off");
    for layer in layers(&connection) {
        let oid = connection.value("select oid::text from pg_class where relname like 'it%'");
        connection.run(&format!("select * from select_loop('{}', 10, {oid})", layer.name));
    }
}

#[test]
fn names_of_the_loop_s_own_variables_do_not_matter() {
    let Some(database) = empty() else { return };
    let connection = Connection::new(&database);
    for (table, key) in [("selects", "v"), ("k", "k"), ("sps_loop", "i"), ("rows", "checksum"), ("seed", "first")] {
        connection.run(&format!(
            "create table {table} ({key} int primary key, abalance int, rows int, found_rows int, started int, x text);
             insert into {table} select i, i from generate_series(1, 3000) i; analyze {table}"
        ));
        Subject::new(table, key, "abalance").agrees(&connection);
    }
}

#[test]
fn for_skewed_keys_as_select_loop_key_draws_them() {
    let Some(database) = filled() else { return };
    let connection = Connection::new(&database);
    connection.run("update pgbench_accounts set aid = aid - 200000 where aid <= 50000; analyze pgbench_accounts");
    make(&connection, "lowest", "bigint", "(-9223372036854775808)::bigint + i", "abalance int,", "i,");
    make(&connection, "highest", "bigint", "9223372036854775807 - i", "abalance int,", "i,");
    for (relation, key) in [("pgbench_accounts", "aid"), ("lowest", "k"), ("highest", "k")] {
        for distribution in
            ["'zipfian'", "'zipfian', 1.5", "'gaussian'", "'gaussian', 2", "'exponential'", "'exponential', 0.1"]
        {
            let rows = connection.rows(&format!(
                "with ends as (select min({key}) as low, max({key}) - min({key}) + 1 as rows from {relation}),
                      keys as materialized (select low + (select_loop_key(7, i, rows, {distribution}) - 1) as drawn
                                            from ends, generate_series(0, 999) i)
                 select count({key}), sum(abalance) from keys join {relation} on {key} = drawn"
            ));
            for layer in looking(&connection) {
                let call = format!("select_loop('{}', 1000, '{relation}', 7, {distribution})", layer.name);
                let found = connection.rows(&format!("select found, checksum from {call}"));
                let of = |row: &[Option<String>]| {
                    [0, 1].map(|column| row[column].as_ref().map(|text| text.parse().unwrap()))
                };
                let ([found, checksum], [right, sum]) = (of(&found[0]), of(&rows[0]));
                let subject = Subject::new(relation, key, "abalance");
                layer.check(Answer { found, checksum }, Answer { found: right, checksum: sum }, &subject);
            }
        }
    }
}

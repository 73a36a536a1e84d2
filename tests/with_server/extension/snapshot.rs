//! Layers see what a SELECT at the same place would see: snapshots, own changes, dead and moved versions; and they can
//! be called wherever a function can.

use super::connection::Connection;
use super::layer::{Answer, Subject, layers, looking};
use super::{empty, filled};

#[test]
fn repeatable_read_keeps_its_snapshot() {
    let Some(database) = filled() else { return };
    let (reader, writer) = (Connection::new(&database), Connection::new(&database));
    reader.run("begin isolation level repeatable read; select 1 from pgbench_accounts limit 1");
    let before = Subject::accounts().agrees(&reader);
    writer.run(
        "update pgbench_accounts set abalance = abalance + 1000 where aid % 2 = 0;
         delete from pgbench_accounts where aid % 5 = 0;
         insert into pgbench_accounts values (200000, 1, 5, '')",
    );
    assert_eq!(Subject::accounts().agrees(&reader), before);
    let after = Subject::accounts().agrees(&writer);
    assert_ne!(after, before);
    reader.run("commit");
    assert_eq!(Subject::accounts().agrees(&reader), after);
}

#[test]
fn read_committed_sees_what_was_committed_meanwhile() {
    let Some(database) = filled() else { return };
    let (reader, writer) = (Connection::new(&database), Connection::new(&database));
    reader.run("begin");
    let before = Subject::accounts().agrees(&reader);
    writer.run("update pgbench_accounts set abalance = -1");
    let after = Subject::accounts().agrees(&reader);
    assert_ne!(before, after);
    assert_eq!(after.checksum, Some(-2000));
}

#[test]
fn own_changes_are_seen_and_those_of_others_are_not() {
    let Some(database) = filled() else { return };
    let (connection, other) = (Connection::new(&database), Connection::new(&database));
    let committed = Subject::accounts().expected(&connection);
    connection.run(
        "begin; update pgbench_accounts set abalance = 7 where aid % 3 = 1; delete from pgbench_accounts where aid % 11 = 0;
         insert into pgbench_accounts select -i, 1, i, '' from generate_series(1, 1000) i",
    );
    let own = Subject::accounts().agrees(&connection);
    assert_ne!(own, committed);
    assert_eq!(Subject::accounts().agrees(&other), committed);
    connection.run("rollback");
    assert_eq!(Subject::accounts().agrees(&connection), committed);
}

#[test]
fn versions_dead_hot_and_moved_do_not_count_twice() {
    let Some(database) = empty() else { return };
    let connection = Connection::new(&database);
    connection.run(
        "create table pgbench_accounts (aid int primary key, abalance int, other int, filler text) with (fillfactor = 60);
         create index on pgbench_accounts (other);
         insert into pgbench_accounts select i, i, i, repeat('x', 40) from generate_series(1, 5000) i;
         analyze",
    );
    for step in [
        "update pgbench_accounts set abalance = abalance + 1",
        "update pgbench_accounts set abalance = abalance * 2 where aid % 2 = 0",
        "update pgbench_accounts set other = other + 1, abalance = 5 where aid % 3 = 0",
        "delete from pgbench_accounts where aid % 10 = 0",
        "insert into pgbench_accounts select i, -i, i, '' from generate_series(20, 5000, 20) i",
        "begin; update pgbench_accounts set abalance = 0; rollback",
        "vacuum analyze pgbench_accounts",
        "update pgbench_accounts set aid = aid + 5000",
    ] {
        // each by itself: VACUUM cannot stand in a transaction
        for statement in step.split(';') {
            connection.run(statement);
        }
        for seed in [1, 2] {
            Subject::accounts().seed(seed).agrees(&connection);
        }
    }
}

#[test]
fn within_subtransactions_and_exception_blocks() {
    let Some(database) = filled() else { return };
    let connection = Connection::new(&database);
    connection.run(
        "create table rich (k int primary key, abalance bigint);
        insert into rich select i, 9223372036854775807 / 2 from generate_series(1, 5000) i; analyze rich",
    );
    let subject = Subject::accounts();
    for layer in layers(&connection) {
        let expected = subject.layer(&connection, &layer.name);
        connection.run("begin; savepoint a");
        assert_eq!(subject.layer(&connection, &layer.name), expected);
        // an error in the middle of the loop, then on within the same transaction
        if layer.name != "empty" {
            let failed = Subject { relation: "rich".into(), ..Subject::accounts() }.try_layer(&connection, &layer.name);
            if failed.is_err() {
                connection.run("rollback to a");
            }
        }
        assert_eq!(subject.layer(&connection, &layer.name), expected);
        connection.run("release a");
        assert_eq!(subject.layer(&connection, &layer.name), expected);
        connection.run("commit");
        let block = format!(
            "do $$ declare r record; begin
               for i in 1 .. 3 loop
                 begin perform * from {}; perform * from {rich}; raise division_by_zero;
                 exception when others then perform * from {}; end;
               end loop;
               select * into r from {}; perform set_config('test.answer', format('%s|%s', r.found, r.checksum), false);
             end $$",
            subject.call(&layer.name),
            subject.call(&layer.name),
            subject.call(&layer.name),
            rich = Subject { relation: "rich".into(), ..Subject::accounts() }.call(&layer.name),
        );
        connection.run(&block);
        let text = |number: Option<i64>| number.map(|number| number.to_string()).unwrap_or_default();
        let found = connection.value("select current_setting('test.answer')");
        assert_eq!(found, format!("{}|{}", text(expected.found), text(expected.checksum)), "{}", layer.name);
    }
    assert_eq!(connection.warnings(), [""; 0]);
}

#[test]
fn several_calls_in_one_query() {
    let Some(database) = filled() else { return };
    let connection = Connection::new(&database);
    let (one, other) = (Subject::accounts().seed(1), Subject::accounts().seed(2).selects(700));
    let expected = [one.expected(&connection), other.expected(&connection)];
    for layer in looking(&connection) {
        let name = &layer.name;
        let rows = connection.rows(&format!(
            "select a.found, a.checksum, b.found, b.checksum from {} as a, {} as b",
            one.call(name),
            other.call(name)
        ));
        let number = |column: usize| rows[0][column].as_ref().map(|text| text.parse().unwrap());
        layer.check(Answer { found: number(0), checksum: number(1) }, expected[0], &one);
        layer.check(Answer { found: number(2), checksum: number(3) }, expected[1], &other);
    }
    // all layers from one query, in a target list, and in a function that a query over the same table calls
    let all = layers(&connection).len() as i64;
    let lateral = "select count(*) from select_loop_layers() l, lateral select_loop(l.name, 100, seed => 3) s";
    assert_eq!(connection.number(lateral), all);
    assert_eq!(
        connection.number("select count(s) from (select select_loop(name, 100) as s from select_loop_layers()) t"),
        all
    );
    let per_row = "select count(distinct s) from (select (select found from select_loop('rescan', 100)) as s
                   from pgbench_accounts where aid <= 3) t";
    assert_eq!(connection.number(per_row), 1);
    assert_eq!(connection.warnings(), [""; 0]);
}

#[test]
fn through_cursors_prepared_statements_and_limits() {
    let Some(database) = filled() else { return };
    let connection = Connection::new(&database);
    for layer in layers(&connection) {
        let call = format!("select * from select_loop('{}', 100)", layer.name);
        connection.run(&format!("begin; declare c cursor for {call}; fetch 1 from c; fetch 1 from c; close c; commit"));
        connection.run(&format!("prepare p as {call}; execute p; execute p; deallocate p"));
        connection.run(&format!("{call} limit 0; {call} limit 1; explain (analyze, timing off) {call}"));
    }
    assert_eq!(connection.warnings(), [""; 0]);
}

#[test]
fn settings_forced_for_a_call_are_back_after_it() {
    let Some(database) = filled() else { return };
    let connection = Connection::new(&database);
    let settings = "select string_agg(name || '=' || setting, ' ' order by name) from pg_settings
                    where context = 'user' and name not like 'plpgsql.%'";
    let custom = "select current_setting('sps.seed', true) || coalesce(current_setting('sps.selects', true), '')";
    connection.run("set enable_seqscan = off; set plan_cache_mode = force_custom_plan; set enable_hashjoin = on");
    connection.run("set sps.seed = 'mine'");
    let (before, mine) = (connection.value(settings), connection.value(custom));
    for layer in layers(&connection) {
        connection.run(&format!("select * from select_loop('{}', 100)", layer.name));
        assert_eq!(connection.value(settings), before, "{}", layer.name);
        connection.failure(&format!("select * from select_loop('{}', -1)", layer.name));
        connection.failure(&format!(
            "select 1 / (found - found) from select_loop('{}', 100) where 1 / (selects - 100) = 1",
            layer.name
        ));
        assert_eq!(
            (connection.value(settings), connection.value(custom)),
            (before.clone(), mine.clone()),
            "{}",
            layer.name
        );
    }
}

#[test]
fn an_index_in_descending_order_serves_where_the_primary_key_cannot() {
    let Some(database) = empty() else { return };
    let connection = Connection::new(&database);
    connection.run(
        "create table pgbench_accounts (aid int primary key deferrable, abalance int);
         create unique index downwards on pgbench_accounts (aid desc);
         insert into pgbench_accounts select i * 2, i from generate_series(-2500, 2500) i; analyze",
    );
    let (subject, expected) = (Subject::accounts(), Subject::accounts().expected(&connection));
    let mut right = 0;
    for layer in looking(&connection) {
        match subject.try_layer(&connection, &layer.name) {
            Ok(answer) => layer.check(answer, expected, &subject),
            Err(failure) => {
                // the planner may prefer the other index
                failure.is("55000").says("scan of another index than \"downwards\"");
                continue;
            }
        }
        right += 1;
    }
    assert!(right > 0);
    connection.run("set enable_seqscan = off; create unique index upwards on pgbench_accounts (aid)");
    subject.selects(10).try_layer(&connection, "index").unwrap();
}

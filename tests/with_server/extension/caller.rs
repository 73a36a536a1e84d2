//! Wherever a function can be called from, and whatever stands on the search path.

use super::connection::Connection;
use super::filled;
use super::layer::{Kind, Subject, layers, looking};

#[test]
fn operators_and_functions_on_the_search_path_are_not_taken_for_the_catalog_s() {
    let Some(database) = filled() else { return };
    let connection = Connection::new(&database);
    // they fit better than, or as well as, the catalog's own for every pair of integer types
    connection.run(
        "create schema trap;
         create function trap.sprung() returns int language plpgsql as $$ begin raise 'sprung'; end $$;
         do $$
           declare a text; b text; o text;
           begin
             foreach a in array array['smallint', 'integer', 'bigint'] loop
               foreach b in array array['smallint', 'integer', 'bigint'] loop
                 execute format('create function trap.number(%s, %s) returns bigint language sql as ''select trap.sprung()''', a, b);
                 execute format('create function trap.truth(%s, %s) returns bool language sql as ''select trap.sprung() = 1''', a, b);
                 foreach o in array array['+', '-', '*', '/', '%', '&', '|'] loop
                   execute format('create operator trap.%s (leftarg = %s, rightarg = %s, function = trap.number)', o, a, b);
                 end loop;
                 foreach o in array array['=', '<', '>', '<=', '>=', '<>'] loop
                   execute format('create operator trap.%s (leftarg = %s, rightarg = %s, function = trap.truth)', o, a, b);
                 end loop;
               end loop;
             end loop;
           end $$;
         create function trap.hashint8extended(bigint, bigint) returns bigint language sql as 'select trap.sprung()';
         create function trap.generate_series(bigint, bigint) returns setof bigint language sql as 'select trap.sprung()';
         create function trap.set_config(text, text, bool) returns text language sql as 'select trap.sprung()::text';
         create function trap.current_setting(text) returns text language sql as 'select trap.sprung()::text';
         create function trap.clock_timestamp() returns timestamptz language sql as 'select now() where trap.sprung() = 1';
         create function trap.min(int) returns int language sql as 'select trap.sprung()';
         create type trap.text as (a int)",
    );
    let expected = Subject::accounts().expected(&connection);
    let all = layers(&connection);
    // pg_catalog comes first unasked, but has no such operator of its own
    connection.run("set search_path = trap, public");
    connection.failure("select 1::bigint % 2");
    for layer in &all {
        for distribution in ["uniform", "gaussian"] {
            let call = format!("public.select_loop('{}', 2000, 'pgbench_accounts', 42, '{distribution}')", layer.name);
            let row = &connection.rows(&format!("select found, checksum from {call}"))[0];
            let number = |column: usize| row[column].as_ref().map(|text| text.parse().unwrap());
            if distribution == "uniform" {
                let answer = super::layer::Answer { found: number(0), checksum: number(1) };
                layer.check(answer, expected, &Subject::accounts());
            }
        }
    }
    connection.run("select public.select_loop_warm()");
    connection.run("select * from public.select_loop_check()");
    connection.run("select * from public.select_loop_setup(replace => true, fill => 'key')");
    assert_eq!(connection.warnings(), [""; 0]);
}

#[test]
fn what_a_view_calls_finds_its_tables_by_the_caller_s_search_path() {
    let Some(database) = filled() else { return };
    let connection = Connection::new(&database);
    connection.run(
        "create schema perf;
         create table perf.permission (granted bool);
         insert into perf.permission values (true);
         create function perf.granted() returns bool language plpgsql stable as
           $$ begin return (select bool_and(granted) from permission); end $$;
         create view seen as select aid, abalance from pgbench_accounts where (select perf.granted());
         set search_path = perf, public",
    );
    for layer in layers(&connection).iter().filter(|layer| layer.kind == Kind::Sql && layer.name != "nested_loop") {
        let row = &connection.rows(&format!("select found from select_loop('{}', 10, 'seen')", layer.name))[0];
        assert_eq!(row[0].as_deref(), Some("10"), "{}", layer.name);
    }
}

#[test]
fn triggers_procedures_views_and_stable_functions() {
    let Some(database) = filled() else { return };
    let connection = Connection::new(&database);
    connection.run(
        "create table called (found bigint);
         create function in_trigger() returns trigger language plpgsql as
           $$ begin select s.found into new.found from select_loop(tg_argv[0], 50) s; return new; end $$;
         create function in_stable(layer text) returns bigint language sql stable as
           'select coalesce(found, -1) from select_loop(layer, 50)';
         create procedure with_commit(layer text) language plpgsql as
           $$ begin
                for i in 1 .. 3 loop perform * from select_loop(layer, 50); commit; end loop;
                perform * from select_loop(layer, 50); rollback;
              end $$",
    );
    for layer in layers(&connection) {
        let name = &layer.name;
        let found = connection.value(&format!("select coalesce(found, -1)::text from select_loop('{name}', 50)"));
        connection.run(&format!(
            "create or replace trigger calling before insert on called for each row execute function in_trigger('{name}')"
        ));
        connection.run("truncate called; insert into called values (7), (8)");
        assert_eq!(
            connection.value("select string_agg(distinct coalesce(found, -1)::text, ' ') from called"),
            found,
            "{name}"
        );
        assert_eq!(connection.value(&format!("select in_stable('{name}')")), found, "{name}");
        connection.run(&format!("call with_commit('{name}')"));
        connection.run(&format!(
            "create materialized view m as select * from public.select_loop('{name}', 50, 'public.pgbench_accounts'); refresh materialized view m; drop materialized view m"
        ));
        connection.run(&format!(
            "begin; declare c cursor with hold for select * from select_loop('{name}', 50); commit; fetch c; close c"
        ));
        assert_eq!(connection.warnings(), [""; 0], "{name}");
    }
}

#[test]
fn a_layer_whose_lookups_call_a_layer() {
    let Some(database) = filled() else { return };
    let connection = Connection::new(&database);
    for inner in looking(&connection) {
        connection.run(&format!(
            "create or replace function inside(aid int) returns int language plpgsql stable as
               $$ begin return coalesce((select s.found from public.select_loop('{}', 3, 'public.pgbench_accounts') s), 3) + aid; end $$;
             create or replace view nested as select aid, public.inside(aid) as abalance from pgbench_accounts",
            inner.name
        ));
        Subject::new("nested", "aid", "abalance").selects(20).kind_agrees(&connection, Kind::Sql);
    }
    assert_eq!(connection.warnings(), [""; 0]);
}

#[test]
fn a_column_added_with_a_default_is_read_from_old_rows_too() {
    let Some(database) = filled() else { return };
    let connection = Connection::new(&database);
    connection.run("alter table pgbench_accounts drop column abalance");
    connection.run("alter table pgbench_accounts add column abalance bigint default 9000000000");
    let expected = Subject::accounts().agrees(&connection);
    assert_eq!(expected.checksum, Some(2000 * 9_000_000_000));
    connection.run("update pgbench_accounts set abalance = 1 where aid % 2 = 0");
    Subject::accounts().agrees(&connection);
}

#[test]
fn settings_are_back_after_an_error_within_the_transaction() {
    let Some(database) = filled() else { return };
    let connection = Connection::new(&database);
    let settings =
        "select string_agg(name || '=' || setting, ' ' order by name) from pg_settings where context = 'user'";
    connection.run(
        "load 'plpgsql'; create table rich (k int primary key, abalance bigint);
        insert into rich select i, 9223372036854775807 / 2 from generate_series(1, 5000) i; analyze rich",
    );
    let before = connection.value(settings);
    for layer in looking(&connection) {
        connection.run("begin");
        connection.run(&format!(
            "do $$ begin
               begin perform * from select_loop('{0}', 100, 'rich'); exception when numeric_value_out_of_range then null; end;
               begin perform 1 / (selects - 10) from select_loop('{0}', 10); exception when division_by_zero then null; end;
             end $$",
            layer.name
        ));
        assert_eq!(connection.value(settings), before, "{}", layer.name);
        connection.run("commit");
        assert_eq!(connection.value(settings), before, "{}", layer.name);
    }
}

#[test]
fn a_call_leaves_no_setting_behind() {
    let Some(database) = filled() else { return };
    let connection = Connection::new(&database);
    // PL/pgSQL brings settings of its own, named plpgsql.…
    let settings = "select md5(string_agg(name || setting, ',' order by name)) from pg_settings where name !~ '[.]'";
    let before = connection.rows(settings);
    for layer in layers(&connection) {
        connection.run(&format!("select * from select_loop('{}', 10)", layer.name));
        assert_eq!(connection.rows(settings), before, "{}", layer.name);
        for name in ["sps.found", "sps.checksum", "sps.elapsed_us", "sps.seed"] {
            let left = connection.rows(&format!("select current_setting('{name}', true)"));
            assert!(matches!(left[0][0].as_deref(), None | Some("")), "{} leaves {name}", layer.name);
        }
    }
}

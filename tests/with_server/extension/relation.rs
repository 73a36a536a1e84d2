//! Tables of every kind: each layer answers as SQL does, or refuses and says why.

use super::connection::Connection;
use super::layer::{Kind, Subject, layers, looking};
use super::{empty, filled};
use crate::support::skip;

/// Every SQL layer agrees with plain SQL, every raw one refuses with 0A000 and `text`.
#[track_caller]
fn sql_only(connection: &Connection, subject: &Subject, text: &str) {
    subject.kind_agrees(connection, Kind::Sql);
    subject.kind_agrees(connection, Kind::Control);
    subject.kind_refuses(connection, Kind::Raw, "0A000", text);
}

#[test]
fn partitioned_tables_run_in_sql_layers() {
    let Some(database) = empty() else { return };
    let connection = Connection::new(&database);
    connection.run(
        "create table pgbench_accounts (aid int primary key, abalance int) partition by range (aid);
         create table p1 partition of pgbench_accounts for values from (minvalue) to (3000);
         create table p2 partition of pgbench_accounts for values from (3000) to (6000);
         create table p3 partition of pgbench_accounts for values from (6000) to (maxvalue) partition by hash (aid);
         create table p31 partition of p3 for values with (modulus 2, remainder 0);
         create table p32 partition of p3 for values with (modulus 2, remainder 1);
         insert into pgbench_accounts select i, i * 2 from generate_series(1, 12000) i where i % 5 > 0; analyze",
    );
    sql_only(&connection, &Subject::accounts(), "partitioned table \"pgbench_accounts\"");
    sql_only(&connection, &Subject::new("p3", "aid", "abalance"), "partitioned table \"p3\"");
    for partition in ["p1", "p32"] {
        Subject::new(partition, "aid", "abalance").agrees(&connection);
    }
    connection.failure("select select_loop_warm()").is("0A000");
}

#[test]
fn inheritance_parents_run_in_sql_layers() {
    let Some(database) = empty() else { return };
    let connection = Connection::new(&database);
    connection.run(
        "create table pgbench_accounts (aid int primary key, abalance int);
         create table child (more int, primary key (aid)) inherits (pgbench_accounts);
         insert into pgbench_accounts select i, i from generate_series(1, 5000, 2) i;
         insert into child select i, -i from generate_series(2, 5000, 2) i; analyze",
    );
    let subject = Subject::accounts();
    assert_eq!(subject.expected(&connection).found, Some(2000));
    sql_only(&connection, &subject, "from which other tables inherit");
    Subject::new("child", "aid", "abalance").agrees(&connection);
    // the child's rows can only be had by a sequential scan
    connection.run("alter table child drop constraint child_pkey");
    subject.kind_refuses(&connection, Kind::Sql, "55000", "not planned as an index scan");
    connection.run("drop table child; analyze");
    subject.agrees(&connection);
}

#[test]
fn foreign_tables_run_in_sql_layers() {
    let Some(database) = filled() else { return };
    let connection = Connection::new(&database);
    if connection.number("select count(*) from pg_available_extensions where name = 'postgres_fdw'") == 0 {
        return skip("postgres_fdw is not installed");
    }
    let config = database.config();
    let host = &config.hosts[0];
    let sps::server::Place::Unix(socket) = &host.place else { panic!("the tests' server has a socket") };
    connection.run(&format!(
        "create extension postgres_fdw;
         create server itself foreign data wrapper postgres_fdw options (host '{}', port '{}', dbname '{}');
         create user mapping for current_user server itself options (user '{}');
         create foreign table far (aid int, abalance int) server itself options (table_name 'pgbench_accounts');
         create foreign table keyless (id int) server itself options (table_name 'pgbench_accounts')",
        socket, host.port, database.name, config.user,
    ));
    for estimate in ["false", "true"] {
        connection.run(&format!(
            "alter server itself options ({} use_remote_estimate '{estimate}')",
            if estimate == "false" { "add" } else { "set" }
        ));
        let subject = Subject::new("far", "aid", "abalance").selects(20);
        subject.single_lookups_agree(&connection);
        subject.kind_agrees(&connection, Kind::Control);
        subject.kind_refuses(&connection, Kind::Raw, "0A000", "foreign table \"far\"");
    }
    Subject::new("keyless", "id", "id").refused(&connection, "55000", "no integer column aid");
}

#[test]
fn virtual_columns_are_no_value_for_raw_layers() {
    let Some(database) = empty() else { return };
    let connection = Connection::new(&database);
    connection.run(
        "create table stored (aid int primary key, other int, abalance int generated always as (other * 2) stored);
         insert into stored select i, i from generate_series(1, 5000) i; analyze",
    );
    Subject::new("stored", "aid", "abalance").agrees(&connection);
    if connection.number("show server_version_num") < 180_000 {
        return skip("virtual generated columns came with PostgreSQL 18");
    }
    connection.run(
        "create table computed (aid int primary key, other int, abalance int generated always as (other * 2) virtual);
         insert into computed select i, i from generate_series(1, 5000) i; analyze",
    );
    sql_only(&connection, &Subject::new("computed", "aid", "abalance"), "virtual generated");
    connection.run(
        "create table beside (aid int primary key, abalance int, v int generated always as (aid) virtual);
                    insert into beside select i, i from generate_series(1, 5000) i; analyze",
    );
    Subject::new("beside", "aid", "abalance").agrees(&connection);
}

#[test]
fn a_temporary_table_is_its_session_s_own() {
    let Some(database) = filled() else { return };
    let (owner, other) = (Connection::new(&database), Connection::new(&database));
    owner.run(
        "create temporary table mine (aid int primary key, abalance int);
         insert into mine select i, i from generate_series(1, 5000) i; analyze mine",
    );
    Subject::new("mine", "aid", "abalance").agrees(&owner);
    let relation = owner.value("select 'mine'::regclass::oid::text");
    let subject = Subject { relation, ..Subject::accounts() };
    subject.refused(&other, "0A000", "cannot access temporary tables of other sessions");
    other.failure(&format!("select select_loop_warm({})", subject.relation)).is("0A000");
    // a temporary table hides the one that everybody sees
    owner.run("alter table mine rename to pgbench_accounts");
    assert!(Subject::accounts().expected(&owner) != Subject::accounts().expected(&other));
    Subject::accounts().agrees(&owner);
}

#[test]
fn unlogged_tables_and_toasted_rows_run_everywhere() {
    let Some(database) = empty() else { return };
    let connection = Connection::new(&database);
    connection.run(
        "create unlogged table pgbench_accounts (filler text, aid int primary key, abalance int);
         insert into pgbench_accounts select case when i % 100 = 0 then string_agg(md5(i::text || j::text), '') end, i, i
           from generate_series(1, 5000) i, generate_series(1, 300) j where i % 100 = 0 or j = 1 group by i;
         analyze",
    );
    Subject::accounts().agrees(&connection);
}

#[test]
fn serializable_transactions_run_in_sql_layers() {
    let Some(database) = filled() else { return };
    let connection = Connection::new(&database);
    for begin in ["begin isolation level serializable", "begin isolation level serializable, read only"] {
        connection.run(begin);
        let subject = Subject::accounts();
        subject.kind_agrees(&connection, Kind::Sql);
        subject.kind_agrees(&connection, Kind::Control);
        connection.run("commit");
        for layer in layers(&connection).iter().filter(|layer| layer.kind == Kind::Raw) {
            connection.run(begin);
            subject.try_layer(&connection, &layer.name).unwrap_err().is("0A000").says("serializable");
            connection.run("rollback");
        }
    }
    connection.run("begin isolation level repeatable read");
    Subject::accounts().agrees(&connection);
}

#[test]
fn a_deferrable_key_and_odd_indexes_do_not_serve_raw_layers() {
    let Some(database) = empty() else { return };
    let connection = Connection::new(&database);
    connection.run(
        "create table pgbench_accounts (aid int primary key deferrable, abalance int);
         insert into pgbench_accounts select i, i from generate_series(1, 5000) i; analyze;
         create unique index partial on pgbench_accounts (aid) where aid > 10;
         create unique index two on pgbench_accounts (aid, abalance);
         create index many on pgbench_accounts (aid); create index hashed on pgbench_accounts using hash (aid);
         create unique index expression on pgbench_accounts ((aid + 1))",
    );
    let subject = Subject::accounts();
    let expected = subject.expected(&connection);
    for layer in looking(&connection) {
        match subject.try_layer(&connection, &layer.name) {
            Ok(answer) if layer.kind == Kind::Sql => layer.check(answer, expected, &subject),
            Ok(answer) => panic!("{} answers {answer:?}", layer.name),
            // the planner may like one of the others as well as the key's own
            Err(failure) if layer.kind == Kind::Sql => {
                failure.is("55000").says("The plan is a ");
            }
            Err(failure) => {
                failure.is("55000");
                for fault in [
                    "is deferrable",
                    "\"partial\" is partial",
                    "\"two\" has more than one key column",
                    "\"many\" is not unique",
                    "\"hashed\" is not a btree",
                ] {
                    failure.says(fault);
                }
            }
        }
    }
    connection.run("drop index partial, two, many, hashed, expression");
    subject.kind_agrees(&connection, Kind::Sql);
    connection.run("create unique index included on pgbench_accounts (aid) include (abalance)");
    let raw = |layer: &&super::layer::Layer| layer.kind == Kind::Raw;
    for layer in layers(&connection).iter().filter(raw) {
        match subject.try_layer(&connection, &layer.name) {
            Ok(answer) => layer.check(answer, expected, &subject),
            Err(failure) => {
                failure.is("55000").says("scan of another index than \"included\"");
            }
        }
    }
}

#[test]
fn an_index_too_new_for_the_snapshot_is_refused_or_right() {
    let Some(database) = empty() else { return };
    let (connection, holder) = (Connection::new(&database), Connection::new(&database));
    connection.run(
        "create table pgbench_accounts (aid int, abalance int) with (fillfactor = 50);
         insert into pgbench_accounts select i, i from generate_series(1, 5000) i; analyze",
    );
    // a snapshot without a lock on the table
    holder.run("begin isolation level repeatable read; select count(*) from pg_class");
    // chains of versions that differ in the indexed column make the new index wait for older snapshots to end
    connection.run("update pgbench_accounts set aid = aid + 10000");
    connection.run("begin; update pgbench_accounts set aid = aid - 10000 where aid < 10100; rollback");
    connection.run("alter table pgbench_accounts alter aid set not null");
    connection.run("alter table pgbench_accounts add primary key (aid)");
    assert_eq!(
        connection.value("select indcheckxmin::text from pg_index where indrelid = 'pgbench_accounts'::regclass"),
        "true"
    );
    for session in [&holder, &connection] {
        let subject = Subject::accounts();
        for layer in looking(session) {
            session.run(if std::ptr::eq(session, &holder) { "savepoint a" } else { "select 1" });
            let expected = subject.expected(session);
            match subject.try_layer(session, &layer.name) {
                Ok(answer) => layer.check(answer, expected, &subject),
                Err(failure) => {
                    failure.is("55000");
                    if std::ptr::eq(session, &holder) {
                        session.run("rollback to a");
                    }
                }
            }
        }
    }
}

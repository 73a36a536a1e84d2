//! Nobody gets in where they do not belong: what SQL refuses, every layer refuses, and no layer sees more than SQL shows.

use super::connection::Connection;
use super::filled;
use super::layer::{Kind, Subject, layers};
use crate::support::Database;

/// A role of the test's own, dropped with all it was granted.
struct Role<'a> {
    name: String,
    database: &'a Database,
}

impl<'a> Role<'a> {
    fn new(database: &'a Database, attributes: &str) -> Self {
        let name = format!("role_{}", database.name);
        Connection::new(database).run(&format!("create role {name} login {attributes}"));
        Self { name, database }
    }

    /// Runs `sql` as a superuser, `ROLE` in it standing for the role.
    #[track_caller]
    fn prepare(&self, sql: &str) {
        Connection::new(self.database).run(&sql.replace("ROLE", &self.name));
    }

    fn connect(&self) -> Connection {
        Connection::open(&sps::server::Config { user: self.name.clone(), ..self.database.config() })
    }
}

impl Drop for Role<'_> {
    fn drop(&mut self) {
        let _ = Connection::new(self.database).try_rows(&format!("drop owned by {}; drop role {0}", self.name));
    }
}

/// pgbench_accounts by its oid: naming it would be refused before any layer is asked.
fn by_oid(connection: &Connection) -> Subject {
    let relation = connection.value("select oid::text from pg_class where relname = 'pgbench_accounts'");
    Subject { relation, ..Subject::accounts() }
}

#[test]
fn without_select_nothing_is_looked_up() {
    let Some(database) = filled() else { return };
    let role = Role::new(&database, "");
    let connection = role.connect();
    let message = "permission denied for table pgbench_accounts";
    Subject::accounts().refused(&connection, "42501", message);
    connection.failure("select select_loop_warm()").is("42501").says(message);
    for privilege in ["insert", "update", "delete", "references", "trigger", "truncate"] {
        role.prepare(&format!("grant {privilege} on pgbench_accounts to ROLE"));
    }
    Subject::accounts().refused(&connection, "42501", message);
    role.prepare("grant select on pgbench_accounts to ROLE");
    Subject::accounts().agrees(&connection);
    assert!(connection.number("select select_loop_warm()") > 1000);
    role.prepare("revoke select on pgbench_accounts from ROLE; grant select on pgbench_accounts to public");
    Subject::accounts().agrees(&connection);
}

#[test]
fn both_columns_are_needed_and_no_others() {
    let Some(database) = filled() else { return };
    let role = Role::new(&database, "");
    let connection = role.connect();
    for half in ["aid", "abalance", "bid, filler"] {
        role.prepare(&format!("grant select ({half}) on pgbench_accounts to ROLE"));
        Subject::accounts().refused(&connection, "42501", "pgbench_accounts");
        role.prepare(&format!("revoke select ({half}) on pgbench_accounts from ROLE"));
    }
    role.prepare("grant select (aid, abalance) on pgbench_accounts to ROLE");
    Subject::accounts().agrees(&connection);
    // no balance, no need for it
    role.prepare(
        "create table plain (k int primary key, secret int); insert into plain select i from generate_series(1, 5000) i;
         analyze plain; grant select (k) on plain to ROLE",
    );
    Subject::new("plain", "k", "k").agrees(&connection);
    role.prepare("revoke select (k) on plain from ROLE; grant select (secret) on plain to ROLE");
    Subject::new("plain", "k", "k").refused(&connection, "42501", "plain");
}

#[test]
fn the_schema_s_door_is_not_walked_around() {
    let Some(database) = filled() else { return };
    let role = Role::new(&database, "");
    role.prepare(
        "create schema closed; alter table pgbench_accounts set schema closed;
         grant select on closed.pgbench_accounts to ROLE",
    );
    let connection = role.connect();
    let subject = by_oid(&connection);
    subject.refused(&connection, "42501", "permission denied for schema closed");
    connection.failure(&format!("select select_loop_warm({})", subject.relation)).is("42501").says("closed");
    role.prepare("grant usage on schema closed to ROLE");
    let named = Subject { relation: "closed.pgbench_accounts".into(), ..subject };
    named.agrees(&connection);
}

#[test]
fn row_level_security_hides_rows_from_sql_layers_and_stops_raw_ones() {
    let Some(database) = filled() else { return };
    let role = Role::new(&database, "");
    role.prepare(
        "grant select on pgbench_accounts to ROLE; alter table pgbench_accounts enable row level security;
         create policy even on pgbench_accounts using (aid % 2 = 0)",
    );
    let subject = Subject::accounts();
    let everything = subject.agrees(&Connection::new(&database));
    let connection = role.connect();
    let visible = subject.expected(&connection);
    assert!(visible.found < everything.found.map(|found| found * 3 / 4), "{visible:?} of {everything:?}");
    subject.kind_agrees(&connection, Kind::Sql);
    subject.kind_agrees(&connection, Kind::Control);
    subject.kind_refuses(&connection, Kind::Raw, "0A000", "row-level security");

    connection.run("set row_security = off");
    for kind in [Kind::Sql, Kind::Raw] {
        for layer in layers(&connection).iter().filter(|layer| layer.kind == kind) {
            let failure = subject.try_layer(&connection, &layer.name).unwrap_err();
            assert!(["42501", "0A000"].contains(&&*failure.code), "{failure:?}");
        }
    }
    connection.run("reset row_security");

    role.prepare("alter role ROLE bypassrls");
    assert_eq!(subject.agrees(&connection), everything);
    role.prepare("alter role ROLE nobypassrls");
    subject.kind_refuses(&connection, Kind::Raw, "0A000", "row-level security");
    // no policy lets anybody see nothing
    role.prepare("drop policy even on pgbench_accounts");
    for layer in layers(&connection).iter().filter(|layer| layer.kind == Kind::Sql) {
        subject.try_layer(&connection, &layer.name).unwrap_err().is("55000").says("is empty");
    }
}

#[test]
fn an_owner_goes_round_row_level_security_unless_it_is_forced() {
    let Some(database) = filled() else { return };
    let role = Role::new(&database, "");
    role.prepare(
        "alter table pgbench_accounts owner to ROLE; alter table pgbench_accounts enable row level security;
         create policy rich on pgbench_accounts using (abalance % 2 = 1)",
    );
    let (subject, connection) = (Subject::accounts(), role.connect());
    let everything = subject.agrees(&connection);
    connection.run("alter table pgbench_accounts force row level security");
    assert!(subject.expected(&connection).found < everything.found);
    subject.kind_agrees(&connection, Kind::Sql);
    subject.kind_refuses(&connection, Kind::Raw, "0A000", "row-level security");
    assert_eq!(subject.agrees(&Connection::new(&database)), everything);
}

#[test]
fn a_view_shows_its_own_rows_by_its_owner_s_rights() {
    let Some(database) = filled() else { return };
    let role = Role::new(&database, "");
    role.prepare(
        "create view odd as select abalance, aid, 'x' as other from pgbench_accounts where aid % 2 = 1;
         create view barrier with (security_barrier) as select * from odd where abalance > 100;
         grant select on odd, barrier to ROLE",
    );
    let connection = role.connect();
    for view in ["odd", "barrier"] {
        let subject = Subject::new(view, "aid", "abalance");
        assert!(subject.expected(&connection).found < Some(1500));
        subject.single_lookups_agree(&connection);
        subject.kind_refuses(&connection, Kind::Raw, "0A000", &format!("view \"{view}\""));
        connection.failure(&format!("select select_loop_warm('{view}')")).is("0A000");
    }
    Subject::accounts().refused(&connection, "42501", "pgbench_accounts");
    role.prepare("revoke select on odd from ROLE");
    Subject::new("odd", "aid", "abalance").refused(&connection, "42501", "permission denied for view odd");
}

#[test]
fn rights_are_those_of_whom_the_function_is_called_as() {
    let Some(database) = filled() else { return };
    let role = Role::new(&database, "");
    role.prepare(
        "create function by_definer(layer text) returns setof bigint language sql security definer
         as 'select found from select_loop(layer, 100)'",
    );
    let (connection, superuser) = (role.connect(), Connection::new(&database));
    superuser.run(&format!("set role {}", role.name));
    for layer in layers(&connection) {
        connection.run(&format!("select by_definer('{}')", layer.name));
        superuser.failure(&format!("select * from select_loop('{}', 10)", layer.name)).is("42501");
    }
    assert_eq!(connection.warnings(), [""; 0]);
}

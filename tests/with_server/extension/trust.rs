//! What others may have left about: functions by our names, settings that a view's function changes, letters beyond ASCII.

use super::connection::Connection;
use super::layer::{Kind, Subject, layers, looking};
use super::filled;

#[test]
fn a_function_of_another_s_in_the_extension_s_schema_is_not_taken_for_ours() {
    let Some(database) = filled() else { return };
    let connection = Connection::new(&database);
    let call =
        |layer: &str| format!("select found, checksum from select_loop('{layer}', 50, distribution => 'zipfian')");
    let before = connection.rows(&call("spi"));
    for arguments in [
        "bigint, integer, bigint, text, float8",
        "bigint, bigint, bigint, varchar, float8",
        "bigint, bigint, bigint, text, numeric",
    ] {
        connection.run(&format!(
            "create function select_loop_key({arguments}) returns bigint language plpgsql
             as $$ begin raise 'sprung'; end $$"
        ));
    }
    for layer in looking(&connection).iter().filter(|layer| layer.kind == Kind::Sql) {
        assert_eq!(connection.rows(&call(&layer.name)), before, "{}", layer.name);
    }
}

#[test]
fn settings_that_a_view_s_function_changes_are_as_after_plain_sql() {
    let Some(database) = filled() else { return };
    let connection = Connection::new(&database);
    connection.run(
        "create function change(key int) returns int language plpgsql as
           $$ begin
                perform set_config(name, 'off', false)
                  from (values ('enable_indexonlyscan'), ('enable_hashjoin'), ('enable_material'), ('jit')) v (name);
                perform set_config('sps.selects', '7', false);
                return key;
              end $$;
         create view changing as select aid, public.change(abalance) as abalance from pgbench_accounts;
         create view early as select aid, abalance from pgbench_accounts where public.change(1) = 1",
    );
    for view in ["changing", "early"] {
        for layer in layers(&connection).iter().filter(|layer| layer.kind == Kind::Sql) {
            connection.run("reset all");
            // right or refused; the server lives
            let _ = Subject::new(view, "aid", "abalance").selects(20).try_layer(&connection, &layer.name);
            connection.run(&format!("select * from select_loop('{}', 20)", layer.name));
        }
    }
    assert_eq!(connection.warnings(), [""; 0]);
}

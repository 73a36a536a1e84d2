//! What others may have left about: functions by our names, settings that a view's function changes, letters beyond ASCII.

use super::connection::Connection;
use super::filled;
use super::layer::{Kind, looking};

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

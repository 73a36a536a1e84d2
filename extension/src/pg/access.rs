//! May this user look here? What the executor asks before a SELECT, asked for the layers that go below it.
//!
//! Counterpart: src/backend/executor/execMain.c (`ExecCheckOneRelPerms`), src/backend/utils/misc/rls.c.

use pgrx::pg_sys;

use crate::pg::encoding;
use crate::pg::relation::Relation;
use crate::pg::version;

/// 42501, in the server's own words, unless the current user has SELECT on the table or on each of `columns`, and USAGE on its
/// schema.
pub fn require_select(relation: &Relation, columns: &[i16]) {
    // SAFETY: reads this backend's state
    let user = unsafe { pg_sys::GetUserId() };
    if version::may_use_schema(relation.namespace(), user) != pg_sys::AclResult::ACLCHECK_OK {
        refuse(pg_sys::ObjectType::OBJECT_SCHEMA, &schema_name(relation));
    }
    let select = pg_sys::AclMode::from(pg_sys::ACL_SELECT);
    // SAFETY: any oids may be asked about
    if unsafe { pg_sys::pg_class_aclcheck(relation.oid(), user, select) } == pg_sys::AclResult::ACLCHECK_OK {
        return;
    }
    for &column in columns {
        // SAFETY: any oids and column numbers may be asked about
        let answer = unsafe { pg_sys::pg_attribute_aclcheck(relation.oid(), column, user, select) };
        if answer != pg_sys::AclResult::ACLCHECK_OK {
            // SAFETY: maps a relkind to the word that the message uses
            let kind = unsafe { pg_sys::get_relkind_objtype(relation.kind_char()) };
            refuse(kind, &relation.name());
        }
    }
}

/// Does row-level security restrict what the current user sees (forced too)?
pub fn is_row_security_applied(relation: &Relation) -> bool {
    // SAFETY: no error asked for: row_security = off is the executor's to complain about
    let answer = unsafe { pg_sys::check_enable_rls(relation.oid(), pg_sys::InvalidOid, true) };
    answer == pg_sys::CheckEnableRlsResult::RLS_ENABLED as i32
}

/// Is this transaction serializable? Raw layers would have to take predicate locks as the executor's nodes do.
pub fn is_serializable() -> bool {
    // SAFETY: reads this backend's state
    unsafe { pg_sys::XactIsoLevel == pg_sys::XACT_SERIALIZABLE as i32 }
}

fn schema_name(relation: &Relation) -> String {
    // SAFETY: the schema of a locked relation exists
    unsafe {
        let name = pg_sys::get_namespace_name(relation.namespace());
        encoding::to_utf8(std::ffi::CStr::from_ptr(name))
    }
}

/// Raises 42501; the server words and counts it like its own.
fn refuse(kind: pg_sys::ObjectType::Type, name: &str) {
    // an object's name holds no zero byte
    let name = encoding::to_server(name).unwrap_or_default();
    // SAFETY: name ends in zero and is copied into the error
    unsafe { pg_sys::aclcheck_error(pg_sys::AclResult::ACLCHECK_NO_PRIV, kind, name.as_ptr()) };
}

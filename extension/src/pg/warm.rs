//! Reads a relation's pages into shared buffers.
//!
//! Counterpart: contrib/pg_prewarm/pg_prewarm.c (mode `buffer`).

use pgrx::pg_sys;

use crate::pg::raw;
use crate::pg::relation::Relation;

/// Reads every page of the main fork; returns how many. Interrupts are taken between pages.
pub fn read_into_buffers(relation: &Relation) -> i64 {
    let relation = relation.as_ptr();
    let main = pg_sys::ForkNumber::MAIN_FORKNUM;
    // SAFETY: the relation is open and has storage; each page is unpinned at once; the closure owns nothing
    unsafe {
        let pages = pg_sys::RelationGetNumberOfBlocksInFork(relation, main);
        raw::guarded(|| {
            let mut page = 0;
            while page < pages {
                raw::check_for_interrupts();
                let normal = pg_sys::ReadBufferMode::RBM_NORMAL;
                raw::ReleaseBuffer(raw::ReadBufferExtended(relation, main, page, normal, std::ptr::null_mut()));
                page = page.wrapping_add(1);
            }
        });
        i64::from(pages)
    }
}

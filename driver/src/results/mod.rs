//! The results database: what suites measured, in a PostgreSQL of the user's or a private one that is kept.
//!
//! [`Store`] is the only way in. Ids are the database's, a finished run is stored in one statement, and a set's runner
//! holds an advisory lock, so that several suites at once are safe and a killed one is told from one that goes on.

mod adopt;
mod exchange;
mod folder;
mod from_record;
mod mask;
pub mod migrate;
mod model;
mod place;
mod private;
mod store;

pub use exchange::{Imported, export, import};
pub use mask::mask_lines;
pub use model::*;
pub use place::ResultsArgs;
pub use store::{Store, Tally, Which};

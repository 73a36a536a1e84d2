//! Records: JSON Lines files, written as a run goes.

mod host;
mod mask;
mod model;
mod reader;
mod summary;
mod utc;
mod writer;

pub use mask::mask;
pub use model::*;
pub use reader::{Record, read};
pub use summary::*;
pub use utc::utc;
pub use writer::Writer;

//! Records: JSON Lines files, written as a run goes.

mod host;
mod mask;
mod model;
mod reader;
mod utc;
mod writer;

pub use mask::mask;
pub use model::*;
pub use reader::{Record, read};
pub use utc::utc;
pub use writer::Writer;

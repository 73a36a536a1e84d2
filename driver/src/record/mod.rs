//! Records: JSON Lines files, written as a run goes.

mod count;
mod expectation;
mod host;
mod latency;
mod lost;
mod mask;
mod model;
mod reader;
mod summary;
mod utc;
mod waits;
mod writer;

pub use count::*;
pub use expectation::*;
pub use latency::{Latency, Point, Unit};
pub use lost::Lost;
pub use mask::mask;
pub use model::*;
pub use reader::{Record, read};
pub use summary::*;
pub use utc::utc;
pub use waits::Waits;
pub use writer::Writer;

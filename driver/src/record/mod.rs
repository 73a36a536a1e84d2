//! Records: JSON Lines files, written as a run goes.

mod model;

pub use model::*;

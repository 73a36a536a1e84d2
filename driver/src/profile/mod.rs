//! Where a select's time goes.

pub mod symbol;

//! (stats)

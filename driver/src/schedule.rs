//! (schedule)

//! Ctrl-C.

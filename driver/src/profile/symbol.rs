//! Names of functions, the same from perf and from callgrind.

/// What a module's functions are called together where it does not name them: a stripped program keeps the names of its
/// exported functions only.
pub const NAMELESS: &str = "[static functions]";

/// What to do about them.
pub const SYMBOLS_HINT: &str = "the server is stripped, so its static functions have no names and are one: install its debug symbols \
                                (Debian: the package postgresql-MAJOR-dbgsym), or build it yourself";

/// A symbol as people write it: Rust's demangled without its hash, without the C library's version.
pub fn plain(symbol: &str) -> String {
    let symbol = symbol.split('@').next().unwrap_or(symbol);
    format!("{:#}", rustc_demangle::demangle(symbol))
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn rust_names_lose_their_hash_and_c_names_their_version() {
        assert_eq!(
            plain("_ZN11select_loop2pg10timed_loop3run17h0123456789abcdefE"),
            "select_loop::pg::timed_loop::run"
        );
        assert_eq!(plain("__sigsetjmp@@GLIBC_2.34"), "__sigsetjmp");
        assert_eq!(plain("ExecutorRun"), "ExecutorRun");
    }
}

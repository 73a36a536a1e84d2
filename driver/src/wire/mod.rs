//! The lean client: the connections that are timed.
//!
//! On one core the client's CPU is half of what is measured, and a channel between caller and socket costs a fifth of
//! pgbench's rate. So timed connections write and read their own blocking socket: tokio-postgres authenticates over it
//! and then lets go, and the messages are those of libpq.

mod address;
mod arrivals;
mod bound;
mod cancel;
mod connection;
mod drive;
mod failure;
mod handshake;
mod input;
mod open_loop;
mod reach;
mod route;
mod row;
mod socket;
pub mod tls;

pub use arrivals::Arrivals;
pub use bound::{Bound, EndPoint, raw};
pub use cancel::{Running, cancel};
pub use connection::{LeanConnection, Queries, Rows};
pub use drive::{Client, Outcome, Script, Terms, Until, drive};
pub use reach::{Opened, Refused, Start, reach};
pub use route::{Route, Secure};
pub use row::{Row, integer};
pub use socket::Plain;

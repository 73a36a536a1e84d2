//! Stopping what a connection runs, from another thread.

use std::io::Read;
use std::time::Duration;

use tokio_postgres::CancelToken;

use super::handshake;
use super::route::Route;
use super::socket::Plain;
use crate::interrupt::Stop;

/// What it takes to stop a connection's request from another thread.
pub struct Running {
    pub route: Route,
    pub token: CancelToken,
    pub plain: Plain,
}

impl Stop for Running {
    fn cancel(&self) {
        cancel(&self.route, &self.token);
    }

    fn abandon(&self) {
        self.plain.shutdown();
    }
}

/// A server that does not take a cancel within this time will not take it at all.
const CANCEL_TIMEOUT: Duration = Duration::from_secs(2);

/// Asks the server to stop what `token` names. There is nobody to tell when it does not work, and it is sent again.
pub fn cancel(route: &Route, token: &CancelToken) {
    if let Ok(mut socket) = route.open(CANCEL_TIMEOUT) {
        let _ = handshake::cancel(&mut socket, token);
        // as libpq: the server hangs up once it has passed the cancel on
        let _ = socket.read(&mut [0]);
    }
}

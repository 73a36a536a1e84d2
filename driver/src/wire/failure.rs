//! ErrorResponse as an [`Error`], with what to do about the kinds that a measurement meets.

use crate::error::Error;
use crate::interrupt;

/// What an ErrorResponse says; the fields are those of libpq's `PQresultErrorField`.
#[derive(Clone, Debug, Default)]
pub struct Failure {
    pub code: String,
    pub message: String,
    hint: Option<String>,
    detail: Option<String>,
}

impl Failure {
    /// Reads the body of an ErrorResponse: fields of one byte and a C string.
    pub fn parse(body: &[u8]) -> Self {
        let mut failure = Self::default();
        for field in body.split(|&byte| byte == 0) {
            let Some((&kind, text)) = field.split_first() else { continue };
            let text = || String::from_utf8_lossy(text).into_owned();
            match kind {
                b'C' => failure.code = text(),
                b'M' => failure.message = text(),
                b'H' => failure.hint = Some(text()),
                b'D' => failure.detail = Some(text()),
                _ => {}
            }
        }
        failure
    }

    /// The error to end with. A cancel that the user asked for is an interrupt, not a failure.
    pub fn into_error(self) -> Error {
        if interrupt::requested() {
            return Error::interrupted();
        }
        let hint = self.advice().map(str::to_owned).or(self.hint).or(self.detail);
        let error = Error::failed(format!("{} (SQLSTATE {})", self.message, self.code)).sqlstate(self.code);
        match hint {
            Some(hint) => error.hint(hint),
            None => error,
        }
    }

    fn advice(&self) -> Option<&'static str> {
        let says = |text| self.message.contains(text);
        match self.code.as_str() {
            "42P05" | "26000" if says("prepared statement") => Some(
                "a transaction pooler (PgBouncer) between sps and the server hands statements to other backends: connect \
                 to the server itself, or use the arms simple and extended",
            ),
            "57014" if says("statement timeout") => {
                Some("statement_timeout is shorter than a call takes: SET it to 0 for this role, or lower --selects")
            }
            "25P03" | "57P05" => Some("a timeout of idle sessions ended the connection: set it to 0 for this role"),
            "25P04" => Some("transaction_timeout is shorter than a block takes: set it to 0 for this role"),
            "57P01" => Some("an administrator ended the connection, or the server is shutting down"),
            "2D000" => Some(
                "a loop that commits runs outside a transaction only: a pooler or a setting of the session has begun one",
            ),
            "22003" => Some("the sum of the values does not fit a bigint: use a table with smaller values"),
            _ => None,
        }
    }
}

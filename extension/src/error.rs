//! Errors in PostgreSQL's manner: SQLSTATE, message in lower case without a full stop, hint as a sentence.

use pgrx::PgSqlErrorCode as Code;
use pgrx::pg_sys::panic::ErrorReport;

/// What ends a call; `ErrorReport` at the SQL boundary.
#[derive(Debug)]
pub struct Error {
    code: Code,
    message: String,
    detail: Option<String>,
    hint: Option<String>,
}

pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), detail: None, hint: None }
    }

    /// 22004: an argument that must not be NULL is.
    pub fn null(argument: &str) -> Self {
        Self::new(Code::ERRCODE_NULL_VALUE_NOT_ALLOWED, format!("{argument} must not be null"))
    }

    /// 22023: an argument's value makes no sense.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(Code::ERRCODE_INVALID_PARAMETER_VALUE, message)
    }

    /// 0A000: PostgreSQL could, this layer can't.
    pub fn unsupported(message: impl Into<String>) -> Self {
        Self::new(Code::ERRCODE_FEATURE_NOT_SUPPORTED, message)
    }

    /// 55000: the table, its index or its plan is not in a state that gives a meaningful result.
    pub fn not_ready(message: impl Into<String>) -> Self {
        Self::new(Code::ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE, message)
    }

    /// 22003, in PostgreSQL's words: the sum of the values does not fit.
    pub fn overflow() -> Self {
        Self::new(Code::ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE, "bigint out of range")
            .detail("The checksum is the sum of the values looked up.")
    }

    #[must_use]
    pub fn detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = Some(detail.into());
        self
    }

    pub fn hint_text(&self) -> Option<&str> {
        self.hint.as_deref()
    }

    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl From<Error> for ErrorReport {
    fn from(error: Error) -> Self {
        let mut report = ErrorReport::new(error.code, error.message, "select_loop");
        if let Some(detail) = error.detail {
            report = report.set_detail(detail);
        }
        if let Some(hint) = error.hint {
            report = report.set_hint(hint);
        }
        report
    }
}

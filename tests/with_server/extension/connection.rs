//! A connection that keeps the server's notices and the whole of its errors.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use sps::server::{Config, Place};
use tokio_postgres::error::DbError;
use tokio_postgres::{AsyncMessage, Client, NoTls, SimpleQueryMessage};

use crate::support::Database;

/// One statement after another, results as text; NULL is None.
pub struct Connection {
    runtime: tokio::runtime::Runtime,
    client: Client,
    notices: Arc<Mutex<VecDeque<DbError>>>,
}

pub type Row = Vec<Option<String>>;

/// The server's error, or that the connection broke without one.
#[derive(Debug, Default)]
pub struct Failure {
    pub code: String,
    pub message: String,
    pub detail: String,
    pub hint: String,
}

impl Connection {
    pub fn new(database: &Database) -> Self {
        Self::open(&database.config())
    }

    pub fn open(config: &Config) -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let host = &config.hosts[0];
        let Place::Unix(directory) = &host.place else { panic!("the tests' server has a socket") };
        let mut raw = tokio_postgres::Config::new();
        raw.host_path(directory).port(host.port).user(&config.user).dbname(&config.dbname);
        let (client, mut connection) = runtime.block_on(raw.connect(NoTls)).unwrap();
        let notices = Arc::<Mutex<VecDeque<DbError>>>::default();
        let kept = notices.clone();
        runtime.spawn(async move {
            while let Some(Ok(message)) = std::future::poll_fn(|context| connection.poll_message(context)).await {
                if let AsyncMessage::Notice(notice) = message {
                    kept.lock().unwrap().push_back(notice);
                }
            }
        });
        Self { runtime, client, notices }
    }

    /// The rows of the last statement of `sql` that returns some.
    pub fn try_rows(&self, sql: &str) -> Result<Vec<Row>, Failure> {
        let answer = self.runtime.block_on(self.client.simple_query(sql)).map_err(Failure::of)?;
        let mut rows = Vec::new();
        for message in answer {
            match message {
                SimpleQueryMessage::RowDescription(_) => rows.clear(),
                SimpleQueryMessage::Row(row) => {
                    rows.push((0..row.len()).map(|column| row.get(column).map(str::to_owned)).collect());
                }
                _ => {}
            }
        }
        Ok(rows)
    }

    #[track_caller]
    pub fn rows(&self, sql: &str) -> Vec<Row> {
        self.try_rows(sql).unwrap_or_else(|failure| panic!("{failure:?} in {sql}"))
    }

    #[track_caller]
    pub fn run(&self, sql: &str) {
        self.rows(sql);
    }

    /// The first column of the first row, which is not NULL.
    #[track_caller]
    pub fn value(&self, sql: &str) -> String {
        let first = self.rows(sql).into_iter().next().and_then(|row| row.into_iter().next().flatten());
        first.unwrap_or_else(|| panic!("no value from {sql}"))
    }

    #[track_caller]
    pub fn number(&self, sql: &str) -> i64 {
        self.value(sql).parse().unwrap_or_else(|error| panic!("{error} in {sql}"))
    }

    /// The error of a statement that must fail.
    #[track_caller]
    pub fn failure(&self, sql: &str) -> Failure {
        match self.try_rows(sql) {
            Err(failure) => failure,
            Ok(rows) => panic!("no error but {rows:?} from {sql}"),
        }
    }

    /// Messages of severity WARNING since the last call; server's own words.
    pub fn warnings(&self) -> Vec<String> {
        let notices = std::mem::take(&mut *self.notices.lock().unwrap());
        notices.into_iter().filter(|notice| notice.severity() == "WARNING").map(|notice| notice.to_string()).collect()
    }
}

impl Failure {
    fn of(error: tokio_postgres::Error) -> Self {
        match error.as_db_error() {
            Some(db) => Self {
                code: db.code().code().to_owned(),
                message: db.message().to_owned(),
                // with RUST_BACKTRACE in the server's environment pgrx adds one
                detail: db.detail().and_then(|detail| detail.split("\n   0: ").next()).unwrap_or_default().to_owned(),
                hint: db.hint().unwrap_or_default().to_owned(),
            },
            None => Self { message: error.to_string(), ..Self::default() },
        }
    }

    /// Asserts the SQLSTATE, and the manner of PostgreSQL's messages: lower case, no full stop; details and hints are
    /// sentences.
    #[track_caller]
    pub fn is(&self, code: &str) -> &Self {
        assert_eq!(self.code, code, "{self:?}");
        assert!(!self.message.ends_with('.') && !self.message.starts_with(char::is_uppercase), "{self:?}");
        for sentence in [&self.detail, &self.hint] {
            assert!(sentence.is_empty() || sentence.ends_with(['.', '?']), "{self:?}");
        }
        self
    }

    /// Asserts that message, detail or hint hold `text`.
    #[track_caller]
    pub fn says(&self, text: &str) -> &Self {
        assert!([&self.message, &self.detail, &self.hint].iter().any(|part| part.contains(text)), "{self:?}");
        self
    }
}

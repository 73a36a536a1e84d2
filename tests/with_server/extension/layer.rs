//! The layers that the server lists, what they answer, and what plain SQL answers.

use super::connection::{Connection, Failure};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Sql,
    Raw,
    Control,
}

#[derive(Clone, Debug)]
pub struct Layer {
    pub name: String,
    pub kind: Kind,
}

/// `found` and `checksum` are None where the layer has none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    pub found: Option<i64>,
    pub checksum: Option<i64>,
}

/// A table, view or whatever to look up in. Names as SQL writes them.
#[derive(Clone, Debug)]
pub struct Subject {
    pub relation: String,
    pub key: &'static str,
    /// An expression over the row.
    pub value: &'static str,
    pub selects: i64,
    pub seed: i64,
}

/// Layers that read no value: their answer is NULL where others have a checksum.
const VALUELESS: [&str; 2] = ["index_tid", "buffer"];
/// Raw layers that do not say what they found.
const BLIND: [&str; 1] = ["buffer"];

/// Every layer, in the server's own order.
pub fn layers(connection: &Connection) -> Vec<Layer> {
    let rows = connection.rows("select name, kind from select_loop_layers()");
    let layer = |row: Vec<Option<String>>| Layer {
        name: row[0].clone().unwrap(),
        kind: match row[1].as_deref() {
            Some("sql") => Kind::Sql,
            Some("raw") => Kind::Raw,
            Some("control") => Kind::Control,
            other => panic!("kind {other:?}"),
        },
    };
    rows.into_iter().map(layer).collect()
}

/// Those of the layers that look something up.
pub fn looking(connection: &Connection) -> Vec<Layer> {
    layers(connection).into_iter().filter(|layer| layer.kind != Kind::Control).collect()
}

impl Subject {
    pub fn new(relation: &str, key: &'static str, value: &'static str) -> Self {
        Self { relation: relation.to_owned(), key, value, selects: 2000, seed: 42 }
    }

    pub fn accounts() -> Self {
        Self::new("pgbench_accounts", "aid", "abalance")
    }

    pub fn selects(self, selects: i64) -> Self {
        Self { selects, ..self }
    }

    pub fn seed(self, seed: i64) -> Self {
        Self { seed, ..self }
    }

    /// The call of a layer, as an item of FROM.
    pub fn call(&self, layer: &str) -> String {
        let relation = self.relation.replace('\'', "''");
        format!("select_loop('{layer}', {}, '{relation}', ({})::bigint)", self.selects, self.seed)
    }

    pub fn try_layer(&self, connection: &Connection, layer: &str) -> Result<Answer, Failure> {
        let rows = connection.try_rows(&format!("select found, checksum from {}", self.call(layer)))?;
        let [row] = &rows[..] else { panic!("{rows:?} from {layer}") };
        Ok(answer(row))
    }

    #[track_caller]
    pub fn layer(&self, connection: &Connection, layer: &str) -> Answer {
        self.try_layer(connection, layer).unwrap_or_else(|failure| panic!("{layer} on {self:?}: {failure:?}"))
    }

    /// The same by plain SQL, none of it ours.
    #[track_caller]
    pub fn expected(&self, connection: &Connection) -> Answer {
        let Self { relation, key, value, selects, seed } = self;
        // numeric where a key at the very end of bigint would overflow half-way
        let rows = connection.rows(&format!(
            "with ends as materialized (select min({key}) as low, max({key}) as high from {relation}),
                  keys as materialized (
                    select (low::numeric
                      + (hashint8extended(i, ({seed})::bigint) & 9223372036854775807)::numeric % (high::numeric - low + 1))::bigint as k
                    from ends, generate_series(0, {selects} - 1) as i)
             select count(t.k), coalesce(sum(coalesce(t.v, 0)), 0)
             from keys join (select {key}::bigint as k, ({value})::bigint as v from {relation}) as t on t.k = keys.k"
        ));
        answer(&rows[0])
    }

    /// Asserts that every layer agrees with plain SQL; returns what they all found.
    #[track_caller]
    pub fn agrees(&self, connection: &Connection) -> Answer {
        let expected = self.expected(connection);
        for layer in layers(connection) {
            let found = self.layer(connection, &layer.name);
            layer.check(found, expected, self);
        }
        expected
    }

    /// Asserts that layers of `kind` agree with plain SQL.
    #[track_caller]
    pub fn kind_agrees(&self, connection: &Connection, kind: Kind) {
        let expected = self.expected(connection);
        for layer in layers(connection).iter().filter(|layer| layer.kind == kind) {
            layer.check(self.layer(connection, &layer.name), expected, self);
        }
    }

    /// Asserts that SQL layers agree with plain SQL where a join cannot take the key to the rows: the layer that joins may
    /// refuse its plan.
    #[track_caller]
    pub fn single_lookups_agree(&self, connection: &Connection) {
        let expected = self.expected(connection);
        for layer in layers(connection).iter().filter(|layer| layer.kind == Kind::Sql) {
            match self.try_layer(connection, &layer.name) {
                Ok(answer) => layer.check(answer, expected, self),
                Err(failure) if layer.name == "nested_loop" => {
                    failure.is("55000").says("not planned as an index scan");
                }
                Err(failure) => panic!("{} on {self:?}: {failure:?}", layer.name),
            }
        }
    }

    /// Asserts that layers of `kind` refuse with SQLSTATE `code`, saying `text`.
    #[track_caller]
    pub fn kind_refuses(&self, connection: &Connection, kind: Kind, code: &str, text: &str) {
        for layer in layers(connection).iter().filter(|layer| layer.kind == kind) {
            match self.try_layer(connection, &layer.name) {
                Err(failure) => {
                    failure.is(code).says(text);
                }
                Ok(answer) => panic!("{} answers {answer:?} on {self:?}", layer.name),
            }
        }
    }

    /// Asserts that every layer, controls too, refuses with SQLSTATE `code`, saying `text`.
    #[track_caller]
    pub fn refused(&self, connection: &Connection, code: &str, text: &str) {
        for kind in [Kind::Sql, Kind::Raw, Kind::Control] {
            self.kind_refuses(connection, kind, code, text);
        }
    }
}

impl Layer {
    /// Holds an answer against the right one.
    #[track_caller]
    pub fn check(&self, answer: Answer, expected: Answer, subject: &Subject) {
        let name = self.name.as_str();
        let right = match self.kind {
            Kind::Control => Answer { found: None, checksum: None },
            Kind::Sql | Kind::Raw => Answer {
                found: expected.found.filter(|_| !BLIND.contains(&name)),
                checksum: expected.checksum.filter(|_| !VALUELESS.contains(&name)),
            },
        };
        // one TID a key, dead versions included
        if name == "index_tid" {
            assert!(answer.found >= right.found && answer.checksum.is_none(), "{name} on {subject:?}: {answer:?}");
            return;
        }
        assert_eq!(answer, right, "{name} on {subject:?}");
    }
}

fn answer(row: &[Option<String>]) -> Answer {
    let number = |column: usize| row[column].as_ref().map(|text| text.parse().unwrap());
    Answer { found: number(0), checksum: number(1) }
}

//! pg_buffercache, where it is installed: whose pages stand in shared buffers at a run's end, and how many are dirty.

use crate::error::Result;
use crate::results::Sample;
use crate::server::Session;

const SOURCE: &str = "pg_buffercache";

/// Of the relations of this database; nothing where the extension is not installed or not to be read.
pub fn samples(session: &Session, at: f64) -> Result<Vec<Sample>> {
    let view = session.query_opt(
        "select format('%I.pg_buffercache', n.nspname) from pg_extension e join pg_namespace n on n.oid = e.extnamespace
         where e.extname = 'pg_buffercache'",
        &[],
    )?;
    let Some(view) = view.map(|row| row.get::<_, String>(0)) else { return Ok(Vec::new()) };
    let sql = format!(
        "select c.relname::text, count(*)::float8, (count(*) filter (where b.isdirty))::float8
         from {view} b join pg_class c on pg_relation_filenode(c.oid) = b.relfilenode
         where b.reldatabase = (select oid from pg_database where datname = current_database())
           and c.relnamespace <> 'pg_catalog'::regnamespace
         group by c.relname order by 2 desc limit 20"
    );
    let rows = match session.query(&sql, &[]) {
        Ok(rows) => rows,
        Err(error) if error.sqlstate.as_deref() == Some("42501") => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut samples = Vec::new();
    for row in rows {
        let relation: String = row.get(0);
        for (column, name) in [(1, "buffers"), (2, "dirty")] {
            let (source, unit) = (SOURCE.to_owned(), "blocks".to_owned());
            samples.push(Sample { source, name: format!("{name} {relation}"), unit, at, value: row.get(column) });
        }
    }
    Ok(samples)
}

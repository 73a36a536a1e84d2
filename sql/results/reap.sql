-- Marks as killed what is said to run, but whose runner's advisory lock ($1, set) nobody holds. A run that ends meanwhile is
-- seen by the update, which looks at the row anew.
with held as (
    select objid::bigint as set
    from pg_catalog.pg_locks
    where locktype = 'advisory' and classid = $1::integer::oid and objsubid = 2 and granted
      and database = (select oid from pg_catalog.pg_database where datname = current_database())
), runs as (
    update sps_results.run set status = 'killed', ended = clock_timestamp()
    where status = 'running' and set not in (select set from held)
)
update sps_results.set set status = 'killed', ended = clock_timestamp()
where status = 'running' and id not in (select set from held)

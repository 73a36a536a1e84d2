-- Ends run $1 with what it measured, $2, in one statement: all of it is there, or none.
with input as (
    select $2::text::jsonb as j
), ended as (
    update sps_results.run r
    set status = j ->> 'status', error = j ->> 'error', ended = coalesce((j ->> 'ended')::timestamptz, clock_timestamp()),
        unit = j ->> 'unit', count = (j ->> 'count')::bigint, elapsed_ns = (j ->> 'elapsed_ns')::bigint,
        per_second = (j ->> 'per_second')::float8, low = (j ->> 'low')::float8, high = (j ->> 'high')::float8,
        found = (j ->> 'found')::bigint, failed = (j ->> 'failed')::bigint, latency = nullif(j -> 'latency', 'null'),
        warnings = coalesce(j -> 'warnings', '[]'), record = j ->> 'record'
    from input
    where r.id = $1 and r.status = 'running'
    returning r.id, r.set, r.position, r.started
), seconds as (
    insert into sps_results.second (run, second, count, failed, latency_ns, latency_max_ns)
    select id, x.second, x.count, x.failed, x.latency_ns, x.latency_max_ns
    from ended, input, jsonb_to_recordset(j -> 'series')
         as x (second integer, count bigint, failed bigint, latency_ns float8, latency_max_ns float8)
), samples as (
    insert into sps_results.sample (run, source, name, unit, at, value)
    select id, x.source, x.name, x.unit, x.at, x.value
    from ended, input, jsonb_to_recordset(j -> 'samples')
         as x (source text, name text, unit text, at float8, value float8)
), metrics as (
    insert into sps_results.metric (run, source, name, unit, delta)
    select id, x.source, x.name, x.unit, x.delta
    from ended, input, jsonb_to_recordset(j -> 'metrics') as x (source text, name text, unit text, delta float8)
), previous as (
    -- the last run before this one that did the same work and came to its end
    select r.id
    from ended
    join sps_results.planned mine using (set, position)
    join sps_results.planned p on p.workload = mine.workload and p.kind = mine.kind
    join sps_results.run r on r.set = p.set and r.position = p.position
    where r.status = 'done' and r.started < ended.started
    order by r.started desc
    limit 1
), settings as (
    insert into sps_results.setting (run, name, value, before, changed)
    select (select id from ended), coalesce(now.key, before.name), now.value, before.value,
           exists (select from previous) and now.value is distinct from before.value
           -- where a private server lives says nothing
           and coalesce(now.key, before.name) !~ '(director(y|ies)|_file)$'
    from (select s.key, s.value from input, jsonb_each_text(j -> 'settings') s) now
    full join (select s.name, s.value from previous join sps_results.setting s on s.run = previous.id
               where s.value is not null) before on before.name = now.key
    where exists (select from ended)
)
select count(*) from ended

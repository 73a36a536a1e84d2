-- The results database of sps: what suites measured, run by run. Version 1.
--
-- A set is one suite, a planned row one run that it asks for, a run one attempt at it. Of each planned row at most one run
-- is running or done; killed, failed and interrupted ones stay beside it and enter no statistic. Measurements that have no
-- column of their own are in long form, so that a new one needs no new schema.

create schema sps_results;
comment on schema sps_results is 'what sps suite measured';

create table sps_results.version (
    version integer not null,
    applied timestamptz not null default now()
);
create unique index version_single on sps_results.version ((true));
insert into sps_results.version (version) values (1);

create domain sps_results.status as text
    check (value in ('running', 'done', 'failed', 'interrupted', 'killed'));

create table sps_results.set (
    id integer generated always as identity primary key,
    uuid uuid not null default gen_random_uuid() unique,        -- the same in every database that the set is imported into
    name text not null,
    description text not null default '',
    status sps_results.status not null default 'running',
    started timestamptz not null default clock_timestamp(),
    ended timestamptz,
    definition text not null,                                   -- the suite's file, passwords masked
    seed bigint not null,
    tool jsonb not null,                                        -- version and commit of sps
    host jsonb not null                                         -- the machine that sps ran on
);
create index set_started on sps_results.set (started);

create table sps_results.planned (
    set integer not null references sps_results.set on delete cascade,
    position integer not null,                                  -- in the order of execution, from 0
    workload text not null,                                     -- as the suite names it
    kind text not null check (kind in ('arm', 'pgbench')),
    arm text,
    protocol text,
    placement text,
    scale bigint,
    clients integer not null,
    threads integer not null,
    rate float8,                                                -- wanted per second; null: as fast as it goes
    repeat integer not null,                                    -- from 1
    primary key (set, position)
);

create table sps_results.run (
    id bigint generated always as identity primary key,
    set integer not null,
    position integer not null,
    status sps_results.status not null default 'running',
    error text,
    started timestamptz not null default clock_timestamp(),
    ended timestamptz,
    server_version_num integer not null,
    transport text not null,
    server jsonb not null,
    unit text check (unit in ('selects', 'transactions')),
    count bigint,
    elapsed_ns bigint,                                          -- measured time, preparation apart
    per_second float8,
    low float8,                                                 -- 95 % interval within the run, where it has one
    high float8,
    found bigint,
    failed bigint,                                              -- transactions that failed
    latency jsonb,                                              -- numbers, and the histogram that they are from
    warnings jsonb not null default '[]',
    record text,                                                -- the run's record, JSON Lines
    foreign key (set, position) references sps_results.planned on delete cascade,
    unique (set, position, started),
    check (status <> 'done' or (unit is not null and count is not null and elapsed_ns > 0 and per_second is not null))
);
create unique index run_once on sps_results.run (set, position) where status in ('running', 'done');

create table sps_results.second (
    run bigint not null references sps_results.run on delete cascade,
    second integer not null,                                    -- from 0
    count bigint not null,
    failed bigint not null default 0,
    latency_ns float8,                                          -- mean
    latency_max_ns float8,
    primary key (run, second)
);

create table sps_results.sample (
    run bigint not null references sps_results.run on delete cascade,
    source text not null,                                       -- host (the server's machine) or sql
    name text not null,
    unit text not null,
    at float8 not null,                                         -- seconds from the run's first measured moment
    value float8 not null
);
create index sample_run on sps_results.sample (run);

create table sps_results.metric (
    run bigint not null references sps_results.run on delete cascade,
    source text not null,                                       -- the view it is from, or sps
    name text not null,
    unit text not null,
    delta float8 not null                                       -- over the measured time
);
create index metric_run on sps_results.metric (run);

create table sps_results.setting (
    run bigint not null references sps_results.run on delete cascade,
    name text not null,
    value text,                                                 -- null: the default again
    before text,                                                -- in the workload's run before; null: the default
    changed boolean not null,                                   -- since that run
    primary key (run, name)
);

create view sps_results.result as
select r.id as run, s.id as set, s.name as set_name, p.position, p.workload, p.kind, p.arm, p.protocol, r.transport,
       p.placement, p.scale, p.clients, p.threads, p.rate, p.repeat, r.server_version_num, s.host ->> 'hostname' as host,
       r.status, r.error, r.started, r.ended, r.unit, r.count, r.failed, r.elapsed_ns, r.per_second, r.low, r.high,
       (r.latency ->> 'mean_ns')::float8 as latency_mean_ns, (r.latency ->> 'p50_ns')::float8 as latency_p50_ns,
       (r.latency ->> 'p99_ns')::float8 as latency_p99_ns, (r.latency ->> 'max_ns')::float8 as latency_max_ns
from sps_results.run r
join sps_results.planned p using (set, position)
join sps_results.set s on s.id = r.set;

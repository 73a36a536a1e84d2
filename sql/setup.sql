-- pgbench's four tables, filled, keyed and analysed: what `pgbench -i` makes (src/bin/pgbench/pgbench.c: initCreateTables,
-- initGenerateData, initCreatePKeys). Used by select_loop_setup() and, where there is no extension, by sps.
--
-- Names in braces are placeholders: the quoted schema, "unlogged" or nothing, types, numbers, and the expression for abalance.
CREATE {unlogged} TABLE {schema}.pgbench_history
  (tid integer, bid integer, aid {aid_type}, delta integer, mtime timestamp, filler char(22));
CREATE {unlogged} TABLE {schema}.pgbench_tellers
  (tid integer NOT NULL, bid integer, tbalance integer, filler char(84)) WITH (fillfactor = {fillfactor});
CREATE {unlogged} TABLE {schema}.pgbench_accounts
  (aid {aid_type} NOT NULL, bid integer, abalance integer, filler char(84)) WITH (fillfactor = {fillfactor});
CREATE {unlogged} TABLE {schema}.pgbench_branches
  (bid integer NOT NULL, bbalance integer, filler char(88)) WITH (fillfactor = {fillfactor});

INSERT INTO {schema}.pgbench_branches (bid, bbalance)
  SELECT bid, 0 FROM pg_catalog.generate_series(1, {scale}) AS bid;
INSERT INTO {schema}.pgbench_tellers (tid, bid, tbalance)
  SELECT tid, (tid - 1) / 10 + 1, 0 FROM pg_catalog.generate_series(1, 10 * {scale}::bigint) AS tid;
-- the series in a target list: as a table function it would fill a tuplestore first
INSERT INTO {schema}.pgbench_accounts (aid, bid, abalance, filler)
  SELECT aid, (aid - 1) / 100000 + 1, {abalance}, ''
  FROM (SELECT pg_catalog.generate_series(1, 100000 * {scale}::bigint) AS aid) AS keys;

ALTER TABLE {schema}.pgbench_branches ADD PRIMARY KEY (bid);
ALTER TABLE {schema}.pgbench_tellers ADD PRIMARY KEY (tid);
ALTER TABLE {schema}.pgbench_accounts ADD PRIMARY KEY (aid);

ANALYZE {schema}.pgbench_branches;
ANALYZE {schema}.pgbench_tellers;
ANALYZE {schema}.pgbench_accounts;
ANALYZE {schema}.pgbench_history;

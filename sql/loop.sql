-- The 2012 pgbench -P loop: the body of a DO block, the same with the extension and without it, on standbys too.
--
-- Names in braces are placeholders for quoted names and types; "lookup" is loop_static.sql or loop_execute.sql, up to the IF that
-- a row makes true, and "draw" an expression of type bigint for key number i, uniform:
--   first + (pg_catalog.hashint8extended(i, seed) & 9223372036854775807) % rows
-- A DO block takes no arguments and gives no result, so both go through settings of class sps: "local" is true where they need
-- not outlive the transaction, else false.
#variable_conflict use_column
<<sps_loop>>
DECLARE
  selects integer := pg_catalog.current_setting('sps.selects');
  seed bigint := pg_catalog.current_setting('sps.seed');
  first bigint := pg_catalog.current_setting('sps.min');
  rows bigint := pg_catalog.current_setting('sps.rows');
  k {key_type};
  v {value_type};
  found_rows bigint := 0;
  checksum bigint := 0;
  hits bigint;
  started timestamptz;
BEGIN
  -- an index-only scan would do less than every other arm
  PERFORM pg_catalog.set_config('enable_indexonlyscan', 'off', true);
  started := pg_catalog.clock_timestamp();
  FOR i IN 0 .. selects - 1 LOOP
    k := ({draw})::{key_type};
    {lookup}
      found_rows := found_rows + 1;
      checksum := checksum + coalesce(v, 0);
    END IF;
  END LOOP;
  PERFORM pg_catalog.set_config('sps.elapsed_us',
    (extract(epoch FROM pg_catalog.clock_timestamp() - started) * 1000000.0)::bigint::text, {local});
  PERFORM pg_catalog.set_config('sps.found', found_rows::text, {local});
  PERFORM pg_catalog.set_config('sps.checksum', checksum::text, {local});
END

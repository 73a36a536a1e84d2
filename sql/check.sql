-- What would distort a measurement on this server, as far as SQL can see: item, value, ok, hint. Used by select_loop_check()
-- and `sps check`.
--
-- Names in braces are placeholders: table and index as regclass expressions.
WITH rule (item, bad, hint) AS (
  VALUES
    ('debug_assertions', '^on$',
     'this server was built with assertions and is several times slower: measure another build'),
    ('log_statement', '^all$', 'every select writes to the log: SET log_statement = none'),
    ('log_min_duration_statement', '^0$', 'every select writes to the log: SET log_min_duration_statement = -1'),
    ('log_min_duration_sample', '^0$', 'a sample of the selects writes to the log: SET log_min_duration_sample = -1'),
    ('log_duration', '^on$', 'every select writes to the log: SET log_duration = off'),
    ('auto_explain.log_analyze', '^on$',
     'auto_explain times each plan node of every select: SET auto_explain.log_analyze = off'),
    ('pg_stat_statements.track', '^all$',
     'nested statements are counted one by one, which slows plpgsql and spi: SET pg_stat_statements.track = top'),
    ('track_io_timing', '^on$', 'reads are timed: SET track_io_timing = off'),
    ('track_functions', '^(pl|all)$', 'function calls are timed: SET track_functions = none'),
    ('track_counts', '^off$',
     'index scans are not counted, so the gate that counts them cannot check: SET track_counts = on'),
    ('plan_cache_mode', '^force_',
     'the server no longer chooses between custom and generic plans: SET plan_cache_mode = auto'),
    ('default_transaction_isolation', '^serializable$',
     'each select takes predicate locks: SET default_transaction_isolation = ''read committed'''),
    ('statement_timeout', '[^0]', 'a call of a layer longer than this is cancelled: SET statement_timeout = 0'),
    ('debug_discard_caches', '[^0]', 'caches are thrown away all the time: SET debug_discard_caches = 0')
), setting AS (
  SELECT rule.item, settings.setting AS value, settings.setting !~ rule.bad AS ok, rule.hint
  FROM rule JOIN pg_catalog.pg_settings AS settings ON settings.name = rule.item
), visible AS (
  -- without the privilege the columns are there, and empty
  SELECT pg_catalog.pg_has_role('pg_read_all_stats', 'usage') AS all_of_it
), seen (item, number, hint) AS (
  SELECT 'other active sessions',
         pg_catalog.count(*) FILTER (WHERE backend_type = 'client backend' AND state = 'active'
                                       AND pid <> pg_catalog.pg_backend_pid()),
         'they compete for cores and locks: measure when the server is idle'
  FROM pg_catalog.pg_stat_activity
  UNION ALL
  SELECT 'vacuums running',
         pg_catalog.count(*) FILTER (WHERE backend_type = 'autovacuum worker')
           + (SELECT pg_catalog.count(*) FROM pg_catalog.pg_stat_progress_vacuum),
         'they read the same pages and the same disks: wait for their end, or VACUUM (ANALYZE) now'
  FROM pg_catalog.pg_stat_activity
  UNION ALL
  SELECT 'checkpoints running',
         pg_catalog.count(*) FILTER (WHERE backend_type = 'checkpointer' AND wait_event IS DISTINCT FROM 'CheckpointerMain'),
         'pages are being written: CHECKPOINT first, then measure'
  FROM pg_catalog.pg_stat_activity
), activity AS (
  SELECT seen.item,
         CASE WHEN visible.all_of_it THEN seen.number::text ELSE 'unknown (needs pg_read_all_stats)' END AS value,
         NOT visible.all_of_it OR seen.number = 0 AS ok, seen.hint
  FROM seen, visible
), size AS (
  SELECT pg_catalog.pg_relation_size({table}) + pg_catalog.pg_relation_size({index}) AS data,
         pg_catalog.pg_size_bytes(pg_catalog.current_setting('shared_buffers')) AS buffers
), buffered AS (
  SELECT 'data in shared_buffers' AS item,
         pg_catalog.pg_size_pretty(data) || ' of ' || pg_catalog.pg_size_pretty(buffers) AS value, data <= buffers AS ok,
         'table and index do not fit, so reads are measured, too: raise shared_buffers or take a smaller scale' AS hint
  FROM size
  WHERE data IS NOT NULL
), found AS (
  SELECT * FROM setting UNION ALL SELECT * FROM activity UNION ALL SELECT * FROM buffered
)
SELECT item, value, ok, CASE WHEN NOT ok THEN hint END AS hint FROM found

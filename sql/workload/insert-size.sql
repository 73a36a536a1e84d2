-- :rows rows of history in one statement
\set aid random(1, 100000 * :scale)
\set bid random(1, :scale)
\set tid random(1, 10 * :scale)
\set delta random(-5000, 5000)
INSERT INTO pgbench_history (tid, bid, aid, delta, mtime)
  SELECT :tid, :bid, :aid, :delta, CURRENT_TIMESTAMP FROM generate_series(1, :rows);

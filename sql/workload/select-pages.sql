-- the balances of neighbouring accounts on :pages pages, 61 of which fill one
\set last greatest(1, 100000 * :scale - 61 * :pages + 1)
\set aid random(1, :last)
SELECT count(abalance) FROM pgbench_accounts WHERE aid BETWEEN :aid AND :aid + 61 * :pages - 1;

/* sql/select_loop--0.1.0.sql */

-- complain if script is sourced in psql, rather than via CREATE EXTENSION
\echo Use "CREATE EXTENSION select_loop" to load this file. \quit

CREATE FUNCTION select_loop(
    layer text DEFAULT 'plpgsql',
    selects bigint DEFAULT 10000,
    relation regclass DEFAULT NULL,
    seed bigint DEFAULT 0,
    distribution text DEFAULT 'uniform',
    skew float8 DEFAULT NULL
)
RETURNS TABLE (
    layer text,
    selects bigint,
    found bigint,
    checksum bigint,
    elapsed_ns bigint,
    selects_per_second float8,
    user_ns bigint,
    system_ns bigint,
    shared_hit bigint,
    shared_read bigint,
    instructions bigint
)
AS 'MODULE_PATHNAME', 'select_loop_wrapper'
LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 1;

CREATE FUNCTION select_loop_layers(
    OUT name text,
    OUT kind text,
    OUT about text
)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'select_loop_layers_wrapper'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 15;

CREATE FUNCTION select_loop_setup(
    scale int DEFAULT 1,
    fillfactor int DEFAULT 100,
    unlogged bool DEFAULT false,
    fill text DEFAULT 'zero',
    replace bool DEFAULT false
)
RETURNS TABLE (
    scale int,
    rows bigint,
    bytes bigint,
    elapsed_ns bigint
)
AS 'MODULE_PATHNAME', 'select_loop_setup_wrapper'
LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 1;

CREATE FUNCTION select_loop_check(
    relation regclass DEFAULT NULL,
    OUT item text,
    OUT value text,
    OUT ok bool,
    OUT hint text
)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'select_loop_check_wrapper'
LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 20;

CREATE FUNCTION select_loop_warm(
    relation regclass DEFAULT NULL
)
RETURNS bigint
AS 'MODULE_PATHNAME', 'select_loop_warm_wrapper'
LANGUAGE C VOLATILE PARALLEL UNSAFE;

CREATE FUNCTION select_loop_key(
    seed bigint,
    i bigint,
    rows bigint,
    distribution text DEFAULT 'uniform',
    skew float8 DEFAULT NULL
)
RETURNS bigint
AS 'MODULE_PATHNAME', 'select_loop_key_wrapper'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE FUNCTION select_loop_ladder(
    selects bigint DEFAULT 100000,
    rounds int DEFAULT 5,
    OUT layer text,
    OUT ns_per_select float8,
    OUT delta_ns float8
)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'select_loop_ladder_wrapper'
LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 15;

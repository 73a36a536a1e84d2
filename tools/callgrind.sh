# Sourced by the tools that count under valgrind: `postgres --single` at scale 1 with the staged extension.
#
#   callgrind_begin PG_CONFIG TARGET    a temporary cluster with extension and tables; it goes when the tool ends
#   callgrind_run LAYER SELECTS OUT     one call of a layer, its callgrind file in OUT
#
# Needs valgrind and PostgreSQL 18, whose extension_control_path keeps the server's own folders untouched.

callgrind_begin() {
  local pg_config=$1 target=$2 major
  bin=$("$pg_config" --bindir)
  major=$("$pg_config" --version | sed 's/^PostgreSQL \([0-9]*\).*/\1/')
  ((major >= 18)) || callgrind_fail "PostgreSQL 18 or later is needed, this is $major: name one, as in /opt/pg18/bin/pg_config"
  command -v valgrind >/dev/null || callgrind_fail "valgrind is needed: apt-get install valgrind"
  [[ -e $target/pg$major/select_loop.so ]] ||
    callgrind_fail "no extension staged for $major: make extension PG_CONFIG=$pg_config"
  work=$(mktemp -d /tmp/sps-callgrind.XXXXXX)
  trap 'rm -rf "$work"' EXIT
  as_postgres=()
  if ((EUID == 0)); then
    # PostgreSQL refuses root
    chown postgres "$work"
    as_postgres=(setpriv --reuid=postgres --regid=postgres --init-groups)
  fi
  mkdir "$work/extension"
  cp "$target/pg$major"/* "$work/extension"
  chmod -R a+rX "$work/extension"
  cd "$work"
  single=("$bin/postgres" --single -D "$work/data" -c jit=off -c fsync=off -c autovacuum=off -c shared_buffers=128MB
    -c track_counts=off -c extension_control_path="$work:\$system" -c dynamic_library_path="$work/extension:\$libdir" postgres)
  "${as_postgres[@]}" "$bin/initdb" -D "$work/data" -A trust --no-sync >initdb.log
  "${as_postgres[@]}" "${single[@]}" >setup.log 2>&1 <<'SQL'
CREATE EXTENSION select_loop
SELECT select_loop_setup(1, fill => 'key')
VACUUM ANALYZE pgbench_accounts
SQL
  ! grep -q ERROR setup.log || callgrind_fail "$(<setup.log)"
}

callgrind_run() {
  local layer=$1 selects=$2 out=$3
  # warm first: reading pages in is no part of a select
  printf "SELECT select_loop_warm()\nSELECT * FROM select_loop('%s', %d, seed => 1)\n" "$layer" "$selects" |
    "${as_postgres[@]}" valgrind --quiet --tool=callgrind --callgrind-out-file="$out" "${single[@]}" >"$out.log" 2>&1
  ! grep -q ERROR "$out.log" || callgrind_fail "$(<"$out.log")"
}

callgrind_fail() {
  echo "$(basename "$0"): $*" >&2
  exit 2
}

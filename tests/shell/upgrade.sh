#!/bin/bash
# An upgrade as docs/operations.md has it: who runs does not mind a newer schema, who starts does; and what an
# earlier schema holds is there after the missing migrations.
set -euo pipefail
# shellcheck source=tests/shell/lib.bash
. "$(dirname "$0")/lib.bash"

RELAYER=${RELAYER_BIN:-$SOURCE/build/release/relayer}
unset RELAYER_CONFIG
export RELAYER_DATABASE__URL RELAYER_HOST__PORT

prepare() {
  [ -x "$RELAYER" ] || skip "$RELAYER is not built"
  [ -n "${RELAYER_TEST_DATABASE_URL:-}" ] || skip "RELAYER_TEST_DATABASE_URL is not set"
  local database=upgrade_$$_$RANDOM
  psql -XAtq "$RELAYER_TEST_DATABASE_URL" -c "create database $database"
  at_end "psql -XAtq '$RELAYER_TEST_DATABASE_URL' -c 'drop database if exists $database with (force)'"
  RELAYER_DATABASE__URL=${RELAYER_TEST_DATABASE_URL%/*}/$database
  RELAYER_HOST__PORT=$(. "$SOURCE/scripts/lib.sh" && free_port)
  URL=http://127.0.0.1:$RELAYER_HOST__PORT
}
start() {
  "$RELAYER" --config "$SOURCE/config.json" >out 2>&1 &
  PID=$!
  at_end "kill -KILL $PID 2>/dev/null"
  local i
  for ((i = 0; i < 300; i++)); do
    kill -0 $PID 2>/dev/null || fail "it has ended: $(tail -n 3 out)"
    if curl -sf -o /dev/null "$URL/healthz"; then return 0; fi
    sleep 0.1 # until it is healthy
  done
  fail "it does not become healthy: $(tail -n 3 out)"
}
# post NUMBER: an input proof like no other; its job is in JOB
post() {
  equals "the post of $1" 202 "$(curl -sS -o body -w '%{http_code}' "$URL/v2/input-proof" -d '{"contractChainId":"8009",
    "contractAddress":"0x1111111111111111111111111111111111111111","userAddress":"0x2222222222222222222222222222222222222222",
    "ciphertextWithInputVerification":"00aabb0'"$1"'","extraData":"0x00"}')"
  JOB=$(sed -n 's/.*"job_id":"\([^"]*\)".*/\1/p' body)
}

test_who_runs_does_not_mind_a_newer_schema_and_who_starts_does() {
  prepare
  start
  post 1
  psql -XAtq "$RELAYER_DATABASE__URL" -c "insert into schema_migration (version, name, checksum) values (9999, 'of_tomorrow', '')"
  post 2
  equals "a poll" 202 "$(curl -sS -o body -w '%{http_code}' "$URL/v2/input-proof/$JOB")"
  local code=0
  RELAYER_HOST__PORT=0 "$RELAYER" --config "$SOURCE/config.json" >other 2>&1 || code=$?
  equals "exit code of one that starts" 70 "$code"
  contains "newer version" "$(cat other)"
  code=0
  "$RELAYER" --config "$SOURCE/config.json" --migrate >other 2>&1 || code=$?
  equals "exit code of --migrate" 70 "$code"
  post 3
}

sql() { psql -XAtq -v ON_ERROR_STOP=1 "$RELAYER_DATABASE__URL" "$@"; }

# The schema before the last migration, whichever that is, is one that a release may have left.
test_what_an_earlier_schema_holds_is_there_after_the_missing_migrations() {
  prepare
  start
  post 1
  kill -KILL $PID
  local all last table file
  all=$(sql -c "select count(*) from schema_migration") last=$(sql -c "select max(version) from schema_migration")
  # Rows as JSON: columns that the earlier schema does not have are left out when they are read again.
  for table in request live_request; do sql -c "select to_jsonb(t) from $table t" >$table.json; done
  sql -c "copy (select * from schema_migration where version < $last) to stdout" >recorded
  sql -c "drop schema public cascade" -c "create schema public" 2>/dev/null
  for file in "$SOURCE"/migrations/*.sql; do
    [ "$(basename "$file" | sed 's/_.*//; s/^0*//')" -ge "$last" ] || sql -1 -f "$file" >/dev/null
  done
  sql -c "create table schema_migration (version integer primary key, name text not null, checksum text not null,
    applied_at timestamptz not null default now())" -c "copy schema_migration from stdin" <recorded
  for table in request live_request; do
    sql -c "insert into $table overriding system value select (jsonb_populate_record(null::$table, '$(cat $table.json)')).*"
  done
  local job=$JOB
  start
  contains "step=migrated migration=$(printf '%04d' "$last")" "$(cat out)"
  equals "migrations" "$all" "$(sql -c "select count(*) from schema_migration")"
  equals "a poll" 202 "$(curl -sS -o body -w '%{http_code}' "$URL/v2/input-proof/$job")"
  post 1
  equals "the job of the same content" "$job" "$JOB"
}

run_tests "$@"

#!/bin/bash
# The private PostgreSQL: from nothing, after a crash, beside others, as root and as anybody.
set -euo pipefail
# shellcheck source=tests/shell/lib.bash
. "$(dirname "$0")/lib.bash"

PG=$SOURCE/scripts/pg.sh
export INITDB_OPTS=--no-sync

start() { at_end "'$PG' remove '$1'" && "$PG" start "$1"; }
sql() { psql -XAtq -v ON_ERROR_STOP=1 "$1" -c "$2"; }
servers_of() {
  local p
  for p in /proc/[0-9]*; do
    if [[ "$(readlink "$p/cwd" 2>/dev/null || true)" = "$1"* ]] && ! grep -q '^State:.Z' "$p/status" 2>/dev/null; then echo "${p#/proc/}"; fi
  done
}
# Those whose postmaster is gone end by themselves, perhaps before they are reached.
kill_servers_of() {
  local i
  servers_of "$1" | xargs kill -KILL 2>/dev/null || true
  for ((i = 0; i < 200; i++)); do
    [ -n "$(servers_of "$1")" ] || return 0
    sleep 0.05
  done
  fail "servers of $1 are left"
}

test_starts_from_nothing_and_stops() {
  local url
  "$PG" status db && fail "running before the start"
  at_end "'$PG' stop '$T/db'"
  url=$("$PG" start db)
  contains "@127.0.0.1:" "$url"
  equals "select" 1 "$(sql "$url" 'select 1')"
  equals "the URL of a second start" "$url" "$("$PG" start db)"
  equals "url" "$url" "$("$PG" url db)"
  "$PG" status db
  "$PG" stop db
  "$PG" stop db
  "$PG" status db && fail "running after the stop"
  [ -z "$(servers_of "$T/db")" ] || fail "processes are left"
}

test_keeps_its_data_through_kill_9_of_everything() {
  local url again
  url=$(start "$T/db")
  sql "$url" 'create table t as select 1 as x'
  # A backend in the middle of something does not notice that its postmaster died.
  psql -XAtq "$url" -c 'select pg_sleep(60)' >/dev/null 2>&1 &
  sleep 0.3
  kill -KILL "$(head -1 db/cluster/data/postmaster.pid)"
  again=$("$PG" start db)
  equals "the row" 1 "$(sql "$again" 'select x from t')"
  kill_servers_of "$T/db"
  again=$("$PG" start db)
  equals "the row" 1 "$(sql "$again" 'select x from t')"
}

test_a_stale_pid_file_that_names_a_stranger_does_not_hinder() {
  start "$T/db" >/dev/null
  kill_servers_of "$T/db"
  sleep 60 &
  at_end "kill $!"
  sed -i "1s/.*/$!/" db/cluster/data/postmaster.pid
  "$PG" start db >/dev/null
  kill -0 $! || fail "the stranger was ended"
}

test_takes_another_port_when_its_own_is_taken() {
  local first second
  first=$(start "$T/db")
  "$PG" stop db
  perl -MIO::Socket::INET -e 'my $s = IO::Socket::INET->new(LocalAddr => "127.0.0.1", LocalPort => $ARGV[0], Listen => 5, ReuseAddr => 1) or die; sleep 60' \
    "$(sed 's/.*:\([0-9]*\)\/.*/\1/' <<<"$first")" &
  at_end "kill $!"
  sleep 0.5
  second=$("$PG" start db)
  [ "$first" != "$second" ] || fail "the same port"
  equals "select" 1 "$(sql "$second" 'select 1')"
}

test_two_starts_at_once_make_one_server() {
  at_end "'$PG' stop '$T/db'"
  "$PG" start db >one &
  "$PG" start db >two
  wait $!
  equals "URL" "$(cat one)" "$(cat two)"
  equals "select" 1 "$(sql "$(cat one)" 'select 1')"
}

test_nobody_gets_in_without_the_password() {
  local url
  url=$(start "$T/db")
  if sql "$(sed 's/app:[^@]*@/app@/' <<<"$url")" 'select 1'; then fail "TCP without a password"; fi
  if psql -XAtq -h "$T/db/cluster" -p "$(cat db/cluster/port)" -U app -w postgres -c 'select 1'; then fail "the socket without a password"; fi
  equals "mode of the password" 600 "$(stat -c %a db/cluster/password)"
  equals "mode of the folder" 700 "$(stat -c %a db/cluster)"
}

test_settings_of_pg_extra_hold() {
  local url
  export PG_EXTRA='max_connections = 42'
  url=$(start "$T/db")
  equals max_connections 42 "$(sql "$url" 'show max_connections')"
  "$PG" stop db
  PG_EXTRA='max_connections = 43' "$PG" start db >/dev/null
  equals max_connections 43 "$(sql "$url" 'show max_connections')"
}

test_an_interrupted_initdb_is_made_good() {
  mkdir -p db/cluster
  [ "$(id -u)" != 0 ] || chown postgres db/cluster
  chmod 700 db/cluster
  mkdir db/cluster/data.new
  echo 15 >db/cluster/data.new/PG_VERSION
  equals "select" 1 "$(sql "$(start "$T/db")" 'select 1')"
}

test_works_for_an_ordinary_user() {
  [ "$(id -u)" = 0 ] || skip "allowed: this is an ordinary user already: the other tests show it"
  local as=(setpriv --reuid=nobody --regid=nogroup --clear-groups env HOME="$T") url
  "${as[@]}" test -x "$SOURCE/scripts/pg.sh" || skip "allowed: user nobody cannot read the work tree"
  mkdir mine
  chown nobody mine
  at_end "'$PG' stop '$T/mine/db'"
  url=$("${as[@]}" "$PG" start "$T/mine/db")
  equals "select" 1 "$(sql "$url" 'select 1')"
  equals "owner" nobody "$(stat -c %U mine/db/cluster)"
  "${as[@]}" "$PG" stop "$T/mine/db"
  # root helps out with another user's cluster, as that user
  equals "URL" "$url" "$("$PG" start "$T/mine/db")"
  equals "owner of the server" nobody "$(stat -c %U "/proc/$(head -1 mine/db/cluster/data/postmaster.pid)")"
}

test_copes_with_a_folder_that_only_root_can_reach() {
  [ "$(id -u)" = 0 ] || skip "allowed: needs root"
  local url place
  mkdir -m 700 secret
  url=$(start "$T/secret/db")
  place=$(cat secret/db/postgres.location)
  at_end "rm -rf '$place'.left-*"
  [ -d "$place/data" ] || fail "no data in $place"
  sql "$url" 'create table t as select 1 as x'
  "$PG" stop secret/db
  equals "the row" 1 "$(sql "$("$PG" start secret/db)" 'select x from t')"
  # The folder is removed by hand and made anew: an empty cluster, and the old one is not lost.
  rm -rf secret/db
  url=$("$PG" start "$T/secret/db" 2>err)
  contains "left behind" "$(cat err)"
  equals "tables" 0 "$(sql "$url" "select count(*) from pg_tables where tablename = 't'")"
  [ -d "$(echo "$place".left-*)/data" ] || fail "the old cluster is gone"
  "$PG" remove "$T/secret/db"
  [ ! -e "$place" ] || fail "there after remove"
}

test_a_long_path_is_no_obstacle() {
  local long
  long=$T/$(printf 'a-rather-long-name-%.0s' 1 2 3 4 5 6 7)
  mkdir -p "$long"
  equals "select" 1 "$(sql "$(start "$long/db")" 'select 1')"
}

run_tests "$@"

#!/bin/bash
# ./run with a stand-in for the relayer where it has to misbehave, and with the real one.
set -euo pipefail
# shellcheck source=tests/shell/lib.bash
. "$(dirname "$0")/lib.bash"

RUN=$SOURCE/run
REAL_RELAYER=${RELAYER_BIN:-}
export INITDB_OPTS=--no-sync
unset RELAYER_DATABASE__URL DATABASE_URL RELAYER_HOST__PORT RELAYER_GATEWAY__RPC__READ

# Answers everything with 200; STUB says how it misbehaves.
make_stub() {
  cat >"$T/relayer" <<'X'
#!/usr/bin/perl
use IO::Socket::INET;
$| = 1;
my %o = @ARGV;
if ($ENV{STUB} eq 'config') { print "host.port: not a number\n"; exit 78; }
if ($ENV{STUB} eq 'hang') { sleep 1000; }
$SIG{TERM} = sub { print "drained\n"; exit 0; };
print "database $ENV{RELAYER_DATABASE__URL}\n";
print "gateway $ENV{RELAYER_GATEWAY__RPC__READ} lane $ENV{RELAYER_SIGNER__LANE}\n";
my $s = IO::Socket::INET->new(LocalAddr => '127.0.0.1', LocalPort => $o{'--port'} // 0, Listen => 50, ReuseAddr => 1) or die;
print 'listening on http://127.0.0.1:', $s->sockport, "\n";
while (1) {
  my $c = $s->accept or next;
  while (<$c>) { last if /^\r?\n$/ }
  print $c "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok";
  close $c;
}
X
  chmod 755 "$T/relayer"
  export RELAYER_BIN=$T/relayer
  echo '{}' >"$T/config.json"
}

run() { "$RUN" --no-devnet --data "$T/var" --config "$T/config.json" "$@"; }
# jq_of FILE PATH: one value of a JSON file.
jq_of() { node -e 'console.log(process.argv[2].split(".").reduce((o, k) => o[k], JSON.parse(require("fs").readFileSync(process.argv[1], "utf8"))))' "$1" "$2"; }
url_of() { sed -n 's/^READY //p' "$1"; }
alive() { kill -0 "$1" 2>/dev/null && ! grep -q '^State:.Z' "/proc/$1/status"; }

test_background_start_answers_and_stop_ends_all() {
  make_stub
  at_end "'$RUN' --stop --data '$T/var'"
  run --background --port 0 >out
  local url pid
  url=$(url_of out)
  equals "answer" ok "$(curl -sS "$url/healthz")"
  pid=$(cat var/relayer.pid)
  alive "$pid" || fail "relayer.pid names nothing alive"
  contains "curl -i -X POST $url/v2/input-proof" "$(cat out)"
  # again: says so, changes nothing
  run --background --port 0 >again 2>err
  equals "URL of the second start" "$url" "$(url_of again)"
  contains "already runs" "$(cat err)"
  equals "pid" "$pid" "$(cat var/relayer.pid)"
  "$RUN" --stop --data var
  alive "$pid" && fail "the relayer is alive after --stop"
  "$SOURCE/scripts/pg.sh" status var/postgres && fail "PostgreSQL runs after --stop"
  [ ! -e var/relayer.pid ] || fail "relayer.pid is left"
  "$RUN" --stop --data var
  "$RUN" --stop --data nowhere
}

test_finds_the_port_that_the_configuration_chose() {
  make_stub
  at_end "'$RUN' --stop --data '$T/var'"
  run --background >out # the stand-in takes any free port
  equals "answer" ok "$(curl -sS "$(url_of out)/healthz")"
}

# The program is not dumpable: its /proc/PID/fd is closed to its own user, and root's tests do not see that.
test_finds_it_for_a_user_who_is_not_root() {
  [ -n "$REAL_RELAYER" ] && [ -x "$REAL_RELAYER" ] || skip "RELAYER_BIN names no program: ./test builds it"
  local as=() port
  if [ "$(id -u)" = 0 ]; then
    id postgres >/dev/null 2>&1 || skip "allowed: there is no user postgres to be"
    as=(setpriv --reuid postgres --regid postgres --clear-groups env "HOME=$T/home")
    "${as[@]}" test -x "$REAL_RELAYER" || skip "allowed: the user postgres can not reach the program"
  fi
  mkdir home var
  [ "$(id -u)" != 0 ] || chown postgres home var
  port=$(. "$SOURCE/scripts/lib.sh" && free_port)
  sed "s/\"port\": 8088/\"port\": $port/" "$SOURCE/config.json" >config.json
  at_end "${as[*]} '$RUN' --stop --data '$T/var'"
  RELAYER_BIN=$REAL_RELAYER RELAYER_READY_SECONDS=20 "${as[@]}" "$RUN" --no-devnet --data "$T/var" --config "$T/config.json" --background >out 2>err ||
    fail "$(cat err)"
  equals "URL" "http://127.0.0.1:$port" "$(url_of out)"
  [ "$(id -u)" != 0 ] || equals "its user" postgres "$(ps -o user= -p "$(cat var/relayer.pid)")"
}

test_keeps_its_data_through_kill_9_of_everything() {
  make_stub
  at_end "'$RUN' --stop --data '$T/var'"
  run --background --port 0 >out
  psql -XAtq "$("$SOURCE/scripts/pg.sh" url var/postgres)" -c 'create table t as select 7 as x'
  kill -KILL "$(cat var/relayer.pid)" "$(head -1 var/postgres/cluster/data/postmaster.pid)"
  run --background --port 0 >out
  equals "answer" ok "$(curl -sS "$(url_of out)/healthz")"
  equals "the row" 7 "$(psql -XAtq "$("$SOURCE/scripts/pg.sh" url var/postgres)" -c 'select x from t')"
}

test_term_in_the_foreground_drains_and_stops_postgresql() {
  make_stub
  at_end "'$RUN' --stop --data '$T/var'"
  "$RUN" --no-devnet --data var --config config.json --port 0 >out 2>err &
  local pid=$! code=0 i
  for ((i = 0; i < 300; i++)); do grep -q ^READY out && break || sleep 0.1; done
  kill -TERM $pid
  wait $pid || code=$?
  equals "exit code" 0 "$code"
  contains drained "$(cat out var/relayer.log)"
  "$SOURCE/scripts/pg.sh" status var/postgres && fail "PostgreSQL still runs"
  [ ! -e var/relayer.pid ] || fail "relayer.pid is left"
}

test_a_relayer_that_dies_takes_run_with_it() {
  make_stub
  "$RUN" --no-devnet --data var --config config.json --port 0 >out 2>err &
  local pid=$! code=0 i
  for ((i = 0; i < 300; i++)); do grep -q ^READY out && break || sleep 0.1; done
  kill -KILL "$(cat var/relayer.pid)"
  wait $pid || code=$?
  equals "exit code" 137 "$code"
  "$SOURCE/scripts/pg.sh" status var/postgres && fail "PostgreSQL still runs"
  true
}

test_a_bad_configuration_ends_with_78_and_its_reasons() {
  make_stub
  local code=0 mode
  for mode in --background ""; do
    code=0
    STUB=config run ${mode:+"$mode"} --port 0 >out 2>&1 || code=$?
    equals "exit code with '$mode'" 78 "$code"
    contains "host.port: not a number" "$(cat out)"
  done
}

test_a_relayer_that_never_answers_is_ended() {
  make_stub
  local code=0
  STUB=hang RELAYER_READY_SECONDS=1 run --background --port 0 >out 2>&1 || code=$?
  equals "exit code" 70 "$code"
  [ ! -e var/relayer.pid ] || fail "relayer.pid is left"
}

test_a_taken_port_is_named_with_its_holder() {
  make_stub
  at_end "'$RUN' --stop --data '$T/var'"
  run --background --port 0 >out
  local port code=0
  port=$(url_of out | sed 's/.*://')
  "$RUN" --no-devnet --data other --config config.json --port "$port" >out 2>&1 || code=$?
  equals "exit code" 71 "$code"
  contains "process $(cat var/relayer.pid)" "$(cat out)"
  contains "--port" "$(cat out)"
}

test_stop_does_not_touch_a_stranger_with_the_same_pid() {
  make_stub
  mkdir var
  sleep 60 &
  at_end "kill $!"
  echo $! >var/relayer.pid
  printf 'pid=%s\nstarted=1\nboot=%s\n' $! "$(cat /proc/sys/kernel/random/boot_id)" >var/.run.state
  "$RUN" --stop --data var
  alive $! || fail "the stranger was ended"
}

test_uses_the_database_of_the_environment() {
  make_stub
  at_end "'$RUN' --stop --data '$T/var'"
  DATABASE_URL=postgresql://elsewhere/x run --background --port 0 >out
  contains "database postgresql://elsewhere/x" "$(cat var/relayer.log)"
  [ ! -d var/postgres ] || fail "it made a PostgreSQL of its own"
}

test_data_that_only_root_can_read_is_fine() {
  [ "$(id -u)" = 0 ] || skip "allowed: needs root"
  make_stub
  mkdir -m 700 secret
  at_end "'$SOURCE/scripts/pg.sh' remove '$T/secret/var/postgres'"
  at_end "'$RUN' --stop --data '$T/secret/var'"
  "$RUN" --no-devnet --data secret/var --config config.json --background --port 0 >out
  equals "answer" ok "$(curl -sS "$(url_of out)/healthz")"
  equals "owner" root "$(stat -c %U "/proc/$(cat secret/var/relayer.pid)")"
}

need_devnet() {
  command -v node >/dev/null && [ -x "$SOURCE/devnet/node_modules/@foundry-rs/anvil-linux-amd64/bin/anvil" ] || skip "node or the devnet's npm packages are missing: scripts/devnet.sh setup"
}

test_starts_the_devnet_and_tells_the_relayer_where_it_is() {
  need_devnet
  make_stub
  at_end "'$RUN' --stop --data '$T/var'"
  RELAYER_SIGNER__LANE=mine "$RUN" --data var --config config.json --background --port 0 >out
  local gateway genesis
  gateway=$(jq_of var/devnet/devnet.json gateway.http)
  genesis=$(jq_of var/devnet/devnet.json gateway.genesis)
  contains "gateway devnet=$gateway lane mine" "$(cat var/relayer.log)"
  contains "gateway $gateway" "$(cat out)"
  contains "The devnet's vote chain and its prover are STAND-INS: nothing is proved." "$(cat out)"
  contains '"0x9fbf1"' "$(curl -sS "$gateway" -H 'content-type: application/json' -d '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}')"
  "$RUN" --stop --data var
  curl -sS -m 2 "$gateway" >/dev/null 2>&1 && fail "the chain runs after --stop"
  # The next start: the same chain at the same place.
  "$RUN" --data var --config config.json --background --port 0 >out
  equals "gateway" "$gateway" "$(jq_of var/devnet/devnet.json gateway.http)"
  equals "genesis" "$genesis" "$(jq_of var/devnet/devnet.json gateway.genesis)"
}

test_starts_no_devnet_beside_a_chain_that_is_named() {
  make_stub
  at_end "'$RUN' --stop --data '$T/var'"
  RELAYER_GATEWAY__RPC__READ=there=http://127.0.0.1:9 "$RUN" --data var --config config.json --background --port 0 >out
  contains "gateway there=http://127.0.0.1:9" "$(cat var/relayer.log)"
  [ ! -d var/devnet ] || fail "it made a devnet"
  ! grep -q STAND-INS out || fail "it speaks of stand-ins where there are none"
}

test_the_real_relayer_answers() {
  [ -n "$REAL_RELAYER" ] && [ -x "$REAL_RELAYER" ] || skip "RELAYER_BIN names no program: ./test builds it"
  export RELAYER_BIN=$REAL_RELAYER
  at_end "'$RUN' --stop --data '$T/var'"
  "$RUN" --data var --background --port 0 >out
  local url
  url=$(url_of out)
  equals "GET /healthz" 200 "$(curl -sS -o body -w '%{http_code}' "$url/healthz")"
  equals "GET /version" 200 "$(curl -sS -o body -w '%{http_code}' "$url/version")"
  # The line that it prints for the first request works as it stands.
  local line
  line=$(grep -o 'curl -i -X POST .*' out)
  contains " 202 " "$(eval "$line" | head -1)"
  # So does the console, with the token of this folder and no other.
  contains "console  $url/console, the token is in $T/var/admin.token" "$(cat out)"
  equals "mode of the token" 600 "$(stat -c %a var/admin.token)"
  equals "the console without a session" 303 "$(curl -sS -o body -w '%{http_code}' "$url/console")"
  equals "log-in" 303 "$(curl -sS -o body -w '%{http_code}' -c cookies --data-urlencode token@var/admin.token "$url/console/login")"
  equals "the console" 200 "$(curl -sS -o body -w '%{http_code}' -b cookies "$url/console")"
  contains "Overview" "$(cat body)"
  equals "another token" 403 "$(curl -sS -o body -w '%{http_code}' -d token=0123456789abcdef0123456789abcdef "$url/console/login")"
  equals "an admin route" 200 "$(curl -sS -o body -w '%{http_code}' -H "Authorization: Bearer $(cat var/admin.token)" "$url/admin/queues")"
  # The same token after a restart.
  cp var/admin.token token
  "$RUN" --stop --data var
  RELAYER_ADMIN__ACCESS=off "$RUN" --data var --background --port 0 >out
  cmp token var/admin.token || fail "another token"
  equals "who says off" 403 "$(curl -sS -o body -w '%{http_code}' "$(url_of out)/console")"
  contains "as the configuration says" "$(cat out)"
}

test_the_demo_gets_an_answer_to_each_request() {
  need_devnet
  [ -n "$REAL_RELAYER" ] && [ -x "$REAL_RELAYER" ] || skip "RELAYER_BIN names no program: ./test builds it"
  export RELAYER_BIN=$REAL_RELAYER RELAYER_HOST__PORT=0
  at_end "'$RUN' --stop --data '$T/var'"
  "$SOURCE/scripts/demo" --count 30 --data "$T/var" >out 2>err || fail "$(cat out err)"
  contains "30 of 30 answered" "$(tail -1 out)"
  contains "12 accepted, 3 rejected, 15 decrypted" "$(cat out)"
}

run_tests "$@"

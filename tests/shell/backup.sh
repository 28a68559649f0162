#!/bin/bash
# A dump of the database, restored elsewhere, and the relayer that goes on with it: what was on its way ends,
# and what came after the dump is not known. The commands are those of docs/operations.md.
set -euo pipefail
# shellcheck source=tests/shell/lib.bash
. "$(dirname "$0")/lib.bash"

RUN=$SOURCE/run
unset DATABASE_URL RELAYER_HOST__PORT RELAYER_GATEWAY__RPC__READ
export RELAYER_DATABASE__URL ADMIN_URL RESTORED_URL

# A database to lose and the name of one to restore to, beside the tests' own.
prepare() {
  [ -x "${RELAYER_BIN:-}" ] || skip "allowed: RELAYER_BIN is not set; ./test sets it"
  [ -n "${RELAYER_TEST_DATABASE_URL:-}" ] || skip "RELAYER_TEST_DATABASE_URL is not set"
  command -v node >/dev/null && [ -x "$SOURCE/devnet/node_modules/@foundry-rs/anvil-linux-amd64/bin/anvil" ] || skip "node or the devnet's npm packages are missing: scripts/devnet.sh setup"
  local name=backup_$$_$RANDOM each
  ADMIN_URL=$RELAYER_TEST_DATABASE_URL
  RELAYER_DATABASE__URL=${ADMIN_URL%/*}/$name
  RESTORED_URL=${ADMIN_URL%/*}/${name}_restored
  RESTORED=${name}_restored
  for each in "$name" "$RESTORED"; do
    at_end "psql -XAtq '$ADMIN_URL' -c 'drop database if exists $each with (force)'"
  done
  psql -XAtq "$ADMIN_URL" -c "create database $name"
  at_end "'$RUN' --stop --data '$T/var'"
}

# The devnet of the first start stays: what the second one finds is the same chain, further on.
start() {
  "$RUN" --data "$T/var" --port 0 --background >out 2>err || fail "$(tail -n 5 err)"
  URL=$(sed -n 's/^READY //p' out)
  devnet() { node -p "require('$T/var/devnet/devnet.json').$1"; }
  CONTROL=$(devnet control) CHAIN=$(devnet gateway.http)
}
kill_relayer() {
  kill -KILL "$(cat "$T/var/relayer.pid")"
  rm "$T/var/relayer.pid" "$T/var/.run.state"
}

# post NUMBER: an input proof like no other; sets JOB
post() {
  equals "the post of $1" 202 "$(curl -sS -o body -w '%{http_code}' "$URL/v2/input-proof" -d '{"contractChainId":"8009",
    "contractAddress":"0x1111111111111111111111111111111111111111","userAddress":"0x2222222222222222222222222222222222222222",
    "ciphertextWithInputVerification":"00aabb0'"$1"'","extraData":"0x00"}')"
  JOB=$(sed -n 's/.*"job_id":"\([^"]*\)".*/\1/p' body)
}
# poll JOB: its status; the answer is in body, without the id of the exchange
poll() {
  curl -sS -o body -w '%{http_code}' "$URL/v2/input-proof/$1"
  sed -i 's/"requestId":"[^"]*",//' body
}
# becomes JOB STATUS PATTERN
becomes() {
  local i status
  for ((i = 0; i < 300; i++)); do
    status=$(poll "$1")
    if [ "$status" = "$2" ] && grep -q "$3" body; then return 0; fi
    sleep 0.1 # until it is there
  done
  fail "$1 does not become $2 $3: $status $(cat body)"
}
# How many transactions the relayer's account has sent, mined or not.
sent() {
  local account='' i
  for ((i = 0; i < 300; i++)); do
    account=$(psql -XAtq "$RELAYER_DATABASE__URL" -c "select '0x' || encode(address, 'hex') from signer_lane")
    [ -z "$account" ] || break
    sleep 0.1 # until it has a lane
  done
  echo $(($(curl -sS "$CHAIN" -H 'content-type: application/json' \
    -d '{"jsonrpc":"2.0","id":1,"method":"eth_getTransactionCount","params":["'"$account"'","latest"]}' |
    sed -n 's/.*"result":"\(0x[0-9a-f]*\)".*/\1/p')))
}

dump() { pg_dump --format=custom --file=relayer.dump "$RELAYER_DATABASE__URL"; }
restore() {
  psql --quiet "$ADMIN_URL" -c "create database $RESTORED"
  pg_restore --exit-on-error --single-transaction --no-owner --dbname="$RESTORED_URL" relayer.dump
}

test_what_was_on_its_way_ends_and_what_came_later_is_not_known() {
  prepare
  start
  local mined unsigned later before
  before=$(sent)
  # Mined and not answered; and not signed yet, as the node does not answer.
  curl -sS -o /dev/null -d '{"silence": {"input_proof": "all"}}' "$CONTROL/responder"
  post 1 && mined=$JOB
  becomes "$mined" 202 '"state":"receipt_received"'
  curl -sS -o /dev/null -X POST "$CONTROL/chains/gateway/freeze"
  post 2 && unsigned=$JOB
  becomes "$unsigned" 202 '"state":"processing"'
  dump
  # Life goes on: the dump is older than what the chain knows.
  curl -sS -o /dev/null -X POST "$CONTROL/chains/gateway/thaw"
  curl -sS -o /dev/null -d '{"silence": {"input_proof": 0}}' "$CONTROL/responder"
  post 3 && later=$JOB
  for JOB in "$mined" "$unsigned" "$later"; do
    becomes "$JOB" 200 succeeded
    cp body "$JOB"
  done
  equals "transactions before the loss" $((before + 3)) "$(sent)"

  kill_relayer
  restore
  RELAYER_DATABASE__URL=$RESTORED_URL
  start
  becomes "$mined" 200 succeeded
  equals "the answer" "$(cat "$mined")" "$(cat body)"
  becomes "$unsigned" 200 succeeded
  # What the dump has without a signature is sent once more, at a nonce that is free.
  equals "transactions after the restore" $((before + 4)) "$(sent)"
  equals "a job of after the dump" 404 "$(poll "$later")"
  # Its client posts again, and has another job.
  post 3
  [ "$JOB" != "$later" ] || fail "the old job is back"
  becomes "$JOB" 200 succeeded
  equals "transactions in the end" $((before + 5)) "$(sent)"
  equals "transactions that nobody knows the end of" 0 "$(psql -XAtq "$RESTORED_URL" -c "select count(*) from tx_attempt where open")"
}

run_tests "$@"

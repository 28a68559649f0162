#!/bin/bash
# scripts/devnet.sh: requests are answered, chains stay or start over as told, nothing is left behind.
set -euo pipefail
# shellcheck source=tests/shell/lib.bash
. "$(dirname "$0")/lib.bash"

DEVNET=$SOURCE/scripts/devnet.sh

need_devnet() {
  command -v node >/dev/null && [ -x "$SOURCE/devnet/node_modules/@foundry-rs/anvil-linux-amd64/bin/anvil" ] || skip "node or the devnet's npm packages are missing: scripts/devnet.sh setup"
}
start() {
  at_end "'$DEVNET' stop '$T/net'"
  "$DEVNET" start net "$@" >/dev/null
}
value() {
  node -e 'console.log(process.argv[2].split(".").reduce((o, k) => o[k], JSON.parse(require("fs").readFileSync(process.argv[1], "utf8"))))' net/devnet.json "$1"
}
pids() {
  local field
  for field in pid gateway.pid hosts.0.pid hosts.1.pid; do value $field; done
}
# FILE NUMBER [WHERE]: so many tests of devnet/FILE pass.
node_tests() {
  DEVNET=$T/net/devnet.json node --test "$SOURCE/devnet/$1" >out 2>&1 || fail "${3:-}$(grep -E '^ *(not ok|error|expected|actual)' out)"
  contains "# pass $2" "$(cat out)"
}
# Waits for processes that are not our children.
all_end() {
  local pid i
  for pid in "$@"; do
    for ((i = 0; i < 300; i++)); do
      [ -d "/proc/$pid" ] && ! grep -q '^State:.Z' "/proc/$pid/status" 2>/dev/null || break
      sleep 0.1
    done
    [ $i -lt 300 ] || fail "process $pid is still there"
  done
}

test_requests_of_every_kind_are_answered() {
  need_devnet
  start
  node "$SOURCE/devnet/try.mjs" net/devnet.json --count 10 >out || fail "$(cat out)"
  local kind
  for kind in input_proof public_decrypt user_decrypt delegated unified; do
    contains "$kind: 10 requests, 10 answered" "$(cat out)"
  done
  contains "first id 0x01" "$(grep public_decrypt out)"
  contains "first id 0x02" "$(grep ^user_decrypt out)"
}

# As programs, in a tree that a symbolic link leads to: a program that takes itself for imported says nothing,
# and ends well.
test_programs_know_themselves_behind_a_link() {
  need_devnet
  ln -s "$SOURCE/devnet" link
  equals "artifacts" "$(node "$SOURCE/devnet/compile.mjs")" "$(node link/compile.mjs)"
  [ -s "$(node link/compile.mjs)" ] || fail "no artifacts"
  DROGON_RELAYER_DEPS=$T/none node link/keys.mjs --look >out && fail "it has seen keys where there are none: $(cat out)"
  mkdir -p "$T/some/fhe-keys/node-tfhe-$(sed -nE 's/.*"node-tfhe": "(.*)".*/\1/p' "$SOURCE/devnet/package.json")"
  touch "$(echo "$T"/some/fhe-keys/*)"/{public-key,crs-2048}.bin
  equals "keys" "$(echo "$T"/some/fhe-keys/*)" "$(DROGON_RELAYER_DEPS=$T/some node link/keys.mjs --look)"
}

test_contracts_speak_and_refuse_as_the_real_ones() {
  need_devnet
  start
  node_tests contracts_test.mjs 6
}

test_shares_come_together_in_the_library_of_clients() {
  need_devnet
  node_tests shares_test.mjs 5
}

test_the_vote_chain_and_its_prover_stand_in() {
  need_devnet
  node_tests vote_chain_test.mjs 5
}

test_answers_that_are_late_doubled_and_out_of_order_all_come() {
  need_devnet
  start --instant --switches '{"delayMs": 100, "reorderMs": 400, "duplicates": 1}'
  node "$SOURCE/devnet/try.mjs" net/devnet.json --count 10 >out || fail "$(cat out)"
}

test_a_chain_takes_in_whatever_waits_in_its_pool() {
  need_devnet
  local blocks
  for blocks in --instant "--quiet 0.05"; do
    # shellcheck disable=SC2086  # an option and its value
    start $blocks
    node_tests crowd_test.mjs 1 "$blocks: "
    "$DEVNET" stop net
  done
}

test_silent_nodes_answer_later_what_they_missed() {
  need_devnet
  start --switches '{"silence": {"input_proof": "all", "public_decrypt": 2, "user_decrypt": 2}}'
  node "$SOURCE/devnet/try.mjs" net/devnet.json --seconds 2 >out && fail "answered without enough nodes: $(cat out)"
  contains "input_proof: 1 requests, 0 answered" "$(cat out)"
  contains "user_decrypt: 1 requests, 0 answered" "$(cat out)"
  # Also across a start: who has not answered is found on the chain.
  "$DEVNET" stop net
  start
  local i answers
  for ((i = 0; i < 300; i++)); do
    answers=$(curl -sS "$(value control)/responder")
    [[ "$answers" != *'"waiting":0,"onTheirWay":0'* || "$answers" != *'"answers":11'* ]] || return 0
    sleep 0.1
  done
  fail "not answered: $answers"
}

test_a_stopped_devnet_comes_back_as_it_was() {
  need_devnet
  start
  node "$SOURCE/devnet/try.mjs" net/devnet.json >out
  local genesis gateway mine
  genesis=$(value gateway.genesis) gateway=$(value gateway.http)
  mapfile -t mine < <(pids)
  "$DEVNET" stop net
  all_end "${mine[@]}"
  start
  equals genesis "$genesis" "$(value gateway.genesis)"
  equals address "$gateway" "$(value gateway.http)"
  node "$SOURCE/devnet/try.mjs" net/devnet.json >out || fail "$(cat out)"
  contains "input_proof: 1 requests, 1 answered, first id 0x$(printf '%064x' 2)" "$(cat out)"
}

test_the_vote_chain_takes_no_port_of_another_chain() {
  need_devnet
  start
  local gateway
  gateway=$(value gateway.port)
  "$DEVNET" stop net
  sed -i "s/\"port\":[0-9]*/\"port\":$gateway/" net/votes.json
  start
  equals "the gateway's" "$gateway" "$(value gateway.port)"
  [ "$(value voteChain.url)" != "http://127.0.0.1:$gateway" ] || fail "the vote chain has the gateway's port"
  [ "$(curl -s -o /dev/null -w '%{http_code}' "$(value voteChain.url)/")" != 000 ] || fail "nobody is at the vote chain's port"
}

test_a_chain_whose_state_was_removed_is_another_one() {
  need_devnet
  start
  local genesis contract
  genesis=$(value gateway.genesis) contract=$(value gateway.contracts.decryption)
  "$DEVNET" stop net
  rm net/gateway.state.json
  start
  [ "$genesis" != "$(value gateway.genesis)" ] || fail "the same block 0"
  equals contract "$contract" "$(value gateway.contracts.decryption)"
  node "$SOURCE/devnet/try.mjs" net/devnet.json >out || fail "$(cat out)"
}

test_kill_9_leaves_no_process_and_loses_no_chain() {
  need_devnet
  start
  node "$SOURCE/devnet/try.mjs" net/devnet.json >out
  local mine genesis
  genesis=$(value gateway.genesis)
  mapfile -t mine < <(pids)
  kill -KILL "${mine[0]}"
  all_end "${mine[@]}"
  start
  equals genesis "$genesis" "$(value gateway.genesis)"
  node "$SOURCE/devnet/try.mjs" net/devnet.json >out || fail "$(cat out)"
  contains "input_proof: 1 requests, 1 answered, first id 0x$(printf '%064x' 2)" "$(cat out)"
}

test_key_material_is_served_from_where_this_machine_has_it() {
  need_devnet
  export DROGON_RELAYER_DEPS=$T/deps
  local folder key crs
  node "$SOURCE/devnet/keys.mjs" --look && fail "there are keys in an empty folder"
  start
  key="$(value control)/PUB-p1/PublicKey/04$(printf '%062x' 1)" crs="$(value control)/PUB-p4/CRS/05$(printf '%062x' 1)"
  contains "devnet /PUB-p1/PublicKey/04" "$(curl -sS "$key")"
  folder=$T/deps/fhe-keys/node-tfhe-$(cd "$SOURCE/devnet" && node -p 'require("./package.json").dependencies["node-tfhe"]')
  mkdir -p "$folder"
  printf 'a key\0' >"$folder/public-key.bin"
  printf 'a CRS\0' >"$folder/crs-2048.bin"
  equals folder "$folder" "$("$DEVNET" keys)"
  curl -sS "$key" | cmp - "$folder/public-key.bin"
  curl -sS "$crs" | cmp - "$folder/crs-2048.bin"
}

test_a_start_that_cannot_be_says_why() {
  need_devnet
  local code=0
  "$DEVNET" start net --kms-nodes none >out 2>&1 || code=$?
  equals "exit code" 70 "$code"
  contains "--kms-nodes takes a number" "$(cat out)"
  "$DEVNET" status net && fail "it says that it runs"
  true
}

run_tests "$@"

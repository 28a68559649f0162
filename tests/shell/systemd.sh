#!/bin/bash
# The unit in deploy/ is one that systemd takes, and shuts the server in.
set -euo pipefail
# shellcheck source=tests/shell/lib.bash
. "$(dirname "$0")/lib.bash"

UNIT=$SOURCE/deploy/systemd/drogon-relayer.service

needs_systemd() { command -v systemd-analyze >/dev/null || skip "systemd-analyze is not here (Debian package systemd)"; }

test_systemd_finds_nothing_wrong_with_it() {
  needs_systemd
  # With the program that is here, and without the page that is not installed.
  sed "s#^ExecStart=/usr/bin/relayer#ExecStart=${RELAYER_BIN:-/bin/true}#; /^Documentation=/d" "$UNIT" >drogon-relayer.service
  systemd-analyze verify ./drogon-relayer.service >log 2>&1 || fail "$(cat log)"
  # Of other units of this machine it may say what it likes.
  equals "what it says of ours" "" "$(grep -F drogon-relayer log || true)"
}

test_is_exposed_to_less_than_two_of_ten() {
  needs_systemd
  systemd-analyze security --offline=true --threshold=20 "$UNIT" >log 2>&1 || fail "$(tail -n 3 log)"
  echo "# $(tail -n 1 log | tr -d '→' | sed 's/^ *//')"
}

test_waits_for_the_drain() {
  local stop drain
  stop=$(sed -n 's/^TimeoutStopSec=//p' "$UNIT")
  drain=$(sed -nE 's/^.*"drain_deadline": "([0-9]+)s".*$/\1/p' "$SOURCE/config.json")
  [ -n "$drain" ] || fail "config.json names no drain_deadline in seconds"
  [ "$stop" -gt "$drain" ] || fail "it is killed after $stop s, and a drain may take $drain s"
}

test_knows_how_a_wrong_configuration_ends() {
  local code=0
  [ -x "${RELAYER_BIN:-}" ] || skip "allowed: RELAYER_BIN is not set; ./test sets it"
  echo '{"nonsense": 1}' >wrong.json
  "$RELAYER_BIN" --config wrong.json >/dev/null 2>&1 || code=$?
  equals "the exit code that is not tried again" "$(sed -n 's/^RestartPreventExitStatus=//p' "$UNIT")" "$code"
}

run_tests "$@"

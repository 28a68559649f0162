#!/bin/bash
# full-only: minutes of installing and building on a Debian 13 that has nothing.
set -euo pipefail
# shellcheck source=tests/shell/lib.bash
. "$(dirname "$0")/lib.bash"

test_run_and_test_work_on_a_fresh_debian_13() {
  local code=0
  "$SOURCE/scripts/fresh-machine.sh" trixie >out || code=$?
  cat out
  [ $code != 77 ] || skip "$(sed -n 's/^cannot: //p' out)"
  [ $code = 0 ] || fail "$(tail -n 1 out)"
}

run_tests "$@"

#!/bin/bash
# full-only: the model of attempts, receipts and leases, checked by spin.
set -euo pipefail
# shellcheck source=tests/shell/lib.bash
. "$(dirname "$0")/lib.bash"

test_the_model_holds_and_its_planted_bugs_are_found() {
  command -v spin >/dev/null || skip "there is no spin here"
  command -v gcc >/dev/null || skip "there is no gcc here"
  "$SOURCE/scripts/check-model.sh" >log || fail "$(cat log)"
  equals "lines that are not ok" 0 "$(grep -c '^not ok' log || true)"
  equals "properties and bugs" 7 "$(grep -c '^ok' log || true)"
  sed 's/^/# model: /' log
}

run_tests "$@"

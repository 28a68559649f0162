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

# As the README says it; the trail that it shows ends where the bug is.
test_a_planted_bug_is_seen_as_the_readme_says() {
  command -v spin >/dev/null || skip "there is no spin here"
  command -v gcc >/dev/null || skip "there is no gcc here"
  cp "$SOURCE/docs/model/attempts.pml" .
  sed -n '/^```sh/,/^```/p' "$SOURCE/docs/model/README.md" | sed '/^```/d' >commands
  equals "commands" 2 "$(wc -l <commands)"
  bash -e commands >out 2>&1 || fail "$(tail -n 5 out)"
  contains 'assertion violated' "$(cat out)"
  contains 'trail ends after' "$(cat out)"
}

run_tests "$@"

#!/bin/bash
# docs/beaten.md names tests for each weakness, docs/security.md for each risk; here is whether they are there,
# and have passed.
set -euo pipefail
# shellcheck source=tests/shell/lib.bash
. "$(dirname "$0")/lib.bash"

DOCUMENT=$SOURCE/docs/beaten.md

# Whatever looks like Suite.Test, one name a line.
named_tests() {
  grep -ohE '`[A-Z][A-Za-z0-9]*(/[A-Z][A-Za-z0-9]*)?\.[A-Z*][A-Za-z0-9_/*]*`' "$DOCUMENT" "$SOURCE/docs/security.md" |
    tr -d '`' | sort -u
}

test_every_number_stands_there_once() {
  equals "the numbers" "$(seq 1 59)" "$(sed -nE 's/^\| G([0-9]+) \|.*/\1/p' "$DOCUMENT")"
}

test_every_row_has_four_cells_and_names_a_test() {
  local row
  while IFS= read -r row; do
    grep -qE '^\| G[0-9]+ \| [^|]+ \| [^|]+ \| `[^|]+` \|$' <<<"$row" || fail "not four cells: $row"
  done < <(grep -E '^\| G[0-9]+ ' "$DOCUMENT")
}

test_every_risk_of_the_list_is_answered_by_a_test() {
  local number
  for number in $(seq 1 10); do
    grep -qE "^\| API$number [^|]+ \| [^|]+ \| \`" "$SOURCE/docs/security.md" || fail "API$number"
  done
}

test_each_named_test_exists() {
  # shellcheck disable=SC2046 # a name has no blanks
  expect_tests $(named_tests)
  echo "# the documents name $(named_tests | wc -l) tests"
}

test_each_named_test_has_passed_in_this_run() {
  [ -n "${RELAYER_TEST_RESULTS:-}" ] || skip "allowed: not all tests run this time"
  local name ended
  cut -f1,2 "$RELAYER_TEST_RESULTS" >ended
  cut -f2 ended >names
  for name in $(named_tests); do
    ended=$(standing_for "$name" <names)
    [ -n "$ended" ] || fail "$name did not run"
    while IFS= read -r each; do
      grep -qFx "pass	$each" ended || fail "$each did not pass"
    done <<<"$ended"
  done
}

run_tests "$@"

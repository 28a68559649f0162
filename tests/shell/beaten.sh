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

# Names on stdin that match a name of the document; a * at its end stands for the rest.
standing_for() {
  case $1 in
    *'*') awk -v start="${1%\*}" 'index($0, start) == 1' ;;
    *) grep -Fx -- "$1" || true ;;
  esac
}

# shellcheck source=scripts/gtest.sh
known_tests() {
  local binary
  . "$SOURCE/scripts/gtest.sh"
  for binary in "$(dirname "$RELAYER_BIN")"/tests/*_tests; do gtest_names "$binary"; done
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
  [ -n "${RELAYER_BIN:-}" ] || skip "allowed: RELAYER_BIN is not set; ./test sets it"
  local name
  known_tests >known
  [ "$(wc -l <known)" -gt 1000 ] || fail "the tests are not there to be listed"
  for name in $(named_tests); do
    [ -n "$(standing_for "$name" <known)" ] || fail "no test is named $name"
  done
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

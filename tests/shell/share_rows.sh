#!/bin/bash
# tests/share_rows.txt names tests for each row of the contract of the share scheduler; here is whether the rows are
# all there, and the tests.
set -euo pipefail
# shellcheck source=tests/shell/lib.bash
. "$(dirname "$0")/lib.bash"

TABLE=$SOURCE/tests/share_rows.txt

rows() { grep -v '^#' "$TABLE"; }
named_tests() { rows | sed 's/^.* :: //' | tr ' ' '\n' | sort -u; }

test_every_line_is_a_row_with_its_tests() {
  local row
  while IFS= read -r row; do
    grep -qE '^(http|store|processor|requirement) § [^:]+ ::( [A-Z][A-Za-z0-9_]*(/[A-Z][A-Za-z0-9]*)?\.[A-Z][A-Za-z0-9_]*(/[A-Za-z0-9_]+\*?)?)+$' <<<"$row" || fail "no row: $row"
  done < <(rows)
  equals "rows that stand there twice" "" "$(rows | sed 's/ :: .*//' | sort | uniq -d)"
}

test_the_rows_that_the_contract_numbers_are_all_there() {
  local section count
  while read -r section count; do
    equals "$section" "$(seq 1 "$count")" "$(rows | sed -nE "s/^${section/+/ § } ([0-9]+) :: .*/\1/p")"
  done <<<"http+4.3 17
http+5 9
http+6 3
http+7 4
store+3.1 6
store+4 3
store+7 5
processor+2 11"
  equals "fields of §4.1" 11 "$(rows | grep -c '^http § 4.1 ')"
  equals "rows of §4.2" 12 "$(rows | grep -c '^http § 4.2 ')"
  equals "states" "Received Witnessed Submitted Failed" "$(rows | sed -nE 's/^requirement § state ([A-Za-z]+) .*/\1/p' | paste -sd' ')"
}

test_each_named_test_exists() {
  # shellcheck disable=SC2046 # a name has no blanks
  expect_tests $(named_tests)
  echo "# $(rows | wc -l) rows name $(named_tests | wc -l) tests"
}

run_tests "$@"

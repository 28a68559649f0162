#!/bin/bash
# views/generated is what the templates make, and templates write nothing that is not escaped.
set -euo pipefail
# shellcheck source=tests/shell/lib.bash
. "$(dirname "$0")/lib.bash"

test_views_generated_is_what_the_templates_make() {
  DROGON_CTL='' "$SOURCE/scripts/regenerate-views.sh" --check >log 2>&1 || {
    ! grep -q 'no sources of Drogon' log || skip "allowed: there is no drogon_ctl, and no sources to build it from"
    fail "$(tail -n 20 log)"
  }
}

test_templates_write_what_show_makes_and_nothing_else() {
  local writes
  writes=$(grep -oE '\{%[^%]*%\}' "$SOURCE"/views/*.csp | grep -vE '\{% show\(' || true)
  equals "writes without show()" "" "$writes"
  equals "raw values" "" "$(grep -nE '\[\[[^]]|\$\$|<%view' "$SOURCE"/views/*.csp || true)"
  [ "$(grep -cE '\{% show\(' "$SOURCE/views/request.csp")" -gt 20 ] || fail "the pattern finds nothing"
}

run_tests "$@"

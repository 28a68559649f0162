#!/bin/bash
# models/generated is what the migrations make.
set -euo pipefail
# shellcheck source=tests/shell/lib.bash
. "$(dirname "$0")/lib.bash"

test_models_generated_is_what_the_migrations_make() {
  [ -n "${RELAYER_TEST_FULL:-}" ] || [ -x "$SOURCE/build/drogon-ctl/build/drogon_ctl" ] ||
    skip "allowed: building drogon_ctl takes a minute, only with RELAYER_TEST_FULL=1 (./test --full), once"
  DROGON_CTL='' "$SOURCE/scripts/regenerate-models.sh" --check >log 2>&1 || {
    ! grep -q 'no sources of Drogon' log || skip "allowed: there is no drogon_ctl, and no sources to build it from"
    fail "$(tail -n 20 log)"
  }
}

run_tests "$@"

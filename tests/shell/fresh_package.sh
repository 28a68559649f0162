#!/bin/bash
# full-only: makes a Debian that has nothing, and installs the package of the server there.
set -euo pipefail
# shellcheck source=tests/shell/lib.bash
. "$(dirname "$0")/lib.bash"

# on_a_fresh_machine OPTION: makes the package, and a machine that does with it what the option says
on_a_fresh_machine() {
  local build code=0 suite
  build=$(dirname "${RELAYER_BIN:-$SOURCE/build/release/relayer}")
  [ -f "$build/CPackConfig.cmake" ] || skip "$build is no build folder; ./test makes one"
  cpack --config "$build/CPackConfig.cmake" -B packed >cpack.log 2>&1 || fail "$(tail -n 5 cpack.log)"
  # For the Debian that it was built on.
  # shellcheck disable=SC1091
  suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
  "$SOURCE/scripts/fresh-machine.sh" "$suite" "$1" "$(echo "$T"/packed/drogon-relayer_*.deb)" >out || code=$?
  cat out
  [ $code != 77 ] || skip "$(sed -n 's/^cannot: //p' out)"
  [ $code = 0 ] || fail "$(tail -n 1 out)"
}

test_the_package_installs_serves_and_goes_again() { on_a_fresh_machine --package; }

# deploy/Containerfile, without a container engine.
test_the_image_of_the_package_lives_and_ends_when_asked_to() { on_a_fresh_machine --image; }

# Both stages of it, the one that builds too.
test_the_containerfile_builds_and_serves_without_an_engine() {
  local code=0 suite
  suite=$(sed -n 's/^ARG DEBIAN=//p' "$SOURCE/deploy/Containerfile" | head -1)
  [ -n "$suite" ] || fail "the Containerfile names no Debian"
  "$SOURCE/scripts/fresh-machine.sh" "$suite" --container >out || code=$?
  cat out
  [ $code != 77 ] || skip "$(sed -n 's/^cannot: //p' out)"
  [ $code = 0 ] || fail "$(tail -n 1 out)"
}

run_tests "$@"

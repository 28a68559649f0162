#!/bin/bash
# scripts/setup.sh where everything is there already, and where it may not install what is missing.
set -euo pipefail
# shellcheck source=tests/shell/lib.bash
. "$(dirname "$0")/lib.bash"

SETUP=$SOURCE/scripts/setup.sh

as_nobody() {
  if [ "$(id -u)" = 0 ]; then
    setpriv --reuid=nobody --regid=nogroup --clear-groups env HOME="$T" "$@"
  else
    "$@"
  fi
}

test_a_second_run_takes_less_than_two_seconds() {
  "$SETUP" >/dev/null
  local t0=${EPOCHREALTIME/[.,]/} prefix ms
  prefix=$("$SETUP" --print-prefix)
  ms=$(((${EPOCHREALTIME/[.,]/} - t0) / 1000))
  echo "# setup again: $ms ms"
  [ $ms -lt 2000 ] || fail "it took $ms ms"
  [ -r "$prefix/include/drogon/drogon.h" ] || fail "no Drogon in $prefix"
}

test_without_root_it_prints_the_command_that_root_has_to_run() {
  mkdir fake
  # Nothing is installed, and there is no sudo.
  printf '#!/bin/sh\nexit 1\n' >fake/dpkg-query
  printf '#!/bin/sh\nexit 1\n' >fake/sudo
  chmod 755 fake fake/*
  if [ "$(id -u)" = 0 ]; then as_nobody test -x "$SETUP" || skip "allowed: user nobody cannot read the work tree"; fi
  local code=0
  as_nobody env PATH="$T/fake:$PATH" "$SETUP" >out 2>&1 || code=$?
  equals "exit code" 69 "$code"
  contains "apt-get update && apt-get install -y --no-install-recommends g++ cmake" "$(cat out)"
}

run_tests "$@"

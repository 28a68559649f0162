#!/bin/bash
# Checks docs/model/attempts.pml with spin: each property of the sound model, and that each planted
# bug is found. Bounded in time and memory. Ends with 69 where spin or a C compiler is missing.
set -euo pipefail
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
SECONDS_EACH=${RELAYER_MODEL_SECONDS:-300}
for command in spin gcc; do
  command -v "$command" >/dev/null || { echo "there is no $command here" >&2 && exit 69; }
done
work=$(mktemp -d /var/tmp/drogon-relayer-model.XXXXXX)
trap 'rm -rf "$work"' EXIT
cp "$ROOT/docs/model/attempts.pml" "$work"
cd "$work"

# search PROPERTY FAIRNESS [DEFINE]: what pan says, its last number of errors in $errors.
search() {
  # shellcheck disable=SC2086 # nothing, or one word
  spin -a ${3:-} attempts.pml >spin.log 2>&1 || { cat spin.log && exit 70; }
  gcc -O2 -w -DMEMLIM=1024 -DNFAIR=3 -o pan pan.c
  # shellcheck disable=SC2086 # nothing, or one word
  timeout "$SECONDS_EACH" ./pan -a $2 -m100000 -N "$1" >pan.log 2>&1 || true
  errors=$(sed -n 's/.*errors: \([0-9]*\).*/\1/p' pan.log)
  states=$(sed -n 's/^ *\([0-9.e+]*\) states, stored.*/\1/p' pan.log)
  if [ -z "$errors" ] || grep -q 'max search depth too small\|reached DMEMLIM\|out of memory' pan.log; then
    tail -n 20 pan.log
    echo "not ok $1 ${3:-}: the search did not end within $SECONDS_EACH s and 1 GB"
    exit 1
  fi
}

failed=0
for property in once gapless stays ends; do
  fairness=''
  [ $property != ends ] || fairness=-f
  search $property "$fairness"
  [ "$errors" = 0 ] || failed=1
  echo "$([ "$errors" = 0 ] && echo ok || echo 'not ok') $property holds: $states states, $errors errors"
done
for bug in BUG_SEND_FIRST BUG_NO_GUARD BUG_NO_RECEIPT_LOOK; do
  search once '' -D$bug
  [ "$errors" != 0 ] || failed=1
  echo "$([ "$errors" != 0 ] && echo ok || echo 'not ok') $bug is found: $(sed -n 's/^pan:1: //p' pan.log)"
done
exit $failed

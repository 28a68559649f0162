#!/usr/bin/env bash
# Translates views/*.csp to views/generated/ with drogon_ctl, so that a build needs no drogon_ctl.
#   scripts/regenerate-views.sh            writes views/generated
#   scripts/regenerate-views.sh --check    writes elsewhere and fails when it differs
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$here")
ctl=$("$here/drogon-ctl.sh" --views)

work=$(mktemp -d /var/tmp/relayer-views.XXXXXX)
trap 'rm -rf "$work"' EXIT
mkdir "$work/views"
(cd "$root/views" && "$ctl" create view ./*.csp -o "$work/views" -n relayer::views) >"$work/log" 2>&1 ||
  { cat "$work/log" >&2 && exit 70; }

if [ "${1:-}" = --check ]; then
  diff -r "$work/views" "$root/views/generated" ||
    { echo "views/generated is not what views/*.csp make: run scripts/regenerate-views.sh" >&2; exit 1; }
  exit 0
fi
rm -rf "$root/views/generated"
mkdir -p "$root/views/generated"
cp "$work"/views/* "$root/views/generated/"

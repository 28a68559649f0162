#!/bin/bash
# The vectors of the codecs are what their script makes, byte for byte. It needs node and takes half a
# minute, so what was compared once is not compared again until script or vectors change.
set -euo pipefail
# shellcheck source=tests/shell/lib.bash
. "$(dirname "$0")/lib.bash"

test_vectors_are_what_the_script_makes() {
  command -v node >/dev/null || skip "there is no node here"
  command -v npm >/dev/null || skip "there is no npm here"
  local from=$SOURCE/tests/vectors into=$SOURCE/build/vectors key file
  mkdir -p "$into"
  key=$(cd "$from" && sha256sum ./*.mjs package.json package-lock.json ./*.txt.xz | sha256sum)
  if [ "$(cat "$into/compared" 2>/dev/null || true)" = "$key" ]; then
    echo "# vectors: unchanged since they were compared"
    return 0
  fi
  cp "$from"/*.mjs "$from"/package.json "$from"/package-lock.json "$from"/.npmrc "$into"
  (cd "$into" && timeout 120 npm ci --no-audit --no-fund --ignore-scripts) || skip "npm can not fetch ethers"
  mkdir made
  node "$into/generate.mjs" "$PWD/made"
  for file in "$from"/*.txt.xz; do
    # Unpacked: another xz may pack differently.
    xz -dc "$file" >old
    xz -dc "made/${file##*/}" >new || fail "the script does not make ${file##*/}"
    cmp old new || fail "${file##*/} is not what the script makes: node tests/vectors/generate.mjs"
  done
  equals "number of files" "$(find "$from" -name '*.txt.xz' | wc -l)" "$(find made -name '*.txt.xz' | wc -l)"
  echo "$key" >"$into/compared"
}

run_tests "$@"

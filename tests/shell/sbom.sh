#!/bin/bash
# The list of what is in the server is whole, and is SPDX.
set -euo pipefail
# shellcheck source=tests/shell/lib.bash
. "$(dirname "$0")/lib.bash"

SBOM=$SOURCE/scripts/sbom.sh

needs_program() { [ -x "${RELAYER_BIN:-}" ] || skip "allowed: RELAYER_BIN is not set; ./test sets it"; }

test_names_every_library_with_version_and_licence() {
  needs_program
  "$SBOM" "$RELAYER_BIN" --list >list || fail "a licence is not known: $(cat list)"
  local name
  for name in drogon trantor libboost-dev libpq5 libc6; do
    grep -qE "^$name +[^ ]+ +[A-Z]" list || fail "no line for $name"
  done
  grep -qE '^libjsoncpp[0-9]+ ' list || fail "no line for jsoncpp"
  [ "$(wc -l <list)" -ge 15 ] || fail "so few? $(cat list)"
  equals "lines without a licence" "" "$(awk 'NF < 3' list)"
}

test_is_spdx_that_programs_read() {
  needs_program
  command -v node >/dev/null || skip "allowed: there is no Node.js to read JSON with"
  "$SBOM" "$RELAYER_BIN" >spdx.json
  node -e '
    const d = JSON.parse(require("fs").readFileSync("spdx.json", "utf8"));
    const ids = new Set(d.packages.map((p) => p.SPDXID));
    const bad = [];
    if (d.spdxVersion !== "SPDX-2.3" || d.dataLicense !== "CC0-1.0") bad.push("the head");
    if (ids.size !== d.packages.length) bad.push("two packages of one id");
    for (const id of ids) if (!/^SPDXRef-[a-zA-Z0-9.-]+$/.test(id)) bad.push(id);
    for (const p of d.packages) if (!p.name || !p.versionInfo || !p.licenseDeclared) bad.push(p.name);
    const related = new Set(d.relationships.map((r) => r.relatedSpdxElement));
    for (const id of ids) if (!related.has(id)) bad.push(id + " belongs to nothing");
    if (bad.length) { console.log(bad.join("\n")); process.exit(1); }'
  ! grep -qF "$SOURCE" spdx.json || fail "a path of this machine is in it"
}

run_tests "$@"

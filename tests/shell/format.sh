#!/bin/bash
# The sources are formatted as .clang-format says. Mend with: clang-format-19 -i FILE
set -euo pipefail
# shellcheck source=tests/shell/lib.bash
. "$(dirname "$0")/lib.bash"

test_sources_are_formatted() {
  command -v clang-format-19 >/dev/null || skip "clang-format-19 is not installed"
  [ -f "$SOURCE/.clang-format" ] || skip "there is no .clang-format"
  local files
  cd "$SOURCE"
  # Tracked ones and new ones that git would take; deleted ones are listed too, so ask.
  mapfile -t files < <(git -c safe.directory='*' ls-files -co --exclude-standard -- '*.cc' '*.h' |
    grep -vE '^(models|views)/generated/' | while read -r f; do [ ! -f "$f" ] || echo "$f"; done)
  [ ${#files[@]} -gt 0 ] || skip "no sources"
  clang-format-19 --dry-run -Werror "${files[@]}" 2>"$T/out" ||
    { grep -E 'error:' "$T/out" | cut -d: -f1 | sort | uniq -c; fail "clang-format-19 -i mends: $(sed -n 's/:[0-9]*:[0-9]*: error:.*//p' "$T/out" | sort -u | tr '\n' ' ')"; }
}

run_tests "$@"

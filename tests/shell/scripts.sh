#!/bin/bash
# The scripts themselves: they parse, shellcheck (where installed) has nothing to say, and nothing
# in the repository is tied to one machine or one mirror.
set -euo pipefail
# shellcheck source=tests/shell/lib.bash
. "$(dirname "$0")/lib.bash"

tracked() { git -c safe.directory='*' -C "$SOURCE" ls-files -co --exclude-standard; }

bash_files() {
  local file
  while read -r file; do
    if [[ "$file" = *.sh || "$file" = *.bash ]] || head -c 64 "$SOURCE/$file" 2>/dev/null | head -1 | grep -qa '^#!/bin/bash'; then
      echo "$file"
    fi
  done < <(tracked)
}

test_every_script_parses() {
  local file
  while read -r file; do
    [ ! -f "$SOURCE/$file" ] || bash -n "$SOURCE/$file" || fail "$file does not parse"
  done < <(bash_files)
}

test_shellcheck_has_no_complaints() {
  command -v shellcheck >/dev/null || skip "shellcheck is not installed (scripts/setup.sh --for full)"
  local files
  mapfile -t files < <(bash_files)
  cd "$SOURCE"
  shellcheck -x -S warning "${files[@]}"
}

test_help_texts_name_every_option() {
  local script option text
  for script in run test; do
    text=$("$SOURCE/$script" --help)
    for option in $(grep -oE '^    --[a-z]+(-[a-z]+)*' "$SOURCE/$script" | sort -u); do
      contains "$option" "$text"
    done
  done
}

test_unknown_options_are_refused_with_64() {
  local script code
  for script in run test scripts/setup.sh; do
    code=0
    "$SOURCE/$script" --nonsense >out 2>&1 || code=$?
    equals "$script --nonsense" 64 "$code"
  done
}

# The mirror is the machine's own, and nobody else has our folders.
test_no_mirror_and_no_machine_path_is_written_down() {
  local found
  cd "$SOURCE"
  found=$(tracked | grep -v '^tests/shell/scripts.sh$' | tr '\n' '\0' |
    xargs -0 grep -nIE '(deb|security|ftp|snapshot)[a-z.-]*\.debian\.org|(^|[^[:alnum:]_./-])/(work|root|home/[a-z]+)/[a-z]' 2>/dev/null |
    grep -vE '/home/source/' || true)
  [ -z "$found" ] || { printf '%s\n' "$found"; fail "$(head -1 <<<"$found")"; }
}

run_tests "$@"

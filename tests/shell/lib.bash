# shellcheck shell=bash
# What the tests of the scripts share. A test is a function test_NAME; `run_tests "$@"` at the end of the
# file lists them (--list) or runs them (all, or those in SHELL_TESTS), each in a subshell with an empty
# folder of its own as $T, and prints `ok FILE.NAME`, `not ok FILE.NAME - why` or `skip FILE.NAME - why`.

# shellcheck disable=SC2034 # used by the tests
SOURCE=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
FILE=$(basename "$0" .sh)

# fail WHY: ends the test. check and check_not say it with a command.
fail() {
  printf '%s\n' "$*" >"$T.why"
  exit 1
}
skip() {
  printf '%s\n' "$*" >"$T.why"
  exit 77
}
# equals WHAT EXPECTED ACTUAL
equals() { [ "$2" = "$3" ] || fail "$1: expected '$2', got '$3'"; }
contains() { [[ "$2" == *"$1"* ]] || fail "expected to see '$1' in: $(tail -c 600 <<<"$2")"; }

# At the end of each test, in this order reversed.
AT_END=()
at_end() { AT_END=("$1" "${AT_END[@]}"); }

clean_up() {
  local command
  for command in "${AT_END[@]}"; do eval "$command" || true; done
}

run_one() {
  local name=$1 number=$2
  (
    set -e
    trap clean_up EXIT
    trap 'exit 143' TERM INT
    T=$WORK/$number
    mkdir "$T"
    chmod 755 "$T"
    cd "$T"
    "test_$name"
  )
}

run_tests() {
  local all name number=0 code t0 log
  all=$(declare -F | sed -n 's/^declare -f test_//p')
  if [ "${1:-}" = --list ]; then
    sed "s/^/$FILE./" <<<"$all"
    return 0
  fi
  WORK=$(mktemp -d /var/tmp/drogon-relayer-shelltest.XXXXXX)
  chmod 755 "$WORK" # the user 'postgres' has to get through
  trap 'rm -rf "$WORK"' EXIT
  trap 'exit 143' TERM INT
  for name in $all; do
    [ -z "${SHELL_TESTS:-}" ] || [[ " $SHELL_TESTS " == *" $FILE.$name "* ]] || continue
    number=$((number + 1))
    log=$WORK/$number.log
    t0=${EPOCHREALTIME/[.,]/}
    # Not in a condition: there bash ignores `set -e`.
    set +e
    run_one "$name" "$number" >"$log" 2>&1 </dev/null
    code=$?
    set -e
    local ms=$(((${EPOCHREALTIME/[.,]/} - t0) / 1000)) why
    why=''
    [ ! -f "$WORK/$number.why" ] || why=$(tr '\n' ' ' <"$WORK/$number.why")
    grep -E '^# ' "$log" || true
    case $code in
      0) echo "ok $FILE.$name ($ms ms)" ;;
      77) echo "skip $FILE.$name ($ms ms) - $why" ;;
      *)
        tail -n 60 "$log" | sed 's/^/    | /'
        echo "not ok $FILE.$name ($ms ms) - ${why:-a command failed, see above}"
        ;;
    esac
  done
}

# links_of DOCUMENT: where its links and pictures lead
links_of() {
  sed '/^```/,/^```/d' "$1" | grep -oE '\]\([^) ]+\)|<img src="[^"]+' | sed -E 's/^\]\((.*)\)$/\1/; s/^<img src="//' || true
}

# find_all_links FOLDER: whatever the documents in it link to and show is in it
find_all_links() {
  local document target file folder count=0
  folder=$(readlink -f "$1")
  while IFS= read -r document; do
    while IFS= read -r target; do
      [[ "$target" != http* && "$target" != '#'* ]] || continue
      count=$((count + 1))
      file=$(readlink -m "$(dirname "$document")/${target%%#*}")
      [[ "$file" = "$folder"/* && -e "$file" ]] || echo "${document#"$folder/"} links to $target"
    done < <(links_of "$document")
  done < <(find "$folder" -name '*.md') >dead
  equals "dead links" "" "$(cat dead)"
  [ $count -gt 80 ] || fail "the links are not found"
  echo "# $count links"
}

# shellcheck source=scripts/gtest.sh
known_tests() {
  local binary
  . "$SOURCE/scripts/gtest.sh"
  for binary in "$(dirname "$RELAYER_BIN")"/tests/*_tests; do gtest_names "$binary"; done
}

# Names on stdin that match a name of a document; a * at its end stands for the rest.
standing_for() {
  case $1 in
    *'*') awk -v start="${1%\*}" 'index($0, start) == 1' ;;
    *) grep -Fx -- "$1" || true ;;
  esac
}

# expect_tests NAME...: each is a test of a binary, or stands for some.
expect_tests() {
  [ -n "${RELAYER_BIN:-}" ] || skip "allowed: RELAYER_BIN is not set; ./test sets it"
  local name
  known_tests >known
  [ "$(wc -l <known)" -gt 1000 ] || fail "the tests are not there to be listed"
  for name; do
    [ -n "$(standing_for "$name" <known)" ] || fail "no test is named $name"
  done
}

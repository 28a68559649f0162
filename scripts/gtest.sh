# shellcheck shell=bash
# Runs GoogleTest binaries and the scripts of tests/shell, and collects one line a test. Sourced by ./test.
#
# Each result is a line in $RESULTS: pass|fail|skip TAB name TAB milliseconds TAB reason.

# Where SKIPS_FAIL is set, a skipped test has failed, unless its reason says itself that it is allowed.
record() {
  local result=$1 reason
  reason=$(tr '\t\n' '  ' <<<"${4:-}" | sed 's/ *$//' | cut -c1-500)
  if [ "$result" = skip ] && [ -n "${SKIPS_FAIL:-}" ] && [[ "$reason" != *'allowed: '* ]]; then
    result=fail reason="skipped, which --full takes for a failure: $reason"
  fi
  printf '%s\t%s\t%s\t%s\n' "$result" "$2" "$3" "$reason" >>"$RESULTS"
}

# Names on stdin that match FILTER.
matching() {
  if [ -z "$FILTER" ]; then cat; else grep -iE -- "$FILTER" || true; fi
}

# All tests of a binary, as Suite.Test; disabled ones are not listed.
gtest_names() {
  "$1" --gtest_list_tests 2>/dev/null | awk '
    /^[^ ].*\.( |$)/ { suite = $1; next }
    /^  [^ ]/ { if (suite !~ /(^|\/)DISABLED_/ && $1 !~ /^DISABLED_/) print suite $1 }'
}

# What the XML report says: result, name, milliseconds, reason. A testcase stands on a line of its own.
parse_xml() {
  awk '
    function attr(line, key,   at, rest) {
      at = index(line, " " key "=\"")
      if (!at) return ""
      rest = substr(line, at + length(key) + 3)
      return text(substr(rest, 1, index(rest, "\"") - 1))
    }
    function text(s) {
      gsub(/&lt;/, "<", s); gsub(/&gt;/, ">", s); gsub(/&quot;/, "\"", s); gsub(/&apos;/, "\x27", s)
      gsub(/&#x0[Aa];|&#x9;|&#xD;/, " ", s); gsub(/&amp;/, "\\&", s)
      return s
    }
    function done() {
      if (name != "") printf "%s\t%s\t%d\t%s\n", result, name, ms, reason
      name = ""
    }
    cdata { if (index($0, "]]>")) cdata = 0; next }
    /^ *<testcase / {
      done()
      if (attr($0, "status") == "notrun" || attr($0, "name") == "") next
      name = attr($0, "classname") "." attr($0, "name")
      ms = attr($0, "time") * 1000; result = "pass"; reason = ""
    }
    /^ *<failure / { result = "fail"; if (reason == "") reason = attr($0, "message") }
    /^ *<skipped/ { if (result == "pass") { result = "skip"; reason = attr($0, "message") } }
    /^ *<property / && name != "" { printf "note\t%s\t0\t%s = %s\n", name, attr($0, "name"), attr($0, "value") }
    /<!\[CDATA\[/ && !/\]\]>/ { cdata = 1 }
    /^ *<\/testcase>/ { done() }
    END { done() }' "$1"
}

# The same from the printed output, for a binary that crashed before it wrote its report. A test that
# began and did not end is the one that crashed.
parse_output() {
  awk '
    { sub(/\r$/, "") }
    match($0, /\[ RUN      \] /) { running = substr($0, RSTART + RLENGTH); sub(/ .*/, "", running); said = ""; next }
    running != "" && match($0, /\[       OK \] |\[  FAILED  \] |\[  SKIPPED \] /) {
      word = substr($0, RSTART, RLENGTH); rest = substr($0, RSTART + RLENGTH)
      name = rest; sub(/[ ,].*/, "", name)
      if (name != running) next
      ms = rest; if (!sub(/^.*\(/, "", ms)) next
      sub(/ ms\).*/, "", ms)
      result = word ~ /OK/ ? "pass" : word ~ /SKIPPED/ ? "skip" : "fail"
      printf "%s\t%s\t%d\t%s\n", result, name, ms, result == "pass" ? "" : said
      running = ""
    }
    !/^ *$/ { said = $0; gsub(/\t/, " ", said) }
    END { if (running != "") printf "crash\t%s\t0\t\n", running }' "$1"
}

# What a test printed between its RUN and its FAILED line (or the end, if it crashed).
output_of() {
  awk -v name="$2" '
    index($0, "[ RUN      ] " name) && substr($0, index($0, name)) == name { on = 1; next }
    on && index($0, "] " name) && /\[  FAILED  \]|\[       OK \]|\[  SKIPPED \]/ { exit }
    on' "$1"
}

show_failure() {
  local log=$1 name=$2 text
  printf '\n--- FAILED %s\n' "$name"
  text=$(output_of "$log" "$name")
  # The beginning says what was expected, the end what happened last.
  if [ "$(wc -l <<<"$text")" -gt 160 ]; then
    head -n 100 <<<"$text"
    echo "    ... ($(wc -l <<<"$text") lines, all in $log)"
    tail -n 50 <<<"$text"
  else
    printf '%s\n' "$text"
  fi
  printf -- '---\n'
}

# end_group PGID: a test may have started servers; they are in its group.
end_group() { kill -KILL -- "-$1" 2>/dev/null || true; }

# A file for each group that runs, named by its number, in the folder GROUPS_DIR (none: nobody asks):
# what ./test ends when it is interrupted.
end_groups() {
  local group
  for group in "$GROUPS_DIR"/*; do [ ! -e "$group" ] || end_group "${group##*/}"; done
}

# side_by_side LANES JOB...: runs jobs, each a command as one word for the shell, in their order and so many
# at a time. What a job prints is shown when it has ended, and its results join $RESULTS then.
side_by_side() {
  local lanes=$1 job pid n started=0 code folder
  shift
  folder=$(mktemp -d "$RESULTS.lanes.XXXXXX")
  local -A running=()
  for job in "$@" ''; do
    while [ ${#running[@]} -ge "$lanes" ] || { [ -z "$job" ] && [ ${#running[@]} -gt 0 ]; }; do
      code=0
      wait -n -p pid "${!running[@]}" || code=$?
      n=${running[$pid]}
      unset "running[$pid]"
      cat "$folder/$n.out"
      [ $code = 0 ] || RESULTS=$folder/$n.results record fail "job.$n" 0 "it ended with $(describe_code "$code")"
      cat "$folder/$n.results" >>"$RESULTS"
    done
    [ -n "$job" ] || break
    n=$((++started))
    : >"$folder/$n.results"
    (
      trap - EXIT INT TERM HUP
      RESULTS=$folder/$n.results
      eval "$job"
    ) >"$folder/$n.out" 2>&1 &
    running[$!]=$n
  done
  rm -rf "$folder"
}

# run_limited SECONDS LOG COMMAND...: in a session of its own; after the time a dump of its stacks, if
# there is a debugger, and the end. Sets RUN_CODE (124: out of time).
run_limited() {
  local limit=$1 log=$2 pid start deadline
  shift 2
  RUN_CODE=0
  setsid "$@" >"$log" 2>&1 </dev/null &
  pid=$!
  [ -z "${GROUPS_DIR:-}" ] || : >"$GROUPS_DIR/$pid"
  start=$(process_start "$pid" || true)
  deadline=$(($(now_ms) + limit * 1000))
  (
    while sleep 1; do
      [ "$(process_start "$pid" || true)" = "$start" ] || exit 0
      [ "$(now_ms)" -gt "$deadline" ] || continue
      {
        echo
        echo "### out of time after $limit s"
        if command -v gdb >/dev/null 2>&1; then
          timeout 60 gdb -p "$pid" -batch -nx -ex 'set pagination off' -ex 'thread apply all bt 40' 2>&1 || true
        else
          echo "### (with gdb installed the stacks of its threads would stand here)"
        fi
      } >>"$log"
      touch "$log.timeout"
      kill -ABRT "$pid" 2>/dev/null || true
      sleep 3
      end_group "$pid"
      exit 0
    done
  ) </dev/null >/dev/null 2>&1 &
  local watcher=$!
  { wait "$pid" || RUN_CODE=$?; } 2>/dev/null # bash would print "Aborted" and the command
  # KILL, since TERM could run this shell's own trap in it, if it has only just been forked.
  kill -KILL "$watcher" 2>/dev/null || true
  { wait "$watcher" || true; } 2>/dev/null
  end_group "$pid" # whatever it left behind
  [ -z "${GROUPS_DIR:-}" ] || rm -f "$GROUPS_DIR/$pid"
  if [ -e "$log.timeout" ]; then rm -f "$log.timeout"; RUN_CODE=124; fi
}

describe_code() {
  case $1 in
    124) echo "out of time after $TIME_LIMIT s, killed" ;;
    134) echo 'aborted (SIGABRT)' ;;
    139) echo 'segmentation fault' ;;
    137) echo 'killed (SIGKILL; out of memory?)' ;;
    *) echo "exit code $1" ;;
  esac
}

# share_of SHARE: of the names on stdin those of one share (run_gtest). A suite called ...InRealTime measures
# how late something is: beside other tests it would measure those.
share_of() {
  if [ "$1" = alone ]; then
    awk -F. '$1 ~ /InRealTime$/'
  else
    awk -F. -v k="${1%/*}" -v n="${1#*/}" '
      $1 ~ /InRealTime$/ { next }
      !($1 in place) { place[$1] = suites++ }
      place[$1] % n == k - 1'
  fi
}

# run_gtest TAG BINARY LOGDIR [WRAPPER...]: runs what matches FILTER, once; again only for what stood
# behind a crash. TAG (such as " [asan]") is appended to the names. Where SHARE is set, as K/N, only every
# Nth suite, from the Kth, but those that need the machine for themselves; "alone": only those.
run_gtest() {
  local tag=$1 binary=$2 logs=$3 base names todo round=0 t0 before
  shift 3
  base=$(basename "$binary")
  names=$(gtest_names "$binary" || true)
  if [ -n "${SHARE:-}" ]; then
    base=$base.${SHARE%/*}
    names=$(share_of "$SHARE" <<<"$names")
    [ -n "$names" ] || return 0
  fi
  if [ -z "$names" ] && ! "$binary" --gtest_list_tests >"$logs/$base.list" 2>&1; then
    record fail "$base.starts$tag" 0 "it cannot even list its tests"
    printf '  %-22s cannot start:\n' "$base"
    tail -n 20 "$logs/$base.list" | sed 's/^/    | /'
    return 0
  fi
  todo=$(matching <<<"$names")
  [ -n "$todo" ] || return 0
  t0=$(now_ms)
  before=$(wc -l <"$RESULTS")
  while [ -n "$todo" ] && [ $round -lt 30 ]; do
    local log=$logs/$base.$round.log xml=$logs/$base.$round.xml found=$logs/$base.$round.tsv
    # The selection goes by file: a command line holds 128 KB a word, a list of names may be longer.
    local flags=$logs/$base.$round.flags
    if [ "$todo" = "$names" ] && [ -z "${SHARE:-}" ]; then : >"$flags"; else printf -- '--gtest_filter=%s\n' "$(paste -sd: <<<"$todo")" >"$flags"; fi
    run_limited "$TIME_LIMIT" "$log" "$@" "$binary" "--gtest_flagfile=$flags" "--gtest_output=xml:$xml" --gtest_color=no --gtest_print_time=1
    if [ -s "$xml" ] && grep -q '</testsuites>' "$xml"; then parse_xml "$xml" >"$found"; else parse_output "$log" >"$found"; fi
    local result name ms reason crashed='' failed=0
    while IFS=$'\t' read -r result name ms reason; do
      case $result in
        note) printf '    # %s: %s\n' "$name" "$reason" ;;
        crash)
          crashed=$name
          failed=1
          record fail "$name$tag" 0 "crashed: $(describe_code "$RUN_CODE")"
          show_failure "$log" "$name"
          echo "    ($(describe_code "$RUN_CODE"))"
          ;;
        fail)
          failed=1
          record fail "$name$tag" "$ms" "$reason"
          show_failure "$log" "$name"
          ;;
        *) record "$result" "$name$tag" "$ms" "$reason" ;;
      esac
    done <"$found"
    # What tests measured and want to be seen.
    grep -hE '^# ' "$log" | sed 's/^/    /' || true
    if [ "$RUN_CODE" != 0 ] && [ $failed = 0 ]; then
      # All tests passed and yet it failed: a leak at the end, a sanitizer's report, a global set-up.
      record fail "$base.exits_cleanly$tag" 0 "$(describe_code "$RUN_CODE")"
      printf '\n--- FAILED %s: every test passed, but %s; the end of %s:\n' "$base" "$(describe_code "$RUN_CODE")" "$log"
      tail -n 60 "$log"
      printf -- '---\n'
    fi
    local left
    left=$(comm -23 <(sort -u <<<"$todo") <(awk -F'\t' '$1 != "note" { print $2 }' "$found" | sort -u))
    if [ "$RUN_CODE" = 0 ] || [ -z "$left" ]; then break; fi
    if [ "$left" = "$(sort -u <<<"$todo")" ] || [ "$RUN_CODE" = 124 ] || { [ -s "$xml" ] && [ -z "$crashed" ]; }; then
      # No progress, or no time: what is left did not run, and that is no success.
      while read -r name; do record fail "$name$tag" 0 "did not run: $base ended before ($(describe_code "$RUN_CODE"))"; done <<<"$left"
      echo "    $(wc -l <<<"$left") tests of $base did not run: $(describe_code "$RUN_CODE")"
      break
    fi
    # In the binary's own order.
    todo=$(grep -xFf <(printf '%s\n' "$left") <<<"$names")
    round=$((round + 1))
  done
  summary_line "$base$tag" "$before" "$t0"
}

summary_line() {
  tail -n "+$(($2 + 1))" "$RESULTS" | awk -F'\t' -v what="$1" -v time="$(seconds $(($(now_ms) - $3)))" '
    { n[$1]++ }
    END {
      printf "  %-28s %5d passed", what, n["pass"]
      if (n["fail"]) printf ", %d FAILED", n["fail"]
      if (n["skip"]) printf ", %d skipped", n["skip"]
      printf "   %s s\n", time
    }'
}

# run_shell_test SCRIPT LOGDIR: a script of tests/shell. It lists its tests with --list, runs those in
# SHELL_TESTS, and prints a line `ok NAME`, `not ok NAME - why` or `skip NAME - why` for each.
run_shell_test() {
  local script=$1 logs=$2 base names t0 before log
  base=$(basename "$script" .sh)
  if ! names=$("$script" --list </dev/null) || [ -z "$names" ]; then
    record fail "$base.lists_its_tests" 0 "$script --list failed"
    return 0
  fi
  names=$(matching <<<"$names")
  [ -n "$names" ] || return 0
  log=$logs/shell.$base.log
  t0=$(now_ms)
  before=$(wc -l <"$RESULTS")
  run_limited "$TIME_LIMIT" "$log" env SHELL_TESTS="$(paste -sd' ' <<<"$names")" "$script"
  local word rest name why ms
  while read -r word rest; do
    name=${rest%% *} why='' ms=0
    [[ "$rest" != *' - '* ]] || why=${rest#* - }
    [[ ! "$rest" =~ \(([0-9]+)\ ms\) ]] || ms=${BASH_REMATCH[1]}
    case $word in
      ok) record pass "$name" "$ms" ;;
      skip) record skip "$name" "$ms" "$why" ;;
      *) record fail "$name" "$ms" "$why" ;;
    esac
  done < <(grep -E '^(ok|skip|not ok) ' "$log" | sed -E 's/^not ok /not-ok /')
  grep -E '^# ' "$log" | sed 's/^/    /' || true
  if grep -qE '^not ok ' "$log"; then
    printf '\n--- FAILED, from %s:\n' "$log"
    tail -n 120 "$log"
    printf -- '---\n'
  elif [ "$RUN_CODE" != 0 ]; then
    record fail "$base.ends" 0 "$(describe_code "$RUN_CODE")"
    printf '\n--- FAILED %s: %s\n' "$base" "$(describe_code "$RUN_CODE")"
    tail -n 40 "$log"
    printf -- '---\n'
  fi
  # A name that was asked for and not answered is a failure, not a gap.
  while read -r name; do
    # Not in a pipe: grep ends at the first match, and cut by SIGPIPE, which counts as a failure.
    grep -qxF -- "$name" <(cut -f2 "$RESULTS") || record fail "$name" 0 "it was not reported by $script"
  done <<<"$names"
  summary_line "shell/$base" "$before" "$t0"
}

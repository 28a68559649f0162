#!/bin/bash
# The test runner, with a stand-in for a GoogleTest binary that fails in every way one can.
set -euo pipefail
# shellcheck source=tests/shell/lib.bash
. "$(dirname "$0")/lib.bash"
# shellcheck source=scripts/lib.sh
. "$SOURCE/scripts/lib.sh"
# shellcheck source=scripts/gtest.sh
. "$SOURCE/scripts/gtest.sh"

# Speaks GoogleTest's language: lists, takes its filter from a flag file, prints, writes a report.
# A test called Crashes kills the process, Fails fails, Skips is skipped, Hangs sleeps, Leaks makes the
# exit code 23 after all is done.
make_binary() {
  cat >"$T/fake_tests" <<'X'
#!/bin/bash
tests=${FAKE_TESTS:-'S.First S.Fails S.Skips S.Second S.Crashes S.Third In/P.Leaks/0 Z.Hangs Z.Last'}
for a in "$@"; do
  case $a in
    --gtest_list_tests)
      last=''
      for t in $tests; do
        [ "${t%%.*}" = "$last" ] || echo "${t%%.*}."
        last=${t%%.*}
        echo "  ${t#*.}"
      done
      exit 0 ;;
    --gtest_flagfile=*) filter=$(sed -n 's/^--gtest_filter=//p' "${a#*=}") ;;
    --gtest_output=xml:*) xml=${a#*xml:} ;;
  esac
done
code=0 body=''
for t in $tests; do
  [ -z "$filter" ] || [[ ":$filter:" == *":$t:"* ]] || continue
  echo "[ RUN      ] $t"
  case $t in
    *Crashes) echo 'the last words'; kill -SEGV $$ ;;
    *Hangs) sleep 30 ;;
    *Leaks*) code=23 ;;
  esac
  suite=${t%%.*} name=${t#*.}
  head="    <testcase name=\"$name\" status=\"run\" result=\"completed\" time=\"0.25\" classname=\"$suite\""
  case $t in
    *Fails) echo 'expected 1 & got 2'; echo "[  FAILED  ] $t (250 ms)"; code=1
      body+="$head>"$'\n'"      <failure message=\"a.cc:1&#x0A;expected 1 &amp; got 2\" type=\"\"><![CDATA[a.cc:1"$'\n'"    <testcase name=\"not one\" classname=\"X\" status=\"run\"/>"$'\n'"]]></failure>"$'\n'"    </testcase>"$'\n' ;;
    *Skips) echo 'no anvil here'; echo; echo "[  SKIPPED ] $t (0 ms)"
      body+="$head>"$'\n'"      <skipped message=\"a.cc:2&#x0A;no anvil here\"><![CDATA[x]]></skipped>"$'\n'"    </testcase>"$'\n' ;;
    *) echo "[       OK ] $t (250 ms)"; body+="$head />"$'\n' ;;
  esac
done
printf '<testsuites>\n%s</testsuites>\n' "$body" >"$xml"
exit $code
X
  chmod +x "$T/fake_tests"
  mkdir -p logs
  RESULTS=$T/results
  : >"$RESULTS"
  FILTER='' TIME_LIMIT=20
}
result_of() { awk -F'\t' -v n="$1" '$2 == n { print $1 }' "$RESULTS"; }
reason_of() { awk -F'\t' -v n="$1" '$2 == n { print $4 }' "$RESULTS"; }

test_results_and_reasons_are_those_of_the_report() {
  make_binary
  FILTER='s.first|s.fails|s.skips'
  run_gtest '' ./fake_tests logs >out
  equals "results" 3 "$(wc -l <"$RESULTS")"
  equals S.First pass "$(result_of S.First)"
  equals S.Fails fail "$(result_of S.Fails)"
  contains 'expected 1 & got 2' "$(reason_of S.Fails)"
  equals S.Skips skip "$(result_of S.Skips)"
  contains 'no anvil here' "$(reason_of S.Skips)"
  contains '--- FAILED S.Fails' "$(cat out)"
}

test_where_skips_fail_only_those_that_say_they_are_allowed_are_skipped() {
  make_binary
  # shellcheck disable=SC2034 # used by scripts/gtest.sh
  SKIPS_FAIL=1
  FILTER='s.skips|s.first'
  run_gtest '' ./fake_tests logs >out
  equals S.Skips fail "$(result_of S.Skips)"
  contains 'no anvil here' "$(reason_of S.Skips)"
  equals S.First pass "$(result_of S.First)"
  sed 's/no anvil here/allowed: & and none for this Debian/' fake_tests >other && mv other fake_tests && chmod +x fake_tests
  : >"$RESULTS"
  run_gtest '' ./fake_tests logs >out
  equals S.Skips skip "$(result_of S.Skips)"
}

test_a_script_that_skips_has_failed_where_skips_fail() {
  make_binary
  printf '%s\n' '#!/bin/bash' 'if [ "${1:-}" = --list ]; then printf "%s\n" x.one x.two && exit 0; fi' \
    'echo "skip x.one (1 ms) - there is no spin here"' 'echo "skip x.two (1 ms) - allowed: needs root"' >x.sh
  chmod +x x.sh
  run_shell_test ./x.sh logs >out
  equals x.one skip "$(result_of x.one)"
  : >"$RESULTS"
  # shellcheck disable=SC2034 # used by scripts/gtest.sh
  SKIPS_FAIL=1
  run_shell_test ./x.sh logs >out
  equals x.one fail "$(result_of x.one)"
  equals x.two skip "$(result_of x.two)"
}

test_a_script_is_found_to_have_reported_however_many_tests_there_are() {
  make_binary
  printf '%s\n' '#!/bin/bash' 'if [ "${1:-}" = --list ]; then echo x.one && exit 0; fi' 'echo "ok x.one (1 ms)"' >x.sh
  chmod +x x.sh
  # More than a pipe holds behind the line that is looked for.
  { printf 'pass\tx.one\t1\t\n' && seq -f $'pass\tOther.Test%g\t1\t' 30000; } >"$RESULTS"
  run_shell_test ./x.sh logs >out
  equals "failed" "" "$(awk -F'\t' '$1 == "fail"' "$RESULTS")"
}

test_shares_of_a_binary_are_all_of_it_and_no_suite_is_divided() {
  make_binary
  FILTER='s.first|s.second|leaks|last'
  SHARE=1/2 run_gtest '' ./fake_tests logs >out
  equals "the first share" "S.First S.Second Z.Last" "$(cut -f2 "$RESULTS" | paste -sd' ')"
  SHARE=2/2 run_gtest '' ./fake_tests logs >out
  equals "the other one" pass "$(result_of In/P.Leaks/0)"
  equals "together" 1 "$(cut -f2 "$RESULTS" | grep -c '^S.First$')"
  [ -s logs/fake_tests.1.0.log ] && [ -s logs/fake_tests.2.0.log ] || fail "their logs are apart"
}

test_what_measures_lateness_is_in_no_share_and_runs_alone() {
  make_binary
  export FAKE_TESTS='S.First LateInRealTime.Wakes Z.Last'
  local share
  for share in 1/2 2/2; do SHARE=$share run_gtest '' ./fake_tests logs >out; done
  equals "the shares" "S.First Z.Last" "$(cut -f2 "$RESULTS" | paste -sd' ')"
  SHARE=alone run_gtest '' ./fake_tests logs >out
  equals "alone" "S.First Z.Last LateInRealTime.Wakes" "$(cut -f2 "$RESULTS" | paste -sd' ')"
  : >"$RESULTS"
  FAKE_TESTS='S.First' SHARE=alone run_gtest '' ./fake_tests logs >out
  equals "of a binary without such" "" "$(cat "$RESULTS")"
}

test_jobs_run_side_by_side_and_what_they_print_does_not_mix() {
  make_binary
  mkfifo to_one to_two
  # Each waits for the other, so neither comes to its end alone; a third finds a place afterwards.
  side_by_side 2 'echo first; echo x >to_two; read -r _ <to_one; record pass a.one 1; echo second' \
    'read -r _ <to_two; echo x >to_one; record pass a.two 1; echo third' \
    'record fail a.three 1 "no luck"; exit 3' >out
  equals "one by one" "first second" "$(grep -E 'first|second' out | paste -sd' ')"
  [ "$(paste -sd' ' out)" = "first second third" ] || [ "$(paste -sd' ' out)" = "third first second" ] || fail "$(cat out)"
  equals a.one pass "$(result_of a.one)"
  equals a.two pass "$(result_of a.two)"
  equals a.three fail "$(result_of a.three)"
  equals "a job that fails" fail "$(result_of job.3)"
}

test_a_crash_is_named_and_the_tests_behind_it_run() {
  make_binary
  FILTER='^s\.'
  run_gtest '' ./fake_tests logs >out
  equals "results" 6 "$(wc -l <"$RESULTS")"
  equals S.Crashes fail "$(result_of S.Crashes)"
  contains 'segmentation fault' "$(reason_of S.Crashes)"
  contains 'the last words' "$(cat out)"
  equals "before the crash" pass "$(result_of S.Second)"
  equals "behind the crash" pass "$(result_of S.Third)"
  equals "failed before the crash" fail "$(result_of S.Fails)"
  contains 'no anvil here' "$(reason_of S.Skips)"
}

test_a_hanging_test_is_ended_and_what_did_not_run_has_failed() {
  make_binary
  FILTER='^z\.' TIME_LIMIT=1
  run_gtest '' ./fake_tests logs >out
  equals Z.Hangs fail "$(result_of Z.Hangs)"
  contains 'out of time' "$(reason_of Z.Hangs)"
  equals Z.Last fail "$(result_of Z.Last)"
  contains 'did not run' "$(reason_of Z.Last)"
}

test_a_bad_exit_code_after_passing_tests_is_a_failure() {
  make_binary
  FILTER='leaks'
  run_gtest ' [asan]' ./fake_tests logs >out
  equals "the test" pass "$(result_of 'In/P.Leaks/0 [asan]')"
  equals "the exit" fail "$(result_of 'fake_tests.exits_cleanly [asan]')"
}

test_a_binary_that_does_not_start_is_a_failure() {
  make_binary
  printf '#!/bin/sh\necho cannot load\nexit 127\n' >fake_tests
  run_gtest '' ./fake_tests logs >out
  equals "result" fail "$(result_of fake_tests.starts)"
  contains 'cannot load' "$(cat out)"
}

test_scripts_that_keep_silent_about_a_test_have_failed_it() {
  make_binary
  printf '#!/bin/bash\nif [ "${1:-}" = --list ]; then printf "x.a\\nx.b\\nx.c\\n"; exit; fi\necho "ok x.a (5 ms)"; echo "not ok x.b (6 ms) - for a reason"\n' >x.sh
  chmod +x x.sh
  run_shell_test ./x.sh logs >out
  equals x.a pass "$(result_of x.a)"
  equals x.b fail "$(result_of x.b)"
  equals reason 'for a reason' "$(reason_of x.b)"
  equals x.c fail "$(result_of x.c)"
}

run_tests "$@"

#!/bin/bash
# The report of the benchmarks: it shows what was recorded, its pictures are XML, and the committed one names
# every benchmark that there is.
set -euo pipefail
# shellcheck source=tests/shell/lib.bash
. "$(dirname "$0")/lib.bash"

REPORT=$SOURCE/scripts/bench-report.sh

# record BENCH SECTION NAME VALUE UNIT BASELINE BASELINE_VALUE RATIO TARGET
record() { (
  IFS=$'\t'
  printf '%s\n' "$*" >>records
); }

made_up_records() {
  printf '# Processor\tof a test, 3 cores\n' >records
  record bench_zebra Stripes 'count <& "all">' 4321 stripes '' 0 0 ''
  record bench_http Accepting 'posts & polls' 1234.5 requests/s 'less <than> "nothing"' 617.25 2 'at least 1.5'
  record bench_http Accepting late 30.04 ms 'a bare route' 10 3.004 'at most 2'
  record bench_http Polling cheap 0.001234 us 'a bare route' 123456 0.00000001 ''
  record bench_end_to_end 'End to end' all 66.66 requests/s 'without us' 72.7 0.917 'at least 0.7'
}

# Every tag is closed by its own, in one root, and & and < stand only where they may.
well_formed() {
  awk '
    { text = text $0 "\n" }
    END {
      while (match(text, /<[^>]*>/)) {
        between = substr(text, 1, RSTART - 1); tag = substr(text, RSTART + 1, RLENGTH - 2)
        text = substr(text, RSTART + RLENGTH)
        gsub(/&(amp|lt|gt|quot|apos);/, "", between)
        if (between ~ /[&<>]/) bad = "text: " between
        attributes = tag
        gsub(/&(amp|lt|gt|quot|apos);/, "", attributes)
        gsub(/="[^"&<>]*"/, "", attributes)
        if (attributes ~ /[="&<]/) bad = "attributes: " tag
        name = tag; sub(/^\//, "", name); sub(/[ \/].*$/, "", name); sub(/\n.*/, "", name)
        if (tag ~ /^\//) { if (open[depth--] != name) bad = "closed and not open: " name }
        else { if (depth == 0) ++roots; if (tag !~ /\/$/) open[++depth] = name }
      }
      if (depth != 0) bad = "left open: " open[depth]
      if (roots != 1) bad = roots " roots"
      if (text ~ /[^ \n]/) bad = "behind the end: " text
      if (bad != "") { print bad; exit 1 }
    }' "$1"
}

test_the_report_shows_what_was_recorded() {
  local page row
  made_up_records
  "$REPORT" --from=records --into=out >log 2>&1 || fail "$(cat log)"
  page=$(<out/benchmarks.md)
  for row in \
    'Processor: of a test, 3 cores' \
    '| posts & polls | 1234 requests/s | 617 requests/s, less <than> "nothing" | 2.00 | at least 1.5 |' \
    '| late | 30.0 ms | 10.0 ms, a bare route | 3.00 | at most 2: **missed** |' \
    '| cheap | 0.0012 us | 123456 us, a bare route | 1e-08 |  |' \
    '| all | 66.7 requests/s | 72.7 requests/s, without us | 0.92 | at least 0.7 |' \
    '| count <& "all"> | 4321 stripes |  |  |  |' \
    '| End to end: all | without us | 0.92 | at least 0.7 |' \
    '| Accepting: late | a bare route | 3.00 | at most 2: **missed** |'; do
    contains "$row" "$page"
  done
  # End to end first, and what nobody gave a title last.
  equals "the order" 'From POST to completed,Accepting and polling,bench_zebra' \
    "$(sed -n 's/^## //p' out/benchmarks.md | tail -n 3 | paste -sd,)"
  [[ "$page" != *"busy"* ]] || fail "it says that the machine was busy, which nobody recorded"
  printf '# busy\tyes\n' >>records
  "$REPORT" --from=records --into=out >log 2>&1 || fail "$(cat log)"
  contains 'busy with other work' "$(<out/benchmarks.md)"
}

test_its_pictures_are_xml() {
  local picture why
  made_up_records
  "$REPORT" --from=records --into=out >log 2>&1 || fail "$(cat log)"
  # Nothing is drawn of what stands beside nothing.
  equals "the pictures" 'bench_end_to_end.svg bench_http.svg' "$(cd out/images/bench && echo *)"
  for picture in out/images/bench/*.svg "$SOURCE"/docs/images/bench/*.svg; do
    why=$(well_formed "$picture") || fail "$picture: $why"
  done
  contains '1234 requests/s</text>' "$(<out/images/bench/bench_http.svg)"
  contains 'less &lt;than&gt; &quot;nothing&quot;' "$(<out/images/bench/bench_http.svg)"
  # What checks them sees when they are not.
  echo '<svg><text>a & b</text></svg>' >bad
  ! well_formed bad >why || fail "a bare & passes for XML"
  echo '<svg><text>a</svg>' >bad
  ! well_formed bad >why || fail "a tag that is left open passes for XML"
}

test_records_that_are_none_are_refused() {
  local code=0
  printf '# Processor\tx\n' >records
  "$REPORT" --from=records --into=out >log 2>&1 || code=$?
  equals "without a record" 65 "$code"
  [ ! -e out/benchmarks.md ] || fail "a report of nothing was written"
  code=0
  "$REPORT" --from=nowhere --into=out >log 2>&1 || code=$?
  equals "without a file" 66 "$code"
  code=0
  "$REPORT" --nonsense >log 2>&1 || code=$?
  equals "an unknown option" 64 "$code"
}

test_the_committed_report_names_every_benchmark() {
  local source bench page picture
  page=$(<"$SOURCE/docs/benchmarks.md")
  for source in "$SOURCE"/bench/bench_*.cc; do
    bench=$(basename "$source" .cc)
    grep -q 'record(\|recordRates(' "$source" || fail "$bench records nothing"
    contains "\`$bench\`: " "$page"
  done
  for bench in $(sed -n 's/^`\(bench_[a-z_]*\)`: .*/\1/p' <<<"$page"); do
    [ -e "$SOURCE/bench/$bench.cc" ] || fail "there is no $bench any more"
  done
  for picture in "$SOURCE"/docs/images/bench/*.svg; do
    contains "images/bench/$(basename "$picture")" "$page"
  done
}

run_tests "$@"

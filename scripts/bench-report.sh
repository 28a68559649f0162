#!/bin/bash
# Runs the benchmarks and writes what they measured: docs/benchmarks.md, with a picture for each in
# docs/images/bench. What is measured beside what, and the targets, stand in bench/bench_*.cc.
set -euo pipefail
LIB_TAG=bench
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"

usage() {
  cat <<'X'
scripts/bench-report.sh [--full] [--from=FILE] [--into=DIR]

  (nothing)     runs `./test --bench`, which takes about ten minutes, and writes the report
  --full        the same with larger sizes and longer rounds (RELAYER_BENCH_FULL=1)
  --from=FILE   measures nothing: writes the report from these records
  --into=DIR    writes into this folder instead of docs/

The records stay in build/bench-records.tsv. Exit code 1 when a benchmark failed or missed its target; the
report is written then, too, and says so.
X
}

full='' from='' into=$ROOT/docs
for argument in "$@"; do
  case $argument in
    --full) full=1 ;;
    --from=*) from=${argument#*=} ;;
    --into=*) into=${argument#*=} ;;
    -h | --help) usage && exit 0 ;;
    *) usage >&2 && die 64 "unknown option: $argument" ;;
  esac
done
[ -z "$from" ] || [ -r "$from" ] || die 66 "there is no file $from"

# The order of the report, and what stands above each part. One that is not here comes last.
titles() {
  cat <<'TABLE'
bench_end_to_end	From POST to completed
bench_http	Accepting and polling
bench_long_poll	Waiting for a job
bench_recovery	A start after a crash
bench_queue	Positions in a queue
bench_memory	Memory of a live request
bench_tx_engine	The way to the chain
bench_store	The store
bench_metrics	What counting costs
bench_retry_after	When clients are told to come again
bench_codecs	Codecs
TABLE
}

# Lines `# KEY VALUE` (tab-separated) before the records: where and of what they are.
describe() {
  local load cores
  load=$(cut -d' ' -f1-3 /proc/loadavg) cores=$(nproc)
  printf '# %s\t%s\n' \
    Date "$(date -u +%F)" \
    Commit "$(git -c safe.directory='*' -C "$ROOT" rev-parse --short=12 HEAD 2>/dev/null || echo unknown)" \
    Processor "$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -1), $cores cores" \
    Memory "$(awk '/^MemTotal/ { printf "%.0f GiB", $2 / 1048576 }' /proc/meminfo)" \
    Kernel "$(uname -sr)" \
    Compiler "$(c++ --version | head -1)" \
    PostgreSQL "$(pg_config --version 2>/dev/null || psql --version 2>/dev/null || echo unknown)" \
    Drogon "$(awk '{ print $2 }' "$ROOT/build/deps/release/.stamp" 2>/dev/null || echo unknown)" \
    'Load average at the start' "$load"
  # What others do with the machine, as far as it shows before we begin.
  awk -v cores="$cores" '{ if ($1 > cores / 2) print "# busy\tyes" }' /proc/loadavg
}

# The head comment of a benchmark up to its first empty line: what is measured beside what.
told_by() {
  local source=$ROOT/bench/$1.cc
  [ -r "$source" ] || return 0
  awk '!/^\/\/ ./ { exit } { sub(/^\/\/ /, ""); print }' "$source"
}

# In the order of titles(), then whatever else there is.
measured_benches() {
  local measured
  measured=$(awk -F'\t' '!/^#/ && !seen[$1]++ { print $1 }' "$1")
  titles | cut -f1 | grep -xF -- "$measured" || true
  grep -vxFf <(titles | cut -f1) <<<"$measured" || true
}

title_of() {
  local title
  title=$(titles | awk -F'\t' -v bench="$1" '$1 == bench { print $2 }')
  echo "${title:-$1}"
}

# A number as people read it, and whether a ratio keeps its target; for both awk programs below.
NUMBERS='
  function shown(x) {
    if (x == 0) return "0"
    if (x >= 100 || x <= -100) return sprintf("%.0f", x)
    if (x >= 10 || x <= -10) return sprintf("%.1f", x)
    if (x >= 0.01 || x <= -0.01) return sprintf("%.2f", x)
    return sprintf("%.2g", x)
  }
  function missed(ratio, target,   limit) {
    limit = target
    sub(/^[a-z ]*/, "", limit)
    return target ~ /^at least/ ? ratio + 0 < limit + 0 : target ~ /^at most/ ? ratio + 0 > limit + 0 : 0
  }'

table_of() {
  awk -F'\t' -v bench="$2" "$NUMBERS"'
    $1 != bench { next }
    $2 != section {
      section = $2
      printf "\n**%s**\n\n| | ours | beside it | ratio | target |\n|---|---:|---|---:|---|\n", section
    }
    {
      beside = $6 == "" ? "" : shown($7) " " $5 ", " $6
      target = $9 == "" ? "" : $9 (missed($8, $9) ? ": **missed**" : "")
      printf "| %s | %s %s | %s | %s | %s |\n", $3, shown($4), $5, beside, $8 == 0 ? "" : shown($8), target
    }' "$1"
}

# What has a target.
verdicts_of() {
  awk -F'\t' -v bench="$2" "$NUMBERS"'
    $1 == bench && $9 != "" {
      printf "| %s: %s | %s | %s | %s |\n", $2, $3, $6, shown($8), $9 (missed($8, $9) ? ": **missed**" : "")
    }' "$1"
}

# Two bars for each record with a baseline. Those of one unit in a section share a scale, unless they are
# too far apart to be seen together.
picture_of() {
  awk -F'\t' -v bench="$2" -v title="$3" "$NUMBERS"'
    function text(s) {
      gsub(/&/, "\\&amp;", s); gsub(/</, "\\&lt;", s); gsub(/>/, "\\&gt;", s); gsub(/"/, "\\&quot;", s)
      return s
    }
    function larger(a, b) { return a > b ? a : b }
    function bar(y, kind, value, scale, unit, who,   width) {
      width = larger(1, 310 * value / scale)
      printf "<rect class=\"%s\" x=\"290\" y=\"%d\" width=\"%.1f\" height=\"11\" rx=\"2\"/>\n", kind, y, width
      printf "<text class=\"small\" x=\"%.1f\" y=\"%d\">%s</text>\n", 296 + width, y + 9.5, text(shown(value) " " unit (who == "" ? "" : ", " who))
    }
    $1 != bench || $6 == "" { next }
    {
      ++n
      section[n] = $2; name[n] = $3; ours[n] = $4 < 0 ? 0 : $4; unit[n] = $5; who[n] = $6; theirs[n] = $7
      most = larger(ours[n], theirs[n])
      key = $2 SUBSEP $5
      if (most > high[key]) high[key] = most
      if (!(key in low) || most < low[key]) low[key] = most
    }
    END {
      height = 34
      for (i = 1; i <= n; ++i) height += 36 + (section[i] != section[i - 1] ? 30 : 0)
      printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 860 %d\" role=\"img\" aria-label=\"%s\">\n", height, text(title)
      print "<style>"
      print "text { font: 13px system-ui, sans-serif; fill: #1f2328 } .small { font-size: 11px } .head { font-weight: 600 }"
      print ".ours { fill: #2f6fd0 } .beside { fill: #9aa4af }"
      print "@media (prefers-color-scheme: dark) { text { fill: #e6edf3 } .ours { fill: #5b9bf5 } .beside { fill: #6e7781 } }"
      print "</style>"
      print "<rect class=\"ours\" x=\"10\" y=\"9\" width=\"11\" height=\"11\" rx=\"2\"/><text class=\"small\" x=\"26\" y=\"18\">ours</text>"
      print "<rect class=\"beside\" x=\"66\" y=\"9\" width=\"11\" height=\"11\" rx=\"2\"/><text class=\"small\" x=\"82\" y=\"18\">beside it, in the same run</text>"
      y = 30
      for (i = 1; i <= n; ++i) {
        if (section[i] != section[i - 1]) {
          printf "<text class=\"head\" x=\"10\" y=\"%d\">%s</text>\n", y + 18, text(section[i])
          y += 30
        }
        key = section[i] SUBSEP unit[i]
        scale = high[key] > 500 * low[key] ? larger(ours[i], theirs[i]) : high[key]
        if (scale <= 0) scale = 1
        printf "<text x=\"280\" y=\"%d\" text-anchor=\"end\">%s</text>\n", y + 17, text(name[i])
        bar(y, "ours", ours[i], scale, unit[i], "")
        bar(y + 14, "beside", theirs[i], scale, unit[i], who[i])
        y += 36
      }
      print "</svg>"
    }' "$1"
}

write_report() {
  local records=$1 bench title
  cat <<'X'
# Benchmarks

What it costs and what it gives, each number beside something that does the same or less, in the same run. Times
depend on the machine; the ratios are what to look at. What is measured, and how, is said at the head of each
`bench/bench_*.cc`. Both sides run in turn, several times: values shown are medians, and a ratio of rates is the
median of the ratios of each round, so it may differ from that of the two medians beside it.

This page is written by a program, from a run of all of them. To repeat it on your machine:

```sh
scripts/bench-report.sh
```

`./test --bench` runs them without a report, and `./test --bench end_to_end` one of them. Each ends with an error
when it misses its target; `bench_tx_engine` when it is below a floor ([decisions](decisions.md), 46).

## The machine

X
  awk -F'\t' '/^# / && $1 != "# busy" { sub(/^# /, "", $1); printf "%s%s: %s", any++ ? "  \n" : "", $1, $2 } END { print "" }' "$records"
  if grep -q '^# busy' "$records"; then
    printf '\n**It was busy with other work meanwhile**, so numbers are lower, and latencies longer, than it can do, and\n'
    printf 'ratios come with more noise.\n'
  fi
  printf '\n## What is judged\n\n| | beside | ratio | target |\n|---|---|---:|---|\n'
  for bench in $(measured_benches "$records"); do verdicts_of "$records" "$bench"; done
  for bench in $(measured_benches "$records"); do
    title=$(title_of "$bench")
    printf '\n## %s\n\n`%s`: ' "$title" "$bench"
    told_by "$bench"
    if [ -e "$into/images/bench/$bench.svg" ]; then printf '\n![%s](images/bench/%s.svg)\n' "$title" "$bench"; fi
    table_of "$records" "$bench"
  done
}

code=0
if [ -z "$from" ]; then
  from=$ROOT/build/bench-records.tsv
  mkdir -p "$ROOT/build"
  describe >"$from"
  RELAYER_BENCH_RECORDS=$from RELAYER_BENCH_FULL=$full "$ROOT/test" --bench || code=1
fi
grep -qv '^#' "$from" || die 65 "there are no records in $from"
mkdir -p "$into/images/bench"
rm -f "$into"/images/bench/bench_*.svg
for bench in $(measured_benches "$from"); do
  # Of one without a baseline there is nothing to draw.
  awk -F'\t' -v bench="$bench" '$1 == bench && $6 != "" { found = 1 } END { exit !found }' "$from" || continue
  picture_of "$from" "$bench" "$(title_of "$bench")" >"$into/images/bench/$bench.svg"
done
write_report "$from" >"$into/benchmarks.md"
say "written: $into/benchmarks.md"
exit $code

# shellcheck shell=bash
# What run, test, .ci/run and the scripts in this folder share. Sourced, never run.

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)

# Compilers and apt print translated text otherwise, and some of it is searched.
export LC_ALL=C.UTF-8

LIB_STARTED=${EPOCHREALTIME/[.,]/}
LIB_TAG=${LIB_TAG:-relayer}

# Seconds with one digit since this script started.
elapsed() {
  local us=$((${EPOCHREALTIME/[.,]/} - LIB_STARTED))
  printf '%d.%d' $((us / 1000000)) $((us / 100000 % 10))
}

# Milliseconds of a steady-enough clock, for measuring parts.
now_ms() { echo $((${EPOCHREALTIME/[.,]/} / 1000)); }
seconds() { printf '%d.%d' $(($1 / 1000)) $(($1 / 100 % 10)); }

# Progress goes to stderr: stdout belongs to answers (--print-prefix, url) that other scripts read.
say() { printf '[%s %5s s] %s\n' "$LIB_TAG" "$(elapsed)" "$*" >&2; }
warn() { printf '[%s %5s s] WARNING: %s\n' "$LIB_TAG" "$(elapsed)" "$*" >&2; }

# die CODE MESSAGE...: further arguments are lines of their own.
die() {
  local code=$1
  shift
  printf '[%s %5s s] ERROR: %s\n' "$LIB_TAG" "$(elapsed)" "$1" >&2
  shift
  local line
  for line in "$@"; do printf '    %s\n' "$line" >&2; done
  exit "$code"
}

# show_tail FILE [LINES]: the end of a log, indented, so that the reader sees where it ends.
show_tail() {
  [ -s "$1" ] || { echo "    (nothing in $1)" >&2; return 0; }
  tail -n "${2:-25}" "$1" | sed 's/^/    | /' >&2
}

is_root() { [ "$EUID" = 0 ]; }

# sudo is used only when it asks nothing: these scripts run without a terminal too.
can_be_root() { is_root || { command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; }; }
as_root() { if is_root; then "$@"; else sudo -n "$@"; fi; }

# The packages among the arguments that are not installed, one a line.
missing_packages() {
  local installed
  installed=$(dpkg-query -W -f='${binary:Package} ${db:Status-Status}\n' "$@" 2>/dev/null |
    awk '$2 == "installed" { sub(/:.*/, "", $1); print $1 }' || true)
  local p
  for p in "$@"; do grep -qxF -- "$p" <<<"$installed" || printf '%s\n' "$p"; done
}

# The start time of a process in ticks since boot: together with the pid it names a process for as
# long as the machine is up, which the pid alone does not (numbers are used again).
process_start() {
  local stat
  stat=$(cat "/proc/$1/stat" 2>/dev/null) || return 1
  stat=${stat##*) } # the command's name may hold blanks and brackets
  local fields
  read -ra fields <<<"$stat"
  [ "${fields[0]}" != Z ] || return 1
  printf '%s\n' "${fields[19]}"
}

boot_id() { cat /proc/sys/kernel/random/boot_id 2>/dev/null || echo unknown; }

# Does something listen on this TCP port? /proc tells without touching the listener; where it shows
# nothing (some sandboxes) a connection tells.
port_inode() {
  local hex
  hex=$(printf ':%04X' "$1")
  # Not a pipe: its first part would fail when awk has seen enough, and with it the whole.
  awk -v p="$hex" '$4 == "0A" && substr($2, length($2) - 4) == p { print $10; found = 1; exit } END { exit !found }' \
    <(cat /proc/net/tcp /proc/net/tcp6 2>/dev/null)
}
port_in_use() {
  port_inode "$1" >/dev/null || (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null
}

# Who listens on this port, in words.
port_holder() {
  local inode fd pid
  if inode=$(port_inode "$1"); then
    fd=$(find /proc/[0-9]*/fd -maxdepth 1 -lname "socket:\[$inode\]" -print -quit 2>/dev/null || true)
    if [ -n "$fd" ]; then
      pid=${fd#/proc/}
      pid=${pid%%/*}
      printf 'process %s: %s' "$pid" "$(tr '\0' ' ' <"/proc/$pid/cmdline" | cut -c1-120)"
      return
    fi
  fi
  printf 'a process that this user may not see'
}

# The port in the line `listening on http://ADDRESS:PORT`, the first in what is read. Not out of /proc: the
# relayer's descriptors are closed to all but root, since it is not dumpable.
listening_port() { sed -n 's#^listening on http://[^ ]*:\([0-9][0-9]*\).*#\1#p' | sed -n 1p | grep .; }

# Below the range that the kernel hands out for outgoing connections, so none of those can sit on it.
free_port() {
  local p
  for p in $(shuf -i 20000-29999 -n 100); do
    port_in_use "$p" || { echo "$p"; return 0; }
  done
  return 1
}

# rotate FILE BYTES: keeps one predecessor of a log that grew too long.
rotate() {
  local size
  size=$(stat -c %s "$1" 2>/dev/null || echo 0)
  [ "$size" -lt "$2" ] || mv -f "$1" "$1.1"
}

# build PRESET [TARGET]: configure if needed and build, quietly; the log's tail on failure.
# Further arguments after TARGET (may be empty) go to the configure step.
build_preset() {
  local preset=$1 target=${2:-} t0 log rc=0
  shift
  [ $# -eq 0 ] || shift
  t0=$(now_ms)
  mkdir -p "$ROOT/build"
  log=$ROOT/build/$preset.build.log
  # Two builds in one folder at once break each other.
  exec {build_lock}>"$ROOT/build/$preset.lock"
  flock -n "$build_lock" || { say "build: waiting for another build of '$preset'"; flock "$build_lock"; }
  : >"$log"
  # Configuring again costs seconds; Ninja does it itself when a CMake file changed. What it cannot
  # see is that we want another set of options, or that the dependencies moved.
  local deps want
  deps=$ROOT/build/deps/$(deps_variant "$preset")
  want="$* deps=$(readlink "$deps" || true) $(cat "$deps/.stamp" 2>/dev/null || true)"
  if [ ! -f "$ROOT/build/$preset/build.ninja" ] || [ "$(cat "$ROOT/build/$preset.options" 2>/dev/null)" != "$want" ]; then
    (cd "$ROOT" && cmake --preset "$preset" "$@") >>"$log" 2>&1 {build_lock}>&- || rc=$?
    if [ $rc = 0 ]; then printf '%s\n' "$want" >"$ROOT/build/$preset.options"; fi
  fi
  if [ $rc = 0 ]; then
    # Not more than two: a compiler of coroutines takes a gigabyte, and the machine is shared.
    local jobs
    jobs=$(nproc)
    [ "$jobs" -le 2 ] || jobs=${RELAYER_BUILD_JOBS:-2}
    # What was compiled in one clone need not be compiled again in another one: paths below the clone
    # are looked up as relative ones.
    (cd "$ROOT" && CCACHE_BASEDIR=$ROOT CCACHE_NOHASHDIR=1 \
      cmake --build --preset "$preset" -j "$jobs" ${target:+--target "$target"}) >>"$log" 2>&1 {build_lock}>&- || rc=$?
  fi
  exec {build_lock}>&-
  if [ $rc != 0 ]; then
    # The first error says more than the last line; progress and command lines say nothing.
    grep -n -m 5 -E '(error:|Error|undefined reference)' "$log" | cut -c1-300 | sed 's/^/    | /' >&2 || true
    echo '    | ...' >&2
    grep -vE '^(\[[0-9]+/[0-9]+\] |/[^ ]*/(ccache|c\+\+|g\+\+) )' "$log" | tail -n 25 | sed 's/^/    | /' >&2
    say "build: preset '$preset' failed after $(seconds $(($(now_ms) - t0))) s; the whole log: $log"
    return 1
  fi
  say "build: preset '$preset' $(grep -cE '^\[[0-9]+/[0-9]+\] Building' "$log" || true) files compiled, $(seconds $(($(now_ms) - t0))) s"
}

# Which build of Drogon a preset links: a sanitizer sees only what was compiled with it.
deps_variant() {
  case $1 in
    asan | tsan) echo "$1" ;;
    *) echo release ;;
  esac
}

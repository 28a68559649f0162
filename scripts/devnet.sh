#!/bin/bash
# A devnet in a folder, in the background: start, stop, status, environment. What it is made of and how it
# is talked to stands in devnet/README.md.
set -euo pipefail
LIB_TAG=devnet
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"

usage() {
  cat <<'X'
scripts/devnet.sh start DIR [OPTIONS...]   starts it if it does not run; OPTIONS are those of
                                           node devnet/start.mjs (--instant, --block-time S, ...)
scripts/devnet.sh stop DIR                 stops it if it runs; the chains' states stay in DIR
scripts/devnet.sh status DIR               says whether it runs; exit code 0 when it does, 3 when not
scripts/devnet.sh environment DIR          prints the relayer's environment for it, NAME=VALUE lines
scripts/devnet.sh setup                    installs the npm packages and compiles the contracts
scripts/devnet.sh clients                  installs the clients that tests/clients drives, and a Node.js
                                           that is new enough for them
scripts/devnet.sh keys                     prints where this machine has the FHE key and the CRS that clients
                                           encrypt with; makes them first if it has none (a minute or two)

DIR/devnet.json has the addresses, ports, contracts and keys; DIR/devnet.log what it said.
X
}

[ $# -ge 1 ] || { usage >&2; exit 64; }
command=$1 dir=${2:-}
case $command in
  setup | clients | keys) ;;
  start | stop | status | environment) [ -n "$dir" ] || { usage >&2; exit 64; } ;;
  -h | --help) usage && exit 0 ;;
  *) usage >&2 && exit 64 ;;
esac

# ---------------------------------------------------------------- packages

# The lock file decides: what is there was installed from this very one, or is installed anew.
packages_fit() {
  cmp -s "$1/package-lock.json" "$1/node_modules/.installed-from"
}

# install_packages FOLDER WHAT: those of the lock file in this folder of the tree.
install_packages() {
  local folder=$ROOT/$1 what=$2 name
  packages_fit "$folder" && return 0
  command -v npm >/dev/null || die 69 "npm is missing: scripts/setup.sh brings it"
  mkdir -p "$ROOT/build"
  name=${1//\//-}
  exec {lock}>"$ROOT/build/$name.lock"
  flock -n "$lock" || { say "another process is installing the npm packages of $what, waiting"; flock "$lock"; }
  if ! packages_fit "$folder"; then
    local log=$ROOT/build/$name.npm.log t0
    t0=$(now_ms)
    # No scripts of packages are run: none of them needs one.
    if ! (cd "$folder" && npm ci --ignore-scripts --no-audit --no-fund) >"$log" 2>&1 </dev/null {lock}>&-; then
      show_tail "$log"
      die 69 "npm could not install the packages of $what; its output is in $log" \
        "Is the registry that npm is configured for to be reached? './run --no-devnet' works without."
    fi
    cp "$folder/package-lock.json" "$folder/node_modules/.installed-from"
    say "npm packages of $what installed in $(seconds $(($(now_ms) - t0))) s"
  fi
  exec {lock}>&-
}
install_devnet() { install_packages devnet "the devnet"; }

case $command in
  setup)
    install_devnet
    node "$ROOT/devnet/compile.mjs" >/dev/null || die 70 "the devnet's contracts do not compile"
    exit 0
    ;;
  clients)
    install_packages tests/clients "the clients"
    exit 0
    ;;
  keys)
    install_devnet
    node "$ROOT/devnet/keys.mjs" --look && exit 0
    # Two that make them at once would take twice as long.
    mkdir -p "$ROOT/build"
    exec 8>"$ROOT/build/devnet-keys.lock"
    flock 8
    node "$ROOT/devnet/keys.mjs"
    exit 0
    ;;
esac

# ---------------------------------------------------------------- what runs

state() { sed -n "s/^$1=//p" "$dir/.devnet.state" 2>/dev/null | head -1; }

running_pid() {
  local pid
  pid=$(state pid)
  [ -n "$pid" ] && [ "$(state boot)" = "$(boot_id)" ] && [ "$(process_start "$pid" || true)" = "$(state started)" ] && echo "$pid"
}

case $command in
  status)
    if pid=$(running_pid); then
      echo "running, process $pid, $dir/devnet.json"
      exit 0
    fi
    echo "not running"
    exit 3
    ;;
  environment)
    [ -r "$dir/devnet.json" ] || die 69 "there is no devnet in $dir"
    node "$ROOT/devnet/environment.mjs" "$dir/devnet.json"
    exit 0
    ;;
  stop)
    [ -d "$dir" ] || exit 0
    exec 8>"$dir/.devnet.lock" # a start that is on its way is waited for
    flock 8
    if pid=$(running_pid); then
      kill -TERM "$pid" 2>/dev/null || true
      for ((i = 0; i < 300; i++)); do
        running_pid >/dev/null || break
        sleep 0.1
      done
      if running_pid >/dev/null; then
        warn "process $pid did not end within 30 s of SIGTERM: killing it; its chains save what they have"
        kill -KILL "$pid" 2>/dev/null || true
      fi
    fi
    rm -f "$dir/.devnet.state"
    exit 0
    ;;
esac

# ---------------------------------------------------------------- start

shift 2
mkdir -p "$dir"
dir=$(cd "$dir" && pwd -P)
exec 8>"$dir/.devnet.lock"
flock 8
if pid=$(running_pid); then
  echo "$dir/devnet.json"
  exit 0
fi
install_devnet 8>&-
log=$dir/devnet.log
rotate "$log" 20000000
touch "$log"
log_start=$(($(wc -c <"$log") + 1))
t0=$(now_ms)
setsid node "$ROOT/devnet/start.mjs" --state "$dir" "$@" >>"$log" 2>&1 </dev/null 8>&- &
pid=$!
{
  echo "pid=$pid"
  echo "started=$(process_start "$pid" || true)"
  echo "boot=$(boot_id)"
} >"$dir/.devnet.state"
deadline=$(($(now_ms) + 90000))
until tail -c "+$log_start" "$log" | grep -q '^READY '; do
  if ! process_start "$pid" >/dev/null || [ "$(now_ms)" -gt "$deadline" ]; then
    code=0
    kill -TERM "$pid" 2>/dev/null || true
    wait "$pid" || code=$?
    rm -f "$dir/.devnet.state"
    tail -c "+$log_start" "$log" | tail -n 25 | sed 's/^/    | /' >&2
    die 70 "the devnet did not start (exit code $code); its log is $log"
  fi
  sleep 0.05
done
disown "$pid"
say "three chains and their responder are up after $(seconds $(($(now_ms) - t0))) s"
echo "$dir/devnet.json"

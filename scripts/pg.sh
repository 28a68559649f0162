#!/bin/bash
# A private PostgreSQL in a folder: start, stop, status, url, remove. Works as root (the server then runs as
# 'postgres', since it refuses root) and as any user; keeps its data; survives kill -9 of everything.
#
# Who may connect: TCP on 127.0.0.1 and a socket in a folder of mode 700, both with a password that is
# generated once and kept in a 0600 file. Trusting the loopback would be simpler, but then every local
# user were superuser of the cluster, and with COPY ... PROGRAM the user that it runs as.
set -euo pipefail
LIB_TAG=pg
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"

usage() {
  cat <<'X'
scripts/pg.sh start|stop|status|url|remove DIR

  start    creates the cluster if there is none, starts it if it does not run, prints its URL
  stop     stops it if it runs
  status   says whether it runs; exit code 0 when it does, 3 when not
  remove   stops it and deletes its data; for what tests made
  url      prints postgresql://app:PASSWORD@127.0.0.1:PORT/postgres (a superuser)

DIR/cluster holds everything. When root starts it and the user 'postgres' cannot reach DIR, the cluster
lives under /var/lib/drogon-relayer instead, and DIR/postgres.location names the place.

PG_EXTRA      further lines for postgresql.conf, at each start
INITDB_OPTS   further options for initdb, when the cluster is created
X
}

[ $# = 2 ] || { usage >&2; exit 64; }
command=$1 dir=$2
case $command in start | stop | status | url | remove) ;; *) usage >&2; exit 64 ;; esac

if [ ! -d "$dir" ]; then
  case $command in
    start) mkdir -p "$dir" ;;
    stop | remove) exit 0 ;;
    status) echo "no cluster in $dir" && exit 3 ;;
    url) die 69 "no cluster in $dir" ;;
  esac
fi
dir=$(cd "$dir" && pwd -P)

# ---------------------------------------------------------------- where it lives, and as whom

# run_as USER COMMAND...: from /, since the server's user may not be allowed into the current folder.
run_as() {
  local user=$1
  shift
  if [ "$(id -un)" = "$user" ]; then
    (cd / && "$@")
  elif is_root; then
    (cd / && setpriv --reuid="$user" --regid="$(id -gn "$user")" --init-groups --reset-env -- env LC_ALL=C.UTF-8 "$@")
  else
    die 77 "the cluster in $home belongs to '$user': run this as that user or as root, or use another folder"
  fi
}

reachable() { run_as "$1" test -x "$2" 2>/dev/null; }

server_user() {
  if [ -d "$home" ]; then stat -c %U "$home"; elif is_root; then echo postgres; else id -un; fi
}

# A place for root's cluster when 'postgres' cannot reach DIR. Named after DIR, so that one can tell them apart.
place_elsewhere() {
  local base=/var/lib/drogon-relayer place
  place=$base/$(printf '%s' "$dir" | sha256sum | cut -c1-16)
  install -d -m 711 "$base"
  if [ -e "$place" ]; then
    # DIR was removed and made anew, so this is another DIR's data. It is not ours to delete.
    local aside
    aside=$place.left-$(date +%Y%m%d-%H%M%S)
    home=$place
    find_programs
    stop_server || true
    mv "$place" "$aside"
    warn "$dir is new, but a cluster of an earlier $dir was left behind: moved to $aside (delete it when you do not need it)"
  fi
  printf '%s\n' "$place" >"$dir/postgres.location"
  home=$place
}

find_home() {
  if [ -s "$dir/postgres.location" ]; then
    home=$(head -1 "$dir/postgres.location")
    return
  fi
  home=$dir/cluster
  [ "$command" = start ] && [ ! -d "$home" ] && is_root || return 0
  getent passwd postgres >/dev/null || die 69 "there is no user 'postgres': scripts/setup.sh installs PostgreSQL"
  if ! reachable postgres "$dir"; then place_elsewhere; fi
}

# Another user's cluster: one clear line instead of many about permissions.
check_owner() {
  [ -d "$home" ] || return 0
  local owner
  owner=$(stat -c %U "$home")
  is_root || [ "$owner" = "$(id -un)" ] ||
    die 77 "the cluster in $home belongs to '$owner': run this as that user or as root, or use another folder"
}

make_home() {
  [ ! -d "$home" ] || return 0
  if is_root; then
    install -d -m 700 -o postgres -g "$(id -gn postgres)" "$home"
  else
    mkdir -m 700 "$home"
  fi
}

# Debian keeps the server's programs apart, one folder a major version; data of one needs that one.
find_programs() {
  local version=''
  version=$(cat "$home/data/PG_VERSION" 2>/dev/null || true)
  if [ -n "$version" ]; then
    bin=/usr/lib/postgresql/$version/bin
    [ -x "$bin/postgres" ] || bin=$(pg_config --bindir 2>/dev/null || true)
    [ -x "$bin/postgres" ] && [[ "$("$bin/postgres" --version)" == *" $version"[.\ ]* ]] ||
      die 69 "the cluster in $home was made by PostgreSQL $version, which is not installed" \
        "Install postgresql-$version, or move $home away to start with an empty one."
  else
    bin=$(printf '%s\n' /usr/lib/postgresql/*/bin | sort -V | tail -1)
    [ -x "$bin/initdb" ] || bin=$(pg_config --bindir 2>/dev/null || true)
    [ -x "$bin/initdb" ] || die 69 "PostgreSQL is not installed: scripts/setup.sh brings it"
  fi
}

# ---------------------------------------------------------------- is it running?

# Processes of this cluster: each one's current folder is the data folder. That holds for the postmaster
# and its backends, and for no other process, whatever numbers a stale pid file holds.
cluster_processes() {
  local pid
  # One find for all processes: a readlink for each would take half a second.
  for pid in $(find /proc -maxdepth 2 -path '/proc/[0-9]*/cwd' -printf '%h %l\n' 2>/dev/null |
    awk -v data="$home/data" '{ pid = substr($1, 7); sub(/^[^ ]* /, "") } $0 == data { print pid }'); do
    if process_start "$pid" >/dev/null; then echo "$pid"; fi
  done
}

# The postmaster's pid, if the pid file names a living process of this cluster.
postmaster() {
  local pid
  pid=$(head -1 "$home/data/postmaster.pid" 2>/dev/null) || return 1
  [[ "$pid" =~ ^[0-9]+$ ]] && [ "$(readlink "/proc/$pid/cwd" 2>/dev/null || true)" = "$home/data" ] &&
    process_start "$pid" >/dev/null && echo "$pid"
}

port() { cat "$home/port" 2>/dev/null; }
accepts() { "$bin/pg_isready" -q -t 3 -h 127.0.0.1 -p "$(port)"; }
url() { printf 'postgresql://app:%s@127.0.0.1:%s/postgres\n' "$(cat "$home/password")" "$(port)"; }

# ---------------------------------------------------------------- start

create_cluster() {
  [ ! -s "$home/data/PG_VERSION" ] || return 0
  local t0 password
  t0=$(now_ms)
  # initdb that was killed half-way leaves a folder that looks like a cluster: it works beside, then moves.
  rm -rf "$home/data.new"
  password=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
  printf '%s' "$password" | run_as "$user" sh -c "umask 077 && cat >'$home/password'"
  # shellcheck disable=SC2086 # several options in one variable
  if ! run_as "$user" "$bin/initdb" -D "$home/data.new" -U app -A scram-sha-256 --pwfile="$home/password" \
    -E UTF8 --locale=C.UTF-8 --no-instructions ${INITDB_OPTS:-} >"$dir/initdb.log" 2>&1; then
    show_tail "$dir/initdb.log"
    die 70 "initdb failed; its output is in $dir/initdb.log"
  fi
  echo "include_if_exists = 'relayer.conf'" | run_as "$user" tee -a "$home/data.new/postgresql.conf" >/dev/null
  mv -T "$home/data.new" "$home/data"
  rm -f "$dir/initdb.log"
  say "new cluster in $home, $(seconds $(($(now_ms) - t0))) s"
}

# Written at each start: port and extras may have changed.
configure() {
  local socket_dir="'$home'"
  # A socket's path holds 107 bytes. Without one TCP remains, which is what the URL uses anyway.
  [ $((${#home} + 20)) -le 107 ] && [[ "$home" != *[\',]* ]] || socket_dir="''"
  run_as "$user" tee "$home/data/relayer.conf" >/dev/null <<X
# Written by scripts/pg.sh at each start.
listen_addresses = '127.0.0.1'
port = $(port)
unix_socket_directories = $socket_dir
unix_socket_permissions = 0700
max_connections = 100
log_checkpoints = off
log_line_prefix = '%m [%p] '
${PG_EXTRA:-}
X
}

# The port of last time, so that a psql or a config file that knows it goes on working; another one
# when somebody took it meanwhile.
choose_port() {
  local p
  p=$(port || true)
  if [ -z "$p" ] || port_in_use "$p"; then
    [ -z "$p" ] || say "port $p is taken by $(port_holder "$p"): choosing another"
    p=$(free_port) || die 71 "no free TCP port between 20000 and 29999"
    echo "$p" | run_as "$user" tee "$home/port" >/dev/null
  fi
}

# Backends that outlived a killed postmaster hold its shared memory, and the new one refuses to start.
end_orphans() {
  local pids try
  for try in 1 2 3 4 5 6 7 8 9 10; do
    mapfile -t pids < <(cluster_processes)
    [ ${#pids[@]} -gt 0 ] || return 0
    case $try in
      1) ;; # most notice by themselves
      2 | 3) kill -QUIT "${pids[@]}" 2>/dev/null || true ;;
      *) kill -KILL "${pids[@]}" 2>/dev/null || true ;;
    esac
    sleep 0.2
  done
  die 70 "processes of an earlier server do not end: ${pids[*]}"
}

wait_until_it_accepts() {
  local pid=$1 i
  for ((i = 0; i < 600; i++)); do
    accepts && return 0
    process_start "$pid" >/dev/null || return 1
    sleep 0.1
  done
  return 1
}

start_server() {
  local pid try
  if pid=$(postmaster); then
    # It may be replaying its log after a crash.
    if wait_until_it_accepts "$pid"; then return 0; fi
    say "the server $pid runs but does not accept connections: restarting it"
    stop_server
  fi
  for try in 1 2 3 4 5; do
    end_orphans
    # Nothing of this cluster lives now, so what says otherwise is stale: PostgreSQL itself believes a
    # pid file whose number somebody else has by now, or that of a server nobody has waited for yet.
    rm -f "$home/data/postmaster.pid" "$home"/.s.PGSQL.*
    choose_port
    configure
    rotate "$home/pg.log" 5000000
    # Its own session, so that Ctrl-C in the terminal that started it does not reach it; no inherited
    # files, so that who reads our output does not wait for the server's end.
    if run_as "$user" setsid "$bin/pg_ctl" -D "$home/data" -l "$home/pg.log" -w -t 120 start >/dev/null 2>&1 </dev/null 9>&-; then
      return 0
    fi
    [ "$try" = 5 ] || { say "start failed, trying again ($(tail -n 1 "$home/pg.log" | cut -c1-200))"; sleep 0.5; }
  done
  show_tail "$home/pg.log"
  die 70 "PostgreSQL did not start; its log is $home/pg.log"
}

stop_server() {
  local pid
  if pid=$(postmaster); then
    if run_as "$(stat -c %U "$home")" "$bin/pg_ctl" -D "$home/data" -m fast -w -t 60 stop >/dev/null 2>&1 9>&-; then return 0; fi
    # It still hangs on something. Immediate is what a crash is, and the log is there for that.
    run_as "$(stat -c %U "$home")" "$bin/pg_ctl" -D "$home/data" -m immediate -w -t 20 stop >/dev/null 2>&1 9>&- || true
  fi
  end_orphans
}

# ---------------------------------------------------------------- commands

if [ "$command" = start ] || [ "$command" = stop ] || [ "$command" = remove ]; then
  # Two starts of one folder at once: the second waits, then finds a running server.
  exec 9>"$dir/.pg.lock"
  flock 9
fi
find_home
check_owner
case $command in
  start)
    make_home
    user=$(server_user)
    find_programs
    create_cluster
    start_server
    url
    ;;
  stop)
    [ -d "$home/data" ] || exit 0
    find_programs
    stop_server
    ;;
  remove)
    if [ -d "$home/data" ]; then
      find_programs
      stop_server
    fi
    rm -rf "$home" "$dir/postgres.location"
    ;;
  status)
    [ -d "$home/data" ] || { echo "no cluster in $dir"; exit 3; }
    find_programs
    if pid=$(postmaster) && accepts; then
      echo "running: process $pid, port $(port), data in $home/data, log in $home/pg.log"
    else
      echo "not running; data in $home/data"
      exit 3
    fi
    ;;
  url)
    [ -s "$home/port" ] || die 69 "no cluster in $dir"
    url
    ;;
esac

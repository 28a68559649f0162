#!/bin/bash
# The two commands on a machine that has nothing: a minimal Debian made by debootstrap, a clean clone of
# HEAD, ./run, ./test, and both again; or a package that was built here, installed there, by hand or by the
# steps of deploy/Containerfile. Root only. Exit code 77: it cannot be done here, for the reason printed;
# what nobody may do here is `allowed:` even where skips fail.
#
# The machine is a chroot in a mount and a process namespace of its own: when the script ends, however it
# ends, the kernel ends every process in it and takes every mount away. Nothing has to be found and killed.
set -euo pipefail
LIB_TAG=fresh
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"

usage() {
  cat <<'X'
scripts/fresh-machine.sh bookworm|trixie [--run-only | --package FILE | --image FILE | --container]

  --run-only      only ./run, not ./test
  --package FILE  neither: install this Debian package, serve a request as its user, purge it
  --image FILE    neither: what the last stage of deploy/Containerfile makes of this Debian package
  --container     neither: all of deploy/Containerfile, one stage after the other on the same machine

The packages of the minimal system are kept in /var/tmp/drogon-relayer-fresh for the next time.
X
}

inside='' run_only='' package='' how='' suite=''
while [ $# -gt 0 ]; do
  case $1 in
    --run-only) run_only=1 ;;
    --container) how=$1 ;;
    --package | --image) how=$1 package=${2:?$1 needs a file} && shift ;;
    --inside) inside=$2 && shift ;;
    -h | --help) usage && exit 0 ;;
    bookworm | trixie) suite=$1 ;;
    *) usage >&2 && die 64 "unknown: $1" ;;
  esac
  shift
done
[ -n "$suite" ] || { usage >&2; exit 64; }

cannot() { echo "cannot: $*" && exit 77; }
is_root || cannot "allowed: only root can make a machine"

BASE=/var/tmp/drogon-relayer-fresh

# ---------------------------------------------------------------- outside: make the root, enter it

# The archive this machine uses, and the one with its security updates.
mirror() {
  # shellcheck disable=SC1091
  apt-get indextargets --format '$(REPO_URI) $(RELEASE)' 'Created-By: Packages' 2>/dev/null |
    awk -v s="$(. /etc/os-release && echo "$VERSION_CODENAME")$1" '$2 == s { print $1; exit }'
}

make_root() {
  local uri keyring=/usr/share/keyrings/debian-archive-keyring.gpg log=$BASE/$suite.log
  uri=$(mirror '')
  [ -n "$uri" ] || cannot "apt knows no archive for this suite"
  command -v debootstrap >/dev/null || cannot "debootstrap is not installed (scripts/setup.sh --for full)"
  : >"$log"
  local options=(--variant=minbase --include=ca-certificates)
  [ ! -r $keyring ] || options+=("--keyring=$keyring")
  exec 9>"$BASE/$suite.lock"
  flock 9
  if [ ! -s "$BASE/$suite.tar" ]; then
    debootstrap "${options[@]}" --make-tarball="$BASE/$suite.tar.part" "$suite" "$BASE/$suite.download" "$uri" >>"$log" 2>&1 9>&- ||
      { show_tail "$log"; cannot "debootstrap cannot fetch $suite from this machine's mirror; its output is in $log"; }
    mv "$BASE/$suite.tar.part" "$BASE/$suite.tar"
  fi
  exec 9>&-
  debootstrap "${options[@]}" --unpack-tarball="$BASE/$suite.tar" "$suite" "$machine" "$uri" >>"$log" 2>&1 ||
    { show_tail "$log"; cannot "debootstrap cannot install $suite; its output is in $log"; }

  # What the machine needs of this one to reach the network, and nothing else.
  cp -L /etc/resolv.conf /etc/hosts "$machine/etc/"
  local file
  for file in /etc/apt/apt.conf /etc/apt/apt.conf.d/*; do
    if grep -qs '^ *Acquire' "$file" && ! grep -qs 'Post-Invoke' "$file"; then cp "$file" "$machine/etc/apt/apt.conf.d/"; fi
  done
  if ls /usr/local/share/ca-certificates/*.crt >/dev/null 2>&1; then
    cp /usr/local/share/ca-certificates/*.crt "$machine/usr/local/share/ca-certificates/"
  fi
  [ ! -r /etc/ssl/certs/ca-certificates.crt ] || cp -L /etc/ssl/certs/ca-certificates.crt "$machine/etc/ssl/certs/"
  echo "deb $uri $suite main" >"$machine/etc/apt/sources.list"
  local security
  security=$(mirror -security)
  [ -z "$security" ] || echo "deb $security $suite-security main" >>"$machine/etc/apt/sources.list"

  mkdir -p "$machine/home/source"
  # Not every root owns the work tree, and git wants to be told that this is fine.
  git -c safe.directory='*' clone -q --no-hardlinks "$ROOT" "$machine/home/source/drogon-relayer"
}

if [ -z "$inside" ]; then
  mkdir -p "$BASE"
  unshare --mount --pid --fork true 2>/dev/null || cannot "allowed: namespaces are not permitted here"
  for old in "$BASE"/root.*.owner; do
    [ -f "$old" ] || continue
    read -r pid started <"$old"
    if [ "$(process_start "$pid" || true)" != "$started" ]; then rm -rf --one-file-system "${old%.owner}" "$old"; fi
  done
  machine=$(mktemp -d "$BASE/root.$suite.XXXXXX")
  echo "$$ $(process_start $$)" >"$machine.owner"
  child=''
  # shellcheck disable=SC2317 # called by the trap
  cleanup() {
    if [ "$BASHPID" = "$$" ]; then
      if [ -n "$child" ]; then kill -KILL "$child" 2>/dev/null || true; fi
      { wait || true; } 2>/dev/null
      [ ! -f "$machine/fresh.log" ] || cp "$machine/fresh.log" "$BASE/$suite.last-run.log"
      rm -rf --one-file-system "$machine" "$machine.owner"
    fi
  }
  trap cleanup EXIT
  trap 'exit 143' INT TERM HUP
  chmod 755 "$machine"
  t0=$(now_ms)
  make_root
  [ -z "$package" ] || cp "$package" "$machine/home/source/package.deb"
  echo "# $suite: made in $(seconds $(($(now_ms) - t0))) s"
  # The proxy is part of how this machine reaches the network; the rest of the environment stays out.
  mapfile -t proxy < <(env | grep -iE '^(https?|ftp|no)_proxy=' || true)
  unshare --mount --propagation private --pid --fork --kill-child -- \
    env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 TERM=dumb \
    "${proxy[@]}" "$BASH" "$0" "$suite" ${run_only:+--run-only} ${how:+"$how"} ${package:+"$package"} --inside "$machine" &
  child=$!
  code=0
  wait "$child" || code=$?
  child=''
  exit $code
fi

# ---------------------------------------------------------------- inside the namespaces, outside the root

machine=$inside
mount -t proc proc "$machine/proc" || cannot "allowed: mounting /proc is not permitted here"
mount --bind /dev "$machine/dev"
mkdir -p "$machine/dev/shm"
mount -t tmpfs -o mode=1777 tmpfs "$machine/dev/shm"
mount -t sysfs sysfs "$machine/sys" 2>/dev/null || true

TREE=/home/source/drogon-relayer
in_machine() { chroot "$machine" /bin/bash -c "cd $TREE && $*" </dev/null; }

# timed NAME COMMAND: its output to the log; sets TOOK (ms).
LOG=$machine/fresh.log
timed() {
  local name=$1 t0 code=0
  shift
  t0=$(now_ms)
  echo "== $*" >>"$LOG"
  in_machine "$@" >"$machine/last.out" 2> >(tee -a "$LOG" >&2) || code=$?
  TOOK=$(($(now_ms) - t0))
  cat "$machine/last.out" >>"$LOG"
  if [ $code != 0 ]; then
    tail -n 80 "$machine/last.out" | sed 's/^/    | /'
    echo "# $suite: $name failed with exit code $code after $(seconds $TOOK) s (all output: $BASE/$suite.last-run.log)"
    exit 1
  fi
  echo "# $suite: $name: $(seconds $TOOK) s"
}

# http METHOD PATH [DATA]: sets STATUS and BODY.
http() {
  local answer
  answer=$(in_machine "curl -sS -m 10 -w '\n%{http_code}' -X $1 '$url$2' ${3:+-H 'Content-Type: application/json' -d '$3'}")
  STATUS=${answer##*$'\n'} BODY=${answer%$'\n'*}
}

check_answers() {
  url=$(sed -n 's/^READY //p' "$machine/last.out" | head -1)
  [ -n "$url" ] || { cat "$machine/last.out"; echo "# $suite: no READY line"; exit 1; }
  http GET /healthz
  [ "$STATUS" = 200 ] || { echo "# $suite: GET /healthz answers $STATUS $BODY"; exit 1; }
  local address=0x1111111111111111111111111111111111111111
  http POST /v2/input-proof "{\"contractChainId\":\"8009\",\"contractAddress\":\"$address\",\"userAddress\":\"$address\",\"ciphertextWithInputVerification\":\"aabbcc\",\"extraData\":\"0x00\"}"
  [ "$STATUS" = 202 ] || { echo "# $suite: POST /v2/input-proof answers $STATUS $BODY"; exit 1; }
  local job
  job=$(sed -n 's/.*"jobId" *: *"\([^"]*\)".*/\1/p' <<<"$BODY")
  http GET "/v2/input-proof/$job"
  [ "$STATUS" = 202 ] || [ "$STATUS" = 200 ] || { echo "# $suite: GET /v2/input-proof/$job answers $STATUS $BODY"; exit 1; }
  echo "# $suite: /healthz 200, POST 202, GET $STATUS"
}

# documented OPTION: the command of docs/operations.md, as it stands there; who runs it here is root.
documented() {
  sed -n "s/^sudo \(sh -c .* --$1'\)$/\1/p" "$machine$TREE/docs/operations.md" | grep . ||
    { echo "docs/operations.md has no such command: --$1" >&2; return 1; }
}

# What the package promises, seen as the one who installs it sees it.
check_package() {
  local as_service="setpriv --reuid drogon-relayer --regid drogon-relayer --init-groups env HOME=/var/lib/drogon-relayer RELAYER_DATABASE__URL=postgresql://relayer:word@127.0.0.1/relayer"
  local serve="relayer --config /etc/drogon-relayer/config.json"
  timed "apt-get update" apt-get update -q
  timed "apt-get install of the package" DEBIAN_FRONTEND=noninteractive apt-get install -y -q /home/source/package.deb curl
  timed "user, configuration and state are there, and closed to others" \
    'test "$(stat -c %U:%G:%a /etc/drogon-relayer/environment)" = root:drogon-relayer:640 &&
     test "$(stat -c %U:%a /var/lib/drogon-relayer)" = drogon-relayer:700 &&
     ! runuser -u nobody -- cat /etc/drogon-relayer/environment 2>/dev/null'
  timed "without a database --check-config says so" \
    "code=0; $(documented check-config) 2>said || code=\$?; test \$code = 78 && grep -q database.url said"
  timed "a database is made" \
    'pg_ctlcluster $(ls /usr/lib/postgresql) main start &&
     runuser -u postgres -- psql -q -c "create role relayer login password \$\$word\$\$" -c "create database relayer owner relayer"'
  timed "its URL is put into environment, and --check-config is content" \
    "sed -i \"s|^#\(RELAYER_DATABASE__URL\)=.*|\1='postgresql://relayer:word@127.0.0.1/relayer?connect_timeout=5\&application_name=relayer'|\" \
       /etc/drogon-relayer/environment && $(documented check-config)"
  timed "--migrate" "$(documented migrate)"
  timed "a request is taken in, and SIGTERM drains" "
    true # what follows is no part of the list that in_machine begins
    $as_service $serve >/tmp/relayer.log 2>&1 & service=\$!
    for i in \$(seq 100); do curl -fsS http://127.0.0.1:8088/healthz >/dev/null 2>&1 && break; sleep 0.1; done
    answer=\$(curl -sS -o /dev/null -w '%{http_code}' -H 'Content-Type: application/json' http://127.0.0.1:8088/v2/input-proof -d \
      '{\"contractChainId\":\"8009\",\"contractAddress\":\"0x1111111111111111111111111111111111111111\",\"userAddress\":\"0x1111111111111111111111111111111111111111\",\"ciphertextWithInputVerification\":\"aabbcc\",\"extraData\":\"0x00\"}')
    kill -TERM \$service; code=0; wait \$service || code=\$?
    echo \"POST \$answer, exit code \$code\"; tail -n 20 /tmp/relayer.log; test \"\$answer \$code\" = '202 0'"
  timed "purged, nothing of it is left but its user" \
    'apt-get purge -y -q drogon-relayer && test ! -e /etc/drogon-relayer && test ! -e /var/lib/drogon-relayer &&
     test ! -e /usr/bin/relayer && getent passwd drogon-relayer'
}

# Each step, as it stands; then what a container would be started with, and its health.
check_image() {
  SOURCE=$machine$TREE
  # shellcheck source=scripts/container-steps.sh
  . "$SOURCE/scripts/container-steps.sh"
  local step user start
  if [ "$how" = --container ]; then
    while IFS= read -r step; do timed "$(cut -c1-60 <<<"RUN $step")" "$step"; done < <(container_steps 1 RUN)
  else
    mkdir "$machine/package"
    mv "$machine/home/source/package.deb" "$machine/package/"
  fi
  while IFS= read -r step; do timed "$(cut -c1-60 <<<"RUN $step")" "$step"; done < <(container_steps 2 RUN)
  user=$(container_steps 2 USER)
  start=$({ container_steps 2 ENTRYPOINT; container_steps 2 CMD; } | tr -d '[],"' | tr '\n' ' ')
  printf '%s\n' "$(container_health_check)" >"$machine/health"
  timed "as ${user%:*} it lives, says so, and ends when asked to" "
    true # what follows is no part of the list that in_machine begins
    cd $(container_steps 2 WORKDIR)
    setpriv --reuid ${user%:*} --regid ${user#*:} --clear-groups env -i PATH=\$PATH $(container_steps 2 ENV) \
      RELAYER_DATABASE__URL=postgresql://nobody@127.0.0.1:1/nothing RELAYER_INSTANCE__DRAIN_DEADLINE=2s \
      $start >/tmp/relayer.log 2>&1 & server=\$!
    for i in \$(seq 100); do bash /health 2>/dev/null && break; sleep 0.1; done
    bash /health || { cat /tmp/relayer.log; exit 1; }
    kill -$(container_steps 2 STOPSIGNAL | sed 's/^SIG//') \$server; code=0; wait \$server || code=\$?
    echo \"exit code \$code\"; tail -n 5 /tmp/relayer.log; test \$code = 0 -o \$code = 75
    ! bash /health 2>/dev/null"
}

case $how in
  --package) check_package; exit 0 ;;
  --image | --container) check_image; exit 0 ;;
esac

timed "first ./run to READY (set-up, Drogon, build, database)" ./run --background --port 0
check_answers
timed "cmake --install of what ./run built" cmake --install build/release --prefix /tmp/installed
timed "./run --stop" ./run --stop
timed "second ./run to READY" ./run --background --port 0
check_answers
if [ $TOOK -ge 20000 ]; then
  echo "# $suite: the second ./run took $(seconds $TOOK) s; under 20 s is promised"
  exit 1
fi
timed "./run --stop" ./run --stop
[ -z "$run_only" ] || exit 0
timed "./test" ./test
echo "# $suite: ./test says: $(tail -n 1 "$machine/last.out")"
timed "set-up and build of a second ./test" ./test --list
if [ $TOOK -ge 20000 ]; then
  echo "# $suite: set-up and build of a second ./test took $(seconds $TOOK) s; under 20 s is promised"
  exit 1
fi

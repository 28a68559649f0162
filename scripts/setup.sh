#!/bin/bash
# Brings a fresh Debian 12 or 13 to where the project builds. Safe to run again: then it takes a blink.
#
# Drogon is not in Debian 12, and Debian 13 has 1.9.0 without TLS. So Debian's own *source* packages of
# Drogon 1.9.13 and trantor, which a later suite of the same mirror has, are built with plain CMake into a
# prefix outside the work tree. They are fetched through a private apt configuration: nothing under
# /etc/apt changes, and nothing from another suite is installed.
set -euo pipefail
LIB_TAG=setup
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"

DROGON_VERSION=1.9.13+ds-2
TRANTOR_VERSION=1.5.28+ds-2
DROGON_AT_LEAST=1.9.13

# Three tiers; each holds the one before.
RUN_PACKAGES=(g++ cmake ninja-build pkg-config ccache dpkg-dev file ca-certificates git xz-utils
  libjsoncpp-dev uuid-dev zlib1g-dev libssl-dev libc-ares-dev libpq-dev
  libcrypto++-dev libsecp256k1-dev libboost-dev libyaml-cpp-dev
  postgresql postgresql-client curl procps util-linux)
TEST_PACKAGES=(libgtest-dev libgmock-dev libbenchmark-dev clang-format-19 chromium)
# What PgBouncer needs beside these, where it is new enough.
POOLER_PACKAGES=(libevent-2.1-7t64)
FULL_PACKAGES=(clang-tidy-19 clang-19 libclang-rt-19-dev debootstrap shellcheck gdb spin systemd)
# A library that changes under a static Drogon needs a new build of it.
KEY_PACKAGES=(libssl-dev libpq-dev libjsoncpp-dev libc-ares-dev uuid-dev zlib1g-dev)

usage() {
  cat <<'X'
scripts/setup.sh [--for run|test|full] [--variant release|asan|tsan] [--no-devnet] [--print-prefix]

  --for TIER       which Debian packages to bring: run (build and run; the default), test (+ GoogleTest,
                   Google Benchmark, clang-format), full (+ clang-tidy, debootstrap, ...)
  --variant V      which build of Drogon and trantor: release (default), or with the address+undefined
                   or the thread sanitizer
  --no-devnet      without Node.js and the npm packages of the devnet
  --print-prefix   print where Drogon is installed

Needs root or a sudo that asks nothing, for apt-get only; when every package is there, any user will do.
DROGON_RELAYER_DEPS names another place for the built dependencies.
X
}

variant=release tier=run print_prefix='' devnet=1
while [ $# -gt 0 ]; do
  case $1 in
    --variant) variant=${2:?--variant needs a value} && shift ;;
    --variant=*) variant=${1#*=} ;;
    --for) tier=${2:?--for needs a value} && shift ;;
    --for=*) tier=${1#*=} ;;
    --no-devnet) devnet='' ;;
    --print-prefix) print_prefix=1 ;;
    -h | --help) usage && exit 0 ;;
    *) usage >&2 && die 64 "unknown option: $1" ;;
  esac
  shift
done
case $tier in run | test | full) ;; *) die 64 "--for takes run, test or full, not '$tier'" ;; esac
case $variant in release | asan | tsan) ;; *) die 64 "--variant takes release, asan or tsan, not '$variant'" ;; esac
build=$variant

# ---------------------------------------------------------------- Debian packages

[ -r /etc/os-release ] || die 69 "this is no Debian; the project is built on Debian 12 and 13"
# shellcheck source=/dev/null
. /etc/os-release
case ${VERSION_CODENAME:-} in
  bookworm | trixie) ;;
  *) warn "made for Debian 12 and 13, this is ${PRETTY_NAME:-unknown}: going on, but nobody has tried" ;;
esac

apt_install() {
  local log command
  command="apt-get install -y --no-install-recommends $*"
  if ! can_be_root; then
    echo "As root, run: apt-get update && $command" >&2
    die 69 "packages are missing, and this user may not install them; the line above brings them"
  fi
  say "apt: installing $*"
  log=$(mktemp /var/tmp/drogon-relayer-apt.XXXXXX)
  # Debian would start a cluster of its own on port 5432. The project has a private one, and a
  # system cluster that is there already stays as it is.
  if [ ! -e /etc/postgresql-common/createcluster.conf ]; then
    as_root mkdir -p /etc/postgresql-common
    echo 'create_main_cluster = false' | as_root tee /etc/postgresql-common/createcluster.conf >/dev/null
  fi
  local apt=(env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=600 -o Acquire::Retries=3)
  # Package lists that are a few hours old will do, and most often the first try succeeds with them.
  local try
  for try in cached fresh; do
    if [ "$try" = fresh ]; then as_root "${apt[@]}" update >>"$log" 2>&1 </dev/null || true; fi
    if as_root "${apt[@]}" install -y --no-install-recommends "$@" >>"$log" 2>&1 </dev/null; then
      rm -f "$log"
      return 0
    fi
  done
  show_tail "$log"
  die 69 "apt could not install them; its output is in $log" \
    "Is the network there, and does 'apt-get update' work? By hand, as root: $command"
}

wanted=("${RUN_PACKAGES[@]}")
# Node.js may come from elsewhere, with an npm that Debian's does not go along with: the commands count.
if [ -n "$devnet" ]; then
  if ! command -v node >/dev/null; then wanted+=(nodejs); fi
  if ! command -v npm >/dev/null; then wanted+=(npm); fi
fi
[ "$tier" = run ] || wanted+=("${TEST_PACKAGES[@]}")
[ "$tier" != full ] || wanted+=("${FULL_PACKAGES[@]}")
# PgBouncer keeps prepared statements in transaction mode from 1.21 on: Debian 13 has 1.24, Debian 12 1.18.
pooler=''
if [ "$tier" != run ] && [ "${VERSION_CODENAME:-}" = trixie ]; then pooler=1 wanted+=("${POOLER_PACKAGES[@]}"); fi
mapfile -t missing < <(missing_packages "${wanted[@]}")
if [ ${#missing[@]} -gt 0 ]; then
  t0=$(now_ms)
  apt_install "${missing[@]}"
  say "apt: ${#missing[@]} packages installed in $(seconds $(($(now_ms) - t0))) s"
fi

# The relayer builds and runs without them, and the tests that need them say so.
if [ -n "$devnet" ]; then
  "$ROOT/scripts/devnet.sh" setup || warn "there will be no devnet, for the reason above"
  if [ "$tier" != run ]; then
    "$ROOT/scripts/devnet.sh" clients || warn "no clients will be driven, for the reason above"
  fi
fi

# Programs for tests alone, whose Debian packages would start a service (nginx on port 80, PgBouncer on
# 6432): where there is none, the package is unpacked into the build folder and not installed. What they
# need of libraries is here by now.
unpack() {
  local package=$1 into=$ROOT/build/deps/$1 work program
  program=$into/usr/sbin/$package
  if command -v "$package" >/dev/null || [ -x "/usr/sbin/$package" ] || [ -x "$program" ]; then return 0; fi
  work=$(mktemp -d "/var/tmp/drogon-relayer-$package.XXXXXX")
  mkdir -p "$ROOT/build/deps"
  if (cd "$work" && apt-get -qq -o APT::Sandbox::User="$(id -un)" download "$package" && dpkg -x "$package"_*.deb root) \
    >"$work/log" 2>&1 </dev/null && mv -T "$work/root" "$into" && "$program" -V >>"$work/log" 2>&1; then
    say "$package: unpacked into build/deps/$package"
  else
    rm -rf "$into"
    show_tail "$work/log"
    warn "there is no $package, and apt-get download did not bring it: tests that need it will be skipped"
  fi
  rm -rf "$work"
}
if [ "$tier" != run ]; then
  unpack nginx
  if [ -n "$pooler" ]; then unpack pgbouncer; fi
fi

# ---------------------------------------------------------------- where Drogon goes

# The first of: what the user said; a shared place if we can write there (or could make it); the home.
deps_home() {
  if [ -n "${DROGON_RELAYER_DEPS:-}" ]; then
    mkdir -p "$DROGON_RELAYER_DEPS"
    (cd "$DROGON_RELAYER_DEPS" && pwd -P)
    return
  fi
  local shared=/opt/drogon-relayer-deps
  # Not ours to write, but there and of the right make: use it.
  if [ "$(cat "$shared/$build/.stamp" 2>/dev/null)" = "$key" ]; then echo $shared && return; fi
  if [ ! -e $shared ] && can_be_root; then as_root install -d -m 755 -o "$(id -u)" -g "$(id -g)" $shared; fi
  if [ -w $shared ]; then echo $shared && return; fi
  local own=${XDG_CACHE_HOME:-$HOME/.cache}/drogon-relayer-deps
  mkdir -p "$own"
  echo "$own"
}

# The work tree's presets look here, so that no preset knows a machine's paths.
link_prefix() {
  mkdir -p "$ROOT/build/deps"
  if [ "$(readlink "$ROOT/build/deps/$build" || true)" != "$1" ]; then
    ln -sfn "$1" "$ROOT/build/deps/$build"
  fi
  if [ -n "$print_prefix" ]; then echo "$1"; fi
}

# Builds and runs a few lines against the Drogon in prefix $1: what its CMake files say about TLS,
# PostgreSQL and coroutines is too little. Without PostgreSQL, newPgClient ends the program.
drogon_is_fit() {
  local work code=0
  work=$(mktemp -d /var/tmp/drogon-relayer-probe.XXXXXX)
  cat >"$work/CMakeLists.txt" <<'X'
cmake_minimum_required(VERSION 3.25)
project(probe CXX)
set(CMAKE_CXX_STANDARD 20)
find_package(Drogon REQUIRED CONFIG)
add_executable(probe probe.cc)
target_link_libraries(probe Drogon::Drogon)
X
  cat >"$work/probe.cc" <<'X'
#include <drogon/drogon.h>
#include <trantor/utils/Utilities.h>
drogon::Task<> ask(drogon::orm::DbClientPtr db) { co_await db->execSqlCoro("select 1"); }
int main()
{
    auto task = &ask;
    auto db = drogon::orm::DbClient::newPgClient("host=127.0.0.1 port=1", 1);
    _exit(task && db && trantor::utils::tlsBackend() != "None" ? 0 : 1);
}
X
  { cmake -S "$work" -B "$work/build" -G Ninja "-DCMAKE_PREFIX_PATH=$1" "-DCMAKE_CXX_COMPILER=$CXX" &&
    cmake --build "$work/build" && timeout 20 "$work/build/probe"; } >/dev/null 2>&1 </dev/null || code=1
  rm -rf "$work"
  return $code
}

# A Drogon of the system that is new enough, with coroutines, PostgreSQL and TLS. Prints its prefix.
system_drogon() {
  [ "$build" = release ] || return 1
  local dir prefix version mark marks=$ROOT/build/deps/system-drogon
  for dir in /usr/local/lib/cmake/Drogon /usr/local/lib/*/cmake/Drogon /usr/lib/cmake/Drogon /usr/lib/*/cmake/Drogon; do
    [ -r "$dir/DrogonConfigVersion.cmake" ] || continue
    version=$(sed -n 's/^set(PACKAGE_VERSION "\{0,1\}\([0-9.]*\).*/\1/p' "$dir/DrogonConfigVersion.cmake" | head -1)
    prefix=${dir%/lib/*}
    if [ "$(printf '%s\n%s\n' "$DROGON_AT_LEAST" "${version:-0}" | sort -V | head -1)" != "$DROGON_AT_LEAST" ]; then
      say "drogon: the system's ${version:-unknown} in $prefix is older than $DROGON_AT_LEAST, not used"
      continue
    fi
    # Tried once for each of its versions.
    mark="$prefix $version $(stat -c %Y "$dir/DrogonConfigVersion.cmake")"
    mkdir -p "${marks%/*}"
    if ! grep -qsF "$mark" "$marks"; then
      if drogon_is_fit "$prefix"; then echo "$mark fit" >>"$marks"; else echo "$mark unfit" >>"$marks"; fi
    fi
    if grep -qxF "$mark fit" "$marks"; then echo "$prefix" && return 0; fi
    say "drogon: the system's $version in $prefix lacks coroutines, PostgreSQL or TLS, not used"
  done
  return 1
}

# ---------------------------------------------------------------- Drogon from Debian's sources

# The archive that this machine's own apt uses: no mirror's name stands in the project.
mirror() {
  apt-get indextargets --format '$(REPO_URI) $(RELEASE)' 'Created-By: Packages' 2>/dev/null |
    awk -v s="${VERSION_CODENAME:-}" '$2 == s { print $1; exit }'
}

# Fetches the two source packages into $1, once for all variants.
fetch_sources() {
  local into=$1 work uri suite versions signed='' log=$home/log/fetch.log
  if ls "$into"/drogon_*.dsc "$into"/trantor_*.dsc >/dev/null 2>&1; then return 0; fi
  uri=$(mirror)
  [ -n "$uri" ] || die 69 "apt knows no archive for '${VERSION_CODENAME:-this suite}': check /etc/apt/sources.list*"
  work=$(mktemp -d /var/tmp/drogon-relayer-fetch.XXXXXX)
  # shellcheck disable=SC2064 # the name as it is now
  trap "rm -rf '$work'" RETURN
  if [ -r /usr/share/keyrings/debian-archive-keyring.gpg ]; then
    signed='Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg'
  fi
  : >"$log"
  for suite in forky sid "${VERSION_CODENAME:-stable}"; do
    mkdir -p "$work/$suite/lists/partial" "$work/$suite/cache"
    printf 'Types: deb-src\nURIs: %s\nSuites: %s\nComponents: main\n%s\n' "$uri" "$suite" "$signed" >"$work/$suite.sources"
    local apt=(apt-get -qq -o "Dir::Etc::sourcelist=$work/$suite.sources" -o Dir::Etc::sourceparts=-
      -o Dir::Etc::main=/dev/null -o "Dir::State::lists=$work/$suite/lists" -o "Dir::Cache=$work/$suite/cache"
      -o "APT::Sandbox::User=$(id -un)" -o Acquire::Check-Valid-Until=false -o Acquire::Retries=3
      -o Acquire::Languages=none)
    echo "== $suite" >>"$log"
    "${apt[@]}" update >>"$log" 2>&1 </dev/null || continue
    # The pinned versions first; mirrors drop a version when the next one comes.
    for versions in "drogon=$DROGON_VERSION trantor=$TRANTOR_VERSION" "drogon trantor"; do
      rm -rf "$work/got" && mkdir "$work/got"
      # shellcheck disable=SC2086 # two words
      (cd "$work/got" && "${apt[@]}" source --download-only $versions) >>"$log" 2>&1 </dev/null || continue
      if [ "$versions" = "drogon trantor" ]; then
        warn "the pinned Drogon $DROGON_VERSION is gone from the mirror, building what '$suite' has: $(cd "$work/got" && ls drogon_*.dsc)"
      fi
      rm -rf "$into" && mkdir -p "$(dirname "$into")" && cp -r "$work/got" "$into.part" && mv -T "$into.part" "$into"
      say "drogon: source packages from '$suite'"
      return 0
    done
  done
  show_tail "$log"
  die 69 "no Drogon source package to be had; apt's output is in $log" \
    "Does 'apt-get update' work here? The sources come from the same mirror, suite forky or sid."
}

# step LOG NAME COMMAND...: run it with the output in LOG; on failure say where, and stop.
step() {
  local log=$1 name=$2 t0
  shift 2
  t0=$(now_ms)
  if ! "$@" >>"$log" 2>&1 </dev/null; then
    grep -n -m 5 -E '(error|Error|Killed)' "$log" | cut -c1-300 | sed 's/^/    | /' >&2 || true
    show_tail "$log"
    die 70 "$name failed; the whole log is $log" \
      "'Killed' means too little memory: a gigabyte for each of two compilers is needed." \
      "Run it again after mending; finished parts are kept."
  fi
  say "$name: $(seconds $(($(now_ms) - t0))) s"
}

build_drogon() {
  local prefix=$1 log=$home/log/$build.log work flags='' type=Release jobs=2
  [ "$(nproc)" -ge 2 ] || jobs=1
  case $build in
    asan) type=RelWithDebInfo flags='-fsanitize=address,undefined -fno-omit-frame-pointer' ;;
    tsan) type=RelWithDebInfo flags='-fsanitize=thread -fno-omit-frame-pointer' ;;
  esac
  : >"$log"
  work=$(mktemp -d "${TMPDIR:-/var/tmp}/drogon-relayer-build.XXXXXX")
  # shellcheck disable=SC2064 # the name as it is now
  trap "rm -rf '$work'" EXIT
  local dsc
  mkdir "$work/src"
  for dsc in "$home"/sources/*.dsc; do
    (cd "$work/src" && dpkg-source -x --no-check "$dsc") >>"$log" 2>&1 ||
      { show_tail "$log"; rm -rf "$home/sources"; die 70 "cannot unpack $dsc; removed it, run again to fetch it anew"; }
  done
  local trantor drogon
  trantor=$(echo "$work"/src/trantor-*/) drogon=$(echo "$work"/src/drogon-*/)
  # Installed into a folder beside the target, which is then renamed: a prefix is whole or not there.
  local stage=$work/stage
  local common=(-G Ninja "-DCMAKE_BUILD_TYPE=$type" "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1 -g -DNDEBUG" "-DCMAKE_CXX_FLAGS=$flags"
    -DCMAKE_CXX_STANDARD=20 "-DCMAKE_CXX_COMPILER=$CXX" -DBUILD_SHARED_LIBS=OFF -DCMAKE_POSITION_INDEPENDENT_CODE=ON
    "-DCMAKE_INSTALL_PREFIX=$stage" "-DCMAKE_PREFIX_PATH=$stage" -DCMAKE_UNITY_BUILD=ON)
  step "$log" "trantor ($build): configured" cmake -S "$trantor" -B "$work/trantor" "${common[@]}" \
    -DTRANTOR_USE_TLS=openssl -DBUILD_C-ARES=ON
  step "$log" "trantor ($build): built" ninja -C "$work/trantor" -j$jobs install
  step "$log" "drogon ($build): configured" cmake -S "$drogon" -B "$work/drogon" "${common[@]}" \
    -DUSE_SUBMODULE=OFF -DBUILD_EXAMPLES=OFF -DBUILD_CTL=OFF -DBUILD_ORM=ON -DBUILD_POSTGRESQL=ON -DLIBPQ_BATCH_MODE=ON \
    -DBUILD_MYSQL=OFF -DBUILD_SQLITE=OFF -DBUILD_REDIS=OFF -DBUILD_BROTLI=OFF -DBUILD_YAML_CONFIG=OFF
  # Both are decided in silence by what CMake finds, and the program would only notice much later.
  grep -q 'use c++20' "$log" || die 70 "Drogon was configured without C++20 coroutines; see $log"
  grep -q 'libpq supports batch mode' "$log" || die 70 "Drogon was configured without PostgreSQL's batch mode; see $log"
  step "$log" "drogon ($build): built" ninja -C "$work/drogon" -j$jobs install
  printf '%s\n' "$key" >"$stage/.stamp"
  rm -rf "$prefix.new" "$prefix.old"
  cp -r "$stage" "$prefix.new"
  [ ! -e "$prefix" ] || mv -T "$prefix" "$prefix.old"
  mv -T "$prefix.new" "$prefix"
  rm -rf "$prefix.old" "$work"
  trap - EXIT
  say "drogon ($build): installed in $prefix, $(du -sm "$prefix" | cut -f1) MB"
}

CXX=${CXX:-g++}
# Counts up when the recipe above changes. The sanitized ones leave Drogon's own assertions out, as the
# release does: one of them ends the process when a connection that libpq has closed is taken down.
case $build in asan | tsan) recipe=v2 ;; *) recipe=v1 ;; esac
key="drogon $DROGON_VERSION trantor $TRANTOR_VERSION $("$CXX" -dumpfullversion -dumpversion) $build $recipe $(
  dpkg-query -W -f='${Package}=${Version} ' "${KEY_PACKAGES[@]}")"

if prefix=$(system_drogon); then
  say "drogon: the system's own in $prefix is new enough"
  link_prefix "$prefix"
  exit 0
fi

home=$(deps_home)
prefix=$home/$build
if [ "$(cat "$prefix/.stamp" 2>/dev/null)" != "$key" ]; then
  mkdir -p "$home/log"
  exec 9>"$home/.lock"
  flock -n 9 || { say "drogon: another process is building it, waiting"; flock 9; }
  # Whoever held the lock may have built just this.
  if [ "$(cat "$prefix/.stamp" 2>/dev/null)" != "$key" ]; then
    say "drogon ($build): building, once for this machine; about two minutes on two cores"
    fetch_sources "$home/sources"
    build_drogon "$prefix"
  fi
  exec 9>&-
fi
link_prefix "$prefix"
say "ready: Drogon ($build) in $prefix"

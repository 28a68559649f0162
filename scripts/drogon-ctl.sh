#!/usr/bin/env bash
# Prints the path of a drogon_ctl: that of DROGON_CTL, of the path, or one of our own, which is built in
# build/drogon-ctl from Drogon's source packages against the Drogon that scripts/setup.sh has installed.
# Compiling its dozen files takes half a minute; building it with Drogon took four.
#   scripts/drogon-ctl.sh --views    one that translates views and does nothing else: four files, four seconds
set -euo pipefail
LIB_TAG=drogon-ctl
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"

tool=drogon_ctl
[ "${1:-}" != --views ] || tool=view_ctl

for candidate in "${DROGON_CTL:-}" "$(command -v drogon_ctl || true)"; do
  [ -z "$candidate" ] || [ ! -x "$candidate" ] || { echo "$candidate" && exit 0; }
done

work=$ROOT/build/drogon-ctl
prefix=$(readlink -f "$ROOT/build/deps/release" || true)
sources=${prefix%/*}/sources
stamp="$(cat "$prefix/.stamp" 2>/dev/null || true) 1"
is_current() { [ -x "$work/build/$tool" ] && [ "$(cat "$work/stamp" 2>/dev/null)" = "$stamp" ]; }
if is_current; then
  echo "$work/build/$tool" && exit 0
fi
ls "$sources"/drogon_*.dsc >/dev/null 2>&1 ||
  die 69 "no drogon_ctl, and no sources of Drogon to build one from: name one as DROGON_CTL"

mkdir -p "$ROOT/build"
exec 9>"$ROOT/build/drogon-ctl.lock"
flock 9
t0=$(now_ms)
[ "$(cat "$work/stamp" 2>/dev/null)" = "$stamp" ] || rm -rf "$work"
mkdir -p "$work/build/drogon"
log=$work/log
[ -d "$work/drogon" ] || (cd "$work" && dpkg-source -x --no-check "$sources"/drogon_*.dsc drogon) >"$log" 2>&1 ||
  { show_tail "$log" && die 70 "cannot unpack Drogon's sources"; }
# What Drogon's own build would tell it.
cat >"$work/build/drogon/config.h" <<'H'
#define USE_POSTGRESQL 1
#define LIBPQ_SUPPORTS_BATCH_MODE 1
#define USE_MYSQL 0
#define USE_SQLITE3 0
#define COMPILATION_FLAGS ""
#define COMPILER_COMMAND ""
#define COMPILER_ID ""
#define INCLUDING_DIRS ""
H
cat >"$work/CMakeLists.txt" <<'C'
cmake_minimum_required(VERSION 3.25)
project(drogon_ctl CXX)
set(CMAKE_CXX_STANDARD 20)
find_package(Drogon REQUIRED CONFIG)
set(source ${CMAKE_CURRENT_SOURCE_DIR}/drogon/drogon_ctl)
# Its own templates are views, which a smaller one translates first.
add_executable(view_ctl ${source}/main.cc ${source}/cmd.cc ${source}/create.cc ${source}/create_view.cc)
target_link_libraries(view_ctl Drogon::Drogon)
file(GLOB templates ${source}/templates/*.csp)
foreach(template ${templates})
  get_filename_component(name ${template} NAME_WE)
  add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/${name}.cc
    COMMAND view_ctl create view ${template} -o ${CMAKE_BINARY_DIR} DEPENDS view_ctl ${template})
  list(APPEND translated ${CMAKE_BINARY_DIR}/${name}.cc)
endforeach()
file(GLOB sources ${source}/*.cc)
add_executable(drogon_ctl ${sources} ${translated})
target_include_directories(drogon_ctl PRIVATE ${source} ${CMAKE_BINARY_DIR})
target_link_libraries(drogon_ctl Drogon::Drogon)
C
{ cmake -S "$work" -B "$work/build" -G Ninja "-DCMAKE_PREFIX_PATH=$prefix" -DCMAKE_BUILD_TYPE=None &&
  cmake --build "$work/build" -j 2 --target "$tool"; } >>"$log" 2>&1 </dev/null ||
  { show_tail "$log" && die 70 "$tool does not build; the whole log is $log"; }
echo "$stamp" >"$work/stamp"
say "$tool: built in $(seconds $(($(now_ms) - t0))) s"
echo "$work/build/$tool"

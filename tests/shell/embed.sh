#!/bin/bash
# `cmake --install`, and an application that embeds what it brought: examples/embed, built against the
# installed package and nothing else. Or against our folder, without installing anything.
set -euo pipefail
# shellcheck source=tests/shell/lib.bash
. "$(dirname "$0")/lib.bash"

BUILD=$(dirname "${RELAYER_BIN:-$SOURCE/build/release/relayer}")
BODY='{"contractChainId":"8009","contractAddress":"0x1111111111111111111111111111111111111111",
  "userAddress":"0x2222222222222222222222222222222222222222","ciphertextWithInputVerification":"aabbcc",
  "extraData":"0x00"}'

install_into() {
  [ -f "$BUILD/cmake_install.cmake" ] || skip "$BUILD is no build folder"
  command -v psql >/dev/null || skip "there is no psql"
  cmake --install "$BUILD" --prefix "$1" >install.log || fail "$(tail -5 install.log)"
}

# Built once for all tests of this file: greeter, and whatever else is named.
build_greeters() {
  local shared=$WORK/greeters program
  PREFIX=$shared/prefix GREETERS=$shared/build
  if [ ! -f "$shared/built" ]; then
    mkdir -p "$shared"
    install_into "$PREFIX"
    # A copy: nothing of our tree is beside it.
    cp -r "$PREFIX/share/doc/drogon_relayer/examples/embed" "$shared/source"
    cmake -S "$shared/source" -B "$GREETERS" -G Ninja "-DCMAKE_PREFIX_PATH=$PREFIX" >cmake.log 2>&1 ||
      fail "not configured: $(tail -15 cmake.log)"
    touch "$shared/built"
  fi
  for program in greeter "$@"; do
    cmake --build "$GREETERS" --target "$program" >cmake.log 2>&1 ||
      fail "not built: $(grep -m 3 -E 'error|undefined' cmake.log)"
  done
}

# Makes a database, and a configuration for it beside the test: ours, with other ports and names.
configure() {
  [ -n "${RELAYER_TEST_DATABASE_URL:-}" ] || skip "RELAYER_TEST_DATABASE_URL is not set"
  DATABASE=embed_$$_$RANDOM
  psql -XAtq "$RELAYER_TEST_DATABASE_URL" -c "create database $DATABASE"
  at_end "psql -XAtq '$RELAYER_TEST_DATABASE_URL' -c 'drop database if exists $DATABASE with (force)'"
  PORT=$(. "$SOURCE/scripts/lib.sh" && free_port)
  node -e '
    const [from, url, database, port, change] = process.argv.slice(1);
    const c = JSON.parse(require("fs").readFileSync(from, "utf8")), u = new URL(url);
    c.listeners[0].port = Number(port);
    c.app.upload_path = process.cwd() + "/uploads";
    Object.assign(c.db_clients[0], { host: u.hostname, port: Number(u.port), dbname: database,
      user: decodeURIComponent(u.username), passwd: decodeURIComponent(u.password) });
    const relayer = c.plugins[0].config;
    eval(change);
    console.log(JSON.stringify(c, null, 1));
  ' "$SOURCE/examples/embed/config.json" "$RELAYER_TEST_DATABASE_URL" "$DATABASE" "$PORT" "${1:-}" >config.json
  URL=http://127.0.0.1:$PORT
}

start() {
  # Drogon's log flushes errors only.
  stdbuf -oL "$GREETERS/$1" config.json >out 2>&1 &
  PID=$!
  at_end "kill -KILL $PID 2>/dev/null"
  local i
  for ((i = 0; i < 300; i++)); do
    kill -0 $PID 2>/dev/null || fail "it has ended: $(tail -5 out)"
    if curl -sf -o /dev/null "$URL/relayer/healthz"; then return 0; fi
    sleep 0.1 # until it listens
  done
  fail "it does not become healthy: $(tail -5 out)"
}

# status_of ARGUMENTS...: the status; the body is in ./body, the headers in ./headers
status_of() { curl -sS -o body -D headers -w '%{http_code}' "$@"; }

test_installs_what_an_application_needs() {
  install_into "$T/prefix"
  local file
  for file in bin/relayer include/drogon_relayer/module.h lib/libdrogon_relayer.a \
    lib/cmake/drogon_relayer/drogon_relayerConfig.cmake lib/pkgconfig/drogon_relayer.pc \
    include/drogon_relayer/share_library_abi.h \
    share/drogon-relayer/migrations/0001_requests.sql share/doc/drogon_relayer/deploy/nginx.conf \
    share/doc/drogon_relayer/config.json share/doc/drogon_relayer/docs/embedding.md; do
    [ -n "$(find "$T/prefix" -path "*/$file")" ] || [ -n "$(find prefix/lib -name "$(basename "$file")")" ] ||
      fail "$file is not installed"
  done
  prefix/bin/relayer --version
  # Nothing that is installed leads back into the tree it was built in.
  ! grep -rlF "$SOURCE" prefix/lib/cmake prefix/lib/*/cmake prefix/lib/*/pkgconfig prefix/include 2>/dev/null ||
    fail "a path of the tree is in what is installed"
}

test_its_documents_find_what_they_link_to() {
  install_into "$T/prefix"
  find_all_links prefix/share/doc/drogon_relayer
}

# ./run builds the program and nothing else, and docs/embedding.md installs after that.
test_what_run_builds_is_enough_to_install() {
  [ -f "$BUILD/build.ninja" ] || skip "$BUILD is no build folder"
  local built file
  built=$(ninja -C "$BUILD" -t inputs relayer)
  grep -oE "file\(INSTALL .*FILES? .*\"$BUILD/[^\"]*\"" "$BUILD/cmake_install.cmake" | grep -oE "\"$BUILD/[^\"]*" | tr -d '"' |
    grep -vE '\.(cmake|pc)$' | sort -u >made
  grep -q '/libdrogon_relayer\.a$' made || fail "the archive is not among what is installed: $(cat made)"
  while IFS= read -r file; do
    file=${file#"$BUILD/"}
    [ "$file" = relayer ] || grep -qxF -- "$file" <<<"$built" || fail "$file is installed, and ./run does not build it"
  done <made
}

test_serves_beside_the_routes_of_the_application() {
  build_greeters
  configure
  start greeter
  equals "its own route" "Hello, world" "$(curl -sS "$URL/hello/world")"
  equals "its own /healthz" "the greeter is well" "$(curl -sS "$URL/healthz")"
  equals "a post" 202 "$(status_of -X POST "$URL/relayer/v2/input-proof" -d "$BODY")"
  local job
  job=$(sed -n 's/^[Ll]ocation: \(.*\)\r$/\1/p' headers)
  [[ "$job" == /relayer/v2/input-proof/* ]] || fail "Location is '$job'"
  equals "a poll" 202 "$(status_of "$URL$job")"
  equals "rows" 1 "$(psql -XAtq "${RELAYER_TEST_DATABASE_URL%/*}/$DATABASE" -c 'select count(*) from request')"
  # Unknown paths, methods and bodies too large are answered by us below our prefix only.
  equals "a path of nobody" 404 "$(status_of "$URL/relayer/nothing")"
  contains '"error"' "$(cat body)"
  equals "a wrong method" 405 "$(status_of -X DELETE "$URL/relayer/v2/input-proof")"
  contains 'allow: POST' "$(cat headers)"
  head -c 3000000 /dev/zero >large
  equals "a large body" 400 "$(status_of -X POST "$URL/relayer/v2/input-proof" --data-binary @large)"
  contains '"error"' "$(cat body)"
  equals "outside of the prefix" 404 "$(status_of "$URL/v2/input-proof")"
  [[ "$(cat body)" != '{'* ]] || fail "we answer for a path that is not ours: $(cat body)"
  # What it tells of itself is where it stands.
  contains '"servers":[{"url":"/relayer"}]' "$(curl -sS "$URL/relayer/openapi.json")"
  ! grep -q host_setting_too_small out || fail "$(grep host_setting_too_small out)"
}

test_the_console_is_below_the_prefix_too() {
  build_greeters
  configure 'relayer.admin = { access: "none" }'
  start greeter
  equals "the console" 200 "$(status_of -L -c cookies -b cookies "$URL/relayer/console")"
  contains 'href="/relayer/console/requests"' "$(cat body)"
  contains 'src="/relayer/console/console.js"' "$(cat body)"
  ! grep -q '"/console' body || fail "a link of the page leaves the prefix: $(grep -o '"/console[^"]*"' body | head -1)"
  equals "an admin route" 200 "$(status_of "$URL/relayer/admin/queues")"
  # The log is the application's.
  equals "another log level" 400 "$(status_of "$URL/relayer/admin/config" -H 'Content-Type: application/json' \
    -d '{"param":"log_level","value":"debug"}')"
  contains 'log_level can not be set here' "$(cat body)"
}

test_says_where_the_settings_of_the_application_are_too_small() {
  build_greeters
  configure 'c.app.client_max_body_size = "1M"; c.app.idle_connection_timeout = 1; c.app.number_of_threads = 1'
  start greeter
  local i
  for ((i = 0; i < 100; i++)); do
    if grep -q 'setting=idle_connection_timeout' out; then break; fi
    sleep 0.1 # until the connection has been closed
  done
  contains 'setting=client_max_body_size value=below_http.max_body needed=2097152' "$(cat out)"
  contains 'setting=idle_connection_timeout' "$(cat out)"
  [ "$(nproc)" = 1 ] || contains 'setting=number_of_threads value=1 needed=2' "$(cat out)"
}

test_says_why_it_does_not_start() {
  build_greeters
  configure 'relayer.database = { db_client: "nobody" }; relayer.http.max_bod = 1'
  "$GREETERS/greeter" config.json >out 2>&1 && fail "it runs" || true
  contains 'http.max_bod: unknown key (did you mean max_body?)' "$(cat out)"
  contains 'database.db_client: this application has no db_client "nobody"' "$(cat out)"
  configure 'relayer.http.path_prefix = ""'
  "$GREETERS/greeter" config.json >out 2>&1 && fail "it runs" || true
  contains "the route /healthz of this application is in the way of the relayer's /healthz" "$(cat out)"
}

test_drains_when_the_application_is_told_to_stop() {
  [ -n "${RELAYER_TEST_FULL:-}" ] || skip "only with --full"
  build_greeters draining_greeter
  configure
  start draining_greeter
  contains 'relayer_queue' "$(curl -sS "$URL/metrics")"
  equals "a post" 202 "$(status_of -X POST "$URL/relayer/v2/input-proof" -d "$BODY")"
  contains 'relayer_http_requests_total{endpoint="/input-proof",method="POST",version="v2"' "$(curl -sS "$URL/metrics")"
  local code=0 here=(psql -XAtq "${RELAYER_TEST_DATABASE_URL%/*}/$DATABASE" -c "select count(*) from instance where not draining")
  equals "instances" 1 "$("${here[@]}")"
  kill -TERM $PID
  wait $PID || code=$?
  equals "exit code" 0 $code
  contains 'step=draining' "$(cat out)"
  # It has told the others that it is gone.
  equals "instances that are not gone" 0 "$("${here[@]}")"
}

test_pkg_config_links_it_as_well() {
  [ -n "${RELAYER_TEST_FULL:-}" ] || skip "only with --full"
  build_greeters
  local folder
  folder=$(dirname "$(find "$PREFIX" -name drogon_relayer.pc)")
  # shellcheck disable=SC2046 # words
  g++ "$SOURCE/examples/embed/greeter.cc" -o greeter $(PKG_CONFIG_PATH=$folder pkg-config --cflags --libs drogon_relayer)
  mkdir bin && mv greeter bin
  configure
  GREETERS=$T/bin
  start greeter
  equals "a post" 202 "$(status_of -X POST "$URL/relayer/v2/input-proof" -d "$BODY")"
}

# The whole module once more takes minutes: without --full one room and what includes our header.
test_is_taken_in_as_a_folder_of_the_source() {
  [ -f "$BUILD/CMakeCache.txt" ] || skip "$BUILD is no build folder"
  cp -r "$SOURCE/examples/embed" application
  sed -i "s|^find_package(drogon_relayer REQUIRED)|add_subdirectory(\"$SOURCE\" relayer)|" application/CMakeLists.txt
  contains "add_subdirectory(" "$(cat application/CMakeLists.txt)"
  # Drogon is where it was found for our own build.
  cmake -S application -B application/build -G Ninja \
    "-DCMAKE_PREFIX_PATH=$(sed -n 's/^CMAKE_PREFIX_PATH:[^=]*=//p' "$BUILD/CMakeCache.txt")" >cmake.log 2>&1 ||
    fail "not configured: $(tail -15 cmake.log)"
  ! grep -iE 'yaml|gtest' cmake.log || fail "it asks for what only our own program and tests use"
  ! grep -E '"file": .*/(tests|bench|importer|main\.cc)' application/build/compile_commands.json || fail "more than the module is built"
  ! grep -qe -Werror application/build/compile_commands.json || fail "a warning of another compiler would end its build"
  equals "what is made beside its own" "relayer" "$(cd application/build && ls -d [!C]*/ | tr -d /)"
  local targets=(relayer_drogon_relayer CMakeFiles/draining_greeter.dir/draining_greeter.cc.o)
  [ -z "${RELAYER_TEST_FULL:-}" ] || targets=(all)
  cmake --build application/build --target "${targets[@]}" >cmake.log 2>&1 ||
    fail "not built: $(grep -m 3 -E 'error|undefined' cmake.log)"
  [ -n "${RELAYER_TEST_FULL:-}" ] || return 0
  GREETERS=$T/application/build
  configure
  start greeter
  equals "its own route" "Hello, world" "$(curl -sS "$URL/hello/world")"
  equals "a post" 202 "$(status_of -X POST "$URL/relayer/v2/input-proof" -d "$BODY")"
}

run_tests "$@"

#!/bin/bash
# deploy/Containerfile. Where a container engine runs it is built and started; where none does, what can be
# seen without one: it copies, runs and names what there is, and its health check tells a server from none.
set -euo pipefail
# shellcheck source=tests/shell/lib.bash
. "$(dirname "$0")/lib.bash"
# shellcheck source=scripts/container-steps.sh
. "$SOURCE/scripts/container-steps.sh"

FILE_OF_IMAGE=$SOURCE/deploy/Containerfile

test_it_names_what_is_there() {
  local from source line
  while read -r from _; do
    # An image of another host could not be had by everybody.
    [[ "$from" = debian:* ]] || fail "it begins from $from"
  done < <(container_steps 1 FROM; container_steps 2 FROM)
  while read -r source _; do [ -e "$SOURCE/$source" ] || fail "it copies $source"; done < <(container_steps 1 COPY)
  # shellcheck disable=SC2013 # words
  for source in $(container_steps 1 RUN | grep -oE 'scripts/[a-z./-]+'); do [ -x "$SOURCE/$source" ] || fail "it runs $source"; done
  while IFS= read -r line; do bash -n <<<"$line" || fail "no command: $line"; done < <(container_steps 1 RUN; container_steps 2 RUN)
  contains 'scripts/setup.sh" --for run' "$(cat "$SOURCE/run")"
  contains 'scripts/setup.sh --for run ' "$(container_steps 1 RUN)"
}

test_it_serves_as_the_package_does() {
  equals "port" "$(sed -nE 's/^ *"port": ([0-9]+).*/\1/p' "$SOURCE/config.json" | head -1)" "$(container_steps 2 EXPOSE)"
  local unit=$SOURCE/deploy/systemd/drogon-relayer.service command user
  user=$(container_steps 2 USER)
  contains "useradd --system --uid ${user%:*} --gid ${user#*:} --home-dir $(sed -n 's/^WorkingDirectory=//p' "$unit") " "$(container_steps 2 RUN)"
  contains " $(sed -n 's/^User=//p' "$unit") " "$(container_steps 2 RUN)"
  command=$({ container_steps 2 ENTRYPOINT; container_steps 2 CMD; } | tr -d '[],"' | tr '\n' ' ' | sed 's/ $//')
  equals "command" "$(sed -nE 's#^ExecStart=/usr/bin/##p' "$unit")" "$command"
  equals "folder" "$(sed -n 's/^WorkingDirectory=//p' "$unit")" "$(container_steps 2 WORKDIR)"
  contains "HOME=$(container_steps 2 WORKDIR)" "$(container_steps 2 ENV)"
}

test_its_health_check_tells_a_server_from_none() {
  [ -x "${RELAYER_BIN:-}" ] || skip "allowed: RELAYER_BIN is not set; ./test sets it"
  local i pid health
  health=$(container_health_check)
  RELAYER_HOST__PORT=$(. "$SOURCE/scripts/lib.sh" && free_port)
  export RELAYER_HOST__PORT
  ! bash -c "$health" || fail "nobody is there, and it is healthy"
  # Without a database it lives all the same.
  RELAYER_DATABASE__URL=postgresql://nobody@127.0.0.1:1/nothing RELAYER_INSTANCE__DRAIN_DEADLINE=1s \
    "$RELAYER_BIN" --config "$SOURCE/config.json" >out 2>&1 &
  pid=$!
  at_end "kill -KILL $pid 2>/dev/null"
  for ((i = 0; i < 300; i++)); do
    if bash -c "$health" 2>/dev/null; then break; fi
    kill -0 $pid || fail "it has ended: $(tail -n 3 out)"
    sleep 0.1 # until it listens
  done
  bash -c "$health" || fail "it is not healthy: $(tail -n 3 out)"
}

test_it_builds_and_starts_where_a_container_engine_runs() {
  [ -n "${RELAYER_TEST_FULL:-}" ] || skip "allowed: minutes, only with RELAYER_TEST_FULL=1 (./test --full)"
  local engine='' each
  for each in podman docker; do
    if timeout 20 "$each" info >/dev/null 2>&1; then engine=$each && break; fi
  done
  [ -n "$engine" ] || skip "allowed: no container engine runs here"
  "$engine" build -q -f "$FILE_OF_IMAGE" -t drogon-relayer:test "$SOURCE" >out 2>&1 ||
    { grep -qiE 'pull|resolve|registry' out && skip "allowed: $engine has no image of Debian"; fail "$(tail -n 5 out)"; }
  contains "$(sed -nE 's/^project\([^ ]+ VERSION ([0-9.]+).*/\1/p' "$SOURCE/CMakeLists.txt")" \
    "$("$engine" run --rm drogon-relayer:test --version)"
}

run_tests "$@"

#!/bin/bash
# The documents: each command in them is run by a test, what they show is what is seen, and what they name is
# there. A command is a line of a block ```sh, or one that begins with `$ ` in a block ```console, where the
# lines below it are what it prints. proofs() says of each which test runs it; one that is in no line there
# is an error.
set -euo pipefail
# shellcheck source=tests/shell/lib.bash
. "$(dirname "$0")/lib.bash"

RELAYER=${RELAYER_BIN:-$SOURCE/build/release/relayer}
unset RELAYER_CONFIG RELAYER_DATABASE__URL DATABASE_URL RELAYER_HOST__PORT RELAYER_GATEWAY__RPC__READ

# DOCUMENT :: COMMAND (a pattern) :: PROOF; the first line that fits counts. A proof is one of
#   here NAME               test_NAME of this file runs it as it stands, and compares what it prints
#   by NAME FILE: PART      the test NAME runs it; PART, of FILE, is where
#   never REASON            no test can
proofs() {
  cat <<'TABLE'
README.md :: ./run :: here the_readme_shows_what_is_seen
README.md :: ./test :: by fresh_bookworm.run_and_test_work_on_a_fresh_debian_12 scripts/fresh-machine.sh: timed "./test" ./test
README.md :: curl * :: here the_readme_shows_what_is_seen
README.md :: node devnet/share.mjs * :: here the_readme_shows_what_is_seen
README.md :: scripts/demo :: by run.the_demo_gets_an_answer_to_each_request tests/shell/run.sh: "$SOURCE/scripts/demo"
README.md :: scripts/devnet.sh clients && scripts/devnet.sh keys :: here the_example_of_a_client_decrypts
README.md :: cd tests/clients && * example.mjs :: here the_example_of_a_client_decrypts
*.md :: cmake --install build/release --prefix * :: by embed.serves_beside_the_routes_of_the_application tests/shell/embed.sh: cmake --install "$BUILD" --prefix
CONTRIBUTING.md :: ./run :: here the_readme_shows_what_is_seen
CONTRIBUTING.md :: ./run --help :: here what_is_generated_is_what_programs_print
CONTRIBUTING.md :: ./test --help :: here what_is_generated_is_what_programs_print
CONTRIBUTING.md :: ./test --full :: never a whole run of the tests; it is what runs all of this
CONTRIBUTING.md :: *./test* :: never a run of the tests within one; --full has these parts, and their options are checked below
CONTRIBUTING.md :: cmake --preset release && cmake --build --preset release :: by fresh_bookworm.run_and_test_work_on_a_fresh_debian_12 scripts/lib.sh: cmake --build --preset "$preset"
CONTRIBUTING.md :: relayer --config-* :: here what_is_generated_is_what_programs_print
docs/console.md :: *relayer :: here operators_get_in_and_change_what_they_may
docs/operations.md :: *curl * :: here operators_get_in_and_change_what_they_may
docs/operations.md :: A=* :: here operators_get_in_and_change_what_they_may
docs/operations.md :: cpack * :: by package.works_where_it_is_unpacked tests/shell/package.sh: cpack --config
docs/operations.md :: sudo sh -c * :: by fresh_package.the_package_installs_serves_and_goes_again scripts/fresh-machine.sh: $(documented migrate)
docs/operations.md :: pg_dump * :: by backup.what_was_on_its_way_ends_and_what_came_later_is_not_known tests/shell/backup.sh: pg_dump --format=custom --file=relayer.dump "$RELAYER_DATABASE__URL"
docs/operations.md :: psql * :: by backup.what_was_on_its_way_ends_and_what_came_later_is_not_known tests/shell/backup.sh: psql --quiet "$ADMIN_URL" -c "create database $RESTORED"
docs/operations.md :: pg_restore * :: by backup.what_was_on_its_way_ends_and_what_came_later_is_not_known tests/shell/backup.sh: pg_restore --exit-on-error --single-transaction --no-owner --dbname="$RESTORED_URL" relayer.dump
docs/operations.md :: sudo systemctl enable * :: never it needs a machine that systemd has started; fresh_package.sh installs the package, systemd.sh verifies the unit
docs/operations.md :: podman * :: never it needs a container engine and an image of Debian; container.sh builds and starts the image where there is one, fresh_package.sh goes the Containerfile's steps without
docs/model/README.md :: spin * :: by model.a_planted_bug_is_seen_as_the_readme_says tests/shell/model.sh: docs/model/README.md
docs/migration.md :: export RELAYER_* :: here the_way_from_the_reference_is_that_of_the_guide
docs/migration.md :: relayer * :: here the_way_from_the_reference_is_that_of_the_guide
docs/benchmarks.md :: scripts/bench-report.sh :: never it measures for ten minutes; what it writes is tested by bench.the_report_shows_what_was_recorded
docs/nginx.md :: sudo nginx -t && sudo systemctl reload nginx :: never it reloads the machine's own nginx; `nginx -t` alone is run
docs/nginx.md :: sudo nginx -t :: by NginxDocument.ItsCommandsAnswerAsItSays tests/e2e/nginx_document_test.cc: sudo nginx -t
docs/nginx.md :: sudo * :: never it changes what belongs to the machine
docs/nginx.md :: *curl * :: by NginxDocument.ItsCommandsAnswerAsItSays tests/e2e/nginx_document_test.cc: "docs/nginx.md"
devnet/README.md :: scripts/devnet.sh keys :: here the_example_of_a_client_decrypts
devnet/README.md :: * :: here a_devnet_of_ones_own_answers
TABLE
}

documents() { (cd "$SOURCE" && find . -name '*.md' -not -path './build/*' -not -path './var/*' -not -path '*/node_modules/*' | sed 's#^\./##' | sort); }

# ---------------------------------------------------------------- the commands, and what is to be seen

# A command is whole when the shell has no more to ask for.
is_whole() { [[ "$1" != *\\ ]] && bash -n <<<"$1" 2>/dev/null; }

# Each command of all documents as a file commands/NUMBER of the test's folder, with its document and what
# it prints beside it.
read_commands() {
  local document line before block text output indent number=100
  mkdir commands
  for document in $(documents); do
    block='' text='' output='' before=''
    while IFS= read -r line; do
      [ -z "$block" ] || line=${line#"$indent"}
      if [ -z "$block" ] && [[ "$line" =~ ^(' '*)'```'([^\`]*)$ ]]; then
        indent=${BASH_REMATCH[1]} block=${BASH_REMATCH[2]}
        [ -n "$block" ] || fail "$document: a block that does not say what it is in (\`\`\`sh, console, json, text, ...)"
        output=''
      elif [ "$line" = '```' ]; then
        [ -z "$text" ] || fail "$document: this command does not end: $text"
        block=''
      elif [ -n "$text" ] || { [ "$block" = sh ] && [ -n "$line" ]; } || [[ "$block" = console && "$line" = '$ '* ]]; then
        if [ -z "$text" ]; then
          [ "$block" = sh ] || line=${line#'$ '}
          [[ ! "$line" =~ ^(.*[^[:space:]])[[:space:]]+'# '.*$ ]] || line=${BASH_REMATCH[1]}
          number=$((number + 1)) output=commands/$number.output
          echo "$document" >commands/$number.document
          : >"$output"
        fi
        text+=${text:+$'\n'}$line
        if is_whole "$text"; then
          printf '%s\n' "$text" >commands/$number
          text=''
        fi
      elif [ "$block" = console ] && [ -n "$output" ]; then
        printf '%s\n' "$line" >>"$output"
      elif [ -z "$block$before" ] && [[ "$line" = '    '* ]]; then
        fail "$document: code stands in a block between \`\`\` that says what it is in, not indented: $line"
      fi
      before=$line
    done <"$SOURCE/$document"
    [ -z "$block" ] || fail "$document: a block that does not end"
  done
}
numbers() { find commands -name '???' -printf '%f\n' | sort; }

# proof_of NUMBER: sets PROOF and FITS, the line of the table.
proof_of() {
  local document command row_document row_command
  document=$(<"commands/$1.document") command=$(<"commands/$1")
  PROOF='' FITS=''
  while IFS= read -r line; do
    row_document=${line%% :: *} row_command=${line#* :: } row_command=${row_command%% :: *}
    # shellcheck disable=SC2053 # they are patterns
    if [[ "$document" == $row_document && "$command" == $row_command ]]; then
      PROOF=${line##* :: } FITS=$line
      return 0
    fi
  done < <(proofs)
}

# What a document shows, as a pattern: one line, `...` for anything, any id and any number of seconds.
pattern_of() {
  sed -e 's/[][\\*?]/\\&/g' <<<"$1" | sed -E -e ':join' -e 'N' -e '$!bjoin' -e 's/\n *//g' -e 't' | sed -E \
    -e 's/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/+([0-9a-f-])/g' \
    -e 's/(_seconds"|^content-length|^retry-after|"revision")(: ?)[0-9]+/\1\2+([0-9])/g' \
    -e 's/,? ?("(0x)?[0-9a-f]*)?\.\.\."?,? ?/*/g'
}

# shows EXPECTED ACTUAL: whether it is what the document says. Of the headers those that it shows.
shows() {
  local expected=$1 actual=${2//$'\r'/} line pattern
  if [[ "$expected" = HTTP/* ]]; then
    while IFS= read -r line && [ -n "$line" ]; do
      pattern=$(pattern_of "$line")
      # shellcheck disable=SC2053
      while IFS= read -r head; do [[ "$head" != $pattern ]] || continue 2; done <<<"${actual%%$'\n\n'*}"
      WHY="there is no header line $line"
      return 1
    done <<<"$expected"
    [[ "$expected" = *$'\n\n'* ]] || return 0
    expected=${expected#*$'\n\n'} actual=${actual#*$'\n\n'}
  fi
  pattern=$(pattern_of "$expected")
  WHY="it said $actual, and not $expected"
  # shellcheck disable=SC2053
  [[ "$actual" == $pattern ]]
}

# run_command NUMBER: as it stands, but for STANDS_FOR (`shown=real` each). Who polls asks again for a while.
STANDS_FOR=()
run_command() {
  local document command expected each actual code deadline
  document=$(<"commands/$1.document") command=$(<"commands/$1") expected=$(<"commands/$1.output")
  for each in "${STANDS_FOR[@]}"; do command=${command//"${each%%=*}"/"${each#*=}"}; done
  deadline=$(($(date +%s) + 30))
  while :; do
    code=0
    eval "$command" >"$T/actual" 2>"$T/errors" || code=$?
    actual=$(<"$T/actual")
    [ $code = 0 ] || fail "$document: $command ended with $code: $(tail -c 300 "$T/errors")"
    if [ -z "$expected" ] || shows "$expected" "$actual"; then break; fi
    if [[ "$command" = *' -d '* ]] || [ "$(date +%s)" -ge "$deadline" ]; then
      fail "$document: $command: $WHY"
    fi
    sleep 0.1 # until a poll shows it
  done
  # The ids of the document are ours from here on.
  if [[ "$expected" =~ '"job_id":"'([0-9a-f-]+) ]]; then
    each=${BASH_REMATCH[1]}
    [[ "$actual" =~ '"job_id":"'([0-9a-f-]+) ]] && STANDS_FOR+=("$each=${BASH_REMATCH[1]}")
  fi
  RAN=$((${RAN:-0} + 1))
}

# Those that the table gives to this test; in a document's order, but for what the test has run by itself.
commands_of() {
  local number
  for number in $(numbers); do
    proof_of "$number"
    [ "$PROOF" != "here $1" ] || echo "$number"
  done
}

# ---------------------------------------------------------------- a newcomer's machine

# A tree of its own beside the real one, so that var/ is nobody else's; `relayer` on the path; and what asks
# 127.0.0.1:8088 reaches the port that was free. A status that is an error is one.
enter_tree() {
  [ -x "$RELAYER" ] || skip "$RELAYER is not built"
  command -v node >/dev/null || skip "there is no node"
  local entry
  mkdir -p tree/tests/clients bin
  for entry in "$SOURCE"/*; do
    case $(basename "$entry") in
      tests | var | build) ;;
      docs | scripts | run | test | config.json) cp -r "$entry" tree/ ;;
      *) ln -s "$entry" tree/ ;;
    esac
  done
  ln -s "$SOURCE"/tests/clients/* tree/tests/clients/
  ln -s "$RELAYER" bin/relayer
  cat >bin/curl <<CURL
#!/bin/bash
exec $(command -v curl) -sS --fail-with-body --connect-to "127.0.0.1:8088:127.0.0.1:\$(cat "$T/port")" "\$@"
CURL
  chmod +x bin/curl
  MACHINE_PATH=$PATH PATH=$T/bin:$PATH
  export RELAYER_BIN=$RELAYER INITDB_OPTS=--no-sync
  cp -r commands tree/
  cd tree
}

# wait_for FILE PATTERN PID: until a line of the file has it
wait_for() {
  local i
  for ((i = 0; i < 600; i++)); do
    ! grep -qE "$2" "$1" || return 0
    kill -0 "$3" 2>/dev/null || fail "it has ended: $(tail -n 5 "$1")"
    sleep 0.1 # until it is ready
  done
  fail "$1 never had $2"
}

# ./run as it stands, in a terminal that is a file.
start_run() {
  [ -x "$SOURCE/devnet/node_modules/@foundry-rs/anvil-linux-amd64/bin/anvil" ] || skip "the devnet's npm packages are missing: scripts/devnet.sh setup"
  PATH=$MACHINE_PATH RELAYER_HOST__PORT=0 ./run >"$T/run.out" 2>&1 &
  RUN=$!
  at_end "kill -TERM $RUN; wait $RUN"
  wait_for "$T/run.out" '^READY ' $RUN
  sed -n 's/^READY .*://p' "$T/run.out" >"$T/port"
}

make_database() {
  [ -n "${RELAYER_TEST_DATABASE_URL:-}" ] || skip "RELAYER_TEST_DATABASE_URL is not set"
  psql -XAtq "$RELAYER_TEST_DATABASE_URL" -c "create database $1"
  at_end "psql -XAtq '$RELAYER_TEST_DATABASE_URL' -c 'drop database if exists $1 with (force)'"
}

# ---------------------------------------------------------------- tests

# shellcheck source=scripts/gtest.sh
known_tests() {
  local each
  for each in "$SOURCE"/tests/shell/*.sh; do "$each" --list; done
  [ -x "$RELAYER" ] || return 0
  . "$SOURCE/scripts/gtest.sh"
  for each in "$(dirname "$RELAYER")"/tests/*_tests; do gtest_names "$each"; done
}

test_each_command_has_a_test_that_runs_it() {
  read_commands
  known_tests >known
  local number name file part here=0 by=0 never=0
  : >fits
  for number in $(numbers); do
    proof_of "$number"
    printf '%s\n' "$FITS" >>fits
    case $PROOF in
      'here '*)
        here=$((here + 1))
        declare -F "test_${PROOF#here }" >/dev/null || fail "there is no test_${PROOF#here } in documents.sh"
        ;;
      'by '*)
        by=$((by + 1))
        read -r _ name file part <<<"$PROOF"
        [ ! -x "$RELAYER" ] || grep -qxF -- "$name" known || fail "no test is named $name"
        grep -qF -- "$part" "$SOURCE/${file%:}" || fail "${file%:} does not have $part"
        ;;
      'never '*) never=$((never + 1)) ;;
      *) fail "$(<"commands/$number.document"): no test runs this, so proofs() in tests/shell/documents.sh needs a line: $(<"commands/$number")" ;;
    esac
  done
  [ "$here" -gt 20 ] || fail "the commands are not found"
  equals "lines of the table that fit nothing" "" "$(proofs | grep -vxFf fits || true)"
  echo "# $((here + by + never)) commands: $here run here, $by by other tests, $never by none, for a reason"
}

# What others' programs are told stands in a block, where it is run, and may be named in running text beside
# that; but for what is only spoken of.
test_commands_in_running_text_stand_in_a_block_too() {
  read_commands
  local document command spoken=' kill -9 | npm ci | systemd-analyze security | apt-get purge | systemctl status ' count=0
  while IFS=$'\t' read -r document command; do
    count=$((count + 1))
    [[ "$spoken" != *" $command "* ]] || continue
    grep -qF -- "$command" commands/??? || fail "$document says \`$command\`, which is in no block that a test runs"
  done < <(for document in $(documents); do
    # By paragraphs: what is in code may go on in the next line.
    sed '/^ *```/,/^ *```/d' "$SOURCE/$document" | awk -v RS= '{ gsub("\n", " "); print }' | grep -oE '`[^`]+`' | tr -d '`' |
      grep -E '^(sudo|systemctl|systemd-analyze|journalctl|apt|apt-get|openssl|curl|psql|pg_dump|podman|docker|spin|gcc|cmake|cpack|npm|node|nginx|kill|git) ' |
      sed "s#^#$document\t#" || true
  done)
  [ $count -ge 5 ] || fail "the commands are not found"
}

test_a_command_without_a_test_is_found() {
  mkdir -p other/tests/shell other/docs other/scripts
  cp "$SOURCE"/tests/shell/{lib.bash,documents.sh} other/tests/shell/
  cp "$SOURCE/scripts/gtest.sh" other/scripts/
  # shellcheck disable=SC2016
  printf '%s\n' '# A' '```console' '$ reboot \' '  --now' 'it does' '```' >other/docs/a.md
  SHELL_TESTS=documents.each_command_has_a_test_that_runs_it RELAYER_BIN='' other/tests/shell/documents.sh >out
  contains 'docs/a.md: no test runs this' "$(cat out)"
  contains '--now' "$(cat out)"
  # And what is shown is compared, but for what differs each time.
  shows '{"a":1, ..., "job_id":"24cd3fd8-56b3-4128-871a-4a62ade308ba","eta_seconds":3}' \
    '{"a":1,"b":2,"job_id":"00000000-56b3-4128-871a-4a62ade308ba","eta_seconds":17}' || fail "$WHY"
  ! shows '{"a":1}' '{"a":2}' || fail "another value is not noticed"
  ! shows '{"a":[1,2]}' '{"a":1}' || fail "a list is taken for a pattern"
  shows $'HTTP/1.1 202 Accepted\nretry-after: 3\n\n{"a":1}' $'HTTP/1.1 202 Accepted\r\nx: y\r\nretry-after: 12\r\n\r\n{"a":1}' || fail "$WHY"
  ! shows $'HTTP/1.1 202 Accepted\n\n{"a":1}' $'HTTP/1.1 400 Bad Request\r\n\r\n{"a":1}' || fail "another status is not noticed"
}

test_the_readme_shows_what_is_seen() {
  read_commands
  enter_tree
  local number
  for number in $(commands_of the_readme_shows_what_is_seen); do
    case $(<"commands/$number") in
      ./run) [ -n "${RUN:-}" ] || start_run ;;
      *) run_command "$number" ;;
    esac
  done
  echo "# ${RAN:-0} commands did what is shown"
}

# What programs write into the tree is what stands in the tree.
test_what_is_generated_is_what_programs_print() {
  read_commands
  enter_tree
  local number
  for number in $(commands_of what_is_generated_is_what_programs_print); do run_command "$number"; done
  equals "files that have become others" "" "$(for file in config.json docs/configuration.md; do cmp -s "$file" "$SOURCE/$file" || echo "$file"; done)"
}

# relayer as docs/console.md starts it, with the token that it was given; an operator has it in a file.
test_operators_get_in_and_change_what_they_may() {
  read_commands
  enter_tree
  local number command database=documents_$$ pid
  make_database $database
  # shellcheck source=scripts/lib.sh
  (. "$SOURCE/scripts/lib.sh" && free_port) >"$T/port"
  export RELAYER_DATABASE__URL=${RELAYER_TEST_DATABASE_URL%/*}/$database RELAYER_HOST__PORT
  RELAYER_HOST__PORT=$(<"$T/port")
  STANDS_FOR=("/etc/drogon-relayer/=$T/")
  # Nobody but root can ask the process for the token that openssl made.
  printf '#!/bin/bash\n%q "$@" | tee %q\n' "$(command -v openssl)" "$T/admin-token" >"$T/bin/openssl"
  chmod +x "$T/bin/openssl"
  for number in $(commands_of operators_get_in_and_change_what_they_may); do
    command=$(<"commands/$number")
    case $command in
      *' relayer')
        bash -c "$command" >"$T/relayer.out" 2>&1 &
        pid=$!
        at_end "kill -TERM $pid; wait $pid"
        wait_for "$T/relayer.out" 'listening|step=started' $pid
        equals "characters of the token" 65 "$(wc -c <"$T/admin-token")"
        ;;
      *) run_command "$number" ;;
    esac
  done
  [ "${RAN:-0}" -ge 4 ] || fail "only $RAN commands ran"
}

test_the_way_from_the_reference_is_that_of_the_guide() {
  read_commands
  enter_tree
  cp "$SOURCE/tests/unit/reference_config.yaml" local.yaml
  # The secrets that its report asks for.
  export RELAYER_DATABASE__URL=postgresql://a@127.0.0.1/b RELAYER_ADMIN__TOKEN=0123456789abcdef
  RELAYER_SIGNER__PRIVATE_KEY=$(printf '%064d' 1)
  export RELAYER_SIGNER__PRIVATE_KEY
  local number
  for number in $(commands_of the_way_from_the_reference_is_that_of_the_guide); do run_command "$number"; done
  contains "the configuration is valid" "$(cat "$T/actual")"
}

test_a_devnet_of_ones_own_answers() {
  read_commands
  enter_tree
  [ -x devnet/node_modules/@foundry-rs/anvil-linux-amd64/bin/anvil ] || skip "the devnet's npm packages are missing: scripts/devnet.sh setup"
  at_end "'$SOURCE/scripts/devnet.sh' stop '$T/tree/var/mine'"
  local number
  for number in $(commands_of a_devnet_of_ones_own_answers); do run_command "$number"; done
}

# A quarter of a minute for a proof, after a minute for the key on a machine that has none.
test_the_example_of_a_client_decrypts() {
  [ -n "${RELAYER_TEST_FULL:-}" ] || skip "allowed: minutes, only with RELAYER_TEST_FULL=1 (./test --full)"
  read_commands
  enter_tree
  local number command
  start_run
  for number in $(commands_of the_example_of_a_client_decrypts); do
    command=$(<"commands/$number")
    # The client takes no other address than the one that it is given.
    case $command in
      *example.mjs) STANDS_FOR=("example.mjs=example.mjs '$T/tree/var/devnet/devnet.json' http://127.0.0.1:$(<"$T/port")") ;;
    esac
    (run_command "$number")
    [[ "$command" != *example.mjs || "$(cat "$T/actual")" =~ ^[0-9]+n$ ]] || fail "the client printed $(cat "$T/actual")"
  done
}

# Blocks of JSON that are a part of a configuration: put into a whole one, the program takes them.
test_configurations_that_are_shown_are_taken() {
  [ -x "$RELAYER" ] || skip "$RELAYER is not built"
  command -v node >/dev/null || skip "there is no node"
  local document count=0
  for document in README.md docs/nginx.md; do
    node -e '
      const fs = require("fs"), [source, document] = process.argv.slice(1);
      const blocks = fs.readFileSync(`${source}/${document}`, "utf8").matchAll(/^```json\n([^]*?)^```/gm);
      let count = 0;
      for (const [, block] of blocks) {
        if (block.includes("...")) continue; // something is left out
        const shown = JSON.parse(block.trim().startsWith("{") ? block : `{${block}}`);
        const whole = JSON.parse(fs.readFileSync(`${source}/config.json`, "utf8").replace(/^ *\/\/.*$/gm, ""));
        const part = shown.plugins ? shown.plugins[0].config : shown;
        delete part.database; // db_client is for an application alone
        const merge = (into, from) => {
          for (const key of Object.keys(from)) {
            if (typeof from[key] !== "object" || Array.isArray(from[key])) into[key] = from[key];
            else merge(into[key] ??= {}, from[key]);
          }
        };
        merge(whole.plugins[0].config, part);
        fs.writeFileSync(`shown-${document.replace(/\W/g, "_")}-${count++}.json`, JSON.stringify(whole));
      }' "$SOURCE" "$document"
  done
  for document in shown-*.json; do
    count=$((count + 1))
    RELAYER_DATABASE__URL=postgresql://a@127.0.0.1/b "$RELAYER" --config "$document" --check-config >out 2>&1 ||
      fail "$document: $(cat out)"
  done
  equals "parts of configurations" 2 "$count"
}

# ---------------------------------------------------------------- what documents name

# docs/embedding.md shows what examples/embed has, line by line.
test_what_embedding_shows_is_in_the_example() {
  local line block='' count=0
  sed 's/^ *//; s/${program}/greeter/' "$SOURCE/examples/embed/CMakeLists.txt" >shown.cmake
  cat "$SOURCE"/examples/embed/*.cc | sed 's/^ *//' >shown.cpp
  while IFS= read -r line; do
    case $line in
      '```cmake' | '```cpp') block=${line#'```'} ;;
      '```') block='' ;;
      *)
        [ -n "$block" ] || continue
        count=$((count + 1))
        grep -qxF -- "$(sed 's/^ *//' <<<"$line")" "shown.$block" || fail "examples/embed does not have: $line"
        ;;
    esac
  done <"$SOURCE/docs/embedding.md"
  [ $count -ge 4 ] || fail "the blocks are not found"
}

# Where a link leads: the file is there, and so is the heading.
test_links_lead_somewhere() {
  cd "$SOURCE"
  local document target file anchor count=0
  for document in $(documents); do
    while IFS= read -r target; do
      [[ "$target" != http* ]] || continue
      count=$((count + 1))
      file=${target%%#*} anchor=''
      [[ "$target" != *'#'* ]] || anchor=${target#*#}
      if [ -n "$file" ]; then file=$(dirname "$document")/$file; else file=$document; fi
      [ -e "$file" ] || fail "$document links to $target, which is not there"
      [ -z "$anchor" ] || anchors_of "$file" | grep -qxF -- "$anchor" || fail "$document links to $target, which is no heading there"
    done < <(links_of "$document")
  done
  [ $count -gt 50 ] || fail "the links are not found"
  echo "# $count links"
}

# As forges make them of headings.
anchors_of() {
  sed '/^```/,/^```/d' "$1" | sed -nE 's/^#+ +//p' | tr '[:upper:]' '[:lower:]' | sed -E 's/[^a-z0-9 _-]//g; s/ /-/g'
}

# In `code`: what begins with a folder of the tree is in it, by its name, a pattern or without its ending.
test_paths_that_are_named_are_there() {
  cd "$SOURCE"
  local document path count=0 folders
  folders=$(git -c safe.directory='*' ls-files 2>/dev/null | sed -n 's#/.*##p' | sort -u | tr '\n' '|')
  [ -n "$folders" ] || skip "allowed: this is no clone"
  for document in $(documents); do
    while IFS= read -r path; do
      count=$((count + 1))
      [[ "$path" != */NNNN_* ]] || continue
      path=${path//…/*}
      compgen -G "$path" >/dev/null || compgen -G "${path%/}.*" >/dev/null ||
        fail "$document names $path, which is not there"
    done < <(sed '/^```/,/^```/d' "$document" | grep -oE '`[^` ]+`' | tr -d '`' | grep -E "^(${folders%|})/" | sed -E 's/[.,:;]$//; s/:[0-9]+$//' | sort -u)
  done
  [ $count -gt 100 ] || fail "the paths are not found"
  echo "# $count paths"
}

test_the_map_has_every_room() {
  cd "$SOURCE"
  local folder
  for folder in $(git -c safe.directory='*' ls-files 2>/dev/null | sed -n 's#/.*##p' | grep -v '^[.]' | sort -u); do
    grep -qE "^\\|[^|]*\`$folder/\`" CONTRIBUTING.md || fail "CONTRIBUTING.md does not say what lives in $folder/"
  done
}

# Of our own programs, wherever they are named: they are there, and know the options; and ./test knows the test.
test_options_and_tests_that_are_named_are_known() {
  [ -x "$RELAYER" ] || skip "$RELAYER is not built"
  read_commands
  cd "$SOURCE"
  local line program option count=0
  declare -A help
  {
    documents | tr '\n' '\0' | xargs -0 cat | grep -oE '`[^`]+`' | tr -d '`'
    cat "$T"/commands/???
  } | grep -oE '(^| )(\./run|\./test|relayer|scripts/[a-z-]+(\.sh)?)( .*)?$' | sed 's/^ //' | sort -u >"$T/calls"
  known_tests >"$T/known"
  while IFS= read -r line; do
    program=${line%% *}
    if [ "$program" = ./test ] && [[ "$line" =~ ' '([A-Za-z]+)$ && "$line" != *--bench* ]]; then
      grep -qiE -- "${BASH_REMATCH[1]}" "$T/known" || fail "$line: there is no such test"
    fi
    if [[ "$line" != *' --'* ]]; then
      [ "$program" = relayer ] || [ -x "$program" ] || fail "there is no program $program"
      continue
    fi
    if [ -z "${help[$program]:-}" ]; then
      case $program in
        relayer) help[relayer]=$("$RELAYER" --help) ;;
        *) help[$program]=$("$program" --help 2>&1 || true) ;;
      esac
    fi
    for option in $(grep -oE -- ' --[a-z-]+' <<<"$line"); do
      [ "$option" != --help ] || continue
      count=$((count + 1))
      contains "$option" "${help[$program]}"
    done
  done <"$T/calls"
  [ $count -gt 20 ] || fail "the options are not found"
  echo "# $count options"
}

run_tests "$@"

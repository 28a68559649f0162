#!/bin/bash
# The options of `relayer`, where they are written down a second time: the man page and the completion. And
# what they do with a real database.
set -euo pipefail
# shellcheck source=tests/shell/lib.bash
. "$(dirname "$0")/lib.bash"

RELAYER=${RELAYER_BIN:-$SOURCE/build/release/relayer}
MAN=$SOURCE/docs/man/relayer.1
unset RELAYER_CONFIG RELAYER_DATABASE__URL

need_relayer() { [ -x "$RELAYER" ] || skip "$RELAYER is not built"; }
options_of_help() { "$RELAYER" --help | sed -n 's/^  \(--[a-z-]*\).*/\1/p' | sort; }

example() {
  "$RELAYER" --config-example >config.json
  export RELAYER_DATABASE__URL=${1:-postgresql://nobody@127.0.0.1:1/nothing}
}

test_the_man_page_knows_the_options_of_the_help() {
  need_relayer
  # An option is what a paragraph begins with: `.B \-\-json`, `.BI \-\-port " N"`.
  equals "options" "$(options_of_help)" \
    "$(sed -n '/^\.SH OPTIONS/,/^\.SH ENVIRONMENT/{ s/^\.BI\{0,1\} \(\\-\\-[a-z\\-]*\).*/\1/p }' "$MAN" | sed 's/\\//g' | sort)"
  # And whether they take a value.
  equals "options with a value" "$("$RELAYER" --help | sed -n 's/^  \(--[a-z-]*\) [A-Z].*/\1/p' | sort)" \
    "$(sed -n 's/^\.BI \(\\-\\-[a-z\\-]*\) .*/\1/p' "$MAN" | sed 's/\\//g' | sort)"
  local code
  for code in $("$RELAYER" --help | tr '\n' ' ' | sed 's/.*Exit codes://' | grep -oE '\b[0-9]{1,2}\b'); do
    grep -qxF ".B $code" "$MAN" || fail "the man page lacks the exit code $code"
  done
}

test_the_man_page_is_one() {
  command -v man >/dev/null || skip "allowed: there is no man"
  equals "warnings" "" "$(LC_ALL=C.UTF-8 MANWIDTH=100 man --warnings -E UTF-8 -l "$MAN" 2>&1 >/dev/null)"
}

# complete_words WORDS...: what is offered for the last of them
complete_words() {
  # shellcheck source=/dev/null
  . "$SOURCE/deploy/completion/relayer.bash"
  COMP_WORDS=("$RELAYER" "$@") COMP_CWORD=$#
  _relayer
  printf '%s\n' "${COMPREPLY[@]}" | sort
}

test_the_completion_offers_the_options_of_the_help() {
  need_relayer
  equals "options" "$(options_of_help)" "$(complete_words --)"
  equals "one option" --check-config "$(complete_words --che)"
  touch one.json two.json
  local option
  for option in $("$RELAYER" --help | sed -n 's/^  \(--[a-z-]*\) FILE.*/\1/p'); do
    equals "files for $option" "one.json two.json" "$(complete_words "$option" "" | tr '\n' ' ' | sed 's/ $//')"
  done
}

test_an_option_that_is_none_is_an_error() {
  need_relayer
  local code=0
  "$RELAYER" --migrat >out 2>err || code=$?
  equals "exit code" 64 $code
  contains 'unknown option "--migrat" (did you mean --migrate?)' "$(cat err)"
  code=0
  "$RELAYER" --json --check-config 2>err || code=$?
  equals "exit code" 64 $code
}

test_checks_a_configuration_and_says_all_that_is_wrong() {
  need_relayer
  example
  contains "the configuration is valid" "$("$RELAYER" --check-config)"
  local code=0
  RELAYER_HOST__PORT=70000 RELAYER_LOG__LEVEL=chatty "$RELAYER" --check-config >out 2>err || code=$?
  equals "exit code" 78 $code
  contains 'RELAYER_HOST__PORT: 70000' "$(cat err)"
  contains 'RELAYER_LOG__LEVEL: "chatty" is not one of' "$(cat err)"
}

test_prints_the_configuration_as_json() {
  need_relayer
  example
  RELAYER_LOG__LEVEL=debug "$RELAYER" --print-config --json >effective.json
  node -e '
    const c = JSON.parse(require("fs").readFileSync("effective.json", "utf8"));
    const is = (path, value, origin) => {
      if (c[path].value !== value || c[path].origin !== origin) throw path + JSON.stringify(c[path]);
    };
    is("log.level", "debug", "environment");
    is("database.url", "***", "environment");
    is("host.port", 8088, "file");
    is("http.path_prefix", "", "file");' || fail "see above"
}

test_imports_the_configuration_of_the_reference() {
  need_relayer
  local code=0
  "$RELAYER" --import-config "$SOURCE/tests/unit/reference_config.yaml" >config.json 2>report || fail "$(cat report)"
  contains "storage.sql_database_url -> RELAYER_DATABASE__URL" "$(cat report)"
  # What it wrote is what it takes, with the secrets that it asked for.
  contains "the configuration is valid" "$(RELAYER_DATABASE__URL=postgresql://a@127.0.0.1/b RELAYER_ADMIN__TOKEN=0123456789abcdef \
    RELAYER_SIGNER__PRIVATE_KEY=$(printf '%064d' 1) "$RELAYER" --config config.json --check-config 2>&1)"
  echo "http: [" >broken.yaml
  "$RELAYER" --import-config broken.yaml >out 2>err || code=$?
  equals "exit code" 78 $code
  contains "broken.yaml: line " "$(cat err)"
}

test_migrates_a_database() {
  need_relayer
  [ -n "${RELAYER_TEST_DATABASE_URL:-}" ] || skip "RELAYER_TEST_DATABASE_URL is not set"
  local database=command_line_$$ code=0
  psql -XAtq "$RELAYER_TEST_DATABASE_URL" -c "create database $database"
  at_end "psql -XAtq '$RELAYER_TEST_DATABASE_URL' -c 'drop database if exists $database with (force)'"
  example "${RELAYER_TEST_DATABASE_URL%/*}/$database"
  RELAYER_DATABASE__MIGRATE=false "$RELAYER" --migrate >first
  equals "applied" "$(ls "$SOURCE/migrations" | wc -l)" "$(grep -c '^applied 00' first)"
  "$RELAYER" --migrate >second
  equals "the second time" "the schema is that of this program, $(ls "$SOURCE/migrations" | wc -l) migrations" \
    "$(cat second)"
  RELAYER_DATABASE__URL=postgresql://nobody@127.0.0.1:1/nothing "$RELAYER" --migrate 2>err || code=$?
  equals "exit code without a database" 69 $code
}

run_tests "$@"

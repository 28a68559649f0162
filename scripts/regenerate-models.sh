#!/usr/bin/env bash
# Writes models/generated/ anew from the migrations: a throw-away PostgreSQL, the migrations, drogon_ctl.
#   scripts/regenerate-models.sh            writes models/generated
#   scripts/regenerate-models.sh --check    writes elsewhere and fails when it differs
# drogon_ctl comes from scripts/drogon-ctl.sh.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$here")
# Those whose rows are handed around; the others are read by their stores only.
tables='"request"'

ctl=$("$here/drogon-ctl.sh")

work=$(mktemp -d /var/tmp/relayer-models.XXXXXX)
chmod 711 "$work"   # the postgres user must be able to reach the cluster in it
trap '"$here/pg.sh" stop "$work/pg" >/dev/null 2>&1 || true; rm -rf "$work"' EXIT
url=$(INITDB_OPTS=--no-sync "$here/pg.sh" start "$work/pg" | tail -n 1)
# The name of the database becomes the namespace of the classes: drogon_model::relayer.
psql -q "$url" -c 'CREATE DATABASE relayer'
database=${url%/postgres}/relayer
for script in "$root"/migrations/[0-9]*.sql; do
  psql -q -1 -v ON_ERROR_STOP=1 -f "$script" "$database"
done

mkdir "$work/models"
authority=${url#*://} authority=${authority%%/*}
credentials=${authority%@*} address=${authority#*@}
printf '{"rdbms":"postgresql","host":"%s","port":%s,"dbname":"relayer","schema":"public","user":"%s","password":"%s","tables":[%s],
 "convert":{"enabled":false},"relationships":{"enabled":false},"restful_api_controllers":{"enabled":false}}\n' \
  "${address%:*}" "${address#*:}" "${credentials%%:*}" "${credentials#*:}" "$tables" >"$work/models/model.json"
(cd "$work" && printf 'y\n' | "$ctl" create model models >"$work/ctl.log" 2>&1) || { cat "$work/ctl.log" >&2; exit 1; }
rm "$work/models/model.json"

if [ "${1:-}" = --check ]; then
  diff -r "$work/models" "$root/models/generated" || { echo "models/generated is not what the migrations make: run scripts/regenerate-models.sh" >&2; exit 1; }
  exit 0
fi
mkdir -p "$root/models/generated"
cp "$work"/models/* "$root/models/generated/"
ls "$root/models/generated"

#!/bin/bash
# The Debian package of the server: what is in it, and that what is in it works where it is unpacked.
set -euo pipefail
# shellcheck source=tests/shell/lib.bash
. "$(dirname "$0")/lib.bash"

BUILD=$(dirname "${RELAYER_BIN:-$SOURCE/build/release/relayer}")

make_package() {
  [ -f "$BUILD/CPackConfig.cmake" ] || skip "allowed: $BUILD is no build folder; ./test makes one"
  cpack --config "$BUILD/CPackConfig.cmake" -B packed >cpack.log 2>&1 || fail "$(tail -n 5 cpack.log)"
  DEB=$(echo packed/drogon-relayer_*.deb)
}

test_holds_what_a_machine_that_runs_the_server_needs() {
  make_package
  dpkg-deb -c "$DEB" | awk '{ print $6 }' >files
  local file
  for file in /usr/bin/relayer /usr/share/man/man1/relayer.1 /etc/drogon-relayer/config.json \
    /etc/drogon-relayer/environment /usr/lib/systemd/system/drogon-relayer.service \
    /usr/share/bash-completion/completions/relayer /usr/share/doc/drogon-relayer/docs/operations.md; do
    grep -qxF ".$file" files || fail "$file is not in it"
  done
  # Who embeds the module takes cmake --install.
  equals "of the module" "" "$(grep -E '\.a$|/include/|/cmake/' files || true)"
}

test_says_what_it_needs_and_keeps_what_operators_changed() {
  make_package
  local depends conffile
  depends=$(dpkg-deb -f "$DEB" Depends)
  contains libpq5 "$depends"
  contains libjsoncpp "$depends"
  contains adduser "$depends"
  dpkg-deb -e "$DEB" control
  while IFS= read -r conffile; do
    dpkg-deb --fsys-tarfile "$DEB" | tar -tf - ".$conffile" >/dev/null || fail "the conffile $conffile is not in it"
  done <control/conffiles
  for script in postinst prerm postrm; do
    [ -x "control/$script" ] || fail "$script can not be run"
    sh -n "control/$script" || fail "$script is no shell script"
  done
}

test_its_documents_find_what_they_link_to() {
  make_package
  dpkg-deb -x "$DEB" root
  find_all_links root/usr/share/doc/drogon-relayer
}

test_works_where_it_is_unpacked() {
  make_package
  dpkg-deb -x "$DEB" root
  contains "$("$BUILD/relayer" --version)" "$(root/usr/bin/relayer --version)"
  RELAYER_DATABASE__URL=postgresql://u@127.0.0.1/x root/usr/bin/relayer \
    --config root/etc/drogon-relayer/config.json --check-config >said || fail "$(cat said)"
  contains valid "$(cat said)"
  # What the unit runs and reads is what the package brings.
  local named
  for named in $(sed -nE 's/^(ExecStart|EnvironmentFile)=-?//p' root/usr/lib/systemd/system/drogon-relayer.service); do
    case $named in /*) [ -e "root$named" ] || fail "the unit names $named, which is not in the package" ;; esac
  done
}

run_tests "$@"

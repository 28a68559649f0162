#!/bin/bash
# What is in the server, with versions and licences: an SPDX 2.3 document on stdout, of the program as it was
# built on this machine. Debian's libraries are looked up by the files that the loader takes; what is linked in
# is named in scripts/setup.sh and CMakeLists.txt.
set -euo pipefail
LIB_TAG=sbom
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"

usage() {
  cat <<'X'
scripts/sbom.sh [PROGRAM] [--list]

  PROGRAM   the server; build/release/relayer when none is given
  --list    lines `name version licence` for people, instead of SPDX for programs

Exit code 1 when a licence is not known; add it to this script then, after reading
/usr/share/doc/PACKAGE/copyright.
X
}

program=$ROOT/build/release/relayer list=''
for argument in "$@"; do
  case $argument in
    --list) list=1 ;;
    -h | --help) usage && exit 0 ;;
    -*) usage >&2 && die 64 "unknown option: $argument" ;;
    *) program=$argument ;;
  esac
done
[ -x "$program" ] || die 66 "there is no program $program" "./run builds it"

# As /usr/share/doc/PACKAGE/copyright says of the library itself, in SPDX's words.
licence_of() {
  case $1 in
    drogon | libc-ares2 | libcares2 | libjsoncpp* | libsecp256k1* | libffi* | libyaml-cpp*) echo MIT ;;
    libkrb5* | libk5crypto* | libgssapi-krb5* | libcom-err*) echo MIT ;;
    trantor | libuuid1 | libp11-kit*) echo BSD-3-Clause ;;
    libcrypto++* | libboost-dev) echo BSL-1.0 ;;
    libssl*) echo Apache-2.0 ;;
    libpq5) echo PostgreSQL ;;
    zlib1g) echo Zlib ;;
    libzstd1) echo 'BSD-3-Clause OR GPL-2.0-only' ;;
    libstdc++6 | libgcc-s1) echo 'GPL-3.0-or-later WITH GCC-exception-3.1' ;;
    libc6 | libgnutls* | libtasn1*) echo LGPL-2.1-or-later ;;
    libkeyutils1) echo LGPL-2.0-or-later ;;
    libidn2* | libunistring* | libnettle* | libhogweed* | libgmp10*) echo 'LGPL-3.0-or-later OR GPL-2.0-or-later' ;;
    libldap*) echo OLDAP-2.8 ;;
    libsasl2*) echo BSD-Attribution-HPND-disclaimer ;;
    *) echo NOASSERTION ;;
  esac
}

# The package of a library; with merged /usr a file may be known under its other name.
package_of() {
  local real
  real=$(readlink -f "$1")
  for file in "$1" "$real" "${real#/usr}" "/usr${1#/usr}"; do
    dpkg-query -S "$file" 2>/dev/null && return 0
  done
  die 70 "no Debian package has $1"
}

# Lines: name TAB version.
components() {
  local library
  printf 'drogon\t%s\n' "$(sed -n 's/^DROGON_VERSION=//p' "$ROOT/scripts/setup.sh")"
  printf 'trantor\t%s\n' "$(sed -n 's/^TRANTOR_VERSION=//p' "$ROOT/scripts/setup.sh")"
  # Its headers alone.
  # shellcheck disable=SC2016 # dpkg-query's own
  dpkg-query -W -f '${Package}\t${Version}\n' libboost-dev
  ldd "$program" | grep -oE '/[^ ]+' | while IFS= read -r library; do
    # Whoever moved it aside is named first.
    package_of "$library" | grep -v '^diversion by ' | head -n 1 | sed 's/: .*//; s/:.*//'
  done | sort -u | while IFS= read -r package; do
    # shellcheck disable=SC2016 # dpkg-query's own
    dpkg-query -W -f '${Package}\t${Version}\n' "$package" | head -n 1
  done
}

own_version() { "$program" --version | grep -oE '[0-9]+\.[0-9]+\.[0-9]+' | head -n 1; }

found=$(components)
unknown=''
while IFS=$'\t' read -r name version; do
  licence=$(licence_of "$name")
  [ "$licence" != NOASSERTION ] || unknown="$unknown $name"
  [ -z "$list" ] || printf '%-20s %-28s %s\n' "$name" "$version" "$licence"
done <<<"$found"

if [ -z "$list" ]; then
  version=$(own_version)
  # Names and versions of Debian's hold nothing that JSON would want escaped.
  cat <<X
{
  "spdxVersion": "SPDX-2.3",
  "dataLicense": "CC0-1.0",
  "SPDXID": "SPDXRef-DOCUMENT",
  "name": "drogon-relayer-$version",
  "documentNamespace": "urn:drogon-relayer:sbom:$version:$(sha256sum "$program" | cut -c1-16)",
  "creationInfo": {
    "created": "$(date -u -d "@${SOURCE_DATE_EPOCH:-$(date +%s)}" +%Y-%m-%dT%H:%M:%SZ)",
    "creators": ["Tool: scripts/sbom.sh"]
  },
  "packages": [
    {
      "SPDXID": "SPDXRef-drogon-relayer",
      "name": "drogon-relayer",
      "versionInfo": "$version",
      "downloadLocation": "NOASSERTION",
      "licenseConcluded": "NOASSERTION",
      "licenseDeclared": "NOASSERTION",
      "copyrightText": "NOASSERTION"
    }$(while IFS=$'\t' read -r name version; do
      printf ',\n    {\n      "SPDXID": "SPDXRef-%s",\n' "${name//[^a-zA-Z0-9.-]/-}"
      printf '      "name": "%s",\n      "versionInfo": "%s",\n' "$name" "$version"
      printf '      "downloadLocation": "NOASSERTION",\n'
      printf '      "licenseConcluded": "%s",\n' "$(licence_of "$name")"
      printf '      "licenseDeclared": "%s",\n' "$(licence_of "$name")"
      printf '      "copyrightText": "NOASSERTION"\n    }'
    done <<<"$found")
  ],
  "relationships": [
    {
      "spdxElementId": "SPDXRef-DOCUMENT",
      "relationshipType": "DESCRIBES",
      "relatedSpdxElement": "SPDXRef-drogon-relayer"
    }$(while IFS=$'\t' read -r name version; do
      case $name in drogon | trantor | libboost-dev) how=STATIC_LINK ;; *) how=DYNAMIC_LINK ;; esac
      printf ',\n    {\n      "spdxElementId": "SPDXRef-drogon-relayer",\n'
      printf '      "relationshipType": "%s",\n' "$how"
      printf '      "relatedSpdxElement": "SPDXRef-%s"\n    }' "${name//[^a-zA-Z0-9.-]/-}"
    done <<<"$found")
  ]
}
X
fi
[ -z "$unknown" ] || die 1 "whose licence is not known:$unknown"

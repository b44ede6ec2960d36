#!/usr/bin/env bash
# Make sure that the packages which building and testing need are installed
# (Debian and its relatives). Quiet when they are.
#   scripts/bootstrap.sh [lint] [fuzz] [sign] [browser] [deb]    more groups
set -eu
cd "$(dirname "$0")/.."

packages="cmake ninja-build gcc libc6-dev binutils pkg-config
  libopenblas-dev libsodium-dev libgmp-dev libmpfr-dev zlib1g-dev libzstd-dev libsqlite3-dev
  libjansson-dev libcmocka-dev
  libmicrohttpd-dev libgnutls28-dev libcurl4-openssl-dev libpq-dev postgresql-15 openssl
  python3-dev python3-numpy python3-scipy python3-pandas python3-sklearn
  python3-nbclient python3-ipykernel
  python3-pytest python3-matplotlib mypy python3-setuptools python3-wheel
  openmpi-bin libopenmpi-dev
  clang lld nodejs python3 mandoc locales gzip zstd"
for group in "$@"; do
    case $group in
    lint) packages="$packages clang-format clang-tidy cppcheck shellcheck" ;;
    fuzz) packages="$packages libclang-rt-dev" ;;
    sign) packages="$packages minisign" ;;
    deb) packages="$packages debhelper dh-python dpkg-dev fakeroot lintian" ;;
    browser) packages="$packages chromium fonts-dejavu-core poppler-utils node-typescript" ;;
    *)
        echo "bootstrap: unknown group: $group" >&2
        exit 2
        ;;
    esac
done

# Elsewhere cmake says what is missing.
command -v dpkg-query >/dev/null || exit 0

# shellcheck disable=SC2086
installed=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' $packages \
    2>/dev/null | sed -n 's/ installed$//p' | tr '\n' ' ') || true
missing=
for package in $packages; do
    case " $installed" in
    *" $package "*) ;;
    *) missing="$missing $package" ;;
    esac
done
[ -n "$missing" ] || exit 0

line="apt-get install -y --no-install-recommends$missing"
if [ "$(id -u)" -eq 0 ]; then
    as_root=
elif sudo -n true 2>/dev/null; then
    as_root="sudo -n"
else
    echo "These packages are missing; as root, run:" >&2
    echo "  apt-get update && $line" >&2
    exit 1
fi
echo "installing:$missing"
# shellcheck disable=SC2086
{
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get update -q
    $as_root env DEBIAN_FRONTEND=noninteractive $line
} </dev/null

#!/usr/bin/env bash
# Debian packages of the last commit, checked by lintian.
#   scripts/build_deb.sh FOLDER    kith, libkith0, libkith-dev, python3-kith, kithd
set -eu
mkdir -p "$1"
target=$(realpath "$1")
cd "$(dirname "$0")/.."
rm -rf "$target"/kith-*
scripts/build_dist.sh "$target" >/dev/null
tar -C "$target" -xzf "$target"/kith-*.tar.gz
cd "$target"/kith-*/
DEB_BUILD_OPTIONS="parallel=${JOBS:-2} noautodbgsym" dpkg-buildpackage -us -uc -b \
    >"$target/build.log" 2>&1 || { tail -40 "$target/build.log" >&2; exit 1; }
cd "$target"
rm -rf kith-*/
lintian --fail-on error,warning ./*.changes
ls ./*.deb

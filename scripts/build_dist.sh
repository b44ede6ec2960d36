#!/usr/bin/env bash
# The source archive of the last commit, and its checksum.
#   scripts/build_dist.sh FOLDER    FOLDER/kith-VERSION.tar.gz, .sha256
set -eu
mkdir -p "$1"
target=$(realpath "$1")
cd "$(dirname "$0")/.."
version=$(sed -n 's/^project(kith VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
name=kith-$version
# Two runs on one commit give the same bytes: no name, no time in the gzip.
git archive --format=tar --prefix="$name/" HEAD | gzip -9n >"$target/$name.tar.gz"
cd "$target"
sha256sum "$name.tar.gz" >"$name.tar.gz.sha256"
cat "$name.tar.gz.sha256"

#!/usr/bin/env bash
# The wheel of the Python package, offline, from what `make python` has built.
#   scripts/build_wheel.sh BUILD FOLDER    e.g. build/release build/wheel
set -eu
build=$(realpath "$1")
mkdir -p "$2"
target=$(realpath "$2")
cd "$(dirname "$0")/.."
version=$(sed -n 's/^#define KITH_VERSION "\(.*\)"/\1/p' \
    "$build/include/kith/version.h")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r python/src python/pyproject.toml python/setup.py python/README.md "$work"
rm -rf "$work"/src/*.egg-info "$work"/src/kith/__pycache__ "$work"/src/kith/*.[ch]
cp "$build/tools/kith/kith" "$work/kith"
strip "$work/kith"
mkdir "$work/built"
strip -o "$work/built/_core.abi3.so" "$build/python/kith/_core.abi3.so"
rm -f "$target"/kith-*.whl
cd "$work"
KITH_PACKAGE=$work/built KITH_COMMAND=$work/kith KITH_VERSION=$version \
    /usr/bin/python3 setup.py -q bdist_wheel -d "$target" 2>"$work/log" ||
    { cat "$work/log" >&2; exit 1; }
ls "$target"/kith-*.whl

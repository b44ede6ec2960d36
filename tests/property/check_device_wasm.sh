#!/bin/sh
# The device as WebAssembly: built by clang and lld without a C library, it
# gives the bytes of tests/vectors/device.json under node, and the npm package
# around it keeps its promises (web/kith-device/test).
set -eu
cd "${KITH_SOURCE:-$(pwd)}"
for tool in clang wasm-ld node; do
    if ! command -v "$tool" > /dev/null; then
        echo "NOT TESTED: the device in WebAssembly; $tool is missing" \
             "(scripts/bootstrap.sh installs it)"
        exit 0
    fi
done
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
scripts/build_wasm.sh "$tmp/kith_device.wasm"
KITH_WASM=$tmp/kith_device.wasm node --test web/kith-device/test/device.test.js
if command -v tsc > /dev/null; then
    tsc --noEmit --strict --target es2022 --module es2022 --moduleResolution node \
        web/kith-device/test/types.ts
else
    echo "NOT TESTED: the types; tsc is missing (scripts/bootstrap.sh browser)"
fi

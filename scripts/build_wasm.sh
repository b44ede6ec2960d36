#!/bin/sh
# build_wasm.sh OUT.wasm: src/device and web/kith-device/wasm as WebAssembly,
# with clang and lld alone. Run from the root of the tree.
set -eu
out=${1:?where to write the module}
export_all=""
for name in $(sed -n 's/.*\b\(kith_[a-z_]*\)(.*/\1/p' include/kith/device.h |
              grep -v '_fn$' | sort -u); do
    export_all="$export_all -Wl,--export=$name"
done
# shellcheck disable=SC2086
clang --target=wasm32 -std=gnu11 -O2 -ffreestanding -nostdlib -nostdinc \
    -fno-math-errno -ffp-contract=off -fvisibility=hidden -Wall -Wextra \
    -Wno-incompatible-library-redeclaration \
    -isystem web/kith-device/wasm \
    -isystem "$(clang -print-file-name=include)" -I src -I include \
    -Wl,--no-entry -Wl,--strip-all -Wl,-z,stack-size=131072 $export_all \
    src/device/*.c web/kith-device/wasm/wasm.c -o "$out"

#!/bin/sh
# The client of the local system is small enough to go to a device by itself:
# its files compile without a hosted C library, for this machine and (if clang
# can) for WebAssembly, and need no more from outside than a few functions of
# string.h and math.h and what the compiler brings itself (libgcc). Secret coins
# come through a pointer. No allocation, no I/O.
set -eu
src=${KITH_SOURCE:-$(pwd)}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

client=$(cd "$src/src/device" && ls *.c)
mkdir "$tmp/include"
cat > "$tmp/include/string.h" <<'H'
#include <stddef.h>
void *memcpy(void *, const void *, size_t);
void *memset(void *, int, size_t);
int memcmp(const void *, const void *, size_t);
H
cat > "$tmp/include/math.h" <<'H'
double sqrt(double), floor(double), ldexp(double, int);
long lrint(double);
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
H
allowed='^(memcpy|memset|memcmp|sqrt|floor|ldexp|lrint|__stack_pointer|__indirect_function_table|__linear_memory|__multi3|__stack_chk_fail|_GLOBAL_OFFSET_TABLE_|__parity[sd]i2|__popcountdi2|__cpu_model)$'

compile() { # name, compiler and flags
    name=$1
    shift
    mkdir "$tmp/$name"
    for f in $client; do
        "$@" -std=gnu11 -O2 -ffreestanding -nostdinc -fno-stack-protector \
            -isystem "$tmp/include" -isystem "$headers" -I "$src/src" \
            -I "$src/include" -c "$src/src/device/$f" \
            -o "$tmp/$name/${f%.c}.o"
    done
}

headers=$(cc -print-file-name=include)
compile here cc
cc -r -nostdlib -o "$tmp/client.o" "$tmp"/here/*.o
outside=$(nm -u "$tmp/client.o" | awk '{print $NF}' | grep -Ev "$allowed" || true)
if [ -n "$outside" ]; then
    echo "the client needs from outside:" $outside
    exit 1
fi
# The check can fail: an allocation would be seen.
echo 'void *malloc(unsigned long); void *f(void) { return malloc(3); }' > "$tmp/bad.c"
cc -c "$tmp/bad.c" -o "$tmp/bad.o"
nm -u "$tmp/bad.o" | awk '{print $NF}' | grep -Evq "$allowed"

if command -v clang > /dev/null &&
   clang --print-targets 2> /dev/null | grep -q wasm32; then
    headers=$(clang -print-file-name=include)
    compile wasm clang --target=wasm32
    echo "client: alone, here and for wasm32"
else
    echo "client: alone, here; clang has no wasm32, not tried"
fi

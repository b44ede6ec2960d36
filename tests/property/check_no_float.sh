#!/usr/bin/env bash
# I30: between the records and the noise there are only integers (R2): the
# object code of the aggregate-and-noise unit has no vector or x87 instruction.
# KITH_BUILD: the build.
set -eu
: "${KITH_BUILD:?the build directory}"
unit="noise/sampler.c noise/sampler_wide.c noise/sampler_knorm.c noise/sampler_wishart.c
      noise/normal_digits.c noise/noise.c noise/noise_wishart.c noise/select.c
      kernel/aggregate.c kernel/accumulate.c"

if [ "$(uname -m)" != x86_64 ]; then
    echo "skipped: the machine is not x86_64"
    exit 0
fi
if grep -Eq '^KITH_SANITIZE:[A-Z]+=.+' "$KITH_BUILD/CMakeCache.txt"; then
    echo "skipped: sanitizer build" # it instruments, with whatever registers
    exit 0
fi

instructions() {
    objdump -d --no-show-raw-insn "$1" | grep -E '^[[:space:]]+[0-9a-f]+:' ||
        true
}

# Those that name a register of the FPU or of a vector unit, and those of
# their instructions that name none.
floats() {
    instructions "$1" |
        grep -E '%([xyz]?mm[0-9]|st\b|k[0-7]\b)|:[[:space:]]+(f[a-z]{2,}|v[a-z]+|cvt[a-z0-9]+|emms|ldmxcsr|stmxcsr)\b'
}

# The search itself: it must catch a double, a long double and a vector copy,
# and must let integers pass.
work=$(mktemp -d "${TMPDIR:-/tmp}/kith-float-XXXXXX")
trap 'rm -rf "$work"' EXIT
cc=${CC:-cc}
try() { # NAME FLAGS SOURCE
    printf '%s\n' "$3" >"$work/$1.c"
    # shellcheck disable=SC2086
    "$cc" -O2 $2 -c "$work/$1.c" -o "$work/$1.o"
}
try double "" 'double f(double a, double b) { return a + b; }'
try x87 "" 'long double f(long double a) { return a * a; }'
try vector "-msse2" 'typedef long v __attribute__((vector_size(16)));
    void f(v *a, v *b) { *a = *b; }'
try integer "-mgeneral-regs-only" 'long f(long a, long b) { return a * b / 3; }'
for name in double x87 vector; do
    if ! floats "$work/$name.o" >/dev/null; then
        echo "the search does not catch: $name"
        exit 1
    fi
done
if floats "$work/integer.o"; then
    echo "the search takes integers for floating point"
    exit 1
fi

objects=$work/objects
find "$KITH_BUILD/src" -name '*.o' | sort >"$objects"
failed=0
for source in $unit; do
    object=$(grep -E "/${source%.c}\.c\.o(bj)?\$" "$objects" | head -n 1 || true)
    if [ -z "$object" ] || [ ! -f "$object" ]; then
        echo "$source: no object file in this build"
        failed=1
        continue
    fi
    count=$(instructions "$object" | wc -l)
    if [ "$count" -eq 0 ]; then
        echo "$source: no instructions in $object"
        failed=1
    elif floats "$object" >"$work/found"; then
        echo "$source: floating point or vector instructions:"
        head -n 5 "$work/found"
        failed=1
    else
        echo "$source: $count instructions, all on general registers"
    fi
done
exit $failed

#!/bin/sh
# A program that links libkith keeps its own names: every external symbol of
# the static library begins with kith_, and the shared one shows only what
# include/kith/ declares, nothing internal (kith_i_).
set -eu
build=${KITH_BUILD:-build/release}

defined() { # library, nm's flags: the symbols it defines for others
    nm "$2" --defined-only "$1" 2> /dev/null | awk 'NF == 3 { print $3 }'
}

strangers() { # library, nm's flag, what is not ours (a regular expression)
    # Sanitizers add symbols of their own.
    defined "$1" "$2" | grep -Ev '^(__asan|__odr_asan|__ubsan|__tsan)' |
        grep -E "$3" || true
}

not_ours='^([^k]|k[^i]|ki[^t]|kit[^h]|kith[^_])'
for check in "libkith.a:-g:$not_ours" "libkith.so:-D:$not_ours|^kith_i_"; do
    library=$build/src/${check%%:*}
    rest=${check#*:}
    found=$(strangers "$library" "${rest%%:*}" "${rest#*:}")
    if [ -n "$found" ]; then
        echo "$library defines names that are not its own:" $found
        exit 1
    fi
    [ "$(defined "$library" "${rest%%:*}" | wc -l)" -gt 50 ] || {
        echo "$library: no symbols seen"
        exit 1
    }
done

# The check can fail.
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
echo 'void kith_x(void); void kith_x(void) {} void auto_charge(void) {}' > "$tmp/bad.c"
${CC:-cc} -c "$tmp/bad.c" -o "$tmp/bad.o"
[ "$(strangers "$tmp/bad.o" -g "$not_ours")" = auto_charge ] || {
    echo "a stranger was not seen"
    exit 1
}
echo "symbols: ok"

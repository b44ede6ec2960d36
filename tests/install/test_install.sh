#!/usr/bin/env bash
# What `make install` puts on a machine, and whether a program from outside
# can use it. KITH_BUILD: the build; KITH_SOURCE: the tree.
set -eu
: "${KITH_BUILD:?the build directory}"
source_tree=${KITH_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
work=$(mktemp -d "${TMPDIR:-/tmp}/kith-install-XXXXXX")
trap 'rm -rf "$work"' EXIT

fail() {
    echo "FAILED: $*"
    exit 1
}

cached() { sed -n "s/^$1:[A-Z]*=//p" "$KITH_BUILD/CMakeCache.txt"; }
cc=$(cached CMAKE_C_COMPILER)
# The outside program needs the sanitizers' runtime when the library does.
sanitize=$(cached KITH_SANITIZE)
extra=${sanitize:+-fsanitize=$sanitize}

# ---- `make install` builds all that is installed ---------------------------

grep -q 'target kith_installed' "$source_tree/Makefile" || fail "make install"
# What install copies from the build, and what a rule of the build makes of it.
grep -rhoE "\"$KITH_BUILD/[^\"]+\"" --include=cmake_install.cmake "$KITH_BUILD" |
    tr -d '"' | sed "s#^$KITH_BUILD/##" | sort -u >"$work/copied"
ninja -C "$KITH_BUILD" -t targets all | sed -n 's/: .*//p' | sort -u >"$work/made"
ninja -C "$KITH_BUILD" -t commands kith_installed | tr ' ' '\n' | sort -u \
    >"$work/words"
needed=0
while read -r file; do
    grep -qxF -e "$file" -e "${file##*/}" "$work/words" ||
        fail "make install does not build $file"
    needed=$((needed + 1))
done < <(comm -12 "$work/copied" "$work/made")
[ "$needed" -ge 6 ] || fail "what is installed was not seen"

# ---- install: to a prefix, and the same prefix below a DESTDIR ------------

prefix=$work/prefix
cmake --install "$KITH_BUILD" --prefix "$prefix" >"$work/log" ||
    { cat "$work/log"; fail "cmake --install"; }
DESTDIR=$work/dest cmake --install "$KITH_BUILD" --prefix "$prefix" \
    >"$work/log" || { cat "$work/log"; fail "cmake --install, DESTDIR"; }
list() { (cd "$1" && find . \( -type f -o -type l \) | sort); }
list "$prefix" >"$work/files"
list "$work/dest$prefix" >"$work/staged"
cmp "$work/files" "$work/staged" || fail "DESTDIR changes what is installed"

# Every file is in a Debian package (`make deb` would stop). Processors that talk
# by MPI are no part of them.
in_package() {
    local pattern
    while read -r pattern; do
        # shellcheck disable=SC2254 # it is a pattern
        case $1 in $pattern | $pattern/*) return 0 ;; esac
    done < <(cat "$source_tree"/debian/*.install | sed 's#^usr/lib/\*/#usr/lib/#')
    return 1
}
while read -r file; do
    in_package "$file" || fail "no debian/*.install has $file"
done < <(list "$prefix" | sed 's#^\./#usr/#; s#^usr/lib/[^/]*-linux-gnu/#usr/lib/#' |
    grep -v kith-mpi)

# ---- headers: all of include/kith, each usable on its own -----------------

(cd "$source_tree/include/kith" && for f in *.h; do echo "$f"; done
 echo version.h) | sort -u >"$work/headers.want"
(cd "$prefix/include/kith" && for f in *; do echo "$f"; done) |
    sort >"$work/headers.got"
diff "$work/headers.want" "$work/headers.got" ||
    fail "the installed headers are not those of include/kith"
while read -r header; do
    echo "#include <kith/$header>" |
        "$cc" -std=c11 -Wall -Wextra -Werror -pedantic -I"$prefix/include" \
            -fsyntax-only -x c - || fail "<kith/$header> alone"
done <"$work/headers.got"

# ---- the command and its manual -------------------------------------------

[ -x "$prefix/share/kith/kith_verify.py" ] || fail "kith_verify.py"
version=$("$prefix/bin/kith" --version | head -n 1)
pages=0
for page in "$source_tree"/docs/man/*.1; do
    name=$(basename "$page")
    cmp "$page" "$prefix/share/man/man1/$name" || fail "man page $name"
    pages=$((pages + 1))
done
[ "$pages" -gt 0 ] || fail "no man pages"

# ---- the library ----------------------------------------------------------

pc=$(find "$prefix" -name kith.pc)
[ -n "$pc" ] || fail "no kith.pc"
libdir=$(dirname "$(dirname "$pc")")
export PKG_CONFIG_PATH=${pc%/*}
pc_version=$(pkg-config --modversion kith)
[ "$(pkg-config --variable=prefix kith)" = "$(cached CMAKE_INSTALL_PREFIX)" ] ||
    fail "kith.pc does not name the prefix of the build"
flags() { # where we put it, not where the build would have
    pkg-config --define-variable=prefix="$prefix" --cflags --libs "$@" kith
}
case $version in
*"$pc_version"*) ;;
*) fail "kith --version says '$version', kith.pc '$pc_version'" ;;
esac
for file in libkith.a libkith.so "libkith.so.$pc_version"; do
    [ -e "$libdir/$file" ] || fail "no $file"
done

# Only the public names are visible, and every public function is there.
nm -D --defined-only "$libdir/libkith.so" |
    awk '$2 ~ /^[A-Z]$/ && $2 != "A" { print $3 }' | sort >"$work/symbols"
if grep -Ev '^kith_' "$work/symbols"; then fail "foreign exported symbols"; fi
if grep -E '^kith_i_' "$work/symbols"; then fail "internal symbols exported"; fi
# collect.h is libkith-collect's, which is a static library.
find "$prefix/include/kith" -name '*.h' ! -name collect.h -exec cat {} + | tr '\n' ' ' |
    sed 's|/\*[^*]*\*\+\([^/*][^*]*\*\+\)*/||g' |
    grep -Eo 'KITH_API[^;]*;' | grep -Eo '\bkith_[a-z_0-9]+ *\(' |
    tr -d ' (' | sort -u >"$work/declared"
diff "$work/declared" "$work/symbols" ||
    fail "declared (<) and exported (>) functions differ"

# ---- a program from outside, both ways ------------------------------------

outside=$source_tree/tests/install/outside.c
warn="-std=c11 -Wall -Wextra -Werror -pedantic"
# shellcheck disable=SC2046,SC2086
"$cc" $warn $extra "$outside" -o "$work/shared" \
    $(flags) || fail "link with the shared library"
# -l:libkith.a, or the linker would take the shared one that lies beside it.
# shellcheck disable=SC2046,SC2086
"$cc" $warn $extra "$outside" -o "$work/static" \
    $(flags --static | sed 's/-lkith\b/-l:libkith.a/') || fail "link with the static library"
readelf -d "$work/shared" | grep -q 'NEEDED.*libkith\.so\.[0-9]' ||
    fail "the shared program does not load libkith"
if readelf -d "$work/static" | grep -q 'NEEDED.*libkith'; then
    fail "the static program loads libkith"
fi
# Nothing shared at all, as one would for a container without a system.
gfortran=$("$cc" -print-file-name=libgfortran.a) # a bare name: not there
if [ -z "$sanitize" ] && [ -e "$gfortran" ]; then
    # shellcheck disable=SC2046,SC2086
    "$cc" $warn "$outside" -static -o "$work/whole" $(flags --static) \
        2>"$work/log" || { cat "$work/log"; fail "link with -static"; }
    if readelf -d "$work/whole" | grep -q NEEDED; then
        fail "the -static program loads something"
    fi
else
    cp "$work/static" "$work/whole"
fi
want="kith $pc_version: 3 centres, guarantee exact, epsilon 1, delta 1e-06"
for program in shared static whole; do # found without LD_LIBRARY_PATH
    got=$("$work/$program") || fail "$program: exit $?"
    [ "$got" = "$want" ] || fail "$program: '$got', expected '$want'"
done

# ---- a CMake project from outside, both ways ------------------------------

mkdir "$work/project"
cp "$outside" "$work/project"
cat >"$work/project/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.18)
project(outside C)
find_package(kith 0.1 REQUIRED)
add_executable(shared outside.c)
target_link_libraries(shared PRIVATE kith::kith)
add_executable(static outside.c)
target_link_libraries(static PRIVATE kith::kith_static)
CMAKE
(cd "$work/project" && cmake -B build -DCMAKE_PREFIX_PATH="$prefix" \
    -DCMAKE_C_COMPILER="$cc" -DCMAKE_C_FLAGS="$extra" &&
    cmake --build build) >"$work/log" 2>&1 ||
    { cat "$work/log"; fail "find_package(kith)"; }
for program in shared static; do
    got=$("$work/project/build/$program") || fail "CMake's $program: exit $?"
    [ "$got" = "$want" ] || fail "CMake's $program: '$got', expected '$want'"
done

# ---- C++: the headers as they are -----------------------------------------

if command -v c++ >/dev/null && [ -z "$sanitize" ]; then
    cat >"$work/plus.cc" <<'PLUS'
#include <kith/kith.h>
#include <cstdio>
int main() { std::printf("%s\n", kith_version()); }
PLUS
    # shellcheck disable=SC2046
    c++ -Wall -Wextra -Werror -pedantic "$work/plus.cc" -o "$work/plus" \
        $(flags) || fail "a C++ program"
    [ "$("$work/plus")" = "$pc_version" ] || fail "the C++ program's output"
fi

echo "install: $(wc -l <"$work/files") files," \
    "$(wc -l <"$work/symbols") functions, $pages man pages," \
    "shared and static programs ran"

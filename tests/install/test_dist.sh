#!/usr/bin/env bash
# The source archive (make dist) holds what is committed, has the checksum that
# is said, and is the same twice; what the Debian packages say of themselves
# agrees with the project. Building them is `make deb`.
set -eu
cd "$KITH_SOURCE"
git rev-parse HEAD >/dev/null 2>&1 || { echo "no git here: skipped"; exit 0; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
    echo "FAILED: $*" >&2
    exit 1
}
version=$(sed -n 's/^project(kith VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
scripts/build_dist.sh "$work/a" >/dev/null
scripts/build_dist.sh "$work/b" >/dev/null
cmp "$work/a/kith-$version.tar.gz" "$work/b/kith-$version.tar.gz" ||
    fail "two archives of one commit differ"
(cd "$work/a" && sha256sum -c "kith-$version.tar.gz.sha256" >/dev/null) ||
    fail "the checksum is of something else"
tar -tzf "$work/a/kith-$version.tar.gz" >"$work/list"
for file in CMakeLists.txt LICENSE src/lloyd/kmeans_lloyd.c debian/rules; do
    grep -qx "kith-$version/$file" "$work/list" || fail "the archive lacks $file"
done
grep -q "^kith-$version/build/" "$work/list" && fail "the archive has a build"
head -n 1 debian/changelog | grep -q "^kith ($version)" ||
    fail "debian/changelog is not about $version"
for package in kith libkith0 libkith-dev python3-kith kithd; do
    grep -qx "Package: $package" debian/control || fail "no package $package"
done
[ "${version%%.*}" = 0 ] || fail "libkith0 is not the library's SONAME any more"
echo "dist: ok"

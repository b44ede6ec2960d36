#!/usr/bin/env bash
# T35: how `kith report` looks, against the stored pictures of looks/ (look.py):
# a desktop, a phone, in the dark, on paper. Other fonts must pass; pages that
# are broken on purpose must not.
# After a change of the page that is meant: look at it, then
#   KITH=... tests/browser/test_browser_report.sh --store
set -eu
cd "${KITH_SOURCE:-$(dirname "$0")/../..}"
for tool in chromium pdftoppm; do
    if ! command -v "$tool" >/dev/null; then
        echo "NOT TESTED: $0; $tool is missing (scripts/bootstrap.sh browser)"
        exit 0
    fi
done
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
looks=tests/browser/looks
"$KITH" report -o "$tmp/page.html" tests/vectors/report.json
"$KITH" report -o "$tmp/planes.html" tests/vectors/report_planes.json
if [ "${1:-}" = --store ]; then
    tests/browser/look.py --store $looks kmeans "$tmp/page.html"
    tests/browser/look.py --store $looks planes "$tmp/planes.html" desktop phone
    exit
fi
tests/browser/look.py $looks kmeans "$tmp/page.html"
tests/browser/look.py $looks planes "$tmp/planes.html" desktop phone

# with SED LOOK...: the page, changed
with() {
    sed "$1" "$tmp/page.html" >"$tmp/changed.html"
    ! cmp -s "$tmp/page.html" "$tmp/changed.html" || { echo "nothing changed: $1"; exit 1; }
    shift
    tests/browser/look.py $looks kmeans "$tmp/changed.html" "$@"
}
style() { echo "s|</style>|$1</style>|"; }
with "$(style '*{font-family:serif!important}')" desktop phone paper
refused() {
    if with "$@"; then
        echo "FAILED: a broken page passes: $1"
        exit 1
    fi
}
refused "$(style 'svg{visibility:hidden}')" desktop
refused "$(style 'svg{visibility:hidden}')" paper
refused "$(style '.cards{display:block}.card{border:0}')" desktop
refused "$(style '*{display:block!important}')" phone
refused "$(style 'main{width:900px;max-width:none}')" phone
refused 's|prefers-color-scheme:dark|prefers-color-scheme:none|' dark
refused "$(style 'details>*{display:none!important}')" paper

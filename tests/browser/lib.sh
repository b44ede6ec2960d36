# For tests in a browser: what they need, and the device as WebAssembly.
# A missing tool is said loudly; scripts/bootstrap.sh browser installs all.
set -eu
cd "${KITH_SOURCE:-$(dirname "$0")/../..}"
for tool in clang wasm-ld node chromium; do
    if ! command -v "$tool" >/dev/null; then
        echo "NOT TESTED: $0; $tool is missing (scripts/bootstrap.sh browser)"
        exit 0
    fi
done
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
scripts/build_wasm.sh "$tmp/kith_device.wasm"
export KITH_WASM="$tmp/kith_device.wasm"

#!/usr/bin/env bash
# kithd, a crowd and one person in Chromium, from joining to the model
# (web/tests/kithd.test.js).
. "$(dirname "$0")/lib.sh"
export KITHD="${KITHD:-${KITH_BUILD:-build/release}/tools/kithd/kithd}"
export KITH="${KITH:-${KITH_BUILD:-build/release}/tools/kith/kith}"
if [ ! -x "$KITHD" ]; then
    echo "NOT TESTED: $0; kithd is not built (scripts/bootstrap.sh service)"
    exit 0
fi
node --test web/tests/kithd.test.js

#!/usr/bin/env bash
# Seeded runs give what they gave when they were recorded (golden.py).
set -u
. "$(dirname "$(realpath "$0")")/lib.sh"

LAST="golden.py"
CHECKS=$((CHECKS + 1))
"$PYTHON" "$HERE/golden.py" "$KITH" . 2>"$ERR" || fail "$(cat "$ERR")"
finish

# What the tests of the command share. Sourced, not run. KITH is the binary.
# Every check prints a line when it fails; `finish` sets the exit status.
: "${KITH:?set KITH to the kith binary}"
KITH=$(realpath "$KITH")
WORK=$(mktemp -d "${TMPDIR:-/tmp}/kith-cli-XXXXXX") || exit 1
trap 'rm -rf "$WORK"' EXIT
mkdir "$WORK/data" && cd "$WORK/data" || exit 1
OUT=$WORK/out # of the last command
ERR=$WORK/err
LAST=
CHECKS=0
FAILURES=0
# The interpreter itself: a version manager's shim costs more than our tests.
PYTHON=$(python3 -c 'import sys; print(sys.executable)')

fail() {
    FAILURES=$((FAILURES + 1))
    echo "FAILED: $*"
    echo "  last command: $LAST"
    sed 's/^/  stderr: /' "$ERR" 2>/dev/null | head -n 5
}

# run CODE ARG...: kith ARG... must exit with CODE. Input: our own.
run() {
    local want=$1 got
    shift
    LAST="kith $*"
    CHECKS=$((CHECKS + 1))
    "$KITH" "$@" >"$OUT" 2>"$ERR"
    got=$?
    [ "$got" -eq "$want" ] || fail "exit $got, expected $want"
}

# refuse CODE PATTERN ARG...: fails with CODE, says PATTERN on standard error,
# and prints nothing on standard output.
refuse() {
    local code=$1 pattern=$2
    shift 2
    run "$code" "$@"
    said "$pattern"
    check "standard output is empty" [ ! -s "$OUT" ]
}

said() { # PATTERN (extended, any case) is on standard error
    CHECKS=$((CHECKS + 1))
    grep -Eiq -- "$1" "$ERR" || fail "standard error lacks: $1"
}

check() { # WORDS COMMAND...: the command must succeed
    local what=$1
    shift
    CHECKS=$((CHECKS + 1))
    "$@" || fail "$what"
}

same() { # FILE FILE
    check "$1 and $2 are the same" cmp -s "$1" "$2"
}

differ() { # FILE FILE
    CHECKS=$((CHECKS + 1))
    if cmp -s "$1" "$2"; then fail "$1 and $2 are the same"; fi
}

# python WORDS [FILE...] < program: must exit with 0.
python() {
    local what=$1
    shift
    CHECKS=$((CHECKS + 1))
    "$PYTHON" - "$@" || fail "$what"
}

finish() {
    echo "$(basename "$0"): $CHECKS checks, $FAILURES failed"
    [ "$FAILURES" -eq 0 ]
    exit
}

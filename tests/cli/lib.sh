# What the tests of the command share. Sourced, not run. KITH is the binary.
# Every check prints a line when it fails; `finish` sets the exit status.
: "${KITH:?set KITH to the kith binary}"
KITH=$(realpath "$KITH")
HERE=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
WORK=$(mktemp -d "${TMPDIR:-/tmp}/kith-cli-XXXXXX") || exit 1
trap 'rm -rf "$WORK"' EXIT
mkdir "$WORK/models" "$WORK/data" && cd "$WORK/data" || exit 1
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

# run CODE ARG...: kith ARG... must exit with CODE. Input: our own. Tests make
# the same model again and again: those with an output get --force, unless KEEP
# is set.
run() {
    local want=$1 got
    shift
    case "${1:-} $* " in
    *" --force "* | *" --dry-run "* | *" plan "* | *" lower-bound "*) ;;
    kmeans*" -o "* | kmedian*" -o "* | subspace*" -o "* | local*" -o "* | \
        kmeans*" --centers "* | kmedian*" --centers "* | local*" --centers "*)
        [ -n "${KEEP:-}" ] || set -- "$@" --force
        ;;
    esac
    LAST="kith $*"
    CHECKS=$((CHECKS + 1))
    "$KITH" "$@" >"$OUT" 2>"$ERR"
    got=$?
    [ "$got" -eq "$want" ] || fail "exit $got, expected $want"
    [ "$got" -eq 0 ] && keep_model "$@"
    return 0
}

# keep_model ARG...: if the command made a model, a copy for `finish`.
keep_model() {
    local file=$OUT before=
    case $1 in kmeans | kmedian | subspace | local) ;; *) return ;; esac
    for arg in "$@"; do
        case $before in -o | --output) file=$arg ;; esac
        before=$arg
    done
    [ -f "$file" ] && grep -q '^  "kith": 1,' "$file" || return
    cp "$file" "$WORK/models/$CHECKS.json"
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

# Every model that was made must hold, for two checkers that are not kith.
finish() {
    LAST="kith verify"
    if [ -n "$(ls "$WORK/models")" ]; then
        check "both checkers" "$PYTHON" "$HERE/verify_all.py" "$KITH" \
            "$HERE/../../tools/verify/kith_verify.py" "$WORK/models"
    fi
    echo "$(basename "$0"): $CHECKS checks, $FAILURES failed"
    [ "$FAILURES" -eq 0 ]
    exit
}

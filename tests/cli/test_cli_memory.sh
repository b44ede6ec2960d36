#!/usr/bin/env bash
# Short of memory the command ends with exit 1 and says so; OpenBLAS by itself
# would ask for its buffers for ever. And with memory enough the peak is what
# the rows take and little more.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/lib.sh"

grep -q '^KITH_SANITIZE:[A-Z]*=.' "$KITH_BUILD/CMakeCache.txt" && {
    echo "skipped: sanitizers need the address space"
    exit 0
}
"$KITH" generate gaussians --rows 2000 --dimension 40 -k 4 --seed 1 \
    -o "$WORK/rows.npy"
worked=0 refused=0 told=0
for kilobytes in 100000 200000 250000 350000 450000 1500000; do
    for threads in 1 2; do
        for command in "kmeans -e 1" "kmeans --non-private" "local simulate -e 2"; do
            code=0
            # shellcheck disable=SC2086
            (ulimit -v $kilobytes && exec timeout 60 "$KITH" $command -k 4 \
                --radius 1 --threads $threads "$WORK/rows.npy" \
                >"$WORK/out" 2>"$WORK/err") || code=$?
            case $code in
            0) worked=$((worked + 1)) ;;
            1)
                grep -q 'out of memory' "$WORK/err" ||
                    { cat "$WORK/err"; fail "$kilobytes: no reason"; }
                [ ! -s "$WORK/out" ] || fail "$kilobytes: half an output"
                refused=$((refused + 1))
                grep -q 'ulimit' "$WORK/err" && told=$((told + 1))
                ;;
            127) refused=$((refused + 1)) ;; # the libraries did not fit
            *) cat "$WORK/err"; fail "$command, $kilobytes kB: exit $code" ;;
            esac
        done
    done
done
[ "$worked" -gt 0 ] || fail "nothing worked"
[ "$told" -gt 0 ] || fail "OpenBLAS's memory was never the reason"

# At least 100000 kB hold the libraries; OpenBLAS's start needs twice that, and
# is refused before it happens, in the service too.
for program in "$KITH" "$KITH_BUILD/tools/kithd/kithd"; do
    [ -x "$program" ] || continue
    code=0
    (ulimit -v 150000 && exec timeout 20 "$program" --version >"$WORK/out" \
        2>"$WORK/err") || code=$?
    { [ "$code" = 1 ] && grep -q 'out of memory.*ulimit' "$WORK/err"; } ||
        { cat "$WORK/err"; fail "$program: exit $code, not told why"; }
done

# Growth of the peak over the rows as they are stored (2 bytes a value), from
# a run of fewer rows to one of many.
peak() # rows, command...
{
    local rows=$1
    shift
    [ -f "$WORK/$rows.npy" ] || "$KITH" generate gaussians --rows "$rows" \
        --dimension 20 -k 10 --seed 1 -o "$WORK/$rows.npy"
    python3 - "$KITH" "$@" --radius 1 --threads 1 --quiet "$WORK/$rows.npy" \
        <<'EOF'
import re, subprocess, sys, time
# Not by rusage: it counts what the child was before exec, a whole Python.
child = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
most = 0
while child.poll() is None:
    with open(f"/proc/{child.pid}/status", encoding="ascii") as status:
        found = re.search(r"VmHWM:\s+(\d+)", status.read())
    most = max(most, int(found[1])) if found else most
    time.sleep(.001)
assert child.returncode == 0 and most > 0
print(most)
EOF
}
within() # percent, fewer rows, rows, command...
{
    local limit=$1 fewer=$2 rows=$3 base most times
    shift 3
    base=$(peak "$fewer" "$@" -k 10 -e 1)
    most=$(peak "$rows" "$@" -k 10 -e 1)
    times=$(((most - base) * 1024 * 100 / ((rows - fewer) * 40)))
    echo "$*: $times % of the rows at its peak"
    [ "$times" -le "$limit" ] || fail "$*: $times % of the rows"
}
within 120 1000 250000 kmeans --method lloyd
within 156 1000 1000000 kmeans --delta 1e-6
# A user has a row and what was spent: 120 %. Both runs fit clusters on the
# server, more with more users and by chance: 130 to 147 were seen.
within 165 80000 250000 local simulate
echo "memory: $worked runs worked, $refused were refused ($told with advice)"
finish

#!/usr/bin/env bash
# Short of memory the command ends with exit 1 and says so; OpenBLAS by itself
# would ask for its buffers for ever.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/lib.sh"

grep -q '^KITH_SANITIZE:[A-Z]*=.' "$KITH_BUILD/CMakeCache.txt" && {
    echo "skipped: sanitizers need the address space"
    exit 0
}
"$KITH" generate gaussians --rows 2000 --dimension 40 -k 4 --seed 1 \
    -o "$WORK/rows.npy"
worked=0 refused=0 told=0
# Below that the libraries fit, but OpenBLAS asks for ever while it is being
# loaded, before any line of kith runs.
for kilobytes in 250000 300000 350000 400000 450000 500000 700000 1500000; do
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
echo "memory: $worked runs worked, $refused were refused ($told with advice)"
finish

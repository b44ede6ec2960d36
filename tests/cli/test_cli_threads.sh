#!/usr/bin/env bash
# --threads changes speed only: the same model for any number; and a run has no
# threads beside its workers (OpenBLAS would start some and let them spin).
set -u
. "$(dirname "$(realpath "$0")")/lib.sh"

run 0 generate gaussians --rows 6000 --dimension 8 -k 5 -o x.npy
A="--insecure-seed 3 -k 5 -e 2 --delta 1e-6 --radius 1"
for threads in 1 2 5; do
    run 0 kmeans $A --threads $threads -o "m$threads.json" x.npy
done
same m1.json m2.json
same m1.json m5.json

# count_threads BLAS: sets COUNT to the threads of a run that waits for input.
mkfifo pipe
count_threads() {
    LAST="OPENBLAS_NUM_THREADS=$1 kith kmeans - <pipe"
    OPENBLAS_NUM_THREADS=$1 "$KITH" kmeans $A --threads 1 --format csv \
        -o m.json --force - <pipe 2>"$ERR" &
    local pid=$!
    exec 9>pipe
    printf '0.1,0.2\n0.3,0.4\n' >&9
    # Its temporary file is there, with a name or (Linux) without: it has begun.
    for _ in $(seq 3000); do
        [ -n "$(find . -name '.kith-*')" ] && break
        find "/proc/$pid/fd" -type l -printf '%l\n' 2>/dev/null | grep -q '#[0-9]* (deleted)$' && break
        sleep 0.02
    done
    COUNT=$(find "/proc/$pid/task" -mindepth 1 -maxdepth 1 | wc -l)
    exec 9>&-
    wait $pid
    check "the run ended well" [ $? -eq 0 ]
}
count_threads 1 # one, or what a sanitizer adds
few=$COUNT
check "there is a thread" [ "$few" -ge 1 ]
count_threads 4
check "no thread of OpenBLAS: $few, $COUNT" [ "$COUNT" -eq "$few" ]
finish

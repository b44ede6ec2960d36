#!/usr/bin/env bash
# kith kmeans --method balcan: named in the model, repeatable, and the constants
# as printed are refused with their numbers.
set -u
. "$(dirname "$(realpath "$0")")/lib.sh"

"$KITH" generate gaussians --rows 2000 --dimension 6 -k 3 -o rows.csv
for mode in "-e 1" "-e 1 --delta 1e-6" "-e 1 --adjacency replace-one"; do
    for t in 1 3; do
        run 0 kmeans -k 3 $mode --bounds -1:1 --method balcan --quiet \
            --insecure-seed 7 --threads $t -o "t$t.json" rows.csv
    done
    same t1.json t3.json
    check "the model names its method" grep -q '"method": "balcan"' t1.json
    check "the swaps are in the trace" grep -q '"swap 3 of 3"' t1.json
done
run 0 kmeans -k 3 -e 1 --bounds -1:1 --method balcan --quiet rows.csv
run 0 kmeans -k 3 -e 1 --bounds -1:1 --method balcan --dry-run --rows 2000 \
    --dimension 6

refuse 2 'gamma = 1\.05e\+09' kmeans -k 10 -e 1 --bounds 0:1 --method balcan \
    --paper-constants --dry-run --rows 70000 --dimension 784
refuse 2 'vacuous, nothing was spent' kmeans -k 3 -e 1 --bounds -1:1 \
    --method balcan --paper-constants rows.csv
refuse 2 'needs --method balcan' kmeans -k 3 -e 1 --bounds -1:1 \
    --paper-constants rows.csv
refuse 2 'at most 4096 clusters' kmeans -k 5000 -e 1 --bounds -1:1 \
    --method balcan rows.csv
finish

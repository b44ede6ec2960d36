#!/usr/bin/env bash
# --spill: the same model with rows on disk, and manners when it cannot be.
. "$(dirname "$0")/lib.sh"
"$KITH" generate gaussians --rows 30000 --dimension 12 --clusters 3 --seed 1 -o a.npy 2>/dev/null
"$KITH" generate gaussians --rows 900 --dimension 12 --clusters 3 --seed 2 -o b.csv 2>/dev/null
"$KITH" generate sparse --rows 100 --dimension 60 --clusters 3 --sparsity 8 --seed 5 -o s.svm 2>/dev/null
mkdir disk
A="-k 3 -e 1 --bounds -1:1 --insecure-seed 4"
for method in auto lloyd balcan; do
    for delta in 0 1e-6; do
        run 0 kmeans $A --delta $delta --method $method --force -o memory.json a.npy b.csv
        run 0 kmeans $A --delta $delta --method $method --force -o disk.json --spill disk a.npy b.csv
        check "$method, delta $delta: the same model" cmp -s memory.json disk.json
    done
done
run 0 subspace -q 2 $A --delta 1e-6 --force -o memory.json a.npy
run 0 subspace -q 2 $A --delta 1e-6 --force -o disk.json --spill disk --threads 3 a.npy
check "planes: the same model" cmp -s memory.json disk.json
run 0 kmedian $A --delta 1e-6 --force -o memory.json a.npy
run 0 kmedian $A --delta 1e-6 --force -o disk.json --spill disk a.npy
check "medians: the same model" cmp -s memory.json disk.json
check "nothing is left in the folder" [ -z "$(ls -A disk)" ]
refuse 5 'rows cannot be kept there' kmeans $A --spill nowhere a.npy
refuse 2 'sparse rows stay in memory' kmeans $A --dimension 60 --spill disk s.svm
refuse 2 'no meaning' kmeans -k 3 --bounds -1:1 --non-private --spill disk a.npy
(ulimit -f 100; run 5 kmeans $A --spill disk a.npy; said 'nothing was charged'; [ $FAILURES -eq 0 ]) ||
    fail "a full disk"
finish

#!/usr/bin/env bash
# kith kmeans --method balcan: named in the model, repeatable; the constants as
# printed are explained, refused with their numbers or run; sparse rows.
set -u
. "$(dirname "$(realpath "$0")")/lib.sh"

"$KITH" generate gaussians --rows 2000 --dimension 6 -k 3 -o rows.csv
for mode in "-e 1" "-e 1 --delta 1e-6" "-e 1 --adjacency replace-one --no-header"; do
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
refuse 2 'vacuous, only a count was spent' kmeans -k 3 -e 1 --bounds -1:1 \
    --method balcan --paper-constants rows.csv
refuse 2 'needs --method balcan' kmeans -k 3 -e 1 --bounds -1:1 \
    --paper-constants rows.csv
refuse 2 'at most 4096 clusters' kmeans -k 5000 -e 1 --bounds -1:1 \
    --method balcan rows.csv

# A handful of rows of one feature: the printed constants run, and say first
# that it is in vain.
printf '%s\n' 0.1 0.2 0.9 >few.csv
run 0 kmeans -k 1 -e 1 --bounds 0:1 --method balcan --paper-constants \
    --insecure-seed 1 --adjacency replace-one --no-header --threads 1 -o few.json few.csv
said 'with fewer rows the result is vacuous'
python "as many trials as printed" few.json <<'P'
import json, sys
m = json.load(open(sys.argv[1]))
what = [r["what"] for r in m["privacy"]["releases"]]
trials = ["recovery, cluster sums, round %d of 5" % t for t in range(1, 6)]
assert [w for w in what if "cluster sums" in w] == trials, what
assert "choice of a trial" in what
assert sum(r["loss"]["epsilon"] for r in m["privacy"]["releases"]) <= 1
P

# Sparse rows: --sparsity is public and in the model; centres are sparse.
python "sparse rows" topics.svm <<'P'
import sys
with open(sys.argv[1], "w") as f:
    for r in range(600):
        words = {1 + r % 3 * 4 + t: .4 for t in range(4)}
        words[100 + r * 37 % 400] = .1
        f.write("0 " + " ".join("%d:%g" % w for w in sorted(words.items())) + "\n")
P
for method in auto lloyd balcan; do
    for mode in "-e 4" "-e 4 --delta 1e-6" "-e 4 --adjacency replace-one --no-header"; do
        run 0 kmeans -k 3 $mode --bounds 0:1 --radius 1 --sparsity 5 --quiet \
            --dimension 500 --method $method --insecure-seed 3 -o s.json topics.svm
        python "sparse centres of $method $mode" s.json <<'P'
import json, sys
m = json.load(open(sys.argv[1]))
assert m["parameters"]["sparsity"] == 5
assert m["distinct_centers"] == len({tuple(c) for c in m["centers"]})
assert sum(x != 0 for c in m["centers"] for x in c) < 3 * 150
P
    done
done
refuse 2 'sparsity' kmeans -k 3 -e 1 --bounds 0:1 --sparsity 0 --dimension 500 \
    topics.svm

# More clusters than the budget carries: a plan and a run say so.
run 0 kmeans -k 64 -e .1 --bounds 0:1 --dry-run --rows 20000 --dimension 16 -o p.json
said 'clusters* makes* sense|this result is noise'
python "the plan has the number" p.json <<'P'
import json, sys
assert 1 <= json.load(open(sys.argv[1]))["sensible_clusters"] < 64
P
run 0 kmeans -k 64 -e .01 --bounds -1:1 --method lloyd --quiet -o m.json rows.csv
said 'clusters* makes* sense|this result is noise'
run 0 kmeans -k 2 -e 1 --bounds 0:1 --dry-run --rows 1000000 --dimension 4 -o p.json
check "no warning where there is nothing to warn of" \
    bash -c "! grep -q 'sense' '$ERR'"
finish

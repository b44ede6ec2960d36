#!/usr/bin/env bash
# T36: a sweep is a grid of plans: the same numbers, no rows, nothing spent.
set -u
. "$(dirname "$0")/lib.sh"

S="--delta 1e-6 --rows 20000 --bounds 0:100"
run 0 sweep -k 2,8 -e 0.5,2 --dimension 3 $S --as json -o sweep.json
said 'nothing was spent'
for k in 2 8; do
    for e in 0.5 2; do
        run 0 kmeans -k $k -e $e --dimension 3 $S --dry-run --quiet -o plan-$k-$e.json
    done
done
python "every cell is a plan" <<'P'
import json
cells = json.load(open("sweep.json"))["cells"]
assert [(c["k"], c["epsilon"]) for c in cells] == [(2, 0.5), (8, 0.5), (2, 2), (8, 2)]
for c in cells:
    plan = json.load(open("plan-%d-%g.json" % (c["k"], c["epsilon"])))
    assert c["noise"] == plan["predicted_noise_per_center"], (c, plan)
    assert c["releases"] == len(plan["privacy"]["releases"])
    assert c["sensible"] == (plan.get("sensible_clusters") or 0), (c, plan)
P
run 0 sweep -k 2:64 -e 0.1,1 --dimension 3 $S
check "both ends" grep -Eq '^ +2 +0.1 ' "$OUT"
check "both ends" grep -Eq '^ +64 +1 ' "$OUT"
check "too many for a small budget" grep -q 'too many centres' "$OUT"
run 0 sweep -k 4 -e 1 --dimension 3 $S --as csv
check "two lines" [ "$(wc -l <"$OUT")" = 2 ]
printf 'a,0,1\nb,0,5\n' >b.csv
run 0 sweep -k 4 -e 1 --rows 1000 --bounds-file b.csv --normalize --as json
check "the bounds file tells" grep -q '"dimension": 2' "$OUT"
run 0 sweep -k 3 -e 1 --rows 1000 --dimension 4 --radius 2 --method lloyd --adjacency replace-one
refuse 2 'reads no data' sweep -k 2 -e 1 --dimension 3 $S rows.csv
refuse 2 'required' sweep -k 2 --dimension 3 $S
refuse 2 'bounds are required' sweep -k 2 -e 1 --dimension 3 --rows 9
refuse 2 'dimension' sweep -k 2 -e 1 $S
refuse 2 'not LO:HI' sweep -k 5:2 -e 1 --dimension 3 $S
refuse 2 'above 0' sweep -k 2 -e 0,1 --dimension 3 $S
refuse 3 'raise' sweep -k 2 -e 1e-14 --dimension 3 --rows 9 --bounds 0:1
finish

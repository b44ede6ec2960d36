#!/usr/bin/env bash
# kith kmedian: the model it writes, what evaluate makes of it, what it shares
# with kmeans and what it has not.
set -u
. "$(dirname "$(realpath "$0")")/lib.sh"

"$KITH" generate gaussians --rows 6000 --dimension 4 -k 3 -o rows.csv
go() { # OUT ARG...
    local out=$1
    shift
    run 0 kmedian -k 3 --bounds -1:1 --insecure-seed 7 --quiet -o "$out" "$@"
}
for mode in "-e 1" "-e 1 --delta 1e-6" "-e 2 --adjacency replace-one --no-header"; do
    go base.json $mode rows.csv
    go again.json $mode --threads 3 rows.csv
    same base.json again.json
    shuf --random-source=<(yes) rows.csv >shuffled.csv
    go again.json $mode shuffled.csv
    same base.json again.json
    python "the model of $mode" base.json <<'P'
import json, math, sys
m = json.load(open(sys.argv[1]))
p = m["privacy"]
assert m["kind"] == "kmedian" and m["method"] == "auto", m["method"]
assert m["k"] == 3 and len(m["centers"]) == 3 and len(m["weights"]) == 3
assert all(-1 <= x <= 1 for row in m["centers"] for x in row)
assert p["guarantee"] == "none" and 1 <= m["parameters"]["rounds"] <= 8
pulls = [r for r in p["releases"] if r["what"].endswith("pull sums")]
assert len(pulls) == m["parameters"]["rounds"]
if p["delta"]:
    spent = math.sqrt(sum(r["loss"]["mu"] ** 2 for r in p["releases"]))
    assert .999 * p["mu"] <= spent <= p["mu"] * (1 + 1e-9)
else:
    spent = sum(r["loss"]["epsilon"] for r in p["releases"])
    assert .999 * p["epsilon"] <= spent <= p["epsilon"] * (1 + 1e-9)
P
done
run 0 kmedian -k 3 -e 1 --bounds -1:1 -o real.json rows.csv
said 'guarantee: nothing that the model shows'
python "a real run is exact" <<'P'
import json
assert json.load(open("real.json"))["privacy"]["guarantee"] == "exact"
P
go five.json -e 1 --rounds 5 rows.csv
python "five rounds" <<'P'
import json
assert json.load(open("five.json"))["parameters"]["rounds"] == 5
P

# Other ways: candidates and swaps, and sampling with what it really promises.
for mode in "-e 1" "-e 1 --delta 1e-6"; do
    go balcan.json $mode --method balcan rows.csv
    go again.json $mode --method balcan --threads 3 rows.csv
    same balcan.json again.json
    run 0 kmedian -k 3 $mode --bounds -1:1 --recovery sampling -o chain.json rows.csv
    said 'asymptotic'
done
python "other ways" <<'P'
import json
b, c = json.load(open("balcan.json")), json.load(open("chain.json"))
assert b["method"] == "balcan" and b["parameters"]["recovery"] == "steps"
assert any(r["what"] == "swap 3 of 3" for r in b["privacy"]["releases"])
assert c["privacy"]["guarantee"] == "asymptotic" and "note" in c["privacy"]
assert c["parameters"]["recovery"] == "sampling"
P
refuse 2 'makes no rounds' kmedian -k 3 -e 1 --bounds -1:1 --recovery sampling \
    --rounds 3 rows.csv

# evaluate takes the objective from the model; the reference is cheaper than a
# k-means model in that objective, and the private one is near it.
run 0 kmedian --non-private -k 3 --starts 3 --bounds -1:1 -o plain.json rows.csv
said 'NOT private'
run 0 kmeans --non-private -k 3 --starts 3 --bounds -1:1 -o means.json rows.csv
sed 's/"kind": "kmeans"/"kind": "kmedian"/' means.json >means_as.json
differ means.json means_as.json
go private.json -e 1 --delta 1e-6 rows.csv
for m in plain means_as private; do
    run 0 evaluate $m.json rows.csv
    cp "$OUT" $m.cost
done
python "costs" <<'P'
import csv, json, math
c = {m: json.load(open(m + ".cost")) for m in ("plain", "means_as", "private")}
assert all(v["objective"] == "kmedian" for v in c.values())
rows = [[float(x) for x in r] for r in csv.reader(open("rows.csv"))]
centers = json.load(open("plain.json"))["centers"]
cost = sum(min(math.dist(r, m) for m in centers) for r in rows)
assert abs(cost / c["plain"]["cost"] - 1) < 1e-9
assert c["plain"]["cost"] <= c["means_as"]["cost"] * (1 + 1e-6)
assert c["private"]["cost"] < 1.2 * c["plain"]["cost"]
P
run 0 kmedian --non-private -k 3 --bounds -1:1 --threads 1 -o p1.json --quiet rows.csv
run 0 kmedian --non-private -k 3 --bounds -1:1 --threads 3 -o p3.json --quiet rows.csv
same p1.json p3.json
run 0 assign plain.json rows.csv

# Sparse rows, with the bits of dense ones not asked for but runs that repeat.
"$KITH" generate sparse --rows 300 --dimension 200 -k 3 --sparsity 8 -o s.svm
sp() {
    run 0 kmedian -k 3 -e 5 --radius 1 --dimension 200 --insecure-seed 1 \
        --quiet -o "$@" s.svm
}
sp a.json
sp b.json --threads 3
same a.json b.json

# No rows are read and nothing is drawn in a dry run.
run 0 kmedian -k 3 -e 1 --bounds -1:1 --dry-run --rows 5000 --dimension 4
said 'pull sums'
said 'total loss: epsilon 1'

refuse 2 "method: 'lloyd' is not known" kmedian -k 3 -e 1 --bounds -1:1 \
    --method lloyd rows.csv
refuse 2 'unknown option --paper' kmedian -k 3 -e 1 --bounds -1:1 \
    --paper-constants rows.csv
refuse 2 'bounds' kmedian -k 3 -e 1 rows.csv
refuse 2 'epsilon' kmedian -k 3 --bounds -1:1 rows.csv
refuse 2 'no meaning' kmedian --non-private -e 1 -k 3 --bounds -1:1 rows.csv
refuse 2 'did you mean kmedian' kmedan -k 3
finish

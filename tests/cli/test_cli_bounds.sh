#!/usr/bin/env bash
# T37: kith bounds and --bounds private: found for a price, checked, one charge.
set -u
. "$(dirname "$0")/lib.sh"

"$PYTHON" - <<'P'
import random
random.seed(2)
with open("rows.csv", "w") as f:
    f.write("score,year,share\n")
    for i in range(8000):
        f.write("%.4f,%.0f,%.5f\n" % (random.gauss(0, 1) + 3 * (i % 2), random.uniform(1950, 2020), random.random()))
with open("few.csv", "w") as f:
    f.write("x\n" + "".join("%.3f\n" % random.gauss(0, 1) for i in range(30)))
P

# ---- the file, and what it cuts: seeded, so always the same -------------------
run 0 bounds -e 0.5 --delta 1e-6 --insecure-seed 3 --force -o b.csv rows.csv
said 'may be cut'
python "hardly anything is cut, and no range is silly" <<'P'
import csv, json
rows = list(csv.DictReader(open("rows.csv")))
found = {r[0]: (float(r[1]), float(r[2])) for r in csv.reader(open("b.csv"))}
assert list(found) == ["score", "year", "share"], found
for name, (low, high) in found.items():
    v = sorted(float(r[name]) for r in rows)
    assert sum(not low <= x <= high for x in v) < .01 * len(v), (name, low, high)
    assert high - low < 8 * (v[-9] - v[8]), (name, low, high)
receipt = json.load(open("b.json"))
assert receipt["kind"] == "bounds" and receipt["privacy"]["guarantee"] == "none"
assert [r["state"] for r in receipt["ranges"]] == ["found"] * 3
assert len(receipt["privacy"]["releases"]) == 7
P
run 0 bounds -e 0.5 --delta 1e-6 --quiet -o real.csv rows.csv
for checker in "$KITH verify" "$PYTHON $HERE/../../tools/verify/kith_verify.py"; do
    CHECKS=$((CHECKS + 1))
    $checker real.json >"$OUT" 2>&1 || fail "$checker refuses the receipt"
    check "holds" grep -q '^Holds' "$OUT"
done
sed 's/"scale": [0-9.]*/"scale": 1.0/' real.json >bad.json
run 1 verify bad.json
refuse 2 'exists.*--force' bounds -e 0.5 --delta 1e-6 -o real.csv rows.csv
run 0 kmeans -k 2 -e 1 --bounds-file real.csv --quiet rows.csv

# ---- ranges that noise hides are not made up -----------------------------------
run 0 bounds -e 0.5 --delta 1e-6 --insecure-seed 3 --quiet --force -o few_b.csv few.csv
said 'noise hides'
check "x,?,?" [ "$(cat few_b.csv)" = 'x,?,?' ]
refuse 4 'were not found' kmeans -k 2 -e 1 --bounds-file few_b.csv few.csv
run 3 kmeans -k 2 -e 0.5 --delta 1e-6 --bounds private --insecure-seed 3 few.csv
said 'noise hides the bounds of feature 1'

# ---- one range for all, people, pure, replace-one -------------------------------
run 0 bounds -e 1 --per all --quiet --force -o all.csv rows.csv
check "three alike" [ "$(cut -d, -f2- all.csv | sort -u | wc -l)" = 1 ]
run 0 bounds -e 1 --adjacency replace-one --header --quiet --force -o replace.csv rows.csv
run 0 bounds -e 1 --delta 1e-6 --user-column year --quiet --force -o users.csv rows.csv
check "unit" grep -q '"unit": "user"' users.json
check "two features" [ "$(wc -l <users.csv)" = 2 ]

# ---- in one command, one budget, one charge --------------------------------------
run 0 budget create a --ledger sqlite:l.db --new-ledger --dataset d --unit row --adjacency add-remove -e 2 --delta 1e-6
run 0 kmeans -k 4 -e 1 --delta 1e-6 --bounds private:0.1 --ledger sqlite:l.db --account a -o m.json rows.csv
run 0 report m.json -o m.html
check "the page says what the bounds cost" grep -q 'found privately, for 10 % of the budget' m.html
run 0 verify m.json --ledger sqlite:l.db
run 0 budget history a --ledger sqlite:l.db
check "one charge" [ "$(grep -c charge "$OUT")" = 1 ]
python "bounds for a tenth of mu^2, and within the whole" m.json <<'P'
import json, sys
m = json.load(open(sys.argv[1]))
p = m["parameters"]
assert p["bounds_share"] == 0.1 and len(p["bounds"]["lower"]) == 3 and p["columns"] == ["score", "year", "share"]
loss = [(r["what"], r["loss"]["mu"] ** 2) for r in m["privacy"]["releases"]]
first = sum(x for _, x in loss[:7])
assert all("octaves" in w or "fine values" in w or "row counts" in w for w, _ in loss[:7]), loss[:7]
mu2 = m["privacy"]["mu"] ** 2
assert abs(first / mu2 - .1) < 1e-3 and sum(x for _, x in loss) <= mu2 * (1 + 1e-12)
P
run 0 kmedian -k 2 -e 1 --delta 1e-6 --bounds private --quiet rows.csv

# ---- what makes no sense -----------------------------------------------------------
refuse 2 'private:SHARE' kmeans -k 2 -e 1 --bounds private:2 rows.csv
refuse 2 'private:SHARE' kmeans -k 2 -e 1 --bounds privately rows.csv
refuse 2 'private kmeans' kmeans -k 2 --non-private --bounds private rows.csv
refuse 2 'guess the bounds' kmeans -k 2 -e 1 --bounds private --dry-run --rows 9 --dimension 2
refuse 2 'no meaning' kmeans -k 2 -e 1 --bounds private --radius 3 rows.csv
refuse 2 'twice' kmeans -k 2 -e 1 --bounds private --format csv -
refuse 2 'LO:HI' check --bounds private rows.csv
refuse 2 'FILE.csv is required' bounds -e 1 rows.csv
refuse 2 'required' bounds -o x.csv rows.csv
printf '0 1:1\n' >s.svm
refuse 2 'dense' bounds -e 1 --dimension 2 --force -o x.csv s.svm
finish

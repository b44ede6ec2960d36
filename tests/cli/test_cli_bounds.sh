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
said 'noise hides the bounds of feature x,'

# ---- one range for all, people, pure, replace-one -------------------------------
run 0 bounds -e 1 --per all --quiet --force -o all.csv rows.csv
check "three alike" [ "$(cut -d, -f2- all.csv | sort -u | wc -l)" = 1 ]
# Above 32 features that is the default: three releases, whatever their number.
"$KITH" generate gaussians --rows 5000 --dimension 33 -k 2 --seed 1 -o wide.csv 2>/dev/null
run 0 bounds -e 1 --delta 1e-6 --quiet --force -o wide_b.csv wide.csv
check "one range for 33" [ "$(sort -u wide_b.csv | wc -l),$(wc -l <wide_b.csv)" = 1,33 ]
check "three releases" [ "$(grep -c '"what"' wide_b.json)" = 3 ]
run 0 bounds -e 1 --delta 1e-6 --per feature --quiet --force -o wide_b.csv wide.csv
check "a range for each" [ "$(grep -c '"what"' wide_b.json)" = 67 ]
run 0 bounds -e 1 --delta 1e-6 --columns "$(seq -s, 32)" --quiet --force -o wide_b.csv wide.csv
check "of 32 each has its own" [ "$(grep -c '"what"' wide_b.json)" = 65 ]
refuse 2 'say --per' bounds -e 1 --delta 1e-6 --format csv --force -o wide_b.csv - <wide.csv
run 0 bounds -e 1 --adjacency replace-one --header --quiet --force -o replace.csv rows.csv
run 0 bounds -e 1 --delta 1e-6 --user-column year --force -o users.csv rows.csv
said 'fewer than about [0-9]+ people may be cut'
check "unit" grep -q '"unit": "user"' users.json
refuse 4 'receipt of bounds has no page.*kith verify' report users.json
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
run 0 bounds -e 1 --delta 1e-6 --quiet -o quiet.csv rows.csv --force
check "quiet" sh -c "! grep -q 'may be cut' '$ERR'"
# ---- a receipt: what both runs cost together --------------------------------------
B="--bounds-file real.csv --bounds-receipt real.json"
run 0 kmeans -k 2 -e 1 --delta 1e-6 $B --force -o sum.json rows.csv
said 'the bounds cost epsilon 0.5, delta 1e-06 on top'
python "the sum, and the receipt by its digest" <<'P'
import hashlib, json
from fractions import Fraction
bounds = json.load(open("sum.json"))["privacy"]["bounds"]
assert bounds["receipt"] == hashlib.sha256(open("real.json", "rb").read()).hexdigest()
assert (bounds["epsilon"], bounds["delta"]) == (.5, 1e-6)
both = bounds["together"]
assert 0 <= Fraction(both["epsilon"]) - Fraction(1.5) < 1e-15
assert 0 <= Fraction(both["delta"]) - 2 * Fraction(1e-6) < 1e-20
P
for checker in "$KITH verify" "$PYTHON $HERE/../../tools/verify/kith_verify.py"; do
    CHECKS=$((CHECKS + 1))
    $checker sum.json >"$OUT" 2>&1 || fail "$checker refuses the sum"
    check "in its words" grep -q 'epsilon 1.5, delta 2e-06 in all' "$OUT"
    for edit in 'b["together"]["epsilon"] = 1.4999' 'b["epsilon"] = .6' 'b["together"] = 2' 'b["delta"] = 2e-6'; do
        "$PYTHON" -c 'import json, sys
m = json.load(open("sum.json"))
b = m["privacy"]["bounds"]
exec(sys.argv[1])
json.dump(m, open("less.json", "w"))' "$edit"
        CHECKS=$((CHECKS + 1))
        $checker less.json >"$OUT" 2>&1 && fail "$checker takes less: $edit"
        check "says why" grep -q 'bounds: ' "$OUT"
    done
done
rm less.json
run 0 report sum.json -o sum.html
check "on the page" grep -q 'ε = 1.5, δ = 2e-06' sum.html
refuse 2 'belongs to a --bounds-file' kmeans -k 2 -e 1 --bounds -9:9 --bounds-receipt real.json rows.csv
sed 's/^score,[^,]*,/score,-99,/' real.csv >other.csv
refuse 2 'one of other bounds' kmeans -k 2 -e 1 --bounds-file other.csv --bounds-receipt real.json rows.csv
refuse 2 'another promise' kmeans -k 2 -e 1 --adjacency replace-one --header $B rows.csv
refuse 2 'promise nothing' kmeans -k 2 -e 1 --bounds-file b.csv --bounds-receipt b.json rows.csv
refuse 4 'not a receipt' kmeans -k 2 -e 1 --bounds-file real.csv --bounds-receipt sum.json rows.csv
refuse 4 'cannot be read' kmeans -k 2 -e 1 --bounds-file real.csv --bounds-receipt nothing.json rows.csv
finish

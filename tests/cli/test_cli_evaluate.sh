#!/usr/bin/env bash
# evaluate and assign against the same sums written in Python; and model files
# that are damaged, hostile, or not models.
set -u
. "$(dirname "$(realpath "$0")")/lib.sh"

cat >naive.py <<'P'
"""naive.py MODEL CSV COST LABELS [COLUMN...]: the definition, row by row."""
import csv, json, math, sys
model = json.load(open(sys.argv[1]))
rows = [[float(x) for x in r] for r in csv.reader(open(sys.argv[2]))
        if not r[0].isalpha()]
columns = [int(c) for c in sys.argv[5:]]
if columns:
    rows = [[r[c] for c in columns] for r in rows]
q, d = model["parameters"], model["dimension"]
low, high = [0.0] * d, [1.0] * d
if q.get("normalize"):
    low, high = q["bounds"]["lower"], q["bounds"]["upper"]
    low, high = (v * d if len(v) == 1 else v for v in (low, high))
unit = lambda x: [(v - a) / (b - a) for v, a, b in zip(x, low, high)]
centers = [unit(c) for c in model["centers"]]
cost, labels = [], []
for row in rows:
    x = unit(row)
    near = [math.fsum((a - b) ** 2 for a, b in zip(x, c)) for c in centers]
    labels.append(near.index(min(near)))
    cost.append(min(near) if model["kind"] == "kmeans" else math.sqrt(min(near)))
said = json.load(open(sys.argv[3]))
assert list(said)[:5] == ["private", "rows", "cost", "cost_per_row", "objective"]
assert said["private"] is False and said["rows"] == len(rows)
total = math.fsum(cost)
assert abs(said["cost"] - total) <= 1e-9 * total, (said["cost"], total)
assert abs(said["cost_per_row"] - total / len(rows)) <= 1e-9 * total
assert said["objective"] == model["kind"]
assert said.get("units") == ("normalized" if q.get("normalize") else None)
assert [int(x) for x in open(sys.argv[4])] == labels
assert len(set(labels)) > 1, "a test with one label shows little"
P
agree() { # MODEL CSV [COLUMN...]
    run 0 evaluate "$1" "$2" -o cost.json
    said 'NOT private'
    run 0 assign -o labels.txt "$1" "$2"
    said 'NOT private'
    check "agrees with the definition: $*" "$PYTHON" naive.py "$1" "$2" cost.json labels.txt "${@:3}"
    run 0 evaluate "$1" "$2" --threads 1
    same "$OUT" cost.json
    run 0 assign "$1" "$2" --threads 3
    same "$OUT" labels.txt
}

# ---- agreement -------------------------------------------------------------
"$KITH" generate gaussians --rows 700 --dimension 3 -k 4 --spread 0.1 -o rows.csv
run 0 kmeans -k 4 --non-private --bounds -1:1 -o m.json rows.csv
agree m.json rows.csv
# Rows are not clipped here: far outside of the bounds costs what it costs.
(cat rows.csv; echo 50,-70,90) >far.csv
agree m.json far.csv
# The sum of the shards is the whole.
head -n 300 rows.csv >s1.csv
tail -n +301 rows.csv | gzip >s2.csv.gz
run 0 evaluate m.json s1.csv s2.csv.gz
python "shards" "$OUT" <<P
import json, subprocess, sys
a = json.load(open(sys.argv[1]))
b = json.loads(subprocess.run(["$KITH", "evaluate", "m.json", "rows.csv"],
                              capture_output=True).stdout)
assert a["rows"] == b["rows"] == 700
assert abs(a["cost"] - b["cost"]) <= 1e-12 * b["cost"]
P
run 0 assign m.json s1.csv s2.csv.gz
cp "$OUT" l1.txt
run 0 assign m.json --format csv - <rows.csv
same "$OUT" l1.txt
# Normalised units and recorded columns.
"$PYTHON" - <<'P'
import random
random.seed(1)
with open("units.csv", "w") as f:
    f.write("age,id,pay\n")
    for i in range(300):
        g = i % 3
        f.write("%.3f,%d,%.2f\n" % (20 + 25 * g + random.gauss(0, 3), i,
                                    9e4 - 3e4 * g + random.gauss(0, 3e3)))
P
printf '0,100\n0,100000\n' >b.csv
run 0 kmeans -k 3 --non-private --normalize --bounds-file b.csv --columns age,pay -o n.json units.csv
agree n.json units.csv 0 2
run 0 kmeans -k 3 --non-private --bounds-file b.csv --columns age,pay -o n.json units.csv
agree n.json units.csv 0 2
refuse 4 'rows.csv' evaluate n.json rows.csv
# A k-median model: distances, not squares.
sed 's/"kmeans"/"kmedian"/' m.json >median.json
agree median.json rows.csv
# Ties go to the lowest number.
echo '{"kith":1,"kind":"kmeans","k":3,"dimension":1,"centers":[[1],[-1],[1]]}' >tie.json
printf '0\n5\n-5\n' >tie.csv
run 0 assign tie.json tie.csv
check "ties" [ "$(tr '\n' ' ' <"$OUT")" = "0 0 1 " ]
# Sparse rows against the same rows written out.
"$KITH" generate sparse --rows 80 --dimension 60 -k 3 --sparsity 6 -o t.svm
run 0 kmeans -k 3 --non-private --radius 1 --dimension 60 -o t.json t.svm
"$PYTHON" - <<'P'
for line in open("t.svm"):
    row = ["0"] * 60
    for pair in line.split()[1:]:
        i, v = pair.split(":")
        row[int(i) - 1] = v
    print(",".join(row), file=open("t.csv", "a"))
P
agree t.json t.csv
cp labels.txt dense.txt
run 0 assign t.json t.svm
same "$OUT" dense.txt
run 0 evaluate t.json t.svm
check "sparse cost" "$PYTHON" -c "
import json
a, b = (json.load(open(f)) for f in ('cost.json', '$OUT'))
assert abs(a['cost'] - b['cost']) < 1e-9 * a['cost'] and a['rows'] == b['rows']"

# ---- usage -----------------------------------------------------------------
refuse 2 'MODEL' evaluate
refuse 2 'MODEL' evaluate m.json
refuse 2 'MODEL' assign m.json
refuse 2 'the model has 3' evaluate m.json rows.csv --dimension 4
refuse 2 'is an input' assign m.json rows.csv -o m.json
refuse 2 'is an input' evaluate m.json rows.csv -o rows.csv
refuse 2 'unknown option --epsilon' evaluate m.json rows.csv --epsilon 1
refuse 4 'absent.csv' evaluate m.json absent.csv
printf '1,2\n' >two.csv
refuse 4 'two.csv' evaluate m.json two.csv
refuse 4 'two.csv' assign m.json two.csv -o l.txt
check "no labels" [ ! -e l.txt ]
printf '1e300,1e300,1e300\n' >huge.csv
"$KITH" evaluate m.json huge.csv >"$OUT" 2>"$ERR"
check "a cost that is no number is refused" [ $? -eq 4 ]

# ---- files that are no models: exit 4, the file is named -------------------
hostile() { # PATTERN TEXT
    printf '%s' "$2" >bad.json
    refuse 4 "bad.json.*$1" evaluate bad.json rows.csv
    refuse 4 "bad.json.*$1" assign bad.json rows.csv
}
H='{"kith":1,"kind":"kmeans","k":1,"dimension":3'
hostile 'not JSON' ''
hostile 'not JSON' '{"kith":1'
hostile 'not JSON' 'age,7177.25,secret'
check "the file is not quoted" sh -c "! grep -Eq '7177|secret' '$ERR'"
hostile 'not JSON' "$(printf '[%.0s' $(seq 5000))"
hostile "no field 'kith'" '[]'
hostile "no field 'kith'" '{}'
hostile "no field 'kith'" '{"kith":"1"}'
hostile 'newer' '{"kith":2}'
hostile 'kind' '{"kith":1}'
hostile 'kind' '{"kith":1,"kind":"spectral"}'
hostile 'kind' '{"kith":1,"kind":7}'
for k in 0 -1 1.0 '"1"' null 99999999999 ; do
    hostile "'k'" "{\"kith\":1,\"kind\":\"kmeans\",\"k\":$k,\"dimension\":3,\"centers\":[[1,2,3]]}"
    hostile "'k'" "{\"kith\":1,\"kind\":\"kmeans\",\"k\":1,\"dimension\":$k,\"centers\":[[1,2,3]]}"
done
hostile 'not JSON' "$H,\"k\":1,\"centers\":[[1,2,3]]}" # a field twice
hostile centers "$H}"
hostile centers "$H,\"centers\":{}}"
hostile centers "$H,\"centers\":[]}"
hostile centers "$H,\"centers\":[[1,2,3],[1,2,3]]}"
hostile centers "$H,\"centers\":[[1,2]]}"
hostile centers "$H,\"centers\":[[1,2,\"3\"]]}"
hostile centers "$H,\"centers\":[[1,2,null]]}"
hostile centers "$H,\"centers\":[7]}"
hostile centers '{"kith":1,"kind":"kmeans","k":4294967295,"dimension":4294967295,"centers":[[1]]}'
hostile 'not JSON' "$H,\"centers\":[[1,2,1e999]]}"
hostile 'not JSON' "$H,\"centers\":[[1,2,NaN]]}"
C="$H,\"centers\":[[1,2,3]]"
hostile weights "$C,\"weights\":[1,2]}"
hostile weights "$C,\"weights\":[\"x\"]}"
hostile parameters "$C,\"parameters\":[]}"
hostile normalize "$C,\"parameters\":{\"normalize\":1}}"
hostile normalize "$C,\"parameters\":{\"normalize\":true}}"
hostile normalize "$C,\"parameters\":{\"normalize\":true,\"bounds\":{\"lower\":[0,0],\"upper\":[1]}}}"
hostile bounds "$C,\"parameters\":{\"normalize\":true,\"bounds\":{\"lower\":[1],\"upper\":[1]}}}"
hostile columns "$C,\"parameters\":{\"columns\":[\"a\"]}}"
hostile columns "$C,\"parameters\":{\"columns\":[\"a\",\"b\",3]}}"
hostile columns "$C,\"parameters\":{\"columns\":\"abc\"}}"
refuse 4 'absent.json' evaluate absent.json rows.csv
mkdir folder
refuse 4 'folder.*directory' evaluate folder rows.csv
refuse 4 '/dev/zero' evaluate /dev/zero rows.csv
printf '%s' "$C}" >least.json
run 0 evaluate least.json rows.csv

# ---- rows that were left out; rows of another shape ------------------------
printf '0.1,0.2\n0.3,\n0.9,0.8\n' >gap.csv
printf '0.1,0.2,0.3\n' >three.csv
"$KITH" kmeans -k 2 -e 1 --bounds 0:1 --missing drop --quiet -o gap.json gap.csv 2>"$ERR"
run 0 assign gap.json --missing drop gap.csv
said 'left out have no label'
refuse 4 'has 3 columns, not the 2 that the model' evaluate gap.json three.csv
refuse 4 'has 3 columns, not the 2 that the model' assign gap.json three.csv
finish

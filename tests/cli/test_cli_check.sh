#!/usr/bin/env bash
# kith check against a count in Python; what it says of delimiters.
set -u
. "$(dirname "$0")/lib.sh"

"$PYTHON" - <<'P'
import random
random.seed(3)
with open("rows.csv", "w") as f:
    f.write("a,b\n")
    for i in range(3000):
        f.write("%s,%.6f\n" % ("NA" if i % 50 == 7 else "%.6f" % random.gauss(0, 1), random.gauss(5, 2)))
P
printf 'name,lo,hi\nb,2,8\na,-1.5,1\n' >bounds.csv
run 0 check --bounds-file bounds.csv --radius 6 --center 1 rows.csv
said 'NOT private'
said 'more than 1 % of the rows are clipped'
python "the same counts" "$OUT" <<'P'
import csv, json, sys
out = json.load(open(sys.argv[1]))
rows = list(csv.DictReader(open("rows.csv")))
full = [(float(r["b"]), float(r["a"])) for r in rows if r["a"] != "NA"]
box = [(2, 8), (-1.5, 1)]
clip = [[min(max(v, lo), hi) for v, (lo, hi) in zip(r, box)] for r in full]
beyond = [sum((v - 1) ** 2 for v in r) > 36 for r in clip]
outside = [any(v < lo or v > hi for v, (lo, hi) in zip(r, box)) for r in full]
assert out["private"] is False and out["rows"] == 3000 and out["dimension"] == 2
assert out["rows_with_missing_values"] == 3000 - len(full) == 60
assert out["rows_outside_ball"] == sum(beyond) > 10
assert out["rows_clipped"] == sum(a or b for a, b in zip(outside, beyond))
for i, name in enumerate(["b", "a"]):
    f = out["features"][i]
    assert f["feature"] == name
    assert f["below"] == sum(r[i] < box[i][0] for r in full) > 0
    assert f["above"] == sum(r[i] > box[i][1] for r in full) > 0
P
run 0 check --bounds -100:100 --quiet rows.csv
check "names of the header" sh -c 'grep -q "\"feature\": \"a\"" "$0" && grep -q "\"feature\": \"b\"" "$0"' "$OUT"
check "quiet" [ ! -s "$ERR" ]
check "nothing clipped" grep -q '"rows_clipped": 0' "$OUT"
check "what stands between values" grep -q '"separator": ","' "$OUT"
printf 'who,a\nx,1\ny,2\nx,3\nx,NA\n' >people.csv
run 0 check --bounds 0:9 --user-column who people.csv
check "people" grep -q '"people": 2' "$OUT"
check "rows of one" grep -q '"most_rows_of_one_person": 2' "$OUT"
said '2 people have complete rows, 2 at most'
printf 'a\n1\n?\n' >marks.csv
run 4 check --bounds 0:9 marks.csv
said 'line 3: column 1 .*--missing-values'
run 0 check --bounds 0:9 --missing-values '?' marks.csv
printf '1,5;2,5\n3,5;4,5\n' >german.csv
run 4 check --bounds 0:9 german.csv
said "try --delimiter ';'"
run 0 check --bounds 0:9 --delimiter ';' --decimal , german.csv
check "semicolons" grep -q '"separator": ";"' "$OUT"
check "two features" grep -q '"dimension": 2' "$OUT"
printf '1;2\n3;4\n' >semi.csv
run 4 check --bounds 0:9 --no-header semi.csv
said "try --delimiter ';'"
printf '1\t2\n3\t4\n' >tab.csv
run 4 check --bounds 0:9 --no-header tab.csv
said "try --delimiter tab"
refuse 2 'bounds are required' check rows.csv
refuse 2 'no input' check --bounds 0:1
refuse 2 'are one file' check --bounds 0:1 rows.csv ./rows.csv
printf '0,1\n' >one.csv
refuse 2 'for 1 features, the data has 2' check --bounds-file one.csv rows.csv
printf '0,1\n0,1\n0,1\n' >three.csv
refuse 2 'for 3 features, the data has 2' check --bounds-file three.csv rows.csv
finish

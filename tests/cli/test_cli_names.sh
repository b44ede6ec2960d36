#!/usr/bin/env bash
# Features keep their names: bounds by name, names in models and centres,
# evaluate and assign by name; delimiters, decimal commas, words for "no value".
set -u
. "$(dirname "$0")/lib.sh"

"$PYTHON" - <<'P'
import random
random.seed(5)
rows = [(random.gauss(20 + 40 * (i % 2), 2), random.gauss(150 - 40 * (i % 2), 3)) for i in range(600)]
def write(name, lines, head):
    with open(name, "w") as f:
        f.write("\n".join([head] + lines) + "\n")
write("plain.csv", ["%.6f,%.6f" % r for r in rows], "age,pressure")
write("turned.csv", ["%.6f,w%d,%.6f" % (b, i, a) for i, (a, b) in enumerate(rows)], "pressure,id,age")
write("german.csv", [("%.6f;%.6f" % r).replace(".", ",") for r in rows], "age;pressure")
write("bar.csv", ["%.6f|%.6f" % r for r in rows], "age|pressure")
write("other.csv", ["%.6f,%.6f" % r for r in rows], "age,weight")
with open("headless.csv", "w") as f:
    f.write("".join("%.6f,%.6f\n" % r for r in rows))
P
printf 'name,lo,hi\npressure,60,220\nage , 0, 120\n' >named.csv
printf 'lo,hi\n0,120\n60,220\n' >order.csv
M="kmeans -k 2 -e 2 --delta 1e-6 --insecure-seed 7 --quiet"
centers() { # the centres of a model by name of the feature
    "$PYTHON" -c '
import json, sys
m = json.load(open(sys.argv[1]))
names = m["parameters"]["columns"]
print(sorted(sorted((n, round(v, 9)) for n, v in zip(names, c)) for c in m["centers"]))' "$1"
}

# ---- names in the model and in the centres ----------------------------------
run 0 $M --bounds-file order.csv -o m.json --centers c.csv plain.csv
check "names in the model" grep -q '"columns": \["age", "pressure"\]' m.json
check "names in the centres" [ "$(head -n 1 c.csv)" = age,pressure ]
check "three lines" [ "$(wc -l <c.csv)" = 3 ]
run 0 $M --bounds-file order.csv --columns 1,2 -o m2.json plain.csv
check "numbers of named columns" grep -q '"columns": \["age", "pressure"\]' m2.json
run 0 $M --bounds-file order.csv -o h.json --centers hc.csv headless.csv
check "no names" grep -q '"columns": null' h.json
check "two lines" [ "$(wc -l <hc.csv)" = 2 ]
# A first line that could be a row, or that tells nothing apart, names nothing.
for head in 'age,NA' 'age,age' 'age,3' 'age,'; do
    (echo "$head"; cat headless.csv) >odd.csv
    run 0 $M --bounds-file order.csv --header -o odd.json odd.csv
    check "no names from $head" grep -q '"columns": null' odd.json
done
(printf 'age,\xff\n'; cat headless.csv) >odd.csv
run 0 $M --bounds-file order.csv --header -o odd.json odd.csv
check "no names that are not UTF-8" grep -q '"columns": null' odd.json
refuse 2 'not UTF-8' $M --bounds-file order.csv --columns $'age,\xff' odd.csv

# ---- bounds by name ----------------------------------------------------------
run 0 $M --bounds-file named.csv -o n.json plain.csv
check "the file says the order" grep -q '"columns": \["pressure", "age"\]' n.json
run 0 $M --bounds-file named.csv -o t.json turned.csv
check "same centres wherever the columns stand" [ "$(centers n.json)" = "$(centers t.json)" ]
run 0 $M --bounds-file named.csv --columns age,pressure -o n2.json turned.csv
check "same as in order" [ "$(centers n2.json)" = "$(centers m.json)" ]
refuse 4 'no column "pressure"' $M --bounds-file named.csv other.csv
refuse 4 'no column "pressure"' $M --bounds-file named.csv headless.csv
refuse 2 "no line for column 'id'" $M --bounds-file named.csv --columns age,id turned.csv
printf 'age,0,120\nage,0,1\n' >twice.csv
refuse 2 "two lines are for 'age'" $M --bounds-file twice.csv plain.csv
printf 'age,0,120\n0,1\n' >mixed.csv
refuse 4 'line 2: either every feature' $M --bounds-file mixed.csv plain.csv
printf 'age,0,120\npressure,?,?\n' >unknown.csv
refuse 4 'line 2: the bounds.*not found' $M --bounds-file unknown.csv plain.csv
printf 'name,lo,hi\n"pressure",60,220\n"age",0,120\n' >quoted.csv
run 0 $M --bounds-file quoted.csv -o q.json plain.csv
same q.json n.json
run 0 $M --bounds-file named.csv --dry-run --rows 600 nowhere.csv
check "the bounds file tells the dimension" grep -q '"dimension": 2' "$OUT"

# ---- a file whose values are not where they are thought to be ----------------
tr , ';' <plain.csv >semicolons.csv
refuse 4 "looks as if ';' stood between values: try --delimiter ';'" $M --bounds-file named.csv semicolons.csv
said 'has 1 column, fewer than the 2 that are wanted'
run 4 $M --bounds 0:300 semicolons.csv
said "looks as if ';' stood between values: try --delimiter ';'"
run 0 $M --bounds 0:300 --delimiter ';' --dry-run --rows 10 --dimension 2 semicolons.csv

# ---- evaluate and assign by name --------------------------------------------
run 0 evaluate --quiet m.json plain.csv
cp "$OUT" cost.json
run 0 evaluate --quiet m.json turned.csv
same "$OUT" cost.json
run 0 assign --quiet m.json plain.csv
cp "$OUT" labels.txt
run 0 assign --quiet m.json turned.csv
same "$OUT" labels.txt
refuse 4 'no column "pressure"' evaluate --quiet m.json other.csv
refuse 4 'no column "pressure"' assign --quiet m.json other.csv
refuse 4 'no column "age"' evaluate --quiet m.json headless.csv
run 0 evaluate --quiet m.json --columns 1,2 headless.csv
same "$OUT" cost.json
# The model's own names are matched, whatever their order; a mixture is refused.
run 0 evaluate --quiet m.json plain.csv
cp "$OUT" straight
run 0 evaluate --quiet m.json --columns pressure,age plain.csv
same "$OUT" straight
run 0 assign --quiet m.json plain.csv
cp "$OUT" straight
run 0 assign --quiet m.json --columns pressure,age plain.csv
same "$OUT" straight
sed '1s/age/years/' plain.csv >renamed.csv
run 0 assign --quiet m.json --columns years,pressure renamed.csv
same "$OUT" straight
for command in evaluate assign; do
    refuse 2 "'pressure' is feature 2 of the model and stands at place 1" \
        $command m.json --columns pressure,years renamed.csv
    # nor by number, where the header says which they are
    refuse 2 "column 2 .pressure. is feature 2 of the model and stands at place 1" \
        $command m.json --columns 2,1 plain.csv
    refuse 2 "is feature 2 of the model" $command m.json --columns 2,1 renamed.csv
    run 0 $command --quiet m.json --columns 1,2 plain.csv
    run 0 $command --quiet m.json --columns 2,1 headless.csv
done

# ---- a first line that is guessed to be names is published: said ------------
N=${M/ --quiet/}
run 0 $N --bounds-file order.csv -o g.json plain.csv
said 'first line has no number: it is taken for the names of the columns, which the model publishes'
for sure in --header '--columns age,pressure' --quiet; do
    # shellcheck disable=SC2086
    run 0 $N --bounds-file order.csv $sure -o g.json plain.csv
    check "no guess with $sure" sh -c "! grep -q 'has no number' '$ERR'"
done
run 0 $N --bounds-file named.csv -o g.json plain.csv
check "no guess with names in the bounds" sh -c "! grep -q 'has no number' '$ERR'"
run 0 $N --bounds-file order.csv -o g.json headless.csv
check "nothing was guessed" sh -c "! grep -q 'has no number' '$ERR'"

# ---- delimiters and decimal commas ------------------------------------------
run 0 $M --bounds-file order.csv --delimiter ';' --decimal , -o g.json german.csv
check "commas are points" [ "$(centers g.json)" = "$(centers m.json)" ]
check "in the model" grep -q '"delimiter": ";"' g.json
check "in the model" grep -q '"decimal": ","' g.json
run 0 $M --bounds-file order.csv --delimiter '|' -o b.json bar.csv
check "bars" [ "$(centers b.json)" = "$(centers m.json)" ]
tr '|' '\t' <bar.csv >tab.csv
for tab in tab '\t' $'\t'; do
    run 0 $M --bounds-file order.csv --delimiter "$tab" -o b.json tab.csv
done
refuse 2 'needs another character' $M --bounds-file order.csv --decimal , german.csv
refuse 2 'is none of' $M --bounds-file order.csv --delimiter x german.csv
refuse 2 'is neither' $M --bounds-file order.csv --decimal x german.csv
printf 'age;pressure\n1.234,5;70\n' >grouped.csv
refuse 4 'line 2: column 1 is not a number' $M --bounds-file order.csv --delimiter ';' \
    --decimal , grouped.csv
"$PYTHON" -c '
import struct
h = b"{\x27descr\x27: \x27<f8\x27, \x27fortran_order\x27: False, \x27shape\x27: (1, 2), }"
h += b" " * (117 - len(h)) + b"\n"
open("r.npy", "wb").write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(h)) + h + struct.pack("<2d", 1, 2))'
refuse 2 'are for csv and tsv' $M --bounds-file order.csv --delimiter ';' r.npy

# ---- words for "no value" ---------------------------------------------------
(cat plain.csv; printf '?,70\n.,70\n-999,70\n30,-999.0\n') >gaps.csv
V="--missing-values ?,.,-999"
refuse 4 'gaps.csv: line 602: column 1 is not a number' $M --bounds-file order.csv gaps.csv
refuse 4 'gaps.csv: line 602: column 1 has no value' $M --bounds-file order.csv $V gaps.csv
run 0 $M --bounds-file order.csv $V --missing drop -o v.json gaps.csv
check "rows without a value are left out" [ "$(centers v.json)" = "$(centers m.json)" ]
check "in the model" grep -q '"missing_values": \["?", ".", "-999"\]' v.json
# Where the number of rows is public a word may not change it.
R="--adjacency replace-one --header"
refuse 2 'changes the number of rows' $M --bounds-file order.csv $R $V --missing drop gaps.csv
refuse 4 'line 602: column 1 .*has no value' $M --bounds-file order.csv $R $V gaps.csv
finish

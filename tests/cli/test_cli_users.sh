#!/usr/bin/env bash
# --user-column: people instead of rows, in the model, the words, the ledger
# and on the report; whoever leaves takes no more than one row along.
set -u
. "$(dirname "$0")/lib.sh"

"$PYTHON" - <<'P'
import random
random.seed(8)
homes = [(-30, -30), (30, 30), (-30, 30)]
rows = []
for u in range(600):
    for _ in range(1 + u % 9):
        x, y = homes[u % 3]
        rows.append('"u, %d",%.4f,%.4f' % (u, random.gauss(x, 2), random.gauss(y, 2)))
rows += ["loud,%.4f,49" % (i / 100 - 25) for i in range(5000)]
random.shuffle(rows)
def write(name, lines, head=True):
    with open(name, "w") as f:
        f.write("".join(l + "\n" for l in (["who,x,y"] if head else []) + lines))
write("all.csv", rows)
write("a.csv", rows[3000:])
write("b.csv", rows[:3000])
write("quiet.csv", [r for r in rows if not r.startswith("loud")])
write("bare.csv", rows, head=False)
write("dup.csv", rows + [r for r in rows if r.startswith("loud")])
write("gap.csv", rows + [",1,1"])
P
M="kmeans -k 3 --bounds=-50:50 --quiet --user-column"
SEED="--insecure-seed 7"

# ---- the unit, in the model and in words ------------------------------------
run 0 $M who -e 1 --delta 1e-6 -o m.json all.csv
check "unit" grep -q '"unit": "user"' m.json
check "column" grep -q '"user_column": "who"' m.json
check "features" grep -q '"columns": \["x", "y"\]' m.json
run 0 kmeans -k 3 --bounds=-50:50 --user-column who -e 1 all.csv
said 'whether any one person is in the data, with all rows'
run 0 verify m.json
check "verify says it" grep -q 'any one person is in the data' "$OUT"
run 0 report m.json -o m.html
check "the page says it" grep -qi 'person' m.html
python "601 people, not 8,000 rows" m.json <<'P'
import json, sys
m = json.load(open(sys.argv[1]))
assert abs(sum(m["weights"]) - 601) < 400, m["weights"]
P

# ---- a plan speaks of people too, and prices what a run pays ------------------
for m in 1 5; do
    for method in auto lloyd; do
        people="kmeans -k 3 --method $method --bounds=-50:50 -e 1 --delta 1e-6 --user-column who --rows-per-user $m"
        run 0 $people --dry-run --rows 601 --dimension 2 --force -o plan.json all.csv
        said 'total loss of a person, with all rows: mu 0.236'
        run 0 $people --quiet --force -o run.json all.csv
        python "the plan of a run for people, $m rows of each, $method" plan.json run.json <<'P'
import json, sys
plan, run = (json.load(open(f)) for f in sys.argv[1:])
assert plan["rows"] == 601
for key in ("unit", "rows_per_user", "adjacency", "epsilon", "mu"):
    assert plan["privacy"].get(key) == run["privacy"].get(key), key
assert plan["privacy"]["unit"] == "user"
first = [m["privacy"]["releases"][0] for m in (plan, run)]
assert first[0] == first[1], first # scale, sensitivity and loss of a person
P
    done
done
run 0 subspace -k 2 -q 1 -e 1 --radius 50 --user-column who --dry-run --rows 601 --dimension 2 -o plane.json
check "planes too" grep -q '"unit": "user"' plane.json
run 0 kmedian -k 2 -e 1 --radius 50 --user-column who --dry-run --rows 601 --dimension 2 -o median.json
check "medians too" grep -q '"unit": "user"' median.json

# ---- the same for any order, shards and threads; a repeated row is one ------
run 0 $M who -e 1 $SEED -o one.json all.csv
run 0 $M who -e 1 $SEED --threads 3 -o two.json b.csv a.csv
same one.json two.json
run 0 $M who -e 1 $SEED -o dup.json dup.csv
same one.json dup.json
run 0 $M 1 --no-header -e 1 $SEED -o bare.json bare.csv
python "the same centres by number" one.json bare.json <<'P'
import json, sys
a, b = (json.load(open(f)) for f in sys.argv[1:])
assert a["centers"] == b["centers"] and b["parameters"]["user_column"] == "1"
P

# ---- evaluate and assign read the file as the model says ---------------------
for f in one bare; do
    data=all.csv
    [ "$f" = bare ] && data="--no-header bare.csv"
    run 0 evaluate "$f.json" $data
    check "all rows are there" grep -q '"rows": 7' "$OUT"
    run 0 assign "$f.json" $data
    check "a label for every row" [ "$(wc -l <"$OUT")" = "$(($(wc -l <bare.csv)))" ]
done

# ---- ids that are missing -----------------------------------------------------
refuse 4 'line [0-9]+: column 1 .*has no value' $M who --header -e 1 gap.csv
run 0 $M who -e 1 --missing drop $SEED -o drop.json gap.csv
python "left out" one.json drop.json <<'P'
import json, sys
a, b = (json.load(open(f)) for f in sys.argv[1:])
assert a["centers"] == b["centers"]
P

# ---- what makes no sense ------------------------------------------------------
refuse 4 'there is no column "whom"' $M whom -e 1 all.csv
refuse 2 'is no feature' $M who --columns who,x -e 1 all.csv
refuse 2 'for csv and tsv' $M 1 --format svm --dimension 2 -e 1 all.csv
refuse 2 'spill' $M who --spill . -e 1 all.csv
refuse 2 'UTF-8' $M "$(printf '\377')" -e 1 all.csv
run 0 $M who -e 1 --adjacency replace-one --header all.csv
check "unit" grep -q '"unit": "user"' "$OUT"

# ---- words: people, where they were rows ----------------------------------------
head -n 3 all.csv >few.csv
run 0 kmeans -k 3 --bounds=-50:50 --user-column who -e .1 $SEED --force -o few.json few.csv
said 'the number of people, .*more people or'
python "no word about rows" few.json <<'P'
import json, sys
words = " ".join(json.load(open(sys.argv[1]))["quality"]["words"])
assert "people" in words and "rows" not in words, words
P
run 0 report m.json -o m.html
check "sizes are people" grep -q 'How many people are near each centre' m.html
check "clusters of people" grep -q ' people</small>' m.html
run 0 verify m.json
check "people in the words of verify" grep -Eq 'person|people' "$OUT"

# ---- several rows of each person: a part of the budget each ---------------------
for mode in "" "--delta 1e-6"; do
    run 0 $M who -e 1 $mode --rows-per-user 4 --force -o four.json all.csv
    run 0 verify four.json
    "$PYTHON" "$KITH_SOURCE/tools/verify/kith_verify.py" four.json >second.txt || fail "kith_verify.py: four.json"
    python "people are counted, and both figures are a person's" four.json <<'P'
import json, sys
m = json.load(open(sys.argv[1]))
assert m["privacy"]["rows_per_user"] == 4 and m["privacy"]["unit"] == "user"
assert abs(sum(m["weights"]) - 601) < 600, m["weights"]
for r in m["privacy"]["releases"]:
    if "counts" in r["what"]:
        assert abs(r["sensitivity"]["value"] - 4) < 1e-9, r
P
    for wrong in 's/"rows_per_user": 4/"rows_per_user": 8/' 's/"rows_per_user": 4/"rows_per_user": 4.5/' \
        's/"rows_per_user": 4/"rows_per_user": 0/' 's/"unit": "user"/"unit": "row"/'; do
        sed "$wrong" four.json >wrong.json
        cmp -s four.json wrong.json && fail "nothing changed: $wrong"
        run 1 verify wrong.json
        "$PYTHON" "$KITH_SOURCE/tools/verify/kith_verify.py" wrong.json >second.txt
        test $? = 1 || fail "kith_verify.py holds: $wrong"
    done
done
run 0 $M who -e 1 --rows-per-user 1 $SEED --force -o first.json all.csv
python "one is the default" one.json first.json <<'P'
import json, sys
a, b = (json.load(open(f)) for f in sys.argv[1:])
assert a["centers"] == b["centers"] and "rows_per_user" not in b["privacy"]
P
refuse 2 'needs a --user-column' kmeans -k 3 --bounds=-50:50 --columns x,y --rows-per-user 2 -e 1 all.csv
refuse 2 'from 1 to 1000' $M who --rows-per-user 1001 -e 1 all.csv
refuse 2 "one row of each person" subspace -k 2 -q 1 --radius 60 --user-column who --rows-per-user 2 -e 1 --delta 1e-6 \
    --method sample-aggregate all.csv
refuse 2 "one device" local simulate -k 3 -e 1 --bounds=-50:50 --user-column who --rows-per-user 2 --header all.csv

# ---- an account for people takes people only ----------------------------------
run 0 budget create rows --ledger sqlite:l.db --new-ledger --dataset d --unit row --adjacency add-remove \
    -e 4 --delta 1e-6
run 0 budget create people --ledger sqlite:l.db --dataset d --unit user --adjacency add-remove -e 4 --delta 1e-6
refuse 3 'unit|user' $M who -e 1 --delta 1e-6 --ledger sqlite:l.db --account rows all.csv
refuse 3 'unit|row' kmeans -k 3 --bounds=-50:50 --columns x,y -e 1 --delta 1e-6 --ledger sqlite:l.db \
    --account people all.csv
run 0 $M who -e 1 --delta 1e-6 --ledger sqlite:l.db --account people -o paid.json all.csv
run 0 verify paid.json --ledger sqlite:l.db
run 0 $M who -e 1 --delta 1e-6 --rows-per-user 3 --ledger sqlite:l.db --account people -o paid3.json all.csv
run 0 verify paid3.json --ledger sqlite:l.db
check "several rows cost a person the same" [ "$("$KITH" budget history people --ledger sqlite:l.db |
    sed -n 's/.*charge .*mu^2 \([0-9.]*\).*/\1/p' | sort -u | wc -l)" = 1 ]
finish

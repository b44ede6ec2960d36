#!/usr/bin/env bash
# -k LO:HI and -k auto: the number of clusters is chosen inside one budget, from
# released values, and the model shows how.
set -u
. "$(dirname "$0")/lib.sh"

"$PYTHON" - <<'P'
import random
random.seed(4)
places = [(-40, -40), (-40, 40), (40, -40), (40, 40), (0, 0)]
with open("five.csv", "w") as f:
    f.write("x,y\n")
    for i in range(6000):
        f.write("%.3f,%.3f\n" % tuple(random.gauss(m, 2) for m in places[i % 5]))
with open("square.csv", "w") as f:
    f.write("x,y\n")
    for i in range(20000):
        f.write("%.3f,%.3f\n" % (random.uniform(-50, 50), random.uniform(-50, 50)))
with open("few.csv", "w") as f:
    f.write("x,y\n")
    for i in range(60):
        f.write("%.3f,%.3f\n" % (random.uniform(-50, 50), random.uniform(-50, 50)))
P
M="kmeans --bounds=-50:50 -e 1 --delta 1e-6"

# Seeds make it the same in every run: the noise is known to leave five.
for k in auto 3:9; do
    run 0 $M -k $k --insecure-seed 2 --seed 3 -o $k.json five.csv
    said 'k = 5 was chosen from [23] to (20|9)'
    python "five places, by the rule, within the budget" $k.json <<'P'
import json, math, sys
m = json.load(open(sys.argv[1]))
c, releases = m["choice_of_k"], m["privacy"]["releases"]
assert m["k"] == c["chosen"] == 5 and len(m["centers"]) == 5 and c["stable"], c
low, high = c["range"]
assert m["parameters"]["k"] == high and m["parameters"]["k_from"] == low
assert len(c["cost"]) == len(c["noise"]) == high - low + 1
cost = dict(zip(range(low, high + 1), c["cost"]))
assert all(cost[k] >= cost[k + 1] for k in range(low, high))
cost.update({low - 1: c["cost_before"], high + 1: c["cost_after"]}) # what decides at the ends
bend = {k: math.log(cost[k - 1] * cost[k + 1] / cost[k] ** 2) for k in range(low, high + 1)}
assert max(bend, key=bend.get) == 5, bend
mu = math.sqrt(sum(r["loss"]["mu"] ** 2 for r in releases))
assert m["privacy"]["mu"] * .999 < mu <= m["privacy"]["mu"] * (1 + 1e-12), mu
for once in "distances from the origin", "tree level 1,": # one summary, for both
    assert sum(r["what"].startswith(once) for r in releases) == 1, releases
P
done
# Little budget: all of it stands behind the choice, so eight places are seen.
"$KITH" generate gaussians --rows 20000 --dimension 10 -k 8 --seed 4 -o eight.csv 2>/dev/null
right=0
for s in 1 2 3 4 5 6; do
    run 0 kmeans --no-header --bounds=-1:1 -e .2 --delta 1e-6 -k 2:20 --insecure-seed $s -o eight$s.json eight.csv
    grep -q '"chosen": 8' eight$s.json && right=$((right + 1))
done
check "four of six, and $right" [ $right -ge 4 ]
run 0 $M -k auto -o paid.json five.csv
run 0 verify paid.json
run 0 report paid.json -o paid.html
run 0 evaluate paid.json five.csv

# ---- no clusters: the bend of a square is that of any even cloud ----------------
run 0 $M -k 2:9 --insecure-seed 5 -o square.json square.csv
said 'k = 4 .* weak: rows without clusters would look'
check "weak, and by the bend" grep -q '"stable": false' square.json
check "the rule that was used" grep -q '"rule": "largest bend of log cost"' square.json
run 0 report square.json -o square.html
check "the page says weak" grep -q 'The choice is weak' square.html

# ---- 60 rows of nothing: chosen by noise, and said so -------------------------
run 0 $M -k 2:12 --insecure-seed 5 -o few.json few.csv
check "a verdict" grep -Eq '"verdict": "(noise|doubtful)"' few.json

# ---- before spending, and what makes no sense --------------------------------
run 0 $M -k 2:9 --dry-run --rows 6000 --dimension 2 --quiet
for k in 5:5 9:2 0:4 2:1000 2:4:6 -2:3 a:b 2: :3; do
    refuse 2 '-k' $M "-k$k" five.csv
done
refuse 2 'auto' $M -k 2:5 --method lloyd five.csv
refuse 2 'private kmeans' kmeans --bounds=-50:50 -k auto --non-private five.csv
refuse 2 'private kmeans' kmedian --bounds=-50:50 -e 1 -k auto five.csv
refuse 2 'how many planes' subspace -q 1 -e 1 -k 2:4 five.csv
printf '0 1:1 3:1\n' >s.svm
refuse 2 'dense rows' $M -k 2:4 --dimension 3 s.svm
# The page shows the curve, and whether to believe it.
run 0 report auto.json -o page.html
check "section" grep -q '<h2>How many clusters</h2>' page.html
check "stable" grep -q 'The choice is stable' page.html
check "the chosen one is named" grep -q '>5 clusters, chosen<' page.html
check "a line for each number" [ "$(grep -c 'scope="row">[0-9]* clusters' page.html)" -eq 20 ]
check "and for those next to the range" [ "$(grep -Ec 'scope="row">(1 cluster|21 clusters), to compare' page.html)" -eq 2 ]
run 0 $M -k 3 --insecure-seed 2 -o given.json five.csv
run 0 report given.json -o page.html
check "nothing was chosen" [ "$(grep -c 'How many clusters' page.html)" -eq 0 ]
finish

#!/usr/bin/env bash
# An honest verdict in every run: results that are noise, centres on a bound,
# copies, too many clusters; --strict. Runs are seeded, so nothing here is left
# to chance.
set -u
. "$(dirname "$(realpath "$0")")/lib.sh"

verdict() { # WORD: of m.json, and "words" are what was said
    CHECKS=$((CHECKS + 1))
    "$PYTHON" - "$1" "$ERR" <<'P' || fail "verdict of $LAST"
import json, math, sys
q = json.load(open("m.json"))["quality"]
said = [line.split("warning: ", 1)[1].rstrip("\n") for line in open(sys.argv[2])
        if "warning: " in line and "seed" not in line]
assert q["verdict"] == sys.argv[1], q
assert q["words"] == said, (q["words"], said)
assert (q["verdict"] == "good") == (not q["words"]), q
P
}
quality() { # PYTHON EXPRESSION in q and m
    CHECKS=$((CHECKS + 1))
    "$PYTHON" -c "
import json
m = json.load(open('m.json')); q = m['quality']
assert $1, q" || fail "$1 in $LAST"
}
S="--insecure-seed 5 --quiet -o m.json"

# ---- two rows: noise, said, exit 0; --strict exits 1 after writing ---------
printf '0.1,0.2\n0.3,0.2\n' >two.csv
for method in auto lloyd balcan; do
    for mode in "" "--delta 1e-6"; do
        run 0 kmeans -k 2 -e 1 $mode --bounds 0:1 --no-header --method $method $S two.csv
        said 'cannot be told from none, so this result is noise'
        verdict noise
        quality 'q["rows"] < 4 * q["rows_sd"]'
    done
done
rm m.json
run 1 kmeans -k 2 -e 1 --bounds 0:1 --no-header --strict $S two.csv
said 'strict: the result was written, and it is noise'

check "it was written" grep -q '"centers"' m.json

# ---- rows counted twice: the noise of both counts together ----------------
# 200 rows are six deviations of what both say, and three of the first count.
awk 'BEGIN { for (i = 0; i < 200; i++) print i % 7 "," i % 11 }' >rows200.csv
run 0 kmeans -k 1 -e 1 --delta 1e-6 --bounds 0:10 --no-header --strict $S rows200.csv
verdict good
python "the noise of joined counts" <<'P'
import json
m = json.load(open("m.json"))
sds = [r["scale"] for r in m["privacy"]["releases"] if "row counts" in r["what"]]
joined = sum(s ** -2 for s in sds) ** -.5
assert len(sds) == 2 and abs(m["quality"]["rows_sd"] / joined - 1) < 1e-9, (sds, m["quality"])
P
run 0 kmeans -k 1 -e 1 --delta 1e-6 --bounds 0:10 --no-header $S two.csv
said 'number of rows, at most [0-9.]+, has noise of'

# ---- what it costs: expected, and exact ------------------------------------
costs() { # FILE: the expected cost of m.json is right within three deviations
    run 0 evaluate m.json "$1" --quiet
    CHECKS=$((CHECKS + 1))
    "$PYTHON" - "$OUT" <<'P' || fail "expected cost of $LAST"
import json, sys
q, exact = json.load(open("m.json"))["quality"], json.load(open(sys.argv[1]))["cost"]
if q["cost"] is None and len(json.load(open("m.json"))["centers"]) >= 5: # moved far, or split places
    sys.exit()
assert abs(q["cost"] - exact) < 3 * q["cost_sd"] and q["cost_sd"] < .45 * q["cost"], (q, exact)
P
}
"$KITH" generate gaussians --rows 20000 --dimension 6 -k 5 --seed 3 -o g.csv 2>/dev/null
for k in 2 4 5 12; do
    for mode in "" "--delta 1e-6"; do
        for more in "" "--bounds -1:3 --normalize"; do
            bounds=${more:---bounds -1:1}
            # shellcheck disable=SC2086
            run 0 kmeans -k $k -e 1 $mode $bounds $S --force --no-header g.csv
            costs g.csv
        done
    done
done
run 0 kmeans -k 5 -e 1 --delta 1e-6 --bounds -1:1 --insecure-seed 1 --force -o m.json --no-header g.csv
said 'expected cost: about [0-9.]*, give or take'
run 0 report m.json -o m.html
check "the page has it" grep -q 'the expected cost is' m.html
for other in "kmeans --method lloyd" "kmeans --method balcan" kmedian; do
    run 0 $other -k 5 -e 1 --delta 1e-6 --bounds -1:1 $S --force --no-header g.csv
    quality 'q["cost"] is None and q["cost_sd"] is None'
done

# ---- good data, right and wrong order of the bounds ------------------------
awk 'BEGIN { print "age,systolic"; for (i = 0; i < 30000; i++) { g = i % 3
    print 25 + 20*g + i % 10 "," 115 + 12*g + int(i/3) % 15 } }' >visits.csv
printf '0,110\n60,220\n' >right.csv
printf '60,220\n0,110\n' >wrong.csv
for normalize in "" --normalize; do
    run 0 kmeans -k 3 -e 1 --delta 1e-6 --bounds-file right.csv $normalize --strict $S visits.csv
    verdict good
    quality 'q["limited_by"] in ("noise", "groups") and q["sensible_clusters"] >= 3'
    quality 'abs(q["rows"] - 30000) < 6 * q["rows_sd"] and 20 < q["rows_sd"] < 200'
    quality '0 < q["noise"] < 5 and 0 < q["weight_sd"] < 100'
    quality 'q["features_on_bound"] == [] and q["unsure_centers"] == 0'
    run 1 kmeans -k 3 -e 1 --delta 1e-6 --bounds-file wrong.csv $normalize --strict $S visits.csv
    said "same bound of .*'(age|systolic)'.*check the order of your bounds"
    verdict doubtful
    quality '2 in q["features_on_bound"] and q["verdict"] == "doubtful"'
done
# zeros are honest: all centres on a bound of 0
awk 'BEGIN { for (i = 0; i < 9000; i++) print i % 3, 0, 5 }' | tr ' ' , >zeros.csv
run 0 kmeans -k 3 -e 1 --delta 1e-6 --bounds 0:10 --no-header --strict $S zeros.csv
quality 'q["features_on_bound"] == []'
run 0 kmeans -k 3 -e 1 --delta 1e-6 --bounds 0:5 --no-header $S zeros.csv
quality 'q["features_on_bound"] == [3]'
said 'same bound of feature 3'

# ---- too many clusters: the reason is the one that binds -------------------
run 0 kmeans -k 50 -e 0.2 --bounds 0:10 --no-header --method lloyd $S zeros.csv
said 'at most .* sense \(-k'
quality 'q["sensible_clusters"] < 50 and q["verdict"] == "doubtful"'
quality 'q["limited_by"] == "noise" and m["sensible_clusters"] == q["sensible_clusters"]'
said 'quarter of the bound'
run 0 kmeans -k 20 -e 5 --bounds 0:10 --no-header $S zeros.csv
quality 'q["limited_by"] in ("groups", "noise")'
awk 'BEGIN { for (i = 0; i < 60; i++) print i % 3 }' >few.csv
run 0 kmeans -k 100 -e 8 --bounds 0:10 --no-header --method lloyd $S few.csv
quality 'q["limited_by"] == "rows" if q["sensible_clusters"] > 30 else True'

# ---- copies: centres and planes --------------------------------------------
run 0 kmeans -k 8 --non-private --bounds 0:10 --no-header --quiet -o m.json zeros.csv
said 'only 3 of the 8 centres differ: the rows are no more different'
check "no quality without privacy" sh -c '! grep -q quality m.json'
"$KITH" generate subspaces --rows 320 --dimension 50 -k 5 -q 3 --seed 3 -o faces.csv
run 0 subspace -k 5 -q 3 -e 1 --radius 1 $S faces.csv
said 'only 1 of the 5 planes differ'
verdict noise
quality 'q["distinct"] == 1 and q["noise_angle"] > .5'
# an angle of a direction, and never more than a right one
quality '"by about %.2g radians" % min(q["noise_angle"] / 3 ** .5, 1.5707963) in q["words"][0]'
quality 'q["noise_angle"] > 3' # which is none
run 0 report m.json -o m.html
check "degrees of a direction" grep -q 'cluster by about 90 degrees' m.html
python "five equal planes" <<'P'
import json
planes = json.load(open("m.json"))["bases"]
project = lambda u: [[sum(a * b for a, b in zip(r, s)) for s in u] for r in u]
first = project(planes[0])
for u in planes[1:]:
    p = project(u)
    assert max(abs(a - b) for r, s in zip(p, first) for a, b in zip(r, s)) < 1e-9
P
"$KITH" generate subspaces --rows 5000 --dimension 6 -k 3 -q 2 --seed 3 -o planes.csv
run 0 subspace -k 3 -q 2 -e 2 --delta 1e-6 --radius 1 --strict $S planes.csv
verdict good
quality 'q["distinct"] == 3 and q["noise_angle"] < .2'
run 0 subspace -k 3 -q 6 -e 2 --delta 1e-6 --radius 1 --method sulq $S planes.csv
quality 'q["distinct"] == 1' # the whole space, three times
finish

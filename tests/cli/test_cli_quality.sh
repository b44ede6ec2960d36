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
quality 'q["distinct"] == 1 and q["lost_directions"] == 15'
# an angle of a direction, and never more than a right one
quality '"by about %.2g radians" % q["noise_angle"] in q["words"][1]'
quality 'abs(q["noise_angle"] - 1.5707963) < 1e-6'
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
quality 'abs(q["rows"] - 5000) < 6 * q["rows_sd"] and 20 < q["rows_sd"] < 50'
quality 'q["lost_directions"] == 0'
run 0 subspace -k 3 -q 6 -e 2 --delta 1e-6 --radius 1 --method sulq $S planes.csv
quality 'q["distinct"] == 1' # the whole space, three times
quality 'q["noise_angle"] == 0 and q["lost_directions"] == 0'

# ---- planes of two rows: noise in every run, by rows and by directions ------
for seed in 1 2 3 4 5 6 7 8 9 10 11 12; do
    for how in "-k 1 --delta 1e-6" "-k 2" "-k 1 --scale clip" "-k 2 --scale clip" \
        "-k 1 --method sulq" "-k 2 --method sulq --delta 1e-6"; do
        # shellcheck disable=SC2086
        run 0 subspace -q 1 -e 1 $how --radius 10 --no-header --insecure-seed $seed --quiet --force \
            -o m.json two.csv
        verdict noise
        quality 'q["lost_directions"] * 2 > m["k"]'
        case $how in *sulq*) ;; *) quality 'q["rows"] < 4 * q["rows_sd"]' ;; esac
    done
done
# rows that were counted badly, in moments that were not: good
"$KITH" generate subspaces --rows 600 --dimension 3 -k 1 -q 1 --seed 3 -o line.csv
run 0 subspace -k 1 -q 1 -e 1 --radius 1 --strict $S --force line.csv
verdict good
quality 'q["rows"] < 4 * q["rows_sd"] and q["noise_angle"] < .05'
# half a plane: rows along a line, and nothing else that noise would not hide
awk 'BEGIN { srand(5); for (i = 0; i < 3000; i++) { z = i % 2 ? 1 : -1
    print z*.9 "," (rand()-.5)/50 "," (rand()-.5)/50 "," (rand()-.5)/50 } }' >rod.csv
run 1 subspace -k 1 -q 2 -e 1 --radius 1 --strict $S --force --no-header rod.csv
said '1 of the 2 directions of the planes cannot be told from noise'
verdict doubtful
quality 'q["lost_directions"] == 1 and q["noise_angle"] < .05'
# too little to look for clusters with, enough for the spread of all rows
run 1 subspace -k 3 -q 2 -e .04 --radius 1 --strict $S --force planes.csv
said 'too small to see clusters of rows: the 3 planes cover the spread of all rows'
verdict doubtful

# ---- noise of planes is read off what was released, or is not known ---------
# 0 was said for each of these, and "good".
run 1 subspace --method sulq -k 2 -q 2 -e 1 --delta 1e-6 --radius 1 --strict $S --force faces.csv
verdict noise
quality 'abs(q["noise_angle"] - 1.5707963) < 1e-6 and q["lost_directions"] == 4'
run 0 subspace --method sulq -k 3 -q 2 -e 8 --delta 1e-6 --radius 1 --strict $S --force planes.csv
verdict good
quality '0 < q["noise_angle"] < .1 and abs(q["rows"] - 5000) < 6 * q["rows_sd"]'
# sample-aggregate: the noise is what a matrix has beyond a projection
"$KITH" generate subspaces --rows 20000 --dimension 4 -k 1 -q 1 --seed 3 -o line4.csv
run 0 subspace --method sample-aggregate -k 1 -q 1 -e 8 --delta 1e-6 --radius 1 --strict $S --force line4.csv
verdict good
quality '0 < q["noise_angle"] < .1 and abs(q["rows"] - 20000) < 6 * q["rows_sd"]'
run 0 subspace --method sample-aggregate -k 1 -q 1 -e .3 --delta 1e-6 --radius 1 --ignore-conditions $S \
    --force --no-header rows200.csv
quality 'q["verdict"] == "noise" and q["noise_angle"] > 1.5'
for method in bingham mincost gibbs; do
    for more in "" "--adjacency replace-one"; do
        # shellcheck disable=SC2086
        run 1 subspace --method $method -k 2 -q 2 -e 1 --delta 1e-6 --radius 1 --rounds 5 --no-header $more --strict \
            $S --force planes.csv
        said 'how far noise turns the planes is not known'
        verdict doubtful
        quality 'q["noise_angle"] is None and q["lost_directions"] is None'
        quality 'q["rows"] == (5000 if m["privacy"]["adjacency"] == "replace-one" else None)'
        run 0 report m.json -o m.html
        check "the page does not know either" grep -q 'How far noise turned these planes is not known' m.html
        check "no degrees" sh -c '! grep -q "degrees" m.html'
    done
    run 0 subspace --method $method -k 2 -q 6 -e 1 --delta 1e-6 --radius 1 --rounds 5 $S --force planes.csv
    quality 'q["noise_angle"] == 0' # the whole space is not turned
done
finish

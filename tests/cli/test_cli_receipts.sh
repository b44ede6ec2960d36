#!/usr/bin/env bash
# Receipts with a pocket calculator: for every line of every method the loss is
# sensitivity over scale (0.6267 of it for a selection in Gaussian DP), the
# lines add up to no more than what was declared, no two have the same name,
# and sensitivities are the ones that a reader can work out from the bounds.
set -u
. "$(dirname "$(realpath "$0")")/lib.sh"

"$KITH" generate gaussians --rows 2000 --dimension 6 -k 3 --seed 3 -o rows.csv
"$KITH" generate gaussians --rows 4000 --dimension 30 -k 3 --seed 3 -o wide.csv
"$KITH" generate sparse --rows 3000 --dimension 200 -k 3 --sparsity 8 --seed 3 -o rows.svm
"$KITH" generate subspaces --rows 2000 --dimension 6 -k 2 -q 2 --seed 3 -o planes.csv

pocket() { # ARG...: kith ARG... and its model, by hand
    run 0 "$@" --quiet -o m.json
    python "the receipts of kith $*" "$*" <<'P'
import json, math, sys
m = json.load(open("m.json"))
p = m["privacy"]
pure = p["delta"] == 0
names, total = set(), 0
for r in p["releases"]:
    (unit, loss), = r["loss"].items()
    assert unit == ("epsilon" if pure else "mu"), r
    want = r["sensitivity"]["value"] / r["scale"]
    if not pure and r["mechanism"] == "exponential":
        want *= 0.6267
    assert 1 - 1e-3 < want / loss < 1 + 1e-3, (r, want)
    assert want <= loss * (1 + 1e-9) or r["mechanism"] == "exponential", (r, want)
    assert r["what"] not in names, r
    names.add(r["what"])
    total += loss if pure else loss ** 2
declared = p["epsilon"] if pure else p["mu"] ** 2
assert 0.9 * declared < total <= declared, (total, declared)
P
}
value() { # PATTERN VALUE: the sensitivity of releases with such names
    python "sensitivity of $1" "$1" "$2" <<'P'
import json, re, sys
found = [r for r in json.load(open("m.json"))["privacy"]["releases"]
         if re.search(sys.argv[1], r["what"])]
assert found
for r in found:
    assert abs(r["sensitivity"]["value"] / float(sys.argv[2]) - 1) < 1e-3, r
P
}

for mode in "-e 1" "-e 1 --delta 1e-6" "-e 1 --adjacency replace-one --no-header" \
    "-e 1 --delta 1e-6 --adjacency replace-one --no-header"; do
    twice=1
    case $mode in *replace*) twice=2 ;; esac
    for method in auto lloyd balcan; do
        pocket kmeans -k 3 $mode --bounds -1:1 --method $method rows.csv
        pocket kmeans -k 3 $mode --bounds 0:1 --radius 1 --sparsity 8 \
            --dimension 200 --method $method rows.svm
    done
    pocket kmeans -k 3 $mode --bounds -1:1 wide.csv
    for method in auto balcan; do
        pocket kmedian -k 3 $mode --bounds -1:1 --method $method --rounds 2 rows.csv
        # a unit vector, and a quarter for the inverse distance
        value 'pull sums' "$("$PYTHON" -c "print($twice * 17 ** .5 / 4)")"
    done
    pocket kmedian -k 3 $mode --bounds 0:1 --radius 1 --dimension 200 rows.svm
    # the diameter of the box
    pocket kmedian -k 3 $mode --bounds -1:1 --recovery sampling rows.csv
    value 'medians by sampling' "$("$PYTHON" -c "print($twice * 24 ** .5)")"
    for method in auto sulq gibbs mincost bingham; do
        pocket subspace -k 2 -q 2 $mode --radius 1 --method $method planes.csv
    done
done
# the choice of features says how many it makes
run 0 kmeans -k 3 -e 1 --bounds 0:1 --radius 1 --sparsity 8 --dimension 200 \
    --method balcan --quiet -o m.json rows.svm
python "picks" <<'P'
import json, re
lines = [r for r in json.load(open("m.json"))["privacy"]["releases"]
         if "features" in r["what"]]
assert lines
for r in lines:
    picks, = re.findall(r" (\d+) picks$", r["what"])
    assert int(picks) > 0 and r["mechanism"] == "permute-and-flip", r
P
finish

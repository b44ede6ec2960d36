#!/usr/bin/env bash
# --dry-run takes the real command line and says what a run then does: within
# 20 % of its releases and of its sensible clusters. (auto looks at rows on its
# way, so its plan assumes some: bench/plans.py measures that on real ones.)
set -u
. "$(dirname "$(realpath "$0")")/lib.sh"

"$KITH" generate gaussians --rows 8000 --dimension 6 -k 3 --seed 4 -o rows.csv 2>/dev/null
"$KITH" generate subspaces --rows 8000 --dimension 6 -k 3 -q 2 --seed 4 -o planes.csv 2>/dev/null

ROWS=8000 DIMENSION=6
alike() { # COMMAND...: run it, and plan it
    run 0 "$@" --no-header --insecure-seed 3 --quiet --force -o m.json
    run 0 "$@" --dry-run --rows $ROWS --dimension $DIMENSION --quiet --force -o p.json
    check "a plan leaves models alone" grep -q '"dry_run"' p.json
    CHECKS=$((CHECKS + 1))
    "$PYTHON" - <<'P' || fail "plan and run of $LAST"
import json
m, p = json.load(open("m.json")), json.load(open("p.json"))
run, plan = len(m["privacy"]["releases"]), len(p["privacy"]["releases"])
assert abs(plan / run - 1) <= .2, (plan, run)
run, plan = m["quality"].get("sensible_clusters"), p.get("sensible_clusters")
assert (run is None) == (plan is None), (plan, run)
assert run is None or abs(plan / run - 1) <= .2, (plan, run)
P
}
for budget in '-e 1 --delta 1e-6' '-e 0.2 --delta 1e-6' '-e 1' '-e 0.5'; do
    for adjacency in add-remove replace-one; do
        # shellcheck disable=SC2086
        for method in lloyd balcan auto; do
            alike kmeans -k 3 $budget --adjacency $adjacency --bounds -1:1 --method $method rows.csv
        done
        # shellcheck disable=SC2086
        alike kmedian -k 3 $budget --adjacency $adjacency --bounds -1:1 --method balcan rows.csv
        # shellcheck disable=SC2086
        alike subspace -k 3 -q 2 $budget --adjacency $adjacency --radius 1 planes.csv
    done
done
alike subspace -k 3 -q 2 -e 1 --delta 1e-6 --radius 1 --method sulq planes.csv

# auto in many features, where its axes are fewer than that.
ROWS=30000 DIMENSION=40
"$KITH" generate gaussians --rows $ROWS --dimension $DIMENSION -k 20 --seed 4 -o many.csv 2>/dev/null
for budget in '-e 1 --delta 1e-6' '-e 0.2 --delta 1e-6' '-e 1' '-e 5'; do
    # shellcheck disable=SC2086
    alike kmeans -k 10 $budget --bounds -1:1 many.csv
done

# The real command line: inputs need not be there, nothing is charged or kept.
printf 'name,lo,hi\na,511,551\nb,1000,1101\n' >b.csv
run 0 kmeans -k 3 -e 1 --delta 1e-6 --bounds-file b.csv --ledger sqlite:no.db --account a \
    --dry-run --rows 20000 -o plan.json nowhere.csv
check "two features by the bounds file" grep -q '"dimension": 2' plan.json
check "no ledger came of it" [ ! -e no.db ]
check "centres of a plan are on no bound" bash -c "! grep -q 'order of your bounds' '$ERR'"
cp m.json kept.json
run 0 kmeans -k 3 -e 1 --delta 1e-6 --bounds-file b.csv --dry-run --rows 9 -o m.json nowhere.csv
said 'm.json exists and is kept: the plan goes to standard output'
check "a plan does not take the place of a model" cmp -s m.json kept.json
run 0 kmeans -k 3 -e 1 --delta 1e-6 --bounds-file b.csv --dry-run --rows 2000 -o plan.json nowhere.csv
refuse 2 'rows N' kmeans -k 3 -e 1 --delta 1e-6 --bounds-file b.csv --dry-run nowhere.csv
finish

#!/usr/bin/env bash
# Sparse rows from the command line: a plan prices what a run on such a file
# releases, --sparsity counts entries that are not zero in dense rows too, and
# what public numbers rule out is refused before anything is spent.
set -u
. "$(dirname "$(realpath "$0")")/lib.sh"

"$KITH" generate sparse --rows 4000 --dimension 300 -k 3 --sparsity 8 --seed 2 -o rows.svm
SHAPE="--bounds 0:1 --radius 1 --sparsity 8 --dimension 300"

# ---- plans -----------------------------------------------------------------
for mode in "-e 1" "-e 1 --delta 1e-6" "-e 1 --delta 1e-6 --adjacency replace-one"; do
    for method in auto lloyd balcan; do
        run 0 kmeans -k 3 $mode $SHAPE --method $method --quiet -o run.json \
            --insecure-seed 6 rows.svm
        run 0 kmeans -k 3 $mode $SHAPE --method $method --quiet -o plan.json \
            --dry-run --rows 4000 --format svm
        run 0 kmeans -k 3 $mode $SHAPE --method $method --quiet -o dense.json \
            --dry-run --rows 4000
        python "the plan of $method $mode" $method <<'P'
import json, re, sys
def releases(name):
    return [(r["what"], r["mechanism"], r["sensitivity"], r["scale"], r["loss"])
            for r in json.load(open(name))["privacy"]["releases"]]
def names(list): # how many picks follows from the noisy number of rows
    return [(re.sub(r"\d+ picks$", "", r[0]), r[1], r[4]) for r in list]
run, plan, dense = map(releases, ("run.json", "plan.json", "dense.json"))
if sys.argv[1] == "auto": # it decides from what it has released
    assert run[0] == plan[0] and run[0][0] == "profile of all rows", (run[0], plan[0])
    assert dense[0] != plan[0]
elif sys.argv[1] == "balcan":
    assert names(run) == names(plan) != names(dense), (run, plan)
else:
    assert run == plan, [p for p in zip(run, plan) if p[0] != p[1]][:2]
P
    done
    run 0 kmedian -k 3 $mode $SHAPE --quiet --dry-run --rows 4000 --format svm -o plan.json
    check "a sparse plan" grep -q 'profile of all rows' plan.json
done

# ---- --sparsity of dense rows ----------------------------------------------
"$PYTHON" - <<'P'
for name, spot in (("hot.csv", 1), ("cold.csv", -3)):
    with open(name, "w") as f:
        for i in range(1000):
            f.write(",".join(str(spot if j == i % 10 else 0) for j in range(10)) + "\n")
P
for box in 0:1 -1:3; do
    run 0 kmeans --non-private -k 1 --bounds $box --sparsity 1 -o m.json hot.csv
    python "one-hot rows keep their entry, and nothing else" <<'P'
import json
c, = json.load(open("m.json"))["centers"]
assert all(abs(x - .1) < 1e-3 for x in c), c
P
done
run 0 kmeans --non-private -k 1 --bounds -3:-1 --sparsity 1 -o m.json cold.csv
python "0 outside of the box: the nearest bound" <<'P'
import json
c, = json.load(open("m.json"))["centers"]
assert all(abs(x + 1.2) < 1e-3 for x in c), c
P
refuse 2 'about 0' kmeans -k 1 -e 1 --radius 1 --center .5 --sparsity 1 hot.csv

# ---- refused before anything is spent --------------------------------------
refuse 2 'needs dense rows' kmedian -k 2 -e 1 $SHAPE --recovery sampling rows.svm
refuse 2 'needs dense rows' kmedian -k 2 -e 1 $SHAPE --recovery sampling \
    --dry-run --rows 10 --format svm

# ---- sparse end to end: memory for the entries, not for the features -------
"$PYTHON" - <<'P'
import random
random.seed(1)
with open("wide.svm", "w") as f:
    for i in range(1500):
        words = {random.randrange(i % 3 * 30, i % 3 * 30 + 30) if random.random() < .7
                 else random.randrange(200000) for _ in range(20)}
        f.write("0 " + " ".join("%d:%.3f" % (w + 1, random.uniform(.1, .3))
                                for w in sorted(words)) + "\n")
with open("single.svm", "w") as f:
    for i in range(100000):
        f.write("0 %d:1\n" % (random.randrange(600) + 1))
P
frugal() { # MB ARG...: kith ARG... within so much memory
    LAST="kith ${*:2}"
    python "within $1 MB: $LAST" "$KITH" "$@" <<'P'
import resource, subprocess, sys
program, most, *words = sys.argv[1:]
subprocess.run([program, *words, "--quiet", "--threads", "2"], check=True,
               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
assert used < float(most) or b"__asan_init" in open(program, "rb").read(), used
P
}
for delta in 0 1e-6; do
    A="-e 1 --delta $delta --radius 1"
    frugal 150 kmedian -k 3 $A --dimension 200000 -o m.json --force wide.svm
    python "sparse medians" <<'P'
import json
for c in json.load(open("m.json"))["centers"]:
    assert len(c) == 200000 and sum(x != 0 for x in c) <= 128
P
    frugal 150 kmedian -k 3 $A --method balcan --dimension 200000 wide.svm
    frugal 150 kmeans -k 3 $A --dimension 200000 wide.svm
    frugal 80 kmeans -k 3 $A --dimension 600 single.svm # 100,000 x 128 numbers
done

# ---- many centres: a start that takes no time ------------------------------
LAST="kith kmeans -k 4096 --dry-run"
check "a plan of 4096 centres in 100 dimensions" timeout 20 "$KITH" kmeans -k 4096 \
    -e 1 --bounds 0:1 --method lloyd --dry-run --rows 1000000 --dimension 100 \
    --quiet -o plan.json
finish

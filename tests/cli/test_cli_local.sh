#!/usr/bin/env bash
# kith local: the protocol in one process, plans, the lower bound.
set -u
. "$(dirname "$(realpath "$0")")/lib.sh"

"$KITH" generate gaussians --rows 20000 --dimension 2 -k 3 -o rows.csv
go() { # OUT ARG...
    local out=$1
    shift
    run 0 local simulate --no-header -k 3 -e 2 --radius 1 --insecure-seed 7 --quiet -o "$out" "$@"
}

# Every method: a model that evaluate and assign take, and whose account is
# right: nobody spends more than epsilon, everybody is asked once.
for mode in "--method auto" "--method one-round" "--method weighted-centers" \
    "--method mean" "--method weighted-centers --repetitions 2 --radii 2" \
    "--method weighted-centers --boxes" "--method weighted-centers --hash e2lsh" \
    "--method weighted-centers --delta 1e-6" \
    "--method weighted-centers --weights nearest" \
    "--method weighted-centers --split-epsilon" "--objective kmedian" "--law"; do
    go m.json $mode rows.csv
    python "the model of $mode" "$mode" <<'P'
import json, sys
m = json.load(open("m.json"))
p = m["privacy"]
mode = sys.argv[1]
assert m["kith"] == 1 and m["kind"] == ("kmedian" if "kmedian" in mode else "kmeans")
assert p["model"] == "local" and p["unit"] == "user" and p["guarantee"] == "none"
assert p["adjacency"] == "replace-one"
assert m["simulated"] == ("law" if "law" in mode else "reports")
assert 1 <= m["k"] <= 3 and len(m["centers"]) == m["k"] == len(m["weights"])
assert p["per_user"]["epsilon"] <= p["epsilon"] * (1 + 1e-9)
assert p["per_user"]["delta"] <= p["delta"] * (1 + 1e-9)
assert len(m["rounds"]) == m["parameters"]["rounds"]
assert sum(r["groups"] for r in m["rounds"]) == len(p["releases"])
if "split" in mode:
    assert all(r["loss"]["epsilon"] < 2 for r in p["releases"])
else:
    assert all(abs(r["loss"]["epsilon"] - 2) < 1e-12 for r in p["releases"])
    assert sum(r["share"] for r in p["releases"]) <= 1 + 1e-9
gauss = [r for r in p["releases"] if r["mechanism"] == "gaussian"]
assert bool(gauss) == ("delta" in mode) and all(r["loss"]["delta"] > 0 for r in gauss)
if not gauss and "split" not in mode:
    assert p["per_user"]["bytes"] <= 43
assert m["forecast"]["works"] in ("yes", "no", "doubtful")
P
    run 0 evaluate m.json rows.csv
    run 0 assign m.json rows.csv
done

# Threads and the order of options change nothing; seeds do.
go a.json --threads 1 rows.csv
go b.json rows.csv --threads 3
same a.json b.json
go c.json --seed 1 rows.csv
differ a.json c.json
run 0 local simulate --no-header -k 3 -e 2 --radius 1 --insecure-seed 8 --quiet -o c.json rows.csv
differ a.json c.json

# Secret coins: exact, and said so; the forecast comes before the model.
run 0 local simulate --no-header -k 3 -e 4 --radius 1 -o real.json --centers c.csv rows.csv
said 'forecast: noise will move'
said 'rounds; no user spends more than epsilon 4 or sends more than 41 bytes'
said 'guarantee: nothing that a user sends'
python "a real run is exact, and good" <<'P'
import json, math
m = json.load(open("real.json"))
assert m["privacy"]["guarantee"] == "exact"
rows = [[float(x) for x in r.split(",")] for r in open("c.csv")]
assert rows == m["centers"]
q = m["quality"]
assert q["verdict"] in ("good", "doubtful") and len(q["weight_sds"]) == m["k"]
mean = q["against_one_mean"]
assert mean["gain"] > 3 * mean["sd"] > 0 and not mean["lost"]
# Clusters are round here: a standard normal deviate (200 runs: .34 +- .99, at
# most 2.9). Chi squared of the 250 cells or more has passed 8 of its deviations
# with a chance below 1e-7 (Laurent and Massart); it was 6 in the middle when the
# noise that users themselves add was forgotten.
assert abs(q["misfit"]) < 8
# Nobody is elsewhere. Its standard deviation is that of a normal deviate (20
# seeds: root mean square .7), of which 8 have a chance below 1e-14.
assert abs(q["unexplained"]["share"]) < 8 * q["unexplained"]["sd"] < .3
last = q["last_question"]
names = [o["answer"] for o in last["others"]]
assert names[0] == "one mean" and last["won"] in names + [last["first"]]
assert all(o["sd"] > 0 for o in last["others"])
first = last["others"][0]
if last["won"] == last["first"]:
    assert abs(first["gain"] + mean["gain"]) < 1e-12
    margin = min(-o["gain"] / o["sd"] for o in last["others"])
    assert abs(last["margin"] - margin) < 1e-9
P
# Noise that leaves one mean is said, and how far it moves it.
head -n 1000 rows.csv >few.csv
run 0 local simulate --no-header -k 3 -e 0.1 --radius 1 --seed 1 --insecure-seed 1 \
    -o few.json few.csv
said 'only 1 of 3 centres could be told from noise'
said 'the answer is the mean of all users, which noise moves by about'
python "a mean that is noise has no good verdict" <<'P'
import json
m = json.load(open("few.json"))
q = m["quality"]
assert m["k"] == 1 and q["asked"] == 3 and q["verdict"] == "noise"
assert .25 < q["mean_error"] <= 1 and len(q["words"]) == 2
P
# One place: the mean is no noise, but it is not the three centres either.
awk 'BEGIN { for (i = 0; i < 5000; i++) printf "%.3f,%.3f,0.1\n", .3 + i % 10 / 500, i % 7 / 350 - .2 }' >place.csv
run 0 local simulate --no-header -k 3 -e 1 --radius 1 --seed 1 --insecure-seed 1 -o place.json place.csv
python "fewer centres than asked for are doubtful" <<'P'
import json
m = json.load(open("place.json"))
q = m["quality"]
assert m["k"] == 1 and q["verdict"] == "doubtful" and 0 < q["mean_error"] < .25
P
# A fifth of the users anywhere: said, and how many. (Seeded: the same each time.)
awk -F, 'BEGIN { srand(1) } NR % 5 { print; next }
    { print 1.4 * rand() - .7 "," 1.4 * rand() - .7 }' rows.csv >stray.csv
run 0 local simulate --no-header -k 3 -e 2 --radius 1 --law --insecure-seed 7 -o stray.json stray.csv
said 'are in none of 3 round clusters'
python "users whom no cluster explains" <<'P'
import json
u = json.load(open("stray.json"))["quality"]["unexplained"]
assert 4 * u["sd"] < u["share"] < .25, u
P
# A group that could miss its minimum is not asked: a service would wait for it.
for minimum in 50 500; do
    run 0 local create -k 3 -e 2 --dimension 2 --bounds=-1:1 --test \
        --minimum $minimum -o task$minimum.json
    run 0 local simulate --task task$minimum.json --insecure-seed 1 \
        --no-header -o asked$minimum.json rows.csv
done
grep -q 'which answer is nearer' asked50.json || fail "no last question"
! grep -q 'which answer is nearer' asked500.json ||
    fail "a last question that a service could wait for in vain"
run 0 kmeans --non-private -k 3 --radius 1 --starts 5 -o plain.json rows.csv
for m in real plain; do
    run 0 evaluate $m.json rows.csv
    cp "$OUT" $m.cost
done
python "close to a non-private run" <<'P'
import json
c = [json.load(open(m + ".cost"))["cost"] for m in ("real", "plain")]
assert c[0] < 3 * c[1], c
P
run 0 local simulate --no-header -k 3 -e 2 --radius 1 --law -o law.json rows.csv
said 'guarantee: none'
run 0 local simulate --no-header -k 3 -e 2 --radius 1 --progress always -o p.json rows.csv
said 'step 1 of'

# Noise can be too much, and it says so.
head -n 200 rows.csv >few.csv
run 0 local simulate --no-header -k 3 -e 0.5 --radius 1 -o few.json few.csv
said 'cannot work'

# Plans.
run 0 local plan --rows 100000 --dimension 2 -k 5 -e 1
cp "$OUT" plan.json
said 'forecast'
python "the plan" <<'P'
import json
p = json.load(open("plan.json"))
assert p["rows"] == 100000 and p["rounds"] >= 1 and p["bytes_per_user"] == 41
assert p["forecast"]["works"] == "yes"
chance = p["forecast"]["lost_cluster_chance"] * (p["forecast"]["trials"] + 1)
assert abs(chance % 1 - .5) < 1e-9 and .5 <= chance <= p["forecast"]["trials"] + .5
last = [g["share"] for g in p["groups"] if g["what"] == "which answer is nearer"]
assert p["groups"][-1]["share"] == last[-1] and 3 <= len(last) <= 12
assert abs(sum(last) - p["forecast"]["last_question"]["share"]) < 1e-9
assert .01 < p["forecast"]["last_question"]["sd"] < .1
assert 0 < p["forecast"]["center_error"] < .2 and 0 < p["trial_center_error"] < .5
assert sum(g["share"] for g in p["groups"]) <= 1 + 1e-9
P
run 0 local plan --rows 10000 --dimension 20 -k 5 -e 0.5 --method weighted-centers
said 'this cannot work'
run 0 local plan --rows 1000000000 --dimension 4 -k 2 -e 1 --quiet
check "quiet is quiet" [ ! -s "$ERR" ]
run 0 local plan --rows 1000 --dimension 1 -k 2 -e 4 --bounds 10:20 -o file.json
check "nothing on standard output" [ ! -s "$OUT" ]

# The lower bound.
run 0 local lower-bound -e 4 --rows 1000,3000 --sizes 0,0.25,24 --trials 8 --seed 3
cp "$OUT" bound.json
python "few are not seen, many are" <<'P'
import json
b = json.load(open("bound.json"))
assert b["users"] == [1000, 3000] and len(b["success"]) == 2
for zero, few, many in b["success"]:
    assert zero >= .5 and few <= .6 and many >= .6, b["success"]
P
run 0 local lower-bound -e 4 --rows 500 --sizes 0,8 --trials 2 --reports --quiet --method weighted-centers

# Mistakes.
refuse 2 'a command is needed' local
refuse 2 "unknown command 'sail'" local sail
refuse 2 'did you mean simulate' local simulat -k 2
refuse 2 'epsilon.*required' local simulate -k 2 --radius 1 rows.csv
refuse 2 'clusters.*required' local simulate -e 1 --radius 1 rows.csv
refuse 2 'public bounds are required' local simulate -k 2 -e 1 rows.csv
refuse 2 'no input file' local simulate -k 2 -e 1 --radius 1
refuse 2 'at most 20' local simulate -k 2 -e 20.5 --radius 1 rows.csv
refuse 2 'needs --method weighted-centers' local simulate -k 2 -e 1 --radius 1 --boxes rows.csv
refuse 2 "'lloyd' is not known" local simulate -k 2 -e 1 --radius 1 --method lloyd rows.csv
refuse 2 'required: how many users' local plan -k 2 -e 1
refuse 2 'reads no data' local plan -k 2 -e 1 --rows 10 --dimension 2 rows.csv
refuse 2 'list of numbers' local lower-bound -e 1 --sizes 1,x
refuse 2 'stops being vacuous at n = 10\^2' local simulate -k 5 -e 1 --radius 1 \
    --method weighted-centers --paper-constants --no-header rows.csv
refuse 4 'no such|nowhere' local simulate -k 2 -e 1 --radius 1 nowhere.csv
: >empty.csv
refuse 4 'no rows|empty|no users' local simulate -k 2 -e 1 --radius 1 --no-header empty.csv
check "no file is left" [ ! -e nowhere.json ]
run 0 local --help
run 0 local plan --help
finish

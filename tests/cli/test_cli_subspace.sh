#!/usr/bin/env bash
# kith subspace, and evaluate, assign and generate with planes: options and how
# they exclude each other, bad input, corners, plans, models of strangers.
set -u
. "$(dirname "$(realpath "$0")")/lib.sh"

run 0 generate subspaces --rows 1500 --dimension 6 -k 3 -q 2 --bases t.json \
    --labels l.txt -o x.csv
run 0 generate subspaces --rows 1500 --dimension 6 -k 3 -q 2 -o x.npy
S="subspace -k 3 -q 2 --radius 1"

# ---- the model, private and not ---------------------------------------------
run 0 $S -e 2 --delta 1e-6 x.csv
said 'guarantee: nothing that the model shows'
cp "$OUT" m.json
run 0 $S --non-private -o plain.json x.npy
said 'NOT private'
said 'guarantee: none'
check "standard output is empty" [ ! -s "$OUT" ]
python "models" <<'P'
import json
for name in "m.json", "plain.json", "t.json":
    m = json.load(open(name))
    assert m["kith"] == 1 and m["kind"] == "subspace"
    assert (m["k"], m["dimension"], m["subspace_dimension"]) == (3, 6, 2)
    assert "weights" not in m and "centers" not in m
    assert m["parameters"]["scale"] == "unit"
    for u in m["bases"]:
        assert len(u) == 6 and all(len(r) == 2 for r in u)
        for a in 0, 1:
            for b in 0, 1:
                s = sum(r[a] * r[b] for r in u)
                assert abs(s - (a == b)) < 1e-9, (name, s)
m = json.load(open("m.json"))
assert m["method"] == "auto" and m["privacy"]["guarantee"] == "exact"
losses = [r["loss"]["mu"] for r in m["privacy"]["releases"]]
assert losses and sum(x * x for x in losses) <= m["privacy"]["mu"] ** 2 * (1 + 1e-12)
m = json.load(open("plain.json"))
assert m["method"] == "non-private" and m["parameters"]["solver"] == "kplane"
assert m["privacy"] == {"model": "none", "guarantee": "none", "releases": []}
P
for solver in tsc tsc-components ssc lrr; do
    run 0 $S --non-private --solver $solver --quiet -o solver.json x.npy
    check "$solver is in the model" grep -q "\"solver\": \"$solver\"" solver.json
done
for threads in 1 3; do
    run 0 $S --non-private --threads $threads --quiet x.npy
    same "$OUT" plain.json
done
run 0 $S -e 1 --delta 1e-6 --insecure-seed 4 x.csv
said 'NOT private'
check "a seeded run guarantees nothing" grep -q '"guarantee": "none"' "$OUT"
cp "$OUT" seeded.json
run 0 $S -e 1 --delta 1e-6 --insecure-seed 4 --threads 1 x.csv
same "$OUT" seeded.json
run 0 $S -e 1 --delta 1e-6 --adjacency replace-one --no-header --scale clip x.csv
check "scale is in the model" grep -q '"scale": "clip"' "$OUT"
run 0 $S -e 4 --method sulq --rounds 2 x.csv
check "sulq is exact" grep -q '"guarantee": "exact"' "$OUT"
for method in bingham gibbs mincost; do
    run 0 $S -e 4 --method $method --rounds 3 --adjacency replace-one --no-header x.csv
    check "$method is in the model" grep -q "\"method\": \"$method\"" "$OUT"
    said 'guarantee: asymptotic'
    said 'the limit only'
    check "$method is asymptotic" grep -q '"guarantee": "asymptotic"' "$OUT"
    check "and says what that means" grep -q '"note": ".*limit' "$OUT"
done

run 0 $S -e 4 --method gibbs --rounds 8 --adjacency replace-one --no-header \
    --debug-diagnostics --quiet x.csv
said 'NOT private.*R-hat'
check "diagnostics void the guarantee" grep -q '"guarantee": "none"' "$OUT"
check "and stay out of the model" bash -c "! grep -qi 'rhat\|r-hat' '$OUT'"
run 0 $S -e 4 --method gibbs --rounds 3 --adjacency replace-one --no-header \
    --non-private-start x.csv
said 'NOT private'
check "so does the start" grep -q '"guarantee": "none"' "$OUT"
run 0 $S -e 4 --method gibbs --rounds 3 --adjacency replace-one --no-header --quiet \
    --non-private-start --solver tsc x.csv
check "the start's solver is in the model" grep -q '"solver": "tsc"' "$OUT"

# ---- evaluate and assign -----------------------------------------------------
run 0 evaluate t.json --reference plain.json x.csv
cp "$OUT" e.json
run 0 assign t.json x.csv
cp "$OUT" a.txt
same a.txt l.txt
run 0 assign t.json --threads 1 x.npy
same "$OUT" a.txt
python "cost, distance" <<'P'
import itertools, json
rows = [[float(v) for v in r.split(",")] for r in open("x.csv")]
planes = [list(zip(*u)) for u in json.load(open("t.json"))["bases"]]
others = [list(zip(*u)) for u in json.load(open("plain.json"))["bases"]]
def far(x, plane):
    rest = list(x)
    for axis in plane:
        c = sum(a * b for a, b in zip(x, axis))
        rest = [r - c * a for r, a in zip(rest, axis)]
    return sum(r * r for r in rest)
cost = sum(min(far(x, p) for p in planes) for x in rows)
said = json.load(open("e.json"))
assert said["private"] is False and said["objective"] == "subspace"
assert said["rows"] == 1500 and said["scale"] == "unit"
assert abs(said["cost"] - cost) < 1e-9 * cost
best = min(sum(far(axis, p) for p, o in zip(planes, order) for axis in o)
           for order in itertools.permutations(others)) ** 0.5
assert abs(said["d_W"] - best) < 1e-9 and best < 0.05, (said, best)
P
run 0 evaluate plain.json x.csv
check "no reference, no distance" bash -c "! grep -q d_W '$OUT'"
run 0 kmeans -k 3 -e 1 --radius 1 --quiet -o c.json x.csv
refuse 4 'c.json.*not a model of planes' evaluate t.json --reference c.json x.csv
refuse 2 'models of planes' evaluate c.json --reference t.json x.csv
refuse 4 'nowhere' evaluate t.json --reference nowhere.json x.csv
run 0 generate subspaces --rows 5 --dimension 6 -k 2 -q 2 --bases two.json -o y.csv
refuse 4 'two.json.*as many planes' evaluate t.json --reference two.json x.csv
run 0 generate subspaces --rows 5 --dimension 7 -k 2 -q 2 -o wide.csv
refuse 4 'wide.csv' evaluate t.json wide.csv
refuse 2 'reference' assign t.json --reference t.json x.csv

# Rows are scaled as the model says.
printf '3,0\n0,2\n0,0\n' >long.csv
M='{"kith":1,"kind":"subspace","k":1,"dimension":2,"subspace_dimension":1'
echo "$M,\"bases\":[[[1],[0]]],\"parameters\":{\"scale\":\"unit\"}}" >unit.json
echo "$M,\"bases\":[[[1],[0]]],\"parameters\":{\"scale\":\"clip\"}}" >clip.json
run 0 evaluate unit.json long.csv
check "unit rows" grep -q '"cost": 1.0,' "$OUT"
run 0 evaluate clip.json long.csv
check "rows as they are" grep -q '"cost": 4.0,' "$OUT"

# Models that others have made.
hostile() { # PATTERN JSON
    echo "$2" >bad.json
    refuse 4 "bad.json.*$1" evaluate bad.json long.csv
    refuse 4 "bad.json.*$1" assign bad.json long.csv
}
P='"parameters":{"scale":"unit"}}'
hostile orthonormal "$M,\"bases\":[[[1],[0.1]]],$P"
hostile orthonormal "$M,\"bases\":[[[0],[0]]],$P"
hostile orthonormal "$M,\"bases\":[[[1e300],[1e300]]],$P"
hostile bases "$M,$P"
hostile bases "$M,\"bases\":[[1,0]],$P"
hostile bases "$M,\"bases\":[[[1,0]]],$P"
hostile bases "$M,\"bases\":[[[1],[0],[0]]],$P"
hostile bases "$M,\"bases\":[[[1],[\"0\"]]],$P"
hostile bases "$M,\"bases\":[[[1],[null]]],$P"
hostile bases '{"kith":1,"kind":"subspace","k":4294967295,"dimension":4294967295,"subspace_dimension":4294967295,"bases":[]}'
hostile scale "$M,\"bases\":[[[1],[0]]]}"
hostile scale "$M,\"bases\":[[[1],[0]]],\"parameters\":{\"scale\":1}}"
hostile subspace_dimension '{"kith":1,"kind":"subspace","k":1,"dimension":2,"bases":[[[1],[0]]]}'
hostile bases '{"kith":1,"kind":"subspace","k":1,"dimension":2,"subspace_dimension":3,"bases":[[[1,0,0],[0,1,0]]]}'

# ---- corners -----------------------------------------------------------------
printf '0,0\n0,0\n' >zeros.csv
printf '1,0\n' >one.csv
printf '1,0\n1,0\n1,0\n' >same.csv
for file in zeros one same; do
    run 0 subspace -k 3 -q 1 -e 1 --delta 1e-6 --radius 1 $file.csv
    run 0 subspace -k 3 -q 1 -e 1 --radius 1 $file.csv
    for solver in kplane tsc tsc-components ssc lrr; do
        run 0 subspace -k 3 -q 1 --radius 1 --non-private --solver $solver \
            $file.csv
    done
done
run 0 subspace -k 1 -q 2 -e 1 --delta 1e-6 --radius 1 x.csv
run 0 subspace -k 2 -q 6 -e 1 --delta 1e-6 --radius 1 x.csv
check "q is the dimension" grep -q '"subspace_dimension": 6' "$OUT"
for more in "-e 1" "--non-private" "-e 1 --dry-run --rows 9 --dimension 6"; do
    refuse 2 'there are 6 features' subspace -k 2 -q 7 --radius 1 $more x.csv
done
printf '1,2\nnan,1\n' >nan.csv
refuse 4 'nan.csv.*line 2' subspace -k 1 -q 1 -e 1 --radius 1 nan.csv
run 0 subspace -k 1 -q 1 -e 1 --radius 1 --missing drop nan.csv
refuse 4 'nowhere' subspace -k 1 -q 1 -e 1 --radius 1 nowhere.csv
printf '1 1:2\n' >s.svm
refuse 2 'dense' subspace -k 1 -q 1 -e 1 --radius 1 --dimension 2 s.svm
refuse 2 'dense' subspace -k 1 -q 1 --non-private --scale clip --radius 1 \
    --dimension 2 s.svm

# ---- usage -------------------------------------------------------------------
refuse 2 'public bounds are required' subspace -k 1 -q 1 -e 1 x.csv
refuse 2 'how many planes' subspace -q 1 -e 1 --radius 1 x.csv
refuse 2 'q Q.*required' subspace -k 1 -e 1 --radius 1 x.csv
refuse 2 'epsilon.*required' subspace -k 1 -q 1 --radius 1 x.csv
refuse 2 'no input' $S -e 1
for bad in 0 -1 x 1.5 4294967296; do
    refuse 2 'subspace-dimension' subspace -k 1 "-q$bad" -e 1 --radius 1 x.csv
    refuse 2 'clusters' subspace "-k$bad" -q 1 -e 1 --radius 1 x.csv
done
refuse 2 'unknown option --normalize' $S -e 1 --normalize x.csv
refuse 2 'not known' $S -e 1 --method kmeans x.csv
refuse 2 'not known' $S -e 1 --scale none x.csv
refuse 2 'not known' $S --non-private --solver pca x.csv
refuse 2 'composition needs --method sulq' $S -e 1 --composition basic x.csv
refuse 2 'needs --method sample-aggregate' $S -e 1 --solver ssc x.csv
refuse 2 'needs --method sample-aggregate' $S -e 1 --block-rows 5 x.csv
refuse 2 'needs --method sample-aggregate' $S -e 1 --overlap x.csv
refuse 2 'needs --method sample-aggregate' $S -e 1 --ignore-conditions x.csv
refuse 2 'gibbs or mincost' $S -e 1 --non-private-start x.csv
refuse 2 'gibbs or mincost' $S -e 1 --method sulq --debug-diagnostics x.csv
refuse 2 'starts needs --non-private' $S -e 1 --starts 3 x.csv
refuse 2 'starts needs --solver kplane' $S --non-private --solver ssc --starts 3 x.csv
for option in "-e 1" "--delta 0" "--method auto" "--composition gdp" --overlap \
    --ignore-conditions "--block-rows 4" --non-private-start --debug-diagnostics; do
    refuse 2 'no meaning with --non-private' $S --non-private $option x.csv
done
refuse 2 'not a ledger' $S -e 1 --ledger file:x --account a x.csv
refuse 2 'is an input' $S -e 1 -o x.csv x.csv

# ---- plans -------------------------------------------------------------------
run 0 $S -e 1 --delta 1e-6 --dry-run --rows 10000 --dimension 6
said 'total loss: mu'
python "plan" "$OUT" <<'P'
import json, sys
plan = json.load(open(sys.argv[1]))
assert plan["dry_run"] is True and plan["k"] == 3 and plan["rows"] == 10000
assert plan["subspace_dimension"] == 2 and plan["dimension"] == 6
assert plan["predicted_noise_per_plane"] > 0 and "bases" not in plan
assert plan["privacy"]["releases"]
P
# auto: the noise of the last step, sd sqrt(q (d - q) / 2) / (n / (k q)), with
# n = 10000; sulq: the same with a tenth of mu^2; bingham, mincost: planes drawn
# with exp(-b loss): sqrt(q (d - q) / (2 b n / (k q))); gibbs, and a sample, do
# not tell.
# It is the angle of one of q directions, in radians.
for method in auto sulq bingham mincost gibbs sample-aggregate; do
    run 0 $S -e 4 --delta 1e-6 --method $method --dry-run --rows 10000 \
        --dimension 6
    if [ $method = gibbs ] || [ $method = sample-aggregate ]; then
        said 'not predicted'
    else
        said 'turn a direction of the plane of an average cluster by about [0-9.e-]* radians'
    fi
    python "predicted noise of $method" "$OUT" $method <<'P'
import json, math, sys
plan = json.load(open(sys.argv[1]))
method, noise = sys.argv[2], plan["predicted_noise_per_plane"]
last = [r for r in plan["privacy"]["releases"] if r["what"] != "guard"][-1]
k, q, d, n = 3, 2, 6, 10000
if method in ("auto", "sulq"):
    want = last["scale"] * math.sqrt(q * (d - q) / 2) / (n / (k * q))
elif method in ("bingham", "mincost"):
    want = math.sqrt(q * (d - q) / (2 / last["scale"] * n / (k * q)))
else:
    want = None
want = want and want / math.sqrt(q)
assert noise == want or abs(noise / want - 1) < 1e-6, (noise, want)
assert plan["verdict"] == (want and "good"), plan["verdict"]
P
done
# a plan that is noise says so, and turns nothing by more than a right angle
for method in auto sulq bingham mincost; do
    run 0 subspace --method $method -k 3 -q 5 -e 0.01 --radius 1 --dry-run --rows 100 --dimension 10
    said 'by about 1.571 radians \(a right angle is 1.571\)'
    said 'warning: noise alone turns .* 1.6 radians.*this result is noise'
    check "verdict" grep -q '"verdict": "noise"' "$OUT"
    check "right angle" grep -q '"predicted_noise_per_plane": 1.5707963' "$OUT"
done
# few dimensions: less than the noise's own largest eigenvalue is nothing
run 0 subspace -k 1 -q 1 -e 1 --radius 1 --dry-run --rows 8 --dimension 2
check "verdict" grep -q '"verdict": "noise"' "$OUT"
run 0 subspace -k 1 -q 1 -e 1 --radius 1 --dry-run --rows 200 --dimension 2
check "verdict" grep -q '"verdict": "good"' "$OUT"
refuse 2 'needs --rows' $S -e 1 --dry-run --dimension 6

# ---- generate ----------------------------------------------------------------
G="generate subspaces --rows 400 --dimension 6 -k 3 -q 2"
run 0 $G --weights 0,2,2 --decay .5 --labels w.txt -o w.csv
check "no row of a cluster without weight" bash -c '! grep -q 0 w.txt'
refuse 2 'K = 3' $G --weights 1,2
refuse 2 'weights' $G --weights 1,2,x
refuse 2 'weights' $G --weights=-1,1,1
refuse 2 'weights' $G --weights 0,0,0
refuse 2 'decay' $G --decay 0
refuse 2 'decay' $G --decay 1.5
refuse 2 'for subspaces only' generate gaussians --rows 9 --dimension 3 -k 2 --decay .5
refuse 2 'for subspaces only' generate gaussians --rows 9 --dimension 3 -k 2 --bases b.json
refuse 2 'file of its own' $G -o z.csv --bases z.csv
refuse 2 'file of its own' $G --bases -
refuse 2 'planes' generate subspaces --rows 9 --dimension 3 -k 2 -q 4 --bases b.json
check "nothing was written" [ ! -e b.json ] && [ ! -e z.csv ]
finish

#!/usr/bin/env bash
# kith generate: formats, labels, seeds, refusals. The laws of the data are in
# tests/unit/test_generate.c.
set -u
. "$(dirname "$(realpath "$0")")/lib.sh"

G="--rows 200 --dimension 7 -k 3"
run 0 generate gaussians $G -o g.csv --labels g.txt
run 0 generate gaussians $G
same "$OUT" g.csv
run 0 generate gaussians $G -o g.npy
run 0 generate subspaces $G -q 2 --spread 0 -o s.csv --labels s.txt
run 0 generate sparse $G --sparsity 3 -o z.svm --labels z.txt
run 0 generate sparse $G --sparsity 3
same "$OUT" z.svm
python "contents" <<'P'
import ast, struct
read = lambda f: [[float(x) for x in r.split(",")] for r in open(f)]
labels = lambda f: [int(x) for x in open(f)]
rows = read("g.csv")
assert len(rows) == 200 and all(len(r) == 7 for r in rows)
assert all(sum(x * x for x in r) <= 1 + 1e-12 for r in rows)
assert len(labels("g.txt")) == 200 and set(labels("g.txt")) == {0, 1, 2}
# Rows of one label are close, of two labels are not (sd 0.0125 in 7 features).
for a, la in zip(rows[:60], labels("g.txt")):
    for b, lb in zip(rows[:60], labels("g.txt")):
        far = sum((x - y) ** 2 for x, y in zip(a, b)) ** 0.5
        assert (far < 0.15) == (la == lb), (far, la, lb)
raw = open("g.npy", "rb").read()
size, = struct.unpack("<H", raw[8:10])
head = ast.literal_eval(raw[10:10 + size].decode())
assert head == {"descr": "<f8", "fortran_order": False, "shape": (200, 7)}
assert (10 + size) % 64 == 0
values = struct.unpack("<1400d", raw[10 + size:])
assert list(values) == sum(rows, [])
# Three rows of one plane of dimension 2 are linearly dependent: the Gram
# determinant vanishes.
plane = [r for r, l in zip(read("s.csv"), labels("s.txt")) if l == 0][:3]
g = [[sum(x * y for x, y in zip(a, b)) for b in plane] for a in plane]
det = (g[0][0] * (g[1][1] * g[2][2] - g[1][2] * g[2][1])
       - g[0][1] * (g[1][0] * g[2][2] - g[1][2] * g[2][0])
       + g[0][2] * (g[1][0] * g[2][1] - g[1][1] * g[2][0]))
assert abs(det) < 1e-12 and abs(g[0][1]) < 1 - 1e-6, (det, g)
for line, label in zip(open("z.svm"), labels("z.txt")):
    first, *pairs = line.split()
    assert int(first) == label and len(pairs) == 3
    index = [int(p.split(":")[0]) for p in pairs]
    value = [float(p.split(":")[1]) for p in pairs]
    assert index == sorted(set(index)) and 1 <= index[0] and index[-1] <= 7
    assert min(value) > 0 and abs(sum(v * v for v in value) - 1) < 1e-12
P
run 0 generate gaussians $G --seed 0
same "$OUT" g.csv
run 0 generate gaussians $G --seed 1
differ "$OUT" g.csv
run 0 generate gaussians --rows 50 --dimension 7 -k 3
head -n 50 g.csv >first.csv
same "$OUT" first.csv

# What is written can be read.
run 0 kmeans -k 3 -e 1 --radius 1 g.npy
run 0 kmeans -k 3 -e 1 --radius 1 s.csv
run 0 kmeans -k 3 -e 1 --radius 1 --dimension 7 z.svm

refuse 2 'one kind' generate
refuse 2 'one kind' generate gaussians sparse $G
refuse 2 'did you mean subspaces' generate subspace $G
refuse 2 'unknown kind' generate moons $G
for option in rows dimension clusters; do
    case $option in
    rows) rest="--dimension 7 -k 3" ;;
    dimension) rest="--rows 9 -k 3" ;;
    *) rest="--rows 9 --dimension 7" ;;
    esac
    refuse 2 "$option is required" generate gaussians $rest
    refuse 2 "$option" generate gaussians $rest --$option 0
    refuse 2 "$option" generate gaussians $rest --$option -4
    refuse 2 "$option" generate gaussians $rest --$option 1e3
done
refuse 2 'q Q.*required' generate subspaces $G
refuse 2 'for subspaces only' generate gaussians $G -q 2
refuse 2 'planes' generate subspaces $G -q 8
refuse 2 'sparsity S is required' generate sparse $G
refuse 2 'for sparse only' generate gaussians $G --sparsity 2
refuse 2 'sparsity' generate sparse $G --sparsity 8
refuse 2 'spread' generate sparse $G --sparsity 2 --spread 1
for x in -1 nan inf x 1e300; do
    refuse 2 'spread' generate gaussians $G "--spread=$x"
done
refuse 2 'does not end in .csv or .npy' generate gaussians $G -o x.svm
refuse 2 'does not end in .svm' generate sparse $G --sparsity 2 -o x.csv
refuse 2 'file of its own' generate gaussians $G -o x.csv --labels x.csv
refuse 2 'dimension' generate gaussians --rows 9 --dimension 4000000000 -k 3
check "nothing was written" [ ! -e x.csv ]
finish

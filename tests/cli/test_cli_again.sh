#!/usr/bin/env bash
# A model holds everything that is needed to run it again: a command line is
# built from it alone, and makes the same model from the same file.
set -u
. "$(dirname "$(realpath "$0")")/lib.sh"

"$KITH" generate gaussians --rows 1500 --dimension 3 -k 3 --seed 5 -o plain.csv
"$KITH" generate gaussians --rows 3000 --dimension 40 -k 3 --seed 5 -o wide.csv
"$KITH" generate sparse --rows 1500 --dimension 90 -k 3 --sparsity 6 --seed 5 -o rows.svm
{ echo 'a,2020,c' && cat plain.csv; } >named.csv
{ echo 'a,b,c' && cat plain.csv && echo '1,NA,3'; } >gaps.dat
{ echo '4,5,6' && cat plain.csv; } >bare.csv
printf '%s\n' 0.1 0.2 0.9 >few.csv
printf -- '-1,1\n-2,1\n-1,3\n' >box.csv

# again INPUT ARG...: kith ARG... INPUT, then from the model.
again() {
    local input=$1 code
    shift
    run 0 "$@" --insecure-seed 11 --quiet -o first.json "$input"
    "$PYTHON" - "$1" "$input" >line <<'P'
import json, shlex, sys
command, path = sys.argv[1:]
m = json.load(open("first.json"))
p, q = m["parameters"], m["privacy"]
out = [command, "-k", p["k"], "-e", q["epsilon"], "--delta", q["delta"],
       "--adjacency", q["adjacency"], "--dimension", m["dimension"],
       "--missing", p["missing"], "--seed", p["public_seed"],
       "--insecure-seed", p["insecure_seed"]]
if p["bounds"]:
    pairs = list(zip(p["bounds"]["lower"], p["bounds"]["upper"]))
    if len(pairs) == 1:
        out += ["--bounds", "%r:%r" % pairs[0]]
    else:
        open("again.box", "w").write("".join("%r,%r\n" % b for b in pairs))
        out += ["--bounds-file", "again.box"]
if p["center"]:
    out += ["--center", ",".join(map(repr, p["center"]))]
if p["columns"]:
    out += ["--columns", ",".join(p["columns"])]
if p["header"] is not None:
    out += ["--header" if p["header"] else "--no-header"]
for option, field in (("method", "method"), ("rounds", "rounds_asked"),
                      ("radius", "radius"), ("format", "format"),
                      ("sparsity", "sparsity"), ("recovery", "recovery"),
                      ("scale", "scale"), ("composition", "composition"),
                      ("solver", "solver"), ("block-rows", "block_rows"),
                      ("subspace-dimension", "subspace_dimension")):
    if p.get(field):
        out += ["--" + option, p[field]]
for field in ("normalize", "paper_constants", "as_published", "overlap", "force",
              "non_private_start", "debug_diagnostics"):
    if p.get(field):
        out += ["--" + field.replace("_", "-")]
print(shlex.join(map(str, out + ["--quiet", "-o", "second.json", path])))
P
    code=$?
    check "a command line from the model of kith $*" [ $code -eq 0 ]
    eval "set -- $(cat line)"
    run 0 "$@"
    same first.json second.json
}

for mode in "-e 1" "-e 1 --delta 1e-6" "-e 2 --adjacency replace-one --no-header"; do
    again plain.csv kmeans -k 3 $mode --bounds -1:1
    again wide.csv kmeans -k 3 $mode --bounds -1:1 --seed 4
    again wide.csv kmeans -k 3 $mode --bounds -1:1 --rounds 3
    again plain.csv kmeans -k 3 $mode --bounds -1:1 --method lloyd
    again plain.csv kmeans -k 3 $mode --bounds -1:1 --method lloyd --rounds 2
    again plain.csv kmeans -k 3 $mode --radius 1.5 --center .1,0,-.1 --method balcan
    again plain.csv kmeans -k 3 $mode --bounds -1:1 --method balcan --as-published
    again rows.svm kmeans -k 3 $mode --bounds 0:1 --sparsity 5 --dimension 90
    again rows.svm kmeans -k 3 $mode --radius 1 --dimension 90 --method balcan
    again plain.csv kmedian -k 3 $mode --bounds -1:1
    again plain.csv kmedian -k 3 $mode --bounds-file box.csv --normalize --method balcan
    again plain.csv kmedian -k 3 $mode --bounds -1:1 --recovery sampling
    again plain.csv kmedian -k 3 $mode --bounds -1:1 --rounds 2
    again plain.csv subspace -k 2 -q 1 $mode --radius 1
    again plain.csv subspace -k 2 -q 1 $mode --bounds -1:1 --scale clip --method sulq
    again plain.csv subspace -k 2 -q 1 $mode --radius 1 --method gibbs --rounds 30
done
again few.csv kmeans -k 1 -e 1 --bounds 0:1 --method balcan --paper-constants
again plain.csv subspace -k 2 -q 1 -e 1 --delta 1e-6 --radius 1 --method sulq --composition basic
again named.csv kmeans -k 3 -e 1 --bounds -1:1 --header --columns c,a
again bare.csv kmeans -k 3 -e 1 --bounds -1:1 --no-header
again gaps.dat kmeans -k 3 -e 1 --bounds -1:1 --format csv --missing drop
finish

#!/usr/bin/env bash
# Small promises of the command: help under every name, nothing overwritten,
# nobody counted twice, plans that take the command line of the run.
set -u
. "$(dirname "$0")/lib.sh"

"$KITH" generate gaussians --rows 400 --dimension 2 -k 2 -o rows.csv 2>"$ERR"
B="--bounds -2:2"
M="kmeans -k 2 -e 4 --delta 1e-6 $B --quiet"

# ---- help and version -------------------------------------------------------
run 0 --help
cp "$OUT" help.txt
for words in -h help; do
    run 0 $words
    same "$OUT" help.txt
done
run 0 kmeans --help
cp "$OUT" kmeans.txt
for words in "kmeans -h" "help kmeans" "kmeans -k 2 -h"; do
    run 0 $words
    same "$OUT" kmeans.txt
done
run 0 local plan --help
cp "$OUT" plan.txt
run 0 help local plan
same "$OUT" plan.txt
refuse 2 'did you mean kmeans' help kmean
run 0 --version
cp "$OUT" version.txt
run 0 -V
same "$OUT" version.txt

# ---- what exists is kept ----------------------------------------------------
KEEP=1
run 0 $M -o m.json --centers c.csv rows.csv
cp m.json first.json && cp c.csv first.csv
refuse 2 'm.json exists and is kept.*--force' $M -o m.json rows.csv
refuse 2 'c.csv exists and is kept.*--force' $M -o n.json --centers c.csv rows.csv
check "no other model" [ ! -e n.json ]
refuse 2 'exists and is kept' kmedian -k 2 -e 4 $B -o m.json rows.csv
refuse 2 'exists and is kept' subspace -k 2 -q 1 -e 4 --radius 1 -o m.json rows.csv
refuse 2 'exists and is kept' local simulate -k 2 -e 4 $B -o m.json --no-header rows.csv
ln -s m.json link.json
refuse 2 'exists and is kept' $M -o link.json rows.csv
same m.json first.json
same c.csv first.csv
run 0 $M -o m.json --centers c.csv --force rows.csv
differ m.json first.json
differ c.csv first.csv
run 0 $M -o /dev/null rows.csv

# A dry run and then the same line, and the other way round: a run takes the
# place of a plan, and a plan never that of a model.
for force in "" --force; do
    cp m.json first.json
    run 0 $M --dry-run --rows 400 --dimension 2 $force -o m.json rows.csv
    said 'm.json exists and is kept: the plan goes to standard output'
    check "the plan" grep -q '"dry_run": true' "$OUT"
    same m.json first.json
done
run 0 $M --dry-run --rows 400 --dimension 2 -o line.json rows.csv
run 0 $M --dry-run --rows 500 --dimension 2 -o line.json rows.csv
check "a plan takes the place of a plan" grep -q '"rows": 500' line.json
run 0 $M -o line.json rows.csv
check "a run takes the place of a plan" grep -q '"centers"' line.json
refuse 2 'exists and is kept' $M -o line.json rows.csv

# No command replaces a model, whatever it writes.
cp m.json other.json
(echo; cat other.json) >m.json
cp m.json first.json
kept='m.json is a kith model and is kept.*another name'
refuse 2 "$kept" sweep -k 2 -e 1 --rows 400 --dimension 2 $B --as json -o m.json
refuse 2 "$kept" check $B -o m.json rows.csv
refuse 2 "$kept" evaluate other.json -o m.json rows.csv
refuse 2 "$kept" assign other.json -o m.json rows.csv
refuse 2 "$kept" report other.json -o m.json
refuse 2 "$kept" local plan -k 2 -e 4 --rows 400 --dimension 2 -o m.json
same m.json first.json
run 0 report other.json -o page.html
run 0 report other.json -o page.html # what is no model may be replaced
run 0 sign --new-key me.key
run 0 kmeans -k 2 -e 4 $B --sign-key me.key -o signed.json rows.csv
cp signed.json.minisig first.minisig
refuse 2 'signature or a key and is kept' report other.json -o signed.json.minisig
refuse 2 'signature or a key and is kept' report other.json -o me.key
refuse 2 'signed.json.minisig exists and is kept.*--force' sign --sign-key me.key signed.json
mv signed.json elsewhere.json
refuse 2 'signed.json.minisig exists and is kept.*--force' \
    kmeans -k 2 -e 4 $B --sign-key me.key -o signed.json rows.csv
check "nothing was run" [ ! -e signed.json ]
same signed.json.minisig first.minisig
run 0 kmeans -k 2 -e 4 $B --sign-key me.key --force -o signed.json rows.csv
differ signed.json.minisig first.minisig
KEEP=

# ---- nobody twice -----------------------------------------------------------
ln -s rows.csv same.csv
ln rows.csv hard.csv
mkdir -p sub
for twin in rows.csv ./rows.csv sub/../rows.csv same.csv hard.csv; do
    refuse 2 'are one file.*twice' $M rows.csv "$twin"
    refuse 2 'are one file.*twice' subspace -k 2 -q 1 -e 4 --radius 1 rows.csv "$twin"
    refuse 2 'are one file.*twice' local simulate -k 2 -e 4 $B --no-header rows.csv "$twin"
    refuse 2 'are one file.*twice' evaluate m.json rows.csv "$twin"
done
cp rows.csv copy.csv
run 0 $M rows.csv copy.csv
run 0 $M --allow-repeat rows.csv same.csv

# ---- a plan takes the command line of the run -------------------------------
printf 'lo,hi\n-2,2\n-2,2\n' >bounds.csv
run 0 $M --dry-run --rows 400 --dimension 2
cp "$OUT" plan.json
# No such file: it is not opened.
for more in "nowhere.csv" "--columns x,y nowhere.csv" \
    "--header --missing drop --strict --insecure-seed 3 nowhere.csv"; do
    case $more in *columns*) d= ;; *) d="--dimension 2" ;; esac
    run 0 $M --dry-run --rows 400 $d $more
    python "the plan of $more" plan.json "$OUT" <<'P'
import json, sys
a, b = (json.load(open(f)) for f in sys.argv[1:])
assert a["privacy"]["releases"] == b["privacy"]["releases"]
assert a["dimension"] == b["dimension"] == 2
P
done
run 0 kmeans -k 2 -e 4 --delta 1e-6 --bounds-file bounds.csv --dry-run --rows 400 \
    --centers c.csv --quiet nowhere.csv
check "the bounds file tells" grep -q '"dimension": 2' "$OUT"
refuse 2 'needs --rows' $M --dry-run --dimension 2 rows.csv
refuse 2 'with --dimension' $M --dry-run --rows 9 rows.csv
# An input that is named like a sparse file is priced like one.
run 0 kmeans -k 2 -e 1 --radius 1 --dry-run --rows 400 --dimension 50 --quiet --format svm
cp "$OUT" sparse.json
run 0 kmeans -k 2 -e 1 --radius 1 --dry-run --rows 400 --dimension 50 --quiet nowhere.svm.gz
same "$OUT" sparse.json
printf '1 1:1\n' >one.svm
for format in svm svmlight; do
    run 0 kmeans -k 1 -e 1 --radius 1 --dimension 2 --format $format --quiet one.svm
done

# ---- the budget is the reason: 3 --------------------------------------------
for what in "kmeans -k 3 --method lloyd" "kmeans -k 3" "kmeans -k 3 --method balcan" \
    "kmedian -k 3" "subspace -k 2 -q 1" "subspace -k 2 -q 1 --method sulq"; do
    refuse 3 'raise epsilon' $what -e 1e-14 --bounds 0:1 --dry-run --rows 99 --dimension 2
    refuse 3 'raise epsilon' $what -e 1e-12 --delta 1e-300 --bounds 0:1 rows.csv
done
run 0 kmeans -k 2 -e 1000 $B -o m.json rows.csv
said 'more than e.1000 times likelier'
check "no infinity" bash -c "! grep -qi 'inf' '$ERR'"

# ---- a model's way with missing values; quiet -------------------------------
(cat rows.csv; echo ',1') >gap.csv
run 0 $M --missing drop -o gap.json gap.csv
run 0 evaluate gap.json gap.csv
said 'NOT private'
check "one row is left out" grep -q '"rows": 400' "$OUT"
run 0 assign gap.json gap.csv
said 'missing values'
refuse 4 'gap.csv: line 401.*no value' evaluate gap.json --missing error gap.csv
run 0 $M -o m.json rows.csv
refuse 4 'gap.csv: line 401.*no value' evaluate m.json gap.csv
for command in evaluate assign; do
    run 0 $command --quiet m.json rows.csv
    check "$command is quiet" [ ! -s "$ERR" ]
done
finish

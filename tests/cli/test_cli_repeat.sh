#!/usr/bin/env bash
# Same rows, same bytes: whatever the order, shards, compression, format,
# threads. With --insecure-seed, since otherwise noise would hide everything.
set -u
. "$(dirname "$(realpath "$0")")/lib.sh"

"$KITH" generate gaussians --rows 3000 --dimension 6 -k 4 -o rows.csv
"$KITH" generate gaussians --rows 3000 --dimension 6 -k 4 -o rows.npy
go() { # OUT ARG...
    local out=$1
    shift
    run 0 kmeans -k 4 --bounds -1:1 --insecure-seed 7 --quiet -o "$out" "$@"
}
for mode in "-e 1" "-e 1 --delta 1e-6"; do
    go base.json $mode rows.csv
    go again.json $mode rows.csv
    same base.json again.json
    for t in 1 2 3; do
        go t.json $mode --threads $t rows.csv
        same base.json t.json
    done
    shuf --random-source=<(yes) rows.csv >shuffled.csv
    differ rows.csv shuffled.csv
    go shuffled.json $mode shuffled.csv
    same base.json shuffled.json
    head -n 1234 rows.csv >s1.csv
    tail -n +1235 rows.csv >s2.csv
    go shards.json $mode s1.csv s2.csv
    same base.json shards.json
    go shards.json $mode --threads 3 s2.csv s1.csv
    same base.json shards.json
    go stdin.json $mode --format csv - <rows.csv # and says so in the model
    sed -i 's/"format": "csv"/"format": null/' stdin.json
    same base.json stdin.json
    go npy.json $mode rows.npy
    same base.json npy.json
done
gzip -k rows.csv s1.csv
zstd -q rows.csv s2.csv
tr , '\t' <rows.csv >rows.tsv
go base.json -e 1 rows.csv
for f in rows.csv.gz rows.csv.zst rows.tsv; do
    go f.json -e 1 $f
    same base.json f.json
done
go f.json -e 1 s1.csv.gz s2.csv.zst
same base.json f.json
sed 's/$/\r/' rows.csv >crlf.csv
go f.json -e 1 crlf.csv
same base.json f.json

# Seeds matter; a row matters even where noise does not hide it.
run 0 kmeans -k 4 --bounds -1:1 --insecure-seed 8 -e 1 --quiet -o f.json rows.csv
differ base.json f.json
go f.json -e 1 --seed 3 rows.csv
differ base.json f.json
(cat rows.csv; echo 1,1,1,1,1,1) >more.csv
go f.json -e 1 more.csv
differ base.json f.json

# Standard input needs a format; "-" twice makes no sense.
refuse 2 'format' kmeans -k 2 -e 1 --bounds 0:1 - </dev/null
refuse 4 '' kmeans -k 2 -e 1 --bounds 0:1 --format csv - </dev/null

# Sparse rows: threads and shards too.
"$KITH" generate sparse --rows 400 --dimension 500 -k 3 --sparsity 8 -o s.svm
head -n 150 s.svm >p1.svm
tail -n +151 s.svm >p2.svm
sp() {
    run 0 kmeans -k 3 -e 5 --radius 1 --dimension 500 --insecure-seed 1 \
        --quiet -o "$@"
}
sp a.json s.svm
sp b.json --threads 3 p2.svm p1.svm
same a.json b.json

# Columns: names and numbers agree.
(echo a,b,c,d,e,f; cat rows.csv) >named.csv
go n1.json -e 1 --columns c,a named.csv
go n2.json -e 1 --columns 3,1 rows.csv
check "same centres" "$PYTHON" -c "
import json
a, b = (json.load(open(f)) for f in ('n1.json', 'n2.json'))
assert a['centers'] == b['centers'] and a['dimension'] == 2
assert a['parameters']['columns'] == ['c', 'a']"
finish

#!/usr/bin/env bash
# Under replace-one the number of rows is public, and methods use it: so no row
# may change it by what it holds (I41). Pairs of files that differ in one line
# only, where the second has one row less once a reader may drop, guess or skip;
# every private method must refuse the options (or the file) that let it, before
# anything is written.
. "$(dirname "$0")/lib.sh"

awk 'BEGIN { for (i = 0; i < 40; i++) print i / 40 "," (i % 7) / 7 "," .5 }' > numbers.csv
sed '20s/.*/NA,.1,.5/' numbers.csv > gap.csv       # dropped
sed '1s/.*/left,right,up/' numbers.csv > words.csv # guessed to be a header
sed '20s/.*//' numbers.csv > blank.csv             # skipped
# A stray quote is text in line 21, and ends what a quote in line 20 begins.
sed 's/^/name,/; 21s/name/name"/' numbers.csv > quote.csv
sed '20s/name/"name/' quote.csv > swallow.csv      # swallows the next line
sed 's/^\([^,]*\),\([^,]*\),.*/0 1:\1 2:\2/' numbers.csv > numbers.svm
sed '20s/.*/# 1:.1/' numbers.svm > comment.svm

each_method() { # words before, file, options...
    local expect=$1 words=$2 file=$3 b="--bounds 0:1 --adjacency replace-one"
    shift 3
    for m in auto lloyd balcan sulq grid kvariates sample-aggregate; do
        $expect "$words" kmeans -k 2 -e 1 $b --method $m "$@" -o m.json "$file"
    done
    for m in auto balcan; do
        $expect "$words" kmedian -k 2 -e 1 $b --method $m "$@" -o m.json "$file"
    done
    $expect "$words" kmedian -k 2 -e 1 $b --recovery sampling "$@" -o m.json "$file"
    for m in auto sulq bingham gibbs mincost sample-aggregate; do
        $expect "$words" subspace -k 2 -q 1 -e 9 --delta 1e-6 $b --method $m \
            "$@" -o m.json "$file"
    done
    $expect "$words" bounds -e 1 --adjacency replace-one "$@" -o b.csv "$file"
    $expect "$words" kmeans -k 2 -e 1 --bounds private --adjacency replace-one "$@" -o m.json "$file"
    for m in auto one-round weighted-centers mean; do
        $expect "$words" local simulate -k 2 -e 2 --bounds 0:1 --method $m \
            "$@" -o m.json "$file"
    done
}

usage() {
    refuse 2 "$@"
}
input() {
    refuse 4 "$@"
}
for file in numbers.csv gap.csv; do
    each_method usage 'missing drop changes the number of rows' $file --no-header --missing drop
done
for file in numbers.csv words.csv; do
    each_method usage 'say --header or --no-header' $file
done
each_method input 'line 20.*blank' blank.csv --no-header
each_method input 'line 20.*goes on in the next line' swallow.csv --no-header --columns 2,3,4
check 'nothing was written' test ! -e m.json -a ! -e b.csv

# Sparse rows: a line that is a comment only.
for m in auto lloyd; do
    refuse 4 'line 20.*blank' kmeans -k 2 -e 1 --bounds 0:1 --method $m \
        --dimension 2 --adjacency replace-one comment.svm
done

# Said outright, or with add-remove, all of it works.
run 0 kmeans -k 2 -e 1 --bounds 0:1 --adjacency replace-one --no-header numbers.csv
run 0 kmeans -k 2 -e 1 --bounds 0:1 --adjacency replace-one --header words.csv
run 0 kmeans -k 2 -e 1 --bounds 0:1 --missing drop gap.csv
run 0 kmeans -k 2 -e 1 --bounds 0:1 blank.csv
run 0 kmeans -k 2 -e 1 --bounds 0:1 --no-header --columns 2,3,4 swallow.csv
run 0 kmeans -k 2 -e 1 --bounds 0:1 --adjacency replace-one --no-header --columns 2,3,4 quote.csv
finish

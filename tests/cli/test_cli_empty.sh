#!/usr/bin/env bash
# No rows are a dataset: with add-remove their number is private, so none and
# one must look alike (same exit code, same releases). And what a first line
# that is no good may become: never a header, never part of a message.
set -u
. "$(dirname "$(realpath "$0")")/lib.sh"

printf 'x,y\n' >none.csv
printf 'x,y\n3,4\n' >one.csv
printf 'x\ty\n' >none.tsv
printf 'x\ty\n3\t4\n' >one.tsv
printf '# nothing yet\n' >none.svm
printf '1 1:3 2:4\n' >one.svm
: >void.csv
printf '3,4\n' >bare.csv
"$PYTHON" - <<'P'
import struct
for name, rows in (("none.npy", 0), ("one.npy", 1)):
    head = "{'descr': '<f8', 'fortran_order': False, 'shape': (%d, 2), }" % rows
    head += " " * ((-11 - len(head)) % 64) + "\n"
    open(name, "wb").write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) +
                           head.encode() + struct.pack("<2d", 3, 4)[:16 * rows])
P

# alike SUFFIX ARG...: kith ARG... makes the same first release, and a model of
# the same shape, from none.SUFFIX and one.SUFFIX.
alike() {
    local suffix=$1
    shift
    [ "$suffix" = svm ] && set -- "$@" --dimension 2
    run 0 "$@" -o none.json "none.$suffix"
    run 0 "$@" -o one.json "one.$suffix"
    python "none and one look alike" none.json one.json <<'P'
import json, re, sys
models = [json.load(open(name)) for name in sys.argv[1:]]
shown = [[[re.sub(r",? ?round .* of [0-9]+", "", r["what"]), r["mechanism"], r["sensitivity"]] for r in m["privacy"]["releases"]]
         for m in models]
# A noisy count may decide how many rounds follow: what comes first is fixed.
assert all(shown) and shown[0][0] == shown[1][0], shown
for m in models:
    assert m["k"] == 2 and m["dimension"] == 2, m
    for name in ("centers", "bases"):
        if name in m:
            assert len(m[name]) == 2
    low, high = 0, 100
    for c in m.get("centers", []):
        assert len(c) == 2 and all(low <= x <= high for x in c), c
P
}
B="--bounds 0:100"
for delta in 0 1e-6; do
    for suffix in csv tsv npy svm; do
        alike $suffix kmeans -k 2 -e 1 --delta $delta $B
    done
    for method in lloyd balcan; do
        alike csv kmeans -k 2 -e 1 --delta $delta $B --method $method
    done
    alike csv kmedian -k 2 -e 1 --delta $delta $B
    alike svm kmedian -k 2 -e 1 --delta $delta $B
    for method in auto sulq; do
        alike csv subspace -k 2 -q 1 -e 1 --delta $delta $B --method $method
    done
    run 0 kmeans -k 2 -e 1 --delta $delta $B --adjacency replace-one --header none.csv
done
for adjacency in add-remove replace-one; do
    run 0 subspace -k 2 -q 1 -e 1 $B --method gibbs --adjacency $adjacency --header none.csv
done
run 0 kmedian -k 2 -e 1 $B --recovery sampling none.csv

# ---- shards: an empty one among others, at either end ----------------------
run 0 kmeans -k 2 -e 1 $B void.csv bare.csv
run 0 kmeans -k 2 -e 1 $B bare.csv void.csv
run 0 kmeans -k 2 -e 1 $B one.csv none.csv
run 0 kmeans -k 2 -e 1 $B none.csv one.csv
run 0 kmeans -k 2 -e 1 $B --dimension 2 none.svm one.svm
run 0 kmeans -k 2 -e 1 $B one.npy none.npy

# ---- nothing tells the number of features ----------------------------------
refuse 4 'void.csv.*--dimension' kmeans -k 2 -e 1 $B void.csv
refuse 4 'void.csv.*--dimension' kmeans -k 2 -e 1 $B --header void.csv
run 0 kmeans -k 2 -e 1 $B --dimension 2 void.csv
run 0 kmeans -k 2 -e 1 $B --columns x,y void.csv
refuse 4 'none.csv' kmeans -k 2 -e 1 $B --dimension 3 none.csv

# ---- a first line that is neither numbers nor names ------------------------
printf 'Alice Miller HIV+,3\nBob,4\n' >people.csv
refuse 4 'people.csv: line 1.*--header' kmeans -k 1 -e 1 $B people.csv
check "no data in the message" sh -c "! grep -q Alice '$ERR'"
refuse 4 'people.csv: line 1' kmeans -k 1 -e 1 $B --no-header people.csv
check "no data in the message" sh -c "! grep -q Alice '$ERR'"
printf 'Alice,Miller\nBob,4\n' >people.csv
refuse 4 'people.csv: line 2: column 1 is' kmeans -k 1 -e 1 $B people.csv
check "no data in the message" sh -c "! grep -q Alice '$ERR'"
refuse 4 'column 1 \(Alice\)' kmeans -k 1 -e 1 $B --header people.csv
for word in 0x10 1d5 1,5e -3% .5.; do
    printf '"%s",2\n3,4\n' "$word" >odd.csv
    refuse 4 'odd.csv: line 1' kmeans -k 1 -e 1 $B odd.csv
    check "no data in the message" sh -c "! grep -qF -- '$word' '$ERR'"
    run 0 kmeans -k 1 -e 1 $B --header odd.csv
done

# ---- a blank line in a file of one column is a row without its value -------
printf '1\n\n2\n' >single.csv
refuse 4 'single.csv: line 2.*--missing drop' kmeans -k 1 -e 1 $B single.csv
run 0 kmeans -k 1 -e 1 $B --missing drop single.csv
finish

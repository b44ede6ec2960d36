#!/usr/bin/env bash
# Exit codes and messages of everything that `kith kmeans` refuses, help and
# version, and the manners of the option parser.
set -u
. "$(dirname "$(realpath "$0")")/lib.sh"

printf '0.1,0.2\n0.3,0.4\n0.9,0.8\n0.7,0.6\n' >ok.csv
B="--bounds 0:1"

# ---- help and version ------------------------------------------------------
run 0 --help
check "no line beyond 80 columns" [ "$(wc -L <"$OUT")" -le 80 ]
check "help names kmeans" grep -q '  kmeans ' "$OUT"
run 0 --version
check "version" grep -Eq '^kith [0-9]+\.[0-9]+\.[0-9]+$' "$OUT"
check "build info names the randomness" grep -q 'libsodium' "$OUT"
for command in kmeans evaluate assign generate; do
    run 0 $command --help
    check "usage line" grep -q "^Usage: kith $command " "$OUT"
    check "no line beyond 80 columns" [ "$(wc -L <"$OUT")" -le 80 ]
    check "help is not an error" [ ! -s "$ERR" ]
    run 0 $command --nonsense --help # help wins over mistakes
done
refuse 2 'a command is needed'
refuse 2 "unknown command 'kmens'; did you mean kmeans" kmens
refuse 2 "unknown option '--verison'" --verison

# ---- the parser ------------------------------------------------------------
refuse 2 'unknown option --epsilom; did you mean --epsilon' kmeans --epsilom 1
refuse 2 'unknown option --eps; did you mean --epsilon' kmeans -k 2 --eps 1 $B ok.csv
refuse 2 'unknown option --report' kmeans -k 2 -e 1 $B --report x.html ok.csv
refuse 2 'unknown option -z' kmeans -z
refuse 2 '\-\-clusters needs a value' kmeans ok.csv -k
refuse 2 '\-\-clusters needs a value' kmeans --clusters= -e 1 $B ok.csv
refuse 2 '\-\-epsilon is given twice' kmeans -k 2 -e 1 --epsilon 2 $B ok.csv
refuse 2 '\-\-quiet takes no value' kmeans -k 2 -e 1 $B --quiet=yes ok.csv
run 0 kmeans ok.csv -k2 -e1 --bounds=0:1 # attached, input first
run 0 kmeans -k 2 $B -e 1 -- ok.csv
cp ok.csv ./-odd.csv
run 0 kmeans -k 2 $B -e 1 -- -odd.csv
refuse 2 'unknown option -d' kmeans -k 2 $B -e 1 -dd.csv

# ---- what is required ------------------------------------------------------
refuse 2 '\-k K .*required' kmeans -e 1 $B ok.csv
refuse 2 '\-e EPS .*required' kmeans -k 2 $B ok.csv
refuse 2 'no input file' kmeans -k 2 -e 1 $B
refuse 2 'bounds are required' kmeans -k 2 -e 1 ok.csv
said 'takes none without noise'
said '\-\-bounds LO:HI'
said '\-\-radius R'
refuse 2 'bounds are required' kmeans --non-private -k 2 ok.csv

# ---- numbers ---------------------------------------------------------------
for k in 0 -1 1.5 x '' ' 2' 99999999999999999999 1000000001 0x2 nan 2k; do
    refuse 2 '\-\-clusters' kmeans "--clusters=$k" -e 1 $B ok.csv
done
for e in 0 -1 nan inf -inf 1e9 4097 1e999 x '' 1x 0x1 ' 1' 1,5 -0; do
    refuse 2 '\-\-epsilon' kmeans -k 2 "--epsilon=$e" $B ok.csv
done
for d in 1 1.5 -1e-9 nan inf x 1e-6x; do
    refuse 2 '\-\-delta' kmeans -k 2 -e 1 "--delta=$d" $B ok.csv
done
for t in 0 -3 x 1e3 10001; do
    refuse 2 '\-\-rounds' kmeans -k 2 -e 1 $B "--rounds=$t" ok.csv
done
refuse 2 '\-\-threads' kmeans -k 2 -e 1 $B --threads 0 ok.csv
refuse 2 '\-\-seed' kmeans -k 2 -e 1 $B --seed -1 ok.csv
refuse 2 '\-\-seed' kmeans -k 2 -e 1 $B --seed 9223372036854775808 ok.csv
refuse 2 '\-\-insecure-seed' kmeans -k 2 -e 1 $B --insecure-seed x ok.csv

# ---- bounds ----------------------------------------------------------------
for b in 1:0 1:1 0 0: :1 0:1:2 a:b 0:inf nan:1 0,1 ''; do
    refuse 2 '\-\-bounds' kmeans -k 2 -e 1 "--bounds=$b" ok.csv
done
for r in 0 -1 nan inf x; do
    refuse 2 '\-\-radius' kmeans -k 2 -e 1 "--radius=$r" ok.csv
done
refuse 2 '\-\-center' kmeans -k 2 -e 1 --radius 1 --center 0,x ok.csv
refuse 2 '\-\-center' kmeans -k 2 -e 1 --radius 1 --center 0,,1 ok.csv
refuse 2 '\-\-center' kmeans -k 2 -e 1 $B --center 0 ok.csv
refuse 2 '' kmeans -k 2 -e 1 --radius 1 --center 0,0,0 ok.csv
refuse 2 '\-\-normalize needs' kmeans -k 2 -e 1 --radius 1 --normalize ok.csv
printf 'lo,hi\n0,1\n 0 , 2 \r\n' >b.csv
run 0 kmeans -k 2 -e 1 --bounds-file b.csv ok.csv
refuse 2 'exclude each other' kmeans -k 2 -e 1 $B --bounds-file b.csv ok.csv
printf '0,1\n0,1\n0,1\n' >b3.csv
refuse 2 '' kmeans -k 2 -e 1 --bounds-file b3.csv ok.csv
printf '0,1\n' >b1.csv # one line is one feature, not all of them
refuse 2 '1 features, the data has 2' kmeans -k 2 -e 1 --bounds-file b1.csv ok.csv
said 'one line for each feature.*--columns'
refuse 2 '1 features, the data has 2' kmedian -k 2 -e 1 --bounds-file b1.csv ok.csv
refuse 2 '1 features, the data has 2' subspace -k 2 -q 1 -e 1 --bounds-file b1.csv ok.csv
refuse 2 '1 features, the data has 2' local simulate --no-header -k 2 -e 1 --bounds-file b1.csv ok.csv
refuse 2 '1 features, the data has 2' kmeans -k 2 --non-private --bounds-file b1.csv ok.csv
refuse 2 '1 features, the data has 4' kmeans -k 2 -e 1 --bounds-file b1.csv \
    --dry-run --rows 100 --dimension 4
refuse 2 '1 features, the data has 4' local plan -k 2 -e 1 --bounds-file b1.csv \
    --rows 100 --dimension 4
run 0 kmeans -k 2 -e 1 --bounds-file b1.csv --columns 2 ok.csv
refuse 4 'absent.csv' kmeans -k 2 -e 1 --bounds-file absent.csv ok.csv
for pair in 3,2 2,2; do
    printf '0,1\n%s\n' $pair >bad.csv
    refuse 4 'bad.csv: line 2.*lo below hi' kmeans -k 2 -e 1 --bounds-file bad.csv ok.csv
done
printf '0,1\n0;1\n' >bad.csv
refuse 4 'bad.csv: line 2' kmeans -k 2 -e 1 --bounds-file bad.csv ok.csv
printf 'lo,hi\n' >bad.csv
refuse 4 'no bounds' kmeans -k 2 -e 1 --bounds-file bad.csv ok.csv
refuse 4 '\.' kmeans -k 2 -e 1 --bounds-file . ok.csv

# ---- options that exclude each other ---------------------------------------
refuse 2 'this version has: auto, lloyd' kmeans -k 2 -e 1 $B --method magic ok.csv
refuse 2 'add-remove, replace-one' kmeans -k 2 -e 1 $B --adjacency row ok.csv
refuse 2 'error, drop' kmeans -k 2 -e 1 $B --missing mean ok.csv
refuse 2 'csv, tsv, npy, svm' kmeans -k 2 -e 1 $B --format parquet ok.csv
refuse 2 'auto, always, never' kmeans -k 2 -e 1 $B --progress on ok.csv
refuse 2 'exclude each other' kmeans -k 2 -e 1 $B --header --no-header ok.csv
refuse 2 'columns' kmeans -k 2 -e 1 $B --columns a,,b ok.csv
refuse 2 'no meaning with --non-private' kmeans -k 2 -e 1 --non-private $B ok.csv
refuse 2 'no meaning with --non-private' kmeans -k 2 --non-private --insecure-seed 1 $B ok.csv
refuse 2 '\-\-starts needs' kmeans -k 2 -e 1 --starts 3 $B ok.csv
refuse 2 '\-\-rows needs' kmeans -k 2 -e 1 --rows 3 $B ok.csv
refuse 2 'needs --rows' kmeans -k 2 -e 1 $B --dry-run --dimension 2
refuse 2 'with --dimension' kmeans -k 2 -e 1 $B --dry-run --rows 9
refuse 2 'dense rows' subspace -k 2 -q 1 -e 1 $B --dry-run --rows 9 --dimension 2 --format svm
refuse 2 'neither in .npy' kmeans -k 2 -e 1 $B --centers c.txt ok.csv
refuse 2 'same file' kmeans -k 2 -e 1 $B --centers c.csv -o c.csv ok.csv
refuse 2 'is an input' kmeans -k 2 -e 1 $B -o ./ok.csv ok.csv
refuse 2 '\-\-account' kmeans -k 2 -e 1 $B --account me ok.csv
refuse 5 'no ledger at' kmeans -k 2 -e 1 $B --ledger sqlite:x --account me ok.csv

# ---- bad input: exit 4, the file is named, no value is shown ---------------
refuse 4 'absent.csv' kmeans -k 2 -e 1 $B absent.csv
mkdir folder.csv
refuse 4 'folder.csv' kmeans -k 2 -e 1 $B folder.csv
: >empty.csv
refuse 4 'empty.csv' kmeans -k 2 -e 1 $B empty.csv
printf '0.5,0.25\n0.5,7177.5x\n' >bad.csv
refuse 4 'bad.csv.*line 2' kmeans -k 2 -e 1 $B bad.csv
check "no value in the message" sh -c "! grep -q 7177 '$ERR'"
printf '0.5,0.25\n0.5,nan\n' >bad.csv
refuse 4 'bad.csv.*line 2' kmeans -k 2 -e 1 $B bad.csv
run 0 kmeans -k 2 -e 1 $B --missing drop bad.csv
printf '0.5,0.25\n0.5,\n' >bad.csv
refuse 4 'bad.csv.*line 2' kmeans -k 2 -e 1 $B bad.csv
printf '0.5,0.25\n0.5\n' >bad.csv
refuse 4 'bad.csv.*line 2' kmeans -k 2 -e 1 $B bad.csv
printf '0.5,0.25\n0.5,0.5,0.5\n' >bad.csv
refuse 4 'bad.csv.*line 2' kmeans -k 2 -e 1 $B bad.csv
printf 'a,b\n0.5,0.25\n' >named.csv
refuse 4 'named.csv' kmeans -k 2 -e 1 $B --columns a,c named.csv
refuse 4 'named.csv' kmeans -k 2 -e 1 $B --no-header named.csv
run 0 kmeans -k 2 -e 1 $B --columns b named.csv
printf '1 1:0.5\n' >x.svm
refuse 2 'dimension' kmeans -k 2 -e 1 --radius 1 x.svm
refuse 4 'ok.csv' kmeans -k 2 -e 1 --radius 1 --dimension 3 x.svm ok.csv
refuse 4 '' kmeans -k 2 -e 1 $B --dimension 5 ok.csv
cp ok.csv rows.dat
run 0 kmeans -k 2 -e 1 $B --format csv rows.dat
"$KITH" kmeans -k 2 -e 1 $B rows.dat >"$OUT" 2>"$ERR"
check "unknown suffix is refused" [ $? -ne 0 ]
"$PYTHON" - <<'P'
import struct
def npy(name, descr, body, shape="(2, 2)"):
    head = "{'descr': '%s', 'fortran_order': False, 'shape': %s, }" % (descr, shape)
    head += " " * ((-11 - len(head)) % 64) + "\n"
    open(name, "wb").write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head))
                           + head.encode() + body)
npy("good.npy", "<f8", struct.pack("<4d", .1, .2, .3, .4))
npy("complex.npy", "<c16", struct.pack("<8d", *[.1] * 8))
npy("object.npy", "|O", b"x" * 32)
npy("nan.npy", "<f8", struct.pack("<4d", .1, .2, float("nan"), .4))
npy("short.npy", "<f8", struct.pack("<3d", .1, .2, .3))
npy("huge.npy", "<f8", b"", "(9999999999999, 9999999999999)")
P
run 0 kmeans -k 2 -e 1 $B good.npy
for name in complex object nan short huge; do
    refuse 4 "$name.npy" kmeans -k 2 -e 1 $B $name.npy
done
gzip -c ok.csv | head -c 20 >cut.csv.gz
refuse 4 'cut.csv.gz' kmeans -k 2 -e 1 $B cut.csv.gz

# ---- the number of rows is private: more centres than rows is fine ---------
run 0 kmeans -k 9 -e 1 $B ok.csv
run 0 kmeans -k 9 -e 1 --delta 1e-6 --radius 1 ok.csv

# ---- fewer centres than were asked for are never silent --------------------
printf '0.5,0.5\n0.5,0.5\n0.5,0.5\n' >equal.csv
for command in kmeans kmedian; do
    run 0 $command --non-private -k 2 $B --quiet equal.csv
    said 'warning: only 1 of the 2 centres differ'
    run 0 $command --non-private -k 2 $B --quiet ok.csv
    check "no warning" sh -c "! grep -q 'centres differ' '$ERR'"
done
run 0 local simulate --no-header -k 9 -e .5 $B --quiet --insecure-seed 1 -o few.json ok.csv
python "a warning with fewer centres" few.json "$ERR" <<'P'
import json, sys
found = len(json.load(open(sys.argv[1]))["centers"])
assert (found < 9) == ("could be told from noise" in open(sys.argv[2]).read()), found
assert found < 9
P

# ---- weak guarantees are named ---------------------------------------------
run 0 kmeans -k 2 -e 11 $B ok.csv
said 'weak guarantee: epsilon'
run 0 kmeans -k 2 -e 1 --delta 0.001 $B ok.csv
said 'weak guarantee: delta'
run 0 kmeans -k 2 -e 10 --delta 0.0009 $B ok.csv
check "no warning" sh -c "! grep -q 'weak guarantee' '$ERR'"
finish

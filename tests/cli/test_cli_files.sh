#!/usr/bin/env bash
# Output files appear whole or not at all: unwritable places, full disks,
# signals, links, files that exist.
set -u
. "$(dirname "$(realpath "$0")")/lib.sh"

printf '0.1,0.2\n0.3,0.4\n0.9,0.8\n0.7,0.6\n' >rows.csv
A="-k 2 -e 1 --bounds 0:1"
clean() { # no temporary file is left
    check "no temporary file is left" [ -z "$(find . -name '.kith-*')" ]
}

# ---- places that cannot be written -----------------------------------------
mkdir folder
refuse 1 'absent/m.json' kmeans $A -o absent/m.json rows.csv
refuse 1 'directory' kmeans $A -o folder rows.csv
refuse 1 'rows.csv/m.json' kmeans $A -o rows.csv/m.json rows.csv
refuse 1 'absent/c.npy' kmeans $A -o m.json --centers absent/c.npy rows.csv
check "no model either" [ ! -e m.json ]
clean
# Checked before the rows are read: the bad input is not even looked at.
refuse 1 'absent/m.json' kmeans $A -o absent/m.json missing-input.csv
refuse 4 'missing-input' kmeans $A -o m.json missing-input.csv
check "no model" [ ! -e m.json ]
clean
refuse 2 'unset|epsilon' kmeans -k 2 -e 5000 --bounds 0:1 -o m.json rows.csv
check "no model" [ ! -e m.json ]

# ---- full disks ------------------------------------------------------------
for args in "kmeans $A rows.csv" "kmeans $A --dry-run --rows 9 --dimension 2" \
    "generate gaussians --rows 9 --dimension 2 -k 2" "--help" "--version"; do
    LAST="kith $args > /dev/full"
    "$KITH" $args >/dev/full 2>"$ERR"
    check "full disk is an error" [ $? -eq 1 ]
    said 'cannot write to standard output'
    LAST="kith $args >&-"
    "$KITH" $args >&- 2>"$ERR"
    check "closed standard output is an error" [ $? -eq 1 ]
done
run 1 kmeans $A -o /dev/full rows.csv
said '/dev/full'
check "the device is still one" [ -c /dev/full ]
run 0 kmeans $A -o /dev/null rows.csv
check "the device is still one" [ -c /dev/null ]
run 0 kmeans $A -o m.json rows.csv
run 1 assign m.json rows.csv -o /dev/full
run 1 evaluate m.json rows.csv -o /dev/full
run 1 generate gaussians --rows 90000 --dimension 5 -k 2 --labels /dev/full -o g.csv
check "no data without labels" [ ! -e g.csv ]
rm m.json
# A file size limit is a full disk for a regular file.
(
    ulimit -f 8
    "$KITH" generate gaussians --rows 9000 --dimension 9 -k 2 -o big.csv 2>"$ERR"
    echo $? >"$WORK/code"
)
check "file too large is an error" [ "$(cat "$WORK/code")" = 1 ]
said 'big.csv'
check "nothing is left of it" [ ! -e big.csv ]
clean

# ---- replacing -------------------------------------------------------------
echo old >m.json
chmod 640 m.json
run 0 kmeans $A -o m.json rows.csv
check "replaced" grep -q '"kith": 1' m.json
check "mode is kept" [ "$(stat -c %a m.json)" = 640 ]
echo old >m.json
run 4 kmeans $A -o m.json absent.csv
check "kept on failure" [ "$(cat m.json)" = old ]
(
    umask 027
    "$KITH" kmeans $A -o fresh.json --quiet rows.csv
)
check "umask is obeyed" [ "$(stat -c %a fresh.json)" = 640 ]
echo old >real.json
ln -s real.json link.json
run 0 kmeans $A -o link.json rows.csv
check "the link stays a link" [ -L link.json ]
check "its target is replaced" grep -q '"kith": 1' real.json
rm -f ./*.json
clean

# ---- one file under two names ----------------------------------------------
mkdir -p out/deep
ln -s out link
for pair in "out/c.csv ./out/c.csv" "c.csv $PWD/c.csv" "out/c.csv link/c.csv" \
    "out/deep/../c.csv out/c.csv"; do
    set -- $pair
    for _ in absent existing; do
        refuse 2 'same file' kmeans $A -o "$1" --centers "$2" rows.csv
        refuse 2 'same file' kmedian $A -o "$1" --centers "$2" rows.csv
        refuse 2 'same file' local simulate $A -o "$1" --centers "$2" rows.csv
        refuse 2 'file of its own' generate gaussians --rows 9 --dimension 2 -k 2 \
            -o "$1" --labels "$2"
        echo old >"$1"
    done
    check "untouched" [ "$(cat "$2")" = old ]
    rm "$1"
done
ln -s c.csv out/alias.csv
echo old >out/c.csv
refuse 2 'same file' kmeans $A -o out/alias.csv --centers out/c.csv rows.csv
run 0 kmeans $A -o out/c.json --centers out/c.csv rows.csv
run 0 kmeans $A -o out/deep/c.csv --centers out/c.csv rows.csv
rm -r out link

# ---- signals ---------------------------------------------------------------
mkfifo pipe
temporary() { # files that $pid has begun, with names or (Linux) without
    { find . -name '.kith-*'
      find "/proc/$pid/fd" -type l -printf '%l\n' 2>/dev/null | grep '#[0-9]* (deleted)$' | sort -u; } | wc -l
}
for signal in TERM INT HUP KILL; do
    echo old >m.json
    # A background job ignores SIGINT unless it is told otherwise.
    "$PYTHON" -c "
import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execv(sys.argv[1], sys.argv[1:])" "$KITH" kmeans $A --format csv --force -o m.json \
        --centers c.npy - <pipe 2>"$ERR" &
    pid=$!
    exec 9>pipe
    printf '0.1,0.2\n0.3,0.4\n' >&9
    for _ in $(seq 3000); do
        [ "$(temporary)" = 2 ] && break
        sleep 0.02
    done
    check "waits for its input with two temporary files" \
        [ "$(temporary)" = 2 ]
    kill -$signal $pid
    exec 9>&- # so that a process that lives on comes to its end
    { wait $pid; } 2>/dev/null
    code=$?
    LAST="kith kmeans, killed by SIG$signal"
    check "dies of the signal ($code)" [ $code -gt 128 ]
    check "the old file is untouched" [ "$(cat m.json)" = old ]
    check "no centres" [ ! -e c.npy ]
    clean
    rm -f .kith-* c.npy
done
LAST="kith assign | head"
"$KITH" generate gaussians --rows 200000 --dimension 2 -k 2 --labels l.txt 2>"$ERR" | head -n 1 >/dev/null
check "a closed pipe leaves nothing" [ ! -e l.txt ]
clean

# ---- centres for other programs --------------------------------------------
run 0 kmeans $A --insecure-seed 3 --centers c.npy -o m.json rows.csv
run 0 kmeans $A --insecure-seed 3 --centers c.csv rows.csv
python "centres" m.json c.npy c.csv <<'P'
import ast, json, struct, sys
model, npy, csv = sys.argv[1:]
centers = json.load(open(model))["centers"]
raw = open(npy, "rb").read()
assert raw[:8] == b"\x93NUMPY\x01\x00"
length, = struct.unpack("<H", raw[8:10])
assert (10 + length) % 64 == 0 and raw[10 + length - 1:10 + length] == b"\n"
head = ast.literal_eval(raw[10:10 + length].decode())
assert head == {"descr": "<f8", "fortran_order": False, "shape": (2, 2)}, head
values = struct.unpack("<4d", raw[10 + length:])
assert list(values) == sum(centers, [])
rows = [[float(x) for x in line.split(",")] for line in open(csv)]
assert rows == centers
P
# ---- how much of several files has been read --------------------------------
"$KITH" generate gaussians --rows 60000 --dimension 8 --clusters 2 --seed 1 -o one.npy 2>/dev/null
"$KITH" generate gaussians --rows 30000 --dimension 8 --clusters 2 --seed 2 -o two.csv 2>/dev/null
gzip -kf two.csv
run 0 kmeans -k 2 -e 1 --bounds -1:1 --threads 1 --progress always --force -o read.json one.npy two.csv two.csv.gz
check "reading: a quarter after the other" [ "$(grep -o 'reading, [0-9]* %' "$ERR" | paste -sd' ')" = \
    "reading, 25 % reading, 50 % reading, 75 % reading, 100 %" ]
finish

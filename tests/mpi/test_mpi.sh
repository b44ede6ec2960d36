#!/usr/bin/env bash
# kith-mpi under a real mpirun: the model of a single process byte for byte, for
# every method and format; failures that end the run without a model.
# MPIRUN names another launcher, as mpirun.mpich for a build with MPICH.
. "$(dirname "$0")/../cli/lib.sh"
# What Open MPI itself leaves behind at the end is not ours to report.
export ASAN_OPTIONS="detect_leaks=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}"
: "${KITH_MPI:?set KITH_MPI to the kith-mpi binary}" "${MPIRUN:=mpirun}"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_btl_vader_single_copy_mechanism=none
# More ranks than processors: who waits lets the others work.
export OMPI_MCA_mpi_yield_when_idle=1

# ranks N CODE ARG...: mpirun -n N kith-mpi ARG... exits with CODE.
ranks() {
    local n=$1 want=$2 got
    shift 2
    LAST="mpirun -n $n kith-mpi $*"
    CHECKS=$((CHECKS + 1))
    timeout -k 5 60 "$MPIRUN" -n "$n" "$KITH_MPI" "$@" >"$OUT" 2>"$ERR" </dev/null
    got=$?
    [ "$got" -eq "$want" ] || fail "exit $got, expected $want"
}

# same N ARG... : N ranks make the model that one process makes.
same() {
    local n=$1
    shift
    run 0 "$@" --insecure-seed 7 --threads 1 --quiet -o alone.json
    ranks "$n" 0 "$@" --insecure-seed 7 --threads 1 --quiet -o team.json
    check "$n ranks: $*" cmp -s alone.json team.json
    rm -f team.json
}

"$KITH" generate gaussians --rows 3000 --dimension 6 --clusters 3 --seed 1 -o a.npy 2>/dev/null
"$KITH" generate gaussians --rows 900 --dimension 6 --clusters 3 --seed 2 -o b.npy 2>/dev/null
"$KITH" generate gaussians --rows 2500 --dimension 6 --clusters 3 --seed 3 -o c.csv 2>/dev/null
"$KITH" generate subspaces --rows 3000 --dimension 8 --clusters 2 --subspace-dimension 2 --seed 4 -o p.npy 2>/dev/null
"$KITH" generate sparse --rows 1200 --dimension 60 --clusters 3 --sparsity 8 --seed 5 -o s.svm 2>/dev/null
{ echo "x1,x2,x3,x4,x5,x6"; cat c.csv; } >h.csv
gzip -k c.csv
head -n 1 c.csv >one.csv

# ---- the same bits ---------------------------------------------------------
bounds=(-e 2 --bounds -1:1)
same 2 kmeans -k 3 "${bounds[@]}" --delta 1e-6 a.npy b.npy
same 3 kmeans -k 3 "${bounds[@]}" a.npy
same 4 kmeans -k 3 "${bounds[@]}" --delta 1e-6 --adjacency replace-one --header h.csv
same 7 kmeans -k 3 "${bounds[@]}" --method lloyd --delta 1e-6 c.csv b.npy c.csv.gz
same 3 kmeans -k 3 "${bounds[@]}" --method sulq --delta 1e-6 a.npy b.npy
same 2 kmeans -k 3 "${bounds[@]}" --method grid a.npy
same 2 kmeans -k 3 "${bounds[@]}" --method balcan --delta 1e-6 a.npy b.npy c.csv
same 3 kmeans -k 3 "${bounds[@]}" --adjacency replace-one --method balcan a.npy
same 3 kmedian -k 3 "${bounds[@]}" --delta 1e-6 c.csv
same 2 kmedian -k 3 "${bounds[@]}" --method balcan a.npy
same 3 subspace -k 2 -q 2 -e 2 --bounds -1:1 --delta 1e-6 p.npy
same 2 subspace -k 2 -q 2 -e 2 --bounds -1:1 --method sulq p.npy
same 3 kmeans -k 3 -e 4 --delta 1e-6 --dimension 60 --bounds 0:1 --radius 1 s.svm
same 4 kmeans -k 1 "${bounds[@]}" --delta 1e-6 one.csv # ranks without rows
same 1 kmeans -k 3 "${bounds[@]}" --delta 1e-6 a.npy

# ---- evaluate and assign ---------------------------------------------------
run 0 kmeans -k 3 "${bounds[@]}" --delta 1e-6 --quiet -o model.json a.npy
run 0 evaluate model.json a.npy c.csv
cp "$OUT" alone.eval
ranks 3 0 evaluate model.json a.npy c.csv
check "evaluate agrees" "$PYTHON" -c '
import json, sys
a, b = (json.load(open(f)) for f in sys.argv[1:])
sys.exit(a["rows"] != b["rows"] or abs(a["cost"] - b["cost"]) > 1e-12 * a["cost"])
' alone.eval "$OUT"
run 0 assign model.json -o alone.labels c.csv
mkdir labels
ranks 3 0 assign model.json -o labels c.csv c.csv.gz
cat labels/c.csv.labels.* >team.labels
check "labels of parts, one after another" cmp -s alone.labels team.labels
cat labels/c.csv.gz.labels.* >team.labels
check "labels of a compressed file" cmp -s alone.labels team.labels
ranks 2 2 assign model.json c.csv
said "folder"

# ---- refused, on all ranks, before anything is charged ---------------------
ranks 2 2 subspace -k 2 -q 2 -e 2 --bounds -1:1 --delta 1e-6 --method gibbs -o no.json p.npy
said "gibbs needs all rows"
ranks 2 2 subspace -k 2 -q 2 -e 2 --bounds -1:1 --delta 1e-6 --method sample-aggregate -o no.json p.npy
said "sample-aggregate needs all rows"
ranks 2 2 kmedian -k 2 "${bounds[@]}" --recovery sampling -o no.json a.npy
said "sampling needs all rows"
for m in kvariates sample-aggregate; do
    ranks 2 2 kmeans -k 2 "${bounds[@]}" --method $m -o no.json a.npy
    said "$m needs all rows"
done
ranks 2 2 kmeans -k 2 --non-private --bounds -1:1 -o no.json a.npy
said "non-private needs all rows"
ranks 3 2 kmeans -k 2 -o no.json a.npy
check "one message of all ranks" [ "$(grep -c 'epsilon' "$ERR")" -eq 1 ]
ranks 2 2 local simulate a.npy
said "use kith"
{ cat c.csv; echo "1,2,3,4,5,x"; } >bad.csv
ranks 3 4 kmeans -k 2 "${bounds[@]}" -o no.json a.npy b.npy bad.csv
said "bad.csv: line 2501: .*not a number"
ranks 3 4 kmeans -k 2 "${bounds[@]}" -o no.json bad.csv
said "rank 2 failed: bad.csv from byte [0-9]+ on: line"
{ head -n 2000 c.csv; printf '"1\n",2,3,4,5,6\n'; tail -n 500 c.csv; } >quoted.csv
ranks 2 4 kmeans -k 2 "${bounds[@]}" -o no.json quoted.csv
said "row of several lines"
ranks 2 1 kmeans -k 2 "${bounds[@]}" -o nowhere/no.json a.npy
said "nowhere"
ranks 2 2 kmeans -k 2 "${bounds[@]}" --rank-timeout x -o no.json a.npy
said "rank-timeout"

# ---- each rank has files of its own ----------------------------------------
# apart N CODE ARG...: as ranks, each in the folder node.RANK.
apart() {
    local n=$1 want=$2 got
    shift 2
    LAST="mpirun -n $n, apart: kith-mpi $*"
    CHECKS=$((CHECKS + 1))
    # shellcheck disable=SC2016
    timeout -k 5 60 "$MPIRUN" -n "$n" sh -c 'cd "node.${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" && exec "$@"' sh \
        "$KITH_MPI" "$@" >"$OUT" 2>"$ERR" </dev/null
    got=$?
    [ "$got" -eq "$want" ] || fail "exit $got, expected $want"
}
mkdir node.0 node.1 node.2
cp a.npy node.0/day-1.npy
cp b.npy node.1/day-1.npy
cp c.csv node.2/day-7.csv
head -n 100 c.csv >node.2/day-8.csv
own=(--shards-local -k 3 -e 2 --delta 1e-6 --bounds -1:1 --insecure-seed 7 --threads 1 --quiet)
run 0 kmeans "${own[@]:1}" -o alone.json node.0/day-1.npy node.1/day-1.npy node.2/day-7.csv node.2/day-8.csv
apart 3 0 kmeans "${own[@]}" -o "$PWD/team.json" 'day-*'
check "patterns are matched on each machine: the same model" cmp -s alone.json team.json
run 0 evaluate model.json node.0/day-1.npy node.1/day-1.npy node.2/day-7.csv node.2/day-8.csv
cp "$OUT" alone.eval
apart 3 0 evaluate --shards-local ../model.json 'day-*'
check "evaluate agrees, apart" "$PYTHON" -c '
import json, sys
a, b = (json.load(open(f)) for f in sys.argv[1:])
sys.exit(a["rows"] != b["rows"] or abs(a["cost"] - b["cost"]) > 1e-12 * a["cost"])
' alone.eval "$OUT"
rm -f labels/*
apart 3 0 assign --shards-local ../model.json -o "$PWD/labels" 'day-*'
check "labels of every file" [ "$(cat labels/*.labels.* | wc -l)" -eq 6500 ]
for link in ln "ln -s"; do # the same file, also under another name
    $link "$PWD/node.0/day-1.npy" node.1/day-2.npy
    apart 3 2 kmeans "${own[@]}" -o "$PWD/no.json" 'day-*'
    said "ranks 0 and 1 read one file, .*count twice.*allow-repeat"
    apart 2 2 evaluate --shards-local ../model.json 'day-*'
    said "ranks 0 and 1 read one file"
    apart 3 0 kmeans "${own[@]}" --allow-repeat -o "$PWD/twice.json" 'day-*'
    rm node.1/day-2.npy twice.json
done
rm node.1/day-1.npy
apart 3 4 kmeans "${own[@]}" -o "$PWD/no.json" 'day-*'
said "rank 1 failed: no file of this machine is .day-"
{ echo "x1,x2,x3,x4,x5,x6"; head -n 9 c.csv; } >node.0/n.csv
{ echo "x2,x1,x3,x4,x5,x6"; head -n 8 c.csv; } >node.1/n.csv
apart 2 4 kmeans "${own[@]}" -o "$PWD/no.json" n.csv
said "ranks 0 and 1 name their columns differently"
apart 2 0 kmeans "${own[@]}" --columns x1,x2,x3,x4,x5,x6 -o "$PWD/named.json" n.csv
apart 2 2 kmeans "${own[@]}" --user-column x1 -o "$PWD/no.json" n.csv
said "all rows of a person in one place"

# ---- ranks that compute differently ----------------------------------------
LAST="mpirun, two kernels of BLAS"
CHECKS=$((CHECKS + 1))
one=(kmeans -k 3 "${bounds[@]}" --delta 1e-6 -o no.json a.npy b.npy)
timeout 60 "$MPIRUN" -n 1 env OPENBLAS_CORETYPE=Haswell "$KITH_MPI" "${one[@]}" \
    : -n 1 env OPENBLAS_CORETYPE=Sandybridge "$KITH_MPI" "${one[@]}" >"$OUT" 2>"$ERR"
[ $? -eq 7 ] || fail "two kernels are not refused"
said "compute differently.*OPENBLAS_CORETYPE"

# ---- both makes of MPI build it ---------------------------------------------
for cc in mpicc.openmpi mpicc.mpich; do
    command -v $cc >/dev/null || continue
    check "$cc builds the transport" $cc -std=gnu11 -Wall -Wextra -Werror -I"$KITH_SOURCE/include" \
        -c "$KITH_SOURCE/tools/kith-mpi/team_mpi.c" -o team_mpi.o
done

# ---- the transport ---------------------------------------------------------
for n in 1 2 4; do
    LAST="team_mpi_check of $n"
    check "sums that wrap, $n ranks" timeout 60 "$MPIRUN" -n "$n" "$KITH_MPI_CHECK"
done

# ---- a ledger: one charge of all ranks, whatever becomes of the run ---------
# charged N: so many charges are in the ledger.
charged() {
    run 0 budget export study --ledger sqlite:team.db
    check "$1 charges, not $(grep -c '"kind":"charge"' "$OUT")" [ "$(grep -c '"kind":"charge"' "$OUT")" -eq "$1" ]
}
run 0 budget create study --ledger sqlite:team.db --new-ledger --dataset a --unit row --adjacency add-remove \
    -e 20 --delta 1e-6
paid=(kmeans -k 3 "${bounds[@]}" --delta 1e-7 --ledger sqlite:team.db --account study --quiet)
ranks 3 0 "${paid[@]}" -o paid.json a.npy b.npy
charged 1
run 0 verify paid.json --ledger sqlite:team.db
ranks 3 4 "${paid[@]}" -o no.json a.npy b.npy bad.csv # read before it is charged
charged 1
ranks 2 3 kmeans -k 3 --bounds -1:1 -e 90 --delta 1e-7 --ledger sqlite:team.db --account study -o no.json a.npy
charged 1

# ---- ranks that die or hang ------------------------------------------------
"$KITH" generate gaussians --rows 400000 --dimension 20 --clusters 3 --seed 6 -o big.npy 2>/dev/null

# rank_pid RANK: the process of that rank of the run in this folder, once it is there.
rank_pid() {
    local pid _
    for _ in $(seq 600); do
        for pid in $(pgrep -f "$KITH_MPI kmeans"); do
            tr '\0' '\n' <"/proc/$pid/environ" 2>/dev/null | grep -qxE "(OMPI_COMM_WORLD|PMI)_RANK=$1" || continue
            tr '\0' '\n' <"/proc/$pid/environ" 2>/dev/null | grep -qx "PWD=$PWD" && echo "$pid" && return
        done
        sleep .05
    done
}

# strike SIGNAL RANK CHARGES PATIENCE: sends it in the middle of a run of 3; then so many runs were charged.
strike() {
    LAST="mpirun -n 3, $1 to rank $2"
    CHECKS=$((CHECKS + 1))
    : >"$ERR" # what the run before it said is no sign of this one
    timeout -k 5 60 "$MPIRUN" -n 3 "$KITH_MPI" kmeans -k 3 "${bounds[@]}" --delta 1e-7 --threads 1 \
        --ledger sqlite:team.db --account study --progress always --rank-timeout "$4" -o no.json big.npy \
        >"$OUT" 2>"$ERR" </dev/null &
    local job=$! victim _
    victim=$(rank_pid "$2")
    for _ in $(seq 600); do # until it is past the charge: a step is done
        grep -q 'step [1-9]' "$ERR" && break
        sleep .05
    done
    kill "-$1" "$victim"
    wait "$job"
    local got=$?
    [ "$got" -ne 0 ] && [ "$got" -ne 124 ] || fail "exit $got"
    kill -KILL "$victim" 2>/dev/null
    check "no model after $1" [ ! -e no.json ]
    check "nothing half-written after $1" [ -z "$(find . -name '.kith-*' -newer big.npy)" ]
    cp "$ERR" strike.err
    charged "$3"
    cp strike.err "$ERR"
}
strike KILL 2 2 50
strike KILL 0 3 50
strike STOP 1 4 15 # slow machines are not hung before they have paid
said "hangs, or is slow"
check "no model anywhere" [ ! -e no.json ]
finish

#!/usr/bin/env bash
# What a privacy officer asks of a ledger: nothing is charged in vain, every
# account that paid is asked, and marks stay where people look (T6..T22).
. "$(dirname "$0")/lib.sh"
export KITH_LEDGER=sqlite:team.db
CHECKER=$KITH_SOURCE/tools/verify/kith_verify.py
"$KITH" generate gaussians --rows 1000 --dimension 3 -k 3 -o rows.csv 2>/dev/null
run 0 budget create gas --new-ledger --dataset gas --unit row --adjacency add-remove -e 4 --delta 1e-4 --pure 1
run 0 budget create gas2 --dataset gas --unit row --adjacency add-remove -e 4 --delta 1e-4 --pure 1

# ---- refused whatever the rows are: refused before it is paid (T8, T14, T19)
in_vain() { # in_vain CODE PATTERN ARG...
    refuse "$@" --account gas rows.csv
    said 'nothing was charged'
    check "nothing was charged" [ "$("$KITH" budget history gas | wc -l)" = 1 ]
}
planes='subspace -k 2 -q 2 --radius 1'
# shellcheck disable=SC2086
{
    in_vain 3 'no account can hold' $planes -e 1 --delta 1e-4 --method sample-aggregate
    in_vain 3 'no account can hold' $planes -e 4 --delta 1e-4 --method sample-aggregate
    in_vain 3 'no account can hold' $planes -e 1 --delta 1e-4 --method sample-aggregate --ignore-conditions
    in_vain 2 'needs delta > 0' $planes -e 1 --method sample-aggregate
    in_vain 3 'leave no guarantee' $planes -e 1 --method gibbs --non-private-start
    in_vain 3 'leave no guarantee' $planes -e 1 --method gibbs --debug-diagnostics
}
in_vain 3 'too small to be divided' kmeans -k 2 -e 1e-9 --delta 1e-6 --radius 1
in_vain 3 'too small to be divided' kmeans -k 2 -e 1e-9 --delta 1e-6 --bounds private
finish

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

# ---- every account that paid is asked, and told (T7, T12, T22) --------------
agree() { # agree CODE PATTERN LEDGER MODEL: both checkers, the same words and the same JSON
    for form in '' --json; do
        # shellcheck disable=SC2086
        run "$1" verify $form --ledger "$3" "$4"
        check "$LAST says: $2" grep -Eq -- "$2" "$OUT"
        # shellcheck disable=SC2086
        python3 "$CHECKER" $form --ledger "$3" "$4" >second.txt
        check "kith_verify.py $form exits with $1" [ $? = "$1" ]
        same "$OUT" second.txt
    done
}
run 0 budget backup old.db
run 0 kmeans -k 2 -e .1 --delta 1e-6 --radius 1 --account gas,gas2 -o both.json rows.csv
agree 0 'Paid for by entry 2 of account gas and by entry 2 of account gas2' sqlite:team.db both.json
agree 1 'old copy .account gas2.' sqlite:old.db both.json
mkdir models && cp both.json models
run 0 budget adopt both.json --account gas --ledger sqlite:old.db
agree 1 'old copy .account gas2.' sqlite:old.db both.json
run 5 budget verify --models models --ledger sqlite:old.db
said 'account gas2'
run 0 budget adopt both.json --ledger sqlite:old.db
said 'has it already: entry 2 of account gas'
said 'booked in account gas2'
run 0 budget adopt both.json --account gas2 --ledger sqlite:old.db
said 'has it already: entry 2 of account gas2'
agree 0 'Adopted by entry 2 of account gas and by entry 2 of account gas2' sqlite:old.db both.json
run 0 budget verify --models models --ledger sqlite:old.db
for name in gas2 gas; do "$KITH" budget export $name; done >two.txt
python3 "$CHECKER" --ledger two.txt both.json >second.txt
check "exports one after another" grep -q 'of account gas and by entry 2 of account gas2' second.txt

# ---- both checkers say the same about the ledger (T32) ----------------------
run 0 kmeans -k 2 -e .1 --delta 1e-6 --radius 1 --account gas -o one.json rows.csv
python3 - <<'P'
import json
m = json.load(open("one.json"))
m["centers"][0][0] += 0.25
json.dump(m, open("moved.json", "w"), indent=2)
P
agree 1 'no result has the SHA-256 of the file' sqlite:team.db moved.json
agree 1 'does not have the entry' sqlite:old.db one.json
run 1 verify --ledger sqlite:team.db moved.json
check "it does not hold" grep -q '^Does not hold' "$OUT"
run 1 verify --json --ledger sqlite:team.db moved.json
check "nor in JSON" grep -q '"verdict": "does not hold"' "$OUT"

# ---- marks stay where people look (T6, T18, T19) ----------------------------
run 0 budget create marks --dataset gas --unit row --adjacency add-remove -e 1 --delta 0
run 0 subspace -k 2 -q 1 -e .1 --method bingham --radius 1 --account marks --purpose planes --once may -o s.json rows.csv
run 0 budget history marks
check "the charge itself is marked" grep -Eq 'charge .*\(0.1, 0\).*purpose "planes".*once may.*asymptotic' "$OUT"
run 0 budget show marks
check "and the account" grep -q '^asymptotic 1 of the runs' "$OUT"
run 0 budget limit marks -e 2 --pure 2 --raise --reason 'more money'
run 0 budget limit marks -e 3 --pure 3 --raise --reason 'and more'
run 0 budget limit marks --close --reason 'all is said'
run 0 budget show marks
for words in '^raised .*to epsilon 2 .*more money' '^raised .*to epsilon 3 .*and more' \
    '^closed .*all is said' '^left .*closed'; do
    check "show: $words" grep -Eq "$words" "$OUT"
done
run 0 budget history marks
check "history: reasons" grep -q 'limit .*(3, 0).*raised  reason "and more"' "$OUT"
refuse 3 'closed, or used up' kmeans -k 2 -e .1 --radius 1 --account marks rows.csv
cp team.db forged.db
python3 -c 'import sqlite3
d = sqlite3.connect("forged.db"); d.execute("UPDATE account SET lim_gauss = lim_gauss * 2"); d.commit()'
run 5 budget show gas --ledger sqlite:forged.db
check "nothing is told of what is left" grep -q '^left .*not known' "$OUT"

# ---- small words -------------------------------------------------------------
refuse 2 'no comma' budget create 'we ird,name' --dataset x --unit row --adjacency add-remove -e 1 --delta 0
refuse 5 'no SQLite file: is the path right' budget show gas --ledger sqlite:rows.csv
finish

#!/usr/bin/env bash
# kith budget, and runs that a ledger pays for (T5..T20): charged before, bound
# to the model after, refused with what would fit; a changed ledger is noticed.
. "$(dirname "$0")/lib.sh"
L=sqlite:team.db
"$KITH" generate gaussians --rows 2000 --dimension 2 -k 3 -o rows.csv 2>/dev/null
run 5 kmeans -k 3 -e 1 --radius 1 --ledger "$L" --account visits rows.csv
said 'new-ledger'
test ! -e team.db || fail "a ledger appeared from nowhere"
run 0 budget create visits --ledger "$L" --new-ledger --dataset 'clinic visits' \
    --unit row --adjacency add-remove -e 4 --delta 1e-6 --pure 1
test "$(stat -c %a team.db)" = 600 || fail "others may read the ledger"
run 5 budget create visits --ledger "$L" --new-ledger --dataset x --unit row \
    --adjacency add-remove -e 4 --delta 1e-6
run 2 budget create visits --ledger "$L" --dataset x --unit row --adjacency add-remove -e 4
said 'delta'

# A run is charged, and the model and the entry name each other.
run 0 kmeans -k 3 -e 1 --delta 1e-6 --radius 1 --ledger "$L" --account visits \
    --once november -o m.json rows.csv
said 'paid by entry 2'
"$KITH" budget export visits --ledger "$L" >entries.txt || fail export
python3 - <<'P' || fail "model and entry do not name each other"
import hashlib, json
model = json.load(open("m.json"))["privacy"]["ledger"]
entries = [json.loads(line) for line in open("entries.txt")]
charge, result = entries[1], entries[2]
assert model["account"] == "visits" and model["entry"] == 2
assert model["hash"] == charge["hash"] and model["run"] == charge["body"]["run"]
assert result["body"]["model"] == hashlib.sha256(
    open("m.json", "rb").read()).hexdigest()
# the chain again, from its description alone
before = ""
for e in entries:
    parts = ["kith-ledger-1", model["id"], "visits", str(e["entry"]), before,
             e["at"], json.dumps(e["body"], sort_keys=True,
                                 separators=(",", ":"), ensure_ascii=False)]
    framed = b"".join(len(p.encode()).to_bytes(8, "big") + p.encode()
                      for p in parts)
    before = hashlib.sha256(framed).hexdigest()
    assert before == e["hash"], e
P
run 0 verify m.json
run 0 verify --ledger "$L" m.json
sed 's/"public_seed": 0/"public_seed": 1/' m.json >edited.json
cmp -s m.json edited.json && echo >>edited.json
run 1 verify --ledger "$L" edited.json
check "which is why" grep -q 'SHA-256' "$OUT"
"$KITH" kmeans -k 3 -e 1 --radius 1 --quiet -o unpaid.json rows.csv
run 1 verify --ledger "$L" unpaid.json
check "which is why" grep -q 'names no entry' "$OUT"
run 5 verify --ledger sqlite:nowhere.db m.json
run 3 kmeans -k 3 -e 1 --delta 1e-6 --radius 1 --ledger "$L" --account visits \
    --once november -o m2.json rows.csv
said 'entry 2'
test ! -e m2.json || fail "a refused run wrote a model"

# Refusals say what would fit; what fits, fits.
run 3 kmeans -k 3 -e 4 --delta 1e-6 --radius 1 --ledger "$L" --account visits rows.csv
said 'limit mu.2 .*spent .*asked for .*largest epsilon that fits is'
fits=$(sed -n 's/.*that fits is \([0-9.]*\);.*/\1/p' "$ERR")
run 0 kmeans -k 3 -e "$fits" --delta 1e-6 --radius 1 --ledger "$L" \
    --account visits -o m3.json rows.csv
run 3 kmeans -k 3 -e 1.5 --radius 1 --ledger "$L" --account visits rows.csv
said 'epsilon .pure runs. 1'
run 3 kmeans -k 3 -e 1 --radius 1 --insecure-seed 1 --ledger "$L" --account visits rows.csv
run 0 subspace -k 2 -q 1 -e 1 --radius 1 --ledger "$L" --account visits -o s.json rows.csv
run 3 kmedian -k 2 -e 1 --radius 1 --ledger "$L" --account visits rows.csv
# The pure purse is used up: what the other one takes is named, and is true (T14, T17).
run 0 budget create two --ledger "$L" --dataset x --unit row --adjacency add-remove -e 2 --delta 1e-6 --pure 1
run 0 kmeans -k 3 -e 1 --radius 1 --ledger "$L" --account two --quiet -o pure.json rows.csv
run 0 budget show two --ledger "$L"
check "a pure loss is not conditional" grep -Eq '^spent +1 run, epsilon 1 of 1 .*: epsilon 1 at delta 1e-06$' "$OUT"
check "no leftovers" grep -q 'and nothing for pure runs' "$OUT"
run 3 kmeans -k 3 -e 1 --radius 1 --ledger "$L" --account two rows.csv
said 'from its Gaussian purse it costs mu.2 1.5[0-9]* of the 0.05[0-9]* left, and the largest epsilon that fits there is [0-9.]* .--convert'
largest=$(sed -n 's/.*fits there is \([0-9.]*\) .*/\1/p' "$ERR")
run 3 kmeans -k 3 -e 0.5 --convert --radius 1 --ledger "$L" --account two rows.csv
said "the largest epsilon that fits is $largest;"
run 3 budget quote two --ledger "$L" --delta 0
said "with --convert epsilon $largest fits"
run 3 budget quote two --ledger "$L" -e 1 --convert
said "the largest epsilon that fits is $largest"
for given in '--delta 0 --convert' --convert; do
    # shellcheck disable=SC2086
    run 0 budget quote two --ledger "$L" $given
    check "the same by quote $given" grep -q "^1 run of ($largest, 0) fits" "$OUT"
done
run 3 kmeans -k 3 -e "$(echo "$largest" | awk '{ print $1 * 1.001 }')" --convert --radius 1 --ledger "$L" \
    --account two rows.csv
run 0 kmeans -k 3 -e "$largest" --convert --radius 1 --ledger "$L" --account two --quiet -o conv.json rows.csv
run 3 kmeans -k 3 -e 0.1 --convert --radius 1 --ledger "$L" --account two rows.csv
run 0 budget create round --ledger "$L" --dataset x --unit row --adjacency add-remove -e 2 --delta 0
run 0 budget create single --ledger "$L" --dataset x --unit row --adjacency add-remove -e 1.5 --delta 0
run 0 budget show single --ledger "$L"
check "one of each" sh -c "grep -q ', 1 entry,' '$OUT' && grep -q ' 1 more run of (1, 0), or one of (1.5, 0), or 5 of (0.3, 0)' '$OUT'"
run 0 budget quote round --ledger "$L" --runs 5
check "five of .4 are 2" grep -q '^5 runs of (0.4, 0) each fit$' "$OUT"
for _ in 1 2 3 4 5; do
    run 0 kmeans -k 3 -e 0.4 --radius 1 --ledger "$L" --account round --quiet -o r.json rows.csv
done
run 0 budget show round --ledger "$L"
check "what roundings leave is nothing" grep -q '^left       nothing for runs with delta 0$' "$OUT"
check "nothing is conditional" sh -c "! grep -q looking '$OUT'"
run 3 kmeans -k 3 -e 0.4 --radius 1 --ledger "$L" --account round rows.csv
said 'no such run fits'

# Limits say what they are, keep what is not said, and history shows it.
refuse 3 'say --raise --reason' budget limit two --ledger "$L" -e 5
run 0 budget limit two --ledger "$L" -e 5 --raise --reason 'more to ask'
said 'account two: the limit is epsilon 5 at delta 1e-06, 1 of it for pure runs'
run 0 budget history two --ledger "$L"
check "the pure part" grep -Eq 'limit +.5, 1e-06., pure 1 ' "$OUT"
check "the pure part" grep -Eq 'grant +.2, 1e-06., pure 1 ' "$OUT"
run 0 budget show two --ledger "$L"
check "what is left of both" grep -q 'epsilon 1 of 1 ' "$OUT"
refuse 2 '1 of the account is for pure runs, more' budget limit two --ledger "$L" -e 0.5 --delta 1e-6
run 0 budget limit two --ledger "$L" --analyst bob -e 1
said 'analyst bob: the limit is epsilon 1 at delta 1e-06, nothing for pure runs'
refuse 5 "the copy cannot be written to '/nowhere/copy.db': its folder" budget backup /nowhere/copy.db --ledger "$L"
KITH_LEDGER=$L "$KITH" kmeans -k 3 -e 1 --radius 1 rows.csv >/dev/null 2>err2 &&
    fail "KITH_LEDGER without an account"
grep -q account err2 || fail "does not ask for the account"
KITH_LEDGER=$L "$KITH" kmeans -k 3 -e 1 --radius 1 --ledger none --quiet rows.csv \
    >none.json || fail "--ledger none"
check "the model says that there was no ledger" grep -q '"ledger": "none"' none.json
run 0 verify none.json
run 0 report none.json -o none.html
check "the page says so too" grep -q 'no ledger' none.html
"$KITH" kmeans -k 3 -e 1 --radius 1 --quiet rows.csv >silent.json || fail "no ledger, and no word about it"
check "nothing is said of a ledger that nobody spoke of" [ "$(grep -c '"ledger"' silent.json)" -eq 0 ]
run 1 verify none.json --ledger "$L"
check "which is why" grep -q "names no entry" "$OUT"

# Several accounts, all or none, however they are named (T12).
for month in may june; do
    run 0 budget create $month --ledger "$L" --dataset $month --unit row --adjacency add-remove -e 0.5 --delta 0
done
for names in '--account may,june' '--account may --account june'; do
    # shellcheck disable=SC2086
    run 0 kmeans -k 3 -e 0.2 --radius 1 --ledger "$L" $names --quiet --force -o two.json rows.csv
    # shellcheck disable=SC2086
    run 3 kmeans -k 3 -e 0.4 --radius 1 --ledger "$L" $names --quiet rows.csv
done
for month in may june; do
    test "$("$KITH" budget history $month --ledger "$L" | grep -c 'charge .*epsilon 0.2 ')" = 2 || fail "$month"
done
KITH_LEDGER=$L "$KITH" kmeans -k 3 -e 1 --radius 1 --insecure-seed 1 --account may rows.csv >/dev/null 2>err2 &&
    fail "a seeded run was paid for"
grep -q 'without a guarantee' err2 || fail "does not say why a seeded run is not paid"

run 0 budget show visits --ledger "$L"
run 3 budget quote visits --ledger "$L" -e 1 --delta 1e-6 --runs 100
# Without -e: the largest runs, at the account's delta; and they fit, a little larger ones do not.
run 0 budget quote visits --ledger "$L" --runs 5
largest=$(sed -n 's/^5 runs of (\([0-9.]*\), 1e-06) each fit$/\1/p' "$OUT")
check "the largest of five runs" [ -n "$largest" ]
run 0 budget quote visits --ledger "$L" -e "$(echo "$largest" | awk '{ print $1 * .999 }')" --delta 1e-6 --runs 5
run 3 budget quote visits --ledger "$L" -e "$(echo "$largest" | awk '{ print $1 * 1.001 }')" --delta 1e-6 --runs 5
run 3 budget limit visits --ledger "$L" -e 9 --delta 1e-6 --pure 1
run 0 budget limit visits --ledger "$L" --analyst ana -e 0.1 --delta 1e-6
run 0 budget verify --ledger "$L"
run 0 budget backup copy.db --ledger "$L"
run 0 budget verify --ledger sqlite:copy.db
# An old copy put back misses the entry of a published model.
run 0 kmeans -k 3 -e .01 --delta 1e-6 --radius 1 --ledger "$L" --account visits -o late.json rows.csv
run 0 verify --ledger "$L" late.json
run 1 verify --ledger sqlite:copy.db late.json
check "which is why" grep -q 'old copy' "$OUT"

# Published models are witnesses: what an old copy misses is found by both
# checkers, booked once, and never beyond the limit.
CHECKER=$KITH_SOURCE/tools/verify/kith_verify.py
mkdir models
cp m.json late.json models
echo '{"no": "model"}' >models/other.json
agree() { # agree CODE LEDGER MODEL: both checkers say so
    run "$1" verify --ledger "$2" "$3"
    python3 "$CHECKER" --ledger "$2" "$3" >second.txt
    test $? = "$1" || { cat second.txt; fail "kith_verify.py differs: $2 $3"; }
}
run 0 budget verify --ledger "$L" --models models
said '2 models are in the ledger, 0 are not'
run 5 budget verify --ledger sqlite:copy.db --models models
said 'late.json: the ledger does not have the entry'
said 'budget adopt'
agree 0 "$L" m.json
agree 0 sqlite:copy.db m.json
agree 0 "$L" late.json
agree 1 sqlite:copy.db late.json
agree 1 "$L" edited.json
agree 1 "$L" unpaid.json
run 0 budget adopt models/late.json --ledger sqlite:copy.db
run 0 budget adopt models/late.json --ledger sqlite:copy.db
said 'has it already'
agree 0 sqlite:copy.db late.json
run 0 budget verify --ledger sqlite:copy.db --models models
run 2 budget adopt unpaid.json --ledger sqlite:copy.db
said 'account NAME'
run 3 budget adopt unpaid.json --account visits --ledger sqlite:copy.db
said 'nothing was charged'
sed 's/"epsilon": 1.0/"epsilon": 0.01/' unpaid.json >forged.json
run 1 budget adopt forged.json --account visits --ledger sqlite:copy.db
run 0 budget create more --ledger "$L" --dataset visits --unit row --adjacency add-remove \
    -e 8 --delta 1e-6 --pure .5
run 0 budget adopt unpaid.json --account more --convert --ledger "$L"
agree 0 "$L" unpaid.json
"$KITH" budget export visits --ledger "$L" --delta 1e-6 >export.txt || fail export
tail -1 export.txt | grep -q '"epsilon_limit":4,"epsilon_spent":[0-3]' || fail "epsilon at delta"
python3 "$CHECKER" --ledger export.txt late.json >second.txt
grep -q 'Paid for by' second.txt || fail "exported entries"
sed 's/"amount":[0-9]*/"amount":1/' export.txt >cheap.txt
python3 "$CHECKER" --ledger cheap.txt late.json >second.txt
grep -q 'not intact' second.txt || fail "edited entries"
"$KITH" budget export visits --ledger "$L" --csv | python3 -c 'import csv, sys
rows = list(csv.DictReader(sys.stdin)); assert rows[1]["kind"] == "charge", rows' || fail csv

# Local runs are nobody's: the note says how to count one all the same.
KITH_LEDGER=$L "$KITH" local simulate -k 2 -e 1 --radius 1 --no-header --quiet -o local.json rows.csv 2>err2 ||
    fail "local simulate"
grep -q 'own budget' err2 || fail "no word about the ledger"
run 0 budget create people --ledger "$L" --dataset visits --unit user --adjacency replace-one \
    -e 1 --delta 0
run 0 budget adopt local.json --account people --ledger "$L"
agree 0 "$L" local.json

# A run is signed together with the entry that paid for it; a key that cannot be
# read is found out before anything is paid.
before=$("$KITH" budget history visits --ledger "$L" | wc -l)
run 4 kmeans -k 3 -e .01 --delta 1e-6 --radius 1 --ledger "$L" --account visits \
    --sign-key nowhere.key -o signed.json rows.csv
run 2 kmeans -k 3 -e .01 --radius 1 --sign-key nowhere.key rows.csv
run 0 sign --new-key me.key
run 2 kmeans -k 3 -e 1 --radius 1 --insecure-seed 1 --sign-key me.key -o signed.json rows.csv
test "$before" = "$("$KITH" budget history visits --ledger "$L" | wc -l)" || fail "paid in vain"
run 0 kmeans -k 3 -e .01 --delta 1e-6 --radius 1 --ledger "$L" --account visits \
    --sign-key me.key -o signed.json rows.csv
"$KITH" verify --key me.key.pub --ledger "$L" signed.json >signed.txt || fail "signed"
grep -q "ledger [0-9a-f]*, account visits, entry $((before + 1)), hash" signed.txt ||
    fail "the signature does not name the entry"

# Whoever edits the ledger is noticed, and nothing more is charged (T29).
for edit in "UPDATE account SET lim_gauss = lim_gauss * 2" \
    "UPDATE account SET spent_gauss = 0" \
    "DROP TRIGGER entry_stays; UPDATE entry SET body = replace(body, 'visits', 'vosits') WHERE seq = 1" \
    "DROP TRIGGER entry_remains; DELETE FROM entry WHERE seq = 2" \
    "DELETE FROM sublimit"; do
    rm -f edited.db
    cp team.db edited.db
    python3 -c 'import sqlite3, sys
d = sqlite3.connect("edited.db"); d.executescript(sys.argv[1]); d.commit()' "$edit"
    run 5 budget verify --ledger sqlite:edited.db
    case $edit in *sublimit*) continue ;; esac
    run 5 kmeans -k 3 -e .01 --delta 1e-6 --radius 1 --ledger sqlite:edited.db \
        --account visits rows.csv
done

# T23: a ledger of an older kith, stored as text, is read, migrated and charged.
python3 - "$KITH_SOURCE/tests/vectors/ledger-1.sql" <<'P'
import os, sqlite3, sys
os.umask(0o077)
sqlite3.connect("old.db").executescript(open(sys.argv[1]).read())
P
run 0 budget verify --ledger sqlite:old.db
run 0 budget migrate --ledger sqlite:old.db
run 0 kmeans -k 3 -e .01 --delta 1e-6 --radius 1 --ledger sqlite:old.db --account visits rows.csv
run 0 budget verify --ledger sqlite:old.db

# T28: no permission to write (root may), a store that is no ledger, a newer one.
echo nonsense >not.db
run 5 budget verify --ledger sqlite:not.db
cp team.db newer.db
python3 -c 'import sqlite3
d = sqlite3.connect("newer.db"); d.execute("UPDATE meta SET value = 2 WHERE key = \"schema\""); d.commit()'
run 5 budget verify --ledger sqlite:newer.db
said 'newer kith'
chmod o+w team.db
run 5 budget verify --ledger "$L"
chmod o-w team.db
finish

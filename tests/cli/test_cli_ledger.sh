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
said 'SHA-256'
"$KITH" kmeans -k 3 -e 1 --radius 1 --quiet -o unpaid.json rows.csv
run 1 verify --ledger "$L" unpaid.json
said 'names no entry'
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
KITH_LEDGER=$L "$KITH" kmeans -k 3 -e 1 --radius 1 rows.csv >/dev/null 2>err2 &&
    fail "KITH_LEDGER without an account"
grep -q account err2 || fail "does not ask for the account"
KITH_LEDGER=$L "$KITH" kmeans -k 3 -e 1 --radius 1 --ledger none --quiet rows.csv \
    >/dev/null || fail "--ledger none"

run 0 budget show visits --ledger "$L"
run 3 budget quote visits --ledger "$L" -e 1 --delta 1e-6 --runs 100
run 3 budget limit visits --ledger "$L" -e 9 --delta 1e-6 --pure 1
run 0 budget limit visits --ledger "$L" --analyst ana -e 0.1 --delta 1e-6
run 0 budget verify --ledger "$L"
run 0 budget backup copy.db --ledger "$L"
run 0 budget verify --ledger sqlite:copy.db
# An old copy put back misses the entry of a published model.
run 0 kmeans -k 3 -e .01 --delta 1e-6 --radius 1 --ledger "$L" --account visits -o late.json rows.csv
run 0 verify --ledger "$L" late.json
run 1 verify --ledger sqlite:copy.db late.json
said 'old copy'

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

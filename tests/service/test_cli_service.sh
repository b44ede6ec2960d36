#!/usr/bin/env bash
# A deployment by the command alone: create, serve, invite, respond, advance,
# result, archive, replay, verify; it equals the simulation; errors say so.
set -eu
work=$(mktemp -d)
service='' fork=''
stop() { [ -z "$service$fork" ] || kill $service $fork 2>/dev/null || true; }
trap 'stop; wait; rm -rf "$work"' EXIT
cd "$work"
fail() {
    echo "FAILED: $*"
    exit 1
}
expect() { # code, command...
    code=$1
    shift
    set +e
    "$@" >out 2>err
    got=$?
    set -e
    [ "$got" = "$code" ] || { cat out err; fail "exit $got, not $code: $*"; }
}
support=${KITH_SOURCE:-$OLDPWD}/tests/support
# A thousand ports that no other test takes: this one cannot hold them by name.
read -r port admin other other_admin < <(PYTHONPATH=$support python3 -c \
    'from postgres import free_ports; print(*free_ports(4, 11000, 11999))')
public=http://127.0.0.1:$port operator=http://127.0.0.1:$admin

"$KITH" generate gaussians --rows 4000 --dimension 2 -k 2 -o rows.csv 2>/dev/null
create() { # more options
    "$KITH" local create -k 2 -e 3 --dimension 2 --bounds=-1:1 --test \
        --close-at 0 --minimum 20 -o task.json "$@" 2>created
    sed -n 's/.*task: //p' created
}
ready() { # log
    for _ in $(seq 1200); do
        grep -q '"ready"' "$1" && return
        sleep 0.1
    done
    fail "kithd is not ready: $(cat "$1")"
}
serve() {
    : >log
    "$KITH" local serve task.json --listen "127.0.0.1:$port" \
        --admin-listen "127.0.0.1:$admin" --database "$1" >started 2>log &
    service=$!
    ready log
    sed -n 's/operator token: //p' started >token
}

# Nobody answers: 5, and says who.
task=$(create --enrol open)
expect 5 "$KITH" local status --server $public --task "$task"
grep -q 'does not answer' err || fail "no word about the server"
expect 2 "$KITH" local status --server $public --task short
expect 2 "$KITH" local advance --server $operator --task "$task"

# libcurl is loaded by who needs it, and said where it is missing.
! ldd "$KITH" | grep -q libcurl || fail "every run loads libcurl"
mkdir without && : >without/libcurl.so.4
expect 1 env LD_LIBRARY_PATH=without "$KITH" local status --server $public --task "$task"
grep -q 'install it' err || fail "no word about libcurl"

serve one.db
expect 4 "$KITH" local result --server $public --task "$task"
grep -q not_finished err || fail "no problem's name"
"$KITH" local respond --server $public --task "$task" --enrol-only --state s.bin \
    --insecure-seed 3 --no-header --quiet rows.csv >/dev/null
# A second service on the same file is refused.
expect 5 "$KITH" local serve task.json --listen "127.0.0.1:$other" \
    --admin-listen "127.0.0.1:$other_admin" --database one.db
grep -q 'another kithd' err || fail "two services on one file"
"$KITH" local advance --server $operator --token-file token --task "$task" \
    --start 2>/dev/null
"$KITH" local respond --server $public --task "$task" --operate $operator \
    --token-file token --state s.bin --insecure-seed 3 --no-header --quiet \
    --batch 77 rows.csv >figures
grep -q '"stored": 4000' figures || fail "not all were stored: $(cat figures)"
"$KITH" local result --server $public --task "$task" -o model.json
"$KITH" local simulate --task task.json --insecure-seed 3 --no-header \
    -o simulated.json rows.csv
python3 - <<'END'
import json
a, b = (json.load(open(n)) for n in ("model.json", "simulated.json"))
for key in ("centers", "weights", "privacy", "rounds", "parameters"):
    assert json.dumps(a[key]) == json.dumps(b[key]), key
assert a["collected"]["reports"] == 4000 and a["collected"]["duplicates"] == 0
assert a["privacy"]["guarantee"] == "none"
END
# All of it again changes nothing: the task is over.
"$KITH" local respond --server $public --task "$task" --again --state s.bin \
    --insecure-seed 3 --no-header --quiet rows.csv >figures
grep -q '"task_over": 4000' figures || fail "a finished task took reports"
"$KITH" local archive --server $operator --token-file token --task "$task" -o a.bin
"$KITH" local replay a.bin -o replayed.json
cmp replayed.json model.json || fail "the replay differs"
head -c 3000 a.bin >cut.bin
expect 4 "$KITH" local replay cut.bin
"$KITH" local verify --server $public --task "$task" --against $public >out
grep -q 'follow each other' out || fail "verify"
# A service that shows others another first round is found out.
"$KITH" local serve task.json --listen "127.0.0.1:$other" \
    --admin-listen "127.0.0.1:$other_admin" --database fork.db >forked 2>fork.log &
fork=$!
ready fork.log
sed -n 's/operator token: //p' forked >fork.token
"$KITH" local advance --server "http://127.0.0.1:$other_admin" \
    --token-file fork.token --task "$task" --start --invited 3000 2>/dev/null
expect 4 "$KITH" local verify --server $public --task "$task" \
    --against "http://127.0.0.1:$other"
grep -q 'was forked' err || fail "a fork was not seen"
kill "$fork"
wait "$fork" || fail "SIGTERM is no failure"
fork=
"$KITH" local status --server $operator --token-file token --task "$task" >out
grep -q '"state": "finished"' out || fail "status"
stop
wait "$service" || fail "SIGTERM is no failure"

# Invitations: one for each, once.
task=$(create --enrol invitation)
serve two.db
head -n 40 rows.csv >few.csv
expect 4 "$KITH" local respond --server $public --task "$task" --enrol-only \
    --no-header few.csv
grep -q invitation_needed err || fail "no invitation was needed"
"$KITH" local invite --server $operator --token-file token --task "$task" \
    --count 40 >codes
[ "$(sort -u codes | wc -l)" = 40 ] || fail "40 codes"
"$KITH" local respond --server $public --task "$task" --enrol-only --no-header \
    --invitations codes --state i.bin few.csv >/dev/null 2>&1
expect 4 "$KITH" local respond --server $public --task "$task" --enrol-only \
    --no-header --invitations codes few.csv
grep -q invitation_used err || fail "a code was used twice"
# Too few for the minimum: cannot start; abort ends it.
expect 4 "$KITH" local advance --server $operator --token-file token \
    --task "$task" --start
grep -q cannot_work err || fail "started with 40"
"$KITH" local advance --server $operator --token-file token --task "$task" \
    --abort "a test" 2>/dev/null
expect 4 "$KITH" local respond --server $public --task "$task" --enrol-only \
    --no-header few.csv
grep -q task_over err || fail "an aborted task takes devices"
echo "create, serve, respond, advance, result, replay, verify, invite: ok"

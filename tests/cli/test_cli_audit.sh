#!/usr/bin/env bash
# T38, T39: the audit catches programs that give away more than they claim,
# does not cry wolf over one that does not, and says when it cannot judge.
# Broken programs are wrappers around kith that live here, nowhere else. A right
# program is disproved once in 1000 audits, so an honest one gets a second try:
# both fail once in a million.
set -u
. "$(dirname "$0")/lib.sh"
# In memory, where there is some: thousands of models need no disk.
TMPDIR=$(mktemp -d -p /dev/shm 2>/dev/null || mktemp -d -p "$WORK")
export TMPDIR
trap 'rm -rf "$WORK" "$TMPDIR"' EXIT

# broken NAME CASE: a kith whose arguments are changed on the way: CASE is one of
# "after the argument $was comes $a". By sh, which starts in half of bash's time.
broken() {
    {
        echo '#!/bin/sh'
        echo 'was='
        echo 'for a; do'
        echo '    shift'
        echo '    now=$a'
        echo '    case "$was $a" in'
        echo "$2"
        echo '    esac'
        echo '    set -- "$@" "$a"'
        echo '    was=$now'
        echo 'done'
        echo "exec '$KITH' \"\$@\""
    } >"$1"
    chmod +x "$1"
}
field() { "$PYTHON" -c 'import json, sys; print(json.load(open(sys.argv[1]))[sys.argv[2]])' "$1" "$2"; }

# times FACTOR: asks for so many times the epsilon of the claim.
# (By awk: it starts in a tenth of the time.)
times() { echo "    '-e '*) a=\$(awk -v e=\"\$a\" 'BEGIN { printf \"%.17g\", e * $1 }') ;;"; }

# honest FILE ARG...: not disproved.
honest() {
    local file=$1
    shift
    "$KITH" audit "$@" -o "$file" 2>"$ERR" || run 0 audit "$@" -o "$file"
    check "not disproved: $*" [ "$(field "$file" verdict)" = "not disproved" ]
}

honest honest.json --seconds 1
said 'not disproved is not proved'
check "a factor of 1.25 would have been seen" [ "$(field honest.json control_caught)" = 1.25 ]
cp "$ERR" honest.err
python "attacks that could not judge are named" honest.json honest.err <<'P'
import json, re, sys
words = re.findall(r"could not judge \(control missed\): (.*); the verdict is of the others", open(sys.argv[2]).read())
told = re.findall('"([^"]*)"', words[0]) if words else []
blind = [a for a in json.load(open(sys.argv[1]))["attacks"]
         if all(p["at_least"] <= a["claim"] for p in a["programs"])]
assert len(told) == len(blind), (told, blind)
P
python "bounds in order" honest.json <<'P'
import json, sys
audit = json.load(open(sys.argv[1]))
assert abs(audit["claim"] - 0.8384) < 1e-3, audit["claim"]
canaries = audit["attacks"][0]["programs"]
assert 0.5 < canaries[0]["estimate"] < 1.1 and canaries[0]["at_least"] < audit["claim"]
assert canaries[1]["at_least"] > audit["claim"] and canaries[2]["at_least"] > 1.2
P

epsilon_of() { "$PYTHON" -c 'import json, sys; print(json.load(open("honest.json"))["attacks"][0]["programs"][int(sys.argv[1])]["epsilon"] / 4)' "$1"; }
broken quarter "$(times "$(epsilon_of 1)")" # 1.25 times mu
broken twice "$(times "$(epsilon_of 2)")"
broken all_rows '    */rows.npy) set -- "$@" --allow-repeat "$a" ;;' # twice
for program in twice quarter all_rows; do
    run 1 audit --seconds 1 --program ./$program -o $program.json
    said 'DISPROVED'
    check "$program is caught" [ "$(field $program.json verdict)" = disproved ]
done
honest auto.json --seconds 1 --method auto

# People: 500 rows of one of them are one row, or the program is caught. 32 tries leave 22 guesses, all of them right.
broken all_of_a_person "    *' --user-column') a=--columns ;; '--user-column '*) a=x ;;"
run 1 audit --unit user --tries 32 --seconds 0 --program ./all_of_a_person -o people.json
check "all rows of a person kept: caught" [ "$(field people.json verdict)" = disproved ]
"$KITH" audit --unit user --tries 16 --seconds 0 -o kept.json 2>"$ERR"
check "one row of each: not caught" [ "$(field kept.json verdict)" != disproved ]

# Pure auto: its last sum is read off centre and receipt. A program with a twentieth of the noise is guessed right in
# all of 100 tests, or all of the half in which a careful rule guesses; 25 are enough, fewer come once in 10^6.
broken loud "$(times 20)"
run 1 audit --delta 0 -e 1 --method auto --tries 150 --seconds 0 --program ./loud -o loud.json
check "pure auto is seen" [ "$(field loud.json verdict)" = disproved ]

# balcan: its last answer alone, against its own receipt. With a hundredth of the noise all guesses are right; it
# guesses in half of 75 tries, and 15 of them show more than the claim of .312: fewer come once in 10^7.
broken louder "$(times 100)"
run 1 audit --delta 0 -e 2 --method balcan --tries 75 --seconds 0 --program ./louder -o one.json
said 'more than it claims \(round 1 of 1, cluster sums\)'
said "not seen: partitions and swaps"
run 1 audit --delta 0 --method balcan --tries 1 --seconds 0 -o share.json
python "judged by a receipt" one.json share.json <<'P'
import json, sys
one, share = (json.load(open(name)) for name in sys.argv[1:])
assert one["verdict"] == "disproved" and one["judged"] == "round 1 of 1, cluster sums"
assert one["epsilon"] == 2 and abs(one["claim"] - .156 * 2) < 1e-6 and abs(one["part_of_loss"] - .156) < 1e-6
sums, pairs, empty = share["attacks"]
assert abs(sums["claim"] - 2) < 1e-6 and abs(sums["programs"][0]["epsilon"] - 2 / .156) < 1e-3
assert abs(pairs["claim"] - 2) < 1e-6 and abs(pairs["part_of_loss"] - .6) < 1e-6
assert share["verdict"] == "cannot judge" and share["control_caught"] is None
P

# A pure promise takes a minute, and twice the loss is caught.
if [ -n "${KITH_TEST_MULTIPLIER:-}" ]; then
    broken pure_twice "$(times 2)"
    run 1 audit --delta 0 --method auto --seconds 60 --program ./pure_twice -o auto_twice.json
    check "twice a pure loss of auto is caught" [ "$(field auto_twice.json verdict)" = disproved ]
    honest pure.json --delta 0 -e 1 --seconds 60
    run 1 audit --delta 0 -e 1 --seconds 60 --program ./pure_twice -o pure_twice.json
    check "twice a pure loss is caught" [ "$(field pure_twice.json verdict)" = disproved ]
    run 1 audit --delta 0 --method balcan --seconds 60 --program ./pure_twice -o balcan_twice.json
    check "twice a pure loss of balcan is caught" [ "$(field balcan_twice.json verdict)" = disproved ]
fi

# Too little time, or noise that hides everything: never a pass.
run 1 audit --delta 0 -e 1 --seconds 0 -o pure.json
said 'cannot judge'
check "no control, no verdict" [ "$(field pure.json verdict)" = "cannot judge" ]
run 1 audit --delta 0 --seconds 0 --tries 1 -o two.json
check "pure: fewest tries are at epsilon 2" [ "$(field two.json claim)" = 2.0 ]
run 1 audit -e 0.01 --seconds 0 -o small.json
check "no control, no verdict" [ "$(field small.json verdict)" = "cannot judge" ]
refuse 1 'failed on the audit' audit --seconds 0 --program /bin/false
refuse 2 'makes its own rows' audit rows.csv
check "nothing is left behind" [ -z "$(ls "$TMPDIR")" ]
finish

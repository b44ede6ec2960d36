#!/usr/bin/env bash
# kith verify and kith sign: two checkers that agree on good files, on planted
# wrong ones and on damaged ones; known answers; minisign itself agrees too.
set -u
. "$(dirname "$(realpath "$0")")/lib.sh"
CHECKER=$HERE/../../tools/verify/kith_verify.py

# both CODE PATTERN ARG...: both checkers exit with CODE, print the same, and
# say PATTERN.
both() {
    local code=$1 pattern=$2
    shift 2
    run "$code" verify "$@"
    check "$LAST says: $pattern" grep -Eq -- "$pattern" "$OUT"
    cp "$OUT" c.out
    "$PYTHON" "$CHECKER" "$@" >python.out 2>python.err
    check "kith_verify.py $* exits with $code, too" [ $? -eq "$code" ]
    check "kith_verify.py $* says the same" cmp -s c.out python.out
}

"$KITH" generate gaussians --rows 2000 --dimension 3 -k 3 --seed 3 -o rows.csv
run 0 kmeans -k 3 -e 1 --delta 1e-6 --bounds -1:1 -o gauss.json rows.csv
run 0 kmeans -k 3 -e 1 --delta 1e-6 --bounds -1:1 --adjacency replace-one --no-header \
    -o replace.json rows.csv
run 0 kmeans -k 3 -e 1 --bounds -1:1 --method lloyd -o pure.json rows.csv
run 0 kmeans -k 3 -e 1000 --bounds -1:1 --method lloyd -o weak.json rows.csv
run 0 kmedian -k 2 -e 1 --bounds -1:1 --recovery sampling -o limit.json rows.csv
run 0 kmeans -k 3 -e 1 --bounds -1:1 --insecure-seed 1 -o seeded.json rows.csv
run 0 kmeans -k 3 --non-private --bounds -1:1 -o plain.json rows.csv
run 0 subspace -k 2 -q 1 -e 5 --delta 1e-6 --radius 1 -o planes.json rows.csv
run 0 bounds -e 1 --no-header -o ranges.csv rows.csv
run 0 local simulate -k 3 -e 2 --radius 1 --no-header -o local.json rows.csv

# ---- what a privacy officer reads ------------------------------------------
both 0 'whether or not any one row is in the data, nothing in this file is more than 2.72 times likelier or less likely, apart from a chance of 1e-06' gauss.json
both 0 'Not checked, and not checkable from a file' gauss.json
both 0 'ask for the ledger' gauss.json
both 0 'whatever any one row says' replace.json
both 0 'epsilon 1 of 1\.' pure.json
both 0 'e\^1000 times' weak.json
both 0 'in the limit of a sampler' limit.json
both 1 '^No promise' seeded.json
both 1 '^No promise' plain.json
both 0 "any one person's rows.*7.39 times" local.json
both 0 'that no user answered more often' local.json
both 4 'Not a kith model: it is not JSON' rows.csv
both 4 'cannot be read' nowhere.json
both 4 'cannot be read' .
run 0 kmeans -k 3 -e 1 --bounds -1:1 --dry-run --rows 100 --dimension 2 -o plan.json
both 4 'Not a kith model' plan.json
refuse 2 'one MODEL' verify
refuse 2 'one MODEL' verify gauss.json pure.json
run 0 kmeans -k 2 -e 1 --delta 1e-6 --bounds -1:1 --method lloyd --rounds 50 -o many.json rows.csv
"$PYTHON" - "$KITH" "$CHECKER" <<'P' || fail "not within .2 s, or not 100 releases"
import json, resource, subprocess, sys

def spent():  # CPU time of children: the clock says who else is busy
    use = resource.getrusage(resource.RUSAGE_CHILDREN)
    return use.ru_utime + use.ru_stime

assert len(json.load(open("many.json"))["privacy"]["releases"]) == 100
for command in [[sys.argv[1], "verify"], [sys.executable, sys.argv[2]]]:
    best = 9
    for _ in range(5):
        before = spent()
        subprocess.run(command + ["many.json"], check=True, capture_output=True)
        best = min(best, spent() - before)
    assert best < .2, (command, best)
P

# ---- planted: each must be caught, by both, with the reason ----------------
cat >plant.py <<'P'
"""plant.py: wrong models, one file each, and expected.txt."""
import copy, json
load = lambda name: json.load(open(name))
gauss, pure, local = load("gauss.json"), load("pure.json"), load("local.json")
replace = load("replace.json")
planes, ranges = load("planes.json"), load("ranges.json")
lines = []

def plant(name, base, change, code, pattern):
    m = copy.deepcopy(base)
    m = change(m, m["privacy"], m["privacy"]["releases"]) or m
    text = m if isinstance(m, str) else json.dumps(m, indent=2)
    open(f"planted_{name}.json", "w").write(text)
    lines.append(f"{code}|{name}|{pattern}")

def set_to(key, value):
    return lambda m, p, r: p.__setitem__(key, value)

def edit(old, new):
    def change(m, p, r):
        text = json.dumps(m)
        assert old in text, old
        return text.replace(old, new, 1)
    return change

first = lambda field, value: lambda m, p, r: r[0].__setitem__(field, value)
plant("half_scale", gauss, lambda m, p, r: r[3].update(scale=r[3]["scale"] / 2),
      1, "release 4 .*the noise costs")
plant("tiny_less_scale", pure, lambda m, p, r: r[3].update(
      scale=r[3]["scale"] * (1 - 1e-11)), 1, "release 4 .*the noise costs")
plant("one_twice", gauss, lambda m, p, r: r.append(r[0]), 1,
      "these words is there already")
plant("one_twice_renamed", gauss,
      lambda m, p, r: r.append({**r[0], "what": "another"}), 1,
      "squares of their losses add up to more")
plant("pure_twice_renamed", pure,
      lambda m, p, r: r.append({**r[0], "what": "another"}), 1,
      "losses add up to more than epsilon")
plant("mu_a_little_more", gauss,
      lambda m, p, r: p.update(mu=p["mu"] + 1e-9), 1, "means a delta of 1.0000.*more than the 1e-06 that")
plant("delta_a_little_less", gauss,
      lambda m, p, r: p.update(delta=p["delta"] * .999), 1, "means a delta of")
plant("epsilon_edited", gauss, set_to("epsilon", 0.01), 1, "means a delta of 0.0897")
plant("epsilon_pure_edited", pure, set_to("epsilon", 0.01), 1, "more than epsilon")
plant("epsilon_a_little_less", pure, set_to("epsilon", 1 - 1e-15), 1,
      "more than epsilon")
plant("mu_missing", gauss, lambda m, p, r: p.pop("mu") and None, 1, "no usable 'mu'")
plant("laplace_in_gauss", gauss, first("mechanism", "discrete-laplace"), 1,
      "no proof for this noise.*Gaussian")
plant("flip_in_gauss", gauss, lambda m, p, r: r[0].update(
      mechanism="permute-and-flip", sensitivity={"norm": "score", "value": 1.0}),
      1, "no proof for this noise.*Gaussian")
for name, price, code in ("cheap", .6266, 1), ("fair", .6268, 0):
    plant("selection_" + name, gauss, lambda m, p, r: r[0].update(
          what="guard", mechanism="exponential", loss={"mu": price * 1e-3},
          sensitivity={"norm": "score", "value": 1.0}, scale=1000.0), code,
          "Holds|the noise costs 0.0006267")
plant("gauss_in_pure", pure, lambda m, p, r: r[0].update(
      mechanism="rounded-gaussian", sensitivity={"norm": "l2", "value": 1.0}),
      1, "no proof for this noise.*pure")
plant("laplace_in_l2", pure, lambda m, p, r: r[0].update(
      mechanism="discrete-laplace", sensitivity={"norm": "l2", "value": 1.0}),
      1, "no proof for this noise in this norm")
plant("delta_to_0", gauss, set_to("delta", 0), 1, "no proof")
plant("unknown_mechanism", gauss, first("mechanism", "telepathy"), 1,
      "mechanism is not known")
plant("newer", gauss, lambda m, p, r: m.update(kith=2), 1, "Cannot be judged")
plant("nan", gauss, edit('"epsilon": 1.0', '"epsilon": NaN'), 4, "not JSON")
plant("minus_zero", gauss, edit('"epsilon": 1.0', '"epsilon": -0.0'), 1,
      "'epsilon' is not")
plant("minus_zero_scale", gauss, first("scale", -0.0), 1, "numbers above 0")
plant("huge", gauss, edit('"epsilon": 1.0', '"epsilon": 1e400'), 4, "not JSON")
plant("huge_integer", gauss, edit('"epsilon": 1.0', '"epsilon": 1' + 30 * "0"),
      4, "not JSON")
plant("large", gauss, set_to("epsilon", 5000), 1, "up to 4096")
plant("true", gauss, set_to("epsilon", True), 1, "'epsilon' is not")
plant("duplicate_key", gauss, edit('"epsilon": 1.0', '"epsilon": 9.0, "epsilon": 1.0'),
      4, "given twice")
plant("too_many", gauss, lambda m, p, r:
      p.update(releases=[{"what": "x"}] * 100001), 1, "more releases than any run")
plant("none_listed", gauss, set_to("releases", []), 1, "no releases")
plant("object_listed", gauss, set_to("releases", {"a": 1}), 1, "no releases")
plant("wrong_unit", gauss, set_to("unit", "household"), 1, "'unit' is none")
plant("row_called_user", gauss, set_to("unit", "user"), 1, "a promise to users, and no 'user_column'")
plant("users_in_memory", gauss, lambda m, p, r: (p.update(unit="user"),
      m["parameters"].update(user_column=None)) and None, 0, "rows was kept of each person")
plant("user_called_row", gauss, lambda m, p, r: m["parameters"].update(user_column="who"), 1,
      "a 'user_column' in the parameters, and no promise to users")
plant("rows_added", gauss, lambda m, p, r: m.update(rows=[[1, 2, 3]]), 0,
      r"nothing in this file, apart from fields that no run writes \('rows'\), is more than")
plant("many_added", gauss, lambda m, p, r: (m.update({f"x{i}": i for i in range(7)}),
      p.update(number_of_rows=20)) and None, 0,
      r"\('x0', 'x1', 'x2', 'x3', 'x4' and 3 more\), is.*(\n.*)*nothing is promised of them")
plant("privacy_added", gauss, set_to("number_of_rows", 20), 0, "'privacy.number_of_rows'")
plant("kind", gauss, lambda m, p, r: m.update(kind="magic"), 1, r"cannot be judged.*(\n.*)*none of the words known: kmeans")
plant("k", gauss, lambda m, p, r: m.update(k=4), 1, "'k' lists of 'dimension' numbers")
plant("one_center_more", gauss, lambda m, p, r: m["centers"].append([0, 0, 0]), 1, "'k' lists")
plant("center_of_words", gauss, lambda m, p, r: m["centers"][0].__setitem__(1, "x"), 1, "'k' lists")
plant("center_too_long", gauss, lambda m, p, r: m["centers"][0].append(7), 1, "'k' lists")
plant("weight_of_words", gauss, lambda m, p, r: m["weights"].__setitem__(1, True), 1, "not 'k' numbers")
plant("planes", planes, lambda m, p, r: m["bases"][0][0].append(1.5), 1, "not 'k' tables")
plant("ranges", ranges, lambda m, p, r: m["ranges"].append({"lower": 0, "upper": 1}), 1, "not 'dimension' pairs")
plant("range_of_more", ranges, lambda m, p, r: m["ranges"][0].update(rows=[1]), 1, "not 'dimension' pairs")
plant("rows_listed", ranges, lambda m, p, r: m.update(rows=[1, 2]), 1, "rows.*it is not a number")
plant("wrong_adjacency", gauss, set_to("adjacency", "bounded"), 1, "'adjacency' is none")
plant("replace_called_remove", replace, set_to("adjacency", "replace-one"), 0, "Holds")
plant("remove_called_replace", gauss, set_to("adjacency", "replace-one"), 1,
      "one row changes counts by 1.41421")
plant("half_a_row", pure, lambda m, p, r: [x.update(
      sensitivity={**x["sensitivity"], "value": x["sensitivity"]["value"] / 2})
      for x in r] and None, 1, "one row changes counts by 1")
plant("bounds_edited", pure, lambda m, p, r: m["parameters"]["bounds"].update(
      lower=[0], upper=[.01]), 1, "larger than the bounds")
plant("bounds_crossed", pure, lambda m, p, r: m["parameters"]["bounds"].update(
      lower=[1], upper=[0]), 1, "bounds cannot be read")
plant("asymptotic_word", gauss, set_to("guarantee", "certain"), 1, "'guarantee' is none")
plant("two_losses", pure, first("loss", {"epsilon": 1e-3, "mu": 1e-3}), 1,
      "one number, epsilon")
plant("quotes", gauss, lambda m, p, r: r[0].update(
      what='"\\</script>\u202e\u00e9' * 9, scale=1e-3), 1, "noise costs")
plant("lone_surrogate", gauss, edit('"row counts"', '"row \\ud800 counts"'), 4, "not JSON")
plant("pair", gauss, edit('"row counts"', '"row \\ud83d\\ude00 counts"'), 0, "Holds")
plant("nul", gauss, edit('"row counts"', '"row \\u0000 counts"'), 4, "not JSON")
plant("deep", gauss, edit('"kith": 1', '"x": ' + 70 * "[" + 70 * "]" + ', "kith": 1'), 4,
      "nested too deeply")
plant("deeper", gauss, edit('"kith": 1', '"x": ' + 1500 * "[" + 1500 * "]" + ', "kith": 1'), 4,
      "Not a kith model")
plant("no_privacy", gauss, lambda m, p, r: m.pop("privacy") and None, 4, "no field 'privacy'")
plant("text_kith", gauss, lambda m, p, r: m.update(kith="1"), 4, "no field 'kith'")
plant("local_101", local, lambda m, p, r: r[0].update(share=1.01), 1, "more than all users")
plant("local_sum_101", local, lambda m, p, r: r[0].update(share=r[0]["share"] + .01),
      1, "groups of users add up to more")
plant("local_epsilon", local, lambda m, p, r: r[1]["loss"].update(epsilon=2.0000001), 1,
      "lose more than epsilon")
plant("local_all_asked", local, lambda m, p, r: [x.update(share=1) for x in r] and None,
      1, "lose more than epsilon")
plant("local_delta", local, lambda m, p, r: r[1]["loss"].update(delta=1e-9), 1,
      "lose more than delta")
plant("local_rows", local, set_to("unit", "row"), 1, "a local run promises to users")
plant("local_mechanism", local, first("mechanism", "shuffle"), 1, "mechanism is not known")
open("expected.txt", "w").write("\n".join(lines) + "\n")
P
check "planting" "$PYTHON" plant.py
# (One Python for all of them: to start one costs more than to check a model.)
python "planted" "$KITH" "$CHECKER" <<'P'
import contextlib, importlib.util, io, re, subprocess, sys
spec = importlib.util.spec_from_file_location("v", sys.argv[2])
v = importlib.util.module_from_spec(spec); spec.loader.exec_module(v)
for line in open("expected.txt"):
    code, name, pattern = line.rstrip("\n").split("|", 2)
    arguments = ["--json", f"planted_{name}.json"]
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        mine = v.main(arguments)
    other = subprocess.run([sys.argv[1], "verify", *arguments], capture_output=True)
    assert mine == other.returncode == int(code), (name, mine, other)
    assert other.stdout.decode() == text.getvalue(), (name, other, text.getvalue())
    assert re.search(pattern, text.getvalue()), (name, pattern, text.getvalue())
P
check "20 planted or more" [ "$(grep -c '^[14]' expected.txt)" -ge 20 ]

# ---- known answers, and the two normal laws on a grid ----------------------
python "delta of (1, 1e-6)" "$KITH" "$CHECKER" <<'P'
import contextlib, importlib.util, io, json, random, subprocess, sys
spec = importlib.util.spec_from_file_location("v", sys.argv[2])
v = importlib.util.module_from_spec(spec); spec.loader.exec_module(v)
delta = v.delta_of(1.0, 0.2367043806634343)
assert abs(float(delta) / 9.99999999999877e-7 - 1) < 1e-14, delta
m = json.load(open("gauss.json"))
m["privacy"]["releases"] = m["privacy"]["releases"][:1]
coins = random.Random(5)
for i in range(40):
    e = 10 ** coins.uniform(-3, 3)
    mu = 10 ** coins.uniform(-4, 1.5)
    d = float(v.delta_of(e, mu))
    # just enough, a last digit too little, a last digit more
    for factor in (1 + 4e-16, 1 - 4e-16, 1):
        delta = d * factor
        if not 1e-250 < delta < 1:
            continue
        m["privacy"].update(epsilon=e, delta=delta, mu=mu)
        m["privacy"]["releases"][0].update(scale=1e9, loss={"mu": 1e-9})
        m["privacy"]["releases"][0]["sensitivity"]["value"] = 1.0
        json.dump(m, open("grid.json", "w"))
        one = subprocess.run([sys.argv[1], "verify", "--json", "grid.json"],
                             capture_output=True, text=True).stdout
        two = io.StringIO()
        with contextlib.redirect_stdout(two):
            v.main(["--json", "grid.json"])
        two = two.getvalue()
        assert one == two, (e, mu, factor, one, two)
        want = v.delta_of(e, mu) <= v.Decimal(delta)
        assert ('"holds"' in one) == want, (e, mu, factor, one)
P

# ---- damaged files: the same words from both, never a crash ----------------
python "damage" "$KITH" "$CHECKER" <<'P'
import contextlib, importlib.util, io, random, subprocess, sys
spec = importlib.util.spec_from_file_location("v", sys.argv[2])
v = importlib.util.module_from_spec(spec); spec.loader.exec_module(v)
coins, good = random.Random(7), open("pure.json", "rb").read()
for i in range(150):
    data = bytearray(good)
    for _ in range(coins.choice((1, 1, 2, 5))):
        at = coins.randrange(len(data))
        kind = coins.randrange(4)
        if kind == 0:
            data[at] = coins.randrange(256)
        elif kind == 1:
            del data[at:at + coins.randrange(1, 40)]
        elif kind == 2:
            data[at:at] = coins.choice((b"0", b"-", b"e9", b'"', b"\\u0000", b"[", b"null"))
        else:
            del data[at + 1:]
    open("damaged.json", "wb").write(data)
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        code = v.main(["--json", "damaged.json"])
    other = subprocess.run([sys.argv[1], "verify", "--json", "damaged.json"],
                           capture_output=True)
    assert other.stdout.decode() == text.getvalue() and other.returncode == code, (
        i, other, text.getvalue())
P

# ---- evaluate and assign tell of an edited model ---------------------------
run 0 evaluate planted_epsilon_edited.json rows.csv
said 'warning: the promise of planted_epsilon_edited.json: Does not hold'
run 0 assign planted_epsilon_edited.json rows.csv
said 'Do not publish it'
run 0 evaluate gauss.json rows.csv
check "no warning" sh -c "! grep -q promise '$ERR'"
run 0 evaluate plain.json rows.csv
check "no warning" sh -c "! grep -q promise '$ERR'"

# ---- signatures ------------------------------------------------------------
run 0 sign --new-key me.key
said 'me.key.pub'
check "a secret key is secret" [ "$(stat -c %a me.key)" = 600 ]
refuse 2 'never overwritten' sign --new-key me.key
run 0 sign --sign-key me.key gauss.json
both 0 'Signed by [0-9A-F]{16}: kith model; no ledger entry' --key me.key.pub gauss.json
both 0 '"good": true' --json --key me.key.pub gauss.json
# A model that is replaced without a key keeps no signature of the other one.
run 0 kmeans -k 3 -e 1 --bounds -1:1 --sign-key me.key -o signed.json rows.csv
check "signed" [ -e signed.json.minisig ]
run 0 kmeans -k 3 -e 1 --bounds -1:1 -o signed.json rows.csv
said 'signed.json.minisig was removed'
check "not signed" [ ! -e signed.json.minisig ]
run 0 sign --new-key other.key
both 1 'not one of this file by this key' --key other.key.pub gauss.json
both 1 'no good signature by this key' --key me.key.pub pure.json
both 1 'MODEL.minisig is missing' --key me.key.pub pure.json
for key in nowhere.pub rows.csv; do # no word about the model
    refuse 4 "--key: '$key' (cannot be read|is not a public key)" verify --key $key gauss.json
    "$PYTHON" "$CHECKER" --key $key gauss.json >"$OUT" 2>"$ERR"
    check "kith_verify.py refuses $key, too" [ $? -eq 4 -a ! -s "$OUT" ]
    said "--key: '$key' (cannot be read|is not a public key)"
done
refuse 1 'not signed. Does not hold' sign --sign-key me.key planted_half_scale.json
refuse 1 'not signed. No promise' sign --sign-key me.key seeded.json
refuse 4 'not signed. Not a kith model' sign --sign-key me.key rows.csv
refuse 4 'not a secret key' sign --sign-key me.key.pub gauss.json
refuse 4 'No such file' sign --sign-key nowhere.key gauss.json
refuse 2 'either --sign-key or --new-key' sign gauss.json
cp gauss.json flipped.json && cp gauss.json.minisig flipped.json.minisig
both 0 'Holds' --key me.key.pub flipped.json
printf ' ' >>flipped.json
both 1 'signature: it is not one' --key me.key.pub flipped.json
sed 's/no ledger entry/ledger entry 7/' gauss.json.minisig >flipped.json.minisig
cp gauss.json flipped.json
both 1 'signature: it is not one' --key me.key.pub flipped.json
"$PYTHON" - <<'P' # a model that the ledger paid for
import json
m = json.load(open("gauss.json"))
m["privacy"]["ledger"] = {"id": "ab12", "account": "visits\n2026", "entry": 17, "hash": "cd34"}
json.dump(m, open("paid.json", "w"))
P
run 0 sign --sign-key me.key paid.json
both 0 'ledger ab12, account visits 2026, entry 17, hash cd34' --key me.key.pub paid.json

if command -v minisign >/dev/null; then
    check "minisign accepts" minisign -Vq -p me.key.pub -m paid.json
    check "minisign rejects" sh -c '! minisign -Vq -p me.key.pub -m flipped.json 2>/dev/null'
    cp pure.json stock.json
    check "minisign signs with our key" minisign -S -s me.key -m stock.json >/dev/null
    both 0 'Signed by' --key me.key.pub stock.json
    check "an old signature" minisign -S -l -s me.key -m stock.json >/dev/null
    both 0 'Signed by' --key me.key.pub stock.json
    # a key with a password: asked for on the terminal. minisign's own scrypt takes
    # 4 s and 1 GB each time; how much is written in the key: here it is little.
    python "a password" "$KITH" <<'P'
import base64, hashlib, os, pty, sys
comment, key = open("me.key").read().split("\n")[:2]
key, salt = base64.b64decode(key), os.urandom(32)
stream = hashlib.scrypt(b"kith and kin", salt=salt, n=1024, r=8, p=1, dklen=104)
locked = bytes(a ^ b for a, b in zip(key[54:], stream))
limits = (1 << 15).to_bytes(8, "little") + (1 << 24).to_bytes(8, "little")
with open("locked.key", "w") as file:
    key = key[:2] + b"Sc" + key[4:6] + salt + limits + locked
    file.write(comment + "\n" + base64.b64encode(key).decode() + "\n")
def talk(command, answers):
    pid, fd = pty.fork()
    if pid == 0:
        os.execvp(command[0], command)
    text = b""
    while True:
        try:
            part = os.read(fd, 1000)
        except OSError:
            break
        if not part:
            break
        text += part
        if answers and text.lower().count(b"password") > 0 and text.rstrip().endswith(b":"):
            os.write(fd, answers.pop(0) + b"\n")
            text = b""
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
os.remove("gauss.json.minisig"), os.remove("stock.json.minisig")
assert talk(["minisign", "-S", "-s", "locked.key", "-m", "stock.json"], [b"kith and kin"]) == 0
assert talk([sys.argv[1], "sign", "--sign-key", "locked.key", "gauss.json"], [b"wrong"]) == 4
assert talk([sys.argv[1], "sign", "--force", "--sign-key", "locked.key", "gauss.json"], [b"kith and kin"]) == 0
P
    both 0 'Signed by' --key me.key.pub stock.json
    both 0 'Signed by' --key me.key.pub gauss.json
    check "minisign accepts" minisign -Vq -p me.key.pub -m gauss.json
else
    echo "SKIPPED: minisign is missing (scripts/bootstrap.sh sign)"
fi
finish

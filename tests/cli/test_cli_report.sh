#!/usr/bin/env bash
# kith report: strict HTML, nothing that runs or asks the network, nothing that
# is not in the model, strange models, and how it looks in Chromium.
set -u
. "$(dirname "$(realpath "$0")")/lib.sh"

awk 'BEGIN { print "age,systolic"; for (i = 0; i < 4321; i++) { g = i % 3
    print 25 + 20*g + i % 10 "," 115 + 12*g + int(i/3) % 15 } }' >secretname.csv
printf 'lo,hi\n0,110\n60,220\n' >bounds.csv
# A page says how many rows there are, about (sd 67): 4,321 by chance in 6 of 1000
# pages, and in all of four once in 10^8. A page that tells the number does so in each.
for _ in 1 2 3 4; do
    run 0 kmeans -k 3 -e 1 --delta 1e-6 --bounds-file bounds.csv --normalize \
        --columns age,systolic -o model.json secretname.csv
    run 0 report -o page.html model.json
    grep -Eq '(^|[^0-9.,])4,?321([^0-9]|$)' page.html || break
done
run 0 kmeans -k 3 -e 1 --bounds-file bounds.csv --insecure-seed 1 -o seeded.json secretname.csv
"$KITH" generate subspaces --rows 5000 --dimension 16 -k 3 -q 2 --seed 3 -o planes.csv
run 0 subspace -k 3 -q 2 -e 2 --delta 1e-6 --radius 1 -o planes.json planes.csv
run 0 local simulate -k 3 -e 2 --bounds 0:300 --header -o local.json secretname.csv
printf '0.1,0.2\n0.3,0.2\n' >two.csv
run 0 kmeans -k 2 -e 1 --bounds 0:1 --no-header --insecure-seed 5 -o seeded_noise.json two.csv
sed 's/"guarantee": "none"/"guarantee": "exact"/' seeded_noise.json >noise.json

cat >strange.py <<'P'
import copy, json
base = json.load(open("model.json"))
def make(name, k, d, names=None, weights=None, **more):
    m = copy.deepcopy(base)
    m.update(k=k, dimension=d, centers=[[(j * 7 + i) % 10 / 3 for i in range(d)] for j in range(k)],
             weights=weights or [float(10 + j) for j in range(k)], **more)
    m["parameters"].update(bounds={"lower": [0.0], "upper": [5.0]}, normalize=True, columns=names)
    json.dump(m, open(name, "w"))
make("one.json", 1, 1)
make("many.json", 512, 2)
make("empty.json", 3, 2, weights=[0.0, 0.0, 0.0])
make("wide.json", 2, 100000)
make("large.json", 64, 1000)
make("names.json", 2, 3, names=["</script><script>alert(1)</script>", "עברית & co", "\"quoted' <b>"])
m = json.load(open("names.json"))
m["privacy"]["releases"][0]["what"] = "<img src=x onerror=alert(1)>"
m["method"] = m["version"] = "</title><script>"
m["quality"]["words"] = ["<script>alert(2)</script>"]
json.dump(m, open("names.json", "w"))
m = copy.deepcopy(base); del m["quality"]; json.dump(m, open("old.json", "w"))
m = copy.deepcopy(base); m["privacy"]["epsilon"] = .01; json.dump(m, open("edited.json", "w"))
P
check "strange models" "$PYTHON" strange.py

cat >strict.py <<'P'
"""Balanced tags, nothing active, quoted attributes; prints the text."""
import html.parser, re, sys
class Strict(html.parser.HTMLParser):
    void, stack, words, levels = {"meta", "img"}, [], [], []
    def handle_starttag(self, tag, attrs):
        allowed = set("html head meta title style body main section h1 h2 h3 h4 p ul li "
                      "div span table thead tbody tr th td details summary small strong code "
                      "bdi img svg rect path".split())
        assert tag in allowed, tag
        for key, value in attrs:
            assert not key.startswith("on") and key not in ("href", "style"), (tag, key)
            if key == "src":
                assert value.startswith("data:image/png;base64,"), value[:40]
        if tag == "img":
            assert dict(attrs).get("alt"), "alt"
        if re.fullmatch("h[1-4]", tag):
            self.levels.append(int(tag[1]))
        if tag not in self.void:
            self.stack.append(tag)
    def handle_startendtag(self, tag, attrs):
        assert tag in ("rect", "path"), tag
    def handle_endtag(self, tag):
        assert self.stack and self.stack[-1] == tag, (tag, self.stack)
        self.stack.pop()
    def handle_data(self, data):
        if self.stack and self.stack[-1] != "style":
            self.words.append(data)
page = open(sys.argv[1], encoding="utf-8").read()
p = Strict(convert_charrefs=True); p.feed(page); p.close()
assert page.startswith("<!DOCTYPE html>") and not p.stack, p.stack
assert 'lang="en"' in page and "default-src 'none'" in page
assert p.levels[0] == 1 and all(b - a <= 1 for a, b in zip(p.levels, p.levels[1:])), p.levels
assert "http://" not in page and "https://" not in page and "url(" not in page
text = " ".join(p.words)
assert not re.search(r"(^|[^0-9.,])4,?321([^0-9]|$)", text) and "secretname" not in page
for word in sys.argv[2:]:
    assert word in text, (word, text[:3000])
P
page() { # MODEL WORD...: a strict page with these words
    local model=$1
    shift
    run 0 report -o page.html "$model"
    check "$model: strict, with $*" "$PYTHON" strict.py page.html "$@"
}
page model.json 'Each' 'row' 'Whether or not any one row is in the data' '2.7 times' \
    '1 in a million' 'the listed losses add up' 'age' 'systolic' 'Sizes' 'Budget' \
    'What this does not promise' 'kith verify model.json' 'Noise alone moves' 'none'
cp page.html again.html
page model.json
same page.html again.html
page planes.json Planes 'Direction 2' 'Angles between planes' 'turns a direction'
page local.json 'Nobody holds the rows' 'person' 'forecast'
page noise.json 'this result is noise'
page seeded.json 'NOT PRIVATE'
check "on every sheet" grep -q 'class="sheet"' page.html
page edited.json 'the promise does not hold' 'Do not rely on this file' 'claimed: ε = 0.01' 'lists none'
check "a promise that does not hold is not made" sh -c '! grep -Eq "is protected|times likelier|speaks against" page.html'
check "what is said first" sh -c 'tr -d "\n" <page.html | grep -q "aria-label=\"Promise\"><p class=\"banner\">Do not"'
for pair in 0.02=1.02 0.5=1.6 5=148; do
    run 0 kmeans -k 2 -e ${pair%=*} --bounds 0:1 --no-header --quiet -o factor.json two.csv
    page factor.json "more than ${pair#*=} times likelier"
done
page old.json 'Clusters'
page one.json '1 cluster of 1 feature'
page many.json '512 clusters'
page empty.json 'Cluster 3'
page wide.json '100000 features' 'differ most'
page names.json 'עברית & co' '<script>alert(2)</script>' '<img src=x onerror=alert(1)>'
run 0 report -o page.html large.json
# Processor time: what others do on the machine is not its fault.
python "at most .5 s" "$KITH" <<'P'
import resource, subprocess, sys
subprocess.run([sys.argv[1], "report", "-o", "page.html", "large.json"], check=True, stderr=subprocess.DEVNULL)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(f"{used.ru_utime + used.ru_stime:.3f} s of processor")
assert used.ru_utime + used.ru_stime <= .5
P
check "at most 400 kB" [ "$(stat -c %s page.html)" -le 400000 ]
printf 'first\nsecond <x>\n' >names.txt
run 0 report --names names.txt -o page.html model.json
check "names" "$PYTHON" strict.py page.html 'second <x>'
run 0 report --image 4x4 -o page.html planes.json
check "pictures" "$PYTHON" strict.py page.html Planes
check "pictures" [ "$(grep -o 'data:image/png' page.html | wc -l)" -eq 6 ]
python "a picture is a PNG with the values" <<'P'
import base64, re, struct, zlib
data = re.search(r"base64,([^\"]+)", open("page.html").read()).group(1)
png = base64.b64decode(data)
assert png[:8] == b"\x89PNG\r\n\x1a\n"
at, body = 8, b""
while at < len(png):
    size, kind = struct.unpack(">I4s", png[at:at + 8])
    chunk = png[at + 8:at + 8 + size]
    assert zlib.crc32(kind + chunk) == struct.unpack(">I", png[at + 8 + size:at + 12 + size])[0]
    if kind == b"IHDR":
        assert struct.unpack(">IIBB", chunk[:10]) == (4, 4, 8, 0)
    body += chunk if kind == b"IDAT" else b""
    at += size + 12
lines = zlib.decompress(body)
assert len(lines) == 20 and not any(lines[i] for i in range(0, 20, 5))
grey = [v for i in range(4) for v in lines[5 * i + 1:5 * i + 5]]
assert min(grey) == 0 and max(grey) == 255
P
# Large numbers have the digits that noise leaves, not four.
"$PYTHON" - <<'P'
import json
m = json.load(open("model.json"))
m["centers"] = [[3.0006e8, 12345.], [5.9994e8, 23456.], [9e8, 34567.]]
m["parameters"]["bounds"] = {"lower": [0, 0], "upper": [1e9, 1e5]}
m["parameters"]["normalize"] = False
m["quality"]["noise"] = 17e3 * 2 ** .5
m["weights"] = [500., 500., 500.]
json.dump(m, open("large.json", "w"))
P
run 0 report large.json -o large.html
check "digits" grep -q '<td class="value">300060000 <small>± 34000<' large.html
check "no powers of ten" bash -c "! grep -Eq 'class=\"value\">[^/]*e[+]' large.html"
# The numbers that a page shows are those of the model.
python "values, sizes, bounds" "$KITH" <<'P'
import html, json, re, subprocess, sys
m = json.load(open("model.json"))
page = subprocess.run([sys.argv[1], "report", "model.json"], capture_output=True, text=True).stdout
values = re.findall(r'<td class="value">([-\d.,]+) <small>± ([\d.,]+)', page)
q, d = m["quality"], 2
n = sum(m["weights"]) / 3
want = []
for j, c in enumerate(m["centers"]):
    for i, (lo, hi) in enumerate(((0, 110), (60, 220))):
        want.append((c[i], 2 * q["noise"] / 2 ** .5 * (hi - lo) * n / m["weights"][j]))
want += [(w, 1.96 * q["weight_sd"]) for w in m["weights"]]
assert len(values) == len(want), values
for (text, noise), (value, sd) in zip(values, want):
    assert abs(float(text.replace(",", "")) - value) <= max(sd / 2, .5 if value > 500 else 0), (text, value)
    assert abs(float(noise.replace(",", "")) - sd) <= .06 * sd + .5 * (value > 500), (noise, sd)
shares = [float(x) for x in re.findall(r'<td class="value">([\d.]+) %', page)]
assert abs(sum(shares) - 100) < .05 * len(shares) + .1, shares
P
refuse 4 'Not a kith model' report secretname.csv
refuse 2 'one MODEL' report
refuse 2 'pixels' report --image 3x3 model.json
printf 'only\n' >short.txt
refuse 4 'has 2 features' report --names short.txt model.json

# ---- contrast, computed from the style --------------------------------------
python "contrast" again.html <<'P'
import re, sys
style = re.search(r"<style>(.*?)</style>", open(sys.argv[1]).read(), re.S).group(1)
themes = [dict(re.findall(r"--(\w+):(#[0-9a-f]+)", block))
          for block in re.findall(r":root\{(.*?)\}", style)][:2]
def light(c):
    c = c[1:] if len(c) == 7 else "".join(x * 2 for x in c[1:])
    v = [int(c[i:i + 2], 16) / 255 for i in (0, 2, 4)]
    v = [x / 12.92 if x <= .03928 else ((x + .055) / 1.055) ** 2.4 for x in v]
    return .2126 * v[0] + .7152 * v[1] + .0722 * v[2]
for t in themes:
    for a, b in [p.split() for p in (
            "fg bg", "fg soft", "muted bg", "muted soft", "accent bg",
            "accent soft", "bad badbg", "warn warnbg", "ok okbg")]:
        x, y = sorted((light(t[a]), light(t[b])))
        assert (y + .05) / (x + .05) >= 4.5, (a, b, (y + .05) / (x + .05))
P

# ---- files of strangers ------------------------------------------------------
# Anything may stand anywhere in a model (seeded): a page without markup of theirs, or a refusal; never a crash.
python "hostile models" model.json names.json <<'P'
import copy, json, os, random, subprocess, sys
random.seed(34)
HOSTILE = ["</td></svg><script>alert(1)</script>", "<img src=x onerror=alert(1)>", "\" onload=alert(1) x=\"", "", "x" * 9000,
           "\u202e\u0000\ud83d\ude00", None, True, -1, 0, 1e308, -1e308, 2**62, 1e-320, [], {}, [[]], [None] * 3,
           [[1e308] * 2] * 3, {"a": {"b": []}}]
def places(at):
    for key in (at if isinstance(at, dict) else range(len(at))):
        yield at, key
        if isinstance(at[key], (dict, list)):
            yield from places(at[key])
made = 0
for turn in range(240):
    with open(sys.argv[1 + turn % 2]) as f:
        text = f.read()
    if turn % 4 == 3: # bytes
        data = bytearray(text.encode())
        for _ in range(random.randint(1, 4)):
            data[random.randrange(len(data))] = random.choice(b'{}[]",:<>&\\\x00\xff0e-')
    else:
        model = json.loads(text)
        for _ in range(random.randint(1, 3)):
            holder, key = random.choice(list(places(model)))
            holder[key] = copy.deepcopy(random.choice(HOSTILE))
        data = json.dumps(model).encode()
    with open("hostile.json", "wb") as f:
        f.write(data)
    done = subprocess.run([os.environ["KITH"], "report", "hostile.json", "-o", "hostile.html"],
                          capture_output=True, timeout=60)
    assert done.returncode in (0, 1, 4), (turn, done.returncode, done.stderr[-300:])
    if done.returncode == 0:
        made += 1
        with open("hostile.html", encoding="utf-8") as f:
            page = f.read()
        assert "<script" not in page and "<img src=x" not in page and '" onload' not in page, turn
assert made > 40, made
P

# ---- in a browser ----------------------------------------------------------
# Witnesses: a signature and a ledger, and none that speak against the model.
"$KITH" generate gaussians --rows 2000 --dimension 2 -k 2 --seed 1 -o paid.csv 2>/dev/null
run 0 budget create team --ledger sqlite:team.db --new-ledger --dataset x --unit row --adjacency add-remove \
    -e 2 --delta 0
run 0 sign --new-key me
run 0 kmeans -k 2 -e 0.5 --radius 1 --ledger sqlite:team.db --account team --sign-key me --quiet \
    -o paid.json paid.csv
run 0 report paid.json --key me.pub --ledger sqlite:team.db -o paid.html
check "the signer is named" grep -q "signed by $(sed -n 's/.*public key \([0-9A-F]*\).*/\1/p' me.pub)" paid.html
check "the account and what it spent" grep -q 'paid by account <bdi>team</bdi>.* ε = 2\. .*1 run had used 25 %' paid.html
check "a ledger that was asked" grep -q 'badge ok">ledger: team, entry 2</span>' paid.html
run 0 report paid.json -o alone.html
check "a ledger that was not asked" grep -q 'badge">ledger: team, entry 2 (claimed, not checked)<' alone.html
sed -n '/<h2>Clusters/,/<h2>Sizes/p' alone.html >clusters.html
check "a ball is no box: values without frames" \
    bash -c "grep -q 'Cluster 2' clusters.html && ! grep -q 'class=\"frame\"' clusters.html"
check "without witnesses nobody is named" bash -c "! grep -q 'signed by\|paid by account' alone.html"
sed 's/"public_seed": 0/"public_seed": 1/' paid.json >other.json
cp paid.json.minisig other.json.minisig
refuse 1 'no signature of this file' report other.json --key me.pub -o no.html
run 1 report other.json --ledger sqlite:team.db -o no.html
check "no page then" [ ! -e no.html ]

if command -v chromium >/dev/null; then
    cat >look.py <<'P'
"""look.py PAGE: nothing is cut off on a phone, the page is drawn, it is dark in
the dark, and no request leaves."""
import json, os, re, shutil, struct, subprocess, sys, zlib
page = os.path.abspath(sys.argv[1])
def shoot(width, *more):
    subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu",
                    "--hide-scrollbars", f"--window-size={width},900", "--log-net-log=net.json",
                    "--screenshot=shot.png", "--user-data-dir=" + os.path.abspath("profile"),
                    "--disable-background-networking", *more, "file://" + page],
                   check=True, capture_output=True, timeout=120)
    data = open("shot.png", "rb").read()
    w, h = struct.unpack(">II", data[16:24])
    at, body, step = 8, b"", {2: 3, 6: 4}[data[25]]
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        body += data[at + 8:at + 8 + size] if kind == b"IDAT" else b""
        at += size + 12
    raw, rows, before = zlib.decompress(body), [], bytearray(w * step)
    for y in range(h):
        kind, line = raw[y * (w * step + 1)], bytearray(raw[y * (w * step + 1) + 1:(y + 1) * (w * step + 1)])
        if kind == 2 and not any(line): # as the line before, which most are
            rows.append(bytes(before))
            continue
        for i in range(w * step):
            left = line[i - step] if i >= step else 0
            corner = before[i - step] if i >= step else 0
            up = before[i]
            if kind == 1: line[i] = (line[i] + left) & 255
            elif kind == 2: line[i] = (line[i] + up) & 255
            elif kind == 3: line[i] = (line[i] + (left + up) // 2) & 255
            elif kind == 4:
                p = left + up - corner
                pa, pb, pc = abs(p - left), abs(p - up), abs(p - corner)
                line[i] = (line[i] + (left if pa <= pb and pa <= pc else up if pb <= pc else corner)) & 255
        rows.append(bytes(line)); before = line
    return w, step, rows
for width in (1280, 400):
    w, step, rows = shoot(width)
    assert w == width
    background = rows[0][:3]
    ink = sum(1 for r in rows for x in range(0, w, 4) if r[x * step:x * step + 3] != background)
    assert ink > 1000, ink
    for r in rows: # the margin on the right is empty: nothing sticks out
        assert all(r[x * step:x * step + 3] == background for x in range(w - 10, w)), "cut off"
# what the page asked for, not what the browser asks for itself
requests = [e for e in json.load(open("net.json"))["events"]
            if e.get("params", {}).get("url", "").startswith("http")
            and e["params"].get("initiator", "not an origin") != "not an origin"]
assert not requests, ("request", requests[:1])
w, step, rows = shoot(400, "--force-dark-mode", "--blink-settings=preferredColorScheme=0")
assert sum(rows[0][:3]) < 150, "not dark"
# on paper: A4, and what is folded on a screen is there
subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--print-to-pdf=paper.pdf",
                "--user-data-dir=" + os.path.abspath("profile"), "file://" + page],
               check=True, capture_output=True, timeout=120)
boxes = re.findall(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", open("paper.pdf", "rb").read())
assert boxes and all(abs(float(x) - 595) < 2 and abs(float(y) - 842) < 2 for x, y in boxes), boxes[:1]
if shutil.which("pdftotext"):
    text = subprocess.run(["pdftotext", "paper.pdf", "-"], check=True, capture_output=True, text=True).stdout
    assert re.search("gaussian|laplace|k-norm", text), "the releases are folded"
P
    # Numbers stay in their cards: a longitude with its noise, on a desktop and on a phone.
    "$PYTHON" - <<'P'
import json
m = json.load(open("one.json"))
m.update(k=2, dimension=2, centers=[[-122.4114, 37.7512], [-122.4301, 37.7812]], weights=[100., 80.])
m["parameters"].update(bounds={"lower": [-123., 37.], "upper": [-122., 38.]}, columns=["longitude", "latitude"])
m["quality"]["noise"] = .0058 / 2 * 2 ** .5
json.dump(m, open("cabs.json", "w"))
P
    run 0 report cabs.json -o cabs.html
    check "a long number" grep -q -- '-122.411 <small>± 0.005' cabs.html
    # A long name stays on the page; without bars a number and its noise stand on one line.
    "$PYTHON" - <<'P'
import json
m = json.load(open("cabs.json"))
m["parameters"].update(columns=["n" * 90, "latitude"], bounds=None, radius=200)
m["centers"] = [[-1000.004, 1000.], [3., 4.]]
json.dump(m, open("names.json", "w"))
P
    run 0 report names.json -o names.html
    sed 's/<meta http-equiv[^>]*>//; s|</body>|<script>const d=document;let n=0;for(const v of d.querySelectorAll(".card .value")){const r=d.createRange();r.selectNodeContents(v);n+=r.getBoundingClientRect().height>30};d.title="wide: "+(d.documentElement.scrollWidth>500)+" lines: "+n</script></body>|' \
        names.html >wide.html
    for width in 500 1280; do
        chromium --headless --no-sandbox --disable-gpu --user-data-dir="$PWD/profile" --window-size=$width,900 \
            --dump-dom "file://$PWD/wide.html" 2>/dev/null | grep -o '<title>wide: [a-z]* lines: [0-9]*' >wide$width.txt
    done
    check "a long name stays on the page" grep -q 'wide: false' wide500.txt
    check "a number on one line" grep -q 'lines: 0$' wide1280.txt
    sed 's/<meta http-equiv[^>]*>//; s|</body>|<script>let n=0;for(const w of [400,1000,1280]){document.body.style.width=w+"px";for(const v of document.querySelectorAll(".value")){const r=document.createRange();r.selectNodeContents(v);n+=r.getBoundingClientRect().right>v.getBoundingClientRect().right+.5}}document.title="out: "+n</script></body>|' \
        cabs.html >out.html
    sed 's/\.bars \.value small/.bars .value,.bars .value small/' out.html >control.html
    for m in out control; do
        chromium --headless --no-sandbox --disable-gpu --user-data-dir="$PWD/profile" --window-size=1280,900 \
            --dump-dom "file://$PWD/$m.html" 2>/dev/null | grep -o '<title>out: [0-9]*' >$m.txt
    done
    check "no number leaves its card" grep -q 'out: 0$' out.txt
    check "a number that does is seen" grep -q 'out: [1-9]' control.txt
    for m in model names; do
        "$KITH" report -o look.html $m.json
        check "$m in Chromium" "$PYTHON" look.py look.html
    done
    # controls: a page that asks, and one that is too wide, must be caught
    sed 's/<meta http-equiv[^>]*>//; s|<h1>|<img src="http://127.0.0.1:9/x"><h1>|' look.html >asks.html
    check "a request is seen" sh -c '! "$0" look.py asks.html 2>seen && grep -q request seen' "$PYTHON"
    sed 's|<h1>|<h1 class="frame">wwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwww<br>|; s/overflow-wrap:anywhere//' \
        look.html >sticks.html
    check "what sticks out is seen" sh -c '! "$0" look.py sticks.html 2>seen && grep -q "cut off" seen' "$PYTHON"
else
    echo "SKIPPED: chromium is missing (scripts/bootstrap.sh browser)"
fi
finish

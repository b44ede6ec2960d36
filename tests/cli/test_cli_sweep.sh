#!/usr/bin/env bash
# T36: a sweep is a grid of plans: the same numbers, no rows, nothing spent.
set -u
. "$(dirname "$0")/lib.sh"

S="--delta 1e-6 --rows 20000 --bounds 0:100"
run 0 sweep -k 2,8 -e 0.5,2 --dimension 3 $S --as json -o sweep.json
said 'nothing was spent'
for k in 2 8; do
    for e in 0.5 2; do
        run 0 kmeans -k $k -e $e --dimension 3 $S --dry-run --quiet -o plan-$k-$e.json
    done
done
python "every cell is a plan" <<'P'
import json
cells = json.load(open("sweep.json"))["cells"]
assert [(c["k"], c["epsilon"]) for c in cells] == [(2, 0.5), (8, 0.5), (2, 2), (8, 2)]
for c in cells:
    plan = json.load(open("plan-%d-%g.json" % (c["k"], c["epsilon"])))
    assert c["noise"] == plan["predicted_noise_per_center"], (c, plan)
    assert c["releases"] == len(plan["privacy"]["releases"])
    assert c["sensible"] == (plan.get("sensible_clusters") or 0), (c, plan)
P
run 0 sweep -k 2:64 -e 0.1,1 --dimension 3 $S
check "both ends" grep -Eq '^ +2 +0.1 ' "$OUT"
check "both ends" grep -Eq '^ +64 +1 ' "$OUT"
check "too many for a small budget" grep -q 'too many centres' "$OUT"
run 0 sweep -k 4 -e 1 --dimension 3 $S --as csv
check "two lines" [ "$(wc -l <"$OUT")" = 2 ]
printf 'a,0,1\nb,0,5\n' >b.csv
run 0 sweep -k 4 -e 1 --rows 1000 --bounds-file b.csv --normalize --as json
check "the bounds file tells" grep -q '"dimension": 2' "$OUT"
run 0 sweep -k 3 -e 1 --rows 1000 --dimension 4 --radius 2 --method lloyd --adjacency replace-one
run 0 sweep -k 2:64 -e 1 --dimension 3 $S --as csv
check "no two numbers next to each other" [ "$(tail -n 2 "$OUT" | cut -d, -f1 | tr '\n' ' ')" = "42 64 " ]

# Trials on made-up and on public rows; what an account can pay.
"$KITH" generate gaussians --rows 3000 --dimension 2 -k 3 --seed 2 2>/dev/null | sed '1i y,x' >pub.csv
printf 'name,lo,hi\nx,-1,1\ny,-2,2\n' >pb.csv
run 0 budget create team --ledger sqlite:l.db --new-ledger --dataset x --unit row --adjacency add-remove \
    -e 2 --delta 1e-6
cp l.db before.db
run 0 sweep -k 3 -e 0.5,4 --delta 1e-6 --bounds-file pb.csv --public pub.csv --account team \
    --ledger sqlite:l.db --as json -o t.json
said 'yours may be unlike them'
check "nothing is charged" cmp -s l.db before.db
run 0 kmeans -k 3 --non-private --starts 5 --bounds-file pb.csv --quiet -o plain.json pub.csv
run 0 evaluate plain.json pub.csv --quiet
python "ratios and runs" "$OUT" <<'P'
import json, sys
t = json.load(open("t.json"))
assert t["trials"] == "public" and t["rows"] == 3000 and t["dimension"] == 2, t
few, many = t["cells"]
assert 0.99 < many["cost_ratio"] < 1.2 and many["cost_ratio"] <= few["cost_ratio"] + .05, t
assert few["runs_left"] >= 10 and many["runs_left"] == 0, t
assert json.load(open(sys.argv[1]))["cost"] > 0
P
run 0 sweep -k 2:8 -e 0.5,4 --delta 1e-6 --rows 3000 --dimension 2 --radius 3 --account team --ledger sqlite:l.db
said 'k was tried at 2, 3, 4, 6, 8;'
check "what cannot be paid does not fit" sh -c "! grep -Eq ' 0  fits' '$OUT'"
check "and says why" grep -Eq ' 0  more than is left' "$OUT"
run 3 budget quote team --ledger sqlite:l.db -e 4 --delta 1e-6
run 0 sweep -k 2,4 -e 2 --delta 1e-6 --rows 2000 --dimension 2 --radius 3 --stand-in gaussians:0.02 --as json
python "on clear clusters privacy costs little" "$OUT" <<'P'
import json, sys
t = json.load(open(sys.argv[1]))
assert t["trials"] == "stand-in" and all(.9 < c["cost_ratio"] < 2 for c in t["cells"]), t
P
refuse 2 'one of them' sweep -k 2 -e 1 --dimension 3 $S --stand-in gaussians --public pub.csv
refuse 2 'gaussians' sweep -k 2 -e 1 --dimension 3 $S --stand-in planes
refuse 2 'spread' sweep -k 2 -e 1 --dimension 3 $S --stand-in gaussians:x
refuse 2 'which --account' sweep -k 2 -e 1 --dimension 3 $S --ledger sqlite:l.db

# The page: strict, alone, and with the numbers of the table.
run 0 sweep -k 2:16 -e 0.1,1 --dimension 3 $S --as csv -o s.csv
run 0 sweep -k 2:16 -e 0.1,1 --dimension 3 $S --as page -o s.html
python "a page that needs nobody" <<'P'
import csv, html.parser, re
text = open("s.html").read()
class Strict(html.parser.HTMLParser):
    void, stack = {"meta", "line", "circle", "polyline"}, []
    def handle_starttag(self, tag, attrs):
        assert tag not in ("script", "link", "iframe") and not any(k.startswith("on") for k, _ in attrs)
        if tag not in self.void:
            self.stack.append(tag)
    def handle_startendtag(self, tag, attrs):
        assert tag in self.void, tag
    def handle_endtag(self, tag):
        assert self.stack.pop() == tag, tag
p = Strict()
p.feed(text)
assert not p.stack and "http:" not in text and "https:" not in text and "default-src 'none'" in text
rows = list(csv.DictReader(open("s.csv")))
shown = re.findall(r"<tr><th scope=\"row\">(\d+)</th><td>([^<]+)</td><td>([^<]+)</td>", text)
assert [(int(k), float(e)) for k, e, _ in shown] == [(int(r["k"]), float(r["epsilon"])) for r in rows]
assert all(n == "%.4g" % float(r["noise"]) for (_, _, n), r in zip(shown, rows))
many = sum(0 < int(r["sensible"]) < int(r["k"]) for r in rows)
assert text.count("<circle") == len(rows) and text.count('class="open"') == many
P

refuse 2 'reads no data' sweep -k 2 -e 1 --dimension 3 $S rows.csv
refuse 2 'required' sweep -k 2 --dimension 3 $S
refuse 2 'bounds are required' sweep -k 2 -e 1 --dimension 3 --rows 9
refuse 2 'dimension' sweep -k 2 -e 1 $S
refuse 2 'not LO:HI' sweep -k 5:2 -e 1 --dimension 3 $S
refuse 2 'above 0' sweep -k 2 -e 0,1 --dimension 3 $S
refuse 3 'raise' sweep -k 2 -e 1e-14 --dimension 3 --rows 9 --bounds 0:1
finish

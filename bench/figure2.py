#!/usr/bin/python3
"""The paper's Figure 2 (Wang, Wang, Singh 2015) with the kith command: cost and
d_W of every method against epsilon in the paper's three settings.

Writes figure2.svg and figure2.json (every run) beside this file and prints the
table; figure2_table.py then compares it with the prototype's. Every repetition
has a data set of its own.
--quick: one repetition, two values of epsilon, short chains, nothing written.
--keep: keep the runs of figure2.json and add those that are missing, but
--again X: measure the methods anew whose label starts with X.
--draw: only draw figure2.json again. --data SEED FOLDER: only make the data.
--kith: the command to measure. Setting 3 needs numpy (Debian's python3-numpy,
so Debian's /usr/bin/python3), and so does c, which is setting 2 with rows
clipped, for the comparison only.
"""
import argparse
import json
import math
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
EPSILONS = (.1, 1, 10, 100, 1000)

# name -> rows, dimension, planes, their dimension, spread, sweeps of Gibbs.
SETTINGS = {
    "1": (5000, 5, 3, 3, .01, 2500),
    "2": (1000, 10, 3, 3, .1, 10000),
    "3": (320, 50, 5, 9, None, 1500),  # Extended Yale B
    "c": (1000, 10, 3, 3, .1, 10000),  # 2 with rows clipped: not drawn
}
TITLES = {
    "1": "n=5000 d=5 k=3 q=3 \N{GREEK SMALL LETTER SIGMA}=.01",
    "2": "n=1000 d=10 k=3 q=3 \N{GREEK SMALL LETTER SIGMA}=.1",
    "3": "Extended Yale B: n=320 d=50 k=5 q=9",
    "c": "setting 2, rows clipped to the ball and not scaled to length 1",
}
DRAWN = "123"


def aggregate(solver, *more):
    return ("--method", "sample-aggregate", "--solver", solver,
            "--ignore-conditions", *more)


def gibbs_from(solver):
    return ("--method", "gibbs", "--non-private-start", "--solver", solver)


# label -> (arguments, pure, colour; None: not drawn). Pure: delta = 0; else
# 1 / (n ln n).
METHODS = {
    "s.a. SSC": (aggregate("ssc"), False, "#999999"),
    "s.a. TSC": (aggregate("tsc"), False, "#bbbbbb"),
    "s.a. LRR": (aggregate("lrr"), False, "#777777"),
    "s.a. SSC, overlap": (aggregate("ssc", "--overlap"), False, None),
    "s.a. TSC, overlap": (aggregate("tsc", "--overlap"), False, None),
    "s.a. LRR, overlap": (aggregate("lrr", "--overlap"), False, None),
    "SuLQ-10 basic": (("--method", "sulq", "--composition", "basic"), False,
                      "#e8a33d"),
    "SuLQ-50 basic": (("--method", "sulq", "--composition", "basic",
                       "--rounds", "50"), False, "#f2cf8f"),
    "SuLQ-10": (("--method", "sulq"), False, "#c05a1f"),
    "SuLQ-50": (("--method", "sulq", "--rounds", "50"), False, "#8c3b12"),
    "Bingham-10": (("--method", "bingham"), True, "#8e6bb8"),
    "Gibbs": (("--method", "gibbs"), True, "#3a78b4"),
    "Gibbs, SSC start": (gibbs_from("ssc"), True, "#9cc3e6"),
    "Gibbs, k-plane start": (gibbs_from("kplane"), True, None),
    "least cost": (("--method", "mincost"), True, "#2f9e8f"),
    "one plane": (("--method", "auto"), False, "#d48fb0"),
    "one plane, Bingham": (("--method", "bingham", "--rounds", "1"), True,
                           None),
    "auto": (("--method", "auto"), False, "#b3202c"),
}
PLAIN = {"k-plane, not private": "kplane", "SSC, not private": "ssc",
         "LRR, not private": "lrr", "TSC, not private": "tsc",
         "Algorithm 2, not private": "tsc-components"}
TRUE, PRINCIPAL = "true planes", "one plane, not private"
SHORT = 300


def repetitions_of(setting, label, all_of_them):
    """Not everything can be had everywhere, or often."""
    if "overlap" in label and setting == "3":
        return 0  # five blocks of 64: no such draw in 64 tries
    if setting == "1" and label == "Gibbs, SSC start":
        return 0  # SSC finds the planes that k-plane finds, in 14 s
    if setting == "1" and label == "SSC, not private":
        return 1
    return all_of_them


def say(text):
    print(text, file=sys.stderr, flush=True)


def run(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        sys.exit("figure2: %s\n%s" % (" ".join(command), done.stderr))
    return done.stdout


# ---- data ------------------------------------------------------------------

def write_truth(path, bases, d, q, scale="unit"):
    with open(path, "w", encoding="utf-8") as f:
        json.dump({"kith": 1, "kind": "subspace", "k": len(bases),
                   "dimension": d, "subspace_dimension": q,
                   "method": "generated",
                   "parameters": {"scale": scale},
                   "bases": bases}, f)


def make_yale(seed, rows, truth):
    """The paper's preprocessing, which looks at labels and pixels and is no
    part of a private run: 5 random people of 64 images each, every person
    projected onto their own 9-dimensional affine PCA plane, all of it by a
    random Gaussian matrix to 50 dimensions. Rows are scaled to length 1 by
    kith; the planes to compare with are the people's leading ones then."""
    import numpy  # only here: the other settings need none

    import prepare

    images = prepare.raw("yaleb/yaleb_32x32.npy")
    labels = prepare.raw("yaleb/yaleb_labels.npy")
    coins = numpy.random.default_rng(seed)
    full = [p for p in numpy.unique(labels) if (labels == p).sum() == 64]
    chosen = coins.choice(full, 5, replace=False)
    parts = []
    for person in chosen:
        x = images[labels == person].astype(float)
        middle = x.mean(axis=0)
        u, s, v = numpy.linalg.svd(x - middle, full_matrices=False)
        parts.append((u[:, :9] * s[:9]) @ v[:9] + middle)
    x = numpy.concatenate(parts)
    x = x @ coins.standard_normal((x.shape[1], 50)) / math.sqrt(50)
    x /= numpy.linalg.norm(x, axis=1, keepdims=True)
    numpy.save(rows, x)
    bases = [numpy.linalg.svd(x[64 * i:64 * i + 64])[2][:9].T.tolist()
             for i in range(5)]
    write_truth(truth, bases, 50, 9)

def make_clipped(seed, rows, truth):
    """Setting 2, but rows longer than 1 are clipped to length 1 and the others
    stay as they are (kith generate scales all of them to length 1)."""
    import numpy

    n, d, k, q, spread, _ = SETTINGS["c"]
    coins = numpy.random.default_rng(seed)
    bases = [numpy.linalg.qr(coins.standard_normal((d, q)))[0]
             for _ in range(k)]
    y = coins.standard_normal((n, q))
    y /= numpy.linalg.norm(y, axis=1, keepdims=True)
    x = numpy.array([bases[l] @ v
                     for l, v in zip(coins.integers(0, k, n), y)])
    x += spread * coins.standard_normal((n, d))
    x /= numpy.maximum(1, numpy.linalg.norm(x, axis=1, keepdims=True))
    numpy.save(rows, x * (1 - 1e-12))
    write_truth(truth, [b.tolist() for b in bases], d, q, "clip")


def make_data(kith, setting, seed, folder):
    n, d, k, q, spread, _ = SETTINGS[setting]
    stem = os.path.join(folder, "figure2-%s-%d" % (setting, seed))
    rows, truth = stem + ".npy", stem + ".json"
    if spread is None:
        make_yale(seed, rows, truth)
    elif setting == "c":
        make_clipped(seed, rows, truth)
    else:
        run(kith, "generate", "subspaces", "--rows", str(n), "--dimension",
            str(d), "-k", str(k), "-q", str(q), "--spread", str(spread),
            "--seed", str(seed), "--bases", truth, "-o", rows)
    return rows, truth


def bounds(setting):
    """Public, and for rows of any length but in setting c."""
    if setting == "c":
        return ["--scale", "clip", "--radius", "1"]
    return ["--radius", "1000" if setting == "3" else "4"]


# ---- measuring ---------------------------------------------------------------

def evaluate(kith, model, truth, rows, copies=1):
    """(cost, d_W) of a model, or of `copies` copies of its planes."""
    if copies > 1:
        with open(model, encoding="utf-8") as f:
            known = json.load(f)
        planes = known["bases"] * copies
        write_truth(model, planes, len(planes[0]), len(planes[0][0]),
                    known["parameters"]["scale"])
    got = json.loads(run(kith, "evaluate", model, "--reference", truth, rows))
    return tuple(float("%.6g" % got[name]) for name in ("cost_per_row", "d_W"))


def private_arguments(setting, label, epsilon, seed, quick=False):
    """The command of one private run, without its files."""
    n, _, k, q, _, sweeps = SETTINGS[setting]
    arguments, pure, _ = METHODS[label]
    one = label.startswith("one plane")
    more = []
    if "gibbs" in arguments:
        more = ["--rounds", str(SHORT if quick else sweeps)]
    if label.startswith("s.a."):
        more = ["--block-rows", "64" if setting == "3" else "50"]
    return ["subspace", "-k", "1" if one else str(k), "-q", str(q), "-e",
            "%g" % epsilon, "--delta",
            "0" if pure else "%.3g" % (1 / (n * math.log(n))), "--adjacency",
            "replace-one", *bounds(setting), "--insecure-seed", str(seed),
            "--seed", str(seed), "--threads", "1", "--quiet", *arguments, *more]


def measure(kith, setting, label, epsilon, seed, files, folder, quick):
    """(cost, d_W) of one run."""
    rows, truth = files
    model = os.path.join(folder, "model.json")
    run(kith, *private_arguments(setting, label, epsilon, seed, quick),
        "--force", "-o", model, rows)
    copies = SETTINGS[setting][2] if label.startswith("one plane") else 1
    return evaluate(kith, model, truth, rows, copies)


def measure_plain(kith, setting, label, files, folder):
    """(cost, d_W) without privacy."""
    _, _, k, q, _, _ = SETTINGS[setting]
    rows, truth = files
    if label == TRUE:
        return evaluate(kith, truth, truth, rows)
    one = label == PRINCIPAL
    model = os.path.join(folder, "model.json")
    run(kith, "subspace", "--non-private", "--solver",
        PLAIN.get(label, "kplane"), "-k", "1" if one else str(k), "-q", str(q),
        *bounds(setting), "--threads", "1", "--quiet", "--force", "-o", model, rows)
    return evaluate(kith, model, truth, rows, k if one else 1)


def collect_one(kith, setting, epsilons, repetitions, quick, folder, table,
                save):
    """Fills table: label -> for each epsilon (or once) the runs, (cost, d_W)
    each. What is there stays."""
    files = [make_data(kith, setting, 100 + r, folder)
             for r in range(repetitions)]
    for label in (TRUE, PRINCIPAL, *PLAIN):
        say("setting %s: %s" % (setting, label))
        runs = table.setdefault(label, [[]])[0]
        for r in range(len(runs), repetitions_of(setting, label, repetitions)):
            runs.append(measure_plain(kith, setting, label, files[r], folder))
    for label in METHODS:
        say("setting %s: %s" % (setting, label))
        wanted = repetitions_of(setting, label, repetitions)
        if wanted:
            cells = table.setdefault(label, [[] for _ in epsilons])
            for epsilon, runs in zip(epsilons, cells):
                for r in range(len(runs), wanted):
                    runs.append(measure(kith, setting, label, epsilon, 100 + r,
                                        files[r], folder, quick))
        save()


def collect(kith, settings, data, quick, save):
    with tempfile.TemporaryDirectory() as folder:
        for s in settings:
            collect_one(kith, s, data["epsilons"], data["repetitions"], quick,
                        folder, data["settings"].setdefault(s, {}), save)


def mean(runs, which):
    return sum(r[which] for r in runs) / len(runs)


# ---- showing -----------------------------------------------------------------

def cell(runs):
    return "%.4f / %.2f" % (mean(runs, 0), mean(runs, 1))


def print_table(data):
    for setting, table in data["settings"].items():
        print("\nSetting %s: %s (cost / d_W, means)"
              % (setting, TITLES[setting]))
        print("%-26s" % "" + "".join("%16s" % ("eps=%g" % e)
                                     for e in data["epsilons"]))
        for label, cells in table.items():
            print("%-26s" % label + "".join("%16s" % cell(c) for c in cells))


DASHED = "k-plane, not private"
WIDE, HIGH, LEFT, TOP, GAP = 300, 210, 58, 46, 62


class Svg:
    """As much SVG as a line chart needs."""

    def __init__(self, width, height):
        self.parts = ['<svg xmlns="http://www.w3.org/2000/svg" width="%d" '
                      'height="%d" viewBox="0 0 %d %d" font-family='
                      '"sans-serif" font-size="11">' % (width, height, width,
                                                        height),
                      '<rect width="100%" height="100%" fill="white"/>']

    def text(self, x, y, words, anchor="start", size=11, colour="#333333"):
        words = words.replace("&", "&amp;").replace("<", "&lt;")
        self.parts.append('<text x="%.1f" y="%.1f" text-anchor="%s" '
                          'font-size="%d" fill="%s">%s</text>'
                          % (x, y, anchor, size, colour, words))

    def line(self, points, colour, width=1.0, dash=None):
        self.parts.append(
            '<polyline fill="none" stroke="%s" stroke-width="%g"%s points='
            '"%s"/>' % (colour, width,
                        ' stroke-dasharray="%s"' % dash if dash else "",
                        " ".join("%.1f,%.1f" % p for p in points)))

    def dot(self, x, y, colour):
        self.parts.append('<circle cx="%.1f" cy="%.1f" r="2.2" fill="%s"/>'
                          % (x, y, colour))

    def finish(self):
        return "\n".join(self.parts + ["</svg>", ""])


def panel(svg, left, top, table, epsilons, which, log):
    """One chart: which = 0 cost, 1 d_W."""
    shown = {label: [mean(c, which) for c in cells]
             for label, cells in table.items()
             if label == DASHED or METHODS.get(label, (0, 0, None))[2]}
    values = [v for cells in shown.values() for v in cells
              if not log or v > 0]
    low, high = (min(values), max(values)) if log else (0, max(values) * 1.05)

    def height(v):
        if log:
            v = (math.log(max(v, low)) - math.log(low)) / (
                math.log(high * 1.1) - math.log(low))
        else:
            v = v / high
        return top + HIGH - v * HIGH

    def along(e):
        return left + (math.log10(e) - math.log10(epsilons[0])) / max(
            math.log10(epsilons[-1]) - math.log10(epsilons[0]), 1e-9) * WIDE

    svg.line([(left, top), (left, top + HIGH), (left + WIDE, top + HIGH)],
             "#333333")
    for e in epsilons:
        svg.text(along(e), top + HIGH + 15, "%g" % e, "middle")
    ticks = ([10.0 ** t for t in range(-5, 1)] if log
             else [high * t / 4 for t in range(5)])
    for t in ticks:
        if (low <= t <= high * 1.1) or not log:
            svg.line([(left, height(t)), (left + WIDE, height(t))], "#eeeeee")
            svg.text(left - 5, height(t) + 4, "%.2g" % t, "end")
    for label, cells in shown.items():
        if label == DASHED:
            y = height(cells[0])
            svg.line([(left, y), (left + WIDE, y)], "#000000", 1, "4 3")
            continue
        points = [(along(e), height(v)) for e, v in zip(epsilons, cells)]
        colour = METHODS[label][2]
        svg.line(points, colour, 2.4 if label == "auto" else 1.3)
        for x, y in points:
            svg.dot(x, y, colour)


def draw(data, path):
    settings = {s: t for s, t in data["settings"].items() if s in DRAWN}
    epsilons = data["epsilons"]
    legend = 170
    svg = Svg(len(settings) * (WIDE + GAP) + GAP + legend,
              2 * (HIGH + GAP) + TOP)
    for column, (setting, table) in enumerate(settings.items()):
        left = LEFT + column * (WIDE + GAP)
        svg.text(left + WIDE / 2, 22, TITLES[setting], "middle", 13)
        for row, name in enumerate(("cost (log scale)", "d_W")):
            top = TOP + row * (HIGH + GAP)
            svg.text(left, top - 6, name)
            panel(svg, left, top, table, epsilons, row, row == 0)
            svg.text(left + WIDE / 2, top + HIGH + 30,
                     "\N{GREEK SMALL LETTER EPSILON}", "middle")
    left, top = LEFT + len(settings) * (WIDE + GAP) - 30, TOP + 10
    drawn = [(label, pure, colour)
             for label, (_, pure, colour) in METHODS.items() if colour]
    for i, (label, pure, colour) in enumerate(drawn):
        svg.line([(left, top + 18 * i), (left + 22, top + 18 * i)], colour, 2.4)
        note = (" (not private)" if label.endswith("start") else
                " (\N{GREEK SMALL LETTER DELTA} = 0)" if pure else "")
        svg.text(left + 28, top + 18 * i + 4, label + note)
    below = top + 18 * len(drawn)
    svg.line([(left, below), (left + 22, below)], "#000000", 1, "4 3")
    svg.text(left + 28, below + 4, DASHED)
    with open(path, "w", encoding="utf-8") as f:
        f.write(svg.finish())


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kith", default=os.path.join(
        os.path.dirname(HERE), "build", "release", "tools", "kith", "kith"))
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--settings", default=DRAWN)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--draw", action="store_true")
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--again")
    parser.add_argument("--data", nargs=2)
    args = parser.parse_args()
    kept = os.path.join(HERE, "figure2.json")
    if args.data:
        for setting in args.settings:
            make_data(args.kith, setting, int(args.data[0]), args.data[1])
        return
    data = {"epsilons": [1, 100] if args.quick else list(EPSILONS),
            "repetitions": 1 if args.quick else args.repetitions,
            "settings": {}}
    if args.draw or args.keep:
        with open(kept, encoding="utf-8") as f:
            data["settings"] = json.load(f)["settings"]
    if args.again:
        for table in data["settings"].values():
            for label in list(table):
                if label.startswith(args.again):
                    table[label] = [[] for _ in table[label]]

    def save():
        if not args.quick:
            with open(kept, "w", encoding="utf-8") as f:
                json.dump(data, f)

    if not args.draw:
        collect(args.kith, args.settings, data, args.quick, save)
    if not args.quick:
        draw(data, os.path.join(HERE, "figure2.svg"))
    print_table(data)


if __name__ == "__main__":
    main()

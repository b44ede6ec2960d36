#!/usr/bin/python3
"""figure2.json cell by cell against section 3 of the notes,
../shared/spec/subspace.md. Writes FIGURE2.md beside this file.

A cell disagrees when the means differ by more than three standard errors: our
standard deviation of one run, over our runs and theirs, and half a unit of
their last digit. Their runs share few data sets, so this is too strict where
data sets differ a lot (setting 3: other people's faces).
"""
import json
import math
import os
import re

HERE = os.path.dirname(os.path.abspath(__file__))
NOTES = os.path.join(os.path.dirname(os.path.dirname(HERE)), "shared", "spec",
                     "subspace.md")
LIMIT = 3
DIGIT = (.00005, .005)  # half of the last one: cost, d_W

NAMES = {
    "ref-truth": "true planes", "ref-pca-k1": "one plane, not private",
    "np-kplane": "k-plane, not private", "np-ssc": "SSC, not private",
    "np-lrr": "LRR, not private", "np-tsc": "TSC, not private",
    "np-tsc-alg2": "Algorithm 2, not private",
    "sa-ssc-disjoint": "s.a. SSC", "sa-tsc-disjoint": "s.a. TSC",
    "sa-lrr-disjoint": "s.a. LRR", "sa-ssc-paper": "s.a. SSC, overlap",
    "sa-tsc-paper": "s.a. TSC, overlap", "sa-lrr-paper": "s.a. LRR, overlap",
    "sulq10-basic": "SuLQ-10 basic", "sulq50-basic": "SuLQ-50 basic",
    "sulq10-gdp": "SuLQ-10", "sulq50-gdp": "SuLQ-50", "gibbs-rand": "Gibbs",
    "gibbs-ssc": "Gibbs, SSC start", "gibbs-np": "Gibbs, k-plane start",
    "mincost-mcmc": "least cost", "bingham-kss10-pure": "Bingham-10",
    "dp-pca-k1-gauss": "one plane", "dp-pca-k1-bingham": "one plane, Bingham",
    "m4fac(0.8)+kss1": "auto",
}


def pair(text):
    got = re.fullmatch(r"\s*([\d.]+) / ([\d.]+)\s*", text)
    return (float(got[1]), float(got[2])) if got else None


def read_notes(path):
    """setting -> label -> (runs, [cell or None])."""
    out, table = {}, None
    with open(path, encoding="utf-8") as f:
        lines = f.read().split("\n")
    for line in lines:
        if line.startswith("#### Setting "):
            table = out.setdefault(line.split()[2], {})
        elif line.startswith(("**", "## ")):
            table = None
        elif table is None:
            continue
        elif line.startswith("ref-truth"):
            for item in line.split(";"):
                name, rest = item.split(None, 1)
                if name in NAMES:
                    table[NAMES[name]] = (3, [pair(rest)])
        elif line.startswith("|"):
            cells = [c.strip() for c in line.strip("|").split("|")]
            if cells[0] in NAMES:
                table[NAMES[cells[0]]] = (int(cells[1].split("-")[0]),
                                          [pair(c) for c in cells[2:]])
    return out


def spread(runs, which):
    """Mean and standard deviation of one run."""
    values = [r[which] for r in runs]
    middle = sum(values) / len(values)
    square = sum((v - middle) ** 2 for v in values)
    return middle, math.sqrt(square / max(len(values) - 1, 1))


def compare(runs, theirs, their_runs, which):
    """(mean, sd, difference in standard errors)."""
    middle, sd = spread(runs, which)
    error = math.sqrt(sd * sd * (1 / len(runs) + 1 / their_runs)
                      + DIGIT[which] ** 2)
    return middle, sd, (middle - theirs[which]) / error


def mark(z):
    return "" if abs(z) <= LIMIT else " ▼" if z < 0 else " ▲"


def cell_text(runs, theirs, their_runs, count):
    if theirs is None:
        return "%.4f ± %.4f / %.2f" % (*spread(runs, 0), spread(runs, 1)[0])
    cost, sd, z = compare(runs, theirs, their_runs, 0)
    far, _, zd = compare(runs, theirs, their_runs, 1)
    for value in (z, zd):
        count["low" if value < -LIMIT else
              "high" if value > LIMIT else "same"] += 1
    return "%.4f ± %.4f%s (%.4f) / %.2f%s (%.2f)" % (
        cost, sd, mark(z), theirs[0], far, mark(zd), theirs[1])


def main():
    with open(os.path.join(HERE, "figure2.json"), encoding="utf-8") as f:
        data = json.load(f)
    notes = read_notes(NOTES)
    out = ["# Figure 2, cell by cell", "",
           "Made by `bench/figure2_table.py` from `figure2.json`: %d data sets "
           "a cell (SSC in setting 1: 1). Mean cost ± standard deviation of a "
           "run (the notes' mean) / mean d_W (the notes')." %
           data["repetitions"], "",
           "▼ lower, ▲ higher than the notes by more than %d standard errors, "
           "which are those of our runs and of as many as they had. "
           "[docs/subspace.md](../docs/subspace.md) says why." % LIMIT]
    total = {"low": 0, "same": 0, "high": 0}
    for setting, table in data["settings"].items():
        count = {"low": 0, "same": 0, "high": 0}
        rows = []
        for label, cells in table.items():
            runs, theirs = notes[setting].get(label, (1, [None] * len(cells)))
            texts = [cell_text(c, t, runs, count)
                     for c, t in zip(cells, theirs)]
            texts += [""] * (len(data["epsilons"]) - len(texts))
            rows.append("| %s | %s |" % (label, " | ".join(texts)))
        out += ["", "## Setting %s" % setting, "",
                "%(same)d figures agree, %(low)d are lower, %(high)d higher."
                % count, "",
                "| | " + " | ".join("ε = %g" % e for e in data["epsilons"])
                + " |", "|" + "---|" * (len(data["epsilons"]) + 1)] + rows
        for key in total:
            total[key] += count[key]
    with open(os.path.join(HERE, "FIGURE2.md"), "w", encoding="utf-8") as f:
        f.write("\n".join(out) + "\n")
    print("%(same)d figures agree, %(low)d are lower, %(high)d higher" % total)


if __name__ == "__main__":
    main()

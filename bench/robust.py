"""Odd data: `auto` must not lose to one mean, nor to centres spread about it.

Small, awkward sets, written with the standard library."""
import array
import json
import math
import os
import random
import statistics
import subprocess

import measure
from cases import FIRST_SEED

# name: (rows, dimension, k, epsilon, delta, radius or None for the box 0:1)
SETS = {
    "heavy-tails": (20000, 5, 8, 1, 1e-6, 100),
    "heavy-tails-pure": (20000, 5, 8, 1, 0, 100),
    "tiny-30": (30, 3, 3, 1, 1e-6, None),
    "tiny-300": (300, 3, 3, 1, 1e-6, None),
    "tiny-300-pure": (300, 3, 3, 1, 0, None),
    "far-cluster": (20000, 8, 6, 1, 1e-6, None),
    "far-cluster-pure": (20000, 8, 6, 1, 0, None),
    "line": (20000, 1, 5, 1, 1e-6, None),
    "line-pure": (20000, 1, 5, 1, 0, None),
    "noise": (20000, 10, 10, 1, 1e-6, None),
    "noise-pure": (20000, 10, 10, 1, 0, None),
    "noise-wide-pure": (5000, 60, 10, 1, 0, None),
    "k200": (20000, 6, 200, 1, 1e-6, None),
    "k200-pure": (20000, 6, 200, 1, 0, None),
    "low-epsilon": (20000, 6, 8, .05, 1e-6, None),
    "low-epsilon-pure": (20000, 6, 8, .05, 0, None),
    "unbalanced": (30000, 4, 8, 1, 1e-6, None),
    "duplicates": (20000, 6, 5, 1, 1e-6, None),
    "duplicates-pure": (20000, 6, 5, 1, 0, None),
    "wide-pure": (3000, 200, 5, 1, 0, None),
    "pareto": (20000, 1, 8, 1, 1e-6, None),
    "pareto-pure": (20000, 1, 8, 1, 0, None),
    "lognormal": (15000, 3, 10, 1, 1e-6, None),
    "two-far": (20000, 10, 4, 1, 1e-6, None),
    "two-far-pure": (20000, 10, 4, 8, 0, None),
    "one-place": (20000, 6, 10, 1, 1e-6, None),
    "one-place-pure": (20000, 6, 10, 1, 0, None),
    "low-rank-pure": (4000, 200, 10, .1, 0, None),
    "arcs-pure": (10000, 2, 12, .1, 0, None),
    "tiny-20-clusters-pure": (300, 4, 20, 8, 0, None),
    "sphere": (6000, 50, 6, .1, 1e-6, 1),
    "sphere-pure": (6000, 50, 6, .1, 0, 1),
    "nested": (20000, 2, 16, 1, 1e-6, None),
    "narrow-pure": (15000, 4, 5, 1, 0, None),
    "categories-pure": (15000, 30, 6, 1, 0, None),
    "lump": (2000, 2, 2, 1, 1e-6, None),
    "lump-pure": (2000, 2, 2, 1, 0, None),
    "lump-one": (10000, 2, 1, 1, 1e-6, None),
    "lump-one-pure": (10000, 2, 1, 1, 0, None),
    "lump-low-epsilon": (50000, 2, 1, .1, 1e-6, None),
    "lump-low-epsilon-pure": (50000, 2, 2, .1, 0, None),
    "few-blobs-pure": (1000, 2, 5, 1, 0, None),
    "four-values-pure": (3000, 1, 10, .1, 0, None),
    "binary-pure": (3000, 30, 8, .1, 0, None),
}


def clamp(x):
    return min(1.0, max(0.0, x))


def unit(row):
    length = math.sqrt(sum(v * v for v in row))
    return [v / length for v in row]


def two_far(coins, i, d):  # one row in two hundred is far away
    return [clamp((.9 if i % 200 == 0 else .2) + coins.gauss(0, .01))
            for _ in range(d)]


def one_place(coins, i, d):  # nine rows in ten are the same
    return [.3] * d if i % 10 else [coins.random() for _ in range(d)]


def lump(coins, i, d):  # one row in twenty is at a far place
    return [clamp(.1 + coins.gauss(0, .01)) if i % 20 else .95
            for _ in range(d)]


def arc(coins, i, _):  # two half circles
    t, s = coins.uniform(0, math.pi), i % 2
    x, y = math.cos(t) * (1 - 2 * s) + s, math.sin(t) * (1 - 2 * s) + s / 2
    return [clamp(v / 4 + .4 + coins.gauss(0, .02)) for v in (x, y)]


def categories(coins, i, d):  # answers to d/5 questions, six kinds of people
    row = [0] * d
    for question in range(d // 5):
        usual = (i % 6 * 7 + question * 3) % 5
        row[5 * question + (usual if coins.random() < .6 else
                            coins.randrange(5))] = 1
    return row


# Kinds that need no centres.
PLAIN = {
    "pareto": lambda coins, i, d: [clamp(
        (coins.paretovariate(1.2) - 1) / 1000) for _ in range(d)],
    "lognormal": lambda coins, i, d: [clamp(
        coins.lognormvariate(0, 1.5) / 1000) for _ in range(d)],
    "sphere": lambda coins, i, d: unit([coins.gauss(0, 1) for _ in range(d)]),
    "two-far": two_far, "one-place": one_place, "arcs": arc,
    "categories": categories, "lump": lump, "lump-one": lump,
    "lump-low-epsilon": lump,
    "four-values": lambda coins, i, d: [coins.choice((.1, .2, .5, .9))],
    "binary": lambda coins, i, d: [
        int(coins.random() < (.1, .5, .9)[j % 3]) for j in range(d)],
}


def low_rank(coins, rows, d):  # ten clusters in five directions, and noise
    axes = [[coins.gauss(0, .05) for _ in range(d)] for _ in range(5)]
    centers = [[coins.gauss(0, 1) for _ in range(5)] for _ in range(10)]
    for i in range(rows):
        at = [v + coins.gauss(0, .3) for v in centers[i % 10]]
        yield [clamp(.5 + coins.gauss(0, .03) +
                     sum(a * axis[j] for a, axis in zip(at, axes)))
               for j in range(d)]


def rows_of(name, coins):
    rows, d = SETS[name][:2]
    kind = name.replace("-pure", "")
    if kind in PLAIN:
        yield from (PLAIN[kind](coins, i, d) for i in range(rows))
        return
    if kind == "low-rank":
        yield from low_rank(coins, rows, d)
        return
    yield from clusters_of(kind, rows, d, coins)


def clusters_of(kind, rows, d, coins):
    centers = [[coins.uniform(.1, .9) for _ in range(d)] for _ in range(40)]
    for i in range(rows):
        if kind == "heavy-tails":  # Cauchy about four places
            c = centers[i % 4]
            yield [20 * v - 10 + coins.gauss(0, 1) / max(abs(
                coins.gauss(0, 1)), .01) for v in c]
        elif kind == "far-cluster":  # nine tenths in a corner
            far = i % 10 == 0
            yield [clamp((.95 if far else .05 + .02 * (i % 3)) +
                         coins.gauss(0, .01)) for _ in range(d)]
        elif kind in ("noise", "noise-wide"):
            yield [coins.random() for _ in range(d)]
        elif kind == "k200":
            yield [clamp(v + coins.gauss(0, .03)) for v in centers[i % 40]]
        elif kind == "unbalanced":  # sizes halve
            j = 0
            while j < 9 and coins.random() < .5:
                j += 1
            yield [clamp(v + coins.gauss(0, .03)) for v in centers[j]]
        elif kind == "duplicates":  # five points
            yield centers[i % 5]
        elif kind == "tiny-20-clusters":
            yield [clamp(v + coins.gauss(0, .03)) for v in centers[i % 20]]
        elif kind == "nested":  # four clusters of four, a thousandth as wide
            yield [clamp(v + .0006 * w + coins.gauss(0, .00003))
                   for v, w in zip(centers[i % 4], centers[4 + i // 4 % 4])]
        elif kind == "narrow":  # in a thousandth of the bounds
            yield [.7 + v / 1000 + coins.gauss(0, .0001)
                   for v in centers[i % 5]]
        else:
            yield [clamp(v + coins.gauss(0, .05)) for v in centers[i % 5]]


def error_of_mean(costs):
    return statistics.stdev(costs) / len(costs) ** .5


def against_better(costs):
    """auto / the best of the others, and the standard error of that."""
    (auto, error), (other, other_error) = costs[0], min(costs[1:])
    ratio = auto / other
    return ratio, ratio * math.hypot(error / auto, other_error / other)


def npy(name, directory):
    """The rows as float32, written by hand: no NumPy needed."""
    path = os.path.join(directory, "odd-%s.npy" % name)
    if not os.path.exists(path):
        rows = list(rows_of(name, random.Random(name)))
        head = "{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }" \
            % (len(rows), len(rows[0]))
        head += " " * (117 - len(head)) + "\n"
        with open(path + ".part", "wb") as f:
            f.write(b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little"))
            f.write(head.encode())
            array.array("f", (v for row in rows for v in row)).tofile(f)
        os.rename(path + ".part", path)
    return path


def bounds(name):
    """As bench_auto takes them."""
    radius = SETS[name][5]
    return "0:1" if radius is None else str(radius)


# Columns of the table: method of bench_auto, and the number of clusters.
METHODS = (("auto", None), ("lloyd", None), ("spread", None), ("auto", 1))


class Figures:
    """Mean cost of auto, of lloyd, of the spread start and of one mean."""

    def __init__(self, wanted, seeds):
        self.sets = [name for name in SETS if wanted("robust-" + name)]
        self.seeds = seeds
        self.rows = []

    def names(self):
        return ["robust-" + name for name in self.sets]

    def run(self, build, data):
        del data
        for name in self.sets:
            costs, resolution = self.costs(build, name)
            measure.say("robust-%s %s" % (name, costs))
            self.rows.append((name, costs, resolution))

    def costs(self, build, name):
        """(mean, error) by method; mean resolution, where a choice was made."""
        _, _, k, epsilon, delta, _ = SETS[name]
        seeds = self.seeds * (8 if SETS[name][0] < 1000 else 4)
        lines = subprocess.run(
            [build.bench("bench_auto"), npy(name, measure.CACHE), bounds(name)],
            input="".join("%d %g %g %d %s\n" % (many or k, epsilon, delta, seed,
                                                method)
                          for method, many in METHODS
                          for seed in range(FIRST_SEED, FIRST_SEED + seeds)),
            stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
        runs = [json.loads(line) for line in lines]
        parts = [[r["cost"] for r in runs[i * seeds:(i + 1) * seeds]]
                 for i in range(len(METHODS))]
        told = [r["resolution"] for r in runs[:seeds] if r["resolution"] > 0]
        return ([(statistics.mean(p), error_of_mean(p)) for p in parts],
                statistics.mean(told) if told else None)

    def worst(self):
        """auto against the best of the others, worst set; None if not run."""
        if not self.rows:
            return None
        return max(against_better(costs)[0] for _, costs, _ in self.rows)

    def section(self, table):
        if not self.rows:
            return ""
        rows = [(name, *SETS[name][:4], "%g" % SETS[name][4],
                 *("%.4g" % mean for mean, _ in costs),
                 "–" if resolution is None else "%.2g" % resolution,
                 "%.3f ± %.3f" % against_better(costs))
                for name, costs, resolution in self.rows]
        return """## Odd data

Cost per row, mean of %d seeds (twice as many below 1,000 rows), by `bench_auto`: `auto`, `lloyd`, the spread start
(one private mean with all of the budget, and k - 1 centres about it at the distance that suits the exact variance)
and one private mean (`-k 1`). "Resolution" is that of the selection, per row, where one was made. The last column is
auto against the best of the others, with the standard error of that. The sets are made by `bench/robust.py`.

%s
""" % (4 * self.seeds, table(("data", "rows", "d", "k", "epsilon", "delta", "auto",
                          "lloyd", "spread start", "one mean", "resolution",
                          "auto / best"), rows))

#!/usr/bin/env python3
"""`auto` on ten real sets: geometric means of cost ratios for five budgets.

    ten_sets.py [--build DIR] [--name NAME] [--against NAME] [--seeds N] [--first S] [--sets A,B]

Runs bench_auto (one process for each set, one thread), keeps every run in
bench/cache/ten_sets-NAME.jsonl (NAME: --name) and does not repeat those that
are there. --against NAME compares with the runs that another build has kept,
cell by cell with the standard error of the difference."""
import argparse
import collections
import json
import math
import os
import subprocess

import measure
from cases import DATASETS, FIRST_SEED

SETS = ("mnist", "synth", "letter", "gas", "adult", "credit", "brfss", "cifar",
        "cabs", "trips")
CLUSTERS = (10, 64)
BUDGETS = ((1, 1e-6), (4, 1e-6), (.1, 1e-6), (1, 0), (.1, 0))
FEW_FEATURES = 32


def bounds(name):
    """As in cases.bounds_of: MNIST in its box."""
    return "0:1" if name == "mnist" else DATASETS[name].bounds[1]


def kept(name):
    path = os.path.join(measure.CACHE, "ten_sets-%s.jsonl" % name)
    runs = {}
    if os.path.exists(path):
        with open(path, encoding="ascii") as file:
            for line in file:
                r = json.loads(line)
                runs[r["set"], r["k"], r["epsilon"], r["delta"], r["seed"]] = r
    return path, runs


def run(build, data, args):
    path, runs = kept(args.name)
    for name in args.sets.split(","):
        asks = [(k, e, d, seed) for seed in range(args.first,
                                                  args.first + args.seeds)
                for k in CLUSTERS for e, d in BUDGETS
                if (name, k, e, d, seed) not in runs]
        if not asks:
            continue
        measure.say("%s: %d runs" % (name, len(asks)))
        done = subprocess.run(
            [build.bench("bench_auto"), data.path(name), bounds(name)],
            input="".join("%d %g %g %d auto\n" % a for a in asks),
            stdout=subprocess.PIPE, text=True, check=True)
        with open(path, "a", encoding="ascii") as file:
            for line in done.stdout.splitlines():
                file.write(json.dumps({"set": name, **json.loads(line)}) + "\n")


def ratios(runs):
    """Cell: costs over the best non-private one, by seed."""
    best = measure.read_json(os.path.join(measure.BENCH, "references.json"))
    cells = collections.defaultdict(dict)
    for (name, k, e, d, seed), r in runs.items():
        cells[name, k, e, d][seed] = r["cost"] / best[name][str(k)]["best"]
    return cells


def mean(values):
    values = list(values)
    return sum(values) / len(values)


def geometric(values):
    return math.exp(mean(math.log(v) for v in values))


def table(cells):
    rows = ["| ε, δ | all | k = 10 | k = 64 | d ≤ 32 | cells |",
            "|---|---|---|---|---|---|"]
    for e, d in BUDGETS:
        these = {c: mean(v.values()) for c, v in cells.items()
                 if c[2:] == (e, d)}
        parts = [these.values()] + [
            [v for c, v in these.items() if c[1] == k] for k in CLUSTERS]
        parts.append([v for c, v in these.items()
                      if DATASETS[c[0]].dimension <= FEW_FEATURES])
        if all(parts):
            rows.append("| %g, %s | %s | %d |" % (
                e, "pure" if d == 0 else "%g" % d,
                " | ".join("%.4f" % geometric(p) for p in parts), len(these)))
    return "\n".join(rows)


def compare(now, before):
    for cell in sorted(set(now) & set(before)):
        seeds = sorted(set(now[cell]) & set(before[cell]))
        if not seeds:
            continue
        apart = [now[cell][s] - before[cell][s] for s in seeds]
        error = math.sqrt(sum((a - mean(apart)) ** 2 for a in apart) /
                          max(len(apart) - 1, 1) / len(apart))
        print("%-7s k %-3d epsilon %-4g delta %-6g %.4f -> %.4f ± %.4f" % (
            *cell, mean(before[cell][s] for s in seeds),
            mean(now[cell][s] for s in seeds), error))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", default=os.path.join(
        measure.ROOT, "build", "release"))
    parser.add_argument("--name", default="now", help="of the build's runs")
    parser.add_argument("--against", metavar="NAME")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--first", type=int, default=FIRST_SEED)
    parser.add_argument("--sets", default=",".join(SETS))
    args = parser.parse_args()
    build = measure.Build(os.path.abspath(args.build))
    run(build, measure.Data(build), args)
    cells = ratios(kept(args.name)[1])
    print(table(cells))
    if args.against:
        before = ratios(kept(args.against)[1])
        print("\n" + table(before) + "\n")
        compare(cells, before)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""The table of docs/kmedian.md: k-median and k-means, held against the sum of
distances, as ratios to a non-private k-median.

    bench/kmedian.py [SET...]     by default all six; needs bench/DATA.md's sets

Seeds 200 to 205, k = 10, epsilon 1. Runs are kept in bench/cache/kmedian.jsonl
and not made again by the same program. --kith: the command.
"""
import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile

import measure
from cases import DATASETS

RELEASE = os.path.join(measure.ROOT, "build", "release")
KEPT = os.path.join(measure.CACHE, "kmedian.jsonl")
SETS = ("letter", "gas", "adult", "cifar", "mnist", "synth")
SEEDS = range(200, 206)
COLUMNS = [(method, delta) for delta in ("1e-6", "0")
           for method in ("kmeans", "kmedian")]


class Runs:
    def __init__(self, kith):
        self.kith = kith
        with open(kith, "rb") as file:
            self.build = hashlib.sha256(file.read()).hexdigest()[:12]
        self.data = measure.Data(measure.Build(RELEASE))
        self.known = {}
        if os.path.exists(KEPT):
            with open(KEPT, encoding="utf-8") as file:
                self.known = dict(map(json.loads, file))

    def cost(self, name, *arguments):
        """Sum of distances, per row, of a run on a set."""
        key = json.dumps((self.build, name, *map(str, arguments)))
        if key not in self.known:
            self.known[key] = self.measure(self.data.path(name), arguments)
            with open(KEPT, "a", encoding="utf-8") as file:
                file.write(json.dumps((key, self.known[key])) + "\n")
        return self.known[key]

    def measure(self, path, arguments):
        with tempfile.TemporaryDirectory() as folder:
            model = os.path.join(folder, "model.json")
            subprocess.run([self.kith, *map(str, arguments), "--threads", "1",
                            "--quiet", "-o", model, path], check=True,
                           stderr=subprocess.DEVNULL)
            with open(model, encoding="utf-8") as file:
                known = json.load(file)
            known["kind"] = "kmedian"  # a k-means model, held against distances
            with open(model, "w", encoding="utf-8") as file:
                json.dump(known, file)
            text = subprocess.run([self.kith, "evaluate", model, path],
                                  check=True, stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL).stdout
        return json.loads(text)["cost_per_row"]


def row(runs, name):
    wide = name in ("cifar", "mnist", "synth")
    bounds = DATASETS[name].bounds
    best = runs.cost(name, "kmedian", "-k", 10, *bounds, "--non-private",
                     "--starts", 2 if wide else 5, "--seed", 0)
    cells = []
    for method, delta in COLUMNS:
        found = [runs.cost(name, method, "-k", 10, "-e", 1, "--delta", delta,
                           *bounds, "--insecure-seed", seed, "--seed", seed)
                 / best for seed in SEEDS]
        cells.append("%.4f (%.3f)" % (sum(found) / len(found), max(found)))
    return "| %s | %s |" % (name, " | ".join(cells))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="*", default=SETS)
    parser.add_argument("--kith",
                        default=os.path.join(RELEASE, "tools", "kith", "kith"))
    args = parser.parse_args()
    runs = Runs(args.kith)
    print("| data | %s |" % " | ".join("%s, delta %s" % c for c in COLUMNS))
    for name in args.sets:
        if not runs.data.path(name):
            print("%s: skipped, see bench/DATA.md" % name, file=sys.stderr)
            continue
        print(row(runs, name), flush=True)


if __name__ == "__main__":
    main()

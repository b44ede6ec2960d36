#!/usr/bin/env python3
"""How good could one noisy step be? A limit for `auto`, cell by cell.

    /usr/bin/python3 bench/oracle.py [--sets A,B]

The oracle knows the best non-private partition and spends the whole budget on
one release: the sums of the residuals of its clusters, clipped at the clusters'
rms distances or a multiple of them, in L2 or (pure) in L1. (Shorter radii would
use that it knows the means.) Its cost is

    best cost + mean over rows of |bias of clipping|^2 + squared noise of a mean.

Nobody can know the partition for free, so this is a limit, not a goal: what
`auto` costs above it is the price of finding the clusters. Needs NumPy."""
import argparse
import json
import math
import subprocess

import numpy

import measure
import ten_sets
from cases import DATASETS

FACTORS = [1.15 ** i for i in range(12)]


def partition(build, data, name, k):
    """Rows about the mean of their cluster, and the cluster of each."""
    rows = numpy.load(data.path(name)).astype(numpy.float64)
    bounds = ten_sets.bounds(name)
    model = json.loads(measure.run(
        [build.kith, "kmeans", "-k", str(k), "--non-private", "--starts", "3",
         "--bounds" if ":" in bounds else "--radius", bounds, data.path(name)]))
    centers = numpy.array(model["centers"])
    label = numpy.concatenate([
        ((centers ** 2).sum(1) - 2 * part @ centers.T).argmin(1)
        for part in numpy.array_split(rows, max(1, len(rows) // 4096))])
    size = numpy.bincount(label, minlength=k)
    sums = numpy.stack([numpy.bincount(label, column, k) for column in rows.T])
    return rows - (sums / numpy.maximum(size, 1)).T[label], label, size


def price(rows, label, size, length, sd):
    """Least bias and noise per row over the factors. sd: of a coordinate of a
    sum of vectors of length 1; length: of the rows, in the norm that clips."""
    k, (n, d) = len(size), rows.shape
    scale = numpy.sqrt(numpy.bincount(label, length ** 2, k) /
                       numpy.maximum(size, 1))
    best = math.inf
    for factor in FACTORS:
        radius = factor * scale
        keep = numpy.minimum(1, radius[label] / numpy.maximum(length, 1e-30))
        sums = numpy.stack([numpy.bincount(label, column * keep, k)
                            for column in rows.T])
        bias = (sums ** 2).sum(0) / numpy.maximum(size, 1)
        noise = d * (sd * radius) ** 2 / numpy.maximum(size, 1)
        # a mean may be left alone: then it is off by its radius at most
        best = min(best, (bias + numpy.minimum(noise, size * scale ** 2)).sum())
    return best / n


def mu_of(build, epsilon, delta):
    plan = json.loads(measure.run(
        [build.kith, "kmeans", "-k", "1", "-e", str(epsilon), "--delta",
         str(delta), "--bounds", "0:1", "--dry-run", "--rows", "100",
         "--dimension", "1"]))
    return plan["privacy"]["mu"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sets", default=",".join(ten_sets.SETS))
    args = parser.parse_args()
    build = measure.Build(measure.ROOT + "/build/release")
    data = measure.Data(build)
    print("| set, k | " + " | ".join(
        "%g, %s" % (e, "pure" if d == 0 else "%g" % d)
        for e, d in ten_sets.BUDGETS) + " |\n|---" +
        "|---" * len(ten_sets.BUDGETS) + "|")
    for name in args.sets.split(","):
        for k in ten_sets.CLUSTERS:
            rows, label, size = partition(build, data, name, k)
            square = (rows ** 2).sum(1)
            cells = []
            for epsilon, delta in ten_sets.BUDGETS:
                d = DATASETS[name].dimension
                if delta > 0:
                    ways = [(numpy.sqrt(square), 1 / mu_of(build, epsilon,
                                                           delta))]
                else:
                    ways = [(numpy.sqrt(square), math.sqrt(d + 1) / epsilon),
                            (numpy.abs(rows).sum(1), math.sqrt(2) / epsilon)]
                cells.append("%.4f" % (1 + min(
                    price(rows, label, size, *w) for w in ways) /
                    square.mean()))
            print("| %s %d | %s |" % (name, k, " | ".join(cells)), flush=True)


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as error:
        raise SystemExit(error.stderr) from error

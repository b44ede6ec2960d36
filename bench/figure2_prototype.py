#!/usr/bin/python3
"""Two things that the prototype did otherwise, done its way, to show why its
figures (figure2_prototype_table.json) differ from kith's. NOT private.

Sample-aggregate in setting 2: noise on bases, Nissim, Raskhodnikova and Smith's
alpha and beta far outside epsilon < 1, where they were proved. Blocks are
solved by kith. tests/unit/test_smooth.c has the neighbours that tell these
constants' outputs apart.
SuLQ with basic composition: noise of one width in every entry of the triangle
(prototype), or 1/sqrt2 of it off the diagonal (GOE, kith), floating-point noise.

Writes figure2_prototype_runs.json beside this file; figure2_table.py shows it. Needs
numpy: Debian's /usr/bin/python3.
"""
import argparse
import itertools
import json
import math
import os
import tempfile

import numpy

import figure2

SETTING, BLOCKS, TRIES = "2", 20, 10000
EPSILONS = (100, 1000)
SOLVERS = {"s.a. SSC": "ssc", "s.a. TSC": "tsc", "s.a. LRR": "lrr"}


def deal(coins, n, overlap):
    """Rows of every block: a partition, or as the paper draws them."""
    size = n // BLOCKS
    if not overlap:
        return coins.permutation(n)[:size * BLOCKS].reshape(BLOCKS, size)
    for _ in range(TRIES):
        blocks = [coins.choice(n, size, replace=False) for _ in range(BLOCKS)]
        seen = numpy.bincount(numpy.concatenate(blocks), minlength=n)
        if seen.max() <= int(math.sqrt(BLOCKS)):
            return blocks
    raise SystemExit("figure2_prototype: no such blocks")


def solve(kith, rows, solver, k, q, folder):
    """The k bases, d x q each, that a solver finds."""
    part = os.path.join(folder, "block.npy")
    model = os.path.join(folder, "block.json")
    numpy.save(part, rows)
    figure2.run(kith, "subspace", "--non-private", "--solver", solver, "-k",
                str(k), "-q", str(q), "--radius", "1000", "--threads", "1",
                "--quiet", "--force", "-o", model, part)
    with open(model, encoding="utf-8") as f:
        return [numpy.array(b) for b in json.load(f)["bases"]]


def distance(one, other):
    """Between sets of bases, up to order and rotation."""
    k, q = len(one), one[0].shape[1]
    square = [[2 * (q - numpy.linalg.norm(u.T @ v, "nuc")) for v in other]
              for u in one]
    best = min(sum(square[i][p[i]] for i in range(k))
               for p in itertools.permutations(range(k)))
    return math.sqrt(max(best, 0))


def constants(epsilon, n, dimension):
    """The paper's alpha and beta."""
    log = math.log(2 * n * math.log(n))
    return (epsilon / (5 * math.sqrt(2 * log)),
            epsilon / (4 * (dimension + log)))


def bound(radii, each, beta, diameter):
    """S = 2 max e^(-beta t) rho(t0 + (t+1) s), and the medoid."""
    m = len(radii)
    first = (m + each) // 2 + 1
    top = min(m, max(1, int(each / beta)))
    best = 0
    for t in range(4 * m):
        size = first + (t + 1) * each
        rho = (diameter if size > m
               else numpy.sort(radii[:, size - 1])[-top:].mean())
        best = max(best, 2 * rho * math.exp(-beta * t))
    return best, int(numpy.argmin(radii[:, first - 1]))


def noisy(coins, bases, width):
    """The polar factor of each basis with noise."""
    out = []
    for u in bases:
        a, _, b = numpy.linalg.svd(u + width * coins.standard_normal(u.shape),
                                   full_matrices=False)
        out.append(a @ b)
    return out


def aggregate(kith, seed, folder, runs):
    """One data set, both dealings, all solvers."""
    n, d, k, q, _, _ = figure2.SETTINGS[SETTING]
    rows, truth = figure2.make_data(kith, SETTING, seed, folder)
    x = numpy.load(rows)
    coins = numpy.random.default_rng(seed)
    for overlap, (label, solver) in itertools.product((False, True),
                                                      SOLVERS.items()):
        answers = [solve(kith, x[b], solver, k, q, folder)
                   for b in deal(coins, n, overlap)]
        radii = numpy.sort([[distance(a, b) for b in answers]
                            for a in answers], axis=1)
        for epsilon in EPSILONS:
            alpha, beta = constants(epsilon, n, k * d * q)
            wide, medoid = bound(
                radii, int(math.sqrt(BLOCKS)) if overlap else 1, beta,
                math.sqrt(2 * k * min(q, d - q)))
            planes = noisy(coins, answers[medoid], wide / alpha)
            model = os.path.join(folder, "model.json")
            figure2.write_truth(model, [p.tolist() for p in planes], d, q)
            got = figure2.evaluate(kith, model, truth, rows)
            name = label + (", overlap" if overlap else "")
            runs.setdefault(name, {}).setdefault("%g" % epsilon, []).append(
                [*got, wide, wide / alpha])


# ---- SuLQ --------------------------------------------------------------------

def gaussian_mu(epsilon, delta):
    """The largest mu with delta(epsilon; mu) <= delta."""
    low, high = 1e-4, 100
    for _ in range(60):
        mu = (low + high) / 2
        spent = [math.erfc((epsilon / mu + s * mu / 2) / math.sqrt(2)) / 2
                 for s in (-1, 1)]
        if spent[0] - math.exp(epsilon) * spent[1] <= delta:
            low = mu
        else:
            high = mu
    return low


def squares(x, planes):
    return numpy.array([(x * x).sum(1) - ((x @ u) ** 2).sum(1)
                        for u in planes])


def sulq(coins, x, k, q, rounds, width, triangle):
    """Cost after so many rounds from random planes."""
    d = x.shape[1]
    planes = [numpy.linalg.qr(coins.standard_normal((d, q)))[0]
              for _ in range(k)]
    for _ in range(rounds):
        nearest = squares(x, planes).argmin(0)
        for i in range(k):
            own = x[nearest == i]
            noise = width * coins.standard_normal((d, d))
            below = numpy.tril(noise, -1) / (1 if triangle else math.sqrt(2))
            planes[i] = numpy.linalg.eigh(
                own.T @ own + below + below.T
                + numpy.diag(noise.diagonal()))[1][:, -q:]
    return squares(x, planes).min(0).mean()


def rounds_of_both(kith, seed, folder, runs):
    for setting, rounds, epsilon in itertools.product("12", (10, 50), (1, 10)):
        n, _, k, q, _, _ = figure2.SETTINGS[setting]
        rows, _ = figure2.make_data(kith, setting, seed, folder)
        x = numpy.load(rows)
        coins = numpy.random.default_rng(seed)
        width = math.sqrt(2) / gaussian_mu(
            epsilon / rounds, 1 / (n * math.log(n) * rounds))
        name = "%s SuLQ-%d basic %g" % (setting, rounds, epsilon)
        runs.setdefault(name, []).append(
            [sulq(coins, x, k, q, rounds, width, t) for t in (True, False)])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kith", default=os.path.join(
        os.path.dirname(figure2.HERE), "build", "release", "tools", "kith",
        "kith"))
    parser.add_argument("--repetitions", type=int, default=10)
    args = parser.parse_args()
    out = {"aggregate": {}, "sulq": {}}
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(100, 100 + args.repetitions):
            aggregate(args.kith, seed, folder, out["aggregate"])
            rounds_of_both(args.kith, seed, folder, out["sulq"])
            figure2.say("data set %d" % seed)
    with open(os.path.join(figure2.HERE, "figure2_prototype_runs.json"), "w",
              encoding="utf-8") as f:
        json.dump(out, f)
    for label, cells in out["aggregate"].items():
        for epsilon, got in cells.items():
            print("%-20s eps=%-5s cost %.4f d_W %.2f S %.2f noise %.3f"
                  % ((label, epsilon) + tuple(numpy.mean(got, axis=0))))
    for name, got in out["sulq"].items():
        print("%-20s triangle %.4f, GOE %.4f"
              % ((name,) + tuple(numpy.mean(got, axis=0))))


if __name__ == "__main__":
    main()

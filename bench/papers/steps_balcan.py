"""Printed steps of Balcan et al. 2017 that kith does otherwise: what each would
change, measured. One row of the table of steps.py for each."""
import math
import statistics

DELTA = 1e-6
SEEDS = range(100, 103)
# What --as-published does, with its 8 rounds and with as many as kith makes.
PRINTED = {"kith": (), "printed": ("--as-published",),
           "printed, kith's rounds": ("--as-published", "--rounds")}
# data: (clusters, rounds that kith makes, CPU seconds of a run)
SETS = {"mnist": (10, 4, 6), "synth": (64, 4, 8), "news20": (20, 2, 3)}
# data, rows, features, clusters
AGGREGATED = (("3 Gaussians", 10000, 3, 3), ("cabs", 500000, 2, 3),
              ("MNIST", 70000, 784, 10))


def mean(values):
    return statistics.mean(values) if values else None


class BalcanSteps:
    def __init__(self, runs, quick):
        self.runs = runs
        self.seeds = SEEDS[:1] if quick else SEEDS
        self.sets = ("news20",) if quick else tuple(SETS)
        for seed in self.seeds:
            for name in self.sets:
                for version in PRINTED:
                    self.ask(name, version, seed)

    def ask(self, name, version, seed):
        k, rounds, seconds = SETS[name]
        more = PRINTED[version]
        if more and more[-1] == "--rounds":
            more += (rounds,)

        def job(folder):
            return self.runs.cluster(
                folder, self.runs.path(name), "-k", k, "-e", 1, "--delta",
                DELTA, *self.runs.bounds(name), "--method", "balcan", *more,
                "--insecure-seed", seed, "--seed", seed)
        self.runs.want(job, seconds, "step", "balcan", name, version, seed)

    def cost(self, name, version):
        found = [self.runs.get("step", "balcan", name, version, seed)
                 for seed in self.seeds]
        return mean([f["cost"] for f in found if f])

    def costs(self, name):
        """(kith's, printed, printed with kith's rounds), or None."""
        found = tuple(self.cost(name, version) for version in PRINTED)
        return found if all(found) else None

    def rows(self):
        dense = [(name, self.costs(name)) for name in ("mnist", "synth")]
        dense = [(name, SETS[name][0], *costs) for name, costs in dense if costs]
        if dense:
            yield ("Balcan: k partitions of ln n levels, the last draw among "
                   "Z(1)..Z(T) (Alg. 3), 8 rounds", "--as-published",
                   "cost per row, ε = 1: " + "; ".join(
                       "%s, k = %d: %.4g with kith's choices, %.4g as "
                       "published, %.4g as published with kith's 4 rounds"
                       % cell for cell in dense)
                   + ". The draw alone is one selection more: T + 1 share what "
                   "T had, so each has 9 % less at k = 10 and 5 % less from "
                   "k = 20 on.")
        sparse = self.costs("news20")
        if sparse:
            yield ("Balcan: 2s/η features for each centre of sparse rows "
                   "(Alg. 5)", "--as-published",
                   "20 Newsgroups, s = 64, k = 20, ε = 1, cost per row (the "
                   "origin alone .9978): %.4f with as many features as the "
                   "noise allows, %.4f as published (256 features, η = 1/2, 8 "
                   "rounds), %.4f as published with kith's 2 rounds. The "
                   "budget of a centre's values is divided among features that "
                   "hold noise only." % sparse)
        yield self.aggregate()

    @staticmethod
    def aggregate():
        """Noise of a coordinate, in diameters of the data, for one answer of k
        centres: printed smooth sensitivity if all blocks agree, against the
        average of blocks."""
        log = math.log(2 / DELTA)
        cells = []
        for name, n, d, k in AGGREGATED:
            m, size = int(n ** .4), k * d
            beta, alpha = 1 / (4 * (size + log)), 1 / (5 * math.sqrt(2 * log))
            smooth = math.sqrt(k) * math.exp(-beta * (m // 2)) / alpha
            average = math.sqrt(k) / m * math.sqrt(2 * math.log(1.25 / DELTA))
            cells.append("%s (m = %d): %.2g against %.2g" % (name, m, smooth,
                                                             average))
        return ("Nissim et al. 2007, for Balcan's comparison: sample and "
                "aggregate of k-means by smooth sensitivity", "the average of "
                "blocks (GUPT) instead",
                "Computed, ε = 1, printed constants, all blocks agree: standard "
                "deviation of a coordinate in diameters, smooth against "
                "average: %s. It would begin to fall with 8 (kd + ln(2/δ)) / ε "
                "blocks." % "; ".join(cells))

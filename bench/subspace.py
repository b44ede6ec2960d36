"""Planes: how good `kith subspace --method auto` is, its CPU time, and that of
the paper's Gibbs sampler."""
import collections
import json
import os
import statistics

import figure2
import measure
from cases import FIRST_SEED

# generate: arguments of `kith generate subspaces`, or None for a set of DATA.md.
Planes = collections.namedtuple("Planes", "rows d k q generate")


def planes(rows, d, k, q, spread, *more):
    return Planes(rows, d, k, q, (
        "--rows", str(rows), "--dimension", str(d), "-k", str(k), "-q", str(q),
        "--spread", str(spread), *more))


# The letters of docs/subspace_auto.md.
SETS = {
    "A": planes(10000, 10, 3, 3, .1),
    "B": planes(10000, 20, 5, 2, .05),
    "C1": planes(10000, 10, 3, 3, .05, "--decay", ".6",
                 "--weights", ".6,.3,.1"),
    "D": planes(10000, 5, 3, 3, .01),
    "F": planes(100000, 10, 3, 3, .1),
    "G": planes(50000, 50, 5, 9, .01),
    "H": planes(100000, 20, 5, 2, .05),
    "P": planes(20000, 100, 4, 3, .05),
    "Q": planes(100000, 200, 8, 4, .02),
    "gas": Planes(36733, 11, 5, 3, None),
    "credit": Planes(30000, 23, 5, 3, None),
    "mnist": Planes(70000, 784, 10, 3, None),
}

# ratio: of the mean cost to a non-private one; cost: of the mean itself; cpu:
# seconds of one thread. None: shown only.
Case = collections.namedtuple("Case", "set epsilon delta ratio cost cpu")


def case(name, epsilon, ratio=None, cost=None, delta=1e-6, cpu=None):
    return Case(name, epsilon, delta, ratio, cost, cpu)


CASES = (
    case("A", .5, 1.05), case("A", 1, 1.02), case("B", 1, 1.1),
    case("C1", 1, 1.1), case("D", 1), case("F", 1, 1.01),
    case("H", 1, 1.01, cpu=5), case("G", 1, cost=.0055),
    case("G", 2, cost=.0048), case("P", 1, 1.02), case("Q", 1, 1.03),
    case("gas", 1, cost=.0092), case("credit", 1, cost=.033),
    case("mnist", 1, cost=.365, cpu=15),
    case("A", 1, delta=0), case("A", 2, 1.04, delta=0),
    case("B", 2, delta=0), case("D", 2, delta=0), case("P", 1, delta=0),
    case("P", 2, delta=0), case("G", 2, delta=0), case("G", 4, delta=0),
)

# Gibbs, 10,000 sweeps. set: of figure2.py (3 is Extended Yale B), or above.
Chain = collections.namedtuple("Chain", "set epsilon cpu")
CHAINS = tuple(Chain(name, epsilon, cpu)
               for name, cpu in (("1", 4), ("2", 1), ("3", 8))
               for epsilon in figure2.EPSILONS) + (
                   Chain("F", 1, 100), Chain("F", 10, 100))
SWEEPS = 10000

# Runs are of neighbours that replace a row, the dearer ones.
ADJACENCY = "replace-one"
# Starts of k-plane: fewer where the true planes are known as well.
REFERENCE_STARTS = {True: 3, False: 5}


def name_of(c):
    return "subspace-auto-%s-e%g-%s" % (c.set, c.epsilon,
                                        "gaussian" if c.delta else "pure")


def chain_name(c):
    return "subspace-gibbs-%s-e%g" % (c.set, c.epsilon)


# ---- measuring ---------------------------------------------------------------

def bounds_of(name):
    return ("--radius", "1") if SETS[name].generate else ("--bounds", "0:1")


def files_of(build, data, name, seed):
    """Rows, and the planes they were made of, or None; generated once."""
    if SETS[name].generate is None:
        return data.path(name), None
    stem = os.path.join(measure.CACHE, "planes-%s-%d" % (name, seed))
    rows, truth = stem + ".npy", stem + "-truth.json"
    if not os.path.exists(rows):
        part = os.path.join(measure.CACHE, "part-planes.npy")
        measure.run([build.kith, "generate", "subspaces",
                     *SETS[name].generate, "--seed", str(seed), "--bases",
                     truth, "-o", part])
        os.rename(part, rows)
    return rows, truth


def one_plane(build, name, rows, model):
    """Cost of the one leading plane, non-private."""
    measure.run([build.kith, "subspace", "--non-private", "-k", "1", "-q",
                 str(SETS[name].q), *bounds_of(name), "--quiet", "--force", "-o", model,
                 rows])
    return measure.cost_per_row(build, model, rows)


def reference(build, name, rows, truth, seed):
    """Non-private cost per row, the lower one of k-plane and the planes the
    rows were made of (k-plane can get stuck); and that of one plane."""
    kept = os.path.join(measure.CACHE, "subspace_references.json")
    cached = measure.read_json(kept, {})
    key = "%s-%d" % (name, seed if truth else 0)
    if key not in cached:
        measure.say("non-private reference of %s" % key)
        s = SETS[name]
        model = os.path.join(measure.CACHE, "reference-planes.json")
        measure.run([build.kith, "subspace", "--non-private", "--starts",
                     str(REFERENCE_STARTS[truth is not None]), "-k", str(s.k),
                     "-q", str(s.q), *bounds_of(name), "--quiet", "--force", "-o", model, rows])
        costs = [measure.cost_per_row(build, m, rows)
                 for m in (model, truth) if m]
        cached[key] = [min(costs), one_plane(build, name, rows, model)]
        with open(kept, "w", encoding="utf-8") as f:
            json.dump(cached, f, indent=1)
    return cached[key]


def run_case(build, data, c, seeds):
    """Costs, ratios and CPU seconds; generated rows differ with the seed."""
    out = {"case": c, "costs": [], "ratios": [], "one": [], "cpu": []}
    s, model = SETS[c.set], os.path.join(measure.CACHE, "model-planes.json")
    for seed in range(FIRST_SEED, FIRST_SEED + seeds):
        rows, truth = files_of(build, data, c.set, seed)
        if not rows:
            return None
        best, one = reference(build, c.set, rows, truth, seed)
        used = build.cost_of(
            [build.kith, "subspace", "-k", str(s.k), "-q", str(s.q), "-e",
             "%g" % c.epsilon, "--delta", "%g" % c.delta, "--adjacency",
             ADJACENCY, *bounds_of(c.set), "--insecure-seed", str(seed),
             "--seed", str(seed), "--threads", "1", "--quiet", "--force", "-o", model,
             rows])
        cost = measure.cost_per_row(build, model, rows)
        out["costs"].append(cost)
        out["ratios"].append(cost / best)
        out["one"].append(one)
        out["cpu"].append(used["cpu"])
    return out


def chain_rows(build, data, name):
    """File, k and q of a chain's rows; or None."""
    if name in SETS:
        return (files_of(build, data, name, FIRST_SEED)[0], SETS[name].k,
                SETS[name].q)
    k, q = figure2.SETTINGS[name][2:4]
    stem = os.path.join(measure.CACHE, "figure2-%s-%d" % (name, FIRST_SEED))
    if not os.path.exists(stem + ".npy"):
        python = measure.python_with_numpy()
        if not python:
            return None
        measure.run([python, figure2.__file__, "--kith", build.kith,
                     "--settings", name, "--data", str(FIRST_SEED),
                     measure.CACHE])
    return stem + ".npy", k, q


def run_chain(build, data, c):
    """CPU seconds of one thread, or None."""
    found = chain_rows(build, data, c.set)
    if not found:
        return None
    rows, k, q = found
    return build.cost_of(
        [build.kith, "subspace", "--method", "gibbs", "--rounds", str(SWEEPS),
         "-k", str(k), "-q", str(q), "-e", "%g" % c.epsilon, "--delta", "0",
         "--adjacency", ADJACENCY, "--radius", "1000", "--insecure-seed", "1",
         "--seed", "1", "--threads", "1", "--quiet", "--force", "-o",
         os.path.join(measure.CACHE, "model-planes.json"), rows])["cpu"]


def verdict(c, r):
    """What was wanted, each with a mark."""
    wanted = [(c.ratio, statistics.mean(r["ratios"]), "%g ×"),
              (c.cost, statistics.mean(r["costs"]), "%g"),
              (c.cpu, statistics.mean(r["cpu"]), "%g s")]
    return ", ".join(form % limit + (" ✓" if got <= limit else " ✗")
                     for limit, got, form in wanted if limit is not None)


class Figures:
    """Everything of this section that `wanted` leaves."""

    def __init__(self, wanted, seeds):
        self.to_run = [c for c in CASES if wanted(name_of(c))]
        self.chains = [c for c in CHAINS if wanted(chain_name(c))]
        self.seeds = seeds
        self.results = []
        self.times = {}  # of chains

    def names(self):
        return ([name_of(c) for c in self.to_run] +
                [chain_name(c) for c in self.chains])

    def run(self, build, data):
        for c in self.to_run:
            r = run_case(build, data, c, self.seeds)
            if not r:
                measure.say("%s: no data" % name_of(c))
                continue
            measure.say("%-34s cost %.4f ratio %.3f worst %.3f cpu %.2f" % (
                name_of(c), statistics.mean(r["costs"]),
                statistics.mean(r["ratios"]), max(r["ratios"]),
                statistics.mean(r["cpu"])))
            self.results.append(r)
        for c in self.chains:
            used = run_chain(build, data, c)
            if used is None:
                measure.say("%s: no data" % chain_name(c))
                continue
            measure.say("%-34s cpu %.2f" % (chain_name(c), used))
            self.times[c] = used

    def chain_section(self, table):
        rows = [[c.set, "%g" % c.epsilon, "%.2f" % used, "%g s %s" %
                 (c.cpu, "✓" if used <= c.cpu else "✗")]
                for c, used in self.times.items()]
        return ("## Gibbs\n\nCPU seconds of %d sweeps of `kith subspace "
                "--method gibbs`, one thread: the paper's settings 1 to 3, "
                "and case F.\n\n" % SWEEPS +
                table(["data", "ε", "CPU s", "target"], rows))

    def section(self, table):
        """table: of report.py. None when nothing was run."""
        parts = ([self.auto_section(table)] if self.results else []) + (
            [self.chain_section(table)] if self.times else [])
        return "\n".join(parts) if parts else None

    def auto_section(self, table):
        rows = []
        for r in self.results:
            c, s = r["case"], SETS[r["case"].set]
            rows.append([c.set, "%g" % s.rows, s.d, s.k, s.q, "%g" % c.epsilon,
                         "%g" % c.delta,
                         "%.4f" % statistics.mean(r["costs"]),
                         "%.3f" % statistics.mean(r["ratios"]),
                         "%.3f" % max(r["ratios"]),
                         "%.4f" % statistics.mean(r["one"]),
                         "%.2f" % statistics.mean(r["cpu"]), verdict(c, r)])
        return ("## Planes\n\nMean squared distance from the nearest plane of "
                "`kith subspace` (rows of length 1, %s, one thread), and its "
                "ratio to a non-private one: k-plane, best of %d starts (%d for "
                "the sets of DATA.md), or the planes the rows were made of if "
                "these are better. Means "
                "of %d seeds; generated rows differ with the seed. One plane: "
                "the non-private leading plane. CPU includes reading.\n\n" % (
                    ADJACENCY, REFERENCE_STARTS[True],
                    REFERENCE_STARTS[False], self.seeds) +
                table(["data", "n", "d", "k", "q", "ε", "δ", "cost", "ratio",
                       "worst", "one plane", "CPU s", "target"], rows))

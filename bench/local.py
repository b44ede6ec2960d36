"""The local system: cost ratios of honest, report-by-report runs, and how the
cost of a cluster too small to be seen grows; and how fast devices and server
are.

Seeds of mixtures, groups and coins are FIRST_SEED and those after it. They were
never used before the figures of docs/local_auto.md were made; who tunes the
methods must use others, and give these up when they were looked at:
KITH_LOCAL_SEED=500 in the environment starts elsewhere. All of it takes about
half an hour of two idle processors.
"""
import collections
import json
import math
import os
import random
import re
import statistics
import time

import measure

FIRST_SEED = int(os.environ.get("KITH_LOCAL_SEED", "400"))

# data: "mix" (see make_mixture.py) or the name of a set of DATA.md. limit: what
# the median of the ratios to a non-private run should not exceed; None: shown
# only.
Case = collections.namedtuple("Case", "method data n d k epsilon limit")


def mix(method, n, d, epsilon, limit, k=5):
    return Case(method, "mix", n, d, k, epsilon, limit)


N4, N5, N6 = 10000, 100000, 1000000
CABS = "cabs1m"  # the other tables have half as many
CASES = (
    mix("auto", N4, 2, 1, 2.0), mix("auto", N5, 2, .5, 2.3),
    mix("auto", N5, 2, 1, 1.1), mix("auto", N5, 2, 2, 1.05),
    mix("auto", N5, 2, 1, 1.4, k=10), mix("auto", N6, 2, .5, 1.05),
    mix("auto", N5, 5, 1, 1.2), mix("auto", N5, 5, 2, 1.06),
    mix("auto", N5, 20, 1, 2.0), mix("auto", N5, 20, 2, 1.1),
    mix("auto", N5, 20, 4, 1.03), mix("auto", N5, 20, 4, 1.45, k=10),
    mix("auto", N6, 20, 1, 1.05), mix("auto", N6, 100, 1, 1.3),
    Case("auto", CABS, 0, 2, 10, 1, 2.0),
    Case("auto", CABS, 0, 2, 10, 2, 1.35),
    Case("auto", CABS, 0, 2, 10, 4, 1.1),
    Case("auto", "brfss", 0, 21, 8, 1, 1.18),
    Case("auto", "brfss", 0, 21, 8, 4, 1.08),
    Case("auto", "gas", 0, 11, 5, 1, 1.45),
    Case("auto", "trips", 0, 4, 8, 1, 1.75),
    mix("weighted-centers", N5, 2, 1, None),
    mix("weighted-centers", N5, 2, 2, 1.3),
    mix("weighted-centers", N5, 2, 4, 1.1),
    mix("weighted-centers", N6, 2, 1, 1.1),
    mix("weighted-centers", N5, 5, 4, None),
    mix("weighted-centers", N5, 20, 4, None),
    mix("one-round", N5, 2, 1, None), mix("one-round", N5, 2, 4, None),
    mix("one-round", N5, 20, 1, None), mix("one-round", N5, 20, 4, None),
)
LARGE_VALUES = 50000000  # sets with more are deleted when they were used

# A cluster of s sqrt(n) users at distance 1, two centres, epsilon 1: the worst
# s for each n, and the exponent of n that fits the excess cost.
SMALL_USERS = (10000, 30000, 100000, 300000, 1000000)
SMALL_SIZES = (2, 2.8, 4, 5.7, 8, 11.3, 16, 22.6, 32)
SMALL_METHODS = ("auto", "weighted-centers")
# Runs of each cell by the law: near the smallest visible s a cost is all or
# nothing, and five runs leave the exponent uncertain by .07.
SMALL_RUNS = 20
SMALL_CHECK = 100000  # the n whose worst cell is run report by report too
EXPONENT = {"weighted-centers": (.4, .6)}  # what is wanted

SPEED = "local-speed"


def name_of(case):
    where = (case.data if case.data != "mix" else
             "mix-d%d-n%g" % (case.d, case.n))
    return "local-%s-%s-k%d-e%g" % (case.method, where, case.k, case.epsilon)


def small_name(method):
    return "local-small-%s" % method


def names():
    return ([name_of(c) for c in CASES] +
            [small_name(m) for m in SMALL_METHODS] + [SPEED])


# ---- measuring ---------------------------------------------------------------

def mixture(kind, *numbers):
    """Path of a set of make_mixture.py, made once; None without NumPy."""
    path = os.path.join(measure.CACHE, "-".join(
        [kind] + ["%g" % x for x in numbers]) + ".npy")
    if not os.path.exists(path):
        python = measure.python_with_numpy()
        if not python:
            return None
        part = os.path.join(measure.CACHE, "part.npy")
        measure.run([python, os.path.join(measure.ROOT, "bench",
                                          "make_mixture.py"), kind,
                     *["%d" % x if x == int(x) else str(x) for x in numbers],
                     part])
        os.rename(part, path)
    return path


def reference(build, path, bounds, k):
    """Non-private cost per row, kept between runs."""
    kept = os.path.join(measure.CACHE, "local_references.json")
    cached = measure.read_json(kept, {})
    key = "%s-k%d" % (os.path.basename(path), k)
    if key not in cached:
        model = os.path.join(measure.CACHE, "reference.json")
        measure.run([build.kith, "kmeans", "--non-private", "--starts", "5",
                     "-k", str(k), *bounds, "--quiet", "--force", "-o", model, path])
        cached[key] = measure.cost_per_row(build, model, path)
        with open(kept, "w", encoding="utf-8") as f:
            json.dump(cached, f, indent=1)
    return cached[key]


def simulate(build, path, bounds, method, k, epsilon, seed, *more):
    model = os.path.join(measure.CACHE, "local.json")
    measure.run([build.kith, "local", "simulate", "-k", str(k), "-e",
                 str(epsilon), "--method", method, *bounds, "--seed",
                 str(seed), "--insecure-seed", str(seed), "--quiet", "--force", *more,
                 "-o", model, path])
    return measure.cost_per_row(build, model, path)


def data_of(data, case, seed):
    """Path and bounds; the path is None when the set cannot be had."""
    if case.data == "mix":
        return (mixture("mixture", case.n, case.d, case.k, seed),
                ("--radius", "1"))
    if case.data == CABS:
        return data.path("cabs1m"), measure.DATASETS["cabs"].bounds
    return data.path(case.data), measure.DATASETS[case.data].bounds


def run_case(build, data, case, seeds):
    """Ratios, one for each seed, of the method and of one private mean;
    mixtures differ with the seed."""
    ratios, means = [], []
    for seed in range(FIRST_SEED, FIRST_SEED + seeds):
        path, bounds = data_of(data, case, seed)
        if not path:
            return None
        base = reference(build, path, bounds, case.k)
        ratios.append(simulate(build, path, bounds, case.method, case.k,
                               case.epsilon, seed) / base)
        means.append(simulate(build, path, bounds, "mean", case.k,
                              case.epsilon, seed) / base)
        measure.say("  seed %d: %.4f, one mean %.4f"
                    % (seed, ratios[-1], means[-1]))
        if case.n * case.d > LARGE_VALUES:
            os.remove(path)
    return {"case": case, "ratios": ratios, "means": means}


# ---- clusters too small to be seen -------------------------------------------

def small_costs(build, method, n, s, *more):
    """Cost of each run; the optimum is 0, so that all of it is excess."""
    path = mixture("small", n, s, FIRST_SEED)
    if not path:
        return None
    costs = [n * simulate(build, path, ("--radius", "1"), method, 2, 1,
                          FIRST_SEED + run, *more)
             for run in range(SMALL_RUNS)]
    os.remove(path)
    return costs


def worst_of(cells):
    """(mean, s) of the worst s, from {s: costs}."""
    return max((statistics.mean(costs), s) for s, costs in cells.items())


def exponent_of(costs):
    xs = [math.log(n) for n in costs]
    ys = [math.log(max(worst_of(cells)[0], 1e-9)) for cells in costs.values()]
    return statistics.linear_regression(xs, ys).slope


def run_small(build, method):
    """Excess cost of the worst s for each n, the exponent of n that fits it,
    and its standard error: runs drawn again 400 times (bootstrap)."""
    costs = {}
    for n in SMALL_USERS:
        costs[n] = {s: small_costs(build, method, n, s, "--law")
                    for s in SMALL_SIZES}
        if None in costs[n].values():
            return None
        measure.say("small cluster, %s, n = %d: %.0f at s = %g"
                    % (method, n, *worst_of(costs[n])))
    coins = random.Random(1)
    again = [exponent_of({n: {s: coins.choices(c, k=len(c))
                              for s, c in cells.items()}
                          for n, cells in costs.items()})
             for _ in range(400)]
    s = worst_of(costs[SMALL_CHECK])[1]
    return {"method": method, "worst": [worst_of(c) for c in costs.values()],
            "exponent": exponent_of(costs), "error": statistics.stdev(again),
            "s": s, "law": costs[SMALL_CHECK][s],
            "honest": small_costs(build, method, SMALL_CHECK, s)}


# ---- speed -------------------------------------------------------------------

def run_speed(build):
    """The text of bench_local.c, and a whole simulation: 10^6 users, d = 20."""
    text = measure.layer(build, "bench_local")
    path = mixture("mixture", N6, 20, 5, 1)
    out = {"text": text,
           "client": max(float(v) for row in
                         re.findall(r"^\| [^|]+ \| ([\d.]+) \| ([\d.]+) \| "
                                    r"([\d.]+) \| ([\d.]+) \|$", text, re.M)[1:]
                         for v in row),
           "tally": float(re.search(r"^\| vector [^|]*\| ([\d.]+) \|$", text,
                                    re.M).group(1))}
    if path:
        start = time.perf_counter()
        used = build.cost_of(
            [build.kith, "local", "simulate", "-k", "5", "-e", "1",
             "--radius", "1", "--quiet", "--force", "-o",
             os.path.join(measure.CACHE, "local.json"), path])
        out.update(wall=time.perf_counter() - start, cpu=used["cpu"],
                   peak=used["peak_bytes"])
    return out


def mean_and_error(costs):
    return "%.0f ± %.0f" % (statistics.mean(costs), statistics.stdev(costs) /
                            math.sqrt(len(costs)))


class Figures:
    """Everything of the local section that `wanted` leaves."""

    def __init__(self, wanted, seeds):
        self.cases_to_run = [c for c in CASES if wanted(name_of(c))]
        self.small_to_run = [m for m in SMALL_METHODS if wanted(small_name(m))]
        self.seeds = seeds
        self.speed_to_run = wanted(SPEED)
        self.cases, self.small, self.speed = [], [], None

    def names(self):
        return ([name_of(c) for c in self.cases_to_run] +
                [small_name(m) for m in self.small_to_run] +
                [SPEED] * bool(self.speed_to_run))

    def targets(self):
        """Figures for cases.TARGETS."""
        if not self.speed:
            return {}
        out = {"local_client": self.speed["client"],
               "local_tally": self.speed["tally"]}
        if "wall" in self.speed:
            out["local_simulate"] = self.speed["wall"]
        return out

    def run(self, build, data):
        if self.speed_to_run:
            self.speed = run_speed(build)
        for case in self.cases_to_run:
            result = run_case(build, data, case, self.seeds)
            if not result:
                measure.say("%s: no data" % name_of(case))
                continue
            measure.say("%-40s median %.3f worst %.3f one mean %.3f" % (
                name_of(case), statistics.median(result["ratios"]),
                max(result["ratios"]), statistics.median(result["means"])))
            self.cases.append(result)
        for method in self.small_to_run:
            result = run_small(build, method)
            if result:
                self.small.append(result)

    # ---- the section of RESULTS.md -------------------------------------------

    def section(self, table):
        """table: of report.py. None when nothing was run."""
        if not self.cases and not self.small and not self.speed:
            return None
        parts = ["## Local: nobody holds the rows",
                 "Cost ratio to a non-private run; every row is a user who "
                 "sends one report (`kith local simulate`); seeds %d to %d, "
                 "one run each, in this order. Mixtures as in docs/local.md. "
                 "One mean: `--method mean`, median of the same seeds."
                 % (FIRST_SEED, FIRST_SEED + self.seeds - 1)]
        if self.cases:
            parts.append(table(["method", "data", "d", "n", "k", "ε", "median",
                                "runs", "one mean", "target"],
                               [self.row(r) for r in self.cases]))
        for r in self.small:
            parts += self.small_parts(r, table)
        if self.speed:
            parts += self.speed_parts(self.speed)
        return "\n\n".join(parts) + "\n"

    @staticmethod
    def row(r):
        c, median = r["case"], statistics.median(r["ratios"])
        verdict = ("" if c.limit is None else
                   "%g %s" % (c.limit, "✓" if median <= c.limit else "✗"))
        return [c.method, c.data if c.data != "mix" else "mixture", str(c.d),
                "%g" % c.n if c.n else "", str(c.k), "%g" % c.epsilon,
                "%.3f" % median, " ".join("%.2f" % x for x in r["ratios"]),
                "%.2f" % statistics.median(r["means"]), verdict]

    @staticmethod
    def small_parts(r, table):
        low, high = EXPONENT.get(r["method"], (None, None))
        verdict = "" if low is None else " (%g to %g wanted: %s)" % (
            low, high, "✓" if low <= r["exponent"] <= high else "✗")
        return [
            "Small clusters, `%s`, ε = 1, d = 2, **by the law**: s√n users at "
            "distance 1, k = 2, the worst s of %s, mean of %d runs. Fitted "
            "exponent of n: **%.3f** ± %.3f%s. Report by "
            "report, n = %g, s = %g: %s, by the law %s."
            % (r["method"], ", ".join("%g" % s for s in SMALL_SIZES),
               SMALL_RUNS, r["exponent"], r["error"], verdict,
               SMALL_CHECK, r["s"],
               mean_and_error(r["honest"]), mean_and_error(r["law"])),
            table(["n", "excess cost", "/ √n", "at s"],
                  [["%g" % n, "%.0f" % w[0], "%.1f" % (w[0] / math.sqrt(n)),
                    "%g" % w[1]] for n, w in zip(SMALL_USERS, r["worst"])])]

    @staticmethod
    def speed_parts(r):
        parts = ["Speed (`bench_local`, CPU time of one thread, best of "
                 "several): a report of every kind that `auto` asks for, by ε, "
                 "checks of the question included; reports into a tally of 5 "
                 "buckets, ε = 1.", r["text"].rstrip("\n")]
        if "wall" in r:
            parts.append("`kith local simulate`, 10^6 users, d = 20, k = 5, "
                         "ε = 1, loading included, all processors: %.1f s, "
                         "%.1f CPU s, %.0f MiB."
                         % (r["wall"], r["cpu"], r["peak"] / 2 ** 20))
        return parts

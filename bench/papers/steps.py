"""Printed steps that kith does otherwise, or not at all: what each would change,
measured. One row of the table for each."""
import json
import math
import os
import statistics

import chart
import figure2
import steps_balcan

SEEDS = range(100, 103)
CHAIN = 1000   # sweeps, of which the last DRAWS are looked at
DRAWS = 100
MOST = 4000    # about the largest epsilon that kith takes
CHAIN_EPSILONS = (1, 10, 100)
AGGREGATE_EPSILONS = (1, 10, 100, 1000)
DELTA = 1e-6
AFFINE = (20000, 10, 3, 2)  # rows, dimension, planes, their dimension
CROWD = (100000, 2, 5)      # users, dimension, clusters
SHAPES = {"its own": (), "12 radii": ("--radii", 12),
          "4 repetitions": ("--repetitions", 4),
          "16 repetitions": ("--repetitions", 16),
          "64 repetitions": ("--repetitions", 64),
          "Gaussian vectors": ("--delta", DELTA),
          "epsilon split": ("--split-epsilon",)}


def mean(values):
    values = [v for v in values if v is not None]
    return statistics.mean(values) if values else None


def affine_of(basis, last):
    """The affine plane where a linear one (columns) of rows (x, last) has that
    last number: a point and an orthonormal basis (rows)."""
    import numpy

    low, t = basis[:-1], basis[-1]
    point = low @ t * (last / (t @ t))
    free = numpy.linalg.svd(t[None, :])[2][1:]  # combinations with last = 0
    return point, numpy.linalg.qr(low @ free.T)[0].T


def affine_cost(rows, planes):
    """Mean squared distance to the nearest affine plane."""
    import numpy

    away = []
    for point, axes in planes:
        x = rows - point
        away.append((x ** 2).sum(1) - ((x @ axes.T) ** 2).sum(1))
    return float(numpy.min(away, axis=0).mean())


class Steps:
    title = "Printed steps that kith does otherwise: do they matter?"

    def __init__(self, runs, quick):
        self.runs, self.quick = runs, quick
        self.seeds = SEEDS[:1] if quick else SEEDS
        self.epsilons = (10,) if quick else CHAIN_EPSILONS
        self.shapes = ("its own", "16 repetitions") if quick else SHAPES
        self.balcan = steps_balcan.BalcanSteps(runs, quick)
        for seed in self.seeds:
            for setting in "12" if quick else "123":
                self.want(self.separation, 3, "separation", setting, seed)
            for setting in "12":
                for epsilon in AGGREGATE_EPSILONS:
                    self.want(self.perfect, .5, "perfect", setting, epsilon,
                              seed)
            self.want(self.affine, 5, "affine", seed)
            self.want(self.sketch, 2, "sketch", seed)
            for epsilon in self.epsilons:
                self.want(self.draws, 25, "draws", epsilon, seed)
                self.want(self.labels, 1, "labels", epsilon, seed)
            for shape in self.shapes:
                self.want(self.crowd, 1, "crowd", shape, seed)

    def want(self, job, seconds, *key):
        self.runs.want(lambda folder: job(folder, *key[1:]), seconds, "step",
                       *key)

    def all(self, *key):
        found = [self.runs.get("step", *key, seed) for seed in self.seeds]
        return [f for f in found if f]

    # ---- Wang, Wang, Singh -------------------------------------------------

    def planes(self, folder, rows, *arguments):
        """The model of `kith subspace`."""
        path = os.path.join(folder, "model.json")
        self.runs.command("subspace", *arguments, "--threads", 1, "--quiet",
                          "--force", "-o", path, rows)
        with open(path, encoding="utf-8") as file:
            return json.load(file)

    def cost(self, folder, bases, rows, scale="unit"):
        """Cost per row of planes: bases are lists of columns by feature."""
        path = os.path.join(folder, "given.json")
        figure2.write_truth(path, bases, len(bases[0]), len(bases[0][0]), scale)
        text, _ = self.runs.command("evaluate", path, rows)
        return self.runs.cost_in(text)

    def separation(self, folder, setting, seed):
        """Definition 3.2, its first condition: the best costs that were found
        with k and with k - 1 planes."""
        n, d, k, q, _, _ = figure2.SETTINGS[setting]
        rows, truth = figure2.make_data(self.runs.kith, setting, seed, folder)
        found = []
        for count in (k, k - 1):
            model = self.planes(folder, rows, "--non-private", "-k", count,
                                "-q", q, "--starts", 20, "--seed", seed,
                                *figure2.bounds(setting))
            found.append(self.cost(folder, model["bases"], rows))
        with open(truth, encoding="utf-8") as file:
            true = self.cost(folder, json.load(file)["bases"], rows)
        best = min(found[0], true)
        return {"ratio": best / found[1], "rows": k * q * d / best ** 2, "n": n}

    def perfect(self, folder, setting, epsilon, seed):
        """Sample and aggregate of rows without spread, where a block's answer
        is easy: what is left is the price of its noise."""
        n, d, k, q, _, _ = figure2.SETTINGS[setting]
        rows = os.path.join(folder, "rows.npy")
        self.runs.command("generate", "subspaces", "--rows", n, "--dimension",
                          d, "-k", k, "-q", q, "--spread", 0, "--seed", seed,
                          "-o", rows)
        model = self.planes(
            folder, rows, "-k", k, "-q", q, "-e", epsilon, "--delta",
            1 / (n * math.log(n)), "--adjacency", "replace-one", "--radius", 4,
            "--method", "sample-aggregate", "--solver", "ssc", "--block-rows",
            50, "--ignore-conditions", "--insecure-seed", seed, "--seed", seed)
        return {"cost": self.cost(folder, model["bases"], rows)}

    def affine(self, folder, seed):
        """Rows near planes that miss the origin: linear planes, linear planes
        of one dimension more, and the latter for rows with a constant added."""
        import numpy

        n, d, k, q = AFFINE
        coins = numpy.random.default_rng(seed)
        axes = [numpy.linalg.qr(coins.standard_normal((d, q)))[0]
                for _ in range(k)]
        points = coins.standard_normal((k, d))
        points *= .5 / numpy.linalg.norm(points, axis=1, keepdims=True)
        label = coins.integers(k, size=n)
        inside = coins.standard_normal((n, q))
        inside *= (.45 * coins.random((n, 1)) ** (1 / q)
                   / numpy.linalg.norm(inside, axis=1, keepdims=True))
        x = points[label] + .01 * coins.standard_normal((n, d))
        for j in range(k):
            x[label == j] += inside[label == j] @ axes[j].T
        plain, lifted = (os.path.join(folder, name + ".npy")
                         for name in ("plain", "lifted"))
        last = .5
        numpy.save(plain, x)
        numpy.save(lifted, numpy.hstack([x, numpy.full((n, 1), last)]))
        common = ("-k", k, "-e", 1, "--delta", DELTA, "--insecure-seed", seed,
                  "--seed", seed)
        truth = [(points[j], axes[j].T) for j in range(k)]
        result = {"truth": affine_cost(x, truth)}
        for name, dimension in (("linear", q), ("linear, one more", q + 1)):
            model = self.planes(folder, plain, *common, "-q", dimension,
                                "--scale", "clip", "--radius", 1)
            planes = [(numpy.zeros(d), numpy.array(b).T)
                      for b in model["bases"]]
            result[name] = affine_cost(x, planes)
        model = self.planes(folder, lifted, *common, "-q", q + 1, "--scale",
                            "clip", "--radius", 1.2)
        result["affine"] = affine_cost(x, [
            affine_of(numpy.array(b), last) for b in model["bases"]])
        return result

    def draws(self, folder, epsilon, seed):
        """The last draws of one chain. A seeded chain of T sweeps is the
        beginning of a longer one, so its states can be had one by one."""
        import numpy

        _, _, k, q, _, _ = figure2.SETTINGS["2"]
        rows, _ = figure2.make_data(self.runs.kith, "2", seed, folder)

        def state(sweeps, at):
            model = self.planes(
                folder, rows, "-k", k, "-q", q, "-e", at, "--adjacency",
                "replace-one", *figure2.bounds("2"), "--insecure-seed", seed,
                "--seed", seed, "--method", "gibbs", "--rounds", sweeps)
            return numpy.array(model["bases"])  # k x d x q
        states = [state(t, epsilon)
                  for t in range(CHAIN - DRAWS + 1, CHAIN + 1)]

        def cost(bases):
            return self.cost(folder, [b.tolist() for b in bases], rows)
        bases = numpy.mean(states, axis=0)
        shadows = numpy.mean([s @ s.transpose(0, 2, 1) for s in states], axis=0)
        return {
            "last": cost(states[-1]),
            "mean of costs": mean(cost(s) for s in states[::10]),
            "mean of bases": cost([numpy.linalg.qr(b)[0] for b in bases]),
            "mean of projections": cost([numpy.linalg.eigh(p)[1][:, -q:]
                                         for p in shadows]),
            "length": float(numpy.sqrt((bases ** 2).sum() / (k * q))),
            "one draw for all": cost(state(CHAIN, min(MOST, epsilon * DRAWS)))}

    def labels(self, folder, epsilon, seed):
        """Eq. 11: the chance that a released z is the row's nearest plane, with
        the planes of the chain and with the true ones."""
        import numpy

        n, _, k, q, _, _ = figure2.SETTINGS["2"]
        rows, truth = figure2.make_data(self.runs.kith, "2", seed, folder)
        model = self.planes(
            folder, rows, "-k", k, "-q", q, "-e", epsilon, "--adjacency",
            "replace-one", *figure2.bounds("2"), "--insecure-seed", seed,
            "--seed", seed, "--method", "gibbs", "--rounds", CHAIN)
        with open(truth, encoding="utf-8") as file:
            true = json.load(file)["bases"]
        x = numpy.load(rows)
        x = x / numpy.linalg.norm(x, axis=1, keepdims=True)

        def right(bases):
            away = numpy.array([1 - ((x @ numpy.array(b)) ** 2).sum(1)
                                for b in bases])
            odds = numpy.exp(-epsilon / 2 * (away - away.min(0)))
            return float((1 / odds.sum(0)).mean())
        most = math.exp(epsilon / 2)
        return {"chain": right(model["bases"]), "true": right(true),
                "bound": most / (most + k - 1)}

    # ---- Stemmer -----------------------------------------------------------

    def crowd(self, folder, shape, seed):
        n, d, k = CROWD
        rows = os.path.join(folder, "users.npy")
        model = os.path.join(folder, "model.json")
        self.runs.command("generate", "gaussians", "--rows", n, "--dimension",
                          d, "-k", k, "--spread", .05, "--seed", seed, "-o",
                          rows)
        self.runs.command("local", "simulate", "-k", k, "-e", 2, "--method",
                          "weighted-centers", *SHAPES[shape], "--radius", 1,
                          "--seed", seed, "--insecure-seed", seed, "--law",
                          "--quiet", "--force", "-o", model, rows)
        text, _ = self.runs.command("evaluate", model, rows)
        return {"cost": self.runs.cost_in(text)}

    def sketch(self, _, seed):
        """LDP-AVG: standard deviation of a region's estimated sum, a coordinate
        and a root of n, when users send T x d numbers as printed and when they
        send d and a public sign for each region."""
        import numpy

        n, t, d, rounds = 2000, 8, 2, 60
        coins = numpy.random.default_rng(seed)
        sigma = 8 * math.sqrt(math.log(1.25 / DELTA))  # diameter 1, epsilon 1
        region = coins.integers(t, size=n)
        x = coins.uniform(-.35, .35, (n, d))
        true = numpy.array([x[region == j].sum(0) for j in range(t)])
        wrong = {"printed": [], "signs": []}
        for _ in range(rounds):
            reports = sigma * coins.standard_normal((n, t, d))
            reports[numpy.arange(n), region] += x
            wrong["printed"].append(reports.sum(0) - true)
            signs = coins.choice((-1, 1), (n, t))
            report = (signs[numpy.arange(n), region, None] * x
                      + sigma * coins.standard_normal((n, d)))
            wrong["signs"].append(signs.T @ report - true)
        return {name: float(numpy.std(w) / math.sqrt(n))
                for name, w in wrong.items()}

    # ---- what is shown -----------------------------------------------------

    def figures(self):
        return ()

    def rows_of_wang(self):
        found = {s: self.all("separation", s) for s in "123"}
        if any(found.values()):
            yield ("Wang: well-separated data (Def. 3.2) and a (1 + ε) core-set "
                   "solver (Thm. 3.4)", "not there",
                   "The theorem wants φ² = Δ²ₖ / Δ²ₖ₋₁ below 1/1602 = .0006, "
                   "and blocks of kqd/Δ⁴ rows and more. Measured: "
                   + "; ".join("setting %s: φ² = %.2g, %s rows (n = %d)" % (
                       s, mean(f["ratio"] for f in found[s]),
                       chart.number(float("%.0e" % mean(
                           f["rows"] for f in found[s]))), found[s][0]["n"])
                       for s in found if found[s])
                   + ". None of the paper's own settings is near. And a "
                   "better solver does not help: next rows.")
        for setting in "12":
            costs = {e: mean(f["cost"] for f in self.all("perfect", setting, e))
                     for e in AGGREGATE_EPSILONS}
            costs = {e: c for e, c in costs.items() if c is not None}
            if costs:
                yield ("… sample and aggregate of rows exactly on the planes, "
                       "setting %s, SSC in the blocks" % setting,
                       "--method sample-aggregate",
                       "cost (optimum 0): " + ", ".join(
                           "%.3g at ε = %d" % (c, e) for e, c in costs.items()))
        found = self.all("affine")
        if found:
            yield ("Wang: affine planes (Yale's are)", "add a constant column, "
                   "ask for q + 1 (docs/subspace.md)",
                   "n = %d, d = %d, k = %d, q = %d, ε = 1: cost %s" % (
                       *AFFINE, ", ".join(
                           "%.4f (%s)" % (mean(f[key] for f in found), words)
                           for key, words in (
                               ("linear", "linear planes"),
                               ("linear, one more", "linear, q + 1"),
                               ("affine", "constant column: affine planes"),
                               ("truth", "the true ones")))))
        rows = [(e, self.all("labels", e)) for e in self.epsilons]
        if any(f for _, f in rows):
            yield ("Wang: release of the assignments z with the planes",
                   "not there",
                   "Its price is nothing more under replace-one, and it is "
                   "without meaning under add-remove. But a released label is "
                   "the row's nearest plane with chance "
                   + "; ".join("%.2f at ε = %d (true planes %.2f, at most %.2f)"
                               % (mean(f["chain"] for f in found), e,
                                  mean(f["true"] for f in found),
                                  found[0]["bound"])
                               for e, found in rows if found)
                   + ". A user who has the planes finds her own without noise.")
        for epsilon in self.epsilons:
            found = self.all("draws", epsilon)
            if found:
                yield ("Wang: the mean of the last 100 draws, ε = %d" % epsilon,
                       "not there: ε pays for one draw",
                       "cost %s. The mean of bases has length %.2f, not 1." % (
                           "; ".join("%.4f %s" % (mean(f[key] for f in found),
                                                  words)
                                     for key, words in (
                               ("last", "the last draw (what kith releases)"),
                               ("mean of costs", "the mean of their costs"),
                               ("mean of bases", "their mean basis"),
                               ("mean of projections", "their mean projection"),
                               ("one draw for all",
                                "one draw for what 100 cost, ε = %d"
                                % min(MOST, epsilon * DRAWS)))),
                           mean(f["length"] for f in found)))

    def rows_of_stemmer(self):
        own = mean(f["cost"] for f in self.all("crowd", "its own"))
        n, d, k = CROWD
        for shape, words, status in (
                ("12 radii", "log n radii (printed: 17; 12 is the most kith "
                 "takes)", "--radii"),
                ("4 repetitions", "M repetitions, 4", "--repetitions"),
                ("16 repetitions", "M repetitions, 16 (printed: 4 nᵃ ln(1/β) = "
                 "15 with a = .02, β = .05)", "--repetitions"),
                ("64 repetitions", "M repetitions, 64 (a = .14)",
                 "--repetitions"),
                ("Gaussian vectors", "LDP-AVG with Gaussian noise", "--delta"),
                ("epsilon split", "everybody answers everything",
                 "--split-epsilon")):
            cost = mean(f["cost"] for f in self.all("crowd", shape))
            if own and cost:
                yield ("Stemmer: " + words, status,
                       "%.2f times the cost with kith's choice (n = %d, d = %d, "
                       "k = %d, ε = 2)" % (cost / own, n, d, k))
        found = self.all("sketch")
        if found:
            yield ("Stemmer: T × d numbers from every user in LDP-AVG",
                   "d + 1 numbers and public signs, one for each region",
                   "noise of a region's sum, printed Gaussians, by √n: %.1f "
                   "with T × d numbers, %.1f with signs (T = 8, d = 2). With "
                   "T = d = 100 a printed report has 40 kB for each radius; "
                   "kith's has 41 bytes." % tuple(
                       mean(f[key] for f in found)
                       for key in ("printed", "signs")))

    def table(self):
        return [("printed", "in kith", "measured"), *self.rows_of_wang(),
                *self.balcan.rows(), *self.rows_of_stemmer()]

"""Balcan, Dick, Liang, Mou, Zhang 2017: Figure 2 (a-d) and the comparison in
three dimensions of its supplement."""
import math
import statistics

SETS = ("synth", "mnist", "cifar")
TITLES = {"synth": "(a) synthetic: 64 Gaussians, d = 100",
          "mnist": "(b) MNIST, d = 784", "cifar": "(c) CIFAR-10, d = 160"}
CLUSTERS = (2, 4, 8, 16, 32, 64)
PUBLISHED = "balcan as published"
DRAWN = ("auto", "balcan", PUBLISHED, "sulq", "lloyd")
FAR = ("sample-aggregate", "kvariates")  # off the scale of the others
METHODS = DRAWN + FAR
PLAIN = "not private"
RATIO = "times the non-private cost"
HELD = "guarantee"  # of runs without a seed
EPSILONS = (.01, .03, .1, .3, 1, 3, 10)
SMALL_SETS = ("spheres", "tight", "cabs", "trips")
SPREAD = {"spheres": .1, "tight": .0125}  # of 3 Gaussians in the unit ball
SMALL_TITLES = {"spheres": "3 spheres, .1", "tight": ".0125", "cabs": "cabs",
                "trips": "trips"}
SMALL_METHODS = ("grid", "auto", "lloyd", "balcan", "sulq", "sample-aggregate",
                 "kvariates")
VERSIONS = {"as in the experiments, repaired (--as-published)": PUBLISHED,
            "repaired (--method balcan)": "balcan", "auto": "auto"}
DELTA = 1e-6
FIRST_SEED = 100
SECONDS = {"mnist": 4, "cifar": 2, "synth": 2, "trips": 2, "cabs": 1.5,
           "spheres": .2, "tight": .2}


def beyond_noise(ours, theirs):
    """-1: our mean cost is lower by more than 2 standard errors, 1: higher, 0:
    neither. Of a single run the noise is not known."""
    gap = statistics.mean(ours) - statistics.mean(theirs)
    noise = sum(statistics.variance(c) / len(c) if len(c) > 1 else 0
                for c in (ours, theirs)) ** .5
    return 0 if abs(gap) <= 2 * noise else math.copysign(1, gap)


class Balcan:
    title = "Balcan, Dick, Liang, Mou, Zhang 2017"

    def __init__(self, runs, quick):
        self.runs, self.quick = runs, quick
        self.seeds = range(FIRST_SEED, FIRST_SEED + (1 if quick else 5))
        self.sets = ("synth", "mnist") if quick else SETS
        self.ks = {name: CLUSTERS for name in self.sets}
        if quick:
            self.ks = {"synth": (2, 8, 64), "mnist": (8,)}
        self.epsilons = (.1, 1, 10) if quick else EPSILONS
        self.small = ("spheres", "tight", "cabs") if quick else SMALL_SETS
        self.ask()

    # ---- what is run -----------------------------------------------------

    def arguments(self, name, method, k, epsilon, delta):
        return ("-k", k, "-e", epsilon, "--delta", delta, *self.bounds(name),
                "--method", *(("balcan", "--as-published")
                              if method == PUBLISHED else (method,)))

    def private(self, name, method, k, epsilon, delta, seed):
        def job(folder):
            return self.runs.cluster(
                folder, self.path(name, folder),
                *self.arguments(name, method, k, epsilon, delta),
                "--insecure-seed", seed, "--seed", seed)
        scale = 1 + (k / 30 if "balcan" in method else k / 60)
        self.runs.want(job, SECONDS[name] * scale, name, method, k, epsilon,
                       delta, seed)

    def plain(self, name, k, seed):
        def job(folder):
            return self.runs.cluster(
                folder, self.path(name, folder), "-k", k, "--non-private",
                *self.bounds(name), "--seed", seed)
        self.runs.want(job, SECONDS[name] * (1 + k / 8), name, PLAIN, k, seed)

    def path(self, name, folder):
        if name not in SPREAD:
            return self.runs.path(name)
        path = folder + "/spheres.npy"
        self.runs.command("generate", "gaussians", "--rows", 10000,
                          "--dimension", 3, "-k", 3, "--spread", SPREAD[name],
                          "--seed", 1, "-o", path)
        return path

    def bounds(self, name):
        return (("--radius", "1") if name in SPREAD
                else self.runs.bounds(name))

    def ask(self):
        for method in VERSIONS.values():
            self.runs.want(
                lambda folder, m=method: self.runs.held(
                    folder, "kmeans", *self.arguments("mnist", m, 10, 1, DELTA),
                    self.path("mnist", folder)),
                SECONDS["mnist"], HELD, "mnist", method, 0)
        self.runs.want(
            lambda folder: self.runs.refusal(
                folder, "kmeans", "-k", 10, "-e", 1, *self.bounds("mnist"),
                "--method", "balcan", "--paper-constants",
                self.path("mnist", folder)),
            SECONDS["mnist"], "refused", "mnist", 0)
        for seed in self.seeds:
            for name in self.sets:
                for k in self.ks[name]:
                    self.plain(name, k, seed)
                    for method in METHODS:
                        self.private(name, method, k, 1, DELTA, seed)
            self.plain("mnist", 10, seed)
            for epsilon in self.epsilons:
                for method in DRAWN:
                    self.private("mnist", method, 10, epsilon, DELTA, seed)
            for name in self.small:
                self.plain(name, 3, seed)
                for method in SMALL_METHODS:
                    for delta in (0, DELTA):
                        self.private(name, method, 3, 1, delta, seed)

    # ---- what is shown ---------------------------------------------------

    def costs(self, *key):
        found = [self.runs.get(*key, seed) for seed in self.seeds]
        return [f["cost"] for f in found if f]

    def mean(self, *key):
        costs = self.costs(*key)
        return statistics.mean(costs) if costs else None

    def curve(self, name, method):
        more = () if method == PLAIN else (1, DELTA)
        return [(k, self.costs(name, method, k, *more)) for k in self.ks[name]]

    def over(self, plain, values, ratio):
        """values, or what they are of the mean non-private cost."""
        if not ratio:
            return values
        return [v / statistics.mean(plain) for v in values] if plain else []

    def over_k(self, name, ratio, methods=DRAWN, file="balcan-2-"):
        plain = dict(self.curve(name, PLAIN))
        lines = [(m, [(k, self.over(plain[k], costs, ratio))
                      for k, costs in self.curve(name, m)])
                 for m in (PLAIN, *methods)]
        return (file + name + ("-ratio" if ratio else ""), TITLES[name], lines,
                dict(x_name="k", y_name=RATIO if ratio else "cost per row",
                     x_log=True, y_log=name == "synth" or methods != DRAWN))

    def over_epsilon(self, ratio):
        plain = self.costs("mnist", PLAIN, 10)
        lines = [(PLAIN, [(e, self.over(plain, plain, ratio))
                          for e in self.epsilons])]
        lines += [(m, [(e, self.over(plain, self.costs(
            "mnist", m, 10, e, DELTA), ratio)) for e in self.epsilons])
                  for m in DRAWN]
        return ("balcan-2-epsilon" + ("-ratio" if ratio else ""),
                "(d) MNIST, k = 10", lines,
                dict(x_name="epsilon", y_name=RATIO if ratio else
                     "cost per row", x_log=True, y_log=True))

    def figures(self):
        """(name, panels: [(file, title, lines, options)], words)"""
        panels = [self.over_k(name, ratio) for ratio in (False, True)
                  for name in self.sets]
        panels += [self.over_k(name, True, ("auto", "balcan", "sulq", *FAR),
                               "balcan-2-all-") for name in self.sets]
        panels += [self.over_epsilon(ratio) for ratio in (False, True)]
        yield ("Figure 2", panels,
               "Cost over k with ε = 1, and over ε; δ = 10⁻⁶; %d run%s. The "
               "curves of the paper's panels lie close together, so each is "
               "drawn a second time, divided by the mean cost of non-private "
               "runs (k-means++ and Lloyd's rounds, one start). The paper "
               "leaves two baselines out, because they are off the scale: the "
               "third row has them, and where their lines are one, both are "
               "noise that fills the bounds. The third baseline, the grid, "
               "takes 18 features at most: see the supplement."
               % (len(self.seeds), "" if len(self.seeds) == 1 else "s"))
        panels = []
        for delta in (0, DELTA):
            lines = [(PLAIN, [(i, self.costs(n, PLAIN, 3))
                              for i, n in enumerate(self.small)])]
            lines += [(m, [(i, self.costs(n, m, 3, 1, delta))
                           for i, n in enumerate(self.small)])
                      for m in SMALL_METHODS]
            panels.append(("balcan-small-%s" % ("pure" if delta == 0 else
                                                "gaussian"),
                           "few features, k = 3, ε = 1, δ = %s"
                           % ("10⁻⁶" if delta else "0"), lines,
                           dict(x_name="", y_name="cost per row", y_log=True,
                                categories=[SMALL_TITLES[n]
                                            for n in self.small])))
        yield ("Supplement: few dimensions", panels,
               "The paper's small set is three Gaussians in three dimensions. "
               "Its number of rows and their spread are not given. Here are "
               "10,000 rows in the unit ball with a standard deviation of .1, "
               "and once more with .0125, because the spread decides who wins. "
               "`cabs` has 2 features, `trips` has 4.")

    def versions(self):
        """As printed, as repaired, auto: cost, what is promised, CPU time."""
        yield ("version, MNIST, k = 10, ε = 1", "cost per row",
               "privacy held", "CPU s")
        refused = self.runs.get("refused", "mnist", 0)
        if refused:
            yield ("as printed: the constants of the theorems "
                   "(--paper-constants)", "–", "refused: “%s”"
                   % refused["says"], "–")
        yield ("the authors' program (not run here)", "1.35 times the "
               "non-private cost, once, on 10,000 rows (bench/RIVALS.md)",
               "none: bounds from the rows, shares of 17/12, exact sizes and "
               "labels (docs/balcan.md, fault 24)", "15 to 24")
        for words, method in (*VERSIONS.items(),
                              ("one non-private start", PLAIN)):
            more = () if method == PLAIN else (1, DELTA)
            found = [f for f in (self.runs.get("mnist", method, 10, *more, s)
                                 for s in self.seeds) if f]
            held = self.runs.get(HELD, "mnist", method, 0)
            if found:
                yield (words, "%.2f" % statistics.mean(f["cost"] for f in found),
                       "none" if method == PLAIN else
                       held["guarantee"] if held else "not seen",
                       "%.1f" % statistics.mean(f["cpu"] for f in found))

    def against_sulq(self, cells):
        for method in ("balcan", PUBLISHED):
            pairs = {(n, k): [self.costs(n, m, k, 1, DELTA)
                              for m in (method, "sulq")] for n, k in cells}
            signs = {cell: beyond_noise(*both)
                     for cell, both in pairs.items() if all(both)}
            if not signs:
                continue
            lost = [cell for cell, sign in signs.items() if sign > 0]
            count = [sum(s == sign for s in signs.values())
                     for sign in (-1, 0, 1)]
            yield ("2 a–c", "“always outperforms SuLQ k-means”: `%s`" % method,
                   "of %d cells: cheaper than SuLQ in %d, level within its "
                   "noise (2 standard errors) in %d, dearer in %d%s"
                   % (len(signs), *count, "".join(
                       "; %s, k = %d (%.3g, SuLQ %.3g)" % (*cell, *(
                           statistics.mean(c) for c in pairs[cell]))
                       for cell in lost[:4])),
                   not lost and count[0] >= count[1],
                   "for the fewest clusters all methods are within a few per "
                   "cent of the best cost")

    def ratio(self, name, method, *more):
        mine = self.mean(name, method, *more)
        plain = self.mean(name, PLAIN, more[0])
        return mine / plain if mine and plain else None

    def as_run(self):
        """Is the published method what was run? For each figure."""
        yield ("2 a–c", "the method with the constants of the experiments, "
               "repaired (`--as-published`); SuLQ as printed; the paper's rows, "
               "but for CIFAR-10, whose features were made by a network that is "
               "not at hand")
        yield ("2 d", "the same, over ε")
        yield ("supplement", "all five methods; the paper does not give the "
               "number of rows nor their spread, so these are ours")

    def by_dimension(self):
        """The median, over k, of the ratio to the non-private cost."""
        order = [n for n in ("synth", "cifar", "mnist") if n in self.sets]
        found = {}
        for method in ("sulq", "balcan"):
            for n in order:
                ratios = [self.ratio(n, method, k, 1, DELTA)
                          for k in self.ks[n]]
                if None in ratios:
                    return
                found[method, n] = statistics.median(ratios)
        sulq, ours = ([found[m, n] for n in order] for m in ("sulq", "balcan"))
        if len(order) > 2:
            yield ("2 a–c", "with more features SuLQ “becomes less competitive”, "
                   "theirs “remains competitive”",
                   "times the non-private cost, median over k, with d = 100, "
                   "160, 784 features: SuLQ %.3f, %.3f, %.3f; balcan %.3f, "
                   "%.3f, %.3f" % (*sulq, *ours),
                   sulq == sorted(sulq) and ours[-1] < sulq[-1])

    def claims(self):
        """What the paper says in words, and what was measured: (figure, claim,
        measured, holds: True or False, why not)."""
        cells = [(n, k) for n in self.sets for k in self.ks[n]]

        def worst(method, of=max):
            ratios = [(self.ratio(n, method, k, 1, DELTA), n, k)
                      for n, k in cells]
            ratios = [r for r in ratios if r[0]]
            return of(ratios) if ratios else None
        top = worst("balcan")
        if top:
            rest = max((r for r in (self.ratio(n, "balcan", k, 1, DELTA)
                                    for n, k in cells
                                    if (n, k) != top[1:]) if r), default=0)
            yield ("2 a–c", "“competitive with non-private k-means++” for all k",
                   "largest ratio of `balcan` to one non-private start: %.2f "
                   "(%s, k = %d); elsewhere at most %.2f" % (*top, rest),
                   top[0] < 1.5,
                   "where k is the number of Gaussians, one cluster that is "
                   "missed costs as much as all the others together")
        yield from self.against_sulq(cells)
        yield from self.by_dimension()
        low = worst("sample-aggregate", min)
        if low:
            yield ("2 a–c", "sample and aggregate: “orders of magnitude worse”",
                   "ratio to the non-private cost: %.2g (%s, k = %d) to %.2g "
                   "(%s, k = %d)" % (*low, *worst("sample-aggregate")),
                   low[0] > 10,
                   "noisy centres are put back within the bounds, so that no "
                   "row can cost more than the diameter: on the two real sets "
                   "that is about ten times the best cost")
        pairs = [(e, *(self.ratio("mnist", m, 10, e, DELTA)
                       for m in ("sulq", "balcan"))) for e in self.epsilons]
        if all(all(p) for p in pairs):
            yield ("2 d", "for small ε SuLQ “deteriorates quickly”, theirs stays "
                   "competitive",
                   "times the non-private cost, SuLQ and balcan: " + "; ".join(
                       "%.2f and %.2f at ε = %g" % (*both, e)
                       for e, *both in pairs if e <= 1),
                   all(ours < sulq for _, sulq, ours in pairs),
                   "it holds from ε = .1 on. The authors' program spends at "
                   "least 17/12 of ε, takes its bounds from the rows and "
                   "divides by exact sizes (docs/balcan.md); with all of that "
                   "paid for, the budget of a smaller ε is gone before the "
                   "centres are found")
        small = {m: self.mean("spheres", m, 3, 1, 0) for m in SMALL_METHODS}
        if all(small.values()):
            best = min((m for m in small if m not in ("auto", "lloyd")),
                       key=small.get)
            tight = [self.mean("tight", m, 3, 1, 0) for m in ("grid", "balcan")]
            yield ("supplement", "“gridding […] achieves the best objective”",
                   "of the paper's methods (δ = 0, spread .1) the best is %s: %s%s"
                   % (best, ", ".join("%s %.3g" % i for i in small.items()),
                      ". With a spread of .0125: grid %.2g, balcan %.2g"
                      % tuple(tight) if all(tight) else ""),
                   best == "grid")
            others = statistics.median(small[m] for m in (
                "balcan", "sulq", "sample-aggregate"))
            three = [small[m] for m in ("balcan", "sulq", "sample-aggregate")]
            yield ("supplement", "sample and aggregate, SuLQ and theirs “perform "
                   "comparably”",
                   "balcan %.3g, SuLQ %.3g, sample and aggregate %.3g"
                   % tuple(three), max(three) < 1.5 * min(three),
                   "the first two do. Ours averages centres of blocks and pays "
                   "for the whole range of a centre (GUPT); the smooth "
                   "sensitivity of the original needs more noise still (table "
                   "of printed steps)")
            yield ("supplement", "k-variates++ “an order of magnitude worse”",
                   "%.1f times the median of the other three"
                   % (small["kvariates"] / others),
                   small["kvariates"] > 5 * others)

"""Wang, Wang, Singh 2015: Figures 1 (instability), 2 (utility, chains as long as
printed) and 3 (the Gibbs sampler)."""
import json
import math
import os
import re
import statistics

import chart
import figure2

TRIALS = 8
SWEEPS = (30, 100, 300, 1000, 3000, 10000)
EPSILONS = (1, 10, 100)
PRINTED = "Gibbs, 10,000 sweeps"
SSC_START = "Gibbs, SSC start"
PLAIN = "not private"
CHAINS = {PRINTED: (), SSC_START: ("--non-private-start", "--solver", "ssc"),
          "Gibbs, LRR start": ("--non-private-start", "--solver", "lrr")}
# The other methods of Figure 2, as in figure2.METHODS.
OTHERS = ("auto", "SuLQ-10", "SuLQ-50", "SuLQ-10 basic", "s.a. SSC", "s.a. TSC",
          "s.a. SSC, overlap", "Bingham-10")
DRAWN = ("auto", "SuLQ-10", "SuLQ-50", "s.a. SSC", "s.a. TSC",
         "s.a. SSC, overlap", *CHAINS, "Bingham-10")
COLOURS = {"auto": "#b3202c", "SuLQ-10": "#c05a1f", "SuLQ-50": "#8c3b12",
           "s.a. SSC": "#777777", "s.a. TSC": "#bbbbbb",
           "s.a. SSC, overlap": "#333333", PRINTED: "#1f5fa8",
           SSC_START: "#2f9e8f", "Gibbs, LRR start": "#8cc04f",
           "Bingham-10": "#8e6bb8"}
chart.COLOURS.update(COLOURS)
VERSIONS = (  # words, label; the first is not private: it starts at the rows
    ("Gibbs as printed: a start that looks at the rows (SSC)", SSC_START),
    ("Gibbs from a start that does not", PRINTED),
    ("sample and aggregate (SSC), forced", "s.a. SSC"),
    ("SuLQ-10, basic composition as printed", "SuLQ-10 basic"),
    ("SuLQ-10, composed tightly", "SuLQ-10"), ("auto", "auto"))
# CPU seconds of a run in the three settings.
SECONDS = {"s.a. SSC": (.3, .1, .1), "auto": (.05, .05, 1.5),
           "Bingham-10": (.02, .03, .3)}
POINTS = 24  # of Figure 1
MOVED = math.pi / 4
FIRST_SEED = 100


def circle(extra):
    """Evenly spaced points on the unit circle, and one more at an angle."""
    angles = [2 * math.pi * i / POINTS for i in range(POINTS)] + [extra]
    return [(math.cos(a), math.sin(a)) for a in angles]


def turned(old, new):
    """Degrees by which two lines turn, whichever of them is which."""
    def between(a, b):
        return min(abs(a - b) % 180, 180 - abs(a - b) % 180)
    return min(max(between(a, b) for a, b in zip(old, order))
               for order in (new, new[::-1]))


class Wang:
    title = "Wang, Wang, Singh 2015"

    def __init__(self, runs, quick):
        self.runs, self.quick = runs, quick
        self.trials = range(FIRST_SEED, FIRST_SEED + (4 if quick else TRIALS))
        self.sweeps = SWEEPS[:4] if quick else SWEEPS
        self.settings = "2" if quick else "123"
        self.long = 1000 if quick else 10000
        self.epsilons = (1, 10, 1000) if quick else figure2.EPSILONS
        self.chain_epsilons = (10,) if quick else figure2.EPSILONS
        self.repetitions = range(FIRST_SEED, FIRST_SEED + (1 if quick else 3))
        self.often = range(FIRST_SEED, FIRST_SEED + (1 if quick else 5))
        self.ask()

    # ---- what is run -----------------------------------------------------

    def ask(self):
        for where in (0, 1):
            self.runs.want(lambda folder, at=where: self.lines(folder, at), .2,
                           "wang-1", where)
        for epsilon in EPSILONS:
            for seed in self.trials:
                for sweeps in self.sweeps:
                    self.chain("2", "wang-3", (), epsilon, sweeps, seed)
                    self.statistic(epsilon, sweeps, seed)
        for setting in self.settings:
            for label, more in CHAINS.items():
                if label == SSC_START and setting == "1":
                    continue  # SSC of 5,000 rows: 14 s, for LRR's planes
                for epsilon in self.chain_epsilons:
                    for seed in self.repetitions:
                        self.chain(setting, label, more, epsilon,
                                   self.long, seed)
            for label in OTHERS:
                if setting == "3" and "overlap" in label:
                    continue  # see overlap()
                for epsilon in self.epsilons:
                    for seed in self.often:
                        self.other(setting, label, epsilon, seed)
            for seed in self.often:
                self.plain(setting, seed)
        for _, label in VERSIONS:
            self.runs.want(lambda folder, of=label: self.held(folder, of), 1,
                           "guarantee", "wang", label, 0)

    def statistic(self, epsilon, sweeps, seed):
        """The test statistic of Figure 3, which the command prints for those
        who give up the guarantee."""
        _, _, k, q, _, _ = figure2.SETTINGS["2"]

        def job(folder):
            rows, _ = figure2.make_data(self.runs.kith, "2", seed, folder)
            text, _ = self.runs.command(
                "subspace", "-k", k, "-q", q, "-e", epsilon, "--adjacency",
                "replace-one", *figure2.bounds("2"), "--insecure-seed", seed,
                "--seed", seed, "--threads", 1, "--method", "gibbs", "--rounds",
                sweeps, "--debug-diagnostics", "--force", "-o",
                os.path.join(folder, "model.json"), rows, notes=True)
            return {name: float(re.search(pattern, text).group(1))
                    for name, pattern in (
                        ("statistic", r"Figure 3: ([\d.e-]+)"),
                        ("R-hat", r"energy ([\d.e+infa-]+)"))}
        self.runs.want(job, sweeps / 600, "wang-3-statistic", epsilon, sweeps,
                       seed)

    def other(self, setting, label, epsilon, seed):
        """A method of Figure 2 that is no chain."""
        def job(folder):
            rows, truth = figure2.make_data(self.runs.kith, setting, seed,
                                            folder)
            model = os.path.join(folder, "model.json")
            _, cpu = self.runs.command(
                *figure2.private_arguments(setting, label, epsilon, seed),
                "--force", "-o", model, rows)
            cost, distance = figure2.evaluate(self.runs.kith, model, truth, rows)
            return {"cost": cost, "d_W": distance, "cpu": cpu}
        seconds = SECONDS.get(label, SECONDS["s.a. SSC"])[int(setting) - 1]
        self.runs.want(job, .1 + seconds, "wang-2", label, setting, epsilon,
                       seed)

    def held(self, folder, label):
        """What is promised without a seed, setting 2."""
        rows, _ = figure2.make_data(self.runs.kith, "2", FIRST_SEED, folder)
        _, _, k, q, _, _ = figure2.SETTINGS["2"]
        if label in CHAINS:
            arguments = ["subspace", "-k", k, "-q", q, "-e", 10, "--adjacency",
                         "replace-one", *figure2.bounds("2"), "--method",
                         "gibbs", "--rounds", 100, *CHAINS[label]]
        else:
            arguments = figure2.private_arguments("2", label, 10, FIRST_SEED)
            at = arguments.index("--insecure-seed")
            del arguments[at:at + 2]
            arguments.remove("--quiet")  # held() gives these two
            at = arguments.index("--threads")
            del arguments[at:at + 2]
        return self.runs.held(folder, *arguments, rows)

    def plain(self, setting, seed):
        """k-plane without privacy, the best of its starts."""
        def job(folder):
            files = figure2.make_data(self.runs.kith, setting, seed, folder)
            cost, distance = figure2.measure_plain(
                self.runs.kith, setting, "k-plane, not private", files, folder)
            return {"cost": cost, "d_W": distance}
        self.runs.want(job, 2, "wang-2", PLAIN, setting, seed)

    def lines(self, folder, where):
        """Angles of the two best lines, when there is one point more: at 0
        degrees, or elsewhere."""
        path = os.path.join(folder, "circle.csv")
        with open(path, "w", encoding="utf-8") as file:
            for x, y in circle(where * MOVED):
                file.write("%.12f,%.12f\n" % (x, y))
        model = os.path.join(folder, "model.json")
        self.runs.command("subspace", "--non-private", "-k", 2, "-q", 1,
                          "--radius", 2, "--starts", 50, "--quiet", "--force",
                          "-o", model, path)
        with open(model, encoding="utf-8") as file:
            bases = json.load(file)["bases"]
        return {"angles": sorted(math.degrees(math.atan2(b[1][0], b[0][0])) % 180
                                 for b in bases)}

    def chain(self, setting, label, more, epsilon, sweeps, seed):
        _, _, k, q, _, _ = figure2.SETTINGS[setting]

        def job(folder):
            rows, truth = figure2.make_data(self.runs.kith, setting, seed,
                                            folder)
            model = os.path.join(folder, "model.json")
            _, cpu = self.runs.command(
                "subspace", "-k", k, "-q", q, "-e", epsilon, "--adjacency",
                "replace-one", *figure2.bounds(setting), "--insecure-seed",
                seed, "--seed", seed, "--threads", 1, "--quiet", "--method",
                "gibbs", "--rounds", sweeps, *more, "--force", "-o", model, rows)
            cost, distance = figure2.evaluate(self.runs.kith, model, truth, rows)
            return {"cost": cost, "d_W": distance, "cpu": cpu}
        self.runs.want(job, sweeps / {"1": 1000, "2": 2500, "3": 500}[setting],
                       label, setting, epsilon, sweeps, seed)

    # ---- what is shown ---------------------------------------------------

    def draw_lines(self):
        """Figure 1, by hand: two circles."""
        out = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 230" '
               'width="400" height="230" font-family="sans-serif" '
               'font-size="11" role="img"><title>Figure 1</title>'
               '<rect width="100%" height="100%" fill="white"/>']
        for where in (0, 1):
            found = self.runs.get("wang-1", where)
            if not found:
                return None
            x0, y0, r = 105 + 190 * where, 110, 80
            for angle in found["angles"]:
                c, s = (1.15 * r * f(math.radians(angle))
                        for f in (math.cos, math.sin))
                out.append('<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" '
                           'stroke="#b3202c" stroke-width="2"/>'
                           % (x0 - c, y0 + s, x0 + c, y0 - s))
            points = circle(where * MOVED)
            for x, y in points[:-1]:
                out.append('<circle cx="%.1f" cy="%.1f" r="3" fill="#1f5fa8"/>'
                           % (x0 + r * x, y0 - r * y))
            x, y = x0 + r * points[-1][0], y0 - r * points[-1][1]
            out.append('<path d="M%.1f %.1fl10 10m0 -10l-10 10" stroke='
                       '"#1f5fa8" stroke-width="2.5"/>' % (x - 5, y - 5))
            out.append('<text x="%d" y="215" text-anchor="middle">one more '
                       'point at %.1f°</text>'
                       % (x0, math.degrees(where * MOVED)))
        return "\n".join(out + ["</svg>", ""])

    def found(self, setting, label, epsilon):
        if label == PLAIN:
            found = [self.runs.get("wang-2", PLAIN, setting, seed)
                     for seed in self.often]
        elif label in CHAINS:
            found = [self.runs.get(label, setting, epsilon, self.long, seed)
                     for seed in self.repetitions]
        else:
            found = [self.runs.get("wang-2", label, setting, epsilon, seed)
                     for seed in self.often]
        return [f for f in found if f]

    def values(self, setting, label, epsilon, which):
        return [f[which] for f in self.found(setting, label, epsilon)]

    @staticmethod
    def overlap():
        """(chance that a row is in more of Yale's blocks than the paper allows,
        chance that a draw is accepted)"""
        n, blocks = figure2.SETTINGS["3"][0], 5
        most = int(math.sqrt(blocks))
        bad = sum(math.comb(blocks, i) * .2 ** i * .8 ** (blocks - i)
                  for i in range(most + 1, blocks + 1))
        return bad, (1 - bad) ** n

    def figures(self):
        angles = [self.runs.get("wang-1", w) for w in (0, 1)]
        if all(angles):
            yield ("Figure 1", [("wang-1", self.draw_lines())],
                   "%d points evenly on a circle, one more (cross), and the two "
                   "best lines: at %s degrees, or at %s when the one point is "
                   "moved. So the answer's global sensitivity is of the order "
                   "of 1." % (POINTS, *("%.1f and %.1f" % tuple(a["angles"])
                                        for a in angles)))
        panels = []
        for which, name in (("cost", "cost per row"), ("d_W", "d_W")):
            for setting in self.settings:
                lines = [(label, [(e, self.values(setting, label, e, which))
                                  for e in self.epsilons])
                         for label in (PLAIN, *DRAWN)]
                panels.append(("wang-2-%s-%s" % (setting, which),
                               figure2.TITLES[setting], lines,
                               dict(x_name="epsilon", y_name=name, x_log=True,
                                    y_log=which == "cost")))
        bad, accepted = self.overlap()
        yield ("Figure 2", panels,
               "Upper row: cost per row. Lower row: d_W, how far the planes are "
               "from the true ones (0: the same). Chains have %s sweeps%s and "
               "%d runs, the other methods %d. What is released of a chain is "
               "its last draw. “%s” starts without looking at the rows. The "
               "paper's starts look at them, and its chains report the mean of "
               "the last 100 draws: neither is private. SSC of the 5,000 rows "
               "of setting 1 takes 14 s, so its chain has the start of LRR "
               "only. Overlapping blocks (s.a. SSC, overlap) cannot be had on "
               "Yale: a row is in more than √m = 2 of 5 blocks with chance "
               "%.3f, so a draw of blocks is accepted with chance %s, and the "
               "printed step would try about %s of them."
               % ("{:,}".format(self.long), "" if self.quick else ", as printed,",
                  len(self.repetitions), len(self.often), PRINTED, bad, *(
                      chart.number(float("%.0e" % x))
                      for x in (accepted, 1 / accepted))))
        panels = []
        for which in ("statistic", "cost", "d_W"):
            for epsilon in EPSILONS:
                panels.append(("wang-3-%s-%d" % (which, epsilon),
                               "%s, ε = %d" % (which, epsilon),
                               self.trial_lines(which, epsilon),
                               dict(x_name="sweeps", y_name=which, x_log=True,
                                    y_log=which == "statistic")))
        rhat = [self.runs.get("wang-3-statistic", 100, self.sweeps[-1], seed)
                for seed in self.trials]
        rhat = [r["R-hat"] for r in rhat if r]
        yield ("Figure 3", panels,
               "Trials of the Gibbs sampler, n = 1000, d = 10, k = q = 3, σ = "
               ".1: where the chain is after so many sweeps. The paper reads "
               "from the test statistic, the length of the mean basis, that the "
               "chain mixes. But it falls like 1/√T wherever the chain is, "
               "since a basis turns within its plane at every step. R-hat of "
               "the energy of four chains does tell (1: mixed)%s."
               % (": %.2f to %.2f in these trials at ε = 100" % (
                   min(rhat), max(rhat)) if rhat else ""))

    def trial_lines(self, which, epsilon):
        lines = []
        for seed in self.trials:
            key = (("wang-3-statistic",) if which == "statistic"
                   else ("wang-3", "2"))
            found = [(s, self.runs.get(*key, epsilon, s, seed))
                     for s in self.sweeps]
            lines.append(("trial %d" % (seed - FIRST_SEED + 1),
                          [(s, [f[which]]) for s, f in found if f]))
        return lines

    def versions(self):
        """As printed, as repaired, auto."""
        yield ("version, setting 2, ε = 10", "cost per row", "privacy held",
               "CPU s")
        for words, label in VERSIONS:
            found = self.found("2", label, 10)
            held = self.runs.get("guarantee", "wang", label, 0)
            if found:
                yield (words, "%.4f" % statistics.mean(f["cost"] for f in found),
                       held["guarantee"] if held else "not seen",
                       "%.2f" % statistics.mean(f["cpu"] for f in found))

    def as_run(self):
        """Is the published method what was run? For each figure."""
        yield "1", "the paper's picture: evenly spaced points and one more"
        yield ("2", "the printed methods, settings and 10,000 sweeps; of a chain "
               "the last draw is reported, not the mean of the last 100 (table "
               "of printed steps); starts that look at the rows are marked")
        yield "3", "as printed: 8 trials, setting 2"

    def claims(self):
        angles = [self.runs.get("wang-1", where) for where in (0, 1)]
        if all(angles):
            turn = turned(*(a["angles"] for a in angles))
            yield ("1", "the answer's global sensitivity “could be as high as "
                   "O(1)”", "one point of %d, moved by %.0f degrees, turns the two "
                   "best lines by %.1f; 45 is the most that two crossing lines "
                   "can turn" % (POINTS + 1, math.degrees(MOVED), turn),
                   turn > 15)
        yield from self.utility()
        rhat = [(found["R-hat"], epsilon) for epsilon in EPSILONS for found in (
            self.runs.get("wang-3-statistic", epsilon, self.sweeps[-1], s)
            for s in self.trials) if found]
        if rhat:
            yield ("3", "the sampler “mixes quite well after 10000 iterations”",
                   "after %d sweeps R-hat of the energy of four chains, the "
                   "largest of %d trials: %.2f (ε = %g)"
                   % (self.sweeps[-1], len(rhat), *max(rhat)),
                   max(rhat)[0] < 1.05,
                   "some chains stay at planes that are not the best ones; the "
                   "paper's statistic does not see it")

    def utility(self):
        """What is said of Figure 2."""
        def mean(setting, label, epsilon, which="cost"):
            found = self.values(setting, label, epsilon, which)
            return statistics.mean(found) if found else None
        one = mean("1", "s.a. SSC", 1), mean("1", "s.a. SSC", 1000)
        if all(one):
            yield ("2", "sample and aggregate is poor “unless ε is truly large”",
                   "setting 1: cost %.3g at ε = 1, %.3g at ε = 1000" % one,
                   one[0] > 5 * one[1])
        good = [[mean(s, m, 10) for m in ("s.a. SSC", "SuLQ-10", PRINTED)]
                for s in "12"]
        if all(g for row in good for g in row):
            yield ("2", "Gibbs and SuLQ “give reasonably good performance”",
                   "cost at ε = 10 of sample and aggregate, SuLQ-10, Gibbs: "
                   "setting 1 %.3g, %.3g, %.3g; setting 2 %.3g, %.3g, %.3g"
                   % (*good[0], *good[1]),
                   all(max(row[1:]) < row[0] / 2 for row in good))
        yield from self.over_dimension("SuLQ-10", "SuLQ “scales poorly with the "
                                       "ambient dimension”", True, "")
        yield from self.over_dimension(
            PRINTED, "Gibbs “seems to be robust to various d”", False,
            "with 320 rows of 50 features the sampler's own law is wide at this "
            "ε: a chain that starts at SSC's planes ends as far from the true "
            "ones")
        chain = mean("3", PRINTED, 10)
        best = mean("3", "SuLQ-10", 10), mean("3", "auto", 10)
        if chain and all(best) and mean("3", SSC_START, 1000):
            yield ("2", "on faces “Gibbs sampling significantly outperforms the "
                   "other algorithms”",
                   "cost at ε = 10: Gibbs, private start, %.3g; SuLQ-10 %.3g; "
                   "auto %.3g. At ε = 1000: Gibbs, SSC start %.3g, private "
                   "start %.3g; SuLQ-10 %.3g; auto %.3g" % (
                       chain, *best, *(mean("3", label, 1000) for label in (
                           SSC_START, PRINTED, "SuLQ-10", "auto"))),
                   chain < min(best),
                   "the curve of the paper starts at the answer of SSC, which "
                   "looks at the rows; and one private plane was not compared")

    def over_dimension(self, label, said, worse, why):
        """d_W with d = 5 and d = 50, as a part of the most that it can be."""
        parts = []
        for setting in "13":
            found = self.values(setting, label, 10, "d_W")
            _, d, k, q, _, _ = figure2.SETTINGS[setting]
            if not found:
                return
            parts.append(statistics.mean(found) / math.sqrt(k * min(q, d - q)))
        yield ("2", said, "d_W at ε = 10, as a part of the most that it can be: "
               "%.2f for d = 5, %.2f for d = 50" % tuple(parts),
               (parts[1] > 2 * parts[0]) == worse, why)

"""What is measured: datasets, cases, what rivals reached, and the targets."""
import collections

# bounds: of `kith kmeans`. generate: arguments of `kith generate`, or None for
# a set that prepare.py writes (DATA.md).
Dataset = collections.namedtuple("Dataset", "rows dimension bounds generate")

BOX = ("--bounds", "0:1")
UNIT_BALL = ("--radius", "1")


def gaussians(rows, dimension, clusters):
    return Dataset(rows, dimension, UNIT_BALL,
                   ("gaussians", "--rows", str(rows), "--dimension",
                    str(dimension), "-k", str(clusters), "--seed", "1"))


DATASETS = {
    "adult": Dataset(48842, 5, BOX, None),
    "brfss": Dataset(253680, 21, BOX, None),
    "cabs": Dataset(500000, 2, BOX, None),
    "cifar": Dataset(60000, 160, UNIT_BALL, None),
    "credit": Dataset(30000, 23, BOX, None),
    "gas": Dataset(36733, 11, BOX, None),
    "letter": Dataset(20000, 16, BOX, None),
    "mnist": Dataset(70000, 784, ("--radius", "12"), None),
    "synth": Dataset(100000, 100, UNIT_BALL, None),
    "trips": Dataset(453346, 4, BOX, None),
    # sparse
    "news20": Dataset(18846, 17317,
                      BOX + UNIT_BALL + ("--sparsity", "64", "--dimension",
                                         "17317"), None),
    "gauss": gaussians(100000, 100, 64),
    "gauss1m": gaussians(1000000, 100, 64),
}


# A method "kmedian" or "kmedian-M" is `kith kmedian [--method M]`, and its ratio
# is of sums of distances.
class Case(collections.namedtuple("Case", "dataset k epsilon delta method")):
    """One line of the quality table."""
    @property
    def name(self):
        budget = "pure" if self.delta == 0 else "gaussian"
        return "%s-%s-k%d-e%g-%s" % (self.method, self.dataset, self.k,
                                     self.epsilon, budget)


def bounds_of(case):
    """lloyd on MNIST is measured on the ball of the rivals' figures."""
    if case.dataset == "mnist" and case.method != "lloyd":
        return BOX
    return DATASETS[case.dataset].bounds


def cases(method, epsilon, delta, *sets):
    return [Case(dataset, k, epsilon, delta, method)
            for dataset, ks in sets for k in ks]


CASES = (
    cases("auto", 1, 1e-6, ("mnist", (10, 64)), ("synth", (8, 10, 32, 64)),
          ("letter", (8, 10, 64)), ("gas", (8, 10, 64)), ("adult", (8, 64)),
          ("cabs", (8, 64)), ("trips", (8, 64)), ("credit", (8, 64)),
          ("brfss", (10, 64)), ("cifar", (10, 64)), ("gauss", (8, 64))) +
    cases("auto", 0.1, 1e-6, ("mnist", (10,)), ("gas", (10,)),
          ("adult", (10,))) +
    cases("auto", 1, 0, ("mnist", (10, 64)), ("gas", (10, 64)),
          ("brfss", (10,)), ("synth", (10, 64)), ("cabs", (10, 64)),
          ("trips", (64,)), ("letter", (10,)), ("cifar", (64,))) +
    cases("lloyd", 1, 1e-6, ("mnist", (10, 64)), ("synth", (8, 64)),
          ("letter", (8, 64)), ("gas", (8, 64)), ("adult", (8, 64)),
          ("credit", (8,)), ("brfss", (10,)), ("cifar", (10, 64)),
          ("cabs", (8,)), ("trips", (8,))) +
    cases("lloyd", 0.1, 1e-6, ("mnist", (10,)), ("gas", (10,)),
          ("adult", (10,))) +
    cases("lloyd", 1, 0, ("mnist", (10,)), ("gas", (10,)), ("brfss", (10,)),
          ("synth", (8,)), ("cabs", (8,))) +
    cases("balcan", 1, 1e-6, ("mnist", (10,)), ("synth", (8,)),
          ("letter", (8,))) +
    cases("balcan", 1, 0, ("mnist", (10,))) +
    cases("auto", 1, 1e-6, ("news20", (20,))) +
    cases("auto", 1, 0, ("news20", (20,))) +
    cases("lloyd", 1, 1e-6, ("news20", (20,))) +
    cases("lloyd", 1, 0, ("news20", (20,))) +
    cases("balcan", 1, 1e-6, ("news20", (20,))) +
    cases("balcan", 1, 0, ("news20", (20,))) +
    cases("kmedian", 1, 1e-6, ("letter", (10,)), ("gas", (10,)),
          ("adult", (10,))) +
    cases("kmedian", 1, 0, ("letter", (10,)), ("gas", (10,)),
          ("adult", (10,))) +
    cases("kmedian-balcan", 1, 1e-6, ("letter", (10,)), ("gas", (10,)),
          ("adult", (10,))))

# Seeds of the runs count from here: small ones are what one tunes with.
FIRST_SEED = 100

# What --quick keeps.
QUICK = {"auto-mnist-k10-e1-gaussian", "auto-synth-k64-e1-gaussian",
         "auto-gas-k10-e1-gaussian", "auto-adult-k8-e1-gaussian",
         "lloyd-mnist-k10-e1-gaussian", "lloyd-synth-k8-e1-gaussian",
         "lloyd-gas-k10-e1-pure"}

# Ratios of rival tools at epsilon 1, delta 1e-6: RIVALS.md says which tools, and
# how they were measured (G: the project's prototypes, with boxes).
RIVALS = ("Google LSH tree", "diffprivlib", "NumPy private Lloyd")
RIVAL_RATIOS = {
    ("mnist", 10): ("1.121", "1.289", "1.075"),
    ("mnist", 64): ("1.369", "–", "1.308"),
    ("synth", 8): ("1.026", "1.18", "1.034"),
    ("synth", 32): ("1.197", "2.34", "1.225"),
    ("synth", 64): ("4.25", "47", "13.5"),
    ("letter", 8): ("1.179", "1.265", "1.115"),
    ("letter", 64): ("1.807", "2.610", "2.048"),
    ("gas", 8): ("1.466", "1.786", "2.169"),
    ("gas", 64): ("2.047", "2.435", "2.274"),
    ("adult", 8): ("1.17 G", "–", "1.45 G"),
    ("adult", 64): ("2.08 G", "–", "3.2 G"),
    ("credit", 8): ("1.24 G", "–", "2.26 G"),
    ("brfss", 10): ("1.047 G", "–", "1.056 G"),
    ("cifar", 10): ("1.107 G", "–", "1.029 G"),
    ("cifar", 64): ("1.228 G", "–", "1.192 G"),
}

# Single-thread CPU seconds, loading included, from the same page.
RIVAL_SECONDS = {
    ("mnist", 10): "scikit-learn 8.09 (1363 MB), Google 4.01 (3189 MB), "
                   "diffprivlib 18.3, NumPy private Lloyd 2.06",
    ("synth", 64): "scikit-learn 1.58 (336 MB), Google 2.32 (979 MB), "
                   "diffprivlib 12.2, NumPy private Lloyd 1.51",
}

# bench_lloyd: clustering alone, this many rounds.
SPEED_ROUNDS = 5
SPEED = (("mnist", 10), ("mnist", 64), ("synth", 8), ("synth", 64),
         ("gauss", 64), ("gauss1m", 10))
# Peak memory of a whole `kith kmeans`.
MEMORY = (("lloyd", "mnist", 10), ("lloyd", "gauss1m", 10),
          ("auto", "mnist", 10), ("auto", "synth", 64), ("auto", "gauss1m", 10))
# Left out by --quick, with everything about it.
LARGE = {"gauss1m"}

# Targets: (what, unit, limit, whether larger is better); run.py knows where
# the figure comes from.
TARGETS = {
    "mnist_ratio": ("lloyd, MNIST k = 10, mean cost ratio", "", 1.09, False),
    "synth_ratio": ("lloyd, synth k = 8, mean cost ratio", "", 1.04, False),
    "mnist_cpu": ("lloyd, MNIST k = 10, 5 rounds, 1 thread, loading excluded",
                  "CPU s", 2.0, False),
    "synth_cpu": ("lloyd, synth k = 64, 5 rounds, 1 thread, loading excluded",
                  "CPU s", 1.2, False),
    "samplers": ("slowest sampler, scales 1 to 1e9", "M draws/s", 0.5, True),
    "csv": ("slowest CSV reading, one core", "MB/s", 150, True),
    "npy": ("NPY reading, C order, one core", "MB/s", 1000, True),
    "assign": ("exact assignment / one dgemm of the same shape, worst shape",
               "x", 1.5, False),
    "local_client": ("local, d = 100, slowest report of a device", "us", 100,
                     False),
    "local_tally": ("local, d = 20, vector reports added up, one core",
                    "M/s", 1, True),
    "local_simulate": ("local, 10^6 users, d = 20, whole simulation", "s", 60,
                       False),
    "lloyd-mnist-memory": ("lloyd, MNIST k = 10, peak memory / quantised rows",
                           "x", 1.3, False),
    "lloyd-gauss1m-memory": ("lloyd, gauss1m k = 10, peak memory / quantised "
                             "rows", "x", 1.3, False),
    "auto-mnist-memory": ("auto, MNIST k = 10, peak memory / quantised rows",
                          "x", 1.5, False),
    "auto-gauss1m-memory": ("auto, gauss1m k = 10, peak memory / quantised "
                            "rows", "x", 1.5, False),
}

# `auto`, (epsilon, delta = 1e-6): the ratios that we set ourselves.
AUTO_TARGETS = {
    ("mnist", 10, 1): 1.006,
    ("mnist", 64, 1): 1.042,
    ("synth", 10, 1): 1.01,
    ("synth", 32, 1): 1.01,
    ("synth", 64, 1): 1.008,
    ("letter", 10, 1): 1.03,
    ("letter", 64, 1): 1.09,
    ("gas", 10, 1): 1.01,
    ("gas", 64, 1): 1.05,
    ("adult", 8, 1): 1.01,
    ("adult", 64, 1): 1.07,
    ("cabs", 8, 1): 1.01,
    ("cabs", 64, 1): 1.05,
    ("trips", 8, 1): 1.01,
    ("trips", 64, 1): 1.05,
    ("credit", 64, 1): 1.07,
    ("brfss", 64, 1): 1.01,
    ("cifar", 64, 1): 1.03,
    ("mnist", 10, 0.1): 1.085,
    ("gas", 10, 0.1): 1.04,
    ("adult", 10, 0.1): 1.05,
}
for (_name, _k, _epsilon), _limit in AUTO_TARGETS.items():
    TARGETS["auto-%s-k%d-e%g-gaussian" % (_name, _k, _epsilon)] = (
        "auto, %s k = %d, epsilon = %g, mean cost ratio" % (
            _name, _k, _epsilon), "", _limit, False)
# The same, pure epsilon = 1.
AUTO_PURE_TARGETS = {("mnist", 10): 1.14, ("gas", 10): 1.03,
                     ("brfss", 10): 1.02, ("synth", 64): 1.36,
                     ("cabs", 64): 1.11, ("trips", 64): 1.11}
for (_name, _k), _limit in AUTO_PURE_TARGETS.items():
    TARGETS["auto-%s-k%d-e1-pure" % (_name, _k)] = (
        "auto, %s k = %d, pure, mean cost ratio" % (_name, _k), "", _limit,
        False)
TARGETS["robust"] = (
    "auto / best of lloyd, spread start and one mean, worst odd set", "x", 1.0,
    False)
TARGETS["balcan-mnist-k10-e1-gaussian"] = (
    "balcan, mnist k = 10, mean cost ratio", "", 1.06, False)
TARGETS["balcan-mnist-k10-e1-pure"] = (
    "balcan, mnist k = 10, pure, mean cost ratio", "", 1.33, False)

"""Build, prepare the data, run the programs and read what they print."""
import functools
import json
import os
import re
import subprocess
import sys

import prepare
from cases import DATASETS, FIRST_SEED, SPEED_ROUNDS, bounds_of

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CACHE = os.path.join(ROOT, "bench", "cache")
BENCH = os.path.join(ROOT, "bench")
REFERENCE_STARTS = 10


def say(text):
    print(text, file=sys.stderr, flush=True)


def run(command):
    """Run to the end or stop the whole bench; returns standard output. What
    it says on standard error (seeded runs warn) is shown when it fails."""
    done = subprocess.run(command, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        say(done.stderr or done.stdout)
        sys.exit("bench: exit status %d: %s"
                 % (done.returncode, " ".join(command)))
    return done.stdout


def read_json(path, otherwise=None):
    if not os.path.exists(path):
        return otherwise
    with open(path, encoding="utf-8") as f:
        return json.load(f)


class Build:
    """Where the programs are."""

    def __init__(self, directory):
        self.directory = directory
        self.origin = "built elsewhere"
        self.kith = os.path.join(directory, "tools", "kith", "kith")

    def make(self):
        say("building %s" % self.directory)
        self.origin = "preset `release`"
        os.chdir(ROOT)
        for command in (["cmake", "--preset", "release"],
                        ["cmake", "--build", "--preset", "release",
                         "--target", "kith", "benches"]):
            run(command)

    def bench(self, name):
        return os.path.join(self.directory, "bench", name)

    def cost_of(self, command):
        """CPU seconds and peak bytes of a command (see bench_child.c)."""
        path = os.path.join(CACHE, "child.json")
        run([self.bench("bench_child"), path] + command)
        return read_json(path)


# ---- data -------------------------------------------------------------------

def python_with_numpy():
    for python in (sys.executable, "/usr/bin/python3"):
        if os.path.exists(python) and subprocess.run(
                [python, "-c", "import numpy"],
                stderr=subprocess.DEVNULL, check=False).returncode == 0:
            return python
    return None


class Data:
    """The files of the datasets that can be had here (bench/DATA.md)."""

    def __init__(self, build):
        os.makedirs(CACHE, exist_ok=True)
        self.build = build
        self.prepared = os.path.join(CACHE, "prepared")
        self.python = python_with_numpy()
        if not self.python:
            say("NumPy is missing (apt-get install python3-numpy): only "
                "generated data")

    def has(self, name):
        return self.path(name) is not None

    def path(self, name):
        """Made or prepared when it is first asked for; None: it cannot be
        had, and prepare.py has said why."""
        known = DATASETS.get(name)
        if known is None or known.generate is None:
            return self.prepare(name)
        path = os.path.join(CACHE, name + ".npy")
        if not os.path.exists(path):
            say("generating %s" % name)
            part = os.path.join(CACHE, "part.npy")
            run([self.build.kith, "generate", *known.generate, "-o", part])
            os.rename(part, path)
        return path

    @functools.lru_cache(maxsize=None)
    def prepare(self, name):
        path = prepare.path_of(self.prepared, name)
        if not os.path.exists(path) and self.python:
            subprocess.run([self.python, os.path.join(BENCH, "prepare.py"),
                            self.prepared, name], check=False)
        return path if os.path.exists(path) else None


# ---- cost -------------------------------------------------------------------

def cost_per_row(build, model, path):
    return json.loads(run([build.kith, "evaluate", model,
                           path]))["cost_per_row"]


def reference(build, data, name, k, command="kmeans"):
    """The non-private cost per row: (value, where it is from)."""
    published = read_json(os.path.join(BENCH, "references.json"), {})
    if command == "kmeans" and str(k) in published.get(name, {}):
        return published[name][str(k)]["best"], "scikit-learn"
    path = os.path.join(CACHE, "references.json")
    cached = read_json(path, {})
    key = "%s-k%d" % (name, k)
    if command != "kmeans":
        key = "%s-%s" % (command, key)
    if key not in cached:
        say("non-private reference of %s" % key)
        model = os.path.join(CACHE, "reference.json")
        run([build.kith, command, "--non-private", "--starts",
             str(REFERENCE_STARTS), "-k", str(k), *DATASETS[name].bounds,
             "--quiet", "--force", "-o", model, data.path(name)])
        cached[key] = cost_per_row(build, model, data.path(name))
        with open(path, "w", encoding="utf-8") as f:
            json.dump(cached, f, indent=1)
    return cached[key], "kith"


def split_method(method):
    """The command and the method that it is given."""
    if not method.startswith("kmedian"):
        return "kmeans", method
    return "kmedian", method[len("kmedian-"):] or "auto"


def command_of(kith, case, seed, model, path):
    command, method = split_method(case.method)
    return [kith, command, "-k", str(case.k), "-e", "%g" % case.epsilon,
            "--delta", "%g" % case.delta, *bounds_of(case),
            "--method", method, "--insecure-seed", str(seed), "--seed", str(seed),
            "--threads", "1", "--quiet", "--force", "-o", model, path]


def run_case(build, data, case, seeds):
    """Ratios to the reference, and the mean cost of a run, over the seeds."""
    best, origin = reference(build, data, case.dataset, case.k,
                             split_method(case.method)[0])
    model = os.path.join(CACHE, "model.json")
    path = data.path(case.dataset)
    ratios, used = [], []
    for seed in range(FIRST_SEED, FIRST_SEED + seeds):
        used.append(build.cost_of(
            command_of(build.kith, case, seed, model, path)))
        ratios.append(cost_per_row(build, model, path) / best)
    return {"case": case, "reference": best, "origin": origin,
            "ratios": ratios,
            "cpu": sum(u["cpu"] for u in used) / seeds,
            "peak": max(u["peak_bytes"] for u in used)}


# ---- speed and memory -------------------------------------------------------

def speed(build, data, name, k):
    """Clustering alone, loading excluded (see bench_lloyd.c)."""
    bounds = DATASETS[name].bounds[1]
    out = json.loads(run([build.bench("bench_lloyd"), data.path(name), str(k),
                          str(SPEED_ROUNDS), bounds]))
    out["dataset"] = name
    return out


def memory(build, data, method, name, k):
    """Peak of a whole run against the rows as they are stored (int16)."""
    dataset = DATASETS[name]
    used = build.cost_of(
        [build.kith, "kmeans", "-k", str(k), "-e", "1", "--delta", "1e-6",
         "--method", method, *dataset.bounds, "--threads", "1", "--quiet",
         "--force", "-o", os.path.join(CACHE, "model.json"), data.path(name)])
    return {"method": method, "dataset": name, "k": k, "peak": used["peak_bytes"],
            "quantised": dataset.rows * dataset.dimension * 2}


def base_footprint(build):
    """Peak of a run on ten rows: the program and its libraries."""
    tiny = os.path.join(CACHE, "tiny.csv")
    run([build.kith, "generate", "gaussians", "--rows", "10", "--dimension",
         "2", "-k", "2", "-o", tiny])
    return build.cost_of([build.kith, "kmeans", "-k", "2", "-e", "1",
                          "--radius", "1", "--threads", "1", "--quiet", "--force", "-o",
                          os.path.join(CACHE, "model.json"),
                          tiny])["peak_bytes"]


def layer(build, name):
    """Run one of the programs that measure a layer; its text."""
    say(name)
    return run([build.bench(name)])


def slowest_sampler(text):
    cells = re.findall(r"^\| [^|]+ \| ([\d.]+) \| ([\d.]+) \|$", text, re.M)
    return min(float(v) for row in cells for v in row)


def reader_speeds(text):
    return {what.strip(): float(speed_) for what, speed_ in
            re.findall(r"^(.*?)\s+\d+ rows\s+([\d.]+) MB/s$", text, re.M)}


def worst_assign(text):
    rows = [line.split() for line in text.splitlines()[1:] if line.strip()]
    column = text.split("\n", 1)[0].replace(" ms", "_ms").split().index(
        "ratio")
    return max(float(row[column]) for row in rows)

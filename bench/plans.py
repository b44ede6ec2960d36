#!/usr/bin/python3
"""plans.py DIR [--build DIR] [--seeds N] [--only PATTERN]: does --dry-run say
what a run does?

DIR has the sets of bench/prepare.py; those that are missing are skipped.
For each set, method and budget: the number of releases and of sensible
clusters of the plan over those of runs with seeds 100, 101, ... (means). Prints
the table of bench/RESULTS.md ("Plans"). Issue 15: within 20 %.
"""
import argparse
import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
SETS = {"letter": "0:1", "gas": "0:1", "adult": "0:1", "synth": "-1:1",
        "credit": "0:1", "brfss": "0:1", "cabs": "0:1", "trips": "0:1",
        "cifar": "-1:1", "mnist": "0:1"}
BUDGETS = [("1", "1e-6"), ("0.1", "1e-6"), ("1", "0")]
METHODS = {
    "lloyd": ["kmeans", "-k", "10", "--method", "lloyd"],
    "balcan": ["kmeans", "-k", "10", "--method", "balcan"],
    "kmedian balcan": ["kmedian", "-k", "10", "--method", "balcan"],
    "kmedian auto": ["kmedian", "-k", "10"],
    "subspace auto": ["subspace", "-k", "3", "-q", "2"],
    "subspace sulq": ["subspace", "-k", "3", "-q", "2", "--method", "sulq"],
    "auto 10": ["kmeans", "-k", "10"],
    "auto 64": ["kmeans", "-k", "64"],
}


def shape(path):
    import numpy

    return numpy.load(path, mmap_mode="r").shape


def kith(build, args):
    """The JSON that it prints; None if it refuses."""
    done = subprocess.run([os.path.join(build, "tools/kith/kith")] + args,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True)
    if done.returncode:
        print("  refused:", done.stderr.strip()[:150], file=sys.stderr)
        return None
    return json.loads(done.stdout)


def figures(model):
    quality = model.get("quality", {})
    return (len(model["privacy"]["releases"]),
            model.get("sensible_clusters") or quality.get("sensible_clusters"))


def compare(options, name, method, budget):
    path = os.path.join(options.folder, name + ".npy")
    if not os.path.exists(path):
        return None
    rows, dimension = shape(path)
    common = METHODS[method] + ["-e", budget[0], "--delta", budget[1],
                                "--quiet"]
    if common[0] == "subspace":
        common += ["--radius", "1"]
    else:
        common += ["--bounds=" + SETS[name]]
    plan = kith(options.build, common + ["--dry-run", "--rows", str(rows),
                                         "--dimension", str(dimension)])
    runs = [kith(options.build, common + ["--insecure-seed", str(100 + s),
                                          "--seed", str(100 + s), path])
            for s in range(options.seeds)]
    runs = [figures(run) for run in runs if run]
    if not plan or not runs:
        return None
    mean = [sum(r[i] for r in runs) / len(runs) if runs[0][i] else None
            for i in range(2)]
    return figures(plan), mean


def words(plan, run):
    if plan is None or run is None:
        return "–"
    off = plan / run - 1
    return "%d, %g%s" % (plan, round(run, 1), " ✗" if abs(off) > .2 else "")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder")
    parser.add_argument("--build", default=os.path.join(
        os.path.dirname(HERE), "build", "release"))
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--only", type=re.compile, default=re.compile(""))
    options = parser.parse_args()
    print("| | ε, δ | releases: plan, run | sensible: plan, run |")
    print("|---|---|---|---|")
    for method in METHODS:
        for name in SETS:
            for budget in BUDGETS:
                title = "%s, %s" % (method, name)
                if not options.only.search(title):
                    continue
                found = compare(options, name, method, budget)
                if found:
                    plan, run = found
                    print("| %s | %s, %s | %s | %s |" % (
                        title, *budget, words(plan[0], run[0]),
                        words(plan[1], run[1])), flush=True)


if __name__ == "__main__":
    main()

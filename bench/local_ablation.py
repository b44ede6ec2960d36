#!/usr/bin/env python3
"""What each rule of the local `auto` is worth: runs without it, against runs
with it; and what its numbers are worth when they are wrong by a factor of 1.5.

    local_ablation.py [--seeds N] [--first SEED] [--rules "A;B"] [--table]

The numbers are data (src/methods/local_recipe.def). A copy of the tree is built
whose numbers can be changed from outside; nothing of that is in the shipped
one. All runs are by the law: mixtures of bench_mixtures, made for each seed,
and sets of DATA.md. Every run is kept in bench/cache/local_ablation.jsonl.
--table: only print what is kept, as Markdown."""
import argparse
import collections
import json
import math
import os
import re
import subprocess

import ablation
import measure
from cases import DATASETS

KEPT = os.path.join(measure.CACHE, "local_ablation.jsonl")
TREE = os.path.join(measure.ROOT, "build", "local_ablation")
NEVER = "1e30"

# Name: users, features, clusters, epsilon of a mixture; or a set of DATA.md,
# clusters, epsilon.
LOW = {"d 2, n 1e5": (100000, 2, 5, 1), "d 2, n 1e4": (10000, 2, 5, 1),
       "d 3, n 1e4, e .5": (10000, 3, 5, .5)}
HIGH = {"d 5, n 1e5": (100000, 5, 5, 1), "d 20, n 1e5": (100000, 20, 5, 1),
        "gas": ("gas", 5, 1), "brfss": ("brfss", 8, 1)}
REAL_SEEDS = 5  # of a set of DATA.md, at most

# rule: the numbers that make it idle. "" is the recipe as it is.
LOW_RULES = {
    "shifted grids": {"few": "0"},
    "blobs": {"blobs_fit": "-" + NEVER},
    "blobs averaged": {"chain": "1", "chain_burn": "0", "chain_every": "1"},
    "starts with blobs too many": {"blob_starts": "1"},
    "blobs tried elsewhere": {"exchanges": "0"},
    "widths alike (blobs)": {"blob_widths": "1e3"},
    "weights even (blobs)": {"even": "0"},
    "several halvings": {"split_levels": "1"},
    "first cells stand out more": {"start_z": "2"},
    "cells beside kept ones": {"beside": "1"},
    "users lean to denser cells": {"lean": NEVER},
    "users in no cell": {"rest": "2"},
    "near the mean? (d <= 3)": {"coarse": NEVER},
    "one mean where cells drown": {"drowned": NEVER, "dim": NEVER},
}
HIGH_RULES = {
    "answers explained": {"fits": "-" + NEVER},
    "clusters tried elsewhere": {"searches": "0"},
    "noise of what a cluster is worth": {"unseen": "0"},
    "widths alike": {"alike": "1e3"},
    "distances in the first turn": {"told": "0"},
    "up to 2 k anchors": {"most_anchors": "1"},
    "fewer moments if sharp": {"sharp": "1e-9"},
    "several halvings (plane)": {"flat_levels": "1"},
    "low rank": {"low_rank": NEVER},
    "counts without bands": {"counted": "0"},
    "shares joined over rounds": {"drift": "1e15"},
    "centres astray": {"astray": "0"},
    "split of long clusters": {"doubt": "-1e15"},
    "shares given up count less": {"doubt": "0"},
    "ghosts move": {"ghost": "0"},
    "ghosts move to wide ones": {"hidden": "0"},
    "near the mean? (d > 3)": {"noisy": NEVER},
    "random directions": {"blind": NEVER},
}
# Numbers that are multiplied by 2/3 and 3/2.
LOW_NUMBERS = ("low_z", "low_next", "start_z", "deep_z", "beside",
               "blob_widths", "blobs_fit", "trust", "even", "jumps", "few")
HIGH_NUMBERS = ("tight", "told", "refit", "anchor_noise", "reach", "inner",
                "lost", "counted", "drift", "least_noise", "differ", "farther",
                "doubt", "wide", "hidden", "fits", "alike", "far", "missed",
                "search_gain")


def numbers():
    """(kind, name, values) of each line of the table."""
    with open(os.path.join(measure.ROOT, "src/methods/local_recipe.def"),
              encoding="ascii") as f:
        for kind, name, values in re.findall(
                r"^(NUMBER|WHOLE|SERIES|SHARE)\((\w+), ([^)]*)\)", f.read(),
                re.M):
            yield kind, name, values.split(", ")


def rules():
    """rule: (cells, changes)."""
    out = {"": ({**LOW, **HIGH}, {})}
    for cells, some, names in ((LOW, LOW_RULES, LOW_NUMBERS),
                               (HIGH, HIGH_RULES, HIGH_NUMBERS)):
        for rule, changes in some.items():
            out[rule] = cells, changes
        value = {n: v[0] for kind, n, v in numbers() if kind == "NUMBER"}
        for name in names:
            for factor in (2 / 3, 1.5):
                new = "%.3g" % (float(value[name]) * factor)
                out["`%s` %s, not %s" % (name, new, value[name])] = (
                    cells, {name: new})
    return out


def change(kind, name, values):
    """C that reads a number from the surroundings."""
    if kind == "SERIES":
        # fewer values than there are: the others are 0
        return """    if (getenv("R_%s")) {
        char *at = getenv("R_%s");
        for (int i = 0; i < %s; i++) {
            kith_i_recipe.%s[i] = strtod(at, &at);
            at += *at == ',';
        }
    }
""" % (name, name, values[0], name)
    where = "with_directions." + name if kind == "SHARE" else name
    cast = "(uint32_t)" if kind == "WHOLE" else ""
    return """    if (getenv("R_%s"))
        kith_i_recipe.%s = %satof(getenv("R_%s"));
""" % (name, where, cast, name)


def build():
    """A copy whose numbers read R_<name> before main."""
    ablation.copy_tree(TREE)
    for name in ("local_recipe.c", "local_recipe.h"):
        path = os.path.join(TREE, "src/methods", name)
        with open(path, encoding="ascii") as f:
            text = f.read().replace("const kith_i_local_recipe kith_i_recipe",
                                    "kith_i_local_recipe kith_i_recipe")
        if name.endswith(".c"):
            text = ("#include <stdlib.h>\n" + text +
                    "\n__attribute__((constructor)) static void change(void)\n"
                    "{\n" + "".join(change(*n) for n in numbers()) + "}\n")
        with open(path, "w", encoding="ascii") as f:
            f.write(text)
    return ablation.build_tree(TREE, "bench_mixtures", "kith")


def kept():
    runs = collections.defaultdict(lambda: collections.defaultdict(dict))
    if os.path.exists(KEPT):
        with open(KEPT, encoding="utf-8") as f:
            for line in f:
                r = json.loads(line)
                runs[r["rule"]][r["cell"]][r["seed"]] = r["cost"]
    return runs


def run_mixture(where, what, seeds, surroundings):
    n, d, k, epsilon = what
    out = subprocess.run(
        [os.path.join(where, "bench", "bench_mixtures"), str(n), str(d), str(k),
         str(epsilon), str(seeds[0]), str(seeds[-1] - seeds[0] + 1), "law"],
        env=surroundings, stdout=subprocess.PIPE, text=True, check=True)
    for line in out.stdout.splitlines()[:-1]:
        seed, ratio = line.split()[:2]
        yield int(seed), float(ratio)


def run_set(where, what, seeds, surroundings):
    name, k, epsilon = what
    kith = os.path.join(where, "tools", "kith", "kith")
    path = measure.Data(None).path(name)
    model = os.path.join(measure.CACHE, "local_ablation.json")
    for seed in seeds[:REAL_SEEDS]:
        subprocess.run([kith, "local", "simulate", "-k", str(k), "-e",
                        str(epsilon), "--law", *DATASETS[name].bounds, "--seed",
                        str(seed), "--insecure-seed", str(seed), "--quiet",
                        "--force", "-o", model, path], env=surroundings,
                       stderr=subprocess.DEVNULL, check=True)
        out = subprocess.run([kith, "evaluate", model, path], check=True,
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        yield seed, json.loads(out.stdout)["cost_per_row"]


def run(where, rule, cells, changes, seeds):
    done = kept()[rule]
    surroundings = dict(os.environ, **{"R_" + n: v for n, v in changes.items()})
    for cell, what in cells.items():
        wanted = [s for s in seeds if s not in done[cell]]
        of_set = isinstance(what[0], str)
        if not wanted or (of_set and seeds[0] not in wanted):
            continue
        runs = list((run_set if of_set else run_mixture)(
            where, what, wanted, surroundings))
        with open(KEPT, "a", encoding="utf-8") as f:
            for seed, cost in runs:
                f.write(json.dumps({"rule": rule, "cell": cell, "seed": seed,
                                    "cost": cost}) + "\n")


def effect(base, now):
    """Geometric mean of cost without / with, and its standard error."""
    logs = [math.log(now[s] / base[s]) for s in now if s in base]
    if len(logs) < 2:
        return "–"
    mean = ablation.mean(logs)
    error = math.sqrt(sum((x - mean) ** 2 for x in logs) / (len(logs) - 1) /
                      len(logs))
    if error == 0 and mean == 0:
        return "="
    return ("%.3f ± %.3f" % (math.exp(mean), error)).replace(" 0.", " .")


def table():
    runs = kept()
    for title, cells in (("d ≤ 3", LOW), ("d > 3", HIGH)):
        print("\n| %s: without | %s |\n|%s" % (
            title, " | ".join(cells), "---|" * (len(cells) + 1)))
        for rule, (where, _) in rules().items():
            if rule and where is cells and rule in runs:
                print("| %s | %s |" % (rule, " | ".join(
                    effect(runs[""][c], runs[rule][c]) for c in cells)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--first", type=int, default=81000)
    parser.add_argument("--rules", default=None)
    parser.add_argument("--table", action="store_true")
    args = parser.parse_args()
    if not args.table:
        os.makedirs(measure.CACHE, exist_ok=True)
        where, known = build(), rules()
        seeds = list(range(args.first, args.first + args.seeds))
        chosen = known if args.rules is None else args.rules.split(";")
        for rule in [""] + [r for r in chosen if r]:
            measure.say("without %s" % rule if rule else "the recipe")
            run(where, rule, *known[rule], seeds)
    table()


if __name__ == "__main__":
    main()

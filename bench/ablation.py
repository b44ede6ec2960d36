#!/usr/bin/env python3
"""What each rule of `auto` is worth: runs without it, against runs with it.

    ablation.py [--seeds N] [--rules "A;B"] [--table]

The numbers of `auto` are data (src/auto/recipe.def). A copy of the tree is built
whose recipe can be changed from outside; nothing of that is in the shipped
one. Each rule is switched off by the number that makes it idle, and four real
sets and the odd sets of robust.py are run again (bench_auto, one thread).
Every run is kept in bench/cache/ablation.jsonl. --table: only print what is
kept, as Markdown."""
import argparse
import collections
import json
import math
import os
import re
import shutil
import subprocess

import measure
import robust
from cases import DATASETS, FIRST_SEED

KEPT = os.path.join(measure.CACHE, "ablation.jsonl")
TREE = os.path.join(measure.ROOT, "build", "ablation")
SETS = ("letter", "gas", "adult", "credit")
BUDGETS = ((1, 1e-6), (.1, 1e-6), (1, 0), (.1, 0))
NEVER = "1e30"

# rule: the numbers that make it idle. "" is the recipe as it is.
RULES = {
    "": {},
    "n counted again": {"clear": "0"},
    "sizes no less than 2 sd": {"sure": "0"},
    "mean again": {"turns": "0"},
    "one mean, tails in": {"nothing": "0"},
    "next to likely bins": {"likely": NEVER},
    "a run of bins": {"window": NEVER},
    "clipping leaves half": {"least_kept": "0"},
    "scales shared": {"prior": "0", "narrowest": "0"},
    "L1 lengths": {"taxicab": "0"},
    "no moments if they drown": {"directions": "0", "few_features": "0"},
    "more random axes": {"crowd": NEVER},
    "few rows: rounds": {"few": "0"},
    "one mean for two": {"single": NEVER},
    "more for the last step": {"narrow": "0"},
    "rounds leave the last step": {"least_ease": "1"},
    "outliers apart": {"hidden": "0"},
    "first halvings": {"first": NEVER},
    "fewer levels if coarse": {"least_levels": "99"},
    "several halvings": {"halvings": "1"},
    "leaves that stand out": {"keep": "0"},
    "halves on paper": {"halves": "1"},
    "cells": {"most_cells": "0", "each": "0"},
    "as many as noise allows": {"blurred": "0"},
    "cells that stand out": {"stands": "0"},
    "noisy cells weigh less": {"blur": "0"},
    "sizes drift": {"steady": NEVER},
    "rounds by noise": {"quiet": NEVER},
    "more rounds if very quiet": {"converging": "0"},
    "zooms": {"zooms": "1"},
    "two last steps, random axes": {"latter": "0"},
    "choice of one mean": {"noisy": NEVER},
    "no choice without doubt": {"doubt": "0"},
}
# What these are for is seen in more features.
WIDE = ("L1 lengths", "more random axes", "more for the last step",
        "rounds leave the last step", "zooms", "two last steps, random axes",
        "sizes drift")
WIDE_SET = "cifar"


def fields():
    """Name and type of the recipe's numbers."""
    kinds = {"NUMBER": "double", "WHOLE": "uint32_t"}
    kinds.update(SAME=kinds["NUMBER"], SAME_WHOLE=kinds["WHOLE"])
    with open(os.path.join(TREE, "src/auto/recipe.def"), encoding="ascii") as f:
        for kind, name in re.findall(
                r"^(NUMBER|WHOLE|SAME|SAME_WHOLE)\((\w+),", f.read(), re.M):
            yield name, kinds[kind]


def copy_tree(tree):
    """What bench programs are built from, without what is built."""
    shutil.rmtree(os.path.join(tree, "src"), ignore_errors=True)
    for part in ("src", "include", "cmake", "bench", "tools", "docs", "python"):
        shutil.copytree(os.path.join(measure.ROOT, part),
                        os.path.join(tree, part), dirs_exist_ok=True,
                        ignore=shutil.ignore_patterns("cache", "build"))
    for name in ("CMakeLists.txt", "CMakePresets.json", "kith.pc.in", "LICENSE"):
        shutil.copy(os.path.join(measure.ROOT, name), tree)


def build_tree(tree, *targets):
    where = os.path.join(tree, "build")
    measure.run(["cmake", "-S", tree, "-B", where, "-G", "Ninja",
                 "-DCMAKE_BUILD_TYPE=Release", "-DKITH_TESTS=OFF"])
    measure.run(["cmake", "--build", where, "--target", *targets])
    return where


def build():
    """A copy whose recipe reads R_<name> from its surroundings."""
    copy_tree(TREE)
    path = os.path.join(TREE, "src/auto/recipe.c")
    with open(path, encoding="ascii") as f:
        text = f.read()
    changes = "".join('    if (getenv("R_%s"))\n        out.%s = (%s)atof('
                      'getenv("R_%s"));\n' % (n, n, kind, n)
                      for n, kind in fields())
    begin = text.index("const auto_recipe *kith_i_auto_recipe")
    end = text.index("}\n", begin)
    text = ("#include <stdlib.h>\n" + text[:begin] +
            "const auto_recipe *kith_i_auto_recipe(int is_pure, int blind)\n{\n"
            "    static auto_recipe out;\n    out = !is_pure ? gaussian : blind "
            "? random_axes : pure;\n" + changes + "    return &out;\n" +
            text[end:])
    with open(path, "w", encoding="ascii") as f:
        f.write(text)
    where = build_tree(TREE, "bench_auto")
    return os.path.join(where, "bench", "bench_auto")


def asks(seeds, rule):
    """(set, file, bounds, [(k, epsilon, delta, seed)])."""
    data = measure.Data(None)
    numbers = range(FIRST_SEED, FIRST_SEED + seeds)
    for name in SETS + ((WIDE_SET,) if rule in WIDE + ("",) else ()):
        yield name, data.path(name), DATASETS[name].bounds[1], [
            (k, e, d, s) for k in (10, 64) for e, d in BUDGETS for s in numbers]
    for name, (_, _, k, e, d, _) in robust.SETS.items():
        yield ("odd " + name, robust.npy(name, measure.CACHE),
               robust.bounds(name), [(k, e, d, s) for s in numbers])


def kept():
    runs = collections.defaultdict(dict)
    if os.path.exists(KEPT):
        with open(KEPT, encoding="utf-8") as f:
            for line in f:
                r = json.loads(line)
                runs[r["rule"]][r["set"], r["k"], r["epsilon"], r["delta"],
                                r["seed"]] = r["cost"]
    return runs


def run(program, rule, seeds):
    done = kept()[rule]
    surroundings = dict(os.environ, **{"R_" + n: v
                                       for n, v in RULES[rule].items()})
    for name, path, bounds, wanted in asks(seeds, rule):
        wanted = [a for a in wanted if (name, *a) not in done]
        if not wanted:
            continue
        out = subprocess.run([program, path, bounds], env=surroundings,
                             input="".join("%d %g %g %d auto\n" % a
                                           for a in wanted),
                             stdout=subprocess.PIPE, text=True, check=True)
        with open(KEPT, "a", encoding="utf-8") as f:
            for line in out.stdout.splitlines():
                f.write(json.dumps({"rule": rule, "set": name,
                                    **json.loads(line)}) + "\n")


def mean(values):
    values = list(values)
    return sum(values) / len(values)


def effect(with_rule, without, cells):
    """Geometric mean over cells of cost without / with, and its error."""
    logs, error = [], 0
    for cell in cells:
        seeds = [s for s in without[cell] if s in with_rule[cell]]
        a = mean(with_rule[cell][s] for s in seeds)
        parts = [without[cell][s] / a for s in seeds]
        logs.append(math.log(mean(parts)))
        apart = [(without[cell][s] - with_rule[cell][s]) / a for s in seeds]
        error += sum((x - mean(apart)) ** 2 for x in apart) / max(
            len(apart) - 1, 1) / len(apart)
    return math.exp(mean(logs)), math.sqrt(error) / len(cells)


def by_cell(runs):
    cells = collections.defaultdict(dict)
    for (*cell, seed), cost in runs.items():
        cells[tuple(cell)][seed] = cost
    return cells


def table():
    runs = kept()
    base = by_cell(runs[""])
    print("| without | δ > 0, ε = 1 | ε = .1 | pure ε = 1 | pure ε = .1 | "
          "odd sets (1.3 or more) |\n|---|---|---|---|---|---|")
    for rule in RULES:
        now = by_cell(runs.get(rule, {}))
        if not rule or not now:
            continue
        row = [("%.3f ± %.3f" % effect(base, now, [
            c for c in now if c[2:] == b and c[0] in SETS])
                ).replace(" 0.", " .") for b in BUDGETS]
        wide = ["cifar %d, %s%g %.3f ± %.3f" % (
            c[1], "" if c[3] else "pure ", c[2], *effect(base, now, [c]))
                for c in now if c[0] == WIDE_SET]
        odd = [(c[0][4:], *effect(base, now, [c])) for c in now
               if c[0].startswith("odd")]
        odd = ["%s %.2g" % o[:2] for o in odd
               if abs(math.log(o[1])) > math.log(1.3) and
               abs(o[1] - 1) > 2 * o[2]]
        print("| %s | %s | %s |" % (rule, " | ".join(row),
                                    ", ".join(odd + wide) or "–"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--rules", default=";".join(RULES))
    parser.add_argument("--table", action="store_true")
    args = parser.parse_args()
    if not args.table:
        os.makedirs(measure.CACHE, exist_ok=True)
        program = build()
        for rule in [""] + [r for r in args.rules.split(";") if r]:
            measure.say("without %s" % rule if rule else "the recipe")
            run(program, rule, args.seeds)
    table()


if __name__ == "__main__":
    main()

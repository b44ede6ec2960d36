#!/usr/bin/env python3
"""The comparisons and speeds of bench/RESULTS.md (see bench/README.md).

Needs the standard library only; the sets of DATA.md also need NumPy and zstd
to be prepared, once.
"""
import argparse
import os
import re
import sys

import local
import measure
import report
import robust
import subspace
from cases import CASES, LARGE, MEMORY, QUICK, SPEED, TARGETS
from measure import ROOT, say
from wrap import wrap


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true",
                        help="two seeds, few cases, no large set")
    parser.add_argument("--seeds", type=int, help="runs of each case "
                        "(default: 5, or 2 with --quick)")
    parser.add_argument("--only", metavar="PATTERN", type=re.compile,
                        help="only what has a match of this regular "
                        "expression in its name (--list shows the names)")
    parser.add_argument("--list", action="store_true",
                        help="print the names and stop")
    parser.add_argument("--build", metavar="DIR",
                        help="use the programs of this build as they are "
                        "(default: build and use build/release)")
    parser.add_argument("--output", metavar="FILE",
                        help="default: bench/RESULTS.md, or "
                        "bench/cache/RESULTS.md when not everything is run")
    args = parser.parse_args()
    if args.seeds is not None and args.seeds < 1:
        parser.error("--seeds needs at least 1")
    args.seeds = args.seeds or (2 if args.quick else 5)
    if not args.output:
        part = args.quick or args.only
        args.output = os.path.join(measure.CACHE if part else
                                   os.path.join(ROOT, "bench"), "RESULTS.md")
    return args


class Plan:
    """Everything that the arguments leave, by name."""

    def __init__(self, args):
        def wanted(name, dataset=None):
            if args.quick and dataset in LARGE:
                return False
            return not args.only or args.only.search(name)

        self.cases = [c for c in CASES if wanted(c.name) and
                      (not args.quick or c.name in QUICK)]
        self.speed = [s for s in SPEED if wanted("speed-%s-k%d" % s, s[0])]
        self.memory = [m for m in MEMORY if wanted("memory-%s-%s-k%d" % m, m[1])]
        self.layers = [name for name in report.LAYERS if wanted(name)]
        self.local = local.Figures(
            lambda name: not args.quick and wanted(name), args.seeds)
        self.robust = robust.Figures(
            lambda name: not args.quick and wanted(name), args.seeds)
        self.subspace = subspace.Figures(
            lambda name: not args.quick and wanted(name), args.seeds)

    def names(self):
        return ([c.name for c in self.cases] +
                ["speed-%s-k%d" % s for s in self.speed] +
                ["memory-%s-%s-k%d" % m for m in self.memory] + self.layers +
                self.robust.names() + self.local.names() +
                self.subspace.names())

    def keep(self, data):
        """Drop what needs data that is not here."""
        self.cases = [c for c in self.cases if data.has(c.dataset)]
        self.speed = [s for s in self.speed if data.has(s[0])]
        self.memory = [m for m in self.memory if data.has(m[1])]


class Figures:
    """What was measured."""

    def __init__(self, build, data, plan, seeds):
        self.cases, self.speed, self.memory = [], [], []
        self.base = measure.base_footprint(build) if plan.memory else 0
        # First what is sensitive to a warm machine, then the long rest.
        self.layers = {n: measure.layer(build, n) for n in plan.layers}
        for name, k in plan.speed:
            say("speed-%s-k%d" % (name, k))
            self.speed.append(measure.speed(build, data, name, k))
        for method, name, k in plan.memory:
            say("memory-%s-%s-k%d" % (method, name, k))
            self.memory.append(measure.memory(build, data, method, name, k))
        for case in plan.cases:
            result = measure.run_case(build, data, case, seeds)
            say("%-24s mean %.4f worst %.4f" % (
                case.name, report.mean(result), max(result["ratios"])))
            self.cases.append(result)

    def for_targets(self, plan):
        out = {}
        if plan.robust.rows:
            out["robust"] = plan.robust.worst()
        for r in self.cases:
            name = r["case"].name
            key = {"lloyd-mnist-k10-e1-gaussian": "mnist_ratio",
                   "lloyd-synth-k8-e1-gaussian": "synth_ratio"}.get(name, name)
            if key in TARGETS:
                out[key] = report.mean(r)
        for r in self.speed:
            key = {("mnist", 10): "mnist_cpu",
                   ("synth", 64): "synth_cpu"}.get((r["dataset"], r["k"]))
            if key:
                out[key] = r["cpu1"]
        for r in self.memory:
            out["%s-%s-memory" % (r["method"], r["dataset"])] = (
                r["peak"] / r["quantised"])
        if "bench_samplers" in self.layers:
            out["samplers"] = measure.slowest_sampler(
                self.layers["bench_samplers"])
        if "bench_readers" in self.layers:
            speeds = measure.reader_speeds(self.layers["bench_readers"])
            out["csv"] = min(v for w, v in speeds.items() if "csv" in w)
            out["npy"] = speeds["npy float32"]
        if "bench_assign" in self.layers:
            out["assign"] = measure.worst_assign(self.layers["bench_assign"])
        out.update(plan.local.targets())
        return out


def main():
    args = arguments()
    plan = Plan(args)
    if args.list:
        print("\n".join(plan.names()))
        return
    if not plan.names():
        sys.exit("bench: nothing has that name; --list shows the names")
    build = measure.Build(os.path.abspath(args.build) if args.build else
                          os.path.join(ROOT, "build", "release"))
    if not args.build:
        build.make()
    data = measure.Data(build)
    plan.keep(data)
    heading = report.heading(build, sys.argv[1:])
    figures = Figures(build, data, plan, args.seeds)
    plan.robust.run(build, data)
    plan.local.run(build, data)
    plan.subspace.run(build, data)
    text = "\n".join(part.rstrip("\n") + "\n" for part in (
        heading,
        report.targets(figures.for_targets(plan)),
        report.quality(figures.cases, args.seeds),
        plan.robust.section(report.table),
        plan.local.section(report.table),
        plan.subspace.section(report.table),
        report.speed(figures.speed),
        report.memory(figures.memory, figures.base),
        report.layers(figures.layers)) if part)
    with open(args.output, "w", encoding="utf-8") as f:
        f.write(wrap(text))
    print(text)
    say("written to %s" % args.output)


if __name__ == "__main__":
    main()

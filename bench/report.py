"""The figures as Markdown."""
import datetime
import os
import re
import subprocess
import textwrap

from cases import (DATASETS, FIRST_SEED, RIVAL_RATIOS, RIVAL_SECONDS, RIVALS,
                   SPEED_ROUNDS, TARGETS)
from measure import REFERENCE_STARTS, ROOT, command_of


# A mean ratio above this is named in the text.
WEAK = 1.1
# Ratios closer than this are level: other starts, other references.
LEVEL = 0.01


def mean(result):
    return sum(result["ratios"]) / len(result["ratios"])


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    lines += ["| " + " | ".join(str(cell) for cell in row) + " |"
              for row in rows]
    return "\n".join(lines) + "\n"


def text_of(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.DEVNULL, cwd=ROOT, check=False)
    return done.stdout.strip()


def machine():
    cpu = re.search(r"^Model name:\s*(.*)$", text_of(["lscpu"]), re.M)
    load = os.getloadavg()[0]
    return "%s, %d cores, load average %.1f when the run began" % (
        cpu.group(1) if cpu else "unknown processor", os.cpu_count(), load)


def revision():
    commit = text_of(["git", "rev-parse", "--short", "HEAD"])
    changed = text_of(["git", "status", "--porcelain", "--", "src", "include",
                       "tools"])
    return (commit or "no commit") + (
        " with uncommitted changes" if changed else "")


def mib(size):
    return "%.1f" % (size / 2**20)


def heading(build, arguments):
    version = text_of([build.kith, "--version"]).splitlines()[0]
    return """# What kith costs and how good it is

Written by `bench/run.py%s`; do not edit.
How to run it and how to add a case: `bench/README.md`.

- date: %s
- machine: %s
- program: %s, commit %s, %s
""" % ("".join(" " + a for a in arguments), datetime.date.today(), machine(),
       version, revision(), build.origin)


def format_figure(value, unit):
    text = "%.3f" % value if value < 10 else "%.0f" % value
    return (text + " " + unit).strip()


def targets(figures):
    """Only what was measured; the reading is computed, not written."""
    rows, missed = [], []
    for key, (what, unit, limit, larger) in TARGETS.items():
        if key not in figures:
            continue
        value = figures[key]
        met = value >= limit if larger else value <= limit
        if not met:
            missed.append(what)
        rows.append((what, "%s %s" % (">=" if larger else "<=",
                                      ("%g %s" % (limit, unit)).strip()),
                     format_figure(value, unit), "yes" if met else "**no**"))
    if not rows:
        return ""
    verdict = "Missed: %s." % "; ".join(missed) if missed else \
        "All of the targets that this run measured are met."
    return "## Targets\n\n%s\n%s\n" % (
        table(("what", "target", "measured", "met"), rows), verdict)


def quality_rows(results):
    for r in results:
        case, ratios = r["case"], r["ratios"]
        rivals = ("–",) * len(RIVALS)
        if case.epsilon == 1 and case.delta > 0:
            rivals = RIVAL_RATIOS.get((case.dataset, case.k), rivals)
        yield (case.method, case.dataset, case.k, "%g" % case.epsilon,
               "%g" % case.delta if case.delta else "0 (pure)",
               "%.4f" % mean(r), "%.4f" % max(ratios),
               "%.2f" % r["cpu"], mib(r["peak"]),
               "%.6g%s" % (r["reference"], "" if r["origin"] == "scikit-learn"
                           else " (kith)")) + rivals


def weak(results):
    """The cases that a reader should know of before hoping for more."""
    far = ["%s (%.2f)" % (r["case"].name, mean(r)) for r in results
           if mean(r) > WEAK]
    if not far:
        return "No mean is above %g." % WEAK
    return textwrap.fill("Means above %g: %s." % (WEAK, ", ".join(far)), 79,
                         break_on_hyphens=False)


def compare(results, i):
    """Mean ratios against those of rival i: names by outcome."""
    out = {"better": [], "level": [], "worse": []}
    for r in results:
        case = r["case"]
        known = RIVAL_RATIOS.get((case.dataset, case.k))
        if case.method != "auto" or case.epsilon != 1 or case.delta == 0 or \
                not known or known[i] == "–":
            continue
        gain = float(known[i].split()[0]) - mean(r)
        outcome = "better" if gain > LEVEL else \
            "worse" if gain < -LEVEL else "level"
        out[outcome].append("%s k = %d" % (case.dataset, case.k))
    return out


def rivalry(results):
    lines = []
    for i, rival in enumerate(RIVALS):
        out = compare(results, i)
        total = sum(len(names) for names in out.values())
        if total == 0:
            continue
        line = "- %s: kith is better in %d of %d cases" % (
            rival, len(out["better"]), total)
        for outcome in ("level", "worse"):
            if out[outcome]:
                line += ", %s in %s" % (outcome, ", ".join(out[outcome]))
        lines.append(line)
    return "\n".join(lines)


def quality(results, seeds):
    if not results:
        return ""
    example = command_of("kith", results[0]["case"], "S", "model.json",
                         results[0]["case"].dataset + ".npy")
    return """## Cost ratio to non-private k-means

Cost of the private centres on the original rows, divided by the cost of
non-private k-means: the best of 10 starts of scikit-learn
(`references.json`), or, where marked, of
`kith kmeans --non-private --starts %d`. Mean and worst of %d seeds. The runs
are seeded, so that the ratios can be had again; a seeded run has no privacy,
but its noise has the same distribution. CPU is user and system time of the
whole command with one thread, reading included, mean over the seeds; memory
is its peak.

%s
%s

The command, for seeds S = %d to %d (bounds of the other sets: `cases.py`):

    %s
    kith evaluate model.json %s

The last columns are the ratios of rival tools, not measured in this run:
[RIVALS.md](RIVALS.md) says how (G: the project's prototypes). They are
relative to other runs of non-private k-means on almost the same scaling of
the data, so a difference below %g counts as level. Against these figures:

%s

""" % (REFERENCE_STARTS, seeds,
       table(("method", "data", "k", "epsilon", "delta", "mean", "worst", "CPU s",
              "MiB", "reference cost per row") + RIVALS,
             quality_rows(results)),
       weak(results), FIRST_SEED, FIRST_SEED + seeds - 1, " ".join(example),
       results[0]["case"].dataset + ".npy",
       LEVEL, rivalry(results) or "- nothing to compare in this selection")


def speed(results):
    if not results:
        return ""
    rows = [(r["dataset"], r["rows"], r["dimension"], r["k"],
             "%.3f" % r["load_cpu"], "%.3f" % r["cpu1"], "%.3f" % r["cpu2"],
             "%.3f" % r["wall1"], "%.3f" % r["wall2"],
             "%.3f" % r["dgemm_cpu"], "%.2f" % (r["cpu1"] / r["dgemm_cpu"]))
            for r in results]
    rivals = ["- %s k = %d: %s" % (d, k, t)
              for (d, k), t in RIVAL_SECONDS.items()
              if any(r["dataset"] == d and r["k"] == k for r in results)]
    text = """## Speed of private Lloyd

%d rounds, epsilon 1, delta 1e-6, secure randomness, best of three
(`bench_lloyd`, which calls the library). Clustering excludes loading. "dgemm"
is the CPU time of the plain matrix products of the same rounds, on doubles
that are already in memory, in the batch size that suits OpenBLAS best: the
first 3/8 of the rounds use 4k centres. Wall times mean little when the
machine is shared.

%s
""" % (SPEED_ROUNDS,
       table(("data", "rows", "d", "k", "load CPU s", "1 thread CPU s",
              "2 threads CPU s", "1 thread wall s", "2 threads wall s",
              "dgemm CPU s", "1 thread / dgemm"), rows))
    if rivals:
        text += """Rivals, one thread, CPU seconds and peak memory of the whole run, from
[RIVALS.md](RIVALS.md) (their machine may have been another):

%s

""" % "\n".join(rivals)
    return text


def memory(results, base):
    if not results:
        return ""
    rows = [(r["method"], r["dataset"],
             "%d x %d" % (DATASETS[r["dataset"]].rows,
                          DATASETS[r["dataset"]].dimension),
             r["k"], mib(r["quantised"]), mib(r["peak"]),
             "%.3f" % (r["peak"] / r["quantised"]),
             "%.3f" % ((r["peak"] - base) / r["quantised"]))
            for r in results]
    return """## Peak memory

Peak resident memory of `kith kmeans --threads 1` against the rows as they are
stored (two bytes a value). A run on ten rows needs %s MiB: the program and
its libraries.

%s
""" % (mib(base), table(("method", "data", "shape", "k", "stored MiB", "peak MiB",
                         "peak / stored", "without the base"), rows))


LAYERS = {
    "bench_samplers": ("Samplers", "Draws per second, one core, secure "
                       "randomness included.", False),
    "bench_readers": ("Readers", "From the page cache, one core.", True),
    "bench_assign": ("Exact assignment", """\
Against one dgemm of the whole shape on doubles that are in memory already.
OpenBLAS is up to several times faster on batches of the right size, which
the assignment uses, hence ratios below 1. Against the best batch it is slower
where there are few centres and dimensions: see the last column of the speed
table, which compares whole runs in that way.""", True),
}


def layers(texts):
    parts = []
    for name, text in texts.items():
        title, words, code = LAYERS[name]
        if code:
            text = "".join("    " + line + "\n" for line in text.splitlines())
        parts.append("## %s (`%s`)\n\n%s\n\n%s" % (title, name, words, text))
    return "\n".join(parts)

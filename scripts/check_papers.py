#!/usr/bin/env python3
"""The page of the papers (bench/papers) can be drawn, from a few made-up runs:
its charts put values where they belong, every SVG is well-formed, nothing is
asked of the network, and a claim that the runs contradict is not said to hold.
CLAIMS.md is what the kept runs give.

Run from the root of the source tree, KITH: the command. Jobs that take less
than a second are done for real, one of a kind.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as tree

sys.path.insert(0, "bench/papers")
sys.dont_write_bytecode = True
import balcan  # noqa: E402
import chart  # noqa: E402
import runs  # noqa: E402
import stemmer  # noqa: E402
import wang  # noqa: E402

SVG = "{http://www.w3.org/2000/svg}"


def dots(svg):
    """Middles of the circles, in order."""
    return [(float(c.get("cx")), float(c.get("cy")))
            for c in tree.fromstring(svg).iter(SVG + "circle")]


def check_chart():
    """Equal steps are equally far apart, on the scale that was asked for."""
    for log, ys in ((False, (1, 2, 3)), (True, (1, 10, 100))):
        svg = chart.panel("t", [("a", [(x, [y]) for x, y in
                                       zip((1, 2, 4), ys)])],
                          "x", "y", x_log=True, y_log=log)
        (x0, y0), (x1, y1), (x2, y2) = dots(svg)
        assert abs((x1 - x0) - (x2 - x1)) < .2 and x0 < x1, "x is not logarithmic"
        assert abs((y0 - y1) - (y1 - y2)) < .2 and y0 > y1, "y is not to scale"
    for low, high in ((22, 45), (.8, 1.3), (1, 1000), (3e-5, 2e-2)):
        marks = chart.ticks(low, high, True)
        assert len(marks) > 1, "an axis from %g to %g without marks" % (low, high)
        assert all(low * .99 <= t <= high * 1.01 for t in marks), "a mark outside"
    assert chart.panel("t", [("a", [(1, [])])], "x", "y") is None, \
        "a chart of nothing"
    wide = chart.panel("a < b & c", [("a", [(1, [1, 3]), (2, [2, 2])])], "x", "y")
    assert dots(wide)[0][1] == dots(wide)[1][1], "the mean of 1 and 3 is not 2"


def check_noise():
    """Worse by more than the noise, better, level; a single run has none."""
    for ours, theirs, sign in (([2, 2.1, 1.9], [1, 1.1, .9], 1),
                               ([1, 1.1, .9], [2, 2.1, 1.9], -1),
                               ([1, 2, 3], [1.5, 2.5, 3], 0), ([1], [2], -1)):
        assert balcan.beyond_noise(ours, theirs) == sign, "noise is not weighed"


def made_up_runs(path, sulq):
    with open(path, "w", encoding="utf-8") as file:
        for k in (2, 8, 64):
            for method, cost in (("balcan", .5), ("sulq", sulq)):
                file.write(json.dumps({
                    "key": json.dumps(["synth", method, k, 1, 1e-6, 100]),
                    "build": "x", "result": {"cost": cost, "cpu": 1,
                                             "guarantee": "none"}}) + "\n")


def check_page(folder, sulq, verdict):
    runs = os.path.join(folder, "runs.jsonl")
    made_up_runs(runs, sulq)
    subprocess.run([sys.executable, "-B", "bench/papers/make_page.py", "--quick",
                    "--draw", "--kith", "/bin/true", "--runs", runs, "--out",
                    folder], check=True, stdout=subprocess.DEVNULL)
    with open(os.path.join(folder, "index.html"), encoding="utf-8") as file:
        page = file.read()
    outside = re.findall(r'(?:src|href)="?(?!#)(?:https?:)?//[^"> ]+', page)
    assert not outside, "the page needs the network: %s" % outside
    for svg in re.findall(r"<svg.*?</svg>", page, re.S):
        tree.fromstring(svg)
    row = re.search(r"always outperforms SuLQ k-means”: <code>balcan</code>"
                    r".*?<td[^>]* class=(\w+)>", page, re.S)
    assert row and row.group(1) == verdict, "the claim about SuLQ: not %s" % verdict
    with open(os.path.join(folder, "balcan-2-synth.csv"),
              encoding="utf-8") as file:
        assert "sulq,8,0,%g\n" % sulq in file.read(), "a run is not in the CSV"


def check_jobs(folder, kith):
    """Jobs do what they say, whatever comes out: those that are quick."""
    known = runs.Runs(kith, os.path.join(folder, "none.jsonl"))
    wang.Wang(known, True)
    stemmer.Stemmer(known, True)
    for key, values in ((("wang-1", 0), ("angles",)),
                        (("wang-2", "SuLQ-10", "2", 10, 100), ("cost", "cpu")),
                        (("wang-2", wang.PLAIN, "2", 100), ("cost", "d_W")),
                        (("wang-3", "2", 10, 30, 100), ("cost", "d_W")),
                        (("wang-3-statistic", 10, 30, 100), ("R-hat",)),
                        (("guarantee", "wang", "SuLQ-10", 0), ("guarantee",)),
                        (("refused", "stemmer", 0), ("says",))):
        with tempfile.TemporaryDirectory() as work:
            found = known.jobs[json.dumps(key)][0](work)
        assert all(v in found for v in values), "%s gives %s" % (key, found)
    assert found["says"].startswith("with the printed constants"), found
    known.jobs = {'["wrong", 0]': (lambda folder: {}[folder], 1)}
    try:
        known.make(1)
    except KeyError:
        return
    raise AssertionError("a mistake in a job is not told")


def check_kept(folder):
    """CLAIMS.md is what the kept runs give, and says something of every
    figure."""
    kept = "bench/papers/measured.jsonl"
    subprocess.run([sys.executable, "-B", "bench/papers/make_page.py", "--draw",
                    "--kith", "/bin/true", "--runs", kept, "--out", folder],
                   check=True, stdout=subprocess.DEVNULL)
    texts = []
    for path in (folder, "bench/papers"):
        with open(os.path.join(path, "CLAIMS.md"), encoding="utf-8") as file:
            texts.append(file.read())
    assert texts[0] == texts[1], "CLAIMS.md is not what %s gives" % kept
    known = runs.Runs("/bin/true", kept)
    for paper in (balcan.Balcan(known, False), wang.Wang(known, False),
                  stemmer.Stemmer(known, False)):
        run = {row[0] for row in paper.as_run()}
        said = {row[0] for row in paper.claims()}
        assert run == said, "%s: %s" % (paper.title, run ^ said)


def main():
    check_chart()
    check_noise()
    with tempfile.TemporaryDirectory() as folder:
        check_page(folder, .7, "yes")
        check_page(folder, .3, "no")
        check_kept(folder)
        if "KITH" in os.environ:
            check_jobs(folder, os.environ["KITH"])
    print("papers: the page can be drawn")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""The figures and tables of three papers, drawn again: `make papers`.

Writes index.html (one file, no network), and an SVG and a CSV for each figure,
to bench/papers/. Runs are kept in bench/cache/papers.jsonl: what was made is not
made again; delete the file to begin anew. Data: bench/DATA.md. A set that
cannot be had is skipped, loudly, and the page says so.

--quick: a small version, minutes. --jobs N: runs at a time (default: all
processors). --draw: only draw what is known. --out DIR: write elsewhere.
--runs FILE: where runs are kept.
"""
import argparse
import csv
import html
import io
import os
import re
import subprocess
import sys

import runs as runs_
from wrap import wrap
import balcan
import chart
import steps
import stemmer
import wang

STYLE = """
body{font:16px/1.5 sans-serif;color:#222;max-width:1260px;margin:0 auto;
padding:0 12px}
h1{font-size:1.6em}h2{border-top:2px solid #ccc;padding-top:.6em}
.panels{display:flex;flex-wrap:wrap;gap:10px}
.panels figure{margin:0;flex:0 1 400px;max-width:100%}
.panels svg{width:100%;height:auto;display:block}
.wide{overflow-x:auto}table{border-collapse:collapse;margin:.6em 0}
td,th{border:1px solid #ccc;padding:.25em .6em;text-align:left;
vertical-align:top}th{background:#f2f2f2;white-space:nowrap}
figcaption{font-size:.8em}figcaption a{margin-right:.6em}
.yes{color:#176b2c}.no{color:#b3202c}.note{color:#555;max-width:52em}
a{color:#1f5fa8}code{background:#f2f2f2;white-space:nowrap}
@media screen and (max-width:600px){table,tbody,tr,td{display:block}
thead{display:none}tr{border:1px solid #ccc;margin:.6em 0}
td{border:0}td::before{content:attr(data-of) ": ";color:#555}}
@media print{.note{break-inside:avoid}body{max-width:none;font-size:11px}.panels{display:block}
.panels figure{display:inline-block;width:32.5%;vertical-align:top;
break-inside:avoid}figcaption{display:none}
h2[id]{break-before:page}h2,h3,.note{break-after:avoid}
tr{break-inside:avoid}.wide{overflow:visible}}
"""


COMPARED = (
    "The papers print pictures and no numbers, so a curve cannot be laid over the "
    "published one. Each sentence that a paper says about a picture is held "
    "against the runs instead. Where two methods are compared, a difference "
    "counts when it exceeds two standard errors of the runs. Where a sentence "
    "does not hold, its table says why.")


def words(text):
    """Escaped, and `code` marked."""
    return re.sub("`([^`]*)`", r"<code>\1</code>", html.escape(text))


def table(rows, classes=lambda row: ()):
    """The first row is the head. On a phone each row is a block, and a cell
    tells its column."""
    head, *rest = [[words(str(c)) for c in row] for row in rows]
    out = ["<div class=wide><table>", "<thead><tr>%s</tr></thead><tbody>"
           % "".join("<th>%s</th>" % c for c in head)]
    for row, plain in zip(rest, rows[1:]):
        marks = dict(classes(plain))
        out.append("<tr>%s</tr>" % "".join(
            '<td data-of="%s"%s>%s</td>' % (
                re.sub(r"<[^>]*>|\?$", "", of), marks.get(i, ""), cell)
            for i, (of, cell) in enumerate(zip(head, row))))
    return "\n".join(out + ["</tbody></table></div>"])


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def panel_svg(out, panel):
    """SVG of a panel, with its files; None: nothing is known."""
    name, *rest = panel
    if len(rest) == 1:  # drawn already
        svg = rest[0]
    else:
        title, lines, options = rest
        svg = chart.panel(title, lines, **options)
        text = io.StringIO()
        rows = csv.writer(text, lineterminator="\n")
        rows.writerow(("line", options["x_name"] or "set", "run",
                       options["y_name"]))
        names = options.get("categories")
        for label, points in lines:
            for x, values in points:
                for i, value in enumerate(values):
                    rows.writerow((label, names[x] if names else x, i,
                                   "%.6g" % value))
        if svg:
            write(os.path.join(out, name + ".csv"), text.getvalue())
    if svg:
        write(os.path.join(out, name + ".svg"), svg)
    return svg


def claim_rows(paper):
    yield "figure", "the paper", "measured here", "holds?"
    for figure, said, found, holds, *why in paper.claims():
        if why and not holds:
            found += ". Why: " + why[0]
        yield figure, said, found, "yes" if holds else "no"


def claims(paper):
    rows = list(claim_rows(paper))
    if len(rows) == 1:
        return "<p>Nothing of it was measured here.</p>"
    return "<h3>What the paper says, and what was measured</h3>" + table(
        rows, lambda row: ((3, " class=" + row[3]),))


def agreement(papers):
    """For each figure: was the published method run, and does it agree?"""
    yield "paper", "figure", "what was run", "sentences that hold"
    for paper in papers:
        if not hasattr(paper, "as_run"):
            continue
        rows = list(claim_rows(paper))[1:]
        for figure, words_ in paper.as_run():
            mine = [row[3] for row in rows if row[0] == figure]
            yield (paper.title, figure, words_, "%d of %d" % (
                mine.count("yes"), len(mine)) if mine else "not measured")


def pipes(rows):
    """A table of Markdown."""
    rows = [[str(c).replace("|", "\\|") for c in row] for row in rows]
    rows.insert(1, ["---"] * len(rows[0]))
    return "\n".join("| %s |" % " | ".join(row) for row in rows)


def in_words(papers, known):
    """What came out, for people who have not made the page."""
    missing = sum(name not in known.known for name in known.jobs)
    parts = ["# What came out", "Written by `make papers` from %d runs%s. The "
             "page has the figures." % (
                 sum(name in known.known for name in known.asked),
                 ", %d are not made yet" % missing if missing else "")]
    parts += ["## Figure by figure", pipes(agreement(papers)), COMPARED]
    for paper in papers:
        parts.append("## " + paper.title)
        if hasattr(paper, "versions"):
            parts += [pipes(paper.versions()), pipes(claim_rows(paper))]
        elif hasattr(paper, "table"):
            parts.append(pipes(paper.table()))
    return wrap("\n\n".join(parts) + "\n")


def anchor(paper):
    return paper.title.split()[0].strip(",").lower()


def contents(papers):
    return "<p>%s</p>" % " · ".join(
        '<a href="#%s">%s</a>' % (anchor(p), html.escape(p.title))
        for p in papers)


def section(paper, out):
    parts = ['<h2 id="%s">%s</h2>' % (anchor(paper), html.escape(paper.title))]
    for name, panels, note in paper.figures():
        parts.append("<h3>%s</h3><p class=note>%s</p><div class=panels>"
                     % (html.escape(name), words(note)))
        for panel in panels:
            svg = panel_svg(out, panel)
            if svg:
                files = '<figcaption><a href="%s.svg">svg</a>' % panel[0]
                if len(panel) > 2:
                    files += ' <a href="%s.csv">csv</a>' % panel[0]
                parts.append("<figure>%s%s</figcaption></figure>"
                             % (svg, files))
            else:
                parts.append("<figure><p>%s: no run is known</p></figure>"
                             % html.escape(str(panel[1])))
        parts.append("</div>")
    if hasattr(paper, "table"):
        parts.append(table(paper.table()))
    if hasattr(paper, "versions"):
        parts.append("<h3>As printed, as repaired, auto</h3>")
        parts.append(table(list(paper.versions())))
        parts.append(claims(paper))
    return "\n".join(parts)


def commit():
    done = subprocess.run(["git", "-C", runs_.ROOT, "rev-parse", "--short",
                           "HEAD"], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True, check=False)
    return done.stdout.strip() or "unknown"


def page(papers, known, out, quick):
    builds = {run["build"] for run in known.known.values()}
    parts = ["<!DOCTYPE html><html lang=en><head><meta charset=utf-8>",
             '<meta name=viewport content="width=device-width">',
             "<title>kith: the papers, reproduced</title><style>%s</style>"
             "</head><body><h1>The papers, reproduced</h1>" % STYLE,
             "<p class=note>Every figure and table of the three papers that "
             "kith stands on, drawn again by <code>make papers%s</code> at "
             "commit %s. <b>Cost per row</b> is the mean squared distance of a "
             "row to the nearest centre or plane; ε and δ are the privacy "
             "budget. Every private run pays for all that it looks at, "
             "baselines included (docs/baselines.md). Runs are seeded, so that "
             "they can be repeated; a seed voids the guarantee, so the column "
             "“privacy held” comes from runs without one.%s</p>" % (
                 " QUICK=1" if quick else "", commit(),
                 " <b>This is the quick version: few points, one run each, "
                 "short chains.</b>" if quick else ""),
             contents(papers)]
    spent = [run["cpu"] for run in known.known.values() if "cpu" in run]
    parts.append("<p class=note>%d runs, %.0f minutes of CPU time in all. "
                 "Lines are means; bands show the range of the runs, from 8 "
                 "runs on their middle half.</p>" % (
                     len(known.known), sum(spent) / 60))
    missing = sum(name not in known.known for name in known.jobs)
    if missing:
        parts.append("<p class=no>%d runs are not made yet: lines stand for "
                     "fewer runs than their captions say.</p>" % missing)
    if len(builds) > 1:
        parts.append("<p class=note>Runs come from %d builds of the command."
                     "</p>" % len(builds))
    for why, names in sorted(known.skipped.items()):
        parts.append("<p class=no>%d runs were skipped: %s</p>"
                     % (len(names), html.escape(why)))
    parts.append("<h2>Figure by figure: compared with what was published</h2>"
                 "<p class=note>%s</p>" % words(COMPARED))
    parts.append(table(list(agreement(papers))))
    parts += [section(paper, out) for paper in papers]
    write(os.path.join(out, "index.html"),
          "\n".join(parts + ["</body></html>", ""]))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--draw", action="store_true")
    parser.add_argument("--jobs", type=int,
                        default=len(os.sched_getaffinity(0)))
    parser.add_argument("--kith", default=os.path.join(
        runs_.ROOT, "build", "release", "tools", "kith", "kith"))
    parser.add_argument("--out", default=runs_.HERE)
    parser.add_argument("--runs", default=runs_.KEPT)
    args = parser.parse_args()
    python = runs_.measure.python_with_numpy()
    if python not in (None, sys.executable):  # faces need NumPy
        os.execv(python, [python, *sys.argv])
    os.makedirs(args.out, exist_ok=True)
    known = runs_.Runs(args.kith, args.runs)
    papers = [kind(known, args.quick) for kind in (
        balcan.Balcan, wang.Wang, stemmer.Stemmer, steps.Steps)]
    if not args.draw:
        known.make(args.jobs)
    page(papers, known, args.out, args.quick)
    if not args.quick:
        write(os.path.join(args.out, "CLAIMS.md"), in_words(papers, known))
    print(os.path.join(args.out, "index.html"))


if __name__ == "__main__":
    main()

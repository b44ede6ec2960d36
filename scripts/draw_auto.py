#!/usr/bin/env python3
"""Draw how `auto` works: docs/pictures/summary.svg and noise_k.svg.

summary.svg: what the stages of one run have released of 20,000 made-up visits
(visits.py, both features scaled to 0..1): boxes of the tree, their means, the
cells, and the centres that the noisy steps start from. noise_k.svg: how far
noise moves a centre, by the number of clusters, against half of the way to the
next centre. Noise is seeded, so that a picture changes when the program does.
Standard library only.

    KITH=build/release/tools/kith/kith SUMMARY=build/release/bench/bench_summary \\
        scripts/draw_auto.py [FOLDER]
"""
import json
import math
import os
import subprocess
import sys
import tempfile

import visits
from draw_noise import CENTER, GAP, HEIGHT, INK, LEFT, PALE, SUMMARY, TOP, WIDTH
from draw_noise import KITH, OUT, text

STAGES = os.path.abspath(os.environ.get("SUMMARY",
                                        "build/release/bench/bench_summary"))
ROWS = 20000
CLUSTERS = (2, 3, 4, 6, 8, 11, 16, 23, 32, 45, 64, 91, 128)
BUDGETS = (("0.1", "#b3261e"), ("0.3", "#e08a3c"), ("1", "#4c7a34"),
           ("3", "#2f5d93"))


def scaled(folder):
    """The visits with both features from 0 to 1; returns the file."""
    visits.write(folder, ROWS)
    path = os.path.join(folder, "scaled.csv")
    with open(os.path.join(folder, "visits.csv"), encoding="utf-8") as rows, \
            open(path, "w", encoding="utf-8") as out:
        next(rows)
        for row in rows:
            parts = zip(map(float, row.split(",")),
                        (visits.AGE, visits.PRESSURE))
            out.write(",".join("%.5f" % ((v - lo) / (hi - lo))
                               for v, (lo, hi) in parts) + "\n")
    return path


def spot(x, y):
    return x * WIDTH, (1 - y) * HEIGHT


def polygon(box):
    """A box, the darker the more rows it has for its area."""
    corners = [spot(*box[i:i + 2]) for i in (1, 3, 5, 7)]
    area = abs(sum(a[0] * b[1] - a[1] * b[0] for a, b in
                   zip(corners, corners[1:] + corners[:1]))) / 2
    dark = min(.9, .9 * math.sqrt(box[0] / ROWS * WIDTH * HEIGHT / area / 25))
    return ('<path d="M%sz" fill="%s" fill-opacity="%.2f" stroke="#c3ccd6" '
            'stroke-width=".4"/>' % (
                "L".join("%.1f %.1f" % c for c in corners), SUMMARY, dark))


def disc(point):
    x, y = spot(*point[1:])
    return ('<circle cx="%.1f" cy="%.1f" r="%.1f" fill="%s" '
            'fill-opacity=".45"/>' % (
                x, y, 63 * math.sqrt(max(point[0], 0) / ROWS), SUMMARY))


def cross(point):
    x, y = spot(*point[1:])
    return ('<path d="M%.1f %.1fh12M%.1f %.1fv12" stroke="%s" '
            'stroke-width="3"/>' % (x - 6, y, x, y - 6, CENTER))


def svg(title, description, panels, many):
    wide, high = 2 * LEFT + many * WIDTH + (many - 1) * GAP, TOP + HEIGHT + 14
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} '
           f'{high}" font-family="Helvetica,Arial,sans-serif" role="img">',
           f"<title>{title}</title>",
           f"<desc>{description} Made by scripts/draw_auto.py.</desc>",
           f'<clipPath id="box"><rect width="{WIDTH}" height="{HEIGHT}"/>'
           "</clipPath>", f'<rect width="{wide}" height="{high}" fill="#fff"/>']
    return "\n".join(out + panels + ["</svg>", ""])


def draw_summary(rows):
    run = subprocess.run([STAGES, rows, "0:1", "4", "0.3", "1e-6", "1"],
                         capture_output=True, text=True, check=True)
    stage = json.loads(run.stdout)
    boxes = sorted(stage["boxes"], key=lambda b: b[0])
    panels = (
        ("1. A tree of boxes", "%d boxes, counted at every level" % len(boxes),
         list(map(polygon, boxes))),
        ("2. Their means", "%d boxes stand out of noise" % len(stage["leaves"]),
         list(map(disc, stage["leaves"]))),
        ("3. Cells", "%d, sizes and means bought anew" % len(stage["cells"]),
         list(map(disc, stage["cells"]))),
        ("4. Centres, for free", "then noisy steps on the rows",
         list(map(disc, stage["cells"])) + list(map(cross, stage["centers"]))))
    out = []
    for i, (heading, words, shapes) in enumerate(panels):
        out += [f'<g transform="translate({LEFT + i * (WIDTH + GAP)} {TOP})">',
                f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff" '
                'stroke="#d1d9e0"/>', '<g clip-path="url(#box)">', *shapes,
                "</g>", text(0, -24, heading, 15, weight="bold"),
                text(0, -8, words, 13, PALE), "</g>"]
    return svg("The summary as it grows",
               "What auto has released of 20,000 visits after each stage, "
               "epsilon 0.3: boxes, their means, cells, centres.", out, 4)


def noise(rows, epsilon, k):
    """How far noise moves a centre, and half of the way to the next one."""
    run = subprocess.run(
        [KITH, "kmeans", "-k", str(k), "-e", epsilon, "--delta", "1e-6",
         "--bounds", "0:1", "--quiet", "--insecure-seed", "1", rows],
        capture_output=True, text=True, check=True)
    model = json.loads(run.stdout)
    places = model["centers"]
    way = sum(min(math.dist(a, b) for b in places if b is not a)
              for a in places) / len(places) / 2
    return model["quality"]["noise"], way


def draw_noise_k(rows):
    wide = 2 * WIDTH + GAP
    at = lambda k, v: (52 + (wide - 122) * math.log2(k / 2) / 6,
                       HEIGHT - 24 - (HEIGHT - 30) *
                       min(1, max(0, math.log10(v / 3e-5) / 4.2)))
    out = [f'<g transform="translate({LEFT} {TOP})">',
           f'<rect width="{wide}" height="{HEIGHT}" fill="#fff" '
           'stroke="#d1d9e0"/>']
    for power in (-4, -3, -2, -1):
        y = at(2, 10 ** power)[1]
        out += [f'<path d="M52 {y:.1f}H{wide - 70}" stroke="#eaeef2"/>',
                text(46, round(y + 4), "%g" % 10 ** power, 11, PALE, "end")]
    for k in (2, 4, 8, 16, 32, 64, 128):
        out.append(text(round(at(k, 1)[0]), HEIGHT - 6, str(k), 11, PALE,
                        "middle"))

    def line(values, color, words, dash=""):
        points = [at(*v) for v in values]
        return [f'<path d="M{"L".join("%.1f %.1f" % p for p in points)}" '
                f'fill="none" stroke="{color}" stroke-width="2" {dash}/>',
                text(round(points[-1][0] + 6), round(points[-1][1] + 4), words,
                     12, color)]
    for epsilon, color in BUDGETS:
        seen = [noise(rows, epsilon, k) for k in CLUSTERS]
        out += line([(k, s[0]) for k, s in zip(CLUSTERS, seen)], color,
                    "ε = " + epsilon)
    out += line([(k, s[1]) for k, s in zip(CLUSTERS, seen)], INK, "half way",
                'stroke-dasharray="5 4"')
    out += [text(0, -24, "Noise grows with the number of clusters", 15,
                 weight="bold"),
            text(0, -8, "across: clusters k · up: how far noise moves a centre "
                 "(bounds are 0 to 1)", 13, PALE), "</g>"]
    return svg("Noise against the number of clusters",
               "How far noise moves an average centre of 20,000 rows in the "
               "plane, for four budgets, against half of the way to the next "
               "centre.", out, 2)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as where:
        table = scaled(where)
        for name, draw in (("summary.svg", draw_summary),
                           ("noise_k.svg", draw_noise_k)):
            with open(os.path.join(sys.argv[1] if len(sys.argv) > 1 else OUT,
                                   name), "w", encoding="utf-8") as file:
                file.write(draw(table))

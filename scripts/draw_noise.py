#!/usr/bin/env python3
"""Draw what noise does to published centres: docs/pictures/*.svg.

noise.svg: the same 3,000 rows with three budgets. rows.svg: the same budget
with more and more rows. The rows are made-up visits to a doctor (visits.py),
and only what kith released is drawn: a summary of 40 centres with their noisy
sizes, the 4 centres of one run, and those of 20 other runs. Noise is seeded,
so that a picture changes when the program does and not otherwise. Standard
library only.

    KITH=build/release/tools/kith/kith scripts/draw_noise.py [FOLDER]
"""
import json
import math
import os
import subprocess
import sys
import tempfile

import visits
from visits import AGE, PRESSURE

KITH = os.path.abspath(os.environ.get("KITH", "build/release/tools/kith/kith"))
OUT = os.path.join(os.path.dirname(__file__), "..", "docs", "pictures")

# file -> title, description, panels (epsilon, rows, heading, words)
PICTURES = {
    "noise.svg": (
        "What noise does to published centres",
        "The same 3,000 rows published with three budgets. With epsilon 0.05 "
        "the centres land anywhere; with 1 every run finds the same four "
        "groups.",
        [("0.05", 3000, "ε = 0.05", "too small a budget: noise decides"),
         ("0.2", 3000, "ε = 0.2", "a rough answer"),
         ("1", 3000, "ε = 1", "the same groups in every run")]),
    "rows.svg": (
        "More rows, less noise",
        "The same budget, epsilon 0.2, with 300, 3,000 and 30,000 rows. With "
        "300 the centres land anywhere; with 30,000 every run finds the same "
        "four groups.",
        [("0.2", 300, "300 rows", "noise decides"),
         ("0.2", 3000, "3,000 rows", "a rough answer"),
         ("0.2", 30000, "30,000 rows", "the same groups in every run")]),
}
RUNS = 20
WIDTH, HEIGHT = 300, 250        # of a panel
GAP, LEFT, TOP = 24, 12, 46
CENTER, OTHER, SUMMARY, INK, PALE = ("#b3261e", "#e08a3c", "#7c93b2",
                                     "#1f2328", "#59636e")


def release(folder, epsilon, k, seed):
    """[(age, pressure, noisy size)] of a private run."""
    run = subprocess.run(
        [KITH, "kmeans", "-k", str(k), "-e", epsilon, "--delta", "1e-6",
         "--bounds-file", "bounds.csv", "--normalize", "--quiet",
         "--insecure-seed", str(seed), "visits.csv"],
        cwd=folder, capture_output=True, text=True, check=True)
    model = json.loads(run.stdout)
    return [(*c, w) for c, w in zip(model["centers"], model["weights"])]


def place(age, pressure):
    x = (age - AGE[0]) / (AGE[1] - AGE[0]) * WIDTH
    y = (PRESSURE[1] - pressure) / (PRESSURE[1] - PRESSURE[0]) * HEIGHT
    return x, y


def circle(row, radius, style):
    x, y = place(*row[:2])
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" {style}/>'


def cross(row):
    x, y = place(*row[:2])
    arms = f"M{x - 6:.1f} {y:.1f}h12M{x:.1f} {y - 6:.1f}v12"
    return (f'<path d="{arms}" stroke="#fff" stroke-width="6"/>'
            f'<path d="{arms}" stroke="{CENTER}" stroke-width="3"/>')


def text(x, y, words, size=13, color=INK, anchor="start", weight="normal"):
    return (f'<text x="{x}" y="{y}" font-size="{size}" fill="{color}" '
            f'text-anchor="{anchor}" font-weight="{weight}">{words}</text>')


def panel(folder, epsilon, rows, heading, words):
    visits.write(folder, rows)
    out = [f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff" '
           f'stroke="#d1d9e0"/>', '<g clip-path="url(#box)">']
    for row in release(folder, epsilon, 40, 1):
        if row[2] > 0:  # the area shows the share of the rows
            out.append(circle(row, 63 * math.sqrt(row[2] / rows),
                              f'fill="{SUMMARY}" fill-opacity=".35"'))
    out += map(cross, release(folder, epsilon, 4, 1))
    for seed in range(2, 2 + RUNS):
        for row in release(folder, epsilon, 4, seed):
            out.append(circle(row, 2.2, f'fill="{OTHER}"'))
    out.append("</g>")
    out.append(text(0, -24, heading, 15, weight="bold"))
    out.append(text(0, -8, words, 13, PALE))
    return out


def legend(y):
    x = LEFT + 8
    out = [f'<circle cx="{x}" cy="{y - 4}" r="8" fill="{SUMMARY}" '
           'fill-opacity=".35"/>',
           text(x + 14, y, "released summary: 40 noisy sizes")]
    x += 262
    out += [f'<path d="M{x - 6} {y - 4}h12M{x} {y - 10}v12" '
            f'stroke="{CENTER}" stroke-width="3"/>',
            text(x + 12, y, "four private centres, one run")]
    x += 234
    out += [f'<circle cx="{x}" cy="{y - 4}" r="3" fill="{OTHER}"/>',
            text(x + 10, y, f"the same, {RUNS} more runs")]
    out.append(text(LEFT + 3 * WIDTH + 2 * GAP, y,
                    "across: age 0–110 · up: pressure 60–220", 12, PALE,
                    "end"))
    return out


def draw(title, description, panels):
    wide, high = 2 * LEFT + 3 * WIDTH + 2 * GAP, TOP + HEIGHT + 36
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} '
           f'{high}" font-family="Helvetica,Arial,sans-serif" role="img">',
           f"<title>{title}</title>",
           f"<desc>{description} Made by scripts/draw_noise.py.</desc>",
           f'<clipPath id="box"><rect width="{WIDTH}" height="{HEIGHT}"/>'
           "</clipPath>",
           f'<rect width="{wide}" height="{high}" fill="#fff"/>']
    with tempfile.TemporaryDirectory() as folder:
        for i, what in enumerate(panels):
            x = LEFT + i * (WIDTH + GAP)
            out.append(f'<g transform="translate({x} {TOP})">')
            out += panel(folder, *what)
            out.append("</g>")
    return "\n".join(out + legend(TOP + HEIGHT + 24) + ["</svg>", ""])


if __name__ == "__main__":
    for name, picture in PICTURES.items():
        with open(os.path.join(sys.argv[1] if len(sys.argv) > 1 else OUT,
                               name), "w", encoding="utf-8") as svg:
            svg.write(draw(*picture))

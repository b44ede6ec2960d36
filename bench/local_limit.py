#!/usr/bin/env python3
"""How well can centres be known? The bound of Cramer and Rao for the questions of `kith local` at d = 2.

    bench/local_limit.py [N [EPSILON [MIXTURES]]]

Mixtures of docs/local.md (k = 5). Every estimator that finds the right clusters and fits their shares, centres and
widths to unbiased answers is at least this far from the non-private cost, prior knowledge aside (that widths are alike
within a factor of 1.6 is counted). Two kinds of questions: four shifted grids, which `auto` asks, and "on which side
of a line through your cluster's centre are you?", by an oracle that knows the centres. Prints 1 + the excess, its
median, mean and 95th percentile over mixtures. No data, no noise drawn: closed form but for the mixtures.
"""
import math
import random
import sys

K, RADIUS, APART, SHAPE = 5, .75, .3, 8
SD = .12 / math.sqrt(2)  # of a coordinate
WIDTHS = .47             # prior of the log of a width, as blob_widths
GRID, BEYOND = 8, 1.3    # cells a side, box: as `shifted` and `beyond` of local_recipe.def
EACH = 4                 # share, x, y, log of the width
LINES = 16               # questions of the oracle


def below(x):
    return .5 * (1 + math.erf(x / math.sqrt(2)))


def bell(x):
    return math.exp(-x * x / 2) / math.sqrt(2 * math.pi)


def draw_mixture(coins):
    while True:
        centers = []
        for _ in range(K):
            r, t = RADIUS * math.sqrt(coins.random()), 2 * math.pi * coins.random()
            centers.append((r * math.cos(t), r * math.sin(t)))
        if all(math.dist(a, b) > APART for i, a in enumerate(centers) for b in centers[:i]):
            break
    shares = [sum(coins.expovariate(1) for _ in range(SHAPE)) for _ in range(K)]
    return centers, [s / sum(shares) for s in shares]


def slopes_of_cell(mixture, x, y):
    """Derivatives of a cell's share by all parameters, and the share. x, y: its faces."""
    row, share = [], 0
    for center, weight in zip(*mixture):
        part, move, widen = [], [], []
        for c, (low, high) in zip(center, (x, y)):
            a, b = (low - c) / SD, (high - c) / SD
            part.append(below(b) - below(a))
            move.append((bell(a) - bell(b)) / SD)
            widen.append(a * bell(a) - b * bell(b))
        row += [part[0] * part[1], weight * move[0] * part[1], weight * part[0] * move[1],
                weight * (widen[0] * part[1] + part[0] * widen[1])]
        share += weight * part[0] * part[1]
    return row, share


def add(information, row, precision):
    some = [i for i, v in enumerate(row) if abs(v) > 1e-9]
    for i in some:
        for j in some:
            information[i][j] += precision * row[i] * row[j]


def ask_grids(information, mixture, users, epsilon):
    outputs = round(math.exp(epsilon)) + 1
    p, q = math.exp(epsilon) / (math.exp(epsilon) + outputs - 1), 1 / outputs
    empty, more = q * (1 - q) / (p - q) ** 2, (1 - 2 * q) / (p - q)
    side = 2 * BEYOND / GRID
    for shift in ((-.25, -.25), (.25, -.25), (-.25, .25), (.25, .25)):
        faces = [[-BEYOND + side * (i + s) for i in range(GRID + 1)] for s in shift]
        for f in faces:
            f[0], f[-1] = -30, 30  # users beyond are counted in the outer cells
        for i in range(GRID):
            for j in range(GRID):
                row, share = slopes_of_cell(mixture, faces[0][i:i + 2], faces[1][j:j + 2])
                add(information, row, users / 4 / (empty + more * share))


def ask_lines(information, mixture, users, epsilon, coins):
    p = math.exp(epsilon) / (1 + math.exp(epsilon))
    variance = p * (1 - p) / (2 * p - 1) ** 2 + .25
    for _ in range(LINES):
        row = []
        for weight in mixture[1]:
            turn, slope = 2 * math.pi * coins.random(), weight * bell(0) / SD
            row += [.5, slope * math.cos(turn), slope * math.sin(turn), 0]
        add(information, row, users / LINES / variance)


def invert(matrix):
    n = len(matrix)
    rows = [list(r) + [float(i == j) for j in range(n)] for i, r in enumerate(matrix)]
    for i in range(n):
        best = max(range(i, n), key=lambda r: abs(rows[r][i]))
        rows[i], rows[best] = rows[best], rows[i]
        rows[i] = [v / rows[i][i] for v in rows[i]]
        for r in range(n):
            if r != i:
                rows[r] = [a - rows[r][i] * b for a, b in zip(rows[r], rows[i])]
    return [r[n:] for r in rows]


def excess(mixture, grids, lines, epsilon, coins):
    n = K * EACH
    information = [[1e-6 * (i == j) for j in range(n)] for i in range(n)]
    add(information, [float(i % EACH == 0) for i in range(n)], 1e6)  # shares sum to 1
    for i in range(EACH - 1, n, EACH):
        for j in range(EACH - 1, n, EACH):
            information[i][j] += ((i == j) - 1 / K) / WIDTHS ** 2
    if grids > 0:
        ask_grids(information, mixture, grids, epsilon)
    if lines > 0:
        ask_lines(information, mixture, lines, epsilon, coins)
    variance = invert(information)
    return sum(w * (variance[j * EACH + 1][j * EACH + 1] + variance[j * EACH + 2][j * EACH + 2])
               for j, w in enumerate(mixture[1])) / (2 * SD * SD)


def main():
    users = float(sys.argv[1]) * .95 if len(sys.argv) > 1 else 9500
    epsilon = float(sys.argv[2]) if len(sys.argv) > 2 else 1
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 100
    coins = random.Random(1)
    mixtures = [draw_mixture(coins) for _ in range(count)]
    for part in (1, .7, .6, .5, .3):
        costs = sorted(1 + excess(m, part * users, (1 - part) * users, epsilon, coins) for m in mixtures)
        print(f"{part:.0%} grids, the others lines: median {costs[count // 2]:.3f} "
              f"mean {sum(costs) / count:.3f} 95th {costs[int(.95 * (count - 1) + .5)]:.3f}")


if __name__ == "__main__":
    main()

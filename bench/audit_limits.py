#!/usr/bin/env python3
"""How many tries does an audit of a pure promise need at the least?

An audit guesses from what a program shows whether a row was in. Even one that
saw every answer of every release alone, which no model shows, could not guess
better than by the likelihood ratio of all of them. This computes the law of
that ratio from the receipts of a plan, and from it how often the best such
audit must try to show that a program gives away FACTOR times what it claims
(one wrong alarm in 2,000 audits, nine of ten such programs caught).

An answer can also be held against its own receipt: then the claim is what the
receipts of the answers that are seen add up to, and no more.

Every release is taken at its best: a noisy sum or count moves by all that it
may, a selection is a coin with the full odds. So the truth is not better.

    bench/audit_limits.py --kith build/release/tools/kith/kith
"""
import argparse
import json
import math
import subprocess
import tempfile

import numpy as np

GRID = 1000     # steps of an epsilon of 1
WRONG = 3.29    # quantile of 1/2000
MISSED = 1.28   # of one in ten
EPSILONS = (.5, 1, 1.5, 2, 2.5, 3, 4, 6)
HIDDEN = ("partition", "swap")  # of balcan with one cluster


def receipts(kith, method, *more):
    """(name, share of epsilon, is a choice) of each release of k = 1, d = 1."""
    with tempfile.NamedTemporaryFile() as file:
        subprocess.run([kith, "kmeans", "-k", "1", "-e", "1", "--radius", "1",
                        "--dry-run", "--rows", "4000", "--dimension", "1",
                        "--quiet", "--method", method, *more, "--force", "-o",
                        file.name], check=True)
        with open(file.name, encoding="utf-8") as plan:
            releases = json.load(plan)["privacy"]["releases"]
    return [(r["what"], r["loss"]["epsilon"], "flip" in r["mechanism"])
            for r in releases]


def law(loss, choice):
    """Of the log likelihood ratio of one answer, when the row is in."""
    steps = max(1, round(loss * GRID))
    ratio = np.arange(-steps, steps + 1) * (loss / steps)
    odds = np.zeros(2 * steps + 1)
    if choice:
        odds[-1], odds[0] = 1 / (1 + math.exp(-loss)), 1 / (1 + math.exp(loss))
        return odds
    # Laplace noise about 1, against about 0: between the two the ratio grows
    odds += .25 * np.exp((ratio - loss) / 2) * (loss / steps)
    odds[[0, -1]] /= 2
    odds[-1] += .5
    odds[0] += .5 * math.exp(-loss)
    return odds / odds.sum()


def convolve(a, b):
    size = len(a) + len(b) - 1
    return np.maximum(0, np.fft.irfft(np.fft.rfft(a, size)
                                      * np.fft.rfft(b, size), size))


def tries(releases, epsilon, factor):
    """That the best guess needs, over all thresholds; inf: never."""
    total = np.ones(1)
    for _, share, choice in releases:
        total = convolve(total, law(factor * epsilon * share, choice))
    middle = len(total) // 2
    ratio = np.arange(-middle, middle + 1) / GRID
    inside = np.cumsum(total[::-1])[::-1]
    outside = np.cumsum((total * np.exp(-ratio))[::-1])[::-1]
    guessed = inside + outside  # in above the threshold, out below its negative
    claim = 1 / (1 + math.exp(-epsilon))
    excess = np.divide(inside, guessed, where=guessed > 1e-12,
                       out=np.zeros_like(guessed)) - claim
    good = (excess > 1e-9) & (ratio > 0)
    if not good.any():
        return math.inf
    spread = (WRONG + MISSED) * math.sqrt(claim * (1 - claim))
    return float(np.min((spread / excess[good]) ** 2 / guessed[good]))


def words(number):
    """Two digits of it."""
    if not math.isfinite(number):
        return "never"
    return f"{round(number, 1 - int(math.log10(number))):,.0f}"


def alone(releases):
    """Held against their own receipts: their shares add up to 1."""
    total = sum(share for _, share, _ in releases)
    return [(what, share / total, choice) for what, share, choice in releases]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--kith", default="build/release/tools/kith/kith")
    kith = parser.parse_args().kith
    balcan = receipts(kith, "balcan")
    one_round = [r for r in receipts(kith, "balcan", "--rounds", "1")
                 if not r[0].startswith(HIDDEN)]
    subjects = (
        ("lloyd, one round", receipts(kith, "lloyd", "--rounds", "1")),
        ("auto", receipts(kith, "auto")),
        ("auto, the last answer", receipts(kith, "auto")[-1:]),
        ("balcan, all answers", balcan),
        ("balcan, without what one cluster hides",
         [r for r in balcan if not r[0].startswith(HIDDEN)]),
        ("the same in one round, against their receipts", alone(one_round)),
        ("balcan, the last sums, against their receipt",
         alone(one_round[-1:])))
    print("| seen | factor | fewest tries | at epsilon | at epsilon 1 |")
    print("|---|---|---|---|---|")
    for name, releases in subjects:
        for factor in (2, 1.25):
            least, best = min((tries(releases, e, factor), e)
                              for e in EPSILONS)
            print(f"| {name} | {factor:g} | {words(least)} | "
                  + (f"{best:g}" if math.isfinite(least) else "–")
                  + f" | {words(tries(releases, 1, factor))} |")


if __name__ == "__main__":
    main()

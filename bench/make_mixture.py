#!/usr/bin/env python3
"""Write a mixture of the local tables (docs/local.md) as .npy. Needs NumPy.

    make_mixture.py mixture N D K SEED OUT      k Gaussians in the unit ball
    make_mixture.py small N S SEED OUT          S sqrt(N) users far from the rest
"""
import sys

import numpy as np


def mixture(n, d, k, seed):
    """k centres uniform in the ball of radius .75, apart from each other,
    Dirichlet(8) weights, root mean square radius .12, clipped to the ball."""
    rng = np.random.default_rng(seed)
    apart = .3 if d <= 2 else .4
    while True:
        c = rng.normal(size=(k, d))
        c *= (.75 * rng.random((k, 1)) ** (1 / d) /
              np.linalg.norm(c, axis=1, keepdims=True))
        gaps = np.linalg.norm(c[:, None] - c[None], axis=2)
        if np.min(gaps[~np.eye(k, dtype=bool)], initial=9) > apart:
            break
    label = rng.choice(k, n, p=rng.dirichlet(np.full(k, 8.)))
    x = c[label] + rng.normal(size=(n, d)) * .12 / np.sqrt(d)
    return x / np.maximum(1, np.linalg.norm(x, axis=1, keepdims=True))


def small(n, s, seed):
    """Two spots at distance 1 in the plane, one of s sqrt(n) users."""
    rng = np.random.default_rng(seed)
    angle = rng.random() * 2 * np.pi
    spot = .5 * np.array([np.cos(angle), np.sin(angle)])
    x = np.tile(spot, (n, 1))
    x[rng.permutation(n)[:min(n, int(s * np.sqrt(n)))]] = -spot
    return x


def main():
    kind, *numbers, out = sys.argv[1:]
    if kind == "mixture":
        rows = mixture(*map(int, numbers))
    else:
        n, s, seed = numbers
        rows = small(int(n), float(s), int(seed))
    with open(out, "wb") as f:
        np.save(f, rows)


if __name__ == "__main__":
    main()

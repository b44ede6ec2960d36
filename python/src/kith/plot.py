"""Pictures of released models and of plans. None of them takes rows.

    kith.plot.centers(model)                  bars with their noise
    kith.plot.centers(model, shape=(28, 28))  pictures
    kith.plot.budget(model)                   where the budget went
    kith.plot.curve(kith.sweep(...))          noise over the number of clusters
    kith.plot.planes(model)                   angles between planes

Each takes ax= and returns it. What a picture shows is in words in
model.describe(). Needs matplotlib.
"""
from __future__ import annotations

from math import sqrt
from typing import Any, Dict, List, Optional, Sequence

import numpy as np

from .card import SHADES
from .errors import ArgumentError
from .model import purposes


def _axes(ax: Any, width: float = 6.4, height: float = 3.6) -> Any:
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=(width, height), layout="constrained")[1]


def _title(ax: Any, model: Any, words: str) -> None:
    """The warning is a line of its own and comes first: a narrow picture cuts
    off the end of a long title."""
    if getattr(model, "guarantee_", "exact") == "none":
        ax.set_title(f"NOT PRIVATE\n{words}", color="#b00020")
    else:
        ax.set_title(words)


def _fitted(model: Any, name: str) -> Any:
    if not hasattr(model, name):
        raise ArgumentError(f"this model has no {name}: fit it first, or draw "
                            "what it has")
    return getattr(model, name)


def noise_of_coordinates(model: Any) -> Any:
    """One standard deviation of the noise of each coordinate of each centre,
    in the units of the rows: (k, d). None: not known. The noise of an average
    cluster, times the average size over the cluster's own."""
    import json

    centers = _fitted(model, "cluster_centers_")
    if model.noise_ is None:
        return None
    k, d = centers.shape
    widths = np.ones(d)
    parameters = json.loads(model.model_).get("parameters", {})
    if parameters.get("normalize"):
        box = parameters["bounds"]
        widths = np.broadcast_to(np.subtract(box["upper"], box["lower"]), d)
    sizes = np.maximum(getattr(model, "cluster_weights_", np.ones(k)), 1)
    factor = np.minimum(sizes.mean() / sizes, 1e3)
    return model.noise_ / sqrt(d) * factor[:, None] * widths[None, :]


def centers(model: Any, shape: Optional[Sequence[int]] = None,
            names: Optional[Sequence[str]] = None, ax: Any = None) -> Any:
    """The centres: pictures of shape (height, width), or bars with one
    standard deviation of the noise."""
    values = _fitted(model, "cluster_centers_")
    if shape is not None:
        return _pictures(model, values, shape, ax)
    k, d = values.shape
    if names is None:
        names = [str(n) for n in getattr(model, "feature_names_in_", range(d))]
    if len(names) != d:
        raise ArgumentError(f"there are {d} features: as many names, please")
    ax = _axes(ax, min(max(5.6, 3 + .12 * d * (k + 1)), 40))
    spread = noise_of_coordinates(model)
    width = .8 / k
    for j in range(k):
        ax.bar(np.arange(d) + (j - (k - 1) / 2) * width, values[j], width,
               yerr=None if spread is None else spread[j],
               color=SHADES[j % len(SHADES)], label=f"centre {j}",
               hatch=("", "///", "...", "xxx")[j // len(SHADES) % 4],
               error_kw={"elinewidth": 1, "capsize": 2, "ecolor": "#000"})
    ax.set_xticks(range(d), [str(n) for n in names],
                  rotation=0 if d < 9 else 90)
    ax.axhline(0, color="#888", linewidth=.8)
    ax.legend(fontsize="small", loc="upper left", bbox_to_anchor=(1, 1),
              ncols=-(-k // 12))
    _title(ax, model, "centres" if spread is None
           else "centres, and one standard deviation of noise")
    return ax


def _pictures(model: Any, values: Any, shape: Sequence[int], ax: Any) -> Any:
    height, width = shape
    k, d = values.shape
    if height * width != d:
        raise ArgumentError(f"shape: {height} x {width} is not {d} features")
    across = min(k, 10)
    down = -(-k // across)
    sheet = np.full((down * (height + 1) - 1, across * (width + 1) - 1),
                    np.nan)
    for j in range(k):
        top, left = j // across * (height + 1), j % across * (width + 1)
        sheet[top:top + height, left:left + width] = values[j].reshape(
            height, width)
    ax = _axes(ax, 1 + .8 * across, .6 + .9 * down)
    ax.imshow(sheet, cmap="gray_r", interpolation="nearest")
    ax.set_axis_off()
    _title(ax, model, f"{k} centres")
    return ax


def budget(model: Any, ax: Any = None) -> Any:
    """Where the budget went, by purpose: bars that add up to all of it (mu
    squared, or epsilon). Takes a model or a plan."""
    shares = sorted(purposes(_fitted(model, "receipts_")), key=lambda s: s[1])
    if not shares:
        raise ArgumentError("this model has no receipts: nothing was paid")
    ax = _axes(ax, 6.4, .8 + .28 * len(shares))
    names = [name for name, _ in shares]
    bars = ax.barh(names, [100 * share for _, share in shares],
                   color=SHADES[0])
    ax.bar_label(bars, fmt="%.1f", padding=2, fontsize="small")
    ax.margins(x=.12)
    measure = model.receipts_[0].measure
    ax.set_xlabel("% of the budget" + (" (mu squared)" if measure == "mu"
                                       else " (epsilon)"))
    _title(ax, model, "where the budget went")
    return ax


def curve(sweep: List[Dict[str, Any]], ax: Any = None) -> Any:
    """Noise of a centre over the number of clusters, a line for each epsilon.
    Shaded: more clusters than the smallest budget can carry."""
    rows = [r for r in sweep if r.get("noise") is not None]
    if not rows or "n_clusters" not in rows[0]:
        raise ArgumentError("a curve needs a sweep over n_clusters whose noise "
                            "is known")
    ax = _axes(ax)
    budgets = sorted({r.get("epsilon") for r in rows},
                     key=lambda e: (e is not None, e))
    for i, epsilon in enumerate(budgets):
        line = sorted((r["n_clusters"], r["noise"]) for r in rows
                      if r.get("epsilon") == epsilon)
        ax.plot([k for k, _ in line], [n for _, n in line],
                marker="os^Dv<>p"[i % 8], color=SHADES[i % len(SHADES)],
                label=None if epsilon is None else f"epsilon = {epsilon:g}")
    limits = [r["sensible_clusters"] for r in rows if r["sensible_clusters"]]
    most = max(r["n_clusters"] for r in rows)
    if limits and min(limits) < most:
        ax.axvspan(min(limits), most, color="#000", alpha=.08,
                   label="more than the smallest budget carries")
    ax.set_xlabel("number of clusters")
    ax.set_ylabel("noise of an average centre")
    ax.set_yscale("log")
    ax.set_xscale("log", base=2)
    ticks = sorted({r["n_clusters"] for r in rows})
    ax.set_xticks(ticks, [str(k) for k in ticks])
    ax.legend(fontsize="small")
    ax.set_title("predicted noise: no rows were read" if "plan" in rows[0]
                 else "noise of the models")
    return ax


def planes(model: Any, ax: Any = None) -> Any:
    """Smallest principal angle between each pair of planes, in degrees: 0 is
    one direction in common, 90 is nothing in common."""
    bases = _fitted(model, "bases_")
    k = len(bases)
    angles = np.zeros((k, k))
    for i in range(k):
        for j in range(k):
            cosines = np.linalg.svd(bases[i].T @ bases[j], compute_uv=False)
            angles[i, j] = np.degrees(np.arccos(min(1.0, cosines.max())))
    ax = _axes(ax, 1.6 + .6 * k, 1.2 + .6 * k)
    ax.imshow(angles, cmap="Blues", vmin=0, vmax=90)
    for i in range(k):
        for j in range(k):
            ax.text(j, i, f"{angles[i, j]:.0f}", ha="center", va="center",
                    color="#fff" if angles[i, j] > 50 else "#000")
    ax.set_xticks(range(k))
    ax.set_yticks(range(k))
    ax.set_xlabel("plane")
    ax.set_ylabel("plane")
    _title(ax, model, "angles between planes (degrees)")
    return ax

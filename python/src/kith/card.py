"""A fitted model for people: facts in words, and a card for notebooks. No
script, no external resource; everything from the model file."""
from __future__ import annotations

import json
from html import escape
from math import sqrt
from typing import Any, List, Optional

from .model import purposes

_NOT_PRIVATE = "NOT PRIVATE: this model promises nothing"
# Neighbours differ in lightness, so that they can be told apart without colour.
SHADES = ("#1b4f72", "#7fb3d5", "#145a32", "#7dcea0", "#6e2c00", "#e59866",
          "#4a235a", "#c39bd3")


def _number(value: float) -> str:
    return f"{value:.3g}"


def promise(model: Any) -> str:
    """Epsilon and delta, for whom."""
    p = model.privacy_
    if p.guarantee == "none" or p.epsilon is None:
        return _NOT_PRIVATE
    delta = f", delta = {p.delta:g}" if p.delta else ""
    kind = {"exact": "exact", "asymptotic": "asymptotic: private only in the "
            "limit of a long chain"}.get(p.guarantee, p.guarantee)
    near = f", {p.adjacency}" if p.adjacency else ""
    return f"epsilon = {p.epsilon:g}{delta} for each {p.unit}{near} ({kind})"


def _width(model: Any) -> Optional[float]:
    """Of the widest feature's bounds."""
    box = json.loads(model.model_).get("parameters", {}).get("bounds")
    if not box:
        return None
    low, high = box["lower"], box["upper"]
    return float(max(b - a for a, b in zip(low, high)))


def facts(model: Any) -> List[str]:
    """What anybody should know of a fitted model, line by line."""
    quality = json.loads(model.model_).get("quality", {})
    planes = hasattr(model, "bases_")
    k = model._n_features_out
    what = (f"{k} planes of dimension {model.bases_.shape[2]}" if planes
            else f"{k} clusters")
    lines = [f"{what}, {model.n_features_in_} features", promise(model)]
    if model.noise_ is not None:
        width = None if planes else _width(model)
        unit = " rad" if planes else ""
        if width and getattr(model, "normalize", False):
            width = 1.0
        against = f" (bounds are {_number(width)} wide)" if width else ""
        part = ("turns a direction of a plane" if planes
                else "moves a centre")
        each = model.noise_ / sqrt(model.n_features_in_)
        if not planes and model.n_features_in_ > 1:
            against = f" in all, {_number(each)} in each feature{against}"
        lines.append(f"noise {part} by about {_number(model.noise_)}"
                     f"{unit}{against}")
    if model.sensible_clusters_:
        lines.append(f"this budget can carry {model.sensible_clusters_} "
                     "clusters")
    if quality.get("verdict"):
        lines.append(f"verdict: {quality['verdict']}")
    return lines + [str(word) for word in quality.get("words", ())]


def describe(model: Any) -> str:
    """The facts, the centres by name, and where the budget went."""
    lines = facts(model)
    names = list(getattr(model, "feature_names_in_", ()))
    centers: Any = getattr(model, "cluster_centers_", ())
    for j in range(len(centers)):
        values = ", ".join(
            (f"{names[i]} " if names else "") + _number(v)
            for i, v in enumerate(centers[j][:12]))
        more = ", ..." if centers.shape[1] > 12 else ""
        size = (f", about {model.cluster_weights_[j]:.0f} rows"
                if hasattr(model, "cluster_weights_") else "")
        lines.append(f"centre {j}{size}: {values}{more}")
    lines += [f"budget: {share:.1%} {name}"
              for name, share in purposes(model.receipts_)]
    return "\n".join(lines)


def _bar(model: Any) -> str:
    """The budget by purpose, as one bar of SVG with its words below."""
    shares = purposes(model.receipts_)
    # no shade twice: the smallest are shown together
    least = sorted((share for _, share in shares), reverse=True)
    limit = least[len(SHADES) - 2] if len(least) > len(SHADES) else 0
    large = [(name, share) for name, share in shares
             if share >= max(.02, limit)][:len(SHADES) - 1]
    rest = sum(share for _, share in shares) - sum(s for _, s in large)
    if rest > 1e-9:
        large.append(("everything else", rest))
    parts, at, keys = [], 0.0, []
    for i, (name, share) in enumerate(large):
        shade = SHADES[i % len(SHADES)]
        parts.append(f'<rect x="{at:.3f}" y="0" width="{400 * share:.3f}" '
                     f'height="14" fill="{shade}"><title>{escape(name)}: '
                     f'{share:.1%}</title></rect>')
        at += 400 * share
        keys.append('<span style="white-space:nowrap;margin-right:1em">'
                    f'<span style="background:{shade}">&#8195;</span> '
                    f'{escape(name)} {share:.0%}</span>')
    if not parts:
        return ""
    return ('<div style="margin-top:.5em">where the budget went</div><svg '
            'width="400" height="14" role="img" aria-label="budget by '
            f'purpose">{"".join(parts)}</svg><div style="font-size:smaller;'
            f'line-height:1.5">{" ".join(keys)}</div>')


def _table(model: Any) -> str:
    """A few centres of a few features; names are anybody's text."""
    centers = getattr(model, "cluster_centers_", None)
    if centers is None or centers.shape[1] > 12 or len(centers) > 20:
        return ""
    names = getattr(model, "feature_names_in_",
                    [str(i) for i in range(centers.shape[1])])
    sizes = getattr(model, "cluster_weights_", None)
    head = "".join(f"<th>{escape(str(n))}</th>" for n in names)
    if sizes is not None:
        head += "<th>rows, about</th>"
    rows = "".join(
        f"<tr><th>centre {j}</th>"
        + "".join(f"<td>{_number(v)}</td>" for v in row)
        + ("" if sizes is None else f"<td>{sizes[j]:.0f}</td>") + "</tr>"
        for j, row in enumerate(centers))
    return (f'<table style="margin-top:.5em;'
            f'text-align:right;border-spacing:.8em .1em"><tr><th></th>'
            f'{head}</tr>{rows}</table>')


def card(model: Any) -> str:
    """HTML of a fitted model."""
    first, *rest = [escape(line) for line in facts(model)]
    band = ""
    if model.guarantee_ == "none":
        band = ('<div style="background:#b00020;color:#fff;padding:.4em;'
                f'font-weight:bold">{_NOT_PRIVATE}</div>')
        rest = [line for line in rest if line != escape(_NOT_PRIVATE)]
    return (f'<div style="border:1px solid #888;padding:.6em;max-width:44em">'
            f'{band}<div><b>kith.{type(model).__name__}</b>: {first}'
            f'</div>{"".join(f"<div>{line}</div>" for line in rest)}'
            f'{_bar(model)}{_table(model)}</div>')


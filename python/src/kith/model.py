"""What a model file says, as Python objects: a fit and a file that is read
come in by the same door."""
from __future__ import annotations

import json
from math import sqrt
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

import numpy as np

Array = Any  # numpy.ndarray; its own types would slow the import down


class Receipt(NamedTuple):
    """One noisy release: what was paid for, and how much."""

    what: str
    mechanism: str
    norm: str
    sensitivity: float
    scale: float
    measure: str
    loss: float
    share: float = 1.0  # local: of the users, who are asked once


class Privacy(NamedTuple):
    """What is promised, to whom. `check()` adds the receipts up."""

    epsilon: Optional[float]
    delta: float
    mu: Optional[float]
    adjacency: Optional[str]
    unit: str
    guarantee: str
    receipts: Tuple[Receipt, ...]

    def check(self) -> float:
        """The receipts' losses together: epsilon, or mu when delta > 0. In the
        local model: of the user who pays most, when nobody is asked twice."""
        return total_loss(self.receipts)


def total_loss(receipts: Tuple[Receipt, ...]) -> float:
    """Losses together: epsilons add up, mus add up as squares, and losses of
    different users do not add up."""
    if receipts and sum(r.share for r in receipts) <= 1 + 1e-9:
        return max(r.loss for r in receipts)
    if any(r.measure == "mu" for r in receipts):
        return sqrt(sum(r.loss ** 2 for r in receipts))
    return float(sum(r.loss for r in receipts))


def receipts_of(facts: Dict[str, Any]) -> Tuple[Receipt, ...]:
    """The releases of a model file or a plan."""
    return tuple(
        Receipt(r["what"], r["mechanism"],
                r.get("sensitivity", {}).get("norm", ""),
                r.get("sensitivity", {}).get("value", 0.0),
                r.get("scale") or 0.0, "mu" if "mu" in r["loss"] else "epsilon",
                r["loss"].get("mu", r["loss"].get("epsilon", 0.0)),
                r.get("share", 1.0))
        for r in facts.get("privacy", {}).get("releases",
                                              facts.get("groups", ())))


def purposes(receipts: Tuple[Receipt, ...]) -> List[Tuple[str, float]]:
    """Shares of the loss (epsilon, or mu squared; local: of the users) by what
    it was paid for, rounds and levels together. They add up to 1."""
    shares: Dict[str, float] = {}
    for r in receipts:
        words = [w for w in r.what.split(", ") if not w.startswith("round ")]
        if words[0].startswith("tree level"):
            words[0] = "tree"
        square = (r.loss ** 2 if r.measure == "mu" else r.loss) * r.share
        name = ", ".join(words)
        shares[name] = shares.get(name, 0.0) + square
    total = sum(shares.values()) or 1.0
    return [(name, share / total) for name, share in shares.items()]


class Plan:
    """What a fit would cost and how much noise it would have: no rows, no
    charge.

    `receipts_`, `noise_` (how far noise alone moves a centre of an average
    cluster; None: not known), `sensible_clusters_` (how many this budget can
    carry), and `facts`: everything the plan says.
    """

    def __init__(self, text: bytes) -> None:
        self.text = text.decode()
        self.facts: Dict[str, Any] = json.loads(self.text)
        self.receipts_ = receipts_of(self.facts)
        self.noise_: Optional[float] = _first(
            self.facts, "predicted_noise_per_center",
            "predicted_noise_per_plane")
        self.sensible_clusters_: Optional[int] = self.facts.get(
            "sensible_clusters")

    def __repr__(self) -> str:
        return (f"Plan(releases={len(self.receipts_)}, noise={self.noise_}, "
                f"sensible_clusters={self.sensible_clusters_})")


def _first(facts: Dict[str, Any], *keys: str) -> Optional[float]:
    """The first of these that is known; local: what the forecast says."""
    known: List[float] = [facts[key] for key in keys
                          if facts.get(key) is not None]
    forecast: Optional[float] = facts.get("forecast", {}).get("center_error")
    return known[0] if known else forecast


def _frozen(values: Any) -> Array:
    array = np.asarray(values, dtype=np.float64)
    array.flags.writeable = False
    return array


def fitted_of(text: bytes) -> Dict[str, Any]:
    """The fitted attributes of a model file: released values, parameters and
    public facts. There is nothing else to keep."""
    facts = json.loads(text)
    privacy = facts.get("privacy", {})
    quality = facts.get("quality", {})
    parameters = facts.get("parameters", {})
    receipts = receipts_of(facts)
    guarantee = privacy.get("guarantee", "none")
    fitted: Dict[str, Any] = {
        "model_": bytes(text),
        "guarantee_": guarantee,
        "receipts_": receipts,
        "privacy_": Privacy(privacy.get("epsilon"), privacy.get("delta", 0.0),
                            privacy.get("mu"), privacy.get("adjacency"),
                            privacy.get("unit", "row"), guarantee, receipts),
        "n_features_in_": facts["dimension"],
        "n_iter_": max(1, int(parameters.get("rounds") or 1)),
        "noise_": _first({**facts, **quality}, "noise", "noise_angle"),
        "sensible_clusters_": facts.get("sensible_clusters"),
        "distinct_centers_": facts.get("distinct_centers",
                                       quality.get("distinct")),
        "_n_features_out": facts["k"],
    }
    for name, key in (("cluster_centers_", "centers"),
                      ("cluster_weights_", "weights"), ("bases_", "bases")):
        if facts.get(key) is not None:
            fitted[name] = _frozen(facts[key])
    return fitted

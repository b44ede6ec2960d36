"""Many candidates: what each would cost, or one budget over all of them."""
from __future__ import annotations

import json
from itertools import product
from math import sqrt
from typing import Any, Dict, Iterable, List, Optional

from . import _core
from .errors import ArgumentError, BudgetError

_SLACK = 1 - 2.0 ** -40  # shares are rounded up when they are charged


def sweep(estimator: Any, *, n_rows: Optional[int] = None,
          n_features: Optional[int] = None, X: Any = None,
          **grid: Iterable[Any]) -> List[Dict[str, Any]]:
    """Compare parameters: by plans, which cost nothing, or by models that
    share one budget.

    Without X: plan every combination of the parameters. No rows are read and
    nothing is spent. n_rows is a public guess.

    >>> kith.sweep(kith.KMeans(bounds=(0, 1), delta=1e-6), n_rows=10_000,
    ...            n_features=20, n_clusters=[4, 8, 16], epsilon=[.5, 1, 2])

    With X: fit every combination, each with its share of the estimator's
    epsilon and delta (epsilon / m, or mu / sqrt m): together they cost what
    was declared. Choosing among released models is free.

    >>> kith.sweep(kith.KMeans(epsilon=2, delta=1e-6, bounds=(0, 1)), X=X,
    ...            n_clusters=[4, 8, 16])

    Returns
    -------
    A list of dicts: the parameters; `noise` (how far noise alone moves a
    centre of an average cluster), `sensible_clusters` (how many the budget can
    carry); and the `plan` or the `model`. pandas.DataFrame takes it as it is,
    kith.plot.curve draws it.
    """
    candidates = [dict(zip(grid, values)) for values in product(*grid.values())]
    if X is not None:
        return _fit_all(estimator, candidates, X)
    if n_rows is None or n_features is None:
        raise ArgumentError("a sweep needs n_rows= and n_features= (plans), or "
                            "X= (models that share one budget)")
    table = []
    for parameters in candidates:
        plan = _with(estimator, parameters).plan(n_rows, n_features)
        table.append({**parameters, "noise": plan.noise_,
                      "sensible_clusters": plan.sensible_clusters_,
                      "plan": plan})
    return table


def _with(estimator: Any, parameters: Dict[str, Any]) -> Any:
    from sklearn.base import clone

    return clone(estimator).set_params(**parameters)


def _share(epsilon: float, delta: float, count: int) -> float:
    """Epsilon of one of so many equal shares, with the same delta."""
    if not delta:
        return epsilon / count * _SLACK
    goal = _mu(epsilon, delta) / sqrt(count) * _SLACK
    low, high = 0.0, epsilon
    for _ in range(80):
        middle = (low + high) / 2
        low, high = ((middle, high) if _mu(middle, delta) <= goal
                     else (low, middle))
    if not low:
        raise BudgetError(f"the budget is too small for {count} candidates")
    return low


def _mu(epsilon: float, delta: float) -> float:
    """Of both, as the library says: a plan of anything tells it."""
    text = _core.plan("kmeans", (1, 1, False), {
        "epsilon": epsilon, "delta": delta, "radius": 1.0, "clusters": 1,
        "method": "lloyd", "rounds": 1})
    return float(json.loads(text)["privacy"]["mu"])


def _fit_all(estimator: Any, candidates: List[Dict[str, Any]],
             X: Any) -> List[Dict[str, Any]]:
    for name in ("epsilon", "delta"):
        if any(name in c for c in candidates):
            raise ArgumentError(f"{name} is divided over the candidates: set "
                                "it on the estimator, not in the grid")
    estimator._check_needs()
    share = _share(estimator.epsilon, estimator.delta, len(candidates))
    table = []
    for parameters in candidates:
        model = _with(estimator, {**parameters, "epsilon": share}).fit(X)
        table.append({**parameters, "noise": model.noise_,
                      "sensible_clusters": model.sensible_clusters_,
                      "model": model})
    return table

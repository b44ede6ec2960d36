"""Plans over many parameters: what would each of them cost and carry?"""
from __future__ import annotations

from itertools import product
from typing import Any, Dict, Iterable, List


def sweep(estimator: Any, *, n_rows: int, n_features: int,
          **grid: Iterable[Any]) -> List[Dict[str, Any]]:
    """Plan every combination of parameters. No rows are read and nothing is
    spent.

    >>> kith.sweep(kith.KMeans(bounds=(0, 1), delta=1e-6), n_rows=10_000,
    ...            n_features=20, n_clusters=[4, 8, 16], epsilon=[.5, 1, 2])

    Returns a list of dicts: the parameters, `noise` (how far noise alone moves
    a centre of an average cluster), `sensible_clusters` (how many the budget
    can carry), and the `plan`. pandas.DataFrame takes it as it is.
    """
    from sklearn.base import clone

    table = []
    for values in product(*grid.values()):
        parameters = dict(zip(grid, values))
        plan = clone(estimator).set_params(**parameters).plan(n_rows,
                                                              n_features)
        table.append({**parameters, "noise": plan.noise_,
                      "sensible_clusters": plan.sensible_clusters_,
                      "plan": plan})
    return table

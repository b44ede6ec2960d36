"""kith: clustering of sensitive rows under differential privacy.

    >>> import kith
    >>> model = kith.KMeans(3, epsilon=1, delta=1e-6, bounds=(0, 100)).fit(X)
    >>> model.cluster_centers_

KMeans, KMedians, SubspaceClustering and LocalSimulation have scikit-learn's
manners. `fit` is the only private operation and charges first; there are no
`labels_`, no `inertia_` and no `random_state`, because they would be exact
facts about the rows, or noise that anybody can draw again. Epsilon and bounds
have no defaults, and nothing is computed from the rows to fill them in.
"""
from __future__ import annotations

from typing import Any

from . import _core, errors
from .errors import (ArgumentError, BudgetError, EntropyError, InputError,
                     InternalError, KithError, LedgerError, NotPrivateWarning,
                     PrivacyError)

__version__: str = _core.version

# scikit-learn takes most of a second to load: on first use.
_LATER = {name: ".estimators" for name in (
    "KMeans", "KMedians", "SubspaceClustering", "LocalSimulation",
    "load_model", "check_pipeline", "Plan", "Privacy", "Receipt")}
_LATER["sweep"] = ".sweep"

__all__ = sorted(
    ["ArgumentError", "BudgetError", "EntropyError", "InputError",
     "InternalError", "KithError", "LedgerError", "NotPrivateWarning",
     "PrivacyError", "errors"] + list(_LATER))


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module 'kith' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(_LATER[name], __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(_LATER))

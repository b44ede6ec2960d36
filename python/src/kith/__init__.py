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

from typing import TYPE_CHECKING, Any

from . import _core, errors
from .errors import (ArgumentError, BudgetError, EntropyError, InputError,
                     InternalError, KithError, LedgerError, NotPrivateWarning,
                     PrivacyError)

__version__: str = _core.version

# scikit-learn takes most of a second to load, matplotlib too: on first use.
_LATER = {
    "KMeans": ".estimators", "KMedians": ".estimators",
    "SubspaceClustering": ".estimators", "LocalSimulation": ".estimators",
    "load_model": ".estimators", "check_pipeline": ".estimators",
    "Plan": ".model", "Privacy": ".model", "Receipt": ".model",
    "Ledger": ".ledger", "sweep": ".candidates", "report": ".command",
    "audit": ".command",
}
_MODULES = ("plot",)

if TYPE_CHECKING:
    from . import plot as plot
    from .candidates import sweep as sweep
    from .command import audit as audit, report as report
    from .estimators import (KMeans as KMeans, KMedians as KMedians,
                             LocalSimulation as LocalSimulation,
                             SubspaceClustering as SubspaceClustering,
                             check_pipeline as check_pipeline,
                             load_model as load_model)
    from .ledger import Ledger as Ledger
    from .model import Plan as Plan, Privacy as Privacy, Receipt as Receipt

__all__ = sorted(
    ["ArgumentError", "BudgetError", "EntropyError", "InputError",
     "InternalError", "KithError", "LedgerError", "NotPrivateWarning",
     "PrivacyError", "errors", *_MODULES, *_LATER])


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name in _MODULES:
        return import_module("." + name, __name__)
    if name not in _LATER:
        raise AttributeError(f"module 'kith' has no attribute {name!r}")
    value = getattr(import_module(_LATER[name], __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATER, *_MODULES})

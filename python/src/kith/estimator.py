"""What the four estimators share: scikit-learn's manners on top of libkith."""
from __future__ import annotations

import os
import sys
import warnings
from typing import Any, Dict, List, Optional, Tuple

import numpy as np
from sklearn.base import (BaseEstimator, ClassNamePrefixFeaturesOutMixin,
                          ClusterMixin, TransformerMixin)
from sklearn.utils.validation import check_is_fitted

from . import _core
from .errors import (ArgumentError, BudgetError, KithError, NotPrivateWarning,
                     PrivacyError)
from .ledger import payer_of
from .model import Array, Plan, fitted_of
from .progress import watcher
from .rows import describe, is_files, people_of

_WHY_BOUNDS = (
    "bounds=(lower, upper) or radius= is required. Bounds are public: they "
    "come from what the features mean (an age is from 0 to 110), never from "
    "the rows, because the least and the largest value of a column are two "
    "people's secrets")

_WHY_EPSILON = ("epsilon= is required: the privacy budget has no default. 1 is "
                "usual, smaller is more private")

_WHY_NO_SEARCH = (
    "a search or a cross-validation fits many times on the same rows: each fit "
    "costs its whole budget, and scores are exact. Compare plans instead "
    "(kith.sweep: costs nothing), divide one budget over the candidates "
    "(kith.sweep(..., X=X)), or attach a ledger, which charges every fit and "
    "says when it is over (ledger=, account=)")


def _sides(bounds: Any, names: Optional[List[str]]) -> Tuple[Any, Any]:
    if isinstance(bounds, str):
        raise PrivacyError(f"bounds={bounds!r} is not possible. {_WHY_BOUNDS}")
    if hasattr(bounds, "keys"):
        if names is None:
            raise ArgumentError("bounds by name need rows with names: a frame")
        lacking = [name for name in names if name not in bounds]
        if lacking:
            raise PrivacyError(f"no bounds for {', '.join(lacking)}")
        pairs = [bounds[name] for name in names]
        return [p[0] for p in pairs], [p[1] for p in pairs]
    try:
        lower, upper = bounds
    except (TypeError, ValueError):
        raise ArgumentError("bounds are a pair (lower, upper) of numbers or of "
                            "sequences, or a mapping {name: (lower, upper)}"
                            ) from None
    return lower, upper


def _reals(value: Any, what: str) -> Array:
    try:
        array = np.atleast_1d(np.asarray(value, dtype=np.float64))
    except (TypeError, ValueError):
        raise ArgumentError(f"{what} must be numbers") from None
    if array.ndim != 1 or array.size == 0:
        raise ArgumentError(f"{what} must be a number or one for each feature")
    return np.ascontiguousarray(array)


def _refuse_search() -> None:
    """A search fits many times on overlapping rows and chooses by exact
    scores. A guard against accidents, not against intent."""
    frame: Any = sys._getframe(2)
    while frame is not None:
        if frame.f_globals.get("__name__", "").startswith(
                "sklearn.model_selection"):
            raise BudgetError(_WHY_NO_SEARCH)
        frame = frame.f_back


class Estimator(ClassNamePrefixFeaturesOutMixin, TransformerMixin,
                ClusterMixin, BaseEstimator):
    """What all four share."""

    _kind = ""

    # ---- private

    def fit(self, X: Any, y: Any = None, groups: Any = None) -> "Estimator":
        """Release a model of the rows: the only private operation.

        Charges before it draws. A fit that is interrupted or fails after that
        has spent its budget; the previous fit stays as it was.

        Parameters
        ----------
        X : array of any real type and order, DataFrame, CSR matrix, object
            with __arrow_c_stream__ or __arrow_c_array__, or the path of a file
            (or a list of paths) that the kith command reads. It is read where
            it is, and not kept.
        y : ignored.
        groups : whose row each row of an array or a table is, one value a row
            (text, or what str makes of it; None and NaN are missing values).
            Then people are protected and not rows: one row of each person is
            kept, chosen by a hash with public_seed. In files the command's
            --user-column says it.

        Returns
        -------
        self
        """
        payer = payer_of(getattr(self, "ledger", None),
                         getattr(self, "account", None))
        if payer is None:
            _refuse_search()
        self._check_needs()
        if groups is not None and self._kind == "local":
            raise ArgumentError("groups: in the local model each row is a user "
                                "already")
        rows, names, _ = self._describe(X, reset=True)
        options = self._options(names)
        if rows[0] == "paths" and options["adjacency"] == "replace-one":
            options["fixed_rows"] = True
        if self.insecure_seed is not None:
            warnings.warn("insecure_seed: the noise can be drawn again by "
                          "anybody; this fit is NOT private",
                          NotPrivateWarning, stacklevel=2)
        told = watcher(self.progress)
        try:
            text = _core.fit(
                self._kind, rows, options, told,
                (payer[0]._handle, payer[1]) if payer else None,
                people_of(groups))
        except KeyboardInterrupt as stop:
            raise KeyboardInterrupt(
                "the fit was stopped: nothing was released, and budget that "
                "was charged stays spent") from stop
        finally:
            if hasattr(told, "close"):
                told.close()  # type: ignore[union-attr]
        self._accept(text)
        return self

    def plan(self, n_rows: int, n_features: int, *,
             sparse: bool = False, groups: bool = False) -> Plan:
        """Price a fit on so many rows (a public guess), and predict its
        noise. With groups, as in fit, people are counted and protected, not
        rows. Reads nothing, costs nothing."""
        self._check_needs()
        if groups and self._kind == "local":
            raise ArgumentError("groups: in the local model each row is a user "
                                "already")
        return Plan(_core.plan(self._kind, (int(n_rows), int(n_features),
                                            bool(sparse)),
                               self._options(None), int(bool(groups))))

    # ---- about the rows given: exact

    def predict(self, X: Any) -> Array:
        """The nearest centre or plane of each row of X. Exact, so as secret
        as X."""
        check_is_fitted(self)
        rows, _, _ = self._describe(X, reset=False)
        labels = bytearray()
        _core.apply(self.model_, rows, self._reading(), labels)
        return np.frombuffer(labels, dtype=np.int32)

    def score(self, X: Any, y: Any = None) -> float:
        """Minus the exact cost of the model on X. NOT private."""
        check_is_fitted(self)
        warnings.warn("score is computed from the rows without noise: it is "
                      "NOT private", NotPrivateWarning, stacklevel=2)
        rows, _, _ = self._describe(X, reset=False)
        return -float(_core.apply(self.model_, rows, self._reading(), None)[1])

    def fit_predict(self, X: Any, y: Any = None) -> Array:
        """fit(X).predict(X). The labels are NOT private; none are kept."""
        self._warn_own_rows("labels")
        return self.fit(X).predict(X)

    def fit_transform(self, X: Any, y: Any = None) -> Array:
        """fit(X).transform(X). The distances are NOT private."""
        self._warn_own_rows("distances")
        return self.fit(X).transform(X)

    def transform(self, X: Any) -> Array:
        """Distance of each row of X to each centre or plane. Exact, so as
        secret as X. float32 in, float32 out."""
        from sklearn.utils.validation import check_array

        check_is_fitted(self)
        self._check_feature_names(X, reset=False)
        X = check_array(X, accept_sparse=self._sparse and "csr",
                        dtype=[np.float64, np.float32])
        self._check_n_features(X, reset=False)
        return self._distances(X)

    _sparse = True

    def _distances(self, X: Any) -> Array:
        raise NotImplementedError

    def _warn_own_rows(self, what: str) -> None:
        warnings.warn(f"{what} of the training rows are exact facts about "
                      "them: NOT private", NotPrivateWarning, stacklevel=3)

    # ---- for people

    def describe(self) -> str:
        """What was released, and how far it can be believed, in words."""
        from .card import describe as words

        check_is_fitted(self)
        return words(self)

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        short = str(super().__repr__(N_CHAR_MAX))
        if not hasattr(self, "model_"):
            return short
        from .card import facts

        return short + "".join(f"\n  {line}" for line in facts(self))

    def _repr_html_(self) -> str:
        from .card import card

        if hasattr(self, "model_"):
            return card(self)
        from sklearn.utils import estimator_html_repr

        return str(estimator_html_repr(self))

    def _repr_mimebundle_(self, **kwargs: Any) -> Dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._repr_html_()}

    # ---- files

    def save(self, path: Any) -> None:
        """Write the model file, the same as the command's."""
        check_is_fitted(self)
        target = os.fspath(path)
        beside = f"{target}.kith-{os.getpid()}"
        try:
            with open(beside, "xb") as file:
                file.write(self.model_)
                file.flush()
                os.fsync(file.fileno())
            os.replace(beside, target)
        finally:
            if os.path.exists(beside):
                os.unlink(beside)

    # ---- inside

    def _check_needs(self) -> None:
        if self.epsilon is None:
            raise PrivacyError(_WHY_EPSILON)
        if self.bounds is None and self.radius is None:
            raise PrivacyError(_WHY_BOUNDS)

    def _describe(self, X: Any, reset: bool) -> Tuple[Any, Any, Any]:
        rows, names, width = describe(X)
        if width is not None:
            if rows[0] == "array" and not is_files(X):
                if rows[1].shape[0] == 0 or width == 0:
                    shape = rows[1].shape
                    what = "sample" if shape[0] == 0 else "feature"
                    raise ArgumentError(
                        f"Found array with 0 {what}(s) (shape={shape}) while a "
                        "minimum of 1 is required.")
            self._check_feature_names(X, reset=reset)
            if not reset and width != self.n_features_in_:
                raise ArgumentError(
                    f"X has {width} features, but {type(self).__name__} is "
                    f"expecting {self.n_features_in_} features as input")
        return rows, names, width

    def _options(self, names: Optional[List[str]]) -> Dict[str, Any]:
        options: Dict[str, Any] = {
            "clusters": self.n_clusters, "epsilon": self.epsilon,
            "delta": self.delta, "radius": self.radius,
            "public_seed": self.public_seed, "threads": self.threads,
            "insecure_seed": self.insecure_seed, "method": self.method,
            "missing": self.missing,
            "names": [name.encode() for name in names] if names else None,
            "normalize": getattr(self, "normalize", False),
            "adjacency": getattr(self, "adjacency", None),
            "sparsity": getattr(self, "sparsity", None),
            "rounds": getattr(self, "rounds", None),
        }
        if self.bounds is not None:
            lower, upper = _sides(self.bounds, names)
            sides = _reals(lower, "bounds"), _reals(upper, "bounds")
            size = max(side.size for side in sides)
            for name, side in zip(("lower", "upper"), sides):
                if side.size not in (1, size):
                    raise ArgumentError("bounds: as many lower as upper ones")
                options[name] = np.broadcast_to(side, size).tobytes()
        if self.center is not None:
            options["center"] = _reals(self.center, "center").tobytes()
        return options

    def _reading(self) -> Dict[str, Any]:
        return {"missing": "error", "threads": self.threads}

    def _accept(self, text: bytes) -> None:
        """Take over a fit: all at once, at its end."""
        fitted = fitted_of(text)
        for name in ("cluster_centers_", "cluster_weights_", "bases_"):
            self.__dict__.pop(name, None)
        self.__dict__.update(fitted)

    def __getstate__(self) -> Dict[str, Any]:
        state: Dict[str, Any] = dict(super().__getstate__())
        state["progress"] = None
        state["_kith_version"] = _core.version
        return state

    def __setstate__(self, state: Dict[str, Any]) -> None:
        made = state.pop("_kith_version", _core.version)
        if int(made.split(".")[0]) > int(_core.version.split(".")[0]):
            raise KithError(f"this pickle is of kith {made}, newer than "
                            f"{_core.version}: update kith, or use the model "
                            "file (kith.load_model), which is made to last")
        super().__setstate__(state)

    def _expected_failed_checks(self) -> Dict[str, str]:
        """scikit-learn's checks that fail on purpose, and why. From 1.6 on:
        check_estimator(e, expected_failed_checks=e._expected_failed_checks())
        """
        expected = {"check_clustering": "labels_ would be exact facts about "
                                        "the training rows"}
        if self.insecure_seed is None:
            expected["check_fit_idempotent"] = ("private noise is fresh in "
                                                "every fit")
        return expected

    def _more_tags(self) -> Dict[str, Any]:  # scikit-learn before 1.6
        return {"non_deterministic": self.insecure_seed is None,
                "_xfail_checks": self._expected_failed_checks()}

    def __sklearn_tags__(self) -> Any:  # from 1.6 on
        tags = super().__sklearn_tags__()
        tags.non_deterministic = self.insecure_seed is None
        tags.input_tags.sparse = self._sparse
        return tags

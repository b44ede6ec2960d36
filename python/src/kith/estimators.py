"""KMeans, KMedians, SubspaceClustering and LocalSimulation: estimators with
scikit-learn's manners on top of libkith."""
from __future__ import annotations

import json
import os
import sys
import warnings
from math import isnan, sqrt
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

import numpy as np
from sklearn.base import (BaseEstimator, ClassNamePrefixFeaturesOutMixin,
                          ClusterMixin, TransformerMixin)
from sklearn.utils.validation import check_is_fitted

from . import _core
from .errors import (ArgumentError, BudgetError, InputError,
                     NotPrivateWarning, PrivacyError, call)
from .rows import describe, is_files

Array = "np.ndarray[Any, Any]"


class Receipt(NamedTuple):
    """One noisy release: what was paid for, and how much."""

    what: str
    mechanism: str
    norm: str
    sensitivity: float
    scale: float
    measure: str
    loss: float


class Privacy(NamedTuple):
    """What is promised. `check()` adds the receipts up."""

    epsilon: float
    delta: float
    adjacency: str
    unit: str
    guarantee: str
    receipts: Tuple[Receipt, ...]

    def check(self) -> float:
        """The receipts' losses together: epsilon, or mu when delta > 0."""
        if any(r.measure == "mu" for r in self.receipts):
            return sqrt(sum(r.loss ** 2 for r in self.receipts))
        return float(sum(r.loss for r in self.receipts))


class Plan:
    """What a fit would cost and how much noise it would have: no rows, no
    charge."""

    def __init__(self, found: Dict[str, Any]) -> None:
        self.receipts_ = tuple(Receipt(*r) for r in found["receipts"])
        self.noise_ = None if isnan(found["noise"]) else found["noise"]
        self.sensible_clusters_ = found["sensible"] or None
        self.text = found["text"].decode()
        self.facts: Dict[str, Any] = json.loads(self.text)

    def __repr__(self) -> str:
        return (f"Plan(releases={len(self.receipts_)}, noise={self.noise_}, "
                f"sensible_clusters={self.sensible_clusters_})")


# ---- parameters ------------------------------------------------------------

_WHY_BOUNDS = (
    "bounds=(lower, upper) or radius= is required. Bounds are public: they "
    "come from what the features mean (an age is from 0 to 110), never from "
    "the rows, because the least and the largest value of a column are two "
    "people's secrets")

_WHY_EPSILON = ("epsilon= is required: the privacy budget has no default. 1 is "
                "usual, smaller is more private")


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


def _refuse_search(ledger: Any) -> None:
    """A search fits many times on overlapping rows and chooses by exact
    scores. A guard against accidents, not against intent."""
    frame = sys._getframe(2)
    while frame is not None:
        if frame.f_globals.get("__name__", "").startswith(
                "sklearn.model_selection"):
            raise BudgetError(
                "a search or a cross-validation fits many times on the same "
                "rows: each fit costs its whole budget, and scores are exact. "
                "Compare plans instead (kith.sweep: costs nothing), or fit "
                "once with the budget that you have")
        frame = frame.f_back  # type: ignore[assignment]


class _Estimator(ClassNamePrefixFeaturesOutMixin, TransformerMixin,
                 ClusterMixin, BaseEstimator):
    """What all four share."""

    _kind = ""

    # ---- private

    def fit(self, X: Any, y: Any = None) -> "_Estimator":
        """Release a model of the rows: the only private operation.

        Charges before it draws; a fit that is interrupted or fails after that
        has spent its budget, and the previous fit stays as it was.

        X: an array of any real type and order, a DataFrame, a CSR matrix, or
        the path of a file (or several) that the kith command reads.
        """
        _refuse_search(None)
        self._check_needs()
        rows, names, width = self._describe(X, reset=True)
        options = self._options(names)
        if rows[0] == "paths" and options["adjacency"] == "replace-one":
            options["fixed_rows"] = True
        if self.insecure_seed is not None:
            warnings.warn("insecure_seed: the noise can be drawn again by "
                          "anybody; this fit is NOT private",
                          NotPrivateWarning, stacklevel=2)
        found = call(_core.fit, self._kind, rows, options, self._watcher())
        self._accept(found, json.loads(found["text"]))
        return self

    def plan(self, n_rows: int, n_features: int, *,
             sparse: bool = False) -> Plan:
        """Price a fit on so many rows (a public guess), and predict its
        noise. Reads nothing, costs nothing."""
        self._check_needs()
        return Plan(call(_core.plan, self._kind, int(n_rows), int(n_features),
                         bool(sparse), self._options(None)))

    # ---- about the rows given: exact

    def predict(self, X: Any) -> Array:
        """The nearest centre or plane of each row of X. Exact, so as secret
        as X."""
        check_is_fitted(self)
        rows, _, _ = self._describe(X, reset=False)
        labels = call(_core.assign, self.model_, rows, self._reading())
        return np.frombuffer(labels, dtype=np.uint32).astype(np.int32)

    def score(self, X: Any, y: Any = None) -> float:
        """Minus the exact cost of the model on X. NOT private."""
        check_is_fitted(self)
        warnings.warn("score is computed from the rows without noise: it is "
                      "NOT private", NotPrivateWarning, stacklevel=2)
        rows, _, _ = self._describe(X, reset=False)
        return -float(call(_core.evaluate, self.model_, rows,
                           self._reading())[1])

    def fit_predict(self, X: Any, y: Any = None) -> Array:
        """fit(X).predict(X). The labels are NOT private; none are kept."""
        self._warn_own_rows("labels")
        return self.fit(X).predict(X)

    def fit_transform(self, X: Any, y: Any = None) -> Array:
        """fit(X).transform(X). The distances are NOT private."""
        self._warn_own_rows("distances")
        return self.fit(X).transform(X)

    def _warn_own_rows(self, what: str) -> None:
        warnings.warn(f"{what} of the training rows are exact facts about "
                      "them: NOT private", NotPrivateWarning, stacklevel=3)

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
            if reset:
                self._fresh_width = width
            else:
                self._check_n_features(X, reset=False)
        return rows, names, width

    def _options(self, names: Optional[List[str]]) -> Dict[str, Any]:
        options: Dict[str, Any] = {
            "clusters": self.n_clusters, "epsilon": self.epsilon,
            "delta": self.delta, "radius": self.radius,
            "public_seed": self.public_seed, "threads": self.threads,
            "insecure_seed": self.insecure_seed, "method": self.method,
            "missing": self.missing, "names": names,
            "normalize": getattr(self, "normalize", False),
            "adjacency": getattr(self, "adjacency", None),
            "sparsity": getattr(self, "sparsity", None),
            "rounds": getattr(self, "rounds", None),
        }
        if self.bounds is not None:
            lower, upper = _sides(self.bounds, names)
            options["lower"] = _reals(lower, "bounds")
            options["upper"] = _reals(upper, "bounds")
            size = max(options["lower"].size, options["upper"].size)
            for side in ("lower", "upper"):
                if options[side].size != size:
                    options[side] = np.full(size, options[side][0])
        if self.center is not None:
            options["center"] = _reals(self.center, "center")
        return options

    def _reading(self) -> Dict[str, Any]:
        return {"missing": "error", "threads": self.threads}

    def _watcher(self) -> Any:
        progress = self.progress
        if progress is None or progress is False:
            return None
        if callable(progress):
            return progress
        raise ArgumentError("progress is None or a function of (done, total)")

    def _accept(self, found: Dict[str, Any], facts: Dict[str, Any]) -> None:
        """Take over a fit: all at once, at its end."""
        k, d, q = found["k"], found["d"], found["q"]
        privacy = facts["privacy"]
        receipts = tuple(Receipt(*r) for r in found.get("receipts", ()))
        fitted: Dict[str, Any] = {
            "guarantee_": found["guarantee"],
            "receipts_": receipts,
            "privacy_": Privacy(privacy.get("epsilon", 0.0),
                                privacy.get("delta", 0.0),
                                privacy.get("adjacency", "none"),
                                privacy.get("unit", "row"),
                                found["guarantee"], receipts),
            "model_": bytes(found["text"]),
            "n_features_in_": d,
            "n_iter_": max(1, int(facts["parameters"].get("rounds") or 1)),
            "noise_": found.get("noise"),
            "sensible_clusters_": facts.get("sensible_clusters"),
            "distinct_centers_": facts.get("distinct_centers"),
            "_n_features_out": k,
        }
        if found["centers"] is not None:
            fitted["cluster_centers_"] = np.frombuffer(
                found["centers"], dtype=np.float64).reshape(k, d)
        if found["weights"] is not None:
            fitted["cluster_weights_"] = np.frombuffer(found["weights"],
                                                       dtype=np.float64)
        if found["bases"] is not None:
            fitted["bases_"] = np.frombuffer(
                found["bases"], dtype=np.float64).reshape(k, d, q)
        for name in ("cluster_centers_", "cluster_weights_", "bases_"):
            self.__dict__.pop(name, None)
        self.__dict__.update(fitted)

    def __getstate__(self) -> Dict[str, Any]:
        state: Dict[str, Any] = dict(super().__getstate__())
        state["progress"] = None
        state.pop("_fresh_width", None)
        return state

    def _more_tags(self) -> Dict[str, Any]:
        expected = {"check_clustering": "labels_ would be exact facts about "
                                        "the training rows"}
        if self.insecure_seed is None:
            expected["check_fit_idempotent"] = ("private noise is fresh in "
                                                "every fit")
        return {"non_deterministic": self.insecure_seed is None,
                "_xfail_checks": expected}


class _Centers(_Estimator):
    """Estimators that find centres."""

    def transform(self, X: Any) -> Array:
        """Distance of each row of X to each centre. Exact, so as secret as
        X."""
        from sklearn.metrics.pairwise import euclidean_distances
        from sklearn.utils.validation import check_array

        check_is_fitted(self)
        self._check_feature_names(X, reset=False)
        X = check_array(X, accept_sparse="csr",
                        dtype=[np.float64, np.float32])
        self._check_n_features(X, reset=False)
        return euclidean_distances(X, self.cluster_centers_.astype(X.dtype))


class KMeans(_Centers):
    """Private k-means.

    Parameters
    ----------
    n_clusters : int
        How many centres.
    epsilon : float
        The privacy budget; no default. 1 is usual, smaller is more private.
    delta : float
        0 for pure differential privacy; a number well below one over the
        number of rows, such as 1e-6, allows less noise.
    bounds : (lower, upper) or {name: (lower, upper)}
        Public bounds of the features: numbers, or one for each feature. They
        come from what the features mean, never from the rows. Values outside
        are clipped.
    radius, center : float, sequence
        A ball that holds the rows, instead of or besides the bounds.
    normalize : bool
        Map each feature's bounds to [0, 1] first; centres come back in the
        original units.
    sparsity : int
        Each row keeps its so many largest entries.
    adjacency : "add-remove" or "replace-one"
        Whether the number of rows is private too.
    method : "auto", "lloyd" or "balcan"
    rounds : int
    missing : "error" or "drop"
        What to do with rows that have a missing value.
    public_seed : int
        Coins that may be published; they cannot reach the noise.
    threads : int
        None: all processors. Changes the speed only.
    progress : callable(done, total)
        May raise, which cancels the fit.
    insecure_seed : int
        Repeat the noise, for tests: voids every guarantee, and says so.

    Attributes
    ----------
    cluster_centers_ : (k, d) array, original units, read-only
    cluster_weights_ : (k,) noisy sizes
    privacy_, guarantee_, receipts_ : what is promised and what was paid
    noise_ : how far noise alone moves a centre of an average cluster
    sensible_clusters_ : how many clusters this budget can carry
    model_ : the model file, as bytes

    Not there, on purpose: labels_, inertia_, the number of rows (exact facts
    about the rows); random_state (scikit-learn would set it, and noise from a
    known seed is no noise); sample_weight (it scales a person's influence).
    """

    _kind = "kmeans"

    def __init__(self, n_clusters: int = 8, *, epsilon: Optional[float] = None,
                 delta: float = 0.0, bounds: Any = None,
                 radius: Optional[float] = None, center: Any = None,
                 normalize: bool = False, sparsity: Optional[int] = None,
                 adjacency: str = "add-remove", method: str = "auto",
                 rounds: Optional[int] = None, missing: str = "error",
                 public_seed: int = 0, threads: Optional[int] = None,
                 progress: Any = None,
                 insecure_seed: Optional[int] = None) -> None:
        self.n_clusters = n_clusters
        self.epsilon = epsilon
        self.delta = delta
        self.bounds = bounds
        self.radius = radius
        self.center = center
        self.normalize = normalize
        self.sparsity = sparsity
        self.adjacency = adjacency
        self.method = method
        self.rounds = rounds
        self.missing = missing
        self.public_seed = public_seed
        self.threads = threads
        self.progress = progress
        self.insecure_seed = insecure_seed


class KMedians(_Centers):
    """Private k-median: the sum of distances, which outliers hardly move.

    Parameters as KMeans, and

    method : "auto" or "balcan"
    recovery : "steps" or "sampling"
        "sampling" draws the medians by a Markov chain: the guarantee is
        "asymptotic", private in the limit of a long chain only.
    """

    _kind = "kmedian"

    def __init__(self, n_clusters: int = 8, *, epsilon: Optional[float] = None,
                 delta: float = 0.0, bounds: Any = None,
                 radius: Optional[float] = None, center: Any = None,
                 normalize: bool = False, sparsity: Optional[int] = None,
                 adjacency: str = "add-remove", method: str = "auto",
                 recovery: str = "steps", rounds: Optional[int] = None,
                 missing: str = "error", public_seed: int = 0,
                 threads: Optional[int] = None, progress: Any = None,
                 insecure_seed: Optional[int] = None) -> None:
        self.n_clusters = n_clusters
        self.epsilon = epsilon
        self.delta = delta
        self.bounds = bounds
        self.radius = radius
        self.center = center
        self.normalize = normalize
        self.sparsity = sparsity
        self.adjacency = adjacency
        self.method = method
        self.recovery = recovery
        self.rounds = rounds
        self.missing = missing
        self.public_seed = public_seed
        self.threads = threads
        self.progress = progress
        self.insecure_seed = insecure_seed

    def _options(self, names: Optional[List[str]]) -> Dict[str, Any]:
        return {**super()._options(names), "recovery": self.recovery}


class SubspaceClustering(_Estimator):
    """Private subspace clustering: k planes through the origin.

    Parameters as KMeans without normalize and sparsity, and

    subspace_dim : int
        Dimension of each plane; no default.
    unit_rows : bool
        Scale each row to length 1 (after clipping), as the command does.
    method : "auto", "sulq", "bingham", "gibbs", "mincost", "sample-aggregate"
    solver : "kplane", "tsc", "tsc-components", "ssc" or "lrr"
        For sample-aggregate.

    `bases_` is (k, d, q) with orthonormal columns.
    """

    _kind = "subspace"

    def __init__(self, n_clusters: int = 8, subspace_dim: Optional[int] = None,
                 *, epsilon: Optional[float] = None, delta: float = 0.0,
                 bounds: Any = None, radius: Optional[float] = None,
                 center: Any = None, unit_rows: bool = True,
                 adjacency: str = "add-remove", method: str = "auto",
                 solver: str = "kplane", rounds: Optional[int] = None,
                 missing: str = "error", public_seed: int = 0,
                 threads: Optional[int] = None, progress: Any = None,
                 insecure_seed: Optional[int] = None) -> None:
        self.n_clusters = n_clusters
        self.subspace_dim = subspace_dim
        self.epsilon = epsilon
        self.delta = delta
        self.bounds = bounds
        self.radius = radius
        self.center = center
        self.unit_rows = unit_rows
        self.adjacency = adjacency
        self.method = method
        self.solver = solver
        self.rounds = rounds
        self.missing = missing
        self.public_seed = public_seed
        self.threads = threads
        self.progress = progress
        self.insecure_seed = insecure_seed

    def _check_needs(self) -> None:
        super()._check_needs()
        if self.subspace_dim is None:
            raise ArgumentError("subspace_dim= is required: of which dimension "
                                "are the planes?")

    def _options(self, names: Optional[List[str]]) -> Dict[str, Any]:
        return {**super()._options(names), "subspace_dim": self.subspace_dim,
                "unit_rows": self.unit_rows, "solver": self.solver}

    def _describe(self, X: Any, reset: bool) -> Tuple[Any, Any, Any]:
        described = super()._describe(X, reset)
        if described[0][0] == "csr":
            raise InputError("sparse rows are not supported here: planes need "
                             "dense rows (X.toarray())")
        return described

    def transform(self, X: Any) -> Array:
        """Distance of each row of X to each plane. Exact, so as secret as
        X."""
        from sklearn.utils.validation import check_array

        check_is_fitted(self)
        self._check_feature_names(X, reset=False)
        X = check_array(X, dtype=[np.float64, np.float32])
        self._check_n_features(X, reset=False)
        if self.unit_rows:
            lengths = np.linalg.norm(X, axis=1, keepdims=True)
            X = X / np.where(lengths > 0, lengths, 1)
        squares = (X ** 2).sum(axis=1)[:, None]
        inside = np.stack([((X @ basis.astype(X.dtype)) ** 2).sum(axis=1)
                           for basis in self.bases_], axis=1)
        return np.sqrt(np.maximum(squares - inside, 0)).astype(X.dtype)


class LocalSimulation(_Centers):
    """Local k-means or k-median: each row is a user whose device sends one
    noisy report. Here the whole protocol runs in one process, on rows that the
    caller holds: a study, not a deployment.

    Parameters as KMeans without normalize, sparsity, adjacency and rounds, and

    objective : "kmeans" or "kmedian"
    method : "auto", "one-round", "weighted-centers" or "mean"

    There may be fewer centres than asked for, when noise hides the rest.
    """

    _kind = "local"

    def __init__(self, n_clusters: int = 8, *, epsilon: Optional[float] = None,
                 delta: float = 0.0, bounds: Any = None,
                 radius: Optional[float] = None, center: Any = None,
                 objective: str = "kmeans", method: str = "auto",
                 missing: str = "error", public_seed: int = 0,
                 threads: Optional[int] = None, progress: Any = None,
                 insecure_seed: Optional[int] = None) -> None:
        self.n_clusters = n_clusters
        self.epsilon = epsilon
        self.delta = delta
        self.bounds = bounds
        self.radius = radius
        self.center = center
        self.objective = objective
        self.method = method
        self.missing = missing
        self.public_seed = public_seed
        self.threads = threads
        self.progress = progress
        self.insecure_seed = insecure_seed

    def _options(self, names: Optional[List[str]]) -> Dict[str, Any]:
        return {**super()._options(names), "objective": self.objective,
                "adjacency": None}


# ---- models from files -----------------------------------------------------


def load_model(path: Any) -> _Estimator:
    """Read a model file, the command's or save's: a fitted estimator of its
    class. Its parameters are those that the file tells."""
    with open(path, "rb") as file:
        text = file.read()
    found = call(_core.model, text, os.fspath(path))
    facts = json.loads(text)
    parameters = facts.get("parameters", {})
    local = facts.get("privacy", {}).get("model") == "local"
    kind: Any = {"kmeans": KMeans, "kmedian": KMedians,
                 "subspace": SubspaceClustering}[facts["kind"]]
    estimator = (LocalSimulation if local else kind)(found["k"])
    names = estimator.get_params()
    privacy = facts.get("privacy", {})
    box = parameters.get("bounds")
    known = {"epsilon": privacy.get("epsilon"),
             "delta": privacy.get("delta", 0.0),
             "adjacency": privacy.get("adjacency", "add-remove"),
             "bounds": (box["lower"], box["upper"]) if box else None,
             "radius": parameters.get("radius"),
             "center": parameters.get("center"),
             "normalize": parameters.get("normalize", False),
             "sparsity": parameters.get("sparsity"),
             "rounds": parameters.get("rounds_asked"),
             "public_seed": parameters.get("public_seed", 0),
             "insecure_seed": parameters.get("insecure_seed"),
             "missing": parameters.get("missing", "error"),
             "subspace_dim": parameters.get("subspace_dimension"),
             "unit_rows": parameters.get("scale", "unit") == "unit",
             "recovery": parameters.get("recovery", "steps"),
             "objective": facts["kind"], "method": facts.get("method", "auto")}
    estimator.set_params(**{name: value for name, value in known.items()
                            if name in names})
    facts.setdefault("parameters", parameters)
    facts.setdefault("privacy", privacy)
    found["text"] = text
    found["receipts"] = [
        (r["what"], r["mechanism"],
         r.get("sensitivity", {}).get("norm", ""),
         r.get("sensitivity", {}).get("value", 0.0), r.get("scale") or 0.0,
         "mu" if "mu" in r["loss"] else "epsilon",
         r["loss"].get("mu", r["loss"].get("epsilon", 0.0)))
        for r in privacy.get("releases", [])]
    estimator._accept(found, facts)
    if parameters.get("columns"):
        estimator.feature_names_in_ = np.array(parameters["columns"],
                                               dtype=object)
    return estimator


# ---- pipelines -------------------------------------------------------------


def check_pipeline(pipeline: Any) -> List[str]:
    """Names of the steps before a kith estimator that learn from the rows
    (StandardScaler, PCA, ...). Such a step is not private and voids the
    guarantee; an empty list is good news. `normalize=True` needs public bounds
    only and does what most of them are used for."""
    learned: List[str] = []
    for name, step in pipeline.steps:
        if isinstance(step, _Estimator):
            return learned
        if step is None or step == "passthrough":
            continue
        tags = step._get_tags() if hasattr(step, "_get_tags") else {}
        if not tags.get("stateless", False):
            learned.append(name)
    return []

"""KMeans, KMedians, SubspaceClustering, LocalSimulation; load_model and
check_pipeline."""
from __future__ import annotations

import json
import os
from typing import Any, Dict, List, Optional, Tuple

import numpy as np

from . import _core
from .errors import ArgumentError, InputError
from .estimator import Estimator
from .model import Array


class _Centers(Estimator):
    """Estimators that find centres."""

    def _distances(self, X: Any) -> Array:
        from sklearn.metrics.pairwise import euclidean_distances

        return euclidean_distances(X, self.cluster_centers_.astype(X.dtype))


class KMeans(_Centers):
    """Private k-means: centres that make the sum of squared distances
    small, under differential privacy.

    Parameters
    ----------
    n_clusters : int, default 8
        How many centres.
    epsilon : float
        The privacy budget; no default. 1 is usual, smaller is more private.
    delta : float, default 0
        0 for pure differential privacy; a number well below one over the
        number of rows, such as 1e-6, allows less noise.
    bounds : (lower, upper) or {name: (lower, upper)}
        Public bounds of the features: numbers, one sequence for each side, or
        a mapping with all columns of a DataFrame. They come from what the
        features mean, never from the rows. Values outside are clipped.
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
        Or a baseline of papers, to compare with: "sulq", "grid",
        "kvariates", "sample-aggregate".
    rounds : int
        None: as many as the method finds best before it sees a row.
    missing : "error" or "drop"
        What to do with rows that have a missing value.
    public_seed : int, default 0
        Coins that may be published; they cannot reach the noise.
    ledger : kith.Ledger
        Who pays; None: the ledger of this context (Ledger.account), if any.
    account : str
        The ledger's account that is charged.
    threads : int
        None: all processors. Changes the speed only.
    progress : None, bool, callable(done, total) or a tqdm bar
        None: a bar on a terminal or in a notebook after two seconds. A
        function may raise, which cancels the fit.
    insecure_seed : int
        Repeat the noise, for tests: voids every guarantee, and says so.

    Attributes
    ----------
    cluster_centers_ : (k, d) array, original units, read-only
    cluster_weights_ : (k,) noisy sizes
    privacy_, guarantee_, receipts_ : what is promised and what was paid;
        privacy_.check() adds the receipts up
    noise_ : how far noise alone moves a centre of an average cluster
    sensible_clusters_ : how many clusters this budget can carry
    distinct_centers_ : how many centres differ
    n_iter_, n_features_in_, feature_names_in_ : as in scikit-learn
    model_ : the model file, as bytes

    Not there, on purpose: labels_, inertia_, the number of rows (exact facts
    about the rows); random_state (scikit-learn would set it, and noise from a
    known seed is no noise); sample_weight (it scales a person's influence).

    Examples
    --------
    >>> kith.KMeans(3, epsilon=1, delta=1e-6, bounds=(0, 100)).fit(X)
    """

    _kind = "kmeans"

    def __init__(self, n_clusters: int = 8, *, epsilon: Optional[float] = None,
                 delta: float = 0.0, bounds: Any = None,
                 radius: Optional[float] = None, center: Any = None,
                 normalize: bool = False, sparsity: Optional[int] = None,
                 adjacency: str = "add-remove", method: str = "auto",
                 rounds: Optional[int] = None, missing: str = "error",
                 public_seed: int = 0, ledger: Any = None,
                 account: Optional[str] = None, threads: Optional[int] = None,
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
        self.ledger = ledger
        self.account = account
        self.threads = threads
        self.progress = progress
        self.insecure_seed = insecure_seed


class KMedians(_Centers):
    """Private k-median: the sum of distances, which outliers hardly move.

    Parameters
    ----------
    n_clusters : int, default 8
        How many centres.
    epsilon : float
        The privacy budget; no default. 1 is usual, smaller is more private.
    delta : float, default 0
        0 for pure differential privacy; a number well below one over the
        number of rows, such as 1e-6, allows less noise.
    bounds : (lower, upper) or {name: (lower, upper)}
        Public bounds of the features: numbers, one sequence for each side, or
        a mapping with all columns of a DataFrame. They come from what the
        features mean, never from the rows. Values outside are clipped.
    radius, center : float, sequence
        A ball that holds the rows, instead of or besides the bounds.
    normalize : bool
        Map each feature's bounds to [0, 1] first; centres come back in the
        original units.
    sparsity : int
        Each row keeps its so many largest entries.
    adjacency : "add-remove" or "replace-one"
        Whether the number of rows is private too.
    method : "auto" or "balcan"
    recovery : "steps" or "sampling"
        "sampling" draws the medians by a Markov chain: the guarantee is
        "asymptotic", private in the limit of a long chain only.
    rounds : int
        None: as many as the method finds best before it sees a row.
    missing : "error" or "drop"
        What to do with rows that have a missing value.
    public_seed : int, default 0
        Coins that may be published; they cannot reach the noise.
    ledger : kith.Ledger
        Who pays; None: the ledger of this context (Ledger.account), if any.
    account : str
        The ledger's account that is charged.
    threads : int
        None: all processors. Changes the speed only.
    progress : None, bool, callable(done, total) or a tqdm bar
        None: a bar on a terminal or in a notebook after two seconds. A
        function may raise, which cancels the fit.
    insecure_seed : int
        Repeat the noise, for tests: voids every guarantee, and says so.

    Attributes
    ----------
    cluster_centers_ : (k, d) array, original units, read-only
    cluster_weights_ : (k,) noisy sizes
    privacy_, guarantee_, receipts_ : what is promised and what was paid;
        privacy_.check() adds the receipts up
    noise_ : how far noise alone moves a centre of an average cluster
    sensible_clusters_ : how many clusters this budget can carry
    distinct_centers_ : how many centres differ
    n_iter_, n_features_in_, feature_names_in_ : as in scikit-learn
    model_ : the model file, as bytes

    Not there, on purpose: labels_, inertia_, the number of rows (exact facts
    about the rows); random_state (scikit-learn would set it, and noise from a
    known seed is no noise); sample_weight (it scales a person's influence).

    Examples
    --------
    >>> kith.KMedians(3, epsilon=1, radius=10).fit(X)
    """

    _kind = "kmedian"

    def __init__(self, n_clusters: int = 8, *, epsilon: Optional[float] = None,
                 delta: float = 0.0, bounds: Any = None,
                 radius: Optional[float] = None, center: Any = None,
                 normalize: bool = False, sparsity: Optional[int] = None,
                 adjacency: str = "add-remove", method: str = "auto",
                 recovery: str = "steps", rounds: Optional[int] = None,
                 missing: str = "error", public_seed: int = 0,
                 ledger: Any = None, account: Optional[str] = None,
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
        self.ledger = ledger
        self.account = account
        self.threads = threads
        self.progress = progress
        self.insecure_seed = insecure_seed

    def _options(self, names: Optional[List[str]]) -> Dict[str, Any]:
        return {**super()._options(names), "recovery": self.recovery}


class SubspaceClustering(Estimator):
    """Private subspace clustering: k planes through the origin.

    Parameters
    ----------
    n_clusters : int, default 8
        How many planes.
    subspace_dim : int
        Dimension of each plane; no default.
    epsilon : float
        The privacy budget; no default. 1 is usual, smaller is more private.
    delta : float, default 0
        0 for pure differential privacy; a number well below one over the
        number of rows, such as 1e-6, allows less noise.
    bounds : (lower, upper) or {name: (lower, upper)}
        Public bounds of the features: numbers, one sequence for each side, or
        a mapping with all columns of a DataFrame. They come from what the
        features mean, never from the rows. Values outside are clipped.
    radius, center : float, sequence
        A ball that holds the rows, instead of or besides the bounds.
    unit_rows : bool, default True
        Scale each row to length 1 (after clipping), as the command does.
    adjacency : "add-remove" or "replace-one"
        Whether the number of rows is private too.
    method : "auto", "sulq", "bingham", "gibbs", "mincost", "sample-aggregate"
    solver : "kplane", "tsc", "tsc-components", "ssc" or "lrr"
        For sample-aggregate.
    rounds : int
        None: as many as the method finds best before it sees a row.
    missing : "error" or "drop"
        What to do with rows that have a missing value.
    public_seed : int, default 0
        Coins that may be published; they cannot reach the noise.
    ledger : kith.Ledger
        Who pays; None: the ledger of this context (Ledger.account), if any.
    account : str
        The ledger's account that is charged.
    threads : int
        None: all processors. Changes the speed only.
    progress : None, bool, callable(done, total) or a tqdm bar
        None: a bar on a terminal or in a notebook after two seconds. A
        function may raise, which cancels the fit.
    insecure_seed : int
        Repeat the noise, for tests: voids every guarantee, and says so.

    Attributes
    ----------
    bases_ : (k, d, q) array with orthonormal columns, read-only
    privacy_, guarantee_, receipts_ : what is promised and what was paid;
        privacy_.check() adds the receipts up
    noise_ : how far noise alone turns a direction of a plane (radians, at most
        a right angle) of an average cluster; None: not known
    sensible_clusters_ : how many clusters this budget can carry
    distinct_centers_ : how many planes differ
    n_iter_, n_features_in_, feature_names_in_ : as in scikit-learn
    model_ : the model file, as bytes

    Not there, on purpose: labels_, inertia_, the number of rows (exact facts
    about the rows); random_state (scikit-learn would set it, and noise from a
    known seed is no noise); sample_weight (it scales a person's influence).

    Examples
    --------
    >>> kith.SubspaceClustering(3, 2, epsilon=2, radius=1).fit(X)
    """

    _kind = "subspace"

    def __init__(self, n_clusters: int = 8, subspace_dim: Optional[int] = None,
                 *, epsilon: Optional[float] = None, delta: float = 0.0,
                 bounds: Any = None, radius: Optional[float] = None,
                 center: Any = None, unit_rows: bool = True,
                 adjacency: str = "add-remove", method: str = "auto",
                 solver: str = "kplane", rounds: Optional[int] = None,
                 missing: str = "error", public_seed: int = 0,
                 ledger: Any = None, account: Optional[str] = None,
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
        self.ledger = ledger
        self.account = account
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

    def _distances(self, X: Any) -> Array:
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
    caller holds: a study, not a deployment. Each user pays on the own device,
    so there is no ledger. There may be fewer centres than asked for, when
    noise hides the rest.

    Parameters
    ----------
    n_clusters : int, default 8
        How many centres.
    epsilon : float
        The privacy budget; no default. 1 is usual, smaller is more private.
    delta : float, default 0
        0 for pure differential privacy; a number well below one over the
        number of rows, such as 1e-6, allows less noise.
    bounds : (lower, upper) or {name: (lower, upper)}
        Public bounds of the features: numbers, one sequence for each side, or
        a mapping with all columns of a DataFrame. They come from what the
        features mean, never from the rows. Values outside are clipped.
    radius, center : float, sequence
        A ball that holds the rows, instead of or besides the bounds.
    objective : "kmeans" or "kmedian"
    method : "auto", "one-round", "weighted-centers" or "mean"
    missing : "error" or "drop"
        What to do with rows that have a missing value.
    public_seed : int, default 0
        Coins that may be published; they cannot reach the noise.
    threads : int
        None: all processors. Changes the speed only.
    progress : None, bool, callable(done, total) or a tqdm bar
        None: a bar on a terminal or in a notebook after two seconds. A
        function may raise, which cancels the fit.
    insecure_seed : int
        Repeat the noise, for tests: voids every guarantee, and says so.

    Attributes
    ----------
    cluster_centers_ : (k, d) array, original units, read-only
    cluster_weights_ : (k,) noisy sizes
    privacy_, guarantee_, receipts_ : what is promised and what was paid;
        privacy_.check() adds the receipts up
    noise_ : how far noise alone moves a centre (forecast) of an average cluster
    distinct_centers_ : how many centres differ
    n_iter_, n_features_in_, feature_names_in_ : as in scikit-learn
    model_ : the model file, as bytes

    Not there, on purpose: labels_, inertia_, the number of rows (exact facts
    about the rows); random_state (scikit-learn would set it, and noise from a
    known seed is no noise); sample_weight (it scales a person's influence).

    Examples
    --------
    >>> kith.LocalSimulation(3, epsilon=2, bounds=(0, 1)).fit(X)
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


def load_model(path: Any) -> Estimator:
    """Read a model file, the command's or save's: a fitted estimator of its
    class. Its parameters are those that the file tells."""
    with open(path, "rb") as file:
        text = file.read()
    _core.check(text, os.fsdecode(path))
    facts = json.loads(text)
    parameters, privacy = facts.get("parameters", {}), facts.get("privacy", {})
    kind: Any = {"kmeans": KMeans, "kmedian": KMedians,
                 "subspace": SubspaceClustering}[facts["kind"]]
    estimator: Estimator = (LocalSimulation if privacy.get("model") == "local"
                            else kind)(facts["k"])
    box = parameters.get("bounds")
    known = {**parameters,
             "epsilon": privacy.get("epsilon"),
             "delta": privacy.get("delta", 0.0),
             "adjacency": privacy.get("adjacency", "add-remove"),
             "bounds": (box["lower"], box["upper"]) if box else None,
             "rounds": parameters.get("rounds_asked"),
             "subspace_dim": parameters.get("subspace_dimension"),
             "unit_rows": parameters.get("scale", "unit") == "unit",
             "objective": facts["kind"], "method": facts.get("method", "auto")}
    names = estimator.get_params()
    estimator.set_params(**{name: value for name, value in known.items()
                            if name in names})
    estimator._accept(text)
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
        if isinstance(step, Estimator):
            return learned
        if step is None or step == "passthrough":
            continue
        tags = step._get_tags() if hasattr(step, "_get_tags") else {}
        if not tags.get("stateless", False):
            learned.append(name)
    return []

"""A fit is the command's, byte for byte: the whole model file."""
import json
import os
import subprocess

import numpy as np
import pytest

import kith

PURE, APPROXIMATE = {"epsilon": 2}, {"epsilon": 2, "delta": 1e-6}


def flags(budget):
    return [part for key, value in budget.items()
            for part in (f"--{key}", value)]


@pytest.mark.parametrize("budget", [PURE, APPROXIMATE])
@pytest.mark.parametrize("adjacency", ["add-remove", "replace-one"])
@pytest.mark.parametrize("method", ["auto", "lloyd", "balcan", "sulq", "grid",
                                    "kvariates", "sample-aggregate"])
def test_kmeans(rows, command, seeded, method, adjacency, budget):
    text = command(rows, "kmeans", "-k", 4, "--bounds", "-1:1", "--method",
                   method, "--adjacency", adjacency, *flags(budget))
    model = seeded(kith.KMeans(4, bounds=(-1, 1), method=method,
                               adjacency=adjacency, **budget), rows)
    assert model.model_ == text


@pytest.mark.parametrize("budget", [PURE, APPROXIMATE])
@pytest.mark.parametrize("adjacency", ["add-remove", "replace-one"])
@pytest.mark.parametrize("method", ["auto", "balcan"])
def test_kmedians(rows, command, seeded, method, adjacency, budget):
    text = command(rows, "kmedian", "-k", 4, "--radius", 3, "--method", method,
                   "--adjacency", adjacency, *flags(budget))
    assert seeded(kith.KMedians(4, radius=3, method=method,
                                adjacency=adjacency, **budget),
                  rows).model_ == text


@pytest.mark.parametrize("budget", [PURE, APPROXIMATE])
@pytest.mark.parametrize("adjacency", ["add-remove", "replace-one"])
@pytest.mark.parametrize("method", ["auto", "sulq"])
def test_subspace(rows, command, seeded, method, adjacency, budget):
    text = command(rows, "subspace", "-k", 2, "-q", 2, "--radius", 3,
                   "--method", method, "--adjacency", adjacency,
                   *flags(budget))
    model = seeded(kith.SubspaceClustering(2, 2, radius=3, method=method,
                                           adjacency=adjacency, **budget),
                   rows)
    assert model.model_ == text
    assert model.bases_.shape == (2, 5, 2)


@pytest.mark.parametrize("method", ["auto", "one-round", "mean"])
def test_local(rows, command, seeded, method):
    text = command(rows, "local", "simulate", "-k", 2, "--radius", 3,
                   "--method", method, *flags(PURE))
    model = seeded(kith.LocalSimulation(2, radius=3, method=method, **PURE),
                   rows)
    assert model.model_ == text


@pytest.mark.parametrize("kind", ["f8", "f4", "f2", "i8", "i4", "i2", "i1",
                                  "u8", "u4", "u2", "u1", "?", ">f8", ">i4"])
def test_types_and_orders(rows, command, seeded, kind):
    array = (rows * 100).clip(0, 99).astype(kind)
    text = command(array, "kmeans", "-k", 3, "--bounds", "0:100", "--method",
                   "lloyd", "-e", 1)
    wide = np.zeros((2 * len(array), 2 * array.shape[1]), array.dtype)
    wide[::2, ::2] = array
    frozen = array.copy()
    frozen.flags.writeable = False
    for same in (array, np.asfortranarray(array), wide[::2, ::2], frozen,
                 array[::-1].copy()[::-1]):
        model = seeded(kith.KMeans(3, epsilon=1, bounds=(0, 100),
                                   method="lloyd"), same)
        assert model.model_ == text


# Every method of every estimator: command line, estimator, and whether the
# neighbours can be chosen.
RADIUS, PLANES = ("--radius", 300), {"subspace_dim": 1, "radius": 300}
CHAIN = ("--rounds", 20)
EVERY = {
    **{f"kmeans {m}": (("kmeans", "--bounds", "0:100", "--method", m),
                       (kith.KMeans, {"bounds": (0, 100), "method": m}), True)
       for m in ("auto", "lloyd", "balcan", "sulq", "grid", "kvariates",
                 "sample-aggregate")},
    **{f"kmedian {m}": (("kmedian", *RADIUS, "--method", m),
                        (kith.KMedians, {"radius": 300, "method": m}), True)
       for m in ("auto", "balcan")},
    "kmedian sampling": (
        ("kmedian", *RADIUS, "--method", "balcan", "--recovery", "sampling"),
        (kith.KMedians, {"radius": 300, "method": "balcan",
                         "recovery": "sampling"}), True),
    **{f"subspace {m}": (("subspace", "-q", 1, *RADIUS, "--method", m),
                         (kith.SubspaceClustering, {**PLANES, "method": m}),
                         True) for m in ("auto", "sulq")},
    **{f"subspace {m}": (
        ("subspace", "-q", 1, *RADIUS, "--method", m, *CHAIN),
        (kith.SubspaceClustering, {**PLANES, "method": m, "rounds": 20}), True)
       for m in ("bingham", "gibbs", "mincost")},
    "subspace sample-aggregate": (
        ("subspace", "-q", 1, *RADIUS, "--method", "sample-aggregate"),
        (kith.SubspaceClustering, {**PLANES, "method": "sample-aggregate"}),
        True),
    **{f"local {m}": (("local", "simulate", *RADIUS, "--method", m),
                      (kith.LocalSimulation, {"radius": 300, "method": m}),
                      False)
       for m in ("auto", "one-round", "weighted-centers", "mean")},
    "local kmedian": (
        ("local", "simulate", *RADIUS, "--objective", "kmedian"),
        (kith.LocalSimulation, {"radius": 300, "objective": "kmedian"}),
        False),
}


# Blocks of so few rows need a large budget to say anything.
BUDGETS = {"subspace sample-aggregate": {"epsilon": 50, "delta": 1e-6}}


def in_every_dress(array):
    """The same numbers in other types, orders and strides."""
    wide = np.zeros((2 * len(array), 2 * array.shape[1]), "i2")
    wide[1::2, ::2] = array
    return (np.asfortranarray(array.astype("f4")), array.astype("u1"),
            wide[1::2, ::2], array.astype("f2")[::-1].copy()[::-1])


@pytest.mark.parametrize("adjacency", ["add-remove", "replace-one"])
@pytest.mark.parametrize("name", EVERY)
def test_methods_types_and_orders(rows, command, seeded, name, adjacency):
    words, (kind, options), neighbours = EVERY[name]
    if neighbours:
        words += ("--adjacency", adjacency)
        options = {**options, "adjacency": adjacency}
    elif adjacency != "add-remove":
        pytest.skip("each user is asked on the own device")
    array = (rows[:400, :3] * 100).clip(0, 99).astype("i2")
    k, budget = 1 if name == "local mean" else 2, BUDGETS.get(name, PURE)
    text = command(array.astype("f8"), *words, "-k", k, *flags(budget))
    dresses = in_every_dress(array)
    for same in dresses[:1] if name == "local one-round" else dresses:
        model = seeded(kind(k, **options, **budget), same)
        assert model.model_ == text


def test_sample_aggregate(rows, command, seeded):
    budget = {"epsilon": 60, "delta": 1e-3}
    array = (rows[:, :2] * 100).clip(0, 99).astype("i2")
    text = command(array, "subspace", "-k", 1, "-q", 1, "--radius", 300,
                   "--method", "sample-aggregate", *flags(budget))
    for same in in_every_dress(array):
        model = seeded(kith.SubspaceClustering(
            1, 1, radius=300, method="sample-aggregate", **budget), same)
        assert model.model_ == text


def test_normalize_center_threads(rows, command, seeded):
    text = command(rows, "kmeans", "-k", 3, "-e", 1, "--bounds", "-2:2",
                   "--normalize", "--threads", 2, "--rounds", 3, "--seed", 5)
    model = seeded(kith.KMeans(3, epsilon=1, bounds=(-2, 2), normalize=True,
                               threads=1, rounds=3, public_seed=5), rows)
    assert model.model_ == text


def test_people(rows, seeded, tmp_path):
    """groups= is --user-column: the same rows are kept, and the unit is the
    person."""
    whose = [f"p{i % 40}" for i in range(len(rows))]
    path, made = tmp_path / "who.csv", tmp_path / "model.json"
    path.write_text("".join(
        ",".join([who, *(repr(float(value)) for value in row)]) + "\n"
        for who, row in zip(whose, rows)))
    subprocess.run([os.environ["KITH"], "kmeans", "-k", "2", "--bounds",
                    "-1:1", "--no-header", "--user-column", "1", "--columns",
                    "2,3,4,5,6", "-e", "2", "--quiet", "--insecure-seed", "7",
                    "-o", made, path], check=True, stderr=subprocess.DEVNULL)

    def fit(groups):
        with pytest.warns(kith.NotPrivateWarning):
            return kith.KMeans(2, bounds=(-1, 1), insecure_seed=7,
                               **PURE).fit(rows, groups=groups)
    ours, theirs = fit(whose), json.loads(made.read_bytes())
    assert json.loads(ours.model_)["privacy"]["unit"] == "user"
    assert ours.cluster_centers_.tolist() == theirs["centers"]
    assert fit(np.array(whose, dtype=object)).model_ == ours.model_
    for groups, X, words in ((whose[1:], rows, "one for each row"),
                             ([None, *whose[1:]], rows, "nobody knows whose"),
                             (whose, path, "arrays and tables")):
        with pytest.raises(ValueError, match=words):
            kith.KMeans(2, bounds=(-1, 1), **PURE).fit(X, groups=groups)
    with pytest.raises(ValueError, match="user already"):
        kith.LocalSimulation(2, radius=3, **PURE).fit(rows, groups=whose)
    with pytest.raises(ValueError, match="user already"):
        kith.LocalSimulation(2, radius=3, **PURE).plan(40, 5, groups=True)
    for groups, unit in ((False, "row"), (True, "user")):
        plan = kith.KMeans(2, bounds=(-1, 1), **PURE).plan(40, 5,
                                                           groups=groups)
        assert plan.facts["privacy"]["unit"] == unit

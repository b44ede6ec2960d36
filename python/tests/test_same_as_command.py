"""A fit is the command's, byte for byte: the whole model file."""
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


def test_normalize_center_threads(rows, command, seeded):
    text = command(rows, "kmeans", "-k", 3, "-e", 1, "--bounds", "-2:2",
                   "--normalize", "--threads", 2, "--rounds", 3, "--seed", 5)
    model = seeded(kith.KMeans(3, epsilon=1, bounds=(-2, 2), normalize=True,
                               threads=1, rounds=3, public_seed=5), rows)
    assert model.model_ == text

"""What the tests of the package share."""
import ctypes
import json
import os
import subprocess

import numpy as np
import pytest

import kith


def same_kernels():
    """The command computes with the kernels that OpenBLAS has chosen here.

    It would choose better ones for a processor that OpenBLAS does not know
    (docs/decisions/0035), and seeded bits follow them."""
    try:
        blas = ctypes.CDLL("libopenblas.so.0")
    except OSError:
        return
    blas.openblas_get_corename.restype = ctypes.c_char_p
    os.environ.setdefault("OPENBLAS_CORETYPE",
                          blas.openblas_get_corename().decode())


same_kernels()


@pytest.fixture(scope="session")
def rows():
    """Four clear clusters in [-1, 1]."""
    random = np.random.default_rng(1)
    middles = random.uniform(-.7, .7, (4, 5))
    return np.clip(middles[random.integers(4, size=1500)]
                   + random.normal(0, .05, (1500, 5)), -1, 1)


@pytest.fixture
def command(tmp_path):
    """The model file that the command makes of an array."""
    def run(array, *arguments):
        source, model = tmp_path / "rows.npy", tmp_path / "model.json"
        np.save(source, array)
        subprocess.run([os.environ["KITH"], *map(str, arguments), "--quiet",
                        "--insecure-seed", "7", "-o", model, source],
                       check=True, stderr=subprocess.DEVNULL)
        text = model.read_bytes()
        model.unlink()
        return text
    return run


@pytest.fixture
def seeded():
    """A fit without its warning."""
    def fit(estimator, X):
        with pytest.warns(kith.NotPrivateWarning):
            return estimator.set_params(insecure_seed=7).fit(X)
    return fit


def facts(model):
    return json.loads(model.model_)

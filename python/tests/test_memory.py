"""Memory that runs out: every allocation of a call fails once, and each time
the answer is an exception, nothing is torn, and the next call works."""
import os
import subprocess
import sys

import pytest

PROGRAM = """
import ctypes, json, sys
import numpy as np
sys.path.insert(0, sys.argv[1])
import kith
from kith import _core
import kith.errors
shim = ctypes.PyDLL(sys.argv[2])
X = np.random.default_rng(0).random((40, 2))
I = np.arange(41)
box = {"lower": np.zeros(1).tobytes(), "upper": np.ones(1).tobytes(),
       "epsilon": 1.0, "clusters": 2, "method": "lloyd", "rounds": 1,
       "threads": 1, "names": [b"a", b"b"], "insecure_seed": 1}
model = _core.fit("kmeans", ("array", X), box, None, None)
ledger = _core.ledger_open("memory:", 1)
_core.ledger_grant(ledger, "a", {"epsilon": 4096})
paid = {**{k: v for k, v in box.items() if k != "insecure_seed"},
        "epsilon": 0.1}
column = np.ascontiguousarray(X[:, 0])
read = {"threads": 1}
calls = {
    "fit": lambda: _core.fit("kmeans", ("array", X), box, None, None),
    "paid": lambda: _core.fit("kmeans", ("array", X), paid, None,
                              (ledger, "a")),
    "columns": lambda: _core.fit(
        "kmeans", ("columns", [(column, None), (column, bytes(40))]), box,
        None, None),
    "csr": lambda: _core.fit("kmeans", ("csr", I, I[:40] % 2, column, 2), box,
                             None, None),
    "paths": lambda: _core.fit("kmeans", ("paths", [b"/nonexistent.npy"]), box,
                               None, None),
    "progress": lambda: _core.fit("kmeans", ("array", X), box,
                                  lambda done, total: (done, [total]), None),
    "plan": lambda: _core.plan("kmeans", (1000, 2, False), box),
    "assign": lambda: _core.apply(model, ("array", X), read, bytearray()),
    "evaluate": lambda: _core.apply(model, ("array", X), read, None),
    "check": lambda: _core.check(model, "it"),
    "bad": lambda: _core.check(b"{", "it"),
    "ledger": lambda: _core.ledger_open("memory:", 1),
    "read": lambda: _core.ledger_read(ledger, "a"),
    "accounts": lambda: _core.ledger_accounts(ledger),
    "people": lambda: _core.fit("kmeans", ("array", X), box, None, None,
                                [b"a"] * 40),
}
counts = {}
for name, call in calls.items():
    failed = 0
    for n in range(1, 100000):
        error = None
        try:
            shim.fail_at(n)
            call()
        except (MemoryError, kith.KithError, ImportError) as e:
            error = type(e).__name__
        except SystemError as e:  # CPython 3.11's own, calling errors.fail
            if not str(e).startswith("<function fail"):
                raise
        finally:
            seen = shim.fail_seen()
            shim.fail_at(0)
        if not seen:
            break
        failed += error == "MemoryError"
    counts[name] = (n, failed)
same = _core.fit("kmeans", ("array", X), box, None, None) == model
print(json.dumps([same, counts]))
"""


@pytest.mark.skipif("KITH_BUILD" not in os.environ, reason="needs the build")
def test_every_allocation_fails():
    import json
    build = os.environ["KITH_BUILD"]
    shim = os.path.join(build, "python", "fail_alloc.so")
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, os.path.join(build, "python"), shim],
        env={**os.environ, "LD_PRELOAD": shim, "PYTHONMALLOC": "malloc",
             "OPENBLAS_NUM_THREADS": "1"},
        capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    same, counts = json.loads(done.stdout)
    assert same
    for name in ("fit", "paid", "columns", "csr", "progress", "assign", "plan"):
        tried, failed = counts[name]
        assert failed > 10, counts

"""Rows of every kind give the same model, and bad ones are named."""
import numpy as np
import pandas
import pytest
import scipy.sparse

import kith


def estimator(**more):
    return kith.KMeans(3, **{"epsilon": 1, "bounds": (0, 100),
                             "method": "lloyd", **more})


@pytest.fixture
def table(rows):
    return (rows * 100).clip(0, 99).round()


def centers(seeded, X, **more):
    return seeded(estimator(**more), X).cluster_centers_.tobytes()


def test_frames(table, seeded):
    want = centers(seeded, table)
    names = list("abcde")
    frame = pandas.DataFrame(table, columns=names)
    mixed = frame.astype({"a": "int64", "b": "float32", "c": "Int64",
                          "d": "Float64", "e": "uint8"})
    for same in (frame, mixed, frame.astype("object"), frame.astype("Int32")):
        model = seeded(estimator(), same)
        assert model.cluster_centers_.tobytes() == want
        assert list(model.feature_names_in_) == names
        assert model.model_.count(b'"columns": ["a", "b", "c"') == 1
    by_name = {name: (0, 100) for name in names}
    assert centers(seeded, frame, bounds=by_name) == want
    with pytest.raises(kith.PrivacyError, match="no bounds for e"):
        estimator(bounds={n: (0, 1) for n in "abcd"}).fit(frame)


def test_missing(table, seeded):
    frame = pandas.DataFrame(table).astype("Int64")
    frame.iloc[7, 2] = pandas.NA
    with pytest.raises(kith.InputError, match="row 8: column 3"):
        estimator().fit(frame)
    rest = centers(seeded, np.delete(table, 7, axis=0), missing="drop")
    assert centers(seeded, frame, missing="drop") == rest
    holed = table.copy()
    holed[7, 2] = np.inf
    with pytest.raises(kith.InputError, match="row 8: column 3.*NaN or inf"):
        estimator().fit(holed)
    assert centers(seeded, holed, missing="drop") == rest
    with pytest.raises(kith.PrivacyError, match="number of rows"):
        estimator(missing="drop", adjacency="replace-one").fit(table)


def test_sparse(table, seeded, tmp_path):
    table = np.where(table > 60, table, 0)
    csr = scipy.sparse.csr_matrix(table)
    lines = ["0 " + " ".join(f"{j + 1}:{v:g}" for j, v in enumerate(row) if v)
             for row in table]
    path = tmp_path / "rows.svm"
    path.write_text("\n".join(lines) + "\n")
    want = centers(seeded, csr)
    long = csr.copy()
    long.indices = long.indices.astype(np.int64)
    long.indptr = long.indptr.astype(np.int64)
    twice = scipy.sparse.coo_matrix(csr)
    for same in (long, csr.tocsc(), twice, csr.astype("f4"), csr.astype("i2")):
        assert centers(seeded, same) == want
    model = seeded(estimator(), csr)
    assert (model.predict(csr) == model.predict(csr.astype("i4"))).all()
    torn = csr.copy()
    torn.indices[0] = 99
    torn.has_canonical_format = True
    with pytest.raises(kith.InputError, match="row 1"):
        estimator().fit(torn)


def test_views(table, seeded, tmp_path):
    """Memory maps, matrices, masked columns of a larger array, lists."""
    want = centers(seeded, table)
    np.save(tmp_path / "t.npy", table.astype("f4"))
    mapped = np.load(tmp_path / "t.npy", mmap_mode="r")
    record = np.zeros(len(table), [("pad", "u1"), ("x", "f4", 5)])
    record["x"] = table
    for same in (mapped, np.asmatrix(table), record["x"], table.tolist(),
                 np.asarray(table, np.longdouble), table[:, ::-1][:, ::-1],
                 mapped[:, :], table.astype(object)):
        assert centers(seeded, same) == want


def test_paths(table, seeded, tmp_path):
    want = centers(seeded, table)
    paths = [tmp_path / "a.npy", tmp_path / "b.csv"]
    np.save(paths[0], table[:500])
    np.savetxt(paths[1], table[500:], delimiter=",", fmt="%g")
    assert centers(seeded, paths) == want
    assert centers(seeded, [str(p) for p in paths]) == want
    with pytest.raises(kith.InputError, match="No such file"):
        estimator().fit(tmp_path / "none.npy")


@pytest.mark.parametrize("bad", [np.zeros((3, 2), complex),
                                 np.array([["a", "b"]]),
                                 np.array([["2020-01-01"]], "M8[D]"),
                                 np.array([["a"]], object),
                                 np.array([[object()]])])
def test_refused(bad):
    with pytest.raises((kith.InputError, TypeError), match="number"):
        estimator().fit(bad)
    with pytest.raises(kith.InputError, match="column 'when'"):
        estimator().fit(pandas.DataFrame(
            {"x": [1.0], "when": [pandas.Timestamp(0)]}))


def test_no_copy():
    """Peak above X: 1.2 times the quantised rows (2 bytes a value) and 16 MiB,
    whatever the type."""
    import subprocess
    import sys
    program = """
import re, numpy as np, sklearn.base, kith, warnings
warnings.simplefilter("ignore")
def fit(X): return kith.KMeans(4, epsilon=1, delta=1e-6, radius=20,
    method="lloyd", rounds=1, threads=2, insecure_seed=1).fit(X)
def kilobytes(what):
    return int(re.search(what + r":\\s+(\\d+)", open("/proc/self/status").read())[1])
small = np.random.default_rng(0).integers(0, 3, (60000, 100), dtype="u1")
fit(small[:1000])
for kind in ("u1", "f8", "f4", "i2"):
    for order in "CF":
        X = np.array(small, kind, order=order)
        open("/proc/self/clear_refs", "w").write("5")  # the peak begins anew
        now = kilobytes("VmRSS")
        fit(X)
        print(kind, order, kilobytes("VmHWM") - now)
        del X
"""
    done = subprocess.run([sys.executable, "-c", program], check=True,
                          capture_output=True, text=True)
    for line in done.stdout.splitlines():
        assert int(line.split()[2]) <= 1.2 * 60000 * 100 * 2 / 1024 + 16384, line
    assert len(done.stdout.splitlines()) == 8

#!/usr/bin/python3
"""prepare.py OUT [NAME...]: the data sets of the bench, as bench/DATA.md says.

Reads the raw arrays below KITH_DATA (or ../shared/data, when that is not set):
FILE.npy or FILE.npy.zst. Each is checked against the SHA-256 in DATA.md. Writes
OUT/NAME.npy, float32, scaled by public bounds to [0, 1]^d unless DATA.md says
otherwise. A set whose arrays are missing is skipped, loudly. What is there
already stays. Needs NumPy, and zstd for .zst files.

--list prints the names. Exit status 3: something was skipped.
"""
import hashlib
import io
import os
import re
import subprocess
import sys
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
RAW_LINE = re.compile(r"^\| `([\w/.]+\.npy)` \|.*`([0-9a-f]{64})` \|$", re.M)

# Cab positions: a box about the Bay Area, in degrees.
BAY = [(37.2, 38.2), (-123.0, -121.8)]
GAS = [(-7, 38), (985, 1037), (24, 101), (2, 8), (17, 41), (1000, 1101),
       (511, 551), (100, 180), (9.8, 15.2), (0, 45), (25, 120)]
CREDIT = ([(1e4, 1e6), (1, 2), (0, 6), (0, 3), (20, 80)] + [(-2, 9)] * 6
          + [(-4e5, 1e6)] * 6 + [(0, 5e5)] * 6)
BRFSS = ([(0, 1)] * 3 + [(12, 60)] + [(0, 1)] * 9 + [(1, 5), (0, 30), (0, 30)]
         + [(0, 1)] * 2 + [(1, 13), (1, 6), (1, 8)])


class Missing(Exception):
    """An array is not there, or is not the one of DATA.md."""


def folder():
    """Where the raw arrays are."""
    given = os.environ.get("KITH_DATA")
    return given or os.path.join(os.path.dirname(ROOT), "shared", "data")


def sums():
    with open(os.path.join(HERE, "DATA.md"), encoding="utf-8") as file:
        return dict(RAW_LINE.findall(file.read()))


def raw_bytes(name):
    path = os.path.join(folder(), name)
    if os.path.exists(path):
        with open(path, "rb") as file:
            data = file.read()
    elif os.path.exists(path + ".zst"):
        data = subprocess.run(["zstd", "-dcq", path + ".zst"], check=True,
                              stdout=subprocess.PIPE).stdout
    else:
        raise Missing("there is no %s[.zst] (set KITH_DATA; bench/DATA.md)"
                      % path)
    if hashlib.sha256(data).hexdigest() != sums()[name]:
        raise Missing("%s is not the file of bench/DATA.md: another SHA-256"
                      % path)
    return data


def raw(name):
    import numpy  # here, so that --list needs none

    return numpy.load(io.BytesIO(raw_bytes(name)))


def box(rows, bounds):
    """Clip to the bounds of each column, map them to [0, 1]."""
    import numpy

    low, high = numpy.array(bounds, float).T
    rows = numpy.clip(numpy.asarray(rows, float), low, high)
    return (rows - low) / (high - low)


def adult():
    import numpy

    rows = raw("adult/adult.npy")[:, [0, 2, 3, 4, 5]].astype(float)
    rows[:, 2:4] = numpy.log1p(rows[:, 2:4])
    return box(rows, [(17, 90), (1, 16), (0, numpy.log1p(99999)),
                      (0, numpy.log1p(4400)), (1, 99)])


def cabs(count):
    """Rows are grouped by cab: a random choice of them, always the same."""
    import numpy

    rows = raw("sf_cabs/cab_points.npy")
    order = numpy.random.default_rng(0).permutation(len(rows))
    return box(rows[order[:count]], BAY)


def scaled(name, by):
    import numpy

    return raw(name) / numpy.float32(by)


def synth():
    """64 Gaussians on a sphere of radius .875; made, not read."""
    import numpy

    coins, rows, d, k = numpy.random.default_rng(20170806), 100000, 100, 64
    centers = coins.normal(size=(k, d))
    centers *= .875 / numpy.linalg.norm(centers, axis=1, keepdims=True)
    x = centers[coins.integers(k, size=rows)]
    x = x + .0125 * coins.normal(size=(rows, d))
    return x / numpy.maximum(1, numpy.linalg.norm(x, axis=1, keepdims=True))


SETS = {
    "adult": adult,
    "brfss": lambda: box(raw("brfss2015/brfss2015.npy"), BRFSS),
    "cabs": lambda: cabs(500000),
    "cabs1m": lambda: cabs(1000000),
    "cifar": lambda: scaled("cifar10/cifar10_pca160.npy", 40),
    "credit": lambda: box(raw("credit_default/credit_default.npy"), CREDIT),
    "gas": lambda: box(raw("gas_turbine/gas_turbine.npy"), GAS),
    "letter": lambda: scaled("letter/letter.npy", 15),
    "mnist": lambda: scaled("mnist/mnist.npy", 255),
    "synth": synth,
    "trips": lambda: box(raw("sf_cabs/cab_trips.npy"), BAY + BAY),
    # As they are, for figure2.py.
    "yaleb": lambda: raw("yaleb/yaleb_32x32.npy"),
    "yaleb_labels": lambda: raw("yaleb/yaleb_labels.npy"),
}


def write_dense(make, path):
    import numpy

    rows = make()
    if rows.ndim == 2 and rows.dtype != numpy.uint8:
        rows = numpy.ascontiguousarray(rows, numpy.float32)
    with open(path, "wb") as file:
        numpy.save(file, rows)


def write_news20(path):
    """20 Newsgroups as svmlight: log(1 + count), the 64 largest words of a
    post (ties: the lower column), rows of length 1; empty posts are kept."""
    import numpy

    counts, columns, starts = (raw("news20/news20_%s.npy" % part)
                               for part in ("data", "indices", "indptr"))
    values = numpy.log1p(counts.astype(float))
    with open(path, "w", encoding="ascii") as file:
        for first, last in zip(starts[:-1], starts[1:]):
            column, value = columns[first:last], values[first:last]
            kept = numpy.sort(numpy.lexsort((column, -value))[:64])
            column, value = column[kept], value[kept]
            length = numpy.sqrt((value ** 2).sum())
            file.write("0" + "".join(" %d:%.6g" % (c + 1, v / length)
                                     for c, v in zip(column, value)) + "\n")


def path_of(out, name):
    return os.path.join(out, name + (".svm" if name == "news20" else ".npy"))


def prepare(out, name):
    """True: it is there."""
    path = path_of(out, name)
    if os.path.exists(path):
        return True
    # a name of its own: two runs may need the same set at the same time
    part = "%s.part%d-%d" % (path, os.getpid(), threading.get_ident())
    try:
        if name == "news20":
            write_news20(part)
        else:
            write_dense(SETS[name], part)
    except Missing as why:
        print("prepare: SKIPPED %s: %s" % (name, why), file=sys.stderr)
        return False
    os.rename(part, path)  # whole, or not there
    return True


def main():
    names = [*SETS, "news20"]
    if sys.argv[1:] == ["--list"]:
        print("\n".join(names))
        return
    if len(sys.argv) < 2 or set(sys.argv[2:]) - set(names):
        sys.exit(__doc__)
    os.makedirs(sys.argv[1], exist_ok=True)
    done = [prepare(sys.argv[1], name) for name in sys.argv[2:] or names]
    print("prepare: %d of %d sets in %s" % (sum(done), len(done),
                                            sys.argv[1]))
    sys.exit(0 if all(done) else 3)


if __name__ == "__main__":
    main()

"""Objects with Arrow's interface: tables made here with ctypes, since Debian
has neither pyarrow nor polars. Everything is released exactly once."""
import ctypes
import gc

import numpy as np
import pytest

import kith

P = ctypes.c_void_p
LETTERS = {"i1": b"c", "u1": b"C", "i2": b"s", "u2": b"S", "i4": b"i",
           "u4": b"I", "i8": b"l", "u8": b"L", "f2": b"e", "f4": b"f",
           "f8": b"g", "b1": b"b"}
RELEASE = ctypes.CFUNCTYPE(None, P)


class Schema(ctypes.Structure):
    _fields_ = [("format", ctypes.c_char_p), ("name", ctypes.c_char_p),
                ("metadata", P), ("flags", ctypes.c_int64),
                ("n_children", ctypes.c_int64), ("children", P),
                ("dictionary", P), ("release", P), ("private", P)]


class Array(ctypes.Structure):
    _fields_ = [("length", ctypes.c_int64), ("null_count", ctypes.c_int64),
                ("offset", ctypes.c_int64), ("n_buffers", ctypes.c_int64),
                ("n_children", ctypes.c_int64), ("buffers", P),
                ("children", P), ("dictionary", P), ("release", P),
                ("private", P)]


GET = ctypes.CFUNCTYPE(ctypes.c_int, P, P)


class Stream(ctypes.Structure):
    _fields_ = [("get_schema", GET), ("get_next", GET), ("last_error", P),
                ("release", RELEASE), ("private", P)]


new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype = ctypes.py_object
new_capsule.argtypes = [P, ctypes.c_char_p, P]


class Table:
    """Columns by name, in batches; counts what is alive."""

    def __init__(self, columns, batches=1, fail_at=None):
        self.columns = list(columns)
        self._data = columns
        self._batches, self._fail_at, self._next = batches, fail_at, 0
        self.alive = 0
        self._kept = []
        self.free_schema = RELEASE(self._freed(Schema))
        self.free_array = RELEASE(self._freed(Array))
        self.free_stream = RELEASE(self._freed(Stream))

    def _freed(self, kind):
        def free(at):
            kind.from_address(at).release = type(
                kind.from_address(at).release)() if kind is Stream else None
            self.alive -= 1
        return free

    def _keep(self, thing):
        self._kept.append(thing)
        return thing

    def fill_schema(self, out):
        children = [self._keep(Schema(
            format=LETTERS.get(values.dtype.str[1:], b"u"),
            name=name.encode())) for name, values in self._data.items()]
        pointers = self._keep((P * len(children))(
            *map(ctypes.addressof, children)))
        out.format, out.n_children = b"+s", len(children)
        out.children = ctypes.addressof(pointers)
        out.release = ctypes.cast(self.free_schema, P).value
        self.alive += 1

    def _column(self, values, start, end):
        values = values[:end]
        missing = np.ma.getmaskarray(values)
        valid = self._keep(np.packbits(~missing, bitorder="little"))
        data = np.ma.getdata(values)
        if data.dtype == bool:
            data = np.packbits(data, bitorder="little")
        data = self._keep(np.ascontiguousarray(data))
        buffers = self._keep((P * 2)(valid.ctypes.data if missing.any()
                                     else None, data.ctypes.data))
        return self._keep(Array(
            length=end - start, offset=start, n_buffers=2,
            null_count=-1 if missing.any() else 0,
            buffers=ctypes.addressof(buffers)))

    def fill_array(self, out, start, end):
        children = [self._column(values, start, end)
                    for values in self._data.values()]
        pointers = self._keep((P * len(children))(
            *map(ctypes.addressof, children)))
        out.length, out.n_children = end - start, len(children)
        out.n_buffers = 1
        out.buffers = ctypes.addressof(self._keep((P * 1)()))
        out.children = ctypes.addressof(pointers)
        out.release = ctypes.cast(self.free_array, P).value
        self.alive += 1

    def rows(self):
        return len(next(iter(self._data.values())))


class Streamed(Table):
    def __arrow_c_stream__(self, requested_schema=None):
        @GET
        def get_schema(stream, out):
            self.fill_schema(Schema.from_address(out))
            return 0

        @GET
        def get_next(stream, out):
            batch = Array.from_address(out)
            batch.release = None
            if self._next == self._fail_at:
                return 5
            if self._next < self._batches:
                cuts = np.linspace(0, self.rows(), self._batches + 1).astype(int)
                self.fill_array(batch, int(cuts[self._next]),
                                int(cuts[self._next + 1]))
                self._next += 1
            return 0
        stream = self._keep(Stream(get_schema, get_next, None,
                                   self.free_stream, None))
        self.alive += 1
        return new_capsule(ctypes.addressof(stream), b"arrow_array_stream",
                           None)


class Whole(Table):
    def __arrow_c_array__(self, requested_schema=None):
        schema, array = self._keep(Schema()), self._keep(Array())
        self.fill_schema(schema)
        self.fill_array(array, 0, self.rows())
        return (new_capsule(ctypes.addressof(schema), b"arrow_schema", None),
                new_capsule(ctypes.addressof(array), b"arrow_array", None))


KINDS = [k for k in LETTERS if k != "b1"] + ["?"]


@pytest.fixture
def columns(rows):
    values = (rows[:, 0] * 100).clip(0, 99).round()
    return {kind: (values > 50 if kind == "?" else values).astype(kind)
            for kind in KINDS}


def estimator(**more):
    return kith.KMeans(3, **{"epsilon": 1, "bounds": (0, 100),
                             "method": "lloyd", **more})


@pytest.mark.parametrize("make", [
    lambda c: Whole(c), lambda c: Streamed(c), lambda c: Streamed(c, 7),
    lambda c: Streamed(c, 400)])
def test_same_rows(columns, seeded, make):
    plain = np.column_stack([np.asarray(c, float) for c in columns.values()])
    want = seeded(estimator(), plain)
    table = make(columns)
    by_name = {name: (0, 100) for name in columns}
    model = seeded(estimator(bounds=by_name), table)
    assert table.alive == 0
    assert (model.cluster_centers_ == want.cluster_centers_).all()
    assert b'"columns": ["i1"' in model.model_
    for call, expected in ((model.predict, want.predict(plain)),
                           (model.score, None)):
        again = make(columns)
        if expected is None:
            with pytest.warns(kith.NotPrivateWarning):
                call(again)
        else:
            assert (call(again) == expected).all()
        assert again.alive == 0


def test_missing(columns, seeded):
    column = np.ma.masked_array(columns["f4"],
                                np.arange(len(columns["f4"])) == 777)
    holed = {**columns, "f4": column}
    with pytest.raises(kith.InputError, match="row 778: column 10"):
        estimator().fit(Streamed(holed, 5))
    plain = np.column_stack([np.asarray(c, float) for c in columns.values()])
    want = seeded(estimator(missing="drop"), np.delete(plain, 777, axis=0))
    got = seeded(estimator(missing="drop"), Streamed(holed, 5))
    assert (got.cluster_centers_ == want.cluster_centers_).all()


def test_refused(columns):
    text = {**columns, "town": np.array(["a"] * len(columns["i1"]))}
    with pytest.raises(kith.InputError, match="column 13 .town."):
        table = Streamed(text)
        estimator().fit(table)
    assert table.alive == 0
    for failing in (Streamed(columns, 5, fail_at=0),
                    Streamed(columns, 5, fail_at=3)):
        with pytest.raises(kith.InputError, match="could not read on"):
            estimator().fit(failing)
        assert failing.alive == 0


def test_used_up(columns):
    """A stream is read once; a capsule that was used is refused."""
    table = Streamed(columns)
    capsule = table.__arrow_c_stream__()
    options = estimator()._options(None)
    kith._core.fit("kmeans", ("arrow", capsule), options, None, None)
    with pytest.raises(kith.ArgumentError, match="released"):
        kith._core.fit("kmeans", ("arrow", capsule), options, None, None)
    for bad in (("arrow", 3), ("arrow", 3, capsule), ("arrow",),
                ("arrow", table.__arrow_c_stream__(), 3),
                ("arrow", Whole(columns).__arrow_c_array__()[0], 3)):
        with pytest.raises((TypeError, ValueError)):
            kith._core.fit("kmeans", bad, options, None, None)
    gc.collect()

"""Rows of all kinds, sorted out for _core without a copy where there is none
to make."""
from __future__ import annotations

import os
import sys
from typing import Any, List, Optional, Tuple

import numpy as np

from .errors import InputError

Described = Tuple[Any, ...]


def _is_path(X: Any) -> bool:
    return isinstance(X, (str, bytes, os.PathLike))


def is_files(X: Any) -> bool:
    """A path or a list of paths: never an array of text."""
    return _is_path(X) or (isinstance(X, (list, tuple)) and len(X) > 0
                           and all(_is_path(x) for x in X))


def _is_frame(X: Any) -> bool:
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(X, pandas.DataFrame)


def _is_sparse(X: Any) -> bool:
    sparse = sys.modules.get("scipy.sparse")
    return sparse is not None and bool(sparse.issparse(X))


def _native(array: "np.ndarray[Any, Any]", what: str) -> "np.ndarray[Any, Any]":
    """The array itself, unless its numbers are of a kind that is not read."""
    if array.dtype.kind not in "fiub" or array.dtype.itemsize > 8:
        if array.dtype.kind == "f":  # longer than a double
            return array.astype(np.float64)
        if array.dtype.kind == "O":
            return _from_objects(array, what)
        if array.dtype.kind == "c":
            raise InputError(f"Complex data not supported: {what} holds "
                             f"{array.dtype}, not real numbers")
        raise InputError(f"{what} holds {array.dtype}, not real numbers: "
                         "leave it out or turn it into numbers")
    if not array.dtype.isnative:
        return array.astype(array.dtype.newbyteorder("="))
    return array


def _from_objects(array: "np.ndarray[Any, Any]",
                  what: str) -> "np.ndarray[Any, Any]":
    """What is no number at all stays Python's own TypeError."""
    try:
        return array.astype(np.float64)
    except ValueError:  # its message would quote the value
        raise InputError(f"{what} holds text that is not a number") from None


def _column(series: Any, name: str) -> Tuple[Any, Any]:
    """Values and mask of a column of a frame."""
    array = series.array
    data, mask = getattr(array, "_data", None), getattr(array, "_mask", None)
    if mask is not None and isinstance(data, np.ndarray):  # nullable
        return _native(data, f"column {name!r}"), np.ascontiguousarray(mask)
    return _native(series.to_numpy(), f"column {name!r}"), None


def _describe_frame(frame: Any) -> Tuple[Described, List[str]]:
    names = [str(name) for name in frame.columns]
    kinds = {str(kind) for kind in frame.dtypes}
    if len(kinds) == 1 and isinstance(frame.dtypes.iloc[0], np.dtype):
        return ("array", _native(frame.to_numpy(), "the table")), names
    columns = [_column(frame.iloc[:, j], names[j]) for j in range(len(names))]
    return ("columns", columns), names


def _describe_sparse(X: Any) -> Described:
    X = X.tocsr()
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return ("csr", X.indptr, X.indices, _native(X.data, "the matrix"),
            X.shape[1])


def _describe_arrow(X: Any) -> Tuple[Described, Optional[List[str]]]:
    """Capsules of an object with Arrow's interface, and the names that it
    tells: they are used once."""
    names: Any = getattr(X, "column_names", None)   # pyarrow.Table
    if names is None:
        names = getattr(getattr(X, "schema", None), "names", None)
    if names is None:
        names = getattr(X, "columns", None)         # polars.DataFrame
    if not (isinstance(names, (list, tuple))
            and all(isinstance(name, str) for name in names)):
        names = None
    if hasattr(X, "__arrow_c_stream__"):
        return ("arrow", X.__arrow_c_stream__()), names and list(names)
    return ("arrow", *X.__arrow_c_array__()), names and list(names)


def _is_arrow(X: Any) -> bool:
    return (hasattr(X, "__arrow_c_stream__") or hasattr(X, "__arrow_c_array__")
            ) and not isinstance(X, np.ndarray)


def describe(X: Any) -> Tuple[Described, Optional[List[str]], Optional[int]]:
    """What _core reads, the names of the features if there are any, and their
    number unless files tell it."""
    if is_files(X):
        paths = [X] if _is_path(X) else list(X)
        return ("paths", [os.fsencode(path) for path in paths]), None, None
    if _is_frame(X):
        described, names = _describe_frame(X)
        return described, names, len(names)
    if _is_sparse(X):
        return _describe_sparse(X), None, X.shape[1]
    if _is_arrow(X):
        described, found = _describe_arrow(X)
        return described, found, len(found) if found else None
    array = _native(np.asarray(X), "the array")
    if array.ndim != 2:
        raise InputError(
            f"Expected 2D array, got {array.ndim}D array instead. Reshape your "
            "data: X.reshape(-1, 1) if it has one feature, X.reshape(1, -1) if "
            "it is one row")
    if array.size and not _readable(array):
        array = np.ascontiguousarray(array)
    return ("array", array), None, array.shape[1]


def _readable(array: "np.ndarray[Any, Any]") -> bool:
    """Can its buffer be had? Some subclasses of ndarray have none."""
    try:
        memoryview(array)  # type: ignore[arg-type]
    except (TypeError, ValueError, BufferError):
        return False
    return True


def people_of(groups: Any) -> Optional[List[bytes]]:
    """Whose row each one is, as the library reads it; None: nobody said."""
    if groups is None:
        return None
    values = groups.tolist() if hasattr(groups, "tolist") else list(groups)
    return [b"" if value is None or value != value else str(value).encode()
            for value in values]

/* Rows of Python objects as libkith sees them, without a copy. */
#ifndef KITH_PYTHON_ROWS_H
#define KITH_PYTHON_ROWS_H

#define Py_LIMITED_API 0x030B0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <kith/kith.h>

/* Everything is zero before rows_open; rows_close in any case. */
typedef struct rows {
    kith_source source;
    kith_array array;
    kith_csr csr;
    kith_arrow arrow; /* of these, moved out of their capsules: */
    struct ArrowArrayStream stream;
    struct ArrowSchema schema;
    struct ArrowArray batch;
    kith_column *columns;
    const char **paths;
    Py_buffer *buffers; /* held until rows_close */
    Py_ssize_t buffer_count;
    PyObject *names; /* owns the bytes of the paths */
    const char **users;
    PyObject *user_names; /* owns their bytes */
} rows;

/* what: ("array", a), ("columns", [(values, mask or None), ...]),
 * ("csr", indptr, indices, data, columns), ("arrow", stream),
 * ("arrow", schema, array) or ("paths", [bytes, ...]).
 * 0, or -1 with an exception set. */
int rows_open(rows *out, PyObject *what);
/* Whose row each one is: a list of bytes, as many as rows of an array or of a
 * table; None: nobody's. 0, or -1 with an exception set. */
int rows_set_users(rows *r, PyObject *list);
/* The bytes in a list of bytes, borrowed from it; free with PyMem_Free. NULL
 * with an exception set. */
const char **rows_strings(PyObject *list, size_t *count);
int rows_need_tuple(PyObject *object); /* else a TypeError */
void rows_close(rows *r);

#endif

/* Buffers to kith_source. The caller (rows.py) has sorted out what is what; a
 * buffer that is not what it should be is a TypeError here, never a guess. */
#include "_rows.h"

#include <string.h>

/* ---- buffers ------------------------------------------------------------- */

static Py_buffer *hold(rows *r, PyObject *object)
{
    Py_buffer *view = &r->buffers[r->buffer_count];
    if (PyObject_GetBuffer(object, view, PyBUF_STRIDED_RO | PyBUF_FORMAT))
        return NULL;
    r->buffer_count++;
    return view;
}

/* Room for so many views; Py_buffer must not move. */
static int make_room(rows *r, Py_ssize_t count)
{
    r->buffers = PyMem_Calloc((size_t)count, sizeof *r->buffers);
    if (!r->buffers)
        PyErr_NoMemory();
    return r->buffers ? 0 : -1;
}

static int find_type(const Py_buffer *view, kith_number *out)
{
    static const struct {
        const char *letters;
        Py_ssize_t size;
        kith_number type;
    } known[] = {{"efd", 2, KITH_FLOAT16},   {"efd", 4, KITH_FLOAT32},
                 {"efd", 8, KITH_FLOAT64},   {"bhilqn", 1, KITH_INT8},
                 {"bhilqn", 2, KITH_INT16},  {"bhilqn", 4, KITH_INT32},
                 {"bhilqn", 8, KITH_INT64},  {"BHILQN", 1, KITH_UINT8},
                 {"BHILQN", 2, KITH_UINT16}, {"BHILQN", 4, KITH_UINT32},
                 {"BHILQN", 8, KITH_UINT64}, {"?", 1, KITH_BOOL}};
    const char *format = view->format ? view->format : "B";
    const char *letter = format + (strchr("@=<", *format) && *format);
    for (size_t i = 0; *letter && !letter[1] && i < 12; i++)
        if (strchr(known[i].letters, *letter) &&
            known[i].size == view->itemsize) {
            *out = known[i].type;
            return 0;
        }
    PyErr_Format(PyExc_TypeError, "numbers of format '%s' are not read",
                 format);
    return -1;
}

static int fail_shape(const char *what)
{
    PyErr_Format(PyExc_TypeError, "%s has the wrong number of dimensions",
                 what);
    return -1;
}

/* ---- the kinds ----------------------------------------------------------- */

static int open_array(rows *r, PyObject *what)
{
    PyObject *object;
    if (!PyArg_ParseTuple(what, "sO", &(const char *){NULL}, &object) ||
        make_room(r, 1))
        return -1;
    Py_buffer *view = hold(r, object);
    if (!view || find_type(view, &r->array.type))
        return -1;
    if (view->ndim != 2 || view->shape[1] > UINT32_MAX)
        return fail_shape("the array");
    r->array.data = view->buf;
    r->array.rows = (uint64_t)view->shape[0];
    r->array.columns = (uint32_t)view->shape[1];
    r->array.row_stride = view->strides[0];
    r->array.column_stride = view->strides[1];
    r->source.array = &r->array;
    return 0;
}

int rows_need_tuple(PyObject *object)
{
    if (PyTuple_Check(object))
        return 0;
    PyErr_SetString(PyExc_TypeError, "a tuple is needed");
    return -1;
}

static int open_column(rows *r, PyObject *pair, kith_column *out)
{
    PyObject *values, *mask;
    if (rows_need_tuple(pair) || !PyArg_ParseTuple(pair, "OO", &values, &mask))
        return -1;
    Py_buffer *view = hold(r, values);
    if (!view || find_type(view, &out->type))
        return -1;
    if (view->ndim != 1)
        return fail_shape("a column");
    if (r->source.column_count == 0)
        r->source.rows = (uint64_t)view->shape[0];
    if ((uint64_t)view->shape[0] != r->source.rows) {
        PyErr_SetString(PyExc_ValueError, "columns differ in length");
        return -1;
    }
    out->data = view->buf;
    out->stride = view->strides[0];
    r->source.column_count++;
    if (mask == Py_None)
        return 0;
    Py_buffer *missing = hold(r, mask);
    if (!missing)
        return -1;
    if (missing->ndim != 1 || missing->itemsize != 1 ||
        missing->strides[0] != 1 || missing->shape[0] != view->shape[0])
        return fail_shape("a mask");
    out->missing = missing->buf;
    return 0;
}

static int open_columns(rows *r, PyObject *what)
{
    PyObject *list;
    if (!PyArg_ParseTuple(what, "sO!", &(const char *){NULL}, &PyList_Type,
                          &list))
        return -1;
    Py_ssize_t count = PyList_Size(list);
    if (count < 1 || count > UINT32_MAX) {
        PyErr_SetString(PyExc_ValueError, "there are no columns");
        return -1;
    }
    r->columns = PyMem_Calloc((size_t)count, sizeof *r->columns);
    if (!r->columns) {
        PyErr_NoMemory();
        return -1;
    }
    if (make_room(r, 2 * count))
        return -1;
    for (Py_ssize_t j = 0; j < count; j++)
        if (open_column(r, PyList_GetItem(list, j), &r->columns[j]))
            return -1;
    r->source.columns = r->columns;
    return 0;
}

/* One dimension, one after another. */
static Py_buffer *hold_flat(rows *r, PyObject *object, kith_number *type)
{
    Py_buffer *view = hold(r, object);
    if (!view || find_type(view, type))
        return NULL;
    if (view->ndim == 1 &&
        (view->strides[0] == view->itemsize || view->shape[0] < 2))
        return view;
    fail_shape("a part of a sparse matrix");
    return NULL;
}

static Py_buffer *hold_whole(rows *r, PyObject *object)
{
    kith_number type = 0;
    Py_buffer *view = hold_flat(r, object, &type);
    if (!view || type == KITH_INT32 || type == KITH_INT64)
        return view;
    PyErr_SetString(PyExc_TypeError, "indices must be int32 or int64");
    return NULL;
}

static int open_csr(rows *r, PyObject *what)
{
    PyObject *start, *index, *value;
    unsigned int columns;
    kith_number type;
    if (!PyArg_ParseTuple(what, "sOOOI", &(const char *){NULL}, &start, &index,
                          &value, &columns) ||
        make_room(r, 3))
        return -1;
    Py_buffer *s = hold_whole(r, start), *i = s ? hold_whole(r, index) : NULL;
    Py_buffer *v = i ? hold_flat(r, value, &type) : NULL;
    if (!v)
        return -1;
    /* What is held must be as long as the starts say; they are checked to be
     * in order by the library. */
    int64_t end = 0;
    if (s->shape[0] > 0)
        end = s->itemsize == 4 ? ((const int32_t *)s->buf)[s->shape[0] - 1]
                               : ((const int64_t *)s->buf)[s->shape[0] - 1];
    if (s->shape[0] < 1 || end > i->shape[0] || end > v->shape[0]) {
        PyErr_SetString(PyExc_ValueError, "the sparse matrix is torn");
        return -1;
    }
    r->csr = (kith_csr){.rows = (uint64_t)s->shape[0] - 1,
                        .columns = columns,
                        .start = s->buf,
                        .index = i->buf,
                        .start_bytes = (int)s->itemsize,
                        .index_bytes = (int)i->itemsize,
                        .value = v->buf,
                        .type = type};
    r->source.csr = &r->csr;
    return 0;
}

/* Whoever moves a struct out of its capsule releases it, once. */
static int open_arrow(rows *r, PyObject *what)
{
    PyObject *first, *second = NULL;
    if (!PyArg_ParseTuple(what, "sO|O", &(const char *){NULL}, &first, &second))
        return -1;
    r->source.arrow = &r->arrow;
    if (!second) {
        struct ArrowArrayStream *s =
            PyCapsule_GetPointer(first, "arrow_array_stream");
        if (!s)
            return -1;
        r->stream = *s;
        s->release = NULL;
        r->arrow.stream = &r->stream;
        return 0;
    }
    struct ArrowSchema *schema = PyCapsule_GetPointer(first, "arrow_schema");
    struct ArrowArray *batch =
        schema ? PyCapsule_GetPointer(second, "arrow_array") : NULL;
    if (!batch)
        return -1;
    r->schema = *schema;
    r->batch = *batch;
    schema->release = NULL;
    batch->release = NULL;
    r->arrow = (kith_arrow){.schema = &r->schema, .array = &r->batch};
    return 0;
}

const char **rows_strings(PyObject *list, size_t *count)
{
    if (!PyList_Check(list)) {
        PyErr_SetString(PyExc_TypeError, "a list of bytes is needed");
        return NULL;
    }
    Py_ssize_t n = PyList_Size(list);
    const char **out = PyMem_Calloc((size_t)n + 1, sizeof *out);
    if (!out)
        PyErr_NoMemory();
    for (Py_ssize_t i = 0; out && i < n; i++) {
        out[i] = PyBytes_AsString(PyList_GetItem(list, i));
        if (!out[i]) {
            PyMem_Free(out);
            return NULL;
        }
    }
    *count = (size_t)n;
    return out;
}

static int open_paths(rows *r, PyObject *what)
{
    PyObject *list;
    if (!PyArg_ParseTuple(what, "sO", &(const char *){NULL}, &list))
        return -1;
    r->paths = rows_strings(list, &r->source.path_count);
    r->names = r->paths ? Py_NewRef(list) : NULL;
    r->source.paths = r->paths;
    return r->paths ? 0 : -1;
}

int rows_open(rows *out, PyObject *what)
{
    static const struct {
        const char *word;
        int (*open)(rows *, PyObject *);
    } kinds[] = {{"array", open_array},
                 {"columns", open_columns},
                 {"csr", open_csr},
                 {"arrow", open_arrow},
                 {"paths", open_paths}};
    memset(out, 0, sizeof *out);
    PyObject *first = PyTuple_Check(what) ? PyTuple_GetItem(what, 0) : NULL;
    for (size_t i = 0; first && i < sizeof kinds / sizeof *kinds; i++)
        if (PyUnicode_Check(first) &&
            PyUnicode_CompareWithASCIIString(first, kinds[i].word) == 0)
            return kinds[i].open(out, what);
    if (!PyErr_Occurred())
        PyErr_SetString(PyExc_TypeError, "rows of an unknown kind");
    return -1;
}

int rows_set_users(rows *r, PyObject *list)
{
    size_t count = 0;
    if (list == Py_None)
        return 0;
    if (!r->source.array && !r->source.columns) {
        PyErr_SetString(PyExc_ValueError,
                        "groups: are for arrays and tables; files name the "
                        "column of people by the command's --user-column");
        return -1;
    }
    r->users = rows_strings(list, &count);
    if (!r->users)
        return -1;
    r->user_names = Py_NewRef(list);
    r->source.users = r->users;
    if (count == (r->source.array ? r->array.rows : r->source.rows))
        return 0;
    PyErr_SetString(PyExc_ValueError, "groups: one for each row is needed");
    return -1;
}

void rows_close(rows *r)
{
    PyObject *type, *value, *trace; /* producers may be Python code */
    PyErr_Fetch(&type, &value, &trace);
    if (r->stream.release)
        r->stream.release(&r->stream);
    if (r->schema.release)
        r->schema.release(&r->schema);
    if (r->batch.release)
        r->batch.release(&r->batch);
    for (Py_ssize_t i = 0; i < r->buffer_count; i++)
        PyBuffer_Release(&r->buffers[i]);
    PyMem_Free(r->buffers);
    PyMem_Free(r->columns);
    PyMem_Free(r->paths);
    Py_XDECREF(r->names);
    PyMem_Free(r->users);
    Py_XDECREF(r->user_names);
    memset(r, 0, sizeof *r);
    PyErr_Restore(type, value, trace);
}

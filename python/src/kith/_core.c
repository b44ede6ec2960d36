/* _core: libkith for Python, by the limited API. No policy: errors.py,
 * estimators.py and rows.py decide. Every call holds the exporters' buffers,
 * lets other threads run, and comes back with plain objects. What a fit gives
 * is its model file, nothing else.
 *
 * fit(kind, rows, options, progress, ledger) -> bytes     the model file
 * plan(kind, (rows, features, sparse), options) -> bytes  the plan
 * check(model, name)                         is it a model file?
 * apply(model, rows, options, bytearray or None): labels, int32, appended to
 *   the bytearray; or (rows, cost)
 * ledger_open(uri, flags) -> capsule; ledger_grant(ledger, account, options)
 * ledger_read(ledger, account) -> (fraction that is left, [entry, ...])
 * ledger_accounts(ledger) -> [name, ...]
 * What the library says no to is raised by errors.fail(status, message). */
#include <string.h>
#include <time.h>

#include "_rows.h"

static PyObject *fail(kith_status status, const kith_error *err)
{
    if (PyErr_Occurred()) /* the exception that cancelled */
        return NULL;
    PyObject *errors = PyImport_ImportModule("kith.errors");
    PyObject *message = PyUnicode_DecodeUTF8(
        err->message, (Py_ssize_t)strlen(err->message), "replace");
    if (errors && message)
        Py_XDECREF(PyObject_CallMethod(errors, "fail", "sO",
                                       kith_status_name(status), message));
    Py_XDECREF(errors);
    Py_XDECREF(message);
    return NULL;
}

/* text: freed. */
static PyObject *text_or_fail(kith_status status, char *text,
                              const kith_error *err)
{
    PyObject *answer = status || PyErr_Occurred() ? fail(status, err)
                                                  : PyBytes_FromString(text);
    kith_text_free(text);
    return answer;
}

/* ---- options ------------------------------------------------------------- */

/* What fit and plan take out of their options; all borrowed from the dict. */
typedef struct {
    kith_bounds bounds;
    kith_session_options session;
    kith_source_options source;
    kith_kmeans_options means;
    kith_kmedian_options medians;
    kith_subspace_options planes;
    kith_local_options local;
    kith_run run;
    const char **names;
    PyObject *callback;
    unsigned done, total; /* as last told by the method */
    struct timespec told;
} settings;

static void settings_close(settings *s)
{
    PyMem_Free(s->names);
}

/* *out, borrowed; NULL: absent, or None. PyDict_GetItemString would take no
 * memory for no entry. */
static int find(PyObject *options, const char *key, PyObject **out)
{
    PyObject *name = PyUnicode_FromString(key);
    *out = name ? PyDict_GetItemWithError(options, name) : NULL;
    Py_XDECREF(name);
    if (*out == Py_None)
        *out = NULL;
    return PyErr_Occurred() ? -1 : 0;
}

/* One entry of the dict and its place in the settings. */
typedef enum { REAL, COUNT, WHOLE, FLAG, WORD } option_type;
typedef struct {
    const char *key;
    option_type type;
    size_t at;
    kith_vocabulary words;
} option;

static int read_word(const option *o, PyObject *value, int *out)
{
    const char *word = PyUnicode_AsUTF8AndSize(value, NULL);
    if (!word)
        return -1;
    if (kith_word_value(o->words, word, out))
        return 0;
    char list[200] = "";
    const char *known;
    for (size_t i = 0; (known = kith_word_at(o->words, i)); i++) {
        size_t used = strlen(list), room = sizeof list - used;
        PyOS_snprintf(list + used, room, "%s%s", i ? ", " : "", known);
    }
    PyErr_Format(PyExc_ValueError, "%s: '%s' is not known; there are %s",
                 o->key, word, list);
    return -1;
}

static int read_option(const option *o, PyObject *value, char *to)
{
    double real;
    unsigned long long whole;
    int flag = 0;
    switch (o->type) {
    case REAL:
        real = PyFloat_AsDouble(value);
        memcpy(to, &real, sizeof real);
        break;
    case COUNT:
    case WHOLE:
        whole = PyLong_AsUnsignedLongLong(value);
        if (PyErr_Occurred())
            return -1;
        if (whole > (o->type == COUNT ? UINT32_MAX : INT64_MAX))
            PyErr_Format(PyExc_OverflowError, "%s is too large", o->key);
        else if (o->type == COUNT)
            memcpy(to, &(uint32_t){(uint32_t)whole}, sizeof(uint32_t));
        else
            memcpy(to, &(uint64_t){whole}, sizeof(uint64_t));
        break;
    case FLAG:
        flag = PyObject_IsTrue(value);
        memcpy(to, &flag, sizeof flag);
        break;
    case WORD: /* enums are ints */
        if (!read_word(o, value, &flag))
            memcpy(to, &flag, sizeof flag);
        break;
    }
    return PyErr_Occurred() ? -1 : 0;
}

static int read_options(PyObject *dict, const option *table, settings *s)
{
    for (; table->key; table++) {
        PyObject *value;
        if (find(dict, table->key, &value) ||
            (value && read_option(table, value, (char *)s + table->at)))
            return -1;
    }
    return 0;
}

#define AT(member) offsetof(settings, member)
static const option source_table[] = {
    {"threads", COUNT, AT(session.threads), 0},
    {"missing", WORD, AT(source.missing), KITH_WORDS_MISSING},
    {"threads", COUNT, AT(source.threads), 0},
    {"fixed_rows", FLAG, AT(source.fixed_rows), 0},
    {0},
};
static const option privacy_table[] = {
    {"epsilon", REAL, AT(session.privacy.epsilon), 0},
    {"delta", REAL, AT(session.privacy.delta), 0},
    {"adjacency", WORD, AT(session.privacy.neighbors), KITH_WORDS_ADJACENCY},
    {0},
};
static const option common_table[] = {
    {"insecure_seed", WHOLE, AT(session.insecure_seed), 0},
    {"radius", REAL, AT(bounds.radius), 0},
    {"normalize", FLAG, AT(bounds.normalize), 0},
    {"unit_rows", FLAG, AT(bounds.unit_rows), 0},
    {"sparsity", COUNT, AT(bounds.sparsity), 0},
    {0},
};
static const option means_table[] = {
    {"clusters", COUNT, AT(means.clusters), 0},
    {"rounds", COUNT, AT(means.rounds), 0},
    {"public_seed", WHOLE, AT(means.public_seed), 0},
    {"method", WORD, AT(means.method), KITH_WORDS_KMEANS_METHOD},
    {0},
};
static const option medians_table[] = {
    {"clusters", COUNT, AT(medians.clusters), 0},
    {"rounds", COUNT, AT(medians.rounds), 0},
    {"public_seed", WHOLE, AT(medians.public_seed), 0},
    {"method", WORD, AT(medians.method), KITH_WORDS_KMEDIAN_METHOD},
    {"recovery", WORD, AT(medians.recovery), KITH_WORDS_RECOVERY},
    {0},
};
static const option planes_table[] = {
    {"clusters", COUNT, AT(planes.clusters), 0},
    {"rounds", COUNT, AT(planes.rounds), 0},
    {"subspace_dim", COUNT, AT(planes.subspace_dimension), 0},
    {"public_seed", WHOLE, AT(planes.public_seed), 0},
    {"method", WORD, AT(planes.method), KITH_WORDS_SUBSPACE_METHOD},
    {"solver", WORD, AT(planes.solver), KITH_WORDS_SOLVER},
    {0},
};
static const option local_table[] = {
    {"clusters", COUNT, AT(local.clusters), 0},
    {"threads", COUNT, AT(local.threads), 0},
    {"public_seed", WHOLE, AT(local.public_seed), 0},
    {"method", WORD, AT(local.method), KITH_WORDS_LOCAL_METHOD},
    {"objective", WORD, AT(local.objective), KITH_WORDS_OBJECTIVE},
    {"epsilon", REAL, AT(local.epsilon), 0},
    {"delta", REAL, AT(local.delta), 0},
    {"insecure_seed", WHOLE, AT(local.insecure_seed), 0},
    {0},
};
#undef AT

/* Bytes of doubles. */
static int get_reals(PyObject *options, const char *key, const double **out,
                     uint32_t *count)
{
    PyObject *value;
    char *bytes;
    Py_ssize_t length;
    if (find(options, key, &value) || !value)
        return PyErr_Occurred() ? -1 : 0;
    if (PyBytes_AsStringAndSize(value, &bytes, &length))
        return -1;
    *out = (const double *)(const void *)bytes;
    *count = (uint32_t)((size_t)length / sizeof **out);
    return 0;
}

static int get_bounds(settings *s, PyObject *options)
{
    kith_bounds *b = &s->bounds;
    uint32_t upper = 0;
    if (get_reals(options, "lower", &b->lower, &b->box_count) ||
        get_reals(options, "upper", &b->upper, &upper) ||
        get_reals(options, "center", &b->center, &b->center_count))
        return -1;
    if (upper == b->box_count)
        return 0;
    PyErr_SetString(PyExc_ValueError, "bounds differ in length");
    return -1;
}

static int get_source(settings *s, PyObject *options)
{
    PyObject *names;
    kith_source_options_init(&s->source, sizeof s->source);
    if (read_options(options, source_table, s) ||
        find(options, "names", &names))
        return -1;
    if (names)
        s->names = rows_strings(names, &s->source.column_count);
    s->source.columns = s->names;
    return names && !s->names ? -1 : 0;
}

static int settings_open(settings *s, const char *kind, PyObject *options)
{
    PyObject *seed;
    memset(s, 0, sizeof *s);
    kith_run_init(&s->run, sizeof s->run);
    kith_kmeans_options_init(&s->means, sizeof s->means);
    kith_kmedian_options_init(&s->medians, sizeof s->medians);
    kith_subspace_options_init(&s->planes, sizeof s->planes);
    kith_local_options_init(&s->local, sizeof s->local);
    kith_session_options_init(&s->session, sizeof s->session);
    s->session.privacy.neighbors = KITH_ADD_REMOVE;
    s->run.bounds = &s->bounds;
    s->run.source = &s->source;
    if (get_source(s, options) || read_options(options, privacy_table, s) ||
        read_options(options, common_table, s) || get_bounds(s, options) ||
        find(options, "insecure_seed", &seed))
        return -1;
    s->session.insecure = s->local.insecure = seed != NULL;
    static const struct {
        const char *word;
        const option *table;
    } kinds[] = {{"kmeans", means_table},
                 {"kmedian", medians_table},
                 {"subspace", planes_table},
                 {"local", local_table}};
    size_t i = 0;
    while (i < 4 && strcmp(kind, kinds[i].word) != 0)
        i++;
    s->run.kmeans = i == 0 ? &s->means : NULL;
    s->run.kmedian = i == 1 ? &s->medians : NULL;
    s->run.subspace = i == 2 ? &s->planes : NULL;
    s->run.local = i == 3 ? &s->local : NULL;
    if (i < 4)
        return read_options(options, kinds[i].table, s);
    PyErr_Format(PyExc_ValueError, "no such kind: %s", kind);
    return -1;
}

/* ---- progress: by the thread that called, without the GIL ---- */

/* Python is told of every step, and otherwise 20 times a second: that is how
 * often signals are looked at while rows are read and visited. */
static int tell(void *arg, unsigned done, unsigned total)
{
    settings *s = arg;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    double waited = (double)(now.tv_sec - s->told.tv_sec) +
                    1e-9 * (double)(now.tv_nsec - s->told.tv_nsec);
    if (done == s->done && total == s->total && waited < .05)
        return 0;
    s->done = done;
    s->total = total;
    s->told = now;
    PyGILState_STATE gil = PyGILState_Ensure();
    int stop = PyErr_CheckSignals() != 0;
    if (!stop && s->callback && s->callback != Py_None) {
        PyObject *answer =
            PyObject_CallFunction(s->callback, "II", done, total);
        stop = answer == NULL;
        Py_XDECREF(answer);
    }
    PyGILState_Release(gil);
    return stop;
}

/* Between blocks of rows: as far as the method has come. */
static int ask(void *arg, unsigned done, unsigned total)
{
    settings *s = arg;
    (void)done;
    return tell(s, s->done, s->total ? s->total : total);
}

static void watch(settings *s, PyObject *callback)
{
    s->callback = callback;
    s->source.progress = s->session.progress = ask;
    s->means.progress = s->medians.progress = s->planes.progress =
        s->local.progress = tell;
    s->source.progress_arg = s->session.progress_arg = s->means.progress_arg =
        s->medians.progress_arg = s->planes.progress_arg =
            s->local.progress_arg = s;
}

/* ---- ledgers ------------------------------------------------------------- */

static const char ledger_name[] = "kith.ledger";

static void ledger_close(PyObject *capsule)
{
    kith_ledger_free(PyCapsule_GetPointer(capsule, ledger_name));
}

static PyObject *core_ledger_open(PyObject *module, PyObject *args)
{
    const char *uri;
    unsigned int flags;
    kith_ledger *ledger = NULL;
    kith_error err = {0};
    (void)module;
    if (!PyArg_ParseTuple(args, "sI", &uri, &flags))
        return NULL;
    kith_status status = kith_ledger_open(uri, flags, &ledger, &err);
    if (status)
        return fail(status, &err);
    PyObject *capsule = PyCapsule_New(ledger, ledger_name, ledger_close);
    if (!capsule)
        kith_ledger_free(ledger);
    return capsule;
}

static PyObject *core_ledger_grant(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *capsule, *options;
    const char *account;
    settings s = {.session.privacy.neighbors = KITH_ADD_REMOVE};
    kith_error err = {0};
    if (!PyArg_ParseTuple(args, "OsO!", &capsule, &account, &PyDict_Type,
                          &options) ||
        read_options(options, privacy_table, &s))
        return NULL;
    kith_ledger *ledger = PyCapsule_GetPointer(capsule, ledger_name);
    if (!ledger)
        return NULL;
    kith_status status =
        kith_ledger_grant(ledger, account, &s.session.privacy, &err);
    return status ? fail(status, &err) : Py_NewRef(Py_None);
}

/* What is left of an account, and its entries. */
static PyObject *core_ledger_read(PyObject *module, PyObject *args)
{
    PyObject *capsule, *list = NULL;
    const char *account;
    double left = 0;
    kith_statement *statement = NULL;
    const kith_entry_view *e;
    kith_error err = {0};
    (void)module;
    if (!PyArg_ParseTuple(args, "Os", &capsule, &account))
        return NULL;
    kith_ledger *ledger = PyCapsule_GetPointer(capsule, ledger_name);
    if (!ledger)
        return NULL;
    kith_status status = kith_ledger_remaining(ledger, account, &left, &err);
    if (!status)
        status = kith_ledger_statement(ledger, account, &statement, &err);
    if (status)
        return fail(status, &err);
    list = PyList_New(0);
    for (size_t i = 0; list && (e = kith_statement_entry(statement, i)); i++) {
        PyObject *one =
            Py_BuildValue("(KsssKK)", (unsigned long long)e->number, e->kind,
                          e->at, e->body, (unsigned long long)e->spend.pure,
                          (unsigned long long)e->spend.gauss);
        if (!one || PyList_Append(list, one))
            Py_CLEAR(list);
        Py_XDECREF(one);
    }
    kith_statement_free(statement);
    return list ? Py_BuildValue("(dN)", left, list) : NULL;
}

/* arg: a list. */
static int keep_name(void *arg, const char *account)
{
    PyObject *name =
        PyUnicode_DecodeUTF8(account, (Py_ssize_t)strlen(account), "replace");
    int bad = !name || PyList_Append(arg, name);
    Py_XDECREF(name);
    return bad;
}

static PyObject *core_ledger_accounts(PyObject *module, PyObject *capsule)
{
    kith_error err = {0};
    (void)module;
    kith_ledger *ledger = PyCapsule_GetPointer(capsule, ledger_name);
    PyObject *list = ledger ? PyList_New(0) : NULL;
    if (!list)
        return NULL;
    kith_status status = kith_ledger_accounts(ledger, keep_name, list, &err);
    if (!status && !PyErr_Occurred())
        return list;
    Py_DECREF(list);
    return fail(status, &err);
}

/* ---- fit and plan -------------------------------------------------------- */

/* ledger: (capsule, account) or None. */
static int get_payer(settings *s, PyObject *ledger)
{
    PyObject *capsule;
    if (ledger == Py_None)
        return 0;
    if (rows_need_tuple(ledger) ||
        !PyArg_ParseTuple(ledger, "Os", &capsule, &s->session.account))
        return -1;
    s->session.ledger = PyCapsule_GetPointer(capsule, ledger_name);
    return s->session.ledger ? 0 : -1;
}

static PyObject *core_fit(PyObject *module, PyObject *args)
{
    const char *kind;
    PyObject *what, *options, *callback, *ledger, *users = Py_None,
                                                  *answer = NULL;
    settings s;
    rows r = {0};
    kith_error err = {0};
    char *text = NULL;
    (void)module;
    if (!PyArg_ParseTuple(args, "sOO!OO|O", &kind, &what, &PyDict_Type,
                          &options, &callback, &ledger, &users))
        return NULL;
    if (!settings_open(&s, kind, options) && !get_payer(&s, ledger) &&
        !rows_open(&r, what) && !rows_set_users(&r, users)) {
        watch(&s, callback);
        PyThreadState *python = PyEval_SaveThread();
        kith_status status =
            kith_fit(&r.source, &s.run, &s.session, &text, &err);
        PyEval_RestoreThread(python);
        answer = text_or_fail(status, text, &err);
    }
    rows_close(&r);
    settings_close(&s);
    return answer;
}

static PyObject *core_plan(PyObject *module, PyObject *args)
{
    const char *kind;
    unsigned long long n;
    kith_shape shape = {0};
    PyObject *options, *answer = NULL;
    settings s;
    kith_error err = {0};
    char *text = NULL;
    (void)module;
    if (!PyArg_ParseTuple(args, "s(KIp)O!|I", &kind, &n, &shape.dimension,
                          &shape.sparse, &PyDict_Type, &options,
                          &shape.rows_per_user))
        return NULL;
    shape.rows = n;
    if (!settings_open(&s, kind, options)) {
        PyThreadState *python = PyEval_SaveThread();
        kith_status status =
            kith_fit_plan(&shape, &s.run, &s.session.privacy, &text, &err);
        PyEval_RestoreThread(python);
        answer = text_or_fail(status, text, &err);
    }
    settings_close(&s);
    return answer;
}

/* ---- models against rows: not private ------------------------------------ */

static PyObject *core_check(PyObject *module, PyObject *args)
{
    const char *text, *name;
    Py_ssize_t length;
    kith_model *model = NULL;
    kith_error err = {0};
    (void)module;
    if (!PyArg_ParseTuple(args, "y#s", &text, &length, &name))
        return NULL;
    kith_status status =
        kith_model_parse(text, (size_t)length, name, &model, &err);
    kith_model_free(model);
    return status ? fail(status, &err) : Py_NewRef(Py_None);
}

/* arg: a bytearray. */
static int keep_labels(void *arg, const uint32_t *labels, size_t count)
{
    PyGILState_STATE gil = PyGILState_Ensure();
    Py_ssize_t size = (Py_ssize_t)(count * sizeof *labels);
    Py_ssize_t old = PyByteArray_Size(arg);
    int bad = PyByteArray_Resize(arg, old + size);
    if (!bad)
        memcpy(PyByteArray_AsString(arg) + old, labels, (size_t)size);
    PyGILState_Release(gil);
    return bad;
}

/* With labels, a bytearray to fill: that; else their number and cost. */
static PyObject *core_apply(PyObject *module, PyObject *args)
{
    const char *text;
    Py_ssize_t length;
    PyObject *what, *options, *labels, *answer = NULL;
    kith_model *model = NULL;
    settings s = {0};
    rows r = {0};
    kith_error err = {0};
    uint64_t count = 0;
    double cost = 0;
    (void)module;
    if (!PyArg_ParseTuple(args, "y#OO!O", &text, &length, &what, &PyDict_Type,
                          &options, &labels))
        return NULL;
    int assign = PyByteArray_Check(labels);
    kith_status status =
        kith_model_parse(text, (size_t)length, "the model", &model, &err);
    if (status)
        return fail(status, &err);
    if (!get_source(&s, options) && !rows_open(&r, what)) {
        const kith_model_view *view = kith_model_get_view(model);
        watch(&s, Py_None);
        PyThreadState *python = PyEval_SaveThread();
        status = assign
                     ? kith_assign_source(view, &r.source, &s.source,
                                          keep_labels, labels, &err)
                     : kith_evaluate_source(view, kith_model_objective(model),
                                            &r.source, &s.source, &count, &cost,
                                            &err);
        PyEval_RestoreThread(python);
        answer = status ? fail(status, &err)
                 : assign
                     ? Py_NewRef(labels)
                     : Py_BuildValue("(Kd)", (unsigned long long)count, cost);
    }
    rows_close(&r);
    settings_close(&s);
    kith_model_free(model);
    return answer;
}

/* ---- the module ---------------------------------------------------------- */

static PyMethodDef methods[] = {
    {"fit", core_fit, METH_VARARGS, NULL},
    {"plan", core_plan, METH_VARARGS, NULL},
    {"check", core_check, METH_VARARGS, NULL},
    {"apply", core_apply, METH_VARARGS, NULL},
    {"ledger_open", core_ledger_open, METH_VARARGS, NULL},
    {"ledger_grant", core_ledger_grant, METH_VARARGS, NULL},
    {"ledger_read", core_ledger_read, METH_VARARGS, NULL},
    {"ledger_accounts", core_ledger_accounts, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};

static int core_exec(PyObject *module)
{
    return PyModule_AddStringConstant(module, "version", kith_version());
}

static PyModuleDef_Slot slots[] = {{Py_mod_exec, (void *)core_exec}, {0, NULL}};

static struct PyModuleDef definition = {.m_base = PyModuleDef_HEAD_INIT,
                                        .m_name = "kith._core",
                                        .m_methods = methods,
                                        .m_slots = slots};

PyMODINIT_FUNC PyInit__core(void);
PyMODINIT_FUNC PyInit__core(void)
{
    return PyModuleDef_Init(&definition);
}

/* _core: libkith for Python, by the limited API. No policy: errors.py,
 * estimators.py and rows.py decide. Every call holds the exporters' buffers,
 * lets other threads run, and comes back with plain objects.
 *
 * fit(kind, rows, options, progress) -> dict
 * plan(kind, rows, features, sparse, options) -> dict
 * model(bytes, name) -> dict
 * assign(model, rows, options) -> bytes      labels, uint32
 * evaluate(model, rows, options) -> (rows, cost)
 * Failure(status, message) is raised when the library says no. */
#include <stdlib.h>
#include <string.h>

#include "_rows.h"

typedef struct {
    PyObject *failure;
} core_state;

/* ---- errors -------------------------------------------------------------- */

static PyObject *fail(PyObject *module, kith_status status,
                      const kith_error *err)
{
    core_state *state = PyModule_GetState(module);
    if (PyErr_Occurred()) /* the exception that cancelled */
        return NULL;
    PyObject *value = Py_BuildValue(
        "(sN)", kith_status_name(status),
        PyUnicode_DecodeUTF8(err->message, (Py_ssize_t)strlen(err->message),
                             "replace"));
    if (value)
        PyErr_SetObject(state->failure, value);
    Py_XDECREF(value);
    return NULL;
}

/* ---- options ------------------------------------------------------------- */

/* What fit and plan take out of their options; all borrowed from the dict. */
typedef struct {
    kith_bounds bounds;
    kith_privacy privacy;
    kith_source_options source;
    kith_kmeans_options means;
    kith_kmedian_options medians;
    kith_subspace_options planes;
    kith_local_options local;
    kith_run run;
    int insecure;
    uint64_t insecure_seed;
    Py_buffer held[3]; /* lower, upper, center */
    int held_count;
    const char **names;
    PyObject *callback;
} settings;

static void settings_close(settings *s)
{
    for (int i = 0; i < s->held_count; i++)
        PyBuffer_Release(&s->held[i]);
    PyMem_Free(s->names);
}

/* NULL: absent, or None. */
static PyObject *item(PyObject *options, const char *key)
{
    PyObject *value = PyDict_GetItemString(options, key);
    return value == Py_None ? NULL : value;
}

static int get_real(PyObject *options, const char *key, double *out)
{
    PyObject *value = item(options, key);
    if (value)
        *out = PyFloat_AsDouble(value);
    return PyErr_Occurred() ? -1 : 0;
}

static int get_whole(PyObject *options, const char *key, uint64_t most,
                     uint64_t *out)
{
    PyObject *value = item(options, key);
    if (!value)
        return 0;
    *out = PyLong_AsUnsignedLongLong(value);
    if (!PyErr_Occurred() && *out > most)
        PyErr_Format(PyExc_OverflowError, "%s is too large", key);
    return PyErr_Occurred() ? -1 : 0;
}

static int get_count(PyObject *options, const char *key, uint32_t *out)
{
    uint64_t value = *out;
    int bad = get_whole(options, key, UINT32_MAX, &value);
    *out = (uint32_t)value;
    return bad;
}

static int get_flag(PyObject *options, const char *key, int *out)
{
    PyObject *value = item(options, key);
    if (value)
        *out = PyObject_IsTrue(value);
    return *out < 0 ? -1 : 0;
}

static int get_word(PyObject *options, const char *key, kith_vocabulary words,
                    int *out)
{
    PyObject *value = item(options, key);
    if (!value)
        return 0;
    const char *word = PyUnicode_AsUTF8AndSize(value, NULL);
    if (!word)
        return -1;
    if (kith_word_value(words, word, out))
        return 0;
    char list[200] = "";
    const char *known;
    for (size_t i = 0; (known = kith_word_at(words, i)); i++) {
        size_t used = strlen(list), room = sizeof list - used;
        PyOS_snprintf(list + used, room, "%s%s", i ? ", " : "", known);
    }
    PyErr_Format(PyExc_ValueError, "%s: '%s' is not known; there are %s", key,
                 word, list);
    return -1;
}

/* A contiguous buffer of doubles. */
static int get_reals(settings *s, PyObject *options, const char *key,
                     const double **out, uint32_t *count)
{
    PyObject *value = item(options, key);
    if (!value)
        return 0;
    Py_buffer *view = &s->held[s->held_count];
    if (PyObject_GetBuffer(value, view, PyBUF_CONTIG_RO | PyBUF_FORMAT))
        return -1;
    s->held_count++;
    if (!view->format || strcmp(view->format, "d") != 0 || view->ndim != 1 ||
        view->len == 0) {
        PyErr_Format(PyExc_TypeError, "%s must be some float64", key);
        return -1;
    }
    *out = view->buf;
    *count = (uint32_t)(view->len / (Py_ssize_t)sizeof(double));
    return 0;
}

static int get_bounds(settings *s, PyObject *options)
{
    kith_bounds *b = &s->bounds;
    uint32_t upper = 0;
    if (get_reals(s, options, "lower", &b->lower, &b->box_count) ||
        get_reals(s, options, "upper", &b->upper, &upper) ||
        get_reals(s, options, "center", &b->center, &b->center_count) ||
        get_real(options, "radius", &b->radius) ||
        get_flag(options, "normalize", &b->normalize) ||
        get_flag(options, "unit_rows", &b->unit_rows) ||
        get_count(options, "sparsity", &b->sparsity))
        return -1;
    if (upper == b->box_count)
        return 0;
    PyErr_SetString(PyExc_ValueError, "bounds differ in length");
    return -1;
}

/* Names of the features: what the model file calls its columns. */
static int get_names(settings *s, PyObject *options)
{
    PyObject *list = item(options, "names");
    if (!list)
        return 0;
    Py_ssize_t count = PyList_Size(list);
    if (count < 0)
        return -1;
    s->names = PyMem_Calloc((size_t)count + 1, sizeof *s->names);
    if (!s->names) {
        PyErr_NoMemory();
        return -1;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        s->names[i] = PyUnicode_AsUTF8AndSize(PyList_GetItem(list, i), NULL);
        if (!s->names[i])
            return -1;
    }
    s->source.columns = s->names;
    s->source.column_count = (size_t)count;
    return 0;
}

static int get_source(settings *s, PyObject *options)
{
    int missing = KITH_MISSING_ERROR, format = KITH_FORMAT_AUTO;
    kith_source_options_init(&s->source, sizeof s->source);
    if (get_word(options, "missing", KITH_WORDS_MISSING, &missing) ||
        get_word(options, "format", KITH_WORDS_FORMAT, &format) ||
        get_count(options, "threads", &s->source.threads) ||
        get_flag(options, "fixed_rows", &s->source.fixed_rows) ||
        get_count(options, "dimension", &s->source.dimension))
        return -1;
    s->source.missing = (kith_missing)missing;
    s->source.format = (kith_format)format;
    return get_names(s, options);
}

static int get_privacy(settings *s, PyObject *options)
{
    int adjacency = KITH_ADD_REMOVE;
    s->insecure = item(options, "insecure_seed") != NULL;
    if (get_real(options, "epsilon", &s->privacy.epsilon) ||
        get_real(options, "delta", &s->privacy.delta) ||
        get_word(options, "adjacency", KITH_WORDS_ADJACENCY, &adjacency) ||
        get_whole(options, "insecure_seed", INT64_MAX, &s->insecure_seed))
        return -1;
    s->privacy.neighbors = (kith_neighbors)adjacency;
    return 0;
}

static int set_means(settings *s, PyObject *o)
{
    int method = KITH_KMEANS_AUTO;
    kith_kmeans_options *m = &s->means;
    kith_kmeans_options_init(m, sizeof *m);
    if (get_count(o, "clusters", &m->clusters) ||
        get_count(o, "rounds", &m->rounds) ||
        get_whole(o, "public_seed", INT64_MAX, &m->public_seed) ||
        get_word(o, "method", KITH_WORDS_KMEANS_METHOD, &method))
        return -1;
    m->method = (kith_kmeans_method)method;
    s->run.kmeans = m;
    return 0;
}

static int set_medians(settings *s, PyObject *o)
{
    int method = KITH_KMEDIAN_AUTO, recovery = KITH_RECOVERY_STEPS;
    kith_kmedian_options *m = &s->medians;
    kith_kmedian_options_init(m, sizeof *m);
    if (get_count(o, "clusters", &m->clusters) ||
        get_count(o, "rounds", &m->rounds) ||
        get_whole(o, "public_seed", INT64_MAX, &m->public_seed) ||
        get_word(o, "method", KITH_WORDS_KMEDIAN_METHOD, &method) ||
        get_word(o, "recovery", KITH_WORDS_RECOVERY, &recovery))
        return -1;
    m->method = (kith_kmedian_method)method;
    m->recovery = (kith_kmedian_recovery)recovery;
    s->run.kmedian = m;
    return 0;
}

static int set_planes(settings *s, PyObject *o)
{
    int method = KITH_SUBSPACE_AUTO, solver = KITH_SOLVER_KPLANE;
    kith_subspace_options *p = &s->planes;
    kith_subspace_options_init(p, sizeof *p);
    if (get_count(o, "clusters", &p->clusters) ||
        get_count(o, "rounds", &p->rounds) ||
        get_count(o, "subspace_dim", &p->subspace_dimension) ||
        get_whole(o, "public_seed", INT64_MAX, &p->public_seed) ||
        get_word(o, "method", KITH_WORDS_SUBSPACE_METHOD, &method) ||
        get_word(o, "solver", KITH_WORDS_SOLVER, &solver))
        return -1;
    p->method = (kith_subspace_method)method;
    p->solver = (kith_subspace_solver)solver;
    s->run.subspace = p;
    return 0;
}

static int set_local(settings *s, PyObject *o)
{
    int method = KITH_LOCAL_AUTO, objective = KITH_OBJECTIVE_KMEANS;
    kith_local_options *l = &s->local;
    kith_local_options_init(l, sizeof *l);
    if (get_count(o, "clusters", &l->clusters) ||
        get_count(o, "threads", &l->threads) ||
        get_whole(o, "public_seed", INT64_MAX, &l->public_seed) ||
        get_word(o, "method", KITH_WORDS_LOCAL_METHOD, &method) ||
        get_word(o, "objective", KITH_WORDS_OBJECTIVE, &objective))
        return -1;
    l->method = (kith_local_method)method;
    l->objective = (kith_objective)objective;
    l->epsilon = s->privacy.epsilon;
    l->delta = s->privacy.delta;
    l->insecure = s->insecure;
    l->insecure_seed = s->insecure_seed;
    s->run.local = l;
    return 0;
}

static int settings_open(settings *s, const char *kind, PyObject *options)
{
    static const struct {
        const char *word;
        int (*set)(settings *, PyObject *);
    } kinds[] = {{"kmeans", set_means},
                 {"kmedian", set_medians},
                 {"subspace", set_planes},
                 {"local", set_local}};
    memset(s, 0, sizeof *s);
    kith_run_init(&s->run, sizeof s->run);
    if (get_source(s, options) || get_privacy(s, options) ||
        get_bounds(s, options))
        return -1;
    s->run.bounds = &s->bounds;
    s->run.source = &s->source;
    s->run.insecure = s->insecure;
    s->run.insecure_seed = s->insecure_seed;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(kind, kinds[i].word))
            return kinds[i].set(s, options);
    PyErr_Format(PyExc_ValueError, "no such kind: %s", kind);
    return -1;
}

/* ---- progress: by the thread that called, without the GIL -----------------
 */

static int tick(void *arg, unsigned done, unsigned total)
{
    settings *s = arg;
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

static void watch(settings *s, PyObject *callback)
{
    s->callback = callback;
    s->source.progress = s->means.progress = s->medians.progress =
        s->planes.progress = s->local.progress = tick;
    s->source.progress_arg = s->means.progress_arg = s->medians.progress_arg =
        s->planes.progress_arg = s->local.progress_arg = s;
}

/* ---- results ------------------------------------------------------------- */

/* Steals value; nonzero when it is NULL or cannot be stored. */
static int put(PyObject *dict, const char *key, PyObject *value)
{
    int bad = !value || PyDict_SetItemString(dict, key, value);
    Py_XDECREF(value);
    return bad;
}

static PyObject *bytes_of(const double *values, size_t count)
{
    if (!values)
        return Py_NewRef(Py_None);
    return PyBytes_FromStringAndSize((const char *)values,
                                     (Py_ssize_t)(count * sizeof *values));
}

static PyObject *receipts_of(const kith_result *result)
{
    size_t count = kith_result_receipt_count(result);
    PyObject *list = PyList_New((Py_ssize_t)count);
    for (size_t i = 0; list && i < count; i++) {
        kith_receipt r;
        kith_result_receipt(result, i, &r);
        PyObject *one = Py_BuildValue(
            "(sssddsd)", r.what, r.mechanism, r.norm, r.sensitivity, r.scale,
            r.measure == KITH_PURE_DP ? "epsilon" : "mu", r.loss);
        if (!one || PyList_SetItem(list, (Py_ssize_t)i, one)) {
            Py_DECREF(list);
            list = NULL;
        }
    }
    return list;
}

/* text: the model file or the plan; freed. */
static PyObject *result_of(const kith_result *result, char *text)
{
    uint32_t k = 0, d = 0, q = 0;
    PyObject *dict = PyDict_New();
    const double *centers = kith_result_centers(result, &k, &d);
    const double *weights = kith_result_weights(result);
    const double *bases = kith_result_bases(result, NULL, NULL, &q);
    size_t n = (size_t)k * d;
    int bad =
        !dict || put(dict, "k", PyLong_FromUnsignedLong(k)) ||
        put(dict, "d", PyLong_FromUnsignedLong(d)) ||
        put(dict, "q", PyLong_FromUnsignedLong(q)) ||
        put(dict, "centers", bytes_of(bases ? NULL : centers, n)) ||
        put(dict, "weights", bytes_of(bases ? NULL : weights, k)) ||
        put(dict, "bases", bytes_of(bases, n * q)) ||
        put(dict, "receipts", receipts_of(result)) ||
        put(dict, "guarantee",
            PyUnicode_FromString(kith_result_guarantee(result))) ||
        put(dict, "noise", PyFloat_FromDouble(kith_result_noise(result))) ||
        put(dict, "total_loss",
            PyFloat_FromDouble(kith_result_total_loss(result))) ||
        put(dict, "sensible",
            PyLong_FromUnsignedLong(kith_result_sensible_clusters(result))) ||
        put(dict, "distinct",
            PyLong_FromUnsignedLong(kith_result_distinct_centers(result))) ||
        put(dict, "rounds",
            PyLong_FromUnsignedLong(kith_result_rounds(result))) ||
        put(dict, "text", PyBytes_FromString(text ? text : ""));
    if (bad) {
        Py_XDECREF(dict);
        dict = NULL;
    }
    kith_text_free(text);
    return dict;
}

/* ---- fit ----------------------------------------------------------------- */

static kith_status run_session(settings *s, kith_dataset **data,
                               kith_result **out, kith_error *err)
{
    kith_session *session = NULL;
    kith_session_options so;
    kith_session_options_init(&so, sizeof so);
    so.privacy = s->privacy;
    so.threads = s->source.threads;
    so.insecure = s->insecure;
    so.insecure_seed = s->insecure_seed;
    kith_status status = kith_session_open(*data, &so, &session, err);
    if (status)
        return status;
    *data = NULL; /* the session's */
    if (s->run.kmeans)
        status = kith_kmeans(session, &s->means, out, err);
    else if (s->run.kmedian)
        status = kith_kmedian(session, &s->medians, out, err);
    else
        status = kith_subspace(session, &s->planes, out, err);
    kith_session_close(session);
    return status;
}

static kith_status run_local(settings *s, const kith_dataset *data,
                             kith_result **out, kith_local_summary **summary,
                             kith_local_forecast *forecast, kith_error *err)
{
    kith_status status =
        kith_local_predict_data(data, &s->local, forecast, err);
    return status ? status
                  : kith_local_simulate(data, &s->local, out, summary, err);
}

/* All of a fit, without the GIL. */
static kith_status run_fit(settings *s, const kith_source *source,
                           kith_result **out, char **text, kith_error *err)
{
    kith_dataset *data = NULL;
    kith_local_summary *summary = NULL;
    kith_local_forecast forecast = {0};
    /* In memory the names are for the model only. */
    kith_source_options reading = s->source;
    if (!source->paths)
        reading.column_count = 0;
    kith_status status =
        kith_dataset_load(source, &reading, &s->bounds, &data, err);
    if (!status && s->run.local)
        status = run_local(s, data, out, &summary, &forecast, err);
    else if (!status)
        status = run_session(s, &data, out, err);
    kith_dataset_free(data);
    s->run.summary = summary;
    s->run.forecast = &forecast;
    if (!status)
        status = kith_model_text(*out, &s->run, text, err);
    kith_local_summary_free(summary);
    return status;
}

static PyObject *core_fit(PyObject *module, PyObject *args)
{
    const char *kind;
    PyObject *what, *options, *callback, *answer = NULL;
    settings s;
    rows r;
    kith_error err = {0};
    kith_result *result = NULL;
    char *text = NULL;
    if (!PyArg_ParseTuple(args, "sOO!O", &kind, &what, &PyDict_Type, &options,
                          &callback))
        return NULL;
    memset(&r, 0, sizeof r);
    if (!settings_open(&s, kind, options) && !rows_open(&r, what)) {
        kith_status status;
        watch(&s, callback);
        Py_BEGIN_ALLOW_THREADS status =
            run_fit(&s, &r.source, &result, &text, &err);
        Py_END_ALLOW_THREADS if (status || PyErr_Occurred())
        {
            kith_text_free(text);
            answer = fail(module, status, &err);
        }
        else
        {
            answer = result_of(result, text);
        }
    }
    kith_result_free(result);
    rows_close(&r);
    settings_close(&s);
    return answer;
}

/* ---- plan ---------------------------------------------------------------- */

static kith_status run_plan(settings *s, uint64_t n, uint32_t d, int sparse,
                            kith_result **out, kith_error *err)
{
    const kith_bounds *b = &s->bounds;
    if (s->run.kmeans)
        return kith_kmeans_plan(n, d, sparse, b, &s->privacy, &s->means, out,
                                err);
    if (s->run.kmedian)
        return kith_kmedian_plan(n, d, sparse, b, &s->privacy, &s->medians, out,
                                 err);
    return kith_subspace_plan(n, d, b, &s->privacy, &s->planes, out, err);
}

/* A local plan has no result: its text says everything. */
static kith_status plan_local(settings *s, uint64_t n, uint32_t d, char **text,
                              kith_error *err)
{
    kith_local_summary *summary = NULL;
    kith_local_forecast forecast = {0};
    kith_status status = kith_local_plan(n, d, &s->bounds, &s->local, &forecast,
                                         &s->run.trial_error, &summary, err);
    s->run.summary = summary;
    s->run.forecast = &forecast;
    if (!status)
        status = kith_plan_text(NULL, &s->run, n, d, text, err);
    kith_local_summary_free(summary);
    return status;
}

static PyObject *core_plan(PyObject *module, PyObject *args)
{
    const char *kind;
    unsigned long long n;
    unsigned int d;
    int sparse;
    PyObject *options, *answer = NULL;
    settings s;
    kith_error err = {0};
    kith_result *plan = NULL;
    char *text = NULL;
    if (!PyArg_ParseTuple(args, "sKIpO!", &kind, &n, &d, &sparse, &PyDict_Type,
                          &options))
        return NULL;
    if (!settings_open(&s, kind, options)) {
        kith_status status;
        Py_BEGIN_ALLOW_THREADS if (s.run.local)
        {
            status = plan_local(&s, n, d, &text, &err);
        }
        else
        {
            status = run_plan(&s, n, d, sparse, &plan, &err);
            if (!status)
                status = kith_plan_text(plan, &s.run, n, d, &text, &err);
        }
        Py_END_ALLOW_THREADS answer =
            status ? fail(module, status, &err) : result_of(plan, text);
    }
    kith_result_free(plan);
    settings_close(&s);
    return answer;
}

/* ---- models against rows: not private ------------------------------------ */

static PyObject *core_model(PyObject *module, PyObject *args)
{
    const char *text, *name;
    Py_ssize_t length;
    kith_model *model = NULL;
    kith_error err = {0};
    if (!PyArg_ParseTuple(args, "y#s", &text, &length, &name))
        return NULL;
    kith_status status =
        kith_model_parse(text, (size_t)length, name, &model, &err);
    if (status)
        return fail(module, status, &err);
    const kith_model_view *v = kith_model_get_view(model);
    size_t n = (size_t)v->clusters * v->dimension;
    PyObject *dict = PyDict_New();
    int bad =
        !dict || put(dict, "k", PyLong_FromUnsignedLong(v->clusters)) ||
        put(dict, "d", PyLong_FromUnsignedLong(v->dimension)) ||
        put(dict, "q", PyLong_FromUnsignedLong(v->subspace_dimension)) ||
        put(dict, "centers", bytes_of(v->centers, n)) ||
        put(dict, "weights",
            bytes_of(kith_model_weights(model), v->clusters)) ||
        put(dict, "bases", bytes_of(v->bases, n * v->subspace_dimension)) ||
        put(dict, "guarantee",
            PyUnicode_FromString(kith_model_guarantee(model)));
    kith_model_free(model);
    if (bad)
        Py_CLEAR(dict);
    return dict;
}

/* A model, rows, and the options to read them: what both below begin with. */
typedef struct {
    kith_model *model;
    rows r;
    settings s;
    kith_error err;
} held_up;

static int held_open(held_up *h, PyObject *module, PyObject *args)
{
    const char *text;
    Py_ssize_t length;
    PyObject *what, *options;
    memset(h, 0, sizeof *h);
    if (!PyArg_ParseTuple(args, "y#OO!", &text, &length, &what, &PyDict_Type,
                          &options))
        return -1;
    kith_status status =
        kith_model_parse(text, (size_t)length, "the model", &h->model, &h->err);
    if (status) {
        fail(module, status, &h->err);
        return -1;
    }
    if (get_source(&h->s, options))
        return -1;
    h->s.source.progress = tick;
    h->s.source.progress_arg = &h->s;
    return rows_open(&h->r, what);
}

static void held_close(held_up *h)
{
    rows_close(&h->r);
    settings_close(&h->s);
    kith_model_free(h->model);
}

typedef struct {
    char *labels;
    size_t bytes, room;
} growing;

static int keep_labels(void *arg, const uint32_t *labels, size_t count)
{
    growing *g = arg;
    size_t bytes = count * sizeof *labels;
    if (bytes > g->room - g->bytes) {
        size_t room = 2 * g->room + bytes;
        char *more = realloc(g->labels, room);
        if (!more)
            return -1;
        g->labels = more;
        g->room = room;
    }
    memcpy(g->labels + g->bytes, labels, bytes);
    g->bytes += bytes;
    return 0;
}

static PyObject *core_assign(PyObject *module, PyObject *args)
{
    held_up h;
    growing g = {0};
    PyObject *answer = NULL;
    if (!held_open(&h, module, args)) {
        kith_status status;
        Py_BEGIN_ALLOW_THREADS status =
            kith_assign_source(kith_model_get_view(h.model), &h.r.source,
                               &h.s.source, keep_labels, &g, &h.err);
        Py_END_ALLOW_THREADS if (status == KITH_ERR_CANCELLED &&
                                 !PyErr_Occurred()) PyErr_NoMemory();
        answer = status
                     ? fail(module, status, &h.err)
                     : PyBytes_FromStringAndSize(g.labels, (Py_ssize_t)g.bytes);
    }
    free(g.labels);
    held_close(&h);
    return answer;
}

static PyObject *core_evaluate(PyObject *module, PyObject *args)
{
    held_up h;
    uint64_t count = 0;
    double cost = 0;
    PyObject *answer = NULL;
    if (!held_open(&h, module, args)) {
        kith_status status;
        Py_BEGIN_ALLOW_THREADS status = kith_evaluate_source(
            kith_model_get_view(h.model), kith_model_objective(h.model),
            &h.r.source, &h.s.source, &count, &cost, &h.err);
        Py_END_ALLOW_THREADS answer =
            status ? fail(module, status, &h.err)
                   : Py_BuildValue("(Kd)", (unsigned long long)count, cost);
    }
    held_close(&h);
    return answer;
}

/* ---- the module ---------------------------------------------------------- */

static PyMethodDef methods[] = {
    {"fit", core_fit, METH_VARARGS, NULL},
    {"plan", core_plan, METH_VARARGS, NULL},
    {"model", core_model, METH_VARARGS, NULL},
    {"assign", core_assign, METH_VARARGS, NULL},
    {"evaluate", core_evaluate, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static int core_exec(PyObject *module)
{
    core_state *state = PyModule_GetState(module);
    state->failure = PyErr_NewException("kith._core.Failure", NULL, NULL);
    if (!state->failure ||
        PyModule_AddObjectRef(module, "Failure", state->failure))
        return -1;
    return PyModule_AddStringConstant(module, "version", kith_version());
}

static int core_traverse(PyObject *module, visitproc visit, void *arg)
{
    core_state *state = PyModule_GetState(module);
    Py_VISIT(state->failure);
    return 0;
}

static int core_clear(PyObject *module)
{
    core_state *state = PyModule_GetState(module);
    Py_CLEAR(state->failure);
    return 0;
}

static PyModuleDef_Slot slots[] = {{Py_mod_exec, (void *)core_exec}, {0, NULL}};

static struct PyModuleDef definition = {
    .m_base = PyModuleDef_HEAD_INIT,
    .m_name = "kith._core",
    .m_size = sizeof(core_state),
    .m_methods = methods,
    .m_slots = slots,
    .m_traverse = core_traverse,
    .m_clear = core_clear,
};

PyMODINIT_FUNC PyInit__core(void);
PyMODINIT_FUNC PyInit__core(void)
{
    return PyModuleDef_Init(&definition);
}

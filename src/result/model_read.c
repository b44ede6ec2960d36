/* Reading a model file. It may come from anywhere: every field that is used
 * is checked, and messages name the file and the field. */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/base_i.h"
#include "model_i.h"

#define NOT_ORTHONORMAL 1e-6 /* larger errors are not rounding */

/* What is being read: where, by which name, and who wants to know. */
typedef struct {
    kith_model *model;
    const char *name;
    kith_error *err;
} reading;

static kith_status bad_model(const reading *r, const char *what)
{
    return kith_i_fail(r->err, KITH_ERR_INPUT, "%s: not a kith model: %s",
                       r->name, what);
}

/* Copy an array of finite numbers into out; nonzero when it is anything
 * else. */
static int copy_numbers(const json_t *array, size_t count, double *out)
{
    if (!json_is_array(array) || json_array_size(array) != count)
        return -1;
    for (size_t i = 0; i < count; i++) {
        const json_t *value = json_array_get(array, i);
        double number = json_number_value(value);
        if (!json_is_number(value) || !isfinite(number))
            return -1;
        out[i] = number;
    }
    return 0;
}

static int read_count(const json_t *root, const char *key, uint32_t *out)
{
    const json_t *value = json_object_get(root, key);
    json_int_t number = json_integer_value(value);
    if (!json_is_integer(value) || number < 1 || number > UINT32_MAX)
        return -1;
    *out = (uint32_t)number;
    return 0;
}

/* ---- centres and planes -------------------------------------------------- */

static kith_status read_centers(const reading *r)
{
    kith_model *m = r->model;
    uint32_t k = m->view.clusters, d = m->view.dimension;
    const json_t *rows = json_object_get(m->json, "centers");
    if (!json_is_array(rows) || json_array_size(rows) != k)
        return bad_model(r, "'centers' is not an array of k rows");
    /* Sizes that the file really has, before memory is asked for. */
    for (size_t j = 0; j < k; j++)
        if (json_array_size(json_array_get(rows, j)) != d)
            return bad_model(r, "a row of 'centers' has not 'dimension' "
                                "numbers");
    m->centers = kith_i_alloc((size_t)k * d, sizeof *m->centers);
    if (!m->centers)
        return kith_i_fail_memory(r->err);
    for (size_t j = 0; j < k; j++)
        if (copy_numbers(json_array_get(rows, j), d, m->centers + j * d))
            return bad_model(r, "'centers' holds something that is not a "
                                "number");
    m->view.centers = m->centers;
    return KITH_OK;
}

/* Sizes that the file really has, before memory is asked for. */
static int check_bases(const kith_model_view *view, const json_t *planes)
{
    if (!json_is_array(planes) || json_array_size(planes) != view->clusters)
        return -1;
    for (size_t l = 0; l < view->clusters; l++) {
        const json_t *rows = json_array_get(planes, l);
        if (!json_is_array(rows) || json_array_size(rows) != view->dimension)
            return -1;
        for (size_t i = 0; i < view->dimension; i++)
            if (json_array_size(json_array_get(rows, i)) !=
                view->subspace_dimension)
                return -1;
    }
    return 0;
}

/* Columns of a basis must be orthonormal: the cost is wrong otherwise. */
static int is_orthonormal(const double *basis, uint32_t d, uint32_t q)
{
    for (size_t a = 0; a < q; a++)
        for (size_t b = 0; b <= a; b++) {
            double sum = 0;
            for (size_t i = 0; i < d; i++)
                sum += basis[i * q + a] * basis[i * q + b];
            if (!(fabs(sum - (a == b)) <= NOT_ORTHONORMAL))
                return 0;
        }
    return 1;
}

static kith_status read_bases(const reading *r)
{
    kith_model *m = r->model;
    kith_model_view *view = &m->view;
    const json_t *planes = json_object_get(m->json, "bases");
    if (read_count(m->json, "subspace_dimension", &view->subspace_dimension))
        return bad_model(r, "'subspace_dimension' must be a whole number "
                            "above 0");
    uint32_t k = view->clusters, d = view->dimension;
    uint32_t q = view->subspace_dimension;
    if (q > d || check_bases(view, planes))
        return bad_model(r, "'bases' is not k planes of 'dimension' rows of "
                            "'subspace_dimension' numbers");
    m->bases = kith_i_alloc((size_t)k * d * q, sizeof *m->bases);
    if (!m->bases)
        return kith_i_fail_memory(r->err);
    for (size_t l = 0; l < k; l++) {
        double *basis = m->bases + l * d * q;
        for (size_t i = 0; i < d; i++)
            if (copy_numbers(json_array_get(json_array_get(planes, l), i), q,
                             basis + i * q))
                return bad_model(r, "'bases' holds something that is not a "
                                    "number");
        if (!is_orthonormal(basis, d, q))
            return bad_model(r, "a basis has columns that are not "
                                "orthonormal");
    }
    view->bases = m->bases;
    return KITH_OK;
}

static kith_status read_weights(const reading *r)
{
    kith_model *m = r->model;
    const json_t *weights = json_object_get(m->json, "weights");
    uint32_t k = m->view.clusters;
    if (!weights)
        return KITH_OK;
    if (json_array_size(weights) != k)
        return bad_model(r, "'weights' is not k numbers");
    m->weights = kith_i_alloc(k, sizeof *m->weights);
    if (!m->weights)
        return kith_i_fail_memory(r->err);
    return copy_numbers(weights, k, m->weights)
               ? bad_model(r, "'weights' is not k numbers")
               : KITH_OK;
}

/* ---- how rows are held against it ---------------------------------------- */

/* How the rows were treated, and so are those that are held against it. */
static kith_status read_scale(const reading *r, const json_t *parameters)
{
    const char *scale = json_string_value(json_object_get(parameters, "scale"));
    if (!scale || (strcmp(scale, "unit") != 0 && strcmp(scale, "clip") != 0))
        return bad_model(r, "'scale' is neither unit nor clip");
    r->model->view.unit_rows = !strcmp(scale, "unit");
    return KITH_OK;
}

/* One side of the box: one number for all features, or one each. */
static kith_status read_side(const reading *r, const json_t *array,
                             double **out)
{
    uint32_t d = r->model->view.dimension;
    size_t count = json_array_size(array) == 1 ? 1 : d;
    *out = kith_i_alloc(d, sizeof **out);
    if (!*out)
        return kith_i_fail_memory(r->err);
    if (copy_numbers(array, count, *out))
        return bad_model(r, "'normalize' without usable 'bounds'");
    for (size_t i = count; i < d; i++)
        (*out)[i] = (*out)[0];
    return KITH_OK;
}

/* The box of a --normalize run; distances are measured in its units. */
static kith_status read_box(const reading *r, const json_t *parameters)
{
    kith_model *m = r->model;
    const json_t *normalize = json_object_get(parameters, "normalize");
    if (normalize && !json_is_boolean(normalize))
        return bad_model(r, "'normalize' is neither true nor false");
    if (!json_is_true(normalize))
        return KITH_OK;
    const json_t *box = json_object_get(parameters, "bounds");
    kith_status status = read_side(r, json_object_get(box, "lower"), &m->lower);
    if (!status)
        status = read_side(r, json_object_get(box, "upper"), &m->upper);
    if (status)
        return status;
    for (uint32_t i = 0; i < m->view.dimension; i++)
        if (!(m->lower[i] < m->upper[i]))
            return bad_model(r, "'bounds' are not in order");
    m->view.lower = m->lower;
    m->view.upper = m->upper;
    return KITH_OK;
}

/* A list of words, as pointers into it; NULL and 0 when there is none. */
static kith_status read_words(const reading *r, const json_t *list,
                              const char ***out, size_t *out_count)
{
    size_t count = json_array_size(list);
    if (!list || json_is_null(list))
        return KITH_OK;
    *out = kith_i_alloc(count, sizeof **out);
    if (!*out)
        return kith_i_fail_memory(r->err);
    for (size_t i = 0; i < count; i++) {
        (*out)[i] = json_string_value(json_array_get(list, i));
        if (!(*out)[i] || !*(*out)[i])
            return bad_model(r, "'columns' or 'missing_values' holds "
                                "something that is not a name");
    }
    *out_count = count;
    return KITH_OK;
}

static kith_status read_columns(const reading *r, const json_t *parameters)
{
    kith_model *m = r->model;
    const json_t *names = json_object_get(parameters, "columns");
    if (names && !json_is_null(names) &&
        json_array_size(names) != m->view.dimension)
        return bad_model(r, "'columns' does not name 'dimension' columns");
    kith_status status = read_words(r, names, &m->columns, &m->column_count);
    if (!status)
        status = read_words(r, json_object_get(parameters, "missing_values"),
                            &m->missing_values, &m->missing_count);
    return status;
}

/* Anything that is not one of our words promises nothing. */
static const char *read_guarantee(const json_t *root)
{
    const char *word = json_string_value(
        json_object_get(json_object_get(root, "privacy"), "guarantee"));
    int known = word && (!strcmp(word, "exact") || !strcmp(word, "asymptotic"));
    return known ? word : "none";
}

/* ---- the whole ----------------------------------------------------------- */

static kith_status read_head(const reading *r)
{
    kith_model *m = r->model;
    const json_t *version = json_object_get(m->json, "kith");
    int objective = 0;
    if (!json_is_object(m->json) || !json_is_integer(version))
        return bad_model(r, "no field 'kith'");
    if (json_integer_value(version) != 1)
        return bad_model(r, "its format is newer than this program");
    if (!kith_word_value(KITH_WORDS_OBJECTIVE,
                         json_string_value(json_object_get(m->json, "kind")),
                         &objective))
        return bad_model(r, "'kind' is none of kmeans, kmedian and subspace");
    m->objective = (kith_objective)objective;
    if (read_count(m->json, "k", &m->view.clusters) ||
        read_count(m->json, "dimension", &m->view.dimension))
        return bad_model(r, "'k' and 'dimension' must be whole numbers "
                            "above 0");
    return KITH_OK;
}

static kith_status read_fields(const reading *r)
{
    kith_model *m = r->model;
    kith_status status = read_head(r);
    if (status)
        return status;
    const json_t *parameters = json_object_get(m->json, "parameters");
    if (parameters && !json_is_object(parameters))
        return bad_model(r, "'parameters' is not an object");
    int planes = m->objective == KITH_OBJECTIVE_SUBSPACE;
    status = planes ? read_bases(r) : read_centers(r);
    if (!status)
        status = read_weights(r);
    if (!status)
        status = planes ? read_scale(r, parameters) : read_box(r, parameters);
    if (!status)
        status = read_columns(r, parameters);
    m->guarantee = read_guarantee(m->json);
    return status;
}

/* json: taken; NULL: it could not be read. */
static kith_status finish(json_t *json, const json_error_t *error,
                          const char *name, kith_model **out, kith_error *err)
{
    if (!json && json_error_code(error) == json_error_out_of_memory)
        return kith_i_fail_memory(err);
    if (!json) /* Not error->text: it quotes the file, maybe a data file. */
        return kith_i_fail(err, KITH_ERR_INPUT,
                           "%s: line %d: not JSON, so not a kith model", name,
                           error->line);
    kith_model *model = kith_i_alloc(1, sizeof *model);
    if (!model) {
        json_decref(json);
        return kith_i_fail_memory(err);
    }
    model->json = json;
    kith_status status = read_fields(&(reading){model, name, err});
    if (status)
        kith_model_free(model);
    else
        *out = model;
    return status;
}

kith_status kith_model_parse(const char *text, size_t length, const char *name,
                             kith_model **out, kith_error *err)
{
    json_error_t error = {0};
    if (!text || !name || !out)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "kith_model_parse: text, name and out are required");
    json_t *json = json_loadb(text, length, JSON_REJECT_DUPLICATES, &error);
    return finish(json, &error, name, out, err);
}

kith_status kith_model_read(const char *path, kith_model **out, kith_error *err)
{
    struct stat st;
    json_error_t error = {0};
    if (!path || !out)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "kith_model_read: path and out are required");
    FILE *file = fopen(path, "r");
    if (!file)
        return kith_i_fail(err, KITH_ERR_INPUT, "%s: %s", path,
                           strerror(errno));
    json_t *json = NULL;
    int directory = !fstat(fileno(file), &st) && S_ISDIR(st.st_mode);
    if (!directory)
        json = json_loadf(file, JSON_REJECT_DUPLICATES, &error);
    fclose(file);
    if (directory)
        return kith_i_fail(err, KITH_ERR_INPUT, "%s: it is a directory", path);
    return finish(json, &error, path, out, err);
}

void kith_model_free(kith_model *model)
{
    if (!model)
        return;
    json_decref(model->json);
    kith_i_free(model->columns);
    kith_i_free(model->missing_values);
    kith_i_free(model->centers);
    kith_i_free(model->weights);
    kith_i_free(model->bases);
    kith_i_free(model->lower);
    kith_i_free(model->upper);
    kith_i_free(model);
}

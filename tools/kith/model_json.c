/* Reading a model file. It may come from anywhere: every field that is used
 * is checked, and messages name the file and the field. */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli.h"
#include "model.h"

#define NOT_ORTHONORMAL 1e-6 /* larger errors are not rounding */

static int bad_model(const char *path, const char *what)
{
    return cli_fail(CLI_INPUT, "%s: not a kith model: %s", path, what);
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

static int read_centers(model *out, const char *path)
{
    uint32_t k = out->view.clusters, d = out->view.dimension;
    const json_t *rows = json_object_get(out->json, "centers");
    if (!json_is_array(rows) || json_array_size(rows) != k)
        return bad_model(path, "'centers' is not an array of k rows");
    /* Sizes that the file really has, before memory is asked for. */
    for (size_t j = 0; j < k; j++)
        if (json_array_size(json_array_get(rows, j)) != d)
            return bad_model(path, "a row of 'centers' has not 'dimension' "
                                   "numbers");
    out->centers = calloc((size_t)k * d, sizeof *out->centers);
    if (!out->centers)
        return cli_no_memory();
    for (size_t j = 0; j < k; j++)
        if (copy_numbers(json_array_get(rows, j), d, out->centers + j * d))
            return bad_model(path, "'centers' holds something that is not a "
                                   "number");
    out->view.centers = out->centers;
    return CLI_OK;
}

/* Sizes that the file really has, before memory is asked for. */
static int check_bases(const model *m, const json_t *planes)
{
    if (!json_is_array(planes) || json_array_size(planes) != m->view.clusters)
        return -1;
    for (size_t l = 0; l < m->view.clusters; l++) {
        const json_t *rows = json_array_get(planes, l);
        if (!json_is_array(rows) || json_array_size(rows) != m->view.dimension)
            return -1;
        for (size_t i = 0; i < m->view.dimension; i++)
            if (json_array_size(json_array_get(rows, i)) !=
                m->view.subspace_dimension)
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

static int read_bases(model *out, const char *path)
{
    const json_t *planes = json_object_get(out->json, "bases");
    kith_model_view *view = &out->view;
    if (read_count(out->json, "subspace_dimension", &view->subspace_dimension))
        return bad_model(path, "'subspace_dimension' must be a whole number "
                               "above 0");
    uint32_t k = view->clusters, d = view->dimension;
    uint32_t q = view->subspace_dimension;
    if (q > d || check_bases(out, planes))
        return bad_model(path, "'bases' is not k planes of 'dimension' rows of "
                               "'subspace_dimension' numbers");
    out->bases = calloc((size_t)k * d * q, sizeof *out->bases);
    if (!out->bases)
        return cli_no_memory();
    for (size_t l = 0; l < k; l++) {
        double *basis = out->bases + l * d * q;
        for (size_t i = 0; i < d; i++)
            if (copy_numbers(json_array_get(json_array_get(planes, l), i), q,
                             basis + i * q))
                return bad_model(path, "'bases' holds something that is not a "
                                       "number");
        if (!is_orthonormal(basis, d, q))
            return bad_model(path, "a basis has columns that are not "
                                   "orthonormal");
    }
    view->bases = out->bases;
    return CLI_OK;
}

/* How the rows were treated, and so are those that are held against it. */
static int read_scale(model *out, const json_t *parameters, const char *path)
{
    const char *scale = json_string_value(json_object_get(parameters, "scale"));
    if (!scale || (strcmp(scale, "unit") != 0 && strcmp(scale, "clip") != 0))
        return bad_model(path, "'scale' is neither unit nor clip");
    out->view.unit_rows = !strcmp(scale, "unit");
    return CLI_OK;
}

static int check_weights(const model *m, const char *path)
{
    const json_t *weights = json_object_get(m->json, "weights");
    uint32_t k = m->view.clusters;
    double *scratch = calloc(k, sizeof *scratch);
    if (!scratch)
        return cli_no_memory();
    int bad = weights && copy_numbers(weights, k, scratch);
    free(scratch);
    return bad ? bad_model(path, "'weights' is not k numbers") : CLI_OK;
}

/* One side of the box: one number for all features, or one each. */
static int read_side(const json_t *array, uint32_t d, double **out)
{
    *out = calloc(d, sizeof **out);
    if (!*out)
        return cli_no_memory();
    if (json_array_size(array) != 1)
        return copy_numbers(array, d, *out) ? CLI_INPUT : CLI_OK;
    if (copy_numbers(array, 1, *out))
        return CLI_INPUT;
    for (uint32_t i = 1; i < d; i++)
        (*out)[i] = (*out)[0];
    return CLI_OK;
}

/* The box of a --normalize run; distances are measured in its units. */
static int read_box(model *out, const json_t *parameters, const char *path)
{
    const json_t *normalize = json_object_get(parameters, "normalize");
    if (normalize && !json_is_boolean(normalize))
        return bad_model(path, "'normalize' is neither true nor false");
    if (!json_is_true(normalize))
        return CLI_OK;
    const json_t *box = json_object_get(parameters, "bounds");
    uint32_t d = out->view.dimension;
    int code = read_side(json_object_get(box, "lower"), d, &out->lower);
    if (!code)
        code = read_side(json_object_get(box, "upper"), d, &out->upper);
    if (code)
        return code == CLI_INPUT
                   ? bad_model(path, "'normalize' without usable 'bounds'")
                   : code;
    for (uint32_t i = 0; i < d; i++)
        if (!(out->lower[i] < out->upper[i]))
            return bad_model(path, "'bounds' are not in order");
    out->view.lower = out->lower;
    out->view.upper = out->upper;
    return CLI_OK;
}

static int read_columns(model *out, const json_t *parameters, const char *path)
{
    const json_t *names = json_object_get(parameters, "columns");
    if (!names || json_is_null(names))
        return CLI_OK;
    size_t count = json_array_size(names);
    if (count != out->view.dimension)
        return bad_model(path, "'columns' does not name 'dimension' columns");
    out->columns = calloc(count, sizeof *out->columns);
    if (!out->columns)
        return cli_no_memory();
    for (size_t i = 0; i < count; i++) {
        out->columns[i] = json_string_value(json_array_get(names, i));
        if (!out->columns[i] || !*out->columns[i])
            return bad_model(path, "'columns' holds something that is not a "
                                   "name");
    }
    out->column_count = count;
    return CLI_OK;
}

static int read_fields(model *out, const char *path)
{
    const json_t *root = out->json;
    const json_t *version = json_object_get(root, "kith");
    if (!json_is_object(root) || !json_is_integer(version))
        return bad_model(path, "no field 'kith'");
    if (json_integer_value(version) != 1)
        return bad_model(path, "its format is newer than this program");
    const char *kind = json_string_value(json_object_get(root, "kind"));
    if (kind && !strcmp(kind, "kmeans"))
        out->objective = KITH_OBJECTIVE_KMEANS;
    else if (kind && !strcmp(kind, "kmedian"))
        out->objective = KITH_OBJECTIVE_KMEDIAN;
    else if (kind && !strcmp(kind, "subspace"))
        out->objective = KITH_OBJECTIVE_SUBSPACE;
    else
        return bad_model(path, "'kind' is none of kmeans, kmedian and "
                               "subspace");
    if (read_count(root, "k", &out->view.clusters) ||
        read_count(root, "dimension", &out->view.dimension))
        return bad_model(path, "'k' and 'dimension' must be whole numbers "
                               "above 0");
    const json_t *parameters = json_object_get(root, "parameters");
    if (parameters && !json_is_object(parameters))
        return bad_model(path, "'parameters' is not an object");
    int planes = out->objective == KITH_OBJECTIVE_SUBSPACE;
    int code = planes ? read_bases(out, path) : read_centers(out, path);
    if (!code)
        code = check_weights(out, path);
    if (!code)
        code = planes ? read_scale(out, parameters, path)
                      : read_box(out, parameters, path);
    if (!code)
        code = read_columns(out, parameters, path);
    return code;
}

int model_read(model *out, const char *path)
{
    *out = (model){0};
    struct stat st;
    FILE *file = fopen(path, "r");
    if (!file)
        return cli_fail(CLI_INPUT, "%s: %s", path, strerror(errno));
    int directory = !fstat(fileno(file), &st) && S_ISDIR(st.st_mode);
    json_error_t error = {0};
    if (!directory)
        out->json = json_loadf(file, JSON_REJECT_DUPLICATES, &error);
    fclose(file);
    if (directory)
        return cli_fail(CLI_INPUT, "%s: it is a directory", path);
    if (!out->json)
        /* Not error.text: it quotes the file, which may be a data file. */
        return cli_fail(CLI_INPUT, "%s: line %d: not JSON, so not a kith model",
                        path, error.line);
    return read_fields(out, path);
}

void model_free(model *m)
{
    json_decref(m->json);
    free(m->columns);
    free(m->centers);
    free(m->bases);
    free(m->lower);
    free(m->upper);
    *m = (model){0};
}

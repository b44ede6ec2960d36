/* Out of memory everywhere: each allocation of the way from the files to the
 * released centres fails once, and so for everything else in the public
 * interface. GMP, MPFR, libzstd and stdio have their own memory, which is not
 * covered. */
/* link: support/mem_failing.c */
#include <unistd.h>
#include <zlib.h>

#include "torture/torture.h"

/* More than one block of rows, so that arrays grow. */
enum { N = 600, D = 3, K = 3 }; /* of each of two shards */

typedef struct {
    const char *path;
    double delta;
    kith_neighbors neighbors;
    int normalize;
    const char *column;
    uint32_t from; /* clusters are chosen, up to K */
} scenario;

static char folder[] = "/tmp/kith-torture-XXXXXX";
static char csv[64], gzip[64], npy[64], svm[64];
static const double low = -1, high = 1;

/* ---- the files ----------------------------------------------------------- */

static double value_at(int r, int i)
{
    return ((r * 7 + i * 13) % 19 - 9) / 10.0;
}

static void write_text(FILE *file, gzFile zipped, int sparse)
{
    char line[256] = "a,b,c\n";
    for (int r = sparse ? 0 : -1; r < N; r++) {
        int at = 0;
        if (r >= 0 && sparse)
            at = snprintf(line, sizeof line, "1");
        for (int i = 0; r >= 0 && i < D; i++)
            if (!sparse)
                at += snprintf(line + at, sizeof line - (size_t)at, "%s%g",
                               i ? "," : "", value_at(r, i));
            else if ((r + i) % 2)
                at += snprintf(line + at, sizeof line - (size_t)at, " %d:%g",
                               i + 1, value_at(r, i));
        if (r >= 0)
            snprintf(line + at, sizeof line - (size_t)at, "\n");
        if (file)
            assert_true(fputs(line, file) >= 0);
        else
            assert_true(gzputs(zipped, line) > 0);
    }
}

static void write_npy(FILE *file)
{
    char header[118];
    int n = snprintf(header, sizeof header,
                     "{'descr': '<f8', 'fortran_order': False, 'shape': "
                     "(%d, %d), }",
                     N, D);
    memset(header + n, ' ', sizeof header - (size_t)n);
    header[sizeof header - 1] = '\n';
    assert_int_equal(fwrite("\x93NUMPY\1\0\x76\0", 1, 10, file), 10);
    assert_int_equal(fwrite(header, 1, sizeof header, file), sizeof header);
    for (int r = 0; r < N; r++)
        for (int i = 0; i < D; i++) {
            double v = value_at(r, i);
            assert_int_equal(fwrite(&v, sizeof v, 1, file), 1);
        }
}

static FILE *create(char *path, size_t size, const char *name)
{
    snprintf(path, size, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    return file;
}

static int write_files(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(folder));
    FILE *file = create(csv, sizeof csv, "t.csv");
    write_text(file, NULL, 0);
    assert_int_equal(fclose(file), 0);
    file = create(svm, sizeof svm, "t.svm");
    write_text(file, NULL, 1);
    assert_int_equal(fclose(file), 0);
    file = create(npy, sizeof npy, "t.npy");
    write_npy(file);
    assert_int_equal(fclose(file), 0);
    snprintf(gzip, sizeof gzip, "%s/t.csv.gz", folder);
    gzFile zipped = gzopen(gzip, "wb");
    assert_non_null(zipped);
    write_text(NULL, zipped, 0);
    assert_int_equal(gzclose(zipped), Z_OK);
    return 0;
}

static int remove_files(void **state)
{
    (void)state;
    int failed = unlink(csv) | unlink(svm) | unlink(npy) | unlink(gzip);
    return failed | rmdir(folder);
}

/* ---- the steps ----------------------------------------------------------- */

static kith_source_options source_of(const scenario *s)
{
    kith_source_options source;
    kith_source_options_init(&source, sizeof source);
    source.dimension = s->path == svm ? D : 0;
    source.fixed_rows = s->neighbors == KITH_REPLACE_ONE;
    if (s->column) {
        source.columns = &s->column;
        source.column_count = 1;
    }
    return source;
}

static kith_bounds bounds_of(const scenario *s)
{
    return (kith_bounds){.lower = &low,
                         .upper = &high,
                         .box_count = 1,
                         .radius = s->normalize ? 0 : 1.5,
                         .normalize = s->normalize};
}

/* Two shards. */
static kith_status open_data(const scenario *s, kith_dataset **out,
                             kith_error *err)
{
    const char *paths[2] = {s->path, s->path};
    kith_source_options source = source_of(s);
    kith_bounds bounds = bounds_of(s);
    *out = (kith_dataset *)paths;
    kith_status status =
        kith_dataset_open(paths, 2, &source, &bounds, out, err);
    assert_true((status == KITH_OK) == (*out != NULL));
    return status;
}

static kith_status open_session_of(const scenario *s, kith_ledger *ledger,
                                   kith_session **out, kith_error *err)
{
    kith_dataset *data;
    kith_status status = open_data(s, &data, err);
    if (status)
        return status;
    kith_session_options opt;
    kith_session_options_init(&opt, sizeof opt);
    opt.privacy = (kith_privacy){0.5, s->delta, s->neighbors};
    opt.ledger = ledger;
    opt.account = "a";
    opt.threads = 2;
    *out = (kith_session *)data;
    status = kith_session_open(data, &opt, out, err);
    assert_true((status == KITH_OK) == (*out != NULL));
    if (status)
        kith_dataset_free(data);
    double left;
    assert_int_equal(kith_ledger_remaining(ledger, "a", &left, NULL), KITH_OK);
    assert_true((status == KITH_OK) == (left < 1)); /* charged if it opened */
    return status;
}

static kith_status run_private(const void *arg, kith_error *err)
{
    const scenario *s = arg;
    kith_ledger *ledger = NULL;
    kith_session *session = NULL;
    kith_result *result = NULL;
    kith_privacy limit = {1, s->delta, s->neighbors};
    kith_kmeans_options opt;
    kith_kmeans_options_init(&opt, sizeof opt);
    opt.clusters = K;
    opt.clusters_from = s->from;
    opt.rounds = s->from ? 0 : 2;
    kith_status status = kith_ledger_memory_new(&ledger, err);
    assert_true((status == KITH_OK) == (ledger != NULL));
    if (!status)
        status = kith_ledger_grant(ledger, "a", &limit, err);
    if (!status)
        status = open_session_of(s, ledger, &session, err);
    if (!status) {
        result = (kith_result *)session;
        status = kith_kmeans(session, &opt, &result, err);
        assert_true((status == KITH_OK) == (result != NULL));
    }
    kith_result_free(result);
    kith_session_close(session);
    kith_ledger_free(ledger);
    return status;
}

static kith_status run_plain(const void *arg, kith_error *err)
{
    kith_dataset *data;
    kith_status status = open_data(arg, &data, err);
    if (status)
        return status;
    kith_plain_options opt;
    kith_plain_options_init(&opt, sizeof opt);
    opt.clusters = K;
    opt.starts = 2;
    opt.max_rounds = 5;
    opt.threads = 2;
    kith_result *result = (kith_result *)data;
    status = kith_plain_kmeans(data, &opt, &result, err);
    assert_true((status == KITH_OK) == (result != NULL));
    kith_result_free(result);
    kith_dataset_free(data);
    return status;
}

static const double model_centers[2 * D] = {0.1, 0.2, 0.3, -0.1, -0.2, -0.3};
static const double model_low[D] = {-1, -1, -1}, model_high[D] = {1, 1, 1};

static kith_model_view model_of(const scenario *s)
{
    return (kith_model_view){.clusters = 2,
                             .dimension = D,
                             .centers = model_centers,
                             .lower = s->normalize ? model_low : NULL,
                             .upper = s->normalize ? model_high : NULL};
}

static kith_status run_evaluate(const void *arg, kith_error *err)
{
    const scenario *s = arg;
    kith_source_options source = source_of(s);
    kith_model_view model = model_of(s);
    kith_source files = {.paths = &s->path, .path_count = 1};
    source.threads = 2;
    uint64_t rows = 77;
    double cost = 77;
    kith_status status = kith_evaluate_source(
        &model, KITH_OBJECTIVE_KMEANS, &files, &source, &rows, &cost, err);
    assert_true(status ? rows == 77 && cost == 77 : rows == N);
    return status;
}

static int count_labels(void *arg, const uint32_t *labels, size_t count)
{
    for (size_t i = 0; i < count; i++)
        assert_true(labels[i] < 2);
    *(size_t *)arg += count;
    return 0;
}

static kith_status run_assign(const void *arg, kith_error *err)
{
    const scenario *s = arg;
    kith_source_options source = source_of(s);
    kith_model_view model = model_of(s);
    kith_source files = {.paths = &s->path, .path_count = 1};
    source.threads = 2;
    size_t count = 0;
    kith_status status =
        kith_assign_source(&model, &files, &source, count_labels, &count, err);
    assert_true((status == KITH_OK) == (count == N));
    return status;
}

static kith_status run_plan(const void *arg, kith_error *err)
{
    const scenario *s = arg;
    kith_bounds bounds = bounds_of(s);
    kith_privacy privacy = {1, s->delta, s->neighbors};
    kith_kmeans_options opt;
    kith_kmeans_options_init(&opt, sizeof opt);
    opt.clusters = K;
    opt.rounds = 2;
    kith_result *result = (kith_result *)&opt;
    kith_status status = kith_kmeans_plan(&(kith_shape){N, D, 0, 0}, &bounds,
                                          &privacy, &opt, &result, err);
    assert_true((status == KITH_OK) == (result != NULL));
    kith_result_free(result);
    return status;
}

static int count_row(void *arg, uint32_t label, const uint32_t *index,
                     const double *value, uint32_t count)
{
    (void)label, (void)index, (void)value, (void)count;
    ++*(size_t *)arg;
    return 0;
}

static kith_status run_generate(const void *arg, kith_error *err)
{
    kith_generate_options opt;
    kith_generate_options_init(&opt, sizeof opt);
    opt.kind = *(const kith_generator *)arg;
    opt.rows = 10;
    opt.dimension = 8;
    opt.clusters = 3;
    opt.subspace_dimension = 2;
    opt.sparsity = 2;
    size_t count = 0;
    kith_status status = kith_generate(&opt, count_row, &count, err);
    assert_true((status == KITH_OK) == (count == 10));
    return status;
}

/* ---- the tests ----------------------------------------------------------- */

/* A number of failures below this means that the replacement of mem.c was
 * not linked, or that memory is got elsewhere. */
static void all_files(const char *name, torture_fn *run, size_t least)
{
    const scenario files[] = {
        {.path = csv, .delta = 1e-6, .neighbors = KITH_ADD_REMOVE},
        {.path = npy, .delta = 0, .neighbors = KITH_REPLACE_ONE},
        {.path = svm, .delta = 1e-6, .neighbors = KITH_REPLACE_ONE},
        {.path = svm, .delta = 0, .neighbors = KITH_ADD_REMOVE},
        {.path = gzip, .delta = 0, .neighbors = KITH_ADD_REMOVE},
        {.path = npy,
         .delta = 1e-6,
         .neighbors = KITH_ADD_REMOVE,
         .normalize = 1},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        assert_true(torture(name, run, &files[i]) >= least);
}

static void test_private(void **state)
{
    (void)state;
    all_files("kmeans", run_private, 60);
}

/* How many clusters: by a summary, and without one. */
static void test_number(void **state)
{
    (void)state;
    for (int pure = 0; pure < 2; pure++) {
        scenario s = {.path = npy,
                      .delta = pure ? 0 : 1e-6,
                      .neighbors = KITH_ADD_REMOVE,
                      .from = 2};
        assert_true(torture("a number", run_private, &s) >= 40);
    }
}

static void test_plain(void **state)
{
    (void)state;
    all_files("plain kmeans", run_plain, 30);
}

static void test_evaluate(void **state)
{
    (void)state;
    all_files("evaluate", run_evaluate, 8);
    all_files("assign", run_assign, 8);
}

static void test_columns(void **state)
{
    (void)state;
    scenario one = {.path = csv,
                    .delta = 1e-6,
                    .neighbors = KITH_ADD_REMOVE,
                    .column = "b"};
    assert_true(torture("a column by name", run_private, &one) > 60);
    one.path = npy;
    one.column = "2";
    assert_true(torture("a column by number", run_private, &one) > 60);
}

static void test_plan(void **state)
{
    (void)state;
    scenario s = {.delta = 1e-6, .neighbors = KITH_ADD_REMOVE};
    assert_true(torture("plan", run_plan, &s) > 20);
    s.delta = 0;
    s.normalize = 1;
    assert_true(torture("plan", run_plan, &s) > 20);
}

static void test_generate(void **state)
{
    (void)state;
    for (kith_generator kind = KITH_GENERATE_GAUSSIANS;
         kind <= KITH_GENERATE_SPARSE; kind++)
        assert_true(torture("generate", run_generate, &kind) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_private),  cmocka_unit_test(test_number),
        cmocka_unit_test(test_plain),    cmocka_unit_test(test_evaluate),
        cmocka_unit_test(test_columns),  cmocka_unit_test(test_plan),
        cmocka_unit_test(test_generate),
    };
    return cmocka_run_group_tests(tests, write_files, remove_files);
}

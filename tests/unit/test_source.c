/* Rows in memory: whatever the type, the stride and the kind of source, the
 * same numbers give the same model, labels and cost; bad rows are named. The
 * reference converts by hand. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kith/kith.h"
#include "support/cmocka_all.h"

enum { N = 300, D = 3, K = 2 };

static const double low = 0, high = 100;
static const kith_bounds box = {.lower = &low, .upper = &high, .box_count = 1};
static double rows[N * D]; /* whole numbers from 0 to 99, many of them 0 */

static kith_source_options reading(uint32_t threads)
{
    kith_source_options opt;
    kith_source_options_init(&opt, sizeof opt);
    opt.threads = threads;
    return opt;
}

static void fill(void)
{
    for (int i = 0; i < N * D; i++)
        rows[i] = i * 37 % 5 < 2 ? 0 : i * 37 % 100;
}

static kith_result *cluster(kith_dataset *data)
{
    kith_plain_options opt;
    kith_result *result = NULL;
    kith_plain_options_init(&opt, sizeof opt);
    opt.clusters = K;
    assert_int_equal(kith_plain_kmeans(data, &opt, &result, NULL), KITH_OK);
    kith_dataset_free(data);
    return result;
}

static int add_up(void *arg, const uint32_t *labels, size_t count)
{
    uint64_t *sum = arg;
    for (size_t i = 0; i < count; i++)
        *sum = *sum * 31 + labels[i];
    return 0;
}

/* The same model, labels and cost as those of the reference. */
static void check_same(const kith_source *source)
{
    kith_dataset *data = NULL;
    assert_int_equal(kith_dataset_from_rows(rows, N, D, &box, &data, NULL), 0);
    kith_result *want = cluster(data);
    const double *centers = kith_result_centers(want, NULL, NULL);
    kith_array plain = {rows, KITH_FLOAT64, N, D, D * 8, 8};
    kith_source reference = {.array = &plain};
    kith_model_view view = {.clusters = K, .dimension = D, .centers = centers};
    for (uint32_t threads = 1; threads <= 2; threads++) {
        kith_source_options opt = reading(threads);
        assert_int_equal(kith_dataset_load(source, &opt, &box, &data, NULL), 0);
        kith_result *got = cluster(data);
        double cost = 0, other = 0;
        uint64_t n = 0, labels = 0, others = 0;
        if (!source->csr)
            assert_memory_equal(kith_result_centers(got, NULL, NULL), centers,
                                K * D * sizeof(double));
        kith_result_free(got);
        assert_int_equal(kith_evaluate_source(&view, KITH_OBJECTIVE_KMEANS,
                                              source, &opt, &n, &cost, NULL),
                         0);
        assert_int_equal(kith_evaluate_source(&view, KITH_OBJECTIVE_KMEANS,
                                              &reference, &opt, NULL, &other,
                                              NULL),
                         0);
        assert_int_equal(n, N);
        assert_true(fabs(cost - other) <= 1e-9 * other);
        assert_int_equal(
            kith_assign_source(&view, source, &opt, add_up, &labels, NULL), 0);
        assert_int_equal(
            kith_assign_source(&view, &reference, &opt, add_up, &others, NULL),
            0);
        assert_int_equal(labels, others);
    }
    kith_result_free(want);
}

/* ---- arrays ---- */

static void put(void *to, kith_number type, double value)
{
    switch (type) {
    case KITH_FLOAT64:
        memcpy(to, &value, 8);
        break;
    case KITH_FLOAT32:
        memcpy(to, &(float){(float)value}, 4);
        break;
    case KITH_INT16:
    case KITH_UINT16:
        memcpy(to, &(int16_t){(int16_t)value}, 2);
        break;
    case KITH_INT32:
    case KITH_UINT32:
        memcpy(to, &(int32_t){(int32_t)value}, 4);
        break;
    case KITH_INT64:
    case KITH_UINT64:
        memcpy(to, &(int64_t){(int64_t)value}, 8);
        break;
    default:
        memcpy(to, &(int8_t){(int8_t)value}, 1);
        break;
    }
}

static size_t size_of(kith_number type)
{
    static const size_t sizes[] = {0, 8, 4, 2, 1, 2, 4, 8, 1, 2, 4, 8, 1};
    return sizes[type];
}

static void test_arrays(void **state)
{
    (void)state;
    static char memory[N * D * 64];
    for (int t = KITH_FLOAT64; t <= KITH_UINT64; t++) {
        ptrdiff_t item = (ptrdiff_t)size_of((kith_number)t);
        if (t == KITH_FLOAT16)
            continue;                               /* Python's tests have it */
        ptrdiff_t strides[][2] = {{D * item, item}, /* C       */
                                  {item, N * item}, /* Fortran */
                                  {4 * D * item, 3 * item}, /* holes   */
                                  {-D * item, item},        /* upwards */
                                  {D * item + 1, item}};    /* askew   */
        for (size_t s = 0; s < sizeof strides / sizeof *strides; s++) {
            ptrdiff_t row = strides[s][0], column = strides[s][1];
            char *base = row < 0 ? memory - (N - 1) * row : memory;
            for (int r = 0; r < N; r++)
                for (int j = 0; j < D; j++)
                    put(base + r * row + j * column, (kith_number)t,
                        rows[r * D + j]);
            kith_array array = {base, (kith_number)t, N, D, row, column};
            check_same(&(kith_source){.array = &array});
        }
    }
}

static void test_tables(void **state)
{
    (void)state;
    static double first[N];
    static int16_t second[2 * N];
    static uint8_t third[N], missing[N];
    for (int r = 0; r < N; r++) {
        first[r] = rows[r * D];
        second[2 * r] = (int16_t)rows[r * D + 1];
        third[r] = (uint8_t)rows[r * D + 2];
    }
    kith_column columns[] = {{first, KITH_FLOAT64, 8, NULL, NULL, 0},
                             {second, KITH_INT16, 4, NULL, NULL, 0},
                             {third, KITH_UINT8, 1, missing, NULL, 0}};
    kith_source source = {.columns = columns, .column_count = D, .rows = N};
    check_same(&source);
    /* What is missing is named, or left out. */
    kith_source_options opt = reading(2);
    kith_dataset *data = NULL;
    kith_error err = {0};
    missing[41] = 1;
    assert_int_equal(kith_dataset_load(&source, &opt, &box, &data, &err),
                     KITH_ERR_INPUT);
    assert_non_null(strstr(err.message, "row 42: column 3"));
    assert_null(data);
    opt.missing = KITH_MISSING_DROP;
    kith_model_view view = {.clusters = 1, .dimension = D, .centers = rows};
    uint64_t n = 0;
    assert_int_equal(kith_evaluate_source(&view, KITH_OBJECTIVE_KMEANS, &source,
                                          &opt, &n, NULL, NULL),
                     0);
    assert_int_equal(n, N - 1);
    missing[41] = 0;
}

static void test_sparse(void **state)
{
    (void)state;
    static int32_t start[N + 1];
    static int64_t index[N * D];
    static float value[N * D];
    for (int r = 0, n = 0; r < N; r++) {
        for (int j = 0; j < D; j++)
            if (rows[r * D + j] != 0) {
                index[n] = j;
                value[n++] = (float)rows[r * D + j];
            }
        start[r + 1] = n;
    }
    kith_csr csr = {.rows = N,
                    .columns = D,
                    .start = start,
                    .index = index,
                    .start_bytes = 4,
                    .index_bytes = 8,
                    .value = value,
                    .type = KITH_FLOAT32};
    kith_source source = {.csr = &csr};
    check_same(&source);
    kith_source_options opt = reading(1);
    kith_dataset *data = NULL;
    kith_error err = {0};
    value[0] = INFINITY;
    assert_int_equal(kith_dataset_load(&source, &opt, &box, &data, &err),
                     KITH_ERR_INPUT);
    assert_non_null(strstr(err.message, "NaN or infinity"));
    value[0] = 1;
    index[1] = D;
    assert_int_equal(kith_dataset_load(&source, &opt, &box, &data, &err),
                     KITH_ERR_INPUT);
    index[1] = -1;
    assert_int_equal(kith_dataset_load(&source, &opt, &box, &data, &err),
                     KITH_ERR_INPUT);
    start[5] = 1000000;
    assert_int_equal(kith_dataset_load(&source, &opt, &box, &data, &err),
                     KITH_ERR_INPUT);
    assert_non_null(strstr(err.message, "not in order"));
    assert_null(data);
}

static int stop(void *arg, unsigned done, unsigned total)
{
    int *left = arg;
    assert_true(done <= total);
    return (*left)-- == 0;
}

static void test_cancel(void **state)
{
    (void)state;
    enum { MANY = 200000 };
    uint8_t *bytes = calloc(MANY, D);
    kith_array array = {bytes, KITH_UINT8, MANY, D, D, 1};
    kith_source source = {.array = &array};
    kith_source_options opt = reading(2);
    kith_dataset *data = NULL;
    kith_error err = {0};
    int left = 0;
    opt.progress = stop;
    opt.progress_arg = &left;
    assert_int_equal(kith_dataset_load(&source, &opt, &box, &data, &err),
                     KITH_ERR_CANCELLED);
    assert_null(data);
    left = 1 << 30;
    assert_int_equal(kith_dataset_load(&source, &opt, &box, &data, &err), 0);
    kith_dataset_free(data);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arrays),
        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_sparse),
        cmocka_unit_test(test_cancel),
    };
    fill();
    return cmocka_run_group_tests(tests, NULL, NULL);
}

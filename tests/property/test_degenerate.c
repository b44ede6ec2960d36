/* Every method on data that breaks assumptions: no rows, fewer rows than
 * clusters, all rows equal, one cluster, one feature, ten thousand features,
 * one huge outlier; both adjacencies, both budgets. Each run succeeds, spends
 * what was declared and no more, and returns k finite centres within the
 * bounds. */
#include <math.h>

#include "support/sparse_data.h"

typedef struct {
    const char *name;
    size_t n;
    uint32_t d, k;
    void (*fill)(double *rows, size_t n, uint32_t d);
} shape;

static void fill_random(double *rows, size_t n, uint32_t d)
{
    kith_i_coins coins;
    kith_i_coins_seed(&coins, d, 1);
    for (size_t i = 0; i < n * d; i++)
        rows[i] = kith_i_coins_below(&coins, 4) ? 0 : kith_i_coins_unit(&coins);
}

static void fill_equal(double *rows, size_t n, uint32_t d)
{
    for (size_t i = 0; i < n * d; i++)
        rows[i] = i % d == 0 ? 0.5 : 0.25;
}

static void fill_outlier(double *rows, size_t n, uint32_t d)
{
    fill_equal(rows, n, d);
    for (uint32_t i = 0; i < d; i++)
        rows[i] = i % 2 ? -1e300 : 1e300;
}

static const shape shapes[] = {
    {"k = 1", 50, 3, 1, fill_random},
    {"k > n", 3, 4, 7, fill_random},
    {"n = 0", 0, 4, 3, fill_random},
    {"all rows equal", 60, 3, 4, fill_equal},
    {"d = 1", 80, 1, 3, fill_random},
    {"one huge outlier", 60, 5, 3, fill_outlier},
    {"n = 0, many features", 0, 200, 2, fill_random},
    {"more features than sparsity", 40, 300, 3, fill_random},
};

typedef enum {
    AUTO,
    LLOYD,
    BALCAN,
    SULQ,
    MEDIAN,
    MEDIAN_BALCAN,
    METHODS
} method;

static kith_status cluster(kith_session *s, method which, uint32_t k,
                           kith_result **out, kith_error *err)
{
    if (which >= MEDIAN) {
        kith_kmedian_options mo;
        kith_kmedian_options_init(&mo, sizeof mo);
        mo.clusters = k;
        mo.method = which == MEDIAN ? KITH_KMEDIAN_AUTO : KITH_KMEDIAN_BALCAN;
        return kith_kmedian(s, &mo, out, err);
    }
    static const kith_kmeans_method methods[] = {
        KITH_KMEANS_AUTO, KITH_KMEANS_LLOYD, KITH_KMEANS_BALCAN,
        KITH_KMEANS_SULQ};
    kith_kmeans_options ko;
    kith_kmeans_options_init(&ko, sizeof ko);
    ko.clusters = k;
    ko.method = methods[which];
    return kith_kmeans(s, &ko, out, err);
}

static void check(const shape *w, const double *rows, int sparse, method which,
                  double delta, kith_neighbors nb)
{
    static const double low = -1, high = 1;
    kith_bounds b = {.lower = &low,
                     .upper = &high,
                     .box_count = 1,
                     .radius = 1.5,
                     .sparsity = sparse ? 16 : 0};
    kith_dataset *data =
        sparse ? load_sparse(rows, w->n, w->d, b) : load(rows, w->n, w->d, b);
    kith_session *s = open_session(data, 1, delta, nb, 2, 7);
    kith_result *r = NULL;
    kith_error err = {0};
    if (cluster(s, which, w->k, &r, &err))
        fail_msg("%s, method %d, sparse %d, delta %g: %s", w->name, which,
                 sparse, delta, err.message);
    kith_session_close(s);
    double sum = 0, total = 1;
    for (size_t i = 0; i < kith_result_receipt_count(r); i++) {
        kith_receipt receipt;
        kith_result_receipt(r, i, &receipt);
        sum += delta > 0 ? receipt.loss * receipt.loss : receipt.loss;
    }
    if (delta > 0) {
        assert_int_equal(kith_privacy_mu(1, delta, &total, NULL), KITH_OK);
        total *= total;
    }
    assert_true(sum <= total * (1 + 1e-12));
    uint32_t k = 0, d = 0;
    const double *c = kith_result_centers(r, &k, &d);
    assert_true(k == w->k && d == w->d);
    for (uint32_t j = 0; j < k; j++) {
        double square = 0;
        for (uint32_t i = 0; i < d; i++) {
            double v = c[(size_t)j * d + i];
            assert_true(isfinite(v) && v >= -1 && v <= 1);
            square += v * v;
        }
        assert_true(square <= 1.5 * 1.5 * (1 + 1e-9));
        double size = kith_result_weights(r)[j];
        assert_true(isfinite(size) && size >= 0);
    }
    uint32_t distinct = kith_result_distinct_centers(r);
    assert_true(distinct >= 1 && distinct <= k);
    assert_true(kith_result_sensible_clusters(r) >= 1);
    kith_result_free(r);
}

static void check_shape(const shape *w)
{
    double *rows = malloc((w->n * w->d + 1) * sizeof *rows);
    w->fill(rows, w->n, w->d);
    /* a sparse file without rows is refused when it is read */
    for (int sparse = 0; sparse < (w->n ? 2 : 1); sparse++)
        for (method which = 0; which < METHODS; which++)
            for (int mode = 0; mode < 4; mode++)
                check(w, rows, sparse, which, mode & 1 ? 1e-6 : 0,
                      mode & 2 ? KITH_REPLACE_ONE : KITH_ADD_REMOVE);
    free(rows);
}

static void test_shapes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        check_shape(&shapes[i]);
}

/* Ten thousand features: a few entries a row, or all of them. */
static void test_wide(void **state)
{
    (void)state;
    enum { N = 60, D = 10000 };
    double *rows = calloc((size_t)N * D, sizeof *rows);
    for (int r = 0; r < N; r++)
        for (int t = 0; t < 20; t++)
            rows[(size_t)r * D + (size_t)(r % 3 * 1000 + t * 7)] = .2;
    const shape w = {"d = 10,000", N, D, 3, NULL};
    for (int mode = 0; mode < 4; mode++) {
        double delta = mode & 1 ? 1e-6 : 0;
        kith_neighbors nb = mode & 2 ? KITH_REPLACE_ONE : KITH_ADD_REMOVE;
        for (method which = 0; which < MEDIAN; which++)
            check(&w, rows, 1, which, delta, nb);
        check(&w, rows, 1, MEDIAN, delta, nb);
    }
    for (int mode = 0; mode < 2; mode++)
        for (method which = 0; which < MEDIAN; which++)
            check(&w, rows, 0, which, mode ? 1e-6 : 0, KITH_ADD_REMOVE);
    free(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_wide),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

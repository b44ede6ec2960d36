/* What every baseline (docs/baselines.md) keeps, like any other method: what it
 * pays adds up to what was declared, sensitivity over scale is each loss, a
 * plan makes the same releases, and the result is a function of the set of rows
 * and the noise: any order, any number of threads. Nothing is left over in
 * centres outside of the bounds, with few rows or none. */
#include <math.h>

#include "support/make_data.h"

static const struct {
    const char *name;
    kith_kmeans_method method;
    uint32_t most_features;
    int ordered; /* rows are dealt by coins: their order is one of them */
} methods[] = {
    {"sulq", KITH_KMEANS_SULQ, 1000, 0},
    {"grid", KITH_KMEANS_GRID, 13, 0},
    {"kvariates", KITH_KMEANS_KVARIATES, 1000, 1},
    {"sample-aggregate", KITH_KMEANS_SAMPLE_AGGREGATE, 1000, 1},
};
enum { METHODS = sizeof methods / sizeof *methods };

static kith_kmeans_options options(int m, uint32_t k)
{
    kith_kmeans_options opt;
    kith_kmeans_options_init(&opt, sizeof opt);
    opt.clusters = k;
    opt.method = methods[m].method;
    opt.public_seed = 3;
    return opt;
}

static kith_result *cluster(int m, kith_dataset *data, double delta,
                            kith_neighbors nb, uint32_t k, uint32_t threads)
{
    kith_session *s = open_session(data, 2, delta, nb, threads, 9);
    kith_kmeans_options opt = options(m, k);
    kith_result *result = NULL;
    kith_error err = {0};
    if (kith_kmeans(s, &opt, &result, &err))
        fail_msg("%s: %s", methods[m].name, err.message);
    kith_session_close(s);
    return result;
}

static double spent(const kith_result *r, int pure)
{
    double sum = 0;
    for (size_t i = 0; i < kith_result_receipt_count(r); i++) {
        kith_receipt line;
        kith_result_receipt(r, i, &line);
        sum += pure ? line.loss : line.loss * line.loss;
        assert_true(line.sensitivity / line.scale <= line.loss * (1 + 1e-12));
        assert_true(line.sensitivity / line.scale >= line.loss * (1 - 1e-6));
    }
    return sum;
}

static void assert_same_releases(const kith_result *a, const kith_result *b)
{
    size_t count = kith_result_receipt_count(a);
    assert_int_equal(count, kith_result_receipt_count(b));
    for (size_t i = 0; i < count; i++) {
        kith_receipt x, y;
        kith_result_receipt(a, i, &x);
        kith_result_receipt(b, i, &y);
        assert_string_equal(x.what, y.what);
        assert_true(x.loss == y.loss && x.sensitivity == y.sensitivity);
    }
}

static void check_trace(int m, uint32_t d, double delta, kith_neighbors nb)
{
    enum { N = 300 };
    double total = 2, *rows = make_rows(N, d, 3, d);
    if (delta > 0) {
        assert_int_equal(kith_privacy_mu(2, delta, &total, NULL), KITH_OK);
        total *= total;
    }
    uint32_t k = 1 + d % 5;
    kith_result *real =
        cluster(m, load(rows, N, d, unit_box()), delta, nb, k, 2);
    kith_bounds bounds = unit_box();
    kith_privacy privacy = {2, delta, nb};
    kith_kmeans_options opt = options(m, k);
    kith_result *plan = NULL;
    kith_error err = {0};
    if (kith_kmeans_plan(&(kith_shape){N, d, 0, 0}, &bounds, &privacy, &opt,
                         &plan, &err))
        fail_msg("%s: %s", methods[m].name, err.message);
    assert_same_releases(real, plan);
    assert_true(kith_result_noise(plan) > 0);
    double sum = spent(real, delta == 0);
    assert_true(sum <= total * (1 + 1e-12));
    assert_true(sum >= total * (1 - 1e-9));
    kith_result_free(real);
    kith_result_free(plan);
    free(rows);
}

static void test_spend_trace(void **state)
{
    (void)state;
    for (int m = 0; m < METHODS; m++)
        for (uint32_t d = 1; d <= 100 && d <= methods[m].most_features; d += 3)
            for (int mode = 0; mode < 4; mode++)
                check_trace(m, d, mode & 1 ? 1e-6 : 0,
                            mode & 2 ? KITH_REPLACE_ONE : KITH_ADD_REMOVE);
}

static void test_threads_and_order(void **state)
{
    (void)state;
    enum { N = 3000, D = 3, K = 4 };
    double *rows = make_rows(N, D, 5, 1),
           *turned = malloc(sizeof *rows * N * D);
    for (size_t r = 0; r < N; r++)
        memcpy(turned + r * D, rows + (N - 1 - r) * D, D * sizeof *rows);
    for (int m = 0; m < METHODS; m++)
        for (int pure = 0; pure < 2; pure++) {
            double delta = pure ? 0 : 1e-6;
            kith_result *base = cluster(m, load(rows, N, D, ball(2)), delta,
                                        KITH_ADD_REMOVE, K, 1);
            const double *same = methods[m].ordered ? rows : turned;
            kith_result *other = cluster(m, load(same, N, D, ball(2)), delta,
                                         KITH_ADD_REMOVE, K, 4);
            const double *c = kith_result_centers(base, NULL, NULL);
            assert_memory_equal(c, kith_result_centers(other, NULL, NULL),
                                K * D * sizeof *c);
            assert_memory_equal(kith_result_weights(base),
                                kith_result_weights(other), K * sizeof *c);
            kith_result_free(base);
            kith_result_free(other);
        }
    free(rows);
    free(turned);
}

static void test_odd_shapes(void **state)
{
    (void)state;
    static const struct {
        size_t n;
        uint32_t d, k;
    } shapes[] = {{0, 1, 1}, {0, 3, 4}, {1, 2, 3}, {5, 1, 9}, {200, 2, 1}};
    for (int m = 0; m < METHODS; m++)
        for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
            for (int mode = 0; mode < 4; mode++) {
                size_t n = shapes[i].n;
                uint32_t d = shapes[i].d, k = shapes[i].k;
                double *rows = make_rows(n, d, 2, 5);
                for (size_t t = 0; t < n * d; t++)
                    rows[t] *= 9; /* most are clipped to the sphere */
                kith_result *r = cluster(
                    m, load(rows, n, d, ball(1)), mode & 1 ? 1e-6 : 0,
                    mode & 2 ? KITH_REPLACE_ONE : KITH_ADD_REMOVE, k, 2);
                const double *c = kith_result_centers(r, NULL, NULL);
                for (uint32_t j = 0; j < k; j++) {
                    double square = 0;
                    for (uint32_t t = 0; t < d; t++)
                        square += c[j * d + t] * c[j * d + t];
                    assert_true(square <= 1 + 1e-9);
                    assert_true(kith_result_weights(r)[j] >= 0);
                }
                kith_result_free(r);
                free(rows);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spend_trace),
        cmocka_unit_test(test_threads_and_order),
        cmocka_unit_test(test_odd_shapes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

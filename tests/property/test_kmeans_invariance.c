/* A seeded run of kith_kmeans (lloyd, auto) is a function of the set of rows:
 * the same bits for any number of threads, any order of rows, dense or sparse
 * storage. And odd shapes run, with the same releases as any other data (R4,
 * R6). */
#include <math.h>
#include <unistd.h>

#include "dp/dp_i.h"
#include "support/make_data.h"

static kith_kmeans_method method = KITH_KMEANS_LLOYD;
static double epsilon = 1;

static kith_result *cluster(kith_dataset *data, double delta, kith_neighbors nb,
                            uint32_t k, uint32_t threads, uint64_t seed)
{
    kith_session *s = open_session(data, epsilon, delta, nb, threads, seed);
    kith_kmeans_options opt;
    kith_kmeans_options_init(&opt, sizeof opt);
    opt.clusters = k;
    opt.method = method;
    opt.public_seed = 3;
    kith_result *result = NULL;
    kith_error err = {0};
    if (kith_kmeans(s, &opt, &result, &err))
        fail_msg("%s", err.message);
    kith_session_close(s);
    return result;
}

static void assert_same(const kith_result *a, const kith_result *b)
{
    uint32_t k, d;
    const double *x = kith_result_centers(a, &k, &d);
    assert_memory_equal(x, kith_result_centers(b, NULL, NULL),
                        (size_t)k * d * sizeof *x);
    assert_memory_equal(kith_result_weights(a), kith_result_weights(b),
                        k * sizeof *x);
}

static void test_threads_and_order(void **state)
{
    (void)state;
    enum { N = 5000, D = 17, K = 6 };
    double *rows = make_rows(N, D, 5, 1),
           *shuffled = malloc(N * D * sizeof *rows);
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 5, 5);
    uint32_t order[N];
    for (uint32_t i = 0; i < N; i++)
        order[i] = i;
    for (uint32_t i = N - 1; i > 0; i--) {
        uint32_t j = (uint32_t)kith_i_coins_below(&coins, i + 1), t = order[i];
        order[i] = order[j];
        order[j] = t;
    }
    for (uint32_t i = 0; i < N; i++)
        memcpy(shuffled + (size_t)i * D, rows + (size_t)order[i] * D,
               D * sizeof *rows);
    for (int pure = 0; pure < 2; pure++) {
        double delta = pure ? 0 : 1e-6;
        kith_result *base =
            cluster(load(rows, N, D, ball(2)), delta, KITH_ADD_REMOVE, K, 1, 9);
        for (uint32_t threads = 2; threads < 9; threads += 3) {
            kith_result *other = cluster(load(shuffled, N, D, ball(2)), delta,
                                         KITH_ADD_REMOVE, K, threads, 9);
            assert_same(base, other);
            kith_result_free(other);
        }
        kith_result *noise = cluster(load(rows, N, D, ball(2)), delta,
                                     KITH_ADD_REMOVE, K, 1, 10);
        uint32_t k, d;
        assert_memory_not_equal(kith_result_centers(base, &k, &d),
                                kith_result_centers(noise, NULL, NULL),
                                K * D * sizeof(double));
        kith_result_free(noise);
        kith_result_free(base);
    }
    free(rows);
    free(shuffled);
}

static void test_sparse_equals_dense(void **state)
{
    (void)state;
    enum { N = 800, D = 30, K = 4 };
    double *rows = make_rows(N, D, 4, 2);
    char dense_name[] = "/tmp/kith_dense_XXXXXX.csv";
    char sparse_name[] = "/tmp/kith_sparse_XXXXXX.svm";
    int fd = mkstemps(dense_name, 4), fs = mkstemps(sparse_name, 4);
    FILE *dense = fdopen(fd, "w"), *sparse = fdopen(fs, "w");
    for (int r = 0; r < N; r++) {
        fprintf(sparse, "1");
        for (int i = 0; i < D; i++) {
            double v = (r + i) % 3 == 0 ? rows[r * D + i] : 0;
            fprintf(dense, "%s%.17g", i ? "," : "", v);
            if (v != 0)
                fprintf(sparse, " %d:%.17g", i + 1, v);
        }
        fprintf(dense, "\n");
        fprintf(sparse, "\n");
    }
    fclose(dense);
    fclose(sparse);
    const char *names[] = {dense_name, sparse_name};
    kith_i_cells cells[2];
    for (int i = 0; i < 2; i++) {
        kith_source_options source;
        kith_source_options_init(&source, sizeof source);
        source.dimension = D;
        kith_bounds bounds = unit_box(); /* rows stay inside: no clipping */
        kith_dataset *data;
        kith_error err = {0};
        if (kith_dataset_open(&names[i], 1, &source, &bounds, &data, &err))
            fail_msg("%s", err.message);
        kith_session *s = open_session(data, 1, 1e-6, KITH_ADD_REMOVE, 2, 1);
        kith_i_loss left = kith_i_session_left(s);
        kith_i_ask ask = {0};
        kith_i_cells_spec spec = {.what = "all",
                                  .cells = 1,
                                  .width = D,
                                  .count_charge = left / 2,
                                  .sum_charge = left / 2};
        if (kith_i_release_cells(s, &ask, &spec, &cells[i], &err))
            fail_msg("%s", err.message);
        kith_session_close(s);
        unlink(names[i]);
    }
    assert_memory_equal(cells[0].sums, cells[1].sums, D * sizeof(int64_t));
    assert_int_equal(cells[0].counts[0], cells[1].counts[0]);
    kith_i_cells_free(&cells[0]);
    kith_i_cells_free(&cells[1]);
    free(rows);
}

/* A few features matter: centres of sparse rows are sparse, and near the true
 * means there. Seeded; the noise is 40 sd below the signal. */
static void test_sparse_centers(void **state)
{
    (void)state;
    enum { N = 20000, D = 500 };
    char name[] = "/tmp/kith_words_XXXXXX.svm";
    FILE *f = fdopen(mkstemps(name, 4), "w");
    for (int r = 0; r < N; r++) /* two topics of three words each */
        fprintf(f, r % 2 ? "0 5:0.5 6:0.5 7:0.7\n"
                         : "0 105:0.5 106:0.5 107:0.7\n");
    fclose(f);
    const char *names[] = {name};
    kith_source_options source;
    kith_source_options_init(&source, sizeof source);
    source.dimension = D;
    kith_bounds bounds = ball(1);
    for (int all = 0; all < 2; all++) {
        kith_dataset *data;
        kith_error err = {0};
        if (kith_dataset_open(names, 1, &source, &bounds, &data, &err))
            fail_msg("%s", err.message);
        method = all ? KITH_KMEANS_AUTO : KITH_KMEANS_LLOYD;
        epsilon = 1;
        kith_result *result = cluster(data, 1e-6, KITH_ADD_REMOVE, 2, 2, 5);
        const double *c = kith_result_centers(result, NULL, NULL);
        for (int j = 0; j < 2; j++) {
            const double *x = c + j * D;
            int base = x[4] > 0.3 ? 4 : 104, other = 108 - base, entries = 0;
            assert_true(fabs(x[base] - 0.5) < 0.05);
            assert_true(fabs(x[base + 2] - 0.7) < 0.05);
            for (int i = 0; i < D; i++) {
                if (i < base || i > base + 2)
                    assert_true(fabs(x[i]) < 0.01);
                /* auto keeps the words of both topics, and perhaps one more */
                if (x[i] != 0 && (i < base || i > base + 2) &&
                    (i < other || i > other + 2 || !all))
                    entries++;
            }
            assert_true(entries <= all);
        }
        kith_result_free(result);
    }
    unlink(name);
}

/* Empty, tiny, constant, one-dimensional, k > n: finite centres within the
 * bounds, and the very same receipts as for ordinary data. */
static void test_odd_shapes(void **state)
{
    (void)state;
    method = KITH_KMEANS_LLOYD;
    enum { MOST = 400 };
    static const struct {
        size_t n;
        uint32_t d, k;
        int constant;
    } shapes[] = {{0, 3, 2, 0},     {1, 1, 1, 0},   {1, 5, 8, 0},
                  {3, 2, 50, 0},    {400, 4, 3, 1}, {400, 1, 4, 0},
                  {50, 1000, 2, 0}, {2, 2, 1, 1}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int mode = 0; mode < 4; mode++) {
            uint32_t d = shapes[i].d, k;
            double *rows = make_rows(MOST, d, 3, i);
            double *flat = make_rows(MOST, d, 3, i);
            for (size_t r = 0; shapes[i].constant && r < MOST; r++)
                memcpy(rows + r * d, rows, d * sizeof *rows);
            kith_neighbors nb = mode & 1 ? KITH_REPLACE_ONE : KITH_ADD_REMOVE;
            double delta = mode & 2 ? 1e-6 : 0;
            kith_result *odd = cluster(load(rows, shapes[i].n, d, unit_box()),
                                       delta, nb, shapes[i].k, 2, 4);
            kith_result *plain = cluster(load(flat, MOST, d, unit_box()), delta,
                                         nb, shapes[i].k, 2, 4);
            const double *c = kith_result_centers(odd, &k, &d);
            assert_int_equal(k, shapes[i].k);
            for (size_t j = 0; j < (size_t)k * d; j++)
                assert_true(c[j] >= -1 && c[j] <= 1);
            size_t count = kith_result_receipt_count(odd);
            assert_int_equal(count, kith_result_receipt_count(plain));
            for (size_t j = 0; j < count; j++) {
                kith_receipt a, b;
                kith_result_receipt(odd, j, &a);
                kith_result_receipt(plain, j, &b);
                assert_string_equal(a.what, b.what);
                assert_true(a.scale == b.scale && a.loss == b.loss &&
                            a.sensitivity == b.sensitivity);
            }
            kith_result_free(odd);
            kith_result_free(plain);
            free(rows);
            free(flat);
        }
}

/* Released centres lie within the bounds, however noisy they are. */
static void test_centers_stay_in_the_ball(void **state)
{
    (void)state;
    enum { N = 300, D = 3, K = 4 };
    double *rows = make_rows(N, D, 2, 7);
    for (int i = 0; i < N * D; i++)
        rows[i] *= 10; /* clipped to the sphere: noise pushes centres out */
    static const kith_kmeans_method methods[] = {
        KITH_KMEANS_LLOYD, KITH_KMEANS_AUTO, KITH_KMEANS_BALCAN};
    for (int m = 0; m < 3; m++)
        for (uint64_t seed = 0; seed < 20; seed++) {
            method = methods[m];
            epsilon = seed % 2 ? 0.5 : 3;
            kith_result *r =
                cluster(load(rows, N, D, ball(1)), seed % 3 ? 1e-6 : 0,
                        KITH_ADD_REMOVE, K, 1, seed);
            const double *c = kith_result_centers(r, NULL, NULL);
            for (int j = 0; j < K; j++) {
                const double *x = c + j * D;
                assert_true(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] <=
                            1 + 1e-9);
            }
            kith_result_free(r);
        }
    free(rows);
}

/* `auto` decides from what it has released, so the releases differ; they add
 * up to no more than was declared, and to nearly all of it. */
static void test_auto(void **state)
{
    method = KITH_KMEANS_AUTO;
    test_threads_and_order(state);
    static const struct {
        size_t n;
        uint32_t d, k;
        int constant;
    } shapes[] = {{0, 3, 2, 0},    {1, 1, 1, 0},    {1, 5, 8, 0},
                  {3, 2, 50, 0},   {4000, 4, 3, 1}, {4000, 1, 4, 0},
                  {50, 300, 2, 0}, {4000, 2, 1, 0}, {4000, 6, 300, 0}};
    static const double epsilons[] = {1, 0.01, 20};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int mode = 0; mode < 6; mode++) {
            uint32_t d = shapes[i].d, k;
            double *rows = make_rows(4000, d, 3, i);
            for (size_t r = 0; shapes[i].constant && r < 4000; r++)
                memcpy(rows + r * d, rows, d * sizeof *rows);
            epsilon = epsilons[mode % 3];
            kith_result *odd = cluster(
                load(rows, shapes[i].n, d, mode & 1 ? ball(1) : unit_box()),
                1e-6, mode < 3 ? KITH_ADD_REMOVE : KITH_REPLACE_ONE,
                shapes[i].k, 2, 4);
            const double *c = kith_result_centers(odd, &k, &d);
            assert_int_equal(k, shapes[i].k);
            for (size_t j = 0; j < (size_t)k * d; j++)
                assert_true(c[j] >= -1 && c[j] <= 1);
            double mu, spent = 0;
            assert_int_equal(kith_privacy_mu(epsilon, 1e-6, &mu, NULL),
                             KITH_OK);
            for (size_t j = 0; j < kith_result_receipt_count(odd); j++) {
                kith_receipt r;
                kith_result_receipt(odd, j, &r);
                assert_true(r.sensitivity / r.scale <= r.loss);
                spent += r.loss * r.loss;
            }
            assert_true(spent <= mu * mu);
            assert_true(spent >= 0.99 * mu * mu);
            kith_result_free(odd);
            free(rows);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads_and_order),
        cmocka_unit_test(test_sparse_equals_dense),
        cmocka_unit_test(test_sparse_centers),
        cmocka_unit_test(test_odd_shapes),
        cmocka_unit_test(test_centers_stay_in_the_ball),
        cmocka_unit_test(test_auto),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Algorithm 4 of Balcan et al. 2017, as repaired and as run by `--method
 * balcan`: spends what was declared and no more, makes the same releases for
 * every dataset and for a plan, gives the same bits for every number of threads
 * and order of rows, survives odd shapes, finds easy clusters; and the printed
 * constants are what the paper says, and refused. */
#include <math.h>

#include "balcan/balcan_i.h"
#include "support/make_data.h"

static kith_kmeans_options options(uint32_t k)
{
    kith_kmeans_options opt;
    kith_kmeans_options_init(&opt, sizeof opt);
    opt.clusters = k;
    opt.method = KITH_KMEANS_BALCAN;
    opt.public_seed = 3;
    return opt;
}

static kith_result *cluster(kith_dataset *data, double epsilon, double delta,
                            kith_neighbors nb, uint32_t k, uint32_t threads,
                            uint64_t seed)
{
    kith_session *s = open_session(data, epsilon, delta, nb, threads, seed);
    kith_kmeans_options opt = options(k);
    kith_result *result = NULL;
    kith_error err = {0};
    if (kith_kmeans(s, &opt, &result, &err))
        fail_msg("%s", err.message);
    kith_session_close(s);
    return result;
}

/* ---- the spend trace ---- */

static double spent(const kith_result *r, int pure)
{
    double sum = 0;
    for (size_t i = 0; i < kith_result_receipt_count(r); i++) {
        kith_receipt receipt;
        kith_result_receipt(r, i, &receipt);
        sum += pure ? receipt.loss : receipt.loss * receipt.loss;
        if (strcmp(receipt.norm, "score")) /* noise: loss is what it says */
            assert_true(receipt.sensitivity / receipt.scale <= receipt.loss &&
                        receipt.sensitivity / receipt.scale >=
                            receipt.loss * (1 - 1e-6));
        else { /* selection: its range e, or 0.6267 e */
            double e = receipt.sensitivity / receipt.scale;
            assert_true(fabs(e * (pure ? 1 : .6267) / receipt.loss - 1) < 1e-6);
        }
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
        assert_true(x.loss == y.loss);
    }
}

static void test_spend_trace(void **state)
{
    (void)state;
    enum { N = 300 };
    for (uint32_t d = 1; d <= 50; d += 7)
        for (int mode = 0; mode < 4; mode++) {
            double delta = mode & 1 ? 1e-6 : 0, total = 1;
            kith_neighbors nb = mode & 2 ? KITH_REPLACE_ONE : KITH_ADD_REMOVE;
            if (delta > 0) {
                assert_int_equal(kith_privacy_mu(1, delta, &total, NULL),
                                 KITH_OK);
                total *= total;
            }
            uint32_t k = 1 + d % 30;
            double *rows = make_rows(N, d, 3, d);
            kith_result *real =
                cluster(load(rows, N, d, unit_box()), 1, delta, nb, k, 2, 1);
            kith_bounds bounds = unit_box();
            kith_privacy privacy = {1, delta, nb};
            kith_kmeans_options opt = options(k);
            kith_result *plan = NULL;
            assert_int_equal(kith_kmeans_plan(&(kith_shape){N, d, 0, 0},
                                              &bounds, &privacy, &opt, &plan,
                                              NULL),
                             KITH_OK);
            assert_same_releases(real, plan);
            double sum = spent(real, delta == 0);
            assert_true(sum <= total * (1 + 1e-12));
            assert_true(sum >= total * (1 - 1e-9));
            /* 3 for the mean and the radius, 10 levels, swaps, means */
            uint32_t swaps = k < 20 ? k : 20, rounds = delta > 0 ? 4
                                                       : d > 32  ? 1
                                                                 : 3;
            assert_int_equal(kith_result_receipt_count(real),
                             3 + 10 + swaps + 2 + 2 * rounds);
            kith_result_free(real);
            kith_result_free(plan);
            free(rows);
        }
}

/* ---- a function of the set of rows ---- */

static void test_threads_and_order(void **state)
{
    (void)state;
    enum { N = 3000, D = 17, K = 5 };
    double *rows = make_rows(N, D, 5, 1),
           *turned = malloc(sizeof *rows * N * D);
    for (size_t r = 0; r < N; r++)
        memcpy(turned + r * D, rows + (N - 1 - r) * D, D * sizeof *rows);
    for (int pure = 0; pure < 2; pure++) {
        double delta = pure ? 0 : 1e-6;
        kith_result *base = cluster(load(rows, N, D, ball(2)), 2, delta,
                                    KITH_ADD_REMOVE, K, 1, 9);
        kith_result *other = cluster(load(turned, N, D, ball(2)), 2, delta,
                                     KITH_ADD_REMOVE, K, 4, 9);
        kith_result *noise = cluster(load(rows, N, D, ball(2)), 2, delta,
                                     KITH_ADD_REMOVE, K, 1, 10);
        const double *c = kith_result_centers(base, NULL, NULL);
        assert_memory_equal(c, kith_result_centers(other, NULL, NULL),
                            K * D * sizeof *c);
        assert_memory_equal(kith_result_weights(base),
                            kith_result_weights(other), K * sizeof *c);
        assert_memory_not_equal(c, kith_result_centers(noise, NULL, NULL),
                                K * D * sizeof *c);
        kith_result_free(base);
        kith_result_free(other);
        kith_result_free(noise);
    }
    free(rows);
    free(turned);
}

static void test_odd_shapes(void **state)
{
    (void)state;
    enum { MOST = 200 };
    static const struct {
        size_t n;
        uint32_t d, k;
        int constant;
    } shapes[] = {{0, 3, 2, 0},   {1, 1, 1, 0}, {1, 5, 8, 0},   {3, 2, 50, 0},
                  {200, 4, 3, 1}, {2, 2, 1, 1}, {50, 300, 2, 0}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int mode = 0; mode < 4; mode++) {
            uint32_t d = shapes[i].d, k;
            double *rows = make_rows(MOST, d, 3, i);
            double *plain = make_rows(MOST, d, 3, i);
            for (size_t r = 0; shapes[i].constant && r < MOST; r++)
                memcpy(rows + r * d, rows, d * sizeof *rows);
            kith_neighbors nb = mode & 1 ? KITH_REPLACE_ONE : KITH_ADD_REMOVE;
            double delta = mode & 2 ? 1e-6 : 0;
            kith_result *odd = cluster(load(rows, shapes[i].n, d, unit_box()),
                                       1, delta, nb, shapes[i].k, 2, 4);
            kith_result *usual = cluster(load(plain, MOST, d, unit_box()), 1,
                                         delta, nb, shapes[i].k, 2, 4);
            const double *c = kith_result_centers(odd, &k, &d);
            assert_int_equal(k, shapes[i].k);
            for (size_t j = 0; j < (size_t)k * d; j++)
                assert_true(c[j] >= -1 && c[j] <= 1);
            assert_same_releases(odd, usual);
            kith_result_free(odd);
            kith_result_free(usual);
            free(rows);
            free(plain);
        }
}

/* ---- it clusters ---- */

/* Mean squared distance to the nearest of k centres. */
static double cost(const double *rows, size_t n, uint32_t d, const double *c,
                   uint32_t k)
{
    double sum = 0;
    for (size_t r = 0; r < n; r++) {
        double best = HUGE_VAL;
        for (uint32_t j = 0; j < k; j++)
            best = fmin(best, kith_i_distance_squared(rows + r * d,
                                                      c + (size_t)j * d, d));
        sum += best;
    }
    return sum / (double)n;
}

/* Twelve features, four groups of normal rows of variance 0.01 a feature, so
 * that 0.12 is the best cost; the mean of all costs more than 1. */
static void test_easy_data(void **state)
{
    (void)state;
    enum { N = 8000, D = 12, K = 4 };
    for (int pure = 0; pure < 2; pure++) {
        double worst = 0;
        for (uint64_t seed = 0; seed < 4; seed++) {
            double *rows = make_rows(N, D, K, seed);
            kith_result *r =
                cluster(load(rows, N, D, ball(3)), pure ? 16 : 4,
                        pure ? 0 : 1e-6, KITH_ADD_REMOVE, K, 2, seed);
            const double *c = kith_result_centers(r, NULL, NULL);
            worst = fmax(worst, cost(rows, N, D, c, K));
            kith_result_free(r);
            free(rows);
        }
        print_message("worst cost %.4f\n", worst);
        assert_true(worst < 0.13);
    }
}

/* ---- the recovery ---- */

/* At epsilon = 4096 noise is nothing: the means are those of the rows by
 * nearest view, computed here from the rows themselves. */
static void test_recovery(void **state)
{
    (void)state;
    enum { N = 600, D = 6, K = 3 };
    for (int pure = 0; pure < 2; pure++) {
        double *rows = make_rows(N, D, K, 7), mean[K][D] = {{0}}, size[K] = {0};
        double axes[2 * D] = {0}, points[2 * K] = {-.4, 0, .4, .3, 0, -.4};
        axes[1] = axes[D + 4] = 1; /* features 1 and 4 */
        kith_session *s = open_session(load(rows, N, D, ball(4)), 4096,
                                       pure ? 0 : 1e-6, KITH_ADD_REMOVE, 2, 1);
        kith_i_loss part = kith_i_session_left(s) / 4;
        double unit = ldexp(1, kith_i_session_domain(s)->scale_log2);
        const kith_i_view *view;
        assert_int_equal(kith_i_view_open(s, axes, 2, NULL, 4, &view, NULL),
                         KITH_OK);
        for (int i = 0; i < 2 * K; i++)
            points[i] *= ldexp(1, kith_i_view_domain(view)->scale_log2);
        kith_i_coins coins;
        kith_i_coins_seed(&coins, 1, 0);
        double weights[K];
        kith_i_recovery r;
        assert_int_equal(kith_i_recovery_open(&r, s, K, &coins, weights, NULL),
                         KITH_OK);
        assert_int_equal(kith_i_recover_mean(&r, 0, part / 2, part / 2, NULL),
                         KITH_OK);
        assert_int_equal(kith_i_recover_radius(&r, part, part, NULL), KITH_OK);
        assert_int_equal(
            kith_i_recover(&r, "test", view, points, 1, part, NULL), KITH_OK);
        assert_true(r.rows == N);
        for (size_t i = 0; i < N; i++) {
            double best = HUGE_VAL, y[2] = {rows[i * D + 1], rows[i * D + 4]};
            int near = 0;
            for (int j = 0; j < K; j++) {
                double z[2] = {points[2 * j] / unit, points[2 * j + 1] / unit};
                double far = kith_i_distance_squared(y, z, 2);
                near = far < best ? j : near;
                best = fmin(best, far);
            }
            size[near]++;
            for (int f = 0; f < D; f++)
                mean[near][f] += rows[i * D + (size_t)f];
        }
        for (int j = 0; j < K; j++) {
            assert_true(weights[j] == size[j] && size[j] > 10);
            for (int f = 0; f < D; f++)
                assert_true(fabs(mean[j][f] / size[j] -
                                 r.centers[j * D + f] / unit) < 2e-3);
        }
        kith_i_recovery_close(&r);
        kith_session_close(s);
        free(rows);
    }
}

/* Rows within 0.1 of a point, bounds of 10. Little noise: no row is clipped.
 * Much noise: the radius is a small part of the bound. A hundred rows far away
 * (1 %) are kept when noise allows it. */
static void test_radius(void **state)
{
    (void)state;
    enum { N = 10000, D = 20 };
    for (int far = 0; far < 2; far++)
        for (int noisy = 0; noisy < 2; noisy++) {
            double *rows = calloc((size_t)N * D, sizeof *rows);
            for (size_t i = 0; i < N; i++) {
                rows[i * D + i % D] = 0.1;
                rows[i * D + 3] += far && i % 100 == 0 ? 8 : 2;
            }
            kith_session *s =
                open_session(load(rows, N, D, ball(10)), noisy ? 1 : 100, 1e-6,
                             KITH_ADD_REMOVE, 2, 1);
            kith_i_loss part = kith_i_session_left(s) / 4;
            kith_i_coins coins;
            kith_i_coins_seed(&coins, 1, 0);
            double weights[40], unit;
            unit = ldexp(1, kith_i_session_domain(s)->scale_log2);
            kith_i_recovery r;
            assert_int_equal(
                kith_i_recovery_open(&r, s, 40, &coins, weights, NULL),
                KITH_OK);
            assert_int_equal(kith_i_recover_mean(&r, 0, part, part, NULL),
                             KITH_OK);
            assert_int_equal(
                kith_i_recover_radius(&r, part, part / (noisy ? 50 : 1), NULL),
                KITH_OK);
            double radius = r.radius ? (double)r.radius / unit : 10;
            print_message("far %d noisy %d: radius %.3f\n", far, noisy, radius);
            assert_true(noisy ? radius < 1 : radius > (far ? 5 : 0.1));
            kith_i_recovery_close(&r);
            kith_session_close(s);
            free(rows);
        }
}

/* ---- the printed constants ---- */

static void test_paper_constants(void **state)
{
    (void)state;
    /* n = 70000, k = 10, epsilon = 1, failure 0.1: central.md, item 3 */
    kith_i_paper_constants c = kith_i_paper_constants_of(70000, 10, 1);
    assert_true(c.trials == 5 && c.partitions == 3634 && c.swaps == 13459);
    assert_true(fabs(c.epsilon - 4.1e-7) < 0.05e-7);
    assert_true(fabs(c.gamma - 1.05e9) < 0.01e9);
    /* No n is between "no cube can be active" and "2^p does not fit", even at
     * the largest epsilon and one cluster. */
    for (double n = 3; n < 4e9; n *= 1.01) {
        c = kith_i_paper_constants_of(n, 1, 4096);
        assert_true(c.gamma > n || c.dimension > 62);
    }
    kith_kmeans_options opt = options(10);
    opt.paper_constants = 1;
    double row = 0.5;
    kith_session *s =
        open_session(load(&row, 1, 1, unit_box()), 1, 0, KITH_ADD_REMOVE, 1, 1);
    kith_i_loss before = kith_i_session_left(s);
    kith_result *r = NULL;
    kith_error err = {0};
    assert_int_equal(kith_kmeans(s, &opt, &r, &err), KITH_ERR_PRIVACY);
    assert_null(r);
    assert_true(kith_i_session_left(s) == before); /* nothing was spent */
    assert_non_null(strstr(err.message, "gamma"));
    kith_session_close(s);
    kith_bounds bounds = unit_box();
    kith_privacy privacy = {1, 0, KITH_ADD_REMOVE};
    assert_int_equal(kith_kmeans_plan(&(kith_shape){70000, 784, 0, 0}, &bounds,
                                      &privacy, &opt, &r, &err),
                     KITH_ERR_PRIVACY);
    assert_non_null(strstr(err.message, "3634 partitions"));
}

/* ---- as in the paper's experiments ---- */

static void test_as_published(void **state)
{
    (void)state;
    enum { N = 2000, D = 6, K = 5 };
    double *rows = make_rows(N, D, K, 1), mu = 0;
    assert_int_equal(kith_privacy_mu(1, 1e-6, &mu, NULL), KITH_OK);
    for (int pure = 0; pure < 2; pure++) {
        kith_session *s = open_session(load(rows, N, D, unit_box()), 1,
                                       pure ? 0 : 1e-6, KITH_ADD_REMOVE, 2, 1);
        kith_kmeans_options opt = options(K);
        opt.as_published = 1;
        kith_result *r = NULL;
        kith_error err = {0};
        if (kith_kmeans(s, &opt, &r, &err))
            fail_msg("%s", err.message);
        double sum = spent(r, pure), total = pure ? 1 : mu * mu;
        assert_true(sum <= total * (1 + 1e-12) && sum >= total * (1 - 1e-9));
        size_t levels = 0, swaps = 0, draws = 0;
        for (size_t i = 0; i < kith_result_receipt_count(r); i++) {
            kith_receipt line;
            kith_result_receipt(r, i, &line);
            levels += !strncmp(line.what, "partition", 9);
            swaps += !strncmp(line.what, "swap ", 5);
            draws += !strcmp(line.what, "choice among the swaps");
        }
        /* k partitions of ln n levels, one last draw, 8 rounds */
        assert_int_equal(levels, K * (floor(log(r->rows)) + 1));
        assert_int_equal(swaps, K);
        assert_int_equal(draws, 1);
        assert_int_equal(kith_result_rounds(r), 8);
        kith_result_free(r);
        kith_session_close(s);
    }
    free(rows);
}

/* ---- refusals ---- */

static void test_refusals(void **state)
{
    (void)state;
    double row = 0.5;
    kith_result *r = NULL;
    kith_error err = {0};
    kith_session *s =
        open_session(load(&row, 1, 1, unit_box()), 1, 0, KITH_ADD_REMOVE, 1, 1);
    kith_kmeans_options opt = options(5000);
    assert_int_equal(kith_kmeans(s, &opt, &r, &err), KITH_ERR_ARGUMENT);
    opt = options(2);
    assert_int_equal(kith_kmeans(s, &opt, &r, &err), KITH_OK);
    kith_result_free(r);
    assert_int_equal(kith_kmeans(s, &opt, &r, &err), KITH_ERR_BUDGET);
    assert_null(r);
    kith_session_close(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spend_trace),
        cmocka_unit_test(test_threads_and_order),
        cmocka_unit_test(test_odd_shapes),
        cmocka_unit_test(test_easy_data),
        cmocka_unit_test(test_recovery),
        cmocka_unit_test(test_radius),
        cmocka_unit_test(test_paper_constants),
        cmocka_unit_test(test_as_published),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* k-median: what a record adds to a step against a straightforward version,
 * its bound, that nothing else changes it; steps against an independent
 * Weiszfeld; runs: threads and order, odd shapes, spend, and a lower cost than
 * private k-means on heavy tails. */
#include <math.h>
#include <unistd.h>

#include "kmedian/kmedian_i.h"
#include "support/make_data.h"
#include "support/stat.h"

/* ---- the kernel ---- */

enum { N = 300, D = 9, K = 4, WIDTH = D + 1 };

typedef struct {
    int16_t rows[N * D];
    double real[K * D], coords[K * D], squares[K];
    kith_i_centers centers;
} fixture;

static void make_fixture(fixture *f, uint64_t seed)
{
    kith_i_coins coins;
    kith_i_coins_seed(&coins, seed, 0);
    for (int i = 0; i < N * D; i++)
        f->rows[i] = (int16_t)(kith_i_coins_unit(&coins) * 40000 - 20000);
    for (int i = 0; i < K * D; i++)
        f->real[i] = kith_i_coins_unit(&coins) * 40000 - 20000;
    for (int i = 0; i < D; i++) /* a row on a centre, and one next to it */
        f->real[i] = f->rows[i] = (int16_t)(f->rows[D + i] + (i == 0));
    f->centers = (kith_i_centers){
        .k = K, .d = D, .coords = f->coords, .squares = f->squares};
    kith_i_centers_set(&f->centers, f->real);
}

static void run_pull(const kith_i_pull *pull, const int16_t *rows, uint32_t n,
                     uint32_t *cell, int32_t *value)
{
    double *scratch = malloc(kith_i_pull_scratch(K, D, 0) * sizeof *scratch);
    kith_i_block block = {.rows = n, .dimension = D, .dense = rows};
    kith_i_pull_block(pull, &block, scratch, cell, value);
    free(scratch);
}

static void test_pull_against_naive(void **state)
{
    (void)state;
    static fixture f;
    static int32_t value[N * WIDTH], alone[WIDTH];
    uint32_t cell[N], one;
    make_fixture(&f, 1);
    kith_i_pull pull = {.centers = &f.centers,
                        .tau = 35000,
                        .unit = KITH_I_MEDIAN_UNIT,
                        .inverse = KITH_I_MEDIAN_INVERSE};
    run_pull(&pull, f.rows, N, cell, value);
    uint32_t near = 0;
    for (int r = 0; r < N; r++) {
        const int16_t *x = f.rows + r * D;
        const int32_t *v = value + r * WIDTH;
        double best = HUGE_VAL, square = 0;
        uint32_t label = 0;
        for (uint32_t j = 0; j < K; j++) {
            double s = 0;
            for (int i = 0; i < D; i++)
                s += pow(x[i] - f.coords[(int)j * D + i], 2);
            if (s < best) {
                best = s;
                label = j;
            }
        }
        assert_int_equal(cell[r], label);
        double m = fmax(sqrt(best), pull.tau);
        near += sqrt(best) < pull.tau;
        for (int i = 0; i < D; i++) {
            double want = pull.unit * (x[i] - f.coords[(int)label * D + i]) / m;
            assert_true(fabs(v[i] - want) <= 1 &&
                        abs(v[i]) <= fabs(want) + 1e-6);
            square += (double)v[i] * v[i];
        }
        assert_true(fabs(v[D] - pull.inverse * pull.tau / m) <= 1);
        square += (double)v[D] * v[D];
        double radius = (double)kith_i_median_radius();
        assert_true(square <= radius * radius);
        /* the same whatever stands before or after it (R2) */
        run_pull(&pull, x, 1, &one, alone);
        assert_int_equal(one, cell[r]);
        assert_memory_equal(alone, v, sizeof alone);
    }
    assert_true(near > 5 && near < N - 5); /* both branches were taken */
}

static void test_pull_sparse(void **state)
{
    (void)state;
    static fixture f;
    static int32_t dense[N * WIDTH], sparse[N * WIDTH];
    static uint32_t start[N + 1], index[N * D];
    static int16_t values[N * D];
    uint32_t cell[N], other[N];
    double coords[K * D], squares[K];
    make_fixture(&f, 2);
    for (int r = 0; r < N; r++) {
        start[r + 1] = start[r];
        for (int i = 0; i < D; i++) {
            if ((r + i) % 3 == 0)
                f.rows[r * D + i] = 0;
            if (f.rows[r * D + i] == 0)
                continue;
            index[start[r + 1]] = (uint32_t)i;
            values[start[r + 1]++] = f.rows[r * D + i];
        }
    }
    kith_i_centers turned = {
        .k = K, .d = D, .sparse = 1, .coords = coords, .squares = squares};
    kith_i_centers_set(&turned, f.real);
    kith_i_pull pull = {
        .centers = &f.centers, .tau = 500, .unit = 1 << 20, .inverse = 1 << 18};
    run_pull(&pull, f.rows, N, cell, dense);
    pull.centers = &turned;
    double *scratch = malloc(kith_i_pull_scratch(K, D, 1) * sizeof *scratch);
    kith_i_block block = {.rows = N,
                          .dimension = D,
                          .start = start,
                          .index = index,
                          .value = values};
    /* All features. */
    uint32_t slot[D];
    for (uint32_t i = 0; i < D; i++)
        slot[i] = i;
    pull.slot = slot;
    pull.part = f.coords;
    pull.width = D;
    kith_i_pull_block(&pull, &block, scratch, other, sparse);
    assert_memory_equal(cell, other, sizeof cell);
    assert_memory_equal(dense, sparse, sizeof dense);
    /* Three of the features, in another order: the same numbers; distances are
     * still those of the whole rows. */
    enum { W = 3 };
    static const uint32_t features[W] = {7, 0, 4};
    static int32_t some[N * (W + 1)];
    double part[K * W];
    for (int i = 0; i < D; i++)
        slot[i] = W;
    for (uint32_t t = 0; t < W; t++) {
        slot[features[t]] = t;
        for (int j = 0; j < K; j++)
            part[j * W + (int)t] = f.coords[j * D + (int)features[t]];
    }
    pull.part = part;
    pull.width = W;
    kith_i_pull_block(&pull, &block, scratch, other, some);
    free(scratch);
    assert_memory_equal(cell, other, sizeof cell);
    for (int r = 0; r < N; r++) {
        for (int t = 0; t < W; t++)
            assert_int_equal(some[r * (W + 1) + t],
                             dense[r * WIDTH + (int)features[t]]);
        assert_int_equal(some[r * (W + 1) + W], dense[r * WIDTH + D]);
    }
}

/* ---- runs ---- */

static kith_result *cluster_in(kith_dataset *data, kith_privacy p, uint32_t k,
                               uint32_t threads, uint64_t seed, uint32_t rounds)
{
    kith_session *s =
        open_session(data, p.epsilon, p.delta, p.neighbors, threads, seed);
    kith_kmedian_options opt;
    kith_kmedian_options_init(&opt, sizeof opt);
    opt.clusters = k;
    opt.public_seed = 3;
    opt.rounds = rounds;
    kith_result *result = NULL;
    kith_error err = {0};
    if (kith_kmedian(s, &opt, &result, &err))
        fail_msg("%s", err.message);
    kith_session_close(s);
    return result;
}

static kith_result *cluster(kith_dataset *data, kith_privacy p, uint32_t k,
                            uint32_t threads, uint64_t seed)
{
    return cluster_in(data, p, k, threads, seed, 0);
}

static double median_cost(const double *rows, size_t n, uint32_t d,
                          const double *centers, uint32_t k)
{
    double cost = 0;
    for (size_t r = 0; r < n; r++) {
        double best = HUGE_VAL;
        for (uint32_t j = 0; j < k; j++) {
            double s = 0;
            for (uint32_t i = 0; i < d; i++)
                s += pow(rows[r * d + i] - centers[j * d + i], 2);
            best = fmin(best, s);
        }
        cost += sqrt(best);
    }
    return cost;
}

/* With next to no noise one cluster's centre is the geometric median, here
 * found by plain Weiszfeld steps in double. Rows: a tight group and a tail
 * that drags the mean away. */
static void test_finds_the_median(void **state)
{
    (void)state;
    enum { n = 4000, d = 3 };
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 12, 0);
    double *rows = malloc(n * d * sizeof *rows), mean[d] = {0};
    for (int r = 0; r < n; r++)
        for (int i = 0; i < d; i++) {
            double scale = r % 5 ? 0.05 : 0.3;
            rows[r * d + i] =
                scale * kith_i_coins_normal(&coins) + (r % 5 ? -0.2 : 0.5);
            rows[r * d + i] = fmax(-1, fmin(1, rows[r * d + i]));
            mean[i] += rows[r * d + i] / n;
        }
    double median[d];
    memcpy(median, mean, sizeof median);
    for (int t = 0; t < 500; t++) {
        double sum[d] = {0}, inverse = 0;
        for (int r = 0; r < n; r++) {
            double s = 0;
            for (int i = 0; i < d; i++)
                s += pow(rows[r * d + i] - median[i], 2);
            inverse += 1 / sqrt(s);
            for (int i = 0; i < d; i++)
                sum[i] += rows[r * d + i] / sqrt(s);
        }
        for (int i = 0; i < d; i++)
            median[i] = sum[i] / inverse;
    }
    double off = 0, far = 0;
    for (int i = 0; i < d; i++)
        far += pow(mean[i] - median[i], 2);
    for (int pure = 0; pure < 2; pure++) {
        kith_privacy p = {2000, pure ? 0 : 1e-6, KITH_ADD_REMOVE};
        kith_session *s = open_session(load(rows, n, d, unit_box()), p.epsilon,
                                       p.delta, p.neighbors, 1, 4);
        kith_kmedian_options opt;
        kith_kmedian_options_init(&opt, sizeof opt);
        opt.clusters = 1;
        opt.rounds = 30;
        kith_result *result = NULL;
        assert_int_equal(kith_kmedian(s, &opt, &result, NULL), KITH_OK);
        kith_session_close(s);
        const double *c = kith_result_centers(result, NULL, NULL);
        off = 0;
        for (int i = 0; i < d; i++)
            off += pow(c[i] - median[i], 2);
        assert_true(sqrt(far) > 0.1 && sqrt(off) < 0.004);
        assert_int_equal(kith_result_rounds(result), 30);
        kith_result_free(result);
        kith_dataset *data = load(rows, n, d, unit_box());
        kith_plain_options po;
        kith_plain_options_init(&po, sizeof po);
        po.clusters = 1;
        assert_int_equal(kith_plain_kmedian(data, &po, &result, NULL), KITH_OK);
        kith_dataset_free(data);
        c = kith_result_centers(result, NULL, NULL);
        off = 0;
        for (int i = 0; i < d; i++)
            off += pow(c[i] - median[i], 2);
        assert_true(sqrt(off) < 0.001);
        kith_result_free(result);
    }
    free(rows);
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
    enum { n = 4000, d = 7 };
    double *rows = make_rows(n, d, 5, 1),
           *turned = malloc(n * d * sizeof *rows);
    for (int r = 0; r < n; r++)
        memcpy(turned + r * d, rows + (n - 1 - r) * d, d * sizeof *rows);
    for (int mode = 0; mode < 4; mode++) {
        kith_privacy p = {1, mode & 1 ? 1e-6 : 0,
                          mode & 2 ? KITH_REPLACE_ONE : KITH_ADD_REMOVE};
        kith_result *a = cluster(load(rows, n, d, ball(2)), p, 5, 1, 9);
        kith_result *b = cluster(load(turned, n, d, ball(2)), p, 5, 3, 9);
        kith_result *c = cluster(load(rows, n, d, ball(2)), p, 5, 1, 10);
        assert_same(a, b);
        assert_memory_not_equal(kith_result_centers(a, NULL, NULL),
                                kith_result_centers(c, NULL, NULL),
                                5 * d * sizeof(double));
        assert_string_equal(kith_result_guarantee(a), "none"); /* seeded */
        kith_result_free(a);
        kith_result_free(b);
        kith_result_free(c);
    }
    kith_result *plain[2];
    for (int i = 0; i < 2; i++) {
        kith_dataset *data = load(rows, n, d, ball(2));
        kith_plain_options po;
        kith_plain_options_init(&po, sizeof po);
        po.clusters = 5;
        po.threads = i ? 4 : 1;
        assert_int_equal(kith_plain_kmedian(data, &po, &plain[i], NULL),
                         KITH_OK);
        kith_dataset_free(data);
    }
    assert_same(plain[0], plain[1]);
    kith_result_free(plain[0]);
    kith_result_free(plain[1]);
    free(rows);
    free(turned);
}

static size_t count_steps(const kith_result *result)
{
    size_t count = 0;
    for (size_t i = 0; i < kith_result_receipt_count(result); i++) {
        kith_receipt r;
        kith_result_receipt(result, i, &r);
        count += strstr(r.what, "pull") != NULL;
    }
    return count;
}

/* No rows, one row, constant rows, k > n: they run, centres in the bounds.
 * Steps at these sizes are noise, so that there are none, unless they are asked
 * for (sums and counts). */
static void test_odd_shapes(void **state)
{
    (void)state;
    double constant[60];
    for (int i = 0; i < 60; i++)
        constant[i] = 0.25;
    for (uint32_t mode = 0; mode < 4; mode++)
        for (size_t n = 0; n <= 20; n += n ? 19 : 1)
            for (uint32_t k = 1; k <= 31; k += 10) {
                kith_privacy p = {1, mode & 1 ? 1e-6 : 0, KITH_ADD_REMOVE};
                kith_result *r = cluster_in(load(constant, n, 3, unit_box()), p,
                                            k, 2, 5, mode / 2);
                const double *c = kith_result_centers(r, NULL, NULL);
                for (uint32_t i = 0; i < 3 * k; i++)
                    assert_true(c[i] >= -1 && c[i] <= 1);
                assert_int_equal(count_steps(r), mode & 2 ? 2 : 0);
                assert_int_equal(kith_result_rounds(r), mode / 2);
                kith_result_free(r);
                kith_dataset *data = load(constant, n, 3, unit_box());
                kith_plain_options po;
                kith_plain_options_init(&po, sizeof po);
                po.clusters = k;
                assert_int_equal(kith_plain_kmedian(data, &po, &r, NULL),
                                 KITH_OK);
                c = kith_result_centers(r, NULL, NULL);
                for (uint32_t i = 0; i < 3 * k; i++)
                    assert_true(n == 0 || fabs(c[i] - 0.25) < 1e-3);
                kith_dataset_free(data);
                kith_result_free(r);
            }
}

/* Losses add up to what was declared, and each is sensitivity over scale; a
 * step's sensitivity is what one record can add: a unit vector and a quarter
 * (R7). */
static void check_spend(const kith_result *result, kith_privacy p)
{
    double spent = 0, twice = p.neighbors == KITH_REPLACE_ONE ? 2 : 1;
    int pure = p.delta == 0;
    double want = twice * sqrt(1 + 1. / 16);
    for (size_t i = 0; i < kith_result_receipt_count(result); i++) {
        kith_receipt r;
        kith_result_receipt(result, i, &r);
        spent += pure ? r.loss : r.loss * r.loss;
        if (!strstr(r.what,
                    "one mean")) { /* a selection has no scale of noise */
            assert_true(r.sensitivity / r.scale <= r.loss);
            assert_true(r.sensitivity / r.scale >= r.loss * (1 - 1e-9));
        }
        if (strstr(r.what, "pull sums"))
            assert_true(fabs(r.sensitivity - want) < want * 1e-5);
    }
    double mu = pure ? 0 : gaussian_mu(p.epsilon, p.delta);
    double declared = pure ? p.epsilon : mu * mu;
    assert_true(spent <= declared * (1 + 1e-12));
    assert_true(spent >= declared * (1 - 1e-6));
}

static void test_spend(void **state)
{
    (void)state;
    static const uint32_t dims[] = {1, 2, 3, 17, 100, 1000};
    kith_kmedian_options opt;
    kith_kmedian_options_init(&opt, sizeof opt);
    opt.clusters = 3;
    for (size_t i = 0; i < sizeof dims / sizeof *dims; i++)
        for (int mode = 0; mode < 8; mode++) {
            kith_privacy p = {i % 2 ? 0.3 : 2, mode & 1 ? 1e-6 : 0,
                              mode & 2 ? KITH_REPLACE_ONE : KITH_ADD_REMOVE};
            kith_bounds bounds = mode & 4 ? unit_box() : ball(1.5);
            kith_result *plan = NULL;
            kith_error err = {0};
            opt.rounds = (uint32_t)i;
            if (kith_kmedian_plan(&(kith_shape){1000, dims[i], 0, 0}, &bounds,
                                  &p, &opt, &plan, &err))
                fail_msg("%s", err.message);
            assert_null(kith_result_centers(plan, NULL, NULL));
            assert_true(kith_result_noise(plan) > 0);
            check_spend(plan, p);
            kith_result_free(plan);
        }
    for (int mode = 0; mode < 4; mode++) { /* a run pays like its plan */
        kith_privacy p = {1, mode & 1 ? 1e-6 : 0,
                          mode & 2 ? KITH_REPLACE_ONE : KITH_ADD_REMOVE};
        double *rows = make_rows(500, 4, 3, 8);
        kith_result *r = cluster(load(rows, 500, 4, unit_box()), p, 3, 1, 2);
        check_spend(r, p);
        kith_result_free(r);
        free(rows);
    }
}

/* How many rows make steps worth their price: worked out from docs/kmedian.md.
 * Twice that, a plan has steps with .35 of the budget; with half there are none
 * and the start has all. */
static void test_who_gets_the_budget(void **state)
{
    (void)state;
    for (int mode = 0; mode < 4; mode++) {
        const double d = 4, k = 4, epsilon = 1.5;
        int pure = !(mode & 1);
        kith_privacy p = {epsilon, pure ? 0 : 1e-6,
                          mode & 2 ? KITH_REPLACE_ONE : KITH_ADD_REMOVE};
        double length = sqrt(1 + 1. / 16) * (mode & 2 ? 2 : 1);
        double rest = pure ? .35 * .99 : sqrt(.35 * .996);
        double sd = pure ? length / (rest * epsilon) * sqrt(d + 2)
                         : length / (rest * gaussian_mu(epsilon, 1e-6));
        double rows = sd * sqrt(d) * k / (pure ? .012 : .08);
        double wide = sqrt(30 / d * (pure ? 32 / (d + 2) : 1));
        for (int many = 0; many < 4; many++) {
            double n = rows * (many & 1 ? 1.01 : .99) * (many & 2 ? wide : 1);
            kith_bounds bounds = unit_box();
            kith_kmedian_options opt;
            kith_result *plan = NULL;
            kith_kmedian_options_init(&opt, sizeof opt);
            opt.clusters = 4;
            assert_int_equal(
                kith_kmedian_plan(
                    &(kith_shape){(uint64_t)n, many & 2 ? 30 : 4, 0, 0},
                    &bounds, &p, &opt, &plan, NULL),
                KITH_OK);
            double after = 0, all = 0;
            for (size_t i = 0; i < kith_result_receipt_count(plan); i++) {
                kith_receipt r;
                kith_result_receipt(plan, i, &r);
                double loss = pure ? r.loss : r.loss * r.loss;
                all += loss;
                after +=
                    strstr(r.what, "pull") || strstr(r.what, "distances counts")
                        ? loss
                        : 0;
            }
            assert_int_equal(kith_result_rounds(plan) > 0, many & 1);
            assert_int_equal(count_steps(plan) > 0, many & 1);
            double share = many & 1 ? .35 * (pure ? .99 : .996) : 0;
            assert_true(fabs(after / all - share) < 1e-3);
            kith_result_free(plan);
        }
    }
}

static void test_refusals(void **state)
{
    (void)state;
    double *rows = make_rows(100, 2, 2, 3);
    kith_session *s = open_session(load(rows, 100, 2, unit_box()), 1, 0,
                                   KITH_ADD_REMOVE, 1, 1);
    kith_kmedian_options opt;
    kith_kmedian_options_init(&opt, sizeof opt);
    kith_result *r = NULL;
    assert_int_equal(kith_kmedian(s, &opt, &r, NULL), KITH_ERR_ARGUMENT);
    opt.clusters = 2;
    assert_int_equal(kith_kmedian(NULL, &opt, &r, NULL), KITH_ERR_ARGUMENT);
    assert_int_equal(kith_kmedian(s, NULL, &r, NULL), KITH_ERR_ARGUMENT);
    assert_int_equal(kith_kmedian(s, &opt, &r, NULL), KITH_OK);
    kith_result_free(r);
    assert_int_equal(kith_kmedian(s, &opt, &r, NULL), KITH_ERR_BUDGET);
    assert_null(r);
    kith_session_close(s);
    free(rows);
}

/* What is held cannot be seen or spent until it is set free. */
static void test_hold(void **state)
{
    (void)state;
    double *rows = make_rows(100, 2, 2, 3);
    kith_session *s = open_session(load(rows, 100, 2, unit_box()), 1, 0,
                                   KITH_ADD_REMOVE, 1, 1);
    kith_i_loss all = kith_i_session_left(s);
    kith_i_session_hold(s, all / 4);
    assert_true(kith_i_session_left(s) == all - all / 4);
    kith_i_ask ask = {0};
    kith_i_cells_spec spec = {.what = "all", .cells = 1, .count_charge = all};
    kith_i_cells cells;
    assert_int_equal(kith_i_release_cells(s, &ask, &spec, &cells, NULL),
                     KITH_ERR_BUDGET);
    spec.count_charge = all - all / 4;
    assert_int_equal(kith_i_release_cells(s, &ask, &spec, &cells, NULL),
                     KITH_OK);
    kith_i_cells_free(&cells);
    assert_true(kith_i_session_left(s) == 0);
    kith_i_session_hold(s, all); /* no more than there is */
    assert_true(kith_i_session_left(s) == 0);
    kith_i_session_hold(s, 0);
    assert_true(kith_i_session_left(s) == all / 4);
    kith_session_close(s);
    free(rows);
}

static double means_cost(const double *rows, size_t n, uint32_t d, uint32_t k,
                         kith_privacy p, uint64_t seed)
{
    kith_session *s = open_session(load(rows, n, d, unit_box()), p.epsilon,
                                   p.delta, p.neighbors, 1, seed);
    kith_kmeans_options opt;
    kith_kmeans_options_init(&opt, sizeof opt);
    opt.clusters = k;
    opt.public_seed = 3;
    kith_result *r = NULL;
    assert_int_equal(kith_kmeans(s, &opt, &r, NULL), KITH_OK);
    kith_session_close(s);
    double cost =
        median_cost(rows, n, d, kith_result_centers(r, NULL, NULL), k);
    kith_result_free(r);
    return cost;
}

/* Three tight groups, and a tenth of the rows far to one side of each: means
 * are dragged, medians are not. Same budget, seeded (no false alarms while the
 * stream of the seeded generator stays); measured .88 and .996 (a pure k-means
 * run often stops at an optimum that is 6 % dearer for it, and near the
 * medians). */
static void test_beats_means(void **state)
{
    (void)state;
    enum { n = 20000, d = 4, k = 3 };
    static const double at[k][d] = {
        {-.7, -.7, -.7, -.7}, {.1, -.7, .1, -.7}, {-.7, .1, -.7, .1}};
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 77, 0);
    double *rows = malloc(n * d * sizeof *rows);
    for (int r = 0; r < n; r++)
        for (int i = 0; i < d; i++)
            rows[r * d + i] = at[r % k][i] + (r % 10 ? 0 : 0.7) +
                              0.03 * kith_i_coins_normal(&coins);
    double ideal = median_cost(rows, n, d, &at[0][0], k);
    for (int pure = 0; pure < 2; pure++) {
        kith_privacy p = {1, pure ? 0 : 1e-6, KITH_ADD_REMOVE};
        double means = 0, medians = 0;
        for (uint64_t seed = 0; seed < 3; seed++) {
            means += means_cost(rows, n, d, k, p, seed);
            kith_result *r =
                cluster(load(rows, n, d, unit_box()), p, k, 1, seed);
            double cost =
                median_cost(rows, n, d, kith_result_centers(r, NULL, NULL), k);
            assert_true(cost < 1.005 * ideal);
            medians += cost;
            kith_result_free(r);
        }
        print_message("%s: medians / means %.4f\n", pure ? "pure" : "gaussian",
                      medians / means);
        assert_true(medians < (pure ? 1 : .985) * means);
    }
    free(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pull_against_naive),
        cmocka_unit_test(test_pull_sparse),
        cmocka_unit_test(test_finds_the_median),
        cmocka_unit_test(test_threads_and_order),
        cmocka_unit_test(test_odd_shapes),
        cmocka_unit_test(test_spend),
        cmocka_unit_test(test_who_gets_the_budget),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_hold),
        cmocka_unit_test(test_beats_means),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Bounds and the quantiser: a stored row never leaves the box or the ball,
 * is a function of that row alone, and is close to the clipped row (R3). */
#include <math.h>

#include "base/wide.h"
#include "data/dataset_i.h"
#include "support/make_data.h"

static kith_i_domain *domain_of(kith_bounds b, uint32_t d, int sparse)
{
    kith_i_domain *m = NULL;
    kith_error err = {0};
    if (kith_i_domain_new(&b, d, sparse, &m, &err))
        fail_msg("%s", err.message);
    return m;
}

static void check_row(const kith_i_domain *m, const double *raw, int16_t *q,
                      double *t)
{
    kith_i_quantize_dense(m, raw, t, q);
    kith_i_i128 square = 0, length = 0;
    for (uint32_t i = 0; i < m->dimension; i++) {
        square += (kith_i_i128)q[i] * q[i];
        length += q[i] < 0 ? -q[i] : q[i];
        assert_true(q[i] >= m->low_q[i] && q[i] <= m->high_q[i]);
    }
    assert_true(square <= (kith_i_i128)m->l2_squared);
    assert_true(length <= (kith_i_i128)m->l1);
    if (m->radius > 0) { /* and in real units */
        long double r = ldexpl((long double)m->radius, m->scale_log2);
        assert_true((long double)square <= r * r);
    }
}

/* 200,000 random 64-d points on and around the sphere: rounding to nearest
 * put half of them outside the ball, truncation none. */
static void test_never_leaves_the_ball(void **state)
{
    (void)state;
    enum { D = 64, N = 200000 };
    static const double radii[] = {1, 0.3, 12, 1e-3, 12345.678, 1e30};
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 1, 1);
    int16_t q[D];
    double raw[D], t[D];
    for (size_t k = 0; k < sizeof radii / sizeof *radii; k++) {
        kith_i_domain *m = domain_of(ball(radii[k]), D, 0);
        uint64_t nearest_outside = 0;
        for (int n = 0; n < N / 6; n++) {
            double square = 0, dot = 0;
            for (int i = 0; i < D; i++) {
                raw[i] = kith_i_coins_normal(&coins);
                square += raw[i] * raw[i];
            }
            double length = n % 3 == 0   ? 1
                            : n % 3 == 1 ? 1 + 1e-9
                                         : exp(3 * kith_i_coins_normal(&coins));
            for (int i = 0; i < D; i++) {
                raw[i] *= length * radii[k] / sqrt(square);
                double r = ldexp(raw[i], m->scale_log2);
                dot += nearbyint(r) * nearbyint(r);
            }
            nearest_outside += n % 3 == 0 && dot > (double)m->l2_squared;
            check_row(m, raw, q, t);
        }
        assert_true(nearest_outside > N / 100); /* the test can fail */
        kith_i_domain_free(m);
    }
}

static void test_extreme_rows(void **state)
{
    (void)state;
    static const double odd[] = {0,      -0.0,    1e308, -1e308, 4.9e-324,
                                 1e-300, 0x1p-60, 1,     -1,     32767.99};
    enum { KINDS = sizeof odd / sizeof *odd, D = 7 };
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 2, 1);
    double low[D] = {-1, 0, -5, 3, -1e9, 1e-9, -2};
    double high[D] = {1, 1, 5, 4, 1e9, 1e-8, 1};
    double center[D] = {0, 5, 1, -3, 2, 0, 1};
    kith_bounds cases[] = {
        ball(1),
        ball(1e-100),
        ball(1e100),
        unit_box(),
        {.lower = low, .upper = high, .box_count = D},
        {.lower = low, .upper = high, .box_count = D, .normalize = 1},
        {.lower = low, .upper = high, .box_count = D, .radius = 2},
        {.lower = low,
         .upper = high,
         .box_count = D,
         .radius = 0.5,
         .normalize = 1},
        {.radius = 3, .center = center, .center_count = D},
        {.lower = low,
         .upper = high,
         .box_count = D,
         .radius = 2,
         .center = center,
         .center_count = D}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        kith_i_domain *m = domain_of(cases[c], D, 0);
        for (int n = 0; n < 5000; n++) {
            double raw[D], t[D];
            int16_t q[D];
            for (int i = 0; i < D; i++)
                raw[i] = odd[kith_i_coins_below(&coins, KINDS)] *
                         (1 + (double)kith_i_coins_below(&coins, 3));
            for (int i = 0; i < D; i++)
                if (!isfinite(raw[i]))
                    raw[i] = 1e308;
            check_row(m, raw, q, t);
        }
        kith_i_domain_free(m);
    }
}

/* A box far wider than the ball: the row lands on the ball's edge, in its own
 * direction. */
static void test_wide_box_small_ball(void **state)
{
    (void)state;
    double low = -1e300, high = 1e300;
    kith_bounds b = {
        .lower = &low, .upper = &high, .box_count = 1, .radius = 1};
    kith_i_domain *m = domain_of(b, 2, 0);
    double raw[2] = {3e200, 4e200}, t[2];
    int16_t q[2];
    check_row(m, raw, q, t);
    double step = kith_i_domain_step(m);
    /* |t| is clamped coordinate by coordinate at 2^400 first: the direction
     * of such a row is only roughly kept, its length is not lost */
    assert_true(hypot(q[0], q[1]) * step > 0.99);
    raw[0] = 3e90;
    raw[1] = 4e90;
    check_row(m, raw, q, t);
    assert_true(fabs(q[0] * step - 0.6) < 1e-3 &&
                fabs(q[1] * step - 0.8) < 1e-3);
    kith_i_domain_free(m);
}

/* Inside the bounds the error is below a step; outside, the stored row is the
 * projection, again to a step or two; and restore undoes the map. */
static void test_close_to_the_projection(void **state)
{
    (void)state;
    enum { D = 5 };
    double low[D] = {-2, 10, 0, -1, 100}, high[D] = {2, 20, 1, 1, 1000};
    kith_bounds b = {
        .lower = low, .upper = high, .box_count = D, .normalize = 1};
    kith_i_domain *m = domain_of(b, D, 0);
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 3, 1);
    for (int n = 0; n < 2000; n++) {
        double raw[D], t[D], lattice[D], back[D];
        int16_t q[D];
        for (int i = 0; i < D; i++)
            raw[i] = low[i] + (high[i] - low[i]) *
                                  (1.6 * kith_i_coins_unit(&coins) - 0.3);
        kith_i_quantize_dense(m, raw, t, q);
        for (int i = 0; i < D; i++)
            lattice[i] = q[i];
        kith_i_domain_restore(m, lattice, back);
        for (int i = 0; i < D; i++) {
            double want = fmax(low[i], fmin(high[i], raw[i]));
            double step = kith_i_domain_step(m) * (high[i] - low[i]);
            assert_true(fabs(back[i] - want) <= step * 1.000001);
        }
    }
    kith_i_domain_free(m);
}

/* Inside the bounds a coordinate is truncated toward zero, exactly. */
static void test_truncates_toward_zero(void **state)
{
    (void)state;
    enum { D = 6 };
    kith_i_domain *m = domain_of(ball(3), D, 0);
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 8, 1);
    for (int n = 0; n < 2000; n++) {
        double raw[D], t[D];
        int16_t q[D];
        for (int i = 0; i < D; i++)
            raw[i] = 2 * kith_i_coins_unit(&coins) - 1;
        kith_i_quantize_dense(m, raw, t, q);
        for (int i = 0; i < D; i++)
            assert_int_equal(q[i], (int)trunc(ldexp(raw[i], m->scale_log2)));
    }
    kith_i_domain_free(m);
}

static void test_sparse_equals_dense(void **state)
{
    (void)state;
    enum { D = 40 };
    kith_bounds cases[] = {ball(1), unit_box()};
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 4, 1);
    for (int c = 0; c < 2; c++) {
        kith_i_domain *dense = domain_of(cases[c], D, 0);
        kith_i_domain *sparse = domain_of(cases[c], D, 1);
        assert_int_equal(dense->scale_log2, sparse->scale_log2);
        for (int n = 0; n < 3000; n++) {
            double raw[D] = {0}, value[D], t[D];
            uint32_t index[D], kept[D], count = 0;
            for (uint32_t i = 0; i < D; i++)
                if (kith_i_coins_below(&coins, 4) == 0) {
                    raw[i] = 0.5 * kith_i_coins_normal(&coins);
                    index[count] = i;
                    value[count++] = raw[i];
                }
            int16_t a[D], b[D], full[D] = {0};
            kith_i_quantize_dense(dense, raw, t, a);
            uint32_t kept_count =
                kith_i_quantize_sparse(sparse, index, value, count, t, kept, b);
            uint64_t square = 0;
            for (uint32_t i = 0; i < kept_count; i++) {
                assert_int_not_equal(b[i], 0);
                full[kept[i]] = b[i];
                square += (uint64_t)(b[i] * b[i]);
            }
            assert_true(square <= sparse->l2_squared);
            for (int i = 0; i < D; i++) /* sums of squares differ in order */
                assert_true(abs(full[i] - a[i]) <= (c == 0));
        }
        kith_i_domain_free(dense);
        kith_i_domain_free(sparse);
    }
}

/* Of a row with as many entries as it may have, a few features: no longer than
 * the bounds of a view that has only these, in either norm. */
static void test_narrowed(void **state)
{
    (void)state;
    enum { D = 9, Q = 6 };
    static const uint32_t features[Q] = {0, 2, 3, 5, 6, 8};
    for (uint32_t sparsity = 1; sparsity <= D; sparsity++)
        for (int sparse = 0; sparse < 2; sparse++) {
            kith_bounds b = unit_box();
            b.sparsity = sparsity;
            kith_i_domain *m = domain_of(b, D, sparse), *narrow = NULL;
            assert_int_equal(
                kith_i_domain_narrow(m, features, Q, &narrow, NULL), KITH_OK);
            uint64_t entries = sparsity < Q ? sparsity : Q;
            uint64_t most = (uint64_t)narrow->high_q[0];
            int finer = narrow->scale_log2 - m->scale_log2;
            assert_int_equal(most, (uint64_t)m->high_q[0] << finer);
            assert_true(narrow->l1 >= entries * most);
            assert_true(narrow->l2_squared >= entries * most * most);
            kith_i_domain_free(narrow);
            kith_i_domain_free(m);
        }
}

static void expect_refused(kith_bounds b, uint32_t d, int sparse,
                           kith_status status)
{
    kith_i_domain *m = (kith_i_domain *)&b;
    kith_error err = {0};
    assert_int_equal(kith_i_domain_new(&b, d, sparse, &m, &err), status);
    assert_null(m);
    assert_true(strlen(err.message) > 10);
}

static void test_refusals(void **state)
{
    (void)state;
    double low[3] = {0, 0, 1}, high[3] = {1, 1, 0}, nan[1] = {(double)NAN};
    double one[1] = {1}, two[1] = {2};
    kith_bounds none = {0};
    expect_refused(none, 3, 0, KITH_ERR_PRIVACY);
    expect_refused(ball(-1), 3, 0, KITH_ERR_PRIVACY);
    expect_refused(ball((double)INFINITY), 3, 0, KITH_ERR_PRIVACY);
    expect_refused(ball((double)NAN), 3, 0, KITH_ERR_PRIVACY);
    expect_refused(ball(1), 0, 0, KITH_ERR_ARGUMENT);
    expect_refused(ball(1), UINT32_MAX, 0, KITH_ERR_ARGUMENT);
    expect_refused(ball(1e-320), 3, 0, KITH_ERR_PRIVACY);
    expect_refused(ball(1e200), 3, 0, KITH_ERR_PRIVACY);
    expect_refused(ball(1e-200), 3, 0, KITH_ERR_PRIVACY);
    kith_bounds bad = {.lower = low, .upper = high, .box_count = 3};
    expect_refused(bad, 3, 0, KITH_ERR_PRIVACY);
    bad.box_count = 2;
    expect_refused(bad, 3, 0, KITH_ERR_PRIVACY);
    kith_bounds nans = {.lower = nan, .upper = one, .box_count = 1};
    expect_refused(nans, 3, 0, KITH_ERR_PRIVACY);
    kith_bounds centered = {.lower = one,
                            .upper = two,
                            .box_count = 1,
                            .center = one,
                            .center_count = 1};
    expect_refused(centered, 3, 0, KITH_ERR_PRIVACY);
    kith_bounds positive = {.lower = one, .upper = two, .box_count = 1};
    expect_refused(positive, 3, 1, KITH_ERR_PRIVACY);
    kith_bounds moved = {.radius = 1, .center = one, .center_count = 1};
    expect_refused(moved, 3, 1, KITH_ERR_PRIVACY);
    kith_bounds half = {.lower = one, .box_count = 1, .radius = 1};
    expect_refused(half, 3, 0, KITH_ERR_PRIVACY);
    kith_bounds normal = {.radius = 1, .normalize = 1};
    expect_refused(normal, 3, 0, KITH_ERR_PRIVACY);
}

/* A range whose inverse is no double: 0 times infinity would fill entries that
 * --sparsity does not count, past the bound in L1. */
static void test_narrowest_range(void **state)
{
    (void)state;
    enum { D = 8 };
    double low = 0, high = 0x1p-1025, raw[D] = {0}, t[D];
    int16_t q[D];
    kith_bounds b = {.lower = &low,
                     .upper = &high,
                     .box_count = 1,
                     .normalize = 1,
                     .sparsity = 2};
    expect_refused(b, D, 0, KITH_ERR_PRIVACY);
    expect_refused(b, D, 1, KITH_ERR_PRIVACY);
    high = 0x1p-1023; /* the narrowest but one */
    kith_i_domain *m = domain_of(b, D, 0);
    check_row(m, raw, q, t);
    for (int i = 0; i < D; i++) {
        assert_int_equal(q[i], 0);
        raw[i] = i % 2 ? high : 1e300;
    }
    check_row(m, raw, q, t);
    int32_t length = 0;
    for (int i = 0; i < D; i++) /* what 0 times infinity had led to */
        q[i] = 8192;
    kith_i_enforce_bounds(m, q);
    for (int i = 0; i < D; i++)
        length += q[i];
    assert_true((uint64_t)length <= m->l1);
    kith_i_domain_free(m);
}

/* A row's integers do not depend on the other rows or on where it stands. */
static void test_rows_are_local(void **state)
{
    (void)state;
    enum { N = 3000, D = 9 };
    double *rows = make_rows(N, D, 5, 6);
    kith_dataset *all = load(rows, N, D, ball(0.8));
    for (int k = 0; k < 40; k++) {
        size_t pick = (size_t)k * 71 + 3;
        kith_dataset *one = load(rows + pick * D, 1, D, ball(0.8));
        size_t chunk = 0;
        while (all->chunks[chunk].first + all->chunks[chunk].rows <= pick)
            chunk++;
        assert_memory_equal(one->chunks[0].dense,
                            all->chunks[chunk].dense +
                                (pick - all->chunks[chunk].first) * D,
                            D * sizeof(int16_t));
        kith_dataset_free(one);
    }
    kith_dataset_free(all);
    free(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_never_leaves_the_ball),
        cmocka_unit_test(test_extreme_rows),
        cmocka_unit_test(test_wide_box_small_ball),
        cmocka_unit_test(test_close_to_the_projection),
        cmocka_unit_test(test_truncates_toward_zero),
        cmocka_unit_test(test_sparse_equals_dense),
        cmocka_unit_test(test_narrowed),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_narrowest_range),
        cmocka_unit_test(test_rows_are_local),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

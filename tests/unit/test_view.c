/* Views: exact projections of records, and releases from them. */
#include <math.h>

#include "base/wide.h"
#include "data/fold.h"
#include "dp/dp_i.h"
#include "kernel/kernel_i.h"
#include "support/make_data.h"
#include "support/near_points.h"

enum { N = 700, D = 11, Q = 3 };

static void make_axes(double *axes, uint64_t seed)
{
    kith_i_coins coins;
    kith_i_coins_seed(&coins, seed, 2);
    for (int j = 0; j < Q; j++) {
        double square = 0;
        for (int i = 0; i < D; i++) {
            axes[j * D + i] = kith_i_coins_normal(&coins);
            square += axes[j * D + i] * axes[j * D + i];
        }
        for (int i = 0; i < D; i++)
            axes[j * D + i] /= sqrt(square);
    }
}

/* project_block against 128-bit integers, dense and sparse, block by block
 * and row by row: the same bits. */
static void test_projection_is_exact(void **state)
{
    (void)state;
    double axes[Q * D], offset[D], dense_axes[Q * D], sparse_axes[Q * D];
    double offsets[Q], offsets2[Q];
    make_axes(axes, 1);
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 3, 3);
    for (int i = 0; i < D; i++)
        offset[i] = 1000 * kith_i_coins_normal(&coins);
    kith_i_projection dense = {Q, D, 0, 0, dense_axes, offsets};
    kith_i_projection sparse = {Q, D, 1, 0, sparse_axes, offsets2};
    kith_i_projection_set(&dense, axes, offset, -2);
    kith_i_projection_set(&sparse, axes, offset, -2);
    static int16_t rows[N * D], out[N * Q], one[Q], other[N * Q];
    static int16_t values[N * D];
    static uint32_t start[N + 1], index[N * D];
    for (int r = 0; r < N; r++) {
        for (int i = 0; i < D; i++) {
            int16_t v = (int16_t)(kith_i_coins_u64(&coins) & 0xffff);
            v = v == INT16_MIN ? INT16_MAX : v;
            rows[r * D + i] = kith_i_coins_below(&coins, 3) ? v : 0;
            if (rows[r * D + i]) {
                index[start[r + 1]] = (uint32_t)i;
                values[start[r + 1]++] = rows[r * D + i];
            }
        }
        if (r + 1 < N)
            start[r + 2] = start[r + 1];
    }
    double *scratch =
        malloc(kith_i_project_scratch(N, Q, D, 0) * sizeof *scratch);
    kith_i_block block = {.rows = N, .dimension = D, .dense = rows};
    kith_i_project_block(&dense, &block, scratch, out);
    kith_i_block thin = {.rows = N,
                         .dimension = D,
                         .start = start,
                         .index = index,
                         .value = values};
    kith_i_project_block(&sparse, &thin, scratch, other);
    assert_memory_equal(out, other, sizeof out);
    for (int r = 0; r < N; r++) {
        kith_i_block single = {
            .rows = 1, .dimension = D, .dense = rows + r * D};
        kith_i_project_block(&dense, &single, scratch, one);
        assert_memory_equal(one, out + r * Q, sizeof one);
        for (int j = 0; j < Q; j++) {
            kith_i_i128 dot = -(kith_i_i128)offsets[j];
            for (int i = 0; i < D; i++)
                dot += (kith_i_i128)rows[r * D + i] *
                       (int64_t)dense_axes[j * D + i];
            kith_i_i128 y = dot / ((kith_i_i128)1 << dense.shift);
            y = y > 32767 ? 32767 : (y < -32767 ? -32767 : y);
            assert_int_equal(out[r * Q + j], (int64_t)y);
        }
    }
    free(scratch);
}

/* Sums of a view are the projected sums; a view beside the records lines up;
 * rows outside the view's ball are pulled in. */
static void test_releases_from_views(void **state)
{
    (void)state;
    double *rows = make_rows(N, D, 4, 5), axes[Q * D];
    make_axes(axes, 2);
    kith_session *s = open_session(load(rows, N, D, unit_box()), 4000, 1e-6,
                                   KITH_ADD_REMOVE, 2, 1);
    const kith_i_view *view, *tight;
    kith_error err = {0};
    if (kith_i_view_open(s, axes, Q, NULL, sqrt(D), &view, &err) ||
        kith_i_view_open(s, axes, Q, NULL, 0.3, &tight, &err))
        fail_msg("%s", err.message);
    kith_i_loss part = kith_i_session_left(s) / 4;
    kith_i_ask ask = {.view = view};
    kith_i_cells_spec spec = {
        .what = "view", .cells = 1, .width = Q, .sum_charge = part};
    kith_i_cells cells;
    assert_int_equal(kith_i_release_cells(s, &ask, &spec, &cells, &err),
                     KITH_OK);
    double want[Q] = {0}, positive[D] = {0};
    for (int r = 0; r < N; r++) {
        double y[Q] = {0}, x[D];
        for (int i = 0; i < D; i++)
            x[i] = fmax(-1, fmin(1, rows[r * D + i]));
        for (int j = 0; j < Q; j++)
            for (int i = 0; i < D; i++)
                y[j] += x[i] * axes[j * D + i];
        for (int j = 0; j < Q; j++)
            want[j] += y[j];
        for (int i = 0; i < D && y[0] > 0; i++)
            positive[i] += x[i];
    }
    double step = kith_i_domain_step(kith_i_view_domain(view));
    for (int j = 0; j < Q; j++)
        assert_true(fabs((double)cells.sums[j] * step - want[j]) <
                    N * 2 * step + 8 * cells.sum_sd[0] * step);
    kith_i_cells_free(&cells);

    uint64_t radius[2] = {1 << 17, 1 << 17};
    static const int32_t zero[D];
    near_points near;
    kith_i_ask pair = {
        .place = near_sign(&near, Q),
        .value = {.kind = KITH_I_VALUE_RESIDUAL, .origins = zero}};
    pair.place.by = view;
    kith_i_cells_spec both = {.what = "both",
                              .cells = 2,
                              .width = D,
                              .radius = radius,
                              .sum_charge = part};
    assert_int_equal(kith_i_release_cells(s, &pair, &both, &cells, &err),
                     KITH_OK);
    for (int i = 0; i < D; i++)
        assert_true(fabs((double)cells.sums[D + i] / 16384 - positive[i]) <
                    (N + 8 * cells.sum_sd[1]) / 16384);
    kith_i_cells_free(&cells);

    ask.view = tight; /* |sum| <= N * 0.3 in every direction */
    assert_int_equal(kith_i_release_cells(s, &ask, &spec, &cells, &err),
                     KITH_OK);
    double length = 0;
    step = kith_i_domain_step(kith_i_view_domain(tight));
    for (int j = 0; j < Q; j++)
        length += pow((double)cells.sums[j] * step, 2);
    assert_true(sqrt(length) <= N * 0.3 * 1.01);
    kith_i_cells_free(&cells);
    kith_session_close(s);
    free(rows);
}

/* What a map of rows may write at worst, and where it ends up. */
static void fill_corners(void *arg, uint32_t worker, const kith_i_block *block,
                         int16_t *rows)
{
    (void)arg, (void)worker;
    for (size_t i = 0; i < (size_t)block->rows * Q; i++)
        rows[i] = i % 5 ? INT16_MAX : i % 2 ? INT16_MIN : -INT16_MAX;
}

static void check_row_bounds(void *arg, uint32_t worker, uint64_t first,
                             const kith_i_block *block)
{
    const kith_i_domain *m = arg;
    (void)worker, (void)first;
    for (uint32_t r = 0; r < block->rows; r++) {
        uint64_t square = 0, l1 = 0;
        for (uint32_t j = 0; j < Q; j++) {
            int64_t v = block->dense[r * Q + j];
            assert_true(v >= m->low_q[j] && v <= m->high_q[j]);
            square += (uint64_t)(v * v);
            l1 += (uint64_t)llabs(v);
        }
        assert_true(square <= m->l2_squared && l1 <= m->l1);
        assert_true(square > m->l2_squared / 4); /* pulled in, not dropped */
    }
}

/* Derived rows keep the bounds that the gate charges for, whatever made them.
 */
static void test_derived_rows_are_bounded(void **state)
{
    (void)state;
    static const double low = -0.4, high = 0.4;
    const kith_bounds bounds[] = {
        ball(0.01),
        ball(1),
        ball(37),
        {.lower = &low, .upper = &high, .box_count = 1, .radius = 0.5}};
    double *rows = make_rows(N, D, 4, 5);
    kith_dataset *data = load(rows, N, D, unit_box());
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
        kith_i_domain *domain;
        kith_dataset *made;
        assert_int_equal(kith_i_domain_new(&bounds[i], Q, 0, &domain, NULL),
                         KITH_OK);
        assert_int_equal(kith_i_dataset_derive(data, domain, 2, fill_corners,
                                               NULL, &made, NULL),
                         KITH_OK);
        assert_int_equal(kith_i_dataset_rows(made), N);
        kith_i_fold(made, 1, check_row_bounds, domain);
        kith_dataset_free(made);
    }
    kith_dataset_free(data);
    free(rows);
}

/* A view narrower than its rows, which all lie in one direction: their sum is
 * what the bound lets through, a tenth of what they are. */
static void test_narrow_view(void **state)
{
    (void)state;
    double *rows = malloc(N * D * sizeof *rows), axes[Q * D] = {0};
    for (int i = 0; i < N * D; i++)
        rows[i] = i % D < Q;
    for (int j = 0; j < Q; j++)
        axes[j * D + j] = 1;
    double most = 0.1 * sqrt(Q);
    kith_session *s = open_session(load(rows, N, D, unit_box()), 4000, 1e-6,
                                   KITH_ADD_REMOVE, 2, 1);
    const kith_i_view *view;
    assert_int_equal(kith_i_view_open(s, axes, Q, NULL, most, &view, NULL),
                     KITH_OK);
    kith_i_ask ask = {.view = view};
    kith_i_cells_spec spec = {.what = "view",
                              .cells = 1,
                              .width = Q,
                              .sum_charge = kith_i_session_left(s)};
    kith_i_cells cells;
    assert_int_equal(kith_i_release_cells(s, &ask, &spec, &cells, NULL),
                     KITH_OK);
    double step = kith_i_domain_step(kith_i_view_domain(view));
    for (int j = 0; j < Q; j++) {
        double mean = (double)cells.sums[j] * step / N;
        assert_true(fabs(mean - 0.1) < 0.001);
    }
    kith_i_cells_free(&cells);
    kith_session_close(s);
    free(rows);
}

/* A record of a view costs what the view's own bound is worth, be it narrower
 * or wider than the rows', and its noise is that bound's. */
static void test_price_of_views(void **state)
{
    (void)state;
    static const double radii[] = {0.01, 0.7, 30};
    double axes[Q * D], none = 0;
    make_axes(axes, 4);
    for (int i = 0; i < 6; i++) {
        int pure = i % 2;
        kith_session *s = open_session(load(&none, 0, D, unit_box()), 1,
                                       pure ? 0 : 1e-6, KITH_ADD_REMOVE, 1, 1);
        const kith_i_view *view;
        assert_int_equal(
            kith_i_view_open(s, axes, Q, NULL, radii[i / 2], &view, NULL),
            KITH_OK);
        kith_i_ask ask = {.view = view};
        kith_i_cells_spec spec = {.what = "view",
                                  .cells = 1,
                                  .width = Q,
                                  .sum_charge = kith_i_session_left(s)};
        kith_i_cells cells;
        kith_receipt *list;
        size_t count;
        assert_int_equal(kith_i_release_cells(s, &ask, &spec, &cells, NULL),
                         KITH_OK);
        assert_int_equal(kith_i_session_receipts(s, &list, &count, NULL),
                         KITH_OK);
        double step = kith_i_domain_step(kith_i_view_domain(view));
        /* K-norm noise for the L2 ball in three dimensions, epsilon = 1;
         * Gaussian noise of 4.224679 of it at (1, 1e-6) */
        double sd = radii[i / 2] * (pure ? sqrt(Q + 1.0) : 4.224679);
        assert_int_equal(count, 1);
        assert_true(fabs(list[0].sensitivity / radii[i / 2] - 1) < 1e-3);
        assert_true(fabs(cells.sum_sd[0] * step / sd - 1) < 1e-3);
        kith_i_free((void *)(uintptr_t)list[0].what);
        kith_i_free(list);
        kith_i_cells_free(&cells);
        kith_session_close(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_projection_is_exact),
        cmocka_unit_test(test_releases_from_views),
        cmocka_unit_test(test_derived_rows_are_bounded),
        cmocka_unit_test(test_narrow_view),
        cmocka_unit_test(test_price_of_views),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

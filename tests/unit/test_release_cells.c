/* Counts and sums by cell. Two seeded sessions draw the same noise, so on
 * neighbouring data the difference of their releases is exactly what one
 * record contributes: it must not exceed the sensitivity on the receipt, even
 * when the map is hostile. */
#include <math.h>

#include "dp/dp_i.h"
#include "support/make_data.h"

enum { N = 500, D = 6, CELLS = 4 };

/* Cell by the sign of the first two coordinates; value: 3 entries, times 1000
 * when hostile. */
typedef struct {
    int hostile;
} map_arg;

static void corner_map(const void *arg, const kith_i_block *block,
                       double *scratch, uint32_t *cell, int32_t *value)
{
    const map_arg *a = arg;
    (void)scratch;
    for (uint32_t r = 0; r < block->rows; r++) {
        const int16_t *q = block->dense + (size_t)r * block->dimension;
        cell[r] = (q[0] > 0 ? 1u : 0u) + (q[1] > 0 ? 2u : 0u);
        if (a->hostile && q[2] > 20000)
            cell[r] = 12345; /* no such cell */
        for (int i = 0; value && i < 3; i++)
            value[r * 3 + (uint32_t)i] = q[i] * (a->hostile ? 1000 : 1);
    }
}

static void run(const double *rows, size_t n, kith_bounds bounds,
                double epsilon, double delta, kith_neighbors nb,
                const kith_i_map *map, kith_i_cells_spec spec,
                kith_i_cells *out, kith_receipt *receipts, uint32_t threads)
{
    kith_session *s =
        open_session(load(rows, n, D, bounds), epsilon, delta, nb, threads, 5);
    kith_i_loss left = kith_i_session_left(s);
    spec.count_charge = spec.count_charge ? left / 3 : 0;
    spec.sum_charge = spec.sum_charge ? left / 3 : 0;
    kith_error err = {0};
    if (kith_i_release_cells(s, map, &spec, out, &err))
        fail_msg("%s", err.message);
    kith_receipt *list;
    size_t count;
    assert_int_equal(kith_i_session_receipts(s, &list, &count, &err), KITH_OK);
    assert_int_equal(count, !!spec.count_charge + !!spec.sum_charge);
    for (size_t i = 0; i < count; i++) {
        receipts[i] = list[i];
        kith_i_free((void *)(uintptr_t)list[i].what);
        receipts[i].what = NULL;
    }
    kith_i_free(list);
    kith_session_close(s);
}

/* L1 or L2 norm of the change of all sums (each cell over its radius). */
static void test_sensitivity(void **state)
{
    (void)state;
    static const double far[] = {0.9, 0.9, 0.99, -0.9, 0.9, 0.9};
    static const double other[] = {-0.9, -0.9, -0.99, 0.9, -0.9, -0.9};
    for (int replace = 0; replace < 2; replace++)
        for (int pure = 0; pure < 2; pure++)
            for (int kind = 0; kind < 3;
                 kind++) { /* records, values, hostile */
                double *rows = make_rows(N + 1, D, 3, 8);
                memcpy(rows + N * D, far, sizeof far);
                double *changed = make_rows(N + 1, D, 3, 8);
                memcpy(changed + N * D, other, sizeof other);
                uint64_t radius[CELLS] = {3000, 8000, 500, 20000};
                map_arg arg = {kind == 2};
                kith_i_map map = {.run = corner_map, .arg = &arg};
                kith_i_cells_spec spec = {.what = "test",
                                          .cells = CELLS,
                                          .width = kind ? 3 : D,
                                          .radius = kind ? radius : NULL,
                                          .count_charge = 1,
                                          .sum_charge = 1};
                kith_i_cells a, b;
                kith_receipt ra[2], rb[2];
                kith_neighbors nb =
                    replace ? KITH_REPLACE_ONE : KITH_ADD_REMOVE;
                double delta = pure ? 0 : 1e-6;
                run(rows, N + 1, unit_box(), 1, delta, nb, &map, spec, &a, ra,
                    1);
                run(replace ? changed : rows, replace ? N + 1 : N, unit_box(),
                    1, delta, nb, &map, spec, &b, rb, 2);
                double l1 = 0, l2 = 0, counts1 = 0, counts2 = 0;
                for (uint32_t c = 0; c < CELLS; c++) {
                    double n = (double)(a.counts[c] - b.counts[c]);
                    counts1 += fabs(n);
                    counts2 += n * n;
                    double in_l1 = 0, in_l2 = 0;
                    for (uint32_t i = 0; i < spec.width; i++) {
                        double v = (double)(a.sums[c * spec.width + i] -
                                            b.sums[c * spec.width + i]);
                        /* in units of this cell's noise: scales are the
                         * cell's radius times one constant */
                        v /= a.sum_sd[c];
                        in_l1 += fabs(v);
                        in_l2 += v * v;
                    }
                    l1 += in_l1;
                    l2 += in_l2;
                }
                /* what the loss allows: sensitivity / scale */
                int l1_norm = !strcmp(ra[1].norm, "l1");
                double sd_per_scale = !pure ? 1
                                      : l1_norm
                                          ? sqrt(2)
                                          : sqrt(spec.width + 1.0); /* K-norm */
                double most = ra[1].sensitivity / ra[1].scale / sd_per_scale;
                assert_true((l1_norm ? l1 : sqrt(l2)) <= most * (1 + 1e-12));
                assert_true((l1_norm ? l1 : sqrt(l2)) > 0);
                assert_true((pure ? counts1 : sqrt(counts2)) <=
                            ra[0].sensitivity * (1 + 1e-12));
                double allowed = ra[1].loss;
                assert_true(ra[1].sensitivity / ra[1].scale <= allowed);
                assert_true(ra[1].sensitivity / ra[1].scale >= allowed * 0.999);
                assert_true(ra[0].sensitivity / ra[0].scale <= ra[0].loss);
                kith_i_cells_free(&a);
                kith_i_cells_free(&b);
                free(rows);
                free(changed);
            }
}

/* With an enormous budget counts are exact and sums nearly so. */
static void test_values(void **state)
{
    (void)state;
    double *rows = make_rows(N, D, 3, 9);
    map_arg arg = {0};
    kith_i_map map = {.run = corner_map, .arg = &arg};
    kith_i_cells_spec spec = {.what = "test",
                              .cells = CELLS,
                              .width = D,
                              .count_charge = 1,
                              .sum_charge = 1};
    kith_i_cells out;
    kith_receipt receipts[2];
    run(rows, N, unit_box(), 4000, 1e-6, KITH_ADD_REMOVE, &map, spec, &out,
        receipts, 2);
    for (uint32_t c = 0; c < CELLS; c++) {
        double count = 0, sum[D] = {0};
        for (size_t r = 0; r < N; r++) {
            const double *x = rows + r * D;
            double clipped[D];
            for (int i = 0; i < D; i++)
                clipped[i] = trunc(fmax(-1, fmin(1, x[i])) * 16384);
            uint32_t cell =
                (clipped[0] > 0 ? 1u : 0u) + (clipped[1] > 0 ? 2u : 0u);
            if (cell != c)
                continue;
            count++;
            for (int i = 0; i < D; i++)
                sum[i] += clipped[i];
        }
        assert_int_equal(out.counts[c], (int64_t)count);
        for (int i = 0; i < D; i++) /* 8 sd: 1e-14 */
            assert_true(fabs((double)out.sums[c * D + (uint32_t)i] - sum[i]) <=
                        8 * out.sum_sd[c] + 1);
    }
    kith_i_cells_free(&out);
    free(rows);
}

/* Empty data, empty cells: the same calls, noise everywhere (R6). */
static void test_empty_cells_get_noise(void **state)
{
    (void)state;
    map_arg arg = {0};
    kith_i_map map = {.run = corner_map, .arg = &arg};
    kith_i_cells_spec spec = {.what = "test",
                              .cells = CELLS,
                              .width = D,
                              .count_charge = 1,
                              .sum_charge = 1};
    kith_i_cells out;
    kith_receipt receipts[2];
    double none = 0;
    run(&none, 0, unit_box(), 0.1, 1e-6, KITH_ADD_REMOVE, &map, spec, &out,
        receipts, 2);
    int64_t zeros = 0;
    for (uint32_t i = 0; i < CELLS * D; i++)
        zeros += out.sums[i] == 0;
    assert_int_equal(zeros, 0); /* sd > 1e6: 24 zeros by chance < 1e-5 each */
    kith_i_cells_free(&out);
}

/* Noise alone (no rows): each cell's sums have the spread that its own radius
 * asks for, and no draw is used twice. */
static void check_noise(int pure)
{
    enum { WIDTH = 3000 };
    uint64_t radius[CELLS] = {10, 1000, 30, 20000};
    kith_session *s = open_session(load(NULL, 0, D, unit_box()), 1,
                                   pure ? 0 : 1e-6, KITH_ADD_REMOVE, 2, 3);
    map_arg arg = {0};
    kith_i_map map = {.run = corner_map, .arg = &arg};
    kith_i_cells_spec spec = {.what = "test",
                              .cells = CELLS,
                              .width = WIDTH,
                              .radius = radius,
                              .sum_charge = kith_i_session_left(s)};
    kith_i_cells out;
    kith_error err = {0};
    if (kith_i_release_cells(s, &map, &spec, &out, &err))
        fail_msg("%s", err.message);
    for (uint32_t c = 0; c < CELLS; c++) {
        double square = 0, expect = (double)radius[c];
        if (pure)
            expect *= sqrt(2);
        else { /* sigma / radius at (1, 1e-6) */
            expect *= 4.224679;
        }
        assert_true(fabs(out.sum_sd[c] / expect - 1) < 1e-5);
        for (int i = 0; i < WIDTH; i++) {
            double z = (double)out.sums[c * WIDTH + (uint32_t)i] / expect;
            square += z * z;
        }
        /* Var of z^2 is 2 (normal) or 5 (Laplace): 9 sd of the mean */
        assert_true(fabs(square / WIDTH - 1) < 9 * sqrt(5.0 / WIDTH));
    }
    /* the same value at the same place of two chunks: chance 1e-4 each */
    int same = 0;
    for (int i = 0; i + 1024 < WIDTH; i++)
        same += out.sums[3 * WIDTH + i] == out.sums[3 * WIDTH + i + 1024];
    assert_true(same < 20);
    kith_i_cells_free(&out);
    kith_session_close(s);
}

/* Two releases of one session draw from different streams. */
static void test_noise_is_not_reused(void **state)
{
    (void)state;
    kith_session *s =
        open_session(load(NULL, 0, D, unit_box()), 1, 0, KITH_ADD_REMOVE, 1, 3);
    kith_i_map map = {0};
    kith_i_cells_spec spec = {.what = "twice",
                              .cells = 1,
                              .width = D,
                              .sum_charge = kith_i_session_left(s) / 2};
    kith_i_cells a, b;
    assert_int_equal(kith_i_release_cells(s, &map, &spec, &a, NULL), KITH_OK);
    assert_int_equal(kith_i_release_cells(s, &map, &spec, &b, NULL), KITH_OK);
    assert_memory_not_equal(a.sums, b.sums, D * sizeof *a.sums);
    kith_i_cells_free(&a);
    kith_i_cells_free(&b);
    kith_session_close(s);
}

static void test_noise_by_cell(void **state)
{
    (void)state;
    check_noise(0);
    check_noise(1);
}

static void test_budget_is_enforced(void **state)
{
    (void)state;
    double *rows = make_rows(N, D, 3, 9);
    kith_session *s =
        open_session(load(rows, N, D, unit_box()), 1, 0, KITH_ADD_REMOVE, 1, 1);
    kith_i_loss left = kith_i_session_left(s);
    assert_int_equal(left, (kith_i_loss)1 << 50);
    map_arg arg = {0};
    kith_i_map map = {.run = corner_map, .arg = &arg};
    kith_i_cells_spec spec = {
        .what = "test", .cells = CELLS, .count_charge = left + 1};
    kith_i_cells out;
    kith_error err = {0};
    assert_int_equal(kith_i_release_cells(s, &map, &spec, &out, &err),
                     KITH_ERR_BUDGET);
    assert_null(out.counts);
    assert_int_equal(kith_i_session_left(s), left);
    /* both or none */
    spec.width = D;
    spec.count_charge = left / 2;
    spec.sum_charge = left / 2 + 1;
    assert_int_equal(kith_i_release_cells(s, &map, &spec, &out, &err),
                     KITH_ERR_BUDGET);
    assert_int_equal(kith_i_session_left(s), left);
    spec.sum_charge = left / 2;
    assert_int_equal(kith_i_release_cells(s, &map, &spec, &out, &err), KITH_OK);
    kith_i_cells_free(&out);
    assert_int_equal(kith_i_session_left(s), 0);
    spec.count_charge = 1;
    spec.sum_charge = 0;
    assert_int_equal(kith_i_release_cells(s, &map, &spec, &out, &err),
                     KITH_ERR_BUDGET);
    kith_session_close(s);
    free(rows);
}

/* 16 bins by the first coordinate. */
static void bin_map(const void *arg, const kith_i_block *block, double *scratch,
                    uint32_t *cell, int32_t *value)
{
    (void)arg;
    (void)scratch;
    (void)value;
    for (uint32_t r = 0; r < block->rows; r++)
        cell[r] =
            (uint32_t)((block->dense[(size_t)r * block->dimension] + 32768) >>
                       12);
}

static void test_quantile(void **state)
{
    (void)state;
    enum { MANY = 20000 };
    double *rows = malloc(MANY * D * sizeof *rows);
    for (size_t i = 0; i < MANY * D; i++)
        rows[i] = 0;
    for (size_t r = 0; r < MANY; r++) /* uniform in [-1, 1): bins 4..11 */
        rows[r * D] = -1 + 2.0 * (double)r / MANY;
    kith_i_map map = {.run = bin_map, .arg = NULL};
    static const double qs[] = {0.05, 0.3, 0.55, 0.8, 1};
    static const uint32_t bins[] = {4, 6, 8, 10, 11};
    for (int i = 0; i < 5; i++) {
        kith_session *s = open_session(load(rows, MANY, D, unit_box()), 1, 1e-6,
                                       KITH_ADD_REMOVE, 2, (uint64_t)i);
        uint32_t bin = 99;
        kith_error err = {0};
        assert_int_equal(kith_i_release_quantile(s, &map, "quantile", 16, qs[i],
                                                 kith_i_session_left(s) / 2,
                                                 &bin, &err),
                         KITH_OK);
        assert_int_equal(bin, bins[i]);
        kith_session_close(s);
    }
    free(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sensitivity),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_empty_cells_get_noise),
        cmocka_unit_test(test_noise_by_cell),
        cmocka_unit_test(test_noise_is_not_reused),
        cmocka_unit_test(test_budget_is_enforced),
        cmocka_unit_test(test_quantile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

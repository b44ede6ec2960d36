/* Rows against planes: cells and losses against long double, and the same bits
 * whatever stands around a row. */
#include <math.h>

#include "base/base_i.h"
#include "kernel/plane_rows.h"
#include "kernel/planes.h"
#include "support/cmocka_all.h"

enum { ROWS = 700, K = 4, Q = 3, D = 11, SETS = 2 };

typedef struct {
    int16_t rows[ROWS * D];
    double planes[SETS * K * Q * D];
    double coords[SETS * K * Q * D];
    kith_i_axes axes;
} fixture;

static void fill(fixture *f, uint64_t seed)
{
    kith_i_coins coins;
    kith_i_coins_seed(&coins, seed, 1);
    for (int i = 0; i < ROWS * D; i++)
        f->rows[i] = (int16_t)(kith_i_coins_normal(&coins) * 4000);
    memset(f->rows, 0, D * sizeof *f->rows); /* a zero row */
    for (int l = 0; l < SETS * K; l++)
        kith_i_plane_random(f->planes + l * Q * D, Q, D, &coins);
    /* two equal planes: ties */
    memcpy(f->planes + 3 * Q * D, f->planes + Q * D, Q * D * 8);
    f->axes = (kith_i_axes){SETS, K, Q, D, f->coords};
    kith_i_axes_set(&f->axes, f->planes);
}

/* |U x|^2 for the rounded axes */
static long double square_in(const fixture *f, int plane, const int16_t *x)
{
    long double sum = 0;
    for (int j = 0; j < Q; j++) {
        long double dot = 0;
        for (int i = 0; i < D; i++)
            dot += (long double)f->coords[(plane * Q + j) * D + i] * x[i];
        sum += dot * dot;
    }
    return sum / 0x1p48L;
}

static void test_values(void **state)
{
    (void)state;
    fixture *f = malloc(sizeof *f);
    fill(f, 3);
    double *scratch =
        malloc(kith_i_axes_scratch(&f->axes, ROWS) * sizeof *scratch);
    uint32_t cell[ROWS];
    int32_t loss[ROWS * SETS];
    kith_i_block block = {.rows = ROWS, .dimension = D, .dense = f->rows};
    for (int shift = 0; shift <= 3; shift += 3) {
        kith_i_axes_losses(&f->axes, &block, shift, scratch, loss);
        kith_i_axes first = f->axes;
        first.sets = 1;
        kith_i_axes_cells(&first, &block, scratch, cell);
        for (int r = 0; r < ROWS; r++) {
            const int16_t *x = f->rows + r * D;
            long double length = 0, most[SETS] = {0};
            for (int i = 0; i < D; i++)
                length += (long double)x[i] * x[i];
            for (int s = 0; s < SETS; s++) {
                for (int l = 0; l < K; l++)
                    most[s] = fmaxl(most[s], square_in(f, s * K + l, x));
                double want = (double)(length - most[s]) / (1 << shift);
                assert_true(fabs(want - loss[r * SETS + s]) <= 1.01);
            }
            /* in the best plane, and never in the second of two equal ones */
            long double got = square_in(f, (int)cell[r], x);
            assert_true(got >= most[0] * (1 - 1e-12L));
            assert_true(cell[r] < 3);
        }
        assert_int_equal(cell[0], 0);
    }
    free(scratch);
    free(f);
}

static void test_record_local(void **state)
{
    (void)state;
    fixture *f = malloc(sizeof *f);
    fill(f, 4);
    double *scratch =
        malloc(kith_i_axes_scratch(&f->axes, ROWS) * sizeof *scratch);
    int32_t all[ROWS * SETS], one[SETS];
    uint32_t cells[ROWS], cell;
    kith_i_axes first = f->axes;
    first.sets = 1;
    kith_i_block block = {.rows = ROWS, .dimension = D, .dense = f->rows};
    kith_i_axes_losses(&f->axes, &block, 0, scratch, all);
    kith_i_axes_cells(&first, &block, scratch, cells);
    for (uint32_t r = 0; r < ROWS; r++) {
        kith_i_block single = {
            .rows = 1, .dimension = D, .dense = f->rows + r * D};
        kith_i_axes_losses(&f->axes, &single, 0, scratch, one);
        kith_i_axes_cells(&first, &single, scratch, &cell);
        assert_memory_equal(one, all + r * SETS, sizeof one);
        assert_int_equal(cell, cells[r]);
    }
    free(scratch);
    free(f);
}

/* What is not a number does not come through. */
static void test_not_finite(void **state)
{
    (void)state;
    double planes[2] = {(double)NAN, HUGE_VAL}, coords[2];
    kith_i_axes axes = {1, 1, 1, 2, coords};
    kith_i_axes_set(&axes, planes);
    assert_true(coords[0] == 0 && coords[1] == 0);
    planes[0] = 7;
    kith_i_axes_set(&axes, planes);
    assert_true(coords[0] == 0x1p24);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_record_local),
        cmocka_unit_test(test_not_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

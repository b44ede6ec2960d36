/* Nearest centres against 128-bit loops: labels and scores to the last bit,
 * dense and sparse, on ties, duplicates and the largest values there are. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "support/kernel_naive.h"

typedef struct {
    naive_rows rows;
    double *real; /* k x d integers */
    uint32_t k, d;
} fixture;

/* Centres: as random as the rows; every third is a copy of the one before (a
 * tie for the lower), and every fourth row sits on a centre. */
static fixture fixture_new(kith_i_coins *coins, uint32_t rows, uint32_t k,
                           uint32_t d, rows_kind kind)
{
    fixture f = {.rows = naive_rows_new(coins, rows, d, kind),
                 .real = malloc((size_t)k * d * sizeof(double)),
                 .k = k,
                 .d = d};
    for (size_t i = 0; i < (size_t)k * d; i++)
        f.real[i] = naive_value(coins, kind);
    for (size_t j = 2; j < k; j += 3)
        memcpy(f.real + j * d, f.real + (j - 1) * d, d * sizeof *f.real);
    for (size_t r = 0; r < rows; r += 4) {
        size_t j = kith_i_coins_below(coins, k);
        for (size_t i = 0; i < d; i++)
            f.rows.q[r * d + i] = (int16_t)f.real[j * d + i];
    }
    naive_rows_index(&f.rows, rows, d);
    return f;
}

static void fixture_free(fixture *f)
{
    naive_rows_free(&f->rows);
    free(f->real);
}

static void check_block(const fixture *f, const kith_i_block *block, int sparse)
{
    uint32_t k = f->k, d = f->d, rows = block->rows;
    kith_i_centers centers = naive_centers_new(k, d, sparse, f->real);
    size_t room = kith_i_assign_scratch(rows, k, d, sparse);
    double *scratch = naive_scratch_new(room);
    double *score = malloc(rows * sizeof *score);
    double *all = malloc((size_t)rows * k * sizeof *all);
    uint32_t *labels = malloc(rows * sizeof *labels);
    uint32_t *again = malloc(rows * sizeof *again);
    kith_i_assign_block(&centers, block, scratch, labels, score);
    kith_i_assign_block(&centers, block, scratch, again, NULL);
    kith_i_score_block(&centers, block, scratch, all);
    assert_memory_equal(labels, again, rows * sizeof *labels);
    for (uint32_t r = 0; r < rows; r++) {
        const int16_t *x = f->rows.q + (size_t)r * d;
        kith_i_i128 norm = naive_norm(x, d), squared = 0;
        assert_int_equal(labels[r], naive_nearest(x, f->real, k, d, &squared));
        assert_true((kith_i_i128)score[r] + norm == squared);
        for (uint32_t j = 0; j < k; j++)
            assert_true((kith_i_i128)all[(size_t)r * k + j] + norm ==
                        naive_distance(x, f->real + (size_t)j * d, d));
    }
    assert_true(naive_scratch_free(scratch, room));
    free(score);
    free(all);
    free(labels);
    free(again);
    naive_centers_free(&centers);
}

static void test_shapes(void **state)
{
    (void)state;
    static const uint32_t dims[] = {1, 2, 3, 8, 15, 17, 64, 100, 300};
    static const uint32_t clusters[] = {1, 2, 3, 7, 8, 9, 15, 32, 33, 70};
    static const uint32_t heights[] = {1, 2, 7, 64, 65, 130, 257};
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 20, 0);
    uint32_t turn = 0;
    for (size_t a = 0; a < sizeof dims / sizeof *dims; a++)
        for (size_t b = 0; b < sizeof clusters / sizeof *clusters; b++)
            for (int kind = 0; kind < ROWS_KINDS; kind++) {
                fixture f = fixture_new(&coins, heights[turn++ % 7],
                                        clusters[b], dims[a], (rows_kind)kind);
                check_block(&f, &f.rows.dense, 0);
                check_block(&f, &f.rows.sparse, 1);
                fixture_free(&f);
            }
}

/* The top of the range: every product is 2^30 less a little, all of one sign,
 * and two centres differ by one unit in one coordinate. */
static void test_wide_and_close(void **state)
{
    (void)state;
    enum { D = 200001, K = 2 };
    int16_t *q = malloc(D * sizeof *q);
    double *real = malloc((size_t)K * D * sizeof *real);
    for (uint32_t i = 0; i < D; i++) {
        q[i] = 32767;
        real[i] = -32767;
        real[D + i] = i == 777 ? -32766 : -32767;
    }
    kith_i_block block = {.rows = 1, .dimension = D, .dense = q};
    kith_i_centers centers = naive_centers_new(K, D, 0, real);
    size_t room = kith_i_assign_scratch(1, K, D, 0);
    double *scratch = naive_scratch_new(room), score;
    uint32_t label;
    kith_i_i128 squared = 0;
    kith_i_assign_block(&centers, &block, scratch, &label, NULL);
    assert_int_equal(naive_nearest(q, real, K, D, &squared), 1);
    assert_int_equal(label, 1);
    kith_i_assign_block(&centers, &block, scratch, &label, &score);
    assert_int_equal(label, 1);
    assert_true((kith_i_i128)score + naive_norm(q, D) == squared);
    assert_true(naive_scratch_free(scratch, room));
    naive_centers_free(&centers);
    free(q);
    free(real);
}

/* Centres one unit apart, far from the rows: floats round scores to thousands
 * of units here, so that they cannot tell which centre is nearest. */
static void test_too_close_for_floats(void **state)
{
    (void)state;
    enum { D = 500, K = 24, ROWS = 300 };
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 21, 0);
    fixture f = fixture_new(&coins, ROWS, K, D, ROWS_RANDOM);
    for (size_t j = 1; j < K; j++) {
        memcpy(f.real + j * D, f.real, D * sizeof *f.real);
        for (int i = 0; i < 3; i++)
            f.real[j * D + kith_i_coins_below(&coins, D)] +=
                kith_i_coins_below(&coins, 2) ? 1 : -1;
    }
    for (size_t i = 0; i < (size_t)K * D; i++)
        f.real[i] = fmax(-32767, fmin(32767, f.real[i]));
    check_block(&f, &f.rows.dense, 0);
    fixture_free(&f);
}

static void test_centers_set(void **state)
{
    (void)state;
    const double real[2 * 5] = {0.4,     -0.4,     2.6,       -2.6, 40000,
                                nan(""), HUGE_VAL, -HUGE_VAL, -1e9, 7};
    const double want[2 * 5] = {0, 0, 3, -3, 32767, 0, 0, 0, -32767, 7};
    for (int sparse = 0; sparse < 2; sparse++) {
        kith_i_centers c = naive_centers_new(2, 5, sparse, real);
        for (uint32_t j = 0; j < 2; j++) {
            double square = 0;
            for (uint32_t i = 0; i < 5; i++) {
                double got = c.coords[sparse ? i * 2 + j : j * 5 + i];
                double expected = want[j * 5 + i];
                /* bits: no negative zero either */
                assert_memory_equal(&got, &expected, sizeof got);
                square += expected * expected;
            }
            assert_true(c.squares[j] == square);
        }
        naive_centers_free(&c);
    }
}

static void test_blas_threads(void **state)
{
    (void)state;
    int first = kith_i_blas_single();
    assert_true(first >= 1);
    int second = kith_i_blas_single();
    assert_int_equal(second, 1);
    kith_i_blas_restore(first);
    second = kith_i_blas_single();
    assert_int_equal(second, first);
    kith_i_blas_restore(first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes), cmocka_unit_test(test_wide_and_close),
        cmocka_unit_test(test_too_close_for_floats),
        cmocka_unit_test(test_centers_set),
        cmocka_unit_test(test_blas_threads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

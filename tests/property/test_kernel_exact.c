/* Record-locality (R2) of the kernels: a row's label and score have the same
 * bits whatever rows stand around it, in whatever order, however the block is
 * cut, and whether it is stored dense or sparse; sums per cell do not depend
 * on the order of rows. Centres and rows are close together so that a single
 * wrong bit would flip labels. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "support/kernel_naive.h"

enum { ROWS = 200, PASSES = 60 };

typedef struct {
    naive_rows rows;
    double *real;
    kith_i_centers dense, sparse;
    uint32_t k, d;
    double *scratch;
    uint32_t labels[ROWS]; /* from 128-bit loops */
    double score[ROWS];
} world;

static world *world_new(kith_i_coins *coins, uint32_t k, uint32_t d,
                        rows_kind kind)
{
    world *w = malloc(sizeof *w);
    w->k = k;
    w->d = d;
    w->rows = naive_rows_new(coins, ROWS, d, kind);
    w->real = malloc((size_t)k * d * sizeof *w->real);
    /* Centres one or two steps from each other. */
    for (size_t i = 0; i < (size_t)k * d; i++) {
        int near = (int)kith_i_coins_below(coins, 3) - 1;
        int base = w->rows.q[i % d] / 2;
        w->real[i] = base + near;
    }
    w->dense = naive_centers_new(k, d, 0, w->real);
    w->sparse = naive_centers_new(k, d, 1, w->real);
    w->scratch = malloc(kith_i_assign_scratch(ROWS, k, d, 0) * sizeof(double) +
                        k * sizeof(double));
    for (uint32_t r = 0; r < ROWS; r++) {
        const int16_t *x = w->rows.q + (size_t)r * d;
        kith_i_i128 squared = 0;
        w->labels[r] = naive_nearest(x, w->real, k, d, &squared);
        w->score[r] = (double)(squared - naive_norm(x, d));
    }
    return w;
}

static void world_free(world *w)
{
    naive_rows_free(&w->rows);
    naive_centers_free(&w->dense);
    naive_centers_free(&w->sparse);
    free(w->real);
    free(w->scratch);
    free(w);
}

/* Assign rows order[0..count) as one block and compare each with what it has
 * on its own. */
static void check_subset(const world *w, const uint32_t *order, uint32_t count)
{
    size_t d = w->d;
    naive_rows n = {.q = malloc((count * d + 1) * sizeof(int16_t)),
                    .start = malloc((count + 1u) * sizeof(uint32_t)),
                    .index = malloc((count * d + 1) * sizeof(uint32_t)),
                    .value = malloc((count * d + 1) * sizeof(int16_t))};
    uint32_t labels[ROWS];
    double score[ROWS];
    for (uint32_t r = 0; r < count; r++)
        memcpy(n.q + r * d, w->rows.q + order[r] * d, d * sizeof(int16_t));
    naive_rows_index(&n, count, w->d);
    for (int sparse = 0; sparse < 2; sparse++) {
        kith_i_assign_block(sparse ? &w->sparse : &w->dense,
                            sparse ? &n.sparse : &n.dense, w->scratch, labels,
                            score);
        for (uint32_t r = 0; r < count; r++) {
            assert_int_equal(labels[r], w->labels[order[r]]);
            assert_memory_equal(&score[r], &w->score[order[r]], sizeof *score);
        }
    }
    naive_rows_free(&n);
}

static void shuffle(kith_i_coins *coins, uint32_t *order)
{
    for (uint32_t r = 0; r < ROWS; r++) {
        uint32_t other = (uint32_t)kith_i_coins_below(coins, r + 1);
        order[r] = order[other];
        order[other] = r;
    }
}

static void test_neighbours_do_not_matter(void **state)
{
    (void)state;
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 23, 0);
    for (int pass = 0; pass < PASSES; pass++) {
        uint32_t k = 1 + (uint32_t)kith_i_coins_below(&coins, 70);
        uint32_t d = 1 + (uint32_t)kith_i_coins_below(&coins, 160);
        world *w = world_new(&coins, k, d, (rows_kind)(pass % (int)ROWS_KINDS));
        uint32_t order[ROWS];
        shuffle(&coins, order);
        check_subset(w, order, ROWS); /* permuted */
        check_subset(w, order, 1 + (uint32_t)kith_i_coins_below(&coins, ROWS));
        for (uint32_t r = 0; r < ROWS;) { /* cut at random */
            uint32_t cut = 1 + (uint32_t)kith_i_coins_below(&coins, 70);
            if (cut > ROWS - r)
                cut = ROWS - r;
            check_subset(w, order + r, cut);
            r += cut;
        }
        world_free(w);
    }
}

static void test_order_of_sums_does_not_matter(void **state)
{
    (void)state;
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 24, 0);
    world *w = world_new(&coins, 7, 33, ROWS_EXTREME);
    int64_t sums[2][7 * 33] = {{0}}, counts[2][7] = {{0}};
    uint32_t order[ROWS], label;
    shuffle(&coins, order);
    kith_i_accumulate_rows(&w->rows.dense, w->labels, 7, sums[0], counts[0]);
    for (uint32_t r = 0; r < ROWS; r++) {
        kith_i_block one = {
            .rows = 1, .dimension = 33, .dense = w->rows.q + order[r] * 33};
        label = w->labels[order[r]];
        kith_i_accumulate_rows(&one, &label, 7, sums[1], counts[1]);
    }
    assert_memory_equal(sums[0], sums[1], sizeof sums[0]);
    assert_memory_equal(counts[0], counts[1], sizeof counts[0]);
    world_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_neighbours_do_not_matter),
        cmocka_unit_test(test_order_of_sums_does_not_matter)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

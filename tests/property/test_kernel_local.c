/* Record-locality (R2) of every kernel that looks at rows: locality.h says how.
 * Centres lie close to each other and to the rows, so that a single wrong bit
 * would change an answer; dimensions cross the batches and the lanes. */
#include <math.h>

#include "kernel/plane_rows.h"
#include "kernel/planes.h"
#include "support/locality.h"

enum { PASSES = 24 };

typedef struct {
    uint32_t k, d, sets, q, rows;
    rows_kind kind;
    naive_rows from;
    kith_i_centers dense, sparse;
    double *real;
} world;

static world world_new(kith_i_coins *coins, int pass)
{
    world w = {.k = 1 + (uint32_t)kith_i_coins_below(coins, 40),
               .d = 2 + (uint32_t)kith_i_coins_below(coins, 90),
               .rows = 1 + (uint32_t)kith_i_coins_below(coins, LOCAL_MOST),
               .sets = 1 + (uint32_t)kith_i_coins_below(coins, 3),
               .kind = (rows_kind)(pass % (int)ROWS_KINDS)};
    w.q = 1 + (uint32_t)kith_i_coins_below(coins, w.d / 2);
    w.from = naive_rows_new(coins, w.rows, w.d, w.kind);
    w.real = malloc((size_t)w.k * w.d * sizeof *w.real);
    for (size_t i = 0; i < (size_t)w.k * w.d; i++)
        w.real[i] = w.from.q[i % w.d] / 2 + (int)kith_i_coins_below(coins, 3);
    w.dense = naive_centers_new(w.k, w.d, 0, w.real);
    w.sparse = naive_centers_new(w.k, w.d, 1, w.real);
    return w;
}

static void world_free(world *w)
{
    naive_rows_free(&w->from);
    naive_centers_free(&w->dense);
    naive_centers_free(&w->sparse);
    free(w->real);
}

static void check(const world *w, kith_i_coins *coins, local_answer a)
{
    a.d = w->d;
    check_local(&a, coins, w->from.q, w->rows);
}

/* ---- nearest centre, all scores, lengths --------------------------------- */

typedef struct {
    uint32_t label;
    double score, square;
} nearest;

static void answer_nearest(const void *arg, const kith_i_block *block,
                           double *scratch, void *out)
{
    uint32_t labels[LOCAL_MOST];
    double score[LOCAL_MOST];
    kith_i_assign_block(arg, block, scratch, labels, score);
    for (uint32_t r = 0; r < block->rows; r++) {
        nearest mine;
        memset(&mine, 0, sizeof mine);
        mine.label = labels[r];
        mine.score = score[r];
        mine.square = kith_i_row_square(block, r);
        memcpy((nearest *)out + r, &mine, sizeof mine);
    }
}

static void answer_scores(const void *arg, const kith_i_block *block,
                          double *scratch, void *out)
{
    kith_i_score_block(arg, block, scratch, out);
}

static void check_centers(const world *w, kith_i_coins *coins)
{
    for (int sparse = 0; sparse < 2; sparse++) {
        const kith_i_centers *c = sparse ? &w->sparse : &w->dense;
        size_t scratch = kith_i_assign_scratch(LOCAL_MOST, w->k, w->d, sparse);
        check(w, coins,
              (local_answer){.name = "nearest centre",
                             .answer = answer_nearest,
                             .arg = c,
                             .bytes = sizeof(nearest),
                             .scratch = scratch,
                             .sparse = sparse});
        check(w, coins,
              (local_answer){.name = "scores",
                             .answer = answer_scores,
                             .arg = c,
                             .bytes = w->k * sizeof(double),
                             .scratch = scratch,
                             .sparse = sparse});
    }
}

/* ---- pull ---- */

typedef struct {
    const kith_i_pull *pull;
    uint32_t width; /* of a value, with the inverse distance */
} pull_arg;

static void answer_pull(const void *arg, const kith_i_block *block,
                        double *scratch, void *out)
{
    const pull_arg *a = arg;
    uint32_t cell[LOCAL_MOST];
    int32_t *value = malloc(block->rows * a->width * sizeof *value);
    kith_i_pull_block(a->pull, block, scratch, cell, value);
    for (size_t r = 0; r < block->rows; r++) {
        int32_t *to = (int32_t *)out + r * (a->width + 1);
        to[0] = (int32_t)cell[r];
        memcpy(to + 1, value + r * a->width, a->width * sizeof *value);
    }
    free(value);
}

static void check_pull(const world *w, kith_i_coins *coins)
{
    uint32_t width = 1 + (uint32_t)kith_i_coins_below(coins, w->d);
    uint32_t *slot = malloc(w->d * sizeof *slot);
    double *part = malloc((size_t)w->k * width * sizeof *part);
    for (uint32_t i = 0; i < w->d; i++)
        slot[i] = i < width ? i : width;
    for (uint32_t j = 0; j < w->k; j++)
        for (uint32_t i = 0; i < width; i++)
            part[j * width + i] = w->real[j * w->d + i];
    for (int sparse = 0; sparse < 2; sparse++) {
        kith_i_pull pull = {.centers = sparse ? &w->sparse : &w->dense,
                            .tau = 3.7,
                            .unit = 0x1p20,
                            .inverse = 0x1p20,
                            .slot = sparse ? slot : NULL,
                            .part = sparse ? part : NULL,
                            .width = sparse ? width : 0};
        pull_arg arg = {&pull, (sparse ? width : w->d) + 1};
        check(w, coins,
              (local_answer){.name = "pull",
                             .answer = answer_pull,
                             .arg = &arg,
                             .bytes = (arg.width + 1) * sizeof(int32_t),
                             .scratch = kith_i_pull_scratch(w->k, w->d, sparse),
                             .sparse = sparse});
    }
    free(slot);
    free(part);
}

/* ---- projections and planes ---- */

static void answer_project(const void *arg, const kith_i_block *block,
                           double *scratch, void *out)
{
    kith_i_project_block(arg, block, scratch, out);
}

typedef struct {
    const kith_i_axes *axes;
    int losses;
} axes_arg;

static void answer_axes(const void *arg, const kith_i_block *block,
                        double *scratch, void *out)
{
    const axes_arg *a = arg;
    if (a->losses)
        kith_i_axes_losses(a->axes, block, 12, scratch, out);
    else
        kith_i_axes_cells(a->axes, block, scratch, out);
}

static void check_planes(const world *w, kith_i_coins *coins)
{
    uint32_t k = w->k % 5 + 1;
    size_t count = (size_t)w->sets * k * w->q * w->d;
    double *planes = malloc(count * sizeof *planes);
    double *coords = malloc(count * sizeof *coords);
    double *offsets = malloc(w->q * sizeof *offsets);
    for (uint32_t p = 0; p < w->sets * k; p++)
        kith_i_plane_random(planes + (size_t)p * w->q * w->d, w->q, w->d,
                            coins);
    for (int sparse = 0; sparse < 2; sparse++) {
        kith_i_projection p = {w->q, w->d, sparse, 0, coords, offsets};
        kith_i_projection_set(&p, planes, w->real, -2);
        check(w, coins,
              (local_answer){.name = "projection",
                             .answer = answer_project,
                             .arg = &p,
                             .bytes = w->q * sizeof(int16_t),
                             .scratch = kith_i_project_scratch(LOCAL_MOST, w->q,
                                                               w->d, sparse),
                             .sparse = sparse});
    }
    kith_i_axes axes = {w->sets, k, w->q, w->d, coords};
    kith_i_axes_set(&axes, planes);
    for (int losses = 0; losses < 2; losses++) {
        axes_arg arg = {&axes, losses};
        check(
            w, coins,
            (local_answer){.name = losses ? "losses" : "nearest plane",
                           .answer = answer_axes,
                           .arg = &arg,
                           .bytes = (losses ? w->sets : 1) * sizeof(int32_t),
                           .scratch = kith_i_axes_scratch(&axes, LOCAL_MOST)});
    }
    free(planes);
    free(coords);
    free(offsets);
}

static void test_kernels(void **state)
{
    (void)state;
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 61, 0);
    for (int pass = 0; pass < PASSES; pass++) {
        world w = world_new(&coins, pass);
        check_centers(&w, &coins);
        check_pull(&w, &coins);
        check_planes(&w, &coins);
        world_free(&w);
    }
}

/* ---- the harness can fail ---- */

static void by_the_one_before(const void *arg, const kith_i_block *block,
                              double *scratch, void *out)
{
    (void)arg, (void)scratch;
    for (uint32_t r = 0; r < block->rows; r++)
        ((uint32_t *)out)[r] =
            block->dense[(size_t)(r / 4 * 4) * block->dimension] > 0;
}

static void by_rubbish(const void *arg, const kith_i_block *block,
                       double *scratch, void *out)
{
    (void)arg;
    for (uint32_t r = 0; r < block->rows; r++) {
        ((double *)out)[r] = scratch[0];
        scratch[0] = block->dense[(size_t)r * block->dimension];
    }
}

static void test_harness_sees(void **state)
{
    (void)state;
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 62, 0);
    world w = world_new(&coins, 0);
    assert_true(w.rows > 8);
    local_answer four = {.name = "four rows by the first",
                         .answer = by_the_one_before,
                         .bytes = sizeof(uint32_t),
                         .d = w.d};
    local_answer rubbish = {.name = "scratch",
                            .answer = by_rubbish,
                            .bytes = sizeof(double),
                            .scratch = 1,
                            .d = w.d};
    assert_non_null(find_dependence(&four, &coins, w.from.q, w.rows));
    assert_non_null(find_dependence(&rubbish, &coins, w.from.q, w.rows));
    world_free(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kernels),
        cmocka_unit_test(test_harness_sees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

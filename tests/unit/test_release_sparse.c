/* Sparse histograms: the law of what is listed equals that of a dense
 * histogram with noise on every cell, empty ones included; large domains;
 * neighbours under the same noise. */
#include <math.h>

#include "dp/dp_i.h"
#include "noise/sampler.h"
#include "release/release_sparse.h"
#include "support/make_data.h"
#include "support/stat.h"

/* A tree of cubes that are all active, whose deepest level has `cubes` of them.
 */
static kith_i_tree make_tree(uint32_t p, uint32_t depth, size_t cubes)
{
    kith_i_tree tree = {.p = p, .depth = depth, .edge = 16384};
    for (uint32_t a = 0; a < depth; a++) {
        size_t all = (size_t)1 << p * (a + 1);
        size_t count = a + 1 == depth && cubes < all ? cubes : all;
        tree.level[a].cubes = calloc(count, sizeof *tree.level[a].cubes);
        tree.level[a].count = count;
        for (size_t i = 0; i < count; i++)
            tree.level[a].cubes[i].key = i;
    }
    return tree;
}

static void free_tree(kith_i_tree *tree)
{
    for (uint32_t a = 0; a < tree->depth; a++)
        free(tree->level[a].cubes);
}

typedef struct {
    double epsilon, delta;
    const kith_i_tree *tree;
    uint64_t domain_size;
    int64_t threshold;
    uint64_t seed;
} setting;

static kith_i_sparse_cell *release(const double *rows, size_t n,
                                   const setting *how, size_t *count)
{
    const kith_i_tree *tree = how->tree;
    kith_session *s =
        open_session(load(rows, n, tree->p, unit_box()), how->epsilon,
                     how->delta, KITH_ADD_REMOVE, 2, how->seed);
    kith_i_sparse_spec spec = {.what = "cells",
                               .domain_size = how->domain_size,
                               .threshold = how->threshold,
                               .charge = kith_i_session_left(s)};
    kith_i_sparse_cell *cells = NULL;
    double sd;
    kith_error err = {0};
    if (kith_i_release_sparse(s, &(kith_i_keys){.tree = tree}, &spec, &cells,
                              count, &sd, &err))
        fail_msg("%s", err.message);
    kith_session_close(s);
    return cells;
}

/* Domain of 12 cells, three of them occupied: of the 16 halves of 8 cubes, the
 * last cube not active, so that some rows have no key, or none in the domain.
 * Each cell's noisy count, or its silence, against the exact law: Pr[c + noise
 * = v] for v >= threshold. */
static void check_law(double epsilon, double delta)
{
    enum { CELLS = 12, RUNS = 6000, VALUES = 24 };
    enum { ROWS = 15 };
    double rows[ROWS]; /* 9 in cell 0, 3 in cell 4, 1 in cell 11, 12, 15 */
    for (int i = 0; i < ROWS; i++)
        rows[i] = i < 9    ? 0.01
                  : i < 12 ? 0.27
                  : i < 13 ? 0.7
                  : i < 14 ? 0.8
                           : 0.95;
    static const int exact[CELLS] = {9, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 1};
    kith_i_tree tree = make_tree(1, 3, 7);
    static uint64_t seen[CELLS][VALUES + 1];
    static uint64_t together;
    memset(seen, 0, sizeof seen);
    together = 0;
    int64_t threshold = 3;
    for (uint64_t run = 0; run < RUNS; run++) {
        size_t n;
        kith_i_sparse_cell *cells = release(
            rows, ROWS,
            &(setting){epsilon, delta, &tree, CELLS, threshold, run}, &n);
        int shows[CELLS] = {0};
        for (size_t i = 0; i < n; i++) {
            assert_true(cells[i].key < CELLS);
            assert_true(i == 0 || cells[i - 1].key < cells[i].key);
            assert_true(cells[i].count >= threshold);
            int64_t v = cells[i].count - threshold;
            seen[cells[i].key][v < VALUES ? v : VALUES]++;
            shows[cells[i].key] = 1;
        }
        together += (uint64_t)(shows[1] && shows[2]);
        kith_i_free(cells);
    }
    double mu = 0, t = 1 / epsilon, a = exp(-1 / t), tail = 0;
    if (delta > 0) {
        assert_int_equal(kith_privacy_mu(epsilon, delta, &mu, NULL), KITH_OK);
    }
    for (int c = 0; c < CELLS; c++) {
        double p[VALUES + 1], sum = 0;
        for (int v = 0; v < VALUES; v++) {
            double x = (double)(threshold + v - exact[c]);
            p[v] = delta > 0 ? (erfc((x - 0.5) * mu / sqrt(2)) -
                                erfc((x + 0.5) * mu / sqrt(2))) /
                                   2
                             : (1 - a) / (1 + a) * exp(-fabs(x) / t);
            sum += p[v];
        }
        double x = (double)(threshold + VALUES - exact[c]);
        p[VALUES] = delta > 0 ? erfc((x - 0.5) * mu / sqrt(2)) / 2
                              : exp(-x / t) / (1 + a);
        if (c == 1)
            tail = sum + p[VALUES];
        uint64_t silent = RUNS;
        for (int v = 0; v <= VALUES; v++)
            silent -= seen[c][v];
        size_t degrees;
        double chi = chi_square(seen[c], p, VALUES + 1, silent, RUNS, &degrees);
        assert_true(chi <= chi_square_limit(degrees));
    }
    free_tree(&tree);
    /* two empty cells show independently */
    assert_true(believable(together, RUNS, tail * tail));
}

static void test_law_pure(void **state)
{
    (void)state;
    check_law(0.5, 0);
}

static void test_law_gaussian(void **state)
{
    (void)state;
    check_law(2, 1e-2);
}

/* Very many cells: the number of empty ones that show is Binomial, and their
 * keys are spread evenly. The rows' key has 40 bits, in 20 directions. */
static void check_huge(const kith_i_tree *tree, int bits, int64_t threshold)
{
    enum { RUNS = 400, P = 20, N = 200 };
    uint64_t domain = (uint64_t)1 << bits, key = 0;
    static double rows[N * P];
    for (int i = 0; i < P; i++) { /* in the upper half, then in the lower */
        int upper = i == P - 1 || i % 7 == 0, lower = i % 3 == 0;
        for (int r = 0; r < N; r++)
            rows[r * P + i] = .5 * upper + .25 * lower + .1;
        key |= (uint64_t)upper << (P + i) | (uint64_t)lower << i;
    }
    double expect = exp((double)-threshold) / (1 + exp(-1.0)) * (double)domain;
    uint64_t total = 0, upper = 0, occupied = 0;
    for (uint64_t run = 0; run < RUNS; run++) {
        size_t n;
        kith_i_sparse_cell *cells = release(
            rows, N, &(setting){1, 0, tree, domain, threshold, run}, &n);
        for (size_t i = 0; i < n; i++) {
            assert_true(i == 0 || cells[i - 1].key < cells[i].key);
            if (cells[i].key == key) {
                occupied++;
                assert_true(llabs(cells[i].count - N) < 60);
                continue;
            }
            total++;
            upper += cells[i].key >= domain / 2;
        }
        kith_i_free(cells);
    }
    assert_int_equal(occupied, RUNS);
    double mean = expect * RUNS; /* Poisson to within 1e-10 */
    assert_true(fabs((double)total - mean) <=
                sqrt(2 * mean * (ALARM + 1)) + (ALARM + 1));
    assert_true(believable(upper, total, 0.5));
}

static void test_huge_domain(void **state)
{
    (void)state;
    kith_i_tree tree = make_tree(20, 1, SIZE_MAX);
    check_huge(&tree, 60, 38); /* 26.5 are expected; beyond all rows */
    check_huge(&tree, 40, 24); /* 30.3, before and behind */
    free_tree(&tree);
}

static void test_refuses_low_thresholds(void **state)
{
    (void)state;
    double row = 0.5;
    kith_session *s =
        open_session(load(&row, 1, 1, unit_box()), 1, 0, KITH_ADD_REMOVE, 1, 1);
    kith_i_loss left = kith_i_session_left(s);
    kith_i_sparse_spec spec = {.what = "cells",
                               .domain_size = (uint64_t)1 << 60,
                               .threshold = 5,
                               .charge = left};
    kith_i_sparse_cell *cells;
    size_t n;
    double sd;
    kith_error err = {0};
    kith_i_tree tree = {.p = 1, .edge = 16384};
    kith_i_keys keys = {.tree = &tree};
    assert_int_equal(
        kith_i_release_sparse(s, &keys, &spec, &cells, &n, &sd, &err),
        KITH_ERR_PRIVACY);
    assert_int_equal(kith_i_session_left(s), left); /* nothing was paid */
    spec.threshold = 0;
    assert_int_equal(
        kith_i_release_sparse(s, &keys, &spec, &cells, &n, &sd, &err),
        KITH_ERR_INTERNAL);
    kith_session_close(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_law_pure),
        cmocka_unit_test(test_law_gaussian),
        cmocka_unit_test(test_huge_domain),
        cmocka_unit_test(test_refuses_low_thresholds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

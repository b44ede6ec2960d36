/* Sparse histograms: the law of what is listed equals that of a dense
 * histogram with noise on every cell, empty ones included; large domains;
 * neighbours under the same noise. */
#include <math.h>

#include "dp/dp_i.h"
#include "noise/sampler.h"
#include "support/make_data.h"
#include "support/stat.h"

/* The key is the first coordinate, in lattice units, divided by a step. */
typedef struct {
    int step;
    uint64_t stride; /* spreads keys over a large domain */
} key_arg;

static void first_key(const void *p, const kith_i_block *block, double *scratch,
                      uint64_t *key)
{
    (void)scratch;
    const key_arg *a = p;
    for (uint32_t r = 0; r < block->rows; r++) {
        int q = block->dense[(size_t)r * block->dimension];
        key[r] = q < 0 ? KITH_I_NO_KEY : (uint64_t)(q / a->step) * a->stride;
    }
}

static kith_i_sparse_cell *release(const double *rows, size_t n, double epsilon,
                                   double delta, kith_neighbors nb,
                                   const key_arg *arg, uint64_t domain_size,
                                   int64_t threshold, uint64_t seed,
                                   size_t *count)
{
    kith_session *s =
        open_session(load(rows, n, 1, unit_box()), epsilon, delta, nb, 2, seed);
    kith_i_sparse_spec spec = {.what = "cells",
                               .domain_size = domain_size,
                               .threshold = threshold,
                               .charge = kith_i_session_left(s)};
    kith_i_sparse_cell *cells = NULL;
    double sd;
    kith_error err = {0};
    if (kith_i_release_sparse(s,
                              &(kith_i_key_map){.run = first_key, .arg = arg},
                              &spec, &cells, count, &sd, &err))
        fail_msg("%s", err.message);
    kith_session_close(s);
    return cells;
}

/* Domain of 12 cells, three of them occupied. Each cell's noisy count, or its
 * silence, against the exact law: Pr[c + noise = v] for v >= threshold. */
static void check_law(double epsilon, double delta)
{
    enum { CELLS = 12, RUNS = 6000, VALUES = 24 };
    double rows[13];
    for (int i = 0; i < 13; i++) /* 9 in cell 0, 3 in cell 4, 1 in cell 11 */
        rows[i] = i < 9 ? 0.01 : (i < 12 ? 0.34 : 0.93);
    static const int exact[CELLS] = {9, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 1};
    key_arg arg = {1365, 1}; /* 16384 / 12 */
    static uint64_t seen[CELLS][VALUES + 1];
    static uint64_t together;
    memset(seen, 0, sizeof seen);
    together = 0;
    int64_t threshold = 3;
    for (uint64_t run = 0; run < RUNS; run++) {
        size_t n;
        kith_i_sparse_cell *cells =
            release(rows, 13, epsilon, delta, KITH_ADD_REMOVE, &arg, CELLS,
                    threshold, run, &n);
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

/* 2^60 cells: the number of empty cells that show is Binomial, and their keys
 * are spread evenly. */
static void test_huge_domain(void **state)
{
    (void)state;
    enum { RUNS = 400 };
    uint64_t domain = (uint64_t)1 << 60;
    double rows[200];
    for (int i = 0; i < 200; i++)
        rows[i] = 0.5;
    key_arg arg = {1 << 13, ((uint64_t)1 << 59) + 12345};
    int64_t threshold = 38; /* tail e^-38/(1+e^-1) * 2^60 = 26.5 */
    double expect = exp(-38.0) / (1 + exp(-1.0)) * 0x1p60;
    uint64_t total = 0, upper = 0, occupied = 0;
    for (uint64_t run = 0; run < RUNS; run++) {
        size_t n;
        kith_i_sparse_cell *cells = release(rows, 200, 1, 0, KITH_ADD_REMOVE,
                                            &arg, domain, threshold, run, &n);
        for (size_t i = 0; i < n; i++) {
            if (cells[i].key == arg.stride) {
                occupied++;
                assert_true(llabs(cells[i].count - 200) < 60);
                continue;
            }
            total++;
            upper += cells[i].key >= domain / 2;
        }
        kith_i_free(cells);
    }
    assert_int_equal(occupied, RUNS);
    double mean = expect * RUNS; /* Poisson to within 1e-17 */
    assert_true(fabs((double)total - mean) <=
                sqrt(2 * mean * (ALARM + 1)) + (ALARM + 1));
    assert_true(believable(upper, total, 0.5));
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
    key_arg arg = {1, 1};
    assert_int_equal(kith_i_release_sparse(
                         s, &(kith_i_key_map){.run = first_key, .arg = &arg},
                         &spec, &cells, &n, &sd, &err),
                     KITH_ERR_PRIVACY);
    assert_int_equal(kith_i_session_left(s), left); /* nothing was paid */
    spec.threshold = 0;
    assert_int_equal(kith_i_release_sparse(
                         s, &(kith_i_key_map){.run = first_key, .arg = &arg},
                         &spec, &cells, &n, &sd, &err),
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

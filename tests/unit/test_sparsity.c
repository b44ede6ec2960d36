/* Public sparsity: every row keeps the S entries of largest magnitude (ties:
 * the lower index) against a sort, in dense and sparse rows; the domain's
 * bounds hold for what is stored, and pure noise is made for sqrt(S). */
#include <math.h>

#include "data/dataset_i.h"
#include "dp/dp_i.h"
#include "support/sparse_data.h"

enum { D = 40 };

static int before(const double *t, int a, int b) /* a is kept rather than b */
{
    return fabs(t[a]) > fabs(t[b]) || (fabs(t[a]) == fabs(t[b]) && a < b);
}

static void check_rows(uint32_t s, uint64_t seed, int ties)
{
    kith_i_coins coins;
    kith_i_coins_seed(&coins, seed, 2);
    kith_bounds bounds = unit_box();
    bounds.sparsity = s;
    bounds.radius = 1.3;
    kith_i_domain *dense, *sparse, *free_domain;
    kith_bounds all = bounds;
    all.sparsity = 0;
    assert_int_equal(kith_i_domain_new(&bounds, D, 0, &dense, NULL), KITH_OK);
    assert_int_equal(kith_i_domain_new(&bounds, D, 1, &sparse, NULL), KITH_OK);
    assert_int_equal(kith_i_domain_new(&all, D, 0, &free_domain, NULL),
                     KITH_OK);
    for (int run = 0; run < 300; run++) {
        double raw[D], kept[D], t[D], value[D];
        uint32_t index[D], at[D], n = 0;
        int16_t a[D], b[D], want[D];
        for (int i = 0; i < D; i++) {
            double v = kith_i_coins_unit(&coins) * 2 - 1;
            raw[i] = kept[i] = ties ? nearbyint(4 * v) / 4 : v;
            if (kith_i_coins_below(&coins, 3) == 0)
                raw[i] = kept[i] = 0;
        }
        for (int i = 0; i < D; i++) {
            uint32_t better = 0;
            for (int j = 0; j < D; j++)
                better += j != i && before(raw, j, i);
            if (better >= s)
                kept[i] = 0;
        }
        kith_i_quantize_dense(free_domain, kept, t, want);
        kith_i_quantize_dense(dense, raw, t, a);
        assert_memory_equal(a, want, sizeof a);
        for (int i = 0; i < D; i++)
            if (raw[i] != 0) {
                index[n] = (uint32_t)i;
                value[n++] = raw[i];
            }
        uint32_t m = kith_i_quantize_sparse(sparse, index, value, n, t, at, b);
        assert_true(m <= s);
        uint64_t l1 = 0, l2 = 0;
        for (uint32_t i = 0, j = 0; i < D; i++) {
            int16_t v = j < m && at[j] == i ? b[j++] : 0;
            assert_int_equal(v, want[i]);
            l1 += (uint64_t)abs(v);
            l2 += (uint64_t)(v * v);
        }
        assert_true(l1 <= sparse->l1 && l2 <= sparse->l2_squared);
    }
    kith_i_domain_free(dense);
    kith_i_domain_free(sparse);
    kith_i_domain_free(free_domain);
}

static void test_rows(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {1, 2, 5, 17, 39, 40, 100};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        check_rows(sizes[i], i, 0);
        check_rows(sizes[i], i, 1);
    }
}

static void test_bounds(void **state)
{
    (void)state;
    /* a ball: L1 <= sqrt(S) L2 */
    kith_bounds b = {.radius = 1, .sparsity = 9};
    kith_i_domain *m;
    assert_int_equal(kith_i_domain_new(&b, 1000, 1, &m, NULL), KITH_OK);
    double l2 = sqrt((double)m->l2_squared);
    assert_true((double)m->l1 <= 3 * l2 && (double)m->l1 > 3 * l2 - 2);
    kith_i_domain_free(m);
    /* a box of unequal sides: the widest S of them */
    double low[4] = {0, -1, 0, -.25}, high[4] = {.5, 1, .125, 0};
    b = (kith_bounds){
        .lower = low, .upper = high, .box_count = 4, .sparsity = 2};
    assert_int_equal(kith_i_domain_new(&b, 4, 1, &m, NULL), KITH_OK);
    double unit = ldexp(1, m->scale_log2);
    assert_true(fabs((double)m->l1 - 1.5 * unit) <= 2);
    assert_true(fabs((double)m->l2_squared - 1.25 * unit * unit) <= 4 * unit);
    kith_i_domain_free(m);
    b.sparsity = 0;
    assert_int_equal(kith_i_domain_new(&b, 4, 1, &m, NULL), KITH_OK);
    assert_true(fabs((double)m->l1 - 1.875 * ldexp(1, m->scale_log2)) <= 4);
    kith_i_domain_free(m);
}

/* Boxes without a ball: entries are counted from 0, wherever the box lies, in
 * dense rows as in sparse ones; the bounds hold for the origin that is used. */
static void test_box_origin(void **state)
{
    (void)state;
    static const struct {
        double low, high, zero; /* zero: what is not an entry */
        int normalize;
    } boxes[] = {{0, 1, 0, 0},  {-1, 3, 0, 0}, {2, 5, 2, 0}, {-4, -1, -1, 0},
                 {0, 10, 0, 1}, {-1, 3, 0, 1}, {2, 5, 2, 1}};
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 77, 0);
    for (size_t c = 0; c < sizeof boxes / sizeof *boxes; c++)
        for (uint32_t s = 1; s <= D; s += 13) {
            double low = boxes[c].low, high = boxes[c].high;
            kith_bounds b = {.lower = &low,
                             .upper = &high,
                             .box_count = 1,
                             .sparsity = s,
                             .normalize = boxes[c].normalize};
            kith_i_domain *m;
            assert_int_equal(kith_i_domain_new(&b, D, 0, &m, NULL), KITH_OK);
            for (int run = 0; run < 50; run++) {
                double raw[D], t[D], lattice[D], back[D];
                int16_t q[D];
                uint64_t l1 = 0, l2 = 0;
                for (int i = 0; i < D; i++)
                    raw[i] = boxes[c].zero;
                for (uint32_t n = 0; n < s; n++) /* at most s entries */
                    raw[kith_i_coins_below(&coins, D)] =
                        low + (high - low) * kith_i_coins_unit(&coins);
                kith_i_quantize_dense(m, raw, t, q);
                for (int i = 0; i < D; i++) {
                    l1 += (uint64_t)abs(q[i]);
                    l2 += (uint64_t)((int32_t)q[i] * q[i]);
                    lattice[i] = q[i];
                }
                assert_true(l1 <= m->l1 && l2 <= m->l2_squared);
                kith_i_domain_restore(m, lattice, back);
                for (int i = 0; i < D; i++)
                    assert_true(fabs(back[i] - raw[i]) <= (high - low) / 8192);
            }
            kith_i_domain_free(m);
        }
    /* A ball elsewhere would make an entry of every zero. */
    double low = -1, high = 1, center = .5;
    kith_bounds b = {
        .radius = 1, .center = &center, .center_count = 1, .sparsity = 2};
    kith_i_domain *m = NULL;
    assert_int_equal(kith_i_domain_new(&b, D, 0, &m, NULL), KITH_ERR_PRIVACY);
    center = 0;
    assert_int_equal(kith_i_domain_new(&b, D, 0, &m, NULL), KITH_OK);
    kith_i_domain_free(m);
    b = (kith_bounds){.lower = &low,
                      .upper = &high,
                      .box_count = 1,
                      .normalize = 1,
                      .radius = 1,
                      .sparsity = 2};
    assert_int_equal(kith_i_domain_new(&b, D, 0, &m, NULL), KITH_ERR_PRIVACY);
    b.sparsity = D; /* nothing is counted */
    assert_int_equal(kith_i_domain_new(&b, D, 0, &m, NULL), KITH_OK);
    kith_i_domain_free(m);
}

/* The receipt of a pure sum shows the smaller sensitivity. */
static void test_noise(void **state)
{
    (void)state;
    enum { WIDE = 500 };
    double *rows = calloc(3 * WIDE, sizeof *rows);
    for (int s = 0; s < 2; s++) {
        kith_bounds b = {.radius = 1, .sparsity = s ? 4 : 0};
        kith_session *session = open_session(load_sparse(rows, 3, WIDE, b), 1,
                                             0, KITH_ADD_REMOVE, 1, 1);
        kith_i_cells_spec spec = {.what = "sum",
                                  .cells = 1,
                                  .width = WIDE,
                                  .sum_charge = kith_i_session_left(session)};
        kith_i_cells cells;
        assert_int_equal(kith_i_release_cells(session, &(kith_i_ask){0}, &spec,
                                              &cells, NULL),
                         KITH_OK);
        double sd = cells.sum_sd[0] * ldexp(1, -14);
        double want = s ? 2 * sqrt(2) : sqrt(WIDE + 1.0); /* or K-norm */
        assert_true(fabs(sd / want - 1) < .01);
        kith_i_cells_free(&cells);
        kith_session_close(session);
    }
    free(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_box_origin),
        cmocka_unit_test(test_noise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

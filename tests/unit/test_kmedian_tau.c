/* The distance within which k-median rounds off: a quantile of a noisy
 * histogram (post-processing), and the histogram that it is made of.
 * kmedian_step.c, its own text: the quantile is static. Seeded. */
#include "kmedian/kmedian_step.c"

#include "support/make_data.h"
#include "support/near_points.h"

enum { D = 6, ROWS = 20000 };

/* 16 bins by the first coordinate: the distance from a corner far off. */
static void test_quantile(void **state)
{
    (void)state;
    static const double qs[] = {0.05, 0.3, 0.55, 0.8, 1};
    static const uint32_t expect[] = {4, 6, 8, 10, 11};
    static const int32_t corner[D] = {-32768};
    double *rows = calloc(ROWS * D, sizeof *rows), limits[15];
    for (size_t r = 0; r < ROWS; r++) /* uniform in [-1, 1): bins 4..11 */
        rows[r * D] = -1 + 2.0 * (double)r / ROWS;
    for (int b = 0; b < 15; b++)
        limits[b] = pow(4096. * (b + 1) - 1, 2);
    kith_i_distance_bins bins = {
        .bins = 16, .limits = limits, .origins = corner};
    kith_i_ask ask = {.place = {.kind = KITH_I_PLACE_ONE, .bins = &bins}};
    for (int i = 0; i < 5; i++) {
        kith_session *s = open_session(load(rows, ROWS, D, unit_box()), 1, 1e-6,
                                       KITH_ADD_REMOVE, 2, (uint64_t)i);
        kith_i_cells_spec spec = {.what = "quantile",
                                  .cells = 16,
                                  .count_charge = kith_i_session_left(s) / 2};
        kith_i_cells cells;
        assert_int_equal(kith_i_release_cells(s, &ask, &spec, &cells, NULL),
                         KITH_OK);
        for (uint32_t b = 0; b < 16; b++) { /* 8 sd: 1e-14 */
            int64_t exact = b >= 4 && b < 12 ? ROWS / 8 : 0;
            assert_true(fabs((double)(cells.counts[b] - exact)) <=
                        8 * cells.count_sd + 1);
        }
        assert_int_equal(quantile(&cells, 16, qs[i]), expect[i]);
        kith_i_cells_free(&cells);
        kith_session_close(s);
    }
    free(rows);
}

/* A share of the rows is near its centre, the others are far away: tau is of
 * the near ones from a twentieth on. */
static void test_tau(void **state)
{
    (void)state;
    static const struct {
        double share, tau;
    } cases[] = {{0, .8}, {.03, .8}, {.08, .1}, {.5, .1}, {1, .1}};
    double *rows = calloc(ROWS * D, sizeof *rows);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (size_t r = 0; r < ROWS; r++)
            rows[r * D] = (double)r < cases[i].share * ROWS ? .1 : -.8;
        kith_session *s = open_session(load(rows, ROWS, D, unit_box()), 1, 0,
                                       KITH_ADD_REMOVE, 2, i);
        double centers[D] = {0}, weights[1];
        kith_i_median_run run = {
            .session = s, .k = 1, .centers = centers, .weights = weights};
        assert_int_equal(kith_i_median_open(&run, 0, NULL), KITH_OK);
        assert_int_equal(kith_i_median_tau(&run, kith_i_session_left(s), NULL),
                         KITH_OK);
        assert_true(kith_i_session_left(s) == 0);
        double tau = run.tau * kith_i_domain_step(run.domain);
        assert_true(tau >= cases[i].tau * .99);
        assert_true(tau <= cases[i].tau * 1.2); /* four bins an octave */
        kith_i_median_close(&run);
        kith_session_close(s);
    }
    free(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quantile),
        cmocka_unit_test(test_tau),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

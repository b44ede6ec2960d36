/* Gridding (Su et al. 2016, EUGkM) as `--method grid` runs it, against a naive
 * reading: the rule for the grid's side, and that the released centres are a
 * fixed point of k-means over cells which this test counts itself. Noise is
 * made small by a large epsilon: what is left of it, and of rows that lie on a
 * cell's border, is in the slack. */
#include <math.h>

#include "baseline/baseline_i.h"
#include "support/make_data.h"

enum { N = 6000, K = 4, MOST = 300 };

/* m = (n e / 10)^(2 / (2 + d)): in two dimensions m^2 = n e / 10, the rule of
 * Qardaji et al. 2013. */
static void test_side(void **state)
{
    (void)state;
    assert_int_equal(kith_i_grid_side(1000, 1, 2), 10);
    assert_int_equal(kith_i_grid_side(100000, 1, 2), 100);
    assert_int_equal(kith_i_grid_side(100000, .1, 2), 32);
    assert_int_equal(kith_i_grid_side(100000, 1, 3), 40);    /* 10^1.6 = 39.8 */
    assert_int_equal(kith_i_grid_side(100000, 1, 1), 464);   /* 10^(8/3) */
    assert_int_equal(kith_i_grid_side(1e12, 1, 1), 1 << 18); /* at most */
    assert_int_equal(kith_i_grid_side(1e9, 1, 18), 2);
    assert_int_equal(kith_i_grid_side(1, .01, 2), 2); /* and at least */
    assert_int_equal(kith_i_grid_side(-5, 1, 3), 2);
}

/* The step of k-means from these centres over naive cells, in [-1, 1]^2. */
static void naive_step(const double *rows, int m, const double *centers,
                       double (*means)[2], double *sizes)
{
    static double count[MOST][MOST];
    memset(count, 0, sizeof count);
    for (int r = 0; r < N; r++) {
        int x = (int)((rows[2 * r] + 1) / 2 * m);
        int y = (int)((rows[2 * r + 1] + 1) / 2 * m);
        count[x < m ? x : m - 1][y < m ? y : m - 1]++;
    }
    memset(means, 0, K * sizeof *means);
    memset(sizes, 0, K * sizeof *sizes);
    for (int x = 0; x < m; x++)
        for (int y = 0; y < m; y++) {
            double at[2] = {(x + .5) * 2 / m - 1, (y + .5) * 2 / m - 1};
            int near = 0;
            double best = HUGE_VAL;
            for (int j = 0; j < K; j++) {
                double square = pow(at[0] - centers[2 * j], 2) +
                                pow(at[1] - centers[2 * j + 1], 2);
                near = square < best ? j : near;
                best = fmin(best, square);
            }
            sizes[near] += count[x][y];
            for (int i = 0; i < 2; i++)
                means[near][i] += count[x][y] * at[i];
        }
    for (int j = 0; j < K; j++)
        for (int i = 0; i < 2; i++)
            means[j][i] /= sizes[j];
}

static void test_fixed_point(void **state)
{
    (void)state;
    static const double epsilons[] = {20, 100};
    double *rows = make_rows(N, 2, K, 3);
    for (int i = 0; i < N * 2; i++)
        rows[i] = fmax(-1, fmin(1, rows[i]));
    for (int e = 0; e < 2; e++)
        for (int pure = 0; pure < 2; pure++) {
            /* replace-one: the number of rows is public, and so the grid */
            kith_session *s =
                open_session(load(rows, N, 2, unit_box()), epsilons[e],
                             pure ? 0 : 1e-6, KITH_REPLACE_ONE, 2, 5);
            double loss = epsilons[e] / 2;
            if (!pure)
                assert_int_equal(
                    kith_privacy_mu(epsilons[e], 1e-6, &loss, NULL), KITH_OK);
            int m = (int)round(sqrt(N * loss / 10));
            assert_in_range(m, 30, MOST);
            kith_kmeans_options opt;
            kith_kmeans_options_init(&opt, sizeof opt);
            opt.clusters = K;
            opt.method = KITH_KMEANS_GRID;
            kith_result *r = NULL;
            assert_int_equal(kith_kmeans(s, &opt, &r, NULL), KITH_OK);
            assert_int_equal(kith_result_receipt_count(r), 1);
            kith_receipt line;
            kith_result_receipt(r, 0, &line);
            const double *c = kith_result_centers(r, NULL, NULL);
            double means[K][2], sizes[K];
            naive_step(rows, m, c, means, sizes);
            for (int j = 0; j < K; j++) {
                /* 6 sd of the noise on m^2 cells, at most sqrt 2 from the
                 * middle; .004: rows on a border, of the lattice */
                double slack =
                    6 * line.scale * sqrt(2) * m * sqrt(2) / sizes[j] + .004;
                assert_true(sizes[j] > 100);
                for (int i = 0; i < 2; i++)
                    assert_true(fabs(c[2 * j + i] - means[j][i]) < slack);
                assert_true(slack < .3);
            }
            kith_result_free(r);
            kith_session_close(s);
        }
    free(rows);
}

static void test_refused(void **state)
{
    (void)state;
    double *rows = make_rows(50, 19, 2, 1);
    kith_session *s = open_session(load(rows, 50, 19, unit_box()), 1, 0,
                                   KITH_ADD_REMOVE, 1, 1);
    kith_kmeans_options opt;
    kith_kmeans_options_init(&opt, sizeof opt);
    opt.clusters = 2;
    opt.method = KITH_KMEANS_GRID;
    kith_result *r = NULL;
    kith_error err = {0};
    assert_int_equal(kith_kmeans(s, &opt, &r, &err), KITH_ERR_ARGUMENT);
    assert_non_null(strstr(err.message, "at most 18 features"));
    assert_null(r);
    opt.method = KITH_KMEANS_LLOYD; /* nothing was spent */
    assert_int_equal(kith_kmeans(s, &opt, &r, NULL), KITH_OK);
    kith_result_free(r);
    kith_session_close(s);
    free(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_side),
        cmocka_unit_test(test_fixed_point),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

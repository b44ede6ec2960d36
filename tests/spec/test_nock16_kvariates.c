/* k-variates++ (Nock et al. 2016) as `--method kvariates` runs it: the law of
 * the draws, and that the noise is what k draws of any two points of the domain
 * cost. With noise too small to matter the seeds are records, drawn as in
 * k-means++: by squared distance to the nearest before. */
#include <math.h>

#include "sidedoor/release_draws.h"
#include "support/make_data.h"

/* Rows at 0, .2 and 1 of one feature, 5, 2 and 3 of them: the first seed is
 * each with .5, .2, .3, the second by squared distance. */
static void test_law(void **state)
{
    (void)state;
    enum { N = 10, RUNS = 20000 };
    static const double at[3] = {0, .2, 1}, many[3] = {5, 2, 3};
    double rows[N], seen[3][3] = {{0}};
    for (int r = 0; r < N; r++)
        rows[r] = at[r < 5 ? 0 : r < 7 ? 1 : 2];
    for (uint64_t seed = 1; seed <= RUNS; seed++) {
        kith_session *s = open_session(load(rows, N, 1, unit_box()), 4000, 0,
                                       KITH_ADD_REMOVE, 1, seed);
        int64_t out[2];
        double sd = 0, step = kith_i_domain_step(kith_i_session_domain(s));
        assert_int_equal(kith_i_release_draws(s, "seeds", 2, out, &sd, NULL),
                         KITH_OK);
        assert_true(sd * step < .005);
        int which[2];
        for (int j = 0; j < 2; j++) {
            double x = (double)out[j] * step;
            which[j] = x < .1 ? 0 : x < .6 ? 1 : 2;
            /* 20 sd: e^-28 of Laplace noise goes that far */
            assert_true(fabs(x - at[which[j]]) < 20 * sd * step + 1e-4);
        }
        seen[which[0]][which[1]]++;
        kith_session_close(s);
    }
    for (int a = 0; a < 3; a++) {
        double total = 0;
        for (int b = 0; b < 3; b++)
            total += many[b] * pow(at[a] - at[b], 2);
        for (int b = 0; b < 3; b++) {
            double p = many[a] / N * many[b] * pow(at[a] - at[b], 2) / total;
            /* 5.5 sd in nine cells: false alarms below 1e-6; .002: weights
             * are as far off as noise moves a seed */
            assert_true(fabs(seen[a][b] / RUNS - p) <
                        5.5 * sqrt(p * (1 - p) / RUNS) + .002);
        }
    }
}

static void test_price(void **state)
{
    (void)state;
    enum { N = 50, D = 3, K = 4 };
    double *rows = make_rows(N, D, 2, 1);
    for (int pure = 0; pure < 2; pure++)
        for (int round = 0; round < 2; round++) { /* box, ball */
            kith_session *s =
                open_session(load(rows, N, D, round ? ball(1) : unit_box()), 1,
                             pure ? 0 : 1e-6, KITH_ADD_REMOVE, 1, 1);
            kith_kmeans_options opt;
            kith_kmeans_options_init(&opt, sizeof opt);
            opt.clusters = K;
            opt.method = KITH_KMEANS_KVARIATES;
            kith_result *r = NULL;
            kith_receipt line;
            assert_int_equal(kith_kmeans(s, &opt, &r, NULL), KITH_OK);
            assert_int_equal(kith_result_receipt_count(r), 3);
            kith_result_receipt(r, 1, &line);
            assert_string_equal(line.what, "seeds");
            /* the diameter of [-1, 1]^3 or of the ball, K times */
            double far = pure ? K * 2 * (round ? sqrt(D) : D)
                              : sqrt(K) * 2 * (round ? 1 : sqrt(D));
            assert_true(fabs(line.sensitivity / far - 1) < 1e-3);
            kith_result_free(r);
            kith_session_close(s);
        }
    free(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_law),
        cmocka_unit_test(test_price),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

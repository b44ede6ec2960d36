/* One round of sulq and of bingham is one round of k-plane: every row goes to
 * its nearest plane (of the public start, drawn here again), and each plane to
 * the leading one of its rows, but for a little noise. Finding planes in the
 * end does not show it: where each row goes to its farthest plane the same
 * groups of rows may stay together, under other labels. */
#include "kernel/kernel_i.h"
#include "support/make_data.h"
#include "support/planes_naive.h"

enum { N = 4000, D = 5, K = 3, Q = 2 };

/* The round again, plainly; rows: N x D. */
static void round_naive(const double *rows, double *planes)
{
    double gram[K][D * D] = {{0}}, values[D], work[66 * D + 64];
    int integers[14 * D + 16];
    assert_true(kith_i_eigen_work(D) <= sizeof work / sizeof *work);
    assert_true(kith_i_eigen_integers(D) <= sizeof integers / sizeof(int));
    for (int r = 0; r < N; r++) {
        const double *x = rows + r * D;
        double least = HUGE_VAL;
        int nearest = 0;
        for (int l = 0; l < K; l++) {
            double far = planes_distance(x, planes + l * Q * D, Q, D);
            nearest = far < least ? l : nearest;
            least = fmin(least, far);
        }
        for (int i = 0; i < D * D; i++)
            gram[nearest][i] += x[i / D] * x[i % D];
    }
    for (int l = 0; l < K; l++)
        assert_int_equal(kith_i_eigen_top(gram[l], D, Q, work, integers, values,
                                          planes + l * Q * D),
                         0);
}

static void test_round(void **state)
{
    (void)state;
    static const kith_subspace_method methods[] = {KITH_SUBSPACE_SULQ,
                                                   KITH_SUBSPACE_BINGHAM};
    double truth[K * Q * D];
    double *rows = planes_rows(N, D, K, Q, .1, 3, truth);
    for (int i = 0; i < N * D; i++)
        rows[i] *= .5;
    for (int m = 0; m < 2; m++)
        for (uint64_t seed = 0; seed < 5; seed++) {
            double want[K * Q * D], worst = 0;
            kith_i_coins coins;
            kith_i_coins_seed(&coins, seed, 0);
            for (int l = 0; l < K; l++)
                kith_i_plane_random(want + l * Q * D, Q, D, &coins);
            round_naive(rows, want);
            kith_session *s = open_session(load(rows, N, D, ball(1)), 1000,
                                           1e-6, KITH_REPLACE_ONE, 2, seed);
            kith_subspace_options opt;
            kith_subspace_options_init(&opt, sizeof opt);
            opt.clusters = K;
            opt.subspace_dimension = Q;
            opt.method = methods[m];
            opt.rounds = 1;
            opt.public_seed = seed;
            kith_result *result = NULL;
            kith_error err = {0};
            if (kith_subspace(s, &opt, &result, &err))
                fail_msg("%s", err.message);
            const double *bases = kith_result_bases(result, NULL, NULL, NULL);
            for (int l = 0; l < K; l++) {
                double got[Q * D];
                for (int i = 0; i < Q * D; i++)
                    got[i] = bases[(l * D + i % D) * Q + i / D];
                worst = fmax(worst, planes_angle(got, want + l * Q * D, Q, D));
            }
            print_message("method %d, start %d: %.4f apart\n", (int)methods[m],
                          (int)seed, sqrt(worst));
            /* four times what it is in the mean, at most: 1e-10 and less */
            assert_true(worst < .2 * .2);
            kith_result_free(result);
            kith_session_close(s);
        }
    free(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_round)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

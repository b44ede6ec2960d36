/* SuLQ k-means (Blum, Dwork, McSherry, Nissim 2005) as `--method sulq` runs it,
 * against a naive reading in floating point: start, rounds, ratios, and which
 * centres stay. Noise is made small by a large epsilon, and counted with: a
 * mean of s rows is moved by noise of standard deviation sum_sd / s in each
 * coordinate (six of them: false alarms below 1e-6). And the queries of a round
 * are paid for alike. */
#include <math.h>

#include "support/make_data.h"

enum { N = 4000, D = 3, K = 4 };

static kith_result *run_sulq(const double *rows, double epsilon,
                             uint32_t rounds)
{
    kith_session *s = open_session(load(rows, N, D, unit_box()), epsilon, 1e-6,
                                   KITH_ADD_REMOVE, 2, 5);
    kith_kmeans_options opt;
    kith_kmeans_options_init(&opt, sizeof opt);
    opt.clusters = K;
    opt.method = KITH_KMEANS_SULQ;
    opt.rounds = rounds;
    opt.public_seed = 8;
    kith_result *r = NULL;
    kith_error err = {0};
    if (kith_kmeans(s, &opt, &r, &err))
        fail_msg("%s", err.message);
    kith_session_close(s);
    return r;
}

/* As printed; centers: the start, then where it ends. */
static void naive_sulq(const double *rows, int rounds, double (*centers)[D],
                       double *sizes)
{
    for (int t = 0; t < rounds; t++) {
        double sums[K][D] = {{0}};
        memset(sizes, 0, K * sizeof *sizes);
        for (int r = 0; r < N; r++) {
            int near = 0;
            double best = HUGE_VAL;
            for (int j = 0; j < K; j++) {
                double square = 0;
                for (int i = 0; i < D; i++)
                    square += pow(rows[r * D + i] - centers[j][i], 2);
                if (square < best) {
                    best = square;
                    near = j;
                }
            }
            sizes[near]++;
            for (int i = 0; i < D; i++)
                sums[near][i] += rows[r * D + i];
        }
        for (int j = 0; j < K; j++)
            for (int i = 0; i < D && sizes[j] > 0; i++)
                centers[j][i] = sums[j][i] / sizes[j];
    }
}

static void test_as_printed(void **state)
{
    (void)state;
    double *rows = make_rows(N, D, 3, 2), empty = 0;
    for (int i = 0; i < N * D; i++) /* inside of the bounds: none is clipped */
        rows[i] = fmax(-.99, fmin(.99, rows[i]));
    for (uint32_t rounds = 1; rounds <= 6; rounds++) {
        double centers[K][D], sizes[K];
        kith_i_coins coins; /* uniform within the box, from the public seed */
        kith_i_coins_seed(&coins, 8, 0);
        for (int j = 0; j < K; j++)
            for (int i = 0; i < D; i++)
                centers[j][i] = 2 * kith_i_coins_unit(&coins) - 1;
        naive_sulq(rows, (int)rounds, centers, sizes);
        kith_result *r = run_sulq(rows, 4000, rounds);
        const double *got = kith_result_centers(r, NULL, NULL);
        kith_receipt sum;
        kith_result_receipt(r, kith_result_receipt_count(r) - 1, &sum);
        for (int j = 0; j < K; j++) {
            /* a row at a border may change sides by the lattice's step */
            double slack = sizes[j] > 0 ? 6 * sum.scale / sizes[j] + .01 : 1e-4;
            empty += sizes[j] == 0;
            for (int i = 0; i < D; i++)
                assert_true(fabs(got[j * D + i] - centers[j][i]) <= slack);
        }
        kith_result_free(r);
    }
    assert_true(empty > 0); /* a centre that stays was among them */
    free(rows);
}

static void test_queries_are_alike(void **state)
{
    (void)state;
    double *rows = make_rows(N, D, 3, 2), mu = 0;
    kith_result *r = run_sulq(rows, 1, 0);
    assert_int_equal(kith_privacy_mu(1, 1e-6, &mu, NULL), KITH_OK);
    assert_int_equal(kith_result_rounds(r), 20);
    assert_int_equal(kith_result_receipt_count(r), 40);
    for (size_t i = 0; i < 40; i++) {
        kith_receipt line;
        kith_result_receipt(r, i, &line);
        double queries = i % 2 ? D : 1;
        assert_true(
            fabs(line.loss * line.loss / (mu * mu) * 20 * (D + 1) / queries -
                 1) < 1e-6);
        /* noise of the same width on a size and on each coordinate, since
         * coordinates are in [-1, 1] and a row is as long as sqrt(D) */
        assert_true(fabs(line.scale * mu / sqrt(20 * (D + 1)) - 1) < 1e-3);
    }
    kith_result_free(r);
    free(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_as_printed),
        cmocka_unit_test(test_queries_are_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

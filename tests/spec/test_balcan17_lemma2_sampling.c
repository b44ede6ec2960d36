/* k-median as in section 6.2 of Balcan et al. 2017: swaps by distance against
 * brute force, and Lemma 2's sampling: in one dimension the draws follow the
 * density exp(-b F) that is asked for, by numerical integration; the guarantee
 * is "asymptotic" and never "exact"; what is spent is what was declared. */
#include <math.h>

#include "balcan/balcan_i.h"
#include "support/make_data.h"
#include "support/stat.h"

static kith_result *cluster(kith_dataset *data, kith_privacy p, uint32_t k,
                            int balcan, int sampling, int secure, uint64_t seed)
{
    kith_session_options so;
    kith_session_options_init(&so, sizeof so);
    so.privacy = p;
    so.threads = 1;
    so.insecure = !secure;
    so.insecure_seed = seed;
    kith_session *s = NULL;
    assert_int_equal(kith_session_open(data, &so, &s, NULL), KITH_OK);
    kith_kmedian_options opt;
    kith_kmedian_options_init(&opt, sizeof opt);
    opt.clusters = k;
    opt.method = balcan ? KITH_KMEDIAN_BALCAN : KITH_KMEDIAN_AUTO;
    opt.recovery = sampling ? KITH_RECOVERY_SAMPLING : KITH_RECOVERY_STEPS;
    kith_result *r = NULL;
    kith_error err = {0};
    if (kith_kmedian(s, &opt, &r, &err))
        fail_msg("%s", err.message);
    kith_session_close(s);
    return r;
}

/* ---- swaps by distance ---- */

static void test_swap_losses(void **state)
{
    (void)state;
    enum { ROWS = 40, P = 3, C = 11, K = 3 };
    int16_t rows[ROWS * P];
    double points[C * P], coords[C * P], squares[C];
    uint32_t chosen[K] = {2, 7, 7}, owner[ROWS];
    static int32_t kept[ROWS * C], extra[ROWS * C];
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 1, 0);
    for (int i = 0; i < ROWS * P; i++)
        rows[i] = (int16_t)(kith_i_coins_below(&coins, 20000) - 10000);
    for (int i = 0; i < C * P; i++)
        points[i] = (double)kith_i_coins_below(&coins, 20000) - 10000;
    kith_i_swap_state swap = {
        .points = {.k = C, .d = P, .coords = coords, .squares = squares},
        .chosen = chosen,
        .k = K,
        .median = 1,
        .bound = INT32_MAX};
    kith_i_centers_set(&swap.points, points);
    double *scratch = malloc(kith_i_swap_scratch(C, P) * sizeof *scratch);
    kith_i_block block = {.rows = ROWS, .dimension = P, .dense = rows};
    kith_i_swap_losses(&swap, &block, scratch, owner, kept, extra);
    free(scratch);
    for (int r = 0; r < ROWS; r++)
        for (uint32_t j = 0; j < K; j++)
            for (uint32_t c = 0; c < C; c++) {
                double best = HUGE_VAL;
                for (uint32_t l = 0; l < K; l++) {
                    const double *z = points + (l == j ? c : chosen[l]) * P;
                    double s = 0;
                    for (int i = 0; i < P; i++)
                        s += pow(rows[r * P + i] - z[i], 2);
                    best = fmin(best, floor(sqrt(s)));
                }
                int32_t got = kept[(uint32_t)r * C + c];
                if (owner[r] == j)
                    got += extra[(uint32_t)r * C + c];
                assert_true(got == (int32_t)best);
            }
}

/* ---- the law of a draw ---- */

/* One cluster of a few rows on a line: Pr[z <= t] from the density. The chain
 * is long enough that its draws cannot be told from the law (false alarm 1e-6
 * for the law itself). The start is noisy but the chain forgets it. */
static void test_law(void **state)
{
    (void)state;
    enum { RUNS = 1200, N = 9, CELLS = 6 };
    static const double rows[N] = {-.9, -.5, -.4, -.1, 0, .1, .1, .6, .95};
    uint64_t seen[CELLS] = {0};
    for (uint64_t run = 0; run < RUNS; run++) {
        kith_privacy p = {4, 0, KITH_ADD_REMOVE};
        kith_result *r = cluster(load(rows, N, 1, ball(1)), p, 1, 0, 1, 0, run);
        double z = kith_result_centers(r, NULL, NULL)[0];
        int cell = (int)floor((z + 1) / 2 * CELLS);
        seen[cell < 0 ? 0 : cell >= CELLS ? CELLS - 1 : cell]++;
        kith_result_free(r);
    }
    /* .65 of epsilon for the start, .05 of the rest for the sizes */
    double b = 4 * .35 * .95 / 2, mass[CELLS] = {0}, sum = 0;
    for (int i = 0; i < 60000; i++) {
        double z = (i + .5) / 30000 - 1, f = 0;
        for (int r = 0; r < N; r++)
            f += fabs(z - rows[r]);
        mass[i / (60000 / CELLS)] += exp(-b * f);
    }
    for (int c = 0; c < CELLS; c++)
        sum += mass[c];
    for (int c = 0; c < CELLS; c++)
        assert_true(believable(seen[c], RUNS, mass[c] / sum));
}

/* ---- what is promised ---- */

static void test_guarantee(void **state)
{
    (void)state;
    enum { N = 400, D = 4, K = 3 };
    double *rows = make_rows(N, D, K, 4);
    for (int mode = 0; mode < 8; mode++) {
        kith_privacy p = {1, mode & 1 ? 1e-6 : 0,
                          mode & 2 ? KITH_REPLACE_ONE : KITH_ADD_REMOVE};
        int balcan = mode >> 2;
        for (int sampling = 0; sampling < 2; sampling++) {
            kith_result *r = cluster(load(rows, N, D, unit_box()), p, K, balcan,
                                     sampling, 1, 0);
            assert_string_equal(kith_result_guarantee(r),
                                sampling ? "asymptotic" : "exact");
            double sum = 0, total = 1;
            int swaps = 0, chains = 0;
            for (size_t i = 0; i < kith_result_receipt_count(r); i++) {
                kith_receipt x;
                kith_result_receipt(r, i, &x);
                sum += p.delta > 0 ? x.loss * x.loss : x.loss;
                swaps += strncmp(x.what, "swap", 4) == 0;
                chains += strcmp(x.what, "medians by sampling") == 0;
            }
            if (p.delta > 0) {
                assert_int_equal(kith_privacy_mu(1, p.delta, &total, NULL),
                                 KITH_OK);
                total *= total;
            }
            assert_true(sum <= total * (1 + 1e-12) && sum >= total * .999);
            assert_int_equal(swaps, balcan ? K : 0);
            assert_int_equal(chains, sampling);
            assert_true(kith_result_noise(r) > 0);
            kith_result_free(r);
        }
    }
    free(rows);
}

/* The swaps see distances: the sensitivity in the receipt is 2 L. */
static void test_sensitivity(void **state)
{
    (void)state;
    enum { N = 200, D = 2 };
    double *rows = make_rows(N, D, 2, 5);
    kith_privacy p = {1, 0, KITH_ADD_REMOVE};
    kith_result *r = cluster(load(rows, N, D, ball(1)), p, 2, 1, 0, 0, 1);
    int seen = 0;
    for (size_t i = 0; i < kith_result_receipt_count(r); i++) {
        kith_receipt x;
        kith_result_receipt(r, i, &x);
        if (strncmp(x.what, "swap", 4))
            continue;
        seen++;
        assert_true(fabs(x.sensitivity - 2) <= 1e-3); /* L = 1 */
        assert_true(fabs(x.sensitivity / x.scale - x.loss) <= 1e-6 * x.loss);
    }
    assert_int_equal(seen, 2);
    kith_result_free(r);
    free(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_swap_losses),
        cmocka_unit_test(test_law),
        cmocka_unit_test(test_guarantee),
        cmocka_unit_test(test_sensitivity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

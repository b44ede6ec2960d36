/* A start computed from the data breaks the Gibbs sampler's promise (the paper
 * starts it at SSC and LRR solutions): measured, and not there with a uniformly
 * random start.
 *
 * k = 2 lines in the plane; n = 4000 rows in four directions 45 degrees apart,
 * evenly. Two optima, turned against each other by 45 degrees, cost the same
 * but for one row, in which X and X' differ. Chains of T = 10 sweeps at
 * epsilon = 1 (replace-one) still know where they started. Event: the lines are
 * nearer to X's optimum. By Clopper and Pearson at 1e-6 in all, Pr[E|X] >
 * e^epsilon Pr[E|X'] is proved with the data's start; with a uniform start the
 * same proof must fail (were the law exact, it would succeed with probability
 * at most 1e-6). */
#include <math.h>

#include "audit/audit.h"
#include "kernel/linear.h"
#include "solver/solver_i.h"
#include "subspace/chain.h"
#include "support/make_data.h"
#include "support/seeded_words.h"

enum { N = 4000, SWEEPS = 10, RUNS = 150 };

/* Rows in the four directions; the last one in direction `odd`. */
static double *circle(int odd)
{
    double *rows = malloc(N * 2 * sizeof *rows);
    for (int r = 0; r < N; r++) {
        double t = M_PI / 4 * (r % 4);
        if (r == N - 1)
            t = M_PI / 8 + M_PI / 4 * odd;
        rows[2 * r] = cos(t);
        rows[2 * r + 1] = sin(t);
    }
    return rows;
}

/* Cost of the two perpendicular lines at angle t. */
static double cost_at(const double *rows, double t)
{
    double sum = 0;
    for (int r = 0; r < N; r++) {
        double a = rows[2 * r] * cos(t) + rows[2 * r + 1] * sin(t);
        double b = rows[2 * r] * sin(t) - rows[2 * r + 1] * cos(t);
        sum += 1 - fmax(a * a, b * b);
    }
    return sum;
}

/* Nearer to 22.5 (and 112.5) degrees than to 67.5 (and 157.5)? */
static int hit(const double *plane)
{
    double t = fmod(atan2(plane[1], plane[0]) + 2 * M_PI, M_PI / 2);
    return t < M_PI / 4;
}

/* Chains on rows from the solver's answer, or from a uniform start. */
static size_t hits(const double *rows, int from_data, uint64_t seed)
{
    double start[4], *x = calloc(N * 4, sizeof *x);
    for (int r = 0; r < N; r++) {
        x[4 * r] = rows[2 * r];
        x[4 * r + 1] = rows[2 * r + 1];
    }
    kith_i_coins coins, inner;
    kith_i_coins_seed(&coins, seed, 0);
    kith_i_matrix all = {rows, N, 2};
    kith_i_words words;
    seeded_words(&words, &inner, seed);
    assert_int_equal(kith_i_solve_subspaces(KITH_SOLVER_KPLANE, &all, 2, 1,
                                            &coins, start, NULL),
                     KITH_OK);
    if (from_data) /* it is the better one of the two optima */
        assert_int_equal(hit(start),
                         cost_at(rows, M_PI / 8) < cost_at(rows, 3 * M_PI / 8));
    kith_i_chain_job job = {2, 1, 2, SWEEPS};
    kith_i_chain_rows view = {
        .x = x, .n = N, .d = 2, .stride = 4, .exponent = .5, .square = 1};
    size_t count = 0;
    for (int run = 0; run < RUNS; run++) {
        double planes[4];
        memcpy(planes, start, sizeof planes);
        for (int l = 0; l < 2 && !from_data; l++)
            kith_i_plane_haar(planes + 2 * l, 1, 2, &words);
        assert_int_equal(
            kith_i_gibbs_sample(&job, &view, &words, planes, NULL, NULL),
            KITH_OK);
        count += (size_t)hit(planes);
    }
    free(x);
    return count;
}

/* Lower bound on epsilon, false with probability at most 1e-6. */
static double bound(int from_data)
{
    double *x = circle(0), *y = circle(1);
    size_t a = hits(x, from_data, 1), b = hits(y, from_data, 2);
    double up = audit_lower(a, RUNS, 5e-7), down = audit_upper(b, RUNS, 5e-7);
    double other =
        audit_lower(RUNS - b, RUNS, 5e-7) / audit_upper(RUNS - a, RUNS, 5e-7);
    print_message("start %s: %zu and %zu of %d, epsilon >= %.2f\n",
                  from_data ? "at the data" : "uniform", a, b, RUNS,
                  log(fmax(up / down, other)));
    free(x);
    free(y);
    return log(fmax(up / down, other));
}

static void test_leak(void **state)
{
    (void)state;
    assert_true(bound(1) > 1);
    assert_true(bound(0) <= 1);
}

/* The front door: such a start leaves no guarantee. */
static void test_guarantee(void **state)
{
    (void)state;
    double *rows = circle(0);
    for (int mode = 0; mode < 3; mode++) {
        kith_session_options so;
        kith_session_options_init(&so, sizeof so);
        so.privacy = (kith_privacy){1, 0, KITH_REPLACE_ONE};
        kith_session *s = NULL;
        kith_result *result = NULL;
        kith_error err = {0};
        assert_int_equal(
            kith_session_open(load(rows, N, 2, ball(1)), &so, &s, &err),
            KITH_OK);
        kith_subspace_options opt;
        kith_subspace_options_init(&opt, sizeof opt);
        opt.clusters = 2;
        opt.subspace_dimension = 1;
        opt.method = KITH_SUBSPACE_GIBBS;
        opt.rounds = SWEEPS;
        opt.non_private_start = mode == 1;
        opt.diagnostics = mode == 2;
        if (kith_subspace(s, &opt, &result, &err))
            fail_msg("%s", err.message);
        assert_string_equal(kith_result_guarantee(result),
                            mode ? "none" : "asymptotic");
        const kith_chain_diagnostics *seen = kith_result_diagnostics(result);
        assert_true((seen != NULL) == (mode == 2));
        if (seen) {
            assert_int_equal(seen->chains, 4);
            assert_int_equal(seen->sweeps, SWEEPS);
            assert_true(seen->energy_rhat > .5 && seen->figure3 > 0);
            for (int c = 0; c < 4; c++)
                assert_true(seen->cost[c] > .1 && seen->cost[c] < .9);
        }
        kith_result_free(result);
        kith_session_close(s);
    }
    free(rows);
}

/* R-hat against a computation by hand: chains 0 1 0 1 and 2 3 2 3 split into
 * four parts of mean .5 .5 2.5 2.5, variance 1/2 each: between 4/3. */
static void test_rhat(void **state)
{
    (void)state;
    double apart[] = {0, 1, 0, 1, 2, 3, 2, 3},
           same[] = {0, 1, 0, 1, 0, 1, 0, 1};
    double want = sqrt(.5 + (4.0 / 3) / .5);
    assert_true(fabs(kith_i_split_rhat(apart, 2, 4, 4) - want) < 1e-12);
    assert_true(fabs(kith_i_split_rhat(same, 2, 4, 4) - sqrt(.5)) < 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_leak),
        cmocka_unit_test(test_guarantee),
        cmocka_unit_test(test_rhat),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The spend trace of `auto` for planes adds up (R7): for many shapes and
 * budgets, both measures, both adjacencies, planned and run, the losses on the
 * receipts sum to no more than was declared, each is what its mechanism says,
 * and nearly all of the budget is used. Totals are recomputed here. */
#include <math.h>

#include "support/make_planes.h"
#include "support/stat.h"

static int starts_with(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* One receipt: its loss in mu or epsilon follows from sensitivity and scale,
 * which are in the rows' units, of length at most `radius`. Returns what it
 * adds. */
static double check_receipt(const kith_receipt *r, kith_privacy privacy,
                            double radius)
{
    int pure = privacy.delta == 0;
    int replace = privacy.neighbors == KITH_REPLACE_ONE;
    double root = replace ? sqrt(2) : 1, want, slope = 1;
    assert_int_equal(r->measure, pure ? KITH_PURE_DP : KITH_GAUSSIAN_DP);
    if (starts_with(r->what, "row")) {
        want = replace ? 2 : 1;
        assert_false(replace);                  /* n is public then */
    } else if (starts_with(r->what, "lengths")) /* (1, 1), of the radius */
        want = (pure ? 2 : 1.415) * (replace ? 2 : 1);
    else if (strcmp(r->mechanism, "wishart") == 0) { /* what comes and goes */
        want = replace ? 2 : 1;
        assert_true(pure);
        assert_string_equal(r->norm, "trace");
    } else if (starts_with(r->what, "second moments by plane"))
        want = pure && replace ? 2 : root;
    else if (starts_with(r->what, "second moments") ||
             starts_with(r->what, "fourth moments"))
        want = root;
    else { /* start, guard: a row of length 1 is at most 1 from a plane */
        want = replace ? 2 : 1;
        slope = pure ? 1 : .6267;
        assert_string_equal(r->norm, "score");
    }
    int power = starts_with(r->what, "row") || starts_with(r->what, "lengths")
                    ? 0
                : starts_with(r->what, "fourth") ? 4
                                                 : 2;
    want *= pow(radius, power);
    /* unit rows are exact; else the radius is rounded to the lattice, and the
     * tensor's to 10 bits */
    double about = radius == 1 && power ? 1e-8 : (power == 4 ? 1e-2 : 1e-3);
    assert_true(fabs(r->sensitivity - want) <= want * about);
    assert_true(slope * r->sensitivity / r->scale <= r->loss * (1 + 1e-9));
    assert_true(slope * r->sensitivity / r->scale >= r->loss * (1 - 1e-6));
    return pure ? r->loss : r->loss * r->loss;
}

static void check(const kith_result *result, kith_privacy privacy,
                  double radius, double declared)
{
    double spent = 0;
    for (size_t i = 0; i < kith_result_receipt_count(result); i++) {
        kith_receipt r;
        kith_result_receipt(result, i, &r);
        spent += check_receipt(&r, privacy, radius);
    }
    assert_true(spent <= declared * (1 + 1e-12));
    assert_true(spent >= declared * (1 - 1e-6));
}

static void test_plans(void **state)
{
    (void)state;
    static const double epsilons[] = {.02, .3, 1, 4, 60};
    static const uint32_t dims[] = {2, 3, 5, 11, 30, 64, 65, 100};
    static const uint64_t sizes[] = {1, 300, 20000, 5000000, 2000000000};
    double mus[5];
    size_t kinds[8] = {0}; /* how many receipts plans had */
    for (int e = 0; e < 5; e++)
        mus[e] = gaussian_mu(epsilons[e], 1e-6);
    for (size_t t = 0; t < 8 * 5 * 5 * 4; t++) {
        size_t e = t % 5, mode = t / 5 % 4, n = t / 20 % 5, d = t / 100;
        kith_privacy privacy = {epsilons[e], mode & 1 ? 1e-6 : 0,
                                mode & 2 ? KITH_REPLACE_ONE : KITH_ADD_REMOVE};
        kith_subspace_options opt;
        kith_subspace_options_init(&opt, sizeof opt);
        opt.clusters = (uint32_t)(1 + t % 7);
        opt.subspace_dimension = (uint32_t)(1 + t % 3) % dims[d];
        opt.subspace_dimension += opt.subspace_dimension == 0;
        kith_bounds bounds = unit_rows();
        kith_result *plan = NULL;
        kith_error err = {0};
        if (kith_subspace_plan(&(kith_shape){sizes[n], dims[d], 0, 0}, &bounds,
                               &privacy, &opt, &plan, &err))
            fail_msg("%s", err.message);
        check(plan, privacy, 1, mode & 1 ? mus[e] * mus[e] : epsilons[e]);
        size_t count = kith_result_receipt_count(plan);
        kinds[count < 8 ? count : 7]++;
        kith_result_free(plan);
    }
    /* covers, fits without a step, with one, with chains: all were seen */
    assert_true(kinds[1] && kinds[2] && kinds[3] && kinds[5] && kinds[7]);
}

static void test_runs(void **state)
{
    (void)state;
    enum { N = 3000, D = 9, K = 3, Q = 2 };
    double *rows = make_planes(N, D, K, Q, .05, 1, NULL);
    for (int mode = 0; mode < 16; mode++) {
        static const double epsilons[] = {.05, .6, 3, 300};
        kith_privacy privacy = {epsilons[mode / 4], mode & 1 ? 1e-6 : 0,
                                mode & 2 ? KITH_REPLACE_ONE : KITH_ADD_REMOVE};
        kith_session *s =
            open_session(load(rows, N, D, unit_rows()), privacy.epsilon,
                         privacy.delta, privacy.neighbors, 2, 3);
        kith_subspace_options opt;
        kith_subspace_options_init(&opt, sizeof opt);
        opt.clusters = K;
        opt.subspace_dimension = Q;
        kith_result *result = NULL;
        kith_error err = {0};
        if (kith_subspace(s, &opt, &result, &err))
            fail_msg("%s", err.message);
        double mu = gaussian_mu(privacy.epsilon, 1e-6);
        check(result, privacy, 1, mode & 1 ? mu * mu : privacy.epsilon);
        /* a second run gets crumbs at most; the receipts are of both */
        kith_result *again = NULL;
        if (!kith_subspace(s, &opt, &again, &err))
            check(again, privacy, 1, mode & 1 ? mu * mu : privacy.epsilon);
        kith_result_free(again);
        kith_result_free(result);
        kith_session_close(s);
    }
    free(rows);
}

/* Rows in other units than their length: so are the receipts. */
static void test_units(void **state)
{
    (void)state;
    for (int mode = 0; mode < 12; mode++) {
        static const double radii[] = {.01, 3, 700};
        double radius = radii[mode / 4];
        kith_privacy privacy = {2, mode & 1 ? 1e-6 : 0,
                                mode & 2 ? KITH_REPLACE_ONE : KITH_ADD_REMOVE};
        kith_subspace_options opt;
        kith_subspace_options_init(&opt, sizeof opt);
        opt.clusters = 3;
        opt.subspace_dimension = 2;
        kith_bounds bounds = ball(radius);
        kith_result *plan = NULL;
        kith_error err = {0};
        if (kith_subspace_plan(&(kith_shape){100000, 8, 0, 0}, &bounds,
                               &privacy, &opt, &plan, &err))
            fail_msg("%s", err.message);
        double mu = gaussian_mu(2, 1e-6);
        assert_true(kith_result_receipt_count(plan) >= 3);
        check(plan, privacy, radius, mode & 1 ? mu * mu : 2);
        kith_result_free(plan);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plans),
        cmocka_unit_test(test_runs),
        cmocka_unit_test(test_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

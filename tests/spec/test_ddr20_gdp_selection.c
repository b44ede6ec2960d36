/* What steps that are not Gaussian cost in Gaussian DP.
 *
 * Selection: Dong, Durfee, Rogers 2020, "Optimal differential privacy
 * composition for exponential mechanisms": an e-bounded-range mechanism is a
 * post-processing, for some t in [0, e], of the two-point pair with ratios
 * e^t and e^(t-e):
 *     Q1 = (1 - e^(t-e)) / (e^t - e^(t-e)),   P1 = e^t Q1.
 * That pair is mu-GDP iff mu >= PhiInverse(P1) - PhiInverse(Q1). kith charges
 * mu = 0.6267 e for every t.
 *
 * Pure steps: randomised response (Q1 = 1/(1+e^eps), P1 = 1 - Q1) is the worst
 * eps-DP pair and exactly mu-GDP with mu = 2 PhiInverse(P1). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#define MPFR_USE_INTMAX_T
#include <mpfr.h>

#include "budget/budget_i.h"
#include "support/gdp_delta.h"

/* PhiInverse by bisection; p + q = 1, both given to keep the digits. */
static long double normal_quantile(long double p, long double q)
{
    if (p > q)
        return -normal_quantile(q, p);
    long double low = -40, high = 0;
    for (int i = 0; i < 70; i++) {
        long double middle = (low + high) / 2;
        if (erfcl(-middle / sqrtl(2)) / 2 < p)
            low = middle;
        else
            high = middle;
    }
    return low;
}

typedef struct {
    long double p1, p0, q1, q0;
} pair;

static pair two_point(long double e, long double t)
{
    long double q1 = -expm1l(t - e) / (expl(t) - expl(t - e));
    long double q0 = expm1l(t) / (expl(t) - expl(t - e));
    return (pair){expl(t) * q1, expl(t - e) * q0, q1, q0};
}

static long double exact_mu(pair x)
{
    return normal_quantile(x.p1, x.p0) - normal_quantile(x.q1, x.q0);
}

static long double worst_mu(long double e)
{
    long double worst = 0;
    for (int i = 1; i < 200; i++) {
        long double mu = exact_mu(two_point(e, e * i / 200));
        worst = mu > worst ? mu : worst;
    }
    return worst;
}

static void table_of_prices(void **state)
{
    (void)state;
    const struct {
        double e, ratio;
    } table[] = {{.05, .6267}, {.1, .6266}, {.5, .6260},
                 {1, .6239},   {2, .6160},  {4, .5895}};
    for (size_t i = 0; i < 6; i++) {
        double ratio = (double)worst_mu((long double)table[i].e) / table[i].e;
        if (fabs(ratio - table[i].ratio) > 5.1e-5)
            fail_msg("e = %g: %.6f", table[i].e, ratio);
    }
}

/* max(0, p1 - e^eps q1) and so on: the divergence of the pair, both ways. */
static long double pair_divergence(pair x, long double eps)
{
    long double f = expl(eps);
    long double a = fmaxl(0, x.p1 - f * x.q1) + fmaxl(0, x.p0 - f * x.q0);
    long double b = fmaxl(0, x.q1 - f * x.p1) + fmaxl(0, x.q0 - f * x.p0);
    return fmaxl(a, b);
}

/* mu = 0.6267 e covers every pair, by its corner and by its whole curve. */
static void price_covers_every_pair(void **state)
{
    (void)state;
    int too_cheap_caught = 0;
    for (int i = 1; i <= 64; i++) {
        long double e = i / 8.0L;
        double mu = 0.6267 * i / 8;
        for (int j = 1; j < 32; j++) {
            pair x = two_point(e, e * j / 32.0L);
            assert_true(exact_mu(x) <= 0.6267L * e);
            for (int k = 0; k < 8 && i % 8 == 0; k++) {
                double eps = (double)(e * k / 8); /* exact */
                assert_true((double)pair_divergence(x, (long double)eps) <=
                            gdp_delta(eps, mu) * (1 + 1e-12));
            }
        }
        /* a price of 0.6266 e would be wrong for small ranges */
        too_cheap_caught |= worst_mu(e / 100) > 0.6266L * e / 100;
    }
    assert_true(too_cheap_caught);
}

/* The range bought with a loss costs that loss. */
static void range_is_affordable(void **state)
{
    (void)state;
    for (int i = 0; i < 60; i++) {
        kith_i_loss loss = (kith_i_loss)3 << i;
        long double e = ldexpl(
            (long double)kith_i_selection_range(KITH_GAUSSIAN_DP, loss), -50);
        long double mu = sqrtl(ldexpl((long double)loss, -50));
        assert_true(e > 0 && 0.6267L * e <= mu * (1 + 1e-15L));
        if (e < 8 && e > 1e-3L)
            assert_true(worst_mu(e) <= mu);
    }
}

/* ---- pure steps ---------------------------------------------------------- */

/* Phi(-mu/2) <= 1/(1 + e^eps) in 400 bits: G_mu is below the corner. */
static int corner_is_covered(kith_i_loss pure, kith_i_loss square)
{
    mpfr_t q, tail, root2;
    mpfr_inits2(400, q, tail, root2, (mpfr_ptr)NULL);
    mpfr_set_uj(q, pure, MPFR_RNDN);
    mpfr_div_2ui(q, q, 50, MPFR_RNDN);
    mpfr_exp(q, q, MPFR_RNDN);
    mpfr_add_ui(q, q, 1, MPFR_RNDN);
    mpfr_ui_div(q, 1, q, MPFR_RNDN);
    mpfr_set_uj(tail, square, MPFR_RNDN);
    mpfr_div_2ui(tail, tail, 50, MPFR_RNDN);
    mpfr_sqrt(tail, tail, MPFR_RNDN); /* mu */
    mpfr_sqrt_ui(root2, 2, MPFR_RNDN);
    mpfr_div(tail, tail, root2, MPFR_RNDN);
    mpfr_div_ui(tail, tail, 2, MPFR_RNDN);
    mpfr_erfc(tail, tail, MPFR_RNDN);
    mpfr_div_ui(tail, tail, 2, MPFR_RNDN);
    int covered = mpfr_cmp(tail, q) <= 0;
    mpfr_clears(q, tail, root2, (mpfr_ptr)NULL);
    mpfr_free_cache();
    return covered;
}

static void pure_step_is_randomised_response(void **state)
{
    (void)state;
    const double epsilons[] = {0.01, 0.1, 0.5, 1, 2, 5, 20, 100};
    for (size_t i = 0; i < 8; i++) {
        double eps = epsilons[i];
        kith_i_loss pure = (kith_i_loss)ldexp(eps, 50);
        kith_i_loss square = kith_i_pure_as_gaussian(pure);
        long double exact = ldexpl((long double)pure, -50);
        long double q = 1 / (1 + expl(exact));
        long double mu = -2 * normal_quantile(q, 1 - q);
        /* 1e-13 for valgrind, whose long double is a double */
        long double units = ldexpl(mu * mu, 50);
        assert_true(fabsl((long double)square - units) < 1e-13L * units + 1);
        assert_true(corner_is_covered(pure, square));
        assert_false(corner_is_covered(pure, square - 1));
        /* the curve of mu touches that of randomised response at 0 and lies
         * above it elsewhere */
        double root = kith_i_loss_value(square, KITH_GAUSSIAN_DP);
        double touch = gdp_delta(0, root) / tanh((double)exact / 2);
        assert_true(touch >= 1 - 1e-15 && touch < 1 + 1e-9);
        for (int k = 1; k < 8; k++) {
            double x = eps * k / 8;
            pair response = {1 - q, q, q, 1 - q};
            assert_true((double)pair_divergence(response, (long double)x) <=
                        gdp_delta(x, root) * (1 + 1e-12));
        }
    }
}

static void pure_step_ends(void **state)
{
    (void)state;
    assert_true(kith_i_pure_as_gaussian(0) == 0);
    assert_true(kith_i_pure_as_gaussian(1) == 1); /* never free */
    assert_true(kith_i_pure_as_gaussian(UINT64_MAX) == UINT64_MAX);
    kith_i_loss last = 0;
    for (int i = 0; i < 64; i += 3) {
        kith_i_loss square = kith_i_pure_as_gaussian((kith_i_loss)1 << i);
        assert_true(square >= last);
        last = square;
    }
    assert_true(last == UINT64_MAX); /* epsilon = 8192 does not fit */
    /* epsilon = 1500 still does: mu^2 is a little below 8 epsilon */
    kith_i_loss large = kith_i_pure_as_gaussian((kith_i_loss)1500 << 50);
    assert_true(large < (kith_i_loss)12000 << 50 && large > (kith_i_loss)11800
                                                                << 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_of_prices),
        cmocka_unit_test(price_covers_every_pair),
        cmocka_unit_test(range_is_affordable),
        cmocka_unit_test(pure_step_is_randomised_response),
        cmocka_unit_test(pure_step_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

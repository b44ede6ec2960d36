/* budget/accountant.c and gdp.c: known answers, parameters that make no
 * sense, and outwardness: what is returned keeps the promise, checked with
 * 400 bits, and one unit more would not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <gmp.h>
#include <math.h>
#define MPFR_USE_INTMAX_T
#include <mpfr.h>
#include <string.h>
#include <time.h>

#include "base/base_i.h"
#include "budget/budget_i.h"
#include "budget/gdp.h"
#include "support/gdp_delta.h"

enum { BITS = 400 };

#define UNIT 0x1p-50

static kith_i_loss total_of(double epsilon, double delta)
{
    kith_privacy privacy = {epsilon, delta, KITH_REPLACE_ONE};
    kith_measure measure = 0;
    kith_i_loss total = 0;
    kith_error err;
    assert_int_equal(kith_i_privacy_total(&privacy, &measure, &total, &err),
                     KITH_OK);
    assert_int_equal(measure, delta > 0 ? KITH_GAUSSIAN_DP : KITH_PURE_DP);
    return total;
}

static void assert_near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.17g is not %.17g +- %g", value, expected, tolerance);
}

/* ---- an independent computation in long double --------------------------- */

static long double phi_lower(long double x) /* Phi(-x) */
{
    return erfcl(x / sqrtl(2)) / 2;
}

static long double plain_delta(long double epsilon, long double mu)
{
    return phi_lower(epsilon / mu - mu / 2) -
           expl(epsilon) * phi_lower(epsilon / mu + mu / 2);
}

static double plain_mu(double epsilon, double delta)
{
    long double low = 0, high = 200;
    for (int i = 0; i < 100; i++) {
        long double middle = (low + high) / 2;
        if (plain_delta((long double)epsilon, middle) <= (long double)delta)
            low = middle;
        else
            high = middle;
    }
    return (double)low;
}

/* ---- and one in 400 bits ------------------------------------------------ */

/* out = 2 mu^2, mu^2 = units 2^-50 */
static void set_square(mpfr_t out, kith_i_loss units)
{
    mpfr_set_uj(out, units, MPFR_RNDN);
    mpfr_mul_d(out, out, 2 * UNIT, MPFR_RNDN);
}

/* out = delta(epsilon; mu), as the formula is written; square = 2 mu^2. */
static void long_delta(mpfr_t out, double epsilon, const mpfr_t square)
{
    mpfr_t mu, x, y, root2;
    mpfr_inits2(BITS, mu, x, y, root2, (mpfr_ptr)NULL);
    mpfr_sqrt_ui(root2, 2, MPFR_RNDN);
    mpfr_div_ui(mu, square, 2, MPFR_RNDN);
    mpfr_sqrt(mu, mu, MPFR_RNDN);
    mpfr_set_d(x, epsilon, MPFR_RNDN);
    mpfr_div(x, x, mu, MPFR_RNDN); /* epsilon/mu */
    mpfr_div_ui(y, mu, 2, MPFR_RNDN);
    mpfr_sub(out, x, y, MPFR_RNDN);
    mpfr_div(out, out, root2, MPFR_RNDN);
    mpfr_erfc(out, out, MPFR_RNDN); /* 2 Phi(-epsilon/mu + mu/2) */
    mpfr_add(x, x, y, MPFR_RNDN);
    mpfr_div(x, x, root2, MPFR_RNDN);
    mpfr_erfc(x, x, MPFR_RNDN);
    mpfr_set_d(y, epsilon, MPFR_RNDN);
    mpfr_exp(y, y, MPFR_RNDN);
    mpfr_mul(x, x, y, MPFR_RNDN);
    mpfr_sub(out, out, x, MPFR_RNDN);
    mpfr_div_ui(out, out, 2, MPFR_RNDN);
    mpfr_clears(mu, x, y, root2, (mpfr_ptr)NULL);
}

static int compare_delta(double epsilon, kith_i_loss units, double delta)
{
    mpfr_t value, square;
    mpfr_inits2(BITS, value, square, (mpfr_ptr)NULL);
    set_square(square, units);
    long_delta(value, epsilon, square);
    int sign = mpfr_cmp_d(value, delta);
    mpfr_clears(value, square, (mpfr_ptr)NULL);
    return sign;
}

/* With as few digits as allowed every single rounding shows; both bounds
 * must still be on their own side, and meet as digits are added. */
static void bounds_are_outward(void **state)
{
    (void)state;
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 7, 0);
    mpfr_t exact, square, above, below;
    mpfr_inits2(BITS, exact, square, (mpfr_ptr)NULL);
    mpfr_inits2(53, above, below, (mpfr_ptr)NULL);
    for (int i = 0; i < 3000; i++) {
        /* epsilon/mu from 0.1 to 20: which rounding matters most varies */
        double epsilon = exp(6 * kith_i_coins_unit(&coins) - 6);
        double ratio = exp(5 * kith_i_coins_unit(&coins) - 3);
        set_square(square, (kith_i_loss)ldexp(pow(epsilon * ratio, 2), 50));
        if (i % 2) { /* an exact root and quotient hide no later rounding */
            double w = 0.1 + 2 * kith_i_coins_unit(&coins);
            mpfr_set_d(square, w, MPFR_RNDN);
            mpfr_sqr(square, square, MPFR_RNDN);
            epsilon = ldexp(w, i / 2 % 4);
        }
        long_delta(exact, epsilon, square);
        kith_i_gdp_delta_bound(above, epsilon, square, MPFR_RNDU);
        kith_i_gdp_delta_bound(below, epsilon, square, MPFR_RNDD);
        assert_true(mpfr_cmp(below, exact) < 0);
        assert_true(mpfr_cmp(above, exact) > 0);
        assert_near(mpfr_get_d(above, MPFR_RNDN), mpfr_get_d(below, MPFR_RNDN),
                    1e-13);
    }
    mpfr_clears(exact, square, above, below, (mpfr_ptr)NULL);
    mpfr_free_cache();
}

static const double epsilons[] = {1e-3, 0.1, 0.5, 1, 2, 4, 12, 100, 1000, 4096};
static const double deltas[] = {5e-324, 1e-300, 1e-12,      1e-6,
                                0.1,    0.999,  1 - 0x1p-53};

static void total_is_the_largest(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof epsilons / sizeof *epsilons; i++)
        for (size_t j = 0; j < sizeof deltas / sizeof *deltas; j++) {
            kith_i_loss total = total_of(epsilons[i], deltas[j]);
            assert_true(total < UINT64_MAX);
            assert_true(compare_delta(epsilons[i], total, deltas[j]) <= 0);
            assert_true(compare_delta(epsilons[i], total + 1, deltas[j]) > 0);
        }
    mpfr_free_cache();
}

static void total_known_answers(void **state)
{
    (void)state;
    const struct {
        double epsilon, mu, tolerance;
    } table[] = {{0.1, 1 / 36.30469, 1e-8},
                 {0.5, 0.1241, 5e-5},
                 {1, 1 / 4.224679, 5e-8},
                 {2, 0.4483, 5e-5},
                 {4, 0.8379, 5e-5}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        double mu = 0, epsilon = table[i].epsilon;
        kith_i_loss total = total_of(epsilon, 1e-6);
        assert_int_equal(kith_privacy_mu(epsilon, 1e-6, &mu, NULL), KITH_OK);
        assert_near(mu, table[i].mu, table[i].tolerance);
        assert_near(mu, plain_mu(epsilon, 1e-6), 1e-13);
        /* mu is sqrt(total) rounded down */
        mpfr_t square;
        mpfr_init2(square, 200);
        mpfr_set_d(square, mu, MPFR_RNDN);
        mpfr_sqr(square, square, MPFR_RNDN);
        mpfr_div_d(square, square, UNIT, MPFR_RNDN);
        mpz_t units;
        mpz_init(units);
        mpz_import(units, 1, 1, 8, 0, 0, &total);
        assert_true(mpfr_cmp_z(square, units) <= 0);
        mpfr_set_d(square, nextafter(mu, 1e9), MPFR_RNDN);
        mpfr_sqr(square, square, MPFR_RNDN);
        mpfr_div_d(square, square, UNIT, MPFR_RNDN);
        assert_true(mpfr_cmp_z(square, units) > 0);
        mpz_clear(units);
        mpfr_clear(square);
    }
}

static void pure_total(void **state)
{
    (void)state;
    assert_true(total_of(1, 0) == (kith_i_loss)1 << 50);
    assert_true(total_of(4096, 0) == (kith_i_loss)1 << 62);
    assert_true(total_of(0.75 * UNIT + UNIT, 0) == 1); /* down */
}

static void refuse_as(kith_status expected, double epsilon, double delta,
                      int neighbors, const char *word)
{
    kith_privacy privacy = {epsilon, delta, (kith_neighbors)neighbors};
    kith_measure measure = (kith_measure)7;
    kith_i_loss total = 7;
    kith_error err;
    assert_int_equal(kith_i_privacy_total(&privacy, &measure, &total, &err),
                     expected);
    assert_int_equal(err.status, expected);
    assert_non_null(strstr(err.message, word));
    assert_true(total == 7 && (int)measure == 7);
}

static void refuse(double epsilon, double delta, int neighbors,
                   const char *word)
{
    refuse_as(KITH_ERR_PRIVACY, epsilon, delta, neighbors, word);
}

static void parameters_are_checked(void **state)
{
    (void)state;
    const double nan = (double)NAN, inf = HUGE_VAL;
    const double bad_epsilons[] = {0, -1, nan, inf, -inf, 4096.001};
    const double bad_deltas[] = {-1e-300, 1, 2, nan, inf, -inf};
    for (size_t i = 0; i < 6; i++) {
        refuse(bad_epsilons[i], 1e-6, KITH_ADD_REMOVE, "epsilon");
        refuse(1, bad_deltas[i], KITH_ADD_REMOVE, "delta");
    }
    refuse(1, 1e-6, 0, "neighbours");
    refuse(1, 1e-6, 3, "neighbours");
    refuse_as(KITH_ERR_BUDGET, 0.9 * UNIT, 0, KITH_ADD_REMOVE, "epsilon");
    refuse_as(KITH_ERR_BUDGET, 1e-12, 1e-12, KITH_ADD_REMOVE, "raise");
    kith_measure measure;
    kith_i_loss total;
    double mu = 7;
    assert_int_equal(kith_i_privacy_total(NULL, &measure, &total, NULL),
                     KITH_ERR_ARGUMENT);
    assert_int_equal(kith_privacy_mu(1, 0, &mu, NULL), KITH_ERR_PRIVACY);
    assert_int_equal(kith_privacy_mu(0, 1e-6, &mu, NULL), KITH_ERR_PRIVACY);
    assert_int_equal(kith_privacy_mu(1, nan, &mu, NULL), KITH_ERR_PRIVACY);
    assert_int_equal(kith_privacy_mu(1, 1e-6, NULL, NULL), KITH_ERR_ARGUMENT);
    assert_true(mu == 7);
}

static void gdp_epsilon_known_answers(void **state)
{
    (void)state;
    assert_near(kith_i_gdp_epsilon(1, 1e-6), 4.886554, 5e-7);
    const double mus[] = {0.01, 0.2367, 1, 3, 10};
    for (size_t i = 0; i < 5; i++)
        for (size_t j = 2; j < 5; j++) {
            double epsilon = kith_i_gdp_epsilon(mus[i], deltas[j]);
            if (epsilon == 0) {
                assert_true(gdp_delta(0, mus[i]) <= deltas[j]);
                continue;
            }
            assert_true(gdp_delta(epsilon, mus[i]) <= deltas[j]);
            assert_true(gdp_delta(nextafter(epsilon, 0), mus[i]) > deltas[j]);
            /* back: the budget of (epsilon, delta) is mu again */
            double mu = 0;
            assert_int_equal(kith_privacy_mu(epsilon, deltas[j], &mu, NULL),
                             KITH_OK);
            assert_near(mu, mus[i], 1e-9);
        }
    /* the ends, and the safe side of nonsense */
    assert_true(kith_i_gdp_epsilon(1, 0) == HUGE_VAL);
    assert_true(kith_i_gdp_epsilon(0, 0) == 0);
    assert_true(kith_i_gdp_epsilon(1, 1) == 0);
    assert_true(kith_i_gdp_epsilon((double)NAN, 0.5) == HUGE_VAL);
    assert_true(kith_i_gdp_epsilon(1, (double)NAN) == HUGE_VAL);
    assert_true(gdp_delta(1, 0) == 0);
    assert_true(gdp_delta(HUGE_VAL, 1) == 0);
    assert_true(gdp_delta(1, HUGE_VAL) == 1);
    assert_true(gdp_delta((double)NAN, 1) == 1);
    assert_true(gdp_delta(1, -1) == 1);
    /* a value below every double is rounded up, not to zero */
    assert_true(gdp_delta(1000, 1) == 0x1p-1074);
    /* tiny mu: delta(0; mu) = mu / sqrt(2 pi), all digits cancel */
    assert_near(gdp_delta(0, 1e-200) / 1e-200, 0.3989422804014327, 1e-15);
}

/* Largest range: (0.6267 e)^2 <= mu^2 in rationals, one unit more is not. */
static void selection_range_is_the_largest(void **state)
{
    (void)state;
    assert_true(kith_i_selection_range(KITH_PURE_DP, 12345) == 12345);
    assert_true(kith_i_selection_range(KITH_GAUSSIAN_DP, 0) == 0);
    kith_i_loss loss = 1;
    for (int i = 0; i < 400; i++) {
        kith_i_loss range = kith_i_selection_range(KITH_GAUSSIAN_DP, loss);
        mpz_t paid, more, limit;
        mpz_inits(paid, more, limit, NULL);
        mpz_import(paid, 1, 1, 8, 0, 0, &range);
        mpz_add_ui(more, paid, 1);
        mpz_mul(paid, paid, paid);
        mpz_mul(more, more, more);
        mpz_mul_ui(paid, paid, 6267ul * 6267ul);
        mpz_mul_ui(more, more, 6267ul * 6267ul);
        mpz_import(limit, 1, 1, 8, 0, 0, &loss);
        mpz_mul_ui(limit, limit, 100000000ul);
        mpz_mul_2exp(limit, limit, 50);
        assert_true(mpz_cmp(paid, limit) <= 0);
        assert_true(mpz_cmp(more, limit) > 0);
        mpz_clears(paid, more, limit, NULL);
        loss = loss * 6364136223846793005u + 1442695040888963407u;
        loss >>= i % 50;
    }
    assert_true(kith_i_selection_range(KITH_GAUSSIAN_DP, UINT64_MAX) > 0);
}

static void totals_are_quick(void **state)
{
    (void)state;
    struct timespec from, to;
    clock_gettime(CLOCK_MONOTONIC, &from);
    for (int i = 0; i < 20; i++)
        total_of(0.1 + i, 1e-6);
    clock_gettime(CLOCK_MONOTONIC, &to);
    double seconds = (double)(to.tv_sec - from.tv_sec) +
                     1e-9 * (double)(to.tv_nsec - from.tv_nsec);
    print_message("privacy_total: %.3f ms each\n", seconds / 20 * 1e3);
    assert_true(seconds / 20 < 0.5); /* 5 ms meant; valgrind takes 90 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_are_outward),
        cmocka_unit_test(total_is_the_largest),
        cmocka_unit_test(total_known_answers),
        cmocka_unit_test(pure_total),
        cmocka_unit_test(parameters_are_checked),
        cmocka_unit_test(gdp_epsilon_known_answers),
        cmocka_unit_test(selection_range_is_the_largest),
        cmocka_unit_test(totals_are_quick),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The statistics of `kith audit` against exact binomial sums. */
#include "support/cmocka_all.h"

#include <math.h>

#include "../../tools/kith/audit_stat.c" /* of the command, not the library */

/* P(X >= hits) by Pascal's rule: no logarithms, no early end. */
static double tail(size_t hits, size_t tries, double p)
{
    long double chance[65] = {1};
    for (size_t n = 1; n <= tries; n++)
        for (size_t k = n + 1; k-- > 0;)
            chance[k] = chance[k] * (1 - p) + (k ? chance[k - 1] * p : 0);
    long double sum = 0;
    for (size_t k = hits; k <= tries; k++)
        sum += chance[k];
    return (double)sum;
}

static void test_bounds_are_exact(void **state)
{
    (void)state;
    static const double alphas[] = {0.05, 5e-4, 1e-6};
    for (size_t a = 0; a < 3; a++)
        for (size_t n = 1; n <= 64; n += 7)
            for (size_t k = 0; k <= n; k++) {
                double low = audit_at_least(k, n, alphas[a]);
                assert_true(low <= (double)k / (double)n);
                if (k > 0) /* the bound's own law makes k just so rare */
                    assert_true(fabs(tail(k, n, low) / alphas[a] - 1) < 1e-6);
                else
                    assert_true(low < 1e-12);
            }
}

static void test_normal(void **state)
{
    (void)state;
    assert_true(fabs(audit_normal(1) - 0.841344746068543) < 1e-14);
    for (double x = -6; x <= 6; x += 0.37)
        assert_true(fabs(audit_normal_inverse(audit_normal(x)) - x) < 1e-8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bounds_are_exact),
        cmocka_unit_test(test_normal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

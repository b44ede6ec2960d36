/* Bingham vectors that hardly leave one axis, where the sampler proposes from a
 * t law about a pole (src/subspace/bingham_vector.c): against integrals, in
 * dimensions where a grid on the sphere is out of the question. With one axis
 * of cost 0 and p others of cost g, t = 1 - (that coordinate)^2 has density
 * t^(p/2-1) (1-t)^(-1/2) e^(-gt). Seeded; false alarms at most 1e-6 each. */
#include <math.h>

#include "subspace/bingham_draw.h"
#include "support/cmocka_all.h"
#include "support/seeded_words.h"
#include "support/stat.h"

enum { MOST = 42, BINS = 16, DRAWS = 20000, FINE = 20000 };

/* An orthonormal basis whose first vector is about `angle` from e1. */
static void turned_basis(double *rows, uint32_t m, double angle)
{
    for (uint32_t i = 0; i < m * m; i++)
        rows[i] = i % (m + 1) == 0;
    for (uint32_t i = 1; i < m; i++) {
        double c = cos(angle / sqrt(m - 1)), s = sin(angle / sqrt(m - 1));
        for (uint32_t j = 0; j < m; j++) {
            double x = rows[j], y = rows[i * m + j];
            rows[j] = c * x + s * y;
            rows[i * m + j] = c * y - s * x;
        }
    }
}

/* Probabilities of equal steps of the angle a up to `most`, t = sin^2 a. */
static void angle_bins(uint32_t p, double g, double most, double *bins)
{
    double total = 0, peak = (p > 1 ? p - 1 : 0) / 2.0;
    double at = fmin(peak / g, 1 - 1e-9);
    double top = p > 1 ? (p - 1) / 2.0 * log(at) - g * at : 0;
    for (int i = 0; i < BINS; i++)
        bins[i] = 0;
    for (int i = 0; i < BINS * FINE; i++) {
        double a = most * (i + .5) / (BINS * FINE), t = sin(a) * sin(a);
        double w = exp((p - 1) * log(sin(a)) - g * t - top);
        bins[i / FINE] += w;
        total += w;
    }
    for (int i = 0; i < BINS; i++)
        bins[i] /= total;
}

/* angle: from e1, where the sampler looks first, to the axis of cost 0. */
static void check(uint32_t p, double g, double shift, double angle,
                  uint64_t seed)
{
    uint32_t m = p + 1;
    static double basis[MOST * MOST], b[MOST * MOST];
    double z[MOST], bins[BINS], first = 0;
    double most = fmin(M_PI / 2, sqrt((p + 12 * sqrt(p) + 40) / g));
    kith_i_coins coins;
    kith_i_words words;
    kith_i_bingham s;
    seeded_words(&words, &coins, seed);
    assert_int_equal(kith_i_bingham_open(&s, m, 1, NULL), KITH_OK);
    turned_basis(basis, m, angle);
    for (uint32_t i = 0; i < m * m; i++) /* shift I - g (I - x x') */
        b[i] =
            (i % (m + 1) == 0) * (shift - g) + g * basis[i / m] * basis[i % m];
    angle_bins(p, g, most, bins);
    uint64_t seen[BINS] = {0}, rest = 0;
    for (int r = 0; r < DRAWS; r++) {
        double along = 0;
        kith_i_bingham_vector(&s, b, m, m, &words, z);
        for (uint32_t i = 0; i < m; i++)
            along += basis[i] * z[i];
        int bin = (int)(acos(fmin(fabs(along), 1)) / most * BINS);
        if (bin < BINS)
            seen[bin]++;
        else
            rest++;
        first += along > 0 ? 1 : -1;
    }
    size_t degrees;
    double x = chi_square(seen, bins, BINS, rest, DRAWS, &degrees);
    if (x > chi_square_limit(degrees))
        fail_msg("p = %u, g = %g: chi square %g, %zu degrees", p, g, x,
                 degrees);
    /* z and -z are equally likely: Hoeffding */
    assert_true(fabs(first) < sqrt(2 * DRAWS * (ALARM + log(2.0))));
    kith_i_bingham_close(&s);
}

/* Near the limit of where the pole is worth it the far side matters. */
static void test_few_dimensions(void **state)
{
    (void)state;
    check(1, 13, 13, 0, 1);
    check(2, 13, 14, .1, 2);
    check(2, 30, 30, .1, 3);
    check(4, 30, 33, .1, 4);
}

static void test_many_dimensions(void **state)
{
    (void)state;
    check(11, 120, 121, .2, 11);
    check(41, 60, 60, .3, 12);
    check(41, 350, 360, .2, 13);
    check(41, 4000, 4010, .05, 14);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_few_dimensions),
        cmocka_unit_test(test_many_dimensions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

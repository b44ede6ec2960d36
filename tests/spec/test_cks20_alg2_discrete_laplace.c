/* Canonne, Kamath, Steinke 2020: Algorithm 1 (Bernoulli(exp(-g))) and
 * Algorithm 2 (discrete Laplace) against their exact laws, 1e6 draws each.
 *
 *   Alg. 1 for g <= 1: K = 1; while Bernoulli(g/K): K += 1; return K odd.
 *   Alg. 2 with scale t: Pr[x] = (1-a)/(1+a) a^|x|, a = exp(-1/t).
 *
 * Each assertion has a false-alarm rate <= 1e-6 and a fixed seed. */
#include "budget/budget_i.h"
#include "noise/sampler.h"
#include "support/cmocka_all.h"
#include "support/stat.h"

enum { DRAWS = 1000000, HALF = 400, CELLS = 2 * HALF + 1 };

static void open_seeded(kith_i_entropy *e, uint64_t seed)
{
    kith_i_entropy_source source = {.seeded = 1, .seed = seed};
    kith_i_entropy_open(e, &source, 0);
}

static void test_below(void **state)
{
    (void)state;
    kith_i_entropy e;
    open_seeded(&e, 1);
    for (uint64_t limit = 1; limit < 40; limit += 3) {
        uint64_t seen[40] = {0};
        double p[40];
        for (int i = 0; i < 200000; i++) {
            uint64_t r = kith_i_sample_below(&e, limit);
            assert_true(r < limit);
            seen[r]++;
        }
        for (uint64_t i = 0; i < limit; i++)
            p[i] = 1.0 / (double)limit;
        size_t degrees;
        double x = chi_square(seen, p, limit, 0, 200000, &degrees);
        assert_true(limit == 1 || x <= chi_square_limit(degrees));
    }
}

static void test_coins(void **state)
{
    (void)state;
    kith_i_entropy e;
    open_seeded(&e, 2);
    static const uint64_t cases[][2] = {
        {1, 3}, {1, 1000}, {999, 1000},
        {5, 2}, {7, 3},    {1, 1},
        {0, 5}, {12, 1},   {1ull << 61, 1ull << 62}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        uint64_t p = cases[c][0], q = cases[c][1], plain = 0, power = 0;
        for (int i = 0; i < DRAWS; i++) {
            plain += (uint64_t)kith_i_sample_bernoulli(&e, p < q ? p : q, q);
            power += (uint64_t)kith_i_sample_bernoulli_exp(&e, p, q);
        }
        double g = (double)p / (double)q;
        assert_true(believable(plain, DRAWS, fmin(g, 1)));
        assert_true(believable(power, DRAWS, exp(-g)));
    }
}

/* chi-square over the body, and the two tails beyond it. */
static void check_laplace(kith_i_scale t, uint64_t seed)
{
    static uint64_t seen[CELLS];
    static double p[CELLS];
    memset(seen, 0, sizeof seen);
    kith_i_entropy e;
    open_seeded(&e, seed);
    uint64_t above = 0, below = 0;
    for (int i = 0; i < DRAWS; i++) {
        int64_t x = kith_i_sample_laplace(&e, t);
        if (x > HALF)
            above++;
        else if (x < -HALF)
            below++;
        else
            seen[x + HALF]++;
    }
    double scale = kith_i_scale_value(t), a = exp(-1 / scale);
    for (int x = -HALF; x <= HALF; x++)
        p[x + HALF] = -expm1(-1 / scale) / (1 + a) * exp(-abs(x) / scale);
    size_t degrees;
    double chi = chi_square(seen, p, CELLS, above + below, DRAWS, &degrees);
    if (degrees > 0)
        assert_true(chi <= chi_square_limit(degrees));
    double tail = exp(-(HALF + 1) / scale) / (1 + a);
    assert_true(believable(above, DRAWS, tail));
    assert_true(believable(below, DRAWS, tail));
}

static void test_laplace_law(void **state)
{
    (void)state;
    static const kith_i_scale scales[] = {
        {1, 0},   {1, 3},         {3, 1},           {10, 0},
        {700, 4}, {1u << 30, 23}, {1ull << 40, 33}, {60, 0}};
    for (size_t i = 0; i < sizeof scales / sizeof *scales; i++)
        check_laplace(scales[i], 10 + i);
}

/* Large scales: the law of |x| through its distribution function, in 64 cells
 * of equal probability. */
static void test_laplace_large(void **state)
{
    (void)state;
    static const uint64_t scales[] = {1000, 1000000, 1000000000, 1ull << 45};
    for (size_t s = 0; s < 4; s++) {
        kith_i_scale t = {scales[s], 0};
        kith_i_entropy e;
        open_seeded(&e, 50 + s);
        uint64_t seen[64] = {0};
        double p[64];
        for (int i = 0; i < DRAWS; i++) {
            double x = (double)kith_i_sample_laplace(&e, t);
            /* a uniform point of the lattice cell makes it continuous */
            double u = (double)(kith_i_entropy_word(&e) >> 11) * 0x1p-53;
            double y = (x + u - 0.5) / (double)scales[s];
            double F = y < 0 ? exp(y) / 2 : 1 - exp(-y) / 2;
            seen[(int)(F * 64) & 63]++;
        }
        for (int i = 0; i < 64; i++)
            p[i] = 1.0 / 64;
        size_t degrees;
        double chi = chi_square(seen, p, 64, 0, DRAWS, &degrees);
        /* spreading over the cell shifts F by < 1/(24 t^2): invisible here */
        assert_true(chi <= chi_square_limit(degrees));
    }
}

static void test_geometric_law(void **state)
{
    (void)state;
    kith_i_entropy e;
    open_seeded(&e, 90);
    kith_i_scale t = {7, 1};
    uint64_t seen[64] = {0}, rest = 0;
    double p[64], a = exp(-2.0 / 7);
    for (int i = 0; i < DRAWS; i++) {
        int64_t x = kith_i_sample_geometric(&e, t);
        assert_true(x >= 0);
        if (x < 64)
            seen[x]++;
        else
            rest++;
    }
    for (int i = 0; i < 64; i++)
        p[i] = (1 - a) * pow(a, i);
    size_t degrees;
    double chi = chi_square(seen, p, 64, rest, DRAWS, &degrees);
    assert_true(chi <= chi_square_limit(degrees));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_below),
        cmocka_unit_test(test_coins),
        cmocka_unit_test(test_laplace_law),
        cmocka_unit_test(test_laplace_large),
        cmocka_unit_test(test_geometric_law),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

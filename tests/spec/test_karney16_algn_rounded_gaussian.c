/* Karney 2016, Algorithm N, rounded: Pr[x] = Phi((x+1/2)/s) - Phi((x-1/2)/s),
 * against 1e6 draws for each scale, body and tails; its conditional law above
 * a threshold; and the geometric gaps between empty cells that show.
 *
 *   N1  k with weight exp(-k/2);  N2 keep with probability exp(-k(k-1)/2)
 *   N3  x uniform;                N4 keep with probability exp(-x(2k+x)/2)
 *   N5  +-(k + x)
 *
 * Each assertion has a false-alarm rate <= 1e-6 and a fixed seed. */
#include "budget/budget_i.h"
#include "noise/sampler.h"
#include "support/cmocka_all.h"
#include "support/stat.h"

enum { DRAWS = 1000000, HALF = 300, CELLS = 2 * HALF + 1 };

/* Pr[round(s N) >= x] */
static double upper(int64_t x, double s)
{
    return erfc(((double)x - 0.5) / s / sqrt(2)) / 2;
}

static double mass(int64_t x, double s)
{
    if (x < 0)
        x = -x;
    return upper(x, s) - upper(x + 1, s);
}

static void open_seeded(kith_i_entropy *e, uint64_t seed)
{
    kith_i_entropy_source source = {.seeded = 1, .seed = seed};
    kith_i_entropy_open(e, &source, 0);
}

static void check_law(kith_i_scale sigma, uint64_t seed)
{
    static uint64_t seen[CELLS];
    static double p[CELLS];
    memset(seen, 0, sizeof seen);
    kith_i_entropy e;
    open_seeded(&e, seed);
    uint64_t rest = 0, far = 0;
    double s = kith_i_scale_value(sigma);
    int64_t limit = (int64_t)(3.5 * s) + 1;
    for (int i = 0; i < DRAWS; i++) {
        int64_t x = kith_i_sample_gaussian(&e, sigma);
        if (x < -HALF || x > HALF)
            rest++;
        else
            seen[x + HALF]++;
        far += x >= limit || x <= -limit;
    }
    for (int x = -HALF; x <= HALF; x++)
        p[x + HALF] = mass(x, s);
    size_t degrees;
    double chi = chi_square(seen, p, CELLS, rest, DRAWS, &degrees);
    if (degrees > 0)
        assert_true(chi <= chi_square_limit(degrees));
    assert_true(believable(far, DRAWS, 2 * upper(limit, s)));
}

static void test_law(void **state)
{
    (void)state;
    static const kith_i_scale scales[] = {
        {1, 0},        {1, 2},  {3, 2},           {5, 0},
        {1000003, 17}, {60, 0}, {1ull << 40, 34}, {1, 5}};
    for (size_t i = 0; i < sizeof scales / sizeof *scales; i++)
        check_law(scales[i], 20 + i);
}

/* Large scales, in 128 cells of (nearly) equal probability, with exact cell
 * probabilities. */
static void test_large_scales(void **state)
{
    (void)state;
    static const uint64_t scales[] = {1000, 1000000, 1000000000, 1ull << 53};
    for (size_t k = 0; k < 4; k++) {
        double s = (double)scales[k];
        kith_i_entropy e;
        open_seeded(&e, 40 + k);
        uint64_t seen[128] = {0};
        double p[128];
        for (int i = 0; i < DRAWS; i++) {
            double z = (double)kith_i_sample_gaussian(
                           &e, (kith_i_scale){scales[k], 0}) /
                       s;
            int cell = (int)floor((z + 4) * 16);
            seen[cell < 0 ? 0 : (cell > 127 ? 127 : cell)]++;
        }
        for (int c = 0; c < 128; c++) {
            /* integers x with c <= (x/s + 4) 16 < c + 1 */
            double from = ceil((c / 16.0 - 4) * s),
                   to = ceil(((c + 1) / 16.0 - 4) * s);
            double a = c == 0 ? 1 : erfc((from - 0.5) / s / sqrt(2)) / 2;
            double b = c == 127 ? 0 : erfc((to - 0.5) / s / sqrt(2)) / 2;
            p[c] = a - b;
        }
        size_t degrees;
        double chi = chi_square(seen, p, 128, 0, DRAWS, &degrees);
        assert_true(chi <= chi_square_limit(degrees));
    }
}

static void test_tail(void **state)
{
    (void)state;
    static const struct {
        kith_i_scale sigma;
        int64_t least;
    } cases[] = {{{4, 0}, 1},
                 {{4, 0}, 12},
                 {{9, 1}, 21},
                 {{1, 0}, 5},
                 {{1ull << 40, 35}, 190}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        enum { N = 20000, WIDE = 128 };
        kith_i_entropy e;
        open_seeded(&e, 60 + c);
        uint64_t seen[WIDE] = {0}, rest = 0;
        double p[WIDE], s = kith_i_scale_value(cases[c].sigma);
        int64_t least = cases[c].least;
        for (int i = 0; i < N; i++) {
            int64_t x = kith_i_sample_gaussian_tail(&e, cases[c].sigma, least);
            assert_true(x >= least);
            if (x - least < WIDE)
                seen[x - least]++;
            else
                rest++;
        }
        for (int i = 0; i < WIDE; i++)
            p[i] = (upper(least + i, s) - upper(least + i + 1, s)) /
                   upper(least, s);
        size_t degrees;
        double chi = chi_square(seen, p, WIDE, rest, N, &degrees);
        assert_true(chi <= chi_square_limit(degrees));
    }
}

/* Pr[gap >= g] = (1-p)^g, in 32 cells of nearly equal probability. */
static void test_gap(void **state)
{
    (void)state;
    static const struct {
        kith_i_noise_kind kind;
        kith_i_scale scale;
        int64_t least;
    } cases[] = {{KITH_I_LAPLACE, {3, 0}, 1},
                 {KITH_I_LAPLACE, {3, 0}, 30},
                 {KITH_I_LAPLACE, {1u << 20, 17}, 200},
                 {KITH_I_GAUSSIAN, {4, 0}, 2},
                 {KITH_I_GAUSSIAN, {4, 0}, 22}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        enum { N = 10000 };
        double s = kith_i_scale_value(cases[c].scale);
        double least = (double)cases[c].least;
        double tail = cases[c].kind == KITH_I_LAPLACE
                          ? exp(-least / s) / (1 + exp(-1 / s))
                          : upper(cases[c].least, s);
        kith_i_entropy e;
        open_seeded(&e, 80 + c);
        uint64_t seen[32] = {0};
        double p[32], edge[33];
        for (int i = 0; i <= 32; i++)
            edge[i] = i == 32 ? (double)INFINITY
                              : ceil(log1p(-i / 32.0) / log1p(-tail));
        for (int i = 0; i < 32; i++)
            p[i] = exp(edge[i] * log1p(-tail)) -
                   (i == 31 ? 0 : exp(edge[i + 1] * log1p(-tail)));
        for (int i = 0; i < N; i++) {
            double g = (double)kith_i_sample_gap(
                &e, cases[c].kind, cases[c].scale, cases[c].least);
            int cell = 31;
            while (g < edge[cell])
                cell--;
            seen[cell]++;
        }
        size_t degrees;
        double chi = chi_square(seen, p, 32, 0, N, &degrees);
        assert_true(chi <= chi_square_limit(degrees));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_law),
        cmocka_unit_test(test_large_scales),
        cmocka_unit_test(test_tail),
        cmocka_unit_test(test_gap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

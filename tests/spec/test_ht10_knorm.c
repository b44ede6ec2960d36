/* Hardt, Talwar 2010: the K-norm mechanism for the L2 ball. The noise z has
 * density proportional to exp(-|z|_2 / b) in R^d: |z|/b is Gamma(d), the
 * direction is uniform. Rounded to integers; b large enough here that
 * rounding is invisible, and b small to see it. Each assertion has a
 * false-alarm rate <= 1e-6 and a fixed seed. */
#include "budget/budget_i.h"
#include "noise/noise.h"
#include "noise/sampler.h"
#include "support/cmocka_all.h"
#include "support/stat.h"

/* Pr[Gamma(d) <= x] for integer d. */
static double gamma_cdf(int d, double x)
{
    double term = exp(-x), sum = 0;
    for (int i = 0; i < d; i++) {
        sum += term;
        term *= x / (i + 1);
    }
    return 1 - sum;
}

static void check_law(size_t d, kith_i_scale b, uint64_t seed)
{
    enum { CELLS = 32, DRAWS = 30000 };
    kith_i_entropy_source source = {.seeded = 1, .seed = seed};
    kith_i_entropy e;
    kith_i_entropy_open(&e, &source, 0);
    void *scratch = malloc(kith_i_knorm_scratch(d));
    int64_t *z = malloc(d * sizeof *z);
    uint64_t radial[CELLS] = {0}, positive[2] = {0}, side = 0;
    double p[CELLS], scale = kith_i_scale_value(b);
    for (int t = 0; t < DRAWS; t++) {
        memset(z, 0, d * sizeof *z);
        kith_i_sample_knorm(&e, (kith_i_scale[2]){b, b}, d, d, scratch, z);
        double square = 0;
        for (size_t i = 0; i < d; i++)
            square += (double)z[i] * (double)z[i];
        radial[(int)(gamma_cdf((int)d, sqrt(square) / scale) * CELLS) %
               CELLS]++;
        positive[0] += z[0] > 0;
        positive[1] += z[d - 1] > 0;
        /* for a uniform direction each coordinate is longest equally often */
        size_t longest = 0;
        for (size_t i = 1; i < d; i++)
            longest = llabs(z[i]) > llabs(z[longest]) ? i : longest;
        side += longest == 0;
    }
    for (int c = 0; c < CELLS; c++)
        p[c] = 1.0 / CELLS;
    size_t degrees;
    double chi = chi_square(radial, p, CELLS, 0, DRAWS, &degrees);
    assert_true(chi <= chi_square_limit(degrees));
    assert_true(believable(positive[0], DRAWS, 0.5));
    assert_true(believable(positive[1], DRAWS, 0.5));
    assert_true(believable(side, DRAWS, 1.0 / (double)d));
    free(scratch);
    free(z);
    kith_i_entropy_close(&e);
}

static void test_law(void **state)
{
    (void)state;
    check_law(1, (kith_i_scale){1000003, 0}, 1);
    check_law(2, (kith_i_scale){1ull << 40, 20}, 2);
    check_law(5, (kith_i_scale){1ull << 40, 10}, 3);
    check_law(20, (kith_i_scale){1ull << 45, 0}, 4);
}

/* One dimension, small scale: rounded Laplace, exact cell probabilities. */
static void test_rounding(void **state)
{
    (void)state;
    enum { HALF = 20, DRAWS = 200000 };
    kith_i_scale b = {3, 1};
    kith_i_entropy_source source = {.seeded = 1, .seed = 9};
    kith_i_entropy e;
    kith_i_entropy_open(&e, &source, 0);
    void *scratch = malloc(kith_i_knorm_scratch(1));
    uint64_t seen[2 * HALF + 1] = {0}, rest = 0;
    double p[2 * HALF + 1];
    for (int t = 0; t < DRAWS; t++) {
        int64_t z = 0;
        kith_i_sample_knorm(&e, (kith_i_scale[2]){b, b}, 1, 1, scratch, &z);
        if (z < -HALF || z > HALF)
            rest++;
        else
            seen[z + HALF]++;
    }
    for (int x = -HALF; x <= HALF; x++) {
        double low = (abs(x) - 0.5) / 1.5, high = (abs(x) + 0.5) / 1.5;
        p[x + HALF] = x == 0 ? 1 - exp(-high) : (exp(-low) - exp(-high)) / 2;
    }
    size_t degrees;
    double chi = chi_square(seen, p, 2 * HALF + 1, rest, DRAWS, &degrees);
    assert_true(chi <= chi_square_limit(degrees));
    free(scratch);
}

/* Given |h|, coordinates are independent normals: for the product law the
 * squares of two coordinates are positively correlated as E z1^2 z2^2 =
 * b^4 E|h|^4 = b^4 (d+1)(d+3), against (d+1)^2 if they were independent. */
static void test_joint(void **state)
{
    (void)state;
    enum { D = 3, DRAWS = 100000 };
    kith_i_scale b = {1ull << 30, 10};
    double scale = kith_i_scale_value(b), sum = 0, square = 0;
    kith_i_entropy_source source = {.seeded = 1, .seed = 10};
    kith_i_entropy e;
    kith_i_entropy_open(&e, &source, 0);
    void *scratch = malloc(kith_i_knorm_scratch(D));
    for (int t = 0; t < DRAWS; t++) {
        int64_t z[D] = {0};
        kith_i_sample_knorm(&e, (kith_i_scale[2]){b, b}, D, D, scratch, z);
        double x = (double)z[0] / scale, y = (double)z[1] / scale;
        double v = fmin(x * x * y * y, 3000); /* bounded: Bernstein applies */
        sum += v;
        square += v * v;
    }
    double mean = sum / DRAWS,
           sd = sqrt((square / DRAWS - mean * mean) / DRAWS);
    /* 24 = (d+1)(d+3); clipping at 3000 loses < 0.5; 16 if independent */
    assert_true(fabs(mean - 24) < 6 * sd + 0.5);
    assert_true(mean > 19);
    free(scratch);
}

/* Two scales: the second part is the first part's law, stretched. */
static void test_split(void **state)
{
    (void)state;
    enum { D = 4 };
    kith_i_scale same[2] = {{1 << 20, 0}, {1 << 20, 0}};
    kith_i_scale two[2] = {{1 << 20, 0}, {1 << 22, 0}};
    void *scratch = malloc(kith_i_knorm_scratch(D));
    for (uint64_t seed = 0; seed < 200; seed++) {
        kith_i_entropy_source source = {.seeded = 1, .seed = seed};
        kith_i_entropy e;
        int64_t a[D] = {0}, b[D] = {0};
        kith_i_entropy_open(&e, &source, 0);
        kith_i_sample_knorm(&e, same, 2, D, scratch, a);
        kith_i_entropy_open(&e, &source, 0);
        kith_i_sample_knorm(&e, two, 2, D, scratch, b);
        for (int i = 0; i < D; i++) /* same words, same deviates */
            assert_true(llabs(b[i] - a[i] * (i < 2 ? 1 : 4)) <=
                        (i < 2 ? 0 : 2));
    }
    free(scratch);
}

/* Vectors get their own scales, streams and no word twice; threads do not
 * matter. */
static void test_vectors(void **state)
{
    (void)state;
    enum { V = 40, W = 7 };
    kith_i_scale scales[V];
    for (int v = 0; v < V; v++)
        scales[v] = (kith_i_scale){(uint64_t)1000 << v % 20, 0};
    int64_t a[V * W] = {0}, b[V * W] = {0};
    kith_i_entropy_source source = {.seeded = 1, .seed = 11};
    kith_i_noise noise = {.scales = scales,
                          .per_scale = W,
                          .source = &source,
                          .stream = 3,
                          .threads = 1};
    assert_int_equal(kith_i_noise_add_knorm(&noise, a, V, NULL), KITH_OK);
    noise.threads = 3;
    assert_int_equal(kith_i_noise_add_knorm(&noise, b, V, NULL), KITH_OK);
    assert_memory_equal(a, b, sizeof a);
    for (int v = 0; v < V; v++) {
        double square = 0, scale = kith_i_scale_value(scales[v]);
        for (int i = 0; i < W; i++)
            square += pow((double)a[v * W + i] / scale, 2);
        /* Gamma(7) in [0.2, 60]: outside with probability < 1e-9 */
        assert_true(sqrt(square) > 0.2 && sqrt(square) < 60);
        if (v >= 20)
            assert_memory_not_equal(a + v * W, a + (v - 20) * W, W * sizeof *a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_law),     cmocka_unit_test(test_rounding),
        cmocka_unit_test(test_joint),   cmocka_unit_test(test_split),
        cmocka_unit_test(test_vectors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

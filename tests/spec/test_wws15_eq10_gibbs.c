/* The chains draw from what they say they draw from.
 *
 * Gibbs (Eq. 10 to 12): Geweke's joint test (2004) on k = 2, d = 3, q = 1. Rows
 * are unit vectors with density exp(b (u_z . x)^2), z uniform, planes uniform:
 * all normalising constants are free of the planes, so (planes, rows) have a
 * joint law whose planes are uniform. A chain that alternates fresh rows given
 * the planes with one sweep given the rows must keep it; with several sweeps
 * too, of which the later ones move rows between sums instead of adding all.
 *
 * Least cost: against numerical integration over two angles, k = 2, d = 2.
 *
 * Seeded; every assertion has a false-alarm rate of at most 1e-6. */
#include <math.h>

#include "subspace/chain.h"
#include "support/cmocka_all.h"
#include "support/seeded_words.h"
#include "support/stat.h"

enum { K = 2, D = 3, N = 6, STRIDE = 4, BATCHES = 100, STATISTICS = 6 };

/* x with density exp(b (u . x)^2) on the sphere, by plain rejection: nothing
 * of the library. */
static void draw_row(kith_i_coins *coins, const double *u, double b, double *x)
{
    for (;;) {
        double length = 0, dot = 0;
        for (int i = 0; i < D; i++) {
            x[i] = kith_i_coins_normal(coins);
            length += x[i] * x[i];
        }
        for (int i = 0; i < D; i++) {
            x[i] /= sqrt(length);
            dot += u[i] * x[i];
        }
        if (kith_i_coins_unit(coins) < exp(b * (dot * dot - 1)))
            return;
    }
}

static void fresh_rows(kith_i_coins *coins, const double *planes, double b,
                       double *x)
{
    for (int r = 0; r < N; r++)
        draw_row(coins, planes + D * kith_i_coins_below(coins, K), b,
                 x + r * STRIDE);
}

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void statistics(const double *planes, const double *x, double *out)
{
    const double *u = planes, *v = planes + D;
    double a = dot(u, v), c = dot(x, x + STRIDE), e = dot(u, x);
    out[0] = a * a;
    out[1] = u[0] * u[0];
    out[2] = v[2] * v[2];
    out[3] = c * c;
    out[4] = e * e;
    out[5] = a * a * e * e;
}

typedef struct {
    double mean[STATISTICS], sd[STATISTICS];
} summary;

static summary summarize(double batch[BATCHES][STATISTICS])
{
    summary s = {0};
    for (int t = 0; t < STATISTICS; t++) {
        double square = 0;
        for (int i = 0; i < BATCHES; i++)
            s.mean[t] += batch[i][t] / BATCHES;
        for (int i = 0; i < BATCHES; i++)
            square += pow(batch[i][t] - s.mean[t], 2);
        s.sd[t] = sqrt(square / (BATCHES - 1) / BATCHES);
    }
    return s;
}

/* Independent pairs of planes and rows. */
static summary direct(double b, int per_batch, uint64_t seed)
{
    double batch[BATCHES][STATISTICS] = {{0}}, x[N * STRIDE] = {0}, out[8];
    kith_i_coins coins;
    kith_i_coins_seed(&coins, seed, 1);
    kith_i_words words;
    kith_i_coins inner;
    seeded_words(&words, &inner, seed);
    for (int i = 0; i < BATCHES * per_batch; i++) {
        double planes[K * D];
        for (int l = 0; l < K; l++)
            kith_i_plane_haar(planes + l * D, 1, D, &words);
        fresh_rows(&coins, planes, b, x);
        statistics(planes, x, out);
        for (int t = 0; t < STATISTICS; t++)
            batch[i / per_batch][t] += out[t] / per_batch;
    }
    return summarize(batch);
}

/* The alternating chain. */
static summary alternating(double b, double told, uint32_t sweeps,
                           int per_batch, uint64_t seed)
{
    double batch[BATCHES][STATISTICS] = {{0}}, x[N * STRIDE] = {0}, out[8];
    double planes[K * D];
    kith_i_coins coins, inner;
    kith_i_coins_seed(&coins, seed, 1);
    kith_i_words words;
    seeded_words(&words, &inner, seed);
    for (int l = 0; l < K; l++)
        kith_i_plane_haar(planes + l * D, 1, D, &words);
    kith_i_chain_job job = {K, 1, D, sweeps};
    kith_i_chain_rows rows = {
        .x = x, .n = N, .d = D, .stride = STRIDE, .exponent = told};
    for (int i = 0; i < BATCHES * per_batch; i++) {
        fresh_rows(&coins, planes, b, x);
        assert_int_equal(
            kith_i_gibbs_sample(&job, &rows, &words, planes, NULL, NULL),
            KITH_OK);
        statistics(planes, x, out);
        for (int t = 0; t < STATISTICS; t++)
            batch[i / per_batch][t] += out[t] / per_batch;
    }
    return summarize(batch);
}

/* Largest difference in standard deviations. */
static double difference(summary a, summary b)
{
    double worst = 0;
    for (int t = 0; t < STATISTICS; t++) {
        double z = fabs(a.mean[t] - b.mean[t]) /
                   sqrt(a.sd[t] * a.sd[t] + b.sd[t] * b.sd[t]);
        worst = fmax(worst, z);
    }
    return worst;
}

/* Six t variables of 99 degrees or more: 5.6 is exceeded with less than
 * 1e-6 in all. */
static void test_geweke(void **state)
{
    (void)state;
    static const struct {
        double b;
        uint32_t sweeps;
        int draws; /* of each batch */
    } runs[] = {{1.5, 1, 900}, {5, 1, 900}, {5, 4, 300}};
    summary want = {0};
    for (int i = 0; i < 3; i++) {
        double b = runs[i].b;
        if (i < 2)
            want = direct(b, 900, 5);
        summary got = alternating(b, b, runs[i].sweeps, runs[i].draws, 6);
        double z = difference(want, got);
        print_message("b = %g, %u sweeps: largest difference %.2f sd\n", b,
                      runs[i].sweeps, z);
        assert_true(z < 5.6);
    }
    /* and it can fail: a sampler that believes in four fifths of the exponent
     */
    double z = difference(want, alternating(5, 4, 1, 400, 6));
    print_message("with 4/5 of the exponent: %.1f sd\n", z);
    assert_true(z > 8);
}

/* ---- least cost ---- */

enum { POINTS = 5, GRID = 360 };

static double least_cost(const double *x, double s, double t)
{
    double sum = 0;
    for (int r = 0; r < POINTS; r++) {
        const double *p = x + r * STRIDE;
        double a = p[0] * cos(s) + p[1] * sin(s);
        double b = p[0] * cos(t) + p[1] * sin(t);
        sum += p[0] * p[0] + p[1] * p[1] - fmax(a * a, b * b);
    }
    return sum;
}

static void test_least_cost(void **state)
{
    (void)state;
    double x[POINTS * STRIDE] = {0}, b = 3, total = 0, want[2] = {0};
    for (int r = 0; r < POINTS; r++) {
        x[r * STRIDE] = cos(1.3 * r * r);
        x[r * STRIDE + 1] = sin(1.3 * r * r);
    }
    for (int i = 0; i < GRID; i++)
        for (int j = 0; j < GRID; j++) {
            double s = M_PI * (i + .5) / GRID, t = M_PI * (j + .5) / GRID;
            double cost = least_cost(x, s, t), w = exp(-b * cost);
            total += w;
            want[0] += w * cost;
            want[1] += w * pow(cos(s - t), 2);
        }
    kith_i_coins coins;
    kith_i_words words;
    seeded_words(&words, &coins, 9);
    kith_i_chain_job job = {2, 1, 2, 150};
    kith_i_chain_rows rows = {
        .x = x, .n = POINTS, .d = 2, .stride = STRIDE, .exponent = b};
    enum { RUNS = 2500 };
    double mean[2] = {0}, square[2] = {0};
    for (int run = 0; run < RUNS; run++) {
        double planes[4], f[2];
        for (int l = 0; l < 2; l++)
            kith_i_plane_haar(planes + 2 * l, 1, 2, &words);
        assert_int_equal(
            kith_i_mincost_sample(&job, &rows, &words, planes, NULL, NULL),
            KITH_OK);
        f[0] = least_cost(x, atan2(planes[1], planes[0]),
                          atan2(planes[3], planes[2]));
        f[1] = pow(planes[0] * planes[2] + planes[1] * planes[3], 2);
        for (int t = 0; t < 2; t++) {
            mean[t] += f[t] / RUNS;
            square[t] += f[t] * f[t] / RUNS;
        }
    }
    for (int t = 0; t < 2; t++) { /* two normal variables beyond 5.1 */
        double sd = sqrt((square[t] - mean[t] * mean[t]) / RUNS);
        print_message("%g: %g +- %g\n", want[t] / total, mean[t], sd);
        assert_true(fabs(mean[t] - want[t] / total) < 5.1 * sd);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_geweke),
        cmocka_unit_test(test_least_cost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

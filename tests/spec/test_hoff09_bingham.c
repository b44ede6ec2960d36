/* Bingham draws (Hoff 2009): against numerical integration on the
 * circle and the sphere, column sweeps and the Cholesky variant against the
 * exact joint sampler, and the updates of Q and W against recomputation. Every
 * assertion is seeded and has a false-alarm rate of at most 1e-6. */
#include <math.h>

#include "kernel/linear.h"
#include "subspace/bingham_draw.h"
#include "support/cmocka_all.h"
#include "support/seeded_words.h"
#include "support/stat.h"

enum { BINS = 24, DRAWS = 40000 };

static kith_i_bingham space_of(uint32_t d, uint32_t q)
{
    kith_i_bingham s;
    assert_int_equal(kith_i_bingham_open(&s, d, q, NULL), KITH_OK);
    return s;
}

/* d = 2: the angle modulo pi has density exp(z'Bz). */
static void check_circle(double a, double b, double c, uint64_t seed)
{
    double matrix[4] = {a, b, b, c}, p[BINS] = {0}, total = 0;
    enum { FINE = 2000 };
    for (int i = 0; i < BINS * FINE; i++) {
        double t = M_PI * (i + .5) / (BINS * FINE), x = cos(t), y = sin(t);
        double w = exp(a * x * x + 2 * b * x * y + c * y * y - fabs(a) -
                       fabs(b) - fabs(c));
        p[i / FINE] += w;
        total += w;
    }
    for (int i = 0; i < BINS; i++)
        p[i] /= total;
    kith_i_coins coins;
    kith_i_words words;
    seeded_words(&words, &coins, seed);
    kith_i_bingham s = space_of(2, 1);
    uint64_t seen[BINS] = {0};
    for (int i = 0; i < DRAWS; i++) {
        double z[2];
        kith_i_bingham_vector(&s, matrix, 2, 2, &words, z);
        assert_true(fabs(z[0] * z[0] + z[1] * z[1] - 1) < 1e-12);
        double t = atan2(z[1], z[0]);
        t = t < 0 ? t + M_PI : t;
        int bin = (int)(t / M_PI * BINS);
        seen[bin < BINS ? bin : BINS - 1]++;
    }
    size_t degrees;
    double x = chi_square(seen, p, BINS, 0, DRAWS, &degrees);
    if (x > chi_square_limit(degrees))
        fail_msg("circle %g %g %g: chi square %g, %zu degrees", a, b, c, x,
                 degrees);
    kith_i_bingham_close(&s);
}

static void test_circle(void **state)
{
    (void)state;
    check_circle(0, 0, 0, 1);
    check_circle(3, 1, -2, 2);
    check_circle(40, -25, 5, 3);
    check_circle(-30, 8, -90, 4); /* negative definite */
}

/* d = 3: bins of (z_1^2, z_2^2), integrated over latitude and longitude. */
static void check_sphere(const double *matrix, uint64_t seed)
{
    enum { SIDE = 5, CELLS = SIDE * SIDE, LATITUDES = 600, LONGITUDES = 600 };
    double p[CELLS] = {0}, total = 0;
    for (int i = 0; i < LATITUDES; i++)
        for (int j = 0; j < LONGITUDES; j++) {
            double h = -1 + 2 * (i + .5) / LATITUDES; /* equal areas */
            double t = 2 * M_PI * (j + .5) / LONGITUDES, r = sqrt(1 - h * h);
            double z[3] = {r * cos(t), r * sin(t), h}, form = 0;
            for (int u = 0; u < 9; u++)
                form += matrix[u] * z[u / 3] * z[u % 3];
            int a = (int)(z[0] * z[0] * SIDE), b = (int)(z[1] * z[1] * SIDE);
            p[a * SIDE + b] += exp(form);
            total += exp(form);
        }
    for (int i = 0; i < CELLS; i++)
        p[i] /= total;
    kith_i_coins coins;
    kith_i_words words;
    seeded_words(&words, &coins, seed);
    kith_i_bingham s = space_of(3, 1);
    uint64_t seen[CELLS] = {0};
    double first = 0;
    for (int i = 0; i < DRAWS; i++) {
        double z[3];
        kith_i_bingham_vector(&s, matrix, 3, 3, &words, z);
        seen[(int)(z[0] * z[0] * SIDE) * SIDE + (int)(z[1] * z[1] * SIDE)]++;
        first += z[0];
    }
    size_t degrees;
    double x = chi_square(seen, p, CELLS, 0, DRAWS, &degrees);
    if (x > chi_square_limit(degrees))
        fail_msg("sphere: chi square %g, %zu degrees", x, degrees);
    /* z and -z are equally likely: Hoeffding */
    assert_true(fabs(first) < sqrt(2 * DRAWS * (ALARM + log(2.0))));
    kith_i_bingham_close(&s);
}

static void test_sphere(void **state)
{
    (void)state;
    const double flat[9] = {.5, .2, 0, .2, .1, -.3, 0, -.3, 0};
    const double peaked[9] = {6, 2, 1, 2, 3, -2, 1, -2, -4};
    check_sphere(flat, 5);
    check_sphere(peaked, 6);
}

/* ---- planes ---- */

/* A random symmetric matrix, eigenvalues about +-scale. */
static void random_matrix(double *a, uint32_t d, double scale, uint64_t seed)
{
    kith_i_coins coins;
    kith_i_coins_seed(&coins, seed, 4);
    for (uint32_t i = 0; i < d; i++)
        for (uint32_t j = 0; j <= i; j++)
            a[i * d + j] = a[j * d + i] = scale * kith_i_coins_normal(&coins);
}

static double form_of(const double *a, uint32_t d, const double *rows,
                      uint32_t q)
{
    double sum = 0;
    for (uint32_t t = 0; t < q; t++)
        for (uint32_t i = 0; i < d; i++)
            for (uint32_t j = 0; j < d; j++)
                sum += rows[t * d + i] * a[i * d + j] * rows[t * d + j];
    return sum;
}

/* After a sweep Q is orthonormal and W = Q A Q'. */
static void test_updates(void **state)
{
    (void)state;
    enum { D = 7 };
    double a[D * D], basis[D * D], again[D * D], scratch[D * D];
    kith_i_coins coins;
    kith_i_words words;
    seeded_words(&words, &coins, 8);
    for (uint32_t q = 1; q < D; q++) {
        random_matrix(a, D, 3, q);
        kith_i_bingham s = space_of(D, q);
        kith_i_plane_haar(basis, D, D, &words);
        for (int i = 0; i < 20; i++)
            kith_i_bingham_sweep(&s, a, &words, basis);
        kith_i_congruence(basis, a, D, scratch, again);
        for (int i = 0; i < D * D; i++)
            assert_true(fabs(again[i] - s.w[i]) < 1e-10);
        for (int i = 0; i < D; i++)
            for (int j = 0; j < D; j++) {
                double dot = 0;
                for (int t = 0; t < D; t++)
                    dot += basis[i * D + t] * basis[j * D + t];
                assert_true(fabs(dot - (i == j)) < 1e-12);
            }
        kith_i_bingham_close(&s);
    }
}

typedef struct {
    double mean, sd; /* of the mean */
} estimate;

enum { BATCHES = 100 };

/* Mean of f over batches, whose means are about independent. */
static estimate of_batches(const double *batch)
{
    double mean = 0, square = 0;
    for (int i = 0; i < BATCHES; i++)
        mean += batch[i] / BATCHES;
    for (int i = 0; i < BATCHES; i++)
        square += (batch[i] - mean) * (batch[i] - mean);
    return (estimate){mean, sqrt(square / (BATCHES - 1) / BATCHES)};
}

/* A t variable with 99 degrees of freedom exceeds 5.2 with probability 1e-6;
 * the difference of two estimates has at least as many. */
static void agree(const char *what, estimate x, estimate y)
{
    double z = fabs(x.mean - y.mean) / sqrt(x.sd * x.sd + y.sd * y.sd);
    if (!(z < 5.3))
        fail_msg("%s: %g +- %g and %g +- %g", what, x.mean, x.sd, y.mean, y.sd);
}

typedef enum { JOINT, SWEEP, FLAT } sampler;

/* Means of tr U A U', of its square, and of the first axis' share. */
static void moments(sampler kind, const double *a, uint32_t d, uint32_t q,
                    int per_batch, uint64_t seed, estimate out[3])
{
    kith_i_coins coins;
    kith_i_words words;
    seeded_words(&words, &coins, seed);
    kith_i_bingham s = space_of(d, q);
    double basis[64] = {0}, batch[3][BATCHES] = {{0}};
    kith_i_plane_haar(basis, d, d, &words);
    for (int i = 0; kind == SWEEP && i < 50; i++)
        kith_i_bingham_sweep(&s, a, &words, basis);
    for (int i = 0; i < BATCHES * per_batch; i++) {
        if (kind == SWEEP)
            kith_i_bingham_sweep(&s, a, &words, basis);
        else if (kind == JOINT)
            assert_int_equal(
                kith_i_bingham_joint(&s, a, 1000000, &words, basis), 1);
        else
            assert_int_equal(kith_i_bingham_flat(&s, a, &words, basis), 1);
        double f = form_of(a, d, basis, q), share = 0;
        for (uint32_t t = 0; t < q; t++)
            share += basis[t * d] * basis[t * d];
        batch[0][i / per_batch] += f / per_batch;
        batch[1][i / per_batch] += f * f / per_batch;
        batch[2][i / per_batch] += share / per_batch;
    }
    for (int t = 0; t < 3; t++)
        out[t] = of_batches(batch[t]);
    kith_i_bingham_close(&s);
}

static void compare(sampler kind, uint32_t d, uint32_t q, double scale,
                    int draws, uint64_t seed)
{
    double a[64];
    estimate exact[3], other[3];
    random_matrix(a, d, scale, seed);
    moments(JOINT, a, d, q, draws, seed, exact);
    moments(kind, a, d, q, draws, seed + 1000, other);
    agree("tr UAU'", exact[0], other[0]);
    agree("its square", exact[1], other[1]);
    agree("first axis", exact[2], other[2]);
}

static void test_sweep_and_joint(void **state)
{
    (void)state;
    compare(SWEEP, 5, 2, 1, 150, 11);
    compare(SWEEP, 5, 3, 3, 150, 12); /* the dual */
    compare(SWEEP, 5, 1, 4, 150, 13);
    compare(SWEEP, 5, 4, 2, 150, 14);
}

static void test_flat_and_joint(void **state)
{
    (void)state;
    compare(FLAT, 5, 2, .2, 150, 21);
    compare(FLAT, 6, 3, .15, 150, 22);
}

/* A plane of dimension 1 is a vector: E z'Az from the integral in d = 3. */
static void test_joint_and_integral(void **state)
{
    (void)state;
    double a[9], up = 0, down = 0;
    random_matrix(a, 3, 2, 31);
    for (int i = 0; i < 800; i++)
        for (int j = 0; j < 800; j++) {
            double h = -1 + 2 * (i + .5) / 800, t = 2 * M_PI * (j + .5) / 800;
            double r = sqrt(1 - h * h), z[3] = {r * cos(t), r * sin(t), h};
            double f = form_of(a, 3, z, 1);
            up += f * exp(f);
            down += exp(f);
        }
    estimate e[3];
    moments(JOINT, a, 3, 1, 200, 32, e);
    agree("integral", e[0], (estimate){up / down, 1e-6});
    moments(SWEEP, a, 3, 1, 200, 33, e); /* q = 1: independent draws */
    agree("integral", e[0], (estimate){up / down, 1e-6});
}

/* Gives up when proposals would be rejected, and says so. */
static void test_giving_up(void **state)
{
    (void)state;
    double a[64], plane[64] = {42};
    kith_i_coins coins;
    kith_i_words words;
    seeded_words(&words, &coins, 41);
    random_matrix(a, 8, 500, 42);
    kith_i_bingham s = space_of(8, 4);
    assert_int_equal(kith_i_bingham_flat(&s, a, &words, plane), 0);
    assert_int_equal(kith_i_bingham_joint(&s, a, 0, &words, plane), 0);
    assert_true(plane[0] == 42);
    kith_i_bingham_close(&s);
    s = space_of(3, 3); /* q = d: only one plane */
    assert_int_equal(kith_i_bingham_joint(&s, a, 1, &words, plane), 1);
    assert_true(plane[0] == 1 && plane[1] == 0 && plane[8] == 1);
    kith_i_bingham_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_circle),
        cmocka_unit_test(test_sphere),
        cmocka_unit_test(test_updates),
        cmocka_unit_test(test_sweep_and_joint),
        cmocka_unit_test(test_flat_and_joint),
        cmocka_unit_test(test_joint_and_integral),
        cmocka_unit_test(test_giving_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

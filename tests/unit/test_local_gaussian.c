/* The Gaussian vector of the reference mode: erratum E3 (docs/local.md) as a
 * regression test. What is sent is recentred, so any two inputs, in whichever
 * regions or in none, are within the sensitivity that sigma pays for; without
 * recentring they would not be. */
#include <math.h>

#include "collect/collect_i.h"
#include "device/randomize.h"
#include "simulate/user_respond.h"
#include "support/cmocka_all.h"
#include "support/gdp_delta.h"

enum { D = 3, CELLS = 8 };
static const double HALF[] = {1, 1, 1};
static const uint64_t KEYS[] = {0, 1, 2, 3, 4, 5}; /* cells 6, 7: no region */

/* Tiny regions far from the origin. */
static kith_i_question question_of(double radius, double *centers,
                                   double *radii)
{
    for (int j = 0; j < 6; j++) {
        radii[j] = radius;
        for (int i = 0; i < D; i++)
            centers[j * D + i] = j >> i & 1 ? .5 : -.5;
    }
    return (kith_i_question){
        .what = "E3",
        .share = 1,
        .epsilon = .5,
        .delta = 1e-6,
        .randomizer = KITH_I_RANDOMIZER_GAUSSIAN,
        .report = KITH_I_REPORT_VECTOR,
        .place = {.kind = KITH_I_PLACE_LIST,
                  .places = 6,
                  .grid = {.lens = {D, D, NULL, NULL, HALF},
                           .side = 1,
                           .cells = 2},
                  .keys = KEYS},
        .centers = centers,
        .radii = radii};
}

/* The report without its noise. */
static void send(const kith_i_question *q, const kith_i_mechanism *m,
                 const double *x, int sign, int32_t *out)
{
    float vector[D + 1];
    kith_i_entropy e;
    kith_i_entropy_source source = {.seeded = 1};
    kith_i_mechanism quiet = *m;
    quiet.sigma = (kith_i_scale){1, 40}; /* rounds to 0 */
    kith_i_encode(q, D, x, 0, vector);
    kith_i_entropy_open(&e, &source, 0);
    kith_i_gaussian_vector(&quiet, vector, sign, &e, out);
    kith_i_entropy_close(&e);
}

static void test_any_two_inputs_are_within_sensitivity(void **state)
{
    (void)state;
    const int64_t apart = 2 * KITH_I_GAUSSIAN_UNIT;
    int64_t largest = 0;
    for (int t = 0; t < 3; t++) {
        double centers[6 * D], radii[6];
        kith_i_question q = question_of(pow(10, -t) / 2, centers, radii);
        kith_i_mechanism m;
        kith_error err;
        if (kith_i_mechanism_make(&q, D, &m, &err))
            fail_msg("%s", err.message);
        kith_i_coins coins;
        kith_i_coins_seed(&coins, 5, (uint64_t)t);
        for (int n = 0; n < 4000; n++) {
            int32_t a[D], b[D];
            double x[D], y[D], near = n % 4 == 0 ? 1 : radii[0];
            for (int i = 0; i < D; i++) {
                double r = 2 * kith_i_coins_unit(&coins) - 1;
                x[i] = 2 * kith_i_coins_unit(&coins) - 1;
                x[i] = (x[i] < 0 ? -.5 : .5) + near * r;
                y[i] = n % 3 == 0 ? 2 * (x[i] < 0 ? -.5 : .5) - x[i]
                                  : 2 * kith_i_coins_unit(&coins) - 1;
            }
            send(&q, &m, x, 1, a);
            send(&q, &m, y, n % 2 ? 1 : -1, b);
            int64_t square = 0;
            for (int i = 0; i < D; i++)
                square += (int64_t)(a[i] - b[i]) * (a[i] - b[i]);
            assert_true(square <= apart * apart);
            largest = square > largest ? square : largest;
        }
        /* sigma pays for exactly that, and not for much more. */
        double sigma = kith_i_scale_value(m.sigma);
        double mu = (double)apart / sigma;
        assert_true(gdp_delta(q.epsilon, mu) <= q.delta);
        assert_true(gdp_delta(q.epsilon, mu * 1.001) > q.delta);
    }
    assert_true((double)largest > .99 * (double)apart * (double)apart);
}

/* The bound does not rest on the encoder: a vector that is too long, or is not
 * one, is cut down in integers. */
static void test_too_long_is_cut(void **state)
{
    (void)state;
    static const float odd[][D] = {{.9f, .9f, .9f},    {5, -5, 5},
                                   {1, 1e-3f, 0},      {NAN, 1, 1},
                                   {INFINITY, 0, .5f}, {-1e30f, 1e30f, 1}};
    const int64_t unit = KITH_I_GAUSSIAN_UNIT;
    kith_i_mechanism quiet = {
        .kind = KITH_I_RANDOMIZER_GAUSSIAN, .kept = D, .sigma = {1, 40}};
    kith_i_entropy e;
    kith_i_entropy_source source = {.seeded = 1};
    kith_i_entropy_open(&e, &source, 0);
    for (size_t n = 0; n < sizeof odd / sizeof *odd; n++) {
        int32_t a[D];
        int64_t square = 0;
        kith_i_gaussian_vector(&quiet, odd[n], 1, &e, a);
        for (int i = 0; i < D; i++)
            square += (int64_t)a[i] * a[i];
        assert_true(square <= unit * unit);
    }
    kith_i_entropy_close(&e);
}

/* A user in no region sends noise alone, of the same length. */
static void test_no_region(void **state)
{
    (void)state;
    double centers[6 * D], radii[6], x[D] = {-.5, .5, .5};
    kith_i_question q = question_of(.05, centers, radii);
    kith_i_mechanism m;
    assert_int_equal(kith_i_mechanism_make(&q, D, &m, NULL), KITH_OK);
    int32_t a[D];
    send(&q, &m, x, 1, a);
    for (int i = 0; i < D; i++)
        assert_int_equal(a[i], 0);
    assert_int_equal(kith_i_report_bytes(&m), 40 + 4 * D);
}

/* What the erratum says the printed protocol does: x itself is added to its
 * block, so a move out of a region of this diameter changes two blocks by |x|
 * = .7 where the noise is 8 diam sqrt(ln(1.25 / delta)) / epsilon. */
static void test_printed_protocol_is_not_private(void **state)
{
    (void)state;
    static const double diameters[] = {.1, .01, .001};
    static const double deltas[] = {.012, .87, 1};
    for (int i = 0; i < 3; i++) {
        double sigma = 8 * diameters[i] * sqrt(log(1.25e6));
        double mu = .7 * M_SQRT2 / sigma;
        double delta = gdp_delta(.5, mu);
        assert_true(fabs(delta - deltas[i]) < .01);
        assert_true(delta > 1e-6);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_two_inputs_are_within_sensitivity),
        cmocka_unit_test(test_too_long_is_cut),
        cmocka_unit_test(test_no_region),
        cmocka_unit_test(test_printed_protocol_is_not_private),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

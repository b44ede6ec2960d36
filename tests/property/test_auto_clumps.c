/* auto on clusters that are small and far apart: each must get a centre (a pair
 * in one fine cell of A8 would share one), and the centre must be near. Judged
 * by the cost against that of the true centres. Seeded, so there are no false
 * alarms. */
#include "support/make_data.h"

#include <math.h>

typedef struct {
    uint32_t k, d;
    size_t n;
    double within; /* sd of a cluster */
    double epsilon, delta;
    uint64_t seed, seeds; /* of the runs */
} clumps;

static const double spread = .22; /* of the centres */

static double *make_clumps(const clumps *c, double *centers)
{
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 8, 1);
    double *rows = malloc(c->n * c->d * sizeof *rows);
    assert_non_null(rows);
    for (size_t i = 0; i < (size_t)c->k * c->d; i++)
        centers[i] = fmax(-.9, fmin(.9, spread * kith_i_coins_normal(&coins)));
    for (size_t i = 0; i < c->n * c->d; i++)
        rows[i] = centers[i / c->d % c->k * c->d + i % c->d] +
                  c->within * kith_i_coins_normal(&coins);
    return rows;
}

/* Mean squared distance of the rows from their own (true) or the nearest. */
static double cost_of(const clumps *c, const double *rows,
                      const double *centers, int own)
{
    double sum = 0;
    for (size_t r = 0; r < c->n; r++) {
        double best = HUGE_VAL;
        for (uint32_t j = 0; j < c->k; j++) {
            double square = 0;
            if (own && j != r % c->k)
                continue;
            for (uint32_t i = 0; i < c->d && square < best; i++)
                square += pow(rows[r * c->d + i] - centers[j * c->d + i], 2);
            best = fmin(best, square);
        }
        sum += best;
    }
    return sum;
}

/* Mean over the seeds; *worst: the largest. */
static double ratio(const clumps *c, double *worst)
{
    double *truth = malloc((size_t)c->k * c->d * sizeof *truth), sum = 0;
    assert_non_null(truth);
    double *rows = make_clumps(c, truth);
    double base = cost_of(c, rows, truth, 1);
    *worst = 0;
    for (uint64_t seed = c->seed; seed < c->seed + c->seeds; seed++) {
        kith_session *s =
            open_session(load(rows, c->n, c->d, unit_box()), c->epsilon,
                         c->delta, KITH_ADD_REMOVE, 1, seed);
        kith_kmeans_options opt;
        kith_kmeans_options_init(&opt, sizeof opt);
        opt.clusters = c->k;
        opt.public_seed = seed;
        kith_result *result = NULL;
        kith_error err = {0};
        if (kith_kmeans(s, &opt, &result, &err))
            fail_msg("%s", err.message);
        const double *centers = kith_result_centers(result, NULL, NULL);
        double now = cost_of(c, rows, centers, 0) / base;
        print_message("seed %llu: %.3f\n", (unsigned long long)seed, now);
        *worst = fmax(*worst, now);
        sum += now;
        kith_result_free(result);
        kith_session_close(s);
    }
    free(truth);
    free(rows);
    return sum / (double)c->seeds;
}

/* Random axes: sums start from what the view knows (1.21 from the mean). */
static void test_near(void **state)
{
    (void)state;
    double worst;
    clumps c = {20, 40, 20000, .03, 1, 0, 700, 4};
    assert_true(ratio(&c, &worst) < 1.15);
}

/* Random axes, seeds in which cells hold several clusters at first: 9.2 if
 * nothing is done about it, 4.3 (a pair in each run) with empty cells put to
 * use. */
static void test_random_axes(void **state)
{
    (void)state;
    double worst;
    clumps c = {40, 60, 30000, .02, 2, 0, 704, 3};
    assert_true(ratio(&c, &worst) < 6);
}

/* The second step that A10 pays for: else there is a pair in three of these
 * runs, and they cost 3.1 to 3.4. */
static void test_pure(void **state)
{
    (void)state;
    double worst;
    clumps c = {30, 40, 40000, .03, 1, 0, 700, 4};
    (void)ratio(&c, &worst);
    assert_true(worst < 2.3);
}

/* Between the two steps there are anyway: else 1.18 in the first run. */
static void test_gaussian(void **state)
{
    (void)state;
    double worst;
    clumps c = {60, 10, 60000, .03, .4, 1e-6, 706, 2};
    (void)ratio(&c, &worst);
    assert_true(worst < 1.08);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_near),
        cmocka_unit_test(test_random_axes),
        cmocka_unit_test(test_pure),
        cmocka_unit_test(test_gaussian),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

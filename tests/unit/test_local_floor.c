/* `auto` is not worse than one private mean, on data that have nothing for a
 * histogram to find: one round blob away from the middle of the bounds, asked
 * for five centres, where noise is large. By the law, seeded, so that the test
 * does the same each time. The limit of 1.05 is near what seeds do: d = 2, n =
 * 10000, epsilon .3 had 1.053 over the first three of the five. Mixtures, which
 * a histogram does find, must not have been given up for it. And `one-round`,
 * which cannot fall back on anything, does not return places in the noise. */
#include <math.h>

#include "base/base_i.h"
#include "kith/kith.h"
#include "support/cmocka_all.h"

enum { PLACES = 4, SEEDS = 5, BLOBS = 5 };

typedef struct {
    double *x;
    size_t n;
    uint32_t d;
    kith_dataset *data;
} crowd;

static void fill(crowd *c, const double *spots, uint32_t count, double sd,
                 uint64_t seed)
{
    static const kith_bounds ball = {.radius = 1};
    kith_i_coins coins;
    kith_i_coins_seed(&coins, seed, 3);
    for (size_t i = 0; i < c->n * c->d; i++)
        c->x[i] = spots[i / c->d % count * 3 + i % c->d % 3] *
                      (c->d > 3 ? M_SQRT1_2 : 1) +
                  sd * kith_i_coins_normal(&coins);
    assert_int_equal(
        kith_dataset_from_rows(c->x, c->n, c->d, &ball, &c->data, NULL),
        KITH_OK);
}

static double cost(const crowd *c, const double *centers, uint32_t k)
{
    double sum = 0;
    for (size_t r = 0; r < c->n; r++) {
        double best = HUGE_VAL;
        for (uint32_t j = 0; j < k; j++) {
            double square = 0;
            for (uint32_t i = 0; i < c->d; i++)
                square += pow(c->x[r * c->d + i] - centers[j * c->d + i], 2);
            best = fmin(best, square);
        }
        sum += best;
    }
    return sum / (double)c->n;
}

static double run(const crowd *c, kith_local_method method, double epsilon,
                  uint64_t seed)
{
    kith_local_options opt;
    kith_result *result = NULL;
    uint32_t k, d;
    kith_local_options_init(&opt, sizeof opt);
    opt.clusters = BLOBS;
    opt.epsilon = epsilon;
    opt.method = method;
    opt.law = opt.insecure = 1;
    opt.insecure_seed = opt.public_seed = seed;
    opt.threads = 1;
    assert_int_equal(kith_local_simulate(c->data, &opt, &result, NULL, NULL),
                     KITH_OK);
    const double *centers = kith_result_centers(result, &k, &d);
    double out = cost(c, centers, k);
    kith_result_free(result);
    return out;
}

static const double SPOTS[PLACES][3] = {
    {.7, .3, .1}, {0, 0, -.8}, {.5, .5, .3}, {-.1, .05, .02}};

/* n, epsilon: from where a mean is all that can be had to where k centres
 * pay. */
static const double CELLS[][2] = {
    {300, .5}, {1000, .5}, {2000, 1}, {10000, .3}, {20000, 1}};

static void blobs_are_no_worse_than_a_mean(void **state)
{
    (void)state;
    for (uint32_t d = 1; d <= 3; d++)
        for (size_t e = 0; e < sizeof CELLS / sizeof *CELLS; e++) {
            double of_auto = 0, of_mean = 0;
            crowd c = {.n = (size_t)CELLS[e][0], .d = d};
            c.x = malloc(c.n * d * sizeof *c.x);
            for (uint64_t p = 0; p < PLACES; p++) {
                fill(&c, SPOTS[p], 1, p % 2 ? .1 : .05, p);
                for (uint64_t s = 0; s < SEEDS; s++) {
                    of_auto += run(&c, KITH_LOCAL_AUTO, CELLS[e][1], s);
                    of_mean += run(&c, KITH_LOCAL_MEAN, CELLS[e][1], s);
                }
                kith_dataset_free(c.data);
            }
            free(c.x);
            print_message("d %u n %g epsilon %g: %.4f of the mean's cost\n", d,
                          CELLS[e][0], CELLS[e][1], of_auto / of_mean);
            assert_true(of_auto <= 1.05 * of_mean);
        }
}

/* Above three dimensions, where means of clusters are noise. */
static void so_above_three_dimensions(void **state)
{
    (void)state;
    static const double users[] = {2000, 5000};
    for (size_t e = 0; e < 2; e++) {
        double of_auto = 0, of_mean = 0;
        crowd c = {.n = (size_t)users[e], .d = 6};
        c.x = malloc(c.n * c.d * sizeof *c.x);
        for (uint64_t p = 0; p < PLACES; p++) {
            fill(&c, SPOTS[p], 1, .05, p);
            for (uint64_t s = 0; s < SEEDS; s++) {
                of_auto += run(&c, KITH_LOCAL_AUTO, 1, s);
                of_mean += run(&c, KITH_LOCAL_MEAN, 1, s);
            }
            kith_dataset_free(c.data);
        }
        free(c.x);
        print_message("d 6 n %g: %.4f of the mean's cost\n", users[e],
                      of_auto / of_mean);
        assert_true(of_auto <= 1.05 * of_mean);
    }
}

/* Four clusters: the mean costs about .4. */
static void mixtures_are_found(void **state)
{
    (void)state;
    static const double spots[4][3] = {
        {.5, .4, .3}, {-.5, .4, -.4}, {.1, -.6, .4}, {-.2, -.3, -.6}};
    for (uint32_t d = 2; d <= 3; d++) {
        crowd c = {.n = 20000, .d = d};
        double of_auto = 0, of_mean = 0;
        c.x = malloc(c.n * d * sizeof *c.x);
        fill(&c, spots[0], 4, .05, d);
        for (uint64_t s = 0; s < SEEDS; s++) {
            of_auto += run(&c, KITH_LOCAL_AUTO, 1, s);
            of_mean += run(&c, KITH_LOCAL_MEAN, 1, s);
        }
        print_message("d %u: %.4f\n", d, of_auto / of_mean);
        assert_true(of_auto < .25 * of_mean);
        kith_dataset_free(c.data);
        free(c.x);
    }
}

/* Three users cannot have 500 clusters, nor 67. */
static void few_users_have_few_centers(void **state)
{
    (void)state;
    for (uint32_t d = 2; d <= 6; d += 4) {
        double x[3 * 6] = {.1, .2, .3, .4, .5, .1, -.3};
        crowd c = {.x = x, .n = 3, .d = d};
        kith_local_options opt;
        kith_result *result = NULL;
        uint32_t k, dimension;
        static const kith_bounds ball = {.radius = 1};
        assert_int_equal(
            kith_dataset_from_rows(x, c.n, d, &ball, &c.data, NULL), KITH_OK);
        kith_local_options_init(&opt, sizeof opt);
        opt.clusters = 500;
        opt.epsilon = 1;
        opt.method = KITH_LOCAL_ONE_ROUND;
        opt.law = opt.insecure = 1;
        assert_int_equal(kith_local_simulate(c.data, &opt, &result, NULL, NULL),
                         KITH_OK);
        kith_result_centers(result, &k, &dimension);
        assert_int_equal(k, 1);
        kith_result_free(result);
        kith_dataset_free(c.data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blobs_are_no_worse_than_a_mean),
        cmocka_unit_test(so_above_three_dimensions),
        cmocka_unit_test(mixtures_are_found),
        cmocka_unit_test(few_users_have_few_centers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

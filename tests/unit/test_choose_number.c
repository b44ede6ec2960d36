/* How many clusters noisy points have: on heaps whose number is known, with
 * noise that hides it, with a run that could not pay for it; and on clouds
 * that have none. */
#include "solver/choose_number.h"
#include "support/cmocka_all.h"

#include <math.h>

enum { HEAPS = 6, EACH = 12, N = HEAPS * EACH, D = 2, FROM = 2, TO = 11 };

typedef struct {
    double coords[N * D], weights[N], noise[N], unsure[N];
    double curve[2 * (TO - FROM + 1)];
    kith_choice choice;
} table;

/* Heaps on a circle of radius 10, each 1 wide, of 100 rows a point; what is
 * chosen. */
static uint32_t choose(table *t, double noise, double blur, double inside)
{
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 5, 1);
    for (int i = 0; i < N; i++) {
        double turn = 2 * M_PI * (i % HEAPS) / HEAPS;
        t->coords[i * D] = 10 * cos(turn) + kith_i_coins_normal(&coins);
        t->coords[i * D + 1] = 10 * sin(turn) + kith_i_coins_normal(&coins);
        t->weights[i] = 100;
        t->noise[i] = noise;
        t->unsure[i] = noise * noise;
    }
    kith_i_noisy_points points = {.at = {t->coords, t->weights, N, D},
                                  .noise = t->noise,
                                  .unsure = t->unsure,
                                  .inside = inside,
                                  .blur = blur,
                                  .unit = 4};
    t->choice = (kith_choice){.from = FROM, .to = TO};
    assert_int_equal(
        kith_i_choose_number(&points, &coins, t->curve, &t->choice, NULL),
        KITH_OK);
    return t->choice.chosen;
}

static void test_heaps(void **state)
{
    (void)state;
    table t;
    assert_int_equal(choose(&t, .1, 1e-6, 0), HEAPS);
    assert_true(t.choice.stable && t.choice.agreed == t.choice.tries);
    assert_true(t.choice.bend > 3 * t.choice.cloud_bend);
    /* squares of 72 points of 100 rows about six means, in units of 4 */
    const double *cost = t.choice.cost + (HEAPS - FROM);
    double expect = 4 * 100. * D * (N - HEAPS);
    assert_true(*cost > .7 * expect && *cost < 1.3 * expect);
    for (int k = FROM; k < TO; k++) {
        assert_true(t.choice.cost[k - FROM] >= t.choice.cost[k + 1 - FROM]);
        double noise = 1e-6 * k * k * t.choice.cost[k - FROM];
        assert_true(fabs(t.choice.noise[k - FROM] / noise - 1) < 1e-9);
    }
    /* what lies next to the range decides at its ends, and is told */
    double first = t.choice.cost[0], last = t.choice.cost[TO - FROM];
    assert_true(t.choice.before > first && t.choice.after < last);
    double mean[D] = {0}, squares = 0; /* one cluster: about the mean */
    for (int i = 0; i < N * D; i++)
        mean[i % D] += t.coords[i] / N;
    for (int i = 0; i < N * D; i++)
        squares += 4 * 100 * pow(t.coords[i] - mean[i % D], 2);
    assert_true(fabs(t.choice.before / squares - 1) < 1e-9);
    double plain = *cost; /* what is inside of points is added */
    (void)choose(&t, .1, 1e-6, 500);
    assert_true(fabs(t.choice.cost[HEAPS - FROM] - plain - 2000) < 1e-6);
}

/* Noise as wide as the circle: weak, and by least cost and noise. */
static void test_weak(void **state)
{
    (void)state;
    table t;
    uint32_t chosen = choose(&t, 10, 1e-3, 0), least = FROM;
    assert_false(t.choice.stable);
    for (uint32_t k = FROM; k <= TO; k++)
        if (t.choice.cost[k - FROM] + t.choice.noise[k - FROM] <
            t.choice.cost[least - FROM] + t.choice.noise[least - FROM])
            least = k;
    assert_int_equal(chosen, least);
}

/* Six clusters would drown in the noise of the run: four at most. */
static void test_dear(void **state)
{
    (void)state;
    table t;
    assert_true(choose(&t, .1, .25 / (4.5 * 4.5), 0) <= 4);
}

/* Rows without clusters: even in a square, which four centres serve much better
 * than three, in a strip, which two serve much better than one, and round.
 * Fresh noise would choose the same, yet no choice is stable. */
static void test_clouds(void **state)
{
    (void)state;
    enum { SIDE = 30, ALL = SIDE * SIDE };
    static double coords[ALL * D], weights[ALL], noise[ALL], unsure[ALL];
    double curve[2 * (TO - FROM + 1)];
    for (int shape = 0; shape < 3; shape++) {
        kith_i_coins coins;
        kith_i_coins_seed(&coins, 7, (uint64_t)shape);
        for (int i = 0; i < ALL; i++) {
            coords[i * D] = shape == 2 ? kith_i_coins_normal(&coins)
                                       : 2. * (i % SIDE) / SIDE;
            coords[i * D + 1] = shape == 2 ? kith_i_coins_normal(&coins)
                                : shape    ? .1 * i / ALL
                                           : 2. * (double)(i / SIDE) / SIDE;
            weights[i] = 100;
            noise[i] = 1e-4;
            unsure[i] = 1e-2;
        }
        kith_i_noisy_points points = {.at = {coords, weights, ALL, D},
                                      .noise = noise,
                                      .unsure = unsure,
                                      .blur = 1e-6,
                                      .unit = 1};
        kith_choice choice = {.from = FROM, .to = TO};
        assert_int_equal(
            kith_i_choose_number(&points, &coins, curve, &choice, NULL),
            KITH_OK);
        assert_int_equal(choice.agreed, choice.tries);
        assert_true(choice.bend > 0 && choice.bend < 1.5 * choice.cloud_bend);
        assert_false(choice.stable);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_heaps),
        cmocka_unit_test(test_weak),
        cmocka_unit_test(test_dear),
        cmocka_unit_test(test_clouds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The small estimators, refinement's radii and steps, first means, split,
 * solver: each against numbers worked out here. */
#include <math.h>
#include <string.h>

#include "methods/refine_means.h"
#include "support/cmocka_all.h"

enum { BANDS = KITH_I_REFINE_BANDS };

typedef struct {
    kith_i_local_run run;
    kith_i_collector collector;
    kith_i_local_task task;
    kith_i_local_model model;
} bed;

static void open_bed(bed *b, uint32_t d, uint32_t count, uint64_t users)
{
    static double low[64], high[64];
    for (int i = 0; i < 64; i++) {
        low[i] = -9;
        high[i] = 9;
    }
    memset(b, 0, sizeof *b);
    b->task = (kith_i_local_task){
        .k = count, .d = d, .epsilon = 1, .lower = low, .upper = high};
    b->collector.invited = users;
    kith_i_local_open(&b->run, &b->task, &b->collector, 1);
    assert_int_equal(kith_i_model_new(&b->run, count, &b->model, NULL),
                     KITH_OK);
}

static void near_to(double a, double b)
{
    if (!(fabs(a - b) <= 1e-9 * (1 + fabs(b))))
        fail_msg("%.12g is not %.12g", a, b);
}

static void test_norm_sub(void **state)
{
    (void)state;
    const double p[] = {.8, .5, -.1, .05}, same[] = {1, 1, 1, 1};
    double out[4];
    /* .15 off the two largest; the others become negative. */
    kith_i_norm_sub(p, same, 4, out);
    near_to(out[0], .65);
    near_to(out[1], .35);
    near_to(out[2], 0);
    near_to(out[3], 0);
    /* The noisier one gives more: t (1 + 2) = .3. */
    const double v[] = {1, 2, 1, 1};
    kith_i_norm_sub(p, v, 4, out);
    near_to(out[0], .7);
    near_to(out[1], .3);
    /* Too little mass is added, by variance. */
    const double few[] = {.1, .2}, w[] = {1, 3};
    kith_i_norm_sub(few, w, 2, out);
    near_to(out[0], .1 + .7 / 4);
    near_to(out[1], .2 + .7 * 3 / 4);
    const double nothing[] = {HUGE_VAL, HUGE_VAL};
    kith_i_norm_sub(few, nothing, 2, out);
    near_to(out[0], .5);
}

static void test_debias(void **state)
{
    (void)state;
    /* A spike l in noise of variance s2 shows at l + s2 d / l. */
    near_to(kith_i_debias(2 + .01 * 20 / 2, .01, 20), 2);
    near_to(kith_i_debias(.5, .01, 20), 0); /* below the edge 2 sqrt(s2 d) */
    near_to(kith_i_debias(-3, .01, 20), 0);
    const double s[] = {3, 4, 0};
    near_to(kith_i_james_stein(s, 3, 1), 1 - 1.0 / 25);
    near_to(kith_i_james_stein(s, 3, 6), 0);
    near_to(kith_i_james_stein(s, 2, 6), 1);
    near_to(kith_i_james_stein(s, 2, HUGE_VAL), 0);
}

/* What the answers of a round do to the model: distances up to 1. */
static void see(bed *b, kith_i_refine_stage stage, const kith_i_answer *counts,
                const kith_i_answer *distances)
{
    kith_i_refine_look look = {
        .stage = stage, .share = .1, .vector_share = .1, .top = 1};
    kith_i_refine_radii(&b->run, &b->model, &look, counts, distances);
}

/* All of a cluster at distance 1/2, seen without noise. */
static void test_radii(void **state)
{
    (void)state;
    for (int median = 0; median < 2; median++) {
        double f[2 * BANDS] = {0};
        bed b;
        open_bed(&b, 4, 2, 1000000000);
        b.task.median = median;
        f[0 * BANDS + 2] = .75; /* band 2 of top 1: (.354, .5] */
        f[1 * BANDS + 6] = .25; /* (.088, .125] */
        kith_i_answer answer = {
            .received = 1000, .fractions = f, .symbols = 2 * BANDS, .sd = 1e-9};
        see(&b, KITH_I_REFINE_LAST, NULL, &answer);
        near_to(b.model.raw[0], .75);
        assert_true(fabs(b.model.radius[0] - .5 * .85) < 1e-6);
        assert_true(fabs(b.model.radius[1] - .125 * .85) < 1e-6);
        assert_true(fabs(b.model.spread[0] - pow(.5 * .85, 2)) < 1e-6);
        /* Nothing is clipped, so a unit is the radius; for k-median it is the
         * harmonic mean of the distances, which are all the same here. */
        assert_true(fabs(b.model.pull[0] - .5 * .85) < 1e-6);
        assert_true(b.model.bias[0] < 1e-6);
        kith_i_local_close(&b.run);
    }
}

/* With few users noise is what matters: the radius shrinks below the reach of
 * the outer users. */
static void test_radius_by_noise(void **state)
{
    (void)state;
    double f[BANDS] = {[1] = .5, [8] = .5}, wide, tight;
    bed b;
    kith_i_answer answer = {
        .received = 1000, .fractions = f, .symbols = BANDS, .sd = 1e-9};
    open_bed(&b, 4, 1, 1000000000);
    see(&b, KITH_I_REFINE_LAST, NULL, &answer);
    wide = b.model.radius[0];
    b.collector.invited = 100;
    see(&b, KITH_I_REFINE_LAST, NULL, &answer);
    tight = b.model.radius[0];
    assert_true(wide > .59 && tight < .1);
    assert_true(b.model.bias[0] > .2);
    kith_i_local_close(&b.run);
}

/* Shares from a noisy histogram and from before: by their variances, and what
 * was known of other centres counts for less. */
static void test_shares_are_carried(void **state)
{
    (void)state;
    for (int stage = 0; stage < 3; stage++) {
        double f[2 * BANDS] = {[0] = .9, [BANDS] = .1};
        bed b;
        open_bed(&b, 4, 2, 1000000000);
        kith_i_answer answer = {.received = 1000,
                                .fractions = f,
                                .symbols = 2 * BANDS,
                                .sd = .1 / sqrt(BANDS)}; /* .1 a row */
        b.model.raw[0] = .6;
        b.model.raw[1] = .4;
        b.model.raw_var[0] = b.model.raw_var[1] = .01;
        see(&b, (kith_i_refine_stage)stage, NULL, &answer);
        double drift = stage == KITH_I_REFINE_FIRST ? 0 : .3;
        double v0 = .01 + pow(drift * .6, 2), v1 = .01 + pow(drift * .4, 2);
        double s0 = (.9 * v0 + .6 * .01) / (v0 + .01);
        double s1 = (.1 * v1 + .4 * .01) / (v1 + .01);
        double w0 = v0 * .01 / (v0 + .01), w1 = v1 * .01 / (v1 + .01);
        near_to(b.model.raw_var[0], w0);
        near_to(b.model.raw_var[1], w1);
        /* What is over 1 is taken off by variance. */
        near_to(b.model.raw[0], s0 - (s0 + s1 - 1) * w0 / (w0 + w1));
        /* Nobody answered: as before. */
        memset(f, 0, sizeof f);
        answer.received = 0;
        answer.sd = HUGE_VAL;
        double before = b.model.raw[1];
        see(&b, KITH_I_REFINE_FIRST, NULL, &answer);
        near_to(b.model.raw[1], before);
        kith_i_local_close(&b.run);
    }
}

/* Three sources of a share, each with its own noise: by their precision. */
static void test_shares_are_joined(void **state)
{
    (void)state;
    double f[2 * BANDS] = {[0] = .9, [BANDS] = .1}, c[2] = {.8, .2};
    double v[3] = {.01, .0025, .04}; /* bands, counts, before */
    bed b;
    open_bed(&b, 4, 2, 1000000000);
    kith_i_answer distances = {.received = 1000,
                               .fractions = f,
                               .symbols = 2 * BANDS,
                               .sd = sqrt(v[0] / BANDS)};
    kith_i_answer counts = {
        .received = 1000, .fractions = c, .symbols = 2, .sd = sqrt(v[1])};
    b.model.raw[0] = b.model.raw[1] = .5;
    b.model.raw_var[0] = b.model.raw_var[1] = v[2];
    see(&b, KITH_I_REFINE_FIRST, &counts, &distances);
    double all = 1 / v[0] + 1 / v[1] + 1 / v[2];
    near_to(b.model.raw_var[0], 1 / all);
    near_to(b.model.raw[0], (.9 / v[0] + .8 / v[1] + .5 / v[2]) / all);
    /* Counts that nobody gave say nothing. */
    counts.received = 0;
    counts.sd = HUGE_VAL;
    c[0] = c[1] = 0;
    b.model.raw[0] = b.model.raw[1] = .5;
    b.model.raw_var[0] = b.model.raw_var[1] = v[2];
    see(&b, KITH_I_REFINE_FIRST, &counts, &distances);
    near_to(b.model.raw_var[0], v[0] * v[2] / (v[0] + v[2]));
    kith_i_local_close(&b.run);
}

/* Most users of a cluster are beyond the radius: before the last means, a unit
 * of report is what brings them back. */
static void test_unclipped(void **state)
{
    (void)state;
    double f[BANDS] = {[1] = .5, [8] = .5}, far = .85 * M_SQRT1_2;
    bed b;
    kith_i_answer answer = {
        .received = 1000, .fractions = f, .symbols = BANDS, .sd = 1e-9};
    open_bed(&b, 4, 1, 100);
    see(&b, KITH_I_REFINE_LAST, NULL, &answer);
    double radius = b.model.radius[0];
    assert_true(radius < .1);
    near_to(b.model.pull[0], radius);
    see(&b, KITH_I_REFINE_MIDDLE, NULL, &answer);
    near_to(b.model.radius[0], radius);
    assert_true(fabs(b.model.pull[0] - 1 / (.5 / radius + .5 / far)) < 1e-6);
    kith_i_local_close(&b.run);
}

/* Three clusters at distance .25 +- 20 %, of .2 of the users each, and noise
 * that hides every band. Cut off at 0 it would be users at distances up to 1:
 * the mean squared distance would be several times too large. */
static void test_noisy_distances(void **state)
{
    (void)state;
    enum { CENTERS = 3, RUNS = 40 };
    kith_i_coins coins;
    double truth = .25 * .25 * exp(2 * .2 * .2), sum = 0, worst = 0;
    kith_i_coins_seed(&coins, 5, 0);
    for (int run = 0; run < RUNS; run++) {
        double f[CENTERS * BANDS], c[CENTERS] = {.3, .3, .4};
        bed b;
        open_bed(&b, 20, CENTERS, 1000000);
        for (int j = 0; j < CENTERS; j++)
            for (int i = 0; i < BANDS; i++) {
                double low = i + 1 < BANDS ? -(i + 1) * M_LN2 / 2 : -99;
                double high = i ? -i * M_LN2 / 2 : 99;
                double inside = erfc((low - log(.25)) / .2 * M_SQRT1_2) / 2 -
                                erfc((high - log(.25)) / .2 * M_SQRT1_2) / 2;
                f[j * BANDS + i] =
                    c[j] * inside + .04 * kith_i_coins_normal(&coins);
            }
        kith_i_answer counts = {
            .received = 1000, .fractions = c, .symbols = CENTERS, .sd = 1e-6};
        kith_i_answer distances = {.received = 1000,
                                   .fractions = f,
                                   .symbols = CENTERS * BANDS,
                                   .sd = .04};
        see(&b, KITH_I_REFINE_MIDDLE, &counts, &distances);
        for (int j = 0; j < CENTERS; j++) {
            sum += b.model.spread[j] / truth / RUNS / CENTERS;
            worst = fmax(worst, b.model.radius[j]);
        }
        kith_i_local_close(&b.run);
    }
    /* A fifth of each profile is still the histogram itself. */
    assert_true(sum > .8 && sum < 1.8);
    assert_true(worst < .5);
}

static void test_measure_and_step(void **state)
{
    (void)state;
    const double sums[] = {.02, 0, .01, .01};
    kith_i_answer answer = {.received = 100,
                            .sums = (double *)(uintptr_t)sums,
                            .buckets = 2,
                            .noise = .001};
    bed b;
    open_bed(&b, 2, 2, 1000);
    for (int j = 0; j < 2; j++) {
        b.model.share[j] = j ? .2 : .8;
        b.model.pull[j] = b.model.radius[j] = .5;
        b.model.spread[j] = 1;
        b.model.var[j] = 1e-4;
    }
    kith_i_refine_measure(&b.model, &answer);
    near_to(b.model.move[0], .5 * .02 / .8);
    near_to(b.model.move[2], .5 * .01 / .2);
    near_to(b.model.sd[1], .5 * .001 / .2);
    double v0 = pow(.5 * .001 / .8, 2), v1 = pow(.5 * .001 / .2, 2);
    double m0 = pow(.5 * .02 / .8, 2), m1 = 2 * pow(.5 * .01 / .2, 2);
    double pool = ((m0 / 2 - v0) / v0 + (m1 / 2 - v1) / v1) / (1 / v0 + 1 / v1);
    near_to(kith_i_refine_pool(b.model.move, b.model.sd, 2, 2, 2), pool);
    double known = 1e-4 / (1e-4 + v1), own = 1 - v1 * 4 / m1;
    double step = fmax(fmax(known, pool / (pool + v1)), own);
    kith_i_refine_step(&b.model);
    near_to(b.model.center[2], step * .5 * .01 / .2);
    near_to(b.model.var[1], step * v1);
    /* Nobody answered: nothing moves. */
    double before = b.model.center[2];
    answer.received = 0;
    answer.noise = HUGE_VAL;
    kith_i_refine_measure(&b.model, &answer);
    kith_i_refine_step(&b.model);
    near_to(b.model.center[2], before);
    kith_i_local_close(&b.run);
}

/* Twelve anchors on a line in R^40, much noise: low rank keeps the line. */
static void test_first_means(void **state)
{
    (void)state;
    enum { T = 12, D = 40 };
    kith_i_coins coins;
    bed b;
    double raw = 0, kept = 0;
    kith_i_coins_seed(&coins, 3, 0);
    open_bed(&b, D, T, 1000);
    for (int j = 0; j < T; j++) {
        b.model.sd[j] = .1;
        for (int i = 0; i < D; i++) {
            double truth = (j % 2 ? .3 : -.3) * (i < 10);
            double seen = truth + .1 * kith_i_coins_normal(&coins);
            b.model.move[j * D + i] = seen;
            raw += pow(seen - truth, 2);
        }
    }
    assert_int_equal(kith_i_first_step(&b.run, &b.model, NULL), KITH_OK);
    for (int j = 0; j < T; j++)
        for (int i = 0; i < D; i++)
            kept += pow(
                b.model.center[j * D + i] - (j % 2 ? .3 : -.3) * (i < 10), 2);
    /* The threshold is lenient and lets some noise in: rank 1 of 12 x 40 would
     * leave (12 + 40) / 480 of it, and without it shrinkage alone nearly all,
     * because the pooled signal is as large as the noise. */
    assert_true(kept < .6 * raw);
    kith_i_local_model two;
    assert_int_equal(kith_i_first_merge(&b.run, &b.model, 2, &two, NULL),
                     KITH_OK);
    assert_int_equal(two.count, 2);
    near_to(two.raw[0] + two.raw[1], 1);
    assert_true(two.center[0] * two.center[D] < 0);
    kith_i_local_close(&b.run);
}

/* Three centres for two pairs: one pair is split, the two that share a place
 * are merged, when that is worth it. */
static void test_split(void **state)
{
    (void)state;
    enum { D = 4 };
    for (int worth = 0; worth < 2; worth++) {
        double moments[3 * D * D] = {0}, old[3 * D];
        kith_i_answer answer = {
            .received = 1000, .sums = moments, .buckets = 3, .noise = 1e-6};
        bed b;
        open_bed(&b, D, 3, 100000);
        double *c = b.model.center;
        c[0] = 1; /* holds two at 1 and -1 on axis 1 */
        c[D] = -3;
        c[2 * D] = -3;
        c[2 * D + 2] = worth ? .1 : 8; /* near to the last, or far from it */
        memcpy(old, c, sizeof old);
        for (int j = 0; j < 3; j++) {
            b.model.raw[j] = b.model.share[j] = j ? .25 : .5;
            b.model.radius[j] = 2;
            for (int i = 0; i < D; i++)
                moments[j * D * D + i * D + i] = .001 * b.model.share[j];
        }
        /* E (x - c)^2 = 1 along axis 1, in units of radius 2. */
        moments[1 * D + 1] = .5 * .25;
        assert_int_equal(
            kith_i_split_apply(&b.run, &b.model, old, &answer, 3, NULL),
            KITH_OK);
        assert_int_equal(b.model.count, 3);
        near_to(b.model.raw[0] + b.model.raw[1] + b.model.raw[2], 1);
        if (worth) {
            assert_true(fabs(fabs(c[1]) - 1) < .01);
            assert_true(fabs(c[2 * D + 1] + c[1]) < 1e-9);
            assert_true(fabs(c[D + 2] - .05) < 1e-9); /* the middle of two */
        } else {
            assert_memory_equal(c, old, sizeof old);
        }
        kith_i_local_close(&b.run);
    }
}

/* Two wide and two narrow clusters; the moments are all noise. The last centre
 * has hardly anybody: it goes to the wide one. If its share is sure it stays,
 * as it does when no cluster is wide. */
static void test_ghost(void **state)
{
    (void)state;
    enum { D = 20, K = 4 };
    for (int sure = 0; sure < 2; sure++)
        for (int wide = 0; wide < 2; wide++) {
            double moments[K * D * D] = {0}, old[K * D];
            kith_i_answer answer = {
                .received = 1000, .sums = moments, .buckets = K, .noise = 1};
            bed b;
            open_bed(&b, D, K, 100000);
            double *c = b.model.center;
            for (int j = 0; j < K; j++) {
                c[j * D + j % 3] = 1; /* the last is near the first */
                c[j * D + 3] = j < 3 ? 0 : .3;
                b.model.raw[j] = b.model.share[j] = j < 3 ? .32 : .04;
                b.model.raw_var[j] = pow(sure ? .005 : .025, 2);
                b.model.radius[j] = .2;
                b.model.spread[j] = j == 1 && wide ? .2 : .02;
                moments[j * D * D + 5 * D + 5] = .1; /* along axis 5 */
            }
            memcpy(old, c, sizeof old);
            assert_int_equal(
                kith_i_split_apply(&b.run, &b.model, old, &answer, K, NULL),
                KITH_OK);
            assert_int_equal(b.model.count, K);
            if (sure || !wide) {
                assert_memory_equal(c, old, sizeof old);
            } else {
                double half = sqrt(.7 * (.2 - 1.5 * .02));
                near_to(fabs(c[D + 5]), half);
                near_to(c[D + 5] + c[3 * D + 5], 0);
                near_to(c[3 * D + 1], 1);
                near_to(b.model.raw[3], .18);
            }
            kith_i_local_close(&b.run);
        }
}

static void test_split_room(void **state)
{
    (void)state;
    enum { D = 4 };
    double moments[D * D] = {.25}, old[D] = {0};
    kith_i_answer answer = {
        .received = 1000, .sums = moments, .buckets = 1, .noise = 1e-6};
    bed b;
    open_bed(&b, D, 2, 100000);
    b.model.count = 1; /* fewer than asked for: no merge is needed */
    b.model.raw[0] = b.model.share[0] = 1;
    b.model.radius[0] = 2;
    assert_int_equal(
        kith_i_split_apply(&b.run, &b.model, old, &answer, 2, NULL), KITH_OK);
    assert_int_equal(b.model.count, 2);
    assert_true(fabs(fabs(b.model.center[0]) - 1) < .01);
    answer.received = 0;
    assert_int_equal(
        kith_i_split_apply(&b.run, &b.model, old, &answer, 2, NULL), KITH_OK);
    kith_i_local_close(&b.run);
}

static void test_solve(void **state)
{
    (void)state;
    /* On a line: the mean of the heavy group is 1, its median 0. */
    const double x[] = {0, 0, 0, 4, 100, 101, 99, 7};
    const double w[] = {1, 1, 1, 1, 1, 1, 1, 0};
    for (int median = 0; median < 2; median++) {
        double c[2];
        uint32_t labels[8];
        kith_i_points all = {x, w, 8, 1}, two = {x + 3, w + 3, 2, 1};
        kith_i_solution solved = {.centers = c, .labels = labels};
        bed b;
        open_bed(&b, 1, 2, 100);
        b.task.median = median;
        assert_int_equal(kith_i_local_solve(&b.run, &all, 2, 5, &solved, NULL),
                         KITH_OK);
        assert_int_equal(solved.found, 2);
        double low = fmin(c[0], c[1]), high = fmax(c[0], c[1]);
        assert_true(fabs(low - (median ? 0 : 1)) < 1e-2);
        assert_true(fabs(high - 100) < 1e-2);
        assert_int_equal(labels[7], UINT32_MAX);
        solved.labels = NULL;
        assert_int_equal(kith_i_local_solve(&b.run, &two, 2, 5, &solved, NULL),
                         KITH_OK);
        assert_int_equal(solved.found, 2);
        near_to(c[0], 4);
        near_to(c[1], 100);
        kith_i_local_close(&b.run);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_norm_sub),
        cmocka_unit_test(test_debias),
        cmocka_unit_test(test_radii),
        cmocka_unit_test(test_radius_by_noise),
        cmocka_unit_test(test_shares_are_carried),
        cmocka_unit_test(test_shares_are_joined),
        cmocka_unit_test(test_unclipped),
        cmocka_unit_test(test_noisy_distances),
        cmocka_unit_test(test_measure_and_step),
        cmocka_unit_test(test_first_means),
        cmocka_unit_test(test_split),
        cmocka_unit_test(test_ghost),
        cmocka_unit_test(test_split_room),
        cmocka_unit_test(test_solve),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The last question, through the devices' own code: what it says of two answers
 * is the mean difference of their costs, computed here directly. */
#include <math.h>
#include <string.h>

#include "methods/compare_centers.h"
#include "support/cmocka_all.h"

enum { D = 4, USERS = 3000, MOST = 5, STEPS = 4 };
enum { ASKED = 2000, INVITED = 100000 }; /* .02 of them: 4 groups */

/* Of answers with so many centres. */
static const double SHARE[MOST + 1][MOST] = {
    {0}, {1}, {.3, .7}, {.5, .2, .3}, {.1, .2, .3, .4}, {.2, .1, .3, .3, .1}};

/* A collector whose users answer without noise. */
typedef struct {
    kith_i_collector face;
    double x[USERS * D];
    size_t asked;
    uint64_t received;
} truth;

static kith_status ask_truth(kith_i_collector *self,
                             const kith_i_question *questions, size_t count,
                             kith_i_answer *answers, kith_error *err)
{
    truth *t = (truth *)self;
    (void)err;
    for (size_t g = 0; g < count; g++) {
        const kith_i_question *q = &questions[g];
        assert_null(kith_i_question_flaw(q, D));
        assert_int_equal(kith_i_question_symbols(q), 3);
        answers[g] = (kith_i_answer){.received = t->received, .symbols = 3};
        answers[g].sd = t->received ? 1e-9 : HUGE_VAL;
        answers[g].fractions = kith_i_alloc(3, sizeof(double));
        for (size_t i = 0; i < USERS; i++)
            answers[g].fractions[kith_i_encode(q, D, t->x + i * D, 0, NULL)] +=
                1.0 / USERS;
        t->asked++;
    }
    return KITH_OK;
}

static double nearest(const double *x, const double *c, uint32_t count)
{
    double best = HUGE_VAL;
    for (uint32_t j = 0; j < count; j++)
        best = fmin(best, kith_i_distance_squared(x, c + j * D, D));
    return best;
}

/* What the thresholds make of a difference. */
static double rounded(double difference, double bound)
{
    double sum = 0;
    for (int s = 0; s < STEPS; s++) {
        double at = bound * (s + .5) / STEPS;
        sum += (difference >= at) - (difference < -at);
    }
    return bound * sum / STEPS;
}

static double loss_of(const double *a, const double *share, uint32_t m,
                      const double *b, uint32_t n, int power)
{
    double sum = 0;
    for (uint32_t j = 0; j < m; j++)
        sum += share[j] * pow(nearest(a + j * D, b, n), power);
    return sum;
}

/* Noise and what is clipped, in squares, of a bound. */
static double price_of(double bound, const double *a, uint32_t m,
                       const double *b, uint32_t n, double noise)
{
    double there = 0, back = 0;
    for (uint32_t j = 0; j < m; j++)
        there += SHARE[m][j] * fmax(0, nearest(a + j * D, b, n) - bound);
    for (uint32_t j = 0; j < n; j++)
        back += SHARE[n][j] * fmax(0, nearest(b + j * D, a, m) - bound);
    return noise * bound * bound + there * there + back * back;
}

/* One mean: the variance of the clusters' centres about it. Else where the
 * price is least, by search. */
static double bound_of(const double *a, uint32_t m, const double *b, uint32_t n)
{
    double low = 0, high = 100, e = exp(1);
    double one = sqrt(2 / (e + 2)) / ((e - 1) / (e + 2));
    if (n == 1)
        return loss_of(a, SHARE[m], m, b, n, 1);
    for (int t = 0; t < 100; t++) {
        double left = low + .4 * (high - low), right = low + .6 * (high - low);
        if (price_of(left, a, m, b, n, one * one / ASKED) <
            price_of(right, a, m, b, n, one * one / ASKED))
            high = right;
        else
            low = left;
    }
    return (low + high) / 2;
}

static void open_truth(truth *t, kith_i_coins *coins)
{
    memset(t, 0, sizeof *t);
    t->face = (kith_i_collector){.invited = INVITED, .d = D, .ask = ask_truth};
    t->received = 1000000;
    for (size_t i = 0; i < USERS * D; i++)
        t->x[i] = .5 * kith_i_coins_normal(coins);
}

static int median; /* the objective of the run that asks */

static kith_i_comparison compare(truth *t, const double *a, uint32_t m,
                                 const double *b, uint32_t n)
{
    kith_i_local_task task = {
        .k = MOST, .d = D, .epsilon = 1, .radius = 1, .median = median};
    kith_i_local_run run;
    kith_i_comparison got;
    kith_i_candidate both[] = {{"a", a, SHARE[m], NULL, m},
                               {"b", b, SHARE[n], NULL, n}};
    kith_i_local_open(&run, &task, &t->face, 1);
    assert_int_equal(kith_i_compare(&run, .02, both, 2, &got, NULL), KITH_OK);
    kith_i_local_close(&run);
    return got;
}

/* Every pair of sizes, one centre included, some centres in both answers. */
static void test_gain(void **state)
{
    (void)state;
    kith_i_coins coins;
    truth t;
    kith_i_coins_seed(&coins, 3, 1);
    open_truth(&t, &coins);
    for (uint32_t m = 1; m <= MOST; m++)
        for (uint32_t n = 1; n <= MOST; n++) {
            double a[MOST * D], b[MOST * D], mean = 0;
            for (size_t i = 0; i < MOST * D; i++) {
                a[i] = .5 * kith_i_coins_normal(&coins);
                b[i] = i < D && m > 1 ? a[i] : .5 * kith_i_coins_normal(&coins);
            }
            double bound = bound_of(a, m, b, n);
            for (size_t i = 0; i < USERS; i++)
                mean += rounded(nearest(t.x + i * D, a, m) -
                                    nearest(t.x + i * D, b, n),
                                bound) /
                        USERS;
            kith_i_comparison got = compare(&t, a, m, b, n);
            assert_true(fabs(got.gain - mean) < 1e-4 * bound);
            assert_true(got.sd > 0 && got.sd < bound);
            /* The other way round: as much, and against. */
            kith_i_comparison back = compare(&t, b, n, a, m);
            if (m > 1 && n > 1)
                assert_true(fabs(back.gain + mean) < 2e-3 * bound);
        }
}

static void mean_of(const double *a, uint32_t m, double *mean)
{
    for (uint32_t i = 0; i < D; i++) {
        mean[i] = 0;
        for (uint32_t j = 0; j < m; j++)
            mean[i] += SHARE[m][j] * a[j * D + i];
    }
}

/* The promise: wherever users are, one mean is not better than the question
 * says by more than its rounding, because nobody loses more than the clip. Most
 * users are near the mean or far away, where clusters are bad for them. */
static void test_no_loss_is_hidden(void **state)
{
    (void)state;
    kith_i_coins coins;
    truth t;
    kith_i_coins_seed(&coins, 3, 4);
    for (int r = 0; r < 200; r++) {
        double a[MOST * D], mean[D], better = 0;
        uint32_t m = 2 + (uint32_t)r % (MOST - 1);
        open_truth(&t, &coins);
        for (size_t i = 0; i < MOST * D; i++)
            a[i] = (r % 7 ? .5 : 5) * kith_i_coins_normal(&coins);
        mean_of(a, m, mean);
        for (size_t i = 0; i < USERS * D; i++)
            t.x[i] = mean[i % D] + (r % 3 ? .1 * t.x[i] : 20 * t.x[i]);
        double bound = bound_of(a, m, mean, 1);
        for (size_t i = 0; i < USERS; i++) {
            double loss =
                nearest(t.x + i * D, a, m) - nearest(t.x + i * D, mean, 1);
            assert_true(loss <= bound * (1 + 1e-9) + 1e-9);
            better += loss / USERS;
        }
        kith_i_comparison got = compare(&t, a, m, mean, 1);
        assert_true(got.gain >= better - bound / (2 * STEPS) - 1e-9);
    }
}

/* A centre far away with hardly anybody near it (gas, cabs and trips have had
 * one) does not make the question coarse: clusters are better by many standard
 * deviations. With a clip at the largest distance they were better by one. */
static void test_a_ghost_far_away(void **state)
{
    (void)state;
    kith_i_coins coins;
    truth t;
    kith_i_coins_seed(&coins, 3, 5);
    open_truth(&t, &coins);
    t.received = 1000;
    double a[5 * D] = {0}, mean[D];
    for (uint32_t j = 0; j < 4; j++)
        a[j * D + j] = .1;
    a[4 * D] = .5; /* share .1 */
    mean_of(a, 5, mean);
    for (size_t i = 0; i < USERS * D; i++)
        t.x[i] = a[i / D % 4 * D + i % D] + .02 * t.x[i];
    kith_i_comparison got = compare(&t, a, 5, mean, 1);
    assert_true(-got.gain > 8 * got.sd);
}

/* k-median. On the line through two centres the question is about distances,
 * not squares, beyond the centres too; elsewhere the side is right. */
static void test_median(void **state)
{
    (void)state;
    kith_i_coins coins;
    truth t;
    kith_i_coins_seed(&coins, 3, 6);
    open_truth(&t, &coins);
    median = 1;
    double a[D] = {.1, .2, 0, -.1}, b[D] = {.4, -.1, .2, .3}, mean = 0,
           near = 0;
    double bound = sqrt(kith_i_distance_squared(a, b, D));
    for (size_t i = 0; i < USERS; i++) {
        double at = .3 + .6 * kith_i_coins_normal(&coins);
        for (size_t c = 0; c < D; c++)
            t.x[i * D + c] = a[c] + fmin(1.5, fmax(-1, at)) * (b[c] - a[c]);
        double gain =
            sqrt(nearest(t.x + i * D, a, 1)) - sqrt(nearest(t.x + i * D, b, 1));
        mean += rounded(gain, bound) / USERS;
    }
    kith_i_comparison got = compare(&t, a, 1, b, 1);
    assert_true(fabs(got.gain - mean) < 1e-9);
    /* Off the line: t.x is .05 from a or from b, and nobody is indifferent. */
    for (size_t i = 0; i < USERS; i++) {
        const double *c = i % 10 < 7 ? b : a;
        for (size_t j = 0; j < D; j++)
            t.x[i * D + j] = c[j] + (i % D == j ? .05 : 0);
        near += (i % 10 < 7 ? bound : -bound) / USERS;
    }
    got = compare(&t, a, 1, b, 1);
    assert_true(fabs(got.gain - near) < bound / STEPS);
    median = 0;
}

/* The standard deviation is that of the three groups' reports under three-ary
 * response: 1.79 bound / sqrt(users) when hardly anybody is moved. */
static void test_resolution(void **state)
{
    (void)state;
    kith_i_coins coins;
    truth t;
    kith_i_coins_seed(&coins, 3, 2);
    open_truth(&t, &coins);
    memset(t.x, 0, sizeof t.x); /* all of them at a centre of both */
    double a[2 * D] = {[D] = 1}, b[2 * D] = {[D + 1] = 1};
    kith_i_comparison got = compare(&t, a, 2, b, 2);
    double e = exp(1), bound;
    double one = sqrt(2 / (e + 2)) / ((e - 1) / (e + 2));
    assert_true(fabs(got.gain) < 1e-12);
    /* Two clusters, each of which may have moved: clipped a little. */
    bound = bound_of(a, 2, b, 2);
    assert_true(bound > .5 && bound < 1);
    double users = STEPS * (double)t.received;
    assert_true(fabs(got.sd - bound * one / sqrt(users)) < 1e-9);
    assert_true(fabs(one - 1.79) < .01);
}

/* The same answers are not compared; of nobody nothing is known. */
static void test_nothing(void **state)
{
    (void)state;
    kith_i_coins coins;
    truth t;
    kith_i_coins_seed(&coins, 3, 3);
    open_truth(&t, &coins);
    double a[2 * D] = {[D] = 1}, b[2 * D] = {[D + 1] = 1};
    kith_i_comparison got = compare(&t, a, 2, a, 2);
    assert_int_equal(t.asked, 0);
    assert_true(got.gain == 0 && isinf(got.sd));
    t.received = 0;
    got = compare(&t, a, 2, b, 2);
    assert_int_equal(t.asked, STEPS);
    assert_true(got.gain == 0 && isinf(got.sd));
}

/* Three others in one round have users of their own, and each is told what it
 * is told alone. With few users only the first ones are asked about. */
static void test_several(void **state)
{
    (void)state;
    kith_i_coins coins;
    truth t;
    kith_i_coins_seed(&coins, 3, 6);
    open_truth(&t, &coins);
    t.face.invited = 3 * INVITED; /* so that each has ASKED */
    double c[4][2 * D];
    kith_i_candidate answers[4];
    kith_i_comparison got[3];
    kith_i_local_task task = {.k = MOST, .d = D, .epsilon = 1, .radius = 1};
    kith_i_local_run run;
    for (int i = 0; i < 4; i++) {
        for (size_t j = 0; j < sizeof c[i] / sizeof *c[i]; j++)
            c[i][j] = i == 2 ? c[0][j] : .5 * kith_i_coins_normal(&coins);
        answers[i] = (kith_i_candidate){"x", c[i], SHARE[2], NULL, 2};
    }
    kith_i_local_open(&run, &task, &t.face, 1);
    assert_int_equal(kith_i_compare(&run, .02, answers, 4, got, NULL), KITH_OK);
    kith_i_local_close(&run);
    assert_int_equal(t.asked, 2 * STEPS);
    assert_true(isinf(got[1].sd)); /* the same as the first */
    for (int i = 1; i < 4; i += 2) {
        open_truth(&t, &coins);
        kith_i_coins_seed(&coins, 3, 6);
        open_truth(&t, &coins);
        t.face.invited = 3 * INVITED / 2;
        kith_i_comparison alone = compare(&t, c[0], 2, c[i], 2);
        assert_true(fabs(got[i - 1].gain - alone.gain) < 1e-9);
        assert_true(fabs(got[i - 1].sd - alone.sd) < 1e-9);
    }
    t.asked = 0;
    t.face.invited = 15000; /* 300 users: three groups of 80, no more */
    kith_i_local_open(&run, &task, &t.face, 1);
    assert_int_equal(kith_i_compare(&run, .02, answers, 4, got, NULL), KITH_OK);
    kith_i_local_close(&run);
    assert_int_equal(t.asked, 3);
    assert_true(isfinite(got[0].sd) && isinf(got[1].sd) && isinf(got[2].sd));
}

/* Who is asked follows from public numbers. */
static double share_of(uint64_t users, double epsilon, uint32_t k,
                       uint64_t minimum)
{
    kith_i_collector face = {.invited = users, .d = D, .minimum = minimum};
    kith_i_local_task task = {.k = k, .d = D, .epsilon = epsilon};
    kith_i_local_run run;
    kith_i_local_open(&run, &task, &face, 1);
    double share = kith_i_compare_share(&run);
    kith_i_local_close(&run);
    return share;
}

static void test_share(void **state)
{
    (void)state;
    assert_true(share_of(100000, 1, 5, 1) == .02);
    assert_true(fabs(share_of(10000, 1, 5, 1) - .05) < 1e-12);
    assert_true(fabs(share_of(20000, 1, 5, 1) - .025) < 1e-12);
    assert_true(share_of(4000, 1, 5, 1) == 0);    /* 200 users */
    assert_true(share_of(100000, 1, 1, 1) == 0);  /* it is one mean */
    assert_true(share_of(100000, 1, 25, 1) == 0); /* too long */
    assert_true(share_of(100000, 1, 5, 1000) == 0);
    double need =
        pow(sqrt(2 / (exp(.1) + 2)) * (exp(.1) + 2) / expm1(.1) / .5, 2);
    assert_true(need > 2000 &&
                fabs(share_of(100000, .1, 5, 1) - need / 1e5) < 1e-9);
    assert_true(share_of(20000, .1, 5, 1) == 0); /* too coarse */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gain),
        cmocka_unit_test(test_no_loss_is_hidden),
        cmocka_unit_test(test_a_ghost_far_away),
        cmocka_unit_test(test_median),
        cmocka_unit_test(test_resolution),
        cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_several),
        cmocka_unit_test(test_share),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

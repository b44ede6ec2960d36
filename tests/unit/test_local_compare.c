/* The last question, through the devices' own code: what it says of two answers
 * is the mean difference of their costs, computed here directly. */
#include <math.h>
#include <string.h>

#include "methods/compare_centers.h"
#include "support/cmocka_all.h"

enum { D = 4, USERS = 3000, MOST = 5, STEPS = 3 };

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

static double bound_of(const double *a, uint32_t m, const double *b, uint32_t n)
{
    double most = 0;
    for (uint32_t j = 0; j < m; j++)
        most = fmax(most, nearest(a + j * D, b, n));
    for (uint32_t j = 0; j < n; j++)
        most = fmax(most, nearest(b + j * D, a, m));
    return most;
}

static void open_truth(truth *t, kith_i_coins *coins)
{
    memset(t, 0, sizeof *t);
    t->face = (kith_i_collector){.invited = USERS, .d = D, .ask = ask_truth};
    t->received = 1000000;
    for (size_t i = 0; i < USERS * D; i++)
        t->x[i] = .5 * kith_i_coins_normal(coins);
}

static kith_i_comparison compare(truth *t, const double *a, uint32_t m,
                                 const double *b, uint32_t n)
{
    kith_i_local_task task = {.k = MOST, .d = D, .epsilon = 1, .radius = 1};
    kith_i_local_run run;
    kith_i_comparison got;
    kith_i_candidate one = {a, m}, two = {b, n};
    kith_i_local_open(&run, &task, &t->face, 1);
    assert_int_equal(kith_i_compare(&run, .02, &one, &two, &got, NULL),
                     KITH_OK);
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
            assert_true(fabs(got.gain - mean) < 1e-9);
            assert_true(got.sd > 0 && got.sd < bound);
            /* The other way round: as much, and against. */
            kith_i_comparison back = compare(&t, b, n, a, m);
            assert_true(fabs(back.gain + mean) < 2e-3 * bound);
        }
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
    double e = exp(1), bound = 1;
    double one = sqrt(2 / (e + 2)) / ((e - 1) / (e + 2)) * bound;
    assert_true(fabs(got.gain) < 1e-12);
    assert_true(fabs(got.sd - one / sqrt(3.0 * (double)t.received)) < 1e-9);
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
    assert_true(kith_i_compare_can(MOST) && !kith_i_compare_can(1000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gain),
        cmocka_unit_test(test_resolution),
        cmocka_unit_test(test_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The two collectors over a dataset: honest and law agree with the rows and
 * with each other; groups are disjoint and nobody spends more than the run's
 * epsilon; nobody, empty lists. Limits: false alarm
 * <= 1e-6 each, seeded. */
#include <math.h>

#include "support/crowd_stats.h"
#include "support/local_rows.h"

enum { D = CROWD_D, N = 30000, K = CROWD_K };

typedef kith_status open_fn(const kith_dataset *, const kith_i_crowd_options *,
                            kith_i_collector **, kith_error *);

static kith_i_collector *open_with(open_fn *opener, const kith_dataset *data,
                                   uint64_t seed, uint32_t threads)
{
    kith_i_crowd_options opt = {.epsilon = 2,
                                .delta = 1e-5,
                                .seeded = 1,
                                .seed = seed,
                                .threads = threads,
                                .minimum = 1};
    kith_i_collector *c = NULL;
    kith_error err;
    if (opener(data, &opt, &c, &err))
        fail_msg("%s", err.message);
    return c;
}

static open_fn *const OPENERS[] = {kith_i_collector_simulate,
                                   kith_i_collector_law};

enum { ASKED = 6 };

static void fill(kith_i_question *q)
{
    q[0] = crowd_question(KITH_I_REPORT_DISTANCE, .2);
    q[1] = crowd_question(KITH_I_REPORT_SYMBOL, .2);
    q[1].randomizer = KITH_I_RANDOMIZER_OLH;
    q[2] = crowd_question(KITH_I_REPORT_SYMBOL, .1);
    q[2].randomizer = KITH_I_RANDOMIZER_HADAMARD;
    q[3] = crowd_question(KITH_I_REPORT_VECTOR, .2);
    q[4] = crowd_question(KITH_I_REPORT_MOMENT, .2);
    q[5] = crowd_question(KITH_I_REPORT_VECTOR, .1);
    q[5].randomizer = KITH_I_RANDOMIZER_GAUSSIAN;
    q[5].delta = 1e-5;
}

static size_t values_of(const kith_i_question *q, const kith_i_answer *a,
                        const double **values)
{
    *values = a->fractions ? a->fractions : a->sums;
    return a->fractions                        ? a->symbols
           : q->report == KITH_I_REPORT_VECTOR ? a->buckets * D
                                               : a->buckets * D * D;
}

/* Honest and law have the same mean and spread, question by question: means of
 * RUNS runs differ by less than 5 of their standard deviations, and sample
 * variances by what chi-square allows. */
static void test_law_agrees_with_honest(void **state)
{
    (void)state;
    enum { RUNS = 24, MOST = 16 };
    kith_dataset *data = crowd_rows(6000);
    double mean[2][ASKED][MOST] = {0}, square[2][ASKED][MOST] = {0};
    kith_i_question q[ASKED];
    fill(q);
    for (int which = 0; which < 2; which++)
        for (uint64_t run = 0; run < RUNS; run++) {
            kith_i_answer a[ASKED];
            kith_i_collector *c = open_with(OPENERS[which], data, 77 + run, 1);
            assert_int_equal(c->ask(c, q, ASKED, a, NULL), KITH_OK);
            for (int g = 0; g < ASKED; g++) {
                const double *v;
                size_t n = values_of(&q[g], &a[g], &v);
                assert_true(n <= MOST);
                for (size_t i = 0; i < n; i++) {
                    mean[which][g][i] += v[i] / RUNS;
                    square[which][g][i] += v[i] * v[i] / RUNS;
                }
                kith_i_answer_free(&a[g]);
            }
            kith_i_collector_close(c);
        }
    for (int g = 0; g < ASKED; g++) {
        double honest = 0, law = 0;
        int values = 0;
        for (int i = 0; i < MOST; i++) {
            double v[2];
            for (int w = 0; w < 2; w++)
                v[w] = (square[w][g][i] - mean[w][g][i] * mean[w][g][i]) *
                       RUNS / (RUNS - 1);
            if (v[0] == 0)
                continue;
            values++;
            honest += v[0];
            law += v[1];
            double spread = sqrt((v[0] + v[1]) / RUNS);
            /* Student's t with 46 degrees: 5.6 is passed once in 1e6 */
            assert_true(fabs(mean[0][g][i] - mean[1][g][i]) < 5.6 * spread);
        }
        /* Ratio of two variances with `values` x 23 degrees each, fewer as
         * values depend on each other: take a third. */
        double degrees = values * (RUNS - 1) / 3.0;
        assert_true(values > 0);
        assert_true(fabs(log(honest / law)) < 5 * sqrt(4 / degrees));
    }
    kith_dataset_free(data);
}

/* The law's spread is the one that the answer states: over RUNS runs within 12
 * % (coordinates differ, see test_local_tally.c) and 5 sd of a sample variance.
 * Vectors only: of matrices test_local_law.c has every entry.
 */
static void test_law_has_the_stated_noise(void **state)
{
    (void)state;
    enum { RUNS = 300, MOST = 16 };
    kith_dataset *data = crowd_rows(1000);
    kith_i_question q[ASKED];
    fill(q);
    double mean[ASKED][MOST] = {0}, square[ASKED][MOST] = {0}, noise[ASKED];
    for (uint64_t run = 0; run < RUNS; run++) {
        kith_i_answer a[ASKED];
        kith_i_collector *c = open_with(kith_i_collector_law, data, run, 1);
        assert_int_equal(c->ask(c, q, ASKED, a, NULL), KITH_OK);
        for (int g = 0; g < ASKED; g++) {
            const double *v;
            size_t n = values_of(&q[g], &a[g], &v);
            noise[g] = a[g].sums ? a[g].noise : a[g].sd;
            for (size_t i = 0; i < n; i++) {
                mean[g][i] += v[i] / RUNS;
                square[g][i] += v[i] * v[i] / RUNS;
            }
            kith_i_answer_free(&a[g]);
        }
        kith_i_collector_close(c);
    }
    for (int g = 3; g < ASKED; g += 2) {
        double sum = 0, cells = 0;
        for (int i = 0; i < MOST; i++) {
            double v = square[g][i] - mean[g][i] * mean[g][i];
            sum += v / (noise[g] * noise[g]);
            cells += v > 0;
        }
        assert_true(cells >= K * D);
        assert_true(fabs(sum / cells - 1) < .12 + 5 * sqrt(3 / (RUNS * cells)));
    }
    kith_dataset_free(data);
}

/* Groups end where the next begins, and the last at the last user, however
 * the shares were rounded. */
static void test_groups_do_not_overlap(void **state)
{
    (void)state;
    static const double shares[][4] = {{.5, .4999999995, 1.2e-9, 0},
                                       {.1, .2, .7, 5e-10},
                                       {.3, .3, .4 + 2e-10, 1e-10},
                                       {1, 5e-10, 0, 0}};
    kith_i_mechanism m = {.kind = KITH_I_RANDOMIZER_KRR};
    for (int i = 0; i < 4; i++) {
        kith_i_crowd crowd = {.asked = 0};
        uint64_t at = 0;
        for (int g = 0; g < 4; g++) {
            kith_i_question q =
                crowd_question(KITH_I_REPORT_SYMBOL, shares[i][g]);
            kith_i_group group = kith_i_crowd_group(&crowd, &q, &m);
            if (group.range.length == 0)
                continue;
            assert_true(group.range.start == at);
            at += group.range.length;
            assert_true(at <= UINT64_C(1) << 53);
        }
    }
}

/* Both are near the rows themselves. */
static void test_near_the_truth(void **state)
{
    (void)state;
    kith_dataset *data = crowd_rows(N);
    for (int which = 0; which < 2; which++) {
        kith_i_question q[ASKED];
        kith_i_answer a[ASKED];
        fill(q);
        kith_i_collector *c = open_with(OPENERS[which], data, 5, 0);
        assert_int_equal(c->invited, N);
        assert_int_equal(c->d, D);
        assert_int_equal(c->ask(c, q, ASKED, a, NULL), KITH_OK);
        uint64_t received = 0;
        for (int g = 0; g < ASKED; g++) {
            double share = q[g].share;
            received += a[g].received;
            /* group sizes are binomial: 5 sd */
            assert_true(fabs((double)a[g].received - share * N) <
                        5 * sqrt(N * share * (1 - share)));
        }
        assert_int_equal(received, N); /* shares add up to 1: everybody once */
        for (int s = 0; s < 2; s++)    /* + sampling of the group */
            for (int g = 1; g < 3; g++)
                assert_true(fabs(a[g].fractions[s] - (s ? 1 : 2) / 3.0) <
                            5 * (a[g].sd + .5 / sqrt((double)a[g].received)));
        for (int t = 0; t < D; t++)
            for (int g = 3; g < ASKED; g += 2) {
                assert_true(fabs(a[g].sums[t] - 2 / 3.0 * .2) <
                            5 * a[g].noise + .02);
                assert_true(fabs(a[g].sums[D + t] - .4 / 3) <
                            5 * a[g].noise + .02);
            }
        kith_i_crowd_stats stats = crowd_stats(c);
        assert_int_equal(stats.reports, N);
        assert_true(crowd_epsilon(c) <= 2);
        if (which == 0) {
            assert_true(stats.bytes > 40 * (uint64_t)N);
            assert_int_equal(stats.longest, 40 + 4 * D);
        }
        for (int g = 0; g < ASKED; g++)
            kith_i_answer_free(&a[g]);
        /* Everybody has answered: the next question finds no budget. */
        q[0].share = .01;
        assert_int_equal(c->ask(c, q, 1, a, NULL), KITH_ERR_BUDGET);
        kith_i_collector_close(c);
    }
    kith_dataset_free(data);
}

/* The same seed gives the same bits on one thread and on two. */
static void test_threads_do_not_show(void **state)
{
    (void)state;
    kith_dataset *data = crowd_rows(5000);
    for (int which = 0; which < 2; which++) {
        kith_i_question q[ASKED];
        kith_i_answer a[2][ASKED];
        fill(q);
        for (uint32_t threads = 1; threads <= 2; threads++) {
            kith_i_collector *c = open_with(OPENERS[which], data, 9, threads);
            assert_int_equal(c->ask(c, q, ASKED, a[threads - 1], NULL),
                             KITH_OK);
            kith_i_collector_close(c);
        }
        for (int g = 0; g < ASKED; g++) {
            const double *v, *w;
            size_t n = values_of(&q[g], &a[0][g], &v);
            values_of(&q[g], &a[1][g], &w);
            assert_memory_equal(v, w, n * sizeof *v);
            kith_i_answer_free(&a[0][g]);
            kith_i_answer_free(&a[1][g]);
        }
    }
    kith_dataset_free(data);
}

/* Keys that are asked for later, and the same keys again. */
static void test_again(void **state)
{
    (void)state;
    kith_dataset *data = crowd_rows(20000);
    static const double half[] = {1, 1}, shift[] = {0, 0};
    static const uint64_t wanted[] = {0, 1};
    for (int which = 0; which < 2; which++)
        for (int small = 0; small < 2; small++) {
            uint32_t cells = small ? 4 : 1 << 20;
            kith_i_question q = crowd_question(KITH_I_REPORT_SYMBOL, 1);
            q.place = (kith_i_place){
                .kind = KITH_I_PLACE_GRID,
                .places = (uint64_t)cells * cells,
                .grid = {.lens = {D, D, NULL, NULL, half},
                         .side = 2.0 / cells * (small ? 1 : 1 << 18),
                         .shift = shift,
                         .cells = cells}};
            q.centers = q.radii = NULL;
            q.wanted = wanted;
            q.wanted_count = 2;
            kith_i_answer a;
            kith_i_collector *c = open_with(OPENERS[which], data, 3, 0);
            assert_int_equal(c->ask(c, &q, 1, &a, NULL), KITH_OK);
            assert_int_equal(a.symbols, 2);
            /* Both grids have cells of side 1/2 in the box: two thirds of the
             * rows are near (-.4, -.4), cell (1, 1), the rest in (3, 3). */
            uint64_t keys[] = {1 + (uint64_t)cells, 3 + 3 * (uint64_t)cells, 0};
            double f[3], g[3];
            assert_int_equal(c->again(c, 0, keys, 3, f, NULL), KITH_OK);
            assert_int_equal(c->again(c, 0, keys, 3, g, NULL), KITH_OK);
            assert_memory_equal(f, g, sizeof f);
            assert_true(f[2] == a.fractions[0]);
            assert_true(fabs(f[2]) < 5 * a.sd);
            assert_true(f[0] > .55 && f[0] < .75);
            assert_true(f[1] > .25 && f[1] < .4);
            assert_int_equal(c->again(c, 1, keys, 3, f, NULL),
                             KITH_ERR_ARGUMENT);
            kith_i_answer_free(&a);
            kith_i_collector_close(c);
        }
    kith_dataset_free(data);
}

static void test_nobody_and_empty(void **state)
{
    (void)state;
    kith_dataset *data = crowd_rows(500);
    static const double half[] = {1, 1};
    for (int which = 0; which < 2; which++) {
        kith_i_question q[3];
        kith_i_answer a[3];
        q[0] = crowd_question(KITH_I_REPORT_DISTANCE, 0); /* all dropped */
        q[1] = crowd_question(KITH_I_REPORT_VECTOR, 0);
        q[2] = crowd_question(KITH_I_REPORT_SYMBOL, .5); /* an empty list */
        q[2].place = (kith_i_place){
            .kind = KITH_I_PLACE_LIST,
            .grid = {.lens = {D, D, NULL, NULL, half}, .side = 1, .cells = 2}};
        kith_i_collector *c = open_with(OPENERS[which], data, 3, 2);
        assert_int_equal(c->ask(c, q, 3, a, NULL), KITH_OK);
        assert_int_equal(a[0].received, 0);
        assert_true(a[0].sd == HUGE_VAL && a[1].noise == HUGE_VAL);
        for (int s = 0; s < 10; s++)
            assert_true(a[0].fractions[s] == 0);
        for (int s = 0; s < K * D; s++)
            assert_true(a[1].sums[s] == 0);
        assert_int_equal(a[2].symbols, 1);
        assert_true(a[2].received > 150 && a[2].fractions[0] == 1);
        for (int g = 0; g < 3; g++)
            kith_i_answer_free(&a[g]);
        q[2].report = KITH_I_REPORT_VECTOR; /* T = 0 */
        assert_int_equal(c->ask(c, q + 2, 1, a, NULL), KITH_OK);
        assert_int_equal(a[0].buckets, 0);
        kith_i_answer_free(&a[0]);
        kith_i_collector_close(c);
    }
    kith_dataset_free(data);
}

/* Budget by splitting epsilon: the same users again, up to the whole. */
static void test_spend_trace(void **state)
{
    (void)state;
    kith_dataset *data = crowd_rows(500);
    for (int which = 0; which < 2; which++) {
        kith_i_collector *c = open_with(OPENERS[which], data, 3, 2);
        kith_i_question q = crowd_question(KITH_I_REPORT_SYMBOL, 1);
        kith_i_answer a;
        q.epsilon = 2.0 / 3;
        for (int i = 0; i < 3; i++) {
            q.partition = (uint32_t)i + 1;
            assert_int_equal(c->ask(c, &q, 1, &a, NULL), KITH_OK);
            assert_int_equal(a.received, 500);
            kith_i_answer_free(&a);
        }
        assert_true(crowd_epsilon(c) <= 2 && crowd_epsilon(c) > 1.99999);
        q.epsilon = .001;
        assert_int_equal(c->ask(c, &q, 1, &a, NULL), KITH_ERR_BUDGET);
        kith_i_collector_close(c);
        /* A question beyond the device's limit, and a delta beyond it. */
        c = open_with(OPENERS[which], data, 3, 2);
        q.partition = 0;
        q.epsilon = 2.01;
        assert_int_not_equal(c->ask(c, &q, 1, &a, NULL), KITH_OK);
        q = crowd_question(KITH_I_REPORT_VECTOR, 1);
        q.randomizer = KITH_I_RANDOMIZER_GAUSSIAN;
        q.delta = 2e-5;
        assert_int_not_equal(c->ask(c, &q, 1, &a, NULL), KITH_OK);
        q.delta = nextafter(1e-5, 1);
        assert_int_not_equal(c->ask(c, &q, 1, &a, NULL), KITH_OK);
        /* Twice the half of it, and then not the least bit more. */
        q.delta = 5e-6;
        q.epsilon = .5;
        for (uint32_t p = 1; p <= 2; p++) {
            q.partition = p;
            assert_int_equal(c->ask(c, &q, 1, &a, NULL), KITH_OK);
            kith_i_answer_free(&a);
        }
        q.partition = 3;
        q.delta = 1e-18;
        assert_int_not_equal(c->ask(c, &q, 1, &a, NULL), KITH_OK);
        kith_i_collector_close(c);
    }
    kith_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_law_agrees_with_honest),
        cmocka_unit_test(test_law_has_the_stated_noise),
        cmocka_unit_test(test_groups_do_not_overlap),
        cmocka_unit_test(test_near_the_truth),
        cmocka_unit_test(test_threads_do_not_show),
        cmocka_unit_test(test_again),
        cmocka_unit_test(test_nobody_and_empty),
        cmocka_unit_test(test_spend_trace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

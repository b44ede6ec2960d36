/* Which rounds the local `auto` asks, seen by a collector that notes every
 * question: turns of vectors where k clusters explain everything (d > 3),
 * shifted grids for all users at once where they are few (d = 2, 3). Seeded, by
 * the law. */
#include <math.h>
#include <string.h>

#include "methods/method_run.h"
#include "simulate/crowd.h"
#include "support/cmocka_all.h"

enum { MOST_D = 12, K = 3 };

/* A collector that notes what is asked. */
enum { MOST_ROUNDS = 40 };
typedef struct {
    kith_i_collector face, *behind;
    int rounds; /* and how many questions each had: */
    int all[MOST_ROUNDS], symbols[MOST_ROUNDS], distances[MOST_ROUNDS],
        vectors[MOST_ROUNDS];
} spy;

static kith_status spy_ask(kith_i_collector *self, const kith_i_question *q,
                           size_t count, kith_i_answer *answers,
                           kith_error *err)
{
    spy *s = (spy *)(void *)self;
    assert_true(s->rounds < MOST_ROUNDS);
    for (size_t i = 0; i < count; i++) {
        s->all[s->rounds]++;
        s->symbols[s->rounds] += q[i].report == KITH_I_REPORT_SYMBOL;
        s->distances[s->rounds] += q[i].report == KITH_I_REPORT_DISTANCE;
        s->vectors[s->rounds] += q[i].report == KITH_I_REPORT_VECTOR;
    }
    s->rounds++;
    return s->behind->ask(s->behind, q, count, answers, err);
}

static kith_status spy_again(kith_i_collector *self, size_t question,
                             const uint64_t *keys, uint32_t count,
                             double *fractions, kith_error *err)
{
    spy *s = (spy *)(void *)self;
    return s->behind->again(s->behind, question, keys, count, fractions, err);
}

static kith_status spy_progress(kith_i_collector *self, unsigned done,
                                unsigned total, kith_error *err)
{
    spy *s = (spy *)(void *)self;
    return s->behind->progress(s->behind, done, total, err);
}

/* n users in the box of side 2: clusters, or anywhere. */
static void watch(uint32_t d, size_t n, double epsilon, int clusters, spy *s)
{
    double low = -1, high = 1, centers[K * MOST_D], weights[K], sd[K];
    double lower[MOST_D], upper[MOST_D], center[MOST_D] = {0};
    double *x = malloc(n * d * sizeof *x);
    uint32_t found;
    kith_error err;
    kith_dataset *data;
    kith_bounds bounds = {.lower = &low, .upper = &high, .box_count = 1};
    kith_i_crowd_options opt = {
        .epsilon = epsilon, .seeded = 1, .seed = 5, .threads = 1, .minimum = 1};
    kith_i_coins coins;
    kith_i_coins_seed(&coins, d, n);
    assert_non_null(x);
    for (size_t i = 0; i < n * d; i++)
        x[i] = clusters ? .6 * (i % d == i / d % K) +
                              .03 * kith_i_coins_normal(&coins)
                        : 2 * kith_i_coins_unit(&coins) - 1;
    for (uint32_t i = 0; i < d; i++) {
        lower[i] = -1;
        upper[i] = 1;
    }
    kith_i_local_task task = {.k = K,
                              .d = d,
                              .epsilon = epsilon,
                              .lower = lower,
                              .upper = upper,
                              .center = center,
                              .radius = sqrt(d),
                              .public_seed = 11};
    kith_i_local_verdict verdict = {.weight_sd = sd};
    memset(s, 0, sizeof *s);
    assert_int_equal(kith_dataset_from_rows(x, n, d, &bounds, &data, NULL),
                     KITH_OK);
    assert_int_equal(kith_i_collector_law(data, &opt, &s->behind, &err),
                     KITH_OK);
    s->face = (kith_i_collector){.invited = s->behind->invited,
                                 .minimum = s->behind->minimum,
                                 .d = s->behind->d,
                                 .ask = spy_ask,
                                 .again = spy_again,
                                 .progress = spy_progress};
    if (kith_i_local_auto(&task, &s->face, centers, weights, &found, &verdict,
                          &err))
        fail_msg("%s", err.message);
    kith_i_collector_close(s->behind);
    kith_dataset_free(data);
    free(x);
}

/* The last round is the comparison with one mean. Clusters: four turns before
 * it, and only the first asks for distances too. None: a histogram goes before
 * the last vectors. */
static void test_turns(void **state)
{
    (void)state;
    for (int clusters = 0; clusters < 2; clusters++) {
        spy s;
        watch(12, 60000, 4, clusters, &s);
        int last = s.rounds - 2, alone = 0;
        while (alone <= last && s.vectors[last - alone] == 1 &&
               s.all[last - alone] == 1)
            alone++;
        assert_int_equal(alone, clusters ? 3 : 1);
        assert_int_equal(s.distances[last - alone], 1);
        assert_int_equal(s.vectors[last - alone], clusters);
    }
}

/* Few: one round of 2^d questions and the comparison. Many: a tree, level by
 * level. */
static void test_few_users(void **state)
{
    (void)state;
    for (uint32_t d = 2; d <= 3; d++) {
        spy s;
        watch(d, 10000, 1, 1, &s);
        int grids = 0;
        for (int r = 0; r + 1 < s.rounds; r++)
            grids += s.all[r] == 1 << d && s.symbols[r] == 1 << d;
        assert_int_equal(grids, 1);
        watch(d, 60000, 4, 1, &s);
        for (int r = 0; r + 1 < s.rounds; r++)
            assert_true(s.symbols[r] < 1 << d);
        assert_true(s.rounds > 3);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_turns),
                                       cmocka_unit_test(test_few_users)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

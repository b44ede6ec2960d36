/* The account of a local run: the user who is asked most, against a count over
 * many users; refusals; and every method's account on the real collectors. */
#include <math.h>
#include <string.h>

#include "collect/spend_trace.h"
#include "kith/kith.h"
#include "support/cmocka_all.h"
#include "support/gdp_delta.h"

/* ---- the user who is asked most ---- */

/* A user has a place in each partition; in partition 0 she is in at most one
 * group, so the worst is the most expensive one. */
static void worst_user_is_the_worst(void **state)
{
    (void)state;
    enum { ENTRIES = 12, PARTITIONS = 4, PLACES = 16 };
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 1, 9);
    for (int round = 0; round < 200; round++) {
        kith_i_trace_entry e[ENTRIES];
        memset(e, 0, sizeof e);
        for (int i = 0; i < ENTRIES; i++) {
            uint32_t from = (uint32_t)kith_i_coins_below(&coins, PLACES);
            uint32_t length =
                1 + (uint32_t)kith_i_coins_below(&coins, PLACES - from);
            e[i].partition = (uint32_t)kith_i_coins_below(&coins, PARTITIONS);
            e[i].offset = from / (double)PLACES;
            e[i].share = length / (double)PLACES;
            e[i].epsilon = kith_i_coins_unit(&coins);
            e[i].delta = kith_i_coins_unit(&coins) * 1e-6;
            e[i].bytes = 41 + (uint32_t)kith_i_coins_below(&coins, 9);
        }
        kith_i_trace_worst worst = kith_i_trace_user(e, ENTRIES);
        double epsilon = 0, delta = 0, bytes = 0;
        for (uint32_t p = 0; p < PARTITIONS; p++) {
            double most[3] = {0, 0, 0};
            for (int place = 0; place < PLACES; place++) {
                double sum[3] = {0, 0, 0}, at = (place + .5) / PLACES;
                for (int i = 0; i < ENTRIES; i++) {
                    if (e[i].partition != p)
                        continue;
                    double cost[3] = {e[i].epsilon, e[i].delta, e[i].bytes};
                    int here =
                        e[i].offset < at && at < e[i].offset + e[i].share;
                    for (int t = 0; t < 3; t++)
                        sum[t] = p == 0 ? fmax(sum[t], cost[t])
                                        : sum[t] + (here ? cost[t] : 0);
                }
                for (int t = 0; t < 3; t++)
                    most[t] = fmax(most[t], sum[t]);
            }
            epsilon += most[0];
            delta += most[1];
            bytes += most[2];
        }
        assert_true(fabs(worst.epsilon - epsilon) < 1e-9);
        assert_true(fabs(worst.delta - delta) < 1e-15);
        assert_true(fabs(worst.bytes - bytes) < 1e-9);
    }
}

/* Short ranges and ranges around the circle count in full. */
static void no_range_is_free(void **state)
{
    (void)state;
    kith_i_trace_entry around[] = {
        {.partition = 1, .offset = .8, .share = .5, .epsilon = 1},
        {.partition = 1, .offset = 0, .share = .25, .epsilon = 1},
        {.partition = 1, .offset = .4, .share = .25, .epsilon = 1}};
    assert_true(fabs(kith_i_trace_user(around, 3).epsilon - 2) < 1e-12);
    static const double shares[] = {0, 1e-300, 5e-10, 1e-9};
    for (int i = 0; i < 4; i++) {
        kith_i_trace_entry shorter[] = {
            {.partition = 1, .offset = .5, .share = shares[i], .epsilon = 1},
            {.partition = 1, .offset = .5, .share = shares[i], .epsilon = 1}};
        assert_true(fabs(kith_i_trace_user(shorter, 2).epsilon - 2) < 1e-12);
    }
    /* neighbours that only touch do not */
    kith_i_trace_entry beside[] = {
        {.partition = 1, .offset = .25, .share = .25, .epsilon = 1},
        {.partition = 1, .offset = .5, .share = .25, .epsilon = 1}};
    assert_true(fabs(kith_i_trace_user(beside, 2).epsilon - 1) < 1e-12);
}

/* ---- refusals ---- */

static int asked;

static kith_status count_ask(kith_i_collector *self, const kith_i_question *q,
                             size_t count, kith_i_answer *answers,
                             kith_error *err)
{
    (void)self;
    (void)q;
    (void)err;
    memset(answers, 0, count * sizeof *answers);
    asked++;
    return KITH_OK;
}

static kith_i_question question(double share, double epsilon,
                                uint32_t partition, double offset)
{
    return (kith_i_question){.what = "test",
                             .share = share,
                             .epsilon = epsilon,
                             .report = KITH_I_REPORT_SYMBOL,
                             .place = {.kind = KITH_I_PLACE_ONE, .places = 1},
                             .partition = partition,
                             .offset = offset};
}

static kith_status ask(kith_i_trace *t, kith_i_question q)
{
    kith_i_answer answer;
    return t->face.ask(&t->face, &q, 1, &answer, NULL);
}

static void overspending_is_refused(void **state)
{
    (void)state;
    kith_i_collector inner = {.invited = 10, .d = 1, .ask = count_ask};
    kith_i_trace t;
    asked = 0;
    kith_i_trace_open(&t, &inner, 1, 0);
    assert_int_equal(ask(&t, question(.5, 1.001, 0, 0)), KITH_ERR_BUDGET);
    assert_int_equal(ask(&t, question(.6, 1, 0, 0)), KITH_OK);
    assert_int_equal(ask(&t, question(.4, 1, 0, 0)), KITH_OK);
    assert_int_equal(ask(&t, question(.01, 1, 0, 0)), KITH_ERR_BUDGET);
    /* Anybody could be in a partition too. */
    assert_int_equal(ask(&t, question(.5, .1, 1, 0)), KITH_ERR_BUDGET);
    assert_int_equal(asked, 2);
    assert_int_equal(t.count, 2);
    assert_int_equal(t.rounds, 2);
    kith_i_trace_close(&t);
    asked = 0;
    kith_i_trace_open(&t, &inner, 1, 0);
    assert_int_equal(ask(&t, question(.5, .6, 1, 0)), KITH_OK);
    assert_int_equal(ask(&t, question(.5, .6, 1, .5)), KITH_OK);
    assert_int_equal(ask(&t, question(.5, .5, 1, .25)), KITH_ERR_BUDGET);
    assert_int_equal(ask(&t, question(1, .4, 2, 0)), KITH_OK);
    assert_int_equal(ask(&t, question(.1, .01, 3, 0)), KITH_ERR_BUDGET);
    assert_int_equal(asked, 3);
    kith_i_trace_close(&t);
}

static kith_i_question gaussian(double epsilon, double delta,
                                uint32_t partition)
{
    static const double one[] = {1};
    kith_i_question q = question(1, epsilon, partition, 0);
    q.report = KITH_I_REPORT_VECTOR;
    q.randomizer = KITH_I_RANDOMIZER_GAUSSIAN;
    q.delta = delta;
    q.radii = one;
    return q;
}

/* To the last unit. */
static void nothing_is_forgiven(void **state)
{
    (void)state;
    kith_i_collector inner = {.invited = 10, .d = 1, .ask = count_ask};
    kith_i_trace t;
    asked = 0;
    kith_i_trace_open(&t, &inner, 1, 1e-6);
    assert_int_equal(ask(&t, question(1, 1 + 1e-10, 1, 0)), KITH_ERR_BUDGET);
    assert_int_equal(ask(&t, question(1, 1 + 0x1p-50, 1, 0)), KITH_ERR_BUDGET);
    assert_int_equal(ask(&t, question(.5, 1, 1, .8)), KITH_ERR_ARGUMENT);
    assert_int_equal(ask(&t, gaussian(.5, .75e-6, 1)), KITH_OK);
    assert_int_equal(ask(&t, question(1, .5 + 0x1p-50, 2, 0)), KITH_ERR_BUDGET);
    assert_int_equal(ask(&t, gaussian(.25, .2500001e-6, 2)), KITH_ERR_BUDGET);
    double rest = 1e-6 - .75e-6; /* exact */
    assert_int_equal(ask(&t, gaussian(.25, nextafter(rest, 1), 2)),
                     KITH_ERR_BUDGET);
    assert_int_equal(ask(&t, gaussian(.25, rest, 2)), KITH_OK);
    assert_int_equal(ask(&t, question(1e-12, .25, 3, .5)), KITH_OK);
    assert_int_equal(ask(&t, question(1e-12, .25, 3, .5)), KITH_ERR_BUDGET);
    assert_int_equal(asked, 3);
    kith_i_trace_worst worst = kith_i_trace_user(t.entries, t.count);
    assert_true(worst.epsilon <= 1 && worst.delta <= 1e-6);
    kith_i_trace_close(&t);
}

/* ---- every path of every method ---- */

enum { ROWS = 3000, MOST_D = 6 };

static kith_dataset *make_data(uint32_t d, int equal)
{
    static double x[ROWS * MOST_D];
    kith_i_coins coins;
    kith_bounds bounds = {.radius = 1};
    kith_dataset *data;
    kith_i_coins_seed(&coins, d, 4);
    for (uint32_t i = 0; i < ROWS; i++)
        for (uint32_t t = 0; t < d; t++)
            x[i * d + t] = equal ? .25
                                 : (i % 3 == t % 3 ? .6 : -.2) +
                                       .05 * kith_i_coins_normal(&coins);
    assert_int_equal(kith_dataset_from_rows(x, ROWS, d, &bounds, &data, NULL),
                     KITH_OK);
    return data;
}

/* A receipt says what the group says; a Gaussian one in its own currency. */
static void check_receipt(const kith_result *result, size_t i,
                          const kith_local_group *g)
{
    kith_receipt r;
    kith_result_receipt(result, i, &r);
    assert_string_equal(r.mechanism, g->mechanism);
    int normal = !strcmp(g->mechanism, "gaussian");
    assert_int_equal(normal, g->delta > 0);
    assert_int_equal(r.measure, normal ? KITH_GAUSSIAN_DP : KITH_PURE_DP);
    if (!normal) {
        assert_true(fabs(r.loss - g->epsilon) < 1e-15);
        return;
    }
    assert_true(gdp_delta(g->epsilon, r.loss) <= g->delta);
    assert_true(gdp_delta(g->epsilon, r.loss * 1.0001) > g->delta);
    assert_true(fabs(r.sensitivity / r.scale - r.loss) < 1e-12 * r.loss);
}

static void check_run(const kith_dataset *data, const kith_local_options *opt)
{
    kith_result *result = NULL;
    kith_local_summary *summary = NULL;
    kith_error err = {0};
    kith_status status =
        kith_local_simulate(data, opt, &result, &summary, &err);
    if (status)
        fail_msg("method %d, split %d, delta %g, boxes %d, law %d: %s",
                 (int)opt->method, opt->split_epsilon, opt->delta, opt->boxes,
                 opt->law, err.message);
    double epsilon = 0, delta = 0, shares = 0;
    uint32_t k = 0, d = 0;
    kith_local_user_loss(summary, &epsilon, &delta);
    assert_true(epsilon > 0 && epsilon <= opt->epsilon);
    assert_true(delta <= opt->delta);
    const double *centers = kith_result_centers(result, &k, &d);
    assert_in_range(k, 1, opt->clusters);
    for (uint32_t i = 0; i < k * d; i++)
        assert_true(centers[i] >= -1 && centers[i] <= 1);
    size_t groups = kith_local_group_count(summary);
    assert_int_equal(groups, kith_result_receipt_count(result));
    assert_true(groups > 0 && kith_local_rounds(summary) > 0);
    for (size_t i = 0; i < groups; i++) {
        kith_local_group g;
        kith_local_group_at(summary, i, &g);
        check_receipt(result, i, &g);
        shares += g.share;
        assert_true(g.bytes > 40 && g.bytes <= kith_local_user_bytes(summary));
        assert_true(g.round >= 1 && g.round <= kith_local_rounds(summary));
        if (!opt->split_epsilon) /* once, with everything */
            assert_true(fabs(g.epsilon - opt->epsilon) < 1e-12);
    }
    if (!opt->split_epsilon)
        assert_true(shares <= 1 + 1e-9);
    kith_local_summary_free(summary);
    kith_result_free(result);
}

static void every_method_keeps_the_budget(void **state)
{
    (void)state;
    for (uint32_t d = 1; d <= MOST_D; d += d < 3 ? 1 : 3)
        for (int equal = 0; equal < 2; equal++) {
            kith_dataset *data = make_data(d, equal);
            for (int law = 0; law < 2; law++)
                for (int m = KITH_LOCAL_AUTO; m <= KITH_LOCAL_MEAN; m++) {
                    kith_local_options opt;
                    kith_local_options_init(&opt, sizeof opt);
                    opt.clusters = 3;
                    opt.epsilon = 2;
                    opt.method = (kith_local_method)m;
                    opt.objective =
                        law ? KITH_OBJECTIVE_KMEDIAN : KITH_OBJECTIVE_KMEANS;
                    opt.insecure = 1;
                    opt.insecure_seed = 3;
                    opt.law = law;
                    opt.threads = 2;
                    check_run(data, &opt);
                    if (m != KITH_LOCAL_WEIGHTED_CENTERS)
                        continue;
                    opt.split_epsilon = 1;
                    opt.repetitions = 2;
                    check_run(data, &opt);
                    opt.delta = 1e-6;
                    check_run(data, &opt);
                    opt.split_epsilon = 0;
                    opt.boxes = d <= 3;
                    opt.nearest_weights = !law;
                    check_run(data, &opt);
                    opt.e2lsh = d <= 3;
                    check_run(data, &opt);
                }
            kith_dataset_free(data);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worst_user_is_the_worst),
        cmocka_unit_test(no_range_is_free),
        cmocka_unit_test(overspending_is_refused),
        cmocka_unit_test(nothing_is_forgiven),
        cmocka_unit_test(every_method_keeps_the_budget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

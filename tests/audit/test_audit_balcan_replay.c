/* link: support/noise_replay.c */
/* Audit of the whole of `--method balcan` on neighbouring data (R15), not by
 * sampling: a run is recorded, and replayed on the neighbour with the same
 * outputs (support/noise_replay.h). The loss of the transcript is a sum, not an
 * estimate: there are no false alarms (the limits leave 1e-6 for rounding).
 * Both ways round, and the outputs are steered to where the loss is largest.
 * What is promised is held against the whole and against each kind of release
 * alone: noisy sums, sparse histograms, selections may not lose more than their
 * receipts say. Planted mistakes must be caught. */
#include "balcan/balcan_i.h"
#include "support/replay_odds.h"
#include "support/replay_suite.h"

/* ---- candidates.c, its own text: candidates that leave the ball ---- */

/* Only as far as the integers of a loss can follow. */
static void clip_candidate(const kith_i_domain *domain, double *point)
{
    if (replay.fault != FAULT_UNCLAMPED) {
        kith_i_domain_clip(domain, point);
        return;
    }
    double radius = sqrt((double)domain->l2_squared), square = 0;
    double limit = fmin(sqrt(INT32_MAX) - radius, INT16_MAX) - 1;
    for (uint32_t i = 0; i < domain->dimension; i++)
        square += point[i] * point[i];
    for (uint32_t i = 0; i < domain->dimension; i++)
        point[i] *= fmin(1, limit / sqrt(square + 1));
}
#define kith_i_domain_clip clip_candidate
#include "balcan/candidates.c"
#undef kith_i_domain_clip

/* ---- neighbouring data ---- */

typedef struct {
    const char *name;
    uint32_t d, k;
    size_t n;
    double epsilon, delta;
    kith_neighbors neighbors;
    /* a quarter of the rows are about the first point of the diagonal, the
     * others about the second */
    double low, high;
    /* every coordinate of the row in question; with replace-one every second
     * one becomes the other (in one dimension, the only one) */
    double one, other;
    int caught;
    double least; /* the loss found must be at least this, else it is blind */
} claim;

static double *rows_of(const void *arg, int other)
{
    const claim *c = arg;
    double *rows = replay_crowd(c->n, c->d, 4, c->low, c->high);
    for (size_t i = 0; i < c->d; i++)
        rows[(c->n - 1) * c->d + i] =
            other && (c->d == 1 || i % 2) ? c->other : c->one;
    return rows;
}

static void run(const void *arg, const double *rows, size_t n, double more,
                double *charged)
{
    const claim *c = arg;
    /* just above a power of two: losses have room to exceed their bound */
    double radius = 1.02 * exp2(ceil(log2(sqrt(c->d))));
    kith_session *s =
        open_session(load(rows, n, c->d, ball(radius)), c->epsilon * more,
                     c->delta, c->neighbors, 1, 1);
    kith_kmeans_options opt;
    kith_kmeans_options_init(&opt, sizeof opt);
    opt.clusters = c->k;
    opt.method = KITH_KMEANS_BALCAN;
    /* k partitions, 8 rounds, the last draw of Algorithm 3 */
    opt.as_published = strncmp(c->name, "as published", 12) == 0;
    kith_result *r = NULL;
    kith_error err = {0};
    if (kith_kmeans(s, &opt, &r, &err))
        fail_msg("%s", err.message);
    replay_receipts(r, charged);
    kith_result_free(r);
    kith_session_close(s);
}

static const claim claims[] = {
    {"outlier", 1, 1, 40, 4, 0, KITH_ADD_REMOVE, -0.9, -0.8, 1, 0,
     HALF | OVER | EMPTY | COUNT, 0.8},
    {"outlier, moved", 1, 1, 300, 8, 0, KITH_REPLACE_ONE, -0.9, -0.9, 1, -0.9,
     HALF | OVER | EMPTY, 0.5},
    {"from end to end", 1, 1, 60, 8, 0, KITH_REPLACE_ONE, -1, .35, 1, -1,
     HALF | OVER | EMPTY, .6},
    {"only row of a cube", 2, 2, 60, 2, 0, KITH_ADD_REMOVE, -0.5, 0.5, 0.1, 0,
     HALF | OVER | EMPTY | COUNT | ROOT, 0.6},
    {"between two clusters", 2, 2, 60, 1, 0, KITH_ADD_REMOVE, -0.6, 0.6, 0, 0,
     HALF | OVER | EMPTY | ROOT | CLAMP, 0.6},
    {"across the border", 1, 2, 200, 8, 0, KITH_REPLACE_ONE, -0.6, 0.6, 0.3,
     -0.3, HALF | EMPTY, 0.5},
    {"projected outlier", 20, 2, 60, 1, 0, KITH_ADD_REMOVE, -0.5, 0.1, 1, 0,
     HALF | OVER | EMPTY | COUNT | ROOT, 0.6},
    {"projected, moved", 20, 2, 150, 16, 0, KITH_REPLACE_ONE, -0.5, -0.5, 1, -1,
     HALF | OVER | EMPTY | ROOT, 0.3},
    {"Gaussian, outlier", 1, 1, 40, 4, 1e-6, KITH_ADD_REMOVE, -0.9, -0.8, 1, 0,
     HALF | OVER | EMPTY | COUNT, 0.6},
    {"Gaussian, two clusters", 1, 2, 40, 1, 1e-6, KITH_ADD_REMOVE, .9, .9, -1,
     0, HALF | OVER | EMPTY | CLAMP, .6},
    {"Gaussian, outlier moved", 1, 1, 300, 4, 1e-6, KITH_REPLACE_ONE, -0.9,
     -0.9, 1, -0.9, HALF | OVER | EMPTY, 0.5},
    {"Gaussian, only row of a cube", 2, 2, 60, 2, 1e-6, KITH_ADD_REMOVE, -0.5,
     0.5, 0.1, 0, HALF | OVER | EMPTY | COUNT, 0.6},
    {"Gaussian, between", 2, 2, 60, 1, 1e-6, KITH_ADD_REMOVE, -0.6, 0.6, 0, 0,
     HALF | OVER | EMPTY | COUNT, 0.6},
    {"Gaussian, border", 1, 2, 200, 4, 1e-6, KITH_REPLACE_ONE, -0.6, 0.6, 0.3,
     -0.3, HALF | OVER | EMPTY, 0.2},
    {"Gaussian, projected", 20, 3, 60, 1, 1e-6, KITH_ADD_REMOVE, -0.5, 0.1, 1,
     0, HALF | OVER | EMPTY, 0.6},
    {"as published, between", 2, 2, 60, 1, 0, KITH_ADD_REMOVE, -0.6, 0.6, 0, 0,
     HALF | OVER | EMPTY | ROOT, 0.5},
    {"as published, moved", 1, 2, 200, 8, 0, KITH_REPLACE_ONE, -0.6, 0.6, 0.3,
     -0.3, HALF | EMPTY, 0.3},
    {"as published, Gaussian", 2, 2, 60, 2, 1e-6, KITH_ADD_REMOVE, -0.5, 0.5,
     0.1, 0, HALF | OVER | EMPTY | COUNT, 0.5},
};

static replay_case case_of(const void *arg)
{
    const claim *c = arg;
    return (replay_case){c->name,
                         {c->epsilon, c->delta, c->neighbors},
                         c->n,
                         c->caught,
                         c->least};
}

static replay_suite suite = REPLAY_SUITE;

/* ---- the probabilities that the audit is made of ---- */

/* Permute-and-flip as it is told: who is next, and does the coin stop there. */
static double flip_naive(const double *q, size_t n, unsigned gone, size_t c)
{
    double sum = 0, left = 0;
    for (size_t i = 0; i < n; i++)
        left += !(gone >> i & 1);
    for (size_t i = 0; i < n; i++)
        if (!(gone >> i & 1)) {
            sum += i == c ? q[i] / left : 0;
            if (i != c && q[i] < 1)
                sum += (1 - q[i]) / left * flip_naive(q, n, gone | 1u << i, c);
        }
    return sum;
}

static void test_probabilities(void **state)
{
    (void)state;
    enum { N = 7 };
    double totals[N] = {3, 40, 11, 3, 5, 900, 0}, q[N], logs[N], b = .13;
    flip_logs(b, totals, N, logs);
    for (size_t i = 0; i < N; i++)
        q[i] = exp(-b * totals[i]);
    for (size_t i = 0; i < N; i++)
        assert_true(fabs(logs[i] - log(flip_naive(q, N, 0, i))) < 1e-9);

    enum { MANY = 500 };
    double all[MANY], flip[MANY], weigh[MANY], one = 0, two = 0;
    for (size_t i = 0; i < MANY; i++)
        all[i] = (double)(i * i % 83);
    flip_logs(b, all, MANY, flip);
    exponential_logs(b, all, MANY, weigh);
    for (size_t i = 0; i < MANY; i++) {
        one += exp(flip[i]);
        two += exp(weigh[i]);
    }
    assert_true(fabs(one - 1) < 1e-9 && fabs(two - 1) < 1e-9);

    /* A coin that lies with probability 0.5 erfc(1 / sqrt 2) is 2-GDP. */
    double lie = erfc(1 / sqrt(2)) / 2;
    double coin[2] = {log(1 - lie), log(lie)}, other[2] = {coin[1], coin[0]};
    assert_true(fabs(gdp_of(coin, other, 2) - 2) < 1e-9);
    assert_true(gdp_of(coin, coin, 2) < 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_probabilities),
        cmocka_unit_test_prestate(replay_claims_stand, &suite),
        cmocka_unit_test_prestate(replay_mistakes_are_caught, &suite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* link: support/noise_replay.c */
/* Audit of k-median on neighbouring data (R15): candidates and swaps by
 * distance, the start by k-means, and the noisy steps that recover the medians.
 * By replay (support/replay_pair.h): the loss is a sum, so there are no false
 * alarms; the limits leave 1e-6 for rounding. Planted mistakes must be caught.
 * (--recovery sampling has no such transcript: its guarantee is asymptotic.) */
#include "balcan/balcan_i.h"
#include "kmedian/kmedian_i.h"
#include "support/replay_suite.h"

/* ---- candidates.c, its own text: candidates that leave the ball ---- */

/* Only as far as the integers of a loss can follow. */
static void clip_candidate(const kith_i_domain *domain, double *point)
{
    if (replay.fault != FAULT_UNCLAMPED) {
        kith_i_domain_clip(domain, point);
        return;
    }
    double square = 0;
    for (uint32_t i = 0; i < domain->dimension; i++)
        square += point[i] * point[i];
    for (uint32_t i = 0; i < domain->dimension; i++)
        point[i] *= fmin(1, INT16_MAX / sqrt(square + 1));
}
#define kith_i_domain_clip clip_candidate
#include "balcan/candidates.c"
#undef kith_i_domain_clip

/* ---- ask.c, its own text: rows that pull twice as hard ---- */

/* The gate does not clip them then. */
static void pull_hard(const kith_i_pull *pull, const kith_i_block *block,
                      double *scratch, uint32_t *cell, int32_t *value)
{
    kith_i_pull_block(pull, block, scratch, cell, value);
    size_t size = (size_t)block->rows * (pull->centers->d + 1);
    for (size_t i = 0; replay.fault == FAULT_UNCLIPPED && i < size; i++)
        value[i] *= 2;
}
#define kith_i_pull_block pull_hard
#include "dp/ask.c"
#undef kith_i_pull_block

/* ---- neighbouring data ---- */

typedef enum { STEPS, BALCAN, AUTO } kind;

typedef struct {
    const char *name;
    kind kind; /* steps alone, from public centres; or a whole run */
    uint32_t d, k;
    size_t n;
    double epsilon, delta;
    kith_neighbors neighbors;
    double low, high;  /* rows are about these points of the diagonal */
    double one, other; /* the row in question, and what takes its place */
    int caught;
    double least; /* the loss found must be at least this, else it is blind */
} claim;

static double *rows_of(const void *arg, int other)
{
    const claim *c = arg;
    double *rows = replay_crowd(c->n, c->d, 4, c->low, c->high);
    for (size_t i = 0; i < c->d; i++)
        rows[(c->n - 1) * c->d + i] = other ? c->other : c->one;
    return rows;
}

/* Half for tau, half for one step; no start. */
static void run_steps(const claim *c, kith_session *s, double *charged)
{
    double *centers = calloc((size_t)c->k * c->d, sizeof *centers);
    double *weights = calloc(c->k, sizeof *weights), noise;
    for (size_t j = 0; j < c->k; j++)
        centers[j * c->d] = 3000.0 * (double)j;
    kith_i_median_run m = {
        .session = s, .k = c->k, .centers = centers, .weights = weights};
    kith_i_loss all = kith_i_session_left(s);
    kith_i_median_step step = {.what = "audit", .charge = all - all / 2};
    if (kith_i_median_open(&m, 0, NULL) ||
        kith_i_median_tau(&m, all / 2, NULL) ||
        kith_i_median_move(&m, &step, 0, &noise, NULL))
        fail();
    replay_session(s, charged);
    kith_i_median_close(&m);
    free(centers);
    free(weights);
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
    if (c->kind == STEPS) {
        run_steps(c, s, charged);
        kith_session_close(s);
        return;
    }
    kith_kmedian_options opt;
    kith_kmedian_options_init(&opt, sizeof opt);
    opt.clusters = c->k;
    opt.method = c->kind == BALCAN ? KITH_KMEDIAN_BALCAN : KITH_KMEDIAN_AUTO;
    kith_result *r = NULL;
    kith_error err = {0};
    if (kith_kmedian(s, &opt, &r, &err))
        fail_msg("%s", err.message);
    replay_receipts(r, charged);
    kith_result_free(r);
    kith_session_close(s);
}

#define ADD  KITH_ADD_REMOVE
#define MOVE KITH_REPLACE_ONE

static const claim claims[] = {
    {"steps, outlier", STEPS, 3, 1, 40, 1, 0, ADD, -0.5, -0.4, 1, 0,
     HALF | OVER | ROOT | CLIP, .8},
    {"steps, replaced", STEPS, 3, 1, 40, 1, 0, MOVE, -0.5, -0.4, 1, -0.5,
     HALF | OVER | ROOT | CLIP, .6},
    {"steps, two clusters", STEPS, 2, 2, 40, 1, 0, ADD, -0.5, 0.5, 1, 0,
     HALF | OVER | CLIP, .8},
    {"steps, Gaussian", STEPS, 3, 1, 40, 1, 1e-6, ADD, -0.5, -0.4, 1, 0,
     HALF | OVER | CLIP, .8},
    {"steps, Gaussian, replaced", STEPS, 3, 1, 40, 1, 1e-6, MOVE, -0.5, -0.4, 1,
     -0.5, HALF | OVER | CLIP, .6},
    {"swaps, outlier", BALCAN, 1, 1, 40, 4, 0, ADD, -0.9, -0.8, 1, 0,
     HALF | OVER | EMPTY, .6},
    {"swaps, between clusters", BALCAN, 2, 2, 40, 1, 0, ADD, -0.6, 0.6, 0, 0,
     HALF | OVER | EMPTY, .5},
    {"swaps, moved", BALCAN, 1, 1, 60, 8, 0, MOVE, -0.9, -0.9, 1, -0.9,
     HALF | OVER | EMPTY, .4},
    {"swaps, Gaussian", BALCAN, 1, 2, 40, 2, 1e-6, ADD, .9, .9, -1, 0,
     HALF | OVER | EMPTY | CLAMP, .3},
    {"the default", AUTO, 3, 2, 60, 1, 0, ADD, -0.5, 0.5, 1, 0, HALF | OVER,
     .5},
    {"the default, moved", AUTO, 3, 2, 60, 1, 0, MOVE, -0.5, 0.5, 1, -1,
     HALF | OVER, .4},
    {"the default, Gaussian", AUTO, 3, 2, 60, 1, 1e-6, ADD, -0.5, 0.5, 1, 0,
     HALF | OVER, .3},
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

int main(void)
{
    return replay_main(&suite);
}

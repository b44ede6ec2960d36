/* link: support/noise_replay.c */
/* Audit of `--method sulq` and of one plane by `auto` on neighbouring rows
 * (R15), by recording and replaying (support/replay_pair.h): the loss of a
 * transcript is a sum, there are no false alarms. Held against what was
 * declared and against the receipts; rows are orthogonal where it hurts most.
 * Planted: half the noise, the sqrt 2 (or 2) of a replaced row forgotten,
 * shares that add up to more than 1. */
#include "support/make_planes.h"
#include "support/replay_suite.h"

typedef enum { SULQ, BASIC, ONE_PLANE } method;

typedef struct {
    const char *name;
    method method;
    uint32_t k, rounds;
    double epsilon, delta;
    kith_neighbors neighbors;
    int replaced; /* by this of the rows below */
    int caught;   /* mistakes that must show; CLIP: the price of an added row
                     for a replaced one */
    double least; /* must be found, else the audit is blind */
} claim;

enum { N = 30, D = 3 };

/* The row in question, and what becomes of it. */
static const double last_rows[][D] = {
    {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-.6, .8, 0}, {0, 0, 0}};

static double *rows_of(const void *arg, int other)
{
    const claim *c = arg;
    int last = other ? c->replaced : 0;
    double *rows = make_planes(N, D, 2, 1, .1, 6, NULL);
    memcpy(rows + (N - 1) * D, last_rows[last], sizeof last_rows[last]);
    return rows;
}

/* Basic composition promises less than the harness knows of: mu^2 of the
 * rounds, each with its part of epsilon and delta. */
static void check_basic(const claim *c, double more, const double *charged)
{
    double mu = 0, parts = c->rounds;
    assert_int_equal(
        kith_privacy_mu(c->epsilon * more / parts, c->delta / parts, &mu, NULL),
        KITH_OK);
    assert_true(charged[REPLAY_NOISE] <= parts * mu * mu * (1 + 1e-6));
}

static void run(const void *arg, const double *rows, size_t n, double more,
                double *charged)
{
    const claim *c = arg;
    int once = replay.fault == FAULT_UNCLIPPED;
    kith_session *s =
        open_session(load(rows, n, D, ball(1)), c->epsilon * more, c->delta,
                     once ? KITH_ADD_REMOVE : c->neighbors, 1, 1);
    kith_subspace_options opt;
    kith_subspace_options_init(&opt, sizeof opt);
    opt.clusters = c->k;
    opt.subspace_dimension = 1;
    opt.method =
        c->method == ONE_PLANE ? KITH_SUBSPACE_AUTO : KITH_SUBSPACE_SULQ;
    opt.basic_composition = c->method == BASIC;
    opt.rounds = c->rounds;
    kith_result *result = NULL;
    kith_error err = {0};
    if (kith_subspace(s, &opt, &result, &err))
        fail_msg("%s", err.message);
    replay_receipts(result, charged);
    if (c->method == BASIC)
        check_basic(c, more, charged);
    kith_result_free(result);
    kith_session_close(s);
}

static const claim claims[] = {
    {"sulq, removed", SULQ, 2, 3, 1, 1e-6, KITH_ADD_REMOVE, 0, HALF | OVER,
     .99},
    {"sulq, replaced", SULQ, 2, 3, 1, 1e-6, KITH_REPLACE_ONE, 1,
     HALF | OVER | CLIP, .99},
    {"sulq, replaced by another", SULQ, 2, 3, 3, 1e-6, KITH_REPLACE_ONE, 2,
     HALF | OVER | CLIP, .99},
    {"sulq, to a row near it", SULQ, 2, 3, 1, 1e-6, KITH_REPLACE_ONE, 3,
     HALF | OVER, .4},
    {"sulq, to zero", SULQ, 3, 2, 1, 1e-6, KITH_REPLACE_ONE, 4, HALF | OVER,
     .49},
    /* a quarter of what (epsilon, delta) is worth, all of the receipts */
    {"basic, removed", BASIC, 2, 4, 1, 1e-6, KITH_ADD_REMOVE, 0, HALF | OVER,
     .25},
    {"basic, replaced", BASIC, 2, 4, 1, 1e-4, KITH_REPLACE_ONE, 2,
     HALF | OVER | CLIP, .26},
    {"sulq, pure, removed", SULQ, 2, 3, 1, 0, KITH_ADD_REMOVE, 0, HALF | OVER,
     .95},
    {"sulq, pure, replaced", SULQ, 2, 3, 1, 0, KITH_REPLACE_ONE, 1,
     HALF | OVER | CLIP, .7},
    {"sulq, pure, one plane", SULQ, 1, 2, 1, 0, KITH_REPLACE_ONE, 1,
     HALF | OVER | CLIP, .95},
    {"auto, one plane", ONE_PLANE, 1, 0, 1, 1e-6, KITH_REPLACE_ONE, 1,
     HALF | OVER | CLIP, .99},
    {"auto, one plane, removed", ONE_PLANE, 1, 0, 1, 1e-6, KITH_ADD_REMOVE, 0,
     HALF | OVER, .98},
    {"auto, one plane, pure", ONE_PLANE, 1, 0, 1, 0, KITH_REPLACE_ONE, 1,
     HALF | OVER | CLIP, .99},
    {"auto, one plane, pure, removed", ONE_PLANE, 1, 0, 1, 0, KITH_ADD_REMOVE,
     0, HALF | OVER, .98},
};

static replay_case case_of(const void *arg)
{
    const claim *c = arg;
    return (replay_case){
        c->name, {c->epsilon, c->delta, c->neighbors}, N, c->caught, c->least};
}

static replay_suite suite = REPLAY_SUITE;

int main(void)
{
    return replay_main(&suite);
}

/* link: support/noise_replay.c */
/* Audit of `auto` for planes in pure DP, where its moments get Wishart
 * differences (R15): recorded and replayed on neighbouring rows
 * (support/replay_pair.h), so there are no false alarms. One plane; the fit
 * alone; all releases of the pipeline; rows that are clipped only. Held against
 * what was declared and against the receipts. Planted: half the noise, the
 * price of an added row for a replaced one, shares that add up to more than 1.
 */
#include "support/make_planes.h"
#include "support/replay_suite.h"

typedef struct {
    const char *name;
    uint32_t k, q;
    int clip;
    double epsilon;
    kith_neighbors neighbors;
    int replaced;    /* by this of the rows below */
    size_t wisharts; /* receipts that must say so; 0: the noisy count decides */
    int caught;      /* mistakes that must show; CLIP: the price of an added row
                        for a replaced one */
    double least;    /* must be found, else the audit is blind */
} claim;

enum { N = 60, D = 9 };

/* The row in question, and what becomes of it. */
static const double last_rows[][D] = {{1}, {0, 1}, {0, 0, 1}, {-.6, .8}, {0}};

static double *rows_of(const void *arg, int other)
{
    const claim *c = arg;
    int last = other ? c->replaced : 0;
    double *rows = make_planes(N, D, 2, 2, .1, 6, NULL);
    memcpy(rows + (N - 1) * D, last_rows[last], sizeof last_rows[last]);
    return rows;
}

static void run(const void *arg, const double *rows, size_t n, double more,
                double *charged)
{
    const claim *c = arg;
    int once = replay.fault == FAULT_UNCLIPPED;
    kith_session *s = open_session(
        load(rows, n, D, c->clip ? ball(1) : unit_rows()), c->epsilon * more, 0,
        once ? KITH_ADD_REMOVE : c->neighbors, 1, 1);
    kith_subspace_options opt;
    kith_subspace_options_init(&opt, sizeof opt);
    opt.clusters = c->k;
    opt.subspace_dimension = c->q;
    kith_result *result = NULL;
    kith_error err = {0};
    if (kith_subspace(s, &opt, &result, &err))
        fail_msg("%s", err.message);
    size_t wisharts = 0;
    for (size_t i = 0; i < kith_result_receipt_count(result); i++) {
        kith_receipt r;
        kith_result_receipt(result, i, &r);
        wisharts += strcmp(r.mechanism, "wishart") == 0;
    }
    assert_true(wisharts > 0);
    if (replay.fault == FAULT_NONE && more == 1 && c->wisharts > 0)
        assert_int_equal(wisharts, c->wisharts);
    replay_receipts(result, charged);
    kith_result_free(result);
    kith_session_close(s);
}

/* Every mistake is planted once in each kind of pipeline: where rows are
 * replaced half the noise, where they are removed too large a sum. */
static const claim claims[] = {
    {"one plane, replaced", 1, 2, 0, 1, KITH_REPLACE_ONE, 1, 1,
     HALF | OVER | CLIP, .99},
    {"one plane, removed", 1, 2, 0, 1, KITH_ADD_REMOVE, 0, 1, HALF | OVER, .98},
    {"one plane, to zero", 1, 2, 1, 1, KITH_REPLACE_ONE, 4, 1, OVER, .49},
    {"fit in a view, replaced", 2, 2, 0, 9, KITH_REPLACE_ONE, 1, 2, HALF, .5},
    {"fit in a view, removed", 2, 2, 0, 9, KITH_ADD_REMOVE, 0, 0, OVER, .5},
    {"all, in a view, replaced", 2, 2, 0, 40, KITH_REPLACE_ONE, 1, 3, HALF, .5},
    {"all, in a view, removed", 2, 2, 0, 20, KITH_ADD_REMOVE, 0, 0, OVER, .5},
    {"all, replaced", 2, 2, 0, 60, KITH_REPLACE_ONE, 1, 2, HALF | CLIP, .8},
    {"all, to another", 2, 2, 0, 60, KITH_REPLACE_ONE, 2, 2, OVER | CLIP, .8},
    {"all, to one near it", 2, 2, 0, 60, KITH_REPLACE_ONE, 3, 2, HALF, .5},
    {"all, removed", 2, 2, 0, 60, KITH_ADD_REMOVE, 0, 0, OVER, .8},
    {"all, clipped, replaced", 2, 2, 1, 60, KITH_REPLACE_ONE, 1, 3, HALF, .5},
    {"all, clipped, removed", 2, 2, 1, 60, KITH_ADD_REMOVE, 0, 0, OVER, .5},
};

static replay_case case_of(const void *arg)
{
    const claim *c = arg;
    return (replay_case){
        c->name, {c->epsilon, 0, c->neighbors}, N, c->caught, c->least};
}

static replay_suite suite = REPLAY_SUITE;

int main(void)
{
    return replay_main(&suite);
}

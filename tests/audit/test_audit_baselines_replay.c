/* link: support/noise_replay.c */
/* Audit of the baselines on neighbouring data (R15) by replay, like that of
 * balcan: the loss of a transcript is a sum, not an estimate, so there are no
 * false alarms (the limits leave 1e-6 for rounding). Planted mistakes must be
 * caught. */
#include "support/replay_suite.h"

typedef struct {
    const char *name;
    kith_kmeans_method method;
    uint32_t d, k;
    size_t n;
    double epsilon, delta;
    kith_neighbors neighbors;
    /* half of the rows are about each of two points of the diagonal; the last
     * one is here, or there */
    double low, high, one, other;
    int caught;
    double least; /* the loss found must be at least this, else it is blind */
} claim;

static double *rows_of(const void *arg, int other)
{
    const claim *c = arg;
    double *rows = replay_crowd(c->n, c->d, 2, c->low, c->high);
    for (size_t i = (c->n - 1) * c->d; i < c->n * c->d; i++)
        rows[i] = other ? c->other : c->one;
    return rows;
}

static void run(const void *arg, const double *rows, size_t n, double more,
                double *charged)
{
    const claim *c = arg;
    kith_session *s =
        open_session(load(rows, n, c->d, unit_box()), c->epsilon * more,
                     c->delta, c->neighbors, 1, 1);
    kith_kmeans_options opt;
    kith_kmeans_options_init(&opt, sizeof opt);
    opt.clusters = c->k;
    opt.method = c->method;
    kith_result *r = NULL;
    kith_error err = {0};
    if (kith_kmeans(s, &opt, &r, &err))
        fail_msg("%s", err.message);
    replay_receipts(r, charged);
    kith_result_free(r);
    kith_session_close(s);
}

static const claim claims[] = {
    {"sulq, outlier", KITH_KMEANS_SULQ, 1, 1, 40, 4, 0, KITH_ADD_REMOVE, -.9,
     -.8, 1, 0, HALF | OVER, .9},
    {"sulq, moved", KITH_KMEANS_SULQ, 2, 2, 60, 2, 0, KITH_REPLACE_ONE, -.5, .5,
     1, -1, HALF | OVER, .3},
    {"sulq, Gaussian", KITH_KMEANS_SULQ, 2, 2, 40, 1, 1e-6, KITH_ADD_REMOVE,
     -.5, .5, 1, 0, HALF | OVER, .9},
    {"sulq, Gaussian, moved", KITH_KMEANS_SULQ, 3, 2, 60, 1, 1e-6,
     KITH_REPLACE_ONE, -.5, .5, 1, -1, HALF | OVER, .3},
    {"grid, outlier", KITH_KMEANS_GRID, 1, 1, 40, 4, 0, KITH_ADD_REMOVE, -.9,
     -.8, 1, 0, HALF | OVER, .9},
    {"grid, moved", KITH_KMEANS_GRID, 2, 2, 60, 2, 0, KITH_REPLACE_ONE, -.5, .5,
     1, -1, HALF | OVER, .9},
    {"grid, Gaussian", KITH_KMEANS_GRID, 2, 2, 40, 1, 1e-6, KITH_ADD_REMOVE,
     -.5, .5, 1, 0, HALF | OVER, .9},
    {"grid, Gaussian, moved", KITH_KMEANS_GRID, 3, 2, 60, 1, 1e-6,
     KITH_REPLACE_ONE, -.5, .5, 1, -1, HALF | OVER, .9},
    /* which row is drawn is luck, so there is one row, or none */
    {"kvariates", KITH_KMEANS_KVARIATES, 1, 1, 1, 4, 0, KITH_ADD_REMOVE, 0, 0,
     1, 0, OVER, .4},
    {"kvariates, moved", KITH_KMEANS_KVARIATES, 1, 1, 1, 2, 0, KITH_REPLACE_ONE,
     0, 0, 1, -1, HALF | OVER, .9},
    {"kvariates, two", KITH_KMEANS_KVARIATES, 2, 2, 1, 1, 1e-6,
     KITH_REPLACE_ONE, 0, 0, 1, -1, HALF | OVER, .9},
    {"averages", KITH_KMEANS_SAMPLE_AGGREGATE, 1, 1, 1, 4, 0, KITH_ADD_REMOVE,
     0, 0, 1, 0, OVER, .4},
    {"averages, moved", KITH_KMEANS_SAMPLE_AGGREGATE, 1, 1, 1, 2, 0,
     KITH_REPLACE_ONE, 0, 0, 1, -1, HALF | OVER, .9},
    {"averages, two", KITH_KMEANS_SAMPLE_AGGREGATE, 2, 2, 1, 1, 1e-6,
     KITH_REPLACE_ONE, 0, 0, 1, -1, HALF | OVER, .9},
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

int main(void)
{
    static replay_suite suite = {.claims = claims,
                                 .size = sizeof *claims,
                                 .count = sizeof claims / sizeof *claims,
                                 .of = case_of,
                                 .rows = rows_of,
                                 .run = run};
    return replay_main(&suite);
}

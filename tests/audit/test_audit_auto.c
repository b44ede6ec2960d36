/* link: support/noise_replay.c */
/* Audit of the whole of `auto`, and of its second moments, on neighbouring data
 * (R15). Not by sampling: a run is recorded, and replayed on the neighbour with
 * the same outputs (support/noise_replay.h). The loss of the transcript is then
 * a sum, not an estimate: there are no false alarms (the limits leave 1e-6 for
 * rounding). The noise is steered to where the loss is largest, so that the
 * audit has power: planted mistakes (half the noise, sqrt d forgotten, exact n
 * used, shares above 1) must be caught. */
#include "release/release_gram.h"
#include "support/replay_suite.h"

#define NUMBER "a number" /* of clusters is chosen, from 2 to k */

typedef struct {
    const char *name;
    uint32_t d, k;
    size_t n;
    double epsilon, delta;
    kith_neighbors neighbors;
    double outlier;  /* every coordinate of the row that differs */
    double spread;   /* of the others, about -0.5; < 0: about all corners */
    int gram;        /* second moments alone */
    int root, count; /* sqrt d forgotten, exact n used: must show here */
} claim;

/* Rows of the claim; the last is the one in question, or (other) what takes
 * its place. */
static double *rows_of(const void *arg, int other)
{
    const claim *c = arg;
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 4, 2);
    double *rows = calloc(c->n * c->d, sizeof *rows);
    for (size_t i = 0; i < (c->n - 1) * c->d; i++) {
        size_t corner = c->spread < 0 ? i / c->d : 0;
        rows[i] = (corner >> i % c->d & 1 ? 0.5 : -0.5) +
                  c->spread * kith_i_coins_normal(&coins);
    }
    for (size_t i = 0; i < c->d; i++)
        rows[(c->n - 1) * c->d + i] =
            other && (c->d == 1 || i % 2) ? -c->outlier : c->outlier;
    return rows;
}

/* Of the records as values: residuals from 0. */
static void run_gram(kith_session *s, uint32_t d)
{
    kith_i_gram_spec spec = {.what = "audit",
                             .cells = 1,
                             .width = d,
                             .radius =
                                 kith_i_domain_l2(kith_i_session_domain(s)),
                             .charge = kith_i_session_left(s)};
    int32_t *zero = calloc(d, sizeof *zero);
    kith_i_ask ask = {
        .value = {.kind = KITH_I_VALUE_RESIDUAL, .origins = zero}};
    int64_t *out = calloc((size_t)d * d, sizeof *out);
    double sd;
    if (kith_i_release_gram(s, &ask, &spec, out, &sd, NULL))
        fail();
    free(zero);
    free(out);
}

static void run_auto(kith_session *s, uint32_t k, uint32_t from)
{
    kith_kmeans_options opt;
    kith_kmeans_options_init(&opt, sizeof opt);
    opt.clusters = k;
    opt.clusters_from = from;
    opt.method = KITH_KMEANS_AUTO;
    kith_result *r = NULL;
    kith_error err = {0};
    if (kith_kmeans(s, &opt, &r, &err))
        fail_msg("%s", err.message);
    kith_result_free(r);
}

static void run(const void *arg, const double *rows, size_t n, double more,
                double *charged)
{
    const claim *c = arg;
    kith_session *s =
        open_session(load(rows, n, c->d, unit_box()), c->epsilon * more,
                     c->delta, c->neighbors, 1, 1);
    if (c->gram)
        run_gram(s, c->d);
    else
        run_auto(s, c->k, strstr(c->name, NUMBER) ? 2 : 0);
    replay_session(s, charged);
    kith_session_close(s);
}

/* With few rows auto hands over to lloyd. */
static const claim claims[] = {
    {"line", 1, 2, 400, 1, 0, KITH_ADD_REMOVE, 1, .05, 0, 0, 0},
    {"line, few rows", 1, 2, 5, 1, 0, KITH_ADD_REMOVE, 1, .05, 0, 0, 0},
    {"line, replaced", 1, 2, 400, 1, 0, KITH_REPLACE_ONE, 1, .05, 0, 0, 0},
    {"space", 3, 2, 1500, 1, 0, KITH_ADD_REMOVE, 1, .05, 0, 0, 1},
    {"space, one cluster", 3, 1, 3000, 1, 0, KITH_ADD_REMOVE, 1, .05, 0, 0, 1},
    {"random axes", 20, 2, 600, 1, 0, KITH_ADD_REMOVE, 1, .05, 0, 1, 0},
    {"random axes, replaced", 20, 2, 6000, 1, 0, KITH_REPLACE_ONE, 1, .05, 0, 1,
     0},
    /* sums from what the view knows, then from a first estimate */
    {"random axes, zoom", 20, 2, 1500, 1, 0, KITH_ADD_REMOVE, 1, .05, 0, 1, 1},
    {"few groups", 24, 6, 1500, .5, 0, KITH_ADD_REMOVE, 1, .05, 0, 1, 0},
    /* four times the budget */
    {"merged groups", 20, 2, 1500, 4, 0, KITH_ADD_REMOVE, 1, .05, 0, 1, 1},
    /* no clusters */
    {"even boxes", 8, 2, 2000, 8, 0, KITH_ADD_REMOVE, 1, .2, 0, 0, 0},
    /* too few rows for two clusters: one mean, counted once more */
    {"one mean", 20, 2, 100, 1, 0, KITH_ADD_REMOVE, 1, .05, 0, 1, 0},
    {"Gaussian, one mean", 20, 2, 40, 1, 1e-6, KITH_REPLACE_ONE, 1, .05, 0, 0,
     0},
    /* the first mean is off by more than the rows are apart: a second */
    {"second mean", 3, 2, 1500, 1, 0, KITH_ADD_REMOVE, 1, .002, 0, 0, 0},
    {"Gaussian, second mean", 3, 2, 600, 1, 1e-6, KITH_ADD_REMOVE, 1, .001, 0,
     0, 0},
    {"Gaussian", 3, 2, 800, 1, 1e-6, KITH_ADD_REMOVE, 1, .05, 0, 0, 1},
    {"Gaussian, few rows", 3, 2, 30, 1, 1e-6, KITH_ADD_REMOVE, 1, .05, 0, 0, 0},
    {"Gaussian, replaced", 3, 2, 800, 1, 1e-6, KITH_REPLACE_ONE, 1, .05, 0, 0,
     0},
    {"Gaussian, wide", 20, 2, 800, 4, 1e-6, KITH_ADD_REMOVE, 1, .05, 0, 0, 1},
    /* clumps far apart */
    {"clumps", 4, 16, 12000, 1, 0, KITH_ADD_REMOVE, 1, -.02, 0, 0, 1},
    /* bounds far wider than the rows: shells, and cells of two widths */
    {"shells", 1, 2, 300, 30, 0, KITH_ADD_REMOVE, 1, .002, 0, 0, 1},
    /* far wider still: all but one in the first bin of distances */
    {"first bin", 8, 4, 400, 4, 0, KITH_ADD_REMOVE, 1, .0005, 0, 0, 0},
    {"Gaussian, first bin", 8, 4, 400, 4, 1e-6, KITH_REPLACE_ONE, 1, .0005, 0,
     0, 0},
    /* loud, and no clusters are seen: the rows choose, or one mean */
    {"choice", 20, 20, 1000, 1, 0, KITH_ADD_REMOVE, 1, .2, 0, 0, 0},
    {"choice, replaced", 10, 10, 6000, .3, 0, KITH_REPLACE_ONE, 1, .2, 0, 0, 0},
    {"Gaussian, choice", 20, 4, 600, .3, 1e-6, KITH_ADD_REMOVE, 1, .2, 0, 0, 0},
    /* how many: chosen from the summary, for nothing */
    {NUMBER, 2, 9, 3000, 1, 0, KITH_ADD_REMOVE, 1, -.05, 0, 0, 0},
    {NUMBER ", few rows", 2, 9, 30, 1, 0, KITH_ADD_REMOVE, 1, .05, 0, 0, 0},
    {"Gaussian, " NUMBER, 3, 9, 3000, 1, 1e-6, KITH_REPLACE_ONE, 1, -.05, 0, 0,
     0},
    {"second moments", 4, 0, 50, 1, 0, KITH_ADD_REMOVE, 1, .05, 1, 1, 0},
    {"second moments, replaced", 4, 0, 50, 1, 0, KITH_REPLACE_ONE, 1, .05, 1, 1,
     0},
    {"Gaussian second moments", 4, 0, 50, 1, 1e-6, KITH_ADD_REMOVE, 1, .05, 1,
     0, 0},
};

static replay_case case_of(const void *arg)
{
    const claim *c = arg;
    return (replay_case){c->name,
                         {c->epsilon, c->delta, c->neighbors},
                         c->n,
                         HALF | OVER | (c->root ? ROOT : 0) |
                             (c->count ? COUNT : 0),
                         /* else a factor of 2 (4 of mu^2) could hide */
                         c->delta > 0 ? .28 : .55};
}

static replay_suite suite = REPLAY_SUITE;

int main(void)
{
    return replay_main(&suite);
}

/* link: support/noise_replay.c */
/* Audit of both methods for sparse rows on neighbouring data (R15): Algorithm 5
 * of balcan (choice of features, sizes, values), and the default, which
 * releases a profile of all rows and runs auto on the features that stand out.
 * By replay (support/replay_pair.h): the loss is a sum, so there are no false
 * alarms; the limits leave 1e-6 for rounding. Planted mistakes must be caught.
 */
#include "balcan/balcan_i.h"
#include "release/release_features.h"
#include "support/replay_suite.h"
#include "support/sparse_data.h"

typedef enum { RECOVERY, PROFILE, BALCAN, AUTO } kind;

typedef struct {
    const char *name;
    kind kind; /* Algorithm 5 or the profile alone, or a whole run */
    uint32_t d, k, sparsity;
    size_t n;
    double epsilon, delta;
    kith_neighbors neighbors;
    double rows;             /* Algorithm 5 alone: it is told so many */
    uint32_t entries, first; /* of the row in question */
    int is_signed;
    int caught;
    double least; /* the loss found must be at least this, else it is blind */
} claim;

/* Rows have entries of .5 in two of the first four features; the row in
 * question has entries of 1 from c->first on, and what takes its place in
 * features far from there. */
static double *rows_of(const void *arg, int other)
{
    const claim *c = arg;
    double *rows = calloc(c->n * c->d, sizeof *rows);
    for (size_t r = 0; r + 1 < c->n; r++) {
        rows[r * c->d + r % 2 * 2] = .5;
        rows[r * c->d + r % 2 * 2 + 1] = .5;
    }
    double *odd = rows + (c->n - 1) * c->d;
    for (size_t i = 0; i < c->entries; i++)
        odd[!other ? c->first + i : c->first ? i : c->d - 1 - i] = 1;
    return rows;
}

/* Sparsity not enforced: rows keep all their entries, the charge is for few. */
static void promise_sparsity(kith_session *s, kith_bounds bounds, uint32_t d)
{
    kith_i_domain *honest, *domain;
    domain = (kith_i_domain *)(uintptr_t)kith_i_session_domain(s);
    if (kith_i_domain_new(&bounds, d, 1, &honest, NULL))
        fail();
    domain->sparsity = honest->sparsity;
    domain->l1 = honest->l1;
    kith_i_domain_free(honest);
}

/* Algorithm 5 with all of the budget; rows belong to one of k public points. */
static void run_recovery(const claim *c, kith_session *s)
{
    kith_error err = {0};
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 1, 1);
    kith_i_recovery r;
    double *weights = calloc(c->k, sizeof *weights);
    double *points = calloc((size_t)c->k * c->d, sizeof *points);
    for (size_t j = 0; j < c->k; j++)
        points[j * c->d + 2 * j] = 2000;
    if (kith_i_recovery_open(&r, s, c->k, &coins, weights, &err))
        fail_msg("%s", err.message);
    r.rows = c->rows;
    if (kith_i_recover_sparse(&r, "audit", NULL, points, 1,
                              kith_i_session_left(s), &err))
        fail_msg("%s", err.message);
    kith_i_recovery_close(&r);
    free(points);
    free(weights);
}

static void run_profile(const claim *c, kith_session *s)
{
    int64_t *profile = calloc(c->d, sizeof *profile);
    double sd;
    if (kith_i_release_profile(s, "audit", kith_i_session_left(s), profile, &sd,
                               NULL))
        fail();
    free(profile);
}

static void run_whole(const claim *c, kith_session *s, double *charged)
{
    kith_kmeans_options opt;
    kith_kmeans_options_init(&opt, sizeof opt);
    opt.clusters = c->k;
    opt.method = c->kind == BALCAN ? KITH_KMEANS_BALCAN : KITH_KMEANS_AUTO;
    kith_result *r = NULL;
    kith_error err = {0};
    if (kith_kmeans(s, &opt, &r, &err))
        fail_msg("%s", err.message);
    replay_receipts(r, charged);
    kith_result_free(r);
}

static void run(const void *arg, const double *rows, size_t n, double more,
                double *charged)
{
    const claim *c = arg;
    double low = c->is_signed ? -1 : 0, high = 1;
    kith_bounds bounds = {.lower = &low,
                          .upper = &high,
                          .box_count = 1,
                          .radius = 2,
                          .sparsity = c->sparsity};
    kith_bounds loose = bounds;
    loose.sparsity = replay.fault == FAULT_UNCLIPPED ? c->d : c->sparsity;
    kith_session *s =
        open_session(load_sparse(rows, n, c->d, loose), c->epsilon * more,
                     c->delta, c->neighbors, 1, 1);
    if (replay.fault == FAULT_UNCLIPPED)
        promise_sparsity(s, bounds, c->d);
    if (c->kind == RECOVERY)
        run_recovery(c, s);
    if (c->kind == PROFILE)
        run_profile(c, s);
    replay_session(s, charged);
    if (c->kind == BALCAN || c->kind == AUTO)
        run_whole(c, s, charged);
    kith_session_close(s);
}

#define ADD  KITH_ADD_REMOVE
#define MOVE KITH_REPLACE_ONE

/* C = 1 with 4 entries a row, 2/3 with 36. */
static const claim claims[] = {
    {"one pick", RECOVERY, 12, 1, 4, 60, 2, 0, ADD, 8, 4, 4, 0, HALF | OVER,
     .7},
    {"entries above C", RECOVERY, 40, 1, 36, 60, 2, 0, ADD, 8, 3, 4, 0,
     HALF | OVER | CLAMP, .7},
    {"two clusters, signs", RECOVERY, 12, 2, 4, 60, 2, 0, ADD, 20, 4, 4, 1,
     HALF | OVER, .5},
    {"many picks", RECOVERY, 60, 1, 2, 60, 4, 0, ADD, 60, 8, 4, 0,
     HALF | OVER | CLIP, .5},
    {"one pick, replaced", RECOVERY, 12, 1, 4, 60, 2, 0, MOVE, 8, 4, 4, 0,
     HALF | OVER, .5},
    {"Gaussian, one pick", RECOVERY, 12, 1, 4, 60, 2, 1e-6, ADD, 16, 4, 4, 0,
     HALF | OVER, .2},
    {"Gaussian, above C", RECOVERY, 40, 1, 36, 60, 2, 1e-6, ADD, 16, 3, 4, 0,
     HALF | CLAMP, .2},
    {"Gaussian, replaced", RECOVERY, 12, 1, 4, 60, 2, 1e-6, MOVE, 16, 4, 4, 0,
     HALF, .2},
    {"all of balcan", BALCAN, 12, 2, 4, 60, 2, 0, ADD, 0, 4, 4, 0, HALF | OVER,
     .5},
    {"all of balcan, Gaussian", BALCAN, 12, 2, 4, 60, 2, 1e-6, ADD, 0, 4, 4, 0,
     HALF | OVER, .3},
    {"profile", PROFILE, 80, 1, 4, 60, 1, 0, ADD, 0, 4, 4, 0,
     HALF | OVER | ROOT, .99},
    {"profile, replaced", PROFILE, 80, 1, 4, 60, 1, 0, MOVE, 0, 4, 4, 1,
     HALF | OVER | ROOT, .99},
    {"Gaussian profile", PROFILE, 80, 1, 4, 60, 1, 1e-6, ADD, 0, 4, 4, 0,
     HALF | OVER, .99},
    {"Gaussian profile, replaced", PROFILE, 80, 1, 4, 60, 1, 1e-6, MOVE, 0, 4,
     4, 0, HALF | OVER, .49},
    {"the default", AUTO, 80, 2, 4, 60, 2, 0, ADD, 0, 4, 0, 0,
     HALF | OVER | ROOT, .5},
    {"the default, replaced", AUTO, 80, 2, 4, 60, 2, 0, MOVE, 0, 4, 0, 0,
     HALF | OVER | ROOT, .4},
    {"the default, Gaussian", AUTO, 80, 2, 4, 60, 2, 1e-6, ADD, 0, 4, 0, 0,
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

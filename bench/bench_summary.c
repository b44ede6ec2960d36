/* The stages of `auto` on rows in the plane, for scripts/draw_auto.py:
 *     bench_summary FILE LO:HI K EPSILON DELTA SEED
 * Prints what each stage has released, as JSON in the caller's units: boxes of
 * the tree with their sizes, leaves, cells, and the centres that start the
 * noisy steps. Nothing else of the library shows this. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "auto/stages.h"
#include "kith/kith.h"

enum { PLANE = 2 };

static void stop(const char *why)
{
    fprintf(stderr, "bench_summary: %s\n", why);
    exit(1);
}

static void check(kith_status status, const kith_error *err)
{
    if (status)
        stop(err->message);
}

/* From the view to the caller's units. */
static void place(const auto_run *run, const double *in_view, double *out)
{
    double full[PLANE], step = kith_i_domain_step(run->domain);
    kith_i_auto_lift(run, 1, in_view, full);
    for (int i = 0; i < PLANE; i++)
        out[i] = run->domain->origin[i] + full[i] * step;
}

static void print_boxes(const auto_run *run, const auto_tree *t)
{
    const char *comma = "";
    printf("{\"boxes\": [");
    for (uint32_t n = 0; n < t->nodes; n++) {
        const double *box = t->box + (size_t)n * 2 * PLANE;
        if (t->node[n].child >= 0)
            continue;
        printf("%s[%.0f", comma, t->rows[n].size);
        for (int corner = 0; corner < 4; corner++) { /* in turn */
            double at[PLANE] = {box[corner == 1 || corner == 2 ? 2 : 0],
                                box[corner >= 2 ? 3 : 1]},
                   out[PLANE];
            place(run, at, out);
            printf(", %.5g, %.5g", out[0], out[1]);
        }
        printf("]");
        comma = ", ";
    }
    printf("]");
}

static void print_points(const auto_run *run, const char *what, uint32_t n,
                         const double *points, const double *size)
{
    printf(",\n\"%s\": [", what);
    for (uint32_t i = 0; i < n; i++) {
        double at[PLANE];
        place(run, points + (size_t)i * PLANE, at);
        printf("%s[%.0f, %.5g, %.5g]", i ? ", " : "", size ? size[i] : 0, at[0],
               at[1]);
    }
    printf("]");
}

/* As kith_i_kmeans_auto and by_summary in auto/auto.c. */
static void show(auto_run *run)
{
    const auto_summary *s = &run->summary;
    auto_tree tree = {0};
    kith_i_auto_scout(run);
    kith_i_auto_find_frame(run);
    check(run->status, run->err);
    kith_i_auto_divide(run);
    kith_i_auto_grow(run, &tree);
    check(run->status, run->err);
    print_boxes(run, &tree);
    kith_i_auto_leaves(run, &tree);
    check(run->status, run->err);
    print_points(run, "leaves", s->n, s->points, s->size);
    kith_i_auto_tree_free(&tree);
    kith_i_auto_cells(run);
    check(run->status, run->err);
    print_points(run, "cells", s->n, s->points, s->size);
    run->centers = kith_i_pool_reals(&run->pool, (size_t)run->k * PLANE);
    kith_i_auto_solve(run, run->k, 0, run->centers);
    check(run->status, run->err);
    print_points(run, "centers", run->k, run->centers, NULL);
    printf("}\n");
}

int main(int argc, char **argv)
{
    if (argc != 7)
        stop("usage: bench_summary FILE LO:HI K EPSILON DELTA SEED");
    kith_error err;
    char *end;
    double low = strtod(argv[2], &end);
    double high = *end == ':' ? strtod(end + 1, &end) : low;
    kith_bounds bounds = {.lower = &low, .upper = &high, .box_count = 1};
    kith_source_options source;
    kith_source_options_init(&source, sizeof source);
    kith_dataset *data;
    const char *path = argv[1];
    check(kith_dataset_open(&path, 1, &source, &bounds, &data, &err), &err);
    if (kith_dataset_dimension(data) != PLANE)
        stop("the rows must have two features");
    kith_session_options session_opt;
    kith_session_options_init(&session_opt, sizeof session_opt);
    session_opt.privacy = (kith_privacy){
        strtod(argv[4], NULL), strtod(argv[5], NULL), KITH_ADD_REMOVE};
    session_opt.insecure = 1;
    session_opt.insecure_seed = strtoull(argv[6], NULL, 10);
    kith_session *session;
    check(kith_session_open(data, &session_opt, &session, &err), &err);
    kith_kmeans_options opt;
    kith_kmeans_options_init(&opt, sizeof opt);
    opt.clusters = (uint32_t)strtoul(argv[3], NULL, 10);
    auto_run run = {.session = session,
                    .opt = &opt,
                    .domain = kith_i_session_domain(session),
                    .k = opt.clusters,
                    .d = PLANE,
                    .total = kith_i_session_left(session),
                    .err = &err};
    run.pure = kith_i_session_measure(session) == KITH_PURE_DP;
    run.recipe = kith_i_auto_recipe(run.pure, 0);
    run.budget = kith_i_loss_value(run.total, kith_i_session_measure(session));
    kith_i_coins_seed(&run.coins, 0, 1);
    show(&run);
    kith_i_pool_drop(&run.pool, 0);
    kith_session_close(session);
    return 0;
}

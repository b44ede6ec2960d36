/* Algorithm 2 of Balcan et al. 2017, candidate, repaired.
 *
 *   for t = 1..2
 *       v <- uniform in [-L, L]^p                           public coins
 *       C <- C u centres of private_partition of [-2L, 2L]^p + v
 *   project C onto the ball; keep a random 300; pad to k + 1
 *
 * Repairs (docs/balcan.md): the root holds the ball for every shift (the
 * printed one does not); the budget is divided by the number of partitions
 * that are made; candidates outside the ball are projected onto it, which
 * brings them nearer to every record and keeps the loss bounded. */
#include "balcan_i.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The lattice point toward 0: still in the ball. */
static void settle(const kith_i_domain *domain, double *point)
{
    kith_i_domain_clip(domain, point);
    for (uint32_t i = 0; i < domain->dimension; i++)
        point[i] = trunc(point[i]);
}

/* A point of the ball that does not depend on data. */
static void random_point(const kith_i_domain *domain, kith_i_coins *coins,
                         double *point)
{
    uint32_t p = domain->dimension;
    double square = kith_i_coins_normals(coins, point, p);
    double length = sqrt((double)domain->l2_squared / square) *
                    pow(kith_i_coins_unit(coins), 1.0 / p);
    for (uint32_t i = 0; i < p; i++)
        point[i] *= length;
    settle(domain, point);
}

/* The trees of all partitions. */
typedef struct {
    kith_i_tree *tree;
    uint32_t count;
} forest;

static size_t cube_count(const forest *f)
{
    size_t count = 0;
    const kith_i_tree *trees = f->tree;
    for (uint32_t t = 0; t < f->count; t++)
        for (uint32_t a = 0; a < trees[t].depth; a++)
            count += trees[t].level[a].count;
    return count;
}

/* The centre of cube number i of all trees and levels. */
static void nth_center(const forest *f, size_t i, double *out)
{
    const kith_i_tree *trees = f->tree;
    for (uint32_t t = 0; t < f->count; t++)
        for (uint32_t a = 0; a < trees[t].depth; a++) {
            if (i < trees[t].level[a].count) {
                kith_i_tree_center(&trees[t], a + 1, i, out);
                return;
            }
            i -= trees[t].level[a].count;
        }
}

/* Walk over all cubes and keep each with the probability that leaves `room`
 * of them in the end: a uniform subset. */
static kith_status collect(const forest *trees, const kith_i_domain *domain,
                           uint32_t least, kith_i_coins *coins, double **out,
                           uint32_t *count, kith_error *err)
{
    uint32_t p = domain->dimension, n = 0;
    size_t cubes = cube_count(trees);
    size_t room = least > KITH_I_CANDIDATES ? least : KITH_I_CANDIDATES;
    double *points = kith_i_alloc(room * p, sizeof *points);
    if (!points)
        return kith_i_fail_memory(err);
    size_t keep = cubes < room ? cubes : room;
    for (size_t i = 0; i < cubes; i++)
        if (kith_i_coins_below(coins, cubes - i) < keep - n) {
            nth_center(trees, i, points + (size_t)n * p);
            settle(domain, points + (size_t)n * p);
            n++;
        }
    for (; n < least; n++)
        random_point(domain, coins, points + (size_t)n * p);
    *out = points;
    *count = n;
    return KITH_OK;
}

static kith_status grow(kith_session *session,
                        const kith_i_candidates_spec *ask, kith_i_coins *coins,
                        const forest *f, kith_error *err)
{
    const kith_i_domain *domain = kith_i_view_domain(ask->view);
    kith_status status = KITH_OK;
    for (uint32_t t = 0; !status && t < f->count; t++) {
        double shift[KITH_I_TREE_DIMENSION];
        for (uint32_t i = 0; i < domain->dimension; i++)
            shift[i] = 2 * kith_i_coins_unit(coins) - 1;
        kith_i_tree_root(&f->tree[t], domain, shift);
        char what[64];
        snprintf(what, sizeof what, "partition %u of %u", t + 1, f->count);
        kith_i_partition_spec spec = {
            .what = what,
            .view = ask->view,
            .levels = ask->levels ? ask->levels : KITH_I_PARTITION_LEVELS,
            .charge = ask->charge / f->count};
        status = kith_i_partition(session, &spec, &f->tree[t], err);
    }
    return status;
}

kith_status kith_i_candidates(kith_session *session,
                              const kith_i_candidates_spec *ask,
                              kith_i_coins *coins, double **out,
                              uint32_t *count, kith_error *err)
{
    const kith_i_domain *domain = kith_i_view_domain(ask->view);
    forest f = {.count = ask->partitions ? ask->partitions : KITH_I_PARTITIONS};
    f.tree = kith_i_alloc(f.count, sizeof *f.tree);
    if (!f.tree)
        return kith_i_fail_memory(err);
    memset(f.tree, 0, f.count * sizeof *f.tree);
    kith_status status = grow(session, ask, coins, &f, err);
    if (!status)
        status = collect(&f, domain, ask->least, coins, out, count, err);
    for (uint32_t t = 0; t < f.count; t++)
        kith_i_tree_free(&f.tree[t]);
    kith_i_free(f.tree);
    return status;
}

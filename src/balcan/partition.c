/* Algorithm 1 of Balcan et al. 2017, private_partition, repaired.
 *
 *   A <- {root}
 *   for a = 1..levels
 *       halve every cube of A in each direction; A' <- the children whose
 *       number of records + noise reaches a threshold, empty ones included
 *       A <- A' (the same A is asked again when A' is empty)
 *
 * Repairs (docs/balcan.md): the number of levels is a constant; cubes are
 * half-open, on integers; all m 2^p children of a level are one noisy sparse
 * histogram, in which the empty ones take part exactly (release_sparse.c); the
 * threshold comes from the noise and the number of children; the noisy counts
 * are kept, since they cost nothing more. A level that finds nothing asks
 * again, so that every run makes the same releases. */
#include "balcan_i.h"
#include "release/release_sparse.h"

#include <math.h>
#include <string.h>

/* The x with Pr[N(0,1) >= x] = tail. */
static double normal_tail(double tail)
{
    double low = -40, high = 40;
    for (int i = 0; i < 100; i++) {
        double x = (low + high) / 2;
        if (erfc(x / sqrt(2)) / 2 > tail)
            low = x;
        else
            high = x;
    }
    return high;
}

int64_t kith_i_partition_threshold(const kith_session *session,
                                   kith_i_loss charge, double cells)
{
    kith_measure measure = kith_i_session_measure(session);
    double twice =
        kith_i_session_privacy(session).neighbors == KITH_REPLACE_ONE ? 2 : 1;
    double loss = kith_i_loss_value(charge, measure);
    if (loss <= 0)
        return INT64_MAX >> 1; /* the release will refuse */
    double gamma = measure == KITH_PURE_DP
                       ? twice / loss * log(cells)
                       : sqrt(twice) / loss * normal_tail(0.5 / cells);
    return (int64_t)fmin(fmax(ceil(gamma), 1), 0x1p60);
}

void kith_i_tree_root(kith_i_tree *tree, const kith_i_domain *domain,
                      const double *shift)
{
    memset(tree, 0, sizeof *tree);
    tree->p = domain->dimension;
    int32_t radius = (int32_t)kith_i_domain_l2(domain);
    int32_t unit = 1 << KITH_I_TREE_LEVELS;
    /* [-2 radius, 2 radius] + shift holds the ball for every shift. */
    tree->edge = (4 * radius + 1 + unit - 1) / unit * unit;
    for (uint32_t i = 0; i < tree->p; i++)
        tree->low[i] = -2 * radius + (int32_t)(shift[i] * radius);
}

void kith_i_tree_free(kith_i_tree *tree)
{
    for (uint32_t a = 0; a < KITH_I_TREE_LEVELS; a++)
        kith_i_free(tree->level[a].cubes);
    memset(tree, 0, sizeof *tree);
}

void kith_i_tree_center(const kith_i_tree *tree, uint32_t level, size_t cube,
                        double *out)
{
    double half = (tree->edge >> level) / 2.0;
    for (uint32_t i = 0; i < tree->p; i++)
        out[i] = tree->low[i] + half;
    for (uint32_t a = level; a > 0; a--) {
        uint64_t key = tree->level[a - 1].cubes[cube].key;
        for (uint32_t i = 0; i < tree->p; i++)
            if (key >> i & 1)
                out[i] += tree->edge >> a;
        cube = key >> tree->p;
    }
}

kith_status kith_i_partition(kith_session *session,
                             const kith_i_partition_spec *spec,
                             kith_i_tree *tree, kith_error *err)
{
    kith_i_loss share = spec->charge / spec->levels;
    for (uint32_t a = 0; a < spec->levels; a++) {
        size_t parents = tree->depth ? tree->level[tree->depth - 1].count : 1;
        kith_i_sparse_spec release = {
            .what = spec->what,
            .domain_size = (uint64_t)parents << tree->p,
            .threshold =
                spec->threshold
                    ? spec->threshold
                    : kith_i_partition_threshold(
                          session, share, ldexp((double)parents, (int)tree->p)),
            .charge = share};
        kith_i_keys keys = {.view = spec->view, .tree = tree};
        kith_i_sparse_cell *cubes;
        size_t count;
        double sd;
        kith_status status = kith_i_release_sparse(session, &keys, &release,
                                                   &cubes, &count, &sd, err);
        if (status)
            return status;
        if (count == 0) {
            kith_i_free(cubes);
            continue; /* ask these parents again */
        }
        tree->level[tree->depth].cubes = cubes;
        tree->level[tree->depth].count = count;
        tree->depth++;
    }
    return KITH_OK;
}

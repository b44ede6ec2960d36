/* Checks of the numbers that describe a question. */
#include "description.h"

#include <math.h>

enum { ORIGIN_LIMIT = 1 << 17 };
static const double LATTICE_MOST = 32767, AXIS_MOST = 0x1p24, SUM_MOST = 0x1p51;

static int is_whole(double a, double most)
{
    return fabs(a) <= most && a == nearbyint(a); /* false for NaN */
}

int kith_i_centers_are_exact(const kith_i_centers *c)
{
    size_t k = c->k, d = c->d;
    if (k == 0) /* there is no nearest one */
        return 0;
    for (size_t j = 0; j < k; j++) {
        double square = 0;
        for (size_t i = 0; i < d; i++) {
            double a = c->coords[c->sparse ? i * k + j : j * d + i];
            if (!is_whole(a, LATTICE_MOST))
                return 0;
            square += a * a;
        }
        if (square != c->squares[j])
            return 0;
    }
    return 1;
}

int kith_i_axes_are_exact(const kith_i_axes *axes, double longest_row)
{
    size_t count = (size_t)axes->sets * axes->k * axes->q;
    double most = SUM_MOST / longest_row;
    if (count == 0) /* sums of none are what other rows left behind */
        return 0;
    for (size_t j = 0; j < count; j++) {
        double square = 0;
        for (size_t i = 0; i < axes->d; i++) {
            double a = axes->coords[j * axes->d + i];
            if (!is_whole(a, AXIS_MOST))
                return 0;
            square += a * a;
        }
        if (square > most * most)
            return 0;
    }
    return 1;
}

int kith_i_forest_is_whole(const kith_i_forest *f)
{
    if (f->roots < 2 || f->nodes < f->roots || !f->node || !f->edge ||
        !f->inverse)
        return 0;
    for (uint32_t n = 0; n < f->nodes; n++) {
        int64_t child = f->node[n].child;
        /* children behind their parents: no walk goes round in circles */
        if (f->node[n].axis >= f->q ||
            (child >= 0 && (child <= n || child + 1 >= f->nodes)))
            return 0;
    }
    return 1;
}

int kith_i_tree_is_whole(const kith_i_tree *tree)
{
    if (tree->p == 0 || tree->p > KITH_I_TREE_DIMENSION ||
        tree->depth >= KITH_I_TREE_LEVELS ||
        tree->edge >> (tree->depth + 1) < 1)
        return 0;
    for (uint32_t a = 0; a < tree->depth; a++)
        for (size_t c = 1; c < tree->level[a].count; c++)
            if (tree->level[a].cubes[c - 1].key >= tree->level[a].cubes[c].key)
                return 0;
    return kith_i_origins_are_near(tree->low, tree->p);
}

int kith_i_origins_are_near(const int32_t *origins, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (origins[i] <= -ORIGIN_LIMIT || origins[i] >= ORIGIN_LIMIT)
            return 0;
    return 1;
}

int kith_i_pull_is_whole(const kith_i_pull *pull, int sparse)
{
    return pull->tau >= 0x1p-30 && pull->tau <= 0x1p60 && pull->unit >= 0 &&
           pull->unit <= 0x1p30 && pull->inverse >= 0 &&
           pull->inverse <= 0x1p30 && (!sparse || (pull->slot && pull->part));
}

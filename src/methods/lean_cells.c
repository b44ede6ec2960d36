/* Where the users of a kept cell are: not in its middle, but nearer to denser
 * neighbours. The log of the density is taken as linear between two opposite
 * faces, and on a face as the mean of both sides' logs. A cell as wide as the
 * distance between clusters is where this matters: at the edge of a town its
 * users are on the town's side. */
#include "grow_tree.h"

#include <math.h>

static double density(const kith_i_grow *grow, const kith_i_grow_node *node)
{
    double room = 1;
    for (uint32_t a = 0; a < grow->axes; a++)
        room *= node->high[a] - node->low[a];
    return node->weight / room;
}

/* How much of a face of `cell` across `axis` the other one covers. */
static double covered(const kith_i_grow *grow, const kith_i_grow_node *cell,
                      const kith_i_grow_node *other, uint32_t axis)
{
    double part = 1;
    for (uint32_t a = 0; a < grow->axes; a++)
        if (a != axis)
            part *= fmax(0, fmin(cell->high[a], other->high[a]) -
                                fmax(cell->low[a], other->low[a])) /
                    (cell->high[a] - cell->low[a]);
    return part;
}

/* Log of the density beyond a face, above that of the cell. Where nothing is
 * kept there are a few. */
static double beyond(const kith_i_grow *grow, const kith_i_grow_node *cell,
                     uint32_t axis, int upper)
{
    double sum = 0, own = density(grow, cell);
    for (uint32_t i = 0; i < grow->nodes; i++) {
        const kith_i_grow_node *other = &grow->node[i];
        double gap = upper ? other->low[axis] - cell->high[axis]
                           : other->high[axis] - cell->low[axis];
        if (other->terminal && fabs(gap) <= 0) /* made by the same halvings */
            sum += covered(grow, cell, other, axis) * density(grow, other);
    }
    return log(fmax(kith_i_recipe.lean, sum / own));
}

/* The mean of t in [-1/2, 1/2], if the density is as exp(rise t). */
static double mean_place(double rise)
{
    if (fabs(rise) < 1e-3)
        return rise / 12;
    return 1 / (1 - exp(-rise)) - 1 / rise - 0.5;
}

void kith_i_grow_lean(const kith_i_grow *grow, double *points)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < grow->nodes; i++) {
        const kith_i_grow_node *cell = &grow->node[i];
        if (!cell->terminal)
            continue;
        double *at = points + (size_t)grow->axes * count++;
        for (uint32_t a = 0; a < grow->axes && !cell->left; a++) {
            double rise = beyond(grow, cell, a, 1) - beyond(grow, cell, a, 0);
            at[a] += (cell->high[a] - cell->low[a]) * mean_place(rise / 2);
        }
    }
}

/* Every number that the kernels are given beside rows, in a fixed order. */
#include "description_digest.h"

#include "base/mix.h"

uint64_t kith_i_centers_digest(const kith_i_centers *c)
{
    if (!c)
        return 0;
    uint64_t h = kith_i_mix(c->k, c->d);
    h = kith_i_mix(h, (uint64_t)c->sparse);
    return kith_i_mix_bytes(h, c->coords,
                            (size_t)c->k * c->d * sizeof *c->coords);
}

uint64_t kith_i_axes_digest(const kith_i_axes *a)
{
    if (!a)
        return 0;
    uint64_t h = kith_i_mix(kith_i_mix(a->sets, a->k), a->q);
    return kith_i_mix_bytes(kith_i_mix(h, a->d), a->coords,
                            (size_t)a->sets * a->k * a->q * a->d *
                                sizeof *a->coords);
}

uint64_t kith_i_forest_digest(const kith_i_forest *f)
{
    if (!f)
        return 0;
    uint64_t h = kith_i_mix(f->q, f->roots);
    h = kith_i_mix_bytes(h, f->edge, f->roots * sizeof *f->edge);
    h = kith_i_mix_bytes(h, f->inverse, f->q * sizeof *f->inverse);
    /* children come after their parents, two side by side */
    for (int64_t i = 0, nodes = f->roots; i < nodes; i++) {
        const kith_i_box *b = &f->node[i];
        h = kith_i_mix(h, (uint64_t)(int64_t)b->middle);
        h = kith_i_mix(h, (uint64_t)b->axis << 32 | b->cell);
        h = kith_i_mix(h, (uint64_t)(int64_t)b->child);
        nodes = b->child + 2 > nodes ? b->child + 2 : nodes;
    }
    return h;
}

uint64_t kith_i_bins_digest(const kith_i_distance_bins *b, size_t places,
                            size_t dimension)
{
    if (!b)
        return 0;
    size_t limits = (size_t)(b->bins - 1) * (b->by_cell ? places : 1);
    uint64_t h = kith_i_mix(b->bins, (uint64_t)b->by_cell);
    h = kith_i_mix(h, (uint64_t)b->taxicab);
    h = kith_i_mix_bytes(h, b->limits, limits * sizeof *b->limits);
    return kith_i_mix_bytes(h, b->origins,
                            places * dimension * sizeof *b->origins);
}

uint64_t kith_i_pull_digest(const kith_i_pull *p)
{
    if (!p)
        return 0;
    uint64_t h = kith_i_mix_real(kith_i_centers_digest(p->centers), p->tau);
    h = kith_i_mix_real(kith_i_mix_real(h, p->unit), p->inverse);
    h = kith_i_mix(h, p->width);
    h = kith_i_mix_bytes(h, p->slot, p->centers->d * sizeof *p->slot);
    return kith_i_mix_bytes(h, p->part,
                            (size_t)p->centers->k * p->width * sizeof *p->part);
}

uint64_t kith_i_swap_digest(const kith_i_swap_state *state)
{
    uint64_t h = kith_i_mix(kith_i_centers_digest(&state->points), state->k);
    h = kith_i_mix_bytes(h, state->chosen, state->k * sizeof *state->chosen);
    h = kith_i_mix(h, (uint64_t)(int64_t)state->shift);
    return kith_i_mix(h,
                      (uint64_t)state->median << 32 | (uint32_t)state->bound);
}

uint64_t kith_i_tree_digest(const kith_i_tree *tree)
{
    uint64_t h = kith_i_mix(tree->p, tree->depth);
    h = kith_i_mix(h, (uint64_t)(int64_t)tree->edge);
    h = kith_i_mix_bytes(h, tree->low, tree->p * sizeof *tree->low);
    for (uint32_t l = 0; l < tree->depth; l++)
        for (size_t i = 0; i < tree->level[l].count; i++)
            h = kith_i_mix(h, tree->level[l].cubes[i].key);
    return h;
}

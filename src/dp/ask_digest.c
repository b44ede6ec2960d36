/* Every number of a description, in a fixed order. */
#include "ask_digest.h"

static uint64_t centers_digest(const kith_i_centers *c)
{
    if (!c)
        return 0;
    uint64_t h = kith_i_mix(c->k, c->d);
    h = kith_i_mix(h, (uint64_t)c->sparse);
    return kith_i_mix_bytes(h, c->coords,
                            (size_t)c->k * c->d * sizeof *c->coords);
}

static uint64_t axes_digest(const kith_i_axes *a)
{
    if (!a)
        return 0;
    uint64_t h = kith_i_mix(kith_i_mix(a->sets, a->k), a->q);
    return kith_i_mix_bytes(kith_i_mix(h, a->d), a->coords,
                            (size_t)a->sets * a->k * a->q * a->d *
                                sizeof *a->coords);
}

static uint64_t forest_digest(const kith_i_forest *f)
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

static uint64_t bins_digest(const kith_i_distance_bins *b, size_t places,
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

static uint64_t pull_digest(const kith_i_pull *p)
{
    if (!p)
        return 0;
    uint64_t h = kith_i_mix_real(centers_digest(p->centers), p->tau);
    h = kith_i_mix_real(kith_i_mix_real(h, p->unit), p->inverse);
    h = kith_i_mix(h, p->width);
    h = kith_i_mix_bytes(h, p->slot, p->centers->d * sizeof *p->slot);
    return kith_i_mix_bytes(h, p->part,
                            (size_t)p->centers->k * p->width * sizeof *p->part);
}

uint64_t kith_i_view_digest(const kith_i_view *view)
{
    return view ? view->digest : 0;
}

uint64_t kith_i_ask_digest(const kith_session *s, const kith_i_ask *ask,
                           uint32_t cells, uint32_t width)
{
    const kith_i_place *p = &ask->place;
    const kith_i_value *v = &ask->value;
    size_t d = kith_i_ask_domain(s, ask)->dimension;
    size_t places = p->centers  ? p->centers->k
                    : p->planes ? p->planes->k
                    : p->places ? p->places
                                : 1;
    uint64_t h = kith_i_mix(kith_i_view_digest(ask->view), cells);
    h = kith_i_mix(h, (uint64_t)p->kind << 32 | p->places);
    h = kith_i_mix(h, centers_digest(p->centers));
    h = kith_i_mix(h, axes_digest(p->planes));
    h = kith_i_mix(h, forest_digest(p->forest));
    h = kith_i_mix(h, kith_i_view_digest(p->by));
    h = kith_i_mix(h, bins_digest(p->bins, places, d));
    h = kith_i_mix(h, width);
    if (width == 0)
        return h;
    h = kith_i_mix(h, (uint64_t)v->kind << 32 | v->one);
    h = kith_i_mix(h, (uint64_t)v->by_cell << 32 | (uint32_t)v->halvings);
    h = kith_i_mix_bytes(h, v->origins,
                         (v->by_cell ? places : 1) * d * sizeof *v->origins);
    h = kith_i_mix_bytes(h, v->features,
                         (size_t)cells * width * sizeof *v->features);
    return kith_i_mix(h, pull_digest(v->pull));
}

uint64_t kith_i_losses_digest(const kith_i_losses *losses)
{
    const kith_i_center_sets *sets = losses->sets;
    uint64_t h = kith_i_mix(kith_i_view_digest(losses->view),
                            (uint64_t)(int64_t)losses->shift);
    h = kith_i_mix(h, axes_digest(losses->planes));
    for (uint32_t t = 0; sets && t < sets->count; t++)
        h = kith_i_mix(h, centers_digest(&sets->set[t]));
    return sets ? kith_i_mix(h, (uint64_t)(int64_t)sets->shift) : h;
}

uint64_t kith_i_swap_digest(const kith_i_swap_state *state)
{
    uint64_t h = kith_i_mix(centers_digest(&state->points), state->k);
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

uint64_t kith_i_team_dataset(const kith_session *s)
{
    const kith_i_domain *m = s->domain;
    size_t d = m->dimension;
    uint64_t h = kith_i_mix(d, (uint64_t)m->sparse);
    h = kith_i_mix(h, (uint64_t)(int64_t)m->scale_log2);
    h = kith_i_mix(h, m->l2_squared);
    h = kith_i_mix(h, m->l1);
    h = kith_i_mix(h, m->sparsity);
    h = kith_i_mix(h, (uint64_t)m->unit_rows);
    h = kith_i_mix_bytes(h, m->origin, d * sizeof *m->origin);
    h = kith_i_mix_bytes(h, m->low_q, d * sizeof *m->low_q);
    h = kith_i_mix_bytes(h, m->high_q, d * sizeof *m->high_q);
    h = kith_i_mix_real(h, m->radius);
    h = kith_i_mix_bytes(h, m->low, d * sizeof(double));
    h = kith_i_mix_bytes(h, m->high, d * sizeof(double));
    h = kith_i_mix_bytes(h, m->shift, d * sizeof(double));
    h = kith_i_mix_bytes(h, m->stretch, d * sizeof(double));
    h = kith_i_mix_real(h, s->privacy.epsilon);
    h = kith_i_mix_real(h, s->privacy.delta);
    h = kith_i_mix(h, (uint64_t)s->privacy.neighbors);
    h = kith_i_mix(h, (uint64_t)s->source.seeded);
    return kith_i_mix(h, s->source.seeded ? s->source.seed : 0);
}

/* Every number of a description, in a fixed order. */
#include "ask_digest.h"

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
    h = kith_i_mix(h, kith_i_centers_digest(p->centers));
    h = kith_i_mix(h, kith_i_axes_digest(p->planes));
    h = kith_i_mix(h, kith_i_forest_digest(p->forest));
    h = kith_i_mix(h, kith_i_view_digest(p->by));
    h = kith_i_mix(h, kith_i_bins_digest(p->bins, places, d));
    h = kith_i_mix(h, width);
    if (width == 0)
        return h;
    h = kith_i_mix(h, (uint64_t)v->kind << 32 | v->one);
    h = kith_i_mix(h, (uint64_t)v->by_cell << 32 | (uint32_t)v->halvings);
    h = kith_i_mix_bytes(h, v->origins,
                         (v->by_cell ? places : 1) * d * sizeof *v->origins);
    h = kith_i_mix_bytes(h, v->features,
                         (size_t)cells * width * sizeof *v->features);
    return kith_i_mix(h, kith_i_pull_digest(v->pull));
}

uint64_t kith_i_losses_digest(const kith_i_losses *losses)
{
    const kith_i_center_sets *sets = losses->sets;
    uint64_t h = kith_i_mix(kith_i_view_digest(losses->view),
                            (uint64_t)(int64_t)losses->shift);
    h = kith_i_mix(h, kith_i_axes_digest(losses->planes));
    for (uint32_t t = 0; sets && t < sets->count; t++)
        h = kith_i_mix(h, kith_i_centers_digest(&sets->set[t]));
    return sets ? kith_i_mix(h, (uint64_t)(int64_t)sets->shift) : h;
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

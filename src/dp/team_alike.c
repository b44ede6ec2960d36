/* Are the ranks of a team of one make, and do they hold parts of one dataset?
 * A guard against accidents: whatever the answer, what is released has the law
 * that was paid for. */
#include <stdio.h>

#include "base/base_i.h"
#include "kernel/fingerprint.h"
#include "kith/version.h"
#include "team.h"

enum { MAKE = 256 };

/* Everybody's make must be rank 0's, word for word. */
kith_status kith_i_team_compare(const kith_team *t, kith_error *err)
{
    char mine[MAKE] = {0}, other[MAKE] = {0};
    uint32_t odd = 0; /* rank 0 does not differ from itself */
    snprintf(mine, MAKE, "kith %s, %s", kith_version(), kith_i_fingerprint());
    void *all = NULL;
    size_t total = 0;
    if (t->gather(t->arg, mine, MAKE, &all, &total))
        return kith_i_team_lost(err);
    for (uint32_t i = t->ranks; t->rank == 0 && i-- > 0;) {
        const char *theirs = (const char *)all + (size_t)i * MAKE;
        if (total != (size_t)t->ranks * MAKE || memcmp(theirs, mine, MAKE)) {
            odd = i;
            snprintf(other, MAKE, "%.*s", MAKE - 1, theirs);
        }
    }
    if (t->share(t->arg, &odd, sizeof odd) ||
        t->share(t->arg, other, sizeof other))
        return kith_i_team_lost(err);
    if (t->share(t->arg, mine, sizeof mine))
        return kith_i_team_lost(err);
    if (!odd)
        return KITH_OK;
    return kith_i_fail(err, KITH_ERR_TEAM,
                       "ranks compute differently, so they would part ways: "
                       "rank 0 has %s; rank %u has %s. Nothing was charged; "
                       "use one version, and OPENBLAS_CORETYPE=Haswell on all "
                       "machines",
                       mine, (unsigned)odd, other);
}

/* What must be the same on all ranks for the rows to be parts of one dataset.
 */
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

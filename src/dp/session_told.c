/* What a session tells of itself, and what may be changed of it from outside:
 * less to spend for now, less to promise for ever. */
#include "dp_private.h"

/* A run spends all it finds; less than this fraction is what rounding left. */
enum { SCRAPS_SHIFT = 10 };

kith_i_watch *kith_i_session_watch(kith_session *s)
{
    return &s->watch;
}

const kith_i_domain *kith_i_session_domain(const kith_session *s)
{
    return s->domain;
}

kith_measure kith_i_session_measure(const kith_session *s)
{
    return s->measure;
}

kith_privacy kith_i_session_privacy(const kith_session *s)
{
    return s->privacy;
}

kith_unit kith_i_session_unit(const kith_session *s, uint32_t *group)
{
    *group = s->group > 1 ? s->group : 1;
    return s->group ? KITH_UNIT_USER : KITH_UNIT_ROW;
}

kith_i_loss kith_i_session_left(const kith_session *s)
{
    return s->total - s->spent - s->held;
}

int kith_i_session_is_spent(const kith_session *s)
{
    return s->spent > 0 && s->total - s->spent < s->total >> SCRAPS_SHIFT;
}

void kith_i_session_hold(kith_session *s, kith_i_loss loss)
{
    kith_i_loss unspent = s->total - s->spent;
    s->held = loss < unspent ? loss : unspent;
}

const char *kith_i_session_guarantee(const kith_session *s)
{
    if (s->source.seeded)
        return "none";
    return s->weakened ? s->weakened : "exact";
}

void kith_i_session_weaken(kith_session *s, int asymptotic)
{
    if (!asymptotic)
        s->weakened = "none";
    else if (!s->weakened)
        s->weakened = "asymptotic";
}

uint32_t kith_i_session_threads(const kith_session *s)
{
    return s->threads;
}

uint64_t kith_i_session_rows(const kith_session *s)
{
    if (!s->data || s->privacy.neighbors != KITH_REPLACE_ONE)
        return 0;
    return s->team.ranks < 2 ? kith_i_dataset_rows(s->data) : s->all_rows;
}

const kith_i_entropy_source *kith_i_session_source(const kith_session *s)
{
    return &s->source;
}

int kith_i_session_is_plan(const kith_session *s)
{
    return !s->data;
}

int kith_i_session_is_whole(const kith_session *s)
{
    return !s->spent && !s->held && !s->ledgered;
}

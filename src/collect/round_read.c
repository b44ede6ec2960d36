/* A round as devices read it (device/round_open.c), in memory of its own. */
#include "round_text.h"

static const size_t JSON_MAX = (size_t)1 << 26;

/* Gaussian reports, which no device sends, must be worth what they declare. */
static const char *noise_flaw(const kith_i_round *round)
{
    for (uint32_t i = 0; i < round->count; i++) {
        const kith_i_mechanism *m = &round->mechanisms[i];
        const kith_i_question *q = &round->questions[i];
        kith_i_limits declared;
        if (m->kind != KITH_I_RANDOMIZER_GAUSSIAN)
            continue;
        if (kith_i_limits_make(m, q, m->loss, q->delta, &declared, NULL))
            return "a report declares a loss that makes no sense";
        const char *flaw = kith_i_limits_flaw(m, q, round->d, &declared);
        if (flaw)
            return flaw;
    }
    return NULL;
}

kith_status kith_i_round_read(const char *json, size_t bytes,
                              kith_i_round **out, kith_error *err)
{
    *out = NULL;
    if (bytes > JSON_MAX)
        return kith_i_fail(err, KITH_ERR_INPUT, "the round is too long");
    size_t room = kith_i_round_room(bytes);
    void *arena = kith_i_alloc(room, 1);
    if (!arena)
        return kith_i_fail_memory(err);
    const char *flaw = kith_i_round_open(json, bytes, arena, room, out);
    if (!flaw)
        flaw = noise_flaw(*out);
    if (!flaw)
        return KITH_OK;
    kith_i_free(arena);
    *out = NULL;
    return kith_i_fail(err, KITH_ERR_INPUT, "the round is refused: %s", flaw);
}

void kith_i_round_free(kith_i_round *round)
{
    kith_i_free(round); /* the first thing in its arena */
}

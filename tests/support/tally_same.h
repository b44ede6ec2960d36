/* Do two tallies hold the same reports? Sums to the bit; the reports that are
 * known, whatever the order they came in and the key of the table. */
#ifndef KITH_TALLY_SAME_H
#define KITH_TALLY_SAME_H

#include <string.h>

#include "collect/tally_i.h"

static inline int tally_has_hashed(const kith_i_tally *t,
                                   const kith_i_hashed *h)
{
    for (uint64_t i = 0; i < t->received; i++)
        if (memcmp(&t->hashed[i], h, sizeof *h) == 0)
            return 1;
    return 0;
}

static inline int tally_same(const kith_i_tally *a, const kith_i_tally *b)
{
    int olh = a->mechanism.kind == KITH_I_RANDOMIZER_OLH;
    if (a->received != b->received || a->cells != b->cells ||
        a->closed != b->closed || a->nonces.count != b->nonces.count ||
        a->mechanism.kind != b->mechanism.kind ||
        memcmp(&a->ticket, &b->ticket, sizeof a->ticket) != 0 ||
        memcmp(a->digest, b->digest, sizeof a->digest) != 0)
        return 0;
    if (a->cells && memcmp(a->sums, b->sums, a->cells * sizeof *a->sums) != 0)
        return 0;
    for (uint64_t i = 0; i < a->nonces.room; i++)
        if (a->nonces.slots[i] &&
            !kith_i_nonce_has(&b->nonces, a->nonces.slots[i]))
            return 0;
    for (uint64_t i = 0; olh && i < a->received; i++)
        if (!tally_has_hashed(b, &a->hashed[i]))
            return 0;
    return 1;
}

#endif

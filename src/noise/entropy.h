/* Secret randomness: the one door (I27). Words come from the operating system's
 * generator through libsodium (R11) or, in a run that is marked as having no
 * guarantee, from a seed (R13).
 *
 * Claim: in secure mode no word is handed out twice, in any process or
 *   thread, and none stays in memory after it was used (I28, R12).
 * Needs: an entropy object is used by one thread at a time.
 * Because: a word is zeroed as it is taken; the buffer is refilled when it is
 *   empty and when the process turns out to be a fork of the one that filled
 *   it, by whatever call (kith_i_fork_mark is another in every child); close
 *   wipes the rest. A copy of a session's process draws nothing at all (I22):
 *   its noise and its parent's would hide the same sums, for one payment.
 *
 * I29: if the generator fails, `failed` is set and later words are a harmless
 * public sequence, so that loops end: whoever drew must look at `failed`
 * before anything leaves. */
#ifndef KITH_ENTROPY_H
#define KITH_ENTROPY_H

#include <stdint.h>

#include "base/process.h"
#include "kith/status.h"

enum { KITH_I_ENTROPY_WORDS = 512 };

/* Where a session's secret randomness comes from. */
typedef struct kith_i_entropy_source {
    int seeded; /* 0: the operating system; else for tests only */
    int owned;  /* no process but the owner may draw */
    kith_i_process owner;
    uint64_t seed;
} kith_i_entropy_source;

typedef struct kith_i_entropy {
    uint64_t words[KITH_I_ENTROPY_WORDS];
    uint32_t next;
    uint32_t mark; /* of the process that filled it */
    int failed;
    kith_i_entropy_source source;
    uint64_t stream, refills;
    uint64_t
        last; /* first word of the refill before: a stuck generator shows */
} kith_i_entropy;

/* stream tells apart the objects of one seeded run; secure mode ignores it. */
void kith_i_entropy_open(kith_i_entropy *e, const kith_i_entropy_source *source,
                         uint64_t stream);
void kith_i_entropy_refill(kith_i_entropy *e);
void kith_i_entropy_close(kith_i_entropy *e);

/* Is the secure generator there at all? KITH_ERR_ENTROPY if not. */
kith_status kith_i_entropy_check(kith_error *err);
const char *kith_i_entropy_name(void);

static inline uint64_t kith_i_entropy_word(kith_i_entropy *e)
{
    if (e->next == KITH_I_ENTROPY_WORDS ||
        e->mark != atomic_load_explicit(kith_i_fork_mark, memory_order_relaxed))
        kith_i_entropy_refill(e);
    uint64_t w = e->words[e->next];
    e->words[e->next++] = 0;
    return w;
}

#endif

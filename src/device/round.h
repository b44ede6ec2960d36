/* round: what is published before a round is collected, as canonical JSON
 * (canonical_text.h) with its SHA-256, and chained by it to the round before.
 * Devices read it; so can anybody who checks. */
#ifndef KITH_ROUND_H
#define KITH_ROUND_H

#include "respond.h"
#include "sha256.h"

/* 3: no decimal fractions; groups are ranges on the circle (circle.h); the
 * number of invited users. 2 had shares. 1: second moments were reported by
 * codewords in R^((d+1)(d+2)/2), without a rank. Rounds of other versions are
 * refused: what a report means depends on it. */
#define KITH_I_ROUND_VERSION 3
enum { KITH_I_GROUPS_MAX = 1 << 10 };

typedef struct kith_i_round {
    uint8_t task[KITH_I_TASK_BYTES];
    uint16_t number;
    uint8_t previous[KITH_I_SHA256_BYTES]; /* zeros for the first round */
    uint64_t invited; /* users: the server's word, a device cannot count them */
    uint64_t minimum; /* reports, or nothing is estimated from a group */
    uint32_t d;
    uint32_t count; /* of questions: one group each */
    kith_i_question *questions;
    kith_i_mechanism *mechanisms;
    uint8_t digest[KITH_I_SHA256_BYTES]; /* of the JSON; set by open */
} kith_i_round;

/* Memory that any round of this many bytes fits into. */
size_t kith_i_round_room(size_t bytes);

/* Read a round into an arena (aligned to 8), where *out will be too. NULL, or
 * what is wrong: anything that was not spelt as kith_i_round_write does it, or
 * that a device would refuse whatever its limits. Odds above e^loss are. The
 * noise of Gaussian reports is not looked at: no device sends them. */
const char *kith_i_round_open(const char *json, size_t bytes, void *arena,
                              size_t room, kith_i_round **out);

/* ---- round_chain.c: is this the next round of that task? ---- */

/* What a device remembers of a task: which it is, the digest of the last
 * round that it read (zeros: none yet) and the number of the next. */
typedef struct kith_i_chain {
    uint8_t task[KITH_I_TASK_BYTES];
    uint8_t digest[KITH_I_SHA256_BYTES];
    uint32_t next;
} kith_i_chain;

/* NULL: it follows. Else what is wrong: another task, a round that was read
 * before or is not the next, another past than the one that was published. */
const char *kith_i_round_follows(const kith_i_round *round,
                                 const kith_i_chain *chain);
/* The round has been read, and follows. */
void kith_i_chain_advance(kith_i_chain *chain, const kith_i_round *round);

#endif

/* round: what is published before a round is collected, as canonical JSON
 * (sorted keys, no spaces, arrays of numbers as base64 of little-endian
 * float32, uint32 or uint64) with its SHA-256, and chained by it to the round
 * before. Devices read it; so can anybody who checks. */
#ifndef KITH_ROUND_H
#define KITH_ROUND_H

#include "base/digest.h"
#include "collect_i.h"

/* 1: second moments were reported by codewords in R^((d+1)(d+2)/2), without a
 * rank. Rounds of other versions are refused: what a report means depends on
 * it. */
#define KITH_I_ROUND_VERSION 2

typedef struct kith_i_round {
    uint8_t task[KITH_I_TASK_BYTES];
    uint16_t number;
    uint8_t previous[KITH_I_DIGEST_BYTES]; /* zeros for the first round */
    uint64_t minimum; /* reports, or nothing is estimated from a group */
    uint32_t d;
    uint32_t count; /* of questions: one group each */
    kith_i_question *questions;
    kith_i_mechanism *mechanisms;
    uint8_t digest[KITH_I_DIGEST_BYTES]; /* of the JSON; set by read */
    void *memory;                        /* of a round that was read */
} kith_i_round;

/* json: kith_i_free; not terminated. */
kith_status kith_i_round_write(const kith_i_round *round, char **json,
                               size_t *bytes,
                               uint8_t digest[KITH_I_DIGEST_BYTES],
                               kith_error *err);
/* Anything that kith_i_round_write would not have written, or that a device
 * would refuse whatever its limits, is KITH_ERR_INPUT: odds above e^loss and
 * noise below what the declared (epsilon, delta) need are. */
kith_status kith_i_round_read(const char *json, size_t bytes,
                              kith_i_round **out, kith_error *err);
void kith_i_round_free(kith_i_round *round); /* NULL is fine */

/* ---- round_chain.c: is this the next round of that task? ------------------
 */

/* What a device remembers of a task: which it is, the digest of the last
 * round that it read (zeros: none yet) and the number of the next. Client code:
 * no allocation. */
typedef struct kith_i_chain {
    uint8_t task[KITH_I_TASK_BYTES];
    uint8_t digest[KITH_I_DIGEST_BYTES];
    uint32_t next;
} kith_i_chain;

/* NULL: it follows. Else what is wrong: another task, a round that was read
 * before or is not the next, another past than the one that was published. */
const char *kith_i_round_follows(const kith_i_round *round,
                                 const kith_i_chain *chain);
/* The round has been read, and follows. */
void kith_i_chain_advance(kith_i_chain *chain, const kith_i_round *round);

#endif

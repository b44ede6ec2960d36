/* The draw of group and nonce, by device and service together: the device
 * commits to r, the service answers with a MAC of the commitment, and both
 * decide. The service learns r only with the report, so it cannot choose who
 * is in which group, nor a nonce; the device cannot try values without asking
 * the service each time. The nonce contains the round's digest: a report for a
 * forked round cannot be counted in the other. */
#ifndef KITH_DRAW_H
#define KITH_DRAW_H

#include "circle.h"
#include "round.h"

enum { KITH_I_DRAW_BYTES = 16 };

/* c = SHA256("kith1c" | task | r)[0..16) */
void kith_i_draw_commit(const uint8_t task[KITH_I_TASK_BYTES],
                        const uint8_t r[KITH_I_DRAW_BYTES],
                        uint8_t out[KITH_I_DRAW_BYTES]);
/* s = SHA256("kith1s" | tag | r); the user's point on the circle is its first
 * 53 bits. */
void kith_i_draw_seed(const uint8_t tag[KITH_I_DRAW_BYTES],
                      const uint8_t r[KITH_I_DRAW_BYTES],
                      uint8_t out[KITH_I_SHA256_BYTES]);
uint64_t kith_i_draw_point(const uint8_t seed[KITH_I_SHA256_BYTES]);
/* SHA256("kith1n" | s | round digest | group)[0..16), group of 2 bytes. */
void kith_i_draw_nonce(const uint8_t seed[KITH_I_SHA256_BYTES],
                       const uint8_t digest[KITH_I_SHA256_BYTES],
                       uint16_t group, uint8_t nonce[KITH_I_NONCE_BYTES]);

#endif

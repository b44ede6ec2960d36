/* Rounds as the server has them: written as canonical JSON, and read back as
 * devices will read them. */
#ifndef KITH_ROUND_TEXT_H
#define KITH_ROUND_TEXT_H

#include "base/digest.h"
#include "collect_i.h"
#include "device/round.h"

/* json: kith_i_free; not terminated. Share and offset of a question become
 * the range of its group. */
kith_status kith_i_round_write(const kith_i_round *round, char **json,
                               size_t *bytes,
                               uint8_t digest[KITH_I_DIGEST_BYTES],
                               kith_error *err);
/* What kith_i_round_open refuses is KITH_ERR_INPUT, and so is Gaussian noise
 * below what the declared (epsilon, delta) need. */
kith_status kith_i_round_read(const char *json, size_t bytes,
                              kith_i_round **out, kith_error *err);
void kith_i_round_free(kith_i_round *round); /* NULL is fine */

#endif

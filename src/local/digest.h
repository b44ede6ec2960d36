/* SHA-256, from libsodium; local/digest.c is the only file here that sees it.
 */
#ifndef KITH_DIGEST_H
#define KITH_DIGEST_H

#include <stddef.h>
#include <stdint.h>

#define KITH_I_DIGEST_BYTES 32u

void kith_i_digest(const void *bytes, size_t count,
                   uint8_t out[KITH_I_DIGEST_BYTES]);

#endif

/* SHA-256 of what is published. Not randomness: see dp/entropy.c for that. */
#include "digest.h"

#include <sodium.h>

_Static_assert(KITH_I_DIGEST_BYTES == crypto_hash_sha256_BYTES, "SHA-256");

void kith_i_digest(const void *bytes, size_t count,
                   uint8_t out[KITH_I_DIGEST_BYTES])
{
    crypto_hash_sha256(out, bytes, count);
}

/* SHA-256 of what is published. Not randomness: see noise/entropy.c for that.
 */
#include "digest.h"

#include <sodium.h>
#include <string.h>

_Static_assert(KITH_I_DIGEST_BYTES == crypto_hash_sha256_BYTES, "SHA-256");
_Static_assert(KITH_I_TABLE_KEY_BYTES == crypto_shorthash_KEYBYTES &&
                   crypto_shorthash_BYTES == sizeof(uint64_t),
               "SipHash");

void kith_i_digest(const void *bytes, size_t count,
                   uint8_t out[KITH_I_DIGEST_BYTES])
{
    crypto_hash_sha256(out, bytes, count);
}

void kith_i_mac(const uint8_t key[KITH_I_MAC_KEY_BYTES], const void *bytes,
                size_t count, uint8_t out[KITH_I_MAC_BYTES])
{
    crypto_generichash(out, KITH_I_MAC_BYTES, bytes, count, key,
                       KITH_I_MAC_KEY_BYTES);
}

uint64_t kith_i_table_hash(const uint8_t key[KITH_I_TABLE_KEY_BYTES],
                           uint64_t value)
{
    uint8_t in[sizeof value], bytes[sizeof value];
    memcpy(in, &value, sizeof value);
    crypto_shorthash(bytes, in, sizeof in, key);
    uint64_t out;
    memcpy(&out, bytes, sizeof out);
    return out;
}

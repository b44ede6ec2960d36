/* SHA-256 of what is published. Not randomness: see noise/entropy.c for that.
 */
#include "digest.h"

#include <sodium.h>
#include <string.h>

_Static_assert(KITH_I_DIGEST_BYTES == crypto_hash_sha256_BYTES, "SHA-256");
_Static_assert(KITH_I_TABLE_KEY_BYTES == crypto_shorthash_KEYBYTES &&
                   crypto_shorthash_BYTES == sizeof(uint64_t),
               "SipHash");
_Static_assert(sizeof(crypto_hash_sha256_state) <=
                       sizeof(kith_i_digest_state) &&
                   _Alignof(crypto_hash_sha256_state) <= 8,
               "room for SHA-256");

void kith_i_digest(const void *bytes, size_t count,
                   uint8_t out[KITH_I_DIGEST_BYTES])
{
    crypto_hash_sha256(out, bytes, count);
}

static crypto_hash_sha256_state *inside(kith_i_digest_state *state)
{
    return (crypto_hash_sha256_state *)(void *)state->room;
}

void kith_i_digest_start(kith_i_digest_state *state)
{
    *state = (kith_i_digest_state){0};
    crypto_hash_sha256_init(inside(state));
}

void kith_i_digest_add(kith_i_digest_state *state, const void *bytes,
                       size_t count)
{
    crypto_hash_sha256_update(inside(state), bytes, count);
}

void kith_i_digest_end(kith_i_digest_state *state,
                       uint8_t out[KITH_I_DIGEST_BYTES])
{
    crypto_hash_sha256_final(inside(state), out);
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

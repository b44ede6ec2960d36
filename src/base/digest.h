/* SHA-256 and SipHash, from libsodium; base/digest.c is the only file here
 * that sees it. */
#ifndef KITH_DIGEST_H
#define KITH_DIGEST_H

#include <stddef.h>
#include <stdint.h>

#define KITH_I_DIGEST_BYTES 32u

void kith_i_digest(const void *bytes, size_t count,
                   uint8_t out[KITH_I_DIGEST_BYTES]);

/* The same of bytes that come piece by piece. */
typedef struct kith_i_digest_state {
    _Alignas(8) uint8_t room[104];
} kith_i_digest_state;
void kith_i_digest_start(kith_i_digest_state *state);
void kith_i_digest_add(kith_i_digest_state *state, const void *bytes,
                       size_t count);
void kith_i_digest_end(kith_i_digest_state *state,
                       uint8_t out[KITH_I_DIGEST_BYTES]);

/* Keyed BLAKE2b of 16 bytes: who does not know the key can neither make one
 * nor tell it from random bytes. */
#define KITH_I_MAC_KEY_BYTES 32u
#define KITH_I_MAC_BYTES     16u
void kith_i_mac(const uint8_t key[KITH_I_MAC_KEY_BYTES], const void *bytes,
                size_t count, uint8_t out[KITH_I_MAC_BYTES]);

/* For tables: who does not know the key cannot make values that collide. */
#define KITH_I_TABLE_KEY_BYTES 16u
uint64_t kith_i_table_hash(const uint8_t key[KITH_I_TABLE_KEY_BYTES],
                           uint64_t value);

#endif

/* SHA-256 (FIPS 180-4), for devices: libsodium is not there. */
#ifndef KITH_SHA256_H
#define KITH_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum { KITH_I_SHA256_BYTES = 32 };

void kith_i_sha256(const void *bytes, size_t count,
                   uint8_t out[KITH_I_SHA256_BYTES]);

#endif

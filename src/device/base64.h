/* Base64, strict: RFC 4648 with padding. */
#ifndef KITH_BASE64_H
#define KITH_BASE64_H

#include <stddef.h>
#include <stdint.h>

size_t kith_i_base64_length(size_t bytes);
void kith_i_base64_write(const uint8_t *bytes, size_t count, char *out);
/* Bytes of a text, or SIZE_MAX if it is not base64; out: NULL, or that many. */
size_t kith_i_base64_read(const char *text, size_t length, uint8_t *out);

#endif

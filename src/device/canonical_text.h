/* Canonical JSON, read without trust and without allocation: keys in sorted
 * order, no spaces, whole numbers without a leading zero, arrays of numbers as
 * strings of base64, texts without escapes. A reader says which key may come
 * next, so one content has one spelling and nothing goes unread. */
#ifndef KITH_CANONICAL_TEXT_H
#define KITH_CANONICAL_TEXT_H

#include <stddef.h>
#include <stdint.h>

typedef struct kith_i_text {
    const char *at, *end;
    const char *flaw; /* the first one; NULL: fine so far */
    uint8_t *arena;   /* aligned to 8 */
    size_t room;
} kith_i_text;

void kith_i_text_flaw(kith_i_text *t, const char *what);
/* `count` times `size` bytes of the arena, aligned to 8; NULL with a flaw. */
void *kith_i_text_take(kith_i_text *t, uint64_t count, size_t size);

/* Exactly these characters: consumed if they come next; needed. */
int kith_i_text_is(kith_i_text *t, const char *literal);
void kith_i_text_need(kith_i_text *t, const char *literal);

/* The keys of an object, in order. begun: 0 before the first one. */
int kith_i_text_key(kith_i_text *t, int *begun, const char *key);
void kith_i_text_key_needed(kith_i_text *t, int *begun, const char *key);

/* Values. On a flaw: 0, or NULL. */
uint64_t kith_i_text_count(kith_i_text *t, uint64_t most);
double kith_i_text_real(kith_i_text *t); /* base64 of 8 bytes; finite */
const char *kith_i_text_words(kith_i_text *t, size_t most);
void kith_i_text_bytes(kith_i_text *t, uint8_t *out, size_t count);

/* Arrays: base64 of little-endian float32 (as double), float64, uint32,
 * uint64, bytes. */
const double *kith_i_text_f32(kith_i_text *t, uint64_t *count);
const double *kith_i_text_f64(kith_i_text *t, uint64_t *count);
const uint32_t *kith_i_text_u32(kith_i_text *t, uint64_t *count);
const uint64_t *kith_i_text_u64(kith_i_text *t, uint64_t *count);
const uint8_t *kith_i_text_u8(kith_i_text *t, uint64_t *count);

#endif

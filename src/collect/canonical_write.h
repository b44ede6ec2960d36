/* Canonical JSON as device/canonical_text.h reads it: sorted keys, no spaces,
 * whole numbers, everything else as base64. */
#ifndef KITH_CANONICAL_WRITE_H
#define KITH_CANONICAL_WRITE_H

#include <jansson.h>

#include "base/base_i.h"

/* jansson's setters fail on a NULL value, so one look at the end is enough:
 * *failed remembers. */
typedef struct kith_i_canon {
    json_t *object;
    int *failed;
} kith_i_canon;

/* 1 when it was put. */
int kith_i_canon_put(kith_i_canon t, const char *key, json_t *value);
/* A new object at a key, or at the end of a list. */
kith_i_canon kith_i_canon_object(kith_i_canon t, const char *key);
kith_i_canon kith_i_canon_append(json_t *list, int *failed);

void kith_i_canon_count(kith_i_canon t, const char *key, uint64_t value);
/* 8 bytes: no decimal fractions. */
void kith_i_canon_real(kith_i_canon t, const char *key, double value);
void kith_i_canon_bytes(kith_i_canon t, const char *key, const uint8_t *bytes,
                        size_t count);
/* size bytes of each value, little-endian; load gives value i. */
void kith_i_canon_values(kith_i_canon t, const char *key, const void *from,
                         size_t count, size_t size,
                         uint64_t (*load)(const void *from, size_t i));
/* NULL arrays are left out. */
void kith_i_canon_f32(kith_i_canon t, const char *key, const double *v,
                      size_t count);
uint64_t kith_i_canon_f32_at(const void *from, size_t i);
uint64_t kith_i_canon_f64_at(const void *from, size_t i);
uint64_t kith_i_canon_u32_at(const void *from, size_t i);
uint64_t kith_i_canon_u64_at(const void *from, size_t i);

/* json: kith_i_free; not terminated. */
kith_status kith_i_canon_dump(json_t *root, char **json, size_t *bytes,
                              kith_error *err);

#endif

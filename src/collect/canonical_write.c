/* Canonical JSON, value by value. */
#include "canonical_write.h"

#include <string.h>

#include "device/base64.h"
#include "device/little_endian.h"

int kith_i_canon_put(kith_i_canon t, const char *key, json_t *value)
{
    if (!json_object_set_new(t.object, key, value))
        return 1;
    *t.failed = 1;
    return 0;
}

/* A new object at the end of a list. */
kith_i_canon kith_i_canon_append(json_t *list, int *failed)
{
    json_t *object = json_object();
    if (json_array_append_new(list, object)) {
        *failed = 1;
        object = NULL; /* it is gone; jansson takes NULL for a failure */
    }
    return (kith_i_canon){object, failed};
}

void kith_i_canon_count(kith_i_canon t, const char *key, uint64_t value)
{
    if (value > INT64_MAX)
        *t.failed = 1;
    kith_i_canon_put(t, key, json_integer((json_int_t)(value & INT64_MAX)));
}

void kith_i_canon_bytes(kith_i_canon t, const char *key, const uint8_t *bytes,
                        size_t count)
{
    size_t length = kith_i_base64_length(count);
    char *text = kith_i_alloc(length + 1, 1);
    if (!text) {
        *t.failed = 1;
        return;
    }
    kith_i_base64_write(bytes, count, text);
    kith_i_canon_put(t, key, json_stringn(text, length));
    kith_i_free(text);
}

/* 8 bytes: no decimal fractions. */
void kith_i_canon_real(kith_i_canon t, const char *key, double value)
{
    uint8_t bytes[8];
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    kith_i_store(bits, bytes, sizeof bytes);
    kith_i_canon_bytes(t, key, bytes, sizeof bytes);
}

/* size bytes of each value, little-endian; load gives value i. */
void kith_i_canon_values(kith_i_canon t, const char *key, const void *from,
                         size_t count, size_t size,
                         uint64_t (*load)(const void *from, size_t i))
{
    uint8_t *bytes = kith_i_alloc(count, size);
    if (!bytes) {
        *t.failed = 1;
        return;
    }
    for (size_t i = 0; i < count; i++) {
        uint64_t value = load(from, i);
        for (size_t b = 0; b < size; b++)
            bytes[i * size + b] = (uint8_t)(value >> (8 * b));
    }
    kith_i_canon_bytes(t, key, bytes, count * size);
    kith_i_free(bytes);
}

uint64_t kith_i_canon_f32_at(const void *from, size_t i)
{
    float value = (float)((const double *)from)[i];
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

uint64_t kith_i_canon_f64_at(const void *from, size_t i)
{
    uint64_t bits;
    memcpy(&bits, (const double *)from + i, sizeof bits);
    return bits;
}

uint64_t kith_i_canon_u32_at(const void *from, size_t i)
{
    return ((const uint32_t *)from)[i];
}

uint64_t kith_i_canon_u64_at(const void *from, size_t i)
{
    return ((const uint64_t *)from)[i];
}

/* NULL arrays are left out. */
void kith_i_canon_f32(kith_i_canon t, const char *key, const double *v,
                      size_t count)
{
    if (v)
        kith_i_canon_values(t, key, v, count, 4, kith_i_canon_f32_at);
}

kith_i_canon kith_i_canon_object(kith_i_canon t, const char *key)
{
    json_t *object = json_object();
    return (kith_i_canon){kith_i_canon_put(t, key, object) ? object : NULL,
                          t.failed};
}

kith_status kith_i_canon_dump(json_t *root, char **json, size_t *bytes,
                              kith_error *err)
{
    const size_t flags = JSON_COMPACT | JSON_SORT_KEYS;
    size_t length = json_dumpb(root, NULL, 0, flags);
    char *text = length ? kith_i_alloc(length, 1) : NULL;
    if (!text || json_dumpb(root, text, length, flags) != length) {
        kith_i_free(text);
        return kith_i_fail_memory(err);
    }
    *json = text;
    *bytes = length;
    return KITH_OK;
}

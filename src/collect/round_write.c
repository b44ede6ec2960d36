/* A round as canonical JSON. Arrays that a device computes with are float32: a
 * third of the size of decimals, and the same bits everywhere. */
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "device/base64.h"
#include "device/circle.h"
#include "device/little_endian.h"
#include "round_text.h"

/* jansson's setters fail on a NULL value, so one look at the end is enough:
 * put() remembers. */
typedef struct {
    json_t *object;
    int *failed;
} target;

static int put(target t, const char *key, json_t *value)
{
    if (!json_object_set_new(t.object, key, value))
        return 1;
    *t.failed = 1;
    return 0;
}

/* A new object at the end of a list. */
static target append_object(json_t *list, int *failed)
{
    json_t *object = json_object();
    if (json_array_append_new(list, object)) {
        *failed = 1;
        object = NULL; /* it is gone; jansson takes NULL for a failure */
    }
    return (target){object, failed};
}

static void put_count(target t, const char *key, uint64_t value)
{
    if (value > INT64_MAX)
        *t.failed = 1;
    put(t, key, json_integer((json_int_t)(value & INT64_MAX)));
}

static void put_bytes(target t, const char *key, const uint8_t *bytes,
                      size_t count)
{
    size_t length = kith_i_base64_length(count);
    char *text = kith_i_alloc(length + 1, 1);
    if (!text) {
        *t.failed = 1;
        return;
    }
    kith_i_base64_write(bytes, count, text);
    put(t, key, json_stringn(text, length));
    kith_i_free(text);
}

/* 8 bytes: no decimal fractions. */
static void put_real(target t, const char *key, double value)
{
    uint8_t bytes[8];
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    kith_i_store(bits, bytes, sizeof bytes);
    put_bytes(t, key, bytes, sizeof bytes);
}

/* size bytes of each value, little-endian; load gives value i. */
static void put_values(target t, const char *key, const void *from,
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
    put_bytes(t, key, bytes, count * size);
    kith_i_free(bytes);
}

static uint64_t load_f32(const void *from, size_t i)
{
    float value = (float)((const double *)from)[i];
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint64_t load_u32(const void *from, size_t i)
{
    return ((const uint32_t *)from)[i];
}

static uint64_t load_u64(const void *from, size_t i)
{
    return ((const uint64_t *)from)[i];
}

/* NULL arrays are left out. */
static void put_f32(target t, const char *key, const double *v, size_t count)
{
    if (v)
        put_values(t, key, v, count, 4, load_f32);
}

static target put_object(target t, const char *key)
{
    json_t *object = json_object();
    return (target){put(t, key, object) ? object : NULL, t.failed};
}

/* ---- parts of a question --------------------------------------------------
 */

static void put_lens(target t, const kith_i_lens *lens)
{
    target to = put_object(t, "lens");
    put_count(to, "q", lens->q);
    put_f32(to, "rows", lens->rows, (size_t)lens->q * lens->d);
    put_f32(to, "offset", lens->offset, lens->d);
    put_f32(to, "half", lens->half, lens->q);
}

static void put_grid(target t, const kith_i_grid *grid)
{
    target to = put_object(t, "grid");
    put_lens(to, &grid->lens);
    put_real(to, "side", grid->side);
    put_f32(to, "shift", grid->shift, grid->lens.q);
    put_count(to, "cells", grid->cells);
}

static uint64_t load_axis(const void *from, size_t i)
{
    return (uint32_t)((const kith_i_tree_node *)from)[i].axis;
}

static uint64_t load_left(const void *from, size_t i)
{
    return ((const kith_i_tree_node *)from)[i].left;
}

static uint64_t load_right(const void *from, size_t i)
{
    return ((const kith_i_tree_node *)from)[i].right;
}

static uint64_t load_threshold(const void *from, size_t i)
{
    return load_f32(&((const kith_i_tree_node *)from)[i].threshold, 0);
}

static void put_tree(target t, const kith_i_place *place)
{
    size_t n = place->tree_nodes;
    target to = put_object(t, "tree");
    put_values(to, "axis", place->tree, n, 4, load_axis);
    put_values(to, "left", place->tree, n, 4, load_left);
    put_values(to, "right", place->tree, n, 4, load_right);
    put_values(to, "threshold", place->tree, n, 4, load_threshold);
}

static uint64_t load_byte(const void *from, size_t i)
{
    return ((const uint8_t *)from)[i];
}

static void put_prefer(target t, const kith_i_place *place, uint32_t d)
{
    json_t *list = json_array();
    list = put(t, "creations", list) ? list : NULL;
    put_f32(t, "points", place->points, place->places * d);
    if (place->kept)
        put_values(t, "kept", place->kept, place->places, 1, load_byte);
    for (uint32_t i = 0; i < place->creation_count; i++) {
        const kith_i_creation *made = &place->creations[i];
        target to = append_object(list, t.failed);
        put_grid(to, &made->grid);
        put_count(to, "radius", made->radius_number);
        put_real(to, "reach", made->reach);
        put_values(to, "keys", made->keys, made->count, 8, load_u64);
        put_values(to, "center", made->center, made->count, 4, load_u32);
    }
}

static void put_place(target t, const kith_i_place *place, uint32_t d)
{
    target to = put_object(t, "place");
    put_count(to, "kind", place->kind);
    put_count(to, "places", place->places);
    switch (place->kind) {
    case KITH_I_PLACE_ONE:
        break;
    case KITH_I_PLACE_TREE:
        put_lens(to, &place->lens);
        put_tree(to, place);
        break;
    case KITH_I_PLACE_NEAREST:
        put_lens(to, &place->lens);
        put_f32(to, "points", place->points, place->places * place->lens.q);
        break;
    case KITH_I_PLACE_GRID:
        put_grid(to, &place->grid);
        break;
    case KITH_I_PLACE_LIST:
        put_grid(to, &place->grid);
        put_values(to, "keys", place->keys, place->places, 8, load_u64);
        put_real(to, "reach", place->reach);
        break;
    case KITH_I_PLACE_PREFER:
        put_prefer(to, place, d);
        break;
    }
}

static void put_mechanism(target t, const kith_i_mechanism *m)
{
    target to = put_object(t, "mechanism");
    put_count(to, "kind", m->kind);
    put_count(to, "loss", m->loss);
    put_count(to, "num", m->odds.num);
    put_count(to, "den", m->odds.den);
    put_count(to, "outputs", m->outputs);
    put_count(to, "symbols", m->symbols);
    put_count(to, "rows", m->rows);
    put_count(to, "top", m->top);
    put_count(to, "rank", m->rank);
    put_count(to, "width", m->width);
    put_count(to, "kept", m->kept);
    put_count(to, "buckets", m->buckets);
    put_count(to, "sigma", m->sigma.num);
    put_count(to, "shift", m->sigma.shift);
    put_real(to, "alpha", m->alpha);
}

static void put_question(target t, const kith_i_question *q,
                         const kith_i_mechanism *m, uint32_t d)
{
    put(t, "what", json_string(q->what ? q->what : ""));
    kith_i_range range = kith_i_circle_range(q);
    put_count(t, "start", range.start);
    put_count(t, "length", range.length);
    put_count(t, "partition", q->partition);
    if (m->kind == KITH_I_RANDOMIZER_GAUSSIAN)
        put_real(t, "delta", q->delta);
    put_count(t, "report", q->report);
    put_mechanism(t, m);
    put_place(t, &q->place, d);
    if (q->report == KITH_I_REPORT_DISTANCE) {
        put_count(t, "bands", q->bands);
        put_real(t, "top", q->top);
    }
    put_f32(t, "centers", q->centers, q->place.places * d);
    if (m->width)
        put_f32(t, "radii", q->radii, q->place.places);
}

static kith_status dump(json_t *root, char **json, size_t *bytes,
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

kith_status kith_i_round_write(const kith_i_round *round, char **json,
                               size_t *bytes,
                               uint8_t digest[KITH_I_DIGEST_BYTES],
                               kith_error *err)
{
    int failed = 0;
    json_t *root = json_object(), *groups = json_array();
    target t = {root, &failed};
    put_count(t, "version", KITH_I_ROUND_VERSION);
    put_bytes(t, "task", round->task, sizeof round->task);
    put_bytes(t, "previous", round->previous, sizeof round->previous);
    put_count(t, "round", round->number);
    put_count(t, "invited", round->invited);
    put_count(t, "minimum", round->minimum);
    put_count(t, "d", round->d);
    groups = put(t, "groups", groups) ? groups : NULL;
    for (uint32_t i = 0; i < round->count; i++) {
        target group = append_object(groups, &failed);
        put_question(group, &round->questions[i], &round->mechanisms[i],
                     round->d);
    }
    kith_status status =
        failed ? kith_i_fail_memory(err) : dump(root, json, bytes, err);
    json_decref(root);
    if (!status)
        kith_i_digest(*json, *bytes, digest);
    return status;
}

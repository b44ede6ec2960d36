/* A round from JSON, without trust: every size is checked against what is
 * there, the questions against what devices accept, and in the end the round
 * is written again and must give the same bytes, so that one round has one
 * spelling and nothing in it goes unread. */
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "device/base64.h"
#include "round.h"

static const size_t JSON_MAX = (size_t)1 << 26;
enum { GROUPS_MAX = 1 << 10 };

/* A block of the round's memory; what was asked for starts at 64. */
typedef struct block {
    struct block *next;
} block;
enum { BLOCK_HEAD = 64 };

typedef struct {
    kith_i_round *round;
    const char *flaw; /* the first one; NULL: fine so far */
    int memory;       /* memory is short */
} reader;

static void *take(reader *r, size_t count, size_t size)
{
    block *b = NULL;
    if (count <= JSON_MAX && size <= 4096)
        b = kith_i_alloc(1, BLOCK_HEAD + count * size);
    if (!b) {
        r->memory = 1;
        r->flaw = r->flaw ? r->flaw : "memory is short";
        return NULL;
    }
    b->next = r->round->memory;
    r->round->memory = b;
    return (char *)b + BLOCK_HEAD;
}

void kith_i_round_free(kith_i_round *round)
{
    if (!round)
        return;
    for (block *b = round->memory; b;) {
        block *next = b->next;
        kith_i_free(b);
        b = next;
    }
    kith_i_free(round);
}

static void flaw(reader *r, const char *what)
{
    r->flaw = r->flaw ? r->flaw : what;
}

/* ---- values ---------------------------------------------------------------
 */

static uint64_t get_count(reader *r, const json_t *o, const char *key,
                          uint64_t most)
{
    const json_t *v = json_object_get(o, key);
    json_int_t n = json_integer_value(v);
    if (!json_is_integer(v) || n < 0 || (uint64_t)n > most) {
        flaw(r, "a number is missing or out of range");
        return 0;
    }
    return (uint64_t)n;
}

static double get_real(reader *r, const json_t *o, const char *key)
{
    const json_t *v = json_object_get(o, key);
    if (!json_is_real(v)) {
        flaw(r, "a number is missing");
        return 0;
    }
    return json_real_value(v);
}

/* Exactly `bytes` bytes. */
static void get_bytes(reader *r, const json_t *o, const char *key, uint8_t *out,
                      size_t bytes)
{
    const json_t *v = json_object_get(o, key);
    const char *text = json_string_value(v);
    size_t length = json_string_length(v);
    if (!text || kith_i_base64_read(text, length, NULL) != bytes)
        flaw(r, "a string of bytes has the wrong size");
    else
        kith_i_base64_read(text, length, out);
}

/* All bytes of a value; NULL when it is absent or wrong. */
static const uint8_t *get_all(reader *r, const json_t *o, const char *key,
                              size_t *bytes)
{
    const json_t *v = json_object_get(o, key);
    *bytes = 0;
    if (!v)
        return NULL;
    size_t length = json_string_length(v);
    const char *text = json_string_value(v);
    size_t count = text ? kith_i_base64_read(text, length, NULL) : SIZE_MAX;
    uint8_t *out = count == SIZE_MAX ? NULL : take(r, count, 1);
    if (!out) {
        flaw(r, "an array is not base64");
        return NULL;
    }
    kith_i_base64_read(text, length, out);
    *bytes = count;
    return out;
}

static uint64_t little(const uint8_t *p, size_t size)
{
    uint64_t v = 0;
    for (size_t i = size; i-- > 0;)
        v = v << 8 | p[i];
    return v;
}

/* `count` values of `size` bytes; NULL when absent (flaw if required). */
static const uint8_t *get_values(reader *r, const json_t *o, const char *key,
                                 uint64_t count, size_t size, int required)
{
    size_t bytes;
    const uint8_t *raw = get_all(r, o, key, &bytes);
    if (!raw && required)
        flaw(r, "an array is missing");
    if (raw && (count > JSON_MAX || bytes != count * size)) {
        flaw(r, "an array has the wrong size");
        return NULL;
    }
    return raw;
}

static const double *get_f32(reader *r, const json_t *o, const char *key,
                             uint64_t count, int required)
{
    const uint8_t *raw = get_values(r, o, key, count, 4, required);
    double *out = raw ? take(r, count, sizeof *out) : NULL;
    for (uint64_t i = 0; out && i < count; i++) {
        uint32_t bits = (uint32_t)little(raw + 4 * i, 4);
        float value;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value))
            flaw(r, "a number is not finite");
        out[i] = (double)value;
    }
    return out;
}

static const uint32_t *get_u32(reader *r, const json_t *o, const char *key,
                               uint64_t count)
{
    const uint8_t *raw = get_values(r, o, key, count, 4, 1);
    uint32_t *out = raw ? take(r, count, sizeof *out) : NULL;
    for (uint64_t i = 0; out && i < count; i++)
        out[i] = (uint32_t)little(raw + 4 * i, 4);
    return out;
}

static const uint64_t *get_u64(reader *r, const json_t *o, const char *key,
                               uint64_t count)
{
    const uint8_t *raw = get_values(r, o, key, count, 8, 1);
    uint64_t *out = raw ? take(r, count, sizeof *out) : NULL;
    for (uint64_t i = 0; out && i < count; i++)
        out[i] = little(raw + 8 * i, 8);
    return out;
}

/* How many values of `size` bytes an array has. */
static uint32_t length_of(const json_t *o, const char *key, size_t size)
{
    const json_t *v = json_object_get(o, key);
    const char *text = json_string_value(v);
    size_t n = text ? kith_i_base64_read(text, json_string_length(v), NULL) : 0;
    return n == SIZE_MAX || n % size || n / size > JSON_MAX
               ? 0
               : (uint32_t)(n / size);
}

/* ---- parts of a question --------------------------------------------------
 */

static void get_lens(reader *r, const json_t *o, kith_i_lens *lens)
{
    const json_t *from = json_object_get(o, "lens");
    lens->d = r->round->d;
    lens->q = (uint32_t)get_count(r, from, "q", KITH_I_WIDTH_MAX);
    lens->rows = get_f32(r, from, "rows", (uint64_t)lens->q * lens->d, 0);
    lens->offset = get_f32(r, from, "offset", lens->d, 0);
    lens->half = get_f32(r, from, "half", lens->q, 0);
}

static void get_grid(reader *r, const json_t *o, kith_i_grid *grid)
{
    const json_t *from = json_object_get(o, "grid");
    get_lens(r, from, &grid->lens);
    grid->side = get_real(r, from, "side");
    grid->shift = get_f32(r, from, "shift", grid->lens.q, 0);
    grid->cells = (uint32_t)get_count(r, from, "cells", UINT32_MAX);
}

static void get_tree(reader *r, const json_t *o, kith_i_place *place)
{
    const json_t *from = json_object_get(o, "tree");
    uint32_t n = length_of(from, "axis", 4);
    const uint32_t *axis = get_u32(r, from, "axis", n);
    const uint32_t *left = get_u32(r, from, "left", n);
    const uint32_t *right = get_u32(r, from, "right", n);
    const double *threshold = get_f32(r, from, "threshold", n, 1);
    kith_i_tree_node *tree = take(r, n, sizeof *tree);
    if (!axis || !left || !right || !threshold || !tree)
        return;
    for (uint32_t i = 0; i < n; i++)
        tree[i] = (kith_i_tree_node){.axis = (int32_t)axis[i],
                                     .left = left[i],
                                     .right = right[i],
                                     .threshold = threshold[i]};
    place->tree = tree;
    place->tree_nodes = n;
}

static void get_prefer(reader *r, const json_t *o, kith_i_place *place)
{
    const json_t *list = json_object_get(o, "creations");
    size_t n = json_array_size(list);
    if (!json_is_array(list) || n > 1 << 12) {
        flaw(r, "the lists of cells are missing, or too many");
        return;
    }
    place->points = get_f32(r, o, "points", place->places * r->round->d, 0);
    place->kept = get_values(r, o, "kept", place->places, 1, 0);
    kith_i_creation *made = take(r, n, sizeof *made);
    for (size_t i = 0; made && i < n; i++) {
        const json_t *from = json_array_get(list, i);
        get_grid(r, from, &made[i].grid);
        made[i].radius_number =
            (uint32_t)get_count(r, from, "radius", UINT32_MAX);
        made[i].reach = get_real(r, from, "reach");
        made[i].count = length_of(from, "keys", 8);
        made[i].keys = get_u64(r, from, "keys", made[i].count);
        made[i].center = get_u32(r, from, "center", made[i].count);
    }
    place->creations = made;
    place->creation_count = made ? (uint32_t)n : 0;
}

static void get_place(reader *r, const json_t *o, kith_i_place *place)
{
    const json_t *from = json_object_get(o, "place");
    place->kind = (kith_i_place_kind)get_count(r, from, "kind", 255);
    place->places = get_count(r, from, "places", KITH_I_KEY_LIMIT);
    switch (place->kind) {
    case KITH_I_PLACE_ONE:
        break;
    case KITH_I_PLACE_TREE:
        get_lens(r, from, &place->lens);
        get_tree(r, from, place);
        break;
    case KITH_I_PLACE_NEAREST:
        get_lens(r, from, &place->lens);
        if (place->places <= KITH_I_PLACES_MAX)
            place->points =
                get_f32(r, from, "points", place->places * place->lens.q, 1);
        break;
    case KITH_I_PLACE_GRID:
        get_grid(r, from, &place->grid);
        break;
    case KITH_I_PLACE_LIST:
        get_grid(r, from, &place->grid);
        place->keys = get_u64(r, from, "keys", place->places);
        place->reach = get_real(r, from, "reach");
        break;
    case KITH_I_PLACE_PREFER:
        if (place->places <= KITH_I_PLACES_MAX)
            get_prefer(r, from, place);
        break;
    default:
        flaw(r, "a place is of an unknown kind");
    }
}

static void get_mechanism(reader *r, const json_t *o, kith_i_mechanism *m)
{
    const json_t *from = json_object_get(o, "mechanism");
    m->kind = (kith_i_randomizer)get_count(r, from, "kind", 255);
    m->loss = get_count(r, from, "loss", UINT64_C(1) << 56);
    m->odds.num = get_count(r, from, "num", UINT64_C(1) << 48);
    m->odds.den = get_count(r, from, "den", UINT64_C(1) << 32);
    m->outputs = get_count(r, from, "outputs", KITH_I_KEY_LIMIT);
    m->symbols = get_count(r, from, "symbols", KITH_I_KEY_LIMIT);
    m->rows = get_count(r, from, "rows", KITH_I_KEY_LIMIT);
    m->top = (uint32_t)get_count(r, from, "top", UINT32_MAX);
    m->rank = (uint32_t)get_count(r, from, "rank", UINT32_MAX);
    m->width = (uint32_t)get_count(r, from, "width", UINT32_MAX);
    m->kept = (uint32_t)get_count(r, from, "kept", UINT32_MAX);
    m->buckets = (uint32_t)get_count(r, from, "buckets", UINT32_MAX);
    m->sigma.num = get_count(r, from, "sigma", INT64_MAX);
    m->sigma.shift = (uint32_t)get_count(r, from, "shift", 1 << 10);
    m->alpha = get_real(r, from, "alpha");
}

static const char *get_what(reader *r, const json_t *o)
{
    const json_t *v = json_object_get(o, "what");
    size_t length = json_string_length(v);
    char *out = NULL;
    if (!json_is_string(v) || length > 256)
        flaw(r, "a question has no name");
    else
        out = take(r, length + 1, 1);
    if (out)
        memcpy(out, json_string_value(v), length);
    return out;
}

static void get_question(reader *r, const json_t *o, kith_i_question *q,
                         kith_i_mechanism *m)
{
    get_mechanism(r, o, m);
    q->what = get_what(r, o);
    q->share = get_real(r, o, "share");
    q->offset = get_real(r, o, "offset");
    q->partition = (uint32_t)get_count(r, o, "partition", UINT32_MAX);
    q->delta = get_real(r, o, "delta");
    q->epsilon = ldexp((double)m->loss, -KITH_I_LOSS_BITS);
    q->randomizer = m->kind;
    q->report = (kith_i_report_kind)get_count(r, o, "report", 255);
    get_place(r, o, &q->place);
    if (q->report == KITH_I_REPORT_DISTANCE) {
        q->bands = (uint32_t)get_count(r, o, "bands", UINT32_MAX);
        q->top = get_real(r, o, "top");
    }
    if (q->place.places <= KITH_I_PLACES_MAX) {
        uint64_t places = q->place.places;
        q->centers = get_f32(r, o, "centers", places * r->round->d, 0);
        q->radii = m->width ? get_f32(r, o, "radii", places, 0) : NULL;
    }
    /* Odds and noise must be worth what is declared. */
    kith_i_limits declared;
    if (!r->flaw &&
        kith_i_limits_make(m, q, m->loss, q->delta, &declared, NULL))
        flaw(r, "a report declares a loss that makes no sense");
    if (!r->flaw)
        r->flaw = kith_i_limits_flaw(m, q, r->round->d, &declared);
}

static void get_round(reader *r, const json_t *root)
{
    kith_i_round *round = r->round;
    const json_t *groups = json_object_get(root, "groups");
    size_t n = json_array_size(groups);
    if (get_count(r, root, "version", INT64_MAX) != KITH_I_ROUND_VERSION)
        flaw(r, "it is of another version of the protocol");
    get_bytes(r, root, "task", round->task, sizeof round->task);
    get_bytes(r, root, "previous", round->previous, sizeof round->previous);
    round->number = (uint16_t)get_count(r, root, "round", UINT16_MAX);
    round->minimum = get_count(r, root, "minimum", INT64_MAX);
    round->d = (uint32_t)get_count(r, root, "d", KITH_I_WIDTH_MAX);
    if (n > GROUPS_MAX) {
        flaw(r, "the round has too many groups");
        return;
    }
    round->questions = take(r, n, sizeof *round->questions);
    round->mechanisms = take(r, n, sizeof *round->mechanisms);
    round->count = (uint32_t)n;
    for (size_t i = 0; !r->flaw && i < n; i++)
        get_question(r, json_array_get(groups, i), &round->questions[i],
                     &round->mechanisms[i]);
}

/* Arrays of numbers are strings, so a round has few values: more would only
 * take memory. */
static int too_many_values(const char *json, size_t bytes)
{
    const size_t most = (size_t)1 << 20;
    size_t values = 0;
    for (size_t i = 0; i < bytes; i++)
        values += json[i] == ',' || json[i] == '[' || json[i] == '{';
    return values > most;
}

/* Written again, is it the same? Sets the digest. */
static void compare(reader *r, const char *json, size_t bytes)
{
    char *again = NULL;
    size_t length = 0;
    if (kith_i_round_write(r->round, &again, &length, r->round->digest, NULL)) {
        r->memory = 1;
        flaw(r, "memory is short");
    } else if (length != bytes || memcmp(again, json, bytes) != 0) {
        flaw(r, "it is not canonical");
    }
    kith_i_free(again);
}

kith_status kith_i_round_read(const char *json, size_t bytes,
                              kith_i_round **out, kith_error *err)
{
    *out = NULL;
    if (bytes > JSON_MAX || too_many_values(json, bytes))
        return kith_i_fail(err, KITH_ERR_INPUT, "the round is too long");
    reader r = {.round = kith_i_alloc(1, sizeof *r.round)};
    if (!r.round)
        return kith_i_fail_memory(err);
    json_t *root = json_loadb(json, bytes, JSON_REJECT_DUPLICATES, NULL);
    if (!root)
        flaw(&r, "it is not JSON");
    else
        get_round(&r, root);
    json_decref(root);
    if (!r.flaw)
        compare(&r, json, bytes);
    if (r.flaw) {
        kith_i_round_free(r.round);
        if (r.memory)
            return kith_i_fail_memory(err);
        return kith_i_fail(err, KITH_ERR_INPUT,
                           "the published round cannot be used: %s", r.flaw);
    }
    *out = r.round;
    return KITH_OK;
}

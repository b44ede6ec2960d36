/* A round as canonical JSON. Arrays that a device computes with are float32: a
 * third of the size of decimals, and the same bits everywhere. */
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "canonical_write.h"
#include "device/circle.h"
#include "round_text.h"

/* ---- parts of a question ---- */

static void put_lens(kith_i_canon t, const kith_i_lens *lens)
{
    kith_i_canon to = kith_i_canon_object(t, "lens");
    kith_i_canon_count(to, "q", lens->q);
    kith_i_canon_f32(to, "rows", lens->rows, (size_t)lens->q * lens->d);
    kith_i_canon_f32(to, "offset", lens->offset, lens->d);
    kith_i_canon_f32(to, "half", lens->half, lens->q);
}

static void put_grid(kith_i_canon t, const kith_i_grid *grid)
{
    kith_i_canon to = kith_i_canon_object(t, "grid");
    put_lens(to, &grid->lens);
    kith_i_canon_real(to, "side", grid->side);
    kith_i_canon_f32(to, "shift", grid->shift, grid->lens.q);
    kith_i_canon_count(to, "cells", grid->cells);
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
    return kith_i_canon_f32_at(&((const kith_i_tree_node *)from)[i].threshold,
                               0);
}

static void put_tree(kith_i_canon t, const kith_i_place *place)
{
    size_t n = place->tree_nodes;
    kith_i_canon to = kith_i_canon_object(t, "tree");
    kith_i_canon_values(to, "axis", place->tree, n, 4, load_axis);
    kith_i_canon_values(to, "left", place->tree, n, 4, load_left);
    kith_i_canon_values(to, "right", place->tree, n, 4, load_right);
    kith_i_canon_values(to, "threshold", place->tree, n, 4, load_threshold);
}

static uint64_t load_byte(const void *from, size_t i)
{
    return ((const uint8_t *)from)[i];
}

static void put_prefer(kith_i_canon t, const kith_i_place *place, uint32_t d)
{
    json_t *list = json_array();
    list = kith_i_canon_put(t, "creations", list) ? list : NULL;
    kith_i_canon_f32(t, "points", place->points, place->places * d);
    if (place->kept)
        kith_i_canon_values(t, "kept", place->kept, place->places, 1,
                            load_byte);
    for (uint32_t i = 0; i < place->creation_count; i++) {
        const kith_i_creation *made = &place->creations[i];
        kith_i_canon to = kith_i_canon_append(list, t.failed);
        put_grid(to, &made->grid);
        kith_i_canon_count(to, "radius", made->radius_number);
        kith_i_canon_real(to, "reach", made->reach);
        kith_i_canon_values(to, "keys", made->keys, made->count, 8,
                            kith_i_canon_u64_at);
        kith_i_canon_values(to, "center", made->center, made->count, 4,
                            kith_i_canon_u32_at);
    }
}

static void put_place(kith_i_canon t, const kith_i_place *place, uint32_t d)
{
    kith_i_canon to = kith_i_canon_object(t, "place");
    kith_i_canon_count(to, "kind", place->kind);
    kith_i_canon_count(to, "places", place->places);
    switch (place->kind) {
    case KITH_I_PLACE_ONE:
        break;
    case KITH_I_PLACE_TREE:
        put_lens(to, &place->lens);
        put_tree(to, place);
        break;
    case KITH_I_PLACE_NEAREST:
        put_lens(to, &place->lens);
        kith_i_canon_f32(to, "points", place->points,
                         place->places * place->lens.q);
        break;
    case KITH_I_PLACE_GRID:
        put_grid(to, &place->grid);
        break;
    case KITH_I_PLACE_LIST:
        put_grid(to, &place->grid);
        kith_i_canon_values(to, "keys", place->keys, place->places, 8,
                            kith_i_canon_u64_at);
        kith_i_canon_real(to, "reach", place->reach);
        break;
    case KITH_I_PLACE_PREFER:
        put_prefer(to, place, d);
        break;
    }
}

static void put_mechanism(kith_i_canon t, const kith_i_mechanism *m)
{
    kith_i_canon to = kith_i_canon_object(t, "mechanism");
    kith_i_canon_count(to, "kind", m->kind);
    kith_i_canon_count(to, "loss", m->loss);
    kith_i_canon_count(to, "num", m->odds.num);
    kith_i_canon_count(to, "den", m->odds.den);
    kith_i_canon_count(to, "outputs", m->outputs);
    kith_i_canon_count(to, "symbols", m->symbols);
    kith_i_canon_count(to, "rows", m->rows);
    kith_i_canon_count(to, "top", m->top);
    kith_i_canon_count(to, "rank", m->rank);
    kith_i_canon_count(to, "width", m->width);
    kith_i_canon_count(to, "kept", m->kept);
    kith_i_canon_count(to, "buckets", m->buckets);
    kith_i_canon_count(to, "sigma", m->sigma.num);
    kith_i_canon_count(to, "shift", m->sigma.shift);
    kith_i_canon_real(to, "alpha", m->alpha);
}

static void put_question(kith_i_canon t, const kith_i_question *q,
                         const kith_i_mechanism *m, uint32_t d)
{
    kith_i_canon_put(t, "what", json_string(q->what ? q->what : ""));
    kith_i_range range = kith_i_circle_range(q);
    kith_i_canon_count(t, "start", range.start);
    kith_i_canon_count(t, "length", range.length);
    kith_i_canon_count(t, "partition", q->partition);
    if (m->kind == KITH_I_RANDOMIZER_GAUSSIAN)
        kith_i_canon_real(t, "delta", q->delta);
    kith_i_canon_count(t, "report", q->report);
    put_mechanism(t, m);
    put_place(t, &q->place, d);
    if (q->report == KITH_I_REPORT_DISTANCE) {
        kith_i_canon_count(t, "bands", q->bands);
        kith_i_canon_real(t, "top", q->top);
    }
    kith_i_canon_f32(t, "centers", q->centers, q->place.places * d);
    if (m->width)
        kith_i_canon_f32(t, "radii", q->radii, q->place.places);
}

kith_status kith_i_round_write(const kith_i_round *round, char **json,
                               size_t *bytes,
                               uint8_t digest[KITH_I_DIGEST_BYTES],
                               kith_error *err)
{
    int failed = 0;
    json_t *root = json_object(), *groups = json_array();
    kith_i_canon t = {root, &failed};
    kith_i_canon_count(t, "version", KITH_I_ROUND_VERSION);
    kith_i_canon_bytes(t, "task", round->task, sizeof round->task);
    kith_i_canon_bytes(t, "previous", round->previous, sizeof round->previous);
    kith_i_canon_count(t, "round", round->number);
    kith_i_canon_count(t, "invited", round->invited);
    kith_i_canon_count(t, "minimum", round->minimum);
    kith_i_canon_count(t, "d", round->d);
    groups = kith_i_canon_put(t, "groups", groups) ? groups : NULL;
    for (uint32_t i = 0; i < round->count; i++) {
        kith_i_canon group = kith_i_canon_append(groups, &failed);
        put_question(group, &round->questions[i], &round->mechanisms[i],
                     round->d);
    }
    kith_status status = failed ? kith_i_fail_memory(err)
                                : kith_i_canon_dump(root, json, bytes, err);
    json_decref(root);
    if (!status)
        kith_i_digest(*json, *bytes, digest);
    return status;
}

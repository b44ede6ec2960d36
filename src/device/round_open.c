/* A round from its bytes, without trust: every size is checked against what is
 * there and the questions against what devices accept. Client code. */
#include <string.h>

#include "canonical_text.h"
#include "circle.h"
#include "round.h"

enum { CREATIONS_MAX = 1 << 12, WHAT_MAX = 256 };

static const char WRONG_SIZE[] = "an array has the wrong size";

static void fits(kith_i_text *t, const void *array, uint64_t has, uint64_t want)
{
    if (array && has != want)
        kith_i_text_flaw(t, WRONG_SIZE);
}

/* An optional array of float32. */
static const double *some_f32(kith_i_text *t, int *begun, const char *key,
                              uint64_t *count)
{
    *count = 0;
    return kith_i_text_key(t, begun, key) ? kith_i_text_f32(t, count) : NULL;
}

/* ---- parts of a question ---- */

static void read_lens(kith_i_text *t, uint32_t d, kith_i_lens *lens)
{
    int begun = 0;
    uint64_t half, offset, rows;
    kith_i_text_need(t, "{");
    lens->d = d;
    lens->half = some_f32(t, &begun, "half", &half);
    lens->offset = some_f32(t, &begun, "offset", &offset);
    kith_i_text_key_needed(t, &begun, "q");
    lens->q = (uint32_t)kith_i_text_count(t, KITH_I_WIDTH_MAX);
    lens->rows = some_f32(t, &begun, "rows", &rows);
    kith_i_text_need(t, "}");
    fits(t, lens->half, half, lens->q);
    fits(t, lens->offset, offset, d);
    fits(t, lens->rows, rows, (uint64_t)lens->q * d);
}

static void read_grid(kith_i_text *t, uint32_t d, kith_i_grid *grid)
{
    int begun = 0;
    uint64_t shift;
    kith_i_text_need(t, "{");
    kith_i_text_key_needed(t, &begun, "cells");
    grid->cells = (uint32_t)kith_i_text_count(t, UINT32_MAX);
    kith_i_text_key_needed(t, &begun, "lens");
    read_lens(t, d, &grid->lens);
    grid->shift = some_f32(t, &begun, "shift", &shift);
    kith_i_text_key_needed(t, &begun, "side");
    grid->side = kith_i_text_real(t);
    kith_i_text_need(t, "}");
    fits(t, grid->shift, shift, grid->lens.q);
}

static void read_tree(kith_i_text *t, kith_i_place *place)
{
    int begun = 0;
    uint64_t n, lefts, rights, thresholds;
    kith_i_text_need(t, "{");
    kith_i_text_key_needed(t, &begun, "axis");
    const uint32_t *axis = kith_i_text_u32(t, &n);
    kith_i_text_key_needed(t, &begun, "left");
    const uint32_t *left = kith_i_text_u32(t, &lefts);
    kith_i_text_key_needed(t, &begun, "right");
    const uint32_t *right = kith_i_text_u32(t, &rights);
    kith_i_text_key_needed(t, &begun, "threshold");
    const double *threshold = kith_i_text_f32(t, &thresholds);
    kith_i_text_need(t, "}");
    if (lefts != n || rights != n || thresholds != n || n > UINT32_MAX)
        kith_i_text_flaw(t, WRONG_SIZE);
    kith_i_tree_node *tree = kith_i_text_take(t, n, sizeof *tree);
    for (uint64_t i = 0; tree && i < n; i++)
        tree[i] = (kith_i_tree_node){.axis = (int32_t)axis[i],
                                     .left = left[i],
                                     .right = right[i],
                                     .threshold = threshold[i]};
    place->tree = tree;
    place->tree_nodes = (uint32_t)n;
}

static void read_creation(kith_i_text *t, uint32_t d, kith_i_creation *made)
{
    int begun = 0;
    uint64_t centers, keys;
    kith_i_text_need(t, "{");
    kith_i_text_key_needed(t, &begun, "center");
    made->center = kith_i_text_u32(t, &centers);
    kith_i_text_key_needed(t, &begun, "grid");
    read_grid(t, d, &made->grid);
    kith_i_text_key_needed(t, &begun, "keys");
    made->keys = kith_i_text_u64(t, &keys);
    kith_i_text_key_needed(t, &begun, "radius");
    made->radius_number = (uint32_t)kith_i_text_count(t, UINT32_MAX);
    kith_i_text_key_needed(t, &begun, "reach");
    made->reach = kith_i_text_real(t);
    kith_i_text_need(t, "}");
    if (centers != keys || keys > UINT32_MAX)
        kith_i_text_flaw(t, WRONG_SIZE);
    made->count = (uint32_t)keys;
}

/* How many objects a list has: they are counted by looking ahead, so that
 * their place in the arena can be taken at once. */
static uint64_t objects_ahead(const kith_i_text *t)
{
    uint64_t count = 0;
    int depth = 0, quoted = 0;
    for (const char *p = t->at; p < t->end && depth >= 0; p++) {
        quoted ^= *p == '"';
        if (quoted)
            continue;
        count += *p == '{' && depth == 0;
        depth += (*p == '{' || *p == '[') - (*p == '}' || *p == ']');
    }
    return count;
}

static void read_creations(kith_i_text *t, uint32_t d, kith_i_place *place)
{
    kith_i_text_need(t, "[");
    uint64_t n = objects_ahead(t);
    if (n > CREATIONS_MAX)
        kith_i_text_flaw(t, "the lists of cells are too many");
    kith_i_creation *made = kith_i_text_take(t, n, sizeof *made);
    for (uint64_t i = 0; made && !t->flaw && i < n; i++) {
        if (i > 0)
            kith_i_text_need(t, ",");
        made[i] = (kith_i_creation){0};
        read_creation(t, d, &made[i]);
    }
    kith_i_text_need(t, "]");
    place->creations = made;
    place->creation_count = (uint32_t)n;
}

/* Which parts a place must have (1), and may have (2). */
enum { PARTS = 8 };
enum { CREATIONS, GRID, KEPT, KEYS, LENS, POINTS, REACH, TREE };
static const uint8_t PARTS_OF[][PARTS] = {
    [KITH_I_PLACE_ONE] = {0},
    [KITH_I_PLACE_TREE] = {[LENS] = 1, [TREE] = 1},
    [KITH_I_PLACE_NEAREST] = {[LENS] = 1, [POINTS] = 1},
    [KITH_I_PLACE_GRID] = {[GRID] = 1},
    [KITH_I_PLACE_LIST] = {[GRID] = 1, [KEYS] = 1, [REACH] = 1},
    [KITH_I_PLACE_PREFER] = {[CREATIONS] = 1, [KEPT] = 2, [POINTS] = 2}};

static void read_place(kith_i_text *t, uint32_t d, kith_i_place *place)
{
    int begun = 0;
    uint64_t keys = 0, kept = 0, points = 0;
    uint8_t has[PARTS] = {0};
    kith_i_text_need(t, "{");
    if ((has[CREATIONS] = (uint8_t)kith_i_text_key(t, &begun, "creations")))
        read_creations(t, d, place);
    if ((has[GRID] = (uint8_t)kith_i_text_key(t, &begun, "grid")))
        read_grid(t, d, &place->grid);
    if ((has[KEPT] = (uint8_t)kith_i_text_key(t, &begun, "kept")))
        place->kept = kith_i_text_u8(t, &kept);
    if ((has[KEYS] = (uint8_t)kith_i_text_key(t, &begun, "keys")))
        place->keys = kith_i_text_u64(t, &keys);
    kith_i_text_key_needed(t, &begun, "kind");
    place->kind = (kith_i_place_kind)kith_i_text_count(t, KITH_I_PLACE_PREFER);
    if ((has[LENS] = (uint8_t)kith_i_text_key(t, &begun, "lens")))
        read_lens(t, d, &place->lens);
    kith_i_text_key_needed(t, &begun, "places");
    place->places = kith_i_text_count(t, KITH_I_KEY_LIMIT);
    place->points = some_f32(t, &begun, "points", &points);
    has[POINTS] = place->points != NULL;
    if ((has[REACH] = (uint8_t)kith_i_text_key(t, &begun, "reach")))
        place->reach = kith_i_text_real(t);
    if ((has[TREE] = (uint8_t)kith_i_text_key(t, &begun, "tree")))
        read_tree(t, place);
    kith_i_text_need(t, "}");
    for (int i = 0; !t->flaw && i < PARTS; i++) {
        uint8_t want = PARTS_OF[place->kind][i];
        if (has[i] ? want == 0 : want == 1)
            kith_i_text_flaw(t, "a place has parts of another kind");
    }
    if (!t->flaw && (keys > UINT32_MAX || (has[KEYS] && keys != place->places)))
        kith_i_text_flaw(t, WRONG_SIZE);
    uint32_t each = place->kind == KITH_I_PLACE_NEAREST ? place->lens.q : d;
    if (place->places > KITH_I_PLACES_MAX && (has[POINTS] || has[KEPT]))
        kith_i_text_flaw(t, WRONG_SIZE);
    fits(t, place->points, points, place->places * each);
    fits(t, place->kept, kept, place->places);
}

static uint64_t read_number(kith_i_text *t, int *begun, const char *key,
                            uint64_t most)
{
    kith_i_text_key_needed(t, begun, key);
    return kith_i_text_count(t, most);
}

static void read_mechanism(kith_i_text *t, kith_i_mechanism *m)
{
    int begun = 0;
    kith_i_text_need(t, "{");
    kith_i_text_key_needed(t, &begun, "alpha");
    m->alpha = kith_i_text_real(t);
    m->buckets = (uint32_t)read_number(t, &begun, "buckets", UINT32_MAX);
    m->odds.den = read_number(t, &begun, "den", UINT64_C(1) << 32);
    m->kept = (uint32_t)read_number(t, &begun, "kept", UINT32_MAX);
    m->kind = (kith_i_randomizer)read_number(t, &begun, "kind",
                                             KITH_I_RANDOMIZER_GAUSSIAN);
    m->loss = read_number(t, &begun, "loss", KITH_I_REPORT_LOSS_MAX);
    m->odds.num = read_number(t, &begun, "num", UINT64_C(1) << 48);
    m->outputs = read_number(t, &begun, "outputs", KITH_I_KEY_LIMIT);
    m->rank = (uint32_t)read_number(t, &begun, "rank", UINT32_MAX);
    m->rows = read_number(t, &begun, "rows", KITH_I_KEY_LIMIT);
    m->sigma.shift = (uint32_t)read_number(t, &begun, "shift", 1 << 10);
    m->sigma.num = read_number(t, &begun, "sigma", INT64_MAX);
    m->symbols = read_number(t, &begun, "symbols", KITH_I_KEY_LIMIT);
    m->top = (uint32_t)read_number(t, &begun, "top", UINT32_MAX);
    m->width = (uint32_t)read_number(t, &begun, "width", UINT32_MAX);
    kith_i_text_need(t, "}");
}

/* ---- groups ---- */

/* Sizes that need the place; what is optional must have a use. */
static void check_question(kith_i_text *t, uint32_t d, const kith_i_question *q,
                           uint64_t centers, uint64_t radii)
{
    int vectors =
        q->report == KITH_I_REPORT_VECTOR || q->report == KITH_I_REPORT_MOMENT;
    int distance = q->report == KITH_I_REPORT_DISTANCE;
    if (q->place.places > KITH_I_PLACES_MAX && (q->centers || q->radii))
        kith_i_text_flaw(t, WRONG_SIZE);
    fits(t, q->centers, centers, q->place.places * d);
    fits(t, q->radii, radii, q->place.places);
    if ((q->radii && !vectors) || (q->bands && !distance) ||
        (q->top != 0 && !distance) ||
        (q->delta > 0) != (q->randomizer == KITH_I_RANDOMIZER_GAUSSIAN))
        kith_i_text_flaw(t, "a question has parts of another kind");
}

static void read_question(kith_i_text *t, uint32_t d, kith_i_question *q,
                          kith_i_mechanism *m)
{
    int begun = 0;
    uint64_t centers, radii;
    kith_i_text_need(t, "{");
    if (kith_i_text_key(t, &begun, "bands"))
        q->bands = (uint32_t)kith_i_text_count(t, UINT32_MAX);
    q->centers = some_f32(t, &begun, "centers", &centers);
    if (kith_i_text_key(t, &begun, "delta"))
        q->delta = kith_i_text_real(t);
    uint64_t length = read_number(t, &begun, "length", KITH_I_CIRCLE);
    kith_i_text_key_needed(t, &begun, "mechanism");
    read_mechanism(t, m);
    q->partition = (uint32_t)read_number(t, &begun, "partition", UINT32_MAX);
    kith_i_text_key_needed(t, &begun, "place");
    read_place(t, d, &q->place);
    q->radii = some_f32(t, &begun, "radii", &radii);
    q->report = (kith_i_report_kind)read_number(t, &begun, "report",
                                                KITH_I_REPORT_MOMENT);
    uint64_t start = read_number(t, &begun, "start", KITH_I_CIRCLE);
    if (kith_i_text_key(t, &begun, "top"))
        q->top = kith_i_text_real(t);
    kith_i_text_key_needed(t, &begun, "what");
    q->what = kith_i_text_words(t, WHAT_MAX);
    kith_i_text_need(t, "}");
    q->share = (double)length * 0x1p-53;
    q->offset = (double)start * 0x1p-53;
    q->epsilon = (double)m->loss * 0x1p-50;
    q->randomizer = m->kind;
    check_question(t, d, q, centers, radii);
    if (start + length > KITH_I_CIRCLE)
        kith_i_text_flaw(t, "a group reaches beyond the last user");
    /* Odds must be worth what is declared. */
    if (!t->flaw && m->kind == KITH_I_RANDOMIZER_GAUSSIAN)
        t->flaw = kith_i_mechanism_shape(m, q, d);
    else if (!t->flaw)
        t->flaw = kith_i_mechanism_flaw(m, q, d, kith_i_odds_floor(m->loss));
}

static void read_groups(kith_i_text *t, kith_i_round *round)
{
    kith_i_text_need(t, "[");
    uint64_t n = objects_ahead(t), end = 0;
    if (n > KITH_I_GROUPS_MAX)
        kith_i_text_flaw(t, "the round has too many groups");
    round->questions = kith_i_text_take(t, n, sizeof *round->questions);
    round->mechanisms = kith_i_text_take(t, n, sizeof *round->mechanisms);
    for (uint64_t i = 0; !t->flaw && i < n; i++) {
        kith_i_question *q = &round->questions[i];
        if (i > 0)
            kith_i_text_need(t, ",");
        *q = (kith_i_question){0};
        round->mechanisms[i] = (kith_i_mechanism){0};
        read_question(t, round->d, q, &round->mechanisms[i]);
        /* Nobody is in two groups of a round, unless epsilon is split. */
        kith_i_range range = kith_i_circle_range(q);
        if (q->partition == 0 && range.start < end)
            kith_i_text_flaw(t, "two groups of the round overlap");
        end = q->partition == 0 ? range.start + range.length : end;
    }
    kith_i_text_need(t, "]");
    round->count = (uint32_t)n;
}

size_t kith_i_round_room(size_t bytes)
{
    /* A question's structures are smaller than three times its shortest
     * spelling, an array's numbers than twice. */
    return 3 * bytes + 4096;
}

const char *kith_i_round_open(const char *json, size_t bytes, void *arena,
                              size_t room, kith_i_round **out)
{
    kith_i_text t = {
        .at = json, .end = json + bytes, .arena = arena, .room = room};
    int begun = 0;
    kith_i_round *round = kith_i_text_take(&t, 1, sizeof *round);
    *out = NULL;
    if (!round)
        return t.flaw;
    *round = (kith_i_round){0};
    kith_i_text_need(&t, "{");
    round->d = (uint32_t)read_number(&t, &begun, "d", KITH_I_WIDTH_MAX);
    kith_i_text_key_needed(&t, &begun, "groups");
    read_groups(&t, round);
    round->invited = read_number(&t, &begun, "invited", INT64_MAX);
    round->minimum = read_number(&t, &begun, "minimum", INT64_MAX);
    kith_i_text_key_needed(&t, &begun, "previous");
    kith_i_text_bytes(&t, round->previous, sizeof round->previous);
    round->number = (uint16_t)read_number(&t, &begun, "round", UINT16_MAX);
    kith_i_text_key_needed(&t, &begun, "task");
    kith_i_text_bytes(&t, round->task, sizeof round->task);
    if (read_number(&t, &begun, "version", INT64_MAX) != KITH_I_ROUND_VERSION)
        kith_i_text_flaw(&t, "it is of another version of the protocol");
    kith_i_text_need(&t, "}");
    if (!t.flaw && t.at != t.end)
        kith_i_text_flaw(&t, "there is something after its end");
    if (t.flaw)
        return t.flaw;
    kith_i_sha256(json, bytes, round->digest);
    *out = round;
    return NULL;
}

/* What a device checks before it uses a question: that every number is finite,
 * every size within limits and every index inside its array. Client code.
 *
 * A server that lies inside these limits can only hurt what it learns: the
 * promise of the randomisers holds for every question. The checks keep the
 * arithmetic, the memory and the time of the device in order. */
#include "question.h"

#include "odds.h"

#include "base/wide.h"

enum { LENS_ROWS_MAX = 1 << 12, BANDS_MAX = 1 << 12, CREATIONS_MAX = 1 << 12 };

static const char NOT_FINITE[] = "a number in the question is not finite";

/* How often `count` points, nodes or cells of `each` numbers are too many. */
static int too_long(uint64_t count, uint64_t each)
{
    return (kith_i_u128)count * each > KITH_I_WORK_MAX;
}

static const char TOO_LONG[] = "the question would take too long to answer";

static int all_finite(const double *v, uint64_t count)
{
    for (uint64_t i = 0; v && i < count; i++)
        if (!__builtin_isfinite(v[i]))
            return 0;
    return 1;
}

static int all_positive(const double *v, uint64_t count)
{
    for (uint64_t i = 0; v && i < count; i++)
        if (!(v[i] > 0))
            return 0;
    return all_finite(v, count);
}

static int increasing(const uint64_t *keys, uint64_t count)
{
    for (uint64_t i = 1; i < count; i++)
        if (keys[i - 1] >= keys[i])
            return 0;
    return 1;
}

static const char *lens_flaw(const kith_i_lens *lens, uint32_t d)
{
    if (lens->d != d || lens->q == 0)
        return "the lens does not fit the records";
    if (lens->rows ? lens->q > LENS_ROWS_MAX : lens->q != d)
        return "the lens has the wrong number of coordinates";
    if (!all_finite(lens->rows, (uint64_t)lens->q * d) ||
        !all_finite(lens->offset, d))
        return NOT_FINITE;
    if (!all_finite(lens->half, lens->q))
        return NOT_FINITE;
    for (uint32_t i = 0; lens->half && i < lens->q; i++)
        if (lens->half[i] < 0)
            return "the lens is clipped to a range that is empty";
    return NULL;
}

static const char *grid_flaw(const kith_i_grid *grid, uint32_t d)
{
    const char *flaw = lens_flaw(&grid->lens, d);
    if (flaw)
        return flaw;
    if (!grid->lens.half)
        return "the lens of a grid must be clipped";
    if (!all_positive(&grid->side, 1) ||
        !all_finite(grid->shift, grid->lens.q) || grid->cells == 0)
        return "the grid has no cells, or cells without a size";
    uint64_t keys = 1;
    for (uint32_t i = 0; i < grid->lens.q; i++) {
        if (keys > KITH_I_KEY_LIMIT / grid->cells)
            return "the grid has too many cells";
        keys *= grid->cells;
    }
    return NULL;
}

uint64_t kith_i_grid_places(const kith_i_grid *grid)
{
    uint64_t keys = 1;
    for (uint32_t i = 0; i < grid->lens.q; i++)
        keys *= grid->cells;
    return keys;
}

/* Children have higher numbers than their parent, so a walk ends. */
static const char *tree_flaw(const kith_i_place *place)
{
    if (!place->tree || place->tree_nodes == 0)
        return "the tree is missing";
    if (too_long(place->tree_nodes, place->lens.rows ? place->lens.d : 1))
        return TOO_LONG;
    for (uint32_t i = 0; i < place->tree_nodes; i++) {
        const kith_i_tree_node *node = &place->tree[i];
        if (node->axis < 0) {
            if (node->left >= place->places)
                return "a leaf of the tree has no place";
            continue;
        }
        if ((uint32_t)node->axis >= place->lens.q ||
            !__builtin_isfinite(node->threshold))
            return "a node of the tree looks at nothing";
        if (node->left <= i || node->right <= i ||
            node->left >= place->tree_nodes || node->right >= place->tree_nodes)
            return "a node of the tree points outside of it, or upward";
    }
    return NULL;
}

static const char *prefer_flaw(const kith_i_place *place, uint32_t d)
{
    if (place->creation_count > CREATIONS_MAX ||
        (place->creation_count && !place->creations))
        return "the lists of cells are missing, or too many";
    uint64_t looked_at = place->places;
    for (uint32_t i = 0; i < place->creation_count; i++)
        looked_at += place->creations[i].count;
    if (too_long(looked_at, d))
        return TOO_LONG;
    if ((place->places && !place->points) ||
        !all_finite(place->points, place->places * d))
        return "the centres are missing, or not finite";
    for (uint32_t i = 0; i < place->creation_count; i++) {
        const kith_i_creation *made = &place->creations[i];
        const char *flaw = grid_flaw(&made->grid, d);
        if (flaw)
            return flaw;
        if (made->count > KITH_I_PLACES_MAX ||
            (made->count && (!made->keys || !made->center)) ||
            !increasing(made->keys, made->count) ||
            !all_finite(&made->reach, 1))
            return "a list of cells is missing, or not in order";
    }
    return NULL;
}

static const char *list_flaw(const kith_i_question *q, uint32_t d)
{
    const kith_i_place *place = &q->place;
    if (place->places && !place->keys)
        return "the list of cells is missing";
    if (!increasing(place->keys, place->places))
        return "the list of cells is not in order";
    if (!(place->reach >= 0) || !all_finite(&place->reach, 1))
        return NOT_FINITE;
    return grid_flaw(&place->grid, d);
}

static const char *place_flaw(const kith_i_question *q, uint32_t d)
{
    const kith_i_place *place = &q->place;
    const char *flaw = NULL;
    int many =
        place->kind == KITH_I_PLACE_GRID && q->report == KITH_I_REPORT_SYMBOL;
    if (place->places > (many ? KITH_I_KEY_LIMIT : KITH_I_PLACES_MAX))
        return "the question has too many places";
    switch (place->kind) {
    case KITH_I_PLACE_ONE:
        return place->places == 1 ? NULL : "one place is one place";
    case KITH_I_PLACE_TREE:
        flaw = lens_flaw(&place->lens, d);
        return flaw ? flaw : tree_flaw(place);
    case KITH_I_PLACE_NEAREST:
        flaw = lens_flaw(&place->lens, d);
        if (flaw)
            return flaw;
        if (too_long(place->places * place->lens.q,
                     place->lens.rows && place->lens.q > KITH_I_LENS_KEEP ? d
                                                                          : 1))
            return TOO_LONG;
        return place->places && place->points &&
                       all_finite(place->points, place->places * place->lens.q)
                   ? NULL
                   : "the points are missing, or not finite";
    case KITH_I_PLACE_GRID:
        flaw = grid_flaw(&place->grid, d);
        if (flaw)
            return flaw;
        return place->places == kith_i_grid_places(&place->grid)
                   ? NULL
                   : "the places are not the cells of the grid";
    case KITH_I_PLACE_LIST:
        return list_flaw(q, d);
    case KITH_I_PLACE_PREFER:
        return prefer_flaw(place, d);
    }
    return "the question asks for a place of an unknown kind";
}

static const char *report_flaw(const kith_i_question *q, uint32_t d)
{
    uint64_t numbers;
    switch (q->report) {
    case KITH_I_REPORT_SYMBOL:
        return NULL;
    case KITH_I_REPORT_DISTANCE:
        return q->bands > 0 && q->bands <= BANDS_MAX && all_positive(&q->top, 1)
                   ? NULL
                   : "the distances have no bands";
    case KITH_I_REPORT_VECTOR:
    case KITH_I_REPORT_MOMENT:
        numbers = q->report == KITH_I_REPORT_VECTOR
                      ? (uint64_t)d + 1
                      : ((uint64_t)d + 1) * (d + 2) / 2;
        if (numbers > KITH_I_WIDTH_MAX)
            return "the vector has too many coordinates";
        return (q->place.places == 0 || q->radii) &&
                       all_positive(q->radii, q->place.places)
                   ? NULL
                   : "a radius is missing, or not positive";
    }
    return "the question asks for a report of an unknown kind";
}

static const char *randomizer_flaw(const kith_i_question *q)
{
    int vector = q->report == KITH_I_REPORT_VECTOR;
    int moment = q->report == KITH_I_REPORT_MOMENT;
    switch (q->randomizer) {
    case KITH_I_RANDOMIZER_AUTO:
        return NULL;
    case KITH_I_RANDOMIZER_KRR:
    case KITH_I_RANDOMIZER_OLH:
    case KITH_I_RANDOMIZER_HADAMARD:
        return vector || moment ? "this randomiser is for symbols" : NULL;
    case KITH_I_RANDOMIZER_CODEBOOK:
        return vector || moment ? NULL : "this randomiser is for vectors";
    case KITH_I_RANDOMIZER_GAUSSIAN:
        return vector ? NULL : "this randomiser is for plain vectors";
    }
    return "the question names an unknown randomiser";
}

const char *kith_i_question_flaw(const kith_i_question *q, uint32_t d)
{
    if (d == 0 || d >= KITH_I_WIDTH_MAX)
        return "the records have no coordinates, or too many";
    if (!(q->share >= 0 && q->share <= 1))
        return "the share of the users is not between 0 and 1";
    if (!(q->offset >= 0 && q->offset <= 1))
        return "the place of the group is not between 0 and 1";
    if (!(q->offset + q->share <= 1))
        return "the group reaches beyond the last user";
    if (!(q->epsilon > 0 && q->epsilon <= KITH_I_LOCAL_EPSILON_MAX))
        return "epsilon is not positive, or too large";
    if (!(q->delta >= 0 && q->delta < 1))
        return "delta is not between 0 and 1";
    const char *flaw = randomizer_flaw(q);
    flaw = flaw ? flaw : place_flaw(q, d);
    flaw = flaw ? flaw : report_flaw(q, d);
    if (flaw)
        return flaw;
    return all_finite(q->centers, q->centers ? q->place.places * d : 0)
               ? NULL
               : NOT_FINITE;
}

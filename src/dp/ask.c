/* The interpreter of what is asked of a row (ask.h).
 *
 * Claim: cell[r] and value[r] are a function of row r and of the description,
 *   bit for bit, whatever rows stand around it (R2, I34).
 * Because: every kernel here is record-local: exact integers, BLAS on doubles
 *   that cannot round or floats whose rounding cannot decide (assign.c), or one
 *   row's doubles in a fixed order (tests/property/test_ask_local.c). */
#include "ask_private.h"

#include <string.h>

#include "kernel/description.h"

/* What the place looks at. */
static kith_i_block rows_of_place(const kith_i_place *place,
                                  const kith_i_block *block)
{
    if (!place->by)
        return *block;
    return (kith_i_block){.rows = block->rows,
                          .dimension = block->beside_dimension,
                          .dense = block->beside};
}

const kith_i_domain *kith_i_ask_domain(const kith_session *s,
                                       const kith_i_ask *ask)
{
    return ask->view ? ask->view->domain : s->domain;
}

/* ---- is it whole? ---- */

/* How many cells the place itself has. */
static uint32_t place_count(const kith_i_place *place)
{
    switch (place->kind) {
    case KITH_I_PLACE_NEAREST:
        return place->centers ? place->centers->k : 0;
    case KITH_I_PLACE_PLANE:
        return place->planes ? place->planes->k : 0;
    case KITH_I_PLACE_ONE:
        return 1;
    default:
        return place->places;
    }
}

static int place_is_valid(const kith_i_domain *at, const kith_i_place *place)
{
    if (place_count(place) == 0)
        return 0;
    switch (place->kind) {
    case KITH_I_PLACE_ONE:
        return 1;
    case KITH_I_PLACE_NEAREST:
        return place->centers->d == at->dimension &&
               place->centers->sparse == at->sparse &&
               kith_i_centers_are_exact(place->centers);
    case KITH_I_PLACE_PLANE:
        return place->planes->d == at->dimension && !at->sparse &&
               kith_i_axes_are_exact(place->planes,
                                     (double)kith_i_domain_l2(at));
    case KITH_I_PLACE_TREE:
        return place->forest && place->forest->q == at->dimension &&
               !at->sparse && kith_i_forest_is_whole(place->forest);
    case KITH_I_PLACE_LABEL:
        return place->by && at->dimension == 1;
    }
    return 0;
}

static int bins_are_valid(const kith_i_domain *at, const kith_i_domain *domain,
                          const kith_i_place *place, uint32_t cells)
{
    const kith_i_distance_bins *b = place->bins;
    if (!b)
        return place_count(place) <= cells;
    int whole = b->bins > 0 && (b->limits || b->bins == 1) && b->bins <= cells;
    if (b->origins)
        return whole && !domain->sparse &&
               kith_i_origins_are_near(b->origins, (size_t)place_count(place) *
                                                       domain->dimension);
    return whole && place->kind == KITH_I_PLACE_NEAREST && !b->taxicab &&
           at == domain;
}

static int value_is_valid(const kith_i_domain *domain, const kith_i_ask *ask,
                          uint32_t width)
{
    const kith_i_value *v = &ask->value;
    if (width == 0)
        return 1;
    switch (v->kind) {
    case KITH_I_VALUE_RECORD:
        return width == domain->dimension && !ask->place.bins;
    case KITH_I_VALUE_RESIDUAL:
        return v->origins && width == domain->dimension && !domain->sparse &&
               v->halvings >= 0 && v->halvings <= 30 && !ask->place.bins &&
               kith_i_origins_are_near(
                   v->origins,
                   (size_t)(v->by_cell ? place_count(&ask->place) : 1) * width);
    case KITH_I_VALUE_ENTRIES:
        return v->features && !ask->place.bins;
    case KITH_I_VALUE_PULL:
        return v->pull && v->pull->centers == ask->place.centers &&
               ask->place.kind == KITH_I_PLACE_NEAREST && !ask->place.by &&
               !ask->place.bins &&
               kith_i_pull_is_whole(v->pull, domain->sparse) &&
               width ==
                   (domain->sparse ? v->pull->width : domain->dimension) + 1;
    case KITH_I_VALUE_LENGTHS:
        return width == 2 && v->one > 0 && v->one <= 1u << 30 &&
               !domain->sparse;
    }
    return 0;
}

int kith_i_ask_is_valid(const kith_session *s, const kith_i_ask *ask,
                        uint32_t cells, uint32_t width)
{
    const kith_i_domain *domain = kith_i_ask_domain(s, ask);
    const kith_i_domain *at = ask->place.by ? ask->place.by->domain : domain;
    return place_is_valid(at, &ask->place) &&
           bins_are_valid(at, domain, &ask->place, cells) &&
           value_is_valid(domain, ask, width);
}

/* ---- places ---- */

size_t kith_i_ask_scratch(const kith_i_ask *ask)
{
    const kith_i_place *place = &ask->place;
    const kith_i_centers *c = place->centers;
    if (place->kind == KITH_I_PLACE_NEAREST)
        return KITH_I_BLOCK_ROWS +
               kith_i_assign_scratch(KITH_I_BLOCK_ROWS, c->k, c->d, c->sparse);
    if (place->kind == KITH_I_PLACE_PLANE)
        return kith_i_axes_scratch(place->planes, KITH_I_BLOCK_ROWS);
    return 0;
}

static void find_cells(const kith_i_place *place, const kith_i_block *block,
                       double *scratch, uint32_t *cell)
{
    kith_i_block at = rows_of_place(place, block);
    double *score = scratch, *rest = scratch + KITH_I_BLOCK_ROWS;
    int scored = place->bins && !place->bins->origins;
    switch (place->kind) {
    case KITH_I_PLACE_ONE:
        memset(cell, 0, at.rows * sizeof *cell);
        break;
    case KITH_I_PLACE_NEAREST:
        kith_i_assign_block(place->centers, &at, rest, cell,
                            scored ? score : NULL);
        break;
    case KITH_I_PLACE_PLANE:
        kith_i_axes_cells(place->planes, &at, scratch, cell);
        break;
    case KITH_I_PLACE_TREE:
        kith_i_forest_cells(place->forest, at.dense, at.rows, cell);
        break;
    case KITH_I_PLACE_LABEL:
        for (uint32_t r = 0; r < at.rows; r++)
            cell[r] = (uint32_t)at.dense[r];
        break;
    }
    uint32_t places = place_count(place);
    for (uint32_t r = 0; r < at.rows; r++)
        cell[r] = cell[r] < places ? cell[r] : KITH_I_NO_CELL;
    if (place->bins)
        kith_i_distance_bin_rows(place->bins, block, score, cell);
}

/* ---- values ---- */

static void set_residual(const kith_i_value *v, const int16_t *x, uint32_t cell,
                         size_t w, int32_t *out)
{
    const int32_t *origin = v->origins + (v->by_cell ? cell * w : 0);
    if (v->halvings)
        kith_i_residual_coarse(x, origin, w, v->halvings, out);
    else
        kith_i_residual(x, origin, w, out);
}

void kith_i_ask_rows(const kith_i_ask *ask, const kith_i_domain *domain,
                     const kith_i_block *block, uint32_t width, double *scratch,
                     uint32_t *cell, int32_t *value)
{
    const kith_i_value *v = &ask->value;
    if (value && v->kind == KITH_I_VALUE_PULL) { /* finds the cell as well */
        kith_i_pull_block(v->pull, block, scratch, cell, value);
        return;
    }
    find_cells(&ask->place, block, scratch, cell);
    for (uint32_t r = 0; value && r < block->rows; r++) {
        int32_t *out = value + (size_t)r * width;
        if (cell[r] == KITH_I_NO_CELL)
            continue;
        if (v->kind == KITH_I_VALUE_RESIDUAL)
            set_residual(v, block->dense + (size_t)r * width, cell[r], width,
                         out);
        else if (v->kind == KITH_I_VALUE_LENGTHS)
            kith_i_row_lengths(block, r, v->one, domain->l2_squared, out);
        else if (v->kind == KITH_I_VALUE_ENTRIES)
            kith_i_row_entries(block, r, v->features + (size_t)cell[r] * width,
                               width, out);
    }
}

kith_i_ask_room kith_i_ask_room_add(const kith_session *s,
                                    const kith_i_ask *ask, size_t width,
                                    size_t *bytes)
{
    size_t rows = s->data ? kith_i_dataset_block_rows(s->data) : 0;
    kith_i_ask_room room;
    room.scratch =
        kith_i_room_add(bytes, kith_i_ask_scratch(ask), sizeof(double));
    room.cell = kith_i_room_add(bytes, rows, sizeof(uint32_t));
    room.value = kith_i_room_add(bytes, rows * width, sizeof(int32_t));
    return room;
}

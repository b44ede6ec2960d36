/* From a record to what a question asks about it: a symbol, or a bucket and a
 * unit vector. Client code: exact about nothing but its range. Whatever comes
 * out is inside the randomiser's domain, for any record and any question that
 * question_check.c lets through. */
#include <math.h>

#include "places.h"
#include "question.h"

static int has_none(const kith_i_question *q)
{
    return q->place.kind == KITH_I_PLACE_LIST ||
           q->place.kind == KITH_I_PLACE_PREFER;
}

static int is_vector(const kith_i_question *q)
{
    return q->report == KITH_I_REPORT_VECTOR ||
           q->report == KITH_I_REPORT_MOMENT;
}

uint64_t kith_i_question_symbols(const kith_i_question *q)
{
    if (is_vector(q))
        return 0;
    uint64_t bands = q->report == KITH_I_REPORT_DISTANCE ? q->bands : 1;
    return q->place.places * bands + (uint64_t)has_none(q);
}

uint32_t kith_i_question_width(const kith_i_question *q, uint32_t d)
{
    return is_vector(q) ? d + 1 : 0;
}

uint32_t kith_i_question_kept(const kith_i_question *q, uint32_t d)
{
    if (q->report == KITH_I_REPORT_VECTOR)
        return d;
    return q->report == KITH_I_REPORT_MOMENT ? d * (d + 1) / 2 : 0;
}

/* ---- places ---- */

static uint64_t place_in_tree(const kith_i_place *place, const double *x)
{
    const kith_i_tree_node *node = place->tree;
    while (node->axis >= 0) {
        double y = kith_i_lens_at(&place->lens, x, (uint32_t)node->axis);
        node = place->tree + (y >= node->threshold ? node->right : node->left);
    }
    return node->left;
}

/* Points and record are compared in the lens. The first coordinates are seen
 * once and kept; with more of them (the lens is then hardly ever more than a
 * shift) the rest is seen again for each point, because a device's code has no
 * memory of its own. */
static uint64_t place_nearest(const kith_i_place *place, const double *x)
{
    double y[KITH_I_LENS_KEEP], best = 0;
    uint64_t nearest = 0;
    uint32_t q = place->lens.q;
    for (uint32_t i = 0; i < q && i < KITH_I_LENS_KEEP; i++)
        y[i] = kith_i_lens_at(&place->lens, x, i);
    for (uint64_t j = 0; j < place->places; j++) {
        const double *point = place->points + j * q;
        double sum = 0;
        for (uint32_t i = 0; i < q; i++) {
            double at = i < KITH_I_LENS_KEEP
                            ? y[i]
                            : kith_i_lens_at(&place->lens, x, i);
            sum += (at - point[i]) * (at - point[i]);
        }
        if (j == 0 || sum < best) {
            best = sum;
            nearest = j;
        }
    }
    return nearest;
}

static double distance_to(const kith_i_question *q, uint32_t d, const double *x,
                          uint64_t place)
{
    const double *c = q->centers ? q->centers + place * d : NULL;
    double sum = 0;
    for (uint32_t i = 0; i < d; i++) {
        double t = c ? x[i] - c[i] : x[i];
        sum += t * t;
    }
    return sqrt(sum);
}

static uint64_t place_in_list(const kith_i_question *q, uint32_t d,
                              const double *x)
{
    const kith_i_place *place = &q->place;
    uint64_t key = kith_i_grid_key(&place->grid, x);
    uint64_t at = kith_i_key_find(place->keys, (uint32_t)place->places, key);
    if (at < place->places && place->reach > 0 &&
        !(distance_to(q, d, x, at) <= place->reach))
        return place->places;
    return at;
}

static uint64_t place_of(const kith_i_question *q, uint32_t d, const double *x,
                         uint64_t coin)
{
    switch (q->place.kind) {
    case KITH_I_PLACE_TREE:
        return place_in_tree(&q->place, x);
    case KITH_I_PLACE_NEAREST:
        return place_nearest(&q->place, x);
    case KITH_I_PLACE_GRID:
        return kith_i_grid_key(&q->place.grid, x);
    case KITH_I_PLACE_LIST:
        return place_in_list(q, d, x);
    case KITH_I_PLACE_PREFER:
        return kith_i_prefer(&q->place, d, x, coin);
    case KITH_I_PLACE_ONE:
        break;
    }
    return 0;
}

/* ---- reports ---- */

static uint64_t band_of(const kith_i_question *q, double distance)
{
    uint64_t band = 0;
    double edge = q->top;
    while (band + 1 < q->bands && distance <= edge * M_SQRT1_2) {
        band++;
        /* Every second edge is exact: no drift. */
        edge = band % 2 ? ldexp(q->top, -(int)(band / 2)) * M_SQRT1_2
                        : ldexp(q->top, -(int)(band / 2));
    }
    return band;
}

/* z = (v, sqrt(1 - |v|^2)) for v = clip((x - center) / radius); v = 0 when
 * the place is none or the numbers make no sense. */
static void lift(const kith_i_question *q, uint32_t d, const double *x,
                 uint64_t place, float *z)
{
    double sum = 0, by = 0;
    const double *c = NULL;
    if (place < q->place.places) {
        c = q->centers ? q->centers + place * d : NULL;
        by = 1 / q->radii[place];
    }
    for (uint32_t i = 0; i < d; i++) {
        double v = by > 0 ? (c ? x[i] - c[i] : x[i]) * by : 0;
        sum += v * v;
    }
    if (!(sum <= 1e300)) /* NaN too */
        by = 0;
    if (sum > 1)
        by /= sqrt(sum);
    double rest = 1;
    for (uint32_t i = 0; i < d; i++) {
        double v = by > 0 ? (c ? x[i] - c[i] : x[i]) * by : 0;
        z[i] = (float)v;
        rest -= v * v;
    }
    z[d] = rest > 0 ? (float)sqrt(rest) : 0;
}

uint64_t kith_i_encode(const kith_i_question *q, uint32_t d, const double *x,
                       uint64_t coin, float *vector)
{
    uint64_t place = place_of(q, d, x, coin);
    if (is_vector(q)) {
        lift(q, d, x, place, vector);
        return place;
    }
    if (q->report == KITH_I_REPORT_SYMBOL)
        return place;
    if (place >= q->place.places)
        return q->place.places * q->bands;
    return place * q->bands + band_of(q, distance_to(q, d, x, place));
}

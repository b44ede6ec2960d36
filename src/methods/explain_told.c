/* What round clusters would answer: made-up users of theirs are asked the same
 * questions. The same users each time, moved and
 * scaled with their cluster, so that the answers change little by little. */
#include "explain_answers.h"

#include <math.h>
#include <string.h>

enum { USERS = KITH_I_EXPLAIN_USERS, AXES = KITH_I_EXPLAIN_AXES };

double kith_i_explain_dot(const double *a, const double *b, size_t d)
{
    double sum = 0;
    for (size_t i = 0; i < d; i++)
        sum += a[i] * b[i];
    return sum;
}

void kith_i_explain_off(const kith_i_explain_fit *f, uint32_t j, double *out)
{
    size_t d = f->d;
    for (size_t c = 0; c < d; c++)
        out[c] = f->center[j * d + c] - f->lens->offset[c];
    for (size_t a = 0; a < f->axes; a++) {
        double in = 0;
        for (size_t c = 0; c < d; c++)
            in += f->lens->rows[a * d + c] * out[c];
        for (size_t c = 0; c < d; c++)
            out[c] -= in * f->lens->rows[a * d + c];
    }
}

/* A made-up user: x = center + width z. Products of z with whatever a question
 * is about are made once for a fit, those of the centre once for a cluster. */
typedef struct {
    size_t number;
    double width, square; /* |x|^2 */
    const double *flat;   /* z on the plane */
} user;

/* Squared distance of the user from place p; below 0 by rounding only. */
static double far_from(const kith_i_explain_item *i, const user *u, size_t p)
{
    double dot = i->at[p] + u->width * i->dot[p * USERS + u->number];
    return u->square - 2 * dot + i->length[p];
}

/* Where the user is: as a device says it (device/encode_record.c). */
static size_t place_of(const kith_i_explain_fit *f,
                       const kith_i_explain_item *i, const user *u, double *far)
{
    const kith_i_place *place = &i->q->place;
    size_t at = 0;
    if (place->kind == KITH_I_PLACE_TREE) {
        const kith_i_tree_node *node = place->tree;
        while (node->axis >= 0) {
            double y = f->on_plane[node->axis] + u->width * u->flat[node->axis];
            double half = place->lens.half[node->axis];
            y = y < -half ? -half : y > half ? half : y;
            node =
                place->tree + (y >= node->threshold ? node->right : node->left);
        }
        *far = i->dot ? fmax(0, far_from(i, u, node->left)) : 0;
        return node->left;
    }
    double least = HUGE_VAL;
    for (size_t p = 0; p < place->places; p++) {
        double v = far_from(i, u, p);
        at = v < least ? p : at;
        least = v < least ? v : least;
    }
    *far = fmax(0, least);
    return at;
}

/* The offset of the user from a centre, clipped as a device does. */
static void add_vector(const kith_i_explain_fit *f, kith_i_explain_item *i,
                       uint32_t j, size_t bucket, double far, int wider)
{
    size_t d = f->d;
    const double *center = i->q->centers + bucket * d;
    double *told = (wider ? i->wider : i->told) + (size_t)j * i->cells;
    double radius = i->q->radii[bucket], each = 1 / fmax(far, radius) / USERS;
    for (size_t c = 0; c < d; c++)
        told[bucket * d + c] += each * (f->x[c] - center[c]);
    if (!wider) /* clipped: all but the direction of the offset itself */
        i->pull[(size_t)j * i->buckets + bucket] +=
            far > radius ? each * (1 - 1 / (double)d) : each;
}

static void ask_user(kith_i_explain_fit *f, uint32_t j, const user *u,
                     int wider)
{
    for (uint32_t t = 0; t < f->items; t++) {
        kith_i_explain_item *i = &f->item[t];
        double far;
        size_t symbol = place_of(f, i, u, &far);
        if (i->buckets) {
            add_vector(f, i, j, symbol, sqrt(far), wider);
            continue;
        }
        if (i->q->report == KITH_I_REPORT_DISTANCE) {
            double band = floor(log2(i->q->top * i->q->top / fmax(far, 1e-30)));
            band = fmin(i->q->bands - 1.0, fmax(0, band));
            symbol = symbol * i->q->bands + (size_t)band;
        }
        size_t at = (size_t)j * i->cells + symbol;
        (wider ? i->wider : i->told)[at] += 1.0 / USERS;
        for (uint32_t a = 0; !wider && i->slope && a < f->axes; a++)
            i->slope[at * AXES + a] += u->flat[a] / f->width[j] / USERS;
    }
}

/* Forget what cluster j told, and find what its centre adds to products. */
static void begin_cluster(kith_i_explain_fit *f, uint32_t j, int wider)
{
    size_t d = f->d;
    const double *center = f->center + j * d;
    for (uint32_t t = 0; t < f->items; t++) {
        kith_i_explain_item *i = &f->item[t];
        size_t at = (size_t)j * i->cells, numbers = i->cells;
        memset((wider ? i->wider : i->told) + at, 0, numbers * sizeof(double));
        if (!wider && i->slope)
            memset(i->slope + at * AXES, 0, numbers * AXES * sizeof(double));
        if (!wider && i->pull)
            memset(i->pull + (size_t)j * i->buckets, 0,
                   i->buckets * sizeof(double));
        for (size_t p = 0; i->dot && p < i->q->place.places; p++)
            i->at[p] = kith_i_explain_dot(i->q->centers + p * d, center, d);
    }
    for (size_t a = 0; a < f->axes; a++) {
        const double *row = f->lens->rows + a * d;
        f->on_plane[a] = kith_i_explain_dot(row, center, d) -
                         kith_i_explain_dot(row, f->lens->offset, d);
    }
}

void kith_i_explain_ask_one(kith_i_explain_fit *f, uint32_t j, int wider)
{
    size_t d = f->d;
    user u = {.width = f->width[j] * (wider ? KITH_I_EXPLAIN_WIDER : 1)};
    begin_cluster(f, j, wider);
    for (u.number = 0; u.number < USERS; u.number++) {
        u.flat = f->flat + u.number * AXES;
        for (size_t c = 0; c < d; c++)
            f->x[c] =
                f->center[j * d + c] + u.width * f->normal[u.number * d + c];
        u.square = kith_i_norm_squared(f->x, d);
        ask_user(f, j, &u, wider);
    }
}

void kith_i_explain_ask(kith_i_explain_fit *f, int wider)
{
    for (uint32_t j = 0; j < f->k; j++)
        kith_i_explain_ask_one(f, j, wider);
}

double kith_i_explain_misfit(kith_i_explain_fit *f)
{
    double chi = 0, prior = 0, mean = 0;
    for (uint32_t t = 0; t < f->items; t++) {
        kith_i_explain_item *i = &f->item[t];
        memcpy(i->left, i->seen, i->cells * sizeof *i->left);
        for (size_t j = 0; j < f->k; j++)
            for (size_t c = 0; c < i->cells; c++)
                i->left[c] -= f->share[j] * i->told[j * i->cells + c];
        for (size_t c = 0; c < i->cells; c++)
            chi += i->left[c] * i->left[c] * i->precision;
    }
    for (uint32_t j = 0; j < f->k; j++)
        mean += log(f->width[j]) / f->k;
    for (uint32_t j = 0; j < f->k; j++) {
        kith_i_explain_off(f, j, f->x);
        prior += pow((log(f->width[j]) - mean) / kith_i_recipe.alike, 2) +
                 kith_i_norm_squared(f->x, f->d) / f->off;
    }
    return chi + prior;
}

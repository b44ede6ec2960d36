/* The preference assignments a(i, x) and b(i, x) of WeightedCenters, steps 2
 * and 4 (Stemmer 2021), as a device computes them from what was published.
 * Client code.
 *
 * The rules that the paper leaves open (erratum E10): a user who created no
 * centre takes the nearest of all; one whose centre has the smallest radius
 * keeps it; without any centre the answer is "none", which is still reported.
 * I_m, the part of the users that repetition m belongs to, is replaced by the
 * device's own coin, drawn for each radius: nobody needs to know which part a
 * device is in. The coin does not depend on the record. */
#include "places.h"

/* A word from the coin for each radius (splitmix64). */
static uint64_t coin_of(uint64_t coin, uint32_t radius)
{
    uint64_t z = coin + (radius + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static double distance_to(const kith_i_place *place, uint32_t d,
                          const double *x, uint64_t center)
{
    const double *y = place->points + center * d;
    double sum = 0;
    for (uint32_t t = 0; t < d; t++)
        sum += (x[t] - y[t]) * (x[t] - y[t]);
    return sum;
}

/* The centre that x creates for this radius; places: none. */
static uint64_t created(const kith_i_place *place, uint32_t d, const double *x,
                        uint32_t radius, uint64_t coin)
{
    uint32_t repetitions = 0;
    for (uint32_t c = 0; c < place->creation_count; c++)
        repetitions += place->creations[c].radius_number == radius;
    if (repetitions == 0)
        return place->places;
    uint32_t mine = (uint32_t)(coin_of(coin, radius) % repetitions);
    for (uint32_t c = 0; c < place->creation_count; c++) {
        const kith_i_creation *made = &place->creations[c];
        if (made->radius_number != radius || mine-- > 0)
            continue;
        uint64_t key = kith_i_grid_key(&made->grid, x);
        uint32_t at = kith_i_key_find(made->keys, made->count, key);
        if (at == made->count || made->center[at] >= place->places)
            return place->places;
        uint64_t center = made->center[at];
        if (made->reach > 0 &&
            distance_to(place, d, x, center) > made->reach * made->reach)
            return place->places;
        return center;
    }
    return place->places;
}

/* The nearest centre of those made for a radius with a number above `above`
 * (a smaller radius); the lowest number on ties; places: there is none. */
static uint64_t nearest_smaller(const kith_i_place *place, uint32_t d,
                                const double *x, uint32_t above, double *best)
{
    uint64_t nearest = place->places;
    for (uint32_t c = 0; c < place->creation_count; c++) {
        const kith_i_creation *made = &place->creations[c];
        for (uint32_t t = 0; made->radius_number > above && t < made->count;
             t++) {
            uint64_t center = made->center[t];
            if (center >= place->places)
                continue;
            double distance = distance_to(place, d, x, center);
            if (nearest == place->places || distance < *best ||
                (distance <= *best && center < nearest)) {
                nearest = center;
                *best = distance;
            }
        }
    }
    return nearest;
}

/* The nearest of all centres, or of those in W. */
static uint64_t nearest_of(const kith_i_place *place, uint32_t d,
                           const double *x, const uint8_t *kept)
{
    uint64_t nearest = place->places;
    double best = 0;
    for (uint64_t j = 0; j < place->places; j++) {
        if (kept && !kept[j])
            continue;
        double distance = distance_to(place, d, x, j);
        if (nearest == place->places || distance < best) {
            nearest = j;
            best = distance;
        }
    }
    return nearest;
}

/* The next number of a radius below `limit`, from the smallest radius (the
 * highest number) to the largest; -1: no more. */
static int64_t smallest_below(const kith_i_place *place, int64_t limit)
{
    int64_t next = -1;
    for (uint32_t c = 0; c < place->creation_count; c++) {
        int64_t number = place->creations[c].radius_number;
        if (number < limit && number > next)
            next = number;
    }
    return next;
}

static uint64_t assign_a(const kith_i_place *place, uint32_t d, const double *x,
                         uint64_t coin)
{
    for (int64_t r = smallest_below(place, INT64_MAX); r >= 0;
         r = smallest_below(place, r)) {
        uint64_t own = created(place, d, x, (uint32_t)r, coin);
        if (own == place->places)
            continue;
        double best = 0;
        uint64_t other = nearest_smaller(place, d, x, (uint32_t)r, &best);
        return other < place->places && best < distance_to(place, d, x, own)
                   ? other
                   : own;
    }
    return nearest_of(place, d, x, NULL);
}

uint64_t kith_i_prefer(const kith_i_place *place, uint32_t d, const double *x,
                       uint64_t coin)
{
    uint64_t a = assign_a(place, d, x, coin);
    if (!place->kept || (a < place->places && place->kept[a]))
        return a;
    return nearest_of(place, d, x, place->kept);
}

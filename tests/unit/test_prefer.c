/* a(i, x) and b(i, x): against the paper's words, written down a second time,
 * on random grids and centres; the rules of E10; the coin of each radius. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base_i.h"
#include "device/places.h"
#include "support/cmocka_all.h"

enum { D = 2, RADII = 3, REPETITIONS = 2, CELLS = 6, MOST = 64 };

typedef struct {
    kith_i_place place;
    kith_i_creation creations[RADII * REPETITIONS];
    uint64_t keys[RADII * REPETITIONS][MOST];
    uint32_t center[RADII * REPETITIONS][MOST];
    double shift[RADII * REPETITIONS][D];
    double points[MOST * D];
    uint8_t kept[MOST];
} scene;

static const double half[D] = {1, 1};

static int by_key(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void make_scene(scene *s, kith_i_coins *coins, uint32_t repetitions,
                       double reach)
{
    memset(s, 0, sizeof *s);
    uint32_t centers = 0;
    s->place.kind = KITH_I_PLACE_PREFER;
    s->place.creation_count = RADII * repetitions;
    s->place.creations = s->creations;
    s->place.points = s->points;
    for (uint32_t c = 0; c < RADII * repetitions; c++) {
        kith_i_creation *made = &s->creations[c];
        made->radius_number = c % RADII;
        made->grid.side = 2.0 / (CELLS - 1);
        made->grid.cells = CELLS;
        made->grid.lens = (kith_i_lens){D, D, NULL, NULL, half};
        for (uint32_t i = 0; i < D; i++)
            s->shift[c][i] = kith_i_coins_unit(coins) * made->grid.side;
        made->grid.shift = s->shift[c];
        made->count = (uint32_t)kith_i_coins_below(coins, 8);
        for (uint32_t t = 0; t < made->count; t++)
            s->keys[c][t] = 4 * t + kith_i_coins_below(coins, 4);
        qsort(s->keys[c], made->count, sizeof s->keys[c][0], by_key);
        for (uint32_t t = 0; t < made->count; t++, centers++) {
            s->center[c][t] = centers;
            for (uint32_t i = 0; i < D; i++)
                s->points[centers * D + i] = 2 * kith_i_coins_unit(coins) - 1;
        }
        made->keys = s->keys[c];
        made->center = s->center[c];
        made->reach = reach;
    }
    s->place.places = centers;
    for (uint32_t j = 0; j < centers; j++)
        s->kept[j] = kith_i_coins_below(coins, 3) == 0;
}

/* ---- the reference ---- */

static double far(const scene *s, const double *x, uint64_t j)
{
    return hypot(x[0] - s->points[j * D], x[1] - s->points[j * D + 1]);
}

static uint64_t naive_key(const kith_i_creation *made, const double *x)
{
    uint64_t cell[D];
    for (int i = 0; i < D; i++) {
        double y = fmin(1, fmax(-1, x[i]));
        cell[i] = (uint64_t)((y + 1 + made->grid.shift[i]) / made->grid.side);
        if (cell[i] > CELLS - 1)
            cell[i] = CELLS - 1;
    }
    return cell[0] + CELLS * cell[1];
}

/* mine[r]: which repetition the user is in for radius r. */
static uint64_t naive(const scene *s, const double *x, const uint32_t *mine,
                      int b)
{
    uint64_t n = s->place.places, a = n, best = n;
    for (uint32_t r = RADII; r-- > 0 && a == n;) {
        const kith_i_creation *made = &s->creations[mine[r] * RADII + r];
        uint64_t key = naive_key(made, x);
        for (uint32_t t = 0; t < made->count; t++)
            if (made->keys[t] == key &&
                (made->reach <= 0 || far(s, x, made->center[t]) <= made->reach))
                a = made->center[t];
        if (a == n)
            continue;
        for (uint32_t c = 0; c < s->place.creation_count; c++)
            for (uint32_t t = 0; t < s->creations[c].count; t++)
                if (s->creations[c].radius_number > r &&
                    (best == n ||
                     far(s, x, s->creations[c].center[t]) < far(s, x, best)))
                    best = s->creations[c].center[t];
        if (best < n && far(s, x, best) < far(s, x, a))
            a = best;
    }
    for (uint64_t j = 0, none = a == n; none && j < n; j++)
        if (a == n || far(s, x, j) < far(s, x, a))
            a = j;
    if (!b || (a < n && s->kept[a]))
        return a;
    a = n;
    for (uint64_t j = 0; j < n; j++)
        if (s->kept[j] && (a == n || far(s, x, j) < far(s, x, a)))
            a = j;
    return a;
}

static void agrees_with_the_paper(void **state)
{
    (void)state;
    static const uint32_t first[RADII] = {0, 0, 0};
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 1, 1);
    int kinds[2] = {0, 0};
    for (int round = 0; round < 400; round++) {
        scene s;
        make_scene(&s, &coins, 1, round % 2 ? 0.8 : 0);
        for (int i = 0; i < 50; i++) {
            double x[D] = {2.4 * kith_i_coins_unit(&coins) - 1.2,
                           2.4 * kith_i_coins_unit(&coins) - 1.2};
            uint64_t coin = kith_i_coins_u64(&coins);
            s.place.kept = NULL;
            uint64_t a = kith_i_prefer(&s.place, D, x, coin);
            assert_int_equal(a, naive(&s, x, first, 0));
            s.place.kept = s.kept;
            uint64_t b = kith_i_prefer(&s.place, D, x, coin);
            assert_int_equal(b, naive(&s, x, first, 1));
            kinds[a != b]++;
        }
    }
    assert_true(kinds[0] > 1000 && kinds[1] > 1000);
}

/* With two repetitions the answer is that of one of the 2^3 choices, and every
 * choice is drawn. 4000 coins and 8 choices: each is expected 500 times, with
 * standard deviation 21; outside of 350..650 (7 sd) by chance with probability
 * below 1e-10. */
static void draws_a_repetition_for_each_radius(void **state)
{
    (void)state;
    enum { COINS = 4000 };
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 2, 1);
    scene s;
    memset(&s, 0, sizeof s);
    make_scene(&s, &coins, REPETITIONS, 0);
    /* Every cell of every grid makes the grid's own centre, and only the
     * smallest radius counts: nothing is nearer than one's own. */
    double x[D] = {0, 0};
    for (uint32_t r = 0; r < RADII; r++) {
        uint32_t count[REPETITIONS] = {0};
        for (uint32_t c = 0; c < RADII * REPETITIONS; c++) {
            kith_i_creation *made = &s.creations[c];
            made->count = made->radius_number == r ? 1 : 0;
            s.keys[c][0] = naive_key(made, x);
            s.center[c][0] = c;
        }
        s.place.places = RADII * REPETITIONS;
        for (int i = 0; i < COINS; i++) {
            uint64_t a =
                kith_i_prefer(&s.place, D, x, kith_i_coins_u64(&coins));
            assert_int_equal(a % RADII, r);
            count[a / RADII]++;
        }
        assert_in_range(count[0], COINS / 2 - 300, COINS / 2 + 300);
    }
}

static void choices_are_independent(void **state)
{
    (void)state;
    enum { COINS = 4000 };
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 3, 1);
    scene s;
    make_scene(&s, &coins, REPETITIONS, 0);
    double x[D] = {0.1, -0.3};
    uint32_t hits[MOST] = {0}, allowed[MOST] = {0};
    for (uint32_t choice = 0; choice < 8; choice++) {
        uint32_t mine[RADII] = {choice & 1, choice >> 1 & 1, choice >> 2};
        allowed[naive(&s, x, mine, 0)]++;
    }
    for (int i = 0; i < COINS; i++)
        hits[kith_i_prefer(&s.place, D, x, kith_i_coins_u64(&coins))]++;
    for (int j = 0; j < MOST; j++) {
        double expected = COINS * allowed[j] / 8.0;
        assert_true(fabs(hits[j] - expected) <= (allowed[j] ? 230 : 0));
    }
}

/* The smallest radius makes centre 0 in its first repetition only, the next
 * one centre 1 or centre 2: the answers are 0, 1, 2 with probabilities 1/2,
 * 1/4, 1/4; 4000 coins, 7 standard deviations. */
static void radii_have_coins_of_their_own(void **state)
{
    (void)state;
    enum { COINS = 4000 };
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 5, 1);
    scene s;
    make_scene(&s, &coins, REPETITIONS, 0);
    double x[D] = {0, 0}, points[3 * D] = {.9, .9, .1, 0, 0, .1};
    memcpy(s.points, points, sizeof points);
    s.place.places = 3;
    for (uint32_t c = 0; c < RADII * REPETITIONS; c++) {
        kith_i_creation *made = &s.creations[c];
        uint32_t r = c % RADII, m = c / RADII;
        made->count = r == 1 || (r == 2 && m == 0);
        s.keys[c][0] = naive_key(made, x);
        s.center[c][0] = r == 2 ? 0 : 1 + m;
    }
    int hits[3] = {0, 0, 0};
    for (int i = 0; i < COINS; i++)
        hits[kith_i_prefer(&s.place, D, x, kith_i_coins_u64(&coins))]++;
    assert_true(abs(hits[0] - COINS / 2) < 230);
    assert_true(abs(hits[1] - COINS / 4) < 200);
    assert_true(abs(hits[2] - COINS / 4) < 200);
}

static void rules_without_a_centre(void **state)
{
    (void)state;
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 4, 1);
    scene s;
    double x[D] = {0.3, 0.3};
    make_scene(&s, &coins, 1, 0);
    /* Y is empty: none. */
    uint64_t places = s.place.places;
    s.place.places = 0;
    for (uint32_t c = 0; c < RADII; c++)
        s.creations[c].count = 0;
    assert_int_equal(kith_i_prefer(&s.place, D, x, 7), 0);
    s.place.kept = s.kept;
    assert_int_equal(kith_i_prefer(&s.place, D, x, 7), 0);
    /* Nothing created by this user: the nearest of all. */
    s.place.places = places = 3;
    s.place.kept = NULL;
    double points[3 * D] = {-1, -1, 0.5, 0.5, 1, 1};
    memcpy(s.points, points, sizeof points);
    assert_int_equal(kith_i_prefer(&s.place, D, x, 7), 1);
    /* W is empty: none; W without the nearest: the nearest in W. */
    memset(s.kept, 0, sizeof s.kept);
    s.place.kept = s.kept;
    assert_int_equal(kith_i_prefer(&s.place, D, x, 7), places);
    s.kept[2] = 1;
    assert_int_equal(kith_i_prefer(&s.place, D, x, 7), 2);
    /* No creations at all, and numbers of radii that are not in order. */
    s.place.creation_count = 0;
    assert_int_equal(kith_i_prefer(&s.place, D, x, 7), 2);
    s.place.creation_count = RADII;
    s.creations[0].radius_number = UINT32_MAX;
    s.creations[0].count = 1;
    s.keys[0][0] = naive_key(&s.creations[0], x);
    s.center[0][0] = 77; /* not a centre: ignored */
    assert_int_equal(kith_i_prefer(&s.place, D, x, 7), 2);
    s.center[0][0] = 2;
    s.place.kept = NULL;
    assert_int_equal(kith_i_prefer(&s.place, D, x, 7), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_the_paper),
        cmocka_unit_test(draws_a_repetition_for_each_radius),
        cmocka_unit_test(choices_are_independent),
        cmocka_unit_test(radii_have_coins_of_their_own),
        cmocka_unit_test(rules_without_a_centre),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

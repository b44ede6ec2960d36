/* Grids and E2LSH: keys against arithmetic written down again, nesting, what
 * the hashing promises, and the printed constants against local.md's table. */
#include <math.h>
#include <string.h>

#include "device/places.h"
#include "kernel/planes.h"
#include "methods/weighted.h"
#include "support/cmocka_all.h"

enum { MOST = 16 };

static double lower[MOST], upper[MOST], center[MOST];

static kith_i_local_task task_of(uint32_t d)
{
    for (uint32_t i = 0; i < d; i++) {
        lower[i] = -1 + .1 * i;
        upper[i] = 1 + .2 * i;
        center[i] = .05 * i;
    }
    return (kith_i_local_task){.k = 3,
                               .d = d,
                               .epsilon = 1,
                               .lower = lower,
                               .upper = upper,
                               .center = center,
                               .radius = 1.2,
                               .public_seed = d};
}

static void open_run(kith_i_local_run *run, const kith_i_local_task *task)
{
    static kith_i_collector nobody = {.invited = 1000};
    kith_i_local_open(run, task, &nobody, 1);
}

static void draw(kith_i_coins *coins, uint32_t d, double *x)
{
    for (uint32_t i = 0; i < d; i++)
        x[i] = lower[i] + (upper[i] - lower[i]) * kith_i_coins_unit(coins);
}

/* A record's cell of the finer grid is a child of its cell of the coarser, and
 * without a projection it lies in the box of its cell. */
static void grids_nest(void **state)
{
    (void)state;
    for (uint32_t d = 1; d <= 6; d++) {
        kith_i_local_task task = task_of(d);
        kith_i_local_run run;
        kith_i_lsh_family family;
        uint32_t width = d < 4 ? d : 4;
        open_run(&run, &task);
        assert_int_equal(kith_i_lsh_family_make(&run, width, &family, NULL), 0);
        kith_i_hash hash[4];
        for (uint32_t j = 0; j < 4; j++)
            assert_int_equal(kith_i_lsh_grid(&run, &family,
                                             kith_i_wc_radius(&task, j),
                                             &hash[j], NULL),
                             0);
        kith_i_coins coins;
        kith_i_coins_seed(&coins, d, 5);
        for (int i = 0; i < 500; i++) {
            double x[MOST], low[MOST], high[MOST];
            draw(&coins, d, x);
            for (uint32_t j = 0; j + 1 < 4; j++) {
                uint64_t children[1 << 5];
                uint64_t key = kith_i_grid_key(&hash[j].grid, x);
                uint64_t fine = kith_i_grid_key(&hash[j + 1].grid, x);
                assert_true(key < hash[j].universe);
                uint32_t count = kith_i_lsh_children(
                    &hash[j].grid, key, &hash[j + 1].grid, children);
                assert_in_range(count, 1, 1u << width);
                uint32_t found = 0;
                for (uint32_t c = 0; c < count; c++)
                    found += children[c] == fine;
                assert_int_equal(found, 1);
                if (width < d)
                    continue;
                kith_i_lsh_cell(&task, &hash[j].grid, key, low, high);
                for (uint32_t t = 0; t < d; t++)
                    assert_true(low[t] - 1e-9 <= x[t] &&
                                x[t] <= high[t] + 1e-9);
            }
        }
        kith_i_local_close(&run);
    }
}

/* Points within r share a cell with probability at least 1/2, points farther
 * than 2 d' r apart in the projection never. 400 shifts: fewer than 140 hits
 * by chance with probability below 1e-9. */
static void near_points_collide(void **state)
{
    (void)state;
    enum { SHIFTS = 400 };
    for (uint32_t d = 1; d <= 4; d++) {
        uint32_t near = 0;
        double r = 0;
        for (uint32_t s = 0; s < SHIFTS; s++) {
            kith_i_local_task task = task_of(d);
            task.public_seed = 100 + s;
            kith_i_local_run run;
            kith_i_lsh_family family;
            kith_i_hash hash;
            open_run(&run, &task);
            r = kith_i_wc_radius(&task, 1);
            assert_int_equal(kith_i_lsh_family_make(&run, d, &family, NULL), 0);
            assert_int_equal(kith_i_lsh_grid(&run, &family, r, &hash, NULL), 0);
            double x[MOST] = {0}, y[MOST] = {0}, z[MOST] = {0};
            for (uint32_t i = 0; i < d; i++) {
                y[i] = r / sqrt(d); /* distance r */
                z[i] = 2 * sqrt(d) * r * 1.001;
            }
            near += kith_i_grid_key(&hash.grid, x) ==
                    kith_i_grid_key(&hash.grid, y);
            assert_int_not_equal(kith_i_grid_key(&hash.grid, x),
                                 kith_i_grid_key(&hash.grid, z));
            assert_true(fabs(hash.far - 2 * d * r) < 1e-12);
            kith_i_local_close(&run);
        }
        assert_true(near >= 140);
        assert_true(near < SHIFTS);
    }
}

static void projection_is_orthonormal(void **state)
{
    (void)state;
    kith_i_coins coins;
    double rows[5 * 9];
    kith_i_coins_seed(&coins, 3, 3);
    kith_i_plane_random(rows, 5, 9, &coins);
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 5; j++) {
            double dot = 0;
            for (int t = 0; t < 9; t++)
                dot += rows[i * 9 + t] * rows[j * 9 + t];
            assert_true(fabs(dot - (i == j)) < 1e-12);
        }
}

/* E2LSH: near points share a key far more often than far ones. */
static void e2lsh_is_sensitive(void **state)
{
    (void)state;
    enum { DRAWS = 300 };
    uint32_t near = 0, distant = 0;
    for (uint32_t s = 0; s < DRAWS; s++) {
        kith_i_local_task task = task_of(3);
        task.public_seed = s;
        kith_i_local_run run;
        kith_i_hash hash;
        open_run(&run, &task);
        assert_int_equal(kith_i_lsh_e2(&run, .15, &hash, NULL), 0);
        assert_true(hash.universe <= 4096);
        assert_true(hash.grid.lens.q >= 2);
        double x[3] = {0, .1, -.1}, y[3] = {.1, .1, 0}, z[3] = {.9, -.8, .7};
        near +=
            kith_i_grid_key(&hash.grid, x) == kith_i_grid_key(&hash.grid, y);
        distant +=
            kith_i_grid_key(&hash.grid, x) == kith_i_grid_key(&hash.grid, z);
        kith_i_local_close(&run);
    }
    assert_true(near > DRAWS / 3);
    assert_true(distant < DRAWS / 10);
}

static void finds_keys(void **state)
{
    (void)state;
    static const uint64_t keys[] = {2, 3, 9, UINT64_C(1) << 61};
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(kith_i_key_find(keys, 4, keys[i]), i);
    assert_int_equal(kith_i_key_find(keys, 4, 4), 4);
    assert_int_equal(kith_i_key_find(keys, 4, 0), 4);
    assert_int_equal(kith_i_key_find(keys, 0, 2), 0);
}

/* Records that are no numbers or far away still get a legal key. */
static void keys_are_total(void **state)
{
    (void)state;
    static const double half[2] = {1, 1}, shift[2] = {.1, .2};
    kith_i_grid grid = {{2, 2, NULL, NULL, half}, .3, shift, 8};
    double values[] = {(double)NAN, HUGE_VAL, -HUGE_VAL, 1e300, -1e300, 0};
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            double x[2] = {values[i], values[j]};
            assert_true(kith_i_grid_key(&grid, x) < 64);
        }
}

/* local.md, "Literal constants": the smallest n with k t <= n. */
static void printed_constants(void **state)
{
    (void)state;
    static const struct {
        double epsilon;
        uint32_t d;
        double a, b, users;
    } table[] = {{1, 2, .1, .05, 26.4},
                 {8, 2, .1, .05, 23.9},
                 {1, 20, .1, .05, 27.8},
                 {1, 2, .2, .1, 36.3},
                 {1, 2, .02, .005, 21.3}};
    for (int i = 0; i < 5; i++) {
        double users = kith_i_wc_paper_users(table[i].epsilon, table[i].d, 5,
                                             table[i].a, table[i].b);
        assert_true(fabs(users - table[i].users) < .25);
        /* It is where k t / n crosses 1. */
        assert_true(5 * kith_i_wc_paper_share(users + .3, table[i].epsilon,
                                              table[i].d, 5, table[i].a,
                                              table[i].b) <
                    1);
    }
    /* t / n at a million users: dominated by step 7, about a million. */
    double share = kith_i_wc_paper_share(6, 1, 2, 5, .1, .05);
    assert_true(share > 8e5 && share < 1.6e6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grids_nest),
        cmocka_unit_test(near_points_collide),
        cmocka_unit_test(projection_is_orthonormal),
        cmocka_unit_test(e2lsh_is_sensitive),
        cmocka_unit_test(finds_keys),
        cmocka_unit_test(keys_are_total),
        cmocka_unit_test(printed_constants),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The adaptive histogram: least squares over the tree against a dense
 * constrained solution, published trees against the boxes they stand for,
 * splitting, pruning, and no answer at all. */
#include <math.h>
#include <string.h>

#include "methods/grow_tree.h"
#include "support/cmocka_all.h"

enum { MOST = 64 };

typedef struct {
    kith_i_local_run run;
    kith_i_collector collector;
    kith_i_local_task task;
    kith_i_grow grow;
} bed;

static void open_bed(bed *b, uint32_t axes, uint32_t depth, uint32_t room)
{
    static const double low[] = {-1, 0, 2}, high[] = {1, 1, 2.5};
    memset(b, 0, sizeof *b);
    b->task = (kith_i_local_task){.k = 3, .d = axes, .epsilon = 1};
    kith_i_local_open(&b->run, &b->task, &b->collector, 1);
    kith_i_grow_box box = {axes, low, high, depth, room};
    assert_int_equal(kith_i_grow_open(&b->run, &box, &b->grow, NULL), KITH_OK);
}

/* Random reports about the leaves as they are. */
static void report(bed *b, kith_i_coins *coins, double sd)
{
    kith_i_lens lens = {.q = b->grow.axes, .d = b->grow.axes};
    kith_i_place place;
    uint32_t *leaf;
    double fractions[MOST];
    assert_int_equal(kith_i_grow_publish(&b->run, &b->grow, UINT32_MAX, &lens,
                                         &place, &leaf, NULL),
                     KITH_OK);
    for (uint32_t l = 0; l < place.places; l++)
        fractions[l] = 1.0 / (double)place.places + (l % 5 == 0 ? .2 : 0) +
                       sd * kith_i_coins_normal(coins);
    kith_i_answer answer = {.received = 9,
                            .fractions = fractions,
                            .symbols = place.places,
                            .sd = sd};
    kith_i_grow_take(&b->grow, leaf, &answer);
}

/* Whether leaf node l is below (or is) node i, by the boxes. */
static int is_below(const kith_i_grow *g, uint32_t l, uint32_t i)
{
    for (uint32_t a = 0; a < g->axes; a++)
        if (g->node[l].low[a] < g->node[i].low[a] ||
            g->node[l].high[a] > g->node[i].high[a])
            return 0;
    return 1;
}

/* Gauss and Jordan: a := its inverse. */
static void invert(double *a, size_t n)
{
    static double b[(MOST + 1) * (MOST + 1)];
    memset(b, 0, sizeof b);
    for (size_t i = 0; i < n; i++)
        b[i * n + i] = 1;
    for (size_t c = 0; c < n; c++) {
        size_t p = c;
        for (size_t r = c; r < n; r++)
            p = fabs(a[r * n + c]) > fabs(a[p * n + c]) ? r : p;
        for (size_t t = 0; t < n; t++) {
            double x = a[c * n + t], y = b[c * n + t];
            a[c * n + t] = a[p * n + t];
            a[p * n + t] = x;
            b[c * n + t] = b[p * n + t];
            b[p * n + t] = y;
        }
        double pivot = a[c * n + c];
        for (size_t t = 0; t < n; t++) {
            a[c * n + t] /= pivot;
            b[c * n + t] /= pivot;
        }
        for (size_t r = 0; r < n; r++) {
            double f = a[r * n + c];
            for (size_t t = 0; r != c && t < n; t++) {
                a[r * n + t] -= f * a[c * n + t];
                b[r * n + t] -= f * b[c * n + t];
            }
        }
    }
    memcpy(a, b, n * n * sizeof *a);
}

/* Leaf masses that fit the reports of all nodes best and sum to 1: Lagrange's
 * equations, dense. The inverse's upper block is the covariance. */
static void check_dense(const kith_i_grow *g)
{
    static double kkt[(MOST + 1) * (MOST + 1)];
    double right[MOST + 1] = {0}, mass[MOST];
    uint32_t leaf[MOST], count = 0;
    for (uint32_t i = 0; i < g->nodes; i++)
        if (!g->node[i].left)
            leaf[count++] = i;
    size_t n = count + 1;
    memset(kkt, 0, sizeof kkt);
    for (uint32_t i = 0; i < g->nodes; i++)
        for (uint32_t s = 0; s < count; s++) {
            if (!is_below(g, leaf[s], i))
                continue;
            right[s] += g->node[i].precision * g->node[i].mean;
            for (uint32_t t = 0; t < count; t++)
                if (is_below(g, leaf[t], i))
                    kkt[s * n + t] += g->node[i].precision;
        }
    for (uint32_t s = 0; s < count; s++)
        kkt[s * n + count] = kkt[count * n + s] = 1;
    right[count] = 1;
    invert(kkt, n);
    for (uint32_t s = 0; s < count; s++) {
        mass[s] = 0;
        for (size_t t = 0; t < n; t++)
            mass[s] += kkt[s * n + t] * right[t];
    }
    for (uint32_t i = 0; i < g->nodes; i++) {
        double sum = 0, variance = 0;
        for (uint32_t s = 0; s < count; s++)
            for (uint32_t t = 0; is_below(g, leaf[s], i) && t < count; t++) {
                sum += s == t ? mass[s] : 0;
                variance += is_below(g, leaf[t], i) ? kkt[s * n + t] : 0;
            }
        assert_true(fabs(g->node[i].estimate - sum) < 1e-9);
        assert_true(fabs(g->node[i].variance - variance) < 1e-9);
    }
}

static void test_least_squares(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        kith_i_coins coins;
        bed b;
        kith_i_coins_seed(&coins, seed, 0);
        open_bed(&b, 1 + (uint32_t)seed % 3, 2 + (uint32_t)seed % 2, MOST);
        report(&b, &coins, .05);
        check_dense(&b.grow);
        kith_i_grow_split(&b.grow, .02);
        assert_true(b.grow.leaves > 4 || seed % 2 == 0);
        report(&b, &coins, .03);
        check_dense(&b.grow);
        kith_i_grow_split(&b.grow, .02);
        report(&b, &coins, .02);
        check_dense(&b.grow);
        kith_i_local_close(&b.run);
    }
}

/* A point goes down the published tree to the leaf whose box holds it, at
 * whatever depth the tree is cut. */
static void test_published(void **state)
{
    (void)state;
    kith_i_coins coins;
    bed b;
    kith_i_coins_seed(&coins, 7, 0);
    open_bed(&b, 3, 6, MOST);
    kith_i_lens lens = {.q = 3, .d = 3};
    for (uint32_t depth = 0; depth <= 7; depth++) {
        kith_i_place place;
        uint32_t *leaf;
        assert_int_equal(kith_i_grow_publish(&b.run, &b.grow, depth, &lens,
                                             &place, &leaf, NULL),
                         KITH_OK);
        assert_int_equal(place.places, 1u << (depth < 6 ? depth : 6));
        assert_int_equal(place.tree_nodes, 2 * place.places - 1);
        for (int r = 0; r < 200; r++) {
            const kith_i_grow_node *root = &b.grow.node[0];
            double y[3];
            uint32_t at = 0;
            for (int a = 0; a < 3; a++)
                y[a] = root->low[a] + (root->high[a] - root->low[a]) *
                                          kith_i_coins_unit(&coins);
            while (place.tree[at].axis >= 0)
                at = y[place.tree[at].axis] >= place.tree[at].threshold
                         ? place.tree[at].right
                         : place.tree[at].left;
            const kith_i_grow_node *in =
                &b.grow.node[leaf[place.tree[at].left]];
            assert_true(in->depth == depth || (depth > 6 && in->depth == 6));
            for (int a = 0; a < 3; a++)
                assert_true(y[a] >= in->low[a] && y[a] < in->high[a]);
        }
    }
    kith_i_local_close(&b.run);
}

static void answer_with(bed *b, const double *fractions, double sd,
                        uint64_t received)
{
    kith_i_lens lens = {.q = b->grow.axes, .d = b->grow.axes};
    kith_i_place place;
    uint32_t *leaf;
    double copy[MOST];
    assert_int_equal(kith_i_grow_publish(&b->run, &b->grow, UINT32_MAX, &lens,
                                         &place, &leaf, NULL),
                     KITH_OK);
    memcpy(copy, fractions, place.places * sizeof *copy);
    kith_i_answer answer = {.received = received,
                            .fractions = copy,
                            .symbols = place.places,
                            .sd = sd};
    kith_i_grow_take(&b->grow, leaf, &answer);
}

static void test_split_and_prune(void **state)
{
    (void)state;
    const double seen[] = {.7, .29, .012, -.002};
    double points[MOST + 1], weights[MOST + 1], variances[MOST + 1];
    bed b;
    open_bed(&b, 1, 2, MOST);
    answer_with(&b, seen, .01, 100);
    kith_i_grow_split(&b.grow, .05);
    /* .7 / (2 .05) = 7: two levels; .29: one; the others are noise. */
    assert_int_equal(b.grow.leaves, 4 + 3 + 1);
    kith_i_grow_prune(&b.grow);
    uint32_t count = kith_i_grow_points(&b.grow, 1, points, weights, variances);
    double sum = 0, mean = 0;
    for (uint32_t i = 0; i < count; i++) {
        sum += weights[i];
        mean += weights[i] * points[i];
        assert_true(points[i] >= -1 && points[i] <= 1);
    }
    assert_true(fabs(sum - 1) < 1e-12);
    /* Two halves of the box: .7 at -.75 and .29 at -.25. */
    assert_true(fabs(mean - (-.75 * .7 - .25 * .29) / .99) < .01);
    for (uint32_t i = 0; i < count; i++)
        assert_true(points[i] < 0);
    kith_i_local_close(&b.run);
}

enum { COLUMNS = 8, ROWS = 2, SQUARES = COLUMNS * ROWS };

/* Column and row of a leaf's box, as a number. */
static size_t square_of(const kith_i_grow_node *leaf)
{
    return (size_t)((leaf->low[0] + 1) * 4 + .5) +
           COLUMNS * (size_t)(leaf->low[1] * 2 + .5);
}

/* H and what is reached from it over l, in all eight directions. */
static void flood(const char *map, size_t at, int *kept)
{
    int x = (int)at % COLUMNS, y = (int)at / COLUMNS;
    kept[at] = 1;
    for (int v = 0; v < ROWS; v++)
        for (int u = x > 0 ? x - 1 : 0; u <= x + 1 && u < COLUMNS; u++) {
            size_t to = (size_t)(u + v * COLUMNS);
            if (v >= y - 1 && v <= y + 1 && map[to] != '.' && !kept[to])
                flood(map, to, kept);
        }
}

/* A cell of two deviations is kept next to one of many, and next to what is
 * kept for that reason, but not alone. */
static void test_beside(void **state)
{
    (void)state;
    static const char *const maps[] = {"Hll...l."
                                       "........",
                                       "H....l.l"
                                       ".l.l....",
                                       ".l.l...H"
                                       "H....ll."};
    for (int m = 0; m < 6; m++) {
        const char *map = maps[m / 2];
        int kept[SQUARES] = {0}, strong = 0;
        double seen[SQUARES], left = 1;
        bed b;
        open_bed(&b, 2, 4, SQUARES);
        b.grow.beside = m % 2 ? .5 : 1;
        for (size_t i = 0; i < SQUARES; i++) {
            strong += map[i] == 'H';
            left -= map[i] == 'l' ? .02 : 0;
        }
        for (uint32_t i = 0, l = 0; i < b.grow.nodes; i++)
            if (!b.grow.node[i].left) { /* published in this order */
                char is = map[square_of(&b.grow.node[i])];
                seen[l++] = is == 'H' ? left / strong : is == 'l' ? .02 : 0;
            }
        answer_with(&b, seen, .01, 100);
        kith_i_grow_prune(&b.grow);
        for (size_t i = 0; i < SQUARES; i++)
            if (map[i] == 'H' && m % 2)
                flood(map, i, kept);
            else
                kept[i] = kept[i] || map[i] == 'H';
        for (uint32_t i = 0; i < b.grow.nodes; i++)
            if (!b.grow.node[i].left)
                assert_int_equal(b.grow.node[i].terminal,
                                 kept[square_of(&b.grow.node[i])]);
        kith_i_local_close(&b.run);
    }
}

/* Users lean to the denser side: against sums over a fine grid. Two cells that
 * are kept, of width .5, and nobody beside them. */
static void test_lean(void **state)
{
    (void)state;
    const double seen[] = {0, .8, .2, 0};
    double points[MOST + 1], weights[MOST + 1], variances[MOST + 1];
    bed b;
    open_bed(&b, 1, 2, MOST);
    answer_with(&b, seen, .01, 100);
    kith_i_grow_prune(&b.grow);
    assert_int_equal(kith_i_grow_points(&b.grow, 1, points, weights, variances),
                     2);
    kith_i_grow_lean(&b.grow, points);
    const double faces[2][2] = {{.8 * sqrt(kith_i_recipe.lean), .4},
                                {.4, .2 * sqrt(kith_i_recipe.lean)}};
    for (int c = 0; c < 2; c++) {
        double sum = 0, mean = 0, from = c ? 0 : -.5;
        for (int i = 0; i < 10000; i++) {
            double t = (i + .5) / 10000;
            double there = pow(faces[c][0], 1 - t) * pow(faces[c][1], t);
            sum += there;
            mean += there * (from + t / 2);
        }
        assert_true(fabs(points[c] - mean / sum) < 1e-6);
    }
    kith_i_local_close(&b.run);
}

/* A shifted tree asks about the boxes that it stands for. */
static void test_shifted(void **state)
{
    (void)state;
    static const double parts[] = {.25, -.5};
    bed b;
    open_bed(&b, 2, 3, MOST); /* leaves of .5 by .5 */
    kith_i_grow_shift(&b.grow, parts);
    assert_true(fabs(b.grow.node[0].low[0] - (-.875)) < 1e-12);
    assert_true(fabs(b.grow.node[0].high[1] - (.75)) < 1e-12);
    for (uint32_t i = 0; i < b.grow.nodes; i++) {
        const kith_i_grow_node *n = &b.grow.node[i];
        if (!n->left)
            continue;
        const kith_i_grow_node *l = &b.grow.node[n->left];
        assert_true(fabs(n->threshold - (l->high[n->axis])) < 1e-12);
        assert_true(fabs(n->threshold - (b.grow.node[n->right].low[n->axis])) <
                    1e-12);
    }
    kith_i_local_close(&b.run);
}

static void test_room(void **state)
{
    (void)state;
    double seen[MOST];
    bed b;
    open_bed(&b, 2, 4, 20);
    for (int l = 0; l < 16; l++)
        seen[l] = 1.0 / 16;
    answer_with(&b, seen, 1e-4, 100);
    kith_i_grow_split(&b.grow, 1e-3);
    assert_true(b.grow.leaves <= 20);
    kith_i_local_close(&b.run);
}

static void test_nobody(void **state)
{
    (void)state;
    const double seen[4] = {0};
    double points[2 * (MOST + 1)], weights[MOST + 1], variances[MOST + 1];
    bed b;
    open_bed(&b, 2, 2, MOST);
    answer_with(&b, seen, HUGE_VAL, 0);
    kith_i_grow_split(&b.grow, HUGE_VAL);
    assert_int_equal(b.grow.leaves, 4);
    kith_i_grow_prune(&b.grow);
    assert_int_equal(kith_i_grow_points(&b.grow, 1, points, weights, variances),
                     1);
    assert_true(weights[0] == 1);
    assert_true(fabs(points[0]) < 1e-6 && fabs(points[1] - .5) < 1e-6);
    kith_i_local_close(&b.run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_least_squares),
        cmocka_unit_test(test_published),
        cmocka_unit_test(test_split_and_prune),
        cmocka_unit_test(test_beside),
        cmocka_unit_test(test_lean),
        cmocka_unit_test(test_shifted),
        cmocka_unit_test(test_room),
        cmocka_unit_test(test_nobody),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

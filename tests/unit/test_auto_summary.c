/* The summary of `auto`: least squares over a tree of counts against the normal
 * equations, sizes joined by precision, and the numbers of the recipe.
 * Deterministic. */
#include "auto/stages.h"
#include "support/make_data.h"

#include <math.h>
#include <string.h>

/* Two roots, 0 and 1. 0 is cut into 2 and 3, these into 4, 5 and 6, 7; 3 was
 * never counted. */
enum { NODES = 8, LEAVES = 5 };
static const int32_t child[NODES] = {2, -1, 4, 6, -1, -1, -1, -1};
/* Which leaves (1, 4, 5, 6, 7 in this order) are in each box. */
static const double inside[NODES][LEAVES] = {
    {0, 1, 1, 1, 1}, {1, 0, 0, 0, 0}, {0, 1, 1, 0, 0}, {0, 0, 0, 1, 1},
    {0, 1, 0, 0, 0}, {0, 0, 1, 0, 0}, {0, 0, 0, 1, 0}, {0, 0, 0, 0, 1}};
static const int leaf[LEAVES] = {1, 4, 5, 6, 7};

static void plant(auto_tree *f, kith_i_box *node, auto_count *rows,
                  const double *count)
{
    static const double variance[NODES] = {9, 4, 16, HUGE_VAL, 25, 36, 16, 49};
    memset(f, 0, sizeof *f);
    f->face.q = 1;
    f->face.roots = 2;
    f->nodes = NODES;
    f->node = node;
    f->rows = rows;
    for (int n = 0; n < NODES; n++) {
        node[n] = (kith_i_box){.child = child[n]};
        rows[n] = (auto_count){.count = count[n], .variance = variance[n]};
    }
}

/* Sizes of the leaves that minimise sum (count - size)^2 / variance. */
static void solve(const auto_count *rows, double *x)
{
    double a[LEAVES][LEAVES + 1] = {{0}};
    for (int n = 0; n < NODES; n++)
        for (int i = 0; i < LEAVES; i++) {
            double w = inside[n][i] / rows[n].variance;
            for (int j = 0; j < LEAVES; j++)
                a[i][j] += w * inside[n][j];
            a[i][LEAVES] += w * rows[n].count;
        }
    for (int p = 0; p < LEAVES; p++) /* Gauss-Jordan; positive definite */
        for (int i = 0; i < LEAVES; i++)
            for (int j = LEAVES; i != p && j >= p; j--)
                a[i][j] -= a[i][p] / a[p][p] * a[p][j];
    for (int i = 0; i < LEAVES; i++)
        x[i] = a[i][LEAVES] / a[i][i];
}

static void test_least_squares(void **state)
{
    (void)state;
    static const double count[NODES] = {100, 30, 70, 0, 20, 42, 18, 25};
    auto_tree f;
    kith_i_box node[NODES];
    auto_count rows[NODES];
    double x[LEAVES];
    plant(&f, node, rows, count);
    solve(rows, x);
    kith_i_auto_fit_sizes(&f);
    for (int i = 0; i < LEAVES; i++) {
        assert_true(x[i] > 0);
        assert_true(fabs(rows[leaf[i]].size - x[i]) < 1e-9);
    }
}

/* Below nothing: the other half has what both have. */
static void test_no_less_than_nothing(void **state)
{
    (void)state;
    static const double count[NODES] = {100, -30, 90, 0, 20, 62, 18, -25};
    auto_tree f;
    kith_i_box node[NODES];
    auto_count rows[NODES];
    plant(&f, node, rows, count);
    kith_i_auto_fit_sizes(&f);
    assert_true(rows[1].size == 0);
    assert_true(rows[7].size == 0);
    assert_true(fabs(rows[6].size - rows[3].size) < 1e-9);
    for (int n = 0; n < NODES; n++) {
        assert_true(rows[n].size >= 0);
        if (child[n] >= 0)
            assert_true(fabs(rows[n].size - rows[child[n]].size -
                             rows[child[n] + 1].size) < 1e-9);
    }
}

enum { CELLS = 200 };

/* Both counts are of the same sizes: their mean by precision. The second is of
 * sizes that have all changed: nothing is left of the first. */
static void test_join(void **state)
{
    (void)state;
    double mean[CELLS], variance[CELLS];
    int64_t counts[CELLS];
    auto_sizes known = {.mean = mean, .variance = variance};
    for (int changed = 0; changed < 2; changed++) {
        for (int j = 0; j < CELLS; j++) {
            mean[j] = 1000 + (j % 2 ? 3 : -3);
            variance[j] = 9;
            counts[j] = (changed ? j % 2 ? 2000 : 100 : 1000) + (j / 2 % 2) * 4;
        }
        mean[0] = -1e9; /* of which nothing is known */
        variance[0] = HUGE_VAL;
        double second = (double)counts[0], third = (double)counts[1];
        kith_i_auto_join_sizes(kith_i_auto_recipe(0, 0), &known, CELLS, 4,
                               counts);
        assert_true(mean[0] == second && variance[0] == 16);
        if (changed)
            assert_true(fabs(mean[1] - third) < 1 && variance[1] > 15.9);
        else
            assert_true(fabs(mean[1] - (1003 / 9. + third / 16) /
                                           (1 / 9. + 1 / 16.)) < 1e-9);
    }
}

/* Noise falls with the share in pure DP, with its root otherwise: levels, cells
 * and rounds follow. */
static void test_recipe(void **state)
{
    (void)state;
    const auto_recipe *gaussian = kith_i_auto_recipe(0, 0);
    const auto_recipe *pure = kith_i_auto_recipe(1, 0);
    const auto_recipe *blind = kith_i_auto_recipe(1, 1);
    assert_true(gaussian != pure && pure != blind);
    assert_true(kith_i_auto_recipe(0, 1) == gaussian);
    const auto_recipe *all[] = {gaussian, pure, blind};
    for (int i = 0; i < 3; i++) {
        const auto_recipe *r = all[i];
        double scout = r->count + 2 * r->norms + r->taxicab + r->mean;
        double again = r->turns * (r->norms + r->mean);
        assert_true(scout + again + r->moments < .5);
        assert_true(r->surely > r->likely && r->cut > r->keep);
        assert_true(r->levels * r->halvings >= 12);
    }
    assert_true(pure->levels < gaussian->levels);
    assert_true(pure->most_rounds < gaussian->most_rounds);
}

/* All that is left is divided, for any kind of budget; rounds as noise
 * allows. */
static void test_shares(void **state)
{
    (void)state;
    double *rows = make_rows(10, 2, 2, 1);
    kith_session *session = open_session(load(rows, 10, 2, ball(1)), 1, 1e-6,
                                         KITH_ADD_REMOVE, 1, 1);
    for (int kind = 0; kind < 12; kind++) {
        kith_kmeans_options opt = {.rounds = kind < 6 ? 0 : 3};
        int pure = kind % 6 >= 2, blind = kind % 6 >= 4;
        auto_run run = {.session = session,
                        .opt = &opt,
                        .recipe = kith_i_auto_recipe(pure, blind),
                        .k = kind % 2 ? 64 : 10,
                        .d = 20,
                        .pure = pure,
                        .budget = pure ? 1 : .24,
                        .used = .1,
                        .n = 50000};
        run.frame = (auto_frame){.q = blind ? 16 : 20, .blind = blind};
        kith_i_auto_divide(&run);
        auto_shares s = run.shares;
        double sum = run.used + s.tree + s.leaf + s.cells + s.steps + s.last +
                     s.hist * (2 + s.cell_steps + s.rounds);
        assert_true(sum <= 1 && sum > 1 - 1e-6);
        assert_true(s.tree > 0 && s.leaf > 0 && s.cells > 0 && s.last > 0);
        assert_true(s.steps > 0 || s.rounds == 0 || blind);
        assert_true(kind < 6 || s.rounds == 3);
        double noise = kith_i_auto_center_noise(
            &run, s.steps / fmax(s.rounds, 1), run.frame.q, run.k);
        assert_true(s.rounds <= run.recipe->least_rounds || kind >= 6 ||
                    noise <= run.recipe->quiet);
    }
    kith_session_close(session);
    free(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_least_squares),
        cmocka_unit_test(test_no_less_than_nothing),
        cmocka_unit_test(test_join), cmocka_unit_test(test_recipe),
        cmocka_unit_test(test_shares)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

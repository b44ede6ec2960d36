/* Algorithm 1 of Balcan et al. 2017 (private_partition), as repaired, against
 * a naive reading of its listing: cubes as corners and edges, children made one
 * by one. Without noise the tree must be the reference's, cube by cube; with
 * noise the law of the active cubes, empty ones included, must be the product
 * of f(m) = Pr[m + noise >= gamma], by enumeration. */
#include <math.h>

#include "balcan/balcan_i.h"
#include "support/make_data.h"
#include "support/stat.h"

/* ---- the listing, naively ---- */

typedef struct {
    int32_t low[4];
    int32_t edge;
} cube;

enum { MOST = 20000 };

static int inside(const cube *q, const double *y, uint32_t p)
{
    for (uint32_t i = 0; i < p; i++)
        if (y[i] < q->low[i] || y[i] >= q->low[i] + q->edge)
            return 0;
    return 1;
}

/* All children of `parents` that hold a row; their numbers of rows. */
static size_t divide(const cube *parents, size_t count, const double *rows,
                     size_t n, uint32_t p, cube *children, int64_t *sizes)
{
    size_t made = 0;
    for (size_t q = 0; q < count; q++)
        for (uint32_t l = 0; l < 1u << p; l++) {
            cube child = parents[q];
            child.edge /= 2;
            for (uint32_t i = 0; i < p; i++)
                child.low[i] += (l >> i & 1) ? child.edge : 0;
            int64_t size = 0;
            for (size_t r = 0; r < n; r++)
                size += inside(&child, rows + r * p, p);
            if (size > 0) {
                children[made] = child;
                sizes[made++] = size;
            }
        }
    return made;
}

static const kith_i_view *see(kith_session *s, uint32_t p, double radius)
{
    double axes[16] = {0};
    for (uint32_t i = 0; i < p; i++)
        axes[i * p + i] = 1;
    const kith_i_view *view = NULL;
    assert_int_equal(kith_i_view_open(s, axes, p, NULL, radius, &view, NULL),
                     KITH_OK);
    return view;
}

/* At epsilon = 4096 the noise is 0 but for a chance of e^-800: the threshold
 * is 1, and the tree lists exactly the cubes that hold rows. */
static void test_tree(void **state)
{
    (void)state;
    enum { N = 60, LEVELS = 5 };
    static cube now[MOST], next[MOST];
    static int64_t sizes[MOST];
    for (uint32_t p = 1; p <= 3; p++)
        for (uint64_t seed = 0; seed < 4; seed++) {
            double *rows = make_rows(N, p, 3, seed);
            for (size_t i = 0; i < (size_t)N * p; i++)
                rows[i] = fmax(-0.55, fmin(0.55, rows[i])); /* in the ball */
            kith_session *s = open_session(load(rows, N, p, ball(1)), 4096, 0,
                                           KITH_ADD_REMOVE, 2, seed);
            int unit = kith_i_session_domain(s)->scale_log2;
            for (size_t i = 0; i < (size_t)N * p; i++) /* to the lattice */
                rows[i] = trunc(ldexp(rows[i], unit));
            kith_i_tree tree;
            double shift[3] = {-1, 0.3, 0.9};
            const kith_i_view *view = see(s, p, 1);
            kith_i_tree_root(&tree, kith_i_view_domain(view), shift);
            kith_i_partition_spec spec = {.what = "test",
                                          .view = view,
                                          .levels = LEVELS,
                                          .charge = kith_i_session_left(s)};
            assert_int_equal(kith_i_partition(s, &spec, &tree, NULL), KITH_OK);
            assert_int_equal(tree.depth, LEVELS);
            now[0].edge = tree.edge;
            memcpy(now[0].low, tree.low, p * sizeof *tree.low);
            size_t count = 1;
            for (uint32_t a = 1; a <= LEVELS; a++) {
                count = divide(now, count, rows, N, p, next, sizes);
                assert_int_equal(count, tree.level[a - 1].count);
                for (size_t q = 0; q < count; q++) {
                    double center[3];
                    kith_i_tree_center(&tree, a, q, center);
                    for (uint32_t i = 0; i < p; i++)
                        assert_true(center[i] ==
                                    next[q].low[i] + next[q].edge / 2.0);
                    assert_int_equal(tree.level[a - 1].cubes[q].count,
                                     sizes[q]);
                }
                memcpy(now, next, count * sizeof *now);
            }
            kith_i_tree_free(&tree);
            kith_session_close(s);
            free(rows);
        }
}

/* The ball is in the root for every shift, corners included. */
static void test_root_holds_the_ball(void **state)
{
    (void)state;
    kith_i_domain *domain;
    kith_bounds bounds = ball(0.7);
    assert_int_equal(kith_i_domain_new(&bounds, 2, 0, &domain, NULL), KITH_OK);
    int32_t radius = (int32_t)kith_i_domain_l2(domain);
    for (int v = -4; v <= 4; v++) {
        double shift[2] = {v / 4.0, -v / 4.0};
        kith_i_tree tree;
        kith_i_tree_root(&tree, domain, shift);
        assert_int_equal(tree.edge % (1 << KITH_I_TREE_LEVELS), 0);
        for (int i = 0; i < 2; i++) {
            assert_true(tree.low[i] <= -radius);
            assert_true(tree.low[i] + tree.edge > radius);
        }
    }
    kith_i_domain_free(domain);
}

/* ---- the law on a tiny domain ---- */

/* Pr[m + noise >= gamma] */
static double f(int64_t m, int64_t gamma, double scale, int pure)
{
    double x = (double)(gamma - m);
    if (!pure)
        return erfc((x - 0.5) / (scale * sqrt(2))) / 2;
    double a = exp(-1 / scale);
    return x >= 1 ? pow(a, x) / (1 + a) : 1 - pow(a, 1 - x) / (1 + a);
}

/* gamma with half a false activation expected among `cells`. */
static int64_t gamma_of(double cells, double scale, int pure)
{
    if (pure)
        return (int64_t)fmax(ceil(scale * log(cells)), 1);
    double x = -10;
    while (erfc(x / sqrt(2)) / 2 > 0.5 / cells)
        x += 1e-5;
    return (int64_t)fmax(ceil(scale * x), 1);
}

/* One dimension, two levels. An outcome is (active of level 1: bits 0-1,
 * active of level 2: bits 2-5), or, when the first ask finds nothing, the
 * second ask (bits 0-1) with bit 6. sizes: rows in the four quarters. */
static void enumerate(const int64_t *sizes, double scale, int pure, double *law)
{
    int64_t first = gamma_of(2, scale, pure);
    for (int s = 0; s < 4; s++) {
        double reach = 1;
        for (int h = 0; h < 2; h++) {
            double on = f(sizes[2 * h] + sizes[2 * h + 1], first, scale, pure);
            reach *= (s >> h & 1) ? on : 1 - on;
        }
        int64_t gamma =
            s ? gamma_of(2 * __builtin_popcount((unsigned)s), scale, pure)
              : first;
        for (int t = 0; t < (s ? 16 : 4); t++) {
            double p = reach;
            for (int q = 0; q < (s ? 4 : 2); q++) {
                int64_t m = s ? sizes[q] : sizes[2 * q] + sizes[2 * q + 1];
                double on =
                    s && !(s >> (q / 2) & 1) ? 0 : f(m, gamma, scale, pure);
                p *= (t >> q & 1) ? on : 1 - on;
            }
            law[s ? s | t << 2 : t | 64] += p;
        }
    }
}

static int outcome_of(const kith_i_tree *tree, int asked_again)
{
    int s = 0, t = 0;
    for (size_t i = 0; tree->depth > 0 && i < tree->level[0].count; i++)
        s |= 1 << tree->level[0].cubes[i].key;
    for (size_t i = 0; tree->depth > 1 && i < tree->level[1].count; i++) {
        uint64_t key = tree->level[1].cubes[i].key;
        t |= 1 << (tree->level[0].cubes[key >> 1].key * 2 + (key & 1));
    }
    return asked_again ? s | 64 : s | t << 2;
}

static void check_law(double epsilon, double delta, kith_neighbors nb)
{
    enum { RUNS = 3000, N = 5 };
    /* edge 4: quarters [-2,-1) [-1,0) [0,1) [1,2): the ends are empty */
    const double rows[N] = {-0.5, -0.25, -0.5, 0.25, -0.75};
    const int64_t sizes[4] = {0, 4, 1, 0};
    int pure = delta == 0;
    double mu = 0, twice = nb == KITH_REPLACE_ONE ? 2 : 1, law[128] = {0};
    if (!pure)
        assert_int_equal(kith_privacy_mu(epsilon, delta, &mu, NULL), KITH_OK);
    double scale = pure ? twice * 2 / epsilon : sqrt(twice * 2) / mu;
    enumerate(sizes, scale, pure, law);
    uint64_t seen[128] = {0}, total = 0;
    double sum = 0;
    for (uint64_t run = 0; run < RUNS; run++) {
        kith_session *s =
            open_session(load(rows, N, 1, ball(1)), epsilon, delta, nb, 1, run);
        kith_i_tree tree;
        double shift = 0;
        const kith_i_view *view = see(s, 1, 1);
        kith_i_tree_root(&tree, kith_i_view_domain(view), &shift);
        kith_i_partition_spec spec = {.what = "test",
                                      .view = view,
                                      .levels = 2,
                                      .charge = kith_i_session_left(s)};
        assert_int_equal(kith_i_partition(s, &spec, &tree, NULL), KITH_OK);
        assert_true(kith_i_session_left(s) <= 2); /* what does not divide */
        /* depth 1 comes from either ask: tell them apart by the law only */
        seen[outcome_of(&tree, 0)]++;
        kith_i_tree_free(&tree);
        kith_session_close(s);
    }
    /* An empty second level looks like an empty first one asked again. */
    for (int s = 0; s < 4; s++) {
        law[s] += law[s | 64];
        law[s | 64] = 0;
    }
    for (int o = 0; o < 64; o++) {
        assert_true(believable(seen[o], RUNS, law[o]));
        sum += law[o];
        total += seen[o];
    }
    assert_true(fabs(sum - 1) < 1e-9 && total == RUNS);
}

static void test_laws(void **state)
{
    (void)state;
    check_law(2, 0, KITH_ADD_REMOVE);
    check_law(3, 0, KITH_REPLACE_ONE);
    check_law(3, 1e-3, KITH_ADD_REMOVE);
    check_law(3, 1e-3, KITH_REPLACE_ONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tree),
        cmocka_unit_test(test_root_holds_the_ball),
        cmocka_unit_test(test_laws),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

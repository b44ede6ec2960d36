/* Audit of `--method balcan` on neighbouring data, pure epsilon: the partition,
 * the swaps and the whole method; and of the mistakes that the printed
 * algorithms or the authors' code make, which the audit must catch (R15):
 * empty cubes skipped, losses beyond the bound, exact n. Seeded; the
 * false-alarm rate of each bound is 1e-6. */
#include "audit/audit.h"
#include "balcan/balcan_i.h"
#include "noise/sampler.h"
#include "release/choice.h"
#include "support/make_data.h"

enum { MOST = 8 };

typedef struct {
    const char *name;
    double a[MOST], b[MOST];
    size_t n, m;
    kith_neighbors neighbors;
} pair;

/* One dimension, in [-1, 1]. */
static const pair pairs[] = {
    {"a row at the end", {-1}, {0}, 1, 0, KITH_ADD_REMOVE},
    {"one row or none", {0.9}, {0}, 1, 0, KITH_ADD_REMOVE},
    {"singleton and empty cube",
     {-.6, -.6, -.6, .9},
     {-.6, -.6, -.6},
     4,
     3,
     KITH_ADD_REMOVE},
    {"far outlier", {-1, -1, -1, 50}, {-1, -1, -1}, 4, 3, KITH_ADD_REMOVE},
    {"from end to end", {-1, -.5, .5}, {1, -.5, .5}, 3, 3, KITH_REPLACE_ONE},
};
enum { PAIRS = sizeof pairs / sizeof *pairs };

typedef struct {
    double epsilon;
    kith_neighbors neighbors;
} claim;

static double worst_of(audit_fn *run, double epsilon, size_t runs)
{
    double worst = -HUGE_VAL;
    for (size_t i = 0; i < PAIRS; i++) {
        const pair *p = &pairs[i];
        claim c = {epsilon, p->neighbors};
        worst = fmax(worst, audit_both(run, &c, p->a, p->n, p->b, p->m, runs));
    }
    return worst;
}

/* ---- the real thing ---- */

static kith_session *open_claim(const claim *c, const double *rows, size_t n,
                                uint64_t seed)
{
    return open_session(load(rows, n, 1, ball(1)), c->epsilon, 0, c->neighbors,
                        1, seed);
}

static const kith_i_view *see(kith_session *s)
{
    double axis = 1;
    const kith_i_view *view;
    if (kith_i_view_open(s, &axis, 1, NULL, 1, &view, NULL))
        fail();
    return view;
}

/* One level: how many cubes, which, and their counts. */
static void run_partition(void *arg, const double *rows, size_t n,
                          uint64_t seed, double *out)
{
    kith_session *s = open_claim(arg, rows, n, seed);
    const kith_i_view *view = see(s);
    kith_i_tree tree;
    double shift = 0;
    kith_i_tree_root(&tree, kith_i_view_domain(view), &shift);
    kith_i_partition_spec spec = {.what = "audit",
                                  .view = view,
                                  .levels = 1,
                                  .charge = kith_i_session_left(s)};
    if (kith_i_partition(s, &spec, &tree, NULL))
        fail();
    for (size_t i = 0; tree.depth && i < tree.level[0].count; i++) {
        kith_i_sparse_cell cube = tree.level[0].cubes[i];
        out[0]++;
        out[1 + cube.key] = (double)cube.count;
        out[3] += (double)(cube.key + 1);
    }
    kith_i_tree_free(&tree);
    kith_session_close(s);
}

/* One swap of two centres among the ends and the middle. */
static void run_swap(void *arg, const double *rows, size_t n, uint64_t seed,
                     double *out)
{
    kith_session *s = open_claim(arg, rows, n, seed);
    const kith_i_view *view = see(s);
    double unit = sqrt((double)kith_i_view_domain(view)->l2_squared);
    double points[3] = {-unit, 0, unit};
    kith_i_localswap_spec spec = {.view = view,
                                  .candidates = points,
                                  .count = 3,
                                  .k = 1,
                                  .rounds = 1,
                                  .charge = kith_i_session_left(s)};
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 1, 0);
    uint32_t chosen;
    if (kith_i_localswap(s, &spec, &coins, &chosen, NULL))
        fail();
    out[0] = chosen;
    kith_session_close(s);
}

static void run_whole(void *arg, const double *rows, size_t n, uint64_t seed,
                      double *out)
{
    kith_session *s = open_claim(arg, rows, n, seed);
    kith_kmeans_options opt;
    kith_kmeans_options_init(&opt, sizeof opt);
    opt.clusters = 2;
    opt.method = KITH_KMEANS_BALCAN;
    kith_result *r = NULL;
    if (kith_kmeans(s, &opt, &r, NULL))
        fail();
    const double *centers = kith_result_centers(r, NULL, NULL);
    const double *weights = kith_result_weights(r);
    for (int j = 0; j < 2; j++) {
        out[j] = weights[j];
        out[2 + j] = centers[j];
        out[4 + j] = centers[j] * weights[j];
    }
    out[6] = centers[0] - centers[1];
    out[7] = weights[0] + weights[1];
    kith_result_free(r);
    kith_session_close(s);
}

/* The claim of 1 stands at 1, and falls when the noise is made for 2.5 (for
 * the whole method the budget is in too many pieces for that). */
static void test_real(void **state)
{
    (void)state;
    double tree = worst_of(run_partition, 1, 800);
    double weak_tree = worst_of(run_partition, 2.5, 800);
    double swap = worst_of(run_swap, 1, 800);
    double weak_swap = worst_of(run_swap, 4, 800);
    double whole = worst_of(run_whole, 1, 300);
    print_message("partition: epsilon >= %.3f at 1, %.3f at 2.5\n", tree,
                  weak_tree);
    print_message("swap: epsilon >= %.3f at 1, %.3f at 4\n", swap, weak_swap);
    print_message("whole method: epsilon >= %.3f at 1\n", whole);
    assert_true(tree <= 1 && swap <= 1 && whole <= 1);
    assert_true(weak_tree > 1 && weak_swap > 1);
}

/* ---- the mistakes ---- */

typedef enum { SOUND, EMPTY_CUBES_SKIPPED, LOSS_BEYOND_BOUND, EXACT_N } fault;

enum { UNIT = 1024 };

/* Half of epsilon for one level of a partition of [-1, 1) into two cubes, half
 * for a choice between the centres -1 and 1 (loss (x - c)^2 <= 4). */
static fault now;
static void run_fault(void *arg, const double *rows, size_t n, uint64_t seed,
                      double *out)
{
    const claim *c = arg;
    double twice = c->neighbors == KITH_REPLACE_ONE ? 2 : 1;
    kith_i_entropy_source source = {.seeded = 1, .seed = seed};
    kith_i_entropy e;
    kith_i_entropy_open(&e, &source, 0);
    int64_t count[2] = {0}, loss[2] = {0};
    for (size_t i = 0; i < n; i++) {
        double x = fmax(-1, fmin(1, rows[i]));
        count[x >= 0]++;
        double z[2] = {-1, now == LOSS_BEYOND_BOUND ? 3 : 1}; /* unclipped */
        for (int j = 0; j < 2; j++)
            loss[j] += (int64_t)((x - z[j]) * (x - z[j]) * UNIT);
    }
    kith_i_scale scale = {(uint64_t)(twice * 2 / c->epsilon * 0x1p20), 20};
    /* The printed threshold and depth look at n. */
    int64_t gamma = now == EXACT_N ? (int64_t)n : 2;
    for (int h = 0; h < 2; h++) {
        if (now == EMPTY_CUBES_SKIPPED && count[h] == 0)
            continue;
        int64_t noisy = count[h] + kith_i_sample_laplace(&e, scale);
        if (noisy >= gamma) {
            out[0]++;
            out[1 + h] = (double)noisy;
        }
    }
    out[4] = (double)gamma;
    kith_i_exponent b = kith_i_exponent_for(
        (kith_i_loss)(c->epsilon / 2 * 0x1p50), 4 * UNIT << (twice > 1));
    uint32_t order[2];
    out[3] = kith_i_permute_and_flip(&e, b, loss, 2, order);
    kith_i_entropy_close(&e);
}

static void test_faults_are_caught(void **state)
{
    (void)state;
    static const char *names[] = {"sound", "empty cubes skipped",
                                  "loss beyond the bound", "exact n"};
    for (now = SOUND; now <= EXACT_N; now++) {
        double e = worst_of(run_fault, 1, 2000);
        print_message("%s: epsilon >= %.3f, claimed 1\n", names[now], e);
        assert_true(now == SOUND ? e <= 1 : e > 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_real),
        cmocka_unit_test(test_faults_are_caught),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Audit of `--method lloyd` on neighbouring data, pure epsilon, and of
 * variants broken on purpose, which the audit must catch (R15). Seeded; the
 * false-alarm rate of each bound is 1e-6. (The Gaussian path is checked by
 * its exact law: tests/spec/test_drs22_gdp_delta.c. Rounding to nearest
 * exceeds the bound by a fraction of a step, which no sampling audit can see:
 * tests/unit/test_domain.c catches it.) */
#include "audit/audit.h"
#include "dp/dp_i.h"
#include "noise/sampler.h"
#include "support/make_data.h"
#include "support/near_points.h"

enum { MOST = 12 };

/* ---- neighbouring pairs, one dimension, in [-1, 1] ---- */

typedef struct {
    const char *name;
    double a[MOST], b[MOST];
    size_t n, m;
} pair;

static const pair pairs[] = {
    {"empty and singleton cluster", {-.6, -.6, -.6, .9}, {-.6, -.6, -.6}, 4, 3},
    {"far outlier", {-1, -1, -1, -1, 50}, {-1, -1, -1, -1}, 5, 4},
    {"duplicate mass", {.5, .5, .5, .5, .5, .5}, {.5, .5, .5, .5, .5}, 6, 5},
    {"clip boundary", {1, 1.0000001, -1}, {1, 1.0000001}, 3, 2},
    {"one row or none", {1}, {0}, 1, 0},
};
static const pair replaced[] = {
    {"from end to end", {-1, -.5, .5}, {1, -.5, .5}, 3, 3},
    {"across the split", {-.1, -.5, .5}, {.1, -.5, .5}, 3, 3},
};

/* ---- the real thing ---- */

typedef struct {
    double epsilon;
    kith_neighbors neighbors;
    uint32_t rounds;
} claim;

static void run_kith(void *arg, const double *rows, size_t n, uint64_t seed,
                     double *out)
{
    const claim *c = arg;
    kith_session *s = open_session(load(rows, n, 1, unit_box()), c->epsilon, 0,
                                   c->neighbors, 1, seed);
    kith_kmeans_options opt;
    kith_kmeans_options_init(&opt, sizeof opt);
    opt.clusters = 2;
    opt.method = KITH_KMEANS_LLOYD;
    opt.rounds = c->rounds;
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
    out[6] = weights[0] - weights[1];
    out[7] = out[4] + out[5];
    kith_result_free(r);
    kith_session_close(s);
}

static void test_lloyd(void **state)
{
    (void)state;
    for (uint32_t rounds = 1; rounds <= 2; rounds++) {
        claim c = {1, KITH_ADD_REMOVE, rounds};
        for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
            assert_true(audit_both(run_kith, &c, pairs[i].a, pairs[i].n,
                                   pairs[i].b, pairs[i].m, 1000) <= 1);
        c.neighbors = KITH_REPLACE_ONE;
        for (size_t i = 0; i < sizeof replaced / sizeof *replaced; i++)
            assert_true(audit_both(run_kith, &c, replaced[i].a, replaced[i].n,
                                   replaced[i].b, replaced[i].m, 1000) <= 1);
    }
}

/* ---- the release that every round makes, before any post-processing ---- */

/* |x| - |x - shift|: what a Laplace release says about a shift. */
static double says(double x, double shift)
{
    return fabs(x) - fabs(x - shift);
}

static void run_release(void *arg, const double *rows, size_t n, uint64_t seed,
                        double *out)
{
    const claim *c = arg;
    kith_session *s = open_session(load(rows, n, 1, unit_box()), c->epsilon, 0,
                                   c->neighbors, 1, seed);
    kith_i_loss half = kith_i_session_left(s) / 2;
    near_points near; /* cells: x < 0 and x >= 0 */
    kith_i_ask ask = {.place = near_first(&near, (double[]){-1, 0}, 2, 1)};
    kith_i_cells_spec spec = {.what = "audit",
                              .cells = 2,
                              .width = 1,
                              .count_charge = half,
                              .sum_charge = half};
    kith_i_cells cells;
    if (kith_i_release_cells(s, &ask, &spec, &cells, NULL))
        fail();
    double unit = 16384;
    for (int j = 0; j < 2; j++) {
        out[j] = (double)cells.counts[j];
        out[2 + j] = (double)cells.sums[j];
    }
    out[4] = says(out[1], 1) + says(out[3] / unit, 1); /* one row at 1 */
    out[5] = says(out[0] - 1, 1) + says(out[2] / unit + 1, -1);
    out[6] = says(out[0] - 1, 1) + says(out[2] / unit + 0.5, -1) +
             says(out[1] - 1, -1) + says(out[3] / unit - 0.5, -1);
    kith_i_cells_free(&cells);
    kith_session_close(s);
}

/* The claim of 1 stands at 1, and falls when the noise is made for 2.5. */
static void test_release(void **state)
{
    (void)state;
    claim sound = {1, KITH_ADD_REMOVE, 0}, weak = {2.5, KITH_ADD_REMOVE, 0};
    double worst = -HUGE_VAL, worst_weak = -HUGE_VAL;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        const pair *p = &pairs[i];
        worst = fmax(worst, audit_both(run_release, &sound, p->a, p->n, p->b,
                                       p->m, 3000));
        worst_weak = fmax(worst_weak, audit_both(run_release, &weak, p->a, p->n,
                                                 p->b, p->m, 3000));
    }
    print_message("add-remove: epsilon >= %.3f at 1, %.3f at 2.5\n", worst,
                  worst_weak);
    assert_true(worst <= 1 && worst_weak > 1);
    worst = worst_weak = -HUGE_VAL;
    sound.neighbors = weak.neighbors = KITH_REPLACE_ONE;
    for (size_t i = 0; i < sizeof replaced / sizeof *replaced; i++) {
        const pair *p = &replaced[i];
        worst = fmax(worst, audit_both(run_release, &sound, p->a, p->n, p->b,
                                       p->m, 3000));
        worst_weak = fmax(worst_weak, audit_both(run_release, &weak, p->a, p->n,
                                                 p->b, p->m, 3000));
    }
    print_message("replace-one: epsilon >= %.3f at 1, %.3f at 2.5\n", worst,
                  worst_weak);
    assert_true(worst <= 1 && worst_weak > 1);
}

/* ---- one round of Lloyd, written out, with faults to switch on ---- */

typedef enum {
    SOUND,
    HALF_THE_NOISE,
    UNCLIPPED_ROW,
    EMPTY_CLUSTER_SKIPPED,
    REUSED_DRAW,
    SWAPPED_BUDGETS,
    EXACT_COUNT
} fault;

typedef struct {
    double epsilon;
    fault fault;
} variant;

enum { UNIT = 1024 }; /* lattice steps in 1 */

/* Cells: x < 0 and x >= 0. A third of epsilon for counts (sensitivity 1), the
 * rest for sums (sensitivity UNIT). */
static void run_variant(void *arg, const double *rows, size_t n, uint64_t seed,
                        double *out)
{
    const variant *v = arg;
    kith_i_entropy_source source = {.seeded = 1, .seed = seed};
    kith_i_entropy e;
    kith_i_entropy_open(&e, &source, 0);
    int64_t count[2] = {0}, sum[2] = {0};
    for (size_t i = 0; i < n; i++) {
        double x = rows[i];
        if (v->fault != UNCLIPPED_ROW)
            x = x < -1 ? -1 : (x > 1 ? 1 : x);
        int cell = x >= 0;
        count[cell]++;
        sum[cell] += (int64_t)(x * UNIT);
    }
    double for_count = v->epsilon / 3, for_sum = v->epsilon * 2 / 3;
    double scale_count = 1 / for_count, scale_sum = UNIT / for_sum;
    if (v->fault == SWAPPED_BUDGETS) {
        scale_count = UNIT / for_count;
        scale_sum = 1 / for_sum;
    }
    double part = v->fault == HALF_THE_NOISE ? 0.5 : 1;
    kith_i_scale a = {(uint64_t)(scale_count * part * 0x1p20), 20};
    kith_i_scale b = {(uint64_t)(scale_sum * part * 0x1p20), 20};
    for (int c = 0; c < 2; c++) {
        int skip = v->fault == EMPTY_CLUSTER_SKIPPED && count[c] == 0;
        int64_t noise =
            skip || v->fault == EXACT_COUNT ? 0 : kith_i_sample_laplace(&e, a);
        int64_t more = skip                      ? 0
                       : v->fault == REUSED_DRAW ? noise * UNIT
                                                 : kith_i_sample_laplace(&e, b);
        out[c] = (double)(count[c] + noise);
        out[2 + c] = (double)(sum[c] + more);
        out[4 + c] = out[2 + c] - UNIT * out[c];
    }
    out[6] = out[0] + out[1];
    out[7] = out[2] + out[3];
    kith_i_entropy_close(&e);
}

/* Largest bound over all pairs. */
static double audit_variant(variant *v, size_t runs)
{
    double worst = -HUGE_VAL;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        worst = fmax(worst, audit_both(run_variant, v, pairs[i].a, pairs[i].n,
                                       pairs[i].b, pairs[i].m, runs));
    return worst;
}

static void test_faults_are_caught(void **state)
{
    (void)state;
    static const char *names[] = {"sound",         "half the noise",
                                  "unclipped row", "empty cluster skipped",
                                  "reused draw",   "swapped budgets",
                                  "exact count"};
    for (fault f = SOUND; f <= EXACT_COUNT; f++) {
        variant v = {1, f};
        double e = audit_variant(&v, 4000);
        print_message("%s: epsilon >= %.3f, claimed 1\n", names[f], e);
        assert_true(f == SOUND ? e <= 1 : e > 1);
    }
}

/* diffprivlib's mistake at a small budget: skipping empty clusters. */
static void test_small_budget(void **state)
{
    (void)state;
    variant v = {0.1, SOUND};
    assert_true(audit_variant(&v, 8000) <= 0.1);
    v.fault = EMPTY_CLUSTER_SKIPPED;
    double e = audit_variant(&v, 8000);
    print_message("empty cluster skipped: epsilon >= %.3f, claimed 0.1\n", e);
    assert_true(e > 0.1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lloyd),
        cmocka_unit_test(test_release),
        cmocka_unit_test(test_faults_are_caught),
        cmocka_unit_test(test_small_budget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

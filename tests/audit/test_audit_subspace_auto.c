/* Audit of the release of fourth moments and of `auto` for planes (R15): runs
 * on neighbouring rows give a lower bound on mu of Gaussian DP (or epsilon of
 * pure DP) that is wrong with probability at most 2e-6; it must not exceed the
 * claim, and must where a fault was planted:
 *   - the sqrt 2 (or 2) forgotten: a session that prices for neighbours that
 *     add or remove a row, while one is replaced;
 *   - shares over 1: a run that spends twice what it was given. */
#include <math.h>

#include "audit/audit.h"
#include "release/release_gram.h"
#include "release/release_tensor.h"
#include "support/make_planes.h"

#define ALPHA 1e-6

static double normal_quantile(double p)
{
    double low = -9, high = 9;
    for (int i = 0; i < 80; i++) {
        double x = (low + high) / 2;
        if (erfc(-x / sqrt(2)) / 2 < p)
            low = x;
        else
            high = x;
    }
    return (low + high) / 2;
}

typedef enum { SOUND, NO_ROOT, OVER, ROOT } fault;

typedef struct {
    int pure;
    fault fault;
    uint32_t d, k, q;
} variant;

/* A session for many runs, since opening one takes longer than a run; each may
 * spend mu = 1, or epsilon = 1. */
enum { RUNS_A_SESSION = 250 };

static kith_i_loss spending(const variant *v)
{
    kith_i_loss one = (kith_i_loss)1 << KITH_I_LOSS_BITS;
    return v->fault == ROOT ? kith_i_loss_share(one << 1, M_SQRT1_2)
                            : one << (v->fault == OVER);
}

static kith_session *open_variant(const variant *v, const double *rows,
                                  size_t n, uint64_t seed)
{
    return open_session(
        load(rows, n, v->d, unit_rows()), 4000, v->pure ? 0 : 1e-6,
        v->fault == NO_ROOT ? KITH_ADD_REMOVE : KITH_REPLACE_ONE, 1, seed);
}

typedef double variant_fn(const variant *v, kith_session *s);

/* Fourth moments in the plane: M_1111 - M_2222, along which rows e1 and e2
 * differ most. */
static double run_tensor(const variant *v, kith_session *s)
{
    kith_i_tensor_spec spec = {.what = "m", .bits = 10, .charge = spending(v)};
    kith_i_tensor about;
    int64_t m[5];
    kith_error err = {0};
    if (kith_i_release_tensor(s, &spec, m, &about, &err))
        fail_msg("%s", err.message);
    return (double)(m[0] - m[4]);
}

/* Second moments with a Wishart difference (two cells, one of them empty, so
 * that it is the smaller noise in the plane): far out along e1 - e2. There the
 * sum of two traces, each with a tail of e^{-x / b}, tells most. */
static double run_gram(const variant *v, kith_session *s)
{
    kith_i_ask ask = {0};
    kith_i_gram_spec spec = {.what = "m",
                             .cells = 2,
                             .width = 2,
                             .by_trace = 1,
                             .charge = spending(v)};
    double sd;
    int64_t m[8];
    kith_error err = {0};
    if (kith_i_release_gram(s, &ask, &spec, m, &sd, &err))
        fail_msg("%s", err.message);
    return (double)(m[0] - m[3]) - 6 * sd / sqrt(3);
}

/* How much nearer the planes are to e1 than to e2. */
static double run_planes(const variant *v, kith_session *s)
{
    double nearer = 0;
    kith_i_session_hold(s, 0);
    kith_i_session_hold(s, kith_i_session_left(s) - spending(v));
    kith_subspace_options opt;
    kith_subspace_options_init(&opt, sizeof opt);
    opt.clusters = v->k;
    opt.subspace_dimension = v->q;
    kith_result *result = NULL;
    kith_error err = {0};
    if (kith_subspace(s, &opt, &result, &err))
        fail_msg("%s", err.message);
    const double *b = kith_result_bases(result, NULL, NULL, NULL);
    for (uint32_t l = 0; l < v->k; l++) {
        const double *u = b + (size_t)l * v->d * v->q;
        nearer += u[0] * u[0] - u[v->q] * u[v->q];
    }
    kith_result_free(result);
    return nearer;
}

/* How often a run says e1, an event that was chosen beforehand. */
static size_t count_hits(variant_fn *run, const variant *v, const double *rows,
                         size_t n, size_t runs, uint64_t seed)
{
    size_t hits = 0;
    kith_session *s = NULL;
    for (size_t i = 0; i < runs; i++) {
        if (i % RUNS_A_SESSION == 0) {
            kith_session_close(s);
            s = open_variant(v, rows, n, seed << 32 | i);
        }
        hits += run(v, s) > 0;
    }
    kith_session_close(s);
    return hits;
}

/* Gaussian DP: mu >= Phi^-1(Pr[E|a]) - Phi^-1(Pr[E|b]); pure DP: epsilon is at
 * least the logarithm of the ratio. */
static double audit_loss(variant_fn *run, const variant *v, const double *a,
                         const double *b, size_t n, size_t runs)
{
    size_t on_a = count_hits(run, v, a, n, runs, 1);
    size_t on_b = count_hits(run, v, b, n, runs, 2);
    double p = audit_lower(on_a, runs, ALPHA);
    double q = audit_upper(on_b, runs, ALPHA);
    return v->pure ? log(p / q) : normal_quantile(p) - normal_quantile(q);
}

static const double first[] = {1, 0, .6, .8, -.6, .8};
static const double other[] = {0, 1, .6, .8, -.6, .8};

static void check_faults(variant_fn *run, const char *name)
{
    enum { RUNS = 3500 };
    variant v = {0, SOUND, 2, 1, 1};
    double sound = audit_loss(run, &v, first, other, 3, RUNS);
    v.fault = NO_ROOT;
    double no_root = audit_loss(run, &v, first, other, 3, RUNS);
    v.fault = OVER;
    double over = audit_loss(run, &v, first, other, 3, RUNS);
    print_message("%s: claimed mu 1; sound >= %.3f, sqrt 2 forgotten >= %.3f, "
                  "shares over 1 >= %.3f\n",
                  name, sound, no_root, over);
    assert_true(sound <= 1);
    assert_true(sound > .6); /* the audit is not blind */
    assert_true(no_root > 1);
    assert_true(over > 1);
}

static void test_tensor(void **state)
{
    (void)state;
    check_faults(run_tensor, "fourth moments");
}

static void test_one_plane(void **state)
{
    (void)state;
    check_faults(run_planes, "one plane");
}

/* Wishart differences: half the noise (spending twice), and the price of an
 * added row for a replaced one, are both a loss of 2; sqrt 2 in place of 2, as
 * for the Frobenius norm, is a loss of 1.41, which this event cannot tell from
 * 1 by so many runs, but it must see more than of the sound one. */
static void test_wishart(void **state)
{
    (void)state;
    enum { RUNS = 40000 };
    static const double e1[] = {1, 0, 0, 1, 0, 1}, e2[] = {0, 1, 0, 1, 0, 1};
    double found[4];
    for (int f = SOUND; f <= ROOT; f++) {
        variant v = {1, (fault)f, 2, 1, 1};
        found[f] = audit_loss(run_gram, &v, e1, e2, 3, RUNS);
    }
    print_message("wishart: claimed epsilon 1; sound >= %.3f, added for "
                  "replaced >= %.3f, half the noise >= %.3f, sqrt 2 >= %.3f\n",
                  found[SOUND], found[NO_ROOT], found[OVER], found[ROOT]);
    assert_true(found[SOUND] <= 1 && found[SOUND] > .2);
    assert_true(found[NO_ROOT] > 1);
    assert_true(found[OVER] > 1);
    assert_true(found[ROOT] > found[SOUND] + .15);
}

/* Pure DP; and the whole pipeline with two planes, where one row in sixty
 * decides little: there the audit can only fail to find a leak. */
static void test_pure_and_pipeline(void **state)
{
    (void)state;
    variant pure = {1, SOUND, 2, 1, 1};
    double e = audit_loss(run_planes, &pure, first, other, 3, 3000);
    print_message("one plane, pure: epsilon >= %.3f of 1\n", e);
    assert_true(e <= 1 && e > .1);
    enum { N = 60, D = 3 };
    double *rows = make_planes(N, D, 2, 1, .02, 5, NULL);
    double *changed = make_planes(N, D, 2, 1, .02, 5, NULL);
    for (int i = 0; i < D; i++) {
        rows[i] = i == 0;
        changed[i] = i == 1;
    }
    variant two = {0, SOUND, D, 2, 1};
    double got = audit_loss(run_planes, &two, rows, changed, N, 150);
    print_message("two planes: mu >= %.3f of 1\n", got);
    assert_true(got <= 1);
    free(rows);
    free(changed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tensor),
        cmocka_unit_test(test_one_plane),
        cmocka_unit_test(test_wishart),
        cmocka_unit_test(test_pure_and_pipeline),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

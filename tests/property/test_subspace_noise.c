/* What a plan predicts for planes (--dry-run), and what a run says of its own:
 * the angle by which noise turns them is compared with runs on rows that lie in
 * planes, without other noise.
 * Each mean square has 48 degrees of freedom or more, so its root is within a
 * factor 2 of what is expected but for 1e-6; formulas are to first order. */
#include <math.h>

#include "support/make_planes.h"

enum { N = 4000, D = 6, Q = 2, RUNS = 6 };

typedef struct {
    const char *name;
    kith_subspace_method method;
    uint32_t k, rounds;
    double epsilon;
} sample;

static kith_subspace_options options(const sample *s)
{
    kith_subspace_options opt;
    kith_subspace_options_init(&opt, sizeof opt);
    opt.clusters = s->k;
    opt.subspace_dimension = Q;
    opt.method = s->method;
    opt.rounds = s->rounds;
    return opt;
}

/* Sum of the squared sines between plane l of a result (d x q each) and the
 * nearest of k true planes (q x d each). */
static double nearest(const double *bases, uint32_t l, const double *truth,
                      uint32_t k)
{
    const double *u = bases + (size_t)l * D * Q;
    double best = 0;
    for (uint32_t t = 0; t < k; t++) {
        double inside = 0;
        for (int i = 0; i < Q; i++)
            for (int j = 0; j < Q; j++) {
                const double *v = truth + (t * Q + (size_t)j) * D;
                double dot = 0;
                for (int c = 0; c < D; c++)
                    dot += u[c * Q + i] * v[c];
                inside += dot * dot;
            }
        best = fmax(best, inside);
    }
    return fmax(Q - best, 0);
}

static double predicted(const sample *s, const kith_privacy *privacy)
{
    kith_bounds bounds = unit_rows();
    kith_subspace_options opt = options(s);
    kith_result *plan = NULL;
    kith_error err = {0};
    if (kith_subspace_plan(&(kith_shape){N, D, 0, 0}, &bounds, privacy, &opt,
                           &plan, &err))
        fail_msg("%s", err.message);
    double noise = kith_result_noise(plan);
    kith_result_free(plan);
    return noise;
}

/* Does the method release anything but planes? */
static int tells(const sample *s)
{
    return s->method == KITH_SUBSPACE_AUTO || s->method == KITH_SUBSPACE_SULQ;
}

/* Root mean square over planes and runs; a run that ended at other planes (a
 * poor optimum, as far away as chance) does not count. *said: the same of what
 * the runs themselves say, or NaN. */
static double measured(const sample *s, const kith_privacy *privacy,
                       double *said)
{
    *said = 0;
    double *truth = malloc(sizeof *truth * s->k * Q * D), sum = 0;
    double *rows = make_planes(N, D, s->k, Q, 0, 3, truth);
    int good = 0;
    for (uint64_t seed = 1; seed <= 2 * RUNS && good < RUNS; seed++) {
        kith_session *session =
            open_session(load(rows, N, D, unit_rows()), privacy->epsilon,
                         privacy->delta, privacy->neighbors, 2, seed);
        kith_subspace_options opt = options(s);
        opt.public_seed = seed;
        kith_result *result = NULL;
        kith_error err = {0};
        if (kith_subspace(session, &opt, &result, &err))
            fail_msg("%s", err.message);
        const double *bases = kith_result_bases(result, NULL, NULL, NULL);
        double all = 0;
        for (uint32_t l = 0; l < s->k; l++)
            all += nearest(bases, l, truth, s->k) / s->k;
        good += all < .3;
        sum += all < .3 ? all : 0;
        *said += all < .3 ? pow(kith_result_noise(result), 2) / RUNS : 0;
        kith_quality q = {.size = sizeof q};
        kith_result_quality(result, &q);
        assert_int_equal(q.directions, tells(s) ? s->k * Q : 0);
        assert_true(all >= .3 || q.lost == 0);
        assert_int_equal(q.untold, !tells(s));
        kith_result_free(result);
        kith_session_close(session);
    }
    assert_int_equal(good, RUNS);
    free(truth);
    free(rows);
    *said = sqrt(*said);
    return sqrt(sum / RUNS);
}

static void test_predictions(void **state)
{
    (void)state;
    static const sample samples[] = {
        {"auto", KITH_SUBSPACE_AUTO, 2, 0, 3},
        {"sulq, one plane", KITH_SUBSPACE_SULQ, 1, 3, 1},
        {"sulq", KITH_SUBSPACE_SULQ, 2, 10, 10},
        {"bingham, one plane", KITH_SUBSPACE_BINGHAM, 1, 3, 3},
        {"bingham", KITH_SUBSPACE_BINGHAM, 2, 10, 30},
        {"gibbs", KITH_SUBSPACE_GIBBS, 2, 150, 200},
        {"mincost", KITH_SUBSPACE_MINCOST, 2, 600, 10},
    };
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++)
        for (int mode = 0; mode < 4; mode++) {
            const sample *s = &samples[i];
            kith_privacy privacy = {s->epsilon, mode & 1 ? 1e-6 : 0,
                                    mode & 2 ? KITH_REPLACE_ONE
                                             : KITH_ADD_REMOVE};
            double said, want = predicted(s, &privacy);
            double got = measured(s, &privacy, &said);
            print_message("%-20s mode %d: predicted %.4g, said %.4g, "
                          "measured %.4g\n",
                          s->name, mode, want, said, got);
            assert_true(want > got / 2 && want < got * 2);
            assert_true(tells(s) ? said > got / 2 && said < got * 2
                                 : isnan(said));
        }
}

/* Sample and aggregate: its noise depends on the rows. A plane that is the
 * whole space is not turned. */
static void test_unpredicted(void **state)
{
    (void)state;
    kith_privacy privacy = {300, 1e-6, KITH_REPLACE_ONE};
    sample s = {"", KITH_SUBSPACE_SAMPLE_AGGREGATE, 1, 0, 100};
    assert_true(isnan(predicted(&s, &privacy)));
    s.method =
        KITH_SUBSPACE_GIBBS; /* labels are no labels at a small epsilon */
    s.k = 2;
    assert_true(predicted(&s, &privacy) > 0);
    privacy.epsilon = 1;
    assert_true(isnan(predicted(&s, &privacy)));
    kith_bounds bounds = unit_rows();
    for (int m = 0; m < 4; m++) {
        static const kith_subspace_method methods[] = {
            KITH_SUBSPACE_AUTO, KITH_SUBSPACE_SULQ, KITH_SUBSPACE_BINGHAM,
            KITH_SUBSPACE_GIBBS};
        s.method = methods[m];
        kith_subspace_options opt = options(&s);
        kith_result *plan = NULL;
        assert_int_equal(kith_subspace_plan(&(kith_shape){N, Q, 0, 0}, &bounds,
                                            &privacy, &opt, &plan, NULL),
                         KITH_OK);
        assert_true(kith_result_noise(plan) == 0);
        kith_result_free(plan);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_predictions),
        cmocka_unit_test(test_unpredicted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Audit of `--method gibbs` on neighbouring rows (R15): the laws that planes
 * are drawn from, and the weights of labels, are watched
 * (support/bingham_spy.h).
 *
 * The law aimed at is exp(-b sum_i d^2(x_i, S_z)), summed over labels z. With
 * the same labels for all other rows, the range of the log-ratio over all
 * planes is exact, and holds for each label that the row in question may have;
 * a row's label weighs exp(score), 0 <= score <= b |x|^2. One state leaves:
 * each sweep alone is held against what was declared (that the chain has this
 * law in its limit only is what "asymptotic" says). No sampling, no false
 * alarms. Planted: the 2 of a replaced row forgotten, more than was declared,
 * labels or planes with an exponent of their own. */
#include "base/words.h"
#include "kernel/linear.h"
#include "subspace/bingham_draw.h"
#include "support/bingham_spy.h"

static double plane_fault = 1, label_fault = 1, most_score;
static const double *matrix_now;

static int watched_flat(kith_i_bingham *space, const double *a,
                        kith_i_words *words, double *plane)
{
    double b[SPY_D * SPY_D];
    for (int i = 0; i < SPY_D * SPY_D; i++)
        b[i] = a[i] * plane_fault;
    size_t at = spy.calls;
    (void)spy_matrix(b, space->d, space->q);
    matrix_now = spy.matrix[at]; /* recorded, now or before */
    return kith_i_bingham_flat(space, matrix_now, words, plane);
}

static void watched_sweep(kith_i_bingham *space, const double *a,
                          kith_i_words *words, double *basis)
{
    (void)a; /* the one that watched_flat was shown */
    kith_i_bingham_sweep(space, matrix_now, words, basis);
}

static void watched_labels(double *scores, uint32_t k, const uint32_t *coins,
                           uint32_t n, uint32_t *label)
{
    for (uint32_t l = 0; l < k; l++)
        for (uint32_t r = 0; r < n; r++) {
            double *at = &scores[l * KITH_I_LABEL_ROWS + r], score = *at;
            *at = score *= label_fault;
            assert_true(score >= 0);
            most_score = fmax(most_score, score);
        }
    kith_i_label_draw(scores, k, coins, n, label);
}

/* gibbs.c, its own text, with eyes */
#define kith_i_bingham_flat  watched_flat
#define kith_i_bingham_sweep watched_sweep
#define kith_i_label_draw    watched_labels
#include "subspace/gibbs.c"
#undef kith_i_bingham_flat
#undef kith_i_bingham_sweep
#undef kith_i_label_draw

enum { SWEEPS = 40 };

typedef struct {
    double planes, labels; /* of what was declared */
} found;

static found audit(const spy_claim *c, int mistaken, double more)
{
    found most = {0, 0};
    most_score = 0;
    spy_compare(c, KITH_SUBSPACE_GIBBS, SWEEPS, mistaken, more);
    assert_int_equal(spy.calls, SWEEPS * c->k);
    for (size_t t = 0; t < SWEEPS; t++) {
        double range = 0;
        for (size_t l = 0; l < c->k; l++)
            range += spy.range[t * c->k + l];
        most.planes = fmax(most.planes, spy_worth(c, range) / spy_allowed(c));
    }
    /* a row's factor moves within exp(+-score) when it is replaced */
    double twice = c->neighbors == KITH_REPLACE_ONE ? 2 : 1;
    most.labels = spy_worth(c, twice * most_score) / spy_allowed(c);
    return most;
}

static const spy_claim claims[] = {
    {"removed", 2, 1, 2, 0, KITH_ADD_REMOVE, 0, .99},
    {"replaced", 2, 1, 2, 0, KITH_REPLACE_ONE, 1, .99},
    {"replaced, large epsilon", 3, 1, 40, 0, KITH_REPLACE_ONE, 1, .99},
    {"replaced, planes of 2", 2, 2, 8, 0, KITH_REPLACE_ONE, 2, .99},
    {"replaced by another", 2, 1, 2, 0, KITH_REPLACE_ONE, 2, .99},
    {"to a row near it", 2, 1, 1, 0, KITH_REPLACE_ONE, 3, .7},
    {"to an outlier", 2, 1, 1, 0, KITH_REPLACE_ONE, 4, .59},
    {"Gaussian, removed", 2, 1, 2, 1e-6, KITH_ADD_REMOVE, 0, .99},
    {"Gaussian, replaced", 3, 2, 2, 1e-6, KITH_REPLACE_ONE, 1, .99},
};
enum { CLAIMS = sizeof claims / sizeof *claims };

static void test_claims_stand(void **state)
{
    (void)state;
    for (size_t i = 0; i < CLAIMS; i++) {
        found f = audit(&claims[i], 0, 1);
        print_message("%-24s planes %.4f, labels %.4f\n", claims[i].name,
                      f.planes, f.labels);
        assert_true(f.planes <= 1 + 1e-6 && f.labels <= 1 + 1e-6);
        assert_true(f.planes >= claims[i].least && f.labels > .8);
    }
}

static void test_mistakes_are_caught(void **state)
{
    (void)state;
    for (size_t i = 0; i < CLAIMS; i++) {
        const spy_claim *c = &claims[i];
        found over = audit(c, 0, 2.5), two = audit(c, 1, 1);
        plane_fault = 1.8;
        found planes = audit(c, 0, 1);
        plane_fault = 1;
        label_fault = 1.8;
        found labels = audit(c, 0, 1);
        label_fault = 1;
        print_message("%-24s over %.3f %.3f two %.3f %.3f planes %.3f labels "
                      "%.3f\n",
                      c->name, over.planes, over.labels, two.planes, two.labels,
                      planes.planes, labels.labels);
        assert_true(over.planes > 1 && over.labels > 1);
        assert_true(planes.planes > 1 && labels.labels > 1);
        if (c->neighbors == KITH_REPLACE_ONE)
            assert_true(two.planes > 1 && two.labels > 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_claims_stand),
        cmocka_unit_test(test_mistakes_are_caught),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

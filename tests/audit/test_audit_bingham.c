/* Audit of `--method bingham` on neighbouring rows (R15): the laws that its
 * planes are drawn from are watched (support/bingham_spy.h) and the exact range
 * of their log-ratios, added up over the rounds, is held against what was
 * declared. No sampling, no false alarms. Planted: the 2 of a replaced row
 * forgotten, shares that add up to more than 1, an exponent 1.8 times
 * too large. (That the sampler draws from these laws:
 * tests/spec/test_hoff09_bingham.c.) */
#include "base/words.h"
#include "subspace/bingham_draw.h"
#include "support/bingham_spy.h"

static double exponent_fault = 1;

static int watched_joint(kith_i_bingham *space, const double *a, uint32_t tries,
                         kith_i_words *words, double *plane)
{
    double b[SPY_D * SPY_D];
    for (int i = 0; i < SPY_D * SPY_D; i++)
        b[i] = a[i] * exponent_fault;
    int drawn = kith_i_bingham_joint(space, spy_matrix(b, space->d, space->q),
                                     tries, words, plane);
    assert_int_equal(drawn, 1); /* else the draw would not be watched */
    return drawn;
}

/* bingham.c, its own text, with eyes */
#define kith_i_bingham_joint watched_joint
#include "subspace/bingham.c"
#undef kith_i_bingham_joint

enum { T = 3 };

static double audit(const spy_claim *c, int mistaken, double more)
{
    double sum = 0;
    spy_compare(c, KITH_SUBSPACE_BINGHAM, T, mistaken, more);
    assert_int_equal(spy.calls, T * c->k);
    for (size_t t = 0; t < T; t++) {
        double range = 0;
        for (size_t l = 0; l < c->k; l++)
            range += spy.range[t * c->k + l];
        sum += spy_worth(c, range);
    }
    return sum / spy_allowed(c);
}

static const spy_claim claims[] = {
    {"removed", 2, 1, 2, 0, KITH_ADD_REMOVE, 0, .99},
    {"replaced", 2, 1, 2, 0, KITH_REPLACE_ONE, 1, .99},
    {"replaced by another", 2, 1, 2, 0, KITH_REPLACE_ONE, 2, .99},
    {"replaced, one plane", 1, 2, 2, 0, KITH_REPLACE_ONE, 1, .99},
    {"to a row near it", 1, 1, 1, 0, KITH_REPLACE_ONE, 3, .79},
    {"to an outlier", 1, 1, 1, 0, KITH_REPLACE_ONE, 4, .59},
    {"Gaussian, removed", 3, 1, 2, 1e-6, KITH_ADD_REMOVE, 0, .99},
    {"Gaussian, replaced", 2, 2, 2, 1e-6, KITH_REPLACE_ONE, 1, .99},
};

int main(void)
{
    spy_suite suite = {.claims = claims,
                       .count = sizeof claims / sizeof *claims,
                       .audit = audit,
                       .fault = &exponent_fault,
                       .planted = 1.8};
    return spy_main(&suite);
}

/* Draws from Bingham laws, watched: for audits of methods that make them.
 *
 * While recording, the matrix A of every law exp(tr U A U') is kept. While
 * replaying on neighbouring rows the draw is made once more from the matrix
 * that was recorded, with the same coins: so the run takes the same path, and
 * the matrix that it asked for can be compared. For every plane U the log-ratio
 * of the two densities is tr U (A - A') U' and a constant; its range over all U
 * is exact: the sum of the q largest eigenvalues of A - A' minus that of the q
 * smallest. */
#ifndef KITH_TEST_BINGHAM_SPY_H
#define KITH_TEST_BINGHAM_SPY_H

#include <math.h>

#include "support/make_planes.h"

enum { SPY_D = 3, SPY_CALLS = 4096 };

static struct {
    int replaying;
    size_t calls, recorded;
    double matrix[SPY_CALLS][SPY_D * SPY_D];
    double range[SPY_CALLS]; /* of the log-ratio, while replaying */
} spy;

static inline void spy_record(void)
{
    spy.replaying = 0;
    spy.calls = 0;
}

static inline void spy_replay(void)
{
    spy.replaying = 1;
    spy.recorded = spy.calls;
    spy.calls = 0;
}

/* Eigenvalues of a symmetric matrix, increasing (Jacobi). Destroys it. */
static inline void spy_eigenvalues(double a[SPY_D][SPY_D], double *values)
{
    for (int round = 0; round < 30; round++)
        for (int p = 0; p < SPY_D; p++)
            for (int r = p + 1; r < SPY_D; r++) {
                double t = atan2(2 * a[p][r], a[r][r] - a[p][p]) / 2;
                double c = cos(t), s = sin(t);
                for (int i = 0; i < SPY_D; i++) {
                    double x = a[p][i], y = a[r][i];
                    a[p][i] = c * x - s * y;
                    a[r][i] = s * x + c * y;
                }
                for (int i = 0; i < SPY_D; i++) {
                    double x = a[i][p], y = a[i][r];
                    a[i][p] = c * x - s * y;
                    a[i][r] = s * x + c * y;
                }
            }
    for (int i = 0; i < SPY_D; i++) {
        int at = i;
        for (; at > 0 && values[at - 1] > a[i][i]; at--)
            values[at] = values[at - 1];
        values[at] = a[i][i];
    }
}

/* The matrix to draw from. */
static inline const double *spy_matrix(const double *a, uint32_t d, uint32_t q)
{
    assert_int_equal(d, SPY_D);
    assert_true(spy.calls < SPY_CALLS);
    size_t at = spy.calls++;
    if (!spy.replaying) {
        memcpy(spy.matrix[at], a, sizeof spy.matrix[at]);
        return a;
    }
    assert_true(at < spy.recorded);
    double change[SPY_D][SPY_D], values[SPY_D] = {0};
    for (int i = 0; i < SPY_D * SPY_D; i++)
        change[i / SPY_D][i % SPY_D] = spy.matrix[at][i] - a[i];
    spy_eigenvalues(change, values);
    spy.range[at] = 0;
    for (uint32_t j = 0; j < q; j++)
        spy.range[at] += values[SPY_D - 1 - j] - values[j];
    return spy.matrix[at];
}

/* ---- neighbouring rows ---- */

enum { SPY_ROWS = 24 }; /* even: labels take their coins two by two */

typedef struct {
    const char *name;
    uint32_t k, q;
    double epsilon, delta;
    kith_neighbors neighbors;
    int replaced; /* by this of the rows below */
    double least; /* must be found, else the audit is blind */
} spy_claim;

static inline double *spy_rows(int last)
{
    static const double last_rows[][SPY_D] = {
        {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-.6, .8, 0}, {40, 30, 0}};
    double *rows = make_planes(SPY_ROWS, SPY_D, 2, 1, .1, 6, NULL);
    memcpy(rows + (SPY_ROWS - 1) * SPY_D, last_rows[last],
           sizeof last_rows[last]);
    return rows;
}

/* One run on these rows. mistaken: priced for a row that is added, while one is
 * replaced; more: of the epsilon declared. */
static inline void spy_run(const spy_claim *c, kith_subspace_method method,
                           uint32_t rounds, const double *rows, size_t n,
                           int mistaken, double more)
{
    kith_session *s =
        open_session(load(rows, n, SPY_D, ball(1)), c->epsilon * more, c->delta,
                     mistaken ? KITH_ADD_REMOVE : c->neighbors, 1, 1);
    kith_subspace_options opt;
    kith_subspace_options_init(&opt, sizeof opt);
    opt.clusters = c->k;
    opt.subspace_dimension = c->q;
    opt.method = method;
    opt.rounds = rounds;
    kith_result *result = NULL;
    kith_error err = {0};
    if (kith_subspace(s, &opt, &result, &err))
        fail_msg("%s", err.message);
    kith_result_free(result);
    kith_session_close(s);
}

/* Recorded and replayed. */
static inline void spy_compare(const spy_claim *c, kith_subspace_method method,
                               uint32_t rounds, int mistaken, double more)
{
    double *a = spy_rows(0), *b = spy_rows(c->replaced);
    size_t m = c->neighbors == KITH_REPLACE_ONE ? SPY_ROWS : SPY_ROWS - 1;
    spy_record();
    spy_run(c, method, rounds, a, SPY_ROWS, mistaken, more);
    spy_replay();
    spy_run(c, method, rounds, b, m, mistaken, more);
    assert_int_equal(spy.calls, spy.recorded);
    free(a);
    free(b);
}

/* What was declared: epsilon, or mu^2. */
static inline double spy_allowed(const spy_claim *c)
{
    double mu = c->epsilon;
    if (c->delta == 0)
        return mu;
    assert_int_equal(kith_privacy_mu(c->epsilon, c->delta, &mu, NULL), KITH_OK);
    return mu * mu;
}

/* What a range of log-ratios is worth: as epsilon, or (bounded range) mu^2. */
static inline double spy_worth(const spy_claim *c, double range)
{
    double mu = sqrt(2 * M_PI) / 4 * range;
    return c->delta > 0 ? mu * mu : range;
}

/* ---- the two tests of an audit with one figure for each claim ---- */

typedef struct {
    const spy_claim *claims;
    size_t count;
    /* What was found of what is allowed. */
    double (*audit)(const spy_claim *c, int mistaken, double more);
    double *fault, planted; /* a factor in the method's text; a wrong one */
} spy_suite;

static inline void spy_claims_stand(void **state)
{
    const spy_suite *s = *state;
    for (size_t i = 0; i < s->count; i++) {
        double found = s->audit(&s->claims[i], 0, 1);
        print_message("%-24s %.4f\n", s->claims[i].name, found);
        assert_true(found <= 1 + 1e-6);
        assert_true(found >= s->claims[i].least);
    }
}

static inline void spy_mistakes_are_caught(void **state)
{
    const spy_suite *s = *state;
    for (size_t i = 0; i < s->count; i++) {
        const spy_claim *c = &s->claims[i];
        double over = s->audit(c, 0, 2.5), two = s->audit(c, 1, 1);
        *s->fault = s->planted;
        double wrong = s->audit(c, 0, 1);
        *s->fault = 1;
        print_message("%-24s over %.3f two %.3f factor %.3f\n", c->name, over,
                      two, wrong);
        assert_true(over > 1 && wrong > 1);
        assert_true(c->neighbors == KITH_ADD_REMOVE || two > 1);
    }
}

static inline int spy_main(spy_suite *suite)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(spy_claims_stand, suite),
        cmocka_unit_test_prestate(spy_mistakes_are_caught, suite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif

/* link: support/noise_replay.c */
/* Audit of `--method sulq` and of one plane by `auto` on neighbouring rows
 * (R15), by recording and replaying (support/noise_replay.h): the loss of a
 * transcript is a sum, there are no false alarms. Held against what was
 * declared and against the receipts; rows are orthogonal where it hurts most.
 * Planted: half the noise, the sqrt 2 (or 2) of a replaced row forgotten,
 * shares that add up to more than 1. */
#include <math.h>

#include "support/make_planes.h"
#include "support/noise_replay.h"

typedef enum { SULQ, BASIC, ONE_PLANE } method;

typedef struct {
    const char *name;
    method method;
    uint32_t k, rounds;
    double epsilon, delta;
    kith_neighbors neighbors;
    int replaced; /* by this of the rows below */
    double least; /* must be found, else the audit is blind */
} claim;

enum { N = 30, D = 3 };

/* The row in question, and what becomes of it. */
static const double last_rows[][D] = {
    {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-.6, .8, 0}, {0, 0, 0}};

static double *rows_of(int last)
{
    double *rows = make_planes(N, D, 2, 1, .1, 6, NULL);
    memcpy(rows + (N - 1) * D, last_rows[last], sizeof last_rows[last]);
    return rows;
}

/* The sum of the losses on the receipts; more: of the epsilon declared. */
static double run(const claim *c, const double *rows, size_t n, int no_root,
                  double more)
{
    kith_session *s =
        open_session(load(rows, n, D, ball(1)), c->epsilon * more, c->delta,
                     no_root ? KITH_ADD_REMOVE : c->neighbors, 1, 1);
    kith_subspace_options opt;
    kith_subspace_options_init(&opt, sizeof opt);
    opt.clusters = c->k;
    opt.subspace_dimension = 1;
    opt.method =
        c->method == ONE_PLANE ? KITH_SUBSPACE_AUTO : KITH_SUBSPACE_SULQ;
    opt.basic_composition = c->method == BASIC;
    opt.rounds = c->rounds;
    kith_result *result = NULL;
    kith_error err = {0};
    if (kith_subspace(s, &opt, &result, &err))
        fail_msg("%s", err.message);
    double sum = 0;
    for (size_t i = 0; i < kith_result_receipt_count(result); i++) {
        kith_receipt r;
        kith_result_receipt(result, i, &r);
        sum += c->delta > 0 ? r.loss * r.loss : r.loss;
    }
    kith_result_free(result);
    kith_session_close(s);
    return sum;
}

/* What (epsilon, delta) allows, in mu^2 or epsilon. */
static double allowed(const claim *c)
{
    double parts = c->method == BASIC ? c->rounds : 1, mu = c->epsilon;
    if (c->delta == 0)
        return mu;
    assert_int_equal(
        kith_privacy_mu(c->epsilon / parts, c->delta / parts, &mu, NULL),
        KITH_OK);
    return parts * mu * mu;
}

/* Largest loss of a transcript over what was promised and over what the
 * receipts say; both ways round, releases steered one after the other. */
static double audit(const claim *c, replay_fault fault, int no_root,
                    double more)
{
    int replace = c->neighbors == KITH_REPLACE_ONE;
    double *rows[2] = {rows_of(0), rows_of(c->replaced)}, worst = 0;
    for (int way = 0; way < 2; way++) {
        size_t calls = 1;
        replay_reset(fault);
        for (size_t known = 0; known <= calls; known++) {
            size_t n[2] = {N, replace ? N : N - 1};
            replay.known = known;
            replay_record(3);
            double receipts = run(c, rows[way], n[way], no_root, more);
            calls = replay.calls;
            replay_again();
            run(c, rows[1 - way], n[1 - way], no_root, more);
            assert_false(replay.differs);
            assert_int_equal(replay.calls, calls);
            double loss = c->delta > 0 ? replay.squares : fabs(replay.loss);
            worst = fmax(worst, fmax(loss / allowed(c), loss / receipts));
        }
    }
    replay_reset(FAULT_NONE);
    free(rows[0]);
    free(rows[1]);
    return worst;
}

static const claim claims[] = {
    {"sulq, removed", SULQ, 2, 3, 1, 1e-6, KITH_ADD_REMOVE, 0, .99},
    {"sulq, replaced", SULQ, 2, 3, 1, 1e-6, KITH_REPLACE_ONE, 1, .99},
    {"sulq, replaced by another", SULQ, 2, 3, 3, 1e-6, KITH_REPLACE_ONE, 2,
     .99},
    {"sulq, to a row near it", SULQ, 2, 3, 1, 1e-6, KITH_REPLACE_ONE, 3, .4},
    {"sulq, to zero", SULQ, 3, 2, 1, 1e-6, KITH_REPLACE_ONE, 4, .49},
    {"basic, removed", BASIC, 2, 4, 1, 1e-6, KITH_ADD_REMOVE, 0, .99},
    {"basic, replaced", BASIC, 2, 4, 1, 1e-4, KITH_REPLACE_ONE, 2, .99},
    {"sulq, pure, removed", SULQ, 2, 3, 1, 0, KITH_ADD_REMOVE, 0, .95},
    {"sulq, pure, replaced", SULQ, 2, 3, 1, 0, KITH_REPLACE_ONE, 1, .7},
    {"sulq, pure, one plane", SULQ, 1, 2, 1, 0, KITH_REPLACE_ONE, 1, .95},
    {"auto, one plane", ONE_PLANE, 1, 0, 1, 1e-6, KITH_REPLACE_ONE, 1, .99},
    {"auto, one plane, removed", ONE_PLANE, 1, 0, 1, 1e-6, KITH_ADD_REMOVE, 0,
     .98},
    {"auto, one plane, pure", ONE_PLANE, 1, 0, 1, 0, KITH_REPLACE_ONE, 1, .99},
    {"auto, one plane, pure, removed", ONE_PLANE, 1, 0, 1, 0, KITH_ADD_REMOVE,
     0, .98},
};
enum { CLAIMS = sizeof claims / sizeof *claims };

static void test_claims_stand(void **state)
{
    (void)state;
    for (size_t i = 0; i < CLAIMS; i++) {
        double found = audit(&claims[i], FAULT_NONE, 0, 1);
        print_message("%-32s %.4f\n", claims[i].name, found);
        assert_true(found <= 1 + 1e-6);
        assert_true(found >= claims[i].least);
    }
}

static void test_mistakes_are_caught(void **state)
{
    (void)state;
    for (size_t i = 0; i < CLAIMS; i++) {
        const claim *c = &claims[i];
        double half = audit(c, FAULT_HALF_THE_NOISE, 0, 1);
        double over = audit(c, FAULT_NONE, 0, 2.5);
        double root = audit(c, FAULT_NONE, 1, 1);
        print_message("%-32s half %.3f over %.3f root %.3f\n", c->name, half,
                      over, root);
        assert_true(half > 1);
        assert_true(over > 1);
        if (c->neighbors == KITH_REPLACE_ONE && c->least > .5)
            assert_true(root > 1.3);
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

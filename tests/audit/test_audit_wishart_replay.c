/* link: support/noise_replay.c */
/* Audit of `auto` for planes in pure DP, where its moments get Wishart
 * differences (R15): recorded and replayed on neighbouring rows
 * (support/noise_replay.h), so there are no false alarms. One plane; the fit
 * alone; all releases of the pipeline; rows that are clipped only. Held against
 * what was declared and against the receipts. Planted: half the noise, the
 * price of an added row for a replaced one, shares that add up to more than 1.
 */
#include <math.h>

#include "support/make_planes.h"
#include "support/noise_replay.h"

typedef struct {
    const char *name;
    uint32_t k, q;
    int clip;
    double epsilon;
    kith_neighbors neighbors;
    int replaced;    /* by this of the rows below */
    size_t wisharts; /* receipts that must say so; 0: the noisy count decides */
    double least;    /* must be found, else the audit is blind */
} claim;

enum { N = 60, D = 9 };

/* The row in question, and what becomes of it. */
static const double last_rows[][D] = {{1}, {0, 1}, {0, 0, 1}, {-.6, .8}, {0}};

static double *rows_of(int last)
{
    double *rows = make_planes(N, D, 2, 2, .1, 6, NULL);
    memcpy(rows + (N - 1) * D, last_rows[last], sizeof last_rows[last]);
    return rows;
}

/* The sum of the losses on the receipts; more: of the epsilon declared. */
static double run(const claim *c, const double *rows, size_t n, int no_twice,
                  double more)
{
    kith_session *s = open_session(
        load(rows, n, D, c->clip ? ball(1) : unit_rows()), c->epsilon * more, 0,
        no_twice ? KITH_ADD_REMOVE : c->neighbors, 1, 1);
    kith_subspace_options opt;
    kith_subspace_options_init(&opt, sizeof opt);
    opt.clusters = c->k;
    opt.subspace_dimension = c->q;
    kith_result *result = NULL;
    kith_error err = {0};
    if (kith_subspace(s, &opt, &result, &err))
        fail_msg("%s", err.message);
    double sum = 0;
    size_t wisharts = 0;
    for (size_t i = 0; i < kith_result_receipt_count(result); i++) {
        kith_receipt r;
        kith_result_receipt(result, i, &r);
        sum += r.loss;
        wisharts += strcmp(r.mechanism, "wishart") == 0;
    }
    assert_true(wisharts > 0);
    if (!no_twice && more == 1 && c->wisharts > 0)
        assert_int_equal(wisharts, c->wisharts);
    kith_result_free(result);
    kith_session_close(s);
    return sum;
}

/* Largest loss of a transcript over what was promised and over what the
 * receipts say; both ways round, releases steered one after the other. */
static double audit(const claim *c, replay_fault fault, int no_twice,
                    double more)
{
    int replace = c->neighbors == KITH_REPLACE_ONE;
    double *rows[2] = {rows_of(0), rows_of(c->replaced)}, worst = 0;
    for (int way = 0; way < 2; way++) {
        size_t calls = 1;
        replay_reset(fault);
        /* planted mistakes show without steering one by one */
        int quick = fault != FAULT_NONE || no_twice || more > 1;
        for (size_t known = 0; known <= calls; known += quick ? calls : 1) {
            size_t n[2] = {N, replace ? N : N - 1};
            replay.known = known;
            replay_record(3);
            double receipts = run(c, rows[way], n[way], no_twice, more);
            calls = replay.calls;
            replay_again();
            run(c, rows[1 - way], n[1 - way], no_twice, more);
            assert_false(replay.differs);
            assert_int_equal(replay.calls, calls);
            double loss = fabs(replay.loss);
            worst = fmax(worst, fmax(loss / c->epsilon, loss / receipts));
        }
    }
    replay_reset(FAULT_NONE);
    free(rows[0]);
    free(rows[1]);
    return worst;
}

static const claim claims[] = {
    {"one plane, replaced", 1, 2, 0, 1, KITH_REPLACE_ONE, 1, 1, .99},
    {"one plane, removed", 1, 2, 0, 1, KITH_ADD_REMOVE, 0, 1, .98},
    {"one plane, to zero", 1, 2, 1, 1, KITH_REPLACE_ONE, 4, 1, .49},
    {"fit in a view, replaced", 2, 2, 0, 9, KITH_REPLACE_ONE, 1, 2, .5},
    {"fit in a view, removed", 2, 2, 0, 9, KITH_ADD_REMOVE, 0, 0, .5},
    {"all, in a view, replaced", 2, 2, 0, 40, KITH_REPLACE_ONE, 1, 3, .5},
    {"all, in a view, removed", 2, 2, 0, 20, KITH_ADD_REMOVE, 0, 0, .5},
    {"all, replaced", 2, 2, 0, 60, KITH_REPLACE_ONE, 1, 2, .8},
    {"all, to another", 2, 2, 0, 60, KITH_REPLACE_ONE, 2, 2, .8},
    {"all, to one near it", 2, 2, 0, 60, KITH_REPLACE_ONE, 3, 2, .5},
    {"all, removed", 2, 2, 0, 60, KITH_ADD_REMOVE, 0, 0, .8},
    {"all, clipped, replaced", 2, 2, 1, 60, KITH_REPLACE_ONE, 1, 3, .5},
    {"all, clipped, removed", 2, 2, 1, 60, KITH_ADD_REMOVE, 0, 0, .5},
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
        double once = audit(c, FAULT_NONE, 1, 1);
        print_message("%-32s half %.3f over %.3f once %.3f\n", c->name, half,
                      over, once);
        assert_true(half > (c->least < .7 ? .95 : 1.3));
        assert_true(over > (c->least < .7 ? 1 : 1.3));
        if (c->neighbors == KITH_REPLACE_ONE && c->least > .7)
            assert_true(once > 1.3);
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

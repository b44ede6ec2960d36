/* Out of memory everywhere in a round of the local system: questions of every
 * kind through both collectors, a saved and loaded tally, a published round.
 * Seeded and on one thread, so that every run asks for memory alike. */
/* link: support/mem_failing.c */
#include "collect/round_text.h"
#include "simulate/crowd.h"
#include "torture/torture.h"

enum { N = 200, D = 2, K = 2, ASKED = 6 };
static const double POINTS[] = {-.5, -.5, .5, .5}, RADII[] = {.5, .25};
static const double HALF[] = {1, 1};
static const uint64_t KEYS[] = {0, 5};

static void fill(kith_i_question *q)
{
    kith_i_question base = {.what = "test",
                            .share = .125,
                            .epsilon = 1,
                            .report = KITH_I_REPORT_SYMBOL,
                            .place = {.kind = KITH_I_PLACE_NEAREST,
                                      .places = K,
                                      .lens = {.q = D, .d = D},
                                      .points = POINTS},
                            .centers = POINTS,
                            .radii = RADII};
    for (int i = 0; i < ASKED; i++)
        q[i] = base;
    q[1].randomizer = KITH_I_RANDOMIZER_OLH;
    q[2].randomizer = KITH_I_RANDOMIZER_HADAMARD;
    q[3].report = KITH_I_REPORT_MOMENT;
    q[4].report = KITH_I_REPORT_VECTOR;
    q[4].randomizer = KITH_I_RANDOMIZER_GAUSSIAN;
    q[4].delta = 1e-6;
    q[5].place = (kith_i_place){.kind = KITH_I_PLACE_GRID,
                                .places = UINT64_C(1) << 40,
                                .grid = {.lens = {D, D, NULL, NULL, HALF},
                                         .side = .5,
                                         .cells = 1 << 20}};
    q[5].centers = q[5].radii = NULL;
    q[5].wanted = KEYS;
    q[5].wanted_count = 2;
}

typedef kith_status open_fn(const kith_dataset *, const kith_i_crowd_options *,
                            kith_i_collector **, kith_error *);

typedef struct {
    open_fn *open;
} scenario;

static kith_status run_round(const void *arg, kith_error *err)
{
    const scenario *s = arg;
    static double rows[N * D];
    double low = -1, high = 1, fractions[2];
    for (int i = 0; i < N * D; i++)
        rows[i] = (i * 37 % 200) / 100.0 - 1;
    kith_bounds bounds = {.lower = &low, .upper = &high, .box_count = 1};
    kith_i_crowd_options opt = {
        .epsilon = 1, .delta = 1e-6, .seeded = 1, .threads = 1, .minimum = 1};
    kith_dataset *data = NULL;
    kith_i_collector *c = NULL;
    kith_i_question q[ASKED];
    kith_i_answer a[ASKED] = {0};
    fill(q);
    kith_status status =
        kith_dataset_from_rows(rows, N, D, &bounds, &data, err);
    if (!status) {
        status = s->open(data, &opt, &c, err);
        assert_true((status == KITH_OK) == (c != NULL));
    }
    if (!status) {
        status = c->ask(c, q, ASKED, a, err);
        for (int i = 0; i < ASKED; i++)
            assert_true((status == KITH_OK) ==
                        (a[i].fractions != NULL || a[i].sums != NULL));
    }
    if (!status)
        status = c->again(c, 2, KEYS, 2, fractions, err);
    for (int i = 0; i < ASKED; i++)
        kith_i_answer_free(&a[i]);
    kith_i_collector_close(c);
    kith_dataset_free(data);
    return status;
}

static kith_status run_state(const void *arg, kith_error *err)
{
    kith_i_question q[ASKED];
    kith_i_mechanism m;
    fill(q);
    assert_int_equal(kith_i_mechanism_make(&q[*(const int *)arg], D, &m, NULL),
                     KITH_OK);
    kith_i_ticket ticket = {0};
    uint8_t digest[32] = {0}, report[64] = {0};
    kith_i_tally *t = NULL, *u = NULL;
    kith_status status = kith_i_tally_new(&m, &ticket, digest, &t, err);
    for (uint8_t i = 0; !status && i < 70; i++) {
        ticket.nonce[0] = i;
        kith_i_report_write_header(m.kind, &ticket, report);
        status = kith_i_tally_add(t, report, kith_i_report_bytes(&m), err);
    }
    if (!status)
        status = kith_i_tally_new(&m, &ticket, digest, &u, err);
    if (!status)
        status = kith_i_tally_merge(u, t, err);
    kith_i_tally_free(t);
    kith_i_tally_free(u);
    return status;
}

static void test_rounds(void **state)
{
    (void)state;
    scenario honest = {kith_i_collector_simulate}, law = {kith_i_collector_law};
    assert_true(torture("simulate", run_round, &honest) > 50);
    assert_true(torture("law", run_round, &law) > 30);
}

static void test_states(void **state)
{
    (void)state;
    for (int kind = 0; kind < ASKED; kind++)
        assert_true(torture("tally", run_state, &kind) > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rounds),
        cmocka_unit_test(test_states),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

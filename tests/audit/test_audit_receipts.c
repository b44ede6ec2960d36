/* T38: an audit of balcan holds what it sees against the receipts of the
 * answers that this depends on, and against no others.
 *
 * And it makes no alarms that it does not count: mu by every guess, alpha by
 * all attacks together.
 *
 * The programs live here, as in test_audit_attacks.c: a last answer as
 * recovery_sparse.c gives it, and answers before it that may say anything.
 *
 * False alarms: a right program is disproved once in 1,000 audits and gets a
 * second try; planted ones are missed less than once in 10^6. */
/* link: support/command_none.c */
#include "support/audit_alone.h"

/* Of the loss, or of mu: what the last answer has. */
#define PART 0.156

static double louder;     /* times the loss, in noise and receipts alike */
static double quieter;    /* receipts say so many times the loss */
static int bare;          /* the last answer has no noise */
static int telling;       /* the size says who was in */
static double size_noise; /* of the answer before the last */

/* ---- the program --------------------------------------------------------- */

static uint64_t counts[3];

int audit_write_sparse(const audit_target *t, const uint64_t given[3],
                       const double values[2])
{
    assert_true(t->sparse && values[0] == 1 && values[1] == 0.5);
    memcpy(counts, given, sizeof counts);
    return CLI_OK;
}

static double shortened(double sum, double variance)
{
    return sum * sum > variance ? sum - variance / sum : 0;
}

int audit_run(const audit_target *t, double epsilon, uint32_t dimension,
              double *center, audit_view *view)
{
    double whole = louder * loss_at(t, epsilon);
    double loss = PART * whole, scale = 1 / loss, size;
    double variance = scale * scale * (t->mu > 0 ? 1 : 2);
    double sums[2] = {(double)(counts[0] + counts[2]), 0.5 * (double)counts[1]};
    assert_int_equal(dimension, 2);
    for (int i = 0; i < 2; i++)
        sums[i] += bare ? 0 : scale * unit_noise(t);
    size = (double)(counts[0] + counts[1]) + 300 * (uniform() - 0.5);
    for (int i = 0; i < 2; i++)
        center[i] = shortened(sums[i], variance) / size;
    *view = (audit_view){
        .size = telling ? 1010 + (double)counts[2] : 1010,
        .reach = 1,
        .scale = scale,
        .scale_before = size_noise,
        .claim = {loss * quieter, whole * quieter, "round 1 of 1, sums"}};
    return CLI_OK;
}

int audit_write(const audit_target *t, const double *values, uint64_t rows,
                uint32_t dimension)
{
    (void)t, (void)values, (void)rows, (void)dimension;
    return CLI_FAILED;
}

int audit_write_people(const audit_target *t, const double *values,
                       uint64_t persons, uint64_t rows)
{
    (void)t, (void)values, (void)persons, (void)rows;
    return CLI_FAILED;
}

/* ---- an audit by the last answer alone ----------------------------------- */

static audit_target target(int gaussian)
{
    audit_target t = {.method = "balcan", .epsilon = gaussian ? 4 : 2};
    if (gaussian) {
        t.delta = 1e-6;
        assert_int_equal(kith_privacy_mu(4, t.delta, &t.mu, NULL), KITH_OK);
    }
    return t;
}

/* The claim and the bounds, of `tries` tries of each program. */
static audit_attack attack_sums(int gaussian, uint64_t tries)
{
    audit_attack attacks[ATTACKS] = {0};
    audit_target t = target(gaussian);
    size_t count = list_attacks(&t, attacks), i = 0;
    while (i < count && strcmp(attacks[i].name, "sums") != 0)
        i++;
    assert_true(i < count);
    audit_effort effort = {LONG_SECONDS, tries};
    assert_int_equal(run_attack(&attacks[i], &effort, 0), CLI_OK);
    for (int r = 0; r < RIVALS; r++)
        free(attacks[i].tallies[r].sights);
    return attacks[i];
}

static int is_caught(const audit_attack *a, int program)
{
    return a->bounds[program].least > a->claim;
}

/* ---- tests --------------------------------------------------------------- */

/* Twice the loss, 1.25 times, and not the right one: as a program that says it,
 * and as one that was asked for less. */
static void test_a_planted_loss_is_seen(void **unused)
{
    (void)unused;
    for (int gaussian = 0; gaussian < 2; gaussian++) {
        audit_attack a = attack_sums(gaussian, 7500);
        if (is_caught(&a, 0)) /* once in 1,000 */
            a = attack_sums(gaussian, 7500);
        assert_false(is_caught(&a, 0));
        assert_true(is_caught(&a, 1) && is_caught(&a, 2));
        assert_true(fabs(a.claim / (gaussian ? 2.5 : 2) - 1) < 1e-3);
        assert_true(fabs(a.part - PART) < 1e-9);
        louder = 1.25;
        a = attack_sums(gaussian, 7500);
        assert_true(is_caught(&a, 0));
        louder = 2;
        a = attack_sums(gaussian, 2400);
        assert_true(is_caught(&a, 0));
        louder = 1;
    }
}

/* All tries test: there is nothing to choose. Two thirds of them would show
 * less. */
static void test_no_try_is_spent_on_choosing(void **unused)
{
    (void)unused;
    audit_sight sights[30];
    audit_bound bound;
    for (int n = 0; n < 30; n++)
        sights[n] = (audit_sight){.sum = n % 2, .count = 0.5, .in = n % 2};
    audit_tally tally = {.tries = 30, .sights = sights};
    for (int gaussian = 0; gaussian < 2; gaussian++) {
        audit_target t = target(gaussian);
        t.judged = AUDIT_LAST;
        audit_pair_bound(&t, &tally, 0.001, &bound);
        double share = pow(0.001, 1 / 30.0); /* all of 30 */
        double loss = gaussian ? 2 * audit_normal_inverse(share)
                               : log(share / (1 - share));
        assert_true(fabs(bound.least - loss) < 1e-9);
    }
}

/* A receipt that says half of what its answer gives away is a lie, however
 * little of the promise the receipts add up to. */
static void test_a_receipt_is_a_claim(void **unused)
{
    (void)unused;
    quieter = 0.5;
    audit_attack a = attack_sums(0, 2400);
    assert_true(is_caught(&a, 0));
    quieter = 1;
}

/* What other answers say is not held against the last: a size that tells who
 * was in breaks another receipt, and this attack does not look at it. */
static void test_other_answers_are_not_looked_at(void **unused)
{
    (void)unused;
    telling = 1;
    for (int gaussian = 0; gaussian < 2; gaussian++) {
        audit_attack a = attack_sums(gaussian, 4000);
        if (is_caught(&a, 0)) /* once in 1,000 */
            a = attack_sums(gaussian, 4000);
        assert_false(is_caught(&a, 0));
    }
}

/* Whatever the size was, the noisy sum is read to the last digit; and not at
 * all where noise could spoil the size. */
static void test_the_last_answer_is_read(void **unused)
{
    (void)unused;
    audit_target t = target(0);
    t.sparse = 1;
    bare = 1;
    for (int i = 0; i < 400; i++) {
        audit_tally tally = {.epsilon = 12.8, .crowd = 1000};
        audit_sight sight = {0};
        size_noise = i % 2 ? 12.6 : 12.4;
        assert_int_equal(audit_sparse(&t, &tally, &sight), CLI_OK);
        assert_true(sight.count == 0.5);
        if (i % 2)
            assert_true(sight.sum == 0.5);
        else
            assert_true(fabs(sight.sum - sight.in) < 1e-9);
    }
}

/* The receipts of a run, added up by hand. */
static void test_receipts_are_added_up(void **unused)
{
    (void)unused;
    static const char text[] =
        "{\"weights\": [7], \"privacy\": {\"releases\": ["
        "{\"what\": \"all rows, counts\", \"scale\": 9, \"loss\": {\"X\": 1}},"
        "{\"what\": \"partition 1 of 2\", \"scale\": 8, \"loss\": {\"X\": 8}},"
        "{\"what\": \"swap 1 of 1\", \"scale\": 7, \"loss\": {\"X\": 4}},"
        "{\"what\": \"round 1, counts\", \"scale\": 5, \"loss\": {\"X\": 2}},"
        "{\"what\": \"round 1, sums\", \"scale\": 3, \"loss\": {\"X\": 6},"
        " \"sensitivity\": {\"value\": 2}}]}}";
    static const double expected[2][3] = {{21, 9, 6}, {11, 6.4031242374, 6}};
    for (int gaussian = 0; gaussian < 2; gaussian++) {
        char model[sizeof text + 64] = "", *to = model;
        for (const char *c = text; *c; c++)
            to += *c == 'X' ? sprintf(to, gaussian ? "mu" : "epsilon")
                            : sprintf(to, "%c", *c);
        json_t *json = json_loads(model, 0, NULL);
        assert_non_null(json);
        for (int judged = AUDIT_ALL; judged <= AUDIT_LAST; judged++) {
            audit_target t = {.mu = gaussian, .judged = (audit_judged)judged};
            audit_view seen;
            audit_view_of(&t, json, &seen);
            assert_true(seen.size == 7 && seen.reach == 2 && seen.scale == 3 &&
                        seen.scale_before == 5);
            assert_string_equal(seen.claim.name, "round 1, sums");
            assert_true(fabs(seen.claim.whole - expected[gaussian][0]) < 1e-9);
            assert_true(fabs(seen.claim.judged - expected[gaussian][judged]) <
                        1e-9);
        }
        json_decref(json);
    }
    audit_claim claim = {6, 20, ""};
    assert_true(audit_claim_within(&claim, 20) == 6);
    assert_true(audit_claim_within(&claim, 30) == 6);
    assert_true(audit_claim_within(&claim, 10) == 3);
}

/* A mu is a bound of all guesses, not of those where outcomes say much: the
 * right noise shows no more than its mu, except once in 10^6 times. */
static void test_mu_counts_every_guess(void **unused)
{
    (void)unused;
    enum { TRIES = 4500 };
    static audit_sight sights[TRIES];
    audit_target t = {.method = "lloyd", .mu = 2.5};
    audit_tally tally = {.tries = TRIES, .sights = sights};
    audit_bound bound;
    for (int n = 0; n < TRIES; n++) {
        int in = uniform() < 0.5;
        sights[n] = (audit_sight){.sum = in + unit_noise(&t) / t.mu,
                                  .count = in + 10 * unit_noise(&t),
                                  .in = in};
    }
    audit_pair_bound(&t, &tally, 1e-6, &bound);
    assert_true(bound.least < t.mu && bound.estimate > 2.2);
}

/* All attacks together are wrong once in 1,000 audits. */
static void test_attacks_share_wrong_alarms(void **unused)
{
    (void)unused;
    static const char *const methods[] = {"lloyd", "auto", "balcan"};
    for (size_t i = 0; i < 12; i++) {
        audit_target t = {.method = methods[i % 3],
                          .epsilon = 4,
                          .mu = i / 3 % 2 ? 0.8 : 0,
                          .people = i >= 6};
        audit_attack attacks[ATTACKS] = {0};
        size_t count = list_attacks(&t, attacks);
        double alpha = 0;
        for (size_t n = 0; n < count; n++)
            alpha += attacks[n].alpha;
        assert_true(count >= 2 && count <= ATTACKS && attacks[0].alpha > 0);
        assert_true(alpha <= 1.000001e-3);
    }
}

static int start(void **unused)
{
    (void)unused;
    state = 38;
    louder = quieter = 1;
    bare = telling = 0;
    size_noise = 1;
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_a_planted_loss_is_seen, start),
        cmocka_unit_test_setup(test_no_try_is_spent_on_choosing, start),
        cmocka_unit_test_setup(test_a_receipt_is_a_claim, start),
        cmocka_unit_test_setup(test_other_answers_are_not_looked_at, start),
        cmocka_unit_test_setup(test_the_last_answer_is_read, start),
        cmocka_unit_test_setup(test_receipts_are_added_up, start),
        cmocka_unit_test_setup(test_mu_counts_every_guess, start),
        cmocka_unit_test_setup(test_attacks_share_wrong_alarms, start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* T38: what `kith audit` must see, attack by attack.
 *
 * Its attacks run here against programs that live in this file: one that keeps
 * its promise, and five that break it, each in the way that one attack is made
 * for. No process is started, so an audit has thousands of tries and its coins
 * are seeded. test_cli_audit.sh attacks the command itself.
 *
 * False alarms: an audit of the right program is wrong once in 1,000 times and
 * gets a second try; a broken one is missed less than once in 10^6 (the tries
 * are many times what the bound needs). */
/* link: support/command_none.c */
#include "support/audit_alone.h"

typedef enum program {
    RIGHT,
    HALF_NOISE,     /* of a mean */
    UNCLIPPED,      /* rows count with the length they have */
    EMPTY_AS_IT_IS, /* no noise where there is no row */
    REUSED_DRAW,    /* one draw for all features */
    WHOLE_PERSON,   /* all rows of a person are kept */
    CONSTANT,       /* says nothing at all */
    AUTO_BARE       /* auto; its last sum has no noise */
} program;

static program attacked;
static double asked[64]; /* the epsilons of the runs so far, each once */
static size_t asked_count;

/* ---- the rows that an attack wrote --------------------------------------- */

static double *rows;
static uint64_t row_count, person_count;

static int keep(const double *values, uint64_t count, uint32_t dimension)
{
    free(rows);
    rows = malloc(((size_t)count * dimension + 1) * sizeof *rows);
    assert_non_null(rows);
    memcpy(rows, values, (size_t)count * dimension * sizeof *rows);
    row_count = person_count = count;
    return CLI_OK;
}

int audit_write(const audit_target *t, const double *values, uint64_t count,
                uint32_t dimension)
{
    (void)t;
    return keep(values, count, dimension);
}

int audit_write_people(const audit_target *t, const double *values,
                       uint64_t persons, uint64_t count)
{
    int code = audit_write(t, values, count, 1);
    person_count = persons + (count > persons); /* the last has the others */
    return code;
}

int audit_write_sparse(const audit_target *t, const uint64_t counts[3],
                       const double values[2])
{
    (void)t, (void)counts, (void)values;
    return CLI_FAILED; /* balcan only: test_audit_receipts.c */
}

/* ---- the programs -------------------------------------------------------- */

/* Noise that hides a change of 1 for a loss of `loss` in the currency. */
static double noise(const audit_target *t, double loss)
{
    return unit_noise(t) / loss;
}

static double within(double x, double most)
{
    return x < -most ? -most : x > most ? most : x;
}

static double part(const audit_target *t, double loss, double share)
{
    return t->mu > 0 ? loss * sqrt(share) : loss * share;
}

/* One mean: a tenth of the loss for the count, the rest for the sum. */
static void run_mean(const audit_target *t, double loss, uint32_t dimension,
                     double *center, audit_view *view)
{
    uint64_t used = attacked == WHOLE_PERSON ? row_count : person_count;
    double shared = noise(t, part(t, loss, 0.9));
    view->size = (double)used + noise(t, part(t, loss, 0.1));
    memset(center, 0, dimension * sizeof *center);
    for (uint64_t i = 0; i < used; i++)
        for (uint32_t j = 0; j < dimension; j++) {
            double x = rows[i * dimension + j];
            center[j] += attacked == UNCLIPPED ? x : within(x, 1);
        }
    for (uint32_t j = 0; j < dimension; j++) {
        double draw =
            attacked == REUSED_DRAW ? shared : noise(t, part(t, loss, 0.9));
        center[j] += attacked == HALF_NOISE ? draw / 2 : draw;
        center[j] = within(center[j] / fmax(view->size, 1), 1);
    }
    if (attacked == EMPTY_AS_IT_IS && used == 0)
        view->size = center[0] = 0;
}

/* auto, as docs/auto.md has it: rows as moves from a first mean, cut at what is
 * possible; the average move shortened by what noise explains. */
static void run_auto(double *center, audit_view *view)
{
    double first = 0.2 + 0.6 * uniform(), sum = 0;
    *view = (audit_view){.size = (double)row_count + 200 * (uniform() - 0.5),
                         .reach = 1 + first,
                         .scale = 0.5};
    for (uint64_t i = 0; i < row_count; i++)
        sum += within(within(rows[i], 1) - first, view->reach);
    double move = sum / view->size,
           variance = 2 * pow(view->scale / view->size, 2);
    if (move * move > variance)
        *center = first + move - variance / move;
    else
        *center = first;
}

int audit_run(const audit_target *t, double epsilon, uint32_t dimension,
              double *center, audit_view *view)
{
    audit_view seen = {0};
    size_t i = 0;
    while (i < asked_count && asked[i] != epsilon)
        i++;
    if (i == asked_count && asked_count < 64)
        asked[asked_count++] = epsilon;
    if (attacked == AUTO_BARE)
        run_auto(center, &seen);
    else if (attacked == CONSTANT)
        memset(center, 0, dimension * sizeof *center);
    else
        run_mean(t, loss_at(t, epsilon), dimension, center, &seen);
    *view = seen;
    return CLI_OK;
}

/* The whole audit; caught: by which attacks, their names with spaces. */
static audit_verdict audit(program p, audit_target t, uint64_t tries,
                           char caught[64])
{
    audit_attack attacks[ATTACKS] = {0};
    audit_effort effort = {0, tries};
    attacked = p;
    asked_count = 0;
    if (t.delta > 0)
        assert_int_equal(kith_privacy_mu(t.epsilon, t.delta, &t.mu, NULL),
                         KITH_OK);
    size_t count = list_attacks(&t, attacks);
    *caught = 0;
    for (size_t i = 0; i < count; i++) {
        /* A canary run is 2,000 tests at once. */
        effort.tries =
            attacks[i].try_once == audit_canary ? LEAST_TRIES : tries;
        assert_int_equal(run_attack(&attacks[i], &effort, 0), CLI_OK);
        if (attacks[i].bounds[0].least > attacks[i].claim)
            snprintf(caught + strlen(caught), 64 - strlen(caught), "%s ",
                     attacks[i].name);
    }
    audit_verdict v = decide(attacks, count);
    for (size_t i = 0; i < count; i++)
        for (int r = 0; r < RIVALS; r++)
            free(attacks[i].tallies[r].sights);
    return v;
}

static const audit_target
    gaussian = {.method = "lloyd", .epsilon = 4, .delta = 1e-6},
    quiet = {.method = "lloyd", .epsilon = 1, .delta = 1e-6},
    pure = {.method = "lloyd", .epsilon = 2},
    half = {.method = "lloyd", .epsilon = 0.5},
    people = {.method = "lloyd", .epsilon = 4, .delta = 1e-6, .people = 1},
    quiet_people = {
        .method = "lloyd", .epsilon = 1, .delta = 1e-6, .people = 1};

/* ---- tests --------------------------------------------------------------- */

static void test_the_right_program_stands(void **unused)
{
    (void)unused;
    const audit_target *claims[] = {&gaussian, &pure, &people};
    char caught[64];
    for (size_t i = 0; i < 3; i++) {
        audit_verdict v = audit(RIGHT, *claims[i], 1200, caught);
        if (*caught) /* once in 1,000 */
            v = audit(RIGHT, *claims[i], 1200, caught);
        assert_string_equal(v.word, "not disproved");
    }
}

static void test_each_mistake_has_its_attack(void **unused)
{
    (void)unused;
    static const struct {
        program p;
        const audit_target *claim;
        const char *by;
        uint64_t tries;
    } cases[] = {
        {HALF_NOISE, &gaussian, "canaries ", 300},
        {HALF_NOISE, &pure, "pairs ", 2400},
        {UNCLIPPED, &quiet, "pairs ", 900},
        {UNCLIPPED, &half, "pairs ", 900},
        {EMPTY_AS_IT_IS, &quiet, "empty ", 2400},
        {EMPTY_AS_IT_IS, &half, "empty ", 2400},
        {REUSED_DRAW, &gaussian, "canaries ", 300},
        {WHOLE_PERSON, &quiet_people, "people ", 900},
    };
    char caught[64];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        audit_verdict v =
            audit(cases[i].p, *cases[i].claim, cases[i].tries, caught);
        assert_string_equal(v.word, "disproved");
        assert_non_null(strstr(caught, cases[i].by));
    }
}

/* A program that says nothing cannot be judged: the control says nothing too.
 */
static void test_silence_is_no_pass(void **unused)
{
    (void)unused;
    char caught[64];
    assert_string_equal(audit(CONSTANT, gaussian, 300, caught).word,
                        "cannot judge");
    assert_string_equal(audit(CONSTANT, pure, 300, caught).word,
                        "cannot judge");
}

/* The control is the same program at 1.25 and 2 times the loss, not more. */
static void test_control_is_as_loud_as_it_says(void **unused)
{
    (void)unused;
    const audit_target *claims[] = {&gaussian, &pure};
    char caught[64];
    for (size_t i = 0; i < 2; i++) {
        audit_target t = *claims[i];
        audit(RIGHT, t, 2, caught);
        if (t.delta > 0)
            assert_int_equal(kith_privacy_mu(t.epsilon, t.delta, &t.mu, NULL),
                             KITH_OK);
        double claim = loss_at(&t, t.epsilon);
        for (size_t n = 0; n < asked_count; n++) {
            double factor = loss_at(&t, asked[n]) / claim;
            assert_true(fabs(factor - 1) < 1e-6 || fabs(factor - 2) < 1e-6 ||
                        fabs(factor - 1.25) < 1e-6);
        }
        assert_true(asked_count >= 2);
    }
}

/* The sum of auto is read off centre, size and receipt: without noise in it,
 * the row is in or out to the last digit, whatever the first mean was and
 * however wrong the size. */
static void test_sum_of_auto_is_visible(void **unused)
{
    (void)unused;
    audit_target t = {.method = "auto", .epsilon = 2};
    attacked = AUTO_BARE;
    size_t seen = 0;
    for (int i = 0; i < 400; i++) {
        audit_tally tally = {.epsilon = 2, .crowd = crowd_of(&t)};
        audit_sight sight = {0};
        assert_int_equal(audit_pair(&t, &tally, &sight), CLI_OK);
        if (sight.sum == 0.5)
            continue; /* the move was nothing but noise */
        assert_true(fabs(sight.sum - sight.in) < 1e-6);
        seen++;
    }
    assert_true(seen > 380);
}

/* Coins say nothing, so the bound is above 0 once in 1/alpha times, however
 * many rules there are to choose from: 30 times of 300 at most; 60 or more come
 * less than once in 10^6 times. */
static void test_choosing_a_rule_is_free(void **unused)
{
    (void)unused;
    enum { AUDITS = 300, TRIES = 60 };
    audit_sight sights[TRIES];
    for (int currency = 0; currency < 2; currency++) {
        audit_target t = {.method = "lloyd", .mu = currency ? 0.8 : 0};
        size_t alarms = 0;
        for (int i = 0; i < AUDITS; i++) {
            audit_tally tally = {.tries = TRIES, .sights = sights};
            audit_bound bound;
            for (int n = 0; n < TRIES; n++)
                sights[n] = (audit_sight){.sum = 3 * uniform() - 1,
                                          .count = 3 * uniform() - 1,
                                          .in = uniform() < 0.5};
            audit_pair_bound(&t, &tally, 0.1, &bound);
            alarms += bound.least > 0;
        }
        assert_true(alarms < 60);
    }
}

static int start_coins(void **unused)
{
    (void)unused;
    state = 38;
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_the_right_program_stands, start_coins),
        cmocka_unit_test_setup(test_each_mistake_has_its_attack, start_coins),
        cmocka_unit_test_setup(test_silence_is_no_pass, start_coins),
        cmocka_unit_test_setup(test_control_is_as_loud_as_it_says, start_coins),
        cmocka_unit_test_setup(test_sum_of_auto_is_visible, start_coins),
        cmocka_unit_test_setup(test_choosing_a_rule_is_free, start_coins),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    free(rows);
    return failed;
}

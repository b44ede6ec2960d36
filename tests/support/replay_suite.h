/* The two tests of an audit by replay (replay_pair.h): every claim stands, and
 * mistakes planted in the library are caught where they must show. Their state
 * (cmocka_unit_test_prestate) is the suite. */
#ifndef KITH_TEST_REPLAY_SUITE_H
#define KITH_TEST_REPLAY_SUITE_H

#include <stdlib.h>

#include "support/replay_pair.h"

/* What the audit needs to know of a claim. */
typedef struct {
    const char *name;
    kith_privacy privacy;
    size_t n;     /* rows; the last is in question */
    int caught;   /* flags of the mistakes that must show */
    double least; /* the loss found must be at least this, else it is blind */
} replay_case;

/* Mistakes that may be planted; CLIP is what the test makes of it. */
enum {
    HALF = 1,
    OVER = 2,
    EMPTY = 4,
    COUNT = 8,
    ROOT = 16,
    CLAMP = 32,
    CLIP = 64
};
static const struct {
    const char *name;
    int flag;
    replay_fault fault;
    double more; /* the session believes it may spend that many epsilon */
} replay_mistakes[] = {
    {"  half the noise", HALF, FAULT_HALF_THE_NOISE, 1},
    {"  shares sum to 2.5", OVER, FAULT_NONE, 2.5},
    {"  empty cubes skipped", EMPTY, FAULT_EMPTY_SKIPPED, 1},
    {"  exact n", COUNT, FAULT_EXACT_N, 1},
    {"  sqrt d forgotten", ROOT, FAULT_SQRT_D, 1},
    {"  beyond the bound", CLAMP, FAULT_UNCLAMPED, 1},
    {"  not clipped", CLIP, FAULT_UNCLIPPED, 1},
};
enum { REPLAY_MISTAKES = sizeof replay_mistakes / sizeof *replay_mistakes };

typedef struct {
    const void *claims; /* an array of the test's own claims */
    size_t size, count; /* of one, and how many */
    replay_case (*of)(const void *claim);
    /* the rows of a claim; other: what takes the last one's place */
    double *(*rows)(const void *claim, int other);
    replay_run *run;
} replay_suite;

static inline const void *replay_claim(const replay_suite *s, size_t i)
{
    return (const char *)s->claims + i * s->size;
}

static inline replay_losses replay_one(const replay_suite *s, const void *claim,
                                       replay_fault fault, double more)
{
    replay_case c = s->of(claim);
    double *a = s->rows(claim, 0), *b = s->rows(claim, 1);
    size_t m = c.privacy.neighbors == KITH_REPLACE_ONE ? c.n : c.n - 1;
    replay_pair pair = {s->run, claim, c.privacy, {a, b}, {c.n, m}};
    replay_losses l = replay_audit(&pair, fault, more);
    free(a);
    free(b);
    return l;
}

/* The limit leaves 1e-6 for rounding. */
static inline void replay_claims_stand(void **state)
{
    const replay_suite *s = *state;
    for (size_t i = 0; i < s->count; i++) {
        replay_case c = s->of(replay_claim(s, i));
        replay_losses l = replay_one(s, replay_claim(s, i), FAULT_NONE, 1);
        replay_print(c.name, &l);
        assert_true(replay_worst(&l) <= 1 + 1e-6);
        assert_true(l.whole >= c.least);
    }
}

static inline void replay_mistakes_are_caught(void **state)
{
    const replay_suite *s = *state;
    for (size_t i = 0; i < s->count; i++) {
        replay_case c = s->of(replay_claim(s, i));
        print_message("%s\n", c.name);
        for (size_t j = 0; j < REPLAY_MISTAKES; j++) {
            if (!(c.caught & replay_mistakes[j].flag))
                continue;
            replay_losses l =
                replay_one(s, replay_claim(s, i), replay_mistakes[j].fault,
                           replay_mistakes[j].more);
            replay_print(replay_mistakes[j].name, &l);
            assert_true(replay_worst(&l) > 1 + 1e-6);
        }
    }
}

/* The suite of a test that has claims[], case_of, rows_of and run. */
#define REPLAY_SUITE                                                           \
    {                                                                          \
        claims, sizeof *claims, sizeof claims / sizeof *claims, case_of,       \
            rows_of, run                                                       \
    }

/* n rows about two points of the diagonal, one in `share` about low; the last
 * is left to the caller. */
static inline double *replay_crowd(size_t n, size_t d, size_t share, double low,
                                   double high)
{
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 4, 2);
    double *rows = calloc(n * d, sizeof *rows);
    assert_non_null(rows);
    for (size_t i = 0; i < (n - 1) * d; i++)
        rows[i] =
            (i / d % share ? high : low) + .03 * kith_i_coins_normal(&coins);
    return rows;
}

/* The whole program, unless there is more to test. */
static inline int replay_main(replay_suite *suite)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(replay_claims_stand, suite),
        cmocka_unit_test_prestate(replay_mistakes_are_caught, suite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif

/* The audit of the command against a program that lives in a test: no processes
 * and no clocks, so that it has thousands of tries, and seeded coins. The test
 * has audit_write(), audit_write_people(), audit_write_sparse() and
 * audit_run(). */
#ifndef KITH_TEST_AUDIT_ALONE_H
#define KITH_TEST_AUDIT_ALONE_H

#include "support/cmocka_all.h"

#include "../../tools/kith/audit_canary.c"
#include "../../tools/kith/audit_pair.c"
#include "../../tools/kith/audit_receipts.c"
#include "../../tools/kith/audit_sparse.c"
#include "../../tools/kith/audit_stat.c"
#include "../../tools/kith/audit_words.c"
#include "../../tools/kith/cmd_audit.c"

static uint64_t state; /* of the coins */

static double uniform(void) /* above 0, below 1 */
{
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return ((double)((z ^ z >> 31) >> 12) + 0.5) * 0x1p-52;
}

void audit_bits(unsigned char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        bytes[i] = (unsigned char)(uniform() * 256);
}

/* Noise that hides a change of 1 for a loss of 1 in the currency. */
static double unit_noise(const audit_target *t)
{
    double u = uniform(), v = uniform();
    return t->mu > 0 ? sqrt(-2 * log(u)) * cos(6.283185307179586 * v)
                     : log(u / v);
}

/* What a run may lose at this epsilon: mu, or epsilon when pure. */
static double loss_at(const audit_target *t, double epsilon)
{
    static double last, mu; /* a root takes longer than a run */
    if (!(t->mu > 0))
        return epsilon;
    if (epsilon != last)
        assert_int_equal(kith_privacy_mu(epsilon, t->delta, &mu, NULL),
                         KITH_OK);
    last = epsilon;
    return mu;
}

double audit_now(void)
{
    return 0;
}

void audit_empty(const audit_target *t)
{
    (void)t;
}

int audit_crew(const audit_target *t, const audit_plan *plan,
               audit_tally *tallies)
{
    for (size_t i = 0; i < plan->programs; i++) {
        audit_tally *tally = &tallies[i];
        tally->sights = calloc(plan->tries, sizeof *tally->sights);
        assert_non_null(tally->sights);
        for (uint64_t n = 0; plan->every[i] && n < plan->tries; n++)
            assert_int_equal(
                plan->try_once(t, tally, &tally->sights[tally->tries++]), 0);
    }
    return CLI_OK;
}

#endif

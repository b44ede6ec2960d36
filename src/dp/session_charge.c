/* A session and the ledger that pays for it: all of it is charged, under a name
 * of its own, before the session exists (I23). */
#include "dp_private.h"

/* A name for this run that nobody else has: words of the secure generator. It
 * is born here and dies with the process (T10). */
static kith_status draw_run(char out[KITH_I_RUN_TEXT], kith_error *err)
{
    const kith_i_entropy_source secure = {0, 0};
    kith_i_entropy e;
    kith_i_entropy_open(&e, &secure, 0);
    uint64_t words[2] = {kith_i_entropy_word(&e), kith_i_entropy_word(&e)};
    int failed = e.failed;
    kith_i_entropy_close(&e);
    kith_i_hex((const uint8_t *)words, sizeof words, out);
    return failed ? kith_i_fail(err, KITH_ERR_ENTROPY,
                                "the random generator failed: nothing was "
                                "charged")
                  : KITH_OK;
}

kith_status kith_i_session_charge_ledger(kith_session *s,
                                         const kith_session_options *opt,
                                         kith_error *err)
{
    char run[KITH_I_RUN_TEXT];
    if (!opt->ledger || s->team.rank > 0)
        return KITH_OK;
    if (opt->insecure)
        return kith_i_fail(err, KITH_ERR_BUDGET,
                           "a seeded run has no guarantee: the ledger refuses "
                           "it; leave out the insecure seed, or the ledger");
    kith_status status = draw_run(run, err);
    if (status)
        return status;
    kith_i_charge charge = {.account = opt->account,
                            .accounts = opt->accounts,
                            .account_count = opt->account_count,
                            .privacy = s->privacy,
                            .unit = s->unit,
                            .convert = opt->convert,
                            .analyst = opt->analyst,
                            .purpose = opt->purpose,
                            .once = opt->once,
                            .parameters = opt->parameters,
                            .run = run};
    return kith_i_ledger_charge(opt->ledger, &charge, &s->charge, err);
}

const kith_charge *kith_i_session_charge(const kith_session *s)
{
    return s->charge;
}

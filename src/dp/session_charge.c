/* A session and the ledger that pays for it: all of it is charged, under a name
 * of its own, before the session exists (I23). */
#include "dp_private.h"
#include "noise/secret.h"

kith_status kith_i_session_charge_ledger(kith_session *s,
                                         const kith_session_options *opt,
                                         kith_error *err)
{
    uint8_t name[16]; /* this run's: born here, dies with the process (T10) */
    char run[KITH_I_RUN_TEXT];
    if (!opt->ledger || s->team.rank > 0)
        return KITH_OK;
    if (opt->insecure)
        return kith_i_fail(err, KITH_ERR_BUDGET,
                           "a seeded run has no guarantee: the ledger refuses "
                           "it; leave out the insecure seed, or the ledger");
    kith_status status = kith_i_secret_bytes(name, sizeof name, err);
    if (status)
        return status;
    kith_i_hex(name, sizeof name, run);
    kith_i_charge charge = {.account = opt->account,
                            .accounts = opt->accounts,
                            .account_count = opt->account_count,
                            .privacy = s->privacy,
                            .unit = s->group ? KITH_UNIT_USER : KITH_UNIT_ROW,
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

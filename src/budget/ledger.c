/* Ledgers as callers see them: checks that hold for every store, then the
 * store's own function. */
#include "budget_i.h"

#include "base/base_i.h"

static kith_status check_target(const kith_ledger *ledger, const char *account,
                                kith_error *err)
{
    if (!ledger)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "no ledger was given: open one first");
    if (!account || account[0] == '\0')
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "a ledger needs the name of an account");
    return KITH_OK;
}

kith_status kith_ledger_grant(kith_ledger *ledger, const char *account,
                              const kith_privacy *limit, kith_error *err)
{
    kith_status status = check_target(ledger, account, err);
    if (status != KITH_OK)
        return status;
    if (!limit)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "account '%.100s' needs a limit", account);
    return ledger->grant(ledger, account, limit, err);
}

kith_status kith_ledger_remaining(kith_ledger *ledger, const char *account,
                                  double *out, kith_error *err)
{
    kith_status status = check_target(ledger, account, err);
    if (status != KITH_OK)
        return status;
    if (!out)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "no place for the result was given");
    return ledger->remaining(ledger, account, out, err);
}

void kith_ledger_free(kith_ledger *ledger)
{
    if (ledger)
        ledger->close(ledger);
}

kith_status kith_i_ledger_charge(kith_ledger *ledger,
                                 const kith_i_charge *charge, kith_error *err)
{
    if (!charge)
        return kith_i_fail(err, KITH_ERR_ARGUMENT, "no charge was given");
    kith_status status = check_target(ledger, charge->account, err);
    if (status != KITH_OK)
        return status;
    if (charge->measure != KITH_PURE_DP && charge->measure != KITH_GAUSSIAN_DP)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "a charge must say whether it is pure or "
                           "Gaussian");
    if (charge->amount == 0)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "a charge must not be zero: every release costs "
                           "something");
    return ledger->charge(ledger, charge, err);
}

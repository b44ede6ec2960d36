/* What a ledger says when it says no: the limit, what is spent, what was asked
 * for, and what would fit (T14). */
#include "ledger_i.h"

#include <math.h>
#include <stdio.h>

#include "base/base_i.h"

static double value(kith_i_loss units)
{
    return ldexp((double)units, -KITH_I_LOSS_BITS);
}

/* Words for the other purse of an account, which takes pure runs if they are
 * converted: what this one costs there, and what fits. */
static void other_purse(const kith_i_posting *posting,
                        const kith_i_refusal *refusal, char *out, size_t room)
{
    kith_i_loss converted = kith_i_pure_as_gaussian(posting->spend.pure);
    kith_i_loss left = refusal->limit.gauss - refusal->spent.gauss;
    double fits = kith_i_purse_fits_converted(left);
    out[0] = '\0';
    if (converted <= left)
        snprintf(out, room,
                 "; or pay mu^2 %.6g of the %.6g left in its Gaussian purse "
                 "(--convert)",
                 value(converted), value(left));
    else if (refusal->limit.gauss && fits > 0)
        snprintf(out, room,
                 "; from its Gaussian purse it costs mu^2 %.6g of the %.6g "
                 "left, and the largest epsilon that fits there is %g "
                 "(--convert)",
                 value(converted), value(left), fits);
    else if (refusal->limit.gauss)
        snprintf(out, room,
                 "; from its Gaussian purse it costs mu^2 %.6g of the %.6g "
                 "left",
                 value(converted), value(left));
}

static void words_of_fit(const kith_i_refusal *refusal, double fits, char *out,
                         size_t room)
{
    if (fits > 0)
        snprintf(out, room, "the largest epsilon that fits is %g", fits);
    else if (!refusal->whose[0] && refusal->limit.pure == refusal->spent.pure &&
             refusal->limit.gauss == refusal->spent.gauss)
        snprintf(out, room,
                 "no such run fits: it is closed, or used up (kith budget show "
                 "says)");
    else
        snprintf(out, room, "no such run fits");
}

static kith_status fail_limit(const kith_i_posting *posting,
                              const kith_i_refusal *refusal,
                              const kith_privacy *asked, kith_error *err)
{
    const char *name = posting->accounts[refusal->account];
    int pure = posting->spend.pure > 0;
    kith_i_loss limit = pure ? refusal->limit.pure : refusal->limit.gauss;
    kith_i_loss spent = pure ? refusal->spent.pure : refusal->spent.gauss;
    kith_i_loss amount = pure ? posting->spend.pure : posting->spend.gauss;
    double delta = asked ? asked->delta : 0;
    double fits = pure || delta > 0
                      ? kith_i_purse_fits(limit - spent, pure ? 0 : delta)
                  : asked ? kith_i_purse_fits_converted(limit - spent)
                          : 0;
    char more[200] = "", what[80], whose[64] = "";
    if (pure)
        other_purse(posting, refusal, more, sizeof more);
    if (refusal->whose[0])
        snprintf(whose, sizeof whose, ", this %s", refusal->whose);
    words_of_fit(refusal, fits, what, sizeof what);
    return kith_i_fail(
        err, KITH_ERR_BUDGET,
        "account '%.100s'%s: limit %s %.6g, spent %.6g, asked for %.6g: %s%s; "
        "nothing was charged",
        name, whose, pure ? "epsilon (pure runs)" : "mu^2", value(limit),
        value(spent), value(amount), what, more);
}

kith_status kith_i_refusal_words(const kith_i_posting *posting,
                                 const kith_i_refusal *refusal,
                                 const kith_privacy *asked, kith_error *err)
{
    const char *name = posting->accounts[refusal->account];
    switch (refusal->kind) {
    case KITH_I_REFUSED_UNKNOWN:
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "the ledger has no account '%.100s': create it "
                           "first, with a limit",
                           name);
    case KITH_I_REFUSED_EXISTS:
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "account '%.100s' exists already: a limit is "
                           "granted once",
                           name);
    case KITH_I_REFUSED_TERMS:
        return kith_i_fail(
            err, KITH_ERR_BUDGET,
            "account '%.100s' is about a %s under %s, this run about a %s "
            "under %s: run with the same unit and adjacency, or use another "
            "account; nothing was charged",
            name, refusal->unit, refusal->adjacency, posting->unit,
            posting->adjacency);
    case KITH_I_REFUSED_ONCE:
        return kith_i_fail(err, KITH_ERR_BUDGET,
                           "account '%.100s' has a charge with once '%.100s' "
                           "already: entry %llu; nothing was charged",
                           name, posting->once,
                           (unsigned long long)refusal->seq);
    case KITH_I_REFUSED_LIMIT:
        return fail_limit(posting, refusal, asked, err);
    case KITH_I_REFUSED_RAISE:
        return kith_i_fail(err, KITH_ERR_BUDGET,
                           "account '%.100s': this would raise its limit, "
                           "which was promised: to do it all the same, say "
                           "--raise --reason TEXT",
                           name);
    case KITH_I_REFUSED_SPENT:
        return kith_i_fail(err, KITH_ERR_BUDGET,
                           "account '%.100s' has spent more than such a limit: "
                           "what was released cannot be taken back",
                           name);
    case KITH_I_REFUSED_TWICE:
        return kith_i_fail(err, KITH_ERR_BUDGET,
                           "account '%.100s' has an entry for this run or "
                           "model already: nothing was charged",
                           name);
    }
    return kith_i_fail(err, KITH_ERR_INTERNAL, "a refusal without a reason");
}

/* Paying for and drawing a selection from total losses (R5): shared by
 * release_select.c, release_swap.c and (paying) release_features.c.
 *
 * Claim: costs charge.
 * Needs: record-local losses, each in [0, bound] (the releases clamp them).
 * Because: with weight exp(-b L_c) for total losses L_c, and a range e of the
 *   charge (kith_i_selection_range):
 *   add-remove: every L_c moves by 0..bound, all in one direction, so
 *     b = e / bound suffices (no factor 2);
 *   replace-one: every L_c moves within +-bound: b = e / (2 bound).
 *   Pure DP: permute-and-flip (McKenna, Sheldon 2020) with these coins is
 *   e-DP and never worse than the exponential mechanism. Gaussian DP: the
 *   exponential mechanism has log-ratios in an interval of length e (bounded
 *   range; Durfee, Rogers 2019), worth mu <= 0.6267 e. b is rounded down. */
#include "choice.h"

#include <math.h>

#include "base/base_i.h"

enum { EXTRA_BITS = 62 - KITH_I_LOSS_BITS };

kith_i_exponent kith_i_exponent_for(kith_i_loss range, uint64_t moves)
{
    kith_i_u128 numerator = (kith_i_u128)range << EXTRA_BITS;
    kith_i_u128 value = numerator / moves;
    uint32_t shift = KITH_I_LOSS_BITS + EXTRA_BITS;
    while (value >> 62) { /* only for an absurdly large range */
        value >>= 1;
        shift--;
    }
    return (kith_i_exponent){(uint64_t)value, shift};
}

double kith_i_exponent_value(kith_i_exponent b)
{
    return ldexp((double)b.num, -(int)b.shift);
}

kith_status kith_i_choice_pay(kith_session *s, const kith_i_choice *choice,
                              kith_i_exponent *out, kith_error *err)
{
    kith_i_moves score = kith_i_session_moves(s, KITH_I_SCORES);
    int pure = s->measure == KITH_PURE_DP;
    uint32_t count = choice->count > 0 ? choice->count : 1;
    double unit = choice->unit > 0 ? choice->unit : 1;
    /* For the receipt, all selections (L1 | L2 over them): sensitivity / scale
     * is then the loss (pure), or 0.6267 of it (Gaussian). */
    double together = pure ? count : sqrt(count);
    /* How far a record moves the difference of two scores. */
    uint64_t moves = choice->bound * score.l1;
    kith_i_loss range =
        kith_i_selection_range(s->measure, choice->charge / count);
    *out = kith_i_exponent_for(range, moves);
    double exponent = kith_i_exponent_value(*out);
    kith_i_bill bill = {.what = choice->what,
                        .mechanism = pure ? "permute-and-flip" : "exponential",
                        .norm = "score",
                        .sensitivity = (double)moves * unit * together,
                        .scale = exponent > 0 ? unit / exponent : 0,
                        .loss = choice->charge};
    return kith_i_session_pay(s, &bill, 1, err);
}

static kith_status draw(kith_session *s, const kith_i_exponent *b,
                        const int64_t *totals, uint32_t n, uint32_t *out,
                        kith_error *err)
{
    *out = 0;
    if (!kith_i_session_draws(s))
        return KITH_OK;
    uint32_t *order = kith_i_alloc(n, sizeof *order);
    if (!order)
        return kith_i_fail_memory(err);
    kith_status status = KITH_OK;
    kith_i_entropy e;
    kith_i_entropy_open(&e, &s->source, kith_i_session_stream(s) << 32);
    uint32_t chosen = s->measure == KITH_PURE_DP
                          ? kith_i_permute_and_flip(&e, *b, totals, n, order)
                          : kith_i_exponential(&e, *b, totals, n);
    if (e.failed)
        status = kith_i_fail_entropy(err);
    else
        *out = chosen;
    kith_i_entropy_close(&e);
    kith_i_wipe_free(order, n * sizeof *order);
    return status;
}

kith_status kith_i_choice_draw(kith_session *s, const kith_i_exponent *b,
                               const int64_t *totals, uint32_t n, uint32_t *out,
                               kith_error *err)
{
    uint32_t chosen;
    kith_status status = draw(s, b, totals, n, &chosen, err);
    status = kith_i_team_publish(s, status, &chosen, sizeof chosen, err);
    if (!status)
        *out = chosen;
    return status;
}

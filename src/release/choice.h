/* choice.c: what every selection shares. */
#ifndef KITH_CHOICE_H
#define KITH_CHOICE_H

#include "dp/dp_private.h"
#include "noise/select.h"

/* range / moves, rounded down. */
kith_i_exponent kith_i_exponent_for(kith_i_loss range, uint64_t moves);
double kith_i_exponent_value(kith_i_exponent b);

/* Pay for selections by total losses, each record's at most bound, and turn
 * the charge into the exponent of the weights. */
typedef struct kith_i_choice {
    const char *what;
    uint32_t bound;
    double unit;    /* of a loss, for the receipt; 0: 1 */
    uint32_t count; /* selections that share the charge equally; 0: one */
    kith_i_loss charge;
} kith_i_choice;
kith_status kith_i_choice_pay(kith_session *session,
                              const kith_i_choice *choice, kith_i_exponent *out,
                              kith_error *err);
/* Draw one of n candidates; without data (a plan) the first. */
kith_status kith_i_choice_draw(kith_session *session, const kith_i_exponent *b,
                               const int64_t *totals, uint32_t n, uint32_t *out,
                               kith_error *err);

#endif

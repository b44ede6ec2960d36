/* release_swap.c: choose one of all k x C swaps of a local search (R5). */
#ifndef KITH_RELEASE_SWAP_H
#define KITH_RELEASE_SWAP_H

#include "dp/dp_i.h"

typedef struct kith_i_swap_spec {
    const char *what;
    const kith_i_view *view;    /* NULL: the records */
    uint32_t slots, candidates; /* their product below 2^32 */
    uint32_t bound;             /* of one record's loss, at most 2^31 - 1 */
    double unit; /* of a loss in the data's units, for the receipt; 0: 1 */
    kith_i_loss charge;
} kith_i_swap_spec;

typedef struct kith_i_swap {
    uint32_t slot, candidate; /* the candidate takes the slot's place */
} kith_i_swap;

/* state: the candidates and which of them are chosen now; losses are clamped
 * to [0, bound]. *out: a swap after which the total loss is small. */
kith_status kith_i_release_swap(kith_session *session,
                                const kith_i_swap_state *state,
                                const kith_i_swap_spec *spec, kith_i_swap *out,
                                kith_error *err);

#endif

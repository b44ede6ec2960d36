/* release_swap.c: choose one of all k x C swaps of a local search (R5). */
#ifndef KITH_RELEASE_SWAP_H
#define KITH_RELEASE_SWAP_H

#include "dp_i.h"

/* For each record write owner[r], the slot that serves it now, and for every
 * candidate c its loss kept[r * candidates + c] when c joins and the owner
 * stays, and how much more, extra[...], it is when c takes the owner's place.
 * kept and kept + extra are in [0, bound]; clamped by the gate. Record-local,
 * like every map. */
typedef void kith_i_swap_fn(const void *arg, const kith_i_block *block,
                            double *scratch, uint32_t *owner, int32_t *kept,
                            int32_t *extra);
typedef struct kith_i_swap_map {
    kith_i_swap_fn *run;
    const void *arg;
    size_t scratch;          /* doubles */
    const kith_i_view *view; /* NULL: the records */
} kith_i_swap_map;

typedef struct kith_i_swap_spec {
    const char *what;
    uint32_t slots, candidates; /* their product below 2^32 */
    uint32_t bound;             /* of one record's loss, at most 2^31 - 1 */
    double unit; /* of a loss in the data's units, for the receipt; 0: 1 */
    kith_i_loss charge;
} kith_i_swap_spec;

typedef struct kith_i_swap {
    uint32_t slot, candidate; /* the candidate takes the slot's place */
} kith_i_swap;

/* *out: a swap after which the total loss is small. */
kith_status kith_i_release_swap(kith_session *session,
                                const kith_i_swap_map *map,
                                const kith_i_swap_spec *spec, kith_i_swap *out,
                                kith_error *err);

#endif

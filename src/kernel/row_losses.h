/* What a row loses with each of several candidate solutions. Record-local. */
#ifndef KITH_ROW_LOSSES_H
#define KITH_ROW_LOSSES_H

#include "kernel_i.h"

/* Several sets of k centres each. */
typedef struct kith_i_center_sets {
    const kith_i_centers *set; /* all of the same k and d */
    uint32_t count;
    int shift; /* losses are squared lattice distances / 2^shift */
} kith_i_center_sets;

/* loss[r * count + s]: of row r with set s, toward zero; below 2^31 if the
 * squares are below 2^(31 + shift). */
void kith_i_center_losses(const kith_i_center_sets *sets,
                          const kith_i_block *block, double *scratch,
                          int32_t *loss);
size_t kith_i_center_losses_scratch(const kith_i_center_sets *sets);

/* All swaps "candidate c takes the place of one of the chosen". */
typedef struct kith_i_swap_state {
    kith_i_centers points;  /* the candidates */
    const uint32_t *chosen; /* Z: k of them */
    uint32_t k;
    int shift;     /* losses are squared lattice distances / 2^shift, */
    int median;    /* or distances */
    int32_t bound; /* of a loss */
} kith_i_swap_state;

/* For each row owner[r], the chosen one that serves it now, and for every
 * candidate c its loss kept[r * n + c] when c joins and the owner stays, and
 * how much more, extra[...], it is when c takes the owner's place. */
void kith_i_swap_losses(const kith_i_swap_state *state,
                        const kith_i_block *block, double *scratch,
                        uint32_t *owner, int32_t *kept, int32_t *extra);
size_t kith_i_swap_scratch(uint32_t candidates, uint32_t p);

#endif

/* Exact sums of bounded contributions: integers only (R2, R4). Contributions
 * are clipped to the bound they are charged for: an algorithm that hands over
 * too long a vector loses accuracy, never privacy. */
#ifndef KITH_AGGREGATE_H
#define KITH_AGGREGATE_H

#include <stddef.h>
#include <stdint.h>

#include "base/block.h"

/* Afterwards sum v^2 <= radius^2 (l2) or sum |v| <= radius (l1); radius at most
 * 2^31. */
void kith_i_clip_l2(int32_t *v, uint32_t width, uint64_t radius);
void kith_i_clip_l1(int32_t *v, uint32_t width, uint64_t radius);

/* Add the rows' values (clipped in place to radius[cell], in L1 if pure, else
 * in L2) and their number to their cells; rows in no cell are left out. sums
 * or counts may be NULL. */
typedef struct kith_i_values {
    uint32_t rows, width, cells;
    const uint32_t *cell;
    int32_t *value;
    const uint64_t *radius;
    int pure;
} kith_i_values;
void kith_i_aggregate_values(const kith_i_values *values, int64_t *sums,
                             int64_t *counts);

/* Add every row of a block, scaled up or down to this norm (L1 if pure, else
 * L2; entries toward zero, so no longer; zero rows stay), to sums. norm at most
 * 2^31. */
void kith_i_aggregate_scaled(const kith_i_block *block, uint64_t norm, int pure,
                             int64_t *sums);
/* Add every row, its entries clamped to [-bound, bound], to the sums of its
 * cell (cells x dimension). */
void kith_i_aggregate_clamped(const kith_i_block *block, const uint32_t *cell,
                              uint32_t cells, uint32_t bound, int64_t *sums);

/* to[i] = from[i] / 2^shift, toward zero: no entry grows, so sum to^2 <= (sum
 * from^2) / 4^shift. */
void kith_i_truncate_values(const int16_t *from, size_t count, uint32_t shift,
                            int16_t *to);

/* to[i] += from[i] modulo 2^64. */
void kith_i_add_wrapping(const int64_t *from, size_t count, int64_t *to);

/* totals[c] += each row's loss[c], clamped to [0, bound]. */
void kith_i_aggregate_losses(const int32_t *losses, uint32_t rows,
                             uint32_t candidates, int32_t bound,
                             int64_t *totals);

/* Losses of all swaps at once: row r is owned by slot owner[r] and loses
 * kept[r*c] in a swap that leaves its owner in place, kept + extra in one that
 * removes it. Both are clamped to [0, bound]; rows with an owner >= slots only
 * have the first. kept_totals: candidates; extra_totals: slots x candidates. */
typedef struct kith_i_swaps {
    uint32_t rows, slots, candidates;
    int32_t bound;
    const uint32_t *owner;
    const int32_t *kept, *extra;
} kith_i_swaps;
void kith_i_aggregate_swaps(const kith_i_swaps *swaps, int64_t *kept_totals,
                            int64_t *extra_totals);

/* Sort n keys (other: scratch of n), then keep the distinct ones below limit,
 * in order, with their multiplicities in counts; returns how many. */
size_t kith_i_aggregate_keys(uint64_t *keys, uint64_t *other, size_t n,
                             uint64_t limit, int64_t *counts);

#endif

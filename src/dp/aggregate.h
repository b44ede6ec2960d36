/* Exact sums of bounded contributions: integers only (R2, R4). Contributions
 * are clipped to the bound they are charged for: an algorithm that hands over
 * too long a vector loses accuracy, never privacy. */
#ifndef KITH_AGGREGATE_H
#define KITH_AGGREGATE_H

#include <stddef.h>
#include <stdint.h>

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

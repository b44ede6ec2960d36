/* Claim: no pair of neighbours differs by more than the table says.
 * Because: add-remove: one row's contribution comes or goes, in one cell: at
 *   most the bound. Replace-one: the old contribution goes, the new one comes.
 *   Counts: in two cells, by 1 each: L1 2, L2 sqrt 2 (in one cell: 0).
 *   Sums: in one cell |v - w| <= 2 r; in two, by r each: L1 2 r, L2 sqrt 2 r.
 *   Moments: |v v' - w w'|_F^2 = |v|^4 + |w|^4 - 2 (v.w)^2 <= 2 r^4 in one
 * cell, and |v|^4 + |w|^4 in two; one K-norm each: 2 r^2 together. A fourth
 *     moment likewise, since (v.w)^4 >= 0.
 *   Traces: r^2 is removed and r^2 is added.
 *   Scores: all go by 0..bound one way (add-remove), within +-bound
 *     (replace-one): the difference of two scores moves by twice that. */
#include "moves.h"

#include "base/wide.h"

kith_i_moves kith_i_moves_of(kith_i_statistic what, kith_neighbors neighbors)
{
    static const kith_i_moves replaced[] = {
        [KITH_I_COUNTS] = {2, 2},  [KITH_I_SUMS] = {2, 4},
        [KITH_I_MOMENTS] = {2, 2}, [KITH_I_TRACES] = {2, 4},
        [KITH_I_SCORES] = {2, 4},
    };
    return neighbors == KITH_REPLACE_ONE ? replaced[what]
                                         : (kith_i_moves){1, 1};
}

uint64_t kith_i_root_times(uint64_t value, uint64_t squared)
{
    if (squared == 1)
        return value;
    /* 1.4142135624 > sqrt 2 */
    return (uint64_t)(((kith_i_u128)value * 14142135624u + 9999999999u) /
                      10000000000u);
}

/* A quantile from a noisy histogram: one release of counts, then free
 * post-processing. */
#include "dp_private.h"

#include "base/base_i.h"

/* Claim: costs charge. Because: only the released counts are looked at. */
kith_status kith_i_release_quantile(kith_session *s, const kith_i_map *map,
                                    const char *what, uint32_t bins, double q,
                                    kith_i_loss charge, uint32_t *out,
                                    kith_error *err)
{
    kith_i_cells_spec spec = {
        .what = what, .cells = bins, .count_charge = charge};
    kith_i_cells cells;
    kith_status status = kith_i_release_cells(s, map, &spec, &cells, err);
    if (status)
        return status;
    double total = 0, below = 0;
    for (uint32_t b = 0; b < bins; b++)
        if ((double)cells.counts[b] >= 2.5 * cells.count_sd)
            total += (double)cells.counts[b];
    uint32_t bin = 0;
    for (; bin + 1 < bins; bin++) {
        if ((double)cells.counts[bin] >= 2.5 * cells.count_sd)
            below += (double)cells.counts[bin];
        if (total > 0 && below >= q * total)
            break;
    }
    kith_i_cells_free(&cells);
    *out = bin;
    return KITH_OK;
}

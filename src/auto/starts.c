/* A9: k-means on the summary, free of charge. */
#include "auto/starts.h"

#include "solver/search_points.h"

/* Searches, each from the best of some seedings. A few clusters have optima of
 * nearly the same cost (rows on a closed curve): to tell them apart takes more
 * searches, and takes no time. */
enum { STARTS = 4, REPEATS = 8, FEW_REPEATS = 3, MORE_REPEATS = 64, FEW = 7 };

kith_status kith_i_auto_solve(auto_run *run, const auto_summary *summary,
                              double *centers, kith_error *err)
{
    uint32_t k = run->k;
    auto_summary s = *summary;
    kith_i_auto_halve(run, &s, k, 0);
    kith_i_points points = {s.points, s.weight, s.n, s.q};
    kith_i_search search = {.k = k,
                            .repeats = k > AUTO_SWAPPED ? FEW_REPEATS
                                       : k <= FEW       ? MORE_REPEATS
                                                        : REPEATS,
                            .starts = STARTS,
                            .swaps = 1,
                            .threads = kith_i_session_threads(run->session)};
    return kith_i_search_points(&points, &search, &run->coins, centers, err);
}

/* choose_k: the number of clusters, chosen inside the budget of one run. */
#ifndef KITH_CHOOSE_K_H
#define KITH_CHOOSE_K_H

#include "cluster_i.h"

/* Does the range make sense? */
kith_status kith_i_choose_check(const kith_kmeans_options *opt,
                                kith_error *err);

/* kith_i_kmeans_run for a number from opt->clusters_from to opt->clusters.
 * result: has room for the most. */
kith_status kith_i_kmeans_choose(kith_session *session,
                                 const kith_kmeans_options *opt, uint64_t rows,
                                 kith_result *result, kith_error *err);

#endif

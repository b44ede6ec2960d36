/* cluster: k-means as a choice of method, and the default one. */
#ifndef KITH_CLUSTER_I_H
#define KITH_CLUSTER_I_H

#include "auto/auto.h"
#include "lloyd/lloyd_i.h"

/* kmeans.c: runs the method that opt asks for, or the one that stands in for
 * it; fills the result like the methods below. */
kith_status kith_i_kmeans_run(kith_session *session,
                              const kith_kmeans_options *opt, uint64_t rows,
                              kith_result *result, kith_error *err);

#endif

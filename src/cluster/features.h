/* features.c: sparse records, and the features that matter in them. */
#ifndef KITH_FEATURES_H
#define KITH_FEATURES_H

#include "cluster_i.h"

/* As the methods of cluster_i.h. */
kith_status kith_i_kmeans_features(kith_session *session,
                                   const kith_kmeans_options *opt,
                                   uint64_t rows, kith_result *result,
                                   kith_error *err);

/* How many features are looked at, at most: public. */
uint32_t kith_i_most_features(const kith_i_domain *domain);

#endif

/* auto.c: the default k-means. */
#ifndef KITH_AUTO_H
#define KITH_AUTO_H

#include "run/run.h"

/* Fills the result's centres, weights, rounds and noise. Dense rows, or sparse
 * ones cut to a few features. rows: the expected number of rows for a plan, 0
 * in a real run. It decides from what it has released, so a plan shows a
 * typical run. */
kith_status kith_i_kmeans_auto(kith_session *session,
                               const kith_kmeans_options *opt, uint64_t rows,
                               kith_result *result, kith_error *err);

#endif

/* release_sparse.c: histograms over public domains too large to enumerate. */
#ifndef KITH_RELEASE_SPARSE_H
#define KITH_RELEASE_SPARSE_H

#include "dp/dp_i.h"

/* The key of a row: its cube among the children of a tree's deepest level.
 * Keys beyond the domain contribute nothing. */
typedef struct kith_i_keys {
    const kith_i_view *view; /* NULL: the records */
    const kith_i_tree *tree; /* as wide as the rows */
} kith_i_keys;
typedef struct kith_i_sparse_spec {
    const char *what;
    uint64_t domain_size; /* keys 0 .. domain_size-1, at most 2^62 */
    int64_t threshold;    /* cells with a noisy count below it stay silent; */
                          /* >= 1 */
    kith_i_loss charge;
} kith_i_sparse_spec;
/* All cells of the domain whose noisy count reaches the threshold, by key:
 * exactly what adding noise to every cell, empty ones included, would give.
 * *out: the caller's, to kith_i_free. */
kith_status kith_i_release_sparse(kith_session *session,
                                  const kith_i_keys *keys,
                                  const kith_i_sparse_spec *spec,
                                  kith_i_sparse_cell **out, size_t *count,
                                  double *sd, kith_error *err);

#endif

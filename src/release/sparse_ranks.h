/* sparse_ranks.c: histograms over huge domains, from the ranks of a team. */
#ifndef KITH_SPARSE_RANKS_H
#define KITH_SPARSE_RANKS_H

#include "dp/dp_private.h"

/* The cells that rows are in, by key, and how many: exact. */
typedef struct kith_i_key_counts {
    uint64_t *keys;
    int64_t *counts;
    size_t count;
} kith_i_key_counts;

/* On rank 0 *out has the cells of all ranks, new arrays; on the others nothing.
 * status: how this rank fared so far. Alone: out is mine. */
kith_status kith_i_key_counts_gather(kith_session *session, uint64_t digest,
                                     kith_status status,
                                     const kith_i_key_counts *mine,
                                     kith_i_key_counts *out, kith_error *err);
/* Wipes and frees what gather made. */
void kith_i_key_counts_free(const kith_session *session,
                            kith_i_key_counts *gathered);

/* Rank 0's list, or why there is none, to everybody. Frees it on failure. */
kith_status kith_i_sparse_publish(kith_session *session, kith_status status,
                                  kith_i_sparse_cell **cells, size_t *count,
                                  kith_error *err);

#endif

/* fold: the one place where stored rows are visited (I9). Only dp/ (the gate),
 * simulate/ (every row a user) and plain/ (not private, and says so) may
 * include this header; scripts/check_layers.py enforces it. */
#ifndef KITH_FOLD_H
#define KITH_FOLD_H

#include <stdint.h>

#include "base/block.h"
#include "base/domain.h"
#include "kith/data.h"

/* worker: 0..workers-1, for the caller's per-worker state. first: position of
 * the block's first row in the dataset, for plain/ only; dp/ ignores it. */
typedef void kith_i_visit_fn(void *arg, uint32_t worker, uint64_t first,
                             const kith_i_block *block);

/* Visit every row once, in blocks of at most KITH_I_BLOCK_ROWS rows (fewer for
 * wide rows, so that a block of doubles stays in cache), blocks handed to
 * workers as they come. */
void kith_i_fold(const kith_dataset *data, uint32_t workers,
                 kith_i_visit_fn *visit, void *arg);

/* KITH_ERR_ARGUMENT if its rows are on disk: a fold can then fail, and this is
 * for those who do not look at its status. */
kith_status kith_i_dataset_need_memory(const kith_dataset *data,
                                       kith_error *err);

/* KITH_ERR_CANCELLED: it was stopped (base/watch.h), and did not visit all.
 * The same over rows that were derived from others: block->beside shows each
 * row of `beside` next to the row of `data` it came from or goes with. */
kith_status kith_i_fold_beside(const kith_dataset *data,
                               const kith_dataset *beside, uint32_t workers,
                               kith_i_visit_fn *visit, void *arg,
                               kith_error *err);

/* Make a dense dataset with one row for each row of data: fill writes
 * block->rows rows of domain->dimension values. Their bounds are enforced
 * afterwards in integers, as for rows that were read. domain: taken on
 * KITH_OK. */
typedef void kith_i_derive_fn(void *arg, uint32_t worker,
                              const kith_i_block *block, int16_t *rows);
kith_status kith_i_dataset_derive(const kith_dataset *data,
                                  kith_i_domain *domain, uint32_t workers,
                                  kith_i_derive_fn *fill, void *arg,
                                  kith_dataset **out, kith_error *err);

/* kith_dataset_free, with workers: there is much to wipe. */
void kith_i_dataset_close(kith_dataset *data, uint32_t workers);

const kith_i_domain *kith_i_dataset_domain(const kith_dataset *data);
uint64_t kith_i_dataset_rows(const kith_dataset *data); /* private! */
/* Is their number the same whatever the rows hold (kith/data.h)? */
int kith_i_dataset_fixed_rows(const kith_dataset *data);
/* How many rows are kept of each person; 0: rows are nobody's. */
int kith_i_dataset_by_user(const kith_dataset *data);
/* Most rows in any block of this dataset: a function of the public shape. */
uint32_t kith_i_dataset_block_rows(const kith_dataset *data);

#endif

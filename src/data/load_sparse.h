/* load_sparse.c: quantise sparse rows into a chunk of their own. */
#ifndef KITH_LOAD_SPARSE_H
#define KITH_LOAD_SPARSE_H

#include "dataset_i.h"
#include "reader.h"

kith_status kith_i_append_sparse(kith_dataset *data, const kith_i_rows *in,
                                 kith_error *err);

#endif

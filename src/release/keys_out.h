/* keys_out.c: the cell of every row in a domain that nobody enumerates. Only
 * release_sparse.c takes them, on the gate's own frame. */
#ifndef KITH_KEYS_OUT_H
#define KITH_KEYS_OUT_H

#include "dp/dp_private.h"

/* For a histogram over a huge domain: the key of every record, unordered by
 * whoever takes them. Pays the bill. */
typedef struct kith_i_key_copy {
    uint64_t *keys; /* n of them */
    size_t n;       /* 0 in a plan */
} kith_i_key_copy;

kith_status kith_i_key_copy_open(kith_session *session, const kith_i_bill *bill,
                                 const kith_i_view *view,
                                 const kith_i_tree *tree, kith_i_key_copy *out,
                                 kith_error *err);
void kith_i_key_copy_close(kith_i_key_copy *copy);

#endif

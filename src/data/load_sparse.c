/* Rows of pairs: one chunk for each piece that is read. */
#include "load_sparse.h"

#include "base/base_i.h"

kith_status kith_i_append_sparse(kith_dataset *data, const kith_i_rows *in,
                                 kith_error *err)
{
    uint32_t total = in->start[in->rows];
    double *t = kith_i_alloc(total, sizeof *t);
    kith_i_chunk *c = kith_i_chunk_append(data);
    if (c) {
        c->start = kith_i_alloc((size_t)in->rows + 1, sizeof *c->start);
        c->index = kith_i_alloc(total, sizeof *c->index);
        c->value = kith_i_alloc(total, sizeof *c->value);
        c->room = total;
    }
    if (!t || !c || !c->start || !c->index || !c->value) {
        if (c) { /* leave nothing that chunk_free could misread */
            kith_i_free(c->start);
            kith_i_free(c->index);
            kith_i_free(c->value);
            data->chunk_count--;
        }
        kith_i_free(t);
        return kith_i_fail_memory(err);
    }
    uint32_t n = 0;
    for (uint32_t r = 0; r < in->rows; r++) {
        uint32_t from = in->start[r];
        n += kith_i_quantize_sparse(data->domain, in->index + from,
                                    in->value + from, in->start[r + 1] - from,
                                    t, c->index + n, c->value + n);
        c->start[r + 1] = n;
    }
    c->rows = c->capacity = in->rows;
    kith_i_wipe_free(t, total * sizeof *t);
    return kith_i_dataset_count(data, in->rows, err);
}

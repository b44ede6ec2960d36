/* Sparse rows in the caller's memory, as SciPy has them. */
#include <string.h>

#include "base/base_i.h"
#include "base/block.h"
#include "reader_npy_convert.h"
#include "reader_shard.h"

enum { BLOCK_VALUES = 1 << 20 }; /* of a block of rows; one row may have more */

typedef struct {
    kith_csr csr;
    kith_i_npy type;
    const kith_i_layout *layout;
    uint64_t row;
    uint32_t start[KITH_I_BLOCK_ROWS + 1];
    uint32_t *index; /* room for as many as are needed */
    double *value;
    size_t room;
} csr_shard;

static void csr_close(void *state)
{
    csr_shard *shard = state;
    if (!shard)
        return;
    kith_i_wipe_free(shard->index, shard->room * sizeof *shard->index);
    kith_i_wipe_free(shard->value, shard->room * sizeof *shard->value);
    kith_i_wipe_free(shard, sizeof *shard);
}

static int64_t integer_at(const void *array, int bytes, uint64_t i)
{
    int32_t narrow;
    int64_t wide;
    if (bytes == 4) {
        memcpy(&narrow, (const char *)array + 4 * i, 4);
        return narrow;
    }
    memcpy(&wide, (const char *)array + 8 * i, 8);
    return wide;
}

static int64_t start_at(const csr_shard *shard, uint64_t row)
{
    return integer_at(shard->csr.start, shard->csr.start_bytes, row);
}

static kith_status check(const kith_csr *c, kith_error *err)
{
    int sizes = (c->start_bytes == 4 || c->start_bytes == 8) &&
                (c->index_bytes == 4 || c->index_bytes == 8);
    if (!sizes || !c->start || c->columns == 0)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "sparse rows need columns, and starts and indices "
                           "of 4 or 8 bytes");
    for (uint64_t r = 0; r <= c->rows; r++) {
        int64_t at = integer_at(c->start, c->start_bytes, r);
        int64_t before = r ? integer_at(c->start, c->start_bytes, r - 1) : 0;
        if (at < before || at - before > c->columns)
            return kith_i_fail(err, KITH_ERR_INPUT,
                               "sparse rows: the starts of rows are not in "
                               "order");
    }
    if (integer_at(c->start, c->start_bytes, c->rows) > 0 &&
        (!c->index || !c->value))
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "sparse rows without indices or values");
    return KITH_OK;
}

kith_status kith_i_csr_open(const kith_csr *csr, kith_i_layout *layout,
                            void **out, kith_error *err)
{
    kith_status status = check(csr, err);
    if (status)
        return status;
    csr_shard *shard = kith_i_alloc(1, sizeof *shard);
    if (!shard)
        return kith_i_fail_memory(err);
    shard->csr = *csr;
    shard->layout = layout;
    if (csr->type == KITH_BITS || kith_i_memory_type(csr->type, &shard->type))
        status =
            kith_i_fail(err, KITH_ERR_ARGUMENT, "a type of number is unknown");
    if (!status)
        status = kith_i_layout_settle(layout, csr->columns, "the rows", err);
    if (status)
        csr_close(shard);
    else
        *out = shard;
    return status;
}

static kith_status make_room(csr_shard *shard, size_t count, kith_error *err)
{
    if (count <= shard->room)
        return KITH_OK;
    uint32_t *index = kith_i_alloc(count, sizeof *index);
    double *value = kith_i_alloc(count, sizeof *value);
    if (!index || !value) {
        kith_i_free(index);
        kith_i_free(value);
        return kith_i_fail_memory(err);
    }
    kith_i_wipe_free(shard->index, shard->room * sizeof *index);
    kith_i_wipe_free(shard->value, shard->room * sizeof *value);
    shard->index = index;
    shard->value = value;
    shard->room = count;
    return KITH_OK;
}

/* One row to the end of what the block has; *kept: 0 when it is left out. */
static kith_status add_row(csr_shard *shard, uint64_t row, uint32_t used,
                           uint32_t *kept, kith_error *err)
{
    int64_t from = start_at(shard, row);
    uint32_t count = (uint32_t)(start_at(shard, row + 1) - from);
    int64_t last = -1;
    *kept = 0;
    kith_i_npy_convert(&shard->type,
                       (const char *)shard->csr.value +
                           (uint64_t)from * shard->type.item,
                       count, shard->value + used);
    for (uint32_t i = 0; i < count; i++) {
        int64_t column = integer_at(shard->csr.index, shard->csr.index_bytes,
                                    (uint64_t)from + i);
        if (column <= last || column >= shard->csr.columns)
            return kith_i_fail(err, KITH_ERR_INPUT,
                               "row %llu: the columns of sparse rows must be "
                               "below the number of columns and increase",
                               (unsigned long long)(row + 1));
        shard->index[used + i] = (uint32_t)column;
        last = column;
    }
    if (kith_i_npy_all_finite(shard->value + used, count)) {
        *kept = 1;
        return KITH_OK;
    }
    if (shard->layout->opt.missing == KITH_MISSING_DROP)
        return KITH_OK;
    return kith_i_fail(err, KITH_ERR_INPUT,
                       "row %llu has a column without a value (NaN or "
                       "infinity); fill it in, or leave such rows out "
                       "(missing: drop)",
                       (unsigned long long)(row + 1));
}

static kith_status csr_next(void *state, kith_i_rows *out, kith_error *err)
{
    csr_shard *shard = state;
    uint32_t rows = 0;
    uint32_t used = 0;
    while (rows == 0 && shard->row < shard->csr.rows) {
        uint64_t end = shard->row + 1, first = shard->row;
        int64_t from = start_at(shard, first);
        while (end < shard->csr.rows && end - first < KITH_I_BLOCK_ROWS &&
               start_at(shard, end + 1) - from <= BLOCK_VALUES)
            end++;
        kith_status status =
            make_room(shard, (size_t)(start_at(shard, end) - from), err);
        for (; !status && shard->row < end; shard->row++) {
            uint32_t kept = 0;
            status = add_row(shard, shard->row, used, &kept, err);
            if (kept)
                used += (uint32_t)(start_at(shard, shard->row + 1) -
                                   start_at(shard, shard->row));
            rows += kept;
            shard->start[rows] = used;
        }
        if (status)
            return status;
    }
    *out = (kith_i_rows){.rows = rows,
                         .dimension = shard->csr.columns,
                         .start = shard->start,
                         .index = shard->index,
                         .value = shard->value};
    return KITH_OK;
}

const kith_i_shard_ops kith_i_shard_csr = {
    .is_sparse = 1, .next = csr_next, .close = csr_close};

/* Rows in the caller's memory, any real type and stride: a shard like those of
 * files. Taking rows is noting their numbers; converting picks the items up
 * where they are. */
#include <math.h>
#include <string.h>

#include "base/base_i.h"
#include "reader_npy_convert.h"
#include "reader_shard.h"
#include "users.h"

typedef struct {
    kith_array array; /* data NULL: a table */
    const kith_column *columns;
    const kith_i_layout *layout;
    kith_i_npy type; /* of an array */
    uint64_t rows, row;
    uint64_t before; /* rows that messages count, too */
    uint32_t d;
    const char *const *users; /* one a row; NULL: rows are nobody's */
} memory_shard;

int kith_i_memory_type(kith_number type, kith_i_npy *out)
{
    static const struct {
        char kind;
        uint32_t item;
    } types[] = {[KITH_FLOAT64] = {'f', 8}, [KITH_FLOAT32] = {'f', 4},
                 [KITH_FLOAT16] = {'f', 2}, [KITH_INT8] = {'i', 1},
                 [KITH_INT16] = {'i', 2},   [KITH_INT32] = {'i', 4},
                 [KITH_INT64] = {'i', 8},   [KITH_UINT8] = {'u', 1},
                 [KITH_UINT16] = {'u', 2},  [KITH_UINT32] = {'u', 4},
                 [KITH_UINT64] = {'u', 8},  [KITH_BOOL] = {'b', 1},
                 [KITH_BITS] = {'b', 1}};
    if ((unsigned)type >= sizeof types / sizeof *types || !types[type].kind)
        return -1;
    *out = (kith_i_npy){.kind = types[type].kind, .item = types[type].item};
    return 0;
}

static void memory_close(void *state)
{
    kith_i_free(state);
}

void kith_i_memory_count_from(void *memory, uint64_t before)
{
    memory_shard *shard = memory;
    shard->before = before;
}

/* ---- opening ------------------------------------------------------------- */

static kith_status fail_type(kith_error *err)
{
    return kith_i_fail(err, KITH_ERR_ARGUMENT, "a type of number is unknown");
}

static kith_status open_array(memory_shard *shard, const kith_array *array,
                              kith_error *err)
{
    shard->array = *array;
    shard->rows = array->rows;
    shard->d = array->columns;
    if (array->type == KITH_BITS ||
        kith_i_memory_type(array->type, &shard->type))
        return fail_type(err);
    if (!array->data && array->rows > 0)
        return kith_i_fail(err, KITH_ERR_ARGUMENT, "no rows were given");
    return KITH_OK;
}

static kith_status open_table(memory_shard *shard, const kith_source *source,
                              kith_error *err)
{
    kith_i_npy type;
    shard->columns = source->columns;
    shard->rows = source->rows;
    shard->d = source->column_count;
    for (uint32_t j = 0; j < shard->d; j++) {
        if (kith_i_memory_type(source->columns[j].type, &type))
            return fail_type(err);
        if (!source->columns[j].data && source->rows > 0)
            return kith_i_fail(err, KITH_ERR_ARGUMENT, "column %u has no data",
                               j + 1);
    }
    return KITH_OK;
}

kith_status kith_i_memory_open(const kith_source *source, kith_i_layout *layout,
                               void **out, kith_error *err)
{
    memory_shard *shard = kith_i_alloc(1, sizeof *shard);
    if (!shard)
        return kith_i_fail_memory(err);
    shard->layout = layout;
    shard->users = source->users;
    kith_status status = source->array ? open_array(shard, source->array, err)
                                       : open_table(shard, source, err);
    if (!status && shard->d == 0)
        status = kith_i_fail(err, KITH_ERR_INPUT, "there are no columns");
    if (!status)
        status = kith_i_layout_settle(layout, shard->d, "the rows", err);
    if (status) {
        memory_close(shard);
        return status;
    }
    *out = shard;
    return KITH_OK;
}

/* ---- rows ---------------------------------------------------------------- */

static kith_status memory_take(void *state, uint32_t want, kith_i_raw *raw,
                               kith_error *err)
{
    memory_shard *shard = state;
    uint64_t left = shard->rows - shard->row;
    raw->first = shard->row;
    raw->rows = left < want ? (uint32_t)left : want;
    shard->row += raw->rows;
    /* items that do not stand side by side are gathered here, row by row or
     * column by column */
    size_t most = shard->d > raw->rows ? shard->d : raw->rows;
    return kith_i_raw_reserve(raw, 0, most * sizeof(double), err);
}

static void convert_array(const memory_shard *shard, uint64_t first,
                          uint32_t rows, char *scratch, double *out)
{
    const kith_array *a = &shard->array;
    size_t d = shard->d, item = shard->type.item;
    const char *from = (const char *)a->data + (ptrdiff_t)first * a->row_stride;
    if (a->column_stride == (ptrdiff_t)item &&
        a->row_stride == (ptrdiff_t)(d * item)) {
        kith_i_npy_convert(&shard->type, from, rows * d, out);
        return;
    }
    for (uint32_t r = 0; r < rows; r++, from += a->row_stride) {
        const char *row = from;
        if (a->column_stride != (ptrdiff_t)item) {
            kith_i_npy_gather(from, a->column_stride, scratch, item, d, item);
            row = scratch;
        }
        kith_i_npy_convert(&shard->type, row, d, out + r * d);
    }
}

static int bit_at(const void *bits, uint64_t at)
{
    return ((const uint8_t *)bits)[at / 8] >> at % 8 & 1;
}

/* Items of a column from row `at` on, one after another. */
static void gather_column(const kith_column *c, uint32_t item, uint64_t at,
                          uint32_t count, char *to)
{
    if (c->type != KITH_BITS)
        kith_i_npy_gather((const char *)c->data + (ptrdiff_t)at * c->stride,
                          c->stride, to, item, count, item);
    for (uint32_t i = 0; c->type == KITH_BITS && i < count; i++)
        to[i] = (char)bit_at(c->data, c->first_bit + at + i);
}

static int is_missing(const kith_column *c, uint64_t row)
{
    return (c->missing && c->missing[row]) ||
           (c->valid && !bit_at(c->valid, c->first_bit + row));
}

static void convert_table(const memory_shard *shard, uint64_t first,
                          uint32_t rows, char *scratch, double *out)
{
    enum { AT_ONCE = 64 };
    double values[AT_ONCE];
    for (uint32_t j = 0; j < shard->d; j++) {
        const kith_column *c = &shard->columns[j];
        kith_i_npy type = {0};
        (void)kith_i_memory_type(c->type, &type);
        for (uint32_t r = 0; r < rows; r += AT_ONCE) {
            uint32_t count = rows - r < AT_ONCE ? rows - r : AT_ONCE;
            uint64_t at = first + r;
            gather_column(c, type.item, at, count, scratch);
            kith_i_npy_convert(&type, scratch, count, values);
            for (uint32_t i = 0; i < count; i++)
                out[(size_t)(r + i) * shard->d + j] =
                    is_missing(c, at + i) ? (double)NAN : values[i];
        }
    }
    kith_i_wipe(values, sizeof values);
}

static int has_user(const memory_shard *shard, uint64_t row)
{
    return !shard->users || (shard->users[row] && *shard->users[row]);
}

/* Move the rows that are whole to the front, or complain. */
static kith_status keep_whole(const memory_shard *shard, uint64_t first,
                              kith_i_raw *raw, double *dense, uint32_t *rows,
                              kith_error *err)
{
    size_t d = shard->d;
    uint32_t kept = 0;
    for (uint32_t r = 0; r < *rows; r++) {
        double *row = dense + r * d;
        int known = has_user(shard, first + r);
        if (known && kith_i_npy_all_finite(row, d)) {
            if (kept != r)
                memcpy(dense + kept * d, row, d * sizeof *row);
            if (shard->users && raw->users)
                kith_i_user_of_text(shard->users[first + r], &raw->users[kept]);
            kept++;
            continue;
        }
        if (shard->layout->opt.missing == KITH_MISSING_DROP)
            continue;
        if (!known)
            return kith_i_fail(
                err, KITH_ERR_INPUT,
                "row %llu: nobody knows whose it is; fill the id in, or leave "
                "such rows out (missing: drop)",
                (unsigned long long)(shard->before + first + r + 1));
        uint32_t j = 0;
        while (j < d && kith_i_npy_all_finite(row + j, 1))
            j++;
        return kith_i_fail(err, KITH_ERR_INPUT,
                           "row %llu: column %u has no value (NaN or "
                           "infinity); fill it in, or leave such rows out "
                           "(missing: drop)",
                           (unsigned long long)(shard->before + first + r + 1),
                           j + 1);
    }
    *rows = kept;
    return KITH_OK;
}

static kith_status memory_convert(const void *state, kith_i_raw *raw,
                                  uint32_t most, double *out, uint32_t *kept,
                                  kith_error *err)
{
    const memory_shard *shard = state;
    uint32_t rows = raw->rows - raw->done;
    uint64_t first = raw->first + raw->done;
    rows = rows < most ? rows : most;
    if (shard->columns)
        convert_table(shard, first, rows, raw->bytes, out);
    else
        convert_array(shard, first, rows, raw->bytes, out);
    raw->done += rows;
    *kept = rows;
    return !shard->users && kith_i_npy_all_finite(out, (size_t)rows * shard->d)
               ? KITH_OK
               : keep_whole(shard, first, raw, out, kept, err);
}

const kith_i_shard_ops kith_i_shard_memory = {
    .take = memory_take, .convert = memory_convert, .close = memory_close};

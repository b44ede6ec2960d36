/* Arrow: record batches that somebody else made, read where they are. A batch
 * is a table (reader_memory.c); the next one comes when all rows of the last
 * have been converted. Nothing of the producer is believed: counts, offsets and
 * pointers are checked before they are used, as far as the interface lets a
 * consumer check them. */
#include <stdio.h>
#include <string.h>

#include "base/base_i.h"
#include "base/domain.h"
#include "reader_shard.h"

typedef struct {
    const kith_arrow *from;
    kith_i_layout *layout;
    struct ArrowSchema schema; /* of a stream: ours to release */
    struct ArrowArray batch;   /* likewise */
    const struct ArrowSchema *form;
    kith_column *columns;
    uint32_t d;
    void *table;     /* the batch, for reader_memory.c */
    uint64_t before; /* rows in earlier batches */
} arrow_shard;

static void release_batch(arrow_shard *shard)
{
    kith_i_shard_memory.close(shard->table);
    shard->table = NULL;
    if (shard->batch.release)
        shard->batch.release(&shard->batch);
    memset(&shard->batch, 0, sizeof shard->batch);
}

static void arrow_close(void *state)
{
    arrow_shard *shard = state;
    if (!shard)
        return;
    release_batch(shard);
    if (shard->schema.release)
        shard->schema.release(&shard->schema);
    kith_i_free(shard->columns);
    kith_i_free(shard);
}

/* ---- the schema ---------------------------------------------------------- */

static kith_number number_of(const char *format)
{
    static const struct {
        char letter;
        kith_number type;
    } known[] = {{'c', KITH_INT8},    {'C', KITH_UINT8},   {'s', KITH_INT16},
                 {'S', KITH_UINT16},  {'i', KITH_INT32},   {'I', KITH_UINT32},
                 {'l', KITH_INT64},   {'L', KITH_UINT64},  {'e', KITH_FLOAT16},
                 {'f', KITH_FLOAT32}, {'g', KITH_FLOAT64}, {'b', KITH_BITS}};
    for (size_t i = 0; format && i < sizeof known / sizeof *known; i++)
        if (format[0] == known[i].letter && !format[1])
            return known[i].type;
    return 0;
}

static kith_status fail_producer(const char *what, kith_error *err)
{
    return kith_i_fail(err, KITH_ERR_INPUT, "the Arrow data are broken: %s",
                       what);
}

static kith_status check_column(const struct ArrowSchema *column, uint32_t j,
                                kith_column *out, kith_error *err)
{
    if (!column)
        return fail_producer("a column has no schema", err);
    out->type = column->dictionary ? 0 : number_of(column->format);
    if (!out->type)
        return kith_i_fail(err, KITH_ERR_INPUT,
                           "column %u (%.60s) is of Arrow type \"%.20s\"%s, "
                           "not of real numbers: leave it out or turn it into "
                           "numbers",
                           j + 1, column->name ? column->name : "",
                           column->format ? column->format : "",
                           column->dictionary ? " (dictionary)" : "");
    return KITH_OK;
}

static kith_status check_schema(arrow_shard *shard, kith_error *err)
{
    const struct ArrowSchema *form = shard->form;
    if (!form->format || strcmp(form->format, "+s") != 0 || form->dictionary)
        return kith_i_fail(err, KITH_ERR_INPUT,
                           "the Arrow data are no table: a struct of columns "
                           "is needed");
    if (form->n_children < 1 || form->n_children > KITH_I_MAX_DIMENSION ||
        !form->children)
        return kith_i_fail(err, KITH_ERR_INPUT,
                           "the Arrow table must have 1 to %u columns",
                           KITH_I_MAX_DIMENSION);
    shard->d = (uint32_t)form->n_children;
    shard->columns = kith_i_alloc(shard->d, sizeof *shard->columns);
    if (!shard->columns)
        return kith_i_fail_memory(err);
    for (uint32_t j = 0; j < shard->d; j++) {
        kith_status status =
            check_column(form->children[j], j, &shard->columns[j], err);
        if (status)
            return status;
    }
    return kith_i_layout_settle(shard->layout, shard->d, "the Arrow table",
                                err);
}

/* ---- batches ------------------------------------------------------------- */

static int has_room(int64_t offset, int64_t length)
{
    int64_t end;
    return offset >= 0 && length >= 0 &&
           !__builtin_add_overflow(offset, length, &end) && end < INT64_MAX / 8;
}

static kith_status check_rows(const struct ArrowArray *batch, kith_error *err)
{
    const uint8_t *valid =
        batch->n_buffers > 0 && batch->buffers && batch->null_count != 0
            ? batch->buffers[0]
            : NULL;
    for (int64_t r = 0; valid && r < batch->length; r++) {
        uint64_t at = (uint64_t)(batch->offset + r);
        if (!(valid[at / 8] >> at % 8 & 1))
            return kith_i_fail(err, KITH_ERR_INPUT,
                               "the Arrow table has a row that is null as a "
                               "whole: leave such rows out");
    }
    return KITH_OK;
}

static const char *set_column(const struct ArrowArray *batch,
                              const struct ArrowArray *a, kith_column *out)
{
    kith_i_npy type;
    if (!a || !has_room(a->offset, a->length))
        return "a column has no room";
    if (a->length - batch->offset < batch->length)
        return "a column is shorter than its batch";
    if (a->n_buffers != 2 || a->n_children != 0 || a->dictionary || !a->buffers)
        return "a column does not have two buffers";
    if (batch->length > 0 && !a->buffers[1])
        return "a column has no data";
    out->valid = a->null_count != 0 ? a->buffers[0] : NULL;
    if (a->null_count > 0 && !out->valid)
        return "nulls without a bitmap";
    uint64_t first = (uint64_t)(a->offset + batch->offset);
    out->first_bit = first;
    out->data = a->buffers[1];
    (void)kith_i_memory_type(out->type, &type);
    out->stride = (ptrdiff_t)type.item;
    if (out->data && out->type != KITH_BITS)
        out->data = (const char *)out->data + first * type.item;
    return NULL;
}

static kith_status open_batch(arrow_shard *shard,
                              const struct ArrowArray *batch, kith_error *err)
{
    if (!has_room(batch->offset, batch->length) ||
        batch->n_children != (int64_t)shard->d || !batch->children)
        return fail_producer("a batch does not fit its schema", err);
    kith_status status = check_rows(batch, err);
    if (status)
        return status;
    for (uint32_t j = 0; j < shard->d; j++) {
        const char *fault =
            set_column(batch, batch->children[j], &shard->columns[j]);
        if (fault)
            return fail_producer(fault, err);
    }
    kith_source source = {.columns = shard->columns,
                          .column_count = shard->d,
                          .rows = (uint64_t)batch->length};
    status = kith_i_memory_open(&source, shard->layout, &shard->table, err);
    if (!status)
        kith_i_memory_count_from(shard->table, shard->before);
    shard->before += source.rows;
    return status;
}

/* *more: 0 when there is no other batch. */
static kith_status next_batch(void *state, int *more, kith_error *err)
{
    arrow_shard *shard = state;
    struct ArrowArrayStream *stream = shard->from->stream;
    *more = 0;
    if (!stream)
        return KITH_OK;
    release_batch(shard);
    if (stream->get_next(stream, &shard->batch)) {
        memset(&shard->batch, 0, sizeof shard->batch); /* nothing to release */
        return fail_producer("its producer could not read on", err);
    }
    *more = shard->batch.release != NULL;
    return *more ? open_batch(shard, &shard->batch, err) : KITH_OK;
}

/* ---- opening ------------------------------------------------------------- */

static kith_status open_first(arrow_shard *shard, kith_error *err)
{
    const kith_arrow *from = shard->from;
    int more = 0;
    if (!from->stream) {
        shard->form = from->schema;
        kith_status status = check_schema(shard, err);
        return status ? status : open_batch(shard, from->array, err);
    }
    if (from->stream->get_schema(from->stream, &shard->schema)) {
        memset(&shard->schema, 0, sizeof shard->schema);
        return fail_producer("its producer has no schema", err);
    }
    shard->form = &shard->schema;
    kith_status status = check_schema(shard, err);
    if (!status)
        status = next_batch(shard, &more, err);
    if (!status && !more) { /* a table without rows is one, too */
        kith_source empty = {.columns = shard->columns,
                             .column_count = shard->d};
        status = kith_i_memory_open(&empty, shard->layout, &shard->table, err);
    }
    return status;
}

kith_status kith_i_arrow_open(const kith_arrow *arrow, kith_i_layout *layout,
                              void **out, kith_error *err)
{
    const struct ArrowArrayStream *stream = arrow->stream;
    int whole = stream ? stream->release && stream->get_schema &&
                             stream->get_next && !arrow->schema && !arrow->array
                       : arrow->schema && arrow->array &&
                             arrow->schema->release && arrow->array->release;
    if (!whole)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "Arrow data are a stream, or a schema and an array, "
                           "and have not been released");
    arrow_shard *shard = kith_i_alloc(1, sizeof *shard);
    if (!shard)
        return kith_i_fail_memory(err);
    shard->from = arrow;
    shard->layout = layout;
    kith_status status = open_first(shard, err);
    if (status)
        arrow_close(shard);
    else
        *out = shard;
    return status;
}

/* ---- rows ---------------------------------------------------------------- */

static kith_status arrow_take(void *state, uint32_t want, kith_i_raw *raw,
                              kith_error *err)
{
    arrow_shard *shard = state;
    return shard->table ? kith_i_shard_memory.take(shard->table, want, raw, err)
                        : KITH_OK;
}

static kith_status arrow_convert(const void *state, kith_i_raw *raw,
                                 uint32_t most, double *out, uint32_t *kept,
                                 kith_error *err)
{
    const arrow_shard *shard = state;
    return kith_i_shard_memory.convert(shard->table, raw, most, out, kept, err);
}

const kith_i_shard_ops kith_i_shard_arrow = {.take = arrow_take,
                                             .convert = arrow_convert,
                                             .turn = next_batch,
                                             .close = arrow_close};

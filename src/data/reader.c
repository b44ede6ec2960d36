/* Readers: shards one after another.
 *
 * All shards are opened when the reader is, so that a missing or unsuitable
 * second file fails before anything is read; those that can be opened again
 * are closed until their turn comes. No rows are data like any other: a refusal
 * would tell none from one, unless nothing tells the number of features. */
#include "reader.h"
#include "base/options.h"

#include <string.h>

#include "base/base_i.h"
#include "base/block.h"
#include "base/domain.h"
#include "read_meter.h"
#include "reader_shard.h"

typedef struct {
    const kith_i_shard_ops *ops;
    kith_i_stream *stream; /* NULL: not open */
    void *state;
    kith_i_share share; /* what of it is to be read */
} shard;

struct kith_i_reader {
    kith_i_layout layout;
    kith_i_source *sources;
    shard *shards;
    size_t count, current;
    kith_i_raw raw; /* of kith_i_reader_next, like the block */
    double *dense;
    int has_users;
    kith_i_read_meter meter;
};

void kith_source_options_init(kith_source_options *opt, size_t size)
{
    kith_i_options_init(opt, size, NULL, 0);
}

static void close_shard(shard *s)
{
    s->ops->close(s->state);
    kith_i_stream_close(s->stream);
    s->state = NULL;
    s->stream = NULL;
}

static kith_status open_shard(kith_i_reader *reader, size_t i, kith_error *err)
{
    shard *s = &reader->shards[i];
    kith_status status =
        kith_i_stream_open(&reader->sources[i], &s->stream, err);
    if (!status)
        status = s->ops->open(s->stream, &reader->layout, &s->state, err);
    if (!status && s->share.parts > 1)
        status = s->ops->cut(s->state, s->share.part, s->share.parts, err);
    if (status)
        close_shard(s);
    return status;
}

/* Step over shards that others read. */
static void skip_others(kith_i_reader *reader)
{
    while (reader->current < reader->count &&
           reader->shards[reader->current].share.parts == 0)
        close_shard(&reader->shards[reader->current++]);
}

/* The whole of every shard, or a rank's part of them. */
static kith_status deal(kith_i_reader *reader, kith_error *err)
{
    const kith_source_options *opt = &reader->layout.opt;
    size_t count = reader->count;
    if (opt->parts <= 1)
        return KITH_OK;
    kith_i_share *files = kith_i_alloc(count, sizeof *files);
    uint64_t *load = kith_i_alloc(opt->parts, sizeof *load);
    int ok = files && load;
    for (size_t i = 0; ok && i < count; i++)
        files[i] = reader->shards[i].share;
    if (ok)
        kith_i_deal(files, count, opt->part, opt->parts, load);
    for (size_t i = 0; ok && i < count; i++)
        reader->shards[i].share = files[i];
    kith_i_free(files);
    kith_i_free(load);
    if (!ok)
        return kith_i_fail_memory(err);
    shard *first = &reader->shards[0]; /* it is open */
    kith_status status =
        first->share.parts > 1
            ? first->ops->cut(first->state, opt->part, opt->parts, err)
            : KITH_OK;
    skip_others(reader);
    return status;
}

static kith_status open_all(kith_i_reader *reader, kith_error *err)
{
    int stdin_seen = 0;
    for (size_t i = 0; i < reader->count; i++) {
        shard *s = &reader->shards[i];
        const char *path = reader->sources[i].path;
        kith_status status =
            kith_i_format_find(&reader->layout.opt, path, &s->ops, err);
        if (status)
            return status;
        if (s->ops->is_sparse != reader->shards[0].ops->is_sparse)
            return kith_i_fail(err, KITH_ERR_INPUT,
                               "%.200s: sparse (svmlight) and dense files "
                               "cannot be shards of one dataset",
                               path);
        if (strcmp(path, "-") == 0 && stdin_seen++)
            return kith_i_fail(err, KITH_ERR_ARGUMENT,
                               "standard input (-) can be given only once");
        s->share.parts = 1;
        status = open_shard(reader, i, err);
        if (status)
            return status;
        s->share.can_cut = kith_i_stream_file(s->stream, &s->share.bytes) >= 0;
        s->share.bytes = kith_i_stream_bytes(s->stream);
        if (!kith_i_stream_can_reopen(s->stream) &&
            reader->layout.opt.parts > 1)
            return kith_i_fail(err, KITH_ERR_ARGUMENT,
                               "%s: only files can be dealt to ranks",
                               kith_i_stream_name(s->stream));
        if (i > 0 && kith_i_stream_can_reopen(s->stream))
            close_shard(s);
    }
    if (reader->layout.dimension == 0)
        return kith_i_fail(err, KITH_ERR_INPUT,
                           "%s: there are no rows and no header to tell the "
                           "number of features; say --dimension",
                           kith_i_stream_name(reader->shards[0].stream));
    return deal(reader, err);
}

kith_status kith_i_reader_open_sources(const kith_i_source *sources,
                                       size_t count,
                                       const kith_source_options *opt,
                                       kith_i_reader **out, kith_error *err)
{
    kith_status status = kith_i_source_check(opt, err);
    if (status)
        return status;
    if (count == 0)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "no input: name at least one file");
    kith_i_reader *reader = kith_i_alloc(1, sizeof *reader);
    if (!reader)
        return kith_i_fail_memory(err);
    reader->layout.opt = *opt;
    reader->has_users = opt->user_column != NULL;
    reader->sources = kith_i_alloc(count, sizeof *reader->sources);
    reader->shards = kith_i_alloc(count, sizeof *reader->shards);
    if (!reader->sources || !reader->shards) {
        kith_i_reader_close(reader);
        return kith_i_fail_memory(err);
    }
    reader->count = count;
    memcpy(reader->sources, sources, count * sizeof *sources);
    status = open_all(reader, err);
    for (size_t i = 0; i < reader->count; i++)
        reader->meter.all += kith_i_share_bytes(&reader->shards[i].share);
    if (status) {
        kith_i_reader_close(reader);
        return status;
    }
    *out = reader;
    return KITH_OK;
}

kith_status kith_i_reader_open(const char *const *paths, size_t path_count,
                               const kith_source_options *opt,
                               kith_i_reader **out, kith_error *err)
{
    if (!paths && path_count > 0)
        return kith_i_fail(err, KITH_ERR_ARGUMENT, "no names of inputs given");
    kith_i_source *sources = kith_i_alloc(path_count, sizeof *sources);
    if (!sources)
        return kith_i_fail_memory(err);
    kith_status status = KITH_OK;
    for (size_t i = 0; i < path_count && !status; i++) {
        sources[i].path = paths[i];
        if (!paths[i])
            status = kith_i_fail(err, KITH_ERR_ARGUMENT,
                                 "the name of an input is NULL");
    }
    if (!status)
        status = kith_i_reader_open_sources(sources, path_count, opt, out, err);
    kith_i_free(sources);
    return status;
}

static kith_status open_memory(const kith_source *source,
                               const kith_source_options *opt,
                               kith_i_reader **out, kith_error *err)
{
    kith_i_reader *reader = kith_i_alloc(1, sizeof *reader);
    if (!reader)
        return kith_i_fail_memory(err);
    reader->layout.opt = *opt;
    reader->has_users = source->users != NULL;
    reader->shards = kith_i_alloc(1, sizeof *reader->shards);
    reader->count = reader->shards != NULL;
    kith_status status = KITH_OK;
    if (!reader->shards) {
        status = kith_i_fail_memory(err);
    } else {
        shard *s = &reader->shards[0];
        kith_i_layout *layout = &reader->layout;
        s->ops = source->csr     ? &kith_i_shard_csr
                 : source->arrow ? &kith_i_shard_arrow
                                 : &kith_i_shard_memory;
        status = source->csr
                     ? kith_i_csr_open(source->csr, layout, &s->state, err)
                 : source->arrow
                     ? kith_i_arrow_open(source->arrow, layout, &s->state, err)
                     : kith_i_memory_open(source, layout, &s->state, err);
    }
    if (status)
        kith_i_reader_close(reader);
    else
        *out = reader;
    return status;
}

kith_status kith_i_reader_open_any(const kith_source *source,
                                   const kith_source_options *opt,
                                   kith_i_reader **out, kith_error *err)
{
    kith_status status = kith_i_source_check(opt, err);
    if (status)
        return status;
    if (!source || !!source->paths + !!source->array + !!source->columns +
                           !!source->csr + !!source->arrow !=
                       1)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "rows come from exactly one of files, an array, a "
                           "table, sparse rows and Arrow");
    if (source->paths ? source->users != NULL
                      : opt->user_column || (source->users && !source->array &&
                                             !source->columns))
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "whose row it is: files say it in user_column, "
                           "arrays and tables in users, and others cannot");
    return source->paths ? kith_i_reader_open(source->paths, source->path_count,
                                              opt, out, err)
                         : open_memory(source, opt, out, err);
}

uint32_t kith_i_reader_dimension(const kith_i_reader *reader)
{
    return reader->layout.dimension;
}

const char *kith_i_reader_names(const kith_i_reader *reader, size_t *bytes)
{
    *bytes = reader->layout.names_bytes;
    return reader->layout.names_shown ? reader->layout.names : NULL;
}

int kith_i_reader_is_sparse(const kith_i_reader *reader)
{
    return reader->shards[0].ops->is_sparse;
}

int kith_i_reader_has_users(const kith_i_reader *reader)
{
    return reader->has_users;
}

unsigned kith_i_reader_done(const kith_i_reader *reader)
{
    return atomic_load(&reader->meter.done);
}

/* The current shard, opened when it is its turn. */
static kith_status current_shard(kith_i_reader *reader, shard **out,
                                 kith_error *err)
{
    *out = &reader->shards[reader->current];
    return (*out)->state ? KITH_OK : open_shard(reader, reader->current, err);
}

kith_status kith_i_reader_take(kith_i_reader *reader, uint32_t want,
                               kith_i_raw *raw, kith_error *err)
{
    shard *s;
    raw->rows = raw->done = 0;
    if (reader->current == reader->count) /* all are read by others */
        return KITH_OK;
    kith_status status = current_shard(reader, &s, err);
    if (!status)
        status = s->ops->take(s->state, want, raw, err);
    if (!status)
        kith_i_meter_set(&reader->meter, &s->share, s->stream);
    return status;
}

kith_status kith_i_reader_convert(const kith_i_reader *reader, kith_i_raw *raw,
                                  uint32_t most, double *out, uint32_t *kept,
                                  kith_error *err)
{
    const shard *s = &reader->shards[reader->current];
    return s->ops->convert(s->state, raw, most, out, kept, err);
}

kith_status kith_i_reader_advance(kith_i_reader *reader, int *more,
                                  kith_error *err)
{
    *more = 0;
    if (reader->current == reader->count) /* all are read by others */
        return KITH_OK;
    shard *s = &reader->shards[reader->current];
    if (s->ops->turn) {
        kith_status status = s->ops->turn(s->state, more, err);
        if (status || *more)
            return status;
    }
    close_shard(s);
    reader->meter.before += kith_i_share_bytes(&s->share);
    reader->current++;
    skip_others(reader);
    *more = reader->current < reader->count;
    return *more ? current_shard(reader, &s, err) : KITH_OK;
}

/* The next block of dense rows of this shard; none: it ends. */
static kith_status next_dense(kith_i_reader *reader, kith_i_rows *out,
                              kith_error *err)
{
    const kith_i_layout *layout = &reader->layout;
    kith_i_raw *raw = &reader->raw;
    uint32_t kept = 0;
    if (!reader->dense)
        reader->dense = kith_i_alloc(
            (size_t)layout->block_rows * layout->dimension, sizeof(double));
    if (!reader->dense)
        return kith_i_fail_memory(err);
    do { /* a block that is left out whole is not the end */
        kith_status status =
            kith_i_reader_take(reader, layout->block_rows, raw, err);
        if (!status && raw->rows > 0)
            status = kith_i_reader_convert(reader, raw, layout->block_rows,
                                           reader->dense, &kept, err);
        if (status)
            return status;
    } while (kept == 0 && raw->rows > 0);
    *out = (kith_i_rows){
        .rows = kept, .dimension = layout->dimension, .dense = reader->dense};
    return KITH_OK;
}

kith_status kith_i_reader_next(kith_i_reader *reader, kith_i_rows *out,
                               kith_error *err)
{
    int more = 1;
    while (reader->current < reader->count) {
        shard *s;
        kith_i_rows rows = {0};
        kith_status status = current_shard(reader, &s, err);
        if (!status)
            status = s->ops->is_sparse ? s->ops->next(s->state, &rows, err)
                                       : next_dense(reader, &rows, err);
        if (status)
            return status;
        kith_i_meter_set(&reader->meter, &s->share, s->stream);
        if (rows.rows > 0) {
            *out = rows;
            return KITH_OK;
        }
        status = kith_i_reader_advance(reader, &more, err);
        if (status)
            return status;
    }
    *out = (kith_i_rows){.dimension = reader->layout.dimension};
    return KITH_OK;
}

void kith_i_reader_close(kith_i_reader *reader)
{
    if (!reader)
        return;
    for (size_t i = 0; i < reader->count; i++)
        if (reader->shards[i].ops)
            close_shard(&reader->shards[i]);
    kith_i_layout *layout = &reader->layout;
    kith_i_wipe_free(reader->dense, (size_t)layout->block_rows *
                                        layout->dimension * sizeof(double));
    kith_i_raw_clear(&reader->raw);
    kith_i_wipe_free(layout->names, layout->names_bytes);
    kith_i_free(reader->sources);
    kith_i_free(reader->shards);
    kith_i_wipe_free(reader, sizeof *reader);
}

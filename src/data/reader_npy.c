/* NPY: rows from a NumPy array. Whoever takes rows of a plain file in C order
 * gets their place only, and reads them when it converts them; otherwise their
 * bytes are copied out of the stream. Arrays in Fortran order: a plain file is
 * read in column segments with pread; what cannot seek is kept in memory
 * whole. An array without rows is a shard like any other. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/base_i.h"
#include "reader_columns.h"
#include "reader_npy_convert.h"
#include "reader_npy_header.h"
#include "reader_shard.h"

enum {
    SEGMENT_BYTES = 16 << 20, /* column segments: long ones even if wide    */
    TAKE_BYTES = 1 << 20      /* of whole rows at a time, when few columns of
                                 many are chosen                            */
};

typedef struct {
    kith_i_stream *stream;
    kith_i_layout *layout;
    kith_i_npy npy;
    kith_i_columns columns;
    uint64_t row;   /* the next row */
    uint64_t end;   /* the last one, and one more */
    int fd;         /* plain file, or -1 */
    char *segments; /* segment_rows items of each chosen column */
    size_t segment_bytes;
    uint32_t segment_rows;
    uint64_t segment_row; /* first row in segments */
    uint32_t segment_count;
} npy_shard;

static void npy_close(void *state)
{
    npy_shard *shard = state;
    if (!shard)
        return;
    kith_i_columns_clear(&shard->columns);
    kith_i_wipe_free(shard->segments, shard->segment_bytes);
    kith_i_free(shard);
}

static uint64_t array_bytes(const kith_i_npy *npy)
{
    return npy->rows * npy->columns * npy->item; /* checked in the header */
}

static kith_status fail_size(const npy_shard *shard, int longer,
                             kith_error *err)
{
    return kith_i_fail(err, KITH_ERR_INPUT,
                       "%s: the file is %s than its header says; "
                       "write it again",
                       kith_i_stream_name(shard->stream),
                       longer ? "longer" : "shorter");
}

static kith_status open_shard(npy_shard *shard, kith_error *err)
{
    const char *name = kith_i_stream_name(shard->stream);
    kith_i_npy *npy = &shard->npy;
    kith_status status = kith_i_npy_read_header(shard->stream, npy, err);
    if (status)
        return status;
    uint64_t size = 0;
    shard->fd = kith_i_stream_file(shard->stream, &size);
    if (shard->fd >= 0 && size != npy->offset + array_bytes(npy))
        return fail_size(shard, size > npy->offset + array_bytes(npy), err);
    shard->end = npy->rows;
    if (npy->columns == 1 || npy->rows <= 1)
        npy->fortran = 0; /* both orders are the same */
    status =
        kith_i_columns_choose(&shard->layout->opt, name, (uint32_t)npy->columns,
                              NULL, &shard->columns, err);
    if (!status)
        status = kith_i_layout_settle(shard->layout, shard->columns.count, name,
                                      err);
    return status;
}

static kith_status npy_open(kith_i_stream *stream, kith_i_layout *layout,
                            void **out, kith_error *err)
{
    npy_shard *shard = kith_i_alloc(1, sizeof *shard);
    if (!shard)
        return kith_i_fail_memory(err);
    shard->stream = stream;
    shard->layout = layout;
    kith_status status = open_shard(shard, err);
    if (status) {
        npy_close(shard);
        return status;
    }
    *out = shard;
    return KITH_OK;
}

/* C order, no plain file: the next rows, from the stream. */
static kith_status read_rows(npy_shard *shard, size_t bytes, char *to,
                             kith_error *err)
{
    kith_i_window window;
    kith_status status = kith_i_stream_need(shard->stream, bytes, &window, err);
    if (status)
        return status;
    if (window.count < bytes)
        return fail_size(shard, 0, err);
    memcpy(to, window.data, bytes);
    kith_i_stream_skip(shard->stream, bytes);
    return KITH_OK;
}

static kith_status read_at(const npy_shard *shard, uint64_t offset, char *to,
                           size_t bytes, kith_error *err)
{
    while (bytes > 0) {
        ssize_t got = pread(shard->fd, to, bytes, (off_t)offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return kith_i_fail(err, KITH_ERR_INPUT, "%s: cannot be read: %s",
                               kith_i_stream_name(shard->stream),
                               strerror(errno));
        if (got == 0)
            return fail_size(shard, 0, err);
        to += got;
        offset += (uint64_t)got;
        bytes -= (size_t)got;
    }
    return KITH_OK;
}

/* Fortran order, plain file: fill the segments from shard->row on. */
static kith_status read_segments(npy_shard *shard, kith_error *err)
{
    const kith_i_columns *columns = &shard->columns;
    uint32_t item = shard->npy.item;
    if (!shard->segments) {
        uint64_t rows = SEGMENT_BYTES / ((uint64_t)columns->count * item);
        rows = rows < 1 ? 1 : rows > shard->npy.rows ? shard->npy.rows : rows;
        size_t bytes = (size_t)rows * columns->count * item;
        shard->segments = kith_i_alloc(bytes, 1);
        if (!shard->segments)
            return kith_i_fail_memory(err);
        shard->segment_bytes = bytes;
        shard->segment_rows = (uint32_t)rows;
    }
    uint64_t left = shard->end - shard->row;
    uint32_t count =
        left < shard->segment_rows ? (uint32_t)left : shard->segment_rows;
    for (uint32_t j = 0; j < columns->count; j++) {
        uint64_t at = columns->column[j] * shard->npy.rows + shard->row;
        kith_status status =
            read_at(shard, shard->npy.offset + at * item,
                    shard->segments + (size_t)j * shard->segment_rows * item,
                    (size_t)count * item, err);
        if (status)
            return status;
    }
    shard->segment_row = shard->row;
    shard->segment_count = count;
    return KITH_OK;
}

/* Fortran order: at most *rows next rows, chosen columns only. */
static kith_status read_columns(npy_shard *shard, uint32_t *rows, char *to,
                                kith_error *err)
{
    const kith_i_columns *columns = &shard->columns;
    uint32_t item = shard->npy.item;
    const char *base; /* row shard->row of the first column */
    uint64_t stride;  /* items from a column to the next    */
    int by_column = shard->fd < 0;
    if (by_column) {
        kith_i_window window;
        uint64_t bytes = array_bytes(&shard->npy);
        kith_status status =
            kith_i_stream_need(shard->stream, bytes, &window, err);
        if (!status && window.count < bytes)
            status = fail_size(shard, 0, err);
        if (status)
            return status;
        base = window.data + shard->row * item;
        stride = shard->npy.rows;
    } else {
        if (shard->row >= shard->segment_row + shard->segment_count) {
            kith_status status = read_segments(shard, err);
            if (status)
                return status;
        }
        uint64_t inside = shard->row - shard->segment_row;
        if (*rows > shard->segment_count - inside)
            *rows = (uint32_t)(shard->segment_count - inside);
        base = shard->segments + inside * item;
        stride = shard->segment_rows;
    }
    for (uint32_t j = 0; j < columns->count; j++) {
        uint64_t column = by_column ? columns->column[j] : j;
        kith_i_npy_gather(base + column * stride * item, item,
                          to + (size_t)j * item, (size_t)columns->count * item,
                          *rows, item);
    }
    return KITH_OK;
}

/* Nothing may follow the array. */
static kith_status check_end(npy_shard *shard, kith_error *err)
{
    kith_i_window window;
    uint64_t inside = shard->npy.fortran ? array_bytes(&shard->npy) : 0;
    if (shard->fd >= 0)
        return KITH_OK; /* the size was checked when it was opened */
    kith_status status =
        kith_i_stream_need(shard->stream, inside + 1, &window, err);
    if (!status && window.count > inside)
        status = fail_size(shard, 1, err);
    return status;
}

/* Bytes of a row that was taken. */
static size_t raw_row(const npy_shard *shard)
{
    const kith_i_columns *columns = &shard->columns;
    return (size_t)(shard->npy.fortran ? columns->count : columns->file_count) *
           shard->npy.item;
}

/* Rows are taken as they are wanted; else the chosen items have to be picked
 * out of them. */
static int is_whole(const npy_shard *shard)
{
    return shard->columns.all || shard->npy.fortran;
}

static kith_status npy_take(void *state, uint32_t want, kith_i_raw *raw,
                            kith_error *err)
{
    npy_shard *shard = state;
    uint64_t left = shard->end - shard->row, most = left;
    size_t row = raw_row(shard);
    if (left == 0)
        return check_end(shard, err);
    if (!is_whole(shard))
        most = TAKE_BYTES / row < 1 ? 1 : TAKE_BYTES / row;
    most = most < left ? most : left;
    uint32_t rows = most < want ? (uint32_t)most : want;
    size_t picked = is_whole(shard) ? 0 : shard->columns.count;
    kith_status status = kith_i_raw_reserve(
        raw, 0, rows * (row + picked * shard->npy.item), err);
    raw->in_file = !shard->npy.fortran && shard->fd >= 0;
    if (!status && shard->npy.fortran)
        status = read_columns(shard, &rows, raw->bytes, err);
    else if (!status && !raw->in_file)
        status = read_rows(shard, rows * row, raw->bytes, err);
    if (status)
        return status;
    raw->first = shard->row;
    raw->rows = rows;
    shard->row += rows;
    if (raw->in_file)
        kith_i_stream_reached(shard->stream,
                              shard->npy.offset + shard->row * row);
    return KITH_OK;
}

/* Move the finite rows of those at hand to the front, or complain. */
static kith_status drop_rows(const npy_shard *shard, uint64_t first,
                             double *dense, uint32_t *rows, kith_error *err)
{
    uint32_t d = shard->columns.count, kept = 0;
    for (uint32_t r = 0; r < *rows; r++) {
        double *row = dense + (size_t)r * d;
        if (kith_i_npy_all_finite(row, d)) {
            if (kept != r)
                memcpy(dense + (size_t)kept * d, row, d * sizeof *row);
            kept++;
            continue;
        }
        if (shard->layout->opt.missing == KITH_MISSING_DROP)
            continue;
        uint32_t j = 0;
        while (j < d && kith_i_npy_all_finite(row + j, 1))
            j++;
        return kith_i_fail(
            err, KITH_ERR_INPUT,
            "%s: row %llu: column %u has no value (NaN or infinite); fill it "
            "in, or leave such rows out with --missing drop",
            kith_i_stream_name(shard->stream),
            (unsigned long long)(first + r + 1), shard->columns.column[j] + 1);
    }
    *rows = kept;
    return KITH_OK;
}

static kith_status npy_convert(const void *state, kith_i_raw *raw,
                               uint32_t most, double *out, uint32_t *kept,
                               kith_error *err)
{
    const npy_shard *shard = state;
    const kith_i_columns *columns = &shard->columns;
    uint32_t rows = raw->rows - raw->done, item = shard->npy.item;
    size_t row = raw_row(shard), d = columns->count;
    rows = rows < most ? rows : most;
    if (raw->in_file) {
        kith_status status =
            read_at(shard, shard->npy.offset + raw->first * row, raw->bytes,
                    raw->rows * row, err);
        if (status)
            return status;
        raw->in_file = 0;
    }
    const char *from = raw->bytes + raw->done * row;
    if (!is_whole(shard)) {
        char *picked = raw->bytes + raw->rows * row;
        for (uint32_t j = 0; j < d; j++)
            kith_i_npy_gather(from + (size_t)columns->column[j] * item,
                              (ptrdiff_t)row, picked + j * item, d * item, rows,
                              item);
        from = picked;
    }
    kith_i_npy_convert(&shard->npy, from, rows * d, out);
    uint64_t first = raw->first + raw->done;
    raw->done += rows;
    *kept = rows;
    return kith_i_npy_all_finite(out, rows * d)
               ? KITH_OK
               : drop_rows(shard, first, out, kept, err);
}

static kith_status npy_cut(void *state, uint32_t part, uint32_t parts,
                           kith_error *err)
{
    (void)err;
    npy_shard *shard = state;
    uint64_t step = shard->npy.rows / parts, over = shard->npy.rows % parts;
    shard->row = step * part + over * part / parts;
    part++;
    shard->end = step * part + over * part / parts;
    return KITH_OK;
}

const kith_i_shard_ops kith_i_shard_npy = {.open = npy_open,
                                           .cut = npy_cut,
                                           .take = npy_take,
                                           .convert = npy_convert,
                                           .close = npy_close};

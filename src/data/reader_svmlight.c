/* svmlight (libsvm): "label index:value index:value # comment", sparse. The
 * label and a qid are looked at and ignored. Indices run from 1 to the public
 * dimension, which is never computed from rows (R10). */
#include <math.h>
#include <string.h>

#include "base/base_i.h"
#include "base/block.h"
#include "reader_number.h"
#include "reader_shard.h"

enum {
    START_PAIRS = 4096,
    BLOCK_PAIRS = 1 << 17 /* a block ends with the row that reaches this */
};

typedef struct {
    kith_i_stream *stream;
    kith_i_layout *layout;
    uint64_t line;   /* number of the next line, from 1 */
    uint32_t *start; /* KITH_I_BLOCK_ROWS + 1 */
    uint32_t *index; /* room for pairs */
    double *value;
    uint32_t room;
} svmlight_shard;

static void svmlight_close(void *state)
{
    svmlight_shard *shard = state;
    if (!shard)
        return;
    kith_i_wipe_free(shard->start,
                     (KITH_I_BLOCK_ROWS + 1) * sizeof *shard->start);
    kith_i_wipe_free(shard->index, shard->room * sizeof *shard->index);
    kith_i_wipe_free(shard->value, shard->room * sizeof *shard->value);
    kith_i_free(shard);
}

static kith_status fail_line(const svmlight_shard *shard, const char *problem,
                             kith_error *err)
{
    return kith_i_fail(err, KITH_ERR_INPUT, "%s: line %llu: %s",
                       kith_i_stream_name(shard->stream),
                       (unsigned long long)shard->line, problem);
}

static int is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static const char *skip_blanks(const char *p, const char *end)
{
    while (p < end && is_blank(*p))
        p++;
    return p;
}

/* The next line with a row in it, not stepped over: begin .. end without
 * comment and blanks in front; *begin is NULL when there are no more. */
static kith_status find_row(svmlight_shard *shard, const char **begin,
                            const char **end, size_t *bytes, kith_error *err)
{
    for (;; shard->line++) {
        kith_i_line line;
        kith_status status =
            kith_i_stream_line(shard->stream, 0, shard->line, &line, err);
        if (status)
            return status;
        *begin = NULL;
        *bytes = line.length + (line.newline ? 1 : 0);
        if (*bytes == 0)
            return KITH_OK;
        if (memchr(line.data, 0, line.length))
            return fail_line(shard,
                             "there is a NUL byte; save the file as UTF-8 "
                             "text",
                             err);
        const char *comment = memchr(line.data, '#', line.length);
        *end = comment ? comment : line.data + line.length;
        *begin = skip_blanks(line.data, *end);
        if (*begin < *end)
            return KITH_OK;
        if (shard->layout->opt.fixed_rows)
            return fail_line(shard, KITH_I_BLANK_ROW, err);
        kith_i_stream_skip(shard->stream, *bytes);
    }
}

static kith_status svmlight_open(kith_i_stream *stream, kith_i_layout *layout,
                                 void **out, kith_error *err)
{
    const char *name = kith_i_stream_name(stream);
    if (layout->opt.dimension == 0)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "%s: svmlight files need --dimension: the number "
                           "of features is public and never computed from "
                           "the rows",
                           name);
    if (layout->opt.column_count > 0)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "%s: --columns does not work with svmlight files",
                           name);
    svmlight_shard *shard = kith_i_alloc(1, sizeof *shard);
    if (!shard)
        return kith_i_fail_memory(err);
    shard->stream = stream;
    shard->layout = layout;
    shard->line = 1;
    kith_i_window window;
    kith_status status =
        kith_i_layout_settle(layout, layout->opt.dimension, name, err);
    if (!status)
        status = kith_i_stream_need(stream, 3, &window, err);
    if (!status && window.count >= 3 &&
        memcmp(window.data, "\xef\xbb\xbf", 3) == 0)
        kith_i_stream_skip(stream, 3);
    if (status) {
        svmlight_close(shard);
        return status;
    }
    *out = shard;
    return KITH_OK;
}

static kith_status reserve_pairs(svmlight_shard *shard, uint32_t used,
                                 kith_error *err)
{
    if (!shard->start) {
        shard->start =
            kith_i_alloc(KITH_I_BLOCK_ROWS + 1, sizeof *shard->start);
        if (!shard->start)
            return kith_i_fail_memory(err);
    }
    if (used < shard->room)
        return KITH_OK;
    uint32_t room = shard->room ? shard->room * 2 : START_PAIRS;
    uint32_t *index = kith_i_alloc(room, sizeof *index);
    double *value = kith_i_alloc(room, sizeof *value);
    if (!index || !value) {
        kith_i_free(index);
        kith_i_free(value);
        return kith_i_fail_memory(err);
    }
    if (used) {
        memcpy(index, shard->index, used * sizeof *index);
        memcpy(value, shard->value, used * sizeof *value);
    }
    kith_i_wipe_free(shard->index, shard->room * sizeof *index);
    kith_i_wipe_free(shard->value, shard->room * sizeof *value);
    shard->index = index;
    shard->value = value;
    shard->room = room;
    return KITH_OK;
}

/* "index:" at p: its index from 0, or a complaint. after: the last index + 1,
 * so that the next one must be at least that. */
static kith_status take_index(const svmlight_shard *shard, const char **p,
                              const char *end, uint32_t after, uint32_t *out,
                              kith_error *err)
{
    const uint32_t dimension = shard->layout->dimension;
    const char *q = *p;
    uint64_t n = 0;
    for (; q < end && *q >= '0' && *q <= '9'; q++)
        if (n <= dimension)
            n = n * 10 + (uint64_t)(*q - '0');
    if (q == *p || q == end || *q != ':')
        return fail_line(shard, "expected index:value pairs after the label",
                         err);
    if (n == 0)
        return fail_line(shard, "index 0: svmlight indices start from 1", err);
    if (n > dimension)
        return fail_line(shard, "an index is larger than --dimension", err);
    if (n <= after)
        return fail_line(shard,
                         "indices must increase from left to right, each at "
                         "most once",
                         err);
    *out = (uint32_t)n - 1;
    *p = q + 1;
    return KITH_OK;
}

/* A number or a word for "no value" at p. */
static kith_status take_value(const svmlight_shard *shard, const char **p,
                              const char *end, double *out, int *missing,
                              kith_error *err)
{
    const char *stop = kith_i_number_scan(*p, out);
    if (stop && (stop == end || is_blank(*stop))) {
        *missing = *missing || !isfinite(*out);
        *p = stop;
        return KITH_OK;
    }
    stop = *p;
    while (stop < end && !is_blank(*stop))
        stop++;
    if (stop == *p || !kith_i_number_is_missing(*p, (size_t)(stop - *p)))
        return fail_line(shard, "a value is not a number", err);
    *missing = 1;
    *p = stop;
    return KITH_OK;
}

static kith_status take_label(const svmlight_shard *shard, const char **p,
                              const char *end, kith_error *err)
{
    double label;
    const char *stop = kith_i_number_scan(*p, &label);
    if (!stop || (stop < end && !is_blank(*stop)))
        return fail_line(shard, "a row must begin with a number, its label",
                         err);
    stop = skip_blanks(stop, end);
    if (end - stop >= 4 && memcmp(stop, "qid:", 4) == 0) {
        while (stop < end && !is_blank(*stop))
            stop++;
        stop = skip_blanks(stop, end);
    }
    *p = stop;
    return KITH_OK;
}

/* One row behind *used pairs; *missing: it must be dropped. */
static kith_status parse_row(svmlight_shard *shard, const char *p,
                             const char *end, uint32_t *used, int *missing,
                             kith_error *err)
{
    kith_status status = take_label(shard, &p, end, err);
    uint32_t pairs = *used, after = 0;
    while (!status && p < end) {
        uint32_t index = 0;
        double value = 0;
        status = reserve_pairs(shard, pairs, err);
        if (!status)
            status = take_index(shard, &p, end, after, &index, err);
        if (!status)
            status = take_value(shard, &p, end, &value, missing, err);
        if (status)
            break;
        shard->index[pairs] = index;
        shard->value[pairs] = value;
        pairs++;
        after = index + 1;
        p = skip_blanks(p, end);
    }
    if (status)
        return status;
    if (*missing && shard->layout->opt.missing == KITH_MISSING_ERROR)
        return fail_line(shard,
                         "a value is missing; fill it in, or leave such rows "
                         "out with --missing drop",
                         err);
    if (!*missing)
        *used = pairs;
    return KITH_OK;
}

static kith_status svmlight_next(void *state, kith_i_rows *out, kith_error *err)
{
    svmlight_shard *shard = state;
    uint32_t rows = 0, used = 0;
    kith_status status = reserve_pairs(shard, 0, err);
    while (!status && rows < KITH_I_BLOCK_ROWS && used < BLOCK_PAIRS) {
        const char *begin = NULL, *end = NULL;
        size_t bytes = 0;
        int missing = 0;
        status = find_row(shard, &begin, &end, &bytes, err);
        if (status || !begin)
            break;
        status = parse_row(shard, begin, end, &used, &missing, err);
        if (status)
            break;
        kith_i_stream_skip(shard->stream, bytes);
        shard->line++;
        if (!missing)
            shard->start[++rows] = used;
    }
    if (status)
        return status;
    *out = (kith_i_rows){.rows = rows,
                         .dimension = shard->layout->dimension,
                         .start = shard->start,
                         .index = shard->index,
                         .value = shard->value};
    return KITH_OK;
}

static kith_status svmlight_cut(void *state, uint32_t part, uint32_t parts,
                                kith_error *err)
{
    svmlight_shard *shard = state;
    return kith_i_stream_cut(shard->stream, part, parts, err);
}

const kith_i_shard_ops kith_i_shard_svmlight = {.is_sparse = 1,
                                                .open = svmlight_open,
                                                .cut = svmlight_cut,
                                                .next = svmlight_next,
                                                .close = svmlight_close};

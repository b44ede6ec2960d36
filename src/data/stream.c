/* Byte streams: the sliding window over read(2), memory, or a decoder. */
#include "stream.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base_i.h"
#include "stream_decode.h"

enum {
    CHUNK = 256 << 10, /* fits the second-level cache                 */
    PADDING = 16,      /* readable bytes after the window, first is 0 */
    MAGIC = 4,
    NAME = 200
};

struct kith_i_stream {
    char name[NAME];
    int fd; /* -1: memory */
    int is_stdin, is_regular;
    uint64_t file_size;
    uint64_t place, limit; /* of the file's next byte; where to stop */
    int is_cut;
    const unsigned char *memory; /* what is left of it */
    size_t memory_left;
    size_t chunk;
    kith_i_decoder *decoder; /* NULL: plain */
    unsigned char *raw;      /* undecoded bytes, raw_room of them */
    size_t raw_room, raw_begin, raw_end;
    char *buffer; /* room + PADDING bytes; the window is begin .. end */
    size_t room, begin, end;
    int ended; /* nothing comes after the window */
};

static void set_name(kith_i_stream *stream, const char *path)
{
    size_t length = strlen(path);
    if (strcmp(path, "-") == 0)
        snprintf(stream->name, NAME, "standard input");
    else if (length < NAME)
        snprintf(stream->name, NAME, "%s", path);
    else /* the end of a path tells more than its start */
        snprintf(stream->name, NAME, "...%s", path + length - (NAME - 4));
}

static kith_status open_file(kith_i_stream *stream, const char *path,
                             kith_error *err)
{
    stream->is_stdin = strcmp(path, "-") == 0;
    stream->fd =
        stream->is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    struct stat info;
    if (stream->fd < 0 || fstat(stream->fd, &info) != 0)
        return kith_i_fail(err, KITH_ERR_INPUT, "%s: cannot be opened: %s",
                           stream->name, strerror(errno));
    /* Standard input may stand in the middle of a regular file: not ours to
     * pread or to open twice. */
    stream->is_regular = !stream->is_stdin && S_ISREG(info.st_mode);
    stream->file_size = (uint64_t)info.st_size;
    return KITH_OK;
}

/* Undecoded bytes; 0 at the end. */
static kith_status read_raw(kith_i_stream *stream, void *out, size_t room,
                            size_t *made, kith_error *err)
{
    if (room > stream->chunk)
        room = stream->chunk;
    if (stream->fd < 0) {
        *made = room < stream->memory_left ? room : stream->memory_left;
        if (*made)
            memcpy(out, stream->memory, *made);
        stream->memory += *made;
        stream->memory_left -= *made;
        return KITH_OK;
    }
    if (room > stream->limit - stream->place)
        room = (size_t)(stream->limit - stream->place);
    ssize_t got;
    do {
        got = read(stream->fd, out, room);
    } while (got < 0 && errno == EINTR);
    if (got < 0)
        return kith_i_fail(err, KITH_ERR_INPUT, "%s: cannot be read: %s",
                           stream->name, strerror(errno));
    *made = (size_t)got;
    stream->place += (uint64_t)got;
    return KITH_OK;
}

/* Decoded bytes; 0 at the end. */
static kith_status read_decoded(kith_i_stream *stream, void *out, size_t room,
                                size_t *made, kith_error *err)
{
    if (!stream->decoder)
        return read_raw(stream, out, room, made, err);
    if (room > stream->chunk)
        room = stream->chunk;
    *made = 0;
    for (;;) {
        kith_i_decoding d = {.in = stream->raw + stream->raw_begin,
                             .in_count = stream->raw_end - stream->raw_begin,
                             .out = out,
                             .out_room = room};
        kith_status status = kith_i_decoder_run(stream->decoder, &d, err);
        if (status)
            return status;
        stream->raw_begin += d.used;
        *made = d.made;
        if (*made)
            return KITH_OK;
        if (stream->raw_begin < stream->raw_end)
            continue;
        size_t got = 0;
        status = read_raw(stream, stream->raw, stream->raw_room, &got, err);
        if (status)
            return status;
        if (got == 0)
            return kith_i_decoder_finish(stream->decoder, err);
        stream->raw_begin = 0;
        stream->raw_end = got;
    }
}

static int name_ends(const char *path, const char *suffix)
{
    size_t length = strlen(path), tail = strlen(suffix);
    return length >= tail && strcmp(path + length - tail, suffix) == 0;
}

/* Look at the first bytes and put them where they will be read from. */
static kith_status find_coding(kith_i_stream *stream, const char *path,
                               kith_error *err)
{
    unsigned char head[MAGIC] = {0};
    size_t count = 0, got = 1;
    while (count < MAGIC && got) {
        kith_status status =
            read_raw(stream, head + count, MAGIC - count, &got, err);
        if (status)
            return status;
        count += got;
    }
    kith_i_coding coding = KITH_I_CODING_PLAIN;
    if (count >= 2 && memcmp(head, "\x1f\x8b", 2) == 0)
        coding = KITH_I_CODING_GZIP;
    else if (count == 4 && memcmp(head, "\x28\xb5\x2f\xfd", 4) == 0)
        coding = KITH_I_CODING_ZSTD;
    if ((name_ends(path, ".gz") && coding != KITH_I_CODING_GZIP) ||
        (name_ends(path, ".zst") && coding != KITH_I_CODING_ZSTD))
        return kith_i_fail(err, KITH_ERR_INPUT,
                           "%s: is not compressed as its name says; "
                           "rename it or make it again",
                           stream->name);
    if (coding == KITH_I_CODING_PLAIN) {
        memcpy(stream->buffer, head, count);
        stream->end = count;
    } else {
        stream->raw_room = stream->chunk > MAGIC ? stream->chunk : MAGIC;
        stream->raw = kith_i_alloc(stream->raw_room, 1);
        if (!stream->raw)
            return kith_i_fail_memory(err);
        memcpy(stream->raw, head, count);
        stream->raw_end = count;
        return kith_i_decoder_new(coding, stream->name, &stream->decoder, err);
    }
    return KITH_OK;
}

kith_status kith_i_stream_open(const kith_i_source *source, kith_i_stream **out,
                               kith_error *err)
{
    kith_i_stream *stream = kith_i_alloc(1, sizeof *stream);
    if (!stream)
        return kith_i_fail_memory(err);
    stream->fd = -1;
    stream->limit = UINT64_MAX;
    stream->chunk = source->chunk ? source->chunk : CHUNK;
    stream->room = stream->chunk > MAGIC ? stream->chunk : MAGIC;
    set_name(stream, source->path);
    kith_status status = KITH_OK;
    if (source->bytes) {
        stream->memory = source->bytes;
        stream->memory_left = source->count;
    } else {
        status = open_file(stream, source->path, err);
    }
    if (!status) {
        stream->buffer = kith_i_alloc(stream->room + PADDING, 1);
        status = stream->buffer ? find_coding(stream, source->path, err)
                                : kith_i_fail_memory(err);
    }
    if (status) {
        kith_i_stream_close(stream);
        return status;
    }
    *out = stream;
    return KITH_OK;
}

void kith_i_stream_close(kith_i_stream *stream)
{
    if (!stream)
        return;
    kith_i_decoder_free(stream->decoder);
    if (stream->buffer)
        kith_i_wipe_free(stream->buffer, stream->room + PADDING);
    kith_i_wipe_free(stream->raw, stream->raw_room);
    if (stream->fd >= 0 && !stream->is_stdin)
        close(stream->fd);
    kith_i_wipe_free(stream, sizeof *stream);
}

const char *kith_i_stream_name(const kith_i_stream *stream)
{
    return stream->name;
}

int kith_i_stream_can_reopen(const kith_i_stream *stream)
{
    return stream->fd < 0 || stream->is_regular;
}

int kith_i_stream_file(const kith_i_stream *stream, uint64_t *size)
{
    if (!stream->is_regular || stream->decoder)
        return -1;
    *size = stream->file_size;
    return stream->fd;
}

uint64_t kith_i_stream_bytes(const kith_i_stream *stream)
{
    return stream->is_regular ? stream->file_size : 0;
}

uint64_t kith_i_stream_place(const kith_i_stream *stream)
{
    return stream->place;
}

void kith_i_stream_reached(kith_i_stream *stream, uint64_t place)
{
    stream->place = place;
}

/* ---- parts of a file ---- */

/* Where the first line begins that begins at or after byte `from`. */
static kith_status next_line_start(const kith_i_stream *stream, uint64_t from,
                                   uint64_t *out, kith_error *err)
{
    char piece[4096];
    *out = from;
    if (from == 0 || from >= stream->file_size)
        return KITH_OK;
    for (uint64_t at = from - 1;;) {
        ssize_t got = pread(stream->fd, piece, sizeof piece, (off_t)at);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return kith_i_fail(err, KITH_ERR_INPUT, "%s: cannot be read: %s",
                               stream->name, strerror(errno));
        const char *hit = got ? memchr(piece, '\n', (size_t)got) : NULL;
        *out = hit   ? at + (uint64_t)(hit - piece) + 1
               : got ? at
                     : stream->file_size;
        kith_i_wipe(piece, sizeof piece);
        if (hit || got == 0)
            return KITH_OK;
        at += (uint64_t)got;
    }
}

kith_status kith_i_stream_cut(kith_i_stream *stream, uint32_t part,
                              uint32_t parts, kith_error *err)
{
    uint64_t size = stream->file_size, step = size / parts, over = size % parts;
    uint64_t here = stream->place - (stream->end - stream->begin), from, to;
    kith_status status =
        next_line_start(stream, step * part + over * part / parts, &from, err);
    part++;
    if (!status)
        status = next_line_start(stream, step * part + over * part / parts, &to,
                                 err);
    if (status)
        return status;
    from = from > here ? from : here;
    to = to > from ? to : from;
    if (lseek(stream->fd, (off_t)from, SEEK_SET) < 0)
        return kith_i_fail(err, KITH_ERR_INPUT, "%s: cannot be read: %s",
                           stream->name, strerror(errno));
    stream->place = from;
    stream->limit = to;
    stream->begin = stream->end = 0;
    stream->ended = 0;
    stream->is_cut = 1;
    if (from > here) {
        size_t length = strlen(stream->name);
        snprintf(stream->name + length, NAME - length, " from byte %llu on",
                 (unsigned long long)from);
    }
    return KITH_OK;
}

int kith_i_stream_is_cut(const kith_i_stream *stream)
{
    return stream->is_cut;
}

/* Make room behind the window. A window grows only as bytes arrive (at most
 * doubling), so that a hostile header cannot ask for memory. */
static kith_status make_room(kith_i_stream *stream, kith_error *err)
{
    size_t count = stream->end - stream->begin;
    if (stream->begin > 0) {
        memmove(stream->buffer, stream->buffer + stream->begin, count);
        stream->begin = 0;
        stream->end = count;
    }
    if (stream->room - count > stream->room / 2)
        return KITH_OK;
    size_t room = stream->room * 2;
    char *grown = kith_i_resize(stream->buffer, stream->room + PADDING,
                                room + PADDING, 1);
    if (!grown)
        return kith_i_fail_memory(err);
    stream->buffer = grown;
    stream->room = room;
    return KITH_OK;
}

kith_status kith_i_stream_need(kith_i_stream *stream, size_t want,
                               kith_i_window *out, kith_error *err)
{
    while (stream->end - stream->begin < want && !stream->ended) {
        kith_status status = make_room(stream, err);
        size_t made = 0;
        if (!status)
            status = read_decoded(stream, stream->buffer + stream->end,
                                  stream->room - stream->end, &made, err);
        if (status)
            return status;
        stream->end += made;
        stream->ended = made == 0;
    }
    memset(stream->buffer + stream->end, 0, PADDING);
    out->data = stream->buffer + stream->begin;
    out->count = stream->end - stream->begin;
    return KITH_OK;
}

void kith_i_stream_skip(kith_i_stream *stream, size_t bytes)
{
    stream->begin += bytes;
}

kith_status kith_i_stream_line(kith_i_stream *stream, size_t from,
                               uint64_t number, kith_i_line *out,
                               kith_error *err)
{
    size_t searched = from;
    kith_i_window window = {stream->buffer + stream->begin,
                            stream->end - stream->begin};
    for (;;) {
        const char *hit =
            window.count > searched
                ? memchr(window.data + searched, '\n', window.count - searched)
                : NULL;
        size_t length = hit ? (size_t)(hit - window.data) : window.count;
        if (length > KITH_I_MAX_LINE)
            return kith_i_fail(err, KITH_ERR_INPUT,
                               "%s: line %llu: longer than %zu MiB; "
                               "is this a text file?",
                               stream->name, (unsigned long long)number,
                               KITH_I_MAX_LINE >> 20);
        if (hit || (window.count <= searched && stream->ended)) {
            *out = (kith_i_line){window.data, length, hit != NULL};
            return KITH_OK;
        }
        searched = window.count > from ? window.count : from;
        kith_status status =
            kith_i_stream_need(stream, searched + 1, &window, err);
        if (status)
            return status;
    }
}

/* Byte streams: what the readers read from. A plain file, .gz, .zst, standard
 * input or memory look the same: a window of bytes that slides forward.
 * Nothing is mapped (mapped pages would count as our memory); buffers are
 * wiped on close. */
#ifndef KITH_STREAM_H
#define KITH_STREAM_H

#include <stddef.h>
#include <stdint.h>

#include "kith/status.h"

/* Longest line of a text file: a row of KITH_I_MAX_DIMENSION long numbers
 * fits, a compressed bomb of one line does not. */
#define KITH_I_MAX_LINE ((size_t)128 << 20)

/* Where bytes come from. Tests and fuzzers set bytes and chunk. */
typedef struct kith_i_source {
    const char *path;  /* "-" is standard input                              */
    const void *bytes; /* not NULL: read these; path is only a name          */
    size_t count;      /* of bytes                                           */
    size_t chunk;      /* most bytes per read; 0: what is fast               */
} kith_i_source;

typedef struct kith_i_stream kith_i_stream;

/* Open and look at the first bytes: gzip and zstd are recognised by them, and
 * a name that ends in .gz or .zst must keep its word. source: borrowed. */
kith_status kith_i_stream_open(const kith_i_source *source, kith_i_stream **out,
                               kith_error *err);
void kith_i_stream_close(kith_i_stream *stream); /* wipes; NULL is fine */

/* For messages: the path, "standard input", or the end of a long path. */
const char *kith_i_stream_name(const kith_i_stream *stream);

/* Nonzero when the same path can be opened again from its start. */
int kith_i_stream_can_reopen(const kith_i_stream *stream);

/* The descriptor of a plain (not compressed) regular file, for pread, and its
 * size; -1 for everything else. */
int kith_i_stream_file(const kith_i_stream *stream, uint64_t *size);

uint64_t kith_i_stream_bytes(const kith_i_stream *stream); /* of any file */
/* How far into the file it has been read; and what pread took from it. */
uint64_t kith_i_stream_place(const kith_i_stream *stream);
void kith_i_stream_reached(kith_i_stream *stream, uint64_t place);

/* Of such a file, read only part `part` of `parts`: of what comes after the
 * current position, the lines that begin in that part of its bytes. Messages
 * count lines from there. */
kith_status kith_i_stream_cut(kith_i_stream *stream, uint32_t part,
                              uint32_t parts, kith_error *err);
int kith_i_stream_is_cut(const kith_i_stream *stream);

/* The bytes from the current position on. data[count] is 0 and may be read,
 * and so may the 16 bytes from there. Valid until the next call. */
typedef struct kith_i_window {
    const char *data;
    size_t count;
} kith_i_window;

/* At least want bytes; fewer only at the end of the data. */
kith_status kith_i_stream_need(kith_i_stream *stream, size_t want,
                               kith_i_window *out, kith_error *err);
/* Step over bytes of the window. */
void kith_i_stream_skip(kith_i_stream *stream, size_t bytes);

/* A line from the current position on; nothing is stepped over. */
typedef struct kith_i_line {
    const char *data;
    size_t length; /* up to the newline, or to the end of the data */
    int newline;   /* 0: the data ends here without one            */
} kith_i_line;

/* from: look for the newline only from this offset on (a line that turns out
 * to go on). number: of the line, for the message when it is too long. */
kith_status kith_i_stream_line(kith_i_stream *stream, size_t from,
                               uint64_t number, kith_i_line *out,
                               kith_error *err);

#endif

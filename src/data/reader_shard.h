/* Inside the readers: what reader.c and the formats share. A format reads one
 * shard (file); the layout is what all shards must agree on. */
#ifndef KITH_READER_SHARD_H
#define KITH_READER_SHARD_H

#include <stddef.h>
#include <stdint.h>

#include "kith/data.h"
#include "reader.h"
#include "reader_npy_header.h"
#include "stream.h"

typedef struct kith_i_layout {
    kith_source_options opt; /* the caller's, columns borrowed               */
    uint32_t dimension;      /* 0 until a shard tells it                     */
    uint32_t block_rows;     /* rows in a full block                         */
    char first[200];         /* name of the shard that set the dimension     */
    /* What the first text shard looks like: */
    int text_seen, has_header;
    uint32_t field_count; /* fields in a line                                */
    char *names;          /* of the chosen columns, each ended by a NUL      */
    size_t names_bytes;
    int names_shown; /* they may stand in a model */
} kith_i_layout;

/* The shard's dimension: sets the layout's or must be the same. */
kith_status kith_i_layout_settle(kith_i_layout *layout, uint64_t dimension,
                                 const char *name, kith_error *err);

/* A row of text in kith_i_raw.bytes, and where it stood. */
typedef struct kith_i_raw_line {
    size_t begin, end; /* offsets                       */
    uint64_t number;   /* of its first line in the file */
} kith_i_raw_line;

/* Room for that many bytes, the first `keep` of which stay. */
kith_status kith_i_raw_reserve(kith_i_raw *raw, size_t keep, size_t bytes,
                               kith_error *err);

typedef struct kith_i_shard_ops {
    int is_sparse;
    /* Read what comes before the rows, and settle the dimension if that tells
     * it. stream and layout are borrowed for the shard's life. */
    kith_status (*open)(kith_i_stream *stream, kith_i_layout *layout,
                        void **out, kith_error *err);
    /* Sparse: as kith_i_reader_next, for this shard. */
    kith_status (*next)(void *shard, kith_i_rows *out, kith_error *err);
    /* Dense: as kith_i_reader_take and _convert; raw->rows and raw->done are 0
     * before a take. */
    kith_status (*take)(void *shard, uint32_t want, kith_i_raw *raw,
                        kith_error *err);
    kith_status (*convert)(const void *shard, kith_i_raw *raw, uint32_t most,
                           double *out, uint32_t *kept, kith_error *err);
    /* Dense, may be NULL: turn to the next part of this shard, when no thread
     * holds rows of the last. *more: 0 when there is none. */
    kith_status (*turn)(void *shard, int *more, kith_error *err);
    /* Read only part `part` of `parts` of a plain file; before any row is. */
    kith_status (*cut)(void *shard, uint32_t part, uint32_t parts,
                       kith_error *err);
    void (*close)(void *shard); /* wipes; NULL is fine */
} kith_i_shard_ops;

extern const kith_i_shard_ops kith_i_shard_csv;
extern const kith_i_shard_ops kith_i_shard_tsv;
extern const kith_i_shard_ops kith_i_shard_npy;
extern const kith_i_shard_ops kith_i_shard_svmlight;

/* Do the options make sense, whatever the source? */
kith_status kith_i_source_check(const kith_source_options *opt,
                                kith_error *err);

/* The reader for a file: by opt->format, or by its name. */
kith_status kith_i_format_find(const kith_source_options *opt, const char *path,
                               const kith_i_shard_ops **out, kith_error *err);

/* Rows in memory: kith_i_shard_ops without open. name: for messages; opt and
 * what the source points to are borrowed for the shard's life. */
extern const kith_i_shard_ops kith_i_shard_memory;
extern const kith_i_shard_ops kith_i_shard_csr;
extern const kith_i_shard_ops kith_i_shard_arrow;
kith_status kith_i_memory_open(const kith_source *source, kith_i_layout *layout,
                               void **out, kith_error *err);
kith_status kith_i_csr_open(const kith_csr *csr, kith_i_layout *layout,
                            void **out, kith_error *err);
kith_status kith_i_arrow_open(const kith_arrow *arrow, kith_i_layout *layout,
                              void **out, kith_error *err);
/* Messages name rows as if so many came before. */
void kith_i_memory_count_from(void *memory, uint64_t before);
/* What a type is to the NPY reader's converter; nonzero: there is no such
 * type. */
int kith_i_memory_type(kith_number type, kith_i_npy *out);

/* kith_i_reader_open for any sources: what tests and fuzzers use. The array is
 * copied, what it points to is borrowed for the reader's life. */
kith_status kith_i_reader_open_sources(const kith_i_source *sources,
                                       size_t count,
                                       const kith_source_options *opt,
                                       kith_i_reader **out, kith_error *err);

/* With fixed rows (kith/data.h) a line without a row is a fault. */
#define KITH_I_BLANK_ROW                                                       \
    "is blank: replace-one takes the number of rows for public, so every "     \
    "line must be one; delete it, or use --adjacency add-remove"

#endif

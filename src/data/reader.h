/* Readers: files to blocks of raw rows (doubles), in order, streaming. Used
 * by dataset.c, which clips and quantises, and by plain/, which is not
 * private. Rows that hold a missing (or non-finite) value never get out. */
#ifndef KITH_READER_H
#define KITH_READER_H

#include <stdint.h>

#include "kith/data.h"
#include "kith/status.h"

/* Raw rows, owned by the reader, valid until the next call. */
typedef struct kith_i_rows {
    uint32_t rows, dimension;
    const double *dense;   /* rows x dimension; NULL when sparse             */
    const uint32_t *start; /* sparse: rows + 1 offsets into index and value  */
    const uint32_t *index; /* from 0, increasing within a row, < dimension   */
    const double *value;   /* finite; may be zero                            */
} kith_i_rows;

/* Whose row it is: half of the SHA-256 of an id's text. */
typedef struct kith_i_user {
    uint8_t id[16];
} kith_i_user;

typedef struct kith_i_reader kith_i_reader;

/* Open the shards; reads headers, so dimension and sparseness are known after
 * it. All shards must agree. paths and opt are borrowed for the reader's life.
 */
kith_status kith_i_reader_open(const char *const *paths, size_t path_count,
                               const kith_source_options *opt,
                               kith_i_reader **out, kith_error *err);
/* The same for any source; memory is one shard. */
kith_status kith_i_reader_open_any(const kith_source *source,
                                   const kith_source_options *opt,
                                   kith_i_reader **out, kith_error *err);
uint32_t kith_i_reader_dimension(const kith_i_reader *reader);
/* Names of the features, in order, each ended by a NUL; NULL: they have none
 * that may be shown. Borrowed. */
const char *kith_i_reader_names(const kith_i_reader *reader, size_t *bytes);
int kith_i_reader_is_sparse(const kith_i_reader *reader);
/* Does it know whose rows they are? */
int kith_i_reader_has_users(const kith_i_reader *reader);
/* How much of the bytes of all shards was read, of KITH_I_READ_STEPS; 0 where
 * their number is not known. By any thread. */
unsigned kith_i_reader_done(const kith_i_reader *reader);

/* Next block of at most KITH_I_BLOCK_ROWS rows (and, when dense, at most about
 * 1 MiB of doubles, but at least one row); out->rows == 0 at the end. A block
 * never spans two shards. */
kith_status kith_i_reader_next(kith_i_reader *reader, kith_i_rows *out,
                               kith_error *err);
void kith_i_reader_close(kith_i_reader *reader); /* wipes; NULL is fine */

/* ---- dense rows for several threads ---------------------------------------
 * Rows are taken in order, by one thread at a time, as they stand in the file;
 * turning them into doubles is what takes time, and any number of threads may
 * do that at once. For one shard after another: kith_i_reader_advance when no
 * thread holds rows of the last. Not to be mixed with kith_i_reader_next. */

/* Rows that were taken. Starts as zeros; kith_i_raw_clear at the end. */
typedef struct kith_i_raw {
    uint32_t rows, done; /* taken; converted so far                       */
    uint64_t first;      /* NPY: its first row in the file, from 0        */
    int in_file;         /* NPY: the bytes are still to be read           */
    char *bytes;         /* as in the file                                */
    size_t room;         /* of bytes                                      */
    struct kith_i_raw_line *lines; /* text: one for each row                 */
    uint32_t line_room;
    kith_i_user *users; /* room for whose rows a conversion gave, made by    */
    uint32_t user_room; /* kith_i_raw_want_users; NULL: nobody asks          */
} kith_i_raw;

/* Conversions of at most `most` rows also tell whose they are. */
kith_status kith_i_raw_want_users(kith_i_raw *raw, uint32_t most,
                                  kith_error *err);

/* At most want of the next rows of this shard; raw->rows == 0: it ends. */
kith_status kith_i_reader_take(kith_i_reader *reader, uint32_t want,
                               kith_i_raw *raw, kith_error *err);
/* Convert the next rows in raw, at most `most`; *kept of them, those without
 * missing values, are in out. All are converted when raw->done is raw->rows. */
kith_status kith_i_reader_convert(const kith_i_reader *reader, kith_i_raw *raw,
                                  uint32_t most, double *out, uint32_t *kept,
                                  kith_error *err);
/* Turn to the next shard. *more: 0 when there is none. */
kith_status kith_i_reader_advance(kith_i_reader *reader, int *more,
                                  kith_error *err);
void kith_i_raw_clear(kith_i_raw *raw); /* wipes */

#endif

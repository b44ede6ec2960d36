/* Data: public bounds, and datasets made of quantised rows.
 *
 * Simple use: fill a kith_bounds, call kith_dataset_open on some files, hand
 * the dataset to a session (budget.h). Once it is there, only noisy releases
 * come out. */
#ifndef KITH_DATA_H
#define KITH_DATA_H

#include <stddef.h>
#include <stdint.h>

#include "kith/arrow.h"
#include "kith/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Bounds are public: they come from the meaning of the features, never from
 * the rows. At least a box or a radius is required. Rows are clipped to the
 * box first and then to the ball. All pointers are borrowed for the call. */
typedef struct kith_bounds {
    const double *lower;   /* box; NULL: no box                              */
    const double *upper;   /*                                                */
    uint32_t box_count;    /* 1: the same for every feature; else one each   */
    double radius;         /* L2 ball; 0: no ball                            */
    const double *center;  /* of the ball; NULL: the origin                  */
    uint32_t center_count; /* 1: the same for every feature; else one each   */
    int normalize;         /* map each feature's box to [0,1] first; radius  */
                           /* and center are then in these new units         */
    int unit_rows;         /* then scale each row to length 1, zero rows     */
                           /* excepted: the domain is the unit ball about 0; */
                           /* dense rows, no center, no normalize            */
    uint32_t sparsity;     /* each row keeps this many entries, those        */
                           /* farthest from 0 (or from the bound nearest to  */
                           /* it; ties: the lower index); less noise in pure */
                           /* DP. A ball must be about 0. 0: all             */
} kith_bounds;

/* What a plan knows of rows that it never reads. All of it is public. */
typedef struct kith_shape {
    uint64_t rows; /* a guess of their number; of people, if rows_per_user */
    uint32_t dimension;
    int sparse;             /* rows of svmlight or CSR                        */
    uint32_t rows_per_user; /* of each person, whose the unit is; 0: rows are */
                            /* nobody's                                       */
} kith_shape;

typedef enum kith_format {
    KITH_FORMAT_AUTO = 0, /* by file name; .gz and .zst are looked through */
    KITH_FORMAT_CSV,
    KITH_FORMAT_TSV,
    KITH_FORMAT_NPY,
    KITH_FORMAT_SVMLIGHT /* sparse; rows stay sparse */
} kith_format;

typedef enum kith_missing {
    KITH_MISSING_ERROR = 0, /* a missing value is KITH_ERR_INPUT */
    KITH_MISSING_DROP       /* a row with a missing value is left out */
} kith_missing;

typedef enum kith_header {
    KITH_HEADER_AUTO = 0, /* a first line of words is a header; one that mixes
                             them with numbers is refused */
    KITH_HEADER_YES,
    KITH_HEADER_NO
} kith_header;

/* How to read the files. Start from kith_source_options_init. */
typedef struct kith_source_options {
    size_t size;                /* set by _init; fields are only appended    */
    kith_format format;         /* default: by name                          */
    kith_header header;         /* CSV and TSV                               */
    kith_missing missing;       /* default: error                            */
    const char *const *columns; /* CSV and TSV: names, or numbers from 1;    */
    size_t column_count;        /* NPY: numbers from 1; 0: all columns       */
    uint32_t dimension;         /* svmlight: required; others: 0 or checked  */
    uint32_t threads;           /* to read with; 0: all processors. Changes  */
                                /* the speed of dense formats only           */
    int fixed_rows;             /* every line is a row, whatever it holds:   */
                                /* missing must be error, header YES or NO   */
                                /* (CSV, TSV); blank lines and newlines in   */
                                /* quoted fields are refused.                */
                                /* Sessions with KITH_REPLACE_ONE need it:   */
                                /* there the number of rows is public        */
    kith_progress_fn *progress; /* called now and then while rows are read,  */
    void *progress_arg;         /* by the caller's thread, with thousandths  */
                                /* of the files' bytes (0: not known)        */
    uint32_t part, parts;       /* files: read part `part` (from 0) of so    */
                                /* many, dealt by size; .npy and plain text  */
                                /* are cut. 0 parts: all. For teams (team.h) */
    char delimiter;             /* CSV and TSV: between values, one of , ; : */
                                /* | and tab; 0: the format's                */
    char decimal;               /* CSV and TSV: '.' (0) or ','               */
    const char *const *missing_values; /* CSV and TSV: words for "no value", */
    size_t missing_value_count; /* besides the usual ones. What then happens */
                                /* to the row is for `missing` to say        */
    const char *spill;          /* keep quantised rows here, not in memory:  */
                                /* a local folder. Encrypted under a key     */
                                /* that is forgotten. Dense rows; sessions   */
                                /* only. NULL: in memory                     */
    int spill_anywhere;         /* a network file system will do             */
    const char *user_column;    /* CSV and TSV: whose row it is, any text; a */
                                /* name, or a number from 1. It is no        */
                                /* feature. A dataset keeps one row of each  */
                                /* person, and the unit of privacy is the    */
                                /* person (KITH_UNIT_USER). NULL: rows       */
    uint64_t user_seed;         /* public coins that choose the row          */
    uint32_t rows_per_user;     /* how many rows are drawn of each person, at */
                                /* most KITH_MOST_ROWS_PER_USER; the budget  */
                                /* is divided among them. 0: 1               */
    const char *const *expected; /* CSV and TSV: names of the features, say   */
    size_t expected_count;       /* of a model. A column that the header      */
                                 /* calls by one of them must be at its place */
} kith_source_options;

enum { KITH_MOST_ROWS_PER_USER = 1000 };

KITH_API void kith_source_options_init(kith_source_options *opt, size_t size);

typedef struct kith_dataset kith_dataset;

/* Read one or several files (shards of one dataset; "-" is standard input)
 * into quantised rows. Everything is checked here, before a budget exists:
 * KITH_ERR_INPUT names the file and the line. paths, opt, bounds: borrowed. */
KITH_API KITH_CHECKED kith_status kith_dataset_open(
    const char *const *paths, size_t path_count, const kith_source_options *opt,
    const kith_bounds *bounds, kith_dataset **out, kith_error *err);

/* The same from memory: rows x dimension doubles, row-major, copied.
 * A value that is not finite is KITH_ERR_INPUT. */
KITH_API KITH_CHECKED kith_status kith_dataset_from_rows(
    const double *rows, size_t row_count, uint32_t dimension,
    const kith_bounds *bounds, kith_dataset **out, kith_error *err);

/* ---- rows that are in memory already -------------------------------------
 *
 * They are read where they are, any number of times at once; nothing is copied
 * but the quantised rows. All pointers are borrowed for the call. Numbers are
 * in this machine's byte order and need not be aligned; strides are in bytes
 * and may be negative. */

typedef enum kith_number {
    KITH_FLOAT64 = 1,
    KITH_FLOAT32,
    KITH_FLOAT16,
    KITH_INT8,
    KITH_INT16,
    KITH_INT32,
    KITH_INT64,
    KITH_UINT8,
    KITH_UINT16,
    KITH_UINT32,
    KITH_UINT64,
    KITH_BOOL, /* one byte */
    KITH_BITS  /* of a table: row r is bit first_bit + r of data, from the */
               /* lowest of each byte */
} kith_number;

/* A matrix: element (r, j) is at data + r row_stride + j column_stride. */
typedef struct kith_array {
    const void *data;
    kith_number type;
    uint64_t rows;
    uint32_t columns;
    ptrdiff_t row_stride, column_stride;
} kith_array;

/* One feature of a table: element r is at data + r stride. */
typedef struct kith_column {
    const void *data;
    kith_number type;
    ptrdiff_t stride;
    const uint8_t *missing; /* nonzero: no value; one byte for each row, one */
                            /* after another; NULL: all have one             */
    const uint8_t *valid;   /* the same as bits: row r has a value if bit    */
    uint64_t first_bit;     /* first_bit + r is set                          */
} kith_column;

/* Sparse rows: row r has the values from start[r] to before start[r + 1], at
 * increasing columns index[...]. Integers of 4 or 8 bytes. */
typedef struct kith_csr {
    uint64_t rows;
    uint32_t columns;
    const void *start, *index;
    int start_bytes, index_bytes; /* 4 or 8 */
    const void *value;
    kith_number type;
} kith_csr;

/* A table as Arrow has it: a stream, or a schema and one array. Batches that
 * the stream gives are released; stream, schema and array are borrowed, and the
 * caller releases them. Nulls are missing values. */
typedef struct kith_arrow {
    struct ArrowArrayStream *stream;
    struct ArrowSchema *schema;
    struct ArrowArray *array;
} kith_arrow;

/* Where rows come from: exactly one of the five. Start from all zeros. */
typedef struct kith_source {
    const char *const *paths; /* files, as for kith_dataset_open */
    size_t path_count;
    const kith_array *array;
    const kith_column *columns; /* a table */
    uint32_t column_count;
    uint64_t rows; /* of the table */
    const kith_csr *csr;
    const kith_arrow *arrow;  /* a stream is used up by one call */
    const char *const *users; /* array and table: whose row it is, one text a */
                              /* row, NULL or empty: not known (a missing     */
                              /* value). What user_column is for files        */
} kith_source;

/* kith_dataset_open for any source. Of opt, in memory: missing (NaN is
 * missing), dimension, threads, progress; format, header and columns are for
 * files. */
KITH_API KITH_CHECKED kith_status kith_dataset_load(
    const kith_source *source, const kith_source_options *opt,
    const kith_bounds *bounds, kith_dataset **out, kith_error *err);

KITH_API uint32_t kith_dataset_dimension(const kith_dataset *data);

/* What is public about the rows: all but their number, which is 0 here. */
KITH_API kith_shape kith_dataset_shape(const kith_dataset *data);

/* The name of feature i, borrowed, when every feature has one: all chosen
 * columns are named in the header of a CSV or TSV file, by different words that
 * could be no values. NULL otherwise. */
KITH_API const char *kith_dataset_name(const kith_dataset *data, uint32_t i);

/* Distance between neighbouring lattice points, in (normalised) units. */
KITH_API double kith_dataset_step(const kith_dataset *data);

/* Wipes the rows. NULL is fine. */
KITH_API void kith_dataset_free(kith_dataset *data);

#ifdef __cplusplus
}
#endif

#endif

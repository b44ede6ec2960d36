/* Fuzz the readers: two bytes choose format, options and read size, the rest
 * is the file. Besides not crashing: every block keeps the promises of
 * reader.h, a failure has a message, and reading the same bytes in other
 * pieces gives the same rows to the last bit, or the same message. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/block.h"
#include "data/reader.h"
#include "data/reader_shard.h"

/* Whole files fit one read; the default size would cost most of the time. */
enum { SPARSE_DIMENSION = 50, OPTION_BYTES = 2, ONE_READ = 16384 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static void require(int condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "broken promise: %s\n", what);
        abort();
    }
}

/* What a reading came to: enough to compare two of them. */
typedef struct {
    kith_status status;
    kith_error err;
    uint64_t rows, hash;
} outcome;

static void mix(outcome *o, const void *bytes, size_t count)
{
    const unsigned char *p = bytes;
    for (size_t i = 0; i < count; i++)
        o->hash = (o->hash ^ p[i]) * 1099511628211u;
}

static void check_dense(outcome *o, const kith_i_rows *block)
{
    size_t count = (size_t)block->rows * block->dimension;
    require(block->rows == 1 || count <= 1u << 17, "block size");
    for (size_t i = 0; i < count; i++)
        require(isfinite(block->dense[i]), "finite values");
    mix(o, block->dense, count * sizeof(double));
}

static void check_sparse(outcome *o, const kith_i_rows *block)
{
    require(block->start[0] == 0, "first offset");
    for (uint32_t i = 0; i < block->rows; i++) {
        require(block->start[i] <= block->start[i + 1], "offsets");
        for (uint32_t k = block->start[i]; k < block->start[i + 1]; k++) {
            require(block->index[k] < block->dimension, "index in range");
            require(k == block->start[i] ||
                        block->index[k - 1] < block->index[k],
                    "indices increase");
            require(isfinite(block->value[k]), "finite values");
        }
        mix(o, "row", 3);
        size_t n = block->start[i + 1] - block->start[i];
        mix(o, block->index + block->start[i], n * sizeof(uint32_t));
        mix(o, block->value + block->start[i], n * sizeof(double));
    }
}

/* What may stand in a model. */
static void check_names(const kith_i_reader *reader)
{
    size_t bytes, names = 0;
    const char *text = kith_i_reader_names(reader, &bytes);
    for (size_t i = 0; text && i < bytes; i += strlen(text + i) + 1, names++)
        require(text[i] != 0, "a name is not empty");
    require(!text || names == kith_i_reader_dimension(reader), "names");
}

static outcome read_once(const kith_i_source *sources, size_t count,
                         const kith_source_options *opt)
{
    outcome o = {.hash = 14695981039346656037u};
    kith_i_reader *reader = NULL;
    o.status = kith_i_reader_open_sources(sources, count, opt, &reader, &o.err);
    require((o.status == KITH_OK) == (reader != NULL), "reader or status");
    if (!o.status)
        check_names(reader);
    while (!o.status) {
        kith_i_rows block = {0};
        o.status = kith_i_reader_next(reader, &block, &o.err);
        if (o.status || block.rows == 0)
            break;
        require(block.rows <= KITH_I_BLOCK_ROWS, "rows in a block");
        require(block.dimension == kith_i_reader_dimension(reader),
                "dimension");
        require((block.dense == NULL) == kith_i_reader_is_sparse(reader),
                "sparseness");
        if (block.dense)
            check_dense(&o, &block);
        else
            check_sparse(&o, &block);
        o.rows += block.rows;
    }
    require(!o.status || (o.err.status == o.status && o.err.message[0]),
            "a failure has a message");
    kith_i_reader_close(reader);
    return o;
}

static int is_packed(const uint8_t *file, size_t count)
{
    return (count >= 2 && memcmp(file, "\x1f\x8b", 2) == 0) ||
           (count >= 4 && memcmp(file, "\x28\xb5\x2f\xfd", 4) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    static const kith_format formats[] = {KITH_FORMAT_CSV, KITH_FORMAT_TSV,
                                          KITH_FORMAT_NPY,
                                          KITH_FORMAT_SVMLIGHT};
    static const char *const columns[] = {"b", "1"};
    static const char *const words[] = {"?", "-999", "."};
    if (count < OPTION_BYTES)
        return 0;
    unsigned a = bytes[0], b = bytes[1];
    kith_source_options opt;
    kith_source_options_init(&opt, sizeof opt);
    opt.format = formats[a & 3];
    opt.missing = a >> 2 & 1 ? KITH_MISSING_DROP : KITH_MISSING_ERROR;
    opt.header = (kith_header)((a >> 3 & 3) % 3);
    if (a >> 5 & 1) {
        opt.columns = a >> 6 & 1 ? columns : columns + 1;
        opt.column_count = a >> 6 & 1 ? 2 : 1;
    }
    if (opt.format == KITH_FORMAT_CSV || opt.format == KITH_FORMAT_TSV) {
        opt.delimiter = b & 0x80 ? ';' : 0;
        opt.decimal = b & 0x40 ? ',' : 0;
        opt.missing_values = words;
        opt.missing_value_count = b & 0x20 ? 3 : 0;
    }
    if (opt.format == KITH_FORMAT_SVMLIGHT)
        opt.dimension = SPARSE_DIMENSION;
    /* One shard, or the file cut in two. */
    size_t left = count - OPTION_BYTES, cut = a >> 7 ? left / 2 : left;
    const uint8_t *file = bytes + OPTION_BYTES;
    kith_i_source whole[] = {{"one", file, cut, ONE_READ},
                             {"two", file + cut, left - cut, ONE_READ}};
    kith_i_source pieces[] = {whole[0], whole[1]};
    pieces[0].chunk = pieces[1].chunk = 1 + b % 67;
    size_t shards = a >> 7 ? 2 : 1;
    outcome one = read_once(whole, shards, &opt);
    outcome other = read_once(pieces, shards, &opt);
    /* In compressed data with two faults, the size of the pieces decides
     * which one is met first. */
    int any_fault = is_packed(file, cut) || is_packed(file + cut, left - cut);
    require(!one.status == !other.status, "fails in other pieces too");
    if (one.status)
        require(any_fault || (one.status == other.status &&
                              !strcmp(one.err.message, other.err.message)),
                "same message in other pieces");
    else
        require(one.rows == other.rows && one.hash == other.hash,
                "same rows in other pieces");
    return 0;
}

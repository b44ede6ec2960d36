/* Shared by the reader tests: read sources to the end and keep the rows. */
#ifndef TEST_READER_HELP_H
#define TEST_READER_HELP_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/block.h"
#include "data/reader.h"
#include "data/reader_shard.h"

typedef struct {
    kith_status status;
    kith_error err;
    size_t rows, blocks;
    uint32_t dimension;
    int sparse;
    double *values; /* dense: rows x dimension; sparse: densified */
    size_t pairs;   /* sparse: stored pairs */
} reading;

static inline kith_source_options options(kith_format format)
{
    kith_source_options opt;
    kith_source_options_init(&opt, sizeof opt);
    opt.format = format;
    return opt;
}

static inline void keep_block(reading *r, const kith_i_rows *block)
{
    size_t d = r->dimension, n = r->rows;
    assert_int_equal(block->dimension, d);
    assert_true(block->rows <= KITH_I_BLOCK_ROWS);
    r->values = realloc(r->values, (n + block->rows) * d * sizeof(double));
    assert_non_null(r->values);
    double *to = r->values + n * d;
    if (block->dense) {
        assert_true(block->rows == 1 || block->rows * d <= 1u << 17);
        memcpy(to, block->dense, block->rows * d * sizeof *to);
    } else {
        assert_int_equal(block->start[0], 0);
        memset(to, 0, block->rows * d * sizeof *to);
        for (uint32_t i = 0; i < block->rows; i++)
            for (uint32_t k = block->start[i]; k < block->start[i + 1]; k++) {
                assert_true(block->index[k] < d);
                assert_true(k == block->start[i] ||
                            block->index[k] > block->index[k - 1]);
                to[i * d + block->index[k]] = block->value[k];
                r->pairs++;
            }
    }
    r->rows += block->rows;
    r->blocks++;
}

static inline reading read_sources(const kith_i_source *sources, size_t count,
                                   const kith_source_options *opt)
{
    reading r = {0};
    kith_i_reader *reader = NULL;
    r.status = kith_i_reader_open_sources(sources, count, opt, &reader, &r.err);
    if (r.status) {
        assert_null(reader);
        assert_int_equal(r.err.status, r.status);
        return r;
    }
    r.dimension = kith_i_reader_dimension(reader);
    r.sparse = kith_i_reader_is_sparse(reader);
    for (;;) {
        kith_i_rows block = {0};
        r.status = kith_i_reader_next(reader, &block, &r.err);
        if (r.status || block.rows == 0)
            break;
        keep_block(&r, &block);
    }
    kith_i_reader_close(reader);
    return r;
}

static inline reading read_bytes(const char *name, const void *bytes,
                                 size_t count, size_t chunk,
                                 const kith_source_options *opt)
{
    kith_i_source source = {name, bytes, count, chunk};
    return read_sources(&source, 1, opt);
}

static inline reading read_text(const char *text,
                                const kith_source_options *opt)
{
    return read_bytes("t.csv", text, strlen(text), 0, opt);
}

static inline void expect_rows(const reading *r, size_t rows, size_t dimension,
                               const double *values)
{
    if (r->status)
        print_error("%s\n", r->err.message);
    assert_int_equal(r->status, KITH_OK);
    assert_int_equal(r->rows, rows);
    assert_int_equal(r->dimension, dimension);
    if (rows)
        assert_memory_equal(r->values, values,
                            rows * dimension * sizeof(double));
}

/* The same outcome to the last bit. */
static inline void expect_same(const reading *a, const reading *b)
{
    assert_int_equal(a->status, b->status);
    if (a->status)
        assert_string_equal(a->err.message, b->err.message);
    assert_int_equal(a->rows, b->rows);
    assert_int_equal(a->dimension, b->dimension);
    if (a->rows)
        assert_memory_equal(a->values, b->values,
                            a->rows * a->dimension * sizeof(double));
}

static inline void forget(reading *r)
{
    free(r->values);
    r->values = NULL;
}

/* A failure whose message holds all of the words and not the secret. */
static inline void expect_failure(const reading *r, kith_status status,
                                  const char *const *words, const char *secret)
{
    if (r->status != status)
        print_error("status %d, message: %s\n", (int)r->status, r->err.message);
    assert_int_equal(r->status, status);
    for (; words && *words; words++)
        if (!strstr(r->err.message, *words)) {
            print_error("no \"%s\" in: %s\n", *words, r->err.message);
            fail();
        }
    if (secret && strstr(r->err.message, secret)) {
        print_error("a value in: %s\n", r->err.message);
        fail();
    }
}

static inline void write_file(const char *path, const void *bytes, size_t count)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, count, f), count);
    assert_int_equal(fclose(f), 0);
}

/* A fresh directory; path(name) names a file in it (one at a time). */
static inline const char *scratch_path(const char *name)
{
    static char dir[64], path[4][256];
    static int turn;
    if (!dir[0]) {
        snprintf(dir, sizeof dir, "/tmp/kith_reader_XXXXXX");
        assert_non_null(mkdtemp(dir));
    }
    char *p = path[turn++ % 4];
    snprintf(p, sizeof path[0], "%s%s%s", dir, *name ? "/" : "", name);
    return p;
}

static inline int remove_scratch(void **state)
{
    (void)state;
    char command[300];
    snprintf(command, sizeof command, "rm -rf '%s'", scratch_path(""));
    return system(command);
}

#endif

/* Rows on the lattice for kernel tests, dense and sparse alike, and the
 * slowest possible nearest centre in 128-bit integers. */
#ifndef KITH_TEST_KERNEL_NAIVE_H
#define KITH_TEST_KERNEL_NAIVE_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/base_i.h"
#include "base/block.h"
#include "base/wide.h"
#include "kernel/kernel_i.h"

typedef enum {
    ROWS_RANDOM,  /* the whole lattice                            */
    ROWS_SMALL,   /* -2..2: many ties, many zeros                 */
    ROWS_EXTREME, /* +-32767 only: the largest sums there are     */
    ROWS_KINDS
} rows_kind;

static inline int16_t naive_value(kith_i_coins *coins, rows_kind kind)
{
    if (kind == ROWS_RANDOM)
        return (int16_t)((int)kith_i_coins_below(coins, 65535) - 32767);
    if (kind == ROWS_SMALL)
        return (int16_t)((int)kith_i_coins_below(coins, 5) - 2);
    return kith_i_coins_below(coins, 2) ? 32767 : -32767;
}

typedef struct {
    int16_t *q; /* rows x d */
    uint32_t *start, *index;
    int16_t *value;
    kith_i_block dense, sparse; /* the same rows twice */
} naive_rows;

/* A fresh sparse copy of q. */
static inline void naive_rows_index(naive_rows *n, uint32_t rows, uint32_t d)
{
    uint32_t at = 0;
    for (uint32_t r = 0; r < rows; r++) {
        n->start[r] = at;
        for (uint32_t i = 0; i < d; i++)
            if (n->q[(size_t)r * d + i]) {
                n->index[at] = i;
                n->value[at++] = n->q[(size_t)r * d + i];
            }
    }
    n->start[rows] = at;
    n->dense = (kith_i_block){.rows = rows, .dimension = d, .dense = n->q};
    n->sparse = (kith_i_block){.rows = rows,
                               .dimension = d,
                               .start = n->start,
                               .index = n->index,
                               .value = n->value};
}

static inline naive_rows naive_rows_new(kith_i_coins *coins, uint32_t rows,
                                        uint32_t d, rows_kind kind)
{
    size_t count = (size_t)rows * d;
    naive_rows n = {.q = malloc((count + 1) * sizeof(int16_t)),
                    .start = malloc((rows + 1u) * sizeof(uint32_t)),
                    .index = malloc((count + 1) * sizeof(uint32_t)),
                    .value = malloc((count + 1) * sizeof(int16_t))};
    for (size_t i = 0; i < count; i++)
        n.q[i] = naive_value(coins, kind);
    naive_rows_index(&n, rows, d);
    return n;
}

static inline void naive_rows_free(naive_rows *n)
{
    free(n->q);
    free(n->start);
    free(n->index);
    free(n->value);
}

static inline kith_i_centers naive_centers_new(uint32_t k, uint32_t d,
                                               int sparse, const double *real)
{
    kith_i_centers c = {.k = k, .d = d, .sparse = sparse};
    c.coords = malloc((size_t)k * d * sizeof(double));
    c.squares = malloc(k * sizeof(double));
    kith_i_centers_set(&c, real);
    return c;
}

static inline void naive_centers_free(kith_i_centers *c)
{
    free(c->coords);
    free(c->squares);
}

static inline kith_i_i128 naive_distance(const int16_t *x, const double *c,
                                         uint32_t d)
{
    kith_i_i128 sum = 0;
    for (uint32_t i = 0; i < d; i++) {
        kith_i_i128 e = (kith_i_i128)x[i] - (int64_t)c[i];
        sum += e * e;
    }
    return sum;
}

/* centers: k x d integers in double. */
static inline uint32_t naive_nearest(const int16_t *x, const double *centers,
                                     uint32_t k, uint32_t d,
                                     kith_i_i128 *squared)
{
    uint32_t label = 0;
    for (uint32_t j = 0; j < k; j++) {
        kith_i_i128 s = naive_distance(x, centers + (size_t)j * d, d);
        if (j == 0 || s < *squared) {
            *squared = s;
            label = j;
        }
    }
    return label;
}

static inline kith_i_i128 naive_norm(const int16_t *x, uint32_t d)
{
    kith_i_i128 sum = 0;
    for (uint32_t i = 0; i < d; i++)
        sum += (kith_i_i128)x[i] * x[i];
    return sum;
}

/* Room for a call, with a guard behind it; naive_scratch_free tells whether
 * the guard is whole. */
static inline double *naive_scratch_new(size_t count)
{
    double *p = malloc((count + 1) * sizeof *p);
    for (size_t i = 0; i <= count; i++)
        p[i] = 12345.5; /* stale memory must not matter */
    return p;
}

static inline int naive_scratch_free(double *p, size_t count)
{
    int whole = p[count] == 12345.5;
    free(p);
    return whole;
}

#endif

/* Exact sums of bounded contributions. No floating point: this file is
 * compiled without floating-point registers. */
#include "aggregate.h"

#include <string.h>

#include "base/watch.h"
#include "base/wide.h"

/* Smallest r with r^2 >= square, by Newton's method on integers. */
static uint64_t root_up(kith_i_u128 square)
{
    if (square <= 1)
        return (uint64_t)square;
    uint64_t high = (uint64_t)(square >> 64);
    uint64_t low = (uint64_t)square;
    int bits = high ? 128 - __builtin_clzll(high) : 64 - __builtin_clzll(low);
    kith_i_u128 r = (kith_i_u128)1 << ((bits + 1) / 2); /* r^2 >= square */
    for (;;) {
        kith_i_u128 next = (r + square / r) / 2;
        if (next >= r)
            break;
        r = next;
    }
    /* r = floor(sqrt(square)) */
    return (uint64_t)(r * r == square ? r : r + 1);
}

/* v <- v * radius / length, toward zero; radius <= 2^31, so 63 bits do. */
static void shrink(int32_t *v, uint32_t width, uint64_t radius, uint64_t length)
{
    for (uint32_t i = 0; i < width; i++) {
        int64_t scaled = v[i] * (int64_t)radius;
        v[i] = (int32_t)(scaled / (int64_t)length);
    }
}

/* Claim: sum v^2 <= radius^2 afterwards; v unchanged if it held before.
 * Because: |v'_i| <= |v_i| radius / ceil(sqrt(sum v^2)). */
void kith_i_clip_l2(int32_t *v, uint32_t width, uint64_t radius)
{
    kith_i_u128 square = width & 1 ? (uint64_t)((int64_t)v[0] * v[0]) : 0;
    for (const int32_t *at = v + (width & 1); at < v + width; at += 2)
        square += (uint64_t)((int64_t)at[0] * at[0]) + /* at most 2^63 */
                  (uint64_t)((int64_t)at[1] * at[1]);
    if (square > (kith_i_u128)radius * radius)
        shrink(v, width, radius, root_up(square));
}

/* Claim: sum |v| <= radius afterwards; v unchanged if it held before. */
void kith_i_clip_l1(int32_t *v, uint32_t width, uint64_t radius)
{
    uint64_t length = 0;
    for (uint32_t i = 0; i < width; i++)
        length += (uint64_t)(v[i] < 0 ? -(int64_t)v[i] : (int64_t)v[i]);
    if (length > radius)
        shrink(v, width, radius, length);
}

/* Four at a time, as in accumulate.c: a loop of one ran at half the speed where
 * the linker put it badly. */
static void add_values(const int32_t *v, uint32_t width, int64_t *sum)
{
    uint32_t i = 0;
    for (; i + 4 <= width; i += 4) {
        int64_t a = sum[i] + v[i], b = sum[i + 1] + v[i + 1];
        int64_t c = sum[i + 2] + v[i + 2], d = sum[i + 3] + v[i + 3];
        sum[i] = a;
        sum[i + 1] = b;
        sum[i + 2] = c;
        sum[i + 3] = d;
    }
    for (; i < width; i++)
        sum[i] += v[i];
}

void kith_i_aggregate_values(const kith_i_values *in, int64_t *sums,
                             int64_t *counts)
{
    for (uint32_t r = 0; r < in->rows; r++) {
        uint32_t c = in->cell[r];
        if (c >= in->cells)
            continue;
        int32_t *v = in->value + (size_t)r * in->width;
        if (in->pure)
            kith_i_clip_l1(v, in->width, in->radius[c]); /* I15 */
        else
            kith_i_clip_l2(v, in->width, in->radius[c]);
        if (sums)
            add_values(v, in->width, sums + (size_t)c * in->width);
        if (counts)
            counts[c]++;
    }
}

/* The entries of a row: count of them, at index[i], or at i without one. */
typedef struct {
    const int16_t *value;
    const uint32_t *index;
    uint32_t count;
} entries;

static entries row_entries(const kith_i_block *block, uint32_t row)
{
    if (block->dense)
        return (entries){block->dense + (size_t)row * block->dimension, NULL,
                         block->dimension};
    uint32_t from = block->start[row];
    return (entries){block->value + from, block->index + from,
                     block->start[row + 1] - from};
}

/* Claim: the norm of what a row adds is at most `norm`. Because: |v_i| is at
 * most |x_i| norm / length, and length at least the row's norm. */
void kith_i_aggregate_scaled(const kith_i_block *block, uint64_t norm, int pure,
                             int64_t *sums)
{
    for (uint32_t r = 0; r < block->rows; r++) {
        entries e = row_entries(block, r);
        uint64_t sum = 0, square = 0;
        for (uint32_t i = 0; i < e.count; i++) {
            int32_t v = e.value[i];
            sum += (uint64_t)(v < 0 ? -v : v);
            square += (uint64_t)(v * v);
        }
        int64_t length = (int64_t)(pure ? sum : root_up(square));
        for (uint32_t i = 0; length > 0 && i < e.count; i++)
            sums[e.index ? e.index[i] : i] +=
                e.value[i] * (int64_t)norm / length;
    }
}

void kith_i_aggregate_clamped(const kith_i_block *block, const uint32_t *cell,
                              uint32_t cells, uint32_t bound, int64_t *sums)
{
    int32_t most = (int32_t)bound;
    for (uint32_t r = 0; r < block->rows; r++) {
        if (cell[r] >= cells)
            continue;
        entries e = row_entries(block, r);
        int64_t *sum = sums + (size_t)cell[r] * block->dimension;
        for (uint32_t i = 0; i < e.count; i++) {
            int32_t v = e.value[i];
            v = v > most ? most : v < -most ? -most : v;
            sum[e.index ? e.index[i] : i] += v;
        }
    }
}

void kith_i_truncate_values(const int16_t *from, size_t count, uint32_t shift,
                            int16_t *to)
{
    int32_t mask = (int32_t)(((uint32_t)1 << shift) - 1);
    for (size_t i = 0; i < count; i++) { /* round negative ones up */
        int32_t v = from[i];
        to[i] = (int16_t)((v + (v < 0 ? mask : 0)) >> shift);
    }
}

void kith_i_add_wrapping(const int64_t *from, size_t count, int64_t *to)
{
    for (size_t i = 0; i < count; i++)
        to[i] = (int64_t)((uint64_t)to[i] + (uint64_t)from[i]);
}

void kith_i_aggregate_losses(const int32_t *losses, uint32_t rows,
                             uint32_t candidates, int32_t bound,
                             int64_t *totals)
{
    for (uint32_t r = 0; r < rows; r++)
        for (uint32_t c = 0; c < candidates; c++) {
            int32_t v = losses[(size_t)r * candidates + c];
            totals[c] += v < 0 ? 0 : (v > bound ? bound : v);
        }
}

void kith_i_aggregate_swaps(const kith_i_swaps *in, int64_t *kept_totals,
                            int64_t *extra_totals)
{
    size_t n = in->candidates;
    int32_t bound = in->bound;
    for (uint32_t r = 0; r < in->rows; r++) {
        const int32_t *kept = in->kept + r * n, *extra = in->extra + r * n;
        for (size_t c = 0; c < n; c++) {
            int32_t v = kept[c];
            kept_totals[c] += v < 0 ? 0 : (v > bound ? bound : v);
        }
        if (in->owner[r] >= in->slots)
            continue;
        int64_t *mine = extra_totals + in->owner[r] * n;
        for (size_t c = 0; c < n; c++) {
            int64_t v = kept[c], least = v < 0 ? 0 : (v > bound ? bound : v);
            int64_t both = least + extra[c];
            both = both < 0 ? 0 : (both > bound ? bound : both);
            mine[c] += both - least;
        }
    }
}

/* Least significant byte first; bytes in which all keys agree are skipped. */
static void sort_keys(uint64_t *keys, uint64_t *other, size_t n)
{
    uint64_t differ = 0;
    for (size_t i = 1; i < n; i++)
        differ |= keys[i] ^ keys[0];
    uint64_t *from = keys, *to = other;
    for (int shift = 0; shift < 64; shift += 8) {
        if (!(differ >> shift & 0xff) || kith_i_stop_wanted())
            continue;
        size_t place[257] = {0};
        for (size_t i = 0; i < n; i++)
            place[(from[i] >> shift & 0xff) + 1]++;
        for (int b = 0; b < 256; b++)
            place[b + 1] += place[b];
        for (size_t i = 0; i < n; i++)
            to[place[from[i] >> shift & 0xff]++] = from[i];
        uint64_t *t = from;
        from = to;
        to = t;
    }
    if (from != keys)
        memcpy(keys, from, n * sizeof *keys);
}

size_t kith_i_aggregate_keys(uint64_t *keys, uint64_t *other, size_t n,
                             uint64_t limit, int64_t *counts)
{
    sort_keys(keys, other, n);
    size_t m = 0;
    for (size_t i = 0; i < n && keys[i] < limit; i++) {
        if (m == 0 || keys[m - 1] != keys[i]) {
            keys[m] = keys[i];
            counts[m++] = 0;
        }
        counts[m - 1]++;
    }
    return m;
}

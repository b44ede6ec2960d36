/* Nearest centre of quantised rows, exactly.
 *
 * Rows and centres are integers of at most 15 bits and a sign, held in
 * doubles, so every partial sum of x.c, in whatever order BLAS adds, is an
 * integer below d 2^30, and |c|^2 - 2 x.c stays within 3 d 2^30 <= 2^53
 * (base/domain.h): no rounding ever happens, and a row's label cannot depend
 * on other rows, on block edges or on the machine (I2, R2). Long products are
 * tried in floats first, which changes no label (below). */
#include "kernel_i.h"

#include <math.h>
#include <string.h>

#include "wide_code.h"

enum {
    LATTICE_MAX = 32767,
    LANES = 4,              /* rows whose minima are taken side by side    */
    PAIR = 2,               /* centres in a register, for sparse rows      */
    TILE = 4 * PAIR,        /* centres that a sparse row meets at once     */
    MOST_BATCH = 256,       /* rows that are handed to BLAS at once        */
    SINGLE_FROM = 1000,     /* k x d from which floats are faster          */
    FEW_CENTERS = 32,       /* up to here OpenBLAS's small-matrix path wins */
    SMALL_CELLS = 1024,     /* it needs rows x k at most this              */
    SMALL_PRODUCT = 1000000 /* and rows x k x d at most this               */
};

typedef double quad __attribute__((vector_size(LANES * sizeof(double))));
typedef int64_t masks __attribute__((vector_size(LANES * sizeof(int64_t))));
typedef double pair __attribute__((vector_size(PAIR * sizeof(double))));
typedef float singles __attribute__((vector_size(LANES * sizeof(float))));

void kith_i_centers_set(kith_i_centers *out, const double *real)
{
    size_t k = out->k, d = out->d;
    for (size_t j = 0; j < k; j++) {
        double square = 0;
        for (size_t i = 0; i < d; i++) {
            double c = real[j * d + i];
            c = isfinite(c) ? nearbyint(c) + 0.0 : 0; /* no -0 */
            c = c > LATTICE_MAX    ? LATTICE_MAX
                : c < -LATTICE_MAX ? -LATTICE_MAX
                                   : c;
            out->coords[out->sparse ? i * k + j : j * d + i] = c;
            square += c * c;
        }
        out->squares[j] = square;
    }
}

/* Rows that are handed to BLAS at once; changes speed only. Measured with
 * OpenBLAS 0.3.21: small batches for few centres, else a few hundred rows,
 * never more than 2 MiB of rows nor a quarter of that in products. */
static uint32_t batch_rows(uint32_t k, uint32_t d)
{
    const size_t most = (size_t)1 << 18;
    size_t rows = MOST_BATCH;
    if (k <= FEW_CENTERS) {
        size_t small = SMALL_CELLS / k < 64 ? SMALL_CELLS / k : 64;
        small -= small % LANES;
        while (small > 16 && small * k * d > SMALL_PRODUCT)
            small /= 2;
        if (small * k * d <= SMALL_PRODUCT)
            rows = small;
    }
    while (rows > 8 && (rows * d > most || rows * k > most / 8))
        rows /= 2;
    return (uint32_t)rows;
}

static uint32_t whole_lanes(uint32_t rows)
{
    return (rows + LANES - 1) / LANES * LANES;
}

/* Rows of scratch: a batch, or the block if that is smaller. */
static size_t batch_room(uint32_t block_rows, uint32_t k, uint32_t d)
{
    uint32_t rows = batch_rows(k, d);
    return whole_lanes(rows < block_rows ? rows : block_rows);
}

size_t kith_i_assign_scratch(uint32_t block_rows, uint32_t k, uint32_t d,
                             int sparse)
{
    if (sparse)
        return k;
    size_t batch = batch_room(block_rows, k, d) * ((size_t)d + k);
    size_t floats = (batch + (size_t)k * d) / 2 + 1;
    return batch > floats ? batch : floats;
}

/* Fixed short runs: gcc -O2 vectorises loops of known length only. */
KITH_I_WIDE static void widen(const int16_t *restrict from, size_t count,
                              double *restrict to)
{
    size_t i = 0;
    for (; i + 16 <= count; i += 16)
        for (size_t t = 0; t < 16; t++)
            to[i + t] = from[i + t];
    for (; i < count; i++)
        to[i] = from[i];
}

/* Minima over k rows of dots, rows of length stride (whole lanes). */
KITH_I_WIDE static void pick_nearest(const double *dots, const double *squares,
                                     uint32_t k, size_t stride, uint32_t rows,
                                     uint32_t *labels, double *score)
{
    for (uint32_t r = 0; r < rows; r += LANES) {
        quad best, s;
        memcpy(&best, dots + r, sizeof best);
        best = squares[0] - 2 * best;
        masks label = {0};
        for (uint32_t j = 1; j < k; j++) {
            memcpy(&s, dots + j * stride + r, sizeof s);
            s = squares[j] - 2 * s;
            masks less = s < best;
            best = (quad)(((masks)s & less) | ((masks)best & ~less));
            label = ((int64_t)j & less) | (label & ~less);
        }
        uint32_t count = rows - r < LANES ? rows - r : LANES;
        for (uint32_t t = 0; t < count; t++)
            labels[r + t] = (uint32_t)label[t];
        if (score)
            memcpy(score + r, &best, count * sizeof *score);
    }
}

/* Dot products of up to a batch of rows with all centres, k x stride. The
 * last lanes are zero rows, so that every product that is read was computed.
 */
static size_t dense_dots(const kith_i_centers *centers, const int16_t *values,
                         uint32_t rows, double *wide, double *dots)
{
    size_t d = centers->d;
    uint32_t stride = whole_lanes(rows);
    widen(values, rows * d, wide);
    memset(wide + rows * d, 0, (stride - rows) * d * sizeof *wide);
    kith_i_dot_products(centers->coords, centers->k, wide, stride, centers->d,
                        dots);
    return stride;
}

/* sum[0..k) = x.c_j of one sparse row with a few centres. */
static void sparse_few(const double *coords, uint32_t k, const uint32_t *index,
                       const int16_t *value, uint32_t count, double *sum)
{
    for (uint32_t j = 0; j < k; j++)
        sum[j] = 0;
    for (uint32_t t = 0; t < count; t++) {
        const double *c = coords + (size_t)index[t] * k;
        for (uint32_t j = 0; j < k; j++)
            sum[j] += value[t] * c[j];
    }
}

/* The same with TILE of the k centres, their sums kept in registers. */
static void sparse_tile(const double *coords, uint32_t k, const uint32_t *index,
                        const int16_t *value, uint32_t count, double *sum)
{
    pair s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0}, c[4];
    for (uint32_t t = 0; t < count; t++) {
        double v = value[t];
        memcpy(c, coords + (size_t)index[t] * k, sizeof c);
        s0 += v * c[0];
        s1 += v * c[1];
        s2 += v * c[2];
        s3 += v * c[3];
    }
    memcpy(sum, &s0, sizeof s0);
    memcpy(sum + PAIR, &s1, sizeof s1);
    memcpy(sum + 2 * PAIR, &s2, sizeof s2);
    memcpy(sum + 3 * PAIR, &s3, sizeof s3);
}

/* dots[0..k) of one sparse row. The last tile may overlap the one before,
 * which computes the same exact values again. */
static void sparse_dots(const kith_i_centers *centers,
                        const kith_i_block *block, uint32_t row, double *dots)
{
    uint32_t k = centers->k;
    const uint32_t *index = block->index + block->start[row];
    const int16_t *value = block->value + block->start[row];
    uint32_t count = block->start[row + 1] - block->start[row];
    if (k < TILE) {
        sparse_few(centers->coords, k, index, value, count, dots);
        return;
    }
    for (uint32_t j = 0; j < k; j += TILE) {
        uint32_t at = j + TILE <= k ? j : k - TILE;
        sparse_tile(centers->coords + at, k, index, value, count, dots + at);
    }
}

static void assign_sparse(const kith_i_centers *centers,
                          const kith_i_block *block, double *dots,
                          uint32_t *labels, double *score)
{
    const double *squares = centers->squares;
    for (uint32_t r = 0; r < block->rows; r++) {
        sparse_dots(centers, block, r, dots);
        double best = squares[0] - 2 * dots[0];
        uint32_t label = 0;
        for (uint32_t j = 1; j < centers->k; j++) {
            double s = squares[j] - 2 * dots[j];
            if (s < best) {
                best = s;
                label = j;
            }
        }
        labels[r] = label;
        if (score)
            score[r] = best;
    }
}

/* ---- single precision first ----
 *
 * Rows and centres are exact in floats too; sums of their products are not. In
 * whatever order they are added, |fl(x.c) - x.c| <= g |x| |c| with g = d u / (1
 * - d u), u = 2^-24 (to the nearest: a host with others gets no floats, see
 * kith_i_singles_hold). A centre that wins by more than the errors of two
 * scores is the nearest. For rows that no centre wins so, those that may have
 * are compared exactly. So labels are the same, for half the work. */

KITH_I_WIDE static void narrow(const double *restrict from, size_t count,
                               float *restrict to)
{
    for (size_t i = 0; i < count; i++)
        to[i] = (float)from[i];
}

/* to: the row in floats; returns its length. */
KITH_I_WIDE static double narrow_row(const int16_t *restrict from, size_t d,
                                     float *restrict to)
{
    int64_t square = 0;
    for (size_t i = 0; i < d; i++) {
        to[i] = from[i];
        square += (int32_t)from[i] * from[i];
    }
    return sqrt((double)square);
}

/* As pick_nearest, and by how much the next centre is further. */
KITH_I_WIDE static void pick_likely(const float *dots, const double *squares,
                                    uint32_t k, size_t stride, uint32_t rows,
                                    uint32_t *labels, double *gap)
{
    for (uint32_t r = 0; r < rows; r += LANES) {
        quad best = {HUGE_VAL, HUGE_VAL, HUGE_VAL, HUGE_VAL}, next = best;
        masks label = {0};
        for (uint32_t j = 0; j < k; j++) {
            singles dot;
            memcpy(&dot, dots + j * stride + r, sizeof dot);
            quad s = squares[j] - 2 * __builtin_convertvector(dot, quad);
            masks less = s < best;
            quad loser = (quad)(((masks)best & less) | ((masks)s & ~less));
            best = (quad)(((masks)s & less) | ((masks)best & ~less));
            label = ((int64_t)j & less) | (label & ~less);
            less = loser < next;
            next = (quad)(((masks)loser & less) | ((masks)next & ~less));
        }
        next -= best;
        for (uint32_t t = 0; t < LANES && r + t < rows; t++) {
            labels[r + t] = (uint32_t)label[t];
            gap[r + t] = next[t];
        }
    }
}

/* Products of 15 bits and a sign fit 31. */
KITH_I_WIDE static double exact_dot(const int16_t *x, const double *c, size_t d)
{
    int64_t sum = 0;
    for (size_t i = 0; i < d; i++)
        sum += x[i] * (int32_t)c[i];
    return (double)sum;
}

/* The nearest of the centres whose scores are within error of the likely
 * one's. dots: of this row, a stride apart. */
static uint32_t settle(const kith_i_centers *centers, const int16_t *x,
                       const float *dots, size_t stride, uint32_t likely,
                       double error)
{
    const double *squares = centers->squares;
    double limit = squares[likely] - 2 * (double)dots[likely * stride] + error;
    double best = HUGE_VAL;
    uint32_t label = likely;
    for (uint32_t j = 0; j < centers->k; j++) {
        if (squares[j] - 2 * (double)dots[j * stride] > limit)
            continue;
        size_t d = centers->d;
        double s = squares[j] - 2 * exact_dot(x, centers->coords + j * d, d);
        label = s < best ? j : label;
        best = s < best ? s : best;
    }
    return label;
}

static void assign_likely(const kith_i_centers *centers,
                          const kith_i_block *block, void *scratch,
                          uint32_t *labels)
{
    size_t k = centers->k, d = centers->d;
    uint32_t batch = batch_rows(centers->k, centers->d);
    float *coords = scratch, *dots = coords + k * d;
    float *wide = dots + k * batch_room(block->rows, centers->k, centers->d);
    double error[MOST_BATCH], gap[MOST_BATCH], longest = 0;
    narrow(centers->coords, k * d, coords);
    for (uint32_t j = 0; j < k; j++)
        longest = fmax(longest, centers->squares[j]);
    /* two scores, each with two of these errors; d u < 1/5 (base/domain.h) */
    double unit = 2 * 2 * 1.25 * (double)d * 0x1p-24 * sqrt(longest);
    for (uint32_t r = 0; r < block->rows; r += batch) {
        uint32_t rows = block->rows - r < batch ? block->rows - r : batch;
        uint32_t stride = whole_lanes(rows);
        const int16_t *x = block->dense + r * d;
        for (uint32_t i = 0; i < rows; i++)
            error[i] = unit * narrow_row(x + i * d, d, wide + i * d);
        memset(wide + rows * d, 0, (stride - rows) * d * sizeof *wide);
        kith_i_dot_singles(coords, centers->k, wide, stride, centers->d, dots);
        pick_likely(dots, centers->squares, centers->k, stride, rows,
                    labels + r, gap);
        for (uint32_t i = 0; i < rows; i++)
            if (!(gap[i] > error[i]))
                labels[r + i] = settle(centers, x + i * d, dots + i, stride,
                                       labels[r + i], error[i]);
    }
}

void kith_i_assign_block(const kith_i_centers *centers,
                         const kith_i_block *block, double *scratch,
                         uint32_t *labels, double *score)
{
    if (centers->sparse) {
        assign_sparse(centers, block, scratch, labels, score);
        return;
    }
    uint32_t k = centers->k, d = centers->d, batch = batch_rows(k, d);
    if (!score && (size_t)k * d >= SINGLE_FROM && kith_i_singles_hold()) {
        assign_likely(centers, block, scratch, labels);
        return;
    }
    double *dots = scratch, *wide = dots + k * batch_room(block->rows, k, d);
    for (uint32_t r = 0; r < block->rows; r += batch) {
        uint32_t rows = block->rows - r < batch ? block->rows - r : batch;
        size_t stride =
            dense_dots(centers, block->dense + (size_t)r * d, rows, wide, dots);
        pick_nearest(dots, centers->squares, k, stride, rows, labels + r,
                     score ? score + r : NULL);
    }
}

void kith_i_score_block(const kith_i_centers *centers,
                        const kith_i_block *block, double *scratch,
                        double *scores)
{
    uint32_t k = centers->k;
    const double *squares = centers->squares;
    if (centers->sparse) {
        for (uint32_t r = 0; r < block->rows; r++) {
            sparse_dots(centers, block, r, scratch);
            for (uint32_t j = 0; j < k; j++)
                scores[(size_t)r * k + j] = squares[j] - 2 * scratch[j];
        }
        return;
    }
    uint32_t batch = batch_rows(k, centers->d);
    double *dots = scratch;
    double *wide = dots + k * batch_room(block->rows, k, centers->d);
    for (uint32_t first = 0; first < block->rows; first += batch) {
        uint32_t left = block->rows - first;
        uint32_t rows = left < batch ? left : batch;
        size_t stride =
            dense_dots(centers, block->dense + (size_t)first * centers->d, rows,
                       wide, dots);
        for (uint32_t r = 0; r < rows; r++)
            for (uint32_t j = 0; j < k; j++)
                scores[((size_t)first + r) * k + j] =
                    squares[j] - 2 * dots[j * stride + r];
    }
}

/* The inner loops of the Gibbs sampler: scores of rows for each label, draws of
 * labels, and scatter matrices by label. Loops run over a fixed number of rows,
 * so that compilers turn them into vector code; on x86 a second copy uses the
 * wide registers where the machine has them. */
#include "linear.h"

#include <cblas.h>
#include <string.h>

#include "wide_code.h"

enum { ROWS = KITH_I_LABEL_ROWS };

void kith_i_project_rows(const double *axes, uint32_t count, uint32_t d,
                         const double *rows, uint32_t stride, uint32_t n,
                         double *out)
{
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)count, (int)n,
                (int)d, 1.0, axes, (int)d, rows, (int)stride, 0.0, out, (int)n);
}

/* Copies for wide registers are static: the choice between them would otherwise
 * be a symbol that the library shows. */
KITH_I_WIDE static void score_rows(const double *dots, uint32_t k, uint32_t q,
                                   uint32_t n, double *scores)
{
    for (uint32_t l = 0; l < k; l++) {
        double *score = scores + (size_t)l * ROWS;
        const double *dot = dots + (size_t)l * q * n;
        for (uint32_t r = 0; r < n; r++)
            score[r] = dot[r] * dot[r];
        for (uint32_t j = 1; j < q; j++) {
            dot += n;
            for (uint32_t r = 0; r < n; r++)
                score[r] += dot[r] * dot[r];
        }
        for (uint32_t r = n; r < ROWS; r++)
            score[r] = 0;
    }
}

void kith_i_label_scores(const double *dots, uint32_t k, uint32_t q, uint32_t n,
                         double *scores)
{
    score_rows(dots, k, q, n, scores);
}

typedef int64_t lane_bits __attribute__((vector_size(32)));

/* values[i] = exp(values[i] - top[i]) for differences <= 0, relative error
 * below 1e-13; below -700 it is exp(-700). 2^n by the exponent's bits, the rest
 * by its Taylor series on [-ln 2 / 2, ln 2 / 2]. */
KITH_I_WIDE static void weights_of(double *values, const double *top)
{
    static const double inverse[] = {1.0 / 39916800,
                                     1.0 / 3628800,
                                     1.0 / 362880,
                                     1.0 / 40320,
                                     1.0 / 5040,
                                     1.0 / 720,
                                     1.0 / 120,
                                     1.0 / 24,
                                     1.0 / 6,
                                     .5,
                                     1,
                                     1};
    const double magic = 0x1.8p52, least = -700;
    for (int i = 0; i < ROWS; i += KITH_I_LANES) {
        lanes *at = (lanes *)(values + i);
        lanes x = *at - *(const lanes *)(top + i);
        lane_bits small = x < least;
        lanes floor = {least, least, least, least};
        x = (lanes)(((lane_bits)x & ~small) | ((lane_bits)floor & small));
        lanes shifted = x * 0x1.71547652b82fep0 + magic;
        lanes n = shifted - magic;
        lanes t = x - n * 0x1.62e42fefa39efp-1;
        t -= n * 0x1.abc9e3b39803fp-56;
        lanes p = t * (1.0 / 479001600) + inverse[0];
        for (size_t j = 1; j < sizeof inverse / sizeof *inverse; j++)
            p = p * t + inverse[j];
        *at = p * (lanes)(((lane_bits)shifted + 1023) << 52);
    }
}

KITH_I_WIDE static void raise_top(double *restrict top,
                                  const double *restrict score)
{
    for (int i = 0; i < ROWS; i++)
        top[i] = score[i] > top[i] ? score[i] : top[i];
}

KITH_I_WIDE static void add_up(double *restrict sum,
                               const double *restrict before)
{
    for (int i = 0; i < ROWS; i++)
        sum[i] += before[i];
}

/* low, high: how many of the cumulated weights are passed at both ends of the
 * coin's interval of length 2^-32. */
KITH_I_WIDE static void pass(const double *restrict weight,
                             const double *restrict total,
                             const double *restrict coin, double *restrict low,
                             double *restrict high)
{
    for (int i = 0; i < ROWS; i++) {
        double unit = total[i] * 0x1p-32;
        low[i] += coin[i] * unit >= weight[i] ? 1 : 0;
        high[i] += (coin[i] + 1) * unit > weight[i] ? 1 : 0;
    }
}

void kith_i_label_draw(double *scores, uint32_t k, const uint32_t *coins,
                       uint32_t n, uint32_t *label)
{
    double top[ROWS] __attribute__((aligned(64)));
    double low[ROWS] = {0}, high[ROWS] = {0}, coin[ROWS] = {0};
    memcpy(top, scores, sizeof top);
    for (uint32_t l = 1; l < k; l++)
        raise_top(top, scores + (size_t)l * ROWS);
    for (uint32_t l = 0; l < k; l++)
        weights_of(scores + (size_t)l * ROWS, top);
    for (uint32_t l = 1; l < k; l++)
        add_up(scores + (size_t)l * ROWS, scores + (size_t)(l - 1) * ROWS);
    const double *total = scores + (size_t)(k - 1) * ROWS;
    for (uint32_t r = 0; r < n; r++)
        coin[r] = coins[r];
    for (uint32_t l = 0; l + 1 < k; l++)
        pass(scores + (size_t)l * ROWS, total, coin, low, high);
    for (uint32_t r = 0; r < n; r++)
        label[r] = low[r] == high[r] ? (uint32_t)low[r] : k;
}

uint32_t kith_i_label_finish(const double *weights, uint32_t k, uint32_t row,
                             uint32_t coin, double more)
{
    double at = (coin + more) * 0x1p-32 * weights[(size_t)(k - 1) * ROWS + row];
    uint32_t label = 0;
    while (label + 1 < k && at >= weights[(size_t)label * ROWS + row])
        label++;
    return label;
}

/* sum += sign x x', lower triangle in steps of KITH_I_LANES. */
static inline __attribute__((always_inline)) void
outer(double *sum, const double *x, uint32_t d, uint32_t stride, double sign)
{
    const lanes *columns = (const lanes *)x;
    for (uint32_t i = 0; i < d; i++) {
        lanes *row = (lanes *)(sum + (size_t)i * stride);
        double c = sign * x[i];
        for (uint32_t j = 0; j <= i / KITH_I_LANES; j++)
            row[j] += columns[j] * c;
    }
}

KITH_I_WIDE static void move_rows(const kith_i_strided *rows,
                                  const uint32_t *from, const uint32_t *to,
                                  uint32_t k, double *sums)
{
    uint32_t d = rows->d, stride = rows->stride;
    size_t size = (size_t)d * stride;
    for (uint32_t r = 0; r < rows->n; r++) {
        if (from[r] == to[r])
            continue;
        const double *x = rows->x + (size_t)r * stride;
        if (from[r] < k)
            outer(sums + from[r] * size, x, d, stride, -1);
        if (to[r] < k)
            outer(sums + to[r] * size, x, d, stride, 1);
    }
}

void kith_i_label_move(const kith_i_strided *rows, const uint32_t *from,
                       const uint32_t *to, uint32_t k, double *sums)
{
    move_rows(rows, from, to, k, sums);
}

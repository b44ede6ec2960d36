/* Distances between real-valued rows and the centres of a model.
 *
 * A row's label is the centre with the smallest |x - c|^2 summed directly,
 * without the cancellation of |x|^2 - 2 x.c + |c|^2. The caller computes the
 * latter for all centres, by BLAS where it can, and every centre within its
 * error bound of the best is measured again here. So the bits of a label do
 * not depend on what BLAS did. */
#include "metric.h"

#include <float.h>
#include <math.h>

#include "base/base_i.h"
#include "kernel/kernel_i.h"

double kith_i_metric_units(const kith_i_metric *m, size_t i, double x)
{
    if (!m->low)
        return x;
    return (m->sparse ? x : x - m->low[i]) / (m->high[i] - m->low[i]);
}

/* *high + *low += a * b with about 100 bits. */
static void add_product(double *high, double *low, double a, double b)
{
    double p = a * b, error = fma(a, b, -p);
    double sum = *high + p, part = sum - *high;
    *low += (*high - (sum - part)) + (p - part) + error;
    *high = sum;
}

/* sum (x - c)^2 over all coordinates: d steps. */
static double sparse_walk(const kith_i_metric *m, const kith_i_row_view *x,
                          uint32_t j)
{
    double sum = 0;
    uint32_t t = 0;
    for (size_t i = 0; i < m->d; i++) {
        double v = t < x->count && x->index[t] == i ? x->value[t++] : 0;
        double e = v - m->coords[i * m->k + j];
        sum += e * e;
    }
    return sum;
}

/* |c|^2 + |x|^2 - 2 x.c over the non-zeros of x, with twice the digits. Rows
 * that all but sit on the centre lose even those and are walked along. */
static double sparse_distance(const kith_i_metric *m, const kith_i_row_view *x,
                              uint32_t j)
{
    double high = m->squares[j], low = m->rests[j], all = high;
    for (uint32_t t = 0; t < x->count; t++) {
        double v = x->value[t];
        all += v * v;
        add_product(&high, &low, v, v);
        add_product(&high, &low, -2 * v,
                    m->coords[(size_t)x->index[t] * m->k + j]);
    }
    double s = high + low;
    return s > 0x1p-40 * all ? s : sparse_walk(m, x, j);
}

static double row_distance(const kith_i_metric *m, const kith_i_row_view *x,
                           uint32_t j)
{
    if (m->sparse)
        return sparse_distance(m, x, j);
    return kith_i_distance_squared(x->value, m->coords + (size_t)j * m->d,
                                   m->d);
}

/* The nearest centre; scores: |c|^2 - 2 x.c as computed. The error of a score
 * and of a direct sum is at most about d eps (|x|^2 + |c|^2) each; four times
 * that is let through. A score that is not a number is let through too. */
uint32_t kith_i_metric_nearest(const kith_i_metric *m, const kith_i_row_view *x,
                               const double *scores, double *squared)
{
    double norm = 0, least = HUGE_VAL;
    for (uint32_t t = 0; t < x->count; t++)
        norm += x->value[t] * x->value[t];
    for (uint32_t j = 0; j < m->k; j++)
        least = scores[j] < least ? scores[j] : least;
    double slack = 4 * DBL_EPSILON * (x->count + 8.0) * (norm + m->largest);
    uint32_t label = 0;
    *squared = HUGE_VAL;
    for (uint32_t j = 0; j < m->k; j++) {
        if (scores[j] > least + slack)
            continue;
        double s = row_distance(m, x, j);
        if (s < *squared) {
            *squared = s;
            label = j;
        }
    }
    return label;
}

void kith_i_metric_free(kith_i_metric *m)
{
    kith_i_free(m->coords);
    kith_i_free(m->squares);
    kith_i_free(m->rests);
}

kith_status kith_i_metric_init(kith_i_metric *m, const kith_model_view *model,
                               int sparse, kith_error *err)
{
    size_t k = model->clusters, d = model->dimension;
    *m = (kith_i_metric){.k = model->clusters,
                         .d = model->dimension,
                         .sparse = sparse,
                         .low = model->lower,
                         .high = model->upper};
    m->coords = kith_i_alloc(k * d, sizeof *m->coords);
    m->squares = kith_i_alloc(k, sizeof *m->squares);
    m->rests = kith_i_alloc(k, sizeof *m->rests);
    if (!m->coords || !m->squares || !m->rests)
        return kith_i_fail_memory(err);
    for (size_t j = 0; j < k; j++) {
        for (size_t i = 0; i < d; i++) {
            double c = kith_i_metric_units(m, i, model->centers[j * d + i]);
            m->coords[sparse ? i * k + j : j * d + i] = c;
            add_product(&m->squares[j], &m->rests[j], c, c);
        }
        m->largest = fmax(m->largest, m->squares[j]);
    }
    return KITH_OK;
}

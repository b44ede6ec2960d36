/* Distances between rows and planes; see plane_metric.h.
 *
 * |x|^2 - |U'x|^2 loses digits when x lies close to the plane, and BLAS may
 * round it differently in another batch. So it only chooses which planes are
 * near enough to be measured: those are, by |x - U U'x|^2 in a fixed order. */
#include "plane_metric.h"

#include <float.h>
#include <math.h>

#include "base/pool.h"
#include "kernel/dense.h"
#include "kernel/kernel_i.h"
#include "kernel/vectors.h"

#define NOT_ORTHONORMAL 1e-6 /* larger errors of U'U are refused */

static int is_orthonormal(const double *axes, uint32_t q, size_t d)
{
    for (size_t i = 0; i < q; i++)
        for (size_t j = 0; j <= i; j++) {
            double want = i == j ? 1 : 0;
            double is = kith_i_dot(axes + i * d, axes + j * d, d);
            if (!(fabs(is - want) <= NOT_ORTHONORMAL))
                return 0;
        }
    return 1;
}

kith_status kith_i_plane_metric_init(kith_i_plane_metric *m,
                                     const kith_model_view *model,
                                     kith_error *err)
{
    size_t k = model->clusters, d = model->dimension;
    size_t q = model->subspace_dimension;
    *m = (kith_i_plane_metric){.k = model->clusters,
                               .d = model->dimension,
                               .q = model->subspace_dimension,
                               .unit_rows = model->unit_rows};
    if (k == 0 || d == 0 || q == 0 || q > d || k * q > UINT32_MAX)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "a model of planes needs at least one, and of a "
                           "dimension from 1 to that of the rows");
    m->axes = kith_i_alloc(k * q * d, sizeof *m->axes);
    if (!m->axes)
        return kith_i_fail_memory(err);
    for (size_t l = 0; l < k; l++)
        for (size_t i = 0; i < d; i++)
            for (size_t j = 0; j < q; j++)
                m->axes[(l * q + j) * d + i] =
                    model->bases[(l * d + i) * q + j];
    for (size_t l = 0; l < k; l++)
        if (!is_orthonormal(m->axes + l * q * d, m->q, d))
            return kith_i_fail(err, KITH_ERR_ARGUMENT,
                               "the model's bases must have orthonormal "
                               "columns");
    return KITH_OK;
}

void kith_i_plane_metric_free(kith_i_plane_metric *m)
{
    kith_i_free(m->axes);
}

size_t kith_i_plane_scratch(const kith_i_plane_metric *m, uint32_t rows)
{
    size_t planes = (size_t)m->k * m->q;
    return rows * (planes + (size_t)m->d) + m->k + m->d;
}

/* |x - U U'x|^2, rest: d doubles. */
static double measure(const kith_i_plane_metric *m, const double *x, uint32_t l,
                      double *rest)
{
    size_t d = m->d;
    const double *axes = m->axes + (size_t)l * m->q * d;
    for (size_t i = 0; i < d; i++)
        rest[i] = x[i];
    for (uint32_t j = 0; j < m->q; j++) {
        const double *axis = axes + j * d;
        double c = kith_i_dot(x, axis, d);
        for (size_t i = 0; i < d; i++)
            rest[i] -= c * axis[i];
    }
    return kith_i_dot(rest, rest, d);
}

/* products: q of each plane, in ordinary arithmetic. Their squares are off by
 * about d eps |x|^2; four times that is let through. */
static uint32_t nearest(const kith_i_plane_metric *m, const double *x,
                        const double *products, double *inside, double *rest,
                        double *squared)
{
    double most = 0, slack = 0;
    for (uint32_t l = 0; l < m->k; l++) {
        inside[l] = kith_i_dot(products + (size_t)l * m->q,
                               products + (size_t)l * m->q, m->q);
        most = inside[l] > most ? inside[l] : most;
    }
    slack = 8 * DBL_EPSILON * (m->d + 8.0) * m->q * kith_i_dot(x, x, m->d);
    uint32_t label = 0;
    *squared = HUGE_VAL;
    for (uint32_t l = 0; l < m->k; l++) {
        if (inside[l] < most - slack)
            continue;
        double s = measure(m, x, l, rest);
        if (s < *squared) {
            *squared = s;
            label = l;
        }
    }
    return label;
}

/* Length 1; a zero row stays as it is. Scaled by the largest entry first, so
 * that no square overflows. */
static void scale_row(const double *x, size_t d, double *out)
{
    double largest = 0;
    for (size_t i = 0; i < d; i++)
        largest = fmax(largest, fabs(x[i]));
    for (size_t i = 0; i < d; i++)
        out[i] = largest > 0 ? x[i] / largest : 0;
    double length = sqrt(kith_i_dot(out, out, d));
    for (size_t i = 0; largest > 0 && i < d; i++)
        out[i] /= length;
}

void kith_i_plane_nearest(const kith_i_plane_metric *m, const double *rows,
                          uint32_t count, double *scratch, uint32_t *labels,
                          double *squared)
{
    size_t d = m->d, planes = (size_t)m->k * m->q;
    double *scaled = scratch, *products = scaled + count * d;
    double *inside = products + count * planes, *rest = inside + m->k;
    const double *x = rows;
    if (m->unit_rows) {
        for (size_t r = 0; r < count; r++)
            scale_row(rows + r * d, d, scaled + r * d);
        x = scaled;
    }
    kith_i_multiply(KITH_I_FLIP_B, count, (uint32_t)planes, m->d, x, m->axes,
                    products);
    for (size_t r = 0; r < count; r++)
        labels[r] = nearest(m, x + r * d, products + r * planes, inside, rest,
                            &squared[r]);
}

/* ---- sets of planes ---- */

/* |sin Theta|_F^2 = |V - U U'V|_F^2: without the cancellation of
 * q - |U'V|_F^2. */
static double turn(const kith_i_plane_metric *a, uint32_t i,
                   const kith_i_plane_metric *b, uint32_t j, double *rest)
{
    double sum = 0;
    for (uint32_t t = 0; t < b->q; t++)
        sum += measure(a, b->axes + ((size_t)j * b->q + t) * b->d, i, rest);
    return sum;
}

static kith_status match_planes(const kith_i_plane_metric *a,
                                const kith_i_plane_metric *b, double *out,
                                kith_error *err)
{
    size_t k = a->k;
    kith_i_pool pool = {0};
    double *cost = kith_i_pool_reals(&pool, k * k);
    double *work = kith_i_pool_reals(&pool, 3 * (k + 1));
    double *rest = kith_i_pool_reals(&pool, a->d);
    uint32_t *integers = kith_i_pool_take(&pool, 3 * (k + 1), sizeof *integers);
    uint32_t *match = kith_i_pool_take(&pool, k, sizeof *match);
    kith_status status = pool.failed ? kith_i_fail_memory(err) : KITH_OK;
    if (!status) {
        for (uint32_t i = 0; i < k; i++)
            for (uint32_t j = 0; j < k; j++)
                cost[i * k + j] = turn(a, i, b, j, rest);
        *out = sqrt(kith_i_match(cost, a->k, work, integers, match));
    }
    kith_i_pool_drop(&pool, 0);
    return status;
}

kith_status kith_plane_distance(const kith_model_view *a,
                                const kith_model_view *b, double *out,
                                kith_error *err)
{
    if (!a || !b || !out || !a->bases || !b->bases)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "two models of planes are needed");
    if (a->clusters != b->clusters || a->dimension != b->dimension ||
        a->subspace_dimension != b->subspace_dimension)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "the two models must have as many planes, of the "
                           "same dimension, in the same space");
    kith_i_plane_metric x = {0}, y = {0};
    kith_status status = kith_i_plane_metric_init(&x, a, err);
    if (!status)
        status = kith_i_plane_metric_init(&y, b, err);
    if (!status && x.axes && y.axes)
        status = match_planes(&x, &y, out, err);
    kith_i_plane_metric_free(&x);
    kith_i_plane_metric_free(&y);
    return status;
}

/* What the shape of a result tells: planes that are the same, centres that lie
 * on a bound. From released and public values. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base_i.h"
#include "result_i.h"

/* The shadow of a fixed vector on each plane tells planes apart, whatever bases
 * they are given by: a plane moves it unless it is the same plane. */
static void cast_shadow(const kith_result *r, size_t l, double *out)
{
    size_t d = r->d, q = r->q;
    const double *basis = r->bases + l * d * q;
    memset(out, 0, (d + 1) * sizeof *out);
    for (size_t j = 0; j < q; j++) {
        double dot = 0;
        for (size_t i = 0; i < d; i++)
            dot += basis[i * q + j] * (1 + fmod((double)(i + 1) * 0.618034, 1));
        for (size_t i = 0; i < d; i++)
            out[1 + i] += dot * basis[i * q + j];
        out[0] += dot * dot; /* its length, to sort by */
    }
}

static int compare_length(const void *a, const void *b)
{
    double x = **(double *const *)a, y = **(double *const *)b;
    return (x > y) - (x < y);
}

kith_status kith_i_result_count_planes(kith_result *result, kith_error *err)
{
    size_t k = result->k, width = (size_t)result->d + 1;
    double *shadows = kith_i_alloc(k * width, sizeof *shadows);
    double **order = kith_i_alloc(k, sizeof *order);
    kith_status status = shadows && order ? KITH_OK : kith_i_fail_memory(err);
    for (size_t l = 0; !status && l < k; l++) {
        order[l] = shadows + l * width;
        cast_shadow(result, l, order[l]);
    }
    if (!status)
        qsort(order, k, sizeof *order, compare_length);
    result->distinct = !status && k > 0;
    for (size_t l = 1; !status && l < k; l++) {
        double apart = 0;
        for (size_t i = 1; i < width; i++)
            apart += pow(order[l][i] - order[l - 1][i], 2);
        /* well above rounding, far below what anybody would call a plane */
        result->distinct += apart > 1e-12 * fmax(order[l][0], 1e-300);
    }
    kith_i_free(shadows);
    kith_i_free(order);
    return status;
}

/* Where all centres lie on one bound, within what noise explains. A bound of 0
 * (of the caller's units) is where many honest features are. */
static kith_status find_on_bound(kith_result *result, const kith_i_domain *m,
                                 kith_error *err)
{
    size_t d = result->d, k = result->k;
    if (!m->low || k == 0)
        return KITH_OK;
    result->on_bound = kith_i_alloc(d, 1);
    if (!result->on_bound)
        return kith_i_fail_memory(err);
    double noise = result->noise > 0 ? result->noise / sqrt((double)d) : 0;
    for (size_t i = 0; i < d; i++) {
        double stretch = m->stretch ? m->stretch[i] : 1;
        double shift = m->shift ? m->shift[i] : 0;
        double low = m->low[i] / stretch + shift;
        double high = m->high[i] / stretch + shift;
        double near =
            fmin(.005 * (high - low) + noise / stretch, .02 * (high - low));
        size_t on_low = 0, on_high = 0;
        for (size_t j = 0; j < k; j++) {
            on_low += result->centers[j * d + i] <= low + near;
            on_high += result->centers[j * d + i] >= high - near;
        }
        result->on_bound[i] =
            (on_low == k && low != 0) || (on_high == k && high != 0);
    }
    return KITH_OK;
}

static kith_status keep_stretch(kith_result *result, const kith_i_domain *m,
                                kith_error *err)
{
    if (!m->stretch)
        return KITH_OK;
    result->stretch = kith_i_alloc(result->d, sizeof *result->stretch);
    if (!result->stretch)
        return kith_i_fail_memory(err);
    memcpy(result->stretch, m->stretch, result->d * sizeof *result->stretch);
    return KITH_OK;
}

kith_status kith_i_result_find_bounds(kith_result *result,
                                      const kith_i_domain *domain,
                                      kith_error *err)
{
    kith_status status = keep_stretch(result, domain, err);
    return status ? status : find_on_bound(result, domain, err);
}

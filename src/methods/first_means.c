/* First means in all dimensions. The measured offsets of the anchors are a
 * count x d matrix of rank below the number of clusters, plus noise: what
 * stands above the noise's singular values is kept almost whole, the rest is
 * shrunk. */
#include "refine_means.h"

#include <math.h>
#include <string.h>

enum { RESTARTS = 20 };

typedef struct {
    double *gram, *vectors, *values, *work, *signal;
    int *integers;
} room;

static kith_status take_room(kith_i_local_run *run, uint32_t n, uint32_t d,
                             room *r, kith_error *err)
{
    r->gram = kith_i_local_numbers(run, n, n);
    r->vectors = kith_i_local_numbers(run, n, n);
    r->values = kith_i_local_numbers(run, n, 1);
    r->work = kith_i_local_numbers(run, kith_i_eigen_work(n), 1);
    r->integers = kith_i_local_take(run, kith_i_eigen_integers(n), sizeof(int));
    r->signal = kith_i_local_numbers(run, n, d);
    if (r->gram && r->vectors && r->values && r->work && r->integers &&
        r->signal)
        return KITH_OK;
    return kith_i_fail_memory(err);
}

/* signal := projection of the moves on their leading right singular vectors,
 * after each row is divided by its noise. Returns how many there are. With
 * W = U S V', the rows of W projected on V_r are U_r U_r' W. */
static uint32_t project(const kith_i_local_model *m, const room *r)
{
    size_t n = m->count, d = m->d;
    double edge = (sqrt((double)n) + sqrt((double)d)) / 2 +
                  pow((double)n * (double)d, 0.25) / 2;
    edge *= kith_i_recipe.low_rank;
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < n; b++) {
            double dot = 0;
            for (size_t i = 0; i < d; i++)
                dot += m->move[a * d + i] * m->move[b * d + i];
            r->gram[a * n + b] = dot / (m->sd[a] * m->sd[b]);
        }
    if (kith_i_eigen_top(r->gram, m->count, m->count, r->work, r->integers,
                         r->values, r->vectors))
        return 0;
    uint32_t rank = 0;
    while (rank < n && rank < d && r->values[rank] > edge * edge)
        rank++;
    memset(r->signal, 0, n * d * sizeof *r->signal);
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < n; b++) {
            double share = 0;
            for (size_t t = 0; t < rank; t++)
                share += r->vectors[t * n + a] * r->vectors[t * n + b];
            share *= m->sd[a] / m->sd[b];
            for (size_t i = 0; i < d; i++)
                r->signal[a * d + i] += share * m->move[b * d + i];
        }
    return rank;
}

kith_status kith_i_first_step(kith_i_local_run *run, kith_i_local_model *m,
                              kith_error *err)
{
    size_t n = m->count, d = m->d;
    for (size_t j = 0; j < n; j++)
        if (!(m->sd[j] > 0) || !isfinite(m->sd[j])) {
            kith_i_refine_step(m); /* no noise, or nobody answered */
            return KITH_OK;
        }
    room r;
    kith_status status = take_room(run, m->count, m->d, &r, err);
    if (status)
        return status;
    uint32_t rank = project(m, &r);
    double in = (double)rank, out = (double)d - in;
    for (size_t i = 0; i < n * d; i++)
        m->move[i] -= r.signal[i];
    double kept = kith_i_refine_pool(r.signal, m->sd, m->count, m->d, in);
    double rest = kith_i_refine_pool(m->move, m->sd, m->count, m->d, out);
    for (size_t j = 0; j < n; j++) {
        double v = m->sd[j] * m->sd[j];
        double a = kept / (kept + v), b = rest / (rest + v);
        for (size_t i = 0; i < d; i++)
            m->center[j * d + i] +=
                a * r.signal[j * d + i] + b * m->move[j * d + i];
        m->var[j] = v * fmax(kith_i_recipe.least_noise,
                             (in * a + out * b) / (double)d) +
                    m->bias[j] * m->bias[j] / 4 / (double)d;
    }
    return KITH_OK;
}

kith_status kith_i_first_merge(kith_i_local_run *run,
                               const kith_i_local_model *from, uint32_t k,
                               kith_i_local_model *to, kith_error *err)
{
    kith_status status = kith_i_model_new(run, k, to, err);
    uint32_t *labels = kith_i_local_take(run, from->count, sizeof *labels);
    if (status)
        return status;
    if (!labels)
        return kith_i_fail_memory(err);
    kith_i_points anchors = {from->center, from->raw, from->count, from->d};
    kith_i_solution solved = {.centers = to->center, .labels = labels};
    status = kith_i_local_solve(run, &anchors, k, RESTARTS, &solved, err);
    if (status)
        return status;
    to->count = solved.found;
    memset(to->raw, 0, k * sizeof *to->raw);
    for (uint32_t i = 0; i < from->count; i++) {
        uint32_t j = labels[i];
        if (j == UINT32_MAX)
            continue;
        double w = from->raw[i];
        to->raw[j] += w;
        to->var[j] += w * w * from->var[i];
        to->raw_var[j] += from->raw_var[i];
    }
    for (uint32_t j = 0; j < to->count; j++)
        to->var[j] /= to->raw[j] * to->raw[j];
    return KITH_OK;
}

/* Split and merge. A cluster whose users vary mostly along one line is two
 * clusters; it is split when that gains more than merging the two closest
 * others loses. A centre that hardly anybody is near to, a false cell of the
 * tree, is given up first: it goes to a cluster that is wider than the others,
 * even if the moments' noise hides along which line. */
#include "refine_means.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

kith_i_question kith_i_split_question(const kith_i_local_run *run,
                                      const kith_i_local_model *model,
                                      double share)
{
    kith_i_question q = kith_i_refine_question(run, model, share);
    q.what = "second moment about the nearest centre";
    q.report = KITH_I_REPORT_MOMENT;
    return q;
}

static int compare_down(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? 1 : x > y ? -1 : 0;
}

/* S_j: the moment about the new centre. Excess of its top eigenvalue over the
 * others, without the noise; direction: d. */
typedef struct {
    double *matrix, *values, *vectors, *work;
    int *integers;
} room;

static double excess(const kith_i_local_model *m, uint32_t j, const double *old,
                     const kith_i_answer *moments, const room *r,
                     double *direction)
{
    size_t d = m->d;
    double scale = m->radius[j] * m->radius[j] / m->share[j];
    const double *sums = moments->sums + j * d * d;
    for (size_t a = 0; a < d; a++)
        for (size_t b = 0; b < d; b++)
            r->matrix[a * d + b] =
                scale * (sums[a * d + b] +
                         (a == b ? m->share[j] / (double)(d + 1) : 0)) -
                (m->center[j * d + a] - old[j * d + a]) *
                    (m->center[j * d + b] - old[j * d + b]);
    if (kith_i_eigen_top(r->matrix, m->d, m->d, r->work, r->integers, r->values,
                         r->vectors))
        return 0;
    memcpy(direction, r->vectors, d * sizeof *direction);
    double half = d % 2 ? r->values[d / 2]
                        : (r->values[d / 2] + r->values[d / 2 - 1]) / 2;
    double noise = scale * moments->noise;
    return kith_i_debias(r->values[0] - fmax(0, half), 0.75 * noise * noise,
                         (double)d);
}

/* What is left of a centre's share in doubt. */
static double sure(const kith_i_local_model *m, uint32_t j)
{
    return fmax(0, m->raw[j] - kith_i_recipe.doubt * sqrt(m->raw_var[j]));
}

/* The pair whose merging costs least (Ward), without the marked ones. */
static double cheapest_pair(const kith_i_local_model *m, const uint8_t *fixed,
                            uint32_t not_this, uint32_t *p, uint32_t *q)
{
    double best = HUGE_VAL;
    size_t d = m->d;
    for (uint32_t a = 0; a < m->count; a++)
        for (uint32_t b = a + 1; b < m->count; b++) {
            if (a == not_this || b == not_this || fixed[a] || fixed[b])
                continue;
            double one = sure(m, a), two = sure(m, b), sum = one + two;
            double w = sum > 0 ? one * two / sum : 0;
            double cost = w * kith_i_distance_squared(m->center + a * d,
                                                      m->center + b * d, d);
            if (cost < best) {
                best = cost;
                *p = a;
                *q = b;
            }
        }
    return best;
}

/* p := p and q together; q's place is free then. */
static void merge(kith_i_local_model *m, uint32_t p, uint32_t q)
{
    size_t d = m->d;
    double sum = m->raw[p] + m->raw[q];
    double a = sum > 0 ? m->raw[p] / sum : 0.5, b = 1 - a;
    for (size_t i = 0; i < d; i++)
        m->center[p * d + i] =
            a * m->center[p * d + i] + b * m->center[q * d + i];
    m->var[p] = a * a * m->var[p] + b * b * m->var[q];
    m->raw[p] = sum;
    m->raw_var[p] += m->raw_var[q];
}

static void split(kith_i_local_model *m, uint32_t j, uint32_t to, double along,
                  const double *direction)
{
    size_t d = m->d;
    for (size_t i = 0; i < d; i++) {
        double step = sqrt(along) * direction[i], c = m->center[j * d + i];
        m->center[j * d + i] = c + step;
        m->center[to * d + i] = c - step;
    }
    m->raw[j] /= 2;
    m->raw[to] = m->raw[j];
    /* How the two parts share it is not known: uniform. */
    m->raw_var[j] = m->raw_var[j] / 4 + m->raw[j] * m->raw[j] / 3;
    m->raw_var[to] = m->raw_var[j];
    m->var[j] += along / (double)d;
    m->var[to] = m->var[j];
}

static kith_status take_room(kith_i_local_run *run, uint32_t d, room *r,
                             kith_error *err)
{
    r->matrix = kith_i_local_numbers(run, d, d);
    r->vectors = kith_i_local_numbers(run, d, d);
    r->values = kith_i_local_numbers(run, d, 1);
    r->work = kith_i_local_numbers(run, kith_i_eigen_work(d), 1);
    r->integers = kith_i_local_take(run, kith_i_eigen_integers(d), sizeof(int));
    if (r->matrix && r->vectors && r->values && r->work && r->integers)
        return KITH_OK;
    return kith_i_fail_memory(err);
}

/* What is known of each cluster, for a split. */
typedef struct {
    double *along, *gain, *order;
    double *direction; /* count x d */
    uint8_t *fixed;    /* k: is not touched again */
} splits;

/* Mean squared distances without what the centres have moved, and the middle
 * of them. */
static double widths(const kith_i_local_model *m, double *order, double *wide)
{
    double d = m->d;
    for (uint32_t j = 0; j < m->count; j++) {
        double moved = kith_i_norm_squared(m->move + (size_t)j * m->d, m->d);
        moved = fmax(0, moved - d * m->sd[j] * m->sd[j]);
        order[j] = wide[j] = fmax(0, m->spread[j] - moved);
    }
    qsort(order, m->count, sizeof *order, compare_down);
    return order[m->count / 2];
}

/* Squared distance to the nearest other centre. */
static double nearest_other(const kith_i_local_model *m, uint32_t g)
{
    double near = HUGE_VAL;
    size_t d = m->d;
    for (uint32_t j = 0; j < m->count; j++)
        if (j != g)
            near = fmin(near, kith_i_distance_squared(m->center + j * d,
                                                      m->center + g * d, d));
    return near;
}

/* Centres that may have nobody go where users are far from their centre. A
 * wrong line costs little then. */
static void move_ghosts(kith_i_local_model *m, splits *s, double *wide)
{
    double middle = widths(m, s->order, wide);
    for (uint32_t g = 0; g < m->count; g++) {
        if (s->fixed[g] ||
            m->raw[g] > kith_i_recipe.ghost * sqrt(m->raw_var[g]))
            continue;
        double most = m->raw[g] * nearest_other(m, g), along = 0;
        uint32_t from = m->count;
        for (uint32_t j = 0; j < m->count; j++) {
            double hidden =
                kith_i_recipe.hidden * (wide[j] - kith_i_recipe.wide * middle);
            double likely = fmax(s->along[j], hidden);
            if (j == g || s->fixed[j] || !(m->raw[j] * likely > most))
                continue;
            most = m->raw[j] * likely;
            along = likely;
            from = j;
        }
        if (from == m->count)
            continue;
        m->raw[from] += m->raw[g]; /* shares still sum to 1 */
        m->raw_var[from] += m->raw_var[g];
        split(m, from, g, along, s->direction + (size_t)from * m->d);
        s->fixed[from] = s->fixed[g] = 1;
    }
}

/* Split where the moments show two, if that is worth two others' place. */
static void split_long(kith_i_local_model *m, splits *s, uint32_t n, uint32_t k)
{
    for (uint32_t j = 0; j < n; j++)
        s->order[j] = s->gain[j] = s->fixed[j] ? 0 : m->raw[j] * s->along[j];
    qsort(s->order, n, sizeof *s->order, compare_down);
    uint32_t tries = k / 2 > 1 ? k / 2 : 1;
    for (uint32_t t = 0; t < tries && t < n && s->order[t] > 0; t++) {
        uint32_t j = 0, p = 0, q = 0;
        while (j < n && s->gain[j] != s->order[t])
            j++;
        if (j == n || s->fixed[j])
            continue;
        uint32_t to = m->count;
        if (m->count >= k) {
            if (!(cheapest_pair(m, s->fixed, j, &p, &q) < s->gain[j]))
                continue;
            merge(m, p, q);
            s->fixed[p] = 1; /* its moment is about two centres no more */
            to = q;
        } else {
            m->count++;
        }
        split(m, j, to, s->along[j], s->direction + (size_t)j * m->d);
        s->fixed[j] = s->fixed[to] = 1;
    }
}

kith_status kith_i_split_apply(kith_i_local_run *run, kith_i_local_model *m,
                               const double *old, const kith_i_answer *moments,
                               uint32_t k, kith_error *err)
{
    uint32_t n = m->count, d = m->d;
    room r;
    splits s = {.along = kith_i_local_numbers(run, n, 1),
                .gain = kith_i_local_numbers(run, n, 1),
                .order = kith_i_local_numbers(run, n, 1),
                .direction = kith_i_local_numbers(run, n, d),
                .fixed = kith_i_local_take(run, k, 1)};
    kith_status status = take_room(run, d, &r, err);
    if (status)
        return status;
    if (!s.along || !s.gain || !s.order || !s.direction || !s.fixed)
        return kith_i_fail_memory(err);
    if (moments->received == 0 || !isfinite(moments->noise))
        return KITH_OK;
    for (uint32_t j = 0; j < n; j++)
        s.along[j] =
            excess(m, j, old, moments, &r, s.direction + (size_t)j * d);
    if (n >= k && n > 1) /* else a split needs nobody's place */
        move_ghosts(m, &s, s.gain);
    split_long(m, &s, n, k);
    return KITH_OK;
}

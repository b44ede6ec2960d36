/* Non-private k-means over a dataset, for comparison: greedy k-means++ and
 * Lloyd to convergence, best of several starts. NOT private: it looks at the
 * rows without the gate.
 *
 * Distances are exact integers on the lattice and so are their sums, so a
 * seed gives the same result for every number of threads. */
#include <string.h>

#include "data/fold.h"
#include "kith/plain.h"
#include "plain_i.h"

static void visit_lloyd(void *arg, uint32_t worker, uint64_t first,
                        const kith_i_block *block)
{
    kith_i_plain_run *s = arg;
    kith_i_plain_worker *w = &s->worker[worker];
    kith_i_assign_block(&s->centers, block, w->scratch, w->labels, w->score);
    kith_i_accumulate_rows(block, w->labels, s->k, w->sums, w->counts);
    for (uint32_t r = 0; r < block->rows; r++) {
        uint64_t at = first + r;
        s->near[0][at] = kith_i_plain_distance(s->norm[at], w->score[r]);
        w->totals[0] += s->near[0][at];
    }
}

/* Centres without rows go to the rows that are farthest from any centre, the
 * first of equals; they stay if every row sits on a centre. */
static void move_empty(kith_i_plain_run *s)
{
    uint64_t *near = s->near[0];
    uint32_t count = 0;
    for (uint32_t j = 0; j < s->k; j++) {
        uint64_t far = 0;
        if (s->counts[j] > 0)
            continue;
        for (uint64_t i = 1; i < s->n; i++)
            far = near[i] > near[far] ? i : far;
        if (s->n == 0 || near[far] == 0)
            break;
        near[far] = 0;
        s->wanted[count++] = far;
    }
    if (count == 0)
        return;
    kith_i_plain_fetch(s, count);
    for (uint32_t j = 0, c = 0; j < s->k && c < count; j++)
        if (s->counts[j] == 0)
            memcpy(s->real + (size_t)j * s->d, s->fetched + (size_t)c++ * s->d,
                   s->d * sizeof *s->real);
}

int kith_i_plain_round(kith_i_plain_run *s, kith_i_u128 *cost)
{
    size_t d = s->d, coords = s->k * d;
    memcpy(s->previous, s->centers.coords, coords * sizeof *s->previous);
    kith_i_fold(s->data, s->workers, visit_lloyd, s);
    *cost = kith_i_plain_merge(s);
    for (uint32_t j = 0; j < s->k; j++)
        for (size_t i = 0; s->counts[j] > 0 && i < d; i++)
            s->real[j * d + i] =
                (double)s->sums[j * d + i] / (double)s->counts[j];
    move_empty(s);
    kith_i_centers_set(&s->centers, s->real);
    return memcmp(s->previous, s->centers.coords,
                  coords * sizeof *s->previous) != 0;
}

static int lloyd(kith_i_plain_run *s, void *arg, uint32_t number, int last,
                 kith_i_u128 *cost)
{
    (void)arg;
    (void)number;
    (void)last;
    return kith_i_plain_round(s, cost);
}

kith_status kith_plain_kmeans(const kith_dataset *data,
                              const kith_plain_options *options,
                              kith_result **out, kith_error *err)
{
    kith_i_plain_method method = {.round = lloyd};
    return kith_i_plain_cluster(data, options, &method, out, err);
}

/* Optimal assignment in O(k^3): the Hungarian method of Kuhn and Munkres with
 * potentials, one shortest augmenting path a row.
 *
 * Claim: the least sum, exactly, where costs are integers >= 0 and k times the
 *   largest is below 2^53 (release_blocks.c needs that: its answers are not
 *   released).
 * Because: potentials are sums and differences of costs. With each row one
 *   moves by no more than the least sum grows, so it stays below k times the
 *   largest cost: integers that do not round. */
#include <math.h>

#include "dense.h"

typedef struct {
    const double *cost;
    uint32_t k;
    double *row, *column; /* potentials; index 0 stands for "none"       */
    double *slack;        /* of each column, from the rows on the path   */
    uint32_t *owner;      /* row (from 1) that has this column, or 0     */
    uint32_t *before;     /* column before this one on the path          */
    uint32_t *used;
} matching;

/* One step of Dijkstra from column at: the next column, potentials moved. */
static uint32_t next_column(matching *m, uint32_t at)
{
    uint32_t i = m->owner[at], next = 0;
    double least = HUGE_VAL;
    m->used[at] = 1;
    for (uint32_t j = 1; j <= m->k; j++) {
        if (m->used[j])
            continue;
        double reduced =
            m->cost[(size_t)(i - 1) * m->k + j - 1] - m->row[i] - m->column[j];
        if (reduced < m->slack[j]) {
            m->slack[j] = reduced;
            m->before[j] = at;
        }
        if (next == 0 || m->slack[j] < least) {
            least = m->slack[j];
            next = j;
        }
    }
    for (uint32_t j = 0; j <= m->k; j++)
        if (m->used[j]) {
            m->row[m->owner[j]] += least;
            m->column[j] -= least;
        } else {
            m->slack[j] -= least;
        }
    return next;
}

double kith_i_match(const double *cost, uint32_t k, double *work,
                    uint32_t *integers, uint32_t *match)
{
    size_t w = (size_t)k + 1;
    matching m = {cost,         k,        work,         work + w,
                  work + 2 * w, integers, integers + w, integers + 2 * w};
    for (size_t j = 0; j < w; j++) {
        m.row[j] = m.column[j] = 0;
        m.owner[j] = 0;
    }
    for (uint32_t i = 1; i <= k; i++) {
        for (size_t j = 0; j < w; j++) {
            m.slack[j] = HUGE_VAL;
            m.used[j] = 0;
            m.before[j] = 0;
        }
        uint32_t at = 0;
        m.owner[0] = i;
        do
            at = next_column(&m, at);
        while (m.owner[at] != 0);
        for (; at != 0; at = m.before[at])
            m.owner[at] = m.owner[m.before[at]];
    }
    double sum = 0;
    for (uint32_t j = 1; j <= k; j++)
        match[m.owner[j] - 1] = j - 1;
    for (uint32_t i = 0; i < k; i++)
        sum += cost[(size_t)i * k + match[i]];
    return sum;
}

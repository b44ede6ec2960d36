/* Greedy k-means++ over the rows of a dataset (Arthur, Vassilvitskii 2007),
 * with exact D^2 weights: integers all the way, so the draws do not depend on
 * the number of threads. */
#include "plain_i.h"

#include <string.h>

#include "data/fold.h"

/* What near[] and the cost would be with each candidate as a new centre. */
static void visit_candidates(void *arg, uint32_t worker, uint64_t first,
                             const kith_i_block *block)
{
    kith_i_plain_run *s = arg;
    kith_i_plain_worker *w = &s->worker[worker];
    uint32_t count = s->centers.k;
    kith_i_score_block(&s->centers, block, w->scratch, w->score);
    for (uint32_t r = 0; r < block->rows; r++)
        for (uint32_t c = 0; c < count; c++) {
            uint64_t at = first + r;
            uint64_t with = kith_i_plain_distance(
                s->norm[at], w->score[(size_t)r * count + c]);
            if (with > s->near[0][at])
                with = s->near[0][at];
            s->near[c + 1][at] = with;
            w->totals[c] += with;
        }
}

/* Uniform below limit > 0. */
static kith_i_u128 coins_below_wide(kith_i_coins *coins, kith_i_u128 limit)
{
    if (limit <= UINT64_MAX)
        return kith_i_coins_below(coins, (uint64_t)limit);
    uint64_t mask = UINT64_MAX >> __builtin_clzll((uint64_t)(limit >> 64));
    kith_i_u128 r;
    do {
        r = (kith_i_u128)(kith_i_coins_u64(coins) & mask) << 64;
        r |= kith_i_coins_u64(coins);
    } while (r >= limit);
    return r;
}

/* A row with probability near / total, exactly; uniform when total is 0. */
static uint64_t draw_row(const kith_i_plain_run *s, kith_i_u128 total,
                         kith_i_coins *coins)
{
    if (total == 0)
        return kith_i_coins_below(coins, s->n);
    kith_i_u128 left = coins_below_wide(coins, total);
    uint64_t row = 0;
    while (left >= s->near[0][row])
        left -= s->near[0][row++];
    return row;
}

/* Keep the candidate that leaves the lowest cost; returns that cost. */
static kith_i_u128 keep_best_candidate(kith_i_plain_run *s, double *center)
{
    uint32_t count = s->centers.k, best = 0;
    kith_i_u128 best_total = 0;
    for (uint32_t c = 0; c < count; c++) {
        kith_i_u128 total = 0;
        for (uint32_t i = 0; i < s->workers; i++) {
            total += s->worker[i].totals[c];
            s->worker[i].totals[c] = 0;
        }
        if (c == 0 || total < best_total) {
            best = c;
            best_total = total;
        }
    }
    uint64_t *old = s->near[0];
    s->near[0] = s->near[best + 1];
    s->near[best + 1] = old;
    memcpy(center, s->fetched + (size_t)best * s->d, s->d * sizeof *center);
    return best_total;
}

void kith_i_plain_seed(kith_i_plain_run *s, kith_i_coins *coins)
{
    kith_i_u128 total = 0;
    for (uint64_t i = 0; i < s->n; i++)
        s->near[0][i] = UINT64_MAX;
    for (uint32_t j = 0; j < s->k; j++) {
        uint32_t count = j ? s->candidates : 1; /* the first is uniform */
        for (uint32_t c = 0; c < count; c++)
            s->wanted[c] = draw_row(s, total, coins);
        kith_i_plain_fetch(s, count);
        s->centers.k = count;
        kith_i_centers_set(&s->centers, s->fetched);
        kith_i_fold(s->data, s->workers, visit_candidates, s);
        total = keep_best_candidate(s, s->real + (size_t)j * s->d);
    }
    s->centers.k = s->k;
}

/* Exact selection from integer totals. No floating point. */
#include "select.h"

static int64_t smallest(const int64_t *losses, uint32_t n)
{
    int64_t least = losses[0];
    for (uint32_t i = 1; i < n; i++)
        least = losses[i] < least ? losses[i] : least;
    return least;
}

/* 1 with probability exp(-b gap): gap < 2^63, b.num < 2^62, fits 128 bits. */
static int keep(kith_i_entropy *e, kith_i_exponent b, uint64_t gap)
{
    return kith_i_sample_bernoulli_exp(e, (kith_i_u128)b.num * gap,
                                       (uint64_t)1 << b.shift);
}

uint32_t kith_i_permute_and_flip(kith_i_entropy *e, kith_i_exponent b,
                                 const int64_t *losses, uint32_t n,
                                 uint32_t *order)
{
    int64_t least = smallest(losses, n);
    for (uint32_t i = 0; i < n; i++)
        order[i] = i;
    for (uint32_t left = n; left > 1; left--) {
        uint32_t pick = (uint32_t)kith_i_sample_below(e, left);
        uint32_t c = order[pick];
        if (keep(e, b, (uint64_t)(losses[c] - least)))
            return c;
        order[pick] = order[left - 1];
    }
    return order[0];
}

uint32_t kith_i_exponential(kith_i_entropy *e, kith_i_exponent b,
                            const int64_t *losses, uint32_t n)
{
    int64_t least = smallest(losses, n);
    for (;;) {
        uint32_t c = (uint32_t)kith_i_sample_below(e, n);
        if (keep(e, b, (uint64_t)(losses[c] - least)))
            return c;
    }
}

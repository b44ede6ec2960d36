/* One draw from a ladder of two weights. Client code, integers only. */
#include "randomize.h"

kith_i_ladder kith_i_mechanism_ladder(const kith_i_mechanism *m)
{
    int codebook = m->kind == KITH_I_RANDOMIZER_CODEBOOK;
    return (kith_i_ladder){
        .odds = m->odds, .top = codebook ? m->top : 1, .outputs = m->outputs};
}

uint64_t kith_i_ladder_total(const kith_i_ladder *l)
{
    return l->top * l->odds.num + (l->outputs - l->top) * l->odds.den;
}

uint64_t kith_i_ladder_rung(const kith_i_ladder *l, uint64_t coin)
{
    uint64_t first = l->top * l->odds.num;
    return coin < first ? coin / l->odds.num
                        : l->top + (coin - first) / l->odds.den;
}

/* Uniform in [0, limit): words masked to the next power of two, drawn again
 * when they are outside. */
static uint64_t below(kith_i_words *words, uint64_t limit)
{
    uint64_t mask = limit > 1 ? UINT64_MAX >> __builtin_clzll(limit - 1) : 0;
    uint64_t r;
    do {
        r = kith_i_words_next(words) & mask;
    } while (r >= limit);
    return r;
}

uint64_t kith_i_ladder_draw(const kith_i_ladder *l, kith_i_words *words)
{
    return kith_i_ladder_rung(l, below(words, kith_i_ladder_total(l)));
}

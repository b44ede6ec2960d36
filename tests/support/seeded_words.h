/* Random words for tests, from public coins. */
#ifndef KITH_TEST_SEEDED_WORDS_H
#define KITH_TEST_SEEDED_WORDS_H

#include "base/base_i.h"
#include "base/words.h"

static inline void seeded_fill(void *arg, uint64_t *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        words[i] = kith_i_coins_u64(arg);
}

static inline void seeded_words(kith_i_words *w, kith_i_coins *coins,
                                uint64_t seed)
{
    kith_i_coins_seed(coins, seed, 77);
    kith_i_words_open(w, seeded_fill, coins);
}

#endif

/* Sparse example rows: K topics over d words. A topic is a random list of words
 * whose frequency falls as 1/rank; a row draws words until it has S distinct
 * ones, weighs each by log(1 + count), and is scaled to length 1. */
#include "generate_topics.h"

#include <math.h>
#include <stdlib.h>

enum {
    TOPIC_FACTOR = 8,      /* a topic has this many times S words        */
    DRAWS_PER_NONZERO = 64 /* then a row is filled up, kith_i_topics_row */
};

kith_status kith_i_topics_reserve(kith_i_topics *t, kith_error *err)
{
    uint32_t s = t->sparsity;
    uint64_t words = (uint64_t)TOPIC_FACTOR * s;
    t->width = words < t->words ? (uint32_t)words : t->words;
    t->topic = kith_i_alloc((size_t)t->clusters * t->width, sizeof *t->topic);
    t->cumulative = kith_i_alloc(t->width, sizeof *t->cumulative);
    t->count = kith_i_alloc(t->width, sizeof *t->count);
    t->rank = kith_i_alloc(s, sizeof *t->rank);
    t->found = kith_i_alloc(s, sizeof *t->found);
    t->index = kith_i_alloc(s, sizeof *t->index);
    t->row = kith_i_alloc(s, sizeof *t->row);
    return t->topic && t->cumulative && t->count && t->rank && t->found &&
                   t->index && t->row
               ? KITH_OK
               : kith_i_fail_memory(err);
}

void kith_i_topics_free(kith_i_topics *t)
{
    kith_i_free(t->topic);
    kith_i_free(t->cumulative);
    kith_i_free(t->count);
    kith_i_free(t->rank);
    kith_i_free(t->found);
    kith_i_free(t->index);
    kith_i_free(t->row);
}

/* Each topic: width distinct words in random order (the start of a shuffle;
 * any order of all words is as good a start as another). */
kith_status kith_i_topics_draw(kith_i_topics *t, kith_i_coins *coins,
                               kith_error *err)
{
    uint32_t d = t->words;
    uint32_t *deck = kith_i_alloc(d, sizeof *deck);
    if (!deck)
        return kith_i_fail_memory(err);
    for (uint32_t i = 0; i < d; i++)
        deck[i] = i;
    for (uint32_t c = 0; c < t->clusters; c++)
        for (uint32_t i = 0; i < t->width; i++) {
            uint32_t j = i + (uint32_t)kith_i_coins_below(coins, d - i);
            uint32_t w = deck[j];
            deck[j] = deck[i];
            deck[i] = w;
            t->topic[(size_t)c * t->width + i] = w;
        }
    kith_i_free(deck);
    double sum = 0;
    for (uint32_t i = 0; i < t->width; i++)
        t->cumulative[i] = sum += 1.0 / (i + 1.0);
    return KITH_OK;
}

/* A rank with probability proportional to 1/(rank + 1). */
static uint32_t draw_rank(const kith_i_topics *t, kith_i_coins *coins)
{
    double u = kith_i_coins_unit(coins) * t->cumulative[t->width - 1];
    uint32_t low = 0, high = t->width - 1;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (u < t->cumulative[middle])
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static int by_index(const void *a, const void *b)
{
    uint32_t x = ((const kith_i_word *)a)->index,
             y = ((const kith_i_word *)b)->index;
    return (x > y) - (x < y);
}

/* When S is close to the number of words, the last ones are rare: after
 * DRAWS_PER_NONZERO * S draws the most common absent words complete the row. */
void kith_i_topics_row(kith_i_topics *t, kith_i_coins *coins, uint32_t label)
{
    uint32_t s = t->sparsity, distinct = 0;
    const uint32_t *topic = t->topic + (size_t)label * t->width;
    for (uint64_t i = 0; distinct < s && i < (uint64_t)DRAWS_PER_NONZERO * s;
         i++) {
        uint32_t r = draw_rank(t, coins);
        if (t->count[r]++ == 0)
            t->rank[distinct++] = r;
    }
    for (uint32_t r = 0; distinct < s; r++)
        if (t->count[r] == 0) {
            t->count[r] = 1;
            t->rank[distinct++] = r;
        }
    for (uint32_t i = 0; i < s; i++) {
        uint32_t r = t->rank[i];
        t->found[i] = (kith_i_word){topic[r], t->count[r]};
        t->count[r] = 0;
    }
    qsort(t->found, s, sizeof *t->found, by_index);
    for (uint32_t i = 0; i < s; i++) {
        t->index[i] = t->found[i].index;
        t->row[i] = log1p(t->found[i].count);
    }
    double square = 0;
    for (uint32_t i = 0; i < s; i++)
        square += t->row[i] * t->row[i];
    double factor = 1 / sqrt(square);
    for (uint32_t i = 0; i < s; i++)
        t->row[i] *= factor;
}

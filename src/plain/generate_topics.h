/* generate_topics.c: sparse example rows. */
#ifndef KITH_GENERATE_TOPICS_H
#define KITH_GENERATE_TOPICS_H

#include "base/base_i.h"

typedef struct kith_i_word {
    uint32_t index, count;
} kith_i_word;

typedef struct kith_i_topics {
    uint32_t clusters, words, sparsity; /* K, d, S: set by the caller        */
    uint32_t width;                     /* words of a topic                  */
    uint32_t *topic;                    /* K x width, most common word first */
    double *cumulative;                 /* sum of 1/rank                     */
    uint32_t *count;                    /* by rank, zero between rows        */
    uint32_t *rank;                     /* ranks that occur in this row      */
    kith_i_word *found;                 /* S, to be sorted                   */
    uint32_t *index;                    /* S: of the last row                */
    double *row;                        /* S: its values                     */
} kith_i_topics;

kith_status kith_i_topics_reserve(kith_i_topics *t, kith_error *err);
void kith_i_topics_free(kith_i_topics *t);
kith_status kith_i_topics_draw(kith_i_topics *t, kith_i_coins *coins,
                               kith_error *err);
void kith_i_topics_row(kith_i_topics *t, kith_i_coins *coins, uint32_t label);

#endif

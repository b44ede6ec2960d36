/* reader_deal.c: which parts of several files a rank reads. */
#ifndef KITH_READER_DEAL_H
#define KITH_READER_DEAL_H

#include <stddef.h>
#include <stdint.h>

/* A file as it is dealt: part `part` of `parts`; parts 0: none of it. */
typedef struct kith_i_share {
    uint64_t bytes; /* in */
    int can_cut;    /* in: it can be read from the middle */
    uint32_t part, parts;
} kith_i_share;

/* Sets part and parts of `count` files for this rank; the same answer on every
 * rank. With as many files as ranks or more, whole files go, largest first, to
 * the rank with the least bytes; otherwise files that can be are cut into as
 * many parts as there are ranks. Together the ranks read everything once. */
void kith_i_deal(kith_i_share *files, size_t count, uint32_t rank,
                 uint32_t ranks, uint64_t *load);

#endif

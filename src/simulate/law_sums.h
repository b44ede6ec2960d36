/* The law of sums of vectors and of second moments, for law_collector.c. */
#ifndef KITH_LAW_SUMS_H
#define KITH_LAW_SUMS_H

#include "base/base_i.h"
#include "collect/collect_i.h"

/* What the members of a group have in each bucket, and in none (the last):
 * how many they are, the sums of what the server keeps of a user, and of its
 * squares, in fixed point, so that the order of the users does not show. */
typedef struct kith_i_law_sums {
    uint64_t *members;       /* buckets + 1 */
    int64_t *sums, *squares; /* buckets + 1, by kept */
    float *vector;           /* room for one: what kith_i_encode makes */
} kith_i_law_sums;

/* 0: memory is short; free what there is. */
int kith_i_law_sums_open(kith_i_law_sums *law, const kith_i_mechanism *m);
void kith_i_law_sums_close(kith_i_law_sums *law);
/* Add the user whose vector is in `vector`. */
void kith_i_law_sums_add(kith_i_law_sums *law, const kith_i_mechanism *m,
                         uint64_t bucket);
void kith_i_law_sums_merge(kith_i_law_sums *to, const kith_i_law_sums *from,
                           const kith_i_mechanism *m);
/* Means over all reports, kept x buckets, as kith_i_answer_unpack takes them;
 * every member stands for `copies` users, `received` in all. */
void kith_i_law_sums_draw(const kith_i_law_sums *law, const kith_i_mechanism *m,
                          uint64_t received, uint64_t copies,
                          kith_i_coins *coins, double *out);

#endif

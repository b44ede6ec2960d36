/* Inside plain/ only: the state of a non-private k-means run. NOT private: it
 * looks at the rows without the gate. */
#ifndef KITH_PLAIN_I_H
#define KITH_PLAIN_I_H

#include <stdint.h>

#include "base/base_i.h"
#include "base/wide.h"
#include "kernel/kernel_i.h"
#include "kith/data.h"
#include "kith/plain.h"

/* One worker's own memory. */
typedef struct kith_i_plain_worker {
    double *scratch, *score;
    uint32_t *labels;
    int64_t *sums, *counts;
    kith_i_u128 *totals; /* per candidate; [0] is the cost in Lloyd */
} kith_i_plain_worker;

typedef struct kith_i_plain_run {
    const kith_dataset *data;
    uint64_t n;
    uint32_t k, d, workers;
    uint32_t candidates; /* draws compared in each seeding step */
    kith_i_plain_worker *worker;
    uint64_t *norm; /* |x|^2 of each row */
    /* candidates + 1 arrays: squared distance of each row to its nearest
     * centre; [0] is what holds, the others what a candidate would give. */
    uint64_t **near;
    uint64_t *wanted; /* rows to fetch, */
    uint32_t wanted_count;
    double *fetched;        /* and their coordinates            */
    kith_i_centers centers; /* as the kernels want them         */
    double *real;           /* k x d centres, lattice units     */
    double *previous;       /* centers.coords, a round before   */
    int64_t *sums, *counts; /* by cluster                       */
} kith_i_plain_run;

/* ---- plain_state.c ---- */

/* Fill in the arrays; 0 when memory is short. Then kith_i_plain_free. */
int kith_i_plain_alloc(kith_i_plain_run *run);
void kith_i_plain_free(kith_i_plain_run *run);

/* norm[] of every row. */
void kith_i_plain_measure(kith_i_plain_run *run);
/* Copy rows wanted[0..count) to fetched. */
void kith_i_plain_fetch(kith_i_plain_run *run, uint32_t count);

/* Squared distance from |x|^2 and the kernel's score, all exact integers. */
static inline uint64_t kith_i_plain_distance(uint64_t norm, double score)
{
    return (uint64_t)((int64_t)norm + (int64_t)score);
}

/* ---- plain_seeding.c ---- */

/* Greedy k-means++: fills real. Needs norm[] and at least one row. */
void kith_i_plain_seed(kith_i_plain_run *run, kith_i_coins *coins);

/* ---- kmeans_plain.c ---- */

/* Copy and check; the defaults are filled in. */
kith_status kith_i_plain_read_options(const kith_plain_options *from,
                                      kith_plain_options *opt, kith_error *err);

/* One round of Lloyd from real and centers: assign, then move. *cost: of the
 * centres before the move. Returns whether a centre changed on the lattice. */
int kith_i_plain_round(kith_i_plain_run *run, kith_i_u128 *cost);

#endif

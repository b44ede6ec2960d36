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

/* The workers' sums and counts, added up, and set to 0 there; the sum of their
 * totals[0], the cost. */
kith_i_u128 kith_i_plain_merge(kith_i_plain_run *run);

/* Squared distance from |x|^2 and the kernel's score, all exact integers. */
static inline uint64_t kith_i_plain_distance(uint64_t norm, double score)
{
    return (uint64_t)((int64_t)norm + (int64_t)score);
}

/* ---- plain_seeding.c ---- */

/* Greedy k-means++: fills real. Needs norm[] and at least one row. */
void kith_i_plain_seed(kith_i_plain_run *run, kith_i_coins *coins);

/* ---- plain_starts.c ---- */

/* open: more memory, 0 when it is short; close in either case. Either may be
 * NULL. round: assign and move, as in kith_i_plain_round; numbers from 1, last:
 * no other follows. Returns whether another may gain. */
typedef struct kith_i_plain_method {
    void *arg;
    int (*open)(kith_i_plain_run *run, void *arg);
    void (*close)(kith_i_plain_run *run, void *arg);
    int (*round)(kith_i_plain_run *run, void *arg, uint32_t number, int last,
                 kith_i_u128 *cost);
} kith_i_plain_method;

/* The best of several seeded starts. */
kith_status kith_i_plain_cluster(const kith_dataset *data,
                                 const kith_plain_options *options,
                                 const kith_i_plain_method *method,
                                 kith_result **out, kith_error *err);

/* ---- kmeans_plain.c ---- */

/* One round of Lloyd from real and centers: assign, then move. *cost: of the
 * centres before the move. Returns whether a centre changed on the lattice. */
int kith_i_plain_round(kith_i_plain_run *run, kith_i_u128 *cost);

#endif

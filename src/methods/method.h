/* method: a straight-line script that asks questions through a collector and
 * computes on the answers, which are public. */
#ifndef KITH_METHOD_H
#define KITH_METHOD_H

#include "collect/collector.h"

typedef struct kith_i_local_task {
    uint32_t k, d;
    double epsilon, delta;
    int median;          /* k-median throughout */
    const double *lower; /* d: the public box */
    const double *upper;
    const double *center; /* d: of the public ball */
    double radius;
    uint64_t public_seed;
    int paper_constants, split_epsilon; /* weighted-centers */
    uint32_t radii, repetitions;        /* weighted-centers: J, M; 0: its own */
    int e2lsh, boxes; /* weighted-centers: E2LSH for the grid; steps 3 to 6 */
    int nearest_weights; /* weighted-centers: the earlier rule for weights */
} kith_i_local_task;

/* centers: room for k x d; *found <= k of them are filled, in the units of the
 * records; weights: k, estimated shares of the users. */
typedef kith_status kith_i_local_fn(const kith_i_local_task *task,
                                    kith_i_collector *collector,
                                    double *centers, double *weights,
                                    uint32_t *found, kith_error *err);
/* How far an answer of `auto` can be believed, by its own reports. */
typedef struct kith_i_local_verdict {
    double *weight_sd; /* k: of the weights; NaN: not known */
    /* The last question: by how much the answer is cheaper for a user than one
     * mean (squared distance; k-median: distance), and its sd. sd HUGE_VAL:
     * it was not asked. lost: then the answer is the mean. */
    double gain, gain_sd;
    int lost;
    /* Chi squared of all answers, if there are k round clusters, above its
     * mean, in standard deviations; HUGE_VAL: not known. */
    double excess;
    /* Share of the users that they do not explain; sd HUGE_VAL: not known. */
    double unexplained, unexplained_sd;
    /* The other answers that were asked about: what they are, by how much they
     * are cheaper than the first one, sd of that. What the first one is, and
     * what won. */
    struct {
        const char *name;
        double gain, sd;
    } other[3];
    uint32_t others;
    const char *first, *won;
    /* Centres that were asked for: fewer may be all that is told from noise. If
     * the answer is the mean of all users: how far noise moves it, root mean
     * square; NaN: it is not. */
    uint32_t asked;
    double mean_error;
    int median; /* gains are distances, not squared */
} kith_i_local_verdict;

/* verdict: its weight_sd has room. */
kith_status kith_i_local_auto(const kith_i_local_task *task,
                              kith_i_collector *collector, double *centers,
                              double *weights, uint32_t *found,
                              kith_i_local_verdict *verdict, kith_error *err);

kith_i_local_fn kith_i_local_one_round, kith_i_local_weighted_centers,
    kith_i_local_mean;

#endif

/* Local clustering: nobody holds the rows. Each user's device answers one
 * public question once, with its own secret coins, and what it sends is
 * epsilon-LDP whatever the question says (Stemmer 2021, repaired).
 *
 * Here the whole protocol runs in one process: every row of a dataset is one
 * user, and her report goes through the code that a device and a server would
 * run. docs/local.md tells what a device reveals. */
#ifndef KITH_LOCAL_H
#define KITH_LOCAL_H

#include <stddef.h>
#include <stdint.h>

#include "kith/cluster.h"
#include "kith/data.h"
#include "kith/plain.h"
#include "kith/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum kith_local_method {
    KITH_LOCAL_AUTO = 1,         /* the recommended method                   */
    KITH_LOCAL_ONE_ROUND,        /* no interaction                           */
    KITH_LOCAL_WEIGHTED_CENTERS, /* the paper's WeightedCenters, repaired    */
    KITH_LOCAL_MEAN              /* one centre: the mean of all users        */
} kith_local_method;

/* Start from kith_local_options_init; set clusters and epsilon. */
typedef struct kith_local_options {
    size_t size;              /* set by _init; fields are only appended      */
    uint32_t clusters;        /* k; no default                               */
    kith_local_method method; /* default: auto                               */
    kith_objective objective; /* default: k-means                            */
    double epsilon;           /* of a user, whatever she is asked; no default */
    double delta; /* 0: pure; above it weighted-centers sends Gaussian  */
                  /* vectors as printed, all others stay pure          */
    uint64_t public_seed; /* projections, shifts, groups                     */
    uint32_t threads;     /* 0: all processors                               */
    int insecure;         /* nonzero: secret coins from insecure_seed, for   */
    uint64_t insecure_seed; /* tests; every guarantee is void                */
    int law; /* draw the servers' sums from their law instead of report by   */
             /* report: quick, for studies; guarantee "none"; a fresh draw   */
             /* unless insecure names a seed                                 */
    kith_progress_fn *progress;
    void *progress_arg;
    /* weighted-centers */
    int paper_constants;  /* refused, with the numbers that show why          */
    int split_epsilon;    /* everybody answers everything with a part of      */
                          /* epsilon, as printed; default: users are split    */
    uint32_t radii;       /* J; 0: its own                                    */
    uint32_t repetitions; /* M; 0: its own                                    */
    int e2lsh;            /* E2LSH instead of the shifted grid                */
    int boxes;            /* steps 3 to 6 of CentersProcedure                 */
    int nearest_weights;  /* Kaplan and Stemmer 2018: a user counts for the   */
                          /* nearest candidate, and all of them are kept      */
} kith_local_options;

KITH_API void kith_local_options_init(kith_local_options *opt, size_t size);

/* ---- what was asked, or would be ----------------------------------------- */

/* One group of users and the question it got. */
typedef struct kith_local_group {
    uint32_t round;   /* from 1                                          */
    const char *what; /* "heavy cells"                                   */
    const char
        *mechanism; /* "krr", "olh", "hadamard", "codebook", "gaussian" */
    double share;   /* of all users                                    */
    double epsilon, delta; /* what the report costs its user                  */
    uint32_t bytes;        /* of a report, header included                    */
} kith_local_group;

typedef struct kith_local_summary kith_local_summary;

KITH_API size_t kith_local_group_count(const kith_local_summary *summary);
/* out: borrowed strings, valid as long as the summary. KITH_ERR_ARGUMENT, and
 * out is empty, when there is no such group. */
KITH_API kith_status kith_local_group_at(const kith_local_summary *summary,
                                         size_t i, kith_local_group *out);
KITH_API uint32_t kith_local_rounds(const kith_local_summary *summary);
/* The most that any user sends in all, in bytes, and spends. */
KITH_API uint32_t kith_local_user_bytes(const kith_local_summary *summary);
KITH_API void kith_local_user_loss(const kith_local_summary *summary,
                                   double *epsilon, double *delta);
KITH_API void kith_local_summary_free(kith_local_summary *summary);

/* What the noise will do, from public numbers alone. Distances in units of the
 * (normalised) bounds. */
typedef struct kith_local_forecast {
    double radius;       /* of the ball that holds the bounds                 */
    double center_error; /* distance that noise moves the centre of a cluster
                            of a k-th of the users and a quarter of radius    */
    double smallest;     /* share of the users below which a cluster is lost
                            in the noise                                      */
    int works;           /* 0: it cannot; 1: it should; 2: doubtful           */
    double lost;         /* kith_local_plan: chance that a cluster is lost, by
                            trials on made-up users; NaN: not tried           */
    double last_share;   /* auto: of the users, who choose between answers at
                            last; 0: nobody is asked                          */
    double last_sd;      /* standard deviation of what one mean loses, of the
                            most that clusters can gain if they are points    */
    uint32_t trials;     /* that say how often clusters are lost; 0: none     */
} kith_local_forecast;

KITH_API KITH_CHECKED kith_status kith_local_predict(
    uint64_t rows, uint32_t dimension, const kith_bounds *bounds,
    const kith_local_options *opt, kith_local_forecast *out, kith_error *err);

/* The same for a dataset, each row a user. */
KITH_API KITH_CHECKED kith_status
kith_local_predict_data(const kith_dataset *data, const kith_local_options *opt,
                        kith_local_forecast *out, kith_error *err);

/* ---- runs ---- */

/* The whole protocol on a dataset, each row a user. data, opt: borrowed.
 * summary: nullable. There may be fewer centres than asked for, when noise
 * hides the rest. */
KITH_API KITH_CHECKED kith_status kith_local_simulate(
    const kith_dataset *data, const kith_local_options *opt, kith_result **out,
    kith_local_summary **summary, kith_error *err);

/* A deployment without any data: the rounds, groups and bytes of a trial on k
 * clear clusters in the bounds, by the law, and the forecast. trial_error:
 * root mean square distance from a true centre to the nearest one found. */
KITH_API KITH_CHECKED kith_status kith_local_plan(
    const kith_shape *shape, const kith_bounds *bounds,
    const kith_local_options *opt, kith_local_forecast *forecast,
    double *trial_error, kith_local_summary **summary, kith_error *err);

/* Protocol B of the paper's Section 5, with half-open intervals: does a 2-means
 * method tell `ones` users at a secret place from none at all? Counts the
 * right answers of `trials` runs on n users in [0, 1] (clusters and method of
 * opt; clusters must be 2). ones = 0 is the all-zero database, where the right
 * answer is no. intervals: 1/r. */
KITH_API KITH_CHECKED kith_status kith_local_lower_bound(
    uint64_t rows, uint64_t ones, uint32_t intervals, uint32_t trials,
    const kith_local_options *opt, uint32_t *right, kith_error *err);

#ifdef __cplusplus
}
#endif

#endif

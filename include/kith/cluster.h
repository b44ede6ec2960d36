/* Private clustering: options, the algorithms, and what they release. */
#ifndef KITH_CLUSTER_H
#define KITH_CLUSTER_H

#include <stddef.h>
#include <stdint.h>

#include "kith/budget.h"
#include "kith/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum kith_kmeans_method {
    KITH_KMEANS_LLOYD = 1,  /* private Lloyd iterations (SuLQ) */
    KITH_KMEANS_BALCAN = 2, /* Balcan et al. 2017, repaired */
    KITH_KMEANS_AUTO = 3,   /* the recommended method */
    /* Baselines, to compare with: docs/baselines.md. */
    KITH_KMEANS_SULQ = 4,            /* Blum et al. 2005, as printed */
    KITH_KMEANS_GRID = 5,            /* Su et al. 2016: a noisy histogram */
    KITH_KMEANS_KVARIATES = 6,       /* Nock et al. 2016: noisy seeds */
    KITH_KMEANS_SAMPLE_AGGREGATE = 7 /* Mohan et al. 2012: blocks, averaged */
} kith_kmeans_method;

/* Start from kith_kmeans_options_init; set clusters. */
typedef struct kith_kmeans_options {
    size_t size;               /* set by _init; fields are only appended     */
    uint32_t clusters;         /* k; no default                              */
    kith_kmeans_method method; /* default: auto                              */
    uint32_t rounds;           /* 0: the method's own (see its page in docs) */
    uint64_t public_seed;      /* public coins; cannot reach the noise       */
    kith_progress_fn *progress;
    void *progress_arg;
    /* balcan: run with the constants as printed in the paper, or be refused
     * with the numbers that show why that cannot be done. Either way the result
     * would be vacuous: see kith_paper_constants. */
    int paper_constants;
    /* auto, dense rows: choose k from clusters_from to clusters, inside the
     * budget: kith_result_choice. 0: clusters as they are. */
    uint32_t clusters_from;
    /* balcan: k partitions, ln n levels, the last draw of Algorithm 3, 8 rounds
     * and, of sparse rows, 2s/eta features a centre (Algorithm 5), as in the
     * paper and its experiments; the repairs stay. */
    int as_published;
} kith_kmeans_options;

KITH_API void kith_kmeans_options_init(kith_kmeans_options *opt, size_t size);

typedef struct kith_result kith_result;

/* Release k centres, spending what is left in the session. session, opt:
 * borrowed. */
KITH_API KITH_CHECKED kith_status kith_kmeans(kith_session *session,
                                              const kith_kmeans_options *opt,
                                              kith_result **out,
                                              kith_error *err);

/* How the number of clusters was chosen (clusters_from). Curves have a value
 * for each k from `from` to `to`; borrowed. */
typedef struct kith_choice {
    uint32_t from, to, chosen;
    uint32_t tries, agreed; /* summaries with fresh noise that chose the same */
    int stable;             /* 0: weak                                        */
    const double *cost;     /* of the released summary, (normalised) units    */
    const double *noise;    /* what the noise of a run with k clusters adds   */
    double before, after;   /* costs of from - 1 and to + 1, which tell where
                               the ends bend; 0: not known                    */
    double bend;            /* second difference of log cost, where largest   */
    double cloud_bend;      /* there, of clouds without clusters; stable is
                               more than twice this                           */
    int by_bend;            /* 0: noise would often have chosen otherwise, so
                               chosen by least cost and noise                 */
} kith_choice;

/* NULL: there was no choice. Borrowed. */
KITH_API const kith_choice *kith_result_choice(const kith_result *result);

/* Price a run without any data: the same options, bounds and privacy, a
 * guess of the number of rows, and whether they would be sparse. The result has
 * the receipts of the run and no centres; kith_result_noise tells the predicted
 * noise per centre. */
KITH_API KITH_CHECKED kith_status
kith_kmeans_plan(const kith_shape *shape, const kith_bounds *bounds,
                 const kith_privacy *privacy, const kith_kmeans_options *opt,
                 kith_result **out, kith_error *err);

/* What the constants as printed in Balcan et al. 2017 come to for n rows: how
 * many rows a cube needs before the partition can see it (above n the result is
 * vacuous), and with how many others. Spends nothing. */
typedef struct kith_paper_numbers {
    double trials, partitions, swaps, dimension;
    double level_epsilon; /* of one level of one partition */
    double cube_rows;     /* gamma */
} kith_paper_numbers;
KITH_API void kith_paper_constants(double rows, uint32_t clusters,
                                   double epsilon, kith_paper_numbers *out);

/* ---- k-median: the sum of distances, not of their squares --------------- */

typedef enum kith_kmedian_method {
    KITH_KMEDIAN_AUTO = 0,  /* noisy steps from a private k-means run */
    KITH_KMEDIAN_BALCAN = 1 /* from candidates and swaps by distance */
} kith_kmedian_method;

typedef enum kith_kmedian_recovery {
    KITH_RECOVERY_STEPS = 0,   /* noisy steps; exact guarantee */
    KITH_RECOVERY_SAMPLING = 1 /* log-concave sampling by a Markov chain: */
                               /* the guarantee is "asymptotic" */
} kith_kmedian_recovery;

/* Start from kith_kmedian_options_init; set clusters. */
typedef struct kith_kmedian_options {
    size_t size;          /* set by _init; fields are only appended     */
    uint32_t clusters;    /* k; no default                              */
    uint32_t rounds;      /* of k-median steps; 0: the method's own     */
    uint64_t public_seed; /* public coins; cannot reach the noise       */
    kith_progress_fn *progress;
    void *progress_arg;
    kith_kmedian_method method;
    kith_kmedian_recovery recovery;
} kith_kmedian_options;

KITH_API void kith_kmedian_options_init(kith_kmedian_options *opt, size_t size);

/* As kith_kmeans. */
KITH_API KITH_CHECKED kith_status kith_kmedian(kith_session *session,
                                               const kith_kmedian_options *opt,
                                               kith_result **out,
                                               kith_error *err);

/* As kith_kmeans_plan. */
KITH_API KITH_CHECKED kith_status
kith_kmedian_plan(const kith_shape *shape, const kith_bounds *bounds,
                  const kith_privacy *privacy, const kith_kmedian_options *opt,
                  kith_result **out, kith_error *err);

/* ---- what a result holds: released values and receipts, nothing else ----
 *
 * A result that is NULL has nothing: 0, NULL, guarantee "none". */

/* k x d centres in the caller's original units, row-major; borrowed. NULL
 * for a plan. */
KITH_API const double *kith_result_centers(const kith_result *result,
                                           uint32_t *k, uint32_t *d);

/* k noisy cluster sizes, at least 0; together the noisy number of rows, where
 * that was released. Borrowed. */
KITH_API const double *kith_result_weights(const kith_result *result);

/* The spend trace. out: borrowed strings, valid as long as the result.
 * KITH_ERR_ARGUMENT, and out is empty, when there is no such receipt. */
KITH_API size_t kith_result_receipt_count(const kith_result *result);
KITH_API kith_status kith_result_receipt(const kith_result *result, size_t i,
                                         kith_receipt *out);

/* "exact"; "asymptotic" when a Markov chain was drawn from: private only in the
 * limit of a long chain; "none" for a seeded or non-private run. Never NULL. */
KITH_API const char *kith_result_guarantee(const kith_result *result);

/* The entries of a ledger that paid for it; borrowed. NULL: no ledger did. */
KITH_API const kith_charge *kith_result_charge(const kith_result *result);

/* Whom the guarantee is about; KITH_UNIT_ROW for a non-private result. */
KITH_API kith_unit kith_result_unit(const kith_result *result);

/* The budget that was declared; all zero for a non-private result. */
KITH_API kith_privacy kith_result_privacy(const kith_result *result);

/* Root mean square distance that the noise alone moves a centre of a cluster
 * with 1/k of the rows, in (normalised) units; a plan's prediction. For planes
 * the root of the summed squares of the angles, in radians (kith_quality has
 * the angle of one direction). NaN where it cannot be foretold, and where
 * nothing was released that would tell. */
KITH_API double kith_result_noise(const kith_result *result);

/* The most clusters whose centres this budget can tell from noise, at least 1:
 * with more, noise alone would move a centre of an average cluster by more than
 * a quarter of the bound of a row's length (docs/central.md). Not more than
 * there are (noisily) rows, nor than the groups of rows that were told apart:
 * further centres would be made of those. From public and released values;
 * never from a row. */
KITH_API uint32_t kith_result_sensible_clusters(const kith_result *result);

/* How many of the k centres differ; 0 for a plan. */
KITH_API uint32_t kith_result_distinct_centers(const kith_result *result);

/* Number of rounds that were run; the public seed; the lattice step. */
KITH_API uint32_t kith_result_rounds(const kith_result *result);
KITH_API uint64_t kith_result_public_seed(const kith_result *result);
KITH_API double kith_result_step(const kith_result *result);

KITH_API void kith_result_free(kith_result *result); /* NULL is fine */

#ifdef __cplusplus
}
#endif

#endif

/* Private subspace clustering: k planes of dimension q through the origin that
 * the rows lie close to (Wang, Wang, Singh 2015, repaired). */
#ifndef KITH_SUBSPACE_H
#define KITH_SUBSPACE_H

#include <stddef.h>
#include <stdint.h>

#include "kith/budget.h"
#include "kith/cluster.h"
#include "kith/data.h"
#include "kith/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* "asymptotic": the guarantee of a result that was drawn by a sampler which
 * reaches its law in the limit only (kith_result_guarantee). */
typedef enum kith_subspace_method {
    KITH_SUBSPACE_AUTO = 1,        /* the recommended method               */
    KITH_SUBSPACE_SULQ,            /* k-subspaces on noisy Gram matrices   */
    KITH_SUBSPACE_BINGHAM,         /* the same, drawn; asymptotic          */
    KITH_SUBSPACE_GIBBS,           /* Eq. 10 to 12; asymptotic             */
    KITH_SUBSPACE_MINCOST,         /* the repaired objective; asymptotic   */
    KITH_SUBSPACE_SAMPLE_AGGREGATE /* Algorithm 1, repaired                */
} kith_subspace_method;

/* Non-private solvers: for comparison, and as f of sample-and-aggregate. */
typedef enum kith_subspace_solver {
    KITH_SOLVER_KPLANE = 1,     /* alternating, restarts                    */
    KITH_SOLVER_TSC,            /* thresholding, spectral clustering, PCA   */
    KITH_SOLVER_TSC_COMPONENTS, /* as printed: connected components         */
    KITH_SOLVER_SSC,            /* sparse subspace clustering (ADMM)        */
    KITH_SOLVER_LRR             /* low-rank representation (inexact ALM)    */
} kith_subspace_solver;

/* Start from kith_subspace_options_init; set clusters and
 * subspace_dimension. */
typedef struct kith_subspace_options {
    size_t size;                 /* set by _init; fields are only appended  */
    uint32_t clusters;           /* k; no default                           */
    uint32_t subspace_dimension; /* q; no default                           */
    kith_subspace_method method; /* default: auto                           */
    uint32_t rounds; /* iterations or sweeps; 0: the method's own           */
    uint64_t public_seed;
    kith_progress_fn *progress;
    void *progress_arg;
    int basic_composition;       /* sulq: epsilon/T and delta/T a round     */
    kith_subspace_solver solver; /* sample-aggregate, non-private start;
                                    default: k-plane                        */
    uint32_t block_rows;         /* sample-aggregate: rows a block; 0: own  */
    int overlap;                 /* sample-aggregate: the paper's sampling  */
    int force;                   /* sample-aggregate: run although the      */
                                 /* preconditions fail; guarantee "none"    */
    int non_private_start;       /* gibbs, mincost: guarantee "none"        */
    int diagnostics;             /* gibbs, mincost: keep chain diagnostics; */
                                 /* guarantee "none"                        */
} kith_subspace_options;

KITH_API void kith_subspace_options_init(kith_subspace_options *opt,
                                         size_t size);

/* Release k planes, spending what is left in the session. The rows must have
 * bounds about the origin (a ball). session, opt: borrowed. */
KITH_API KITH_CHECKED kith_status
kith_subspace(kith_session *session, const kith_subspace_options *opt,
              kith_result **out, kith_error *err);

/* Price a run without any data, as kith_kmeans_plan. */
KITH_API KITH_CHECKED kith_status kith_subspace_plan(
    const kith_shape *shape, const kith_bounds *bounds,
    const kith_privacy *privacy, const kith_subspace_options *opt,
    kith_result **out, kith_error *err);

/* k x d x q numbers: plane by plane, a d x q matrix with orthonormal columns;
 * borrowed. NULL for a plan or for a result that has no planes. */
KITH_API const double *kith_result_bases(const kith_result *result, uint32_t *k,
                                         uint32_t *d, uint32_t *q);

/* What the chains of gibbs or mincost looked like. Kept only when
 * options.diagnostics was set, and computed from the rows: NOT private, the
 * result's guarantee is "none". A front end prints it as such and never puts it
 * into a model file. */
typedef struct kith_chain_diagnostics {
    uint32_t chains; /* independent ones; the first one's state is the result */
    uint32_t sweeps; /* of each; statistics are over the second half */
    /* Split R-hat (Gelman, Rubin) of the energy, and of how much the planes
     * overlap: well above 1 means that the chains have not mixed. Near 1 proves
     * nothing about neighbouring datasets. */
    double energy_rhat;
    double overlap_rhat;
    /* The statistic of the paper's Figure 3, for the first chain. It is about
     * 1/sqrt(sweeps) for mixed and for stuck chains alike: it sees the signs of
     * the basis vectors, which every draw makes anew, and nothing else. */
    double figure3;
    double cost[4]; /* mean squared distance from the drawn plane, by chain */
} kith_chain_diagnostics;

/* Borrowed; NULL: none were asked for. */
KITH_API const kith_chain_diagnostics *
kith_result_diagnostics(const kith_result *result);

#ifdef __cplusplus
}
#endif

#endif

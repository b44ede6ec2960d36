/* What is NOT private: comparison runs, costs, labels, example data.
 *
 * Nothing here passes the gate. A front end must mark what it prints. */
#ifndef KITH_PLAIN_H
#define KITH_PLAIN_H

#include <stddef.h>
#include <stdint.h>

#include "kith/cluster.h"
#include "kith/data.h"
#include "kith/status.h"
#include "kith/subspace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* k-means++ and Lloyd to convergence, best of several starts.
 * Start from kith_plain_options_init. */
typedef struct kith_plain_options {
    size_t size;         /* set by _init; fields are only appended     */
    uint32_t clusters;   /* k; no default                              */
    uint32_t starts;     /* 0: 1                                       */
    uint32_t max_rounds; /* 0: 300                                     */
    uint64_t seed;
    uint32_t threads; /* 0: all processors; changes speed only      */
    kith_progress_fn *progress;
    void *progress_arg;
} kith_plain_options;

KITH_API void kith_plain_options_init(kith_plain_options *opt, size_t size);

/* data, opt: borrowed. The result's guarantee is "none". */
KITH_API KITH_CHECKED kith_status
kith_plain_kmeans(const kith_dataset *data, const kith_plain_options *opt,
                  kith_result **out, kith_error *err);

/* The same for the sum of distances: k-means++, a few rounds of Lloyd, then
 * Weiszfeld's steps. */
KITH_API KITH_CHECKED kith_status
kith_plain_kmedian(const kith_dataset *data, const kith_plain_options *opt,
                   kith_result **out, kith_error *err);

/* k planes through the origin, without noise.
 * Start from kith_plain_subspace_options_init. */
typedef struct kith_plain_subspace_options {
    size_t size;                 /* set by _init; fields are only appended */
    uint32_t clusters;           /* k; no default                          */
    uint32_t subspace_dimension; /* q; no default                          */
    kith_subspace_solver solver; /* default: k-plane                       */
    uint32_t starts;             /* k-plane; 0: 20                         */
    uint32_t max_rounds;         /* k-plane; 0: 100                        */
    uint64_t seed;
    uint32_t threads; /* 0: all processors; changes speed only  */
    kith_progress_fn *progress;
    void *progress_arg;
} kith_plain_subspace_options;

KITH_API void kith_plain_subspace_options_init(kith_plain_subspace_options *opt,
                                               size_t size);

/* data, opt: borrowed. The result has bases and guarantee "none". k-plane takes
 * time and memory in proportion to the rows, the other solvers time in
 * proportion to their square. */
KITH_API KITH_CHECKED kith_status kith_plain_subspace(
    const kith_dataset *data, const kith_plain_subspace_options *opt,
    kith_result **out, kith_error *err);

/* A published model to hold against rows: k x d centres in original units, or
 * planes. lower/upper: the box of a --normalize run (distances are then
 * measured in its units), else NULL. All borrowed. */
typedef struct kith_model_view {
    uint32_t clusters, dimension;
    const double *centers; /* NULL when there are bases */
    const double *lower, *upper;
    const double *bases;         /* k x d x q, orthonormal columns, or NULL   */
    uint32_t subspace_dimension; /* q                                         */
    int unit_rows;               /* with bases: rows are scaled to length 1   */
} kith_model_view;

typedef enum kith_objective {
    KITH_OBJECTIVE_KMEANS = 1, /* sum of squared distances           */
    KITH_OBJECTIVE_KMEDIAN,    /* sum of distances                   */
    KITH_OBJECTIVE_SUBSPACE    /* sum of squared distances to planes */
} kith_objective;

/* Distance between two sets of k planes of the same shape: the least, over all
 * ways to pair them, of the root of the summed |sin Theta|_F^2, Theta the
 * principal angles. At most sqrt(k min(q, d - q)). */
KITH_API KITH_CHECKED kith_status kith_plane_distance(const kith_model_view *a,
                                                      const kith_model_view *b,
                                                      double *out,
                                                      kith_error *err);

/* The exact cost of a model on the rows as they are: not clipped, not
 * quantised. Rows come from files (source.paths) or memory. */
KITH_API KITH_CHECKED kith_status
kith_evaluate_source(const kith_model_view *model, kith_objective objective,
                     const kith_source *source, const kith_source_options *opt,
                     uint64_t *rows, double *cost, kith_error *err);

/* Nearest centre of each row, in order. The sink may stop by returning
 * nonzero (KITH_ERR_CANCELLED). */
typedef int kith_label_sink(void *arg, const uint32_t *labels, size_t count);
KITH_API KITH_CHECKED kith_status
kith_assign_source(const kith_model_view *model, const kith_source *source,
                   const kith_source_options *opt, kith_label_sink *sink,
                   void *sink_arg, kith_error *err);

/* Example data, the papers' generators. The sink gets rows in order; value
 * is dense (dimension values) when index is NULL, else count sparse pairs
 * with indices from 0, increasing. */
typedef enum kith_generator {
    KITH_GENERATE_GAUSSIANS = 1, /* k Gaussians in the unit ball            */
    KITH_GENERATE_SUBSPACES,     /* k random q-dimensional planes, noise    */
    KITH_GENERATE_SPARSE         /* k topics over d words, unit rows        */
} kith_generator;

/* Start from kith_generate_options_init. */
typedef struct kith_generate_options {
    size_t size; /* set by _init; fields are only appended    */
    kith_generator kind;
    uint64_t rows;
    uint32_t dimension, clusters;
    uint32_t subspace_dimension; /* subspaces: q                              */
    uint32_t sparsity;           /* sparse: non-zeros per row                 */
    double spread; /* sd per coordinate; < 0: the kind's default */
    uint64_t seed;
    const double *weights; /* of the clusters, any scale; NULL: all the same */
    double decay; /* subspaces: coefficient j has sd decay^j before its row  */
                  /* is scaled to length 1; 0: 1, all directions alike       */
} kith_generate_options;

KITH_API void kith_generate_options_init(kith_generate_options *opt,
                                         size_t size);
typedef int kith_row_sink(void *arg, uint32_t label, const uint32_t *index,
                          const double *value, uint32_t count);
KITH_API KITH_CHECKED kith_status
kith_generate(const kith_generate_options *opt, kith_row_sink *sink,
              void *sink_arg, kith_error *err);

/* The planes behind the rows of subspaces: k x d x q, as kith_result_bases. */
KITH_API KITH_CHECKED kith_status kith_generate_planes(
    const kith_generate_options *opt, double *bases, kith_error *err);

/* ---- rows against bounds ---- */

/* How rows lie in bounds: exact, so NOT private. */
typedef struct kith_check {
    size_t size; /* set by the caller: sizeof; fields are only appended */
    uint32_t dimension;
    uint64_t rows;           /* all of them                            */
    uint64_t incomplete;     /* with a missing value; the rest is about */
                             /* the others                              */
    uint64_t clipped;        /* that the bounds change                  */
    uint64_t beyond;         /* outside of the ball                     */
    uint64_t *below, *above; /* for each feature, outside of its box    */
    char *names; /* of the header, each ended by a NUL; NULL: none */
    uint64_t people,
        most_rows; /* with a user_column: how many there are, and */
                   /* the most complete rows that one of them has */
} kith_check;

/* Dense files only. What missing says is not looked at. Clear it afterwards. */
KITH_API KITH_CHECKED kith_status kith_check_rows(
    const char *const *paths, size_t path_count, const kith_source_options *opt,
    const kith_bounds *bounds, kith_check *out, kith_error *err);
KITH_API void kith_check_clear(kith_check *check); /* NULL is fine */

#ifdef __cplusplus
}
#endif

#endif

/* solver: non-private subspace solvers on a matrix of rows. They know nothing
 * of datasets or privacy: plain/ runs them for comparison, and
 * sample-and-aggregate runs them on blocks of records inside the gate, so they
 * are total (always k planes of dimension q, whatever the rows) and their
 * coins do not depend on the data. */
#ifndef KITH_SOLVER_I_H
#define KITH_SOLVER_I_H

#include "base/base_i.h"
#include "kith/subspace.h"

typedef struct kith_i_matrix {
    const double *coords; /* n x d, row-major */
    uint32_t n, d;
} kith_i_matrix;

/* bases: k x q x d, orthonormal rows. q <= d. */
kith_status kith_i_solve_subspaces(kith_subspace_solver solver,
                                   const kith_i_matrix *rows, uint32_t k,
                                   uint32_t q, kith_i_coins *coins,
                                   double *bases, kith_error *err);

/* All zero but for the solver: what kith_i_solve_subspaces does. */
typedef struct kith_i_solver_options {
    kith_subspace_solver solver;
    uint32_t starts;  /* k-plane: 0: 20                                 */
    uint32_t rounds;  /* k-plane: at most; 0: 100                       */
    uint32_t threads; /* 0: one; the planes do not depend on it         */
    kith_progress_fn *progress; /* k-plane: a step is a start           */
    void *progress_arg;
} kith_i_solver_options;

kith_status kith_i_solve_subspaces_with(const kith_i_matrix *rows, uint32_t k,
                                        uint32_t q,
                                        const kith_i_solver_options *opt,
                                        kith_i_coins *coins, double *bases,
                                        kith_error *err);

#endif

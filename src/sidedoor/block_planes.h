/* block_planes.c: the subspace solvers, to run on blocks of rows. */
#ifndef KITH_BLOCK_PLANES_H
#define KITH_BLOCK_PLANES_H

#include "base/base_i.h"
#include "kith/subspace.h"

typedef struct kith_i_plane_solver {
    kith_subspace_solver solver;
    uint32_t k, q, d;
} kith_i_plane_solver;

/* A kith_i_block_solver; p: a kith_i_plane_solver. */
kith_status kith_i_solve_planes(const void *p, const double *rows, uint32_t n,
                                kith_i_coins *coins, double *planes,
                                kith_error *err);

#endif

#include "block_planes.h"

#include "solver/solver_i.h"

kith_status kith_i_solve_planes(const void *p, const double *rows, uint32_t n,
                                kith_i_coins *coins, double *planes,
                                kith_error *err)
{
    const kith_i_plane_solver *a = p;
    kith_i_matrix all = {rows, n, a->d};
    return kith_i_solve_subspaces(a->solver, &all, a->k, a->q, coins, planes,
                                  err);
}

/* The front of the solvers: defaults, and which one runs. */
#include "kernel/kernel_i.h"
#include "parts.h"

kith_status kith_i_solve_subspaces_with(const kith_i_matrix *rows, uint32_t k,
                                        uint32_t q,
                                        const kith_i_solver_options *opt,
                                        kith_i_coins *coins, double *bases,
                                        kith_error *err)
{
    kith_i_solve s = {.rows = rows,
                      .k = k,
                      .q = q,
                      .threads = opt->threads ? opt->threads : 1,
                      .coins = coins,
                      .bases = bases};
    kith_status status = KITH_OK;
    int saved = kith_i_blas_single();
    switch (opt->solver) {
    case KITH_SOLVER_KPLANE:
        status = kith_i_solve_kplane(&s, opt, err);
        break;
    case KITH_SOLVER_TSC:
        status = kith_i_solve_tsc(&s, err);
        break;
    case KITH_SOLVER_TSC_COMPONENTS:
        status = kith_i_solve_tsc_components(&s, err);
        break;
    case KITH_SOLVER_SSC:
        status = kith_i_solve_ssc(&s, err);
        break;
    case KITH_SOLVER_LRR:
        status = kith_i_solve_lrr(&s, err);
        break;
    default:
        status = kith_i_fail(err, KITH_ERR_ARGUMENT, "unknown subspace solver");
    }
    kith_i_blas_restore(saved);
    return status;
}

kith_status kith_i_solve_subspaces(kith_subspace_solver solver,
                                   const kith_i_matrix *rows, uint32_t k,
                                   uint32_t q, kith_i_coins *coins,
                                   double *bases, kith_error *err)
{
    kith_i_solver_options opt = {.solver = solver};
    return kith_i_solve_subspaces_with(rows, k, q, &opt, coins, bases, err);
}

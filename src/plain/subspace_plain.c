/* Planes of a dataset without noise, for comparison: gathers the rows in their
 * original units and runs a solver. NOT private. */
#include <string.h>

#include "base/options.h"
#include "data/fold.h"
#include "kernel/kernel_i.h"
#include "kernel/planes.h"
#include "kith/plain.h"
#include "result/result_i.h"
#include "solver/solver_i.h"

enum { MAX_PLANES = 1 << 16 };

void kith_plain_subspace_options_init(kith_plain_subspace_options *opt,
                                      size_t size)
{
    kith_plain_subspace_options fresh = {.solver = KITH_SOLVER_KPLANE};
    kith_i_options_init(opt, size, &fresh, sizeof fresh);
}

static kith_status read_options(const kith_plain_subspace_options *given,
                                kith_plain_subspace_options *opt,
                                kith_error *err)
{
    kith_plain_subspace_options_init(opt, sizeof *opt);
    kith_status status = kith_i_options_read(
        given, "kith_plain_subspace_options_init", sizeof *opt, opt, err);
    if (status)
        return status;
    if (opt->clusters == 0 || opt->clusters > MAX_PLANES ||
        opt->subspace_dimension == 0)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "say how many planes to look for, 1 to %d, and of "
                           "which dimension, at least 1",
                           MAX_PLANES);
    return KITH_OK;
}

typedef struct {
    const kith_i_domain *domain;
    double *coords;  /* n x d */
    double *lattice; /* workers x d */
} gathering;

static void gather_block(void *arg, uint32_t worker, uint64_t first,
                         const kith_i_block *block)
{
    const gathering *g = arg;
    size_t d = block->dimension;
    double *lattice = g->lattice + worker * d;
    for (uint32_t r = 0; r < block->rows; r++) {
        for (size_t i = 0; i < d; i++)
            lattice[i] = block->dense[r * d + i];
        kith_i_domain_restore(g->domain, lattice,
                              g->coords + (size_t)(first + r) * d);
    }
}

static kith_status solve(const kith_dataset *data,
                         const kith_plain_subspace_options *opt,
                         kith_result *result, kith_error *err)
{
    const kith_i_domain *domain = kith_i_dataset_domain(data);
    uint32_t d = domain->dimension, workers = kith_i_thread_count(opt->threads);
    uint32_t q = opt->subspace_dimension;
    if (q > d)
        return kith_i_fail(err, KITH_ERR_ARGUMENT, KITH_I_PLANE_TOO_LARGE, d,
                           q);
    kith_status memory = kith_i_dataset_need_memory(data, err);
    if (memory)
        return memory;
    size_t n = (size_t)kith_i_dataset_rows(data);
    gathering g = {.domain = domain};
    g.coords = kith_i_alloc(n * d, sizeof *g.coords);
    g.lattice = kith_i_alloc((size_t)workers * d, sizeof *g.lattice);
    double *planes =
        kith_i_alloc((size_t)opt->clusters * q * d, sizeof *planes);
    kith_status status = KITH_OK;
    if (!g.coords || !g.lattice || !planes) {
        status = kith_i_fail_memory(err);
    } else {
        kith_i_fold(data, workers, gather_block, &g);
        kith_i_matrix rows = {g.coords, (uint32_t)n, d};
        kith_i_solver_options so = {.solver = opt->solver,
                                    .starts = opt->starts,
                                    .rounds = opt->max_rounds,
                                    .threads = workers,
                                    .progress = opt->progress,
                                    .progress_arg = opt->progress_arg};
        kith_i_coins coins;
        kith_i_coins_seed(&coins, opt->seed, 0);
        status = kith_i_solve_subspaces_with(&rows, opt->clusters, q, &so,
                                             &coins, planes, err);
    }
    if (!status && kith_i_result_set_planes(result, q, planes))
        status = kith_i_fail_memory(err);
    if (!status)
        status = kith_i_result_count_planes(result, err);
    kith_i_wipe_free(g.coords, g.coords ? n * d * sizeof *g.coords : 0);
    kith_i_free(g.lattice);
    kith_i_free(planes);
    return status;
}

kith_status kith_plain_subspace(const kith_dataset *data,
                                const kith_plain_subspace_options *given,
                                kith_result **out, kith_error *err)
{
    kith_plain_subspace_options opt;
    if (!data || !out)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "a dataset and a place for the result are needed");
    *out = NULL;
    kith_status status = read_options(given, &opt, err);
    if (!status)
        status = kith_i_blas_reserve(kith_i_thread_count(opt.threads), err);
    if (status)
        return status;
    const kith_i_domain *domain = kith_i_dataset_domain(data);
    if (domain->sparse)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "subspace clustering takes dense rows only");
    kith_result *result = kith_i_result_new(opt.clusters, domain);
    if (!result)
        return kith_i_fail_memory(err);
    result->public_seed = opt.seed;
    status = solve(data, &opt, result, err);
    if (status)
        kith_result_free(result);
    else
        *out = result;
    return status;
}

/* Sample and aggregate (Algorithm 1, repaired): any solver on blocks of rows,
 * the medoid of its answers with noise, and back to planes. A baseline: at
 * ordinary sizes the noise is larger than everything else, and the gate
 * refuses. */
#include <math.h>
#include <string.h>

#include "sidedoor/block_planes.h"
#include "subspace_i.h"

enum { LEAST_ROWS = 50 };

/* The plane nearest to each noisy projection. */
static kith_status set_planes(kith_i_subspace_run *run, const int64_t *noisy,
                              kith_error *err)
{
    uint32_t d = run->d, q = run->q;
    size_t square = (size_t)d * d;
    double *matrix = kith_i_alloc(square + d, sizeof *matrix);
    kith_status status = matrix ? KITH_OK : kith_i_fail_memory(err);
    for (size_t l = 0; l < run->k && !status; l++) {
        for (size_t i = 0; i < square; i++)
            matrix[i] = (double)noisy[l * square + i];
        status = kith_i_eigen_alone(matrix, d, q, matrix + square,
                                    run->planes + l * q * d, err);
    }
    kith_i_free(matrix);
    return status;
}

kith_status kith_i_subspace_aggregate(kith_i_subspace_run *run, kith_error *err)
{
    const kith_subspace_options *opt = run->opt;
    uint64_t own = 4 * (uint64_t)run->k * run->q;
    own = own < LEAST_ROWS ? LEAST_ROWS : own;
    kith_i_plane_solver arg = {opt->solver, run->k, run->q, run->d};
    kith_i_blocks_spec spec = {.what = "planes (sample and aggregate)",
                               .k = run->k,
                               .q = run->q,
                               .solve = kith_i_solve_planes,
                               .arg = &arg,
                               .block_rows = opt->block_rows ? opt->block_rows
                                                             : (uint32_t)own,
                               .overlap = opt->overlap,
                               .force = opt->force,
                               .rows = run->rows};
    int64_t *noisy =
        kith_i_alloc((size_t)run->k * run->d * run->d, sizeof *noisy);
    kith_status status =
        noisy ? kith_i_release_blocks(run->session, &spec, noisy, err)
              : kith_i_fail_memory(err);
    if (!status)
        status = set_planes(run, noisy, err);
    run->rounds = 1;
    /* It depends on how far the blocks' answers lie apart: nobody knows. */
    run->noise = (double)NAN;
    kith_i_free(noisy);
    return status;
}

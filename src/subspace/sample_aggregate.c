/* Sample and aggregate (Algorithm 1, repaired): any solver on blocks of rows,
 * the medoid of its answers with noise, and back to planes. A baseline: at
 * ordinary sizes the noise is larger than everything else, and the gate
 * refuses. */
#include <math.h>
#include <string.h>

#include "sidedoor/release_blocks.h"
#include "subspace_i.h"

enum { LEAST_ROWS = 50 };

/* The width of the noise depends on the rows and is not told. But it was added
 * to projections: what a released matrix has beyond the nearest one is noise,
 * but for the q (d - q) numbers in which that one follows it. squares: of all
 * entries beyond, of all planes. The width is taken to be two of its standard
 * deviations larger than it seems. */
static double noise_beyond(const kith_i_subspace_run *run, double squares)
{
    double d = run->d, q = run->q;
    double numbers = run->k * (d * (d + 1) / 2 - q * (d - q));
    double sd = sqrt(fmax(squares, 0) / numbers) * (1 + 2 / sqrt(2 * numbers));
    return sd * sqrt(q * (d - q) / 2);
}

/* The plane nearest to each noisy projection. */
static kith_status set_planes(kith_i_subspace_run *run, const int64_t *noisy,
                              kith_error *err)
{
    uint32_t d = run->d, q = run->q;
    size_t square = (size_t)d * d;
    double squares = 0, *matrix = kith_i_alloc(square + d, sizeof *matrix);
    kith_status status = matrix ? KITH_OK : kith_i_fail_memory(err);
    for (size_t l = 0; l < run->k && !status; l++) {
        for (size_t i = 0; i < square; i++) {
            matrix[i] =
                ldexp((double)noisy[l * square + i], -KITH_I_PLANE_BITS);
            squares += matrix[i] * matrix[i];
        }
        status = kith_i_eigen_alone(matrix, d, q, matrix + square,
                                    run->planes + l * q * d, err);
        for (uint32_t j = 0; j < q; j++) /* |A - UU'|^2, U'AU being diagonal */
            squares += 1 - 2 * matrix[square + j];
    }
    if (!status && run->rows == 0)
        run->noise = noise_beyond(run, squares);
    kith_i_free(matrix);
    return status;
}

kith_status kith_i_subspace_aggregate(kith_i_subspace_run *run, kith_error *err)
{
    const kith_subspace_options *opt = run->opt;
    uint64_t own = 4 * (uint64_t)run->k * run->q;
    own = own < LEAST_ROWS ? LEAST_ROWS : own;
    kith_i_blocks_spec spec = {.what = "planes (sample and aggregate)",
                               .k = run->k,
                               .q = run->q,
                               .solver = opt->solver,
                               .block_rows = opt->block_rows ? opt->block_rows
                                                             : (uint32_t)own,
                               .overlap = opt->overlap,
                               .force = opt->force,
                               .rows = run->rows,
                               .counted = &run->counted};
    int64_t *noisy =
        kith_i_alloc((size_t)run->k * run->d * run->d, sizeof *noisy);
    kith_status status =
        noisy ? kith_i_release_blocks(run->session, &spec, noisy, err)
              : kith_i_fail_memory(err);
    if (!status)
        status = set_planes(run, noisy, err);
    run->rounds = 1; /* a plan: nobody knows how far the answers lie apart */
    kith_i_free(noisy);
    return status;
}

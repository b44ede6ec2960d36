#include "block_means.h"

#include "kernel/kernel_i.h"

enum { MOST_STEPS = 100 };

kith_status kith_i_solve_means(const kith_i_matrix *rows, uint32_t k,
                               kith_i_coins *coins, double *centers)
{
    size_t n = rows->n, d = rows->d;
    size_t seeding = n * (kith_i_seed_candidates(k) + 1);
    size_t steps = n + k * (d + 1);
    size_t size = seeding > steps ? seeding : steps;
    double *weights = kith_i_alloc(n, sizeof *weights);
    uint32_t *labels = kith_i_alloc(n, sizeof *labels);
    double *scratch = kith_i_alloc(size, sizeof *scratch);
    int fine = weights && labels && scratch;
    if (fine && n > 0) {
        for (size_t r = 0; r < n; r++)
            weights[r] = 1;
        kith_i_points points = {rows->coords, weights, (uint32_t)n,
                                (uint32_t)d};
        kith_i_seed_points(&points, k, coins, scratch, centers);
        kith_i_lloyd_points(&points, k, MOST_STEPS, scratch, labels, centers);
    }
    kith_i_free(weights);
    kith_i_wipe_free(labels, labels ? n * sizeof *labels : 0);
    kith_i_wipe_free(scratch, scratch ? size * sizeof *scratch : 0);
    return fine ? KITH_OK : KITH_ERR_MEMORY;
}

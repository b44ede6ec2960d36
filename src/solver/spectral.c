/* Normalised spectral clustering (Ng, Jordan, Weiss 2001): leading
 * eigenvectors, rows scaled to length 1, k-means. */
#include "kernel/kernel_i.h"
#include "parts.h"

#include <math.h>
#include <string.h>

enum { REPLICATES = 20, LLOYD_ROUNDS = 200 };

/* vectors: k x n; points: n x k rows of length 1 (or 0). */
static void embed(const double *vectors, uint32_t n, uint32_t k, double *points)
{
    for (size_t i = 0; i < n; i++) {
        double square = 0;
        for (size_t j = 0; j < k; j++) {
            double v = vectors[j * n + i];
            points[i * k + j] = v;
            square += v * v;
        }
        for (size_t j = 0; square > 0 && j < k; j++)
            points[i * k + j] /= sqrt(square);
    }
}

static kith_status best_means(const kith_i_points *points, uint32_t k,
                              kith_i_coins *coins, uint32_t *labels,
                              kith_error *err)
{
    size_t n = points->n, seed = n * (kith_i_seed_candidates(k) + 1);
    size_t lloyd = n + (size_t)k * (points->d + 1);
    double *scratch =
        kith_i_alloc(seed > lloyd ? seed : lloyd, sizeof *scratch);
    double *centers = kith_i_alloc((size_t)k * points->d, sizeof *centers);
    uint32_t *trial = kith_i_alloc(n, sizeof *trial);
    kith_status status = KITH_OK;
    double best = HUGE_VAL;
    int ok = scratch && centers && trial;
    if (!ok)
        status = kith_i_fail_memory(err);
    for (int r = 0; ok && r < REPLICATES; r++) {
        kith_i_seed_points(points, k, coins, scratch, centers);
        double cost = kith_i_lloyd_points(points, k, LLOYD_ROUNDS, scratch,
                                          trial, centers);
        if (r == 0 || cost < best) {
            best = cost;
            memcpy(labels, trial, n * sizeof *labels);
        }
    }
    kith_i_free(scratch);
    kith_i_free(centers);
    kith_i_free(trial);
    return status;
}

kith_status kith_i_spectral_labels(const kith_i_graph *g, uint32_t k,
                                   kith_i_coins *coins, uint32_t *labels,
                                   kith_error *err)
{
    size_t n = g->n;
    if (n <= k) { /* each node for itself */
        for (uint32_t i = 0; i < n; i++)
            labels[i] = i;
        return KITH_OK;
    }
    double *vectors = kith_i_alloc(n * k, sizeof *vectors);
    double *coords = kith_i_alloc(n * k, sizeof *coords);
    double *weights = kith_i_alloc(n, sizeof *weights);
    kith_status status = KITH_OK;
    int ok = vectors && coords && weights;
    if (!ok)
        status = kith_i_fail_memory(err);
    else
        status = kith_i_graph_leading(g, k, coins, vectors, err);
    if (ok && !status) {
        embed(vectors, g->n, k, coords);
        for (size_t i = 0; i < n; i++)
            weights[i] = 1;
        kith_i_points points = {coords, weights, g->n, k};
        status = best_means(&points, k, coins, labels, err);
    }
    kith_i_free(vectors);
    kith_i_free(coords);
    kith_i_free(weights);
    return status;
}

kith_status kith_i_spectral_planes(const kith_i_solve *s, const kith_i_graph *g,
                                   kith_error *err)
{
    uint32_t *labels = kith_i_alloc(g->n, sizeof *labels);
    kith_status status = KITH_OK;
    if (!labels)
        status = kith_i_fail_memory(err);
    else
        status = kith_i_spectral_labels(g, s->k, s->coins, labels, err);
    if (!status)
        status = kith_i_principal_planes(s, labels, err);
    kith_i_free(labels);
    return status;
}

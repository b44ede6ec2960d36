/* Leading eigenvectors of a normalised graph, D^-1/2 W D^-1/2.
 *
 * Small graphs: LAPACK on the dense matrix. Others: block Lanczos with full
 * orthogonalisation, restarted from the best Ritz vectors; blocks are larger
 * than k, so that eigenvalue 1, which a graph in several pieces has several
 * times, is found as often as it is needed. */
#include <math.h>
#include <string.h>

#include "kernel/dense.h"
#include "kernel/kernel_i.h"
#include "kernel/planes.h"
#include "parts.h"

enum { DENSE_NODES = 400, EXTRA = 4, BLOCKS = 8, RESTARTS = 100 };
#define RESIDUAL 1e-7

typedef struct {
    const kith_i_graph *g;
    double *scale;         /* n: degree^-1/2 */
    double *scratch;       /* of the graph */
    double *scaled;        /* block x n */
    uint32_t block, room;  /* vectors in a block; in the basis */
    double *basis, *image; /* room x n; image = basis times the matrix */
    double *small, *vectors, *values; /* room x room; room */
    double *work;
    int *integers;
    double *products; /* block x room */
} lanczos;

static void lanczos_free(lanczos *z)
{
    kith_i_free(z->scale);
    kith_i_free(z->scratch);
    kith_i_free(z->scaled);
    kith_i_free(z->basis);
    kith_i_free(z->image);
    kith_i_free(z->small);
    kith_i_free(z->vectors);
    kith_i_free(z->values);
    kith_i_free(z->work);
    kith_i_free(z->integers);
    kith_i_free(z->products);
}

/* The dense case is a basis of all unit vectors: room = n. */
static int lanczos_init(lanczos *z, const kith_i_graph *g, uint32_t k)
{
    uint32_t n = g->n;
    *z = (lanczos){.g = g, .block = k + EXTRA};
    int dense = n <= DENSE_NODES || (uint64_t)z->block * BLOCKS > n;
    z->room = dense ? n : z->block * BLOCKS;
    z->block = dense ? 1 : z->block;
    size_t room = z->room, vectors = room * n;
    z->scale = kith_i_alloc(n, sizeof *z->scale);
    z->scratch = kith_i_alloc(kith_i_graph_scratch(g), sizeof *z->scratch);
    z->scaled = kith_i_alloc((size_t)z->block * n, sizeof *z->scaled);
    z->basis = kith_i_alloc(dense ? 0 : vectors, sizeof *z->basis);
    z->image = kith_i_alloc(dense ? n : vectors, sizeof *z->image);
    z->small = kith_i_alloc(room * room, sizeof *z->small);
    z->vectors = kith_i_alloc(dense ? 0 : room * room, sizeof *z->vectors);
    z->values = kith_i_alloc(room, sizeof *z->values);
    z->work = kith_i_alloc(kith_i_eigen_work(z->room), sizeof *z->work);
    z->integers =
        kith_i_alloc(kith_i_eigen_integers(z->room), sizeof *z->integers);
    z->products = kith_i_alloc((size_t)z->block * room, sizeof *z->products);
    return z->scale && z->scratch && z->scaled && z->basis && z->image &&
           z->small && z->vectors && z->values && z->work && z->integers &&
           z->products;
}

static void find_scale(lanczos *z)
{
    uint32_t n = z->g->n;
    for (uint32_t i = 0; i < n; i++)
        z->scaled[i] = 1;
    kith_i_graph_apply(z->g, 1, z->scaled, z->scratch, z->scale);
    for (uint32_t i = 0; i < n; i++)
        z->scale[i] = z->scale[i] > 0 ? 1 / sqrt(z->scale[i]) : 0;
}

/* out = in times the normalised matrix, count (at most block) vectors. */
static void apply(lanczos *z, uint32_t count, const double *in, double *out)
{
    size_t n = z->g->n;
    for (uint32_t c = 0; c < count; c++)
        for (size_t i = 0; i < n; i++)
            z->scaled[c * n + i] = in[c * n + i] * z->scale[i];
    kith_i_graph_apply(z->g, count, z->scaled, z->scratch, out);
    for (uint32_t c = 0; c < count; c++)
        for (size_t i = 0; i < n; i++)
            out[c * n + i] *= z->scale[i];
}

static int solve_dense(lanczos *z, uint32_t k, double *vectors)
{
    uint32_t n = z->g->n;
    for (size_t i = 0; i < n; i++) {
        memset(z->image, 0, n * sizeof *z->image);
        z->image[i] = 1;
        apply(z, 1, z->image, z->small + i * n);
    }
    return kith_i_eigen_top(z->small, n, k, z->work, z->integers, z->values,
                            vectors);
}

/* Orthonormalise a block of vectors among themselves and against the held
 * ones; twice, since a dependent vector is replaced by a random one. */
static void clean_block(lanczos *z, uint32_t held, kith_i_coins *coins)
{
    uint32_t n = z->g->n, b = z->block;
    double *block = z->basis + (size_t)held * n;
    for (int pass = 0; pass < 3; pass++) {
        kith_i_multiply(KITH_I_FLIP_B, b, held, n, block, z->basis,
                        z->products);
        for (size_t t = 0; t < (size_t)b * held; t++)
            z->products[t] = -z->products[t];
        if (held > 0)
            kith_i_multiply(KITH_I_ADD, b, n, held, z->products, z->basis,
                            block);
        kith_i_orthonormalize(block, b, n, coins);
    }
}

/* Fill the basis from its first block. */
static void grow(lanczos *z, kith_i_coins *coins)
{
    size_t n = z->g->n;
    for (uint32_t held = 0; held < z->room; held += z->block) {
        if (held > 0)
            memcpy(z->basis + held * n, z->image + (held - z->block) * n,
                   z->block * n * sizeof *z->basis);
        clean_block(z, held, coins);
        apply(z, z->block, z->basis + held * n, z->image + held * n);
    }
}

/* The best block of vectors in the basis goes to its front; *residual: the
 * largest error of the first k as eigenvectors. Nonzero if LAPACK fails. */
static int extract(lanczos *z, uint32_t k, double *residual)
{
    uint32_t n = z->g->n, room = z->room, b = z->block;
    kith_i_multiply(KITH_I_FLIP_B, room, room, n, z->basis, z->image, z->small);
    if (kith_i_eigen_top(z->small, room, b, z->work, z->integers, z->values,
                         z->vectors))
        return -1;
    *residual = 0;
    for (uint32_t j = 0; j < k; j++) {
        const double *y = z->vectors + (size_t)j * room;
        kith_i_multiply(KITH_I_FLIP_NONE, 1, n, room, y, z->image, z->scaled);
        for (size_t t = 0; t < room; t++)
            z->products[t] = -z->values[j] * y[t];
        kith_i_multiply(KITH_I_ADD, 1, n, room, z->products, z->basis,
                        z->scaled);
        double square = 0;
        for (size_t i = 0; i < n; i++)
            square += z->scaled[i] * z->scaled[i];
        *residual = fmax(*residual, sqrt(square));
    }
    kith_i_multiply(KITH_I_FLIP_NONE, b, n, room, z->vectors, z->basis,
                    z->scaled);
    memcpy(z->basis, z->scaled, (size_t)b * n * sizeof *z->basis);
    return 0;
}

static int solve_blocks(lanczos *z, uint32_t k, kith_i_coins *coins,
                        double *vectors)
{
    size_t n = z->g->n;
    for (size_t t = 0; t < z->block * n; t++)
        z->basis[t] = kith_i_coins_normal(coins);
    double residual = HUGE_VAL;
    for (int r = 0; r < RESTARTS && residual > RESIDUAL; r++) {
        grow(z, coins);
        if (extract(z, k, &residual))
            return -1;
    }
    memcpy(vectors, z->basis, k * n * sizeof *vectors);
    return 0;
}

kith_status kith_i_graph_leading(const kith_i_graph *g, uint32_t k,
                                 kith_i_coins *coins, double *vectors,
                                 kith_error *err)
{
    lanczos z;
    kith_status status = KITH_OK;
    if (!lanczos_init(&z, g, k)) {
        status = kith_i_fail_memory(err);
    } else {
        find_scale(&z);
        int bad = z.room == g->n ? solve_dense(&z, k, vectors)
                                 : solve_blocks(&z, k, coins, vectors);
        if (bad)
            status = kith_i_fail(err, KITH_ERR_INTERNAL,
                                 "an eigenvalue problem could not be solved");
    }
    lanczos_free(&z);
    return status;
}

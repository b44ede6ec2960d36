/* What the files of the Bingham sampler share. */
#ifndef KITH_BINGHAM_I_H
#define KITH_BINGHAM_I_H

#include "bingham_draw.h"

/* An angular central Gaussian envelope of exp(z'Bz): M = cI - B,
 * W = I + 2M/b. */
typedef struct kith_i_acg {
    double c, b, trace; /* trace of B */
} kith_i_acg;

/* A good envelope, without any factor. */
kith_i_acg kith_i_acg_guess(kith_i_bingham *s, const double *b, uint32_t stride,
                            uint32_t m);
/* space->factor = Cholesky factor of W; c is raised until there is one. */
void kith_i_acg_settle(kith_i_bingham *s, const double *b, uint32_t stride,
                       uint32_t m, kith_i_acg *e);
/* Best b for costs >= 0, the smallest 0. */
double kith_i_acg_best(const double *cost, uint32_t m);
/* log of the factor that makes the acceptance at most 1, for one dimension. */
double kith_i_acg_bound(double m, double b);

/* Eigenvalues (and vectors, rows) of a block, largest first; -1 on failure. */
int kith_i_bingham_eigen(kith_i_bingham *s, const double *b, uint32_t stride,
                         uint32_t m);

#endif

/* block_means.c: k-means, to run on blocks of rows. */
#ifndef KITH_BLOCK_MEANS_H
#define KITH_BLOCK_MEANS_H

#include "solver/solver_i.h"

/* k centres (k x d) of the rows; without rows they stay as they are. Fails for
 * want of memory only. */
kith_status kith_i_solve_means(const kith_i_matrix *rows, uint32_t k,
                               kith_i_coins *coins, double *centers);

#endif

/* Minimise a smooth function of many variables: L-BFGS. */
#ifndef KITH_LBFGS_H
#define KITH_LBFGS_H

#include <stddef.h>
#include <stdint.h>

/* The value at x, and its gradient. */
typedef double kith_i_smooth_fn(void *arg, const double *x, double *gradient);

enum { KITH_I_LBFGS_MEMORY = 10 };
size_t kith_i_lbfgs_scratch(size_t n); /* doubles */

/* At most `iterations` steps from x, in place; stops earlier once a step gains
 * less than `gain` times the value (several times in a row) or the gradient
 * vanishes. Returns the value at x, never more than at the start. */
double kith_i_lbfgs(kith_i_smooth_fn *f, void *arg, size_t n,
                    uint32_t iterations, double gain, double *x,
                    double *scratch);

#endif

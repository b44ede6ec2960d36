/* The size of a noise, exact: budget finds it, noise draws with it. */
#ifndef KITH_SCALE_H
#define KITH_SCALE_H

#include <stdint.h>

/* A noise scale num / 2^shift: standard deviation sigma of the rounded
 * Gaussian or scale t of the discrete Laplace. num is in [1, 2^62). */
typedef struct kith_i_scale {
    uint64_t num;
    uint32_t shift;
} kith_i_scale;

#endif

/* sampler_wishart.c: noise that is the difference of two Wishart matrices. */
#ifndef KITH_SAMPLER_WISHART_H
#define KITH_SAMPLER_WISHART_H

#include "entropy.h"
#include "sampler.h"

/* Z = (b/2) (G G' - H H'), G and H p x (p+1) matrices of independent standard
 * normal deviates: the difference of two matrices with density proportional to
 * exp(-tr W / b) on positive definite ones. Known by its digits. */
typedef struct kith_i_wishart kith_i_wishart;

/* Largest p. */
enum { KITH_I_WISHART_MOST = 1200 };

/* Draw it, but for b. The words come from the streams stream << 32 and on;
 * the source must outlive the matrix. KITH_ERR_ENTROPY, KITH_ERR_MEMORY. */
kith_status kith_i_wishart_open(const kith_i_entropy_source *source,
                                uint64_t stream, uint32_t p, uint32_t threads,
                                kith_i_wishart **out, kith_error *err);
void kith_i_wishart_close(kith_i_wishart *w);

/* A combination of entries of Z: those of the first `plain` places, and those
 * of the next `rooted` places over sqrt 2, in all over `over`. */
typedef struct kith_i_wishart_mix {
    uint32_t plain, rooted, over;
    uint32_t x[3], y[3];
} kith_i_wishart_mix;

/* Its nearest integer (halves, of probability 0, up). When something failed,
 * 0; kith_i_wishart_state then says what, and nothing may be released. */
int64_t kith_i_wishart_round(kith_i_wishart *w, kith_i_scale b,
                             const kith_i_wishart_mix *mix);
kith_status kith_i_wishart_state(const kith_i_wishart *w, kith_error *err);

#endif

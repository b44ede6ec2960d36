/* Exact samplers: integers only (R1). Every function draws words from an
 * entropy object and returns a value with exactly the stated law, provided
 * the words are independent and uniform. sampler.c holds the fast paths in
 * 64 and 128 bits; when 64 binary digits of a lazily drawn real do not decide
 * a comparison, sampler_wide.c goes on with GMP. tests/support has a second,
 * naive implementation that must agree word for word. */
#ifndef KITH_SAMPLER_H
#define KITH_SAMPLER_H

#include <stddef.h>
#include <stdint.h>

#include "base/scale.h"
#include "base/wide.h"
#include "entropy.h"

/* Uniform in [0, limit), limit > 0. */
uint64_t kith_i_sample_below(kith_i_entropy *e, uint64_t limit);

/* 1 with probability p/q; p <= q, q > 0. */
int kith_i_sample_bernoulli(kith_i_entropy *e, uint64_t p, uint64_t q);

/* 1 with probability exp(-p/q); q > 0. */
int kith_i_sample_bernoulli_exp(kith_i_entropy *e, kith_i_u128 p, uint64_t q);

/* x in {0, 1, ...} with Pr[x] proportional to exp(-x / t). */
int64_t kith_i_sample_geometric(kith_i_entropy *e, kith_i_scale t);

/* x in Z with Pr[x] proportional to exp(-|x| / t). */
int64_t kith_i_sample_laplace(kith_i_entropy *e, kith_i_scale t);

/* round(sigma * N(0,1)), halves (of probability 0) up. */
int64_t kith_i_sample_gaussian(kith_i_entropy *e, kith_i_scale sigma);

/* The same conditioned on the result being >= least; least >= 1. */
int64_t kith_i_sample_gaussian_tail(kith_i_entropy *e, kith_i_scale sigma,
                                    int64_t least);

/* sampler_knorm.c: round(z) for a vector z in R^width, added to values. z has
 * density proportional to exp(-|(z_i / b_i)_i|_2), where b_i is b[0] for the
 * first end[0] coordinates, b[1] from there to end[1], and so on; the last end
 * is width. scratch: width + 1 deviates. */
struct kith_i_deviate;
size_t kith_i_knorm_scratch(size_t width); /* bytes */
void kith_i_sample_knorm_parts(kith_i_entropy *e, const kith_i_scale *b,
                               const size_t *end, size_t width,
                               struct kith_i_deviate *scratch, int64_t *values);
/* Two parts. */
void kith_i_sample_knorm(kith_i_entropy *e, const kith_i_scale b[2],
                         size_t split, size_t width,
                         struct kith_i_deviate *scratch, int64_t *values);

/* ---- sampler_wide.c: a real in [0,1) drawn digit by digit ---------------- */

enum { KITH_I_LAZY_DIGITS = 8 };
typedef struct kith_i_lazy {
    uint64_t digit[KITH_I_LAZY_DIGITS]; /* base 2^64, most significant first */
    uint32_t count;
} kith_i_lazy;

/* |N| = k + x for a standard normal N, x known by its first digit. */
uint64_t kith_i_sample_half_normal(kith_i_entropy *e, kith_i_lazy *x);

/* Draw one more digit. After KITH_I_LAZY_DIGITS (probability < 2^-380) the
 * entropy object is marked as failed and nothing will be released. */
void kith_i_lazy_extend(kith_i_entropy *e, kith_i_lazy *x);

/* u * m < x (2k + x), refining both as needed. */
int kith_i_wide_less(kith_i_entropy *e, kith_i_lazy *u, uint64_t m,
                     kith_i_lazy *x, uint64_t k);

/* floor(sigma (k + x) + 1/2), refining x as needed. */
int64_t kith_i_wide_round(kith_i_entropy *e, kith_i_scale sigma, uint64_t k,
                          kith_i_lazy *x);

/* ---- sampler_gap.c: how many empty cells until the next one that shows --- */

typedef enum { KITH_I_LAPLACE = 1, KITH_I_GAUSSIAN } kith_i_noise_kind;

/* Number of failures before the first success of independent trials, each a
 * success with probability Pr[noise >= least]; least >= 1. Saturates at
 * UINT64_MAX. Fills MPFR's caches: call mpfr_free_cache after the last. */
uint64_t kith_i_sample_gap(kith_i_entropy *e, kith_i_noise_kind kind,
                           kith_i_scale scale, int64_t least);

#endif

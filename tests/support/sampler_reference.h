/* The samplers once more, naively, with GMP rationals and no fast path; they
 * read the same words in the same order as the library's and must return the
 * same values. */
#ifndef KITH_TEST_SAMPLER_REFERENCE_H
#define KITH_TEST_SAMPLER_REFERENCE_H

#include "noise/sampler.h"

int reference_bernoulli(kith_i_entropy *e, uint64_t p, uint64_t q);
int reference_bernoulli_exp(kith_i_entropy *e, uint64_t p, uint64_t q);
int64_t reference_laplace(kith_i_entropy *e, kith_i_scale t);
int64_t reference_gaussian(kith_i_entropy *e, kith_i_scale sigma);

#endif

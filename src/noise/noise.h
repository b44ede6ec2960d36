/* Noise on exact sums: the last step of every release. */
#ifndef KITH_NOISE_H
#define KITH_NOISE_H

#include <stddef.h>
#include <stdint.h>

#include "sampler.h"

/* values[i] += noise of scale scales[i / per_scale]. Work is cut into chunks
 * with an entropy object each, so that a seeded run gives the same bits for
 * every number of threads. stream: distinct for every call of a session. */
typedef struct kith_i_noise {
    kith_i_noise_kind kind;
    const kith_i_scale *scales;
    size_t per_scale;
    const kith_i_entropy_source *source;
    uint64_t stream;
    uint32_t threads;
    /* K-norm only: coordinates from split on have the scale rest[vector] */
    const kith_i_scale *rest;
    size_t split;
} kith_i_noise;

/* One K-norm vector of several parts (sampler.h): scales and ends of the
 * noise's own fields are not used. */
kith_status kith_i_noise_add_parts(const kith_i_noise *noise,
                                   const kith_i_scale *scales,
                                   const size_t *ends, size_t width,
                                   int64_t *values, kith_error *err);

/* The same with K-norm noise: vectors of per_scale values, each with the scale
 * (and the entropy object) of its own. */
kith_status kith_i_noise_add_knorm(const kith_i_noise *noise, int64_t *values,
                                   size_t vectors, kith_error *err);

/* KITH_ERR_ENTROPY, KITH_ERR_CANCELLED (base/watch.h): values must not be used
 * (they are wiped here). */
kith_status kith_i_noise_add(const kith_i_noise *noise, int64_t *values,
                             size_t count, kith_error *err);

#endif

/* release_average.c: sample and aggregate by averaging (GUPT: Mohan, Thakurta,
 * Shi, Song, Culler 2012). k-means runs on blocks of records inside the gate;
 * the sum of its answers is released with noise. Unlike release_blocks.c it
 * adds up with other releases. */
#ifndef KITH_RELEASE_AVERAGE_H
#define KITH_RELEASE_AVERAGE_H

#include "base/base_i.h"
#include "dp/dp_i.h"

typedef struct kith_i_average_spec {
    const char *what;
    uint32_t k, blocks;
} kith_i_average_spec;

/* out: k x d, the sums over the blocks of their k centres (lattice units, in
 * lexicographic order) with noise; *sd: its standard deviation. Takes all that
 * is left of the session. Dense rows, alone. */
kith_status kith_i_release_average(kith_session *session,
                                   const kith_i_average_spec *spec,
                                   int64_t *out, double *sd, kith_error *err);

#endif

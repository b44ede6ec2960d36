/* release_blocks.c: sample and aggregate (Nissim, Raskhodnikova, Smith 2007;
 * Algorithm 1 of Wang, Wang, Singh 2015, repaired). A solver runs on blocks of
 * records inside the gate; the medoid of its answers is released with noise
 * for the medoid's smooth sensitivity. */
#ifndef KITH_RELEASE_BLOCKS_H
#define KITH_RELEASE_BLOCKS_H

#include "base/base_i.h"
#include "dp/dp_i.h"
#include "kith/subspace.h"

typedef struct kith_i_blocks_spec {
    const char *what;
    uint32_t k, q;
    kith_subspace_solver solver; /* by name: no code of a method sees a row */
    uint32_t block_rows; /* wanted; blocks get larger when there are many */
    int overlap; /* the paper's sampling, with at most sqrt(m) blocks a record;
                    replace-one only. Else a partition. */
    int force;   /* go on although the noise drowns everything: "none" */
    uint64_t rows;   /* what a plan assumes */
    double *counted; /* if not NULL: the rows that were counted, noisily, are
                        put there */
} kith_i_blocks_spec;

enum { KITH_I_PLANE_BITS = 20 };

/* out: k symmetric d x d matrices, projections times 2^KITH_I_PLANE_BITS plus
 * noise, in random order. Takes the whole session: (epsilon, delta) as
 * declared, which does not add up with anything; so nothing may have been spent
 * before, nor a ledger charged. KITH_ERR_PRIVACY, with what would help, when
 * too few blocks stand against the noise. */
kith_status kith_i_release_blocks(kith_session *session,
                                  const kith_i_blocks_spec *spec, int64_t *out,
                                  kith_error *err);

#endif

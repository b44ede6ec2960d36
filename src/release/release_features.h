/* release_features.c: which features of many matter, for sparse records. */
#ifndef KITH_RELEASE_FEATURES_H
#define KITH_RELEASE_FEATURES_H

#include "dp/dp_i.h"

/* Every record is scaled, up or down, to this norm in a profile. */
enum { KITH_I_PROFILE_NORM = 1 << 14 };

/* sums (dimension): of all records, each scaled to the same norm (L1 in pure
 * DP, L2 in Gaussian DP), and noise of standard deviation *sd each. */
kith_status kith_i_release_profile(kith_session *session, const char *what,
                                   kith_i_loss charge, int64_t *sums,
                                   double *sd, kith_error *err);

typedef struct kith_i_features_spec {
    const char *what;
    uint32_t cells;
    uint32_t picks;     /* features to choose in each cell, at most dimension */
    uint32_t bound;     /* entries of records are clamped to +-bound for it */
    kith_i_loss charge; /* for all cells and picks together */
} kith_i_features_spec;

/* out (cells x picks): for each cell distinct features with large |sum| of the
 * records in it, chosen one after the other (Algorithm 5 of Balcan et al.
 * 2017, repaired). */
kith_status kith_i_release_features(kith_session *session,
                                    const kith_i_ask *ask,
                                    const kith_i_features_spec *spec,
                                    uint32_t *out, kith_error *err);

#endif

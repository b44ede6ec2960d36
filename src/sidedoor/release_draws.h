/* release_draws.c: k-means++ seeds of the records with noise on each
 * (k-variates++: Nock, Canyasse, Boreli, Nielsen 2016). */
#ifndef KITH_RELEASE_DRAWS_H
#define KITH_RELEASE_DRAWS_H

#include "base/base_i.h"
#include "dp/dp_i.h"

/* out: k x d, lattice units: each a record, drawn with weight of its squared
 * distance to the nearest one before, plus noise. The seeds that weigh the
 * next draws are the noisy ones, within the bounds. *sd: of the noise. Takes
 * all that is left of the session. Dense rows, alone. */
kith_status kith_i_release_draws(kith_session *session, const char *what,
                                 uint32_t k, int64_t *out, double *sd,
                                 kith_error *err);

#endif

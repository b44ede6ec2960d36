/* A simulated user's report: the device's own code, fed from an entropy object;
 * or, with --delta, a Gaussian report, which no device sends. */
#ifndef KITH_USER_RESPOND_H
#define KITH_USER_RESPOND_H

#include "collect/collect_i.h"
#include "device/respond.h"
#include "noise/entropy.h"

/* Look at e->failed before the bytes are used. */
void kith_i_user_respond(const kith_i_asked *asked, const double *x,
                         kith_i_entropy *e, void *scratch, uint8_t *bytes);

/* nonce = PRF(secret, task, round, group): no record in it. */
void kith_i_user_nonce(const uint8_t secret[32], kith_i_ticket *ticket);

/* A kith_random_fn over a kith_i_entropy; count: a multiple of 8. */
kith_random_fn kith_i_user_random;

/* ---- gaussian_report.c ---- */

/* sign v in lattice steps, toward zero, plus rounded Gaussian noise; |v| <= 1
 * is enforced in integers. kept numbers. */
void kith_i_gaussian_vector(const kith_i_mechanism *mechanism,
                            const float *vector, int sign, kith_i_entropy *e,
                            int32_t *out);
void kith_i_gaussian_respond(const kith_i_asked *asked, const double *x,
                             kith_i_entropy *e, void *scratch, uint8_t *bytes);

#endif

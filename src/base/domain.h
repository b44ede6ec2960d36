/* The public domain: bounds, and the integer lattice that rows live on.
 *
 * A feature value x becomes u = (x - shift) * stretch (the identity without
 * --normalize), is clipped to the box and the ball (or, with unit rows, to the
 * box and then scaled to length 1), and is stored as
 *     q = trunc((u - origin) * 2^scale_log2),   |q| <= 32767.
 * Truncation is toward zero, so |q| <= |u - origin| * 2^scale_log2 in every
 * coordinate and no row leaves the ball (R3). All limits below are integers
 * that dataset.c checks again on the stored row: they are the sensitivities
 * that the gate charges for. Nothing here is computed from rows (I1, R10).
 *
 * Why int16: the step is about 2^-14 of the largest half-width w, so the
 * squared error is below d w^2 2^-28 / 3 a row. That is < 0.1 % of the loss
 * unless the bounds are ~500 times wider than the clusters, where the noise
 * has long drowned the centres. And with |q| < 2^15 every sum the kernels
 * make in double (x.c, |c|^2, Gram blocks) stays below 2^53 up to
 * d = KITH_I_MAX_DIMENSION (R2). */
#ifndef KITH_DOMAIN_H
#define KITH_DOMAIN_H

#include <stdint.h>

#include "kith/data.h"
#include "kith/status.h"

/* I2: 3 d 2^30 <= 2^53, so scores |c|^2 - 2 x.c are exact in double. */
#define KITH_I_MAX_DIMENSION 2000000u
/* I7, I12: rows in a dataset; 2^31 * 2^31 < 2^63, no int64 sum can overflow
 * (R4). */
#define KITH_I_MAX_ROWS 0x7fffffffu

typedef struct kith_i_domain {
    uint32_t dimension;
    int sparse;          /* rows are sparse: origin is 0 everywhere          */
    double *shift;       /* normalize: u = (x - shift) * stretch; else NULL  */
    double *stretch;     /*                                                  */
    double *low, *high;  /* box in units of u; NULL: none                    */
    double *origin;      /* in units of u; with a sparsity below dimension   */
                         /* that of the raw value 0, clipped to the box      */
    double radius;       /* ball about origin in units of u; 0: none         */
    int unit_rows;       /* rows are scaled to length 1 after the box: the   */
                         /* lattice is that of the unit ball, without a box  */
    int coded;           /* values become codes first (base/recode.h): 1,    */
                         /* or 2: the largest of the row alone               */
    uint32_t sparsity;   /* most non-zero entries of a row; at most dimension */
    int scale_log2;      /* lattice units per unit of u, as a power of two   */
    int16_t *low_q;      /* lattice box: low_q <= q <= high_q; always set    */
    int16_t *high_q;     /*                                                  */
    uint64_t l2_squared; /* every stored row has sum q^2   <= l2_squared     */
    uint64_t l1;         /* every stored row has sum |q|   <= l1             */
} kith_i_domain;

/* Check the bounds and build the domain. KITH_ERR_PRIVACY when they are
 * missing or make no sense. bounds: borrowed. */
kith_status kith_i_domain_new(const kith_bounds *bounds, uint32_t dimension,
                              int sparse, kith_i_domain **out, kith_error *err);
void kith_i_domain_free(kith_i_domain *domain); /* NULL is fine */
/* The bounds of rows in these features (increasing), about their origin. */
kith_status kith_i_domain_narrow(const kith_i_domain *domain,
                                 const uint32_t *features, uint32_t q,
                                 kith_i_domain **out, kith_error *err);

/* Length of a lattice step in units of u: 2^-scale_log2. */
double kith_i_domain_step(const kith_i_domain *domain);

/* Smallest integer whose square is >= l2_squared. */
uint64_t kith_i_domain_l2(const kith_i_domain *domain);

/* Clip a released point (lattice units, real-valued) to the domain. */
void kith_i_domain_clip(const kith_i_domain *domain, double *point);

/* Released point in lattice units -> original units of the caller. */
void kith_i_domain_restore(const kith_i_domain *domain, const double *lattice,
                           double *out);

#endif

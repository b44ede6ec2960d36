/* Draws from Bingham laws, in double precision.
 *
 * On the sphere: density proportional to exp(z'Bz) (vector Bingham). On planes:
 * exp(tr U A U') for q orthonormal rows U (matrix Bingham), a law of the plane
 * alone. Kent, Ganeiber, Mardia 2013; Hoff 2009. */
#ifndef KITH_BINGHAM_DRAW_H
#define KITH_BINGHAM_DRAW_H

#include "base/base_i.h"
#include "base/words.h"

/* Work space for planes of dimension q in R^d. */
typedef struct kith_i_bingham {
    uint32_t d, q;
    double *w, *factor, *vectors; /* d x d, and room for padding */
    double *values, *z, *v, *other, *work;
    int *integers;
    size_t bytes; /* of the one block behind all of them */
} kith_i_bingham;

kith_status kith_i_bingham_open(kith_i_bingham *space, uint32_t d, uint32_t q,
                                kith_error *err);
void kith_i_bingham_close(kith_i_bingham *space); /* wipes */

/* z (m <= d numbers): an exact draw with density exp(z'Bz). b: symmetric, its
 * rows `stride` apart; z must not be a part of it. */
void kith_i_bingham_vector(kith_i_bingham *space, const double *b,
                           uint32_t stride, uint32_t m, kith_i_words *words,
                           double *z);

/* One step of a Markov chain on planes: every row of the plane in turn is drawn
 * from its law given the others. basis: d x d, orthonormal rows, the first q
 * span the plane. a: symmetric. */
void kith_i_bingham_sweep(kith_i_bingham *space, const double *a,
                          kith_i_words *words, double *basis);

/* An exact draw of the whole plane (q x d) if one of `tries` proposals is
 * accepted: then 1, else 0 and plane is untouched. Whether it is does not
 * depend on the plane drawn. */
int kith_i_bingham_joint(kith_i_bingham *space, const double *a, uint32_t tries,
                         kith_i_words *words, double *plane);

/* The same without eigenvectors, for weakly curved a: gives up at once (0) when
 * fewer than one proposal in four might be accepted, which is a function of a
 * alone. Needs q <= d / 2. */
int kith_i_bingham_flat(kith_i_bingham *space, const double *a,
                        kith_i_words *words, double *plane);

/* A uniformly random plane, or basis (q = d). */
void kith_i_plane_haar(double *rows, uint32_t q, uint32_t d,
                       kith_i_words *words);

#endif

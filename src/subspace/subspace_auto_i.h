/* Inside `auto` for planes (docs/subspace_auto.md): the state of a run and its
 * parts. "share" is a part of the session's whole budget: of mu^2, or of
 * epsilon in pure DP. Rows are thought of as scaled to the unit ball: released
 * sums are divided by the powers of the domain's radius that belong to them. */
#ifndef KITH_SUBSPACE_AUTO_I_H
#define KITH_SUBSPACE_AUTO_I_H

#include "release/release_gram.h"
#include "subspace_i.h"

typedef struct plane_run {
    kith_i_subspace_run *run;
    kith_session *session;
    const kith_i_domain *domain;
    uint32_t k, q, d;
    uint32_t r; /* most dimensions of a tensor that k planes need */
    int pure, plan;
    kith_i_loss total;
    double budget; /* mu, or epsilon */
    double used;   /* shares so far */
    double d1;     /* sensitivity of a Gram matrix or a tensor: sqrt 2, or 1 */
    double n;      /* rows: public, or the noisy count, at least 1 */
    double n2, n4; /* sums of |x|^2 and |x|^4: n for unit rows, else noisy */
    double n2_sd;  /* noise of n2; 0: it is public */
    double length; /* the domain's radius squared, lattice units */
    unsigned done, steps;
} plane_run;

/* The charge of a share. */
kith_status kith_i_plane_charge(plane_run *run, double share,
                                kith_i_loss *charge, kith_error *err);
/* Progress by one release. */
kith_status kith_i_plane_tick(plane_run *run, kith_error *err);

/* Standard deviation of the noise that a share buys on the diagonal of each of
 * `cells` Gram matrices (released together) in R^w of rows in the unit ball. */
double kith_i_plane_gram_sd(const plane_run *run, double share, uint32_t cells,
                            uint32_t w);
/* Largest eigenvalue of such noise. */
double kith_i_plane_edge(const plane_run *run, double share, uint32_t cells,
                         uint32_t w);

/* The eigenpairs of a released Gram matrix that matter, in decreasing order. */
typedef struct plane_spectrum {
    uint32_t d, count;
    double *values;  /* count */
    double *vectors; /* count x d */
    double edge;     /* largest eigenvalue of the matrix's noise */
    double trace;    /* of the matrix: the sum of all eigenvalues */
} plane_spectrum;
void kith_i_plane_spectrum_free(plane_spectrum *s);

/* ---- subspace_auto_gram.c ---- */

/* The leading `count` eigenpairs of a symmetric d x d matrix (destroyed). */
kith_status kith_i_plane_spectrum_set(plane_spectrum *out, double *matrix,
                                      uint32_t d, uint32_t count, double edge,
                                      kith_error *err);

/* The Gram matrix of all rows, with its leading `count` eigenpairs. */
kith_status kith_i_plane_release_gram(plane_run *run, double share,
                                      uint32_t count, plane_spectrum *out,
                                      kith_error *err);

/* One step of k-subspaces: each row goes to its nearest plane (from: k x q x w,
 * in the view or in the rows' space); planes of the k noisy Gram matrices into
 * to (k x q x w). If inside is not NULL: planes of the same matrices within
 * the span of axes (r x w). */
typedef struct plane_step {
    const kith_i_view *view;
    uint32_t w;
    const double *from;
    double *to; /* may be from */
    const double *axes;
    uint32_t r;
    double *inside;
    kith_i_plane_rating *rating; /* of to, then of inside: or NULL */
} plane_step;
kith_status kith_i_plane_take_step(plane_run *run, const plane_step *step,
                                   const char *what, double share,
                                   kith_error *err);

/* Choose one of count sets of planes (count x k x q x d) by their cost. prior:
 * log of the public weights, or NULL. */
typedef struct plane_sets {
    const double *planes;
    uint32_t count;
    const double *prior;
} plane_sets;
kith_status kith_i_plane_choose(plane_run *run, const char *what,
                                const plane_sets *sets, double share,
                                uint32_t *out, kith_error *err);

/* ---- subspace_auto_tensor.c ---- */

/* Fourth moments in the space of a view (or of the rows, NULL), fitted: fits
 * planes (k x q x w, its dimension). If gram is not NULL (w x w): the
 * contraction of the tensor, an estimate of the Gram matrix, *edge: of its
 * noise. */
kith_status kith_i_plane_fit_tensor(plane_run *run, const kith_i_view *view,
                                    double share, double *fits, double *gram,
                                    double *edge, kith_error *err);

/* ---- gcover.c ---- */

/* k planes that are good for normal rows with the Gram matrix of the spectrum,
 * shrunk: k-plane on synthetic rows. n: trace of the matrix. Fills k x q x
 * d planes. */
kith_status kith_i_plane_cover(const plane_spectrum *spectrum, double n,
                               uint32_t k, uint32_t q, kith_i_coins *coins,
                               double *planes, kith_error *err);
/* Eigenpairs that kith_i_plane_cover can use. */
uint32_t kith_i_plane_cover_wants(uint32_t d, uint32_t q);

/* ---- factor_fit.c ---- */

/* A tensor of fourth moments in R^r as the matrix of svec x svec (dimension
 * r (r+1) / 2, off-diagonal pairs weighted by sqrt 2), and the planes to fit:
 * T ~ sum over l of 3 Sym(S_l (x) S_l), S_l = B_l' B_l, B_l q x r. */
typedef struct kith_i_factor {
    uint32_t k, q, r;
    const double *tensor;
} kith_i_factor;

/* The objective, up to a constant, and its gradient; b: k x q x r. */
size_t kith_i_factor_scratch(const kith_i_factor *factor);
double kith_i_factor_value(const kith_i_factor *factor, const double *b,
                           double *scratch, double *gradient);

/* Best of `restarts` fits; planes: k x q x r, orthonormal rows. */
kith_status kith_i_factor_fit(const kith_i_factor *factor, uint32_t restarts,
                              uint32_t threads, kith_i_coins *coins,
                              double *planes, kith_error *err);

/* ---- subspace_auto_recipe.c: the plan of a run, from public values ---- */

/* Shares of the releases; 0: left out. */
typedef struct plane_recipe {
    uint32_t r;    /* dimensions of the tensor; below d: of a view */
    double gram;   /* without it the tensor stands in for the Gram matrix */
    double tensor; /* without it: a cover of the Gram matrix is the answer */
    double chains, choice, step, guard;
    uint32_t steps; /* last steps */
} plane_recipe;
plane_recipe kith_i_plane_recipe_for(const plane_run *run);

/* ---- subspace_auto_run.c ---- */

kith_status kith_i_plane_run_recipe(plane_run *run, const plane_recipe *recipe,
                                    kith_error *err);

#endif

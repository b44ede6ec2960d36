/* Inside solver/ only: the solvers one by one, and the graph that three of
 * them hand to spectral clustering. */
#ifndef KITH_SOLVER_PARTS_H
#define KITH_SOLVER_PARTS_H

#include "solver_i.h"

/* What a solver works on; nothing is owned. */
typedef struct kith_i_solve {
    const kith_i_matrix *rows;
    uint32_t k, q;
    uint32_t threads; /* at least 1 */
    kith_i_coins *coins;
    double *bases; /* k x q x d: the answer */
} kith_i_solve;

/* ---- kplane.c, kplane_start.c ---- */

kith_status kith_i_solve_kplane(const kith_i_solve *s,
                                const kith_i_solver_options *opt,
                                kith_error *err);

/* Start planes from the rows: each the leading plane of the neighbours of a
 * row that lies far from the planes before it. far: n doubles. */
kith_status kith_i_kplane_local(const kith_i_matrix *rows, uint32_t k,
                                uint32_t q, kith_i_coins *coins, double *far,
                                double *planes, kith_error *err);

/* ---- principal.c: the leading plane of some rows ---- */

/* Memory for it; free in any case. */
typedef struct kith_i_principal {
    uint32_t d, q;
    double *gram, *work, *values;
    double *gather; /* KITH_I_GATHER x d rows */
    int *integers;
} kith_i_principal;

enum { KITH_I_GATHER = 256 };

int kith_i_principal_init(kith_i_principal *p, uint32_t d, uint32_t q);
void kith_i_principal_free(kith_i_principal *p);

/* The plane closest to the rows i with labels[i] == label. Directions that
 * the rows do not span are arbitrary. On failure of LAPACK the plane is left
 * as it was. */
void kith_i_principal_plane(kith_i_principal *p, const kith_i_matrix *rows,
                            const uint32_t *labels, uint32_t label,
                            double *plane);

/* A plane for each label; a label without rows gets a random one. */
kith_status kith_i_principal_planes(const kith_i_solve *s,
                                    const uint32_t *labels, kith_error *err);

/* ---- graph.c ---- */

/* A symmetric graph with weights >= 0 on n nodes, as an operator. Either
 * neighbours: w_ij = sum of the entries of j at i; or a kernel of r factors:
 * w_ij = (u_i . u_j)^4. */
typedef struct kith_i_graph {
    uint32_t n, threads;
    size_t *start;   /* n + 1 */
    uint32_t *index; /* entries may repeat */
    double *value;
    double *factor; /* n x r */
    uint32_t r;
} kith_i_graph;

/* Lists of width entries each, to row i: index[i*width + j], weight >= 0 (0:
 * unused). The graph is the sum of the lists and their mirror images. */
typedef struct kith_i_lists {
    uint32_t n, width;
    uint32_t *index;
    double *weight;
} kith_i_lists;

int kith_i_lists_init(kith_i_lists *lists, uint32_t n, uint32_t width);
void kith_i_lists_free(kith_i_lists *lists);
/* A list's first `held` entries are the largest so far, in decreasing order:
 * puts another where it belongs, if at all. Returns how many there are now. */
uint32_t kith_i_list_add(double *weight, uint32_t *index, uint32_t width,
                         uint32_t held, double w, uint32_t i);
int kith_i_graph_from_lists(kith_i_graph *g, const kith_i_lists *lists);
void kith_i_graph_free(kith_i_graph *g);

/* out (count x n) = in (count x n) W. scratch: kith_i_graph_scratch. */
size_t kith_i_graph_scratch(const kith_i_graph *g);
void kith_i_graph_apply(const kith_i_graph *g, uint32_t count, const double *in,
                        double *scratch, double *out);

/* ---- leading.c: eigenvectors of a graph ---- */

/* The k leading eigenvectors of D^-1/2 W D^-1/2, as rows of vectors (k x n,
 * k <= n); nodes without neighbours count as zero. */
kith_status kith_i_graph_leading(const kith_i_graph *g, uint32_t k,
                                 kith_i_coins *coins, double *vectors,
                                 kith_error *err);

/* ---- spectral.c ---- */

/* Normalised spectral clustering (Ng, Jordan, Weiss 2001). */
kith_status kith_i_spectral_labels(const kith_i_graph *g, uint32_t k,
                                   kith_i_coins *coins, uint32_t *labels,
                                   kith_error *err);

/* Cluster the graph, then a plane for each cluster. */
kith_status kith_i_spectral_planes(const kith_i_solve *s, const kith_i_graph *g,
                                   kith_error *err);

/* ---- tsc.c, ssc.c, lrr.c ---- */

kith_status kith_i_solve_tsc(const kith_i_solve *s, kith_error *err);
kith_status kith_i_solve_tsc_components(const kith_i_solve *s, kith_error *err);
kith_status kith_i_solve_ssc(const kith_i_solve *s, kith_error *err);
kith_status kith_i_solve_lrr(const kith_i_solve *s, kith_error *err);

/* For each of count rows from first on: the c that minimises
 * |c|_1 + lambda/2 |x_i - sum_j c_j x_j|^2, c_i = 0, by ADMM with penalty rho.
 * codes: count x n. Stops when c changes by less than tolerance. */
typedef struct kith_i_ssc {
    const kith_i_matrix *rows;
    double lambda, rho, tolerance;
    uint32_t iterations;
    double *inverse; /* (rho/lambda I + X'X)^-1, d x d */
} kith_i_ssc;
kith_status kith_i_ssc_init(kith_i_ssc *ssc, const kith_i_matrix *rows,
                            kith_error *err);
void kith_i_ssc_free(kith_i_ssc *ssc);
size_t kith_i_ssc_scratch(const kith_i_ssc *ssc, uint32_t count);
void kith_i_ssc_codes(const kith_i_ssc *ssc, uint32_t first, uint32_t count,
                      double *scratch, double *codes);

/* min |Z|_* + lambda |E|_2,1 with X = Z B + E, B = diag(s) V' of the thin
 * singular value decomposition X = U diag(s) V' (rank r): the low-rank
 * representation is then U Z'. All are filled by kith_i_lrr_run. */
typedef struct kith_i_lrr {
    const kith_i_matrix *rows;
    double lambda;
    uint32_t r;
    double *u;          /* n x r */
    double *s, *v;      /* r; r x d */
    double *z, *j;      /* n x r: the answer and its low-rank copy */
    double *e, *y1;     /* n x d: errors; multipliers of X = Z B + E */
    double *y2, *spare; /* n x r: multipliers of Z = J */
    double *fit;        /* n x d */
} kith_i_lrr;
kith_status kith_i_lrr_run(kith_i_lrr *lrr, const kith_i_matrix *rows,
                           double lambda, kith_error *err);
void kith_i_lrr_free(kith_i_lrr *lrr);

#endif

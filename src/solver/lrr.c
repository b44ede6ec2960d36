/* Low-rank representation (Liu, Lin, Yu 2010; Liu et al. 2013): min |Z|_* +
 * lambda |E|_2,1 with X = X Z + E by the inexact augmented Lagrangian, then
 * spectral clustering of the row space of Z.
 *
 * Rows are points here, so everything is the transpose of the paper. Z lies in
 * the row space of the data: with X = U diag(s) V' it is U Z', and Z' (n x r)
 * is what is computed. Its quadratic step is diagonal: B B' = diag(s^2). */
#include <math.h>
#include <string.h>

#include "kernel/dense.h"
#include "kernel/kernel_i.h"
#include "parts.h"

enum { ITERATIONS = 1000 };
#define LAMBDA    0.5
#define FIRST_MU  1e-6
#define LAST_MU   1e10
#define GROWTH    1.1
#define TOLERANCE 1e-8
#define RANK_CUT  1e-8 /* singular values below this part of the first: 0 */
#define ROW_CUT   1e-4 /* the same for Z, as in the authors' program */

void kith_i_lrr_free(kith_i_lrr *lrr)
{
    kith_i_free(lrr->u);
    kith_i_free(lrr->s);
    kith_i_free(lrr->v);
    kith_i_free(lrr->z);
    kith_i_free(lrr->j);
    kith_i_free(lrr->e);
    kith_i_free(lrr->y1);
    kith_i_free(lrr->y2);
    kith_i_free(lrr->spare);
    kith_i_free(lrr->fit);
}

/* Singular values of a (m x n, destroyed), with the memory they need. */
static kith_status decompose(double *a, uint32_t m, uint32_t n, double *u,
                             double *s, double *v, kith_error *err)
{
    double *work = kith_i_alloc(kith_i_svd_work(m, n), sizeof *work);
    int *integers = kith_i_alloc(kith_i_svd_integers(m, n), sizeof *integers);
    kith_status status = KITH_OK;
    if (!work || !integers)
        status = kith_i_fail_memory(err);
    else if (kith_i_svd(a, m, n, work, integers, &(kith_i_singular){u, s, v}))
        status = kith_i_fail(err, KITH_ERR_INTERNAL,
                             "a singular value problem could not be solved");
    kith_i_free(work);
    kith_i_free(integers);
    return status;
}

static uint32_t rank_of(const double *s, uint32_t count, double cut)
{
    uint32_t r = 0;
    while (r < count && s[r] > 0 && s[r] > cut * s[0])
        r++;
    return r;
}

/* The first r of `from` columns of an n x from matrix, in place. */
static void keep_columns(double *a, uint32_t n, uint32_t from, uint32_t r)
{
    for (size_t i = 0; i < n; i++)
        memmove(a + i * r, a + i * from, r * sizeof *a);
}

static kith_status lrr_init(kith_i_lrr *lrr, const kith_i_matrix *rows,
                            kith_error *err)
{
    size_t n = rows->n, d = rows->d, least = n < d ? n : d;
    lrr->u = kith_i_alloc(n * least, sizeof *lrr->u);
    lrr->s = kith_i_alloc(least + 1, sizeof *lrr->s);
    lrr->v = kith_i_alloc(least * d, sizeof *lrr->v);
    lrr->e = kith_i_alloc(n * d, sizeof *lrr->e);
    lrr->y1 = kith_i_alloc(n * d, sizeof *lrr->y1);
    lrr->fit = kith_i_alloc(n * d, sizeof *lrr->fit);
    if (!lrr->u || !lrr->s || !lrr->v || !lrr->e || !lrr->y1 || !lrr->fit)
        return kith_i_fail_memory(err);
    memcpy(lrr->fit, rows->coords, n * d * sizeof *lrr->fit);
    kith_status status =
        decompose(lrr->fit, rows->n, rows->d, lrr->u, lrr->s, lrr->v, err);
    if (status)
        return status;
    lrr->r = rank_of(lrr->s, (uint32_t)least, RANK_CUT);
    keep_columns(lrr->u, rows->n, (uint32_t)least, lrr->r);
    size_t codes = n * lrr->r;
    lrr->z = kith_i_alloc(codes, sizeof *lrr->z);
    lrr->j = kith_i_alloc(codes, sizeof *lrr->j);
    lrr->y2 = kith_i_alloc(codes, sizeof *lrr->y2);
    lrr->spare = kith_i_alloc(codes, sizeof *lrr->spare);
    if (!lrr->z || !lrr->j || !lrr->y2 || !lrr->spare)
        return kith_i_fail_memory(err);
    return KITH_OK;
}

/* ---- singular value thresholding ---- */

typedef struct {
    double *gram, *vectors, *values, *work, *shrink;
    int *integers;
} threshold;

static void threshold_free(threshold *t)
{
    kith_i_free(t->gram);
    kith_i_free(t->vectors);
    kith_i_free(t->values);
    kith_i_free(t->work);
    kith_i_free(t->shrink);
    kith_i_free(t->integers);
}

static int threshold_init(threshold *t, uint32_t r)
{
    size_t square = (size_t)r * r;
    *t = (threshold){0};
    t->gram = kith_i_alloc(square, sizeof *t->gram);
    t->vectors = kith_i_alloc(square, sizeof *t->vectors);
    t->values = kith_i_alloc(r, sizeof *t->values);
    t->work = kith_i_alloc(kith_i_eigen_work(r), sizeof *t->work);
    t->shrink = kith_i_alloc(square, sizeof *t->shrink);
    t->integers = kith_i_alloc(kith_i_eigen_integers(r), sizeof *t->integers);
    return t->gram && t->vectors && t->values && t->work && t->shrink &&
           t->integers;
}

/* out = the n x r matrix `in` with its singular values lowered by cut: in is
 * multiplied by V diag(max(0, 1 - cut/sigma)) V', from in' in = V diag V'. */
static int lower_singular(threshold *t, uint32_t n, uint32_t r, double cut,
                          const double *in, double *out)
{
    memset(t->gram, 0, (size_t)r * r * sizeof *t->gram);
    kith_i_gram_add(in, n, r, t->gram);
    if (kith_i_eigen_top(t->gram, r, r, t->work, t->integers, t->values,
                         t->vectors))
        return -1;
    for (size_t j = 0; j < r; j++) {
        double sigma = sqrt(fmax(t->values[j], 0));
        double factor = sigma > cut ? 1 - cut / sigma : 0;
        for (size_t i = 0; i < r; i++)
            t->gram[j * r + i] = factor * t->vectors[j * r + i];
    }
    kith_i_multiply(KITH_I_FLIP_A, r, r, r, t->vectors, t->gram, t->shrink);
    kith_i_multiply(KITH_I_FLIP_NONE, n, r, r, in, t->shrink, out);
    return 0;
}

/* ---- the augmented Lagrangian ---- */

/* fit = Z B, with B = diag(s) V'. */
static void fit_rows(kith_i_lrr *l)
{
    size_t n = l->rows->n, r = l->r;
    for (size_t i = 0; i < n * r; i++)
        l->spare[i] = l->z[i] * l->s[i % r];
    kith_i_multiply(KITH_I_FLIP_NONE, l->rows->n, l->rows->d, l->r, l->spare,
                    l->v, l->fit);
}

/* Z = ((X - E + Y1/mu) B' + J - Y2/mu) (B B' + I)^-1 */
static void move_codes(kith_i_lrr *l, double mu)
{
    size_t n = l->rows->n, d = l->rows->d, r = l->r;
    for (size_t i = 0; i < n * d; i++)
        l->fit[i] = l->rows->coords[i] - l->e[i] + l->y1[i] / mu;
    kith_i_multiply(KITH_I_FLIP_B, l->rows->n, l->r, l->rows->d, l->fit, l->v,
                    l->spare);
    for (size_t i = 0; i < n * r; i++) {
        double s = l->s[i % r];
        l->z[i] = (l->spare[i] * s + l->j[i] - l->y2[i] / mu) / (s * s + 1);
    }
}

/* E = the rows of X - Z B + Y1/mu, shortened by lambda/mu; then the
 * multipliers. Returns the largest violation of the two equations. */
static double move_errors(kith_i_lrr *l, double mu)
{
    size_t n = l->rows->n, d = l->rows->d;
    double worst = 0, cut = l->lambda / mu;
    fit_rows(l);
    for (size_t i = 0; i < n; i++) {
        double *e = l->e + i * d, *y = l->y1 + i * d;
        const double *x = l->rows->coords + i * d, *fit = l->fit + i * d;
        double square = 0;
        for (size_t t = 0; t < d; t++) {
            e[t] = x[t] - fit[t] + y[t] / mu;
            square += e[t] * e[t];
        }
        double length = sqrt(square);
        double factor = length > cut ? 1 - cut / length : 0;
        for (size_t t = 0; t < d; t++) {
            e[t] *= factor;
            double gap = x[t] - fit[t] - e[t];
            worst = fmax(worst, fabs(gap));
            y[t] += mu * gap;
        }
    }
    for (size_t i = 0; i < n * l->r; i++) {
        double gap = l->z[i] - l->j[i];
        worst = fmax(worst, fabs(gap));
        l->y2[i] += mu * gap;
    }
    return worst;
}

kith_status kith_i_lrr_run(kith_i_lrr *l, const kith_i_matrix *rows,
                           double lambda, kith_error *err)
{
    *l = (kith_i_lrr){.rows = rows, .lambda = lambda};
    threshold t = {0};
    kith_status status = lrr_init(l, rows, err);
    if (!status && !threshold_init(&t, l->r))
        status = kith_i_fail_memory(err);
    size_t codes = (size_t)rows->n * l->r;
    double mu = FIRST_MU, worst = HUGE_VAL;
    for (int i = 0; !status && l->r && i < ITERATIONS && worst > TOLERANCE;
         i++) {
        for (size_t c = 0; c < codes; c++)
            l->spare[c] = l->z[c] + l->y2[c] / mu;
        if (lower_singular(&t, rows->n, l->r, 1 / mu, l->spare, l->j))
            status = kith_i_fail(err, KITH_ERR_INTERNAL,
                                 "an eigenvalue problem could not be solved");
        move_codes(l, mu);
        worst = move_errors(l, mu);
        mu = fmin(GROWTH * mu, LAST_MU);
    }
    threshold_free(&t);
    return status;
}

/* ---- the graph ---- */

/* Column c times the root of values[c], then rows of length 1. */
static void scale_factor(kith_i_graph *g, const double *values)
{
    for (size_t i = 0; i < g->n; i++) {
        double *row = g->factor + i * g->r, square = 0;
        for (size_t c = 0; c < g->r; c++) {
            row[c] *= sqrt(values[c]);
            square += row[c] * row[c];
        }
        for (size_t c = 0; square > 0 && c < g->r; c++)
            row[c] /= sqrt(square);
    }
}

/* Factor of the graph: with Z = A diag(sigma) B', rows of A sqrt(sigma), of
 * length 1. In our transposes Z is U Z'^T, so A = U times the right vectors of
 * Z'. */
static kith_status make_factor(kith_i_lrr *l, kith_i_graph *g, kith_error *err)
{
    uint32_t n = l->rows->n, r = l->r, least = n < r ? n : r;
    double *left = kith_i_alloc((size_t)n * least, sizeof *left);
    double *values = kith_i_alloc((size_t)least + 1, sizeof *values);
    double *right = kith_i_alloc((size_t)least * r, sizeof *right);
    kith_status status = KITH_OK;
    if (!left || !values || !right)
        status = kith_i_fail_memory(err);
    else
        status = decompose(l->j, n, r, left, values, right, err);
    if (!status && values) {
        g->r = rank_of(values, least, ROW_CUT);
        g->r = g->r ? g->r : 1; /* all codes zero: a factor of zeros */
        g->factor = kith_i_alloc((size_t)n * g->r, sizeof *g->factor);
        if (!g->factor) {
            status = kith_i_fail_memory(err);
        } else {
            if (least > 0)
                kith_i_multiply(KITH_I_FLIP_B, n, g->r, r, l->u, right,
                                g->factor);
            scale_factor(g, values);
        }
    }
    kith_i_free(left);
    kith_i_free(values);
    kith_i_free(right);
    return status;
}

kith_status kith_i_solve_lrr(const kith_i_solve *s, kith_error *err)
{
    kith_i_lrr lrr;
    kith_i_graph g = {.n = s->rows->n, .threads = s->threads};
    kith_status status = kith_i_lrr_run(&lrr, s->rows, LAMBDA, err);
    if (!status)
        status = make_factor(&lrr, &g, err);
    if (!status)
        status = kith_i_spectral_planes(s, &g, err);
    kith_i_lrr_free(&lrr);
    kith_i_graph_free(&g);
    return status;
}

/* Sparse subspace clustering (Elhamifar, Vidal 2013, noisy case, no affine
 * constraint): write each row as a sparse combination of the others, join it
 * to those, spectral clustering.
 *
 * Each row's problem stands alone, so that a few rows at a time are solved by
 * ADMM and only their largest coefficients are kept. The system of the
 * quadratic step, (lambda X X' + rho I), is inverted through a d x d matrix
 * (Woodbury). */
#include <math.h>
#include <string.h>

#include "kernel/dense.h"
#include "parts.h"

enum { TILE = 16, ITERATIONS = 200 };
#define ALPHA      20.0 /* lambda = ALPHA / mu, rho = ALPHA */
#define TOLERANCE  2e-4 /* as in the authors' program */
#define NEGLIGIBLE 1e-4 /* of a row's largest coefficient */

/* mu = min over rows of the largest |x_i . x_j|: below 1 / mu all
 * coefficients of some row are zero. Rows that are orthogonal to all others
 * have none at any price and do not count. */
static double least_product(const kith_i_matrix *rows, double *products)
{
    size_t n = rows->n, d = rows->d;
    double least = HUGE_VAL;
    for (size_t first = 0; first < n; first += TILE) {
        uint32_t count = (uint32_t)(n - first < TILE ? n - first : TILE);
        kith_i_multiply(KITH_I_FLIP_B, count, rows->n, rows->d,
                        rows->coords + first * d, rows->coords, products);
        for (size_t r = 0; r < count; r++) {
            double most = 0;
            for (size_t j = 0; j < n; j++)
                if (j != first + r)
                    most = fmax(most, fabs(products[r * n + j]));
            if (most > 0)
                least = fmin(least, most);
        }
    }
    return least;
}

kith_status kith_i_ssc_init(kith_i_ssc *ssc, const kith_i_matrix *rows,
                            kith_error *err)
{
    size_t n = rows->n, d = rows->d;
    *ssc = (kith_i_ssc){.rows = rows,
                        .rho = ALPHA,
                        .tolerance = TOLERANCE,
                        .iterations = ITERATIONS};
    double *products = kith_i_alloc(TILE * n, sizeof *products);
    double *matrix = kith_i_alloc(d * d, sizeof *matrix);
    ssc->inverse = kith_i_alloc(d * d, sizeof *ssc->inverse);
    kith_status status = KITH_OK;
    if (!products || !matrix || !ssc->inverse) {
        status = kith_i_fail_memory(err);
    } else {
        double mu = least_product(rows, products);
        ssc->lambda = isfinite(mu) ? ALPHA / mu : ALPHA;
        kith_i_gram_add(rows->coords, rows->n, rows->d, matrix);
        for (size_t i = 0; i < d; i++) {
            matrix[i * d + i] += ssc->rho / ssc->lambda;
            ssc->inverse[i * d + i] = 1;
        }
        if (kith_i_definite_solve(matrix, rows->d, ssc->inverse, rows->d))
            status = kith_i_fail(err, KITH_ERR_INTERNAL,
                                 "a positive definite system could not be "
                                 "solved");
    }
    kith_i_free(products);
    kith_i_free(matrix);
    return status;
}

void kith_i_ssc_free(kith_i_ssc *ssc)
{
    kith_i_free(ssc->inverse);
}

size_t kith_i_ssc_scratch(const kith_i_ssc *ssc, uint32_t count)
{
    return count * (2 * (size_t)ssc->rows->n + 2 * (size_t)ssc->rows->d);
}

/* a = (lambda X X' + rho I)^-1 (lambda X x_i + R), R = rho c - dual, row by
 * row. With M = (rho/lambda I + X'X)^-1 it is (R + w X') / rho, where
 * w = (rho x_i - R X) M; both are divided by rho from the start. */
static void quadratic_step(const kith_i_ssc *ssc, uint32_t first,
                           uint32_t count, const double *codes,
                           const double *dual, double *a, double *narrow)
{
    const kith_i_matrix *rows = ssc->rows;
    size_t n = rows->n, d = rows->d, all = count * n;
    double *t = narrow, *w = narrow + count * d;
    for (size_t i = 0; i < all; i++)
        a[i] = codes[i] - dual[i];
    kith_i_multiply(KITH_I_FLIP_NONE, count, rows->d, rows->n, a, rows->coords,
                    t);
    for (size_t i = 0; i < count * d; i++)
        t[i] = rows->coords[first * d + i] - t[i];
    kith_i_multiply(KITH_I_FLIP_NONE, count, rows->d, rows->d, t, ssc->inverse,
                    w);
    kith_i_multiply(KITH_I_FLIP_B | KITH_I_ADD, count, rows->n, rows->d, w,
                    rows->coords, a);
}

/* c = shrunk a + dual, dual += a - c, for one row; returns how far it is from
 * rest: both the gap a - c and the step of c must vanish. */
static double shrink_step(size_t n, size_t self, double cut, const double *a,
                          double *dual, double *codes)
{
    double change = 0;
    for (size_t i = 0; i < n; i++) {
        double v = a[i] + dual[i];
        double c = v > cut ? v - cut : v < -cut ? v + cut : 0;
        c = i == self ? 0 : c; /* no row explains itself */
        double gap = fabs(a[i] - c), step = fabs(c - codes[i]);
        change = gap > change ? gap : change;
        change = step > change ? step : change;
        dual[i] = v - c;
        codes[i] = c;
    }
    return change;
}

void kith_i_ssc_codes(const kith_i_ssc *ssc, uint32_t first, uint32_t count,
                      double *scratch, double *codes)
{
    size_t n = ssc->rows->n, all = count * n;
    /* dual is scaled: the multipliers over rho. */
    double *a = scratch, *dual = a + all, *narrow = dual + all;
    double cut = 1 / ssc->rho, change = HUGE_VAL;
    memset(dual, 0, all * sizeof *dual);
    memset(codes, 0, all * sizeof *codes);
    for (uint32_t t = 0; t < ssc->iterations && change > ssc->tolerance; t++) {
        quadratic_step(ssc, first, count, codes, dual, a, narrow);
        change = 0;
        for (size_t r = 0; r < count; r++)
            change = fmax(change, shrink_step(n, first + r, cut, a + r * n,
                                              dual + r * n, codes + r * n));
    }
}

/* ---- the graph ---- */

typedef struct {
    const kith_i_ssc *ssc;
    kith_i_lists *lists;
    uint32_t threads;
    size_t room;     /* doubles a worker */
    double *scratch; /* threads x room */
} ssc_job;

/* The largest coefficients of row i, scaled so that the largest is 1. */
static void keep_largest(kith_i_lists *lists, uint32_t i, const double *codes)
{
    uint32_t width = lists->width, held = 0;
    uint32_t *index = lists->index + (size_t)i * width;
    double *weight = lists->weight + (size_t)i * width;
    for (uint32_t j = 0; j < lists->n; j++) {
        double w = fabs(codes[j]);
        if (w > 0)
            held = kith_i_list_add(weight, index, width, held, w, j);
    }
    double largest = held ? weight[0] : 0;
    for (uint32_t t = 0; t < held; t++) {
        weight[t] /= largest;
        if (weight[t] < NEGLIGIBLE)
            weight[t] = 0;
    }
}

static void work(void *arg, uint32_t worker)
{
    const ssc_job *job = arg;
    size_t n = job->ssc->rows->n;
    double *codes = job->scratch + worker * job->room;
    for (size_t first = (size_t)worker * TILE; first < n;
         first += (size_t)job->threads * TILE) {
        uint32_t count = (uint32_t)(n - first < TILE ? n - first : TILE);
        kith_i_ssc_codes(job->ssc, (uint32_t)first, count, codes + TILE * n,
                         codes);
        for (uint32_t r = 0; r < count; r++)
            keep_largest(job->lists, (uint32_t)first + r, codes + r * n);
    }
}

static kith_status make_graph(const kith_i_solve *s, const kith_i_ssc *ssc,
                              kith_i_graph *g, kith_error *err)
{
    const kith_i_matrix *rows = s->rows;
    /* A lasso solution in general position has at most d coefficients. */
    uint64_t width = 2 * (uint64_t)rows->d + 8;
    kith_i_lists lists = {0};
    ssc_job job = {.ssc = ssc, .lists = &lists, .threads = s->threads};
    job.room = (size_t)TILE * rows->n + kith_i_ssc_scratch(ssc, TILE);
    job.scratch = kith_i_alloc(s->threads * job.room, sizeof *job.scratch);
    kith_status status = KITH_OK;
    if (!job.scratch ||
        !kith_i_lists_init(&lists, rows->n,
                           width < rows->n ? (uint32_t)width : rows->n)) {
        status = kith_i_fail_memory(err);
    } else {
        kith_i_parallel(s->threads, work, &job);
        if (!kith_i_graph_from_lists(g, &lists))
            status = kith_i_fail_memory(err);
    }
    kith_i_free(job.scratch);
    kith_i_lists_free(&lists);
    return status;
}

kith_status kith_i_solve_ssc(const kith_i_solve *s, kith_error *err)
{
    kith_i_ssc ssc;
    kith_i_graph g = {.threads = s->threads};
    kith_status status = kith_i_ssc_init(&ssc, s->rows, err);
    if (!status)
        status = make_graph(s, &ssc, &g, err);
    if (!status)
        status = kith_i_spectral_planes(s, &g, err);
    kith_i_ssc_free(&ssc);
    kith_i_graph_free(&g);
    return status;
}

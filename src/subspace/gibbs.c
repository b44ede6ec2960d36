/* Eq. 10 to 12 of Wang, Wang, Singh 2015: a Gibbs sampler for planes and
 * labels, exp(-b sum_i d^2(x_i, S_{z_i})). Only the planes of the last sweep
 * leave.
 *
 * Claim: each sweep leaves the joint law of planes and labels invariant.
 * Because: labels are drawn from their law given the planes (Eq. 11), then
 *   every plane from its law given the labels, exp(b tr U A U') with A the
 *   scatter of its rows (Eq. 12): by the exact draw where a public rule on A
 *   says that it is cheap, else by a column sweep, which keeps that law. An
 *   exact draw that gives up does so independently of the plane. */
#include <math.h>
#include <string.h>

#include "base/watch.h"
#include "chain.h"
#include "kernel/linear.h"

enum { DEFAULT_SWEEPS = 10000, REFRESH = 256, ROWS = KITH_I_LABEL_ROWS };

typedef struct {
    const kith_i_chain_job *job;
    const kith_i_chain_rows *rows;
    kith_i_words *coins;
    kith_i_bingham draw;
    uint32_t *labels; /* n */
    double *bases;    /* k x d x d: the first q rows of each are the plane */
    int *complete;    /* k: are the other rows a basis of the rest? */
    double *sums;     /* k x d x stride, lower triangles */
    double *axes;     /* kq x d: the planes times sqrt(exponent) */
    double *matrix;   /* d x d */
    double *dots, *scores;
    size_t moves; /* of the last sweep */
    size_t square, scatter;
} gibbs;

static void gibbs_close(gibbs *g)
{
    size_t k = g->job->k, d = g->job->d, axes = k * g->job->q;
    kith_i_wipe_free(g->labels, g->rows->n * sizeof *g->labels);
    kith_i_wipe_free(g->bases, k * d * d * sizeof(double));
    kith_i_wipe_free(g->sums, k * g->scatter * sizeof(double));
    kith_i_wipe_free(g->axes, axes * d * sizeof(double));
    kith_i_wipe_free(g->matrix, d * d * sizeof(double));
    kith_i_wipe_free(g->dots, axes * ROWS * sizeof(double));
    kith_i_wipe_free(g->scores, k * ROWS * sizeof(double));
    kith_i_free(g->complete);
    kith_i_bingham_close(&g->draw);
}

static kith_status gibbs_open(gibbs *g, const double *planes, kith_error *err)
{
    size_t k = g->job->k, d = g->job->d, axes = k * g->job->q;
    g->square = d * d;
    g->scatter = d * g->rows->stride;
    g->labels = kith_i_alloc(g->rows->n, sizeof *g->labels);
    g->bases = kith_i_alloc(k * g->square, sizeof(double));
    g->complete = kith_i_alloc(k, sizeof *g->complete);
    g->sums = kith_i_alloc(k * g->scatter, sizeof(double));
    g->axes = kith_i_alloc(axes * d, sizeof(double));
    g->matrix = kith_i_alloc(g->square, sizeof(double));
    g->dots = kith_i_alloc(axes * ROWS, sizeof(double));
    g->scores = kith_i_alloc(k * ROWS, sizeof(double));
    kith_status status =
        g->labels && g->bases && g->complete && g->sums && g->axes &&
                g->matrix && g->dots && g->scores
            ? kith_i_bingham_open(&g->draw, g->job->d, g->job->q, err)
            : kith_i_fail_memory(err);
    if (status)
        return status;
    for (size_t l = 0; l < k; l++)
        memcpy(g->bases + l * g->square, planes + l * g->job->q * d,
               g->job->q * d * sizeof(double));
    for (size_t r = 0; r < g->rows->n; r++)
        g->labels[r] = UINT32_MAX;
    g->moves = g->rows->n;
    return KITH_OK;
}

/* New labels for n rows from row `first` on. */
static void draw_labels(gibbs *g, size_t first, uint32_t n, uint32_t *label)
{
    uint32_t k = g->job->k, q = g->job->q, coins[ROWS];
    if (k == 1) {
        memset(label, 0, n * sizeof *label);
        return;
    }
    kith_i_project_rows(g->axes, k * q, g->job->d,
                        g->rows->x + first * g->rows->stride, g->rows->stride,
                        n, g->dots);
    kith_i_label_scores(g->dots, k, q, n, g->scores);
    for (uint32_t r = 0; r < n; r += 2) {
        uint64_t word = kith_i_words_next(g->coins);
        coins[r] = (uint32_t)word;
        coins[r + 1] = (uint32_t)(word >> 32); /* ROWS is even */
    }
    kith_i_label_draw(g->scores, k, coins, n, label);
    for (uint32_t r = 0; r < n; r++)
        if (label[r] == k)
            label[r] = kith_i_label_finish(g->scores, k, r, coins[r],
                                           kith_i_words_unit(g->coins));
}

/* Labels, and the scatter matrices along with them. Sums of integers below
 * 2^53 are exact, so that moving rows does not drift; for more rows than that
 * they are made afresh now and then. */
static void update_labels(gibbs *g, uint32_t sweep)
{
    size_t n = g->rows->n, d = g->job->d, axes = (size_t)g->job->k * g->job->q;
    double scale = sqrt(g->rows->exponent);
    for (size_t j = 0; j < axes; j++) {
        const double *row =
            g->bases + j / g->job->q * g->square + j % g->job->q * d;
        for (size_t i = 0; i < d; i++)
            g->axes[j * d + i] = scale * row[i];
    }
    uint32_t fresh[ROWS], none[ROWS];
    memset(none, 0xff, sizeof none);
    int afresh = g->moves > n / 2 || sweep % REFRESH == 0;
    if (afresh)
        memset(g->sums, 0, g->job->k * g->scatter * sizeof *g->sums);
    g->moves = 0;
    for (size_t first = 0; first < n && !kith_i_stop_wanted(); first += ROWS) {
        uint32_t count = n - first < ROWS ? (uint32_t)(n - first) : ROWS;
        uint32_t *old = g->labels + first;
        draw_labels(g, first, count, fresh);
        for (uint32_t r = 0; r < count; r++)
            g->moves += fresh[r] != old[r];
        kith_i_label_move(
            &(kith_i_strided){g->rows->x + first * g->rows->stride, count,
                              g->job->d, g->rows->stride},
            afresh ? none : old, fresh, g->job->k, g->sums);
        memcpy(old, fresh, count * sizeof *old);
    }
}

/* matrix = exponent * scatter of label l, both triangles; its trace. */
static void load_matrix(gibbs *g, uint32_t l)
{
    uint32_t d = g->job->d;
    const double *sum = g->sums + l * g->scatter;
    for (uint32_t i = 0; i < d; i++)
        for (uint32_t j = 0; j <= i; j++) {
            double v = g->rows->exponent * sum[(size_t)i * g->rows->stride + j];
            g->matrix[(size_t)i * d + j] = g->matrix[(size_t)j * d + i] = v;
        }
}

static kith_status update_plane(gibbs *g, uint32_t l, uint32_t sweep,
                                kith_error *err)
{
    uint32_t d = g->job->d, q = g->job->q;
    double *basis = g->bases + l * g->square;
    load_matrix(g, l);
    if (kith_i_bingham_flat(&g->draw, g->matrix, g->coins, basis)) {
        g->complete[l] = 0;
        return KITH_OK;
    }
    if (sweep % REFRESH == 0)
        g->complete[l] = 0; /* rounding errors add up slowly */
    if (!g->complete[l] && kith_i_basis_complete(basis, q, d, g->draw.work))
        return kith_i_fail(err, KITH_ERR_INTERNAL,
                           "LAPACK found no orthonormal basis");
    g->complete[l] = 1;
    kith_i_bingham_sweep(&g->draw, g->matrix, g->coins, basis);
    return KITH_OK;
}

static void copy_planes(const gibbs *g, double *planes)
{
    size_t size = (size_t)g->job->q * g->job->d;
    for (size_t l = 0; l < g->job->k; l++)
        memcpy(planes + l * size, g->bases + l * g->square,
               size * sizeof *planes);
}

/* sum of |x|^2 minus what the planes hold. */
static double energy(gibbs *g)
{
    uint32_t d = g->job->d, q = g->job->q;
    double sum = 0;
    for (uint32_t l = 0; l < g->job->k; l++) {
        load_matrix(g, l);
        for (uint32_t i = 0; i < d; i++)
            sum += g->matrix[(size_t)i * d + i];
        for (uint32_t j = 0; j < q; j++) {
            const double *u = g->bases + l * g->square + (size_t)j * d;
            kith_i_symmetric_apply(g->matrix, d, d, u, g->draw.v);
            for (uint32_t i = 0; i < d; i++)
                sum -= u[i] * g->draw.v[i];
        }
    }
    return sum / g->rows->exponent;
}

kith_status kith_i_gibbs_sample(const kith_i_chain_job *job,
                                const kith_i_chain_rows *rows,
                                kith_i_words *coins, double *planes,
                                kith_i_chain_trace *trace, kith_error *err)
{
    gibbs g = {.job = job, .rows = rows, .coins = coins};
    kith_status status = gibbs_open(&g, planes, err);
    for (uint32_t t = 0; t < job->sweeps && !status; t++) {
        update_labels(&g, t);
        if (kith_i_stop_wanted())
            break;
        for (uint32_t l = 0; l < job->k && !status; l++)
            status = update_plane(&g, l, t, err);
        if (trace && !status) {
            copy_planes(&g, planes);
            kith_i_chain_note(trace, job, t, planes, energy(&g));
        }
    }
    if (!status)
        copy_planes(&g, planes);
    gibbs_close(&g);
    return status;
}

kith_status kith_i_subspace_gibbs(kith_i_subspace_run *run, kith_error *err)
{
    return kith_i_chain_release(run, "planes (Gibbs sampler)",
                                kith_i_gibbs_sample, DEFAULT_SWEEPS, err);
}

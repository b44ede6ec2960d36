/* The repaired objective: planes with density exp(-b sum_i min_l d^2(x_i,
 * S_l)), by Metropolis steps on one plane at a time. Eq. 10 sums over labels,
 * so that at small epsilon it prefers k copies of one plane whatever the data;
 * the minimum does not, at the same sensitivity (docs/subspace.md).
 *
 * Claim: once the anneal is over and the step sizes are frozen, each sweep
 *   leaves the law invariant.
 * Because: plane(U + s G), G normal, is a proposal whose law commutes with all
 *   rotations of R^d; any two planes are exchanged by some rotation; so it is
 *   symmetric, and Metropolis' rule applies. */
#include <math.h>
#include <string.h>

#include "base/watch.h"
#include "chain.h"
#include "kernel/linear.h"
#include "kernel/planes.h"

enum { DEFAULT_SWEEPS = 5000, REFRESH = 512, ROWS = KITH_I_LABEL_ROWS };

static const double HOT = 1e-3;   /* of the exponent, at the start        */
static const double ANNEAL = .6;  /* of the sweeps                        */
static const double FREEZE = .8;  /* after it, step sizes do not change   */
static const double ACCEPT = .25; /* wanted                               */
static const double LEARN = .1;   /* how fast the log of a step follows   */

typedef struct {
    const kith_i_chain_job *job;
    const kith_i_chain_rows *rows;
    kith_i_words *coins;
    double *planes; /* the caller's */
    double *plane;  /* q x d: proposed */
    double *shares; /* k x n: |projection of x on plane l|^2 */
    double *share;  /* n: on the proposed plane */
    double *step;   /* k */
    double *dots, *scores;
    double held; /* sum over rows of their largest share */
} walk;

static void walk_close(walk *w)
{
    size_t k = w->job->k, n = w->rows->n, q = w->job->q;
    kith_i_wipe_free(w->plane, q * w->job->d * sizeof(double));
    kith_i_wipe_free(w->shares, k * n * sizeof(double));
    kith_i_wipe_free(w->share, n * sizeof(double));
    kith_i_wipe_free(w->step, k * sizeof(double));
    kith_i_wipe_free(w->dots, q * ROWS * sizeof(double));
    kith_i_wipe_free(w->scores, ROWS * sizeof(double));
}

/* share = |projection|^2 of every row on one plane. */
static void project(walk *w, const double *plane, double *share)
{
    size_t n = w->rows->n;
    for (size_t first = 0; first < n && !kith_i_stop_wanted(); first += ROWS) {
        uint32_t count = n - first < ROWS ? (uint32_t)(n - first) : ROWS;
        kith_i_project_rows(plane, w->job->q, w->job->d,
                            w->rows->x + first * w->rows->stride,
                            w->rows->stride, count, w->dots);
        kith_i_label_scores(w->dots, 1, w->job->q, count, w->scores);
        memcpy(share + first, w->scores, count * sizeof *share);
    }
}

/* Sum over rows of the largest share, with plane l's replaced. */
static double held_with(const walk *w, uint32_t l, const double *share)
{
    size_t n = w->rows->n;
    double sum = 0;
    for (size_t first = 0; first < n; first += ROWS) {
        size_t count = n - first < ROWS ? n - first : ROWS;
        double best[ROWS];
        memcpy(best, share + first, count * sizeof *best);
        for (uint32_t m = 0; m < w->job->k; m++) {
            const double *other = w->shares + m * n + first;
            for (size_t r = 0; m != l && r < count; r++)
                best[r] = other[r] > best[r] ? other[r] : best[r];
        }
        for (size_t r = 0; r < count; r++)
            sum += best[r];
    }
    return sum;
}

static void project_all(walk *w)
{
    size_t size = (size_t)w->job->q * w->job->d;
    for (size_t l = 0; l < w->job->k; l++)
        project(w, w->planes + l * size, w->shares + l * w->rows->n);
    w->held = held_with(w, 0, w->shares);
}

static kith_status walk_open(walk *w, kith_error *err)
{
    size_t k = w->job->k, n = w->rows->n, q = w->job->q;
    w->plane = kith_i_alloc(q * w->job->d, sizeof(double));
    w->shares = kith_i_alloc(k * n, sizeof(double));
    w->share = kith_i_alloc(n, sizeof(double));
    w->step = kith_i_alloc(k, sizeof(double));
    w->dots = kith_i_alloc(q * ROWS, sizeof(double));
    w->scores = kith_i_alloc(ROWS, sizeof(double));
    if (!w->plane || !w->shares || !w->share || !w->step || !w->dots ||
        !w->scores)
        return kith_i_fail_memory(err);
    for (size_t l = 0; l < k; l++)
        w->step[l] = .3;
    project_all(w);
    return KITH_OK;
}

/* plane = orthonormal rows of U + s G; 0 if rounding left none. */
static int propose(walk *w, const double *from, double step)
{
    uint32_t q = w->job->q, d = w->job->d;
    double *to = w->plane, scale = step / sqrt(d);
    for (uint32_t j = 0; j < q; j++) {
        for (uint32_t i = 0; i < d; i++)
            to[(size_t)j * d + i] =
                from[(size_t)j * d + i] + scale * kith_i_words_normal(w->coins);
        if (!kith_i_orthonormal_row(to, j, d))
            return 0;
    }
    return 1;
}

static void step_plane(walk *w, uint32_t l, double exponent, int learn)
{
    size_t size = (size_t)w->job->q * w->job->d;
    double *now = w->planes + l * size;
    /* Most proposals have the learnt length, some a third or three times. */
    uint64_t kind = kith_i_words_below(w->coins, 8);
    double factor = kind == 0 ? 3 : (kind == 1 ? 1 / 3.0 : 1);
    if (!propose(w, now, w->step[l] * factor))
        return;
    project(w, w->plane, w->share);
    double held = held_with(w, l, w->share);
    int accept =
        log(kith_i_words_unit(w->coins)) <= exponent * (held - w->held);
    if (accept) {
        memcpy(now, w->plane, size * sizeof *now);
        memcpy(w->shares + l * w->rows->n, w->share,
               w->rows->n * sizeof *w->share);
        w->held = held;
    }
    if (learn && factor == 1)
        w->step[l] = fmin(w->step[l] * exp(LEARN * (accept - ACCEPT)), 10);
}

static double total_square(const kith_i_chain_rows *rows)
{
    double sum = 0;
    for (size_t i = 0; i < rows->n * rows->stride; i++)
        sum += rows->x[i] * rows->x[i];
    return sum;
}

kith_status kith_i_mincost_sample(const kith_i_chain_job *job,
                                  const kith_i_chain_rows *rows,
                                  kith_i_words *coins, double *planes,
                                  kith_i_chain_trace *trace, kith_error *err)
{
    walk w = {.job = job, .rows = rows, .coins = coins, .planes = planes};
    kith_status status = walk_open(&w, err);
    double all = trace ? total_square(rows) : 0, sweeps = job->sweeps;
    for (uint32_t t = 0; t < job->sweeps && !status; t++) {
        if (kith_i_stop_wanted())
            break;
        double cold = fmin(t / (ANNEAL * sweeps), 1);
        double exponent = rows->exponent * pow(HOT, 1 - cold);
        for (uint32_t l = 0; l < job->k; l++)
            step_plane(&w, l, exponent, t < FREEZE * sweeps);
        if (t % REFRESH == 0)
            project_all(&w);
        if (trace)
            kith_i_chain_note(trace, job, t, planes, all - w.held);
    }
    walk_close(&w);
    return status;
}

kith_status kith_i_subspace_mincost(kith_i_subspace_run *run, kith_error *err)
{
    return kith_i_chain_release(run, "planes (least cost, Metropolis)",
                                kith_i_mincost_sample, DEFAULT_SWEEPS, err);
}

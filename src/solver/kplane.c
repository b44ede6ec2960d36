/* k-plane (Bradley, Mangasarian 2000), here with planes through the origin:
 * assign each row to its nearest plane, move each plane to the closest one of
 * its rows, until no label changes; best of several starts, half of them
 * random planes and half local ones (kplane_start.c).
 *
 * The closest plane is a leading eigenspace. In high dimension its Gram matrix
 * would cost more than all the rest, so that there a plane is moved by steps
 * of orthogonal iteration, P <- orth(P X'X), which never raise the cost. */
#include <math.h>
#include <string.h>

#include "base/watch.h"
#include "kernel/dense.h"
#include "kernel/kernel_i.h"
#include "kernel/planes.h"
#include "parts.h"

enum {
    STARTS = 20,
    ROUNDS = 100,
    GRAM_DIMENSION = 128, /* above it: orthogonal iteration */
    POWER_STEPS = 2
};
#define SMALL_GAIN                                                             \
    1e-5 /* with orthogonal iteration: relative, ends a start                  \
          */

typedef struct {
    const kith_i_solve *s;
    uint32_t rounds;
    uint64_t *seeds; /* one a start */
    struct kplane_worker *workers;
    uint32_t first; /* start of worker 0 in this batch */
    uint32_t count; /* starts in this batch */
} kplane_job;

typedef struct kplane_worker {
    kith_i_principal principal;
    double *planes, *best; /* k x q x d */
    double *dots;          /* KITH_I_GATHER x kq */
    double *moved;         /* q x d, and KITH_I_GATHER x d: both for */
    double *gather;        /* orthogonal iteration only              */
    double *far;           /* n: squared distance to the nearest plane */
    uint32_t *labels;      /* n */
    double cost, best_cost;
    uint32_t best_start;
    int failed;
} kplane_worker;

static int worker_init(kplane_worker *w, const kith_i_solve *s)
{
    size_t d = s->rows->d, planes = (size_t)s->k * s->q;
    w->best_cost = HUGE_VAL;
    w->planes = kith_i_alloc(planes * d, sizeof *w->planes);
    w->best = kith_i_alloc(planes * d, sizeof *w->best);
    w->dots = kith_i_alloc(KITH_I_GATHER * planes, sizeof *w->dots);
    w->far = kith_i_alloc(s->rows->n, sizeof *w->far);
    w->labels = kith_i_alloc(s->rows->n, sizeof *w->labels);
    if (!w->planes || !w->best || !w->dots || !w->far || !w->labels)
        return 0;
    if (d <= GRAM_DIMENSION)
        return kith_i_principal_init(&w->principal, s->rows->d, s->q);
    w->moved = kith_i_alloc(s->q * d, sizeof *w->moved);
    w->gather = kith_i_alloc(KITH_I_GATHER * d, sizeof *w->gather);
    return w->moved && w->gather;
}

static void worker_free(kplane_worker *w, const kith_i_solve *s)
{
    size_t dots = (size_t)KITH_I_GATHER * s->k * s->q;
    kith_i_principal_free(&w->principal);
    kith_i_wipe_free(w->dots, w->dots ? dots * sizeof *w->dots : 0);
    kith_i_wipe_free(w->far, w->far ? s->rows->n * sizeof *w->far : 0);
    kith_i_free(w->planes);
    kith_i_free(w->best);
    kith_i_free(w->moved);
    kith_i_wipe_free(w->gather,
                     w->gather ? KITH_I_GATHER * s->rows->d * sizeof *w->gather
                               : 0);
    kith_i_free(w->labels);
}

/* Label of one row from its kq products; its squared distance in *far. */
static uint32_t nearest_plane(const double *dots, uint32_t k, uint32_t q,
                              double square, double *far)
{
    uint32_t label = 0;
    double most = -1;
    for (uint32_t l = 0; l < k; l++) {
        double in = 0;
        for (uint32_t j = 0; j < q; j++)
            in += dots[l * q + j] * dots[l * q + j];
        if (in > most) {
            most = in;
            label = l;
        }
    }
    *far = fmax(square - most, 0);
    return label;
}

/* Assign all rows; sets cost. Returns whether a label changed. */
static int assign_rows(kplane_worker *w, const kith_i_solve *s)
{
    const kith_i_matrix *rows = s->rows;
    uint32_t planes = s->k * s->q, changed = 0;
    size_t d = rows->d;
    w->cost = 0;
    for (uint32_t first = 0; first < rows->n; first += KITH_I_GATHER) {
        uint32_t left = rows->n - first;
        uint32_t count = left < KITH_I_GATHER ? left : KITH_I_GATHER;
        const double *x = rows->coords + first * d;
        kith_i_multiply(KITH_I_FLIP_B, count, planes, rows->d, x, w->planes,
                        w->dots);
        for (uint32_t r = 0; r < count; r++) {
            double square = 0;
            for (size_t i = 0; i < d; i++)
                square += x[r * d + i] * x[r * d + i];
            uint32_t label = nearest_plane(w->dots + (size_t)r * planes, s->k,
                                           s->q, square, &w->far[first + r]);
            changed |= label != w->labels[first + r];
            w->labels[first + r] = label;
            w->cost += w->far[first + r];
        }
    }
    return changed != 0;
}

/* One step of orthogonal iteration for the plane of this label. */
static void power_step(kplane_worker *w, const kith_i_solve *s, uint32_t label,
                       double *plane, kith_i_coins *coins)
{
    const kith_i_matrix *rows = s->rows;
    double *gather = w->gather;
    size_t d = rows->d;
    uint32_t held = 0;
    memset(w->moved, 0, s->q * d * sizeof *w->moved);
    for (uint32_t i = 0; i <= rows->n; i++) {
        if (i < rows->n && w->labels[i] == label)
            memcpy(gather + held++ * d, rows->coords + i * d,
                   d * sizeof *gather);
        if (held == 0 || (i < rows->n && held < KITH_I_GATHER))
            continue;
        kith_i_multiply(KITH_I_FLIP_B, held, s->q, rows->d, gather, plane,
                        w->dots);
        kith_i_multiply(KITH_I_FLIP_A | KITH_I_ADD, s->q, rows->d, held,
                        w->dots, gather, w->moved);
        held = 0;
    }
    memcpy(plane, w->moved, s->q * d * sizeof *plane);
    kith_i_orthonormalize(plane, s->q, rows->d, coins);
}

/* An empty plane goes to the row that costs most, and a random rest. */
static void refill_plane(kplane_worker *w, const kith_i_solve *s, double *plane,
                         kith_i_coins *coins)
{
    const kith_i_matrix *rows = s->rows;
    size_t d = rows->d;
    uint32_t most = 0;
    for (uint32_t i = 1; i < rows->n; i++)
        most = w->far[i] > w->far[most] ? i : most;
    kith_i_plane_random(plane, s->q, rows->d, coins);
    if (rows->n == 0 || !(w->far[most] > 0))
        return;
    w->far[most] = 0;
    memcpy(plane, rows->coords + most * d, d * sizeof *plane);
    kith_i_orthonormalize(plane, s->q, rows->d, coins);
}

static void move_planes(kplane_worker *w, const kith_i_solve *s,
                        kith_i_coins *coins)
{
    uint32_t n = s->rows->n, d = s->rows->d;
    for (uint32_t l = 0; l < s->k; l++) {
        double *plane = w->planes + (size_t)l * s->q * d;
        uint32_t i = 0;
        while (i < n && w->labels[i] != l)
            i++;
        if (i == n)
            refill_plane(w, s, plane, coins);
        else if (d <= GRAM_DIMENSION)
            kith_i_principal_plane(&w->principal, s->rows, w->labels, l, plane);
        else
            for (int step = 0; step < POWER_STEPS; step++)
                power_step(w, s, l, plane, coins);
    }
}

static void run_start(const kplane_job *job, kplane_worker *w, uint32_t start)
{
    const kith_i_solve *s = job->s;
    const kith_i_matrix *rows = s->rows;
    kith_i_coins coins;
    kith_i_coins_seed(&coins, job->seeds[start], 0);
    if (start % 2 == 0)
        w->failed |= kith_i_kplane_local(rows, s->k, s->q, &coins, w->far,
                                         w->planes, NULL) != KITH_OK;
    else
        for (uint32_t l = 0; l < s->k; l++)
            kith_i_plane_random(w->planes + (size_t)l * s->q * rows->d, s->q,
                                rows->d, &coins);
    for (uint32_t i = 0; i < rows->n; i++)
        w->labels[i] = UINT32_MAX;
    int going = assign_rows(w, s);
    for (uint32_t round = 0;
         going && round < job->rounds && !kith_i_stop_wanted(); round++) {
        double before = w->cost;
        move_planes(w, s, &coins);
        going = assign_rows(w, s);
        if (rows->d > GRAM_DIMENSION) /* labels settle before the planes do */
            going = before - w->cost > SMALL_GAIN * before;
    }
    if (w->cost < w->best_cost || w->best_cost == HUGE_VAL) {
        w->best_cost = w->cost;
        w->best_start = start;
        memcpy(w->best, w->planes,
               (size_t)s->k * s->q * rows->d * sizeof *w->best);
    }
}

static void work(void *arg, uint32_t worker)
{
    const kplane_job *job = arg;
    if (worker < job->count)
        run_start(job, &job->workers[worker], job->first + worker);
}

static kith_status run_starts(kplane_job *job, uint32_t starts,
                              uint32_t workers, const kith_i_solver_options *o,
                              kith_error *err)
{
    for (uint32_t done = 0; done < starts;) {
        job->first = done;
        job->count = starts - done < workers ? starts - done : workers;
        kith_i_parallel(workers, work, job);
        done += job->count;
        for (uint32_t i = 0; i < workers; i++)
            if (job->workers[i].failed)
                return kith_i_fail_memory(err);
        if (o->progress && o->progress(o->progress_arg, done, starts))
            return kith_i_fail(err, KITH_ERR_CANCELLED,
                               "the run was cancelled");
    }
    return KITH_OK;
}

/* The lowest cost; of equals the earliest start, so that the number of
 * workers does not matter. */
static void keep_best(const kplane_job *job, uint32_t workers)
{
    const kith_i_solve *s = job->s;
    const kplane_worker *best = &job->workers[0];
    for (uint32_t i = 1; i < workers; i++) {
        const kplane_worker *w = &job->workers[i];
        if (w->best_cost < best->best_cost ||
            (w->best_cost == best->best_cost &&
             w->best_start < best->best_start))
            best = w;
    }
    memcpy(s->bases, best->best,
           (size_t)s->k * s->q * s->rows->d * sizeof *s->bases);
}

kith_status kith_i_solve_kplane(const kith_i_solve *s,
                                const kith_i_solver_options *opt,
                                kith_error *err)
{
    uint32_t starts = opt->starts ? opt->starts : STARTS;
    uint32_t workers = s->threads < starts ? s->threads : starts;
    kplane_job job = {.s = s, .rounds = opt->rounds ? opt->rounds : ROUNDS};
    job.seeds = kith_i_alloc(starts, sizeof *job.seeds);
    job.workers = kith_i_alloc(workers, sizeof *job.workers);
    int ok = job.seeds && job.workers;
    for (uint32_t i = 0; ok && i < starts; i++)
        job.seeds[i] = kith_i_coins_u64(s->coins);
    for (uint32_t i = 0; ok && i < workers; i++)
        ok = worker_init(&job.workers[i], s);
    kith_status status = KITH_OK;
    if (!ok) {
        status = kith_i_fail_memory(err);
    } else {
        status = run_starts(&job, starts, workers, opt, err);
        if (!status)
            keep_best(&job, workers);
    }
    for (uint32_t i = 0; job.workers && i < workers; i++)
        worker_free(&job.workers[i], s);
    kith_i_free(job.workers);
    kith_i_free(job.seeds);
    return status;
}

/* The releases of `auto` for planes that rest on second moments or on costs,
 * and the planes that follow from them. */
#include <math.h>
#include <string.h>

#include "kernel/dense.h"
#include "kernel/plane_rows.h"
#include "release/release_select.h"
#include "subspace_auto_i.h"

enum { LOSS_BITS = 30 };

void kith_i_plane_spectrum_free(plane_spectrum *s)
{
    kith_i_free(s->values);
    kith_i_free(s->vectors);
}

/* Leading eigenpairs of a symmetric w x w matrix, with memory of its own. */
typedef struct {
    double *matrix, *work, *values;
    int *integers;
} eigen_space;

static int eigen_alloc(eigen_space *e, size_t w)
{
    e->matrix = kith_i_alloc(w * w, sizeof(double));
    e->work = kith_i_alloc(kith_i_eigen_work((uint32_t)w), sizeof(double));
    e->values = kith_i_alloc(w, sizeof(double));
    e->integers = kith_i_alloc(kith_i_eigen_integers((uint32_t)w), sizeof(int));
    return e->matrix && e->work && e->values && e->integers;
}

static void eigen_free(eigen_space *e)
{
    kith_i_free(e->matrix);
    kith_i_free(e->work);
    kith_i_free(e->values);
    kith_i_free(e->integers);
}

kith_status kith_i_plane_spectrum_set(plane_spectrum *out, double *matrix,
                                      uint32_t d, uint32_t count, double edge,
                                      kith_error *err)
{
    *out = (plane_spectrum){.d = d, .count = count, .edge = edge};
    for (size_t i = 0; i < d; i++)
        out->trace += matrix[i * d + i];
    out->values = kith_i_alloc(count, sizeof(double));
    out->vectors = kith_i_alloc((size_t)count * d, sizeof(double));
    if (!out->values || !out->vectors)
        return kith_i_fail_memory(err);
    return kith_i_eigen_alone(matrix, d, count, out->values, out->vectors, err);
}

kith_status kith_i_plane_release_gram(plane_run *run, double share,
                                      uint32_t count, plane_spectrum *out,
                                      kith_error *err)
{
    size_t size = (size_t)run->d * run->d;
    kith_i_ask ask = {0};
    kith_i_gram_spec spec = {
        .what = "second moments", .cells = 1, .width = run->d, .by_trace = 1};
    double sd, *matrix = kith_i_alloc(size, sizeof *matrix);
    int64_t *gram = kith_i_alloc(size, sizeof *gram);
    kith_status status = matrix && gram ? KITH_OK : kith_i_fail_memory(err);
    if (!status)
        status = kith_i_plane_charge(run, share, &spec.charge, err);
    if (!status)
        status = kith_i_release_gram(run->session, &ask, &spec, gram, &sd, err);
    if (!status) {
        for (size_t i = 0; i < size; i++)
            matrix[i] = (double)gram[i] / run->length;
        status = kith_i_plane_spectrum_set(
            out, matrix, run->d, count,
            kith_i_plane_edge(run, share, 1, run->d), err);
    }
    kith_i_free(matrix);
    kith_i_free(gram);
    return status ? status : kith_i_plane_tick(run, err);
}

/* ---- a step ---- */

/* The leading planes of k matrices, plane by plane on several threads. */
typedef struct {
    const plane_step *step;
    const int64_t *grams;
    uint32_t k, q, workers;
    double length;
    double *held; /* k x 2 (q + 1): what the matrix has along the plane, one by
                     one, and in all; the same within the axes */
    struct step_worker {
        eigen_space all, part; /* w x w; r x r */
        double *product;       /* r x w */
        double *inside;        /* q x r */
        int failed;
    } * worker;
} step_job;

static double trace_of(const double *matrix, size_t w)
{
    double sum = 0;
    for (size_t i = 0; i < w; i++)
        sum += matrix[i * w + i];
    return sum;
}

static void find_inside(step_job *job, struct step_worker *w, uint32_t l)
{
    const plane_step *s = job->step;
    size_t plane = (size_t)job->q * s->w;
    kith_i_multiply(KITH_I_FLIP_NONE, s->r, s->w, s->w, s->axes, w->all.matrix,
                    w->product);
    kith_i_multiply(KITH_I_FLIP_B, s->r, s->r, s->w, w->product, s->axes,
                    w->part.matrix);
    double *held = job->held + (2 * (size_t)l + 1) * (job->q + 1);
    held[job->q] = trace_of(w->part.matrix, s->r);
    if (kith_i_eigen_top(w->part.matrix, s->r, job->q, w->part.work,
                         w->part.integers, w->part.values, w->inside))
        w->failed = 1;
    memcpy(held, w->part.values, job->q * sizeof *held);
    kith_i_multiply(KITH_I_FLIP_NONE, job->q, s->w, s->r, w->inside, s->axes,
                    s->inside + l * plane);
}

static void find_planes(void *p, uint32_t worker)
{
    step_job *job = p;
    const plane_step *s = job->step;
    struct step_worker *w = &job->worker[worker];
    size_t square = (size_t)s->w * s->w, plane = (size_t)job->q * s->w;
    for (uint32_t l = worker; l < job->k; l += job->workers) {
        for (size_t i = 0; i < square; i++)
            w->all.matrix[i] = (double)job->grams[l * square + i] / job->length;
        if (s->inside)
            find_inside(job, w, l);
        double *held = job->held + 2 * (size_t)l * (job->q + 1);
        held[job->q] = trace_of(w->all.matrix, s->w);
        if (kith_i_eigen_top(w->all.matrix, s->w, job->q, w->all.work,
                             w->all.integers, w->all.values, s->to + l * plane))
            w->failed = 1;
        memcpy(held, w->all.values, job->q * sizeof *held);
    }
}

/* The planes of all matrices against their noise; what the axes leave out of
 * the matrices they leave out of the noise. */
static void rate_step(const plane_run *run, const step_job *job, double share)
{
    const plane_step *s = job->step;
    size_t each = run->q + 1;
    kith_i_noisy_matrix noise = {
        .width = s->w,
        .sd = kith_i_plane_gram_sd(run, share, run->k, s->w),
        .edge = kith_i_plane_edge(run, share, run->k, s->w)};
    for (int part = 0; s->rating && part < (s->inside ? 2 : 1); part++) {
        s->rating[part] = (kith_i_plane_rating){0};
        if (part) {
            noise.width = s->r;
            noise.edge *= sqrt((double)s->r / s->w);
        }
        for (size_t l = 0; l < run->k; l++) {
            const double *held = job->held + (2 * l + (size_t)part) * each;
            noise.trace = held[run->q];
            kith_i_rating_add(&s->rating[part], &noise, held, run->q);
        }
    }
}

static kith_status planes_of_grams(plane_run *run, const plane_step *step,
                                   const int64_t *grams, double share,
                                   kith_error *err)
{
    uint32_t threads = kith_i_session_threads(run->session);
    step_job job = {.step = step,
                    .grams = grams,
                    .k = run->k,
                    .q = run->q,
                    .workers = threads < run->k ? threads : run->k,
                    .length = run->length};
    job.worker = kith_i_alloc(job.workers, sizeof *job.worker);
    job.held = kith_i_alloc((size_t)run->k * 2 * (run->q + 1), sizeof(double));
    int ok = job.worker && job.held, failed = 0;
    for (uint32_t i = 0; ok && i < job.workers; i++) {
        struct step_worker *w = &job.worker[i];
        ok &= eigen_alloc(&w->all, step->w);
        ok &= !step->inside || eigen_alloc(&w->part, step->r);
        ok &= !!(w->product =
                     kith_i_alloc((size_t)step->r * step->w, sizeof(double)));
        ok &= !!(w->inside =
                     kith_i_alloc((size_t)run->q * step->r, sizeof(double)));
    }
    if (ok) {
        int saved = kith_i_blas_single();
        kith_i_parallel(job.workers, find_planes, &job);
        kith_i_blas_restore(saved);
    }
    for (uint32_t i = 0; job.worker && i < job.workers; i++) {
        failed |= job.worker[i].failed;
        eigen_free(&job.worker[i].all);
        eigen_free(&job.worker[i].part);
        kith_i_free(job.worker[i].product);
        kith_i_free(job.worker[i].inside);
    }
    kith_i_free(job.worker);
    if (ok)
        rate_step(run, &job, share);
    kith_i_free(job.held);
    if (!ok)
        return kith_i_fail_memory(err);
    return failed ? kith_i_fail(err, KITH_ERR_INTERNAL,
                                "LAPACK found no eigenvectors")
                  : KITH_OK;
}

kith_status kith_i_plane_take_step(plane_run *run, const plane_step *step,
                                   const char *what, double share,
                                   kith_error *err)
{
    size_t w = step->w;
    kith_i_axes axes = {1, run->k, run->q, step->w, NULL};
    kith_i_ask ask = {.view = step->view,
                      .place = {.kind = KITH_I_PLACE_PLANE, .planes = &axes}};
    kith_i_gram_spec spec = {
        .what = what, .cells = run->k, .width = step->w, .by_trace = 1};
    double sd;
    axes.coords = kith_i_alloc(run->k * run->q * w, sizeof(double));
    int64_t *grams = kith_i_alloc(run->k * w * w, sizeof *grams);
    kith_status status =
        axes.coords && grams ? KITH_OK : kith_i_fail_memory(err);
    if (!status) {
        kith_i_axes_set(&axes, step->from);
        status = kith_i_plane_charge(run, share, &spec.charge, err);
    }
    if (!status)
        status =
            kith_i_release_gram(run->session, &ask, &spec, grams, &sd, err);
    if (!status && !run->plan)
        status = planes_of_grams(run, step, grams, share, err);
    kith_i_free(axes.coords);
    kith_i_free(grams);
    return status ? status : kith_i_plane_tick(run, err);
}

/* ---- a choice ---- */

kith_status kith_i_plane_choose(plane_run *run, const char *what,
                                const plane_sets *all, double share,
                                uint32_t *out, kith_error *err)
{
    uint32_t sets = all->count;
    const double *prior = all->prior;
    kith_i_axes axes = {sets, run->k, run->q, run->d, NULL};
    kith_i_losses losses = {.planes = &axes};
    size_t size = (size_t)sets * run->k * run->q * run->d;
    while (run->domain->l2_squared >> losses.shift >> LOSS_BITS)
        losses.shift++;
    kith_i_select_spec spec = {
        .what = what,
        .candidates = sets,
        .bound = (uint32_t)(run->domain->l2_squared >> losses.shift),
        .unit = ldexp(pow(kith_i_domain_step(run->domain), 2), losses.shift)};
    int64_t *handicap = kith_i_alloc(sets, sizeof *handicap);
    axes.coords = kith_i_alloc(size, sizeof(double));
    kith_status status =
        handicap && axes.coords ? KITH_OK : kith_i_fail_memory(err);
    if (!status)
        status = kith_i_plane_charge(run, share, &spec.charge, err);
    if (!status) {
        kith_i_axes_set(&axes, all->planes);
        /* weights are exp(-range / (twice) bound loss): one unit of the prior
         * is that much of the loss */
        double range =
            ldexp((double)kith_i_selection_range(
                      kith_i_session_measure(run->session), spec.charge),
                  -KITH_I_LOSS_BITS);
        double twice = run->d1 > 1 ? 2 : 1;
        for (uint32_t s = 0; prior && s < sets; s++)
            handicap[s] =
                -(int64_t)fmin(prior[s] * twice * spec.bound / range, 0x1p60);
        spec.handicap = prior ? handicap : NULL;
        status = kith_i_release_select(run->session, &losses, &spec, out, err);
    }
    kith_i_free(handicap);
    kith_i_free(axes.coords);
    return status ? status : kith_i_plane_tick(run, err);
}

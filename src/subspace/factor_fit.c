/* Planes from fourth moments: rows of plane l are roughly elliptical with
 * second moments S_l of rank q, so the moments of all rows are about the sum of
 * 3 Sym(S_l (x) S_l). Free least squares over factors S_l = B_l' B_l, L-BFGS
 * from random starts. Everything here is post-processing of released values.
 *
 * With G_lm = B_l B_m' (q x q), t_lm = |G_lm|_F^2 and T[S]_ab = sum of T_abce
 * S_ce, the squared error is, up to |T|^2,
 *   J = 3 sum t_lm^2 + 6 sum |G_lm G_lm'|_F^2 - 6 sum <T[S_l], S_l>,
 *   dJ/dB_l = 2 (sum_m (12 t_lm G_lm + 24 G_lm G_lm' G_lm) B_m
 *                - 12 B_l T[S_l]).                                          */
#include <math.h>
#include <string.h>

#include "kernel/dense.h"
#include "kernel/lbfgs.h"
#include "subspace_auto_i.h"

enum { ITERATIONS = 150, FIRST_ITERATIONS = 40, FINALISTS = 4 };
#define GAIN 1e-7

static size_t pairs(size_t r)
{
    return r * (r + 1) / 2;
}

/* Parts of the scratch memory. */
typedef struct {
    double *gram;  /* kq x kq: all G */
    double *mixed; /* kq x kq: 12 t G + 24 G G' G */
    double *svec;  /* k x pairs */
    double *image; /* k x pairs: the tensor's */
    double *full;  /* r x r */
    double *part;  /* q x q */
} parts;

size_t kith_i_factor_scratch(const kith_i_factor *f)
{
    size_t kq = (size_t)f->k * f->q, r = f->r, q = f->q;
    return 2 * kq * kq + 2 * f->k * pairs(r) + r * r + q * q;
}

static parts divide(const kith_i_factor *f, double *scratch)
{
    size_t kq = (size_t)f->k * f->q, r = f->r;
    parts p = {.gram = scratch, .mixed = scratch + kq * kq};
    p.svec = p.mixed + kq * kq;
    p.image = p.svec + f->k * pairs(r);
    p.full = p.image + f->k * pairs(r);
    p.part = p.full + r * r;
    return p;
}

/* S = B'B as svec. */
static void set_svec(const double *b, size_t q, size_t r, double *svec)
{
    for (size_t i = 0; i < r; i++)
        for (size_t j = i; j < r; j++) {
            double sum = 0;
            for (size_t t = 0; t < q; t++)
                sum += b[t * r + i] * b[t * r + j];
            *svec++ = i == j ? sum : sqrt(2) * sum;
        }
}

static void from_svec(const double *svec, size_t r, double *full)
{
    for (size_t i = 0; i < r; i++)
        for (size_t j = i; j < r; j++) {
            double v = i == j ? *svec : *svec / sqrt(2);
            full[i * r + j] = full[j * r + i] = v;
            svec++;
        }
}

/* The terms of planes l and m; fills their block of mixed. */
static double pair_terms(const kith_i_factor *f, const parts *p, size_t l,
                         size_t m)
{
    size_t q = f->q, kq = f->k * q;
    const double *g = p->gram + l * q * kq + m * q;
    double *block = p->mixed + l * q * kq + m * q;
    double *square = p->part, t = 0, quartic = 0;
    for (size_t i = 0; i < q; i++)
        for (size_t j = 0; j < q; j++) {
            double sum = 0;
            for (size_t u = 0; u < q; u++)
                sum += g[i * kq + u] * g[j * kq + u];
            square[i * q + j] = sum;
            quartic += sum * sum;
            t += i == j ? sum : 0;
        }
    for (size_t i = 0; i < q; i++)
        for (size_t j = 0; j < q; j++) {
            double sum = 0;
            for (size_t u = 0; u < q; u++)
                sum += square[i * q + u] * g[u * kq + j];
            block[i * kq + j] = 12 * t * g[i * kq + j] + 24 * sum;
        }
    return 3 * t * t + 6 * quartic;
}

double kith_i_factor_value(const kith_i_factor *f, const double *b,
                           double *scratch, double *gradient)
{
    uint32_t k = f->k, q = f->q, r = f->r, kq = k * q;
    size_t p = pairs(r), size = (size_t)q * r;
    parts s = divide(f, scratch);
    double value = 0;
    kith_i_multiply(KITH_I_FLIP_B, kq, kq, r, b, b, s.gram);
    for (uint32_t l = 0; l < k; l++) {
        set_svec(b + l * size, q, r, s.svec + l * p);
        for (uint32_t m = 0; m < k; m++)
            value += pair_terms(f, &s, l, m);
    }
    /* the tensor is symmetric */
    kith_i_multiply(KITH_I_FLIP_NONE, k, (uint32_t)p, (uint32_t)p, s.svec,
                    f->tensor, s.image);
    kith_i_multiply(KITH_I_FLIP_NONE, kq, r, kq, s.mixed, b, gradient);
    for (uint32_t l = 0; l < k; l++) {
        double inner = 0;
        for (size_t i = 0; i < p; i++)
            inner += s.image[l * p + i] * s.svec[l * p + i];
        value -= 6 * inner;
        from_svec(s.image + l * p, r, s.full);
        for (size_t i = 0; i < (size_t)r * r; i++)
            s.full[i] *= -12;
        kith_i_multiply(KITH_I_ADD, q, r, r, b + l * size, s.full,
                        gradient + l * size);
    }
    for (size_t i = 0; i < k * size; i++)
        gradient[i] *= 2;
    return value;
}

/* ---- restarts ---- */

typedef struct {
    const kith_i_factor *f;
    uint32_t count, workers; /* fits of this round, and threads */
    uint32_t iterations;
    const uint32_t *order;
    double *factors; /* restarts x k x q x r */
    double *values;  /* restarts */
    double *scratch; /* per worker */
    size_t scratch_size;
} fit_job;

typedef struct {
    const kith_i_factor *f;
    double *scratch;
} fit_arg;

static double evaluate(void *p, const double *x, double *gradient)
{
    fit_arg *a = p;
    return kith_i_factor_value(a->f, x, a->scratch, gradient);
}

static void work(void *p, uint32_t worker)
{
    fit_job *job = p;
    size_t size = (size_t)job->f->k * job->f->q * job->f->r;
    double *scratch = job->scratch + worker * job->scratch_size;
    fit_arg arg = {job->f, scratch + kith_i_lbfgs_scratch(size)};
    for (uint32_t i = worker; i < job->count; i += job->workers) {
        uint32_t fit = job->order[i];
        job->values[fit] =
            kith_i_lbfgs(evaluate, &arg, size, job->iterations, GAIN,
                         job->factors + fit * size, scratch);
    }
}

static void sort_fits(uint32_t *order, uint32_t count, const double *values)
{
    for (uint32_t i = 1; i < count; i++)
        for (uint32_t j = i; j > 0 && values[order[j]] < values[order[j - 1]];
             j--) {
            uint32_t t = order[j];
            order[j] = order[j - 1];
            order[j - 1] = t;
        }
}

/* All restarts a short way, then the best of them to the end. */
static void run_fits(fit_job *job, uint32_t *order, uint32_t restarts)
{
    int saved = kith_i_blas_single();
    for (uint32_t i = 0; i < restarts; i++)
        order[i] = i;
    job->order = order;
    job->count = restarts;
    job->iterations = FIRST_ITERATIONS;
    kith_i_parallel(job->workers, work, job);
    sort_fits(order, restarts, job->values);
    job->count = restarts < FINALISTS ? restarts : FINALISTS;
    job->iterations = ITERATIONS - FIRST_ITERATIONS;
    kith_i_parallel(job->workers, work, job);
    sort_fits(order, job->count, job->values);
    kith_i_blas_restore(saved);
}

kith_status kith_i_factor_fit(const kith_i_factor *f, uint32_t restarts,
                              uint32_t threads, kith_i_coins *coins,
                              double *planes, kith_error *err)
{
    size_t size = (size_t)f->k * f->q * f->r, plane = (size_t)f->q * f->r;
    fit_job job = {.f = f, .workers = threads < restarts ? threads : restarts};
    job.scratch_size = kith_i_factor_scratch(f) + kith_i_lbfgs_scratch(size);
    kith_i_pool pool = {0};
    uint32_t *order = kith_i_pool_take(&pool, restarts, sizeof *order);
    job.factors = kith_i_pool_reals(&pool, restarts * size);
    job.values = kith_i_pool_reals(&pool, restarts);
    job.scratch = kith_i_pool_reals(&pool, job.workers * job.scratch_size);
    kith_status status = pool.failed ? kith_i_fail_memory(err) : KITH_OK;
    if (!status) {
        double start = sqrt(1 / (f->q * sqrt(f->k * (1 + 2.0 / f->q))));
        for (size_t l = 0; l < (size_t)restarts * f->k; l++)
            kith_i_plane_random(job.factors + l * plane, f->q, f->r, coins);
        for (size_t i = 0; i < restarts * size; i++)
            job.factors[i] *= start;
        run_fits(&job, order, restarts);
        memcpy(planes, job.factors + order[0] * size, size * sizeof *planes);
        for (uint32_t l = 0; l < f->k; l++)
            kith_i_orthonormalize(planes + l * plane, f->q, f->r, coins);
    }
    kith_i_pool_drop(&pool, 0);
    return status;
}

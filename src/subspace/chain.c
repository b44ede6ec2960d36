/* Chains: start, release, diagnostics. */
#include "chain.h"

#include <math.h>
#include <string.h>

#include "solver/solver_i.h"

enum { CHAINS = 4 };
#define MOST_WRONG .001 /* of the labels, for a prediction */

typedef struct {
    kith_i_chain_job job;
    kith_i_chain_sampler *sampler;
    int from_data; /* start at a solver's answer: not private */
    kith_subspace_solver solver;
    kith_chain_diagnostics *diagnostics; /* NULL: not asked for */
    double unit;                         /* length of a lattice step */
} chain_arg;

void kith_i_chain_note(kith_i_chain_trace *trace, const kith_i_chain_job *job,
                       uint32_t sweep, const double *planes, double energy)
{
    size_t size = (size_t)job->q * job->d;
    double overlap = 0;
    for (size_t i = 0; i < job->k * size; i++)
        trace->sum[i] += planes[i];
    for (uint32_t l = 0; l < job->k; l++)
        for (uint32_t m = 0; m < l; m++)
            for (uint32_t a = 0; a < job->q; a++)
                for (uint32_t b = 0; b < job->q; b++) {
                    const double *u = planes + l * size + (size_t)a * job->d;
                    const double *v = planes + m * size + (size_t)b * job->d;
                    double dot = 0;
                    for (uint32_t i = 0; i < job->d; i++)
                        dot += u[i] * v[i];
                    overlap += dot * dot;
                }
    trace->energy[sweep] = energy;
    trace->overlap[sweep] = overlap;
}

/* The start. Without from_data it is independent of the records. */
static kith_status start(const chain_arg *a, const kith_i_chain_rows *rows,
                         kith_i_words *coins, double *planes, kith_error *err)
{
    const kith_i_chain_job *job = &a->job;
    size_t size = (size_t)job->q * job->d;
    if (!a->from_data) {
        for (uint32_t l = 0; l < job->k; l++)
            kith_i_plane_haar(planes + l * size, job->q, job->d, coins);
        return KITH_OK;
    }
    double *x = kith_i_alloc(rows->n * job->d, sizeof *x);
    if (!x)
        return kith_i_fail_memory(err);
    for (size_t r = 0; r < rows->n; r++)
        memcpy(x + r * job->d, rows->x + r * rows->stride, job->d * sizeof *x);
    kith_i_matrix all = {x, (uint32_t)rows->n, job->d};
    kith_i_coins seeded;
    kith_i_coins_seed(&seeded, kith_i_words_next(coins), 0);
    kith_status status = kith_i_solve_subspaces(a->solver, &all, job->k, job->q,
                                                &seeded, planes, err);
    kith_i_wipe_free(x, rows->n * job->d * sizeof *x);
    return status;
}

double kith_i_split_rhat(const double *values, uint32_t chains, size_t stride,
                         size_t n)
{
    size_t half = n / 2, parts = 2 * (size_t)chains;
    if (half < 2)
        return (double)NAN;
    double grand = 0, between = 0, within = 0;
    for (size_t p = 0; p < parts; p++) {
        const double *x = values + p / 2 * stride + p % 2 * half;
        for (size_t i = 0; i < half; i++)
            grand += x[i] / (double)(parts * half);
    }
    for (size_t p = 0; p < parts; p++) {
        const double *x = values + p / 2 * stride + p % 2 * half;
        double mean = 0, square = 0;
        for (size_t i = 0; i < half; i++)
            mean += x[i] / (double)half;
        for (size_t i = 0; i < half; i++)
            square += (x[i] - mean) * (x[i] - mean);
        within += square / (double)(half - 1) / (double)parts;
        between += (mean - grand) * (mean - grand) / (double)(parts - 1);
    }
    if (!(within > 0))
        return between > 0 ? (double)INFINITY : 1;
    return sqrt((double)(half - 1) / (double)half + between / within);
}

/* Four chains; the first one's state is the answer. */
static kith_status run_with_trace(const chain_arg *a,
                                  const kith_i_chain_rows *rows,
                                  kith_i_words *coins, double *state,
                                  kith_error *err)
{
    const kith_i_chain_job *job = &a->job;
    kith_chain_diagnostics *out = a->diagnostics;
    size_t size = (size_t)job->k * job->q * job->d, sweeps = job->sweeps;
    size_t late = sweeps / 2, count = sweeps - late;
    double *space = kith_i_alloc(2 * CHAINS * sweeps + 2 * size, sizeof *space);
    if (!space)
        return kith_i_fail_memory(err);
    double *overlap = space + CHAINS * sweeps;
    double *planes = overlap + CHAINS * sweeps;
    kith_status status = KITH_OK;
    for (size_t c = 0; c < CHAINS && !status; c++) {
        kith_i_chain_trace trace = {space + c * sweeps, overlap + c * sweeps,
                                    planes + size};
        memset(trace.sum, 0, size * sizeof *trace.sum);
        status = start(a, rows, coins, planes, err);
        if (!status)
            status = a->sampler(job, rows, coins, planes, &trace, err);
        if (c > 0 || status)
            continue;
        memcpy(state, planes, size * sizeof *state);
        for (size_t i = 0; i < size; i++)
            out->figure3 += trace.sum[i] * trace.sum[i];
        out->figure3 =
            sqrt(out->figure3 / ((double)job->k * job->q)) / (double)sweeps;
    }
    for (size_t c = 0; c < CHAINS && !status; c++) {
        for (size_t t = late; t < sweeps; t++)
            out->cost[c] += space[c * sweeps + t] / (double)count;
        out->cost[c] *= a->unit * a->unit / fmax((double)rows->n, 1);
    }
    if (!status) {
        out->chains = CHAINS;
        out->sweeps = job->sweeps;
        out->energy_rhat =
            kith_i_split_rhat(space + late, CHAINS, sweeps, count);
        out->overlap_rhat =
            kith_i_split_rhat(overlap + late, CHAINS, sweeps, count);
    }
    kith_i_wipe_free(space, (2 * CHAINS * sweeps + 2 * size) * sizeof *space);
    return status;
}

static kith_status run_chain(void *p, const kith_i_chain_rows *rows,
                             kith_i_words *coins, double *state,
                             kith_error *err)
{
    const chain_arg *a = p;
    if (a->diagnostics)
        return run_with_trace(a, rows, coins, state, err);
    kith_status status = start(a, rows, coins, state, err);
    return status ? status : a->sampler(&a->job, rows, coins, state, NULL, err);
}

/* Gibbs draws labels too. Where even a row that another plane misses by what is
 * usual often takes it, planes are drawn to each other: how far, nobody knows
 * beforehand. */
static double predicted_noise(const kith_i_subspace_run *run,
                              kith_i_chain_sampler *sampler, kith_i_loss charge)
{
    double b = kith_i_subspace_exponent(run, charge);
    double miss = 1 - (double)run->q / run->d;
    if (sampler == kith_i_gibbs_sample && run->q < run->d &&
        (run->k - 1) * exp(-b * miss) > MOST_WRONG)
        return (double)NAN;
    return kith_i_subspace_angle(run, charge);
}

kith_status kith_i_chain_release(kith_i_subspace_run *run, const char *what,
                                 kith_i_chain_sampler *sampler, uint32_t sweeps,
                                 kith_error *err)
{
    const kith_subspace_options *opt = run->opt;
    chain_arg arg = {
        .job = {run->k, run->q, run->d, opt->rounds ? opt->rounds : sweeps},
        .sampler = sampler,
        .from_data = opt->non_private_start,
        .solver = opt->solver,
        .unit = kith_i_domain_step(kith_i_session_domain(run->session))};
    if (opt->diagnostics) {
        run->diagnostics = kith_i_alloc(1, sizeof *run->diagnostics);
        if (!run->diagnostics)
            return kith_i_fail_memory(err);
        arg.diagnostics = run->diagnostics;
    }
    kith_i_chain_spec spec = {.what = what,
                              .run = run_chain,
                              .arg = &arg,
                              .state = (size_t)run->k * run->q * run->d,
                              .charge = kith_i_session_left(run->session),
                              .unproved =
                                  opt->diagnostics || opt->non_private_start};
    run->rounds = arg.job.sweeps;
    run->noise = predicted_noise(run, sampler, spec.charge);
    /* No progress: how fast a chain runs depends on the records. */
    return kith_i_release_chain(run->session, &spec, run->planes, err);
}

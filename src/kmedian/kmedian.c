/* kith_kmedian: checks the options; a private k-means run with a share of the
 * budget gives the start, noisy steps of k-median do the rest. */
#include "kmedian_i.h"

#include "balcan/balcan_i.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_ROUNDS = 8 };

void kith_kmedian_options_init(kith_kmedian_options *opt, size_t size)
{
    kith_i_options_init(opt, size, NULL, 0);
}

static kith_status read_options(const kith_kmedian_options *given,
                                kith_kmedian_options *opt, kith_error *err)
{
    kith_kmedian_options_init(opt, sizeof *opt);
    kith_status status = kith_i_options_read(given, "kith_kmedian_options_init",
                                             sizeof *opt, opt, err);
    if (!status)
        status = kith_i_options_check(opt->clusters, opt->rounds, err);
    if (status)
        return status;
    if ((opt->method != KITH_KMEDIAN_AUTO &&
         opt->method != KITH_KMEDIAN_BALCAN) ||
        (opt->recovery != KITH_RECOVERY_STEPS &&
         opt->recovery != KITH_RECOVERY_SAMPLING))
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "unknown k-median method or recovery");
    return KITH_OK;
}

/* Original units to lattice units, the inverse of kith_i_domain_restore. */
static void to_lattice(const kith_i_domain *domain, const double *from,
                       double *to)
{
    for (uint32_t i = 0; i < domain->dimension; i++) {
        double u = domain->shift
                       ? (from[i] - domain->shift[i]) * domain->stretch[i]
                       : from[i];
        to[i] = ldexp(u - domain->origin[i], domain->scale_log2);
    }
    kith_i_domain_clip(domain, to);
}

/* Noise of one step with this charge, in a cluster of average size, in typical
 * distances. d: features; rows: noisy, or a plan's. */
static double step_noise(const kith_session *session, kith_i_loss charge,
                         double d, uint32_t k, double rows)
{
    kith_measure measure = kith_i_session_measure(session);
    double radius = (double)kith_i_median_radius() / KITH_I_MEDIAN_UNIT;
    if (kith_i_session_privacy(session).neighbors == KITH_REPLACE_ONE)
        radius *= 2;
    double sd = radius / kith_i_loss_value(charge, measure);
    if (measure == KITH_PURE_DP)
        sd *= sqrt(d + 2); /* K-norm noise */
    return sd * sqrt(d) * k / fmax(rows, 1);
}

/* As many rounds as leave the noise of each below this (measured:
 * docs/kmedian.md): it grows like T in pure DP, like sqrt(T) in Gaussian DP. */
static const double BEARABLE = 0.13;
static uint32_t default_rounds(const kith_i_median_run *run, double rows)
{
    int pure = kith_i_session_measure(run->session) == KITH_PURE_DP;
    double rounds =
        BEARABLE / step_noise(run->session, kith_i_session_left(run->session),
                              run->width, run->k, rows);
    rounds = floor(pure ? rounds : rounds * rounds);
    return (uint32_t)fmax(1, fmin(rounds, MOST_ROUNDS));
}

/* Of the budget, for the start; of what it leaves, for each tau; of the last
 * round, for the weights. Measured: docs/kmedian.md. */
static const double START_SHARE = 0.65, TAU_SHARE = 0.02, COUNT_SHARE = 0.05;

/* Of the budget, for the number of rows; noise of a step with all that the
 * start would leave, above which it leaves nothing (Gaussian, pure). */
static const double ROWS_SHARE[2] = {0.004, 0.01}, LOUD[2] = {0.08, 0.012};

/* What the start may use. Means with the whole budget are better medians than
 * steps from means with a part of it, when steps are noisy; in pure DP from
 * much less noise on, because there the start has more to lose. */
static kith_status share_of_start(kith_session *session,
                                  const kith_kmedian_options *opt,
                                  uint64_t rows, double *share, kith_error *err)
{
    const kith_i_domain *domain = kith_i_session_domain(session);
    int pure = kith_i_session_measure(session) == KITH_PURE_DP;
    kith_i_ask ask = {0};
    kith_i_cells_spec spec = {.what = "share of the start, row", .cells = 1};
    kith_i_cells cells;
    *share = START_SHARE;
    if (opt->method != KITH_KMEDIAN_AUTO || opt->rounds ||
        opt->recovery != KITH_RECOVERY_STEPS)
        return KITH_OK; /* the caller wants these steps */
    spec.count_charge =
        kith_i_loss_share(kith_i_session_left(session), ROWS_SHARE[pure]);
    kith_status status =
        kith_i_release_cells(session, &ask, &spec, &cells, err);
    if (status)
        return status;
    double n = rows > 0 ? (double)rows : (double)cells.counts[0];
    kith_i_cells_free(&cells);
    double d = domain->dimension;
    kith_i_loss rest =
        kith_i_loss_share(kith_i_session_left(session), 1 - START_SHARE);
    if (step_noise(session, rest, d, opt->clusters, n) > LOUD[pure])
        *share = 1;
    return KITH_OK;
}

/* Means first: a k-means run that sees only its share of the budget. Fills
 * run->centers, and the result with what it releases. */
static kith_status start(kith_i_median_run *run,
                         const kith_kmedian_options *opt, double share,
                         uint64_t rows, kith_result *result, kith_error *err)
{
    kith_session *session = run->session;
    const kith_i_domain *domain = kith_i_session_domain(session);
    kith_kmeans_options means;
    kith_kmeans_options_init(&means, sizeof means);
    means.clusters = opt->clusters;
    means.public_seed = opt->public_seed;
    kith_i_session_hold(
        session, kith_i_loss_share(kith_i_session_left(session), 1 - share));
    kith_status status =
        opt->method == KITH_KMEDIAN_BALCAN
            ? kith_i_median_balcan(session, &means, rows, result, err)
            : kith_i_kmeans_run(session, &means, rows, result, err);
    kith_i_session_hold(session, 0);
    result->cost = 0; /* of means */
    if (!status)
        kith_i_result_room(result, domain);
    for (uint32_t j = 0; !status && j < opt->clusters; j++)
        to_lattice(domain, result->centers + (size_t)j * domain->dimension,
                   run->centers + (size_t)j * domain->dimension);
    return status;
}

/* One step, and before the first and the middle one a new tau: far from the
 * medians hardly any distance is short. */
static kith_status step_once(kith_i_median_run *run, uint32_t t,
                             kith_i_loss tau_charge, uint64_t rows,
                             kith_result *result, kith_error *err)
{
    uint32_t rounds = result->rounds;
    kith_i_session_hold(run->session, 0);
    if (t == 0 || t == (rounds + 1) / 2) {
        kith_status status = kith_i_median_tau(run, tau_charge, err);
        if (status)
            return status;
        if (rows > 0) /* a plan: a quarter of the bound is typical */
            run->tau = (double)kith_i_domain_l2(run->domain) / 4;
    }
    if (rounds > 1 && t < (rounds + 1) / 2)
        kith_i_session_hold(run->session, tau_charge);
    char what[64];
    snprintf(what, sizeof what, "round %u of %u, pull", t + 1, rounds);
    kith_i_loss round = kith_i_session_left(run->session) / (rounds - t);
    kith_i_median_step step = {.what = what, .charge = round};
    if (t + 1 == rounds) {
        step.count_charge = kith_i_loss_share(round, COUNT_SHARE);
        step.charge -= step.count_charge;
    }
    double noise = 0;
    kith_status status =
        kith_i_median_move(run, &step, (double)rows, &noise, err);
    result->noise = noise * kith_i_domain_step(run->domain);
    return status;
}

static kith_status steps(kith_i_median_run *run,
                         const kith_kmedian_options *opt, uint64_t rows,
                         kith_result *result, kith_error *err)
{
    uint32_t rounds = result->rounds;
    kith_i_loss tau_charge =
        kith_i_loss_share(kith_i_session_left(run->session), TAU_SHARE);
    kith_status status = KITH_OK;
    for (uint32_t t = 0; !status && t < rounds; t++) {
        status = step_once(run, t, tau_charge, rows, result, err);
        if (!status)
            status = kith_i_progress(opt->progress, opt->progress_arg, t + 1,
                                     rounds, err);
    }
    kith_i_session_hold(run->session, 0);
    return status;
}

/* What the options and the budget rule out, before anything is spent. */
static kith_status check(const kith_session *session,
                         const kith_kmedian_options *opt, kith_error *err)
{
    kith_i_loss total = kith_i_session_left(session);
    int pure = kith_i_session_measure(session) == KITH_PURE_DP;
    kith_i_loss left =
        kith_i_loss_share(total, (1 - ROWS_SHARE[pure]) * (1 - START_SHARE));
    if (total == 0)
        return kith_i_fail_budget(total, err);
    if (opt->recovery == KITH_RECOVERY_SAMPLING) {
        kith_status status =
            kith_i_session_need_alone(session, "recovery by sampling", err);
        return status ? status
                      : kith_i_median_check_sample(
                            kith_i_session_domain(session), left, err);
    }
    uint32_t rounds = opt->rounds ? opt->rounds : MOST_ROUNDS;
    kith_i_loss tau_charge = kith_i_loss_share(left, TAU_SHARE);
    if (tau_charge == 0 ||
        kith_i_loss_share((left - 2 * tau_charge) / rounds, COUNT_SHARE) == 0)
        return kith_i_fail(err, KITH_ERR_BUDGET,
                           "the budget is too small to be divided among %u "
                           "rounds: raise epsilon or delta",
                           rounds);
    return KITH_OK;
}

/* A kith_i_method_fn. */
static kith_status cluster(kith_session *session, const void *options,
                           uint64_t rows, kith_result *result, kith_error *err)
{
    const kith_kmedian_options *opt = options;
    const kith_i_domain *domain = kith_i_session_domain(session);
    uint32_t k = opt->clusters;
    kith_i_median_run run = {
        .session = session, .k = k, .weights = result->weights};
    run.centers =
        kith_i_alloc((size_t)k * domain->dimension, sizeof *run.centers);
    double share = START_SHARE;
    kith_status status =
        run.centers ? check(session, opt, err) : kith_i_fail_memory(err);
    if (!status)
        status = share_of_start(session, opt, rows, &share, err);
    if (!status)
        status = start(&run, opt, share, rows, result, err);
    if (status || share >= 1) {
        result->rounds = 0; /* the means are the answer */
        kith_i_free(run.centers);
        return status;
    }
    status = kith_i_median_open(&run, rows, err);
    if (!status && opt->recovery == KITH_RECOVERY_SAMPLING) {
        result->rounds = 1;
        status = kith_i_median_sample(&run, result, err);
    } else if (!status) {
        result->rounds =
            opt->rounds ? opt->rounds : default_rounds(&run, result->rows);
    }
    if (!status && opt->recovery == KITH_RECOVERY_STEPS)
        status = steps(&run, opt, rows, result, err);
    if (!status)
        kith_i_result_set_centers(result, domain, run.centers);
    kith_i_median_close(&run);
    kith_i_free(run.centers);
    return status;
}

/* plan: NULL for a run of the session. */
static kith_status run_or_plan(kith_session *session, const kith_i_plan *plan,
                               const kith_kmedian_options *given,
                               kith_result **out, kith_error *err)
{
    if (!out)
        return kith_i_fail_place(err);
    *out = NULL;
    kith_kmedian_options opt;
    kith_status status = read_options(given, &opt, err);
    if (status)
        return status;
    kith_i_method method = {.run = cluster,
                            .opt = &opt,
                            .clusters = opt.clusters,
                            .public_seed = opt.public_seed};
    if (!plan)
        return kith_i_run(session, &method, 0, out, err);
    opt.progress = NULL;
    return kith_i_run_plan(plan, &method, out, err);
}

kith_status kith_kmedian(kith_session *session, const kith_kmedian_options *opt,
                         kith_result **out, kith_error *err)
{
    return run_or_plan(session, NULL, opt, out, err);
}

kith_status kith_kmedian_plan(const kith_shape *shape,
                              const kith_bounds *bounds,
                              const kith_privacy *privacy,
                              const kith_kmedian_options *opt,
                              kith_result **out, kith_error *err)
{
    kith_i_plan plan = {shape, bounds, privacy};
    return run_or_plan(NULL, &plan, opt, out, err);
}

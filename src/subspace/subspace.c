/* kith_subspace: checks the options, runs the method, makes the result. */
#include "subspace_i.h"

#include "kith/model.h"

#include <math.h>
#include <string.h>

#include "kernel/planes.h"

enum { MAX_PLANES = 1 << 16, MAX_ROUNDS = 10000000 };

void kith_subspace_options_init(kith_subspace_options *opt, size_t size)
{
    kith_subspace_options fresh = {.method = KITH_SUBSPACE_AUTO,
                                   .solver = KITH_SOLVER_KPLANE};
    kith_i_options_init(opt, size, &fresh, sizeof fresh);
}

static kith_status read_options(const kith_subspace_options *given,
                                kith_subspace_options *opt, kith_error *err)
{
    kith_subspace_options_init(opt, sizeof *opt);
    kith_status status = kith_i_options_read(
        given, "kith_subspace_options_init", sizeof *opt, opt, err);
    if (status)
        return status;
    if (opt->clusters == 0 || opt->clusters > MAX_PLANES)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "the number of planes must be between 1 and %d",
                           MAX_PLANES);
    if (opt->subspace_dimension == 0)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "say of which dimension the planes are: at least 1");
    if (opt->rounds > MAX_ROUNDS)
        return kith_i_fail(err, KITH_ERR_ARGUMENT, "at most %d rounds",
                           MAX_ROUNDS);
    return KITH_OK;
}

static kith_i_subspace_fn *method_function(kith_subspace_method method)
{
    switch (method) {
    case KITH_SUBSPACE_AUTO:
        return kith_i_subspace_auto;
    case KITH_SUBSPACE_SULQ:
        return kith_i_subspace_sulq;
    case KITH_SUBSPACE_BINGHAM:
        return kith_i_subspace_bingham;
    case KITH_SUBSPACE_GIBBS:
        return kith_i_subspace_gibbs;
    case KITH_SUBSPACE_MINCOST:
        return kith_i_subspace_mincost;
    case KITH_SUBSPACE_SAMPLE_AGGREGATE:
        return kith_i_subspace_aggregate;
    }
    return NULL;
}

/* Planes go through the origin: so must the domain's centre. */
static kith_status check_domain(const kith_i_domain *domain, kith_error *err)
{
    if (domain->sparse)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "subspace clustering takes dense rows only");
    if (domain->shift)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "planes pass through the origin, which normalize "
                           "would move: give the bounds without it");
    for (uint32_t i = 0; i < domain->dimension; i++)
        if (domain->origin[i] != 0)
            return kith_i_fail(err, KITH_ERR_PRIVACY,
                               "planes pass through the origin: give bounds "
                               "about 0, such as --radius 1, without a centre");
    return KITH_OK;
}

double kith_i_subspace_exponent(const kith_i_subspace_run *run,
                                kith_i_loss charge)
{
    kith_measure measure = kith_i_session_measure(run->session);
    double b = ldexp((double)kith_i_selection_range(measure, charge),
                     -KITH_I_LOSS_BITS);
    int replace =
        kith_i_session_privacy(run->session).neighbors == KITH_REPLACE_ONE;
    return replace ? b / 2 : b;
}

double kith_i_subspace_angle(const kith_i_subspace_run *run, kith_i_loss charge)
{
    double k = run->k, q = run->q, d = run->d;
    double b = kith_i_subspace_exponent(run, charge);
    double gap = (double)run->rows / (k * q);
    if (run->q == run->d)
        return 0;
    return b * gap > 0 ? sqrt(q * (d - q) / (2 * b * gap)) : (double)NAN;
}

void kith_i_subspace_foretell(kith_i_subspace_run *run,
                              const kith_i_noisy_matrix *noise, double length)
{
    double k = run->k, q = run->q, d = run->d;
    double gap = (double)run->rows * length / (k * q);
    run->rating = (kith_i_plane_rating){0};
    kith_i_rating_add_even(&run->rating, noise, gap, run->q);
    run->noise = noise->sd * sqrt(q * (d - q) / 2) / gap;
}

/* Rows that are public: planned for, or as many before as after. */
static double public_rows(const kith_i_subspace_run *run)
{
    if (run->rows > 0)
        return (double)run->rows;
    return kith_i_session_privacy(run->session).neighbors == KITH_REPLACE_ONE
               ? (double)kith_i_session_rows(run->session)
               : 0;
}

static kith_status run_method(kith_session *session, const void *arg,
                              uint64_t rows, kith_result *result,
                              kith_error *err)
{
    const kith_subspace_options *opt = arg;
    const kith_i_domain *domain = kith_i_session_domain(session);
    kith_i_subspace_fn *method = method_function(opt->method);
    if (!method)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "unknown subspace clustering method");
    kith_status status = check_domain(domain, err);
    if (!status && opt->method != KITH_SUBSPACE_AUTO &&
        opt->method != KITH_SUBSPACE_SULQ)
        status = kith_i_session_need_alone(
            session, kith_word_of(KITH_WORDS_SUBSPACE_METHOD, (int)opt->method),
            err);
    if (status)
        return status;
    uint32_t d = domain->dimension, q = opt->subspace_dimension;
    if (q > d)
        return kith_i_fail(err, KITH_ERR_ARGUMENT, KITH_I_PLANE_TOO_LARGE, d,
                           q);
    kith_i_subspace_run run = {.session = session,
                               .opt = opt,
                               .k = opt->clusters,
                               .q = q,
                               .d = d,
                               .rows = rows,
                               .noise = (double)NAN};
    run.counted = public_rows(&run);
    kith_i_coins_seed(&run.coins, opt->public_seed, 0);
    run.planes = kith_i_alloc((size_t)run.k * q * d, sizeof *run.planes);
    if (!run.planes)
        return kith_i_fail_memory(err);
    status = method(&run, err);
    if (!status && kith_i_result_set_planes(result, q, run.planes))
        status = kith_i_fail_memory(err);
    result->rounds = run.rounds;
    result->rows = run.counted;
    result->rows_sd = run.counted_sd;
    result->noise = run.noise;
    result->directions = run.rating.directions;
    result->lost = run.rating.lost;
    result->blind = run.blind;
    result->diagnostics = run.diagnostics;
    kith_i_free(run.planes);
    return status;
}

/* plan: NULL for a run of the session. */
static kith_status run_or_plan(kith_session *session, const kith_i_plan *plan,
                               const kith_subspace_options *given,
                               kith_result **out, kith_error *err)
{
    if (!out)
        return kith_i_fail_place(err);
    *out = NULL;
    kith_subspace_options opt;
    kith_status status = read_options(given, &opt, err);
    if (status)
        return status;
    if (plan && plan->shape && plan->shape->sparse)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "planes are found from dense rows only");
    kith_i_method method = {.run = run_method,
                            .opt = &opt,
                            .clusters = opt.clusters,
                            .public_seed = opt.public_seed};
    if (!plan)
        return kith_i_run(session, &method, 0, out, err);
    opt.progress = NULL;
    return kith_i_run_plan(plan, &method, out, err);
}

kith_status kith_subspace(kith_session *session,
                          const kith_subspace_options *opt, kith_result **out,
                          kith_error *err)
{
    return run_or_plan(session, NULL, opt, out, err);
}

kith_status kith_subspace_plan(const kith_shape *shape,
                               const kith_bounds *bounds,
                               const kith_privacy *privacy,
                               const kith_subspace_options *opt,
                               kith_result **out, kith_error *err)
{
    kith_i_plan plan = {shape, bounds, privacy};
    return run_or_plan(NULL, &plan, opt, out, err);
}

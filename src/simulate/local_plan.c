/* A deployment without data: the forecast in closed form, and a trial of the
 * same script on made-up users by the law, whose questions are those that a
 * real run would ask. */
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "data/fold.h"
#include "methods/compare_centers.h"
#include "methods/noise_forecast.h"
#include "methods/weighted.h"
#include "plan_trial.h"

/* Numbers in the records of a trial; more users are stood for. */
static const uint64_t TRIAL_NUMBERS = 4000000;
static const uint64_t TRIAL_USERS = 200000;
/* How often a cluster is lost: trials with clusters of other places and sizes,
 * on fewer rows, each of which stands for more users. The server thinks longer
 * about many clusters, and trials are fewer: LOST_WORK / k^2. With many
 * features there are none. */
enum { LOST_TRIALS = 60, LOST_LEAST = 8, LOST_WORK = 2000, LOST_FEATURES = 64 };
static const uint64_t LOST_ROWS = 100000;

/* ---- forecast ---- */

/* A centre that is off by more than a quarter of the distance between two
 * clusters, which is about half of the radius, belongs to neither. off: of the
 * radius. 0: no, 2: perhaps, 1: yes. */
static int works_with(double off)
{
    return off > 1 / 8.0 ? 0 : off > 1 / 16.0 ? 2 : 1;
}

/* The vectors of weighted-centers, and the weaker of the two kinds of counts
 * that it needs: heavy cells, and weights. */
static void weighted_questions(const kith_i_local_task *task, uint64_t users,
                               kith_i_question *vectors,
                               kith_i_question *counts)
{
    kith_i_wc_setup setup;
    kith_i_question list = {0};
    kith_i_wc_setup_make(task, users, &setup);
    kith_i_wc_group group = {.parts = 1};
    kith_i_wc_pay_step(task, &setup, KITH_I_WC_SUM, group, vectors);
    kith_i_wc_pay_step(task, &setup, KITH_I_WC_LIST, group, &list);
    kith_i_wc_pay_weights(task, &setup, 0, counts);
    if (kith_i_olh_sd(list.epsilon) / sqrt(list.share) >
        kith_i_olh_sd(counts->epsilon) / sqrt(counts->share))
        *counts = list;
}

/* The price of the last question, and its resolution. Half of its users are
 * asked about one mean, if there is another answer to ask about. */
static void predict_last(const kith_i_local_task *task, uint64_t users,
                         kith_local_forecast *out)
{
    kith_i_collector face = {.invited = users, .d = task->d, .minimum = 1};
    kith_i_local_run run;
    kith_i_local_open(&run, task, &face, 1);
    out->last_share = kith_i_compare_share(&run);
    if (out->last_share > 0)
        out->last_sd = kith_i_compare_sd(&run, out->last_share / 2);
    kith_i_local_close(&run);
}

static void forecast_make(const kith_i_local_task *task,
                          kith_local_method method, uint64_t users,
                          kith_local_forecast *out)
{
    kith_i_local_task one = *task;
    kith_i_question vectors = {.epsilon = task->epsilon},
                    counts = {.epsilon = task->epsilon, .share = .5};
    switch (method) {
    case KITH_LOCAL_AUTO:
        vectors.share = task->d > 3 ? .16 : 0;
        counts.share = task->d > 3 ? .1 : .5;
        break;
    case KITH_LOCAL_ONE_ROUND:
        vectors.share = .5;
        break;
    case KITH_LOCAL_WEIGHTED_CENTERS:
        weighted_questions(task, users, &vectors, &counts);
        break;
    case KITH_LOCAL_MEAN:
        one.k = 1;
        vectors.share = counts.share = 1;
        break;
    }
    kith_i_local_forecast f = kith_i_local_predict(
        &one, users, vectors.share > 0 ? &vectors : NULL, &counts);
    int once = method == KITH_LOCAL_ONE_ROUND || method == KITH_LOCAL_MEAN;
    double error = once ? f.first_error : f.center_error;
    out->lost = (double)NAN;
    out->trials = 0;
    out->last_share = out->last_sd = 0;
    if (method == KITH_LOCAL_AUTO)
        predict_last(task, users, out);
    out->radius = task->radius;
    out->center_error = error;
    out->smallest = f.smallest;
    double hidden = f.smallest * one.k;
    out->works = works_with(error / task->radius);
    if (hidden > .5 && out->works)
        out->works = hidden > 1 ? 0 : 2;
}

/* A trial that went far worse than the forecast says that the forecast does
 * not know what happens here. */
static void heed_trial(double error, kith_local_forecast *out)
{
    int works = works_with(error / out->radius);
    if (error > 3 * out->center_error && works != 1 && out->works)
        out->works = works;
}

static kith_status check_shape(uint64_t rows, uint32_t dimension,
                               const kith_bounds *bounds, kith_error *err)
{
    if (!bounds || dimension == 0 || rows == 0)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "a number of users, a dimension and bounds are "
                           "needed");
    return KITH_OK;
}

static kith_status predict_in(const kith_i_domain *domain, uint64_t users,
                              const kith_local_options *opt,
                              kith_local_forecast *out, kith_error *err)
{
    kith_i_local_bounds box;
    kith_i_local_task task;
    if (!out)
        return kith_i_fail_place(err);
    kith_status status = kith_i_local_bounds_make(domain, &box, err);
    if (status)
        return status;
    kith_i_local_task_make(opt, &box, domain->dimension, &task);
    forecast_make(&task, opt->method, users, out);
    kith_i_local_bounds_free(&box);
    return KITH_OK;
}

kith_status kith_local_predict(uint64_t rows, uint32_t dimension,
                               const kith_bounds *bounds,
                               const kith_local_options *options,
                               kith_local_forecast *out, kith_error *err)
{
    kith_local_options opt;
    kith_i_domain *domain = NULL;
    kith_status status = check_shape(rows, dimension, bounds, err);
    if (!status)
        status = kith_i_local_read_options(options, &opt, err);
    if (!status)
        status = kith_i_domain_new(bounds, dimension, 0, &domain, err);
    if (!status)
        status = predict_in(domain, rows, &opt, out, err);
    kith_i_domain_free(domain);
    return status;
}

kith_status kith_local_predict_data(const kith_dataset *data,
                                    const kith_local_options *options,
                                    kith_local_forecast *out, kith_error *err)
{
    kith_local_options opt;
    if (!data)
        return kith_i_fail(err, KITH_ERR_ARGUMENT, "a dataset is needed");
    kith_status status = kith_i_local_read_options(options, &opt, err);
    return status ? status
                  : predict_in(kith_i_dataset_domain(data),
                               kith_i_dataset_rows(data), &opt, out, err);
}

/* ---- trials ---- */

/* Rows for so many users, each standing for some of them. */
static void trial_size(kith_i_trial *t, uint64_t users, uint64_t most)
{
    uint64_t fit = TRIAL_NUMBERS / t->d + 1;
    most = most < fit ? most : fit;
    t->users = users < most ? users : most;
    t->copies = users / t->users;
}

/* Trials that may lose a cluster, shared by threads; each makes its own users
 * from its own seed, so that who runs which changes nothing. */
typedef struct {
    kith_i_trial like; /* box, k, d, users and copies */
    const kith_i_domain *domain;
    const kith_local_options *opt;
    atomic_int next, done, lost, stopped;
    kith_status status[LOST_TRIALS];
    kith_error err[LOST_TRIALS];
    int trials;
} losing;

/* The caller is told and asked by its own thread only; the others hear of it.
 */
static int told_by_first(void *arg, unsigned done, unsigned total)
{
    losing *all = arg;
    (void)done, (void)total;
    if (all->opt->progress(all->opt->progress_arg,
                           (unsigned)atomic_load(&all->done),
                           (unsigned)all->trials))
        atomic_store(&all->stopped, 1);
    return atomic_load(&all->stopped);
}

static int heard_by_others(void *arg, unsigned done, unsigned total)
{
    losing *all = arg;
    (void)done, (void)total;
    return atomic_load(&all->stopped);
}

static void run_trials(void *arg, uint32_t worker)
{
    losing *all = arg;
    kith_local_options opt = *all->opt;
    opt.threads = 1;
    opt.progress_arg = all;
    opt.progress = worker         ? heard_by_others
                   : opt.progress ? told_by_first
                                  : NULL;
    for (int i; (i = atomic_fetch_add(&all->next, 1)) < all->trials;) {
        kith_i_trial t = all->like;
        kith_i_trial_outcome outcome = {0};
        uint64_t seed = all->opt->public_seed + 1 + (uint64_t)i;
        opt.public_seed = opt.insecure_seed = seed;
        kith_status status = kith_i_trial_make(&t, seed, 1, &all->err[i]);
        if (!status)
            status = kith_i_trial_run(&t, all->domain, &opt, &outcome, NULL,
                                      &all->err[i]);
        kith_i_trial_free(&t);
        all->status[i] = status;
        if (status) /* no more of them; those that run come to an end */
            atomic_store(&all->next, all->trials);
        atomic_fetch_add(&all->lost, outcome.lost);
        atomic_fetch_add(&all->done, 1);
    }
}

static int lost_trials(uint32_t k)
{
    double most = LOST_WORK / ((double)k * k);
    return (int)fmax(LOST_LEAST, fmin(LOST_TRIALS, most));
}

/* The chance that a cluster is lost: half a trial more, so that few trials do
 * not promise never or always. box, k and d of t are set. */
static kith_status try_losing(kith_i_trial t, uint64_t users,
                              const kith_i_domain *domain,
                              const kith_local_options *opt,
                              kith_local_forecast *out, kith_error *err)
{
    losing all = {
        .like = t, .domain = domain, .opt = opt, .trials = lost_trials(t.k)};
    trial_size(&all.like, users, LOST_ROWS);
    kith_i_parallel(kith_i_thread_count(opt->threads), run_trials, &all);
    for (int i = 0; i < all.trials; i++)
        if (all.status[i]) {
            if (err)
                *err = all.err[i];
            return all.status[i];
        }
    out->trials = (uint32_t)all.trials;
    out->lost = (atomic_load(&all.lost) + 0.5) / (all.trials + 1.0);
    return KITH_OK;
}

kith_status kith_local_plan(const kith_shape *shape, const kith_bounds *bounds,
                            const kith_local_options *options,
                            kith_local_forecast *forecast, double *trial_error,
                            kith_local_summary **summary, kith_error *err)
{
    kith_local_options opt;
    kith_i_domain *domain = NULL;
    uint64_t rows = shape ? shape->rows : 0;
    uint32_t dimension = shape ? shape->dimension : 0;
    kith_i_trial t = {.d = dimension};
    kith_i_trial_outcome outcome = {0};
    kith_status status = kith_i_local_read_options(options, &opt, err);
    if (!status && forecast)
        status =
            kith_local_predict(rows, dimension, bounds, &opt, forecast, err);
    if (!status)
        status = check_shape(rows, dimension, bounds, err);
    if (!status)
        status = kith_i_domain_new(bounds, dimension, 0, &domain, err);
    if (!status)
        status = kith_i_local_bounds_make(domain, &t.box, err);
    if (!status) {
        t.k = opt.clusters;
        trial_size(&t, rows, TRIAL_USERS);
        opt.law = 1;
        opt.insecure_seed = opt.public_seed;
        status = kith_i_trial_make(&t, opt.public_seed, 0, err);
    }
    if (!status)
        status = kith_i_trial_run(&t, domain, &opt, &outcome, summary, err);
    kith_i_trial_free(&t);
    if (!status && trial_error)
        *trial_error = outcome.error;
    if (!status && forecast && opt.method != KITH_LOCAL_MEAN)
        heed_trial(outcome.error, forecast);
    if (!status && forecast && opt.method == KITH_LOCAL_AUTO &&
        opt.clusters > 1 && dimension <= LOST_FEATURES)
        status = try_losing(t, rows, domain, &opt, forecast, err);
    kith_i_local_bounds_free(&t.box);
    kith_i_domain_free(domain);
    return status;
}

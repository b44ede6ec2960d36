/* A deployment without data: the forecast in closed form, and a trial of the
 * same script on made-up users by the law, whose questions are those that a
 * real run would ask. */
#include <math.h>
#include <string.h>

#include "local_run.h"
#include "methods/noise_forecast.h"
#include "methods/weighted.h"

/* Numbers in the records of a trial; more users are stood for. */
static const uint64_t TRIAL_NUMBERS = 4000000;
static const uint64_t TRIAL_USERS = 200000;
/* Root mean square radius of a cluster of the trial, of the bounds' radius. */
static const double TRIAL_SPREAD = 0.12;

/* ---- forecast -------------------------------------------------------------
 */

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

/* ---- trial ----------------------------------------------------------------
 */

typedef struct {
    uint32_t k, d;
    uint64_t users, copies; /* rows, and how many users each stands for */
    double *centers;        /* k x d: the truth */
    double *rows;
    kith_i_local_bounds box;
} trial;

/* A point in three quarters of the ball, in the box. */
static void draw_center(trial *t, kith_i_coins *coins, double *center)
{
    double norm = 0;
    for (uint32_t i = 0; i < t->d; i++) {
        center[i] = kith_i_coins_normal(coins);
        norm += center[i] * center[i];
    }
    double length = .75 * t->box.radius *
                    pow(kith_i_coins_unit(coins), 1 / (double)t->d) /
                    sqrt(norm);
    for (uint32_t i = 0; i < t->d; i++) {
        center[i] = t->box.center[i] + length * center[i];
        center[i] = fmin(t->box.upper[i], fmax(t->box.lower[i], center[i]));
    }
}

/* Centres far from each other where there is room for it: the best of some
 * draws. */
static void draw_centers(trial *t, kith_i_coins *coins, double *scratch)
{
    enum { DRAWS = 20 };
    for (uint32_t j = 0; j < t->k; j++) {
        double farthest = -1;
        for (int a = 0; a < DRAWS; a++) {
            double nearest = HUGE_VAL;
            draw_center(t, coins, scratch);
            for (uint32_t i = 0; i < j; i++)
                nearest = fmin(
                    nearest, kith_i_distance_squared(
                                 scratch, t->centers + (size_t)i * t->d, t->d));
            if (nearest <= farthest)
                continue;
            farthest = nearest;
            memcpy(t->centers + (size_t)j * t->d, scratch,
                   t->d * sizeof *scratch);
        }
    }
}

static kith_status trial_make(trial *t, uint64_t seed, kith_error *err)
{
    kith_i_coins coins;
    size_t d = t->d;
    t->centers = kith_i_alloc(t->k * d, sizeof *t->centers);
    t->rows = kith_i_alloc(t->users * d, sizeof *t->rows);
    double *scratch = kith_i_alloc(d, sizeof *scratch);
    if (!t->centers || !t->rows || !scratch) {
        kith_i_free(scratch);
        return kith_i_fail_memory(err);
    }
    kith_i_coins_seed(&coins, seed, 0x7472);
    draw_centers(t, &coins, scratch);
    kith_i_free(scratch);
    double sd = TRIAL_SPREAD * t->box.radius / sqrt((double)d);
    for (uint64_t i = 0; i < t->users; i++)
        for (size_t c = 0; c < d; c++)
            t->rows[i * d + c] = t->centers[(i % t->k) * d + c] +
                                 sd * kith_i_coins_normal(&coins);
    return KITH_OK;
}

/* Root mean square distance of a true centre from the nearest found. */
static double trial_distance(const trial *t, const double *found,
                             uint32_t count)
{
    double sum = 0;
    for (uint32_t j = 0; j < t->k; j++) {
        double nearest = HUGE_VAL;
        for (uint32_t i = 0; i < count; i++)
            nearest =
                fmin(nearest,
                     kith_i_distance_squared(t->centers + (size_t)j * t->d,
                                             found + (size_t)i * t->d, t->d));
        sum += nearest;
    }
    return sqrt(sum / t->k);
}

/* The bounds of a trial are those of the domain, in its units. */
static kith_status trial_dataset(const trial *t, const kith_i_domain *domain,
                                 kith_dataset **out, kith_error *err)
{
    kith_bounds bounds = {.lower = t->box.lower,
                          .upper = t->box.upper,
                          .box_count = t->d,
                          .radius = domain->radius,
                          .center = domain->radius > 0 ? domain->origin : NULL,
                          .center_count = domain->radius > 0 ? t->d : 0};
    return kith_dataset_from_rows(t->rows, t->users, t->d, &bounds, out, err);
}

static kith_status trial_run(const trial *t, const kith_i_domain *domain,
                             const kith_local_options *opt, double *error,
                             kith_local_summary **summary, kith_error *err)
{
    kith_dataset *data = NULL;
    kith_i_trace trace = {0};
    kith_i_local_found found = {0};
    kith_status status = kith_i_local_found_make(t->k, t->d, &found, err);
    if (!status)
        status = trial_dataset(t, domain, &data, err);
    if (!status)
        status =
            kith_i_local_execute(data, t->copies, opt, &trace, &found, err);
    if (!status)
        *error = trial_distance(t, found.centers, found.count);
    if (!status && summary)
        status = kith_i_local_summarise(&trace, summary, err);
    kith_i_trace_close(&trace);
    kith_dataset_free(data);
    kith_i_local_found_free(&found);
    return status;
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
    trial t = {.d = dimension};
    double off = 0;
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
        uint64_t most = TRIAL_NUMBERS / dimension + 1;
        most = most < TRIAL_USERS ? most : TRIAL_USERS;
        t.k = opt.clusters;
        t.users = rows < most ? rows : most;
        t.copies = rows / t.users;
        opt.law = 1;
        opt.insecure_seed = opt.public_seed;
        status = trial_make(&t, opt.public_seed, err);
    }
    if (!status)
        status = trial_run(&t, domain, &opt, &off, summary, err);
    if (!status && trial_error)
        *trial_error = off;
    if (!status && forecast && opt.method != KITH_LOCAL_MEAN)
        heed_trial(off, forecast);
    kith_i_free(t.centers);
    kith_i_free(t.rows);
    kith_i_local_bounds_free(&t.box);
    kith_i_domain_free(domain);
    return status;
}

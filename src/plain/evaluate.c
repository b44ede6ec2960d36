/* Cost of a model on rows, and the label of each row. NOT private: both look
 * at the rows as they are. Rows are measured by metric.c; neither labels nor
 * cost depend on how rows are blocked or on the number of threads, and costs
 * are added in the order of the rows. */
#include <math.h>

#include "base/base_i.h"
#include "base/block.h"
#include "base/watch.h"
#include "data/reader.h"
#include "kernel/kernel_i.h"
#include "kith/plain.h"
#include "metric.h"
#include "plane_metric.h"

enum { BATCH_ROWS = 64, WORTH_A_THREAD = 1 << 20 };

typedef struct {
    const kith_i_metric *metric;       /* one of these two */
    const kith_i_plane_metric *planes; /*                  */
    const kith_i_rows *rows;
    uint32_t workers;
    size_t room;     /* doubles of scratch per worker */
    double *scratch; /* workers x room */
    uint32_t *labels;
    double *squared; /* distance of each row to its centre */
} batch_job;

/* ---- batches of rows ---- */

static size_t batch_room(const batch_job *job)
{
    const kith_i_metric *m = job->metric;
    if (job->planes)
        return kith_i_plane_scratch(job->planes, BATCH_ROWS);
    size_t k = m->k, d = m->d;
    if (m->sparse)
        return k + d;
    return k + BATCH_ROWS * k + (m->low ? BATCH_ROWS * d : 0);
}

static void dense_batch(const batch_job *job, uint32_t first, uint32_t count,
                        double *scratch)
{
    const kith_i_metric *m = job->metric;
    size_t k = m->k, d = m->d;
    const double *x = job->rows->dense + first * d;
    double *scores = scratch, *dots = scores + k;
    if (m->low) {
        double *scaled = dots + BATCH_ROWS * k;
        for (size_t r = 0; r < count; r++)
            for (size_t i = 0; i < d; i++)
                scaled[r * d + i] = kith_i_metric_units(m, i, x[r * d + i]);
        x = scaled;
    }
    kith_i_dot_products(m->coords, m->k, x, count, m->d, dots);
    for (uint32_t r = 0; r < count; r++) {
        kith_i_row_view row = {.value = x + r * d, .count = m->d};
        for (size_t j = 0; j < k; j++)
            scores[j] = m->squares[j] - 2 * dots[j * count + r];
        job->labels[first + r] =
            kith_i_metric_nearest(m, &row, scores, &job->squared[first + r]);
    }
}

static void sparse_batch(const batch_job *job, uint32_t first, uint32_t count,
                         double *scratch)
{
    const kith_i_metric *m = job->metric;
    size_t k = m->k;
    double *scores = scratch, *scaled = scores + k;
    for (uint32_t r = first; r < first + count; r++) {
        uint32_t start = job->rows->start[r];
        kith_i_row_view row = {.value = scaled,
                               .index = job->rows->index + start,
                               .count = job->rows->start[r + 1] - start};
        for (size_t j = 0; j < k; j++)
            scores[j] = m->squares[j];
        for (uint32_t t = 0; t < row.count; t++) {
            size_t i = row.index[t];
            scaled[t] = kith_i_metric_units(m, i, job->rows->value[start + t]);
            for (size_t j = 0; j < k; j++)
                scores[j] -= 2 * scaled[t] * m->coords[i * k + j];
        }
        job->labels[r] =
            kith_i_metric_nearest(m, &row, scores, &job->squared[r]);
    }
}

static void work(void *arg, uint32_t worker)
{
    const batch_job *job = arg;
    uint32_t rows = job->rows->rows, step = job->workers * BATCH_ROWS;
    double *scratch = job->scratch + worker * job->room;
    for (uint32_t r = worker * BATCH_ROWS; r < rows; r += step) {
        uint32_t count = rows - r < BATCH_ROWS ? rows - r : BATCH_ROWS;
        if (job->planes)
            kith_i_plane_nearest(
                job->planes, job->rows->dense + (size_t)r * job->planes->d,
                count, scratch, job->labels + r, job->squared + r);
        else if (job->metric->sparse)
            sparse_batch(job, r, count, scratch);
        else
            dense_batch(job, r, count, scratch);
    }
}

/* ---- models ---- */

static kith_status check_model(const kith_model_view *model, uint32_t dimension,
                               kith_error *err)
{
    if (model->dimension != dimension)
        return kith_i_fail(err, KITH_ERR_INPUT,
                           "the model has %u dimensions, the rows have %u: "
                           "choose the columns that the model was made from",
                           model->dimension, dimension);
    for (size_t i = 0;
         model->centers && i < (size_t)model->clusters * dimension; i++)
        if (!isfinite(model->centers[i]))
            return kith_i_fail(err, KITH_ERR_ARGUMENT,
                               "the model's centers must be finite numbers");
    for (size_t i = 0; model->lower && i < dimension; i++)
        if (!isfinite(model->upper[i] - model->lower[i]) ||
            !(model->lower[i] < model->upper[i]))
            return kith_i_fail(err, KITH_ERR_ARGUMENT,
                               "the model's bounds of feature %zu make no "
                               "sense: the lower must be below the upper",
                               i + 1);
    return KITH_OK;
}

/* ---- streaming ---- */

/* What happens to each block's labels and squared distances, in order. */
typedef kith_status block_sink(void *arg, uint32_t rows, const uint32_t *labels,
                               const double *squared, kith_error *err);

static kith_status stream_blocks(kith_i_reader *reader, batch_job *job,
                                 block_sink *sink, void *arg, kith_error *err)
{
    const kith_i_plane_metric *p = job->planes;
    uint32_t threads = job->workers, k = p ? p->k * p->q : job->metric->k;
    kith_i_rows rows;
    for (;;) {
        kith_status status = kith_i_reader_next(reader, &rows, err);
        if (status || rows.rows == 0 || kith_i_stop_wanted())
            return status;
        double per_row = rows.dense ? (double)rows.dimension
                                    : (double)rows.start[rows.rows] / rows.rows;
        double products = per_row * rows.rows * k;
        job->rows = &rows;
        job->workers = products < WORTH_A_THREAD ? 1 : threads;
        kith_i_parallel(job->workers, work, job);
        job->workers = threads;
        job->rows = NULL; /* the next block's come from the reader */
        status = sink(arg, rows.rows, job->labels, job->squared, err);
        if (status)
            return status;
    }
}

static kith_status stream_job(kith_i_reader *reader, batch_job *job,
                              block_sink *sink, void *arg, kith_error *err)
{
    kith_status status = KITH_OK;
    job->room = batch_room(job);
    job->scratch = kith_i_alloc(job->workers * job->room, sizeof(double));
    job->labels = kith_i_alloc(KITH_I_BLOCK_ROWS, sizeof *job->labels);
    job->squared = kith_i_alloc(KITH_I_BLOCK_ROWS, sizeof *job->squared);
    if (!job->scratch || !job->labels || !job->squared) {
        status = kith_i_fail_memory(err);
    } else {
        int saved = kith_i_blas_single();
        status = stream_blocks(reader, job, sink, arg, err);
        kith_i_blas_restore(saved);
    }
    kith_i_free(job->scratch);
    kith_i_free(job->labels);
    kith_i_free(job->squared);
    return status;
}

static kith_status stream_model(const kith_model_view *model,
                                kith_i_reader *reader, uint32_t threads,
                                block_sink *sink, void *arg, kith_error *err)
{
    kith_i_metric m = {0};
    kith_i_plane_metric p = {0};
    batch_job job = {.workers = kith_i_thread_count(threads)};
    int sparse = kith_i_reader_is_sparse(reader);
    kith_status status =
        check_model(model, kith_i_reader_dimension(reader), err);
    if (!status)
        status = kith_i_blas_reserve(job.workers, err);
    if (!status && model->bases && sparse)
        status = kith_i_fail(err, KITH_ERR_INPUT,
                             "planes are held against dense rows only");
    if (!status && model->bases) {
        status = kith_i_plane_metric_init(&p, model, err);
        job.planes = &p;
    } else if (!status) {
        status = kith_i_metric_init(&m, model, sparse, err);
        job.metric = &m;
    }
    if (!status)
        status = stream_job(reader, &job, sink, arg, err);
    kith_i_metric_free(&m);
    kith_i_plane_metric_free(&p);
    return status;
}

static kith_status stream_source(const kith_model_view *model,
                                 const kith_source *source,
                                 const kith_source_options *opt,
                                 block_sink *sink, void *arg, kith_error *err)
{
    if (!model || !model->centers == !model->bases || model->clusters == 0 ||
        model->dimension == 0 || !model->lower != !model->upper)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "a model needs at least one center or plane, and "
                           "both bounds or none");
    kith_i_reader *reader = NULL;
    kith_status status = kith_i_reader_open_any(source, opt, &reader, err);
    if (status)
        return status;
    kith_i_watch watch = {.ask = opt->progress, .arg = opt->progress_arg};
    kith_i_watching before = kith_i_watch_enter(&watch);
    status = stream_model(model, reader, opt->threads, sink, arg, err);
    kith_i_watch_leave(before);
    kith_i_reader_close(reader);
    if (!status && kith_i_watch_check(&watch, NULL))
        status = kith_i_fail(err, KITH_ERR_CANCELLED, "the run was cancelled");
    return status;
}

/* ---- the public face ---- */

typedef struct {
    kith_objective objective;
    uint64_t rows;
    double sum, rest; /* Neumaier's compensated sum */
} cost_state;

static kith_status add_costs(void *arg, uint32_t rows, const uint32_t *labels,
                             const double *squared, kith_error *err)
{
    cost_state *c = arg;
    (void)labels;
    (void)err;
    for (uint32_t r = 0; r < rows; r++) {
        double v = c->objective == KITH_OBJECTIVE_KMEDIAN ? sqrt(squared[r])
                                                          : squared[r];
        double sum = c->sum + v;
        c->rest += c->sum >= v ? (c->sum - sum) + v : (v - sum) + c->sum;
        c->sum = sum;
    }
    c->rows += rows;
    return KITH_OK;
}

kith_status kith_evaluate_source(const kith_model_view *model,
                                 kith_objective objective,
                                 const kith_source *source,
                                 const kith_source_options *opt, uint64_t *rows,
                                 double *cost, kith_error *err)
{
    int planes = model && model->bases;
    if (planes ? objective != KITH_OBJECTIVE_SUBSPACE
               : objective != KITH_OBJECTIVE_KMEANS &&
                     objective != KITH_OBJECTIVE_KMEDIAN)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "the objective must be kmeans or kmedian of "
                           "centers, subspace of planes");
    cost_state c = {.objective = objective};
    kith_status status = stream_source(model, source, opt, add_costs, &c, err);
    if (!status && rows)
        *rows = c.rows;
    if (!status && cost)
        *cost = isfinite(c.sum) ? c.sum + c.rest : c.sum;
    return status;
}

typedef struct {
    kith_label_sink *sink;
    void *arg;
} label_state;

static kith_status send_labels(void *arg, uint32_t rows, const uint32_t *labels,
                               const double *squared, kith_error *err)
{
    const label_state *l = arg;
    (void)squared;
    if (l->sink(l->arg, labels, rows))
        return kith_i_fail(err, KITH_ERR_CANCELLED, "the run was cancelled");
    return KITH_OK;
}

kith_status kith_assign_source(const kith_model_view *model,
                               const kith_source *source,
                               const kith_source_options *opt,
                               kith_label_sink *sink, void *sink_arg,
                               kith_error *err)
{
    if (!sink)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "no place for the labels was given");
    label_state l = {sink, sink_arg};
    return stream_source(model, source, opt, send_labels, &l, err);
}

/* Two baselines that need the rows themselves, and so the side door: GUPT's
 * average of k-means on blocks, and the noisy seeds of k-variates++. Both are
 * one release of k points (and sizes of the clusters about them); the rest is
 * here. */
#include "baseline_i.h"

#include <math.h>

#include "sidedoor/release_average.h"
#include "sidedoor/release_draws.h"

enum { MOST_BLOCKS = 1000 };
static const double COUNT_SHARE = .01, SIZE_SHARE = .04;

typedef struct {
    kith_session *session;
    const kith_kmeans_options *opt;
    const kith_i_domain *domain;
    kith_result *result;
    double rows;     /* noisy, public, or a plan's */
    uint32_t blocks; /* 0: seeds of k-variates++ */
} sampled_run;

/* Rows a block has: n^0.6 (Mohan et al. 2012). */
uint32_t kith_i_block_count(double rows)
{
    double m = floor(pow(fmax(rows, 1), .4) + 1e-9);
    return (uint32_t)fmax(1, fmin(m, MOST_BLOCKS));
}

kith_status kith_i_baseline_count(kith_session *session, uint64_t rows,
                                  double *out, kith_error *err)
{
    *out = (double)(rows > 0 ? rows : kith_i_session_rows(session));
    if (kith_i_session_privacy(session).neighbors == KITH_REPLACE_ONE)
        return KITH_OK;
    kith_i_loss left = kith_i_session_left(session),
                charge = kith_i_loss_share(left, COUNT_SHARE);
    if (charge == 0)
        return kith_i_fail_budget(left, err);
    double noisy, sd;
    kith_status status = kith_i_run_count(session, charge, &noisy, &sd, err);
    if (!status && rows == 0)
        *out = fmax(noisy, 1);
    return status;
}

/* Sizes of the clusters about the released centres. */
static kith_status count_clusters(sampled_run *run, const double *centers,
                                  kith_error *err)
{
    uint32_t k = run->opt->clusters, d = run->domain->dimension;
    kith_i_centers at = {.k = k, .d = d};
    at.coords = kith_i_alloc((size_t)k * d, sizeof *at.coords);
    at.squares = kith_i_alloc(k, sizeof *at.squares);
    kith_status status =
        at.coords && at.squares ? KITH_OK : kith_i_fail_memory(err);
    kith_i_cells cells;
    if (!status) {
        kith_i_centers_set(&at, centers);
        kith_i_ask ask = {
            .place = {.kind = KITH_I_PLACE_NEAREST, .centers = &at}};
        kith_i_cells_spec spec = {.what = "cluster",
                                  .cells = k,
                                  .count_charge =
                                      kith_i_session_left(run->session)};
        status = kith_i_release_cells(run->session, &ask, &spec, &cells, err);
    }
    if (!status) {
        for (uint32_t j = 0; j < k; j++)
            run->result->weights[j] = fmax((double)cells.counts[j], 0);
        kith_i_cells_free(&cells);
    }
    kith_i_free(at.coords);
    kith_i_free(at.squares);
    return status;
}

static kith_status release_points(sampled_run *run, int64_t *sums,
                                  double *centers, kith_error *err)
{
    uint32_t k = run->opt->clusters, d = run->domain->dimension;
    double sd = 0, of = run->blocks > 0 ? run->blocks : 1;
    kith_i_average_spec average = {"average of blocks", k, run->blocks};
    kith_status status =
        run->blocks > 0
            ? kith_i_release_average(run->session, &average, sums, &sd, err)
            : kith_i_release_draws(run->session, "seeds", k, sums, &sd, err);
    if (status)
        return status;
    for (size_t j = 0; j < k; j++) {
        for (size_t i = 0; i < d; i++)
            centers[j * d + i] = (double)sums[j * d + i] / of;
        kith_i_domain_clip(run->domain, centers + j * d);
    }
    run->result->rows = fmax(run->rows, 1);
    run->result->rounds = 1;
    run->result->noise = sd / of * sqrt(d) * kith_i_domain_step(run->domain);
    return KITH_OK;
}

static kith_status run_sampled(sampled_run *run, uint64_t rows, kith_error *err)
{
    const kith_kmeans_options *opt = run->opt;
    size_t size = (size_t)opt->clusters * run->domain->dimension;
    int64_t *sums = kith_i_alloc(size, sizeof *sums);
    double *centers = kith_i_alloc(size, sizeof *centers);
    kith_status status = sums && centers ? KITH_OK : kith_i_fail_memory(err);
    if (!status)
        status = kith_i_baseline_count(run->session, rows, &run->rows, err);
    if (!status) {
        if (run->blocks > 0)
            run->blocks = kith_i_block_count(run->rows);
        kith_i_session_hold(
            run->session,
            kith_i_loss_share(kith_i_session_left(run->session), SIZE_SHARE));
        status = release_points(run, sums, centers, err);
        kith_i_session_hold(run->session, 0);
    }
    if (!status)
        status = kith_i_progress(opt->progress, opt->progress_arg, 1, 2, err);
    if (!status)
        status = count_clusters(run, centers, err);
    if (!status) {
        kith_i_result_set_centers(run->result, run->domain, centers);
        status = kith_i_progress(opt->progress, opt->progress_arg, 2, 2, err);
    }
    kith_i_free(sums);
    kith_i_free(centers);
    return status;
}

kith_status kith_i_kmeans_sampled(kith_session *session,
                                  const kith_kmeans_options *opt, uint64_t rows,
                                  kith_result *result, kith_error *err)
{
    int averages = opt->method == KITH_KMEANS_SAMPLE_AGGREGATE;
    const char *name = averages ? "sample-aggregate" : "kvariates";
    sampled_run run = {.session = session,
                       .opt = opt,
                       .domain = kith_i_session_domain(session),
                       .result = result,
                       .blocks = averages ? 1 : 0};
    if (run.domain->sparse)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "%s takes dense rows only: use auto", name);
    kith_status status = kith_i_session_need_alone(session, name, err);
    return status ? status : run_sampled(&run, rows, err);
}

/* Lemma 2 of Balcan et al. 2017 (after Bassily, Smith, Thakurta 2014): the
 * medians by log-concave sampling.
 *
 * Each median z_j is drawn with density exp(-b F_j(z)) on the ball, F_j the sum
 * of distances of the records of cluster j (a public rule) to z. A record adds
 * at most 2 L to one F_j, L the radius: b = e / (2 L) for add-remove (item 23).
 * All k are one exponential mechanism, since a record has one cluster.
 *
 * The lemma needs a sampler whose law is within a factor of the one asked for,
 * everywhere. Nobody has one that runs: this is a Markov chain (Langevin
 * proposals, accepted or not by Metropolis' rule) of a fixed number of steps in
 * floating point, right in the limit only. So the session's guarantee becomes
 * "asymptotic", and that is printed. */
#include "kmedian_i.h"

#include <math.h>
#include <string.h>

#include "base/watch.h"
#include "sidedoor/release_chain.h"

enum { STEPS = 256, TUNING = STEPS / 2, TUNE_EVERY = 8 };
enum { PAUSE = 256 }; /* rows between two looks at the caller */
/* Of what the start left, for the sizes; the rate of acceptance at which such a
 * walk mixes best in many dimensions (Roberts, Rosenthal 1998). */
static const double SIZE_SHARE = .05, ACCEPTED = .574;

/* One cluster's chain. */
typedef struct {
    const kith_i_chain_rows *rows;
    const size_t *members;
    size_t count;
    double b, step; /* of the density; of a proposal, squared */
    double *z, *pull, *to, *to_pull; /* d each: place, gradient of F */
    double value;                    /* F at z */
} walk;

/* F and its gradient at z. */
static double distances(const walk *w, const double *z, double *gradient)
{
    uint32_t d = w->rows->d;
    double sum = 0;
    memset(gradient, 0, d * sizeof *gradient);
    for (size_t m = 0; m < w->count && (m % PAUSE || !kith_i_stop_wanted());
         m++) {
        const double *x = w->rows->x + w->members[m] * w->rows->stride;
        double square = 0;
        for (uint32_t i = 0; i < d; i++)
            square += (z[i] - x[i]) * (z[i] - x[i]);
        double r = sqrt(square);
        sum += r;
        if (r > 0)
            for (uint32_t i = 0; i < d; i++)
                gradient[i] += (z[i] - x[i]) / r;
    }
    return sum;
}

/* log of the density of the proposal from (z, pull) to `to`, up to a constant.
 */
static double log_proposal(const walk *w, const double *z, const double *pull,
                           const double *to)
{
    double square = 0;
    for (uint32_t i = 0; i < w->rows->d; i++) {
        double mean = z[i] - w->step / 2 * w->b * pull[i];
        square += (to[i] - mean) * (to[i] - mean);
    }
    return -square / (2 * w->step);
}

/* One step; nonzero: accepted. */
static int walk_once(walk *w, kith_i_words *coins)
{
    uint32_t d = w->rows->d;
    double square = 0, spread = sqrt(w->step);
    for (uint32_t i = 0; i < d; i++) {
        w->to[i] = w->z[i] - w->step / 2 * w->b * w->pull[i] +
                   spread * kith_i_words_normal(coins);
        square += w->to[i] * w->to[i];
    }
    double threshold = log(kith_i_words_unit(coins));
    if (square > w->rows->square)
        return 0; /* outside of the ball */
    double value = distances(w, w->to, w->to_pull);
    double ratio = w->b * (w->value - value) +
                   log_proposal(w, w->to, w->to_pull, w->z) -
                   log_proposal(w, w->z, w->pull, w->to);
    if (!(threshold < ratio))
        return 0;
    double *z = w->z, *pull = w->pull;
    w->z = w->to;
    w->pull = w->to_pull;
    w->to = z;
    w->to_pull = pull;
    w->value = value;
    return 1;
}

/* A first half that also tunes the proposals, and a second that does not. */
static void walk_all(walk *w, kith_i_words *coins)
{
    double d = w->rows->d, radius = sqrt(w->rows->square);
    w->value = distances(w, w->z, w->pull);
    double spread2 = radius * radius / d; /* no records: anywhere */
    if (w->count > 0)
        spread2 = fmin(spread2, fmax(w->value / (double)w->count, 1) /
                                    (w->b * (double)w->count));
    w->step = spread2 * cbrt(1 / d);
    int accepted = 0;
    for (int t = 0; t < STEPS && !kith_i_stop_wanted(); t++) {
        accepted += walk_once(w, coins);
        if (t < TUNING && (t + 1) % TUNE_EVERY == 0) {
            double rate = (double)accepted / TUNE_EVERY;
            w->step *= exp(rate - ACCEPTED);
            accepted = 0;
        }
    }
}

/* A kith_i_chain_fn: state = k x d medians. */
static kith_status sample(void *arg, const kith_i_chain_rows *rows,
                          kith_i_words *coins, double *state, kith_error *err)
{
    const kith_i_median_run *run = arg;
    uint32_t d = rows->d;
    size_t *members = kith_i_alloc(rows->n, sizeof *members);
    uint32_t *label = kith_i_alloc(rows->n, sizeof *label);
    double *room = kith_i_alloc((size_t)4 * d, sizeof *room);
    kith_status status =
        members && label && room ? KITH_OK : kith_i_fail_memory(err);
    double square; /* of integers: exact, whatever the order */
    for (size_t r = 0;
         !status && r < rows->n && (r % PAUSE || !kith_i_stop_wanted()); r++)
        label[r] = kith_i_nearest(rows->x + r * rows->stride,
                                  run->lattice.coords, run->k, d, &square);
    for (uint32_t j = 0; !status && j < run->k; j++) {
        walk w = {.rows = rows,
                  .members = members,
                  .b = rows->exponent * sqrt(rows->square) / 2,
                  .z = room,
                  .pull = room + d,
                  .to = room + 2 * (size_t)d,
                  .to_pull = room + 3 * (size_t)d};
        for (size_t r = 0; r < rows->n; r++)
            if (label[r] == j)
                members[w.count++] = r;
        memcpy(w.z, run->centers + (size_t)j * d, d * sizeof *w.z);
        walk_all(&w, coins);
        memcpy(state + (size_t)j * d, w.z, d * sizeof *state);
    }
    kith_i_wipe_free(members, rows->n * sizeof *members);
    kith_i_wipe_free(label, rows->n * sizeof *label);
    kith_i_wipe_free(room, (size_t)4 * d * sizeof *room);
    return status;
}

/* Noisy sizes of the clusters, for the model's weights. */
static kith_status release_sizes(kith_i_median_run *run, kith_i_loss charge,
                                 kith_error *err)
{
    kith_i_ask ask = {
        .place = {.kind = KITH_I_PLACE_NEAREST, .centers = &run->lattice}};
    kith_i_cells_spec spec = {
        .what = "cluster", .cells = run->k, .count_charge = charge};
    kith_i_cells cells;
    kith_status status =
        kith_i_release_cells(run->session, &ask, &spec, &cells, err);
    if (status)
        return status;
    for (uint32_t j = 0; j < run->k; j++)
        run->weights[j] = fmax((double)cells.counts[j], 0);
    kith_i_cells_free(&cells);
    return KITH_OK;
}

/* Distance that the draw moves a median of an average cluster: the density is
 * about that of a Gaussian of variance r / (b n), r the typical distance; a
 * quarter of the radius stands for it. */
static double predicted(const kith_i_median_run *run, kith_i_loss charge,
                        double rows)
{
    double radius = (double)kith_i_domain_l2(run->domain);
    kith_measure measure = kith_i_session_measure(run->session);
    double loss = kith_i_loss_value(charge, measure);
    double range = measure == KITH_PURE_DP ? loss : loss / .6267;
    if (kith_i_session_privacy(run->session).neighbors == KITH_REPLACE_ONE)
        range /= 2;
    double n = fmax(rows, 1) / run->k;
    double variance = radius / 4 * 2 * radius / (range * n);
    double d = run->domain->dimension;
    return fmin(sqrt(d * variance), 2 * radius) *
           kith_i_domain_step(run->domain);
}

kith_status kith_i_median_check_sample(const kith_i_domain *domain,
                                       kith_i_loss charge, kith_error *err)
{
    if (domain->sparse)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "recovery by sampling needs dense rows: use steps");
    if (kith_i_loss_share(charge, SIZE_SHARE) == 0)
        return kith_i_fail_budget(charge, err);
    return KITH_OK;
}

kith_status kith_i_median_sample(kith_i_median_run *run, kith_result *result,
                                 kith_error *err)
{
    kith_i_loss left = kith_i_session_left(run->session);
    kith_i_loss sizes = kith_i_loss_share(left, SIZE_SHARE);
    kith_status status = release_sizes(run, sizes, err);
    if (status)
        return status;
    size_t size = (size_t)run->k * run->domain->dimension;
    double *state = kith_i_alloc(size, sizeof *state);
    if (!state)
        return kith_i_fail_memory(err);
    kith_i_chain_spec spec = {.what = "medians by sampling",
                              .run = sample,
                              .arg = run,
                              .state = size,
                              .distances = 1,
                              .charge = left - sizes};
    result->noise = predicted(run, spec.charge, result->rows);
    status = kith_i_release_chain(run->session, &spec, state, err);
    if (!status) {
        memcpy(run->centers, state, size * sizeof *state);
        for (uint32_t j = 0; j < run->k; j++)
            kith_i_domain_clip(
                run->domain, run->centers + (size_t)j * run->domain->dimension);
    }
    kith_i_free(state);
    return status;
}

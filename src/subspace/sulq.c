/* k-subspaces on noisy Gram matrices (the paper's SuLQ baseline, repaired): in
 * every round each row goes to the nearest plane, the k second-moment matrices
 * are released together, and the planes become their leading eigenvectors.
 *
 * Prices: T equal shares of what the session has (mu^2 or epsilon add up
 * exactly). With basic composition, as in the paper, each round may cost no
 * more than an (epsilon/T, delta/T)-private Gaussian release would; that is
 * less than a share, and what the receipts show is what was spent. The noise is
 * rotation-invariant (GOE) in both. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernel/plane_rows.h"
#include "release/release_gram.h"
#include "subspace_i.h"

enum { DEFAULT_ROUNDS = 10 };

typedef struct {
    kith_i_subspace_run *run;
    uint32_t rounds;
    kith_i_loss charge; /* of a round */
    double sd;          /* of the last round's noise, on the diagonals */
    kith_i_axes axes;
    int64_t *grams;
    double *matrix, *work, *values;
    int *integers;
} sulq;

static kith_status plan_charges(sulq *s, kith_error *err)
{
    kith_session *session = s->run->session;
    kith_i_loss left = kith_i_session_left(session);
    s->charge = left / s->rounds;
    if (!s->run->opt->basic_composition)
        return KITH_OK;
    kith_privacy privacy = kith_i_session_privacy(session);
    privacy.epsilon /= s->rounds;
    privacy.delta /= s->rounds;
    kith_measure measure;
    kith_i_loss each;
    kith_status status = kith_i_privacy_total(&privacy, &measure, &each, err);
    if (!status && each < s->charge)
        s->charge = each;
    return status;
}

/* The q leading eigenvectors of each noisy matrix; how far they can be told
 * from its noise. */
static kith_status set_planes(sulq *s, kith_error *err)
{
    uint32_t d = s->run->d, q = s->run->q;
    size_t square = (size_t)d * d;
    s->run->rating = (kith_i_plane_rating){0};
    for (size_t l = 0; l < s->run->k; l++) {
        kith_i_noisy_matrix noisy = {d, 0, s->sd, s->sd * sqrt(2.0 * d)};
        for (size_t i = 0; i < square; i++)
            s->matrix[i] = (double)s->grams[l * square + i];
        for (size_t i = 0; i < d; i++)
            noisy.trace += s->matrix[i * d + i];
        int saved = kith_i_blas_single(); /* same bits for any threads */
        int failed = kith_i_eigen_top(s->matrix, d, q, s->work, s->integers,
                                      s->values, s->run->planes + l * q * d);
        kith_i_blas_restore(saved);
        if (failed)
            return kith_i_fail(err, KITH_ERR_INTERNAL,
                               "LAPACK found no eigenvectors");
        kith_i_rating_add(&s->run->rating, &noisy, s->values, q);
    }
    s->run->noise = kith_i_rating_turn(&s->run->rating, q);
    return KITH_OK;
}

/* Rows whose lengths are public are counted by the matrices' traces. */
static void count_rows(const sulq *s)
{
    kith_i_subspace_run *run = s->run;
    const kith_i_domain *domain = kith_i_session_domain(run->session);
    size_t d = run->d, traced = run->k * d, size = d * d;
    if (run->counted > 0 || !domain->unit_rows)
        return;
    double sum = 0, length = (double)domain->l2_squared;
    for (size_t l = 0; l < run->k; l++)
        for (size_t i = 0; i < d; i++)
            sum += (double)s->grams[l * size + i * (d + 1)];
    run->counted = fmax(sum / length, 1);
    run->counted_sd = s->sd * sqrt((double)traced) / length;
}

static kith_status round_of(sulq *s, uint32_t t, kith_error *err)
{
    kith_i_subspace_run *run = s->run;
    char what[64];
    snprintf(what, sizeof what, "second moments, round %u of %u", t + 1,
             s->rounds);
    kith_i_axes_set(&s->axes, run->planes);
    kith_i_ask ask = {
        .place = {.kind = KITH_I_PLACE_PLANE, .planes = &s->axes}};
    kith_i_gram_spec spec = {
        .what = what, .cells = run->k, .width = run->d, .charge = s->charge};
    kith_status status =
        kith_i_release_gram(run->session, &ask, &spec, s->grams, &s->sd, err);
    if (!status)
        status = set_planes(s, err);
    if (!status && run->rows > 0) {
        kith_i_noisy_matrix noise = {run->d, 0, s->sd,
                                     s->sd * sqrt(2.0 * run->d)};
        kith_i_subspace_foretell(
            run, &noise,
            (double)kith_i_session_domain(run->session)->l2_squared);
    }
    return status ? status
                  : kith_i_progress(run->opt->progress, run->opt->progress_arg,
                                    t + 1, s->rounds, err);
}

kith_status kith_i_subspace_sulq(kith_i_subspace_run *run, kith_error *err)
{
    uint32_t d = run->d, k = run->k, q = run->q;
    sulq s = {.run = run,
              .rounds = run->opt->rounds ? run->opt->rounds : DEFAULT_ROUNDS,
              .axes = {.sets = 1, .k = k, .q = q, .d = d}};
    kith_i_pool pool = {0};
    s.axes.coords = kith_i_pool_reals(&pool, (size_t)k * q * d);
    s.grams = kith_i_pool_take(&pool, (size_t)k * d * d, sizeof *s.grams);
    s.matrix = kith_i_pool_reals(&pool, (size_t)d * d);
    s.work = kith_i_pool_reals(&pool, kith_i_eigen_work(d));
    s.values = kith_i_pool_reals(&pool, d);
    s.integers = kith_i_pool_take(&pool, kith_i_eigen_integers(d), sizeof(int));
    kith_status status =
        pool.failed ? kith_i_fail_memory(err) : plan_charges(&s, err);
    for (uint32_t l = 0; l < k && !status; l++)
        kith_i_plane_random(run->planes + (size_t)l * q * d, q, d, &run->coins);
    for (uint32_t t = 0; t < s.rounds && !status; t++)
        status = round_of(&s, t, err);
    if (!status)
        count_rows(&s);
    run->rounds = s.rounds;
    kith_i_pool_drop(&pool, 0);
    return status;
}

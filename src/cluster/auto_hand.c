/* What is done when a summary of the rows would be noise: noisy rounds alone,
 * with what is left of the budget, or no more than one mean. */
#include "cluster/auto_i.h"

#include <math.h>

enum { FEW_ROUNDS = 3 };
/* A centre that caught this part of an average cluster is not lost. */
static const double caught = .25;
/* Noise of a round, of the rows' variance, from which on clusters are none. */
static const double hopeless = 4;
/* The centres start within so many times the distance from the mean up to which
 * A4 shows rows; every other one of them, if some are further away. */
static const double around = 1.2;
/* Bounds that are so many times wider than the rows. */
static const double far_wider = 8;

/* Rows that spread alike in all directions, spread being that of a coordinate,
 * are best served by k centres in random directions at this distance from their
 * mean: spread times the mean of the largest of k normals. */
static double best_distance(double spread, uint32_t k)
{
    return spread * .7 * sqrt(2 * log(k));
}

/* Mean of the centres that caught rows (original units); where its noise is
 * not small against that of A3, of both. seen: d of scratch. Returns their
 * number of rows. */
static double mean_of(const auto_run *run, const auto_space *space,
                      const kith_result *result, double *mean, double *seen)
{
    uint32_t k = run->k, d = run->d, many = 0;
    double usual = run->n_hat / k, total = 0;
    for (uint32_t j = 0; j < k; j++) {
        if (result->weights[j] < caught * usual)
            continue;
        many++;
        total += result->weights[j];
        for (uint32_t i = 0; i < d; i++)
            mean[i] += result->weights[j] * result->centers[(size_t)j * d + i];
    }
    if (!(total > 0))
        return 0;
    double mine = many * pow(result->noise * usual / total, 2);
    double other = space->astray * result->step * result->step;
    double part = other >= 0 ? mine / fmax(mine + other, 1e-300) : 0;
    kith_i_domain_restore(run->domain, space->mean, seen);
    for (uint32_t i = 0; i < d; i++)
        mean[i] = (1 - part) * mean[i] / total + part * seen[i];
    return total;
}

/* What lloyd returns may be one place and noise about it. So the centres that
 * caught rows are drawn together, as much as their spread is what noise alone
 * would give (empirical Bayes; noise as for a cluster of its size), but not
 * closer than is best for rows that have no clusters at all. */
static void draw_together(const auto_run *run, double best, double total,
                          const double *mean, kith_result *result)
{
    uint32_t k = run->k, d = run->d;
    double usual = run->n_hat / k, signal = 0;
    for (int pass = 0; total > 0 && pass < 2; pass++)
        for (uint32_t j = 0; j < k; j++) {
            double w = result->weights[j], square = 0;
            if (w < caught * usual)
                continue;
            double *c = result->centers + (size_t)j * d;
            double noise = pow(result->noise * usual / w, 2);
            for (uint32_t i = 0; i < d; i++) {
                double unit =
                    run->domain->stretch ? run->domain->stretch[i] : 1;
                square += pow((c[i] - mean[i]) * unit, 2);
            }
            if (!pass) {
                signal += w / total * (square - (1 - w / total) * noise);
                continue;
            }
            double own = square > noise ? 1 - noise / square : 0;
            double pooled = signal > 0 ? signal / (signal + noise) : 0;
            double keep = fmax(own, pooled);
            if (keep * keep * square < best * best)
                keep = fmin(1, best / sqrt(square));
            for (uint32_t i = 0; i < d; i++)
                c[i] = mean[i] + keep * (c[i] - mean[i]);
        }
}

/* The k centres when one mean is all that is known. One is the mean itself, so
 * that nothing is lost against it, however badly the spread is known; the
 * others are in random directions, at the best distance for rows that spread
 * alike in all of them. Where the bounds are far wider than that, every other
 * one is further out: single rows may be anywhere. */
static void spread_about(auto_run *run, const double *mean, double best,
                         double *full)
{
    uint32_t k = run->k, d = run->d;
    best = fmax(best, 1); /* a step: all rows may be equal */
    double wider = log((double)kith_i_domain_l2(run->domain) / best);
    for (uint32_t j = 0; j < k; j++) {
        double *c = full + (size_t)j * d, square = 0, at = j > 0 ? best : 0;
        for (uint32_t i = 0; i < d; i++) {
            c[i] = kith_i_coins_normal(&run->coins);
            square += c[i] * c[i];
        }
        if (j > 0 && j % 2 == 0 && wider > log(far_wider))
            at *= exp(wider * j / k);
        for (uint32_t i = 0; i < d; i++)
            c[i] = mean[i] + at * c[i] / sqrt(square);
        kith_i_domain_clip(run->domain, c);
    }
}

/* Means of k clusters would be further off than the rows are from their mean:
 * that mean, better than before, and the k centres about it. */
static kith_status one_mean(auto_run *run, auto_space *space,
                            kith_result *result, kith_error *err)
{
    uint32_t k = run->k, d = run->d;
    double noise, best = best_distance(sqrt(space->trace / d), k);
    double *full = kith_i_alloc((size_t)k * d, sizeof *full);
    kith_status status = full ? KITH_OK : kith_i_fail_memory(err);
    if (!status)
        status =
            auto_improve_mean(run, space, 1 - 1e-9 - run->used, &noise, err);
    if (!status) {
        spread_about(run, space->mean, best, full);
        for (uint32_t j = 0; j < k; j++)
            result->weights[j] = run->n_hat / k;
        kith_i_result_set_centers(result, run->domain, full);
        result->noise = noise * result->step;
        result->carried = 1;
        result->rounds = 1;
    }
    kith_i_free(full);
    return status;
}

/* Fewer rounds than lloyd's default where even these are noisy: two place the
 * centres, a third pays if a round moves the mean of an average cluster by less
 * than .05 / 3 of the bound, more if by less than .01 / rounds. */
kith_status auto_hand_over(auto_run *run, auto_space *space, uint64_t rows,
                           kith_result *result, kith_error *err)
{
    kith_kmeans_options opt = *run->opt;
    uint32_t d = run->d;
    kith_status status =
        space->split ? KITH_OK : auto_look_closer(run, space, err);
    if (status)
        return status;
    double part = 1 - run->used, spread = sqrt(space->trace / d);
    double bound = (double)kith_i_domain_l2(run->domain);
    double far = sqrt(d) * run->k / run->n_hat;
    double noise = far * auto_sum_sd(run, part, d);
    double least = d > AUTO_MANY_AXES ? 3 : 2;
    double rounds = fmax(fmin(AUTO_LLOYD_ROUNDS, .01 / noise),
                         fmin(FEW_ROUNDS, .05 / noise));
    double moved = pow(far * auto_sum_sd(run, part / least, d) * bound, 2);
    int single =
        space->single || (run->plan <= 0 && space->norms.seen &&
                          !space->split && moved > hopeless * space->trace);
    if (!opt.rounds && single)
        return one_mean(run, space, result, err);
    if (!opt.rounds)
        opt.rounds = (uint32_t)fmax(least, floor(rounds));
    double *mean = kith_i_alloc(2 * (size_t)d, sizeof *mean);
    if (!mean)
        return kith_i_fail_memory(err);
    kith_i_start start = {.middle = space->mean,
                          .part = around * auto_norms_end(space) / bound,
                          .spare = space->split ? 2 : 0};
    int known = run->plan <= 0 && space->norms.seen && start.part < 1;
    status = kith_i_kmeans_lloyd(run->session, &opt, rows,
                                 known ? &start : NULL, result, err);
    /* not when some are far away: they would be drawn in too */
    if (!status && run->plan <= 0 && space->norms.seen && !space->split)
        draw_together(run, best_distance(spread * result->step, run->k),
                      mean_of(run, space, result, mean, mean + d), mean,
                      result);
    kith_i_free(mean);
    return status;
}

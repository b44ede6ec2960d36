/* What is done when a summary of the rows would be noise: noisy rounds alone,
 * with what is left of the budget, or no more than one mean. */
#include "cluster/auto_i.h"

#include <math.h>
#include <string.h>

enum { FEW_ROUNDS = 3 };
/* A centre that caught this part of an average cluster is not lost. */
static const double caught = .25;
/* The centres start within so many times the distance from the mean up to which
 * A4 shows rows; every other one of them, if some are further away. */
static const double around = 1.2;
/* If noise moved the mean by less than this part of the variance. */
static const double sure = .1;
/* Bounds that are so many times wider than the rows. */
static const double far_wider = 8;
/* Fewer clusters than asked for: noise moves their means by this part of the
 * rows' rms distance. Centres that are left over stand so far from one of them,
 * of its distance from the next. */
static const double calm = .5, beside = .35;

/* Rows that spread alike in all directions, spread being that of a coordinate,
 * are best served by k centres in random directions at this distance from their
 * mean: spread times the mean of the largest of k normals. */
static double best_distance(double spread, uint32_t k)
{
    return spread * .7 * sqrt(2 * log(k));
}

/* Squared distance of two points in original units, where the features were
 * stretched as they were for clustering. */
static double distance_squared(const kith_i_domain *domain, const double *a,
                               const double *b)
{
    double sum = 0;
    for (uint32_t i = 0; i < domain->dimension; i++) {
        double unit = domain->stretch ? domain->stretch[i] : 1;
        sum += pow((a[i] - b[i]) * unit, 2);
    }
    return sum;
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
            double w = result->weights[j];
            if (w < caught * usual)
                continue;
            double *c = result->centers + (size_t)j * d;
            double noise = pow(result->noise * usual / w, 2);
            double square = distance_squared(run->domain, c, mean);
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

/* A centre at this distance from the mean, in a random direction. */
static void place_about(auto_run *run, const double *mean, double at, double *c)
{
    uint32_t d = run->d;
    double square = 0;
    for (uint32_t i = 0; i < d; i++) {
        c[i] = kith_i_coins_normal(&run->coins);
        square += c[i] * c[i];
    }
    for (uint32_t i = 0; i < d; i++)
        c[i] = mean[i] + at * c[i] / sqrt(square);
    kith_i_domain_clip(run->domain, c);
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
        double at = j > 0 ? best : 0;
        if (j > 0 && j % 2 == 0 && wider > log(far_wider))
            at *= exp(wider * j / k);
        place_about(run, mean, at, full + (size_t)j * d);
    }
}

/* Nothing is known of the rows but their mean, if that. One centre is there;
 * half of the others are spread over the bounds, as at lloyd's start, half are
 * in random directions from it, at distances that may be anything. */
static kith_status spread_out(auto_run *run, const double *mean, double reach,
                              double *full, kith_error *err)
{
    uint32_t k = run->k, d = run->d;
    kith_status status = kith_i_spread(run->domain, k, &run->coins, full, err);
    for (uint32_t j = 0; !status && j < k; j += 2)
        place_about(run, mean, j > 0 ? reach * pow(.01, (double)j / k) : 0,
                    full + (size_t)j * d);
    return status;
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
        status = kith_i_auto_final_mean(run, space, &noise, err);
    if (!status && !space->norms.seen)
        status = spread_out(run, space->mean, space->reach, full, err);
    else if (!status)
        spread_about(run, space->mean, best, full);
    if (!status) {
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

/* If all centres are further from a point than twice the rms distance s of the
 * rows from it, that point alone is better than they are: a row at distance x
 * is at least 2s - x from any, and the mean square of that is at least that of
 * its mean, s. The heaviest centre has the right size, in the wrong place. */
kith_status kith_i_auto_keep_mean(const auto_run *run, const auto_space *space,
                                  double spread, kith_result *result,
                                  kith_error *err)
{
    uint32_t k = run->k, d = run->d, heaviest = 0;
    if (run->plan > 0 || k < 2 || !space->norms.seen)
        return KITH_OK;
    double *mean = kith_i_alloc(d, sizeof *mean), nearest = HUGE_VAL;
    if (!mean)
        return kith_i_fail_memory(err);
    kith_i_domain_restore(run->domain, space->mean, mean);
    for (uint32_t j = 0; j < k; j++) {
        const double *c = result->centers + (size_t)j * d;
        nearest = fmin(nearest, distance_squared(run->domain, c, mean));
        if (result->weights[j] > result->weights[heaviest])
            heaviest = j;
    }
    if (nearest > pow(2 * spread * result->step, 2))
        memcpy(result->centers + (size_t)heaviest * d, mean, d * sizeof *mean);
    kith_i_free(mean);
    return KITH_OK;
}

double kith_i_auto_lloyd_noise(const auto_run *run, double rounds)
{
    double unit = kith_i_auto_sum_sd(run, (1 - run->used) / rounds, run->d);
    return sqrt(run->d) * run->k / run->n_hat * unit *
           (double)kith_i_domain_l2(run->domain);
}

/* Centres from `few` on stand beside the first ones in turn, towards random
 * points of the bounds (points: one for each, lattice; to: d of scratch), and
 * share their rows. */
static void stand_beside(const kith_i_domain *domain, uint32_t few,
                         const double *points, double *to, kith_result *result)
{
    uint32_t k = result->k, d = domain->dimension, of = 0;
    for (uint32_t j = 0; j < few; j++)
        result->weights[j] /= 1 + floor((k - 1.0 - j) / few);
    for (uint32_t j = few; j < k; j++) {
        const double *from = result->centers + (size_t)of * d;
        double next = HUGE_VAL;
        for (uint32_t i = 0; i < few; i++)
            if (i != of)
                next = fmin(next,
                            distance_squared(domain, from,
                                             result->centers + (size_t)i * d));
        kith_i_domain_restore(domain, points + (size_t)j * d, to);
        double way = fmax(distance_squared(domain, from, to), 1e-300);
        double part = fmin(1, beside * sqrt(next / way));
        for (uint32_t i = 0; i < d; i++)
            result->centers[(size_t)j * d + i] =
                from[i] + part * (to[i] - from[i]);
        result->weights[j] = result->weights[of];
        of = of + 1 < few ? of + 1 : 0;
    }
}

/* Noise would move the means of k clusters further than the rows are apart, but
 * not those of a few: these, and the other centres beside them. */
static kith_status few_clusters(auto_run *run, auto_space *space, uint32_t few,
                                uint64_t rows, kith_result *result,
                                kith_error *err)
{
    uint32_t k = run->k, d = run->d;
    kith_kmeans_options opt = *run->opt;
    auto_run own = *run;
    own.opt = &opt;
    own.k = opt.clusters = few;
    kith_result *found = kith_i_result_new(few, run->domain);
    double *points = kith_i_alloc((size_t)(k + 1) * d, sizeof *points);
    kith_status status = found && points ? KITH_OK : kith_i_fail_memory(err);
    if (!status)
        status = kith_i_spread(run->domain, k, &own.coins, points, err);
    if (!status)
        status = kith_i_auto_hand_over(&own, space, rows, found, err);
    if (!status) {
        memcpy(result->centers, found->centers,
               (size_t)few * d * sizeof *found->centers);
        memcpy(result->weights, found->weights, few * sizeof *found->weights);
        stand_beside(run->domain, few, points, points + (size_t)k * d, result);
        result->noise = found->noise;
        result->rounds = found->rounds;
        result->rows = found->rows;
        result->carried = few;
    }
    kith_i_free(points);
    kith_result_free(found);
    return status;
}

/* Fewer rounds than lloyd's default where even these are noisy: two place the
 * centres, a third pays if a round moves the mean of an average cluster by less
 * than .05 / 3 of the bound, more if by less than .01 / rounds. */
kith_status kith_i_auto_hand_over(auto_run *run, auto_space *space,
                                  uint64_t rows, kith_result *result,
                                  kith_error *err)
{
    kith_kmeans_options opt = *run->opt;
    uint32_t d = run->d;
    double spread = sqrt(space->trace / d);
    double bound = (double)kith_i_domain_l2(run->domain);
    double noise = kith_i_auto_lloyd_noise(run, 1) / bound;
    double least = d > AUTO_MANY_AXES ? 3 : AUTO_LEAST_ROUNDS;
    double rounds = fmax(fmin(AUTO_LLOYD_ROUNDS, .01 / noise),
                         fmin(FEW_ROUNDS, .05 / noise));
    /* noise would move the centres further than the rows are from their mean,
     * or, if nothing is seen of that, than where they fill the bounds */
    double apart = space->norms.seen ? sqrt(space->trace) : AUTO_FILLS * bound;
    int single = space->single || (run->plan <= 0 && !space->split &&
                                   kith_i_auto_lloyd_noise(run, least) > apart);
    double few = floor(run->k * calm * sqrt(space->trace) /
                       kith_i_auto_lloyd_noise(run, least));
    if (!opt.rounds && single && !space->single && space->norms.seen &&
        few >= 2 && few < run->k)
        return few_clusters(run, space, (uint32_t)few, rows, result, err);
    if (!opt.rounds && single)
        return one_mean(run, space, result, err);
    if (!opt.rounds)
        opt.rounds = (uint32_t)fmax(least, floor(rounds));
    double *mean = kith_i_alloc(2 * (size_t)d, sizeof *mean);
    if (!mean)
        return kith_i_fail_memory(err);
    kith_i_start start = {.middle = space->mean,
                          .part = around * kith_i_auto_norms_end(space) / bound,
                          .spare = space->split ? 2 : 0};
    int known = run->plan <= 0 && space->norms.seen && start.part < 1 &&
                space->astray >= 0 && space->astray < sure * space->trace;
    kith_status status = kith_i_kmeans_lloyd(
        run->session, &opt, rows, known ? &start : NULL, result, err);
    /* not when some are far away: they would be drawn in too */
    if (!status && run->plan <= 0 && space->norms.seen && !space->split)
        draw_together(run, best_distance(spread * result->step, run->k),
                      mean_of(run, space, result, mean, mean + d), mean,
                      result);
    kith_i_free(mean);
    return status;
}

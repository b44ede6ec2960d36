/* The last centres, or one mean and others about it: by one private selection
 * with losses clipped at the largest that a row can have. Its expected regret
 * is at most B ln 2 / epsilon, B that loss (docs/auto.md). */
#include "auto/stages.h"

#include "release/release_select.h"

void kith_i_auto_about_mean(auto_run *run, const double *mean, double *full)
{
    uint32_t k = run->k, d = run->d;
    /* the mean of the largest of k normals, nearly */
    double best = sqrt(run->scout.trace / d) * .7 * sqrt(2 * log(k));
    for (uint32_t j = 0; j < k; j++) {
        double *c = full + (size_t)j * d;
        double length = sqrt(kith_i_coins_normals(&run->coins, c, d));
        kith_i_multiply_by(c, j > 0 ? fmax(best, 1) / length : 0, d);
        kith_i_add_scaled(c, 1, mean, d);
        kith_i_domain_clip(run->domain, c);
    }
}

void kith_i_auto_doubt(auto_run *run)
{
    double *zero = kith_i_pool_reals(&run->pool, run->frame.q); /* the mean */
    if (kith_i_auto_failed(run))
        return;
    double cost = kith_i_auto_weigh(run, run->k, run->centers).cost;
    if (cost < run->recipe->doubt * kith_i_auto_weigh(run, 1, zero).cost) {
        run->shares.last += run->shares.choice;
        run->shares.choice = 0;
    }
}

/* The mean as the centres have it, joined with the scout's by precision. */
static void join_means(const auto_run *run, double *mean)
{
    const auto_scout *scout = &run->scout;
    const auto_found *found = &run->found;
    uint32_t k = run->k, d = run->d;
    double total = 0, noise = d * k * pow(found->noise / run->n, 2);
    double part = scout->astray / fmax(scout->astray + noise, 1e-300);
    for (uint32_t j = 0; j < k; j++)
        total += fmax(found->sizes[j], 0);
    for (uint32_t j = 0; total > 0 && j < k; j++)
        for (uint32_t i = 0; i < d; i++)
            mean[i] += part * fmax(found->sizes[j], 0) / total *
                       found->full[(size_t)j * d + i];
    for (uint32_t i = 0; i < d; i++)
        mean[i] += (total > 0 ? 1 - part : 1) * scout->mean[i];
}

/* No row that was seen loses more with either: it is no further from a centre
 * than by way of the mean. So nothing seen is clipped, and what is true of the
 * losses is true of the costs. */
static double largest_loss(const auto_run *run, const double *other)
{
    const auto_scout *scout = &run->scout;
    double seen = 1, to_center, to_other;
    for (uint32_t b = 0; b < AUTO_BINS; b++)
        if (scout->norms.h[b] > 0)
            seen = fmax(seen, scout->norms.up[b]);
    (void)kith_i_nearest(scout->mean, run->found.full, run->k, run->d,
                         &to_center);
    (void)kith_i_nearest(scout->mean, other, run->k, run->d, &to_other);
    return pow(seen + sqrt(fmax(to_center, to_other)), 2);
}

void kith_i_auto_choose(auto_run *run)
{
    auto_found *found = &run->found;
    uint32_t k = run->k, d = run->d, best = 0;
    size_t size = (size_t)k * d;
    double *mean = kith_i_pool_reals(&run->pool, d);
    double *other = kith_i_pool_reals(&run->pool, size);
    if (kith_i_auto_failed(run))
        return;
    join_means(run, mean);
    kith_i_auto_about_mean(run, mean, other);
    kith_i_centers set[2] = {kith_i_auto_lattice(run, k, d, found->full),
                             kith_i_auto_lattice(run, k, d, other)};
    /* losses are clipped at the largest, but must fit before they are */
    double longest = 4 * pow((double)kith_i_domain_l2(run->domain), 2);
    double most = largest_loss(run, other);
    int shift = (int)fmax(0, ceil(log2(longest)) - 30);
    kith_i_center_sets sets = {.set = set, .count = 2, .shift = shift};
    kith_i_losses losses = {.sets = &sets};
    kith_i_select_spec spec = {
        .what = "centres or one mean",
        .candidates = 2,
        .bound = (uint32_t)ceil(ldexp(fmin(most, longest), -shift)),
        .unit = ldexp(1, shift) * pow(kith_i_domain_step(run->domain), 2),
        .charge = kith_i_auto_charge(run, run->shares.choice)};
    if (!kith_i_auto_failed(run))
        run->status = kith_i_release_select(run->session, &losses, &spec, &best,
                                            run->err);
    kith_i_auto_tick(run);
    if (kith_i_auto_failed(run) || best == 0)
        return;
    for (uint32_t j = 0; j < k; j++)
        found->sizes[j] = run->n / k;
    memcpy(found->full, other, size * sizeof *other);
    found->carried = 1;
    found->loose = -1;
}

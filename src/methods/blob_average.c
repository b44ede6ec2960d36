/* Blobs averaged over all that the reports leave open. Where noise is large the
 * blobs that fit best are no better than many others, and they are often wrong;
 * but the cost of centres is linear in the density of the users, so its mean
 * given the reports is all that has to be known. A Markov chain (Metropolis and
 * Hastings) visits blobs as often as they are likely, and what they expect in
 * each cell is averaged. All of it is post-processing of the reports. */
#include "blobs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double LEAST_WEIGHT = 1e-4, LEAST_PART = 1e-6;

/* Largest steps: of a coordinate of a centre, in widths; of the log of a width;
 * of a weight. Steps are up to 100 times shorter, drawn anew each time: how
 * well reports fix a blob differs by as much, even between its coordinates. */
static const double LARGEST[] = {2, 1, 0.3};
static const double SHORTER = 1e-2;

typedef enum { MOVE, WIDEN, TRADE, JUMP } update_kind;

typedef struct {
    const kith_i_blob_fit *f;
    kith_i_coins *coins;
    uint32_t k;
    double chi;
    double *blobs; /* the state */
    double *mass;  /* k x cells: of each blob, if its weight was 1 */
    double *sum;   /* cells: of all */
    double *trial, *trial_sum;
    /* Faces of the cells, which are few: sorted, and which are a cell's. */
    uint32_t faces[KITH_I_GROW_AXES], *low, *high; /* cells x axes */
    double *face[KITH_I_GROW_AXES], *below;
    /* Where a blob may jump to: boxes, and sums of their chances. */
    const kith_i_grow_cell *box;
    uint32_t boxes;
    double *chance;
    const kith_i_local_task *task;
} chain;

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static uint32_t find_face(const chain *c, uint32_t axis, double x)
{
    const double *at =
        bsearch(&x, c->face[axis], c->faces[axis], sizeof x, compare);
    return (uint32_t)(at - c->face[axis]);
}

static kith_status sort_faces(kith_i_local_run *run, chain *c, kith_error *err)
{
    const kith_i_blob_fit *f = c->f;
    size_t n = f->count, q = f->axes;
    c->low = kith_i_local_take(run, n * q, sizeof *c->low);
    c->high = kith_i_local_take(run, n * q, sizeof *c->high);
    c->below = kith_i_local_numbers(run, 2 * n, q + 1);
    if (!c->low || !c->high || !c->below)
        return kith_i_fail_memory(err);
    for (uint32_t a = 0; a < q; a++) {
        double *face = c->face[a] = c->below + 2 * n * (a + 1);
        uint32_t count = 0;
        for (size_t l = 0; l < n; l++) {
            face[2 * l] = f->cells[l].low[a];
            face[2 * l + 1] = f->cells[l].high[a];
        }
        qsort(face, 2 * n, sizeof *face, compare);
        for (size_t i = 0; i < 2 * n; i++)
            if (count == 0 || face[i] > face[count - 1])
                face[count++] = face[i];
        c->faces[a] = count;
        for (size_t l = 0; l < n; l++) {
            c->low[l * q + a] = find_face(c, a, f->cells[l].low[a]);
            c->high[l * q + a] = find_face(c, a, f->cells[l].high[a]);
        }
    }
    return KITH_OK;
}

/* Mass of a blob of weight 1 in every cell. */
static void weigh(const chain *c, const double *blob, double *mass)
{
    size_t n = c->f->count, q = c->f->axes;
    double width = exp(blob[q + 1]);
    for (size_t l = 0; l < n; l++)
        mass[l] = 1;
    for (size_t a = 0; a < q; a++) {
        for (uint32_t i = 0; i < c->faces[a]; i++)
            c->below[i] =
                erfc((blob[1 + a] - c->face[a][i]) / width * M_SQRT1_2) / 2;
        for (size_t l = 0; l < n; l++)
            mass[l] *=
                c->below[c->high[l * q + a]] - c->below[c->low[l * q + a]];
    }
}

static double misfit(const chain *c, const double *sum)
{
    double chi = 0;
    for (uint32_t l = 0; l < c->f->count; l++) {
        double miss = c->f->cells[l].estimate - sum[l];
        chi += miss * miss / c->f->cells[l].variance;
    }
    return chi;
}

static int in_box(const kith_i_grow_cell *box, size_t q, const double *x)
{
    for (size_t a = 0; a < q; a++)
        if (!(x[a] >= box->low[a] && x[a] < box->high[a]))
            return 0;
    return 1;
}

/* Density of jumps to x; 0 outside of all boxes, and of the public ball. */
static double jump_density(const chain *c, const double *x)
{
    size_t q = c->f->axes;
    if (kith_i_distance_squared(x, c->task->center, q) >
        c->task->radius * c->task->radius)
        return 0;
    for (uint32_t l = 0; l < c->boxes; l++) {
        double room = 1;
        if (!in_box(&c->box[l], q, x))
            continue;
        for (size_t a = 0; a < q; a++)
            room *= c->box[l].high[a] - c->box[l].low[a];
        return (c->chance[l] - (l > 0 ? c->chance[l - 1] : 0)) / room;
    }
    return 0;
}

static void draw_jump(const chain *c, double *x)
{
    double u = kith_i_coins_unit(c->coins) * c->chance[c->boxes - 1];
    uint32_t l = 0;
    while (l + 1 < c->boxes && c->chance[l] <= u)
        l++;
    for (uint32_t a = 0; a < c->f->axes; a++)
        x[a] = c->box[l].low[a] + kith_i_coins_unit(c->coins) *
                                      (c->box[l].high[a] - c->box[l].low[a]);
}

static int accept(chain *c, double log_ratio)
{
    double chi = misfit(c, c->trial_sum);
    double u = kith_i_coins_unit(c->coins);
    if (!(log(u) < log_ratio + (c->chi - chi) / 2))
        return 0;
    c->chi = chi;
    memcpy(c->sum, c->trial_sum, c->f->count * sizeof *c->sum);
    return 1;
}

static double draw_step(const chain *c, update_kind kind)
{
    double scale = pow(SHORTER, kith_i_coins_unit(c->coins));
    return LARGEST[kind] * scale * kith_i_coins_normal(c->coins);
}

/* Weight from one blob to another. */
static void trade(chain *c, uint32_t j)
{
    size_t each = c->f->axes + 2, n = c->f->count;
    size_t i = kith_i_coins_below(c->coins, c->k);
    double by = draw_step(c, TRADE);
    double *to = c->blobs + j * each, *from = c->blobs + i * each;
    if (i == j || to[0] + by < LEAST_WEIGHT || from[0] - by < LEAST_WEIGHT)
        return;
    for (size_t l = 0; l < n; l++)
        c->trial_sum[l] =
            c->sum[l] + by * (c->mass[j * n + l] - c->mass[i * n + l]);
    double even = (to[0] + by) * (from[0] - by) / (to[0] * from[0]);
    if (!accept(c, kith_i_recipe.even * log(even)))
        return;
    to[0] += by;
    from[0] -= by;
}

/* One step of the chain. */
static void update(chain *c, update_kind kind)
{
    size_t q = c->f->axes, each = q + 2, n = c->f->count;
    uint32_t j = (uint32_t)kith_i_coins_below(c->coins, c->k);
    double next[KITH_I_GROW_AXES + 2], *now = c->blobs + j * each, ratio = 0;
    if (kind == TRADE) {
        trade(c, j);
        return;
    }
    memcpy(next, now, each * sizeof *now);
    if (kind == MOVE)
        next[1 + kith_i_coins_below(c->coins, q)] +=
            exp(now[q + 1]) * draw_step(c, MOVE);
    if (kind == WIDEN) {
        next[q + 1] += draw_step(c, WIDEN);
        if (next[q + 1] < c->f->narrow || next[q + 1] > c->f->wide)
            return;
        double width = now[q + 1];
        ratio = kith_i_blobs_prior(c->blobs, c->k, c->f->axes) / 2;
        now[q + 1] = next[q + 1];
        ratio -= kith_i_blobs_prior(c->blobs, c->k, c->f->axes) / 2;
        now[q + 1] = width;
    } else if (kind == JUMP) {
        double back = jump_density(c, now + 1);
        draw_jump(c, next + 1);
        double there = jump_density(c, next + 1);
        if (!(there > 0)) /* rounded on to a face */
            return;
        ratio = log(back / there);
    } else if (!(jump_density(c, next + 1) > 0)) {
        return;
    }
    weigh(c, next, c->trial);
    for (size_t l = 0; l < n; l++)
        c->trial_sum[l] =
            c->sum[l] + now[0] * (c->trial[l] - c->mass[j * n + l]);
    if (!accept(c, ratio))
        return;
    memcpy(now, next, each * sizeof *now);
    memcpy(c->mass + j * n, c->trial, n * sizeof *c->mass);
}

/* What the blobs expect now, added up. */
static void take_sample(const chain *c, kith_i_blob_mean *mean)
{
    size_t q = c->f->axes;
    double at[KITH_I_GROW_AXES];
    double *to = mean->part, *place = mean->place;
    for (uint32_t l = 0; l < mean->leaves; l++)
        for (uint32_t j = 0; j < c->k; j++, to++, place += q) {
            const double *blob = c->blobs + j * (q + 2);
            double part =
                kith_i_blobs_part(&mean->open[l], c->f->axes, blob, at);
            if (!(part > LEAST_PART))
                continue;
            *to += part;
            for (size_t a = 0; a < q; a++)
                place[a] += part * at[a];
        }
    mean->samples++;
}

static kith_status open_chain(kith_i_local_run *run, chain *c,
                              const kith_i_blob_mean *mean, const double *blobs,
                              kith_error *err)
{
    size_t q = c->f->axes, each = q + 2, n = c->f->count;
    c->blobs = kith_i_local_numbers(run, c->k, each);
    c->mass = kith_i_local_numbers(run, c->k, n);
    c->sum = kith_i_local_numbers(run, n, 3);
    c->chance = kith_i_local_numbers(run, c->boxes, 1);
    if (!c->blobs || !c->mass || !c->sum || !c->chance)
        return kith_i_fail_memory(err);
    c->trial = c->sum + n;
    c->trial_sum = c->trial + n;
    kith_status status = sort_faces(run, c, err);
    if (status)
        return status;
    memcpy(c->blobs, blobs, c->k * each * sizeof *blobs);
    for (uint32_t j = 0; j < c->k; j++) {
        weigh(c, c->blobs + j * each, c->mass + j * n);
        for (size_t l = 0; l < n; l++)
            c->sum[l] += c->blobs[j * each] * c->mass[j * n + l];
    }
    c->chi = misfit(c, c->sum);
    for (uint32_t l = 0; l < c->boxes; l++) /* empty ones have some too */
        c->chance[l] = (l > 0 ? c->chance[l - 1] : 0) +
                       fmax(0, mean->box[l].estimate) +
                       sqrt(mean->box[l].variance) / 2;
    return KITH_OK;
}

kith_status kith_i_blobs_average(kith_i_local_run *run,
                                 const kith_i_blob_fit *f, const double *blobs,
                                 kith_i_blob_mean *mean, kith_error *err)
{
    const kith_i_local_recipe *r = &kith_i_recipe;
    chain c = {.f = f,
               .coins = &run->coins,
               .k = mean->k,
               .box = mean->box,
               .boxes = mean->leaves,
               .task = run->task};
    kith_status status = open_chain(run, &c, mean, blobs, err);
    for (uint32_t t = 0; !status && t < r->chain; t++) {
        double u = kith_i_coins_unit(c.coins);
        update_kind kind =
            u < r->jumps
                ? JUMP
                : (update_kind)((u - r->jumps) / (1 - r->jumps) * JUMP);
        update(&c, kind);
        if (t >= r->chain_burn && t % r->chain_every == 0)
            take_sample(&c, mean);
    }
    return status;
}

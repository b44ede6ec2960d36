/* A7: the mean of each leaf of the tree, which together are the first summary:
 * a step whose cells are boxes, from their middles, of sizes that are known. */
#include "auto/stages.h"

static void summary_new(auto_run *run, uint32_t kept)
{
    kith_i_pool *pool = &run->pool;
    uint32_t q = run->frame.q;
    size_t halves = (size_t)run->recipe->halves * run->k;
    size_t n = kept > halves ? kept : halves;
    run->summary = (auto_summary){.n = kept,
                                  .q = q,
                                  .points = kith_i_pool_reals(pool, n * q),
                                  .size = kith_i_pool_reals(pool, n),
                                  .unsure = kith_i_pool_reals(pool, n),
                                  .noise = kith_i_pool_reals(pool, n),
                                  .weight = kith_i_pool_reals(pool, n),
                                  .within = kith_i_pool_reals(pool, n)};
}

/* Halve the widest point (by the cost inside it) in a random direction: rows on
 * both sides of it, at the mean distance of a normal. */
void kith_i_auto_halve(auto_run *run, uint32_t many, double least)
{
    auto_summary *s = &run->summary;
    for (uint32_t q = s->q, n = s->n; n < many; s->n = ++n) {
        uint32_t at = n;
        double most = 0;
        for (uint32_t i = 0; i < n; i++)
            if (s->size[i] >= least && s->weight[i] * s->within[i] > most) {
                most = s->weight[i] * s->within[i];
                at = i;
            }
        if (at == n)
            return;
        double *a = s->points + (size_t)at * q, *b = s->points + (size_t)n * q;
        double square = kith_i_coins_normals(&run->coins, b, q);
        double step = .8 * sqrt(s->within[at] / q / fmax(square, 1e-300));
        for (uint32_t i = 0; i < q; i++) {
            double move = step * b[i];
            b[i] = a[i] + move;
            a[i] -= move;
        }
        s->within[n] = s->within[at] *= 1 - .64 / q;
        s->weight[n] = s->weight[at] /= 2;
        s->size[n] = s->size[at] /= 2;
        s->unsure[n] = s->unsure[at];
        s->noise[n] = s->noise[at];
    }
}

static int stands_out(const auto_run *run, const auto_count *rows)
{
    return rows->size > run->recipe->keep * sqrt(rows->unsure) &&
           rows->size >= 1;
}

/* Middle and half diagonal of the leaves' boxes, and rows in them: none if they
 * are lost in noise. If all are, the largest stands for all rows. */
static void measure_leaves(const auto_run *run, const auto_tree *t,
                           auto_step *step, double *middle)
{
    uint32_t q = t->face.q, largest = 0;
    double *size = step->sizes.mean, *used = step->used;
    for (uint32_t n = 0; n < t->nodes; n++) {
        uint32_t c = t->node[n].cell;
        const double *box = t->box + (size_t)t->rows[n].box * 2 * q;
        double square = 0;
        if (c == KITH_I_NO_CELL)
            continue;
        for (uint32_t i = 0; i < q; i++) {
            double half = (box[q + i] - box[i]) / 2;
            middle[(size_t)c * q + i] = box[i] + half;
            square += half * half;
        }
        step->scale[c] = fmax(sqrt(square), 1);
        step->sizes.variance[c] = t->rows[n].unsure;
        used[c] = fmax(t->rows[n].size, 1);
        size[c] = stands_out(run, &t->rows[n]) ? used[c] : 0;
        largest = used[c] > used[largest] ? c : largest;
    }
    if (!(kith_i_sum(size, step->k) > 0))
        size[largest] = used[largest] = fmax(used[largest], run->n);
}

/* Point j of the summary from leaf c and its middle. Its mean is shortened by
 * its noise; neither its place nor its size is quite sure, and it weighs less
 * by both. */
static void set_point(const auto_step *step, uint32_t c, const double *middle,
                      uint32_t j, auto_summary *out)
{
    uint32_t q = out->q;
    const double *move = step->move + (size_t)c * q;
    double *to = out->points + (size_t)j * q;
    double size = step->sizes.mean[c], unsure = step->sizes.variance[c];
    double box = pow(step->rms[c], 2), noise = q * pow(step->noise[c], 2);
    double square = kith_i_dot(move, move, q);
    double keep = kith_i_shrink(square, noise);
    memcpy(to, middle, q * sizeof *to);
    kith_i_add_scaled(to, keep, move, q);
    out->size[j] = size;
    out->unsure[j] = unsure;
    out->noise[j] = keep * step->noise[c];
    out->within[j] = fmax(box - keep * keep * square, box / 16);
    double place = box / (noise + box);
    double sure = 1 - fmin(1, unsure / (size * size));
    out->weight[j] = size * (place * sure + .001);
}

void kith_i_auto_leaves(auto_run *run, auto_tree *t)
{
    uint32_t q = run->frame.q, kept = 0;
    for (uint32_t n = 0; n < t->nodes; n++)
        kept += t->node[n].child < 0 && stands_out(run, &t->rows[n]);
    summary_new(run, kept > 0 ? kept : 1);
    run->summary.far = t->face.roots > 2;
    size_t mark = run->pool.count; /* the step goes when its points are known */
    auto_step step = kith_i_auto_step_new(run, "leaf", t->leaves, q);
    double *middle = kith_i_pool_reals(&run->pool, (size_t)t->leaves * q);
    if (kith_i_auto_failed(run))
        return;
    measure_leaves(run, t, &step, middle);
    kith_i_auto_tree_trim(t);
    step.forest = &t->face;
    step.share = run->shares.leaf;
    step.counts = 0;
    kith_i_auto_take_step(run, run->frame.view, middle, NULL, &step);
    for (uint32_t c = 0, j = 0; !kith_i_auto_failed(run) && c < t->leaves; c++)
        if (step.sizes.mean[c] > 0)
            set_point(&step, c, middle + (size_t)c * q, j++, &run->summary);
    kith_i_pool_drop(&run->pool, mark);
}

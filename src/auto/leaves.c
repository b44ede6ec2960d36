/* A7: the mean of each leaf of the tree, which together are the first summary.
 * One histogram for the radii, one release of the sums. */
#include "auto/stages.h"

static void summary_new(auto_run *run, uint32_t kept)
{
    kith_i_pool *pool = &run->pool;
    uint32_t q = run->frame.q;
    size_t halves = (size_t)AUTO_HALVES * run->k;
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
void kith_i_auto_halve(auto_run *run, auto_summary *s, uint32_t many,
                       double least)
{
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
        for (uint32_t i = 0; i < q; i++)
            b[i] = kith_i_coins_normal(&run->coins);
        double square = fmax(kith_i_dot(b, b, q), 1e-300);
        double step = .8 * sqrt(s->within[at] / q / square);
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

typedef struct {
    double *center; /* cells x q: middles of their boxes */
    double *half;   /* half diagonal */
    double *size;   /* 0: lost in noise */
    double *sd;
    double *used;          /* size, or 1 */
    double *radius, *rest; /* rest: part of a sum that clipping leaves */
    auto_sum sum; /* of a leaf's rows about its middle, in half diagonals */
} leaf_list;

static int stands_out(const auto_run *run, const auto_count *rows)
{
    return rows->size > run->recipe->keep * sqrt(rows->unsure) &&
           rows->size >= 1;
}

/* How many leaves do; one at least. */
static uint32_t count_kept(const auto_run *run, const auto_tree *t)
{
    uint32_t kept = 0;
    for (uint32_t n = 0; n < t->nodes; n++)
        kept += t->node[n].child < 0 && stands_out(run, &t->rows[n]);
    return kept > 0 ? kept : 1;
}

static void list_leaves(auto_run *run, const auto_tree *t, leaf_list *out)
{
    uint32_t q = t->face.q, largest = 0, any = 0;
    out->center = kith_i_pool_reals(&run->pool, (size_t)t->leaves * q);
    out->half = kith_i_pool_reals(&run->pool, t->leaves);
    out->size = kith_i_pool_reals(&run->pool, t->leaves);
    out->sd = kith_i_pool_reals(&run->pool, t->leaves);
    out->used = kith_i_pool_reals(&run->pool, t->leaves);
    out->radius = kith_i_pool_reals(&run->pool, t->leaves);
    out->rest = kith_i_pool_reals(&run->pool, t->leaves);
    if (kith_i_auto_failed(run))
        return;
    for (uint32_t n = 0; n < t->nodes; n++) {
        uint32_t c = t->node[n].cell;
        const double *box = t->box + (size_t)n * 2 * q;
        double square = 0;
        if (c == KITH_I_NO_CELL)
            continue;
        for (uint32_t i = 0; i < q; i++) {
            double half = (box[q + i] - box[i]) / 2;
            out->center[(size_t)c * q + i] = nearbyint(box[i] + half);
            square += half * half;
        }
        out->half[c] = fmax(sqrt(square), 1);
        out->sd[c] = sqrt(t->rows[n].unsure);
        out->used[c] = fmax(t->rows[n].size, 1);
        out->size[c] = stands_out(run, &t->rows[n]) ? out->used[c] : 0;
        any |= out->size[c] > 0;
        largest = out->used[c] > out->used[largest] ? c : largest;
    }
    if (!any) /* the largest stands for all */
        out->size[largest] = out->used[largest] =
            fmax(out->used[largest], run->n);
}

/* Point j of the summary from the sum of leaf c. Its mean is shortened by its
 * noise; neither its place nor its size is quite sure, and it weighs less by
 * both. */
static void set_point(const leaf_list *l, uint32_t c, const kith_i_cells *cells,
                      uint32_t j, auto_summary *out)
{
    uint32_t q = out->q;
    const double *middle = l->center + (size_t)c * q;
    double *to = out->points + (size_t)j * q;
    double size = l->size[c], box = l->sum.square * pow(l->half[c], 2);
    double rows = size * l->rest[c], sd = cells->sum_sd[c] / rows;
    double noise = q * sd * sd;
    for (uint32_t i = 0; i < q; i++)
        to[i] = (double)cells->sums[(size_t)c * q + i] / rows;
    double square = kith_i_dot(to, to, q), keep = kith_i_shrink(square, noise);
    for (uint32_t i = 0; i < q; i++)
        to[i] = middle[i] + keep * to[i];
    out->size[j] = size;
    out->unsure[j] = pow(l->sd[c], 2);
    out->noise[j] = keep * sd;
    out->within[j] = fmax(box - keep * keep * square, box / 16);
    double place = box / (noise + box);
    double sure = 1 - fmin(1, pow(l->sd[c] / size, 2));
    out->weight[j] = size * (place * sure + .001);
}

void kith_i_auto_leaves(auto_run *run, auto_tree *t)
{
    const auto_frame *frame = &run->frame;
    const auto_shares *shares = &run->shares;
    leaf_list l = {0};
    auto_hist hist;
    summary_new(run, count_kept(run, t));
    run->summary.far = t->face.roots > 2;
    size_t mark = run->pool.count; /* the list goes when its points are known */
    list_leaves(run, t, &l);
    kith_i_auto_tree_trim(t);
    auto_place place = {.forest = &t->face,
                        .view = frame->view,
                        .by = frame->view,
                        .cells = t->leaves,
                        .width = frame->q,
                        .origin = l.center};
    auto_look look = {"leaf radii,", l.half, .05, 20, 1, shares->hist};
    /* two releases: finding the leaves twice costs less than keeping labels */
    kith_i_auto_place_open(run, &place, 0);
    kith_i_auto_histogram(run, &place, &look, &hist);
    l.sum = (auto_sum){kith_i_auto_sum_sd(run, shares->leaf, frame->q),
                       frame->q, hist.square};
    for (uint32_t c = 0; !kith_i_auto_failed(run) && c < t->leaves; c++) {
        auto_clip clip = kith_i_auto_clip(run, &hist, &l.sum, l.used[c]);
        l.radius[c] = clip.radius * l.half[c];
        l.rest[c] = clip.kept;
    }
    kith_i_cells cells =
        kith_i_auto_residuals(run, &place, "leaf", l.radius, shares->leaf);
    for (uint32_t c = 0, j = 0; !kith_i_auto_failed(run) && c < t->leaves; c++)
        if (l.size[c] > 0)
            set_point(&l, c, &cells, j++, &run->summary);
    kith_i_pool_drop(&run->pool, mark);
}

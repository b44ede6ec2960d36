/* A cluster elsewhere: each of them is tried where users are missing, in cells
 * of the tree and, out of the plane, where vectors point that no cluster
 * explains. */
#include "explain_answers.h"

#include <math.h>
#include <string.h>

enum { AXES = KITH_I_EXPLAIN_AXES, SPOTS = KITH_I_EXPLAIN_SPOTS };
enum { CELLS = 6, BUCKETS = SPOTS - CELLS, MOVES = 3, DEEPEST = 64 };

typedef kith_i_explain_fit fit;
typedef kith_i_explain_item item;

double kith_i_explain_worth(fit *f, uint32_t j)
{
    size_t d = f->d;
    double whole = kith_i_explain_misfit(f), next = HUGE_VAL;
    double noise = kith_i_recipe.unseen * kith_i_recipe.unseen;
    memcpy(f->held, f->share, f->k * sizeof *f->held);
    for (uint32_t t = 0; t < f->items; t++) /* told nothing, it has none */
        memset(f->item[t].told + (size_t)j * f->item[t].cells, 0,
               f->item[t].cells * sizeof(double));
    kith_i_explain_shares(f);
    double missed = kith_i_explain_misfit(f) - whole;
    memcpy(f->share, f->held, f->k * sizeof *f->held);
    kith_i_explain_ask_one(f, j, 0);
    for (uint32_t l = 0; l < f->k; l++)
        if (l != j)
            next = fmin(next, kith_i_distance_squared(f->center + j * d,
                                                      f->center + l * d, d));
    /* Its share stands above its noise by the root of what is missed. */
    return missed > noise ? f->share[j] * (1 - sqrt(noise / missed)) * next
                          : missed - noise;
}

/* The middle of a leaf of a tree, on the plane. */
static void middle_of(const fit *f, const kith_i_question *q, uint32_t leaf,
                      double *out)
{
    double low[AXES], high[AXES];
    uint32_t path[DEEPEST + 1], depth = 0, at = 0;
    const kith_i_tree_node *tree = q->place.tree;
    for (uint32_t n = 0; n < q->place.tree_nodes; n++)
        at = tree[n].axis < 0 && tree[n].left == leaf ? n : at;
    path[0] = at;
    for (uint32_t n = at; n-- > 0 && depth < DEEPEST;) /* parents are before */
        if (tree[n].axis >= 0 && (tree[n].left == at || tree[n].right == at))
            path[++depth] = at = n;
    for (uint32_t a = 0; a < f->axes; a++) {
        low[a] = -q->place.lens.half[a];
        high[a] = q->place.lens.half[a];
    }
    for (; depth > 0; depth--) {
        const kith_i_tree_node *node = &tree[path[depth]];
        if (node->right == path[depth - 1])
            low[node->axis] = node->threshold;
        else
            high[node->axis] = node->threshold;
    }
    for (size_t c = 0; c < f->d; c++) {
        out[c] = f->lens->offset[c];
        for (size_t a = 0; a < f->axes; a++)
            out[c] += (low[a] + high[a]) / 2 * f->lens->rows[a * f->d + c];
    }
}

/* Cells of the last tree where most users are missing. */
static uint32_t find_cells(const fit *f, double *spots)
{
    const item *last = NULL;
    uint32_t cell[CELLS + 1], count = 0;
    for (uint32_t t = 0; t < f->items; t++)
        last = f->item[t].slope ? &f->item[t] : last;
    for (uint32_t c = 0; last && c < last->cells; c++) {
        uint32_t at = count;
        if (!(last->left[c] > 0))
            continue;
        for (; at > 0 && last->left[c] > last->left[cell[at - 1]]; at--)
            cell[at] = cell[at - 1];
        cell[at] = c;
        count = count < CELLS ? count + 1 : CELLS;
    }
    for (uint32_t s = 0; s < count; s++)
        middle_of(f, last->q, cell[s], spots + (size_t)s * f->d);
    return count;
}

/* What the vectors of a bucket miss. */
typedef struct {
    double size; /* its square, in units of the noise */
    const double *left, *center;
} missing;

/* Two clusters may be at one place of the plane. No cell is missed then, but
 * the vectors of a bucket point out of the plane, to the one that is not there.
 * As far as centres are from the plane, along what is missed most. */
static uint32_t find_hidden(const fit *f, double *spots)
{
    size_t d = f->d;
    missing most[BUCKETS + 1];
    uint32_t count = 0;
    double far = sqrt(f->off * (double)(d - f->axes));
    for (uint32_t t = 0; t < f->items; t++) {
        const item *i = &f->item[t];
        for (size_t b = 0; i->buckets > 1 && b < i->buckets; b++) {
            const double *left = i->left + b * d;
            missing now = {i->precision * kith_i_norm_squared(left, d), left,
                           i->q->centers + b * d};
            uint32_t at = count;
            for (; at > 0 && now.size > most[at - 1].size; at--)
                most[at] = most[at - 1];
            most[at] = now;
            count = count < BUCKETS ? count + 1 : BUCKETS;
        }
    }
    for (uint32_t s = 0; s < count; s++) {
        double length = sqrt(kith_i_norm_squared(most[s].left, d));
        for (size_t c = 0; c < d; c++)
            spots[s * d + c] =
                most[s].center[c] +
                (length > 0 ? far / length * most[s].left[c] : 0);
    }
    kith_i_local_clip(f->task, count, spots);
    return count;
}

/* Cluster j there, as wide as the others are. */
static void put(fit *f, uint32_t j, const double *spot)
{
    double width = 0;
    for (uint32_t l = 0; l < f->k; l++)
        width += log(f->width[l]) / f->k;
    memcpy(f->center + (size_t)j * f->d, spot, f->d * sizeof *spot);
    f->width[j] = exp(width);
}

typedef struct {
    double chi;
    uint32_t from, spot;
    double worth; /* of the cluster, where it is */
} move;

/* The cluster that explains most at this spot, nothing else changed. */
static move best_move(fit *f, const double *spots, uint32_t spot)
{
    move best = {.chi = HUGE_VAL};
    for (uint32_t j = 0; j < f->k; j++) {
        put(f, j, spots + (size_t)spot * f->d);
        kith_i_explain_ask_one(f, j, 0);
        kith_i_explain_shares(f);
        double chi = kith_i_explain_misfit(f);
        if (chi < best.chi)
            best = (move){chi, j, spot, 0};
        kith_i_explain_copy(f, f->share, f->keep);
        kith_i_explain_ask_one(f, j, 0);
    }
    return best;
}

/* The best spots, each with its cluster: otherwise one spot would be tried with
 * several clusters, and the next one never. */
static void try_moves(fit *f, const double *spots, uint32_t count, move *best)
{
    for (int b = 0; b < MOVES; b++)
        best[b] = (move){.chi = HUGE_VAL};
    for (uint32_t s = 0; s < count; s++) {
        move now = best_move(f, spots, s);
        for (int b = 0; b < MOVES; b++)
            if (now.chi < best[b].chi) {
                move worse = best[b];
                best[b] = now;
                now = worse;
            }
    }
    for (int b = 0; b < MOVES && best[b].chi < HUGE_VAL; b++)
        best[b].worth = kith_i_explain_worth(f, best[b].from);
}

/* If k clusters explain all answers, chi squared says which. Else rows have
 * more groups than k, and many users on two spots may miss more in chi squared
 * than few users far away, who cost more: is the cluster worth as much where it
 * is now? */
static int pays(fit *f, const move *m)
{
    kith_i_explain_ask(f, 0);
    kith_i_explain_misfit(f);
    return m->worth < 0 || kith_i_explain_excess(f) <= kith_i_recipe.missed ||
           kith_i_explain_worth(f, m->from) >= m->worth;
}

double kith_i_explain_move(fit *f, double chi, double *spots)
{
    move best[MOVES];
    double off = f->off;
    kith_i_explain_copy(f, f->keep, f->share);
    uint32_t count = find_cells(f, spots);
    count += find_hidden(f, spots + (size_t)count * f->d);
    try_moves(f, spots, count, best);
    for (int b = 0; b < MOVES && best[b].chi < HUGE_VAL; b++) {
        put(f, best[b].from, spots + (size_t)best[b].spot * f->d);
        double now = kith_i_explain_descend(f, KITH_I_EXPLAIN_SHORT);
        if (now < chi - kith_i_recipe.search_gain && pays(f, &best[b]))
            return kith_i_explain_descend(f, KITH_I_EXPLAIN_STEPS);
        kith_i_explain_copy(f, f->share, f->keep);
        f->off = off;
    }
    return chi;
}

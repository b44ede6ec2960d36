/* A cluster elsewhere: where clusters do not explain the answers, each of them
 * is tried where most users are missing. */
#include "explain_answers.h"

#include <math.h>
#include <string.h>

enum { AXES = KITH_I_EXPLAIN_AXES, SPOTS = KITH_I_EXPLAIN_SPOTS };
enum { MOVES = 3, DEEPEST = 64 };

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
static uint32_t find_spots(const fit *f, double *spots)
{
    const item *last = NULL;
    uint32_t cell[SPOTS + 1], count = 0;
    for (uint32_t t = 0; t < f->items; t++)
        last = f->item[t].slope ? &f->item[t] : last;
    for (uint32_t c = 0; last && c < last->cells; c++) {
        uint32_t at = count;
        if (!(last->left[c] > 0))
            continue;
        for (; at > 0 && last->left[c] > last->left[cell[at - 1]]; at--)
            cell[at] = cell[at - 1];
        cell[at] = c;
        count = count < SPOTS ? count + 1 : SPOTS;
    }
    for (uint32_t s = 0; s < count; s++)
        middle_of(f, last->q, cell[s], spots + (size_t)s * f->d);
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

/* Each cluster at each spot, nothing else changed; the best of them. */
static void try_moves(fit *f, const double *spots, uint32_t count, move *best)
{
    for (int b = 0; b < MOVES; b++)
        best[b] = (move){.chi = HUGE_VAL};
    for (uint32_t s = 0; s < count; s++)
        for (uint32_t j = 0; j < f->k; j++) {
            put(f, j, spots + (size_t)s * f->d);
            kith_i_explain_ask_one(f, j, 0);
            kith_i_explain_shares(f);
            move now = {kith_i_explain_misfit(f), j, s, 0};
            for (int b = 0; b < MOVES; b++)
                if (now.chi < best[b].chi) {
                    move worse = best[b];
                    best[b] = now;
                    now = worse;
                }
            kith_i_explain_copy(f, f->share, f->keep);
            kith_i_explain_ask_one(f, j, 0);
        }
    for (int b = 0; b < MOVES; b++)
        best[b].worth = kith_i_explain_worth(f, best[b].from);
}

/* Is the cluster worth as much where it is now? With fewer clusters than rows
 * have, many users on two spots may miss more in chi squared than few users far
 * away, who cost more. */
static int pays(fit *f, const move *m)
{
    kith_i_explain_ask(f, 0);
    return m->worth < 0 || kith_i_explain_worth(f, m->from) >= m->worth;
}

double kith_i_explain_move(fit *f, double chi, double *spots)
{
    move best[MOVES];
    double off = f->off;
    kith_i_explain_copy(f, f->keep, f->share);
    try_moves(f, spots, find_spots(f, spots), best);
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

/* GROW: an interactive adaptive histogram (local_auto.md, 2.1). A binary tree
 * of boxes is published, users report their leaf, significant leaves are
 * split, and so on; all reports of all rounds are combined by exact least
 * squares over the tree. */
#include "grow_tree.h"

#include <math.h>
#include <string.h>

static const double UNKNOWN = 1e12; /* variance of a leaf without reports */

static uint32_t add_node(kith_i_grow *grow, uint32_t parent)
{
    kith_i_grow_node *to = &grow->node[grow->nodes];
    memset(to, 0, sizeof *to);
    memcpy(to->low, grow->node[parent].low, sizeof to->low);
    memcpy(to->high, grow->node[parent].high, sizeof to->high);
    to->depth = grow->node[parent].depth + 1;
    return grow->nodes++;
}

static void halve(kith_i_grow *grow, uint32_t at)
{
    kith_i_grow_node *node = &grow->node[at];
    uint32_t axis = 0;
    for (uint32_t a = 1; a < grow->axes; a++)
        if (node->high[a] - node->low[a] >
            (node->high[axis] - node->low[axis]) * (1 + 1e-9))
            axis = a;
    node->axis = (int)axis;
    node->threshold = node->low[axis] / 2 + node->high[axis] / 2;
    node->left = add_node(grow, at);
    node->right = add_node(grow, at);
    grow->node[node->left].high[axis] = node->threshold;
    grow->node[node->right].low[axis] = node->threshold;
    grow->leaves++;
}

/* Make 2^times leaves of one. */
static void halve_often(kith_i_grow *grow, uint32_t at, uint32_t times)
{
    if (times == 0)
        return;
    halve(grow, at);
    uint32_t left = grow->node[at].left, right = grow->node[at].right;
    halve_often(grow, left, times - 1);
    halve_often(grow, right, times - 1);
}

kith_status kith_i_grow_open(kith_i_local_run *run, const kith_i_grow_box *box,
                             kith_i_grow *grow, kith_error *err)
{
    size_t n = 2 * (size_t)box->room;
    memset(grow, 0, sizeof *grow);
    grow->axes = box->axes;
    grow->start_depth = box->depth;
    grow->room = box->room;
    grow->split_levels = kith_i_recipe.split_levels;
    grow->split_z = kith_i_recipe.split_z;
    grow->split_next = kith_i_recipe.split_next;
    grow->deep_z = kith_i_recipe.deep_z;
    grow->beside = 1;
    grow->node = kith_i_local_take(run, n, sizeof *grow->node);
    grow->score = kith_i_local_numbers(run, n, 1);
    if (!grow->node || !grow->score)
        return kith_i_fail_memory(err);
    memcpy(grow->node[0].low, box->low, box->axes * sizeof *box->low);
    memcpy(grow->node[0].high, box->high, box->axes * sizeof *box->high);
    grow->nodes = grow->leaves = 1;
    halve_often(grow, 0, box->depth);
    return KITH_OK;
}

void kith_i_grow_shift(kith_i_grow *grow, const double *parts)
{
    double by[KITH_I_GROW_AXES] = {0};
    const kith_i_grow_node *leaf = &grow->node[grow->nodes - 1];
    for (uint32_t a = 0; a < grow->axes; a++)
        by[a] = parts[a] * (leaf->high[a] - leaf->low[a]);
    for (uint32_t i = 0; i < grow->nodes; i++) {
        kith_i_grow_node *node = &grow->node[i];
        node->threshold += node->left ? by[node->axis] : 0;
        for (uint32_t a = 0; a < grow->axes; a++) {
            node->low[a] += by[a];
            node->high[a] += by[a];
        }
    }
}

/* Children come after their parent in the array: backwards is bottom-up. */
void kith_i_grow_estimate(kith_i_grow *grow)
{
    for (uint32_t i = grow->nodes; i-- > 0;) {
        kith_i_grow_node *node = &grow->node[i];
        double precision = fmax(node->precision, 1 / UNKNOWN);
        double own = node->precision > 0 ? node->mean : 0;
        node->up = own;
        node->up_var = 1 / precision;
        if (!node->left)
            continue;
        const kith_i_grow_node *l = &grow->node[node->left];
        const kith_i_grow_node *r = &grow->node[node->right];
        double below = 1 / (l->up_var + r->up_var);
        precision = node->precision + below;
        node->up =
            (node->precision * own + below * (l->up + r->up)) / precision;
        node->up_var = 1 / precision;
    }
    grow->node[0].estimate = 1;
    grow->node[0].variance = 0;
    for (uint32_t i = 0; i < grow->nodes; i++) {
        const kith_i_grow_node *node = &grow->node[i];
        if (!node->left)
            continue;
        kith_i_grow_node *l = &grow->node[node->left];
        kith_i_grow_node *r = &grow->node[node->right];
        double miss = node->estimate - l->up - r->up;
        double sum = l->up_var + r->up_var;
        kith_i_grow_node *both[2] = {l, r};
        for (int c = 0; c < 2; c++) {
            double gain = both[c]->up_var / sum;
            both[c]->estimate = both[c]->up + gain * miss;
            both[c]->variance =
                both[c]->up_var * (1 - gain) + gain * gain * node->variance;
        }
    }
}

static double box_square(const kith_i_grow *grow, const kith_i_grow_node *node)
{
    double s = 0;
    for (uint32_t a = 0; a < grow->axes; a++)
        s += (node->high[a] - node->low[a]) * (node->high[a] - node->low[a]);
    return s;
}

static double split_score(const kith_i_grow *grow, uint32_t i, double next_sd)
{
    const kith_i_grow_node *node = &grow->node[i];
    if (node->left ||
        !(node->estimate > grow->split_z * sqrt(node->variance)) ||
        !(node->estimate > grow->split_next * next_sd))
        return 0;
    return node->estimate * box_square(grow, node);
}

void kith_i_grow_split(kith_i_grow *grow, double next_sd)
{
    double *score = grow->score, total = 0;
    uint32_t before = grow->nodes;
    for (uint32_t i = 0; i < before; i++)
        total += score[i] = split_score(grow, i, next_sd);
    for (;;) {
        uint32_t best = 0;
        for (uint32_t i = 1; i < before; i++)
            best = score[i] > score[best] ? i : best;
        if (!(score[best] > 0) ||
            score[best] < kith_i_recipe.split_stop * total)
            return;
        double ratio = grow->node[best].estimate / (grow->split_next * next_sd);
        double levels = floor(log2(ratio));
        uint32_t times = (uint32_t)fmin(grow->split_levels, fmax(1, levels));
        if (grow->leaves + (1u << times) - 1 > grow->room)
            return;
        score[best] = 0;
        halve_often(grow, best, times);
    }
}

/* Deviations that a node must stand out by. */
static double needed(const kith_i_grow *grow, const kith_i_grow_node *node)
{
    return node->depth <= grow->start_depth ? kith_i_recipe.start_z
                                            : grow->deep_z;
}

/* The same next to a terminal: less is enough, people live next to people. */
static double needed_beside(const kith_i_grow *grow,
                            const kith_i_grow_node *node)
{
    return grow->beside * (node->depth <= grow->start_depth
                               ? kith_i_recipe.start_z
                               : kith_i_recipe.deep_z);
}

static int stands_out(const kith_i_grow_node *node, double z)
{
    return node->estimate > z * sqrt(node->variance);
}

/* Bottom-up: what has somebody below it is there, and no terminal. */
static void settle_alive(kith_i_grow *grow)
{
    for (uint32_t i = grow->nodes; i-- > 0;) {
        kith_i_grow_node *node = &grow->node[i];
        int child = node->left && (grow->node[node->left].alive ||
                                   grow->node[node->right].alive);
        node->alive = node->alive || child;
        node->terminal = node->alive && !child;
    }
}

/* Whether two boxes share a face, an edge or a corner. */
static int touches(const kith_i_grow *grow, const kith_i_grow_node *a,
                   const kith_i_grow_node *b)
{
    for (uint32_t i = 0; i < grow->axes; i++)
        if (a->low[i] > b->high[i] || b->low[i] > a->high[i])
            return 0;
    return 1;
}

/* Leaves that nobody was seen in, next to a terminal. Returns how many. */
static uint32_t join_neighbours(kith_i_grow *grow)
{
    uint32_t joined = 0;
    for (uint32_t i = 0; i < grow->nodes; i++) {
        kith_i_grow_node *cell = &grow->node[i];
        if ((cell->left && !cell->whole) || cell->part || cell->alive ||
            !stands_out(cell, needed_beside(grow, cell)))
            continue;
        for (uint32_t t = 0; t < grow->nodes && !cell->alive; t++)
            cell->alive =
                grow->node[t].terminal && touches(grow, cell, &grow->node[t]);
        joined += cell->alive != 0;
    }
    return joined;
}

void kith_i_grow_prune(kith_i_grow *grow)
{
    for (uint32_t i = 0; i < grow->nodes; i++) {
        kith_i_grow_node *node = &grow->node[i];
        node->alive =
            i == 0 || (!node->part && stands_out(node, needed(grow, node)));
        node->weight = 0;
    }
    settle_alive(grow);
    while (grow->beside < 1 && join_neighbours(grow) > 0)
        settle_alive(grow);
    grow->node[0].weight = 1;
    for (uint32_t i = 0; i < grow->nodes; i++) {
        kith_i_grow_node *node = &grow->node[i];
        if (!node->alive || node->terminal)
            continue;
        double sum = 0;
        kith_i_grow_node *both[2] = {&grow->node[node->left],
                                     &grow->node[node->right]};
        for (int c = 0; c < 2; c++)
            sum += both[c]->alive ? fmax(both[c]->estimate, 1e-9) : 0;
        for (int c = 0; c < 2; c++)
            if (both[c]->alive)
                both[c]->weight =
                    node->weight * fmax(both[c]->estimate, 1e-9) / sum;
    }
}

static double middle(const kith_i_grow_node *node, uint32_t a)
{
    return node->low[a] / 2 + node->high[a] / 2;
}

/* First moment of the leaves below `at` about the middle of `about`, and its
 * variance; branches with a terminal in them are left out when asked. */
static void leaf_moment(const kith_i_grow *grow, uint32_t at, int skip,
                        const kith_i_grow_node *about, double *sum,
                        double *variance)
{
    const kith_i_grow_node *node = &grow->node[at];
    if (skip && node->terminal)
        return;
    if (node->left) {
        leaf_moment(grow, node->left, skip, about, sum, variance);
        leaf_moment(grow, node->right, skip, about, sum, variance);
        return;
    }
    for (uint32_t a = 0; a < grow->axes; a++) {
        double off = middle(node, a) - middle(about, a);
        sum[a] += node->estimate * off;
        variance[a] += node->variance * off * off;
    }
}

/* The middle of the box, moved by the shrunken mean of what is below. */
static void position(const kith_i_grow *grow, uint32_t at, int skip,
                     double mass, double *point)
{
    const kith_i_grow_node *node = &grow->node[at];
    double sum[KITH_I_GROW_AXES] = {0}, variance[KITH_I_GROW_AXES] = {0};
    for (uint32_t a = 0; a < grow->axes; a++)
        point[a] = middle(node, a);
    if (!node->left || !(mass > 0))
        return;
    leaf_moment(grow, at, skip, node, sum, variance);
    for (uint32_t a = 0; a < grow->axes; a++) {
        double side = node->high[a] - node->low[a], prior = side * side / 12;
        double seen = variance[a] / (mass * mass);
        double move = prior / (prior + seen) * sum[a] / mass;
        if (prior > 0)
            point[a] += fmin(side / 2, fmax(-side / 2, move));
    }
}

uint32_t kith_i_grow_points(const kith_i_grow *grow, int rest, double *points,
                            double *weights, double *variances)
{
    uint32_t count = 0;
    double covered = 0;
    for (uint32_t i = 0; i < grow->nodes; i++)
        if (grow->node[i].terminal)
            covered += grow->node[i].estimate;
    rest = rest && !grow->node[0].terminal && 1 - covered > kith_i_recipe.rest;
    for (uint32_t i = 0; i < grow->nodes; i++) {
        const kith_i_grow_node *node = &grow->node[i];
        if (!node->terminal)
            continue;
        position(grow, i, 0, node->estimate, points + count * grow->axes);
        weights[count] = rest ? fmax(0, node->estimate) : node->weight;
        variances[count++] = node->variance;
    }
    if (rest) {
        position(grow, 0, 1, 1 - covered, points + count * grow->axes);
        weights[count] = 1 - covered;
        variances[count++] = 0;
    }
    double sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += weights[i];
    for (uint32_t i = 0; i < count; i++)
        weights[i] = sum > 0 ? weights[i] / sum : 1 / (double)count;
    return count;
}

uint32_t kith_i_grow_cells(const kith_i_grow *grow, kith_i_grow_cell *cells)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < grow->nodes; i++) {
        const kith_i_grow_node *node = &grow->node[i];
        if (node->left)
            continue;
        kith_i_grow_cell *to = &cells[count++];
        memcpy(to->low, node->low, sizeof to->low);
        memcpy(to->high, node->high, sizeof to->high);
        to->estimate = node->estimate;
        to->variance = to->empty = node->variance;
        to->per_share = node->per_share;
    }
    return count;
}

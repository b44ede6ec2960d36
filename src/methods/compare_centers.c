/* Which of two answers serves a user better? With a the nearest centre of the
 * one and b the nearest of the other, |x - a|^2 - |x - b|^2 is linear in x: so
 * finding a, finding b and comparing the difference with a threshold are all
 * walks down a tree of half-spaces, a question that every device knows. The
 * user says "the second by more than t", "the first by more than t", or
 * neither. There are three groups with thresholds t of their own, so that the
 * mean of their answers is the difference, clipped to +-bound and rounded to
 * thirds of it. */
#include "compare_centers.h"

#include <math.h>

/* What a user says: the first, the second, or neither by more than the
 * threshold (midpoints of equal parts of the bound). */
enum { SYMBOLS = 3 };
/* More half-spaces than these would make is a long question to send. */
enum { MOST_CENTERS = 24 };

int kith_i_compare_can(uint32_t k)
{
    return k <= MOST_CENTERS;
}

/* A tree under construction. Rows are numbered like this: the pairs of the
 * first, the pairs of the second, then first times second. */
typedef struct {
    const kith_i_candidate *one, *two;
    uint32_t d, nodes;
    int median;
    double radius; /* of all rows */
    double *rows;
    kith_i_tree_node *tree;
} walk;

static uint32_t pairs(uint32_t n)
{
    return n * (n - 1) / 2;
}

static uint32_t rows_of(const walk *w)
{
    return pairs(w->one->count) + pairs(w->two->count) +
           w->one->count * w->two->count;
}

/* Tournament of n: a node for each champion before each challenger; then
 * the same of the other set for each champion, and two thresholds a pair. */
static uint32_t nodes_of(const walk *w)
{
    uint32_t a = w->one->count, b = w->two->count;
    return pairs(a) + a * pairs(b) + 2 * a * b + SYMBOLS;
}

static const double *point(const kith_i_candidate *c, uint32_t j, uint32_t d)
{
    return c->center + (size_t)j * d;
}

/* Right when x is nearer to `to` than to `from` by more than `by` (squared). */
static void set_node(walk *w, uint32_t at, uint32_t row, const double *from,
                     const double *to, double by)
{
    double level = by;
    double *r = w->rows + (size_t)row * w->d;
    for (uint32_t i = 0; i < w->d; i++) {
        r[i] = to[i] - from[i];
        level += (to[i] + from[i]) * r[i];
    }
    w->tree[at].axis = (int32_t)row;
    w->tree[at].threshold = level / 2;
}

/* Where the node of (champion, challenger) stands in a tournament of n. */
static uint32_t seat(uint32_t champion, uint32_t challenger)
{
    return pairs(challenger) + champion;
}

/* The tournament of `set` from node `first` on; rows from `row`. The winner j
 * goes on to node next + j * stride. */
static void tournament(walk *w, const kith_i_candidate *set, uint32_t first,
                       uint32_t row, uint32_t next, uint32_t stride)
{
    for (uint32_t t = 1; t < set->count; t++)
        for (uint32_t i = 0; i < t; i++) {
            uint32_t at = first + seat(i, t);
            int last = t + 1 == set->count;
            set_node(w, at, row + seat(i, t), point(set, i, w->d),
                     point(set, t, w->d), 0);
            w->tree[at].left =
                last ? next + i * stride : first + seat(i, t + 1);
            w->tree[at].right =
                last ? next + t * stride : first + seat(t, t + 1);
        }
}

/* k-median: |x - a| - |x - b| is not linear in x, but for x on the line through
 * a and b it is |x - a|^2 - |x - b|^2 over L = |a - b|, clipped to +-L. Off
 * that line it has the same sign and is smaller, by L / (|x - a| + |x - b|). So
 * "better by more than t" is asked as "by t L in squares"; by L or more nobody
 * gains. */
static double in_squares(const walk *w, const double *a, const double *b,
                         double t)
{
    double apart = sqrt(kith_i_distance_squared(a, b, w->d));
    if (!w->median)
        return t;
    return apart * (t < apart ? t : 8 * w->radius);
}

/* Leaves: 0: the first serves better; 1: neither; 2: the second does. */
static void build(walk *w, double threshold)
{
    uint32_t a = w->one->count, b = w->two->count;
    uint32_t second = pairs(a), ends = second + a * pairs(b);
    uint32_t leaf = ends + 2 * a * b, row = pairs(a) + pairs(b);
    tournament(w, w->one, 0, 0, b > 1 ? second : ends,
               b > 1 ? pairs(b) : 2 * b);
    for (uint32_t i = 0; i < a; i++) {
        tournament(w, w->two, second + i * pairs(b), pairs(a), ends + 2 * i * b,
                   2);
        for (uint32_t j = 0; j < b; j++) {
            uint32_t at = ends + 2 * (i * b + j), r = row + i * b + j;
            const double *p = point(w->one, i, w->d);
            const double *q = point(w->two, j, w->d);
            double by = in_squares(w, p, q, threshold);
            set_node(w, at, r, p, q, by);
            set_node(w, at + 1, r, p, q, -by);
            w->tree[at].left = at + 1;
            w->tree[at].right = leaf + 2;
            w->tree[at + 1].left = leaf;
            w->tree[at + 1].right = leaf + 1;
        }
    }
    for (uint32_t s = 0; s < SYMBOLS; s++)
        w->tree[leaf + s] = (kith_i_tree_node){.axis = -1, .left = s};
}

static double to_nearest(const kith_i_candidate *set, const double *x,
                         uint32_t d)
{
    double nearest = HUGE_VAL;
    for (uint32_t j = 0; j < set->count; j++)
        nearest =
            fmin(nearest, kith_i_distance_squared(x, point(set, j, d), d));
    return nearest;
}

/* What users at the centres of one answer would lose by the other: the mean,
 * or a mean in which each is as heavy as its loss. */
static double typical_loss(const kith_i_candidate *from,
                           const kith_i_candidate *to, uint32_t d, int heavy)
{
    double sum = 0, weights = 0;
    for (uint32_t j = 0; j < from->count; j++) {
        double loss = to_nearest(to, point(from, j, d), d);
        double weight = fmax(0, from->share[j]) * (heavy ? loss : 1);
        sum += weight * loss;
        weights += weight;
    }
    return weights > 0 ? sum / weights : 0;
}

/* What a difference is clipped to. One mean against its clusters: users' mean
 * squared distance from the clusters' centres is that from the mean and the
 * variance V of the centres, so that by their nearest nobody, wherever, loses
 * more than V. A clip at V hides no loss; it hides gains of centres far away,
 * which may be ghosts. Else about what the users gain who gain or lose. The
 * largest distance instead made the question coarse, and often wrong. */
static double bound_of(const kith_i_candidate *one, const kith_i_candidate *two,
                       uint32_t d)
{
    if (two->count == 1)
        return typical_loss(one, two, d, 0);
    return fmax(typical_loss(one, two, d, 1), typical_loss(two, one, d, 1));
}

static kith_status make_question(kith_i_local_run *run, double share,
                                 const kith_i_candidate *one,
                                 const kith_i_candidate *two, double threshold,
                                 kith_i_question *q, kith_error *err)
{
    walk w = {.one = one,
              .two = two,
              .d = run->task->d,
              .median = run->task->median,
              .radius = run->task->radius};
    uint32_t rows = rows_of(&w), nodes = nodes_of(&w);
    w.rows = kith_i_local_numbers(run, rows, w.d);
    w.tree = kith_i_local_take(run, nodes, sizeof *w.tree);
    if (!w.rows || !w.tree)
        return kith_i_fail_memory(err);
    build(&w, threshold);
    *q = kith_i_local_question(run, "which answer is nearer", share,
                               KITH_I_REPORT_SYMBOL);
    q->randomizer = KITH_I_RANDOMIZER_KRR;
    q->place = (kith_i_place){.kind = KITH_I_PLACE_TREE,
                              .places = SYMBOLS,
                              .tree = w.tree,
                              .tree_nodes = nodes};
    q->place.lens = (kith_i_lens){.q = rows, .d = w.d, .rows = w.rows};
    return KITH_OK;
}

/* The difference of two fractions under k-ary response: each report is one of
 * them with probability 2 q when neither is true, and with p + q when one is.
 */
static double difference_variance(const kith_i_answer *answer, double epsilon)
{
    double p = exp(epsilon) / (exp(epsilon) + SYMBOLS - 1);
    double q = 1 / (exp(epsilon) + SYMBOLS - 1);
    double moved = answer->fractions[0] + answer->fractions[2];
    double seen = 2 * q + (p - q) * fmin(1, fmax(0, moved));
    return seen / pow(p - q, 2) / (double)answer->received;
}

kith_status kith_i_compare(kith_i_local_run *run, double share,
                           const kith_i_candidate *first,
                           const kith_i_candidate *second,
                           kith_i_comparison *out, kith_error *err)
{
    kith_i_question questions[KITH_I_COMPARE_GROUPS];
    const kith_i_answer *answers[KITH_I_COMPARE_GROUPS];
    double bound = bound_of(first, second, run->task->d);
    double sum = 0, variance = 0;
    *out = (kith_i_comparison){0, HUGE_VAL};
    bound = run->task->median ? sqrt(bound) : bound; /* no less, by Jensen */
    if (!(bound > 0))                                /* they are the same */
        return KITH_OK;
    for (uint32_t s = 0; s < KITH_I_COMPARE_GROUPS; s++) {
        kith_status status = make_question(
            run, share / KITH_I_COMPARE_GROUPS, first, second,
            bound * (s + 0.5) / KITH_I_COMPARE_GROUPS, &questions[s], err);
        if (status)
            return status;
    }
    kith_status status =
        kith_i_local_ask(run, questions, KITH_I_COMPARE_GROUPS, answers, err);
    for (uint32_t s = 0; !status && s < KITH_I_COMPARE_GROUPS; s++) {
        if (answers[s]->received == 0 || !isfinite(answers[s]->sd))
            return KITH_OK;
        sum += answers[s]->fractions[2] - answers[s]->fractions[0];
        variance += difference_variance(answers[s], run->task->epsilon);
    }
    if (!status)
        *out =
            (kith_i_comparison){bound * sum / KITH_I_COMPARE_GROUPS,
                                bound * sqrt(variance) / KITH_I_COMPARE_GROUPS};
    return status;
}

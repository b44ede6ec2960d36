/* Which of two answers serves a user better? With a the nearest centre of the
 * one and b the nearest of the other, |x - a|^2 - |x - b|^2 is linear in x: so
 * finding a, finding b and comparing the difference with a threshold are all
 * walks down a tree of half-spaces, a question that every device knows. The
 * user says "the second by more than t", "the first by more than t", or
 * neither. There are three or four groups with thresholds t of their own, so
 * that the mean of their answers is the difference, clipped to +-bound and
 * rounded to parts of it. */
#include "compare_centers.h"

#include <math.h>

/* What a user says: the first, the second, or neither by more than the
 * threshold (midpoints of equal parts of the bound). */
enum { SYMBOLS = 3 };
/* Groups of a comparison, with a threshold each. */
enum { LEAST_STEPS = 3, MOST_STEPS = 4 };
enum { MOST_GROUPS = (KITH_I_COMPARE_MOST - 1) * MOST_STEPS };
/* More half-spaces than these would make is a long question to send. */
enum { MOST_CENTERS = 24 };
enum { HALVINGS = 40 }; /* to find a bound */

/* Standard deviation of the difference of two fractions, for one user, if
 * hardly anybody is moved. */
static double one_user_sd(double epsilon)
{
    double p = exp(epsilon) / (exp(epsilon) + SYMBOLS - 1);
    double q = 1 / (exp(epsilon) + SYMBOLS - 1);
    return sqrt(2 * q) / (p - q);
}

static double least_group(const kith_i_local_run *run)
{
    return fmax(kith_i_recipe.last_group, 2 * (double)run->collector->minimum);
}

double kith_i_compare_sd(const kith_i_local_run *run, double share)
{
    return one_user_sd(run->task->epsilon) /
           sqrt(kith_i_local_users(run, share));
}

double kith_i_compare_share(const kith_i_local_run *run)
{
    double n = kith_i_local_users(run, 1), most = kith_i_recipe.last_most * n;
    double one = one_user_sd(run->task->epsilon);
    double sharp = pow(one / kith_i_recipe.last_coarse, 2);
    double groups = LEAST_STEPS * least_group(run);
    double users =
        fmax(kith_i_recipe.last * n, fmin(kith_i_recipe.last_users, most));
    users = fmax(users, fmax(sharp, groups));
    int can = run->task->k > 1 && run->task->k <= MOST_CENTERS;
    return can && users <= most ? users / n : 0;
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

/* Users at the centres of `from`, by their shares: what they lose by `to`,
 * beyond `bound` (0: all of it), and how many do. */
typedef struct {
    double loss, share;
} losers;

static losers beyond(const kith_i_candidate *from, const kith_i_candidate *to,
                     uint32_t d, double bound)
{
    losers sum = {0, 0};
    double all = 0;
    for (uint32_t j = 0; j < from->count; j++) {
        double share = fmax(0, from->share[j]);
        double loss = to_nearest(to, point(from, j, d), d) - bound;
        all += share;
        sum.loss += loss > 0 ? share * loss : 0;
        sum.share += loss > 0 ? share : 0;
    }
    return all > 0 ? (losers){sum.loss / all, sum.share / all} : sum;
}

/* What a difference is clipped to. One mean against its clusters: users' mean
 * squared distance from the clusters' centres is that from the mean and the
 * variance V of the centres, so that by their nearest nobody, wherever, loses
 * more than V. A clip at V hides no loss.
 *
 * Else the b for which noise and what is clipped are least together, noise b^2
 * + (what users of the one answer would lose beyond b by the other)^2 + the
 * same the other way round: a centre far away that hardly anybody is near does
 * not make the question coarse. */
static double bound_of(const kith_i_candidate *one, const kith_i_candidate *two,
                       uint32_t d, double noise)
{
    if (two->count == 1)
        return beyond(one, two, d, 0).loss;
    double low = 0, high = 0;
    for (uint32_t j = 0; j < one->count; j++)
        high = fmax(high, to_nearest(two, point(one, j, d), d));
    for (uint32_t j = 0; j < two->count; j++)
        high = fmax(high, to_nearest(one, point(two, j, d), d));
    for (int t = 0; t < HALVINGS; t++) { /* half of the derivative */
        double b = (low + high) / 2;
        losers there = beyond(one, two, d, b), back = beyond(two, one, d, b);
        int up = noise * b < there.loss * there.share + back.loss * back.share;
        low = up ? b : low;
        high = up ? high : b;
    }
    return high;
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

/* What the groups of a comparison say. */
static kith_i_comparison read_answers(const kith_i_answer *const *answers,
                                      uint32_t steps, double bound,
                                      double epsilon)
{
    double sum = 0, variance = 0;
    for (uint32_t s = 0; s < steps; s++) {
        if (answers[s]->received == 0 || !isfinite(answers[s]->sd))
            return (kith_i_comparison){0, HUGE_VAL};
        sum += answers[s]->fractions[2] - answers[s]->fractions[0];
        variance += difference_variance(answers[s], epsilon);
    }
    return (kith_i_comparison){bound * sum / steps,
                               bound * sqrt(variance) / steps};
}

/* The others that are asked about, which differ from the first; at most as many
 * as have enough users. */
static uint32_t choose_others(const kith_i_candidate *answers, uint32_t count,
                              uint32_t d, uint32_t most, uint32_t *other)
{
    uint32_t chosen = 0;
    for (uint32_t c = 1; c < count && chosen < most; c++)
        if (bound_of(&answers[0], &answers[c], d, 1) > 0)
            other[chosen++] = c;
    return chosen;
}

kith_status kith_i_compare(kith_i_local_run *run, double share,
                           const kith_i_candidate *answers, uint32_t count,
                           kith_i_comparison *out, kith_error *err)
{
    kith_i_question questions[MOST_GROUPS];
    const kith_i_answer *told[MOST_GROUPS];
    double bound[KITH_I_COMPARE_MOST];
    uint32_t other[KITH_I_COMPARE_MOST], d = run->task->d, asked = 0;
    double groups = kith_i_local_users(run, share) / least_group(run) + 1e-9;
    double most = fmin(KITH_I_COMPARE_MOST - 1, floor(groups / LEAST_STEPS));
    for (uint32_t c = 0; c + 1 < count; c++)
        out[c] = (kith_i_comparison){0, HUGE_VAL};
    uint32_t chosen =
        choose_others(answers, count, d, (uint32_t)fmax(1, most), other);
    if (chosen == 0) /* all are the same */
        return KITH_OK;
    uint32_t steps =
        (uint32_t)fmin(MOST_STEPS, fmax(LEAST_STEPS, floor(groups / chosen)));
    double noise = pow(kith_i_compare_sd(run, share / chosen), 2);
    for (uint32_t c = 0; c < chosen; c++) {
        const kith_i_candidate *second = &answers[other[c]];
        bound[c] = bound_of(&answers[0], second, d, noise);
        if (run->task->median)
            bound[c] = sqrt(bound[c]); /* no loss is larger, by Jensen */
        for (uint32_t s = 0; s < steps; s++) {
            kith_status status = make_question(
                run, share / (chosen * steps), &answers[0], second,
                bound[c] * (s + 0.5) / steps, &questions[asked++], err);
            if (status)
                return status;
        }
    }
    kith_status status = kith_i_local_ask(run, questions, asked, told, err);
    for (uint32_t c = 0; !status && c < chosen; c++)
        out[other[c] - 1] = read_answers(told + (size_t)c * steps, steps,
                                         bound[c], run->task->epsilon);
    return status;
}

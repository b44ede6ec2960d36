/* Neighbouring data, again and again: no row against one row far outside of
 * the bounds. An event is chosen on the first third of the runs and tested on
 * the others, with exact binomial bounds: so the choice costs nothing. */
#include <math.h>
#include <stdlib.h>

#include "audit.h"
#include "audit_stat.h"
#include "cli.h"

enum { DIRECTIONS = 6, THRESHOLDS = 40 };

/* Size of the cluster and place of its centre, mixed in several ways. */
static double statistic(const double *pair, int direction)
{
    static const double mix[DIRECTIONS][2] = {{1, 0}, {0, 1}, {1, 1},
                                              {1, 3}, {3, 1}, {0, 0}};
    return direction == DIRECTIONS - 1
               ? pair[0] * pair[1]
               : mix[direction][0] * pair[0] + mix[direction][1] * pair[1];
}

static int reserve(audit_tally *tally)
{
    if (tally->pairs < tally->room)
        return CLI_OK;
    size_t room = tally->room ? 2 * tally->room : 1024;
    double *without = realloc(tally->without, 2 * room * sizeof *without);
    if (without)
        tally->without = without;
    double *with = realloc(tally->with, 2 * room * sizeof *with);
    if (with)
        tally->with = with;
    if (!without || !with)
        return cli_no_memory();
    tally->room = room;
    return CLI_OK;
}

static int run_once(const audit_target *t, double epsilon, uint64_t rows,
                    double *out)
{
    static const double far_row = 1e300;
    int code = audit_write(t, &far_row, rows, 1);
    return code ? code : audit_run(t, epsilon, 1, &out[1], &out[0]);
}

int audit_pair(const audit_target *t, audit_tally *tally)
{
    int code = reserve(tally);
    if (!code)
        code =
            run_once(t, tally->epsilon, 0, tally->without + 2 * tally->pairs);
    if (!code)
        code = run_once(t, tally->epsilon, 1, tally->with + 2 * tally->pairs);
    tally->pairs += !code;
    return code;
}

typedef struct event {
    int direction;
    double threshold;
} event;

static size_t count_above(const double *runs, size_t from, size_t to,
                          const event *e)
{
    size_t hits = 0;
    for (size_t i = from; i < to; i++)
        hits += statistic(runs + 2 * i, e->direction) > e->threshold;
    return hits;
}

/* What the event shows on these runs; below 0: nothing. */
static double loss_shown(const audit_target *t, const audit_tally *tally,
                         const event *e, size_t from, double alpha)
{
    size_t to = from ? tally->pairs : tally->pairs / 3, n = to - from;
    double p =
        audit_at_least(count_above(tally->with, from, to, e), n, alpha / 2);
    double q =
        audit_at_most(count_above(tally->without, from, to, e), n, alpha / 2);
    if (!(p > 0) || !(q > 0))
        return 0;
    return t->mu > 0 ? audit_normal_inverse(p) - audit_normal_inverse(q)
                     : log(p / q);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The thresholds to try: quantiles of the first runs without the row. */
static event choose(const audit_target *t, const audit_tally *tally,
                    double alpha, double *values)
{
    event best = {0, 0};
    double most = -1;
    size_t third = tally->pairs / 3;
    for (int d = 0; d < DIRECTIONS; d++) {
        for (size_t i = 0; i < third; i++)
            values[i] = statistic(tally->without + 2 * i, d);
        qsort(values, third, sizeof *values, compare);
        for (size_t q = 1; q < THRESHOLDS; q++) {
            event e = {d, values[q * third / THRESHOLDS]};
            double shown = loss_shown(t, tally, &e, 0, alpha);
            if (shown > most) {
                most = shown;
                best = e;
            }
        }
    }
    return best;
}

void audit_pair_bound(const audit_target *t, const audit_tally *tally,
                      double alpha, audit_bound *out)
{
    *out = (audit_bound){.tries = tally->pairs};
    size_t third = tally->pairs / 3;
    double *values = third > 1 ? calloc(third, sizeof *values) : NULL;
    if (!values)
        return;
    event e = choose(t, tally, alpha, values);
    out->least = fmax(0, loss_shown(t, tally, &e, third, alpha));
    out->estimate = fmax(0, loss_shown(t, tally, &e, third, 0.9));
    free(values);
}

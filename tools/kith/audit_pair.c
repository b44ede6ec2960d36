/* Neighbouring data, again and again: a crowd of equal rows, and one row far
 * outside of the bounds (or one person with 500 of them) that is in with
 * probability 1/2. From what comes out, guess whether it was in. How to guess
 * is chosen on the first third of the runs, or the first 1,500, and tested on
 * the others, so the choice costs nothing.
 *
 * Claim: of all guesses an epsilon-DP program lets at most e^eps / (1 + e^eps)
 *   be right, also when nobody guesses where the outcome says little; a mu-GDP
 *   program at most Phi(mu / 2) when every run is guessed.
 * Because: both hypotheses are equally likely. The odds of the two at any
 *   outcome are at most e^eps; and half the sum of the two errors of a test of
 *   mu-GDP is at least Phi(-mu / 2).
 *
 * The best guess for Laplace noise is by its likelihood ratio, and that of a
 * noisy sum x which is 0 or 1 before the noise is a line from 0 to 1, cut at
 * both ends. A crowd makes the sum itself visible: it is centre times size, and
 * where it was taken about a point that was released before, the receipt tells
 * that point. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "audit.h"
#include "audit_stat.h"
#include "cli.h"

/* More tries than CHOICE choose no better rule. */
enum { MIXES = 9, MARGINS = 8, FAR_ROWS = 500, CHOICE = 1500 };

/* Where the rows of the crowd are by turns, inside of the ball of radius 1, and
 * where the far row is. */
typedef struct layout {
    double even, odd, far;
} layout;

/* auto sums up what rows are away from a first mean, within a radius that it
 * chooses by how far they are: a crowd at both ends of what is possible has the
 * largest one, and a first mean so poor that the second is not shortened as
 * noise. The far row is opposite to it. balcan divides sums by a size that it
 * does not show: the sum of its crowd is 0, whatever it is divided by. */
static layout layout_of(const audit_target *t)
{
    static const layout plain = {.5, .5, 1e300}, wide = {1, 0, -1e300},
                        even = {1, -1, 1e300};
    return !strcmp(t->method, "auto")     ? wide
           : !strcmp(t->method, "balcan") ? even
                                          : plain;
}

/* Weight of the count beside that of the sum; the last one undoes what a noisy
 * count does to a centre. */
static const double mixes[MIXES][2] = {{1, 0}, {0, 1}, {1, 1}, {3, 2},   {2, 1},
                                       {3, 1}, {1, 2}, {1, 3}, {1, -0.5}};

/* How to guess: in above 1 - margin, out below margin, else nobody guesses. */
typedef struct rule {
    int mix, cut;
    double margin;
} rule;

static double clamp(double x)
{
    return fmin(fmax(x, 0), 1);
}

/* About 0 without the row, 1 with it. */
static double statistic(const audit_sight *s, const rule *r)
{
    const double *mix = mixes[r->mix];
    double sum = r->cut ? clamp(s->sum) : s->sum,
           count = r->cut ? clamp(s->count) : s->count;
    return (mix[0] * sum + mix[1] * count) / (mix[0] + mix[1]);
}

static int write_rows(const audit_target *t, uint64_t crowd, uint64_t far)
{
    uint64_t rows = crowd + far;
    double *values = calloc(rows + 1, sizeof *values);
    if (!values)
        return cli_no_memory();
    layout at = layout_of(t);
    for (uint64_t i = 0; i < rows; i++)
        values[i] = i >= crowd ? at.far : i % 2 ? at.odd : at.even;
    int code = t->people ? audit_write_people(t, values, crowd, rows)
                         : audit_write(t, values, rows, 1);
    free(values);
    return code;
}

/* What the far row adds to the sum of auto, or 0, with the noise, in shares of
 * what it can add. Rows are at most 1 from zero and the mean of the crowd is
 * above it, so they are at most 1 + (first mean) from the first mean, and the
 * receipt says this number. The move from it to the centre was shortened from s
 * to s - v / s, v the variance of the noise; to nothing below v: that tells
 * nobody anything. */
static double sum_of_auto(const audit_target *t, double crowd, double center,
                          const audit_view *seen)
{
    layout at = layout_of(t);
    double first = seen->reach - 1, mean = (at.even + at.odd) / 2,
           move = center - first,
           variance = pow(seen->scale / seen->size, 2) * (t->mu > 0 ? 1 : 2);
    if (!(seen->reach > 0) || !(seen->size > 0) || fabs(move) < 1e-9)
        return 0.5;
    double s = (fabs(move) + sqrt(move * move + 4 * variance)) / 2;
    return (crowd * (mean - first) - copysign(s, move) * seen->size) /
           seen->reach;
}

/* The same, of any method. */
static double visible_sum(const audit_target *t, double crowd, double center,
                          const audit_view *seen)
{
    layout at = layout_of(t);
    if (crowd <= 0)
        return at.far < 0 ? -center : center;
    return at.far < 0 ? sum_of_auto(t, crowd, center, seen)
                      : center * seen->size - (at.even + at.odd) / 2 * crowd;
}

int audit_pair(const audit_target *t, audit_tally *tally, audit_sight *sight)
{
    unsigned char coin;
    audit_view seen = {0};
    double center = 0, crowd = (double)tally->crowd;
    audit_bits(&coin, 1);
    int in = coin & 1;
    int code = write_rows(t, tally->crowd, !in ? 0 : t->people ? FAR_ROWS : 1);
    if (!code)
        code = audit_run(t, tally->epsilon, 1, &center, &seen);
    tally->claim = seen.claim;
    if (!code)
        *sight = (audit_sight){.sum = visible_sum(t, crowd, center, &seen),
                               .count = seen.size - crowd,
                               .in = in};
    return code;
}

/* The loss that so many right guesses show. */
static double loss_shown(const audit_target *t, const audit_sight *sights,
                         size_t count, const rule *r, double alpha)
{
    size_t guesses = 0, right = 0;
    for (size_t i = 0; i < count; i++) {
        double x = statistic(&sights[i], r);
        if (x > r->margin && x < 1 - r->margin)
            continue;
        guesses++;
        right += (x >= 1 - r->margin) == sights[i].in;
    }
    double share = audit_at_least(right, guesses, alpha);
    if (!(share > 0.5))
        return 0;
    return t->mu > 0 ? 2 * audit_normal_inverse(share)
                     : log(share / (1 - share));
}

/* The best rule for some runs. In Gaussian DP every run is guessed. */
static rule choose(const audit_target *t, const audit_sight *sights,
                   size_t count)
{
    static const double margins[MARGINS] = {0.5, 0.4,  0.3, 0.2,
                                            0.1, 0.02, 0,   -0.2};
    rule best = {.margin = 0.5};
    double most = -1;
    for (rule r = {0}; r.mix < MIXES; r.mix++)
        for (r.cut = 0; r.cut < 2; r.cut++)
            for (int m = 0; m < (t->mu > 0 ? 1 : MARGINS); m++) {
                r.margin = margins[m];
                double shown = loss_shown(t, sights, count, &r, 0.05);
                if (shown > most) {
                    most = shown;
                    best = r;
                }
            }
    return best;
}

/* The best rule for a single answer, whose noise is known: nothing to choose.
 * Laplace noise says as much as it can beyond both places. */
static rule rule_of_one(const audit_target *t)
{
    return (rule){.margin = t->mu > 0 ? 0.5 : 0};
}

void audit_pair_bound(const audit_target *t, const audit_tally *tally,
                      double alpha, audit_bound *out)
{
    int one = t->judged == AUDIT_LAST;
    *out = (audit_bound){.tries = tally->tries};
    size_t first = one                         ? 0
                   : tally->tries / 3 < CHOICE ? tally->tries / 3
                                               : CHOICE,
           rest = tally->tries - first;
    if (tally->tries < 6)
        return;
    rule r = one ? rule_of_one(t) : choose(t, tally->sights, first);
    out->least = loss_shown(t, tally->sights + first, rest, &r, alpha);
    out->estimate = loss_shown(t, tally->sights + first, rest, &r, 0.5);
}

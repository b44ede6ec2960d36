/* The quality of a result in sentences. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kith/quality.h"

/* Standard deviations of a misfit that round clusters do not have. */
static const double MISFIT = 3.5;
/* Standard deviations of a share of users that is surely not none. */
static const double UNEXPLAINED = 4;

const char *kith_verdict_name(kith_verdict verdict)
{
    static const char *const names[] = {"good", "doubtful", "noise"};
    return verdict <= KITH_VERDICT_NOISE ? names[verdict] : "unknown";
}

/* What a result counts. */
static const char *counted(const kith_quality *q)
{
    return q->people ? "people" : "rows";
}

typedef int sentence(const kith_quality *q, char *out, size_t size);

static int say_rows(const kith_quality *q, char *out, size_t size)
{
    if (!(q->rows < 4 * q->rows_sd) || q->verdict != KITH_VERDICT_NOISE)
        return 0;
    /* Methods divide by it, so they take no less than about two deviations, or
     * one row: then it is no count that was released. */
    int floored = q->planes ? q->rows <= 1 : q->rows < 2.0001 * q->rows_sd;
    snprintf(out, size,
             "the number of %s, %s%.3g, has noise of %.3g: it cannot be told "
             "from none, so this result is noise; more %s or a larger "
             "budget are needed",
             counted(q), floored ? "at most " : "", q->rows, q->rows_sd,
             counted(q));
    return 1;
}

static int say_planes(const kith_quality *q, char *out, size_t size)
{
    if (!q->planes || !q->turned)
        return 0;
    snprintf(out, size,
             "noise alone turns a direction of the plane of an average cluster "
             "by about %.2g radians%s",
             q->angle,
             q->verdict == KITH_VERDICT_NOISE
                 ? ", as far as a random plane would be: this result is noise"
                 : ": read it with care");
    return 1;
}

static int say_lost(const kith_quality *q, char *out, size_t size)
{
    if (!q->lost || q->lost >= q->directions) /* all: their angle tells */
        return 0;
    snprintf(out, size,
             "%u of the %u directions of the planes cannot be told from "
             "noise%s",
             q->lost, q->directions,
             q->verdict == KITH_VERDICT_NOISE
                 ? ": this result is noise; more rows, fewer directions (-q) "
                   "or a larger budget are needed"
                 : ": they may be random; ask for fewer (-q), or read them "
                   "with care");
    return 1;
}

static int say_untold(const kith_quality *q, char *out, size_t size)
{
    if (!q->untold)
        return 0;
    snprintf(out, size,
             "how far noise turns the planes is not known: this method "
             "releases nothing that would tell, so they may be noise; auto "
             "and sulq tell");
    return 1;
}

static int say_blind(const kith_quality *q, char *out, size_t size)
{
    if (!q->blind)
        return 0;
    snprintf(out, size,
             "the budget is too small to see clusters of %s: the %u planes "
             "cover the spread of all %s, whatever clusters there are",
             counted(q), q->parts, counted(q));
    return 1;
}

static int say_sensible(const kith_quality *q, char *out, size_t size)
{
    uint32_t s = q->sensible;
    if (!s || s >= q->parts)
        return 0;
    const char *make = s == 1 ? "cluster makes" : "clusters make";
    switch (q->limit) {
    case KITH_LIMIT_ROWS:
        snprintf(out, size,
                 "the noisy number of %s is %.3g: at most %u %s sense (-k "
                 "%u), not %u",
                 counted(q), q->rows, s, make, s, q->parts);
        break;
    case KITH_LIMIT_GROUPS:
        snprintf(out, size,
                 "only %u group%s of %s could be told from noise: at most %u "
                 "%s sense (-k %u), not %u",
                 s, s == 1 ? "" : "s", counted(q), s, make, s, q->parts);
        break;
    default:
        snprintf(out, size,
                 "noise would move the centres of %u clusters by more than a "
                 "quarter of the bound of a row's length: at most %u %s sense "
                 "(-k %u)",
                 q->parts, s, make, s);
    }
    return 1;
}

static int say_distinct(const kith_quality *q, char *out, size_t size)
{
    if (q->distinct >= q->parts)
        return 0;
    snprintf(out, size, "only %u of the %u %s differ: %s", q->distinct,
             q->parts, q->planes ? "planes" : "centres",
             !isnan(q->noise) ? "the budget could not tell more of them apart"
             : q->people      ? "the people are no more different than that"
                              : "the rows are no more different than that");
    return 1;
}

static int say_unsure(const kith_quality *q, char *out, size_t size)
{
    if (!q->unsure)
        return 0;
    snprintf(out, size,
             "noise alone moves %u of the %u centres at least half the way to "
             "the next one: read %s with care",
             q->unsure, q->parts, q->unsure == 1 ? "it" : "them");
    return 1;
}

static int say_bounds(const kith_quality *q, char *out, size_t size)
{
    const char *name = q->name_on_bound;
    char which[120];
    if (!q->features_on_bound)
        return 0;
    /* a name that is cut might be no text any more */
    if (name && strlen(name) + 3 <= sizeof which)
        snprintf(which, sizeof which, "'%s'", name);
    else
        snprintf(which, sizeof which, "feature %u", q->first_on_bound + 1);
    if (q->features_on_bound == 1)
        snprintf(out, size,
                 "all centres lie on the same bound of %s: check the "
                 "order of your bounds, and whether they are wide enough",
                 which);
    else
        snprintf(out, size,
                 "all centres lie on the same bound of %u features (the first "
                 "is %s): check the order of your bounds, and whether "
                 "they are wide enough",
                 q->features_on_bound, which);
    return 1;
}

static int say_one_mean(const kith_quality *q, char *out, size_t size)
{
    if (q->one_mean)
        snprintf(out, size,
                 "users who were asked are served better by one mean than by "
                 "the clusters that were found: the answer is the mean");
    else if (q->mean_gain < 2 * q->mean_gain_sd)
        snprintf(out, size,
                 "the clusters serve users no better than one mean would (by "
                 "%.2g, with a standard deviation of %.2g, as costs are "
                 "counted): "
                 "invite more users or raise epsilon",
                 q->mean_gain, q->mean_gain_sd);
    else
        return 0;
    return 1;
}

static int say_mean_error(const kith_quality *q, char *out, size_t size)
{
    if (!(q->mean_error > 0))
        return 0;
    snprintf(out, size,
             "the answer is the mean of all users, which noise moves by about "
             "%.2g, where rows may be %.2g long%s",
             q->mean_error, q->reach,
             q->verdict == KITH_VERDICT_NOISE
                 ? ": this result is noise; more users or a larger epsilon are "
                   "needed"
                 : "");
    return 1;
}

static int say_fewer(const kith_quality *q, char *out, size_t size)
{
    if (!(q->parts < q->asked) || q->one_mean)
        return 0;
    snprintf(out, size,
             "only %u of %u centres could be told from noise: there are no "
             "more groups, or they need more users or a larger epsilon",
             q->parts, q->asked);
    return 1;
}

static int say_unseen(const kith_quality *q, char *out, size_t size)
{
    if (q->unseen == 0)
        return 0;
    snprintf(out, size,
             "%u of %u clusters may hold nobody: their shares are less than "
             "two standard deviations; another cluster may be missing instead",
             q->unseen, q->parts);
    return 1;
}

static int say_chosen(const kith_quality *q, char *out, size_t size)
{
    if (!q->changed || q->one_mean)
        return 0;
    snprintf(out, size,
             "users who were asked at last chose another answer (%s, by %.1f "
             "standard deviations) than the one that was found first",
             q->won, q->margin);
    return 1;
}

static int say_misfit(const kith_quality *q, char *out, size_t size)
{
    if (!(q->misfit > MISFIT))
        return 0;
    snprintf(out, size,
             "what users said is not explained by %u round clusters (misfit "
             "%.1f standard deviations): there may be more of them, or they "
             "are not round",
             q->parts, q->misfit);
    return 1;
}

static int say_unexplained(const kith_quality *q, char *out, size_t size)
{
    if (!(q->unexplained > UNEXPLAINED * q->unexplained_sd))
        return 0;
    snprintf(out, size,
             "%.2g %% of the users (standard deviation %.2g %%) are in none of "
             "%u round clusters",
             100 * q->unexplained, 100 * q->unexplained_sd, q->parts);
    return 1;
}

int kith_quality_words(const kith_quality *quality, size_t i, char *out,
                       size_t size)
{
    static sentence *const all[] = {
        say_one_mean, say_fewer,    say_mean_error, say_rows,
        say_planes,   say_lost,     say_distinct,   say_untold,
        say_blind,    say_sensible, say_unsure,     say_unseen,
        say_bounds,   say_chosen,   say_misfit,     say_unexplained};
    if (!quality || !out || size == 0)
        return 0;
    /* Of what is noise there is nothing more to tell. */
    size_t count =
        quality->verdict == KITH_VERDICT_NOISE ? 7 : sizeof all / sizeof *all;
    for (size_t s = 0; s < count; s++)
        if (all[s](quality, out, size) && i-- == 0)
            return 1;
    return 0;
}

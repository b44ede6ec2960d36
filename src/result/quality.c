/* How far a result can be believed. Everything here is a function of released
 * values, receipts and public bounds: it costs nothing and leaks nothing. */
#include "kith/quality.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base_i.h"
#include "result_i.h"

/* A number of rows below this many standard deviations may be none at all. */
static const double SEEN = 4;
/* A plane is noise when its angles, together, are about those of a random one:
 * half a radian a direction; half of that is worth a word. */
static const double LOST_ANGLE = .5, TURNED_ANGLE = .25;
static const double RIGHT_ANGLE = 1.5707963267948966;
/* Pairs of centres are looked at up to this many centres. */
enum { MOST_PAIRED = 2048 };

/* ---- noise of counts, from the receipts ---- */

static double receipt_sd(const kith_receipt *r)
{
    return strcmp(r->mechanism, "discrete-laplace") != 0 ? r->scale
                                                         : sqrt(2) * r->scale;
}

/* sd of the first, or of the last, release whose words hold this; how many
 * there are. NaN: none. */
static double count_sd(const kith_result *result, const char *words, int last,
                       size_t *count)
{
    double sd = (double)NAN;
    *count = 0;
    for (size_t i = result->first_receipt; i < result->receipt_count; i++) {
        const kith_receipt *r = &result->receipts[i];
        if (!strstr(r->what, words))
            continue;
        if (last || !*count)
            sd = receipt_sd(r) / result->group;
        ++*count;
    }
    return sd;
}

/* What the method says of the counts that it joined; all rows counted once; or
 * clusters, every round, added up. */
static double rows_noise(const kith_result *result)
{
    size_t n;
    if (result->rows_sd > 0)
        return result->rows_sd;
    double once = count_sd(result, "row counts", 0, &n);
    if (isnan(once))
        once = count_sd(result, "all rows, counts", 0, &n);
    if (!isnan(once))
        return once;
    double sd = count_sd(result, "cluster counts", 0, &n);
    return sd * sqrt(result->k / fmax((double)n, 1));
}

/* ---- centres and planes ---- */

static double distance2(const kith_result *r, size_t a, size_t b)
{
    double sum = 0;
    const double *x = r->centers + a * r->d, *y = r->centers + b * r->d;
    for (size_t i = 0; i < r->d; i++) {
        double diff = (x[i] - y[i]) * (r->stretch ? r->stretch[i] : 1);
        sum += diff * diff;
    }
    return sum;
}

/* Centres that noise alone moves at least half the way to the next one. A
 * small cluster's centre moves more: its sum is divided by fewer rows. */
static uint32_t count_unsure(const kith_result *r)
{
    uint32_t unsure = 0;
    double total = 0;
    if (!r->centers || !r->weights || !(r->noise > 0) || r->k < 2 ||
        r->k > MOST_PAIRED || r->distinct < r->k)
        return 0;
    for (size_t j = 0; j < r->k; j++)
        total += r->weights[j];
    for (size_t j = 0; j < r->k; j++) {
        double nearest = (double)INFINITY;
        for (size_t l = 0; l < r->k; l++)
            if (l != j)
                nearest = fmin(nearest, distance2(r, j, l));
        double own = r->noise * (total / r->k) / fmax(r->weights[j], 1e-300);
        unsure += own >= sqrt(nearest) / 2;
    }
    return unsure;
}

int kith_result_on_bound(const kith_result *result, uint32_t feature)
{
    return result && result->on_bound && feature < result->d &&
           result->on_bound[feature];
}

static void count_on_bound(const kith_result *result, kith_quality *q)
{
    for (uint32_t i = result->d; i-- > 0;)
        if (kith_result_on_bound(result, i)) {
            q->features_on_bound++;
            q->first_on_bound = i;
        }
}

/* ---- clusters that make sense ---- */

static kith_limit limit_of(const kith_result *result)
{
    if (!(result->noise > 0))
        return KITH_LIMIT_NONE;
    double most = floor(result->room);
    kith_limit limit = KITH_LIMIT_NOISE;
    if (result->rows > 0 && floor(result->rows) < most) {
        most = floor(result->rows);
        limit = KITH_LIMIT_ROWS;
    }
    if (result->carried && result->carried < most)
        limit = KITH_LIMIT_GROUPS;
    return limit;
}

static kith_verdict judge(const kith_quality *q)
{
    int rows_unseen = q->rows < SEEN * q->rows_sd;
    int planes_seen = q->directions && 2 * q->lost <= q->directions;
    int planes_lost = q->angle >= LOST_ANGLE || (q->directions && !planes_seen);
    /* directions that stand out of the noise have rows, however badly those
     * were counted */
    if (planes_lost || (rows_unseen && !planes_seen))
        return KITH_VERDICT_NOISE;
    int too_many = q->sensible && q->sensible < q->parts;
    return q->distinct < q->parts || too_many || q->features_on_bound ||
                   q->unsure || q->turned || q->lost || q->untold || q->blind
               ? KITH_VERDICT_DOUBTFUL
               : KITH_VERDICT_GOOD;
}

static void rate_planes(const kith_result *result, int private, kith_quality *q)
{
    double most = RIGHT_ANGLE * sqrt((double)result->q);
    q->angle = q->noise > most /* a NaN stays one */
                   ? RIGHT_ANGLE
                   : q->noise / sqrt((double)result->q);
    q->turned = q->angle >= TURNED_ANGLE;
    q->directions = result->directions;
    q->lost = result->lost;
    q->blind = result->blind;
    q->untold = private && result->bases && isnan(q->angle);
}

static kith_quality look_at(const kith_result *result)
{
    /* planes that are the whole space need no release */
    int private = result->receipt_count > 0 ||
                  (result->q > 0 && result->privacy.epsilon > 0);
    kith_quality q = {.rows = (double)NAN,
                      .rows_sd = (double)NAN,
                      .noise = (double)NAN,
                      .weight_sd = (double)NAN,
                      .mean_gain = (double)NAN,
                      .mean_gain_sd = (double)NAN,
                      .misfit = (double)NAN,
                      .unexplained = (double)NAN,
                      .unexplained_sd = (double)NAN,
                      .margin = (double)NAN,
                      .mean_error = (double)NAN,
                      .reach = (double)NAN,
                      .cost = (double)NAN,
                      .cost_sd = (double)NAN,
                      .resolution = (double)NAN,
                      .angle = (double)NAN,
                      .planes = result->q > 0,
                      .people = result->unit == KITH_UNIT_USER};
    size_t n;
    q.parts = result->k;
    q.distinct = result->distinct ? result->distinct : result->k;
    if (!result->centers && !result->bases)
        q.distinct = q.parts; /* a plan */
    if (private && !q.planes) {
        q.sensible = kith_result_sensible_clusters(result);
        q.limit = limit_of(result);
        q.weight_sd = count_sd(result, "cluster counts", 1, &n);
        q.unsure = count_unsure(result);
    }
    if (private && result->rows > 0) {
        q.rows = result->rows;
        q.rows_sd = rows_noise(result);
    }
    if (private) {
        q.noise = result->noise;
        if (result->centers) /* those of a plan are made up */
            count_on_bound(result, &q);
    }
    if (private && !q.planes) /* two candidates: docs/auto.md */
        q.resolution = log(2) * count_sd(result, "centres or one mean", 1, &n);
    if (private && result->centers && result->cost > 0) {
        q.cost = result->cost;
        q.cost_sd = result->cost_sd;
    }
    if (q.planes)
        rate_planes(result, private, &q);
    q.verdict = judge(&q);
    if (result->weight_sds)
        kith_i_quality_local(result, &q);
    return q;
}

void kith_result_quality(const kith_result *result, kith_quality *out)
{
    static const kith_result nothing;
    if (!out)
        return;
    kith_quality q = look_at(result ? result : &nothing);
    if (!result)
        q.verdict = KITH_VERDICT_NOISE;
    q.size = out->size;
    memcpy(out, &q, out->size < sizeof q ? out->size : sizeof q);
}

/* How far the answer of a local run can be believed: by its own reports, which
 * are released values. */
#include <math.h>
#include <string.h>

#include "result_i.h"

/* A cluster that stands less than this many standard deviations above nothing
 * may be none; clusters that are together better than one mean by less than
 * BETTER are noise. */
static const double SEEN = 2, BETTER = 2;

/* What users chose, and how surely. */
static void judge_last(const kith_i_last_question *last, kith_quality *q)
{
    if (last->count == 0)
        return;
    q->won = last->won;
    q->changed = strcmp(last->won, last->first) != 0;
    q->margin = HUGE_VAL;
    for (uint32_t i = 0; i < last->count; i++) {
        const kith_i_other_answer *o = &last->other[i];
        if (!q->changed)
            q->margin = fmin(q->margin, -o->gain / o->sd);
        else if (!strcmp(o->name, last->won))
            q->margin = o->gain / o->sd;
    }
}

void kith_i_quality_local(const kith_result *result, kith_quality *q)
{
    q->one_mean = result->lost_to_mean;
    q->mean_gain = result->mean_gain;
    q->mean_gain_sd = result->mean_gain_sd;
    q->asked = result->asked;
    q->mean_error = result->mean_error;
    q->reach = result->reach;
    q->misfit = result->misfit;
    q->unexplained = result->unexplained;
    q->unexplained_sd = result->unexplained_sd;
    judge_last(&result->last, q);
    for (uint32_t j = 0; j < result->k; j++)
        q->unseen += result->weights[j] < SEEN * result->weight_sds[j];
    int chosen = isfinite(q->mean_gain_sd);
    int no_better =
        chosen && !q->one_mean && q->mean_gain < BETTER * q->mean_gain_sd;
    int fewer = q->parts < q->asked;
    if (no_better || q->mean_error > kith_i_calm() * q->reach)
        q->verdict = KITH_VERDICT_NOISE;
    else if ((q->unseen || q->one_mean || fewer) &&
             q->verdict == KITH_VERDICT_GOOD)
        q->verdict = KITH_VERDICT_DOUBTFUL;
}

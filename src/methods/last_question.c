/* The users choose: some of them were kept for the question which of the
 * answers that were found serves them best, one mean among them. */
#include "last_question.h"
#include "compare_centers.h"

#include <math.h>
#include <string.h>

/* The mean of all users, as the clusters' means and shares have it. */
static void mean_of(const kith_i_local_model *model, double *mean)
{
    double all = 0;
    for (uint32_t j = 0; j < model->count; j++)
        all += fmax(0, model->raw[j]);
    for (uint32_t i = 0; i < model->d; i++) {
        mean[i] = 0;
        for (uint32_t j = 0; j < model->count; j++)
            mean[i] += fmax(0, model->raw[j]) / all *
                       model->center[(size_t)j * model->d + i];
    }
}

/* What the answers said, and which of them won: its index, 0 the first. */
static uint32_t judge(const kith_i_candidate *answers, uint32_t count,
                      const kith_i_comparison *told,
                      kith_i_local_verdict *verdict)
{
    uint32_t won = 0;
    double most = 0;
    for (uint32_t c = 1; c < count; c++) {
        const kith_i_comparison *t = &told[c - 1];
        if (!isfinite(t->sd))
            continue;
        verdict->other[verdict->others].name = answers[c].name;
        verdict->other[verdict->others].gain = t->gain;
        verdict->other[verdict->others++].sd = t->sd;
        if (t->gain - kith_i_recipe.last_sure * t->sd > most) {
            most = t->gain - kith_i_recipe.last_sure * t->sd;
            won = c;
        }
    }
    verdict->won = answers[won].name;
    if (!isfinite(told[0].sd))
        return won;
    verdict->lost = won == 1;
    verdict->gain = -told[0].gain;
    verdict->gain_sd = told[0].sd;
    if (won > 1) { /* against one mean, by way of the first answer */
        verdict->gain += told[won - 1].gain;
        verdict->gain_sd = hypot(told[0].sd, told[won - 1].sd);
    }
    return won;
}

static kith_status become(kith_i_local_run *run, const kith_i_candidate *answer,
                          kith_i_local_model *model, kith_error *err)
{
    kith_i_local_model to;
    kith_status status = kith_i_model_new(run, answer->count, &to, err);
    if (status)
        return status;
    memcpy(to.center, answer->center,
           (size_t)answer->count * to.d * sizeof *to.center);
    memcpy(to.raw, answer->share, answer->count * sizeof *to.raw);
    memcpy(to.raw_var, answer->variance, answer->count * sizeof *to.raw_var);
    *model = to;
    return KITH_OK;
}

kith_status kith_i_ask_at_last(kith_i_local_run *run, kith_i_local_model *model,
                               kith_i_local_verdict *verdict, kith_error *err)
{
    kith_i_comparison told[KITH_I_COMPARE_MOST - 1];
    kith_i_candidate answers[KITH_I_COMPARE_MOST];
    const double all = 1, exact = 0;
    uint32_t count = 2;
    double *mean = kith_i_local_numbers(run, model->d, 1);
    verdict->gain = 0;
    verdict->gain_sd = HUGE_VAL;
    verdict->lost = 0;
    verdict->excess = run->misfit;
    verdict->unexplained = run->unexplained;
    verdict->unexplained_sd = run->unexplained_sd;
    verdict->others = 0;
    verdict->median = run->task->median;
    verdict->first = verdict->won = run->name;
    if (!mean)
        return kith_i_fail_memory(err);
    if (model->count < 2 || !(run->kept > 0))
        return KITH_OK;
    mean_of(model, mean);
    answers[0] = (kith_i_candidate){run->name, model->center, model->raw,
                                    model->raw_var, model->count};
    answers[1] = (kith_i_candidate){"one mean", mean, &all, &exact, 1};
    for (uint32_t i = 0; i < run->other_count && count < KITH_I_COMPARE_MOST;
         i++)
        if (run->others[i].count > 1)
            answers[count++] = run->others[i];
    kith_status status =
        kith_i_compare(run, run->kept, answers, count, told, err);
    if (status)
        return status;
    uint32_t won = judge(answers, count, told, verdict);
    return won ? become(run, &answers[won], model, err) : KITH_OK;
}

/* One run of a method: what it has asked, its memory, its public coins. */
#include "method_run.h"

#include <math.h>
#include <string.h>

enum { HEADER = 64 }; /* keeps the alignment of kith_i_alloc */

void kith_i_local_open(kith_i_local_run *run, const kith_i_local_task *task,
                       kith_i_collector *collector, unsigned rounds)
{
    memset(run, 0, sizeof *run);
    run->task = task;
    run->collector = collector;
    run->rounds = rounds;
    run->name = "answer";
    run->misfit = run->unexplained_sd = HUGE_VAL;
    run->mean_error = (double)NAN;
    kith_i_coins_seed(&run->coins, task->public_seed, 0);
}

void kith_i_local_close(kith_i_local_run *run)
{
    for (size_t i = 0; i < run->answer_count; i++)
        kith_i_answer_free(&run->answers[i]);
    run->answer_count = 0;
    while (run->memory) {
        void *block = run->memory;
        memcpy(&run->memory, block, sizeof run->memory);
        kith_i_free(block);
    }
}

void *kith_i_local_take(kith_i_local_run *run, size_t count, size_t size)
{
    if (size && count > (SIZE_MAX - HEADER) / size)
        return NULL;
    unsigned char *block = kith_i_alloc(HEADER + count * size, 1);
    if (!block)
        return NULL;
    memcpy(block, &run->memory, sizeof run->memory);
    run->memory = block;
    return block + HEADER;
}

double *kith_i_local_numbers(kith_i_local_run *run, size_t a, size_t b)
{
    if (b && a > SIZE_MAX / b)
        return NULL;
    return kith_i_local_take(run, a * b, sizeof(double));
}

/* A copy of count numbers, or NULL for NULL. */
static int keep_numbers(kith_i_local_run *run, const double **numbers,
                        size_t count)
{
    if (!*numbers)
        return 1;
    double *copy = kith_i_local_numbers(run, count, 1);
    if (copy)
        memcpy(copy, *numbers, count * sizeof *copy);
    *numbers = copy;
    return copy != NULL;
}

/* Questions as they were asked: centres move afterwards. */
static int remember(kith_i_local_run *run, const kith_i_question *questions,
                    size_t count)
{
    for (size_t i = 0; i < count; i++) {
        kith_i_question *q = &run->remembered[run->answer_count + i];
        size_t places = questions[i].place.places;
        *q = questions[i];
        if (!keep_numbers(run, &q->centers, places * run->task->d) ||
            !keep_numbers(run, &q->radii, places) ||
            !keep_numbers(run, &q->place.lens.half, q->place.lens.q) ||
            !keep_numbers(run, &q->place.points, places * q->place.lens.q))
            return 0;
    }
    return 1;
}

kith_status kith_i_local_ask(kith_i_local_run *run,
                             const kith_i_question *questions, size_t count,
                             const kith_i_answer **answers, kith_error *err)
{
    kith_i_collector *collector = run->collector;
    for (size_t i = 0; i < count; i++)
        run->asked += questions[i].share;
    /* Shares are constants of the scripts: more than everybody is a bug. */
    if (run->asked > 1 + 1e-9 ||
        run->answer_count + count > KITH_I_LOCAL_QUESTIONS)
        return kith_i_fail(err, KITH_ERR_INTERNAL,
                           "a local method asked too much: please report");
    if (run->remember && !remember(run, questions, count))
        return kith_i_fail_memory(err);
    kith_i_answer *to = run->answers + run->answer_count;
    kith_status status = collector->ask(collector, questions, count, to, err);
    if (status)
        return status;
    run->answer_count += count;
    for (size_t i = 0; i < count; i++)
        answers[i] = to + i;
    run->round++;
    if (!collector->progress)
        return KITH_OK;
    unsigned total = run->rounds > run->round ? run->rounds : run->round;
    return collector->progress(collector, run->round, total, err);
}

double kith_i_local_left(const kith_i_local_run *run)
{
    return fmax(0, 1 - run->asked - run->kept);
}

double kith_i_local_users(const kith_i_local_run *run, double share)
{
    return fmax(1, share * (double)run->collector->invited);
}

kith_i_question kith_i_local_question(const kith_i_local_run *run,
                                      const char *what, double share,
                                      kith_i_report_kind report)
{
    kith_i_question q = {.what = what,
                         .share = share,
                         .epsilon = run->task->epsilon,
                         .report = report,
                         .place = {.kind = KITH_I_PLACE_ONE, .places = 1}};
    q.place.lens = (kith_i_lens){.q = run->task->d, .d = run->task->d};
    return q;
}

void kith_i_local_clip(const kith_i_local_task *task, uint32_t count,
                       double *points)
{
    for (size_t j = 0; j < count; j++)
        for (size_t i = 0; i < task->d; i++) {
            double *x = points + j * task->d + i;
            *x = fmin(task->upper[i], fmax(task->lower[i], *x));
        }
}

kith_status kith_i_local_offer(kith_i_local_run *run,
                               const kith_i_candidate *answer, kith_error *err)
{
    size_t coords = (size_t)answer->count * run->task->d;
    if (run->other_count == KITH_I_OTHERS || answer->count == 0)
        return KITH_OK;
    kith_i_candidate copy = *answer;
    double *center = kith_i_local_numbers(run, coords, 1);
    if (!center || !keep_numbers(run, &copy.share, answer->count) ||
        !keep_numbers(run, &copy.variance, answer->count))
        return kith_i_fail_memory(err);
    memcpy(center, answer->center, coords * sizeof *center);
    kith_i_local_clip(run->task, answer->count, center);
    copy.center = center;
    run->others[run->other_count++] = copy;
    return KITH_OK;
}

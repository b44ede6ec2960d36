/* Users made of rows: which group a user is in, what it has spent, and its
 * record in units of the domain. Common to both collectors. */
#include "crowd.h"
#include "data/fold.h"

#include <math.h>
#include <stdatomic.h>

#include "collect/publish.h"
#include "collect/spend_trace.h"
#include "device/draw.h"
#include "device/task.h"
#include "drawn_user.h"

/* Between the seeds of partitions. */
#define PARTITION_STEP UINT64_C(0xd1342543de82ef95)

/* What a token hashes to; tokens are the numbers of the rows. */
static uint64_t token_of(uint64_t seed, uint64_t user)
{
    uint64_t z = seed * UINT64_C(0xda942042e4dd58b5) +
                 (user + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    z ^= z >> 31;
    z = (z + seed) * UINT64_C(0xbf58476d1ce4e5b9);
    return (z ^ (z >> 29)) >> 11;
}

/* The caller's progress, as it was told last: only to be stopped. */
static int tell_again(void *arg, unsigned done, unsigned total)
{
    (void)done;
    (void)total;
    const kith_i_crowd *crowd = arg;
    unsigned rounds = crowd->total ? crowd->total : 1;
    return crowd->opt.progress(crowd->opt.progress_arg, crowd->done, rounds);
}

static kith_status crowd_progress(kith_i_collector *self, unsigned done,
                                  unsigned total, kith_error *err)
{
    kith_i_crowd *crowd = (kith_i_crowd *)self;
    crowd->done = done;
    crowd->total = total;
    kith_i_watch *watch = &crowd->watch;
    if (crowd->opt.progress && !atomic_load(&watch->stopped) &&
        crowd->opt.progress(crowd->opt.progress_arg, done, total))
        atomic_store(&watch->stopped, 1);
    return kith_i_watch_check(watch, err);
}

kith_status kith_i_crowd_check(const kith_dataset *data, kith_error *err)
{
    if (kith_i_dataset_by_user(data) <= 1)
        return KITH_OK;
    return kith_i_fail(err, KITH_ERR_PRIVACY,
                       "a user has one device and one row: leave out "
                       "rows_per_user");
}

kith_status kith_i_crowd_open(kith_i_crowd *crowd, const kith_dataset *data,
                              const kith_i_crowd_options *opt, kith_error *err)
{
    uint64_t users = kith_i_dataset_rows(data);
    if (!kith_i_dataset_fixed_rows(data)) /* I41 */
        return kith_i_fail(err, KITH_ERR_PRIVACY,
                           "how many users there are is public, but these "
                           "rows were read so that a row's contents can "
                           "change it: set fixed_rows in the source options");
    kith_status status = kith_i_report_loss(opt->epsilon, &crowd->cap, err);
    if (status)
        return status;
    if (users == 0)
        return kith_i_fail(err, KITH_ERR_INPUT,
                           "there are no users: the input has no rows");
    crowd->face.minimum = opt->minimum;
    crowd->face.invited = users * (opt->copies ? opt->copies : 1);
    crowd->face.d = kith_i_dataset_domain(data)->dimension;
    crowd->face.progress = crowd_progress;
    crowd->data = data;
    crowd->opt = *opt;
    crowd->watch.ask = opt->progress ? tell_again : NULL;
    crowd->watch.arg = crowd;
    crowd->delta_cap = kith_i_delta_budget(opt->delta > 0 ? opt->delta : 0);
    crowd->workers = kith_i_thread_count(opt->threads);
    crowd->spent = kith_i_alloc(users, sizeof *crowd->spent);
    if (opt->delta > 0)
        crowd->delta_spent = kith_i_alloc(users, sizeof *crowd->delta_spent);
    if (opt->draw)
        crowd->points = kith_i_alloc(users, sizeof *crowd->points);
    if (!crowd->spent || (opt->delta > 0 && !crowd->delta_spent) ||
        (opt->draw && !crowd->points)) {
        kith_i_free(crowd->spent);
        kith_i_free(crowd->delta_spent);
        kith_i_free(crowd->points);
        return kith_i_fail_memory(err);
    }
    for (uint64_t i = 0; opt->draw && i < users; i++) {
        kith_i_drawn_user user;
        kith_i_drawn_user_make(opt->draw, opt->task, i, &user);
        crowd->points[i] = kith_i_draw_point(user.seed);
    }
    return KITH_OK;
}

void kith_i_collector_close(kith_i_collector *collector)
{
    kith_i_crowd *crowd = (kith_i_crowd *)collector;
    if (!crowd)
        return;
    crowd->close(crowd);
    kith_i_free(crowd->spent);
    kith_i_free(crowd->delta_spent);
    kith_i_free(crowd->points);
    kith_i_free(crowd);
}

kith_i_group kith_i_crowd_group(kith_i_crowd *crowd,
                                const kith_i_question *question,
                                const kith_i_mechanism *mechanism)
{
    kith_i_question placed = *question;
    kith_i_publish_place(&crowd->asked, &placed);
    return kith_i_group_of(&placed, mechanism);
}

kith_i_group kith_i_group_of(const kith_i_question *question,
                             const kith_i_mechanism *mechanism)
{
    return (kith_i_group){.range = kith_i_circle_range(question),
                          .partition = question->partition,
                          .loss = mechanism->loss,
                          .delta = mechanism->kind == KITH_I_RANDOMIZER_GAUSSIAN
                                       ? kith_i_delta_charge(question->delta)
                                       : 0};
}

typedef struct {
    kith_i_crowd *crowd;
    const kith_i_group *groups;
    size_t count;
    kith_i_member_fn *visit;
    void *arg;
    double *records; /* d for each worker */
    atomic_int overspent;
} visit_job;

/* Pay, then answer. Only the worker that has the row touches its account. */
static int charge(kith_i_crowd *crowd, const kith_i_group *group, uint64_t user)
{
    if (group->loss > crowd->cap - crowd->spent[user])
        return 0;
    if (group->delta > 0) {
        if (!crowd->delta_spent ||
            group->delta > crowd->delta_cap - crowd->delta_spent[user])
            return 0;
        crowd->delta_spent[user] += group->delta;
    }
    crowd->spent[user] += group->loss;
    return 1;
}

void kith_i_row_add(const kith_i_block *block, uint32_t row, double step,
                    double *x)
{
    if (block->dense) {
        const int16_t *q = block->dense + (size_t)row * block->dimension;
        for (uint32_t i = 0; i < block->dimension; i++)
            x[i] += q[i] * step;
    } else {
        for (uint32_t t = block->start[row]; t < block->start[row + 1]; t++)
            x[block->index[t]] += block->value[t] * step;
    }
}

static void load_record(const kith_i_crowd *crowd, const kith_i_block *block,
                        uint32_t row, double *x)
{
    const kith_i_domain *m = kith_i_dataset_domain(crowd->data);
    const double *center = crowd->opt.frame_center;
    const kith_i_drawing *draw = crowd->opt.draw;
    if (draw) /* as a device does it: the frame comes last */
        center = NULL;
    for (uint32_t i = 0; i < m->dimension; i++)
        x[i] = m->origin[i] - (center ? center[i] : 0);
    kith_i_row_add(block, row, kith_i_domain_step(m), x);
    for (uint32_t i = 0; center && i < m->dimension; i++)
        x[i] /= crowd->opt.frame_radius;
    if (draw)
        kith_i_frame_record(&draw->frame, x, x);
}

static void visit_block(void *arg, uint32_t worker, uint64_t first,
                        const kith_i_block *block)
{
    visit_job *job = arg;
    kith_i_crowd *crowd = job->crowd;
    double *x = job->records + (size_t)worker * block->dimension;
    for (uint32_t r = 0; r < block->rows; r++) {
        uint64_t seed = crowd->opt.group_seed, token = 0;
        uint32_t partition = UINT32_MAX;
        int loaded = 0;
        for (size_t g = 0; g < job->count; g++) {
            const kith_i_group *group = &job->groups[g];
            if (group->partition != partition) {
                partition = group->partition;
                token = crowd->points && partition == 0
                            ? crowd->points[first + r]
                            : token_of(seed + partition * PARTITION_STEP,
                                       first + r);
            }
            if (!kith_i_circle_has(group->range, token))
                continue;
            if (!charge(crowd, group, first + r)) {
                atomic_store(&job->overspent, 1);
                continue;
            }
            if (!loaded)
                load_record(crowd, block, r, x);
            loaded = 1;
            job->visit(job->arg, worker, g, first + r, x);
        }
    }
}

kith_status kith_i_crowd_visit(kith_i_crowd *crowd, const kith_i_group *groups,
                               size_t count, kith_i_member_fn *visit, void *arg,
                               kith_error *err)
{
    size_t numbers = (size_t)crowd->workers * crowd->face.d;
    visit_job job = {.crowd = crowd,
                     .groups = groups,
                     .count = count,
                     .visit = visit,
                     .arg = arg,
                     .records = kith_i_alloc(numbers, sizeof(double))};
    atomic_init(&job.overspent, 0);
    if (!job.records)
        return kith_i_fail_memory(err);
    kith_i_fold(crowd->data, crowd->workers, visit_block, &job);
    kith_i_wipe_free(job.records, numbers * sizeof(double));
    kith_status status = kith_i_watch_check(&crowd->watch, err);
    if (status)
        return status;
    if (atomic_load(&job.overspent))
        return kith_i_fail(err, KITH_ERR_BUDGET,
                           "a question was put to users who have no budget "
                           "left for it: shares and epsilons of the rounds "
                           "must add up to the run's");
    return KITH_OK;
}

/* kith_task: a task file, written and loaded. */
#include <math.h>
#include <string.h>

#include "base/options.h"
#include "collect/round_text.h"
#include "kith/model.h"
#include "task_run.h"

void kith_task_options_init(kith_task_options *opt, size_t size)
{
    kith_task_options fresh = {.title = "",
                               .purpose = "",
                               .operator_name = "",
                               .contact = "",
                               .enrol = "invitation",
                               .release = "auto",
                               .minimum = 50,
                               .closes = 7 * 86400,
                               .fraction = .95,
                               .keep_days = 30};
    kith_i_options_init(opt, size, &fresh, sizeof fresh);
}

static kith_status check_options(const kith_task_options *task,
                                 const kith_local_options *opt,
                                 uint32_t dimension, const kith_bounds *bounds,
                                 kith_error *err)
{
    if (!task || task->size < sizeof *task || !bounds || !dimension)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "a task needs its options, a dimension and bounds");
    if (opt->delta > 0 || opt->split_epsilon || opt->paper_constants ||
        opt->radii || opt->repetitions || opt->e2lsh || opt->boxes ||
        opt->nearest_weights || opt->law)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "a task of real devices is pure, with one report "
                           "each: delta, split epsilon and the paper's "
                           "variants are for simulations");
    if (bounds->normalize || bounds->unit_rows || bounds->sparsity)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "a task has a box or a ball in the features' own "
                           "units: drop normalize, unit rows and sparsity");
    if (!(task->fraction >= 0 && task->fraction <= 1) || task->closes == 0)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "a round closes after some time, or when a part of "
                           "each group, at most 1, has answered (0: never)");
    return KITH_OK;
}

/* x1, x2, ... in one block: count pointers, then the words. */
static const char **default_names(uint32_t count)
{
    enum { WORD = 12 };
    const char **names = kith_i_alloc(count, sizeof *names + WORD);
    char *words = names ? (char *)(names + count) : NULL;
    for (uint32_t i = 0; names && i < count; i++) {
        char digits[WORD];
        int n = 0;
        for (uint32_t rest = i + 1; rest; rest /= 10)
            digits[n++] = (char)('0' + rest % 10);
        names[i] = words + (size_t)i * WORD;
        words[(size_t)i * WORD] = 'x';
        for (int j = 0; j < n; j++)
            words[(size_t)i * WORD + 1 + (size_t)j] = digits[n - 1 - j];
    }
    return names;
}

/* All that goes into the file. */
typedef struct {
    const kith_task_options *task;
    const kith_local_options *local;
    kith_i_local_bounds box;
    uint32_t d;
    const char *const *names, *const *units;
} draft;

static kith_status write_text(const draft *of, char **json, uint8_t *id,
                              kith_error *err)
{
    const kith_task_options *task = of->task;
    const kith_local_options *opt = of->local;
    const kith_i_local_bounds *box = &of->box;
    char *text = NULL;
    size_t bytes = 0;
    struct kith_task_view view = {
        .title = task->title,
        .purpose = task->purpose,
        .operator_name = task->operator_name,
        .contact = task->contact,
        .method = kith_word_of(KITH_WORDS_LOCAL_METHOD, (int)opt->method),
        .objective = kith_word_of(KITH_WORDS_OBJECTIVE, (int)opt->objective),
        .enrol = task->enrol,
        .release = task->release,
        .d = of->d,
        .k = opt->clusters,
        .names = (const char **)(uintptr_t)of->names,
        .units = (const char **)(uintptr_t)of->units,
        .lower = box->lower,
        .upper = box->upper,
        .center = box->center,
        .radius = box->radius,
        .public_seed = opt->public_seed,
        .minimum = task->minimum,
        .closes = task->closes,
        .fraction = (uint64_t)llrint(task->fraction * 1e6),
        .keep_days = task->keep_days,
        .test = task->test};
    kith_status status = kith_i_report_loss(opt->epsilon, &view.epsilon, err);
    if (!status)
        status = kith_i_task_write(&view, &text, &bytes, id, err);
    if (status)
        return status;
    char *ended = kith_i_resize(text, bytes, bytes + 1, 1);
    if (!ended) {
        kith_i_free(text);
        return kith_i_fail_memory(err);
    }
    ended[bytes] = 0;
    *json = ended;
    return KITH_OK;
}

kith_status kith_task_text(const kith_task_options *task,
                           const kith_local_options *local, uint32_t dimension,
                           const kith_bounds *bounds, char **json,
                           uint8_t id[KITH_TASK_ID_BYTES], kith_error *err)
{
    kith_local_options opt;
    kith_i_domain *domain = NULL;
    kith_i_local_bounds box = {0};
    if (!json || !id)
        return kith_i_fail_place(err);
    *json = NULL;
    kith_status status = kith_i_local_read_options(local, &opt, err);
    if (!status)
        status = check_options(task, &opt, dimension, bounds, err);
    if (!status)
        status = kith_i_domain_new(bounds, dimension, 0, &domain, err);
    if (!status)
        status = kith_i_local_bounds_make(domain, &box, err);
    const char **names = status ? NULL : default_names(dimension);
    const char **units = status ? NULL : kith_i_alloc(dimension, sizeof *units);
    if (!status && (!names || !units))
        status = kith_i_fail_memory(err);
    for (uint32_t i = 0; !status && i < dimension; i++)
        units[i] = "";
    if (!status) {
        draft of = {task,
                    &opt,
                    box,
                    dimension,
                    task->names ? task->names : (const char *const *)names,
                    task->units ? task->units : (const char *const *)units};
        status = write_text(&of, json, id, err);
    }
    kith_i_free(names);
    kith_i_free(units);
    kith_i_local_bounds_free(&box);
    kith_i_domain_free(domain);
    return status;
}

/* ---- loaded ---- */

static void fill_options(kith_task *task)
{
    const struct kith_task_view *v = task->view;
    int method = 0, objective = 0;
    kith_word_value(KITH_WORDS_LOCAL_METHOD, v->method, &method);
    kith_word_value(KITH_WORDS_OBJECTIVE, v->objective, &objective);
    kith_local_options_init(&task->options, sizeof task->options);
    task->options.clusters = v->k;
    task->options.method = (kith_local_method)method;
    task->options.objective = (kith_objective)objective;
    task->options.epsilon = kith_i_loss_value(v->epsilon, KITH_PURE_DP);
    task->options.public_seed = v->public_seed;
    task->options.insecure = v->test;
    task->bounds = (kith_bounds){.lower = v->lower,
                                 .upper = v->upper,
                                 .box_count = v->d,
                                 .radius = v->radius,
                                 .center = v->center,
                                 .center_count = v->d};
}

kith_status kith_task_load(const void *json, size_t bytes, kith_task **out,
                           kith_error *err)
{
    const char *why = NULL;
    if (!json || !out)
        return kith_i_fail_place(err);
    *out = NULL;
    if (bytes > KITH_TASK_MAX)
        return kith_i_fail(err, KITH_ERR_INPUT, "the task file is too long");
    size_t room = kith_view_room(bytes);
    kith_task *task = kith_i_alloc(1, sizeof *task);
    if (task) {
        task->arena = kith_i_alloc(room, 1);
        task->json = kith_i_alloc(bytes + 1, 1);
    }
    if (!task || !task->arena || !task->json) {
        kith_task_free(task);
        return kith_i_fail_memory(err);
    }
    memcpy(task->json, json, bytes);
    task->bytes = bytes;
    kith_status status =
        kith_task_open(json, bytes, task->arena, room, &task->view, &why);
    if (status)
        status = kith_i_fail(err, status, "the task file is refused: %s",
                             why ? why : "it cannot be read");
    else {
        fill_options(task);
        status = kith_i_domain_new(&task->bounds, task->view->d, 0,
                                   &task->domain, err);
    }
    if (status)
        kith_task_free(task);
    else
        *out = task;
    return status;
}

const kith_task_view *kith_task_get_view(const kith_task *task)
{
    return task ? task->view : NULL;
}

void kith_task_get_bounds(const kith_task *task, kith_bounds *out)
{
    if (task && out)
        *out = task->bounds;
}

kith_status kith_task_predict(const kith_task *task, uint64_t invited,
                              kith_local_forecast *out, kith_error *err)
{
    if (!task)
        return kith_i_fail_place(err);
    return kith_local_predict(invited, task->view->d, &task->bounds,
                              &task->options, out, err);
}

void kith_task_free(kith_task *task)
{
    if (!task)
        return;
    kith_i_domain_free(task->domain);
    kith_i_free(task->arena);
    kith_i_free(task->json);
    kith_i_free(task);
}

kith_status kith_round_describe(const void *json, size_t bytes,
                                kith_round_facts *out, kith_error *err)
{
    kith_i_round *round = NULL;
    if (!json || !out)
        return kith_i_fail_place(err);
    kith_status status = kith_i_round_read(json, bytes, &round, err);
    if (status)
        return status;
    *out = (kith_round_facts){.number = round->number,
                              .groups = round->count,
                              .invited = round->invited};
    memcpy(out->task, round->task, sizeof out->task);
    memcpy(out->digest, round->digest, sizeof out->digest);
    memcpy(out->previous, round->previous, sizeof out->previous);
    kith_i_round_free(round);
    return KITH_OK;
}

/* A task file from its bytes, without trust. Client code. */
#include <string.h>

#include "canonical_text.h"
#include "kith/device.h"
#include "little_endian.h"
#include "sha256.h"
#include "task.h"

enum { FEATURES_MAX = 1 << 12, SHORT_TEXT = 256, LONG_TEXT = 4096 };

static const char *line(kith_i_text *t, int *begun, const char *key,
                        size_t most)
{
    kith_i_text_key_needed(t, begun, key);
    return kith_i_text_words(t, most);
}

/* One of these words; the list ends with NULL. */
static const char *word_of(kith_i_text *t, int *begun, const char *key,
                           const char *const *words)
{
    kith_i_text_key_needed(t, begun, key);
    kith_i_text_need(t, "\"");
    for (; !t->flaw && *words; words++) {
        const char *start = t->at;
        if (kith_i_text_is(t, *words) && kith_i_text_is(t, "\""))
            return *words;
        t->at = start;
    }
    kith_i_text_flaw(t, "a word is not one of those that are known");
    return NULL;
}

static uint64_t number(kith_i_text *t, int *begun, const char *key,
                       uint64_t most)
{
    kith_i_text_key_needed(t, begun, key);
    return kith_i_text_count(t, most);
}

static const double *reals(kith_i_text *t, int *begun, const char *key,
                           uint64_t *count)
{
    kith_i_text_key_needed(t, begun, key);
    return kith_i_text_f64(t, count);
}

static void read_bounds(kith_i_text *t, struct kith_task_view *task)
{
    int begun = 0;
    uint64_t centers = 0, lowers = 0, uppers = 0;
    kith_i_text_need(t, "{");
    task->center = reals(t, &begun, "center", &centers);
    task->lower = reals(t, &begun, "lower", &lowers);
    kith_i_text_key_needed(t, &begun, "radius");
    task->radius = kith_i_text_real(t);
    task->upper = reals(t, &begun, "upper", &uppers);
    kith_i_text_need(t, "}");
    if (centers == 0 || centers > FEATURES_MAX || lowers != centers ||
        uppers != centers || !(task->radius > 0))
        kith_i_text_flaw(t, "the bounds make no sense");
    for (uint64_t i = 0; !t->flaw && i < centers; i++)
        if (!(task->lower[i] <= task->center[i] &&
              task->center[i] <= task->upper[i]))
            kith_i_text_flaw(t, "the bounds make no sense");
    task->d = (uint32_t)centers;
}

static void read_features(kith_i_text *t, struct kith_task_view *task)
{
    task->names = kith_i_text_take(t, task->d, sizeof *task->names);
    task->units = kith_i_text_take(t, task->d, sizeof *task->units);
    kith_i_text_need(t, "[");
    for (uint32_t i = 0; !t->flaw && i < task->d; i++) {
        int begun = 0;
        kith_i_text_need(t, i ? ",{" : "{");
        task->names[i] = line(t, &begun, "name", SHORT_TEXT);
        task->units[i] = line(t, &begun, "unit", SHORT_TEXT);
        kith_i_text_need(t, "}");
    }
    kith_i_text_need(t, "]");
}

static void read_task(kith_i_text *t, struct kith_task_view *task)
{
    static const char *const enrols[] = {"backend", "invitation", "open", NULL};
    static const char *const releases[] = {"auto", "manual", NULL};
    static const char *const objectives[] = {"kmeans", "kmedian", NULL};
    static const char *const methods[] = {"auto", "mean", "one-round",
                                          "weighted-centers", NULL};
    int begun = 0;
    uint8_t seed[8] = {0};
    kith_i_text_need(t, "{");
    kith_i_text_key_needed(t, &begun, "bounds");
    read_bounds(t, task);
    task->closes = number(t, &begun, "closes", UINT32_MAX);
    task->k = (uint32_t)number(t, &begun, "clusters", UINT32_MAX);
    task->contact = line(t, &begun, "contact", SHORT_TEXT);
    task->enrol = word_of(t, &begun, "enrol", enrols);
    task->epsilon = number(t, &begun, "epsilon", KITH_I_REPORT_LOSS_MAX);
    kith_i_text_key_needed(t, &begun, "features");
    read_features(t, task);
    task->fraction = number(t, &begun, "fraction", 1000000);
    task->keep_days = (uint32_t)number(t, &begun, "keep_days", 36500);
    task->method = word_of(t, &begun, "method", methods);
    task->minimum = number(t, &begun, "minimum", INT64_MAX);
    task->objective = word_of(t, &begun, "objective", objectives);
    task->operator_name = line(t, &begun, "operator", SHORT_TEXT);
    kith_i_text_key_needed(t, &begun, "public_seed");
    kith_i_text_bytes(t, seed, sizeof seed);
    task->public_seed = kith_i_load64(seed);
    task->purpose = line(t, &begun, "purpose", LONG_TEXT);
    task->release = word_of(t, &begun, "release", releases);
    task->test = (int)number(t, &begun, "test", 1);
    task->title = line(t, &begun, "title", SHORT_TEXT);
    if (number(t, &begun, "version", INT64_MAX) != KITH_I_TASK_VERSION)
        kith_i_text_flaw(t, "it is of another version");
    kith_i_text_need(t, "}");
    if (!t->flaw && t->at != t->end)
        kith_i_text_flaw(t, "there is something after its end");
    if (task->k == 0 || task->epsilon == 0)
        kith_i_text_flaw(t, "clusters and epsilon must be above 0");
}

const char *kith_i_task_open(const char *json, size_t bytes, void *arena,
                             size_t room, struct kith_task_view **out)
{
    kith_i_text t = {
        .at = json, .end = json + bytes, .arena = arena, .room = room};
    uint8_t digest[KITH_I_SHA256_BYTES];
    struct kith_task_view *task = kith_i_text_take(&t, 1, sizeof *task);
    *out = NULL;
    if (!task)
        return t.flaw;
    *task = (struct kith_task_view){0};
    read_task(&t, task);
    if (t.flaw)
        return t.flaw;
    kith_i_sha256(json, bytes, digest);
    memcpy(task->id, digest, sizeof task->id);
    *out = task;
    return NULL;
}

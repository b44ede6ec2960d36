/* A task file as canonical JSON, and the tags of those who enrol in it. */
#include <string.h>

#include "base/digest.h"
#include "canonical_write.h"
#include "device/little_endian.h"
#include "kith/device.h"
#include "task_text.h"

static void put_text(kith_i_canon t, const char *key, const char *text)
{
    kith_i_canon_put(t, key, json_string(text ? text : ""));
}

static void put_bounds(kith_i_canon t, const struct kith_task_view *task)
{
    kith_i_canon to = kith_i_canon_object(t, "bounds");
    kith_i_canon_values(to, "center", task->center, task->d, 8,
                        kith_i_canon_f64_at);
    kith_i_canon_values(to, "lower", task->lower, task->d, 8,
                        kith_i_canon_f64_at);
    kith_i_canon_values(to, "upper", task->upper, task->d, 8,
                        kith_i_canon_f64_at);
    kith_i_canon_real(to, "radius", task->radius);
}

static void put_features(kith_i_canon t, const struct kith_task_view *task)
{
    json_t *list = json_array();
    list = kith_i_canon_put(t, "features", list) ? list : NULL;
    for (uint32_t i = 0; i < task->d; i++) {
        kith_i_canon to = kith_i_canon_append(list, t.failed);
        put_text(to, "name", task->names[i]);
        put_text(to, "unit", task->units[i]);
    }
}

static void put_task(kith_i_canon t, const struct kith_task_view *task)
{
    uint8_t seed[8];
    kith_i_store(task->public_seed, seed, sizeof seed);
    put_bounds(t, task);
    put_features(t, task);
    kith_i_canon_count(t, "version", KITH_I_TASK_VERSION);
    put_text(t, "title", task->title);
    put_text(t, "purpose", task->purpose);
    put_text(t, "operator", task->operator_name);
    put_text(t, "contact", task->contact);
    put_text(t, "method", task->method);
    put_text(t, "objective", task->objective);
    put_text(t, "enrol", task->enrol);
    put_text(t, "release", task->release);
    kith_i_canon_count(t, "clusters", task->k);
    kith_i_canon_count(t, "epsilon", task->epsilon);
    kith_i_canon_bytes(t, "public_seed", seed, sizeof seed);
    kith_i_canon_count(t, "minimum", task->minimum);
    kith_i_canon_count(t, "closes", task->closes);
    kith_i_canon_count(t, "fraction", task->fraction);
    kith_i_canon_count(t, "keep_days", task->keep_days);
    kith_i_canon_count(t, "test", task->test != 0);
}

/* A device must take it, so it is read as one does. */
static kith_status check(const char *json, size_t bytes, uint8_t *id,
                         kith_error *err)
{
    size_t room = kith_view_room(bytes);
    void *arena = kith_i_alloc(room, 1);
    if (!arena)
        return kith_i_fail_memory(err);
    struct kith_task_view *read = NULL;
    const char *flaw = bytes > KITH_TASK_MAX
                           ? "it is too long"
                           : kith_i_task_open(json, bytes, arena, room, &read);
    if (read)
        memcpy(id, read->id, KITH_I_TASK_BYTES);
    kith_i_free(arena);
    return flaw ? kith_i_fail(err, KITH_ERR_INPUT,
                              "the task is refused by devices: %s", flaw)
                : KITH_OK;
}

kith_status kith_i_task_write(const struct kith_task_view *task, char **json,
                              size_t *bytes, uint8_t id[KITH_I_TASK_BYTES],
                              kith_error *err)
{
    int failed = 0;
    json_t *root = json_object();
    *json = NULL;
    put_task((kith_i_canon){root, &failed}, task);
    kith_status status = failed ? kith_i_fail_memory(err)
                                : kith_i_canon_dump(root, json, bytes, err);
    json_decref(root);
    if (!status)
        status = check(*json, *bytes, id, err);
    if (status) {
        kith_i_free(*json);
        *json = NULL;
    }
    return status;
}

void kith_i_task_tag(const uint8_t key[32],
                     const uint8_t task[KITH_I_TASK_BYTES],
                     const uint8_t commitment[16], uint8_t tag[16])
{
    uint8_t all[KITH_I_TASK_BYTES + 16];
    memcpy(all, task, KITH_I_TASK_BYTES);
    memcpy(all + KITH_I_TASK_BYTES, commitment, 16);
    kith_i_mac(key, all, sizeof all, tag);
}

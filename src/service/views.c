/* What is told of tasks, as JSON. No tag, no nonce, no single report. */
#include <jansson.h>
#include <string.h>

#include "kith/model.h"
#include "service_i.h"
#include "views.h"

json_t *kith_i_view_hex(const uint8_t *bytes, size_t count)
{
    static const char digits[] = "0123456789abcdef";
    char text[65];
    for (size_t i = 0; i < count && i < 32; i++) {
        text[2 * i] = digits[bytes[i] >> 4];
        text[2 * i + 1] = digits[bytes[i] & 15];
    }
    text[2 * count] = 0;
    return json_string(text);
}

json_t *kith_i_view_name(const kith_i_live *live)
{
    char name[23];
    kith_task_name(live->id, name);
    return json_string(name);
}

static json_t *time_of(int64_t ms)
{
    return ms ? json_integer(ms) : json_null();
}

static json_t *words_of(const kith_i_cell *cell)
{
    return json_stringn(cell->count ? cell->bytes : "", cell->count);
}

/* Text for kith_text_free; takes the JSON. */
kith_status kith_i_view_text(json_t *json, char **out, kith_error *err)
{
    size_t size = json ? json_dumpb(json, NULL, 0, JSON_COMPACT) : 0;
    char *text = size ? kith_i_alloc(size + 1, 1) : NULL;
    if (text)
        json_dumpb(json, text, size, JSON_COMPACT);
    json_decref(json);
    *out = text;
    return text ? KITH_OK : kith_i_fail_memory(err);
}

static kith_outcome told(kith_collect *c, kith_status status, json_t *json,
                         char **out)
{
    if (status) {
        json_decref(json);
        return kith_i_outcome_of(c, c->db);
    }
    return kith_i_view_text(json, out, NULL) ? KITH_COLLECT_FAILED
                                             : KITH_COLLECT_OK;
}

/* ---- the public's ---- */

static const char *round_state(int64_t state)
{
    static const char *const names[] = {"draft", "collecting", "closed",
                                        "answered"};
    return state >= 0 && state <= 3 ? names[state] : "";
}

static kith_status chain_row(void *arg, const kith_i_cell *row, kith_error *err)
{
    (void)err;
    if (row[4].number == KITH_I_ROUND_DRAFT)
        return KITH_OK;
    json_array_append_new(arg, json_pack("{s:I, s:o, s:o, s:o, s:s}", "round",
                                         (json_int_t)row[0].number, "digest",
                                         kith_i_view_hex(row[2].bytes, 32),
                                         "previous",
                                         kith_i_view_hex(row[3].bytes, 32),
                                         "published_at", time_of(row[5].number),
                                         "state", round_state(row[4].number)));
    return KITH_OK;
}

kith_outcome kith_collect_chain(kith_collect *c, const uint8_t task[16],
                                char **json)
{
    kith_i_live *live = json ? kith_i_live_find(c, task) : NULL;
    if (!live)
        return KITH_COLLECT_NO_TASK;
    json_t *list = json_array();
    pthread_mutex_lock(&c->lock);
    kith_status status = KITH_I_DB_RUN(c->db, KITH_I_ROUND_ALL, chain_row, list,
                                       NULL, kith_i_bytes_cell(live->id, 16));
    kith_outcome outcome = told(c, status, list, json);
    pthread_mutex_unlock(&c->lock);
    return outcome;
}

kith_outcome kith_collect_status(kith_collect *c, const uint8_t task[16],
                                 kith_task_status *out)
{
    kith_i_live *live = out ? kith_i_live_find(c, task) : NULL;
    if (!live)
        return KITH_COLLECT_NO_TASK;
    pthread_rwlock_rdlock(&live->lock);
    int draft = live->number >= 0 && live->round_state == KITH_I_ROUND_DRAFT;
    *out = (kith_task_status){
        .state = live->state,
        .round = live->number - draft,
        .closes_at =
            live->round_state == KITH_I_ROUND_COLLECTING ? live->closes_at : 0,
        .enrolled = live->enrolled.count,
        .enrol_invitation = live->task->view->enrol[0] == 'i',
        .enrol_backend = live->task->view->enrol[0] == 'b'};
    if (live->round) /* a draft's predecessor is what it follows */
        memcpy(out->digest, draft ? live->round->previous : live->digest, 32);
    pthread_rwlock_unlock(&live->lock);
    return KITH_COLLECT_OK;
}

kith_outcome kith_collect_task(kith_collect *c, const uint8_t task[16],
                               char **json, size_t *bytes)
{
    kith_i_live *live = json && bytes ? kith_i_live_find(c, task) : NULL;
    if (!live)
        return KITH_COLLECT_NO_TASK;
    *bytes = live->task->bytes;
    *json = kith_i_copy_string(live->task->json);
    return *json ? KITH_COLLECT_OK : KITH_COLLECT_FAILED;
}

typedef struct {
    int64_t number;
    char *json;
    size_t bytes;
    uint8_t *digest;
    int failed;
} round_reader;

static kith_status one_round(void *arg, const kith_i_cell *row, kith_error *err)
{
    round_reader *r = arg;
    (void)err;
    if (row[0].number != r->number || row[4].number == KITH_I_ROUND_DRAFT)
        return KITH_OK;
    r->bytes = row[1].count;
    r->json = kith_i_alloc(r->bytes + 1, 1);
    r->failed = !r->json;
    if (r->json)
        memcpy(r->json, row[1].bytes, r->bytes);
    memcpy(r->digest, row[2].bytes, 32);
    return KITH_OK;
}

kith_outcome kith_collect_round(kith_collect *c, const uint8_t task[16],
                                uint32_t number, char **json, size_t *bytes,
                                uint8_t digest[32])
{
    kith_i_live *live =
        json && bytes && digest ? kith_i_live_find(c, task) : NULL;
    round_reader r = {.number = number, .digest = digest};
    if (!live)
        return KITH_COLLECT_NO_TASK;
    pthread_mutex_lock(&c->lock);
    kith_status status = KITH_I_DB_RUN(c->db, KITH_I_ROUND_ONE, one_round, &r,
                                       NULL, kith_i_bytes_cell(live->id, 16),
                                       kith_i_number_cell(number));
    kith_outcome outcome = status     ? kith_i_outcome_of(c, c->db)
                           : r.failed ? KITH_COLLECT_FAILED
                           : r.json   ? KITH_COLLECT_OK
                                      : KITH_COLLECT_NOT_PUBLISHED;
    pthread_mutex_unlock(&c->lock);
    *json = r.json;
    *bytes = r.bytes;
    return outcome;
}

kith_status kith_i_read_text(void *arg, const kith_i_cell *row, kith_error *err)
{
    char **out = arg;
    for (int i = 0; i < 2; i++) {
        out[i] = kith_i_alloc(row[i].count + 1, 1);
        if (!out[i])
            return kith_i_fail_memory(err);
        memcpy(out[i], row[i].bytes, row[i].count);
    }
    return KITH_OK;
}

kith_outcome kith_collect_result(kith_collect *c, const uint8_t task[16],
                                 char **model)
{
    kith_i_live *live = model ? kith_i_live_find(c, task) : NULL;
    char *texts[2] = {NULL, NULL};
    if (!live)
        return KITH_COLLECT_NO_TASK;
    pthread_mutex_lock(&c->lock);
    kith_status status =
        KITH_I_DB_RUN(c->db, KITH_I_RESULT_GET, kith_i_read_text, texts, NULL,
                      kith_i_bytes_cell(live->id, 16));
    kith_outcome outcome =
        status ? kith_i_outcome_of(c, c->db) : KITH_COLLECT_OK;
    pthread_mutex_unlock(&c->lock);
    kith_i_free(texts[1]);
    *model = texts[0];
    return outcome    ? outcome
           : texts[0] ? KITH_COLLECT_OK
                      : KITH_COLLECT_NOT_FINISHED;
}

/* ---- the operator's ---- */

json_t *kith_i_view_count(uint64_t n)
{
    return n > INT64_MAX ? json_null() : json_integer((json_int_t)n);
}

kith_outcome kith_collect_list(kith_collect *c, char **json)
{
    if (!c || !json)
        return KITH_COLLECT_FAILED;
    json_t *list = json_array();
    pthread_rwlock_rdlock(&c->tasks_lock);
    for (size_t i = 0; i < c->task_count; i++) {
        kith_i_live *live = c->tasks[i];
        pthread_rwlock_rdlock(&live->lock);
        json_array_insert_new(
            list, 0,
            json_pack("{s:o, s:s, s:s, s:o, s:o, s:I}", "task",
                      kith_i_view_name(live), "title", live->task->view->title,
                      "state", kith_task_state_name(live->state), "created_at",
                      time_of(live->created), "enrolled",
                      kith_i_view_count(live->enrolled.count), "round",
                      (json_int_t)live->number));
        pthread_rwlock_unlock(&live->lock);
    }
    pthread_rwlock_unlock(&c->tasks_lock);
    return kith_i_view_text(list, json, NULL) ? KITH_COLLECT_FAILED
                                              : KITH_COLLECT_OK;
}

/* Rows of rounds become objects with groups; received of open ones from
 * memory, of answered ones from the answers. */
typedef struct {
    kith_i_live *live;
    json_t *rounds;
} round_view;

static json_t *group_view(const kith_i_live *live, const kith_i_round *round,
                          uint32_t g, int newest)
{
    const kith_i_question *q = &round->questions[g];
    kith_i_range range = kith_i_circle_range(q);
    uint64_t received = newest && g < live->group_count
                            ? kith_i_group_count(&live->groups[g])
                            : 0;
    uint64_t stored =
        newest && g < live->group_count ? live->groups[g].stored : received;
    return json_pack(
        "{s:I, s:s, s:o, s:o, s:o, s:o, s:o, s:f, s:I}", "group", (json_int_t)g,
        "what", q->what ? q->what : "", "expected",
        kith_i_view_count(kith_i_rule_expected(range, round->invited)),
        "target",
        kith_i_view_count(kith_i_rule_target(range, round->invited,
                                             live->task->view->fraction)),
        "minimum", kith_i_view_count(round->minimum), "received",
        kith_i_view_count(received), "duplicates",
        kith_i_view_count(stored > received ? stored - received : 0), "epsilon",
        kith_i_loss_value(round->mechanisms[g].loss, KITH_PURE_DP), "bytes",
        (json_int_t)kith_i_report_bytes(&round->mechanisms[g]));
}

static kith_status round_row(void *arg, const kith_i_cell *row, kith_error *err)
{
    round_view *v = arg;
    kith_i_round *round = NULL;
    kith_status status =
        kith_i_round_read(row[1].bytes, row[1].count, &round, err);
    if (status)
        return status;
    json_t *groups = json_array();
    for (uint32_t g = 0; g < round->count; g++)
        json_array_append_new(
            groups,
            group_view(v->live, round, g, row[0].number == v->live->number));
    json_array_append_new(
        v->rounds,
        json_pack("{s:I, s:o, s:s, s:o, s:o, s:I, s:o}", "round",
                  (json_int_t)row[0].number, "digest",
                  kith_i_view_hex(row[2].bytes, 32), "state",
                  round_state(row[4].number), "published_at",
                  time_of(row[5].number), "closes_at", time_of(row[6].number),
                  "extended", (json_int_t)row[7].number, "groups", groups));
    kith_i_round_free(round);
    return KITH_OK;
}

static kith_status answer_row(void *arg, const kith_i_cell *row,
                              kith_error *err)
{
    json_t *group = json_array_get(
        json_object_get(json_array_get(arg, (size_t)row[1].number), "groups"),
        (size_t)row[2].number);
    (void)err;
    json_object_set_new(group, "received", json_integer(row[3].number));
    json_object_set_new(group, "duplicates", json_integer(row[4].number));
    return KITH_OK;
}

kith_status kith_i_view_counter(void *arg, const kith_i_cell *row,
                                kith_error *err)
{
    (void)err;
    if (row[0].count != 9 || memcmp(row[0].bytes, "duplicate", 9) != 0) {
        json_t *key = words_of(&row[0]);
        json_object_set_new(arg, json_string_value(key),
                            json_integer(row[1].number));
        json_decref(key);
    }
    return KITH_OK;
}

static kith_status event_row(void *arg, const kith_i_cell *row, kith_error *err)
{
    (void)err;
    json_array_append_new(
        arg, json_pack("{s:I, s:o, s:o, s:o}", "at", (json_int_t)row[0].number,
                       "who", words_of(&row[1]), "what", words_of(&row[2]),
                       "detail", words_of(&row[3])));
    return KITH_OK;
}

static json_t *forecast_of(const kith_i_live *live)
{
    static const char *const works[] = {"no", "yes", "doubtful"};
    kith_local_forecast f;
    uint64_t users = live->invited ? live->invited : live->enrolled.count;
    if (users == 0 ||
        kith_local_predict(users, live->task->view->d, &live->task->bounds,
                           &live->task->options, &f, NULL))
        return json_null();
    return json_pack("{s:f, s:f, s:f, s:s}", "radius", f.radius, "center_error",
                     f.center_error, "smallest_share", f.smallest, "works",
                     works[f.works]);
}

static json_t *head_of(const kith_i_live *live)
{
    const struct kith_task_view *v = live->task->view;
    double epsilon = live->task->options.epsilon;
    return json_pack(
        "{s:o, s:s, s:s, s:s, s:i, s:f, s:I, s:I, s:I, s:s, s:s, s:o, s:o, "
        "s:o, s:o, s:o, s:{s:f, s:i}, s:o}",
        "task", kith_i_view_name(live), "title", v->title, "state",
        kith_task_state_name(live->state), "reason", live->reason, "test",
        v->test, "epsilon", epsilon, "clusters", (json_int_t)v->k, "features",
        (json_int_t)v->d, "minimum", (json_int_t)v->minimum, "enrol", v->enrol,
        "release", v->release, "enrolled",
        kith_i_view_count(live->enrolled.count), "invited",
        kith_i_view_count(live->invited), "created_at", time_of(live->created),
        "started_at", time_of(live->started), "ended_at", time_of(live->ended),
        "spend", "epsilon", epsilon, "reports", 1, "forecast",
        forecast_of(live));
}

kith_outcome kith_collect_view(kith_collect *c, const uint8_t task[16],
                               char **json)
{
    kith_i_live *live = json ? kith_i_live_find(c, task) : NULL;
    if (!live)
        return KITH_COLLECT_NO_TASK;
    json_t *refused = json_object(), *events = json_array();
    round_view rounds = {live, json_array()};
    kith_i_cell id = kith_i_bytes_cell(live->id, 16);
    pthread_mutex_lock(&c->lock);
    pthread_rwlock_rdlock(&live->lock);
    json_t *view = head_of(live);
    kith_status status =
        KITH_I_DB_RUN(c->db, KITH_I_ROUND_ALL, round_row, &rounds, NULL, id);
    pthread_rwlock_unlock(&live->lock);
    if (!status)
        status = KITH_I_DB_RUN(c->db, KITH_I_ANSWER_ALL, answer_row,
                               rounds.rounds, NULL, id);
    if (!status)
        status = KITH_I_DB_RUN(c->db, KITH_I_COUNTER_ALL, kith_i_view_counter,
                               refused, NULL, id);
    if (!status)
        status =
            KITH_I_DB_RUN(c->db, KITH_I_EVENT_ALL, event_row, events, NULL, id);
    json_object_set_new(view, "rounds", rounds.rounds);
    json_object_set_new(view, "refused", refused);
    json_object_set_new(view, "events", events);
    kith_outcome outcome = told(c, status, view, json);
    pthread_mutex_unlock(&c->lock);
    return outcome;
}

/* The archive of a task that has ended. */
#include <string.h>

#include "kith/model.h"
#include "segments.h"
#include "simulate/archive.h"
#include "views.h"

static kith_status write_group(kith_collect *c, const kith_i_live *live,
                               int64_t round, uint32_t group, size_t each,
                               kith_i_archive *a, kith_error *err)
{
    kith_i_segments s = {.task = live->id, .round = round, .group = group};
    kith_status status = KITH_OK;
    do
        status = kith_i_segments_more(c->db, &s, err);
    while (!status && !s.all);
    if (!status)
        kith_i_archive_group(a, s.packed, s.count, each);
    kith_i_free(s.packed);
    return status;
}

typedef struct {
    uint32_t count;
    struct {
        int64_t number;
        char *json;
        size_t bytes;
    } rounds[64];
} round_list;

static kith_status read_round(void *arg, const kith_i_cell *row,
                              kith_error *err)
{
    round_list *l = arg;
    if (l->count == 64 || row[4].number != KITH_I_ROUND_DONE)
        return KITH_OK;
    char *json = kith_i_alloc(row[1].count, 1);
    if (!json)
        return kith_i_fail_memory(err);
    memcpy(json, row[1].bytes, row[1].count);
    l->rounds[l->count].number = row[0].number;
    l->rounds[l->count].json = json;
    l->rounds[l->count++].bytes = row[1].count;
    return KITH_OK;
}

static kith_status write_rounds(kith_collect *c, const kith_i_live *live,
                                const round_list *l, kith_i_archive *a,
                                kith_error *err)
{
    kith_status status = KITH_OK;
    kith_i_archive_number(a, l->count, 4);
    for (uint32_t i = 0; !status && i < l->count; i++) {
        kith_i_round *round = NULL;
        status = kith_i_round_read(l->rounds[i].json, l->rounds[i].bytes,
                                   &round, err);
        if (status)
            break;
        kith_i_archive_text(a, l->rounds[i].json, l->rounds[i].bytes);
        kith_i_archive_number(a, round->count, 4);
        for (uint32_t g = 0; !status && g < round->count; g++)
            status =
                write_group(c, live, l->rounds[i].number, g,
                            KITH_I_NONCE_BYTES +
                                kith_i_report_bytes(&round->mechanisms[g]) -
                                KITH_I_HEADER_BYTES,
                            a, err);
        kith_i_round_free(round);
    }
    return status;
}

kith_outcome kith_collect_archive(kith_collect *c, const uint8_t task[16],
                                  char **bytes, size_t *count, kith_error *err)
{
    kith_i_live *live = bytes && count ? kith_i_live_find(c, task) : NULL;
    round_list rounds = {0};
    kith_i_archive a = {0};
    char *texts[2] = {NULL, NULL};
    uint8_t *made = NULL;
    if (!live)
        return KITH_COLLECT_NO_TASK;
    if (live->state != KITH_TASK_FINISHED && live->state != KITH_TASK_ABORTED)
        return KITH_COLLECT_WRONG_STATE;
    kith_i_cell id = kith_i_bytes_cell(live->id, 16);
    pthread_mutex_lock(&c->lock);
    kith_status status = KITH_I_DB_RUN(c->db, KITH_I_RESULT_GET,
                                       kith_i_read_text, texts, err, id);
    if (!status)
        status = KITH_I_DB_RUN(c->db, KITH_I_ROUND_ALL, read_round, &rounds,
                               err, id);
    kith_i_archive_begin(&a, live->invited, live->task,
                         texts[1] ? texts[1] : "");
    if (!status)
        status = write_rounds(c, live, &rounds, &a, err);
    kith_outcome outcome =
        status ? kith_i_outcome_of(c, c->db) : KITH_COLLECT_OK;
    pthread_mutex_unlock(&c->lock);
    if (!status && kith_i_archive_end(&a, &made, count, err))
        outcome = KITH_COLLECT_FAILED;
    else if (status)
        kith_i_free(a.bytes);
    *bytes = (char *)made;
    for (uint32_t i = 0; i < rounds.count; i++)
        kith_i_free(rounds.rounds[i].json);
    kith_i_free(texts[0]);
    kith_i_free(texts[1]);
    return outcome;
}

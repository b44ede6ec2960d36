/* A task marked as a test, rows, and a service in this process. */
#ifndef KITH_SERVICE_BED_H
#define KITH_SERVICE_BED_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kith/collect.h"
#include "kith/kith.h"
#include "support/cmocka_all.h"

/* Three clumps in the plane, by public coins. */
static inline kith_dataset *bed_rows(const kith_task *task, size_t rows,
                                     uint32_t d)
{
    double *x = malloc(rows * d * sizeof *x);
    kith_bounds bounds;
    kith_dataset *data = NULL;
    uint64_t state = 7;
    for (size_t i = 0; i < rows; i++)
        for (uint32_t j = 0; j < d; j++) {
            state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
            double u = (double)(state >> 11) * 0x1p-53;
            x[i * d + j] = ((double)((i + j) % 3) - 1) * .6 + .2 * (u - .5);
        }
    kith_task_get_bounds(task, &bounds);
    assert_int_equal(kith_dataset_from_rows(x, rows, d, &bounds, &data, NULL),
                     KITH_OK);
    free(x);
    return data;
}

static inline char *bed_task_text(const char *method, uint32_t d, uint64_t seed)
{
    static const double low = -1, high = 1;
    kith_bounds bounds = {.lower = &low, .upper = &high, .box_count = 1};
    kith_task_options task;
    kith_local_options local;
    kith_error err = {0};
    char *json = NULL;
    uint8_t id[16];
    int word = 0;
    kith_task_options_init(&task, sizeof task);
    kith_local_options_init(&local, sizeof local);
    task.title = "Test";
    task.enrol = "open";
    task.test = 1;
    task.fraction = 1;
    task.minimum = 10;
    local.clusters = 3;
    local.epsilon = 3;
    local.public_seed = seed;
    assert_true(kith_word_value(KITH_WORDS_LOCAL_METHOD, method, &word));
    local.method = (kith_local_method)word;
    if (kith_task_text(&task, &local, d, &bounds, &json, id, &err))
        fail_msg("%s", err.message);
    return json;
}

static inline kith_task *bed_task(const char *json)
{
    kith_task *task = NULL;
    kith_error err = {0};
    if (kith_task_load(json, strlen(json), &task, &err))
        fail_msg("%s", err.message);
    return task;
}

static inline kith_collect *bed_open(const char *database)
{
    kith_collect_options opt;
    kith_collect *c = NULL;
    kith_error err = {0};
    kith_collect_options_init(&opt, sizeof opt);
    opt.database = database;
    if (kith_collect_open(&opt, &c, &err))
        fail_msg("%s", err.message);
    return c;
}

/* What a body came to, waited for. */
typedef struct {
    kith_receipt_of_reports receipt;
    uint8_t *tags;
    size_t count;
    _Atomic(int) done;
} bed_answer;

static inline void bed_done(void *arg, const kith_receipt_of_reports *receipt)
{
    bed_answer *a = arg;
    a->receipt = *receipt;
    if (receipt->tags && a->tags)
        memcpy(a->tags, receipt->tags, 16 * a->count);
    a->done = 1;
}

static inline void bed_wait(bed_answer *a)
{
    while (!a->done)
        usleep(100);
}

static inline void bed_enrol(kith_collect *c, const uint8_t task[16],
                             kith_players *players)
{
    uint64_t n = kith_players_count(players);
    for (uint64_t at = 0; at < n; at += 1000) {
        uint64_t some = n - at < 1000 ? n - at : 1000;
        uint8_t commitments[16000], tags[16000];
        bed_answer a = {.tags = tags, .count = some};
        kith_players_commitments(players, at, some, commitments);
        kith_collect_enrol(c, task,
                           &(kith_enrolment){commitments, some, NULL, 0},
                           bed_done, &a);
        bed_wait(&a);
        assert_int_equal(a.receipt.failed, KITH_COLLECT_OK);
        assert_int_equal(
            kith_players_enrolled(players, at, some, tags, 0, NULL, NULL),
            KITH_OK);
    }
}

#endif

/* A task, a service's half of it, and rounds, for tests of a device. */
#ifndef KITH_DEVICE_BED_H
#define KITH_DEVICE_BED_H

#include <string.h>

#include "collect/round_text.h"
#include "collect/task_text.h"
#include "device/device_i.h"
#include "support/cmocka_all.h"

enum { BED_D = 2, BED_GROUPS = 4 };

static const double BED_LOWER[] = {-1, 10}, BED_UPPER[] = {3, 20},
                    BED_CENTER[] = {1, 15}, BED_RADIUS = 4;
static const uint8_t BED_KEY[32] = {9, 8, 7};

static struct kith_task_view bed_task(void)
{
    static const char *names[] = {"age", "height"}, *units[] = {"a", "cm"};
    return (struct kith_task_view){.title = "Test",
                                   .purpose = "to see that it works",
                                   .operator_name = "nobody",
                                   .contact = "nobody@example.org",
                                   .method = "auto",
                                   .objective = "kmeans",
                                   .enrol = "open",
                                   .release = "auto",
                                   .d = BED_D,
                                   .k = 3,
                                   .names = names,
                                   .units = units,
                                   .lower = BED_LOWER,
                                   .upper = BED_UPPER,
                                   .center = BED_CENTER,
                                   .radius = BED_RADIUS,
                                   .epsilon = KITH_LOSS_UNIT,
                                   .public_seed = 5,
                                   .minimum = 50,
                                   .closes = 600,
                                   .fraction = 950000,
                                   .keep_days = 30};
}

/* Views have arenas of their own; free() them as a whole. */
static inline const kith_task_view *
bed_open_task(const struct kith_task_view *task)
{
    char *json = NULL;
    size_t bytes = 0;
    uint8_t id[16];
    kith_error err = {0};
    const char *why = NULL;
    const kith_task_view *out = NULL;
    if (kith_i_task_write(task, &json, &bytes, id, &err))
        fail_msg("%s", err.message);
    void *arena = malloc(kith_view_room(bytes));
    if (kith_task_open(json, bytes, arena, kith_view_room(bytes), &out, &why))
        fail_msg("%s", why);
    assert_memory_equal(out->id, id, 16);
    kith_i_free(json);
    return out;
}

/* Everybody is in one of four groups: a vector, distances, cells, a moment. */
typedef struct {
    kith_i_question questions[BED_GROUPS];
    kith_i_mechanism mechanisms[BED_GROUPS];
    kith_i_round round;
} bed_round;

static inline void bed_round_make(bed_round *b, const uint8_t task[16],
                                  uint16_t number, const uint8_t previous[32],
                                  double epsilon)
{
    static const double points[] = {-.5, -.5, .5, .5}, radii[] = {1, .5};
    static const kith_i_report_kind kinds[BED_GROUPS] = {
        KITH_I_REPORT_VECTOR, KITH_I_REPORT_DISTANCE, KITH_I_REPORT_SYMBOL,
        KITH_I_REPORT_MOMENT};
    *b = (bed_round){.round = {.number = number,
                               .invited = 10000,
                               .minimum = 50,
                               .d = BED_D,
                               .count = BED_GROUPS}};
    memcpy(b->round.task, task, 16);
    memcpy(b->round.previous, previous, 32);
    for (int g = 0; g < BED_GROUPS; g++) {
        b->questions[g] = (kith_i_question){
            .what = "a question",
            .share = .25,
            .offset = .25 * g,
            .epsilon = epsilon,
            .report = kinds[g],
            .place = {.kind = KITH_I_PLACE_NEAREST,
                      .places = 2,
                      .lens = {.q = BED_D, .d = BED_D},
                      .points = points},
            .bands = kinds[g] == KITH_I_REPORT_DISTANCE ? 6 : 0,
            .top = kinds[g] == KITH_I_REPORT_DISTANCE ? 1 : 0,
            .centers = kinds[g] == KITH_I_REPORT_SYMBOL ? NULL : points,
            .radii = g % 3 == 0 ? radii : NULL};
        assert_int_equal(kith_i_mechanism_make(&b->questions[g], BED_D,
                                               &b->mechanisms[g], NULL),
                         KITH_OK);
    }
    b->round.questions = b->questions;
    b->round.mechanisms = b->mechanisms;
}

static inline const kith_round_view *bed_publish(const bed_round *b)
{
    char *json = NULL;
    size_t bytes = 0;
    uint8_t digest[32];
    const char *why = NULL;
    const kith_round_view *out = NULL;
    assert_int_equal(kith_i_round_write(&b->round, &json, &bytes, digest, NULL),
                     KITH_OK);
    size_t room = kith_view_room(bytes);
    void *arena = malloc(room);
    if (kith_round_open(json, bytes, arena, room, &out, &why))
        fail_msg("%s", why);
    kith_i_free(json);
    return out;
}

/* Coins that anybody can guess: a counter. */
static inline int bed_coins(void *arg, void *bytes, size_t count)
{
    uint64_t *state = arg;
    for (size_t i = 0; i < count; i++) {
        uint64_t z = ++*state * UINT64_C(0x9e3779b97f4a7c15);
        z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
        ((uint8_t *)bytes)[i] = (uint8_t)(z >> 56);
    }
    return 0;
}

static inline void bed_enrol(kith_device *device, const kith_device_host *host,
                             const kith_task_view *task,
                             const kith_round_view *at)
{
    uint8_t commitment[16], tag[16];
    assert_int_equal(kith_device_join(device, host, task), KITH_OK);
    kith_device_commitment(device, commitment);
    kith_i_task_tag(BED_KEY, task->id, commitment, tag);
    assert_int_equal(kith_device_enrolled(device, tag,
                                          at ? at->round.number : 0,
                                          at ? at->round.digest : NULL),
                     KITH_OK);
}

#endif

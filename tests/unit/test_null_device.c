/* What a device does when its host leaves something out: nothing. */
#include "support/device_bed.h"
#include "support/null_call.h"

static uint64_t coins_state = 1;
static kith_device_host host;
static const kith_task_view *task;
static const kith_round_view *round_view;
static kith_device fresh, device; /* the second one is asked */
static kith_i_device before;
static uint8_t bytes[KITH_DEVICE_BYTES], envelope[KITH_ENVELOPE_BYTES];
static uint64_t arena[512], scratch[512];
static const double x[BED_D] = {1, 15};
static int asked;

static int set_up(void **state)
{
    (void)state;
    static const uint8_t none[32] = {0};
    struct kith_task_view draft = bed_task();
    bed_round draft_round;
    kith_device_host_init(&host, bed_coins, &coins_state);
    task = bed_open_task(&draft);
    bed_round_make(&draft_round, task->id, 0, none, 1);
    round_view = bed_publish(&draft_round);
    bed_enrol(&device, &host, task, NULL);
    assert_int_equal(kith_device_read(&device, &host, round_view, &asked),
                     KITH_OK);
    assert_true(asked);
    memcpy(&before, &device, sizeof before);
    assert_true(kith_device_scratch(round_view) <= sizeof scratch);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    free((void *)(uintptr_t)task);
    free((void *)(uintptr_t)round_view);
    return 0;
}

/* Refused, with a reason, and the device is as it was but for that. */
static int kept(kith_status status)
{
    kith_i_device after;
    memcpy(&after, &device, sizeof after);
    int said = after.why && after.why[0];
    after.why = before.why;
    return status == KITH_ERR_ARGUMENT && said &&
           memcmp(&after, &before, sizeof after) == 0;
}

static int is_zero(const uint8_t *p, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (p[i])
            return 0;
    return 1;
}

static int without_coins(void)
{
    kith_device_host dry;
    kith_device_host_init(&dry, NULL, NULL);
    return kith_device_join(&fresh, &dry, task) == KITH_ERR_ARGUMENT &&
           kept(
               kith_device_answer(&device, &dry, task, round_view, x, scratch));
}

static void test_calls(void **state)
{
    (void)state;
    const kith_status slip = KITH_ERR_ARGUMENT;
    HOLDS((kith_device_host_init(NULL, bed_coins, NULL), 1));
    HOLDS(without_coins());
    HOLDS(kith_device_join(NULL, &host, task) == slip);
    HOLDS(kith_device_join(&fresh, NULL, task) == slip);
    HOLDS(kith_device_join(&fresh, &host, NULL) == slip);
    HOLDS(kith_device_enrolled(NULL, bytes, 0, bytes) == slip);
    HOLDS(kept(kith_device_enrolled(&device, NULL, 0, NULL)));
    HOLDS(kith_device_read(NULL, &host, round_view, &asked) == slip && !asked);
    HOLDS(kept(kith_device_read(&device, NULL, round_view, &asked)) && !asked);
    HOLDS(kept(kith_device_read(&device, &host, NULL, &asked)) && !asked);
    HOLDS(kept(kith_device_read(&device, &host, round_view, NULL)));
    HOLDS(kith_device_answer(NULL, &host, task, round_view, x, scratch) ==
          slip);
    HOLDS(
        kept(kith_device_answer(&device, NULL, task, round_view, x, scratch)));
    HOLDS(
        kept(kith_device_answer(&device, &host, NULL, round_view, x, scratch)));
    HOLDS(kept(kith_device_answer(&device, &host, task, NULL, x, scratch)));
    HOLDS(kept(
        kith_device_answer(&device, &host, task, round_view, NULL, scratch)));
    HOLDS(kept(kith_device_answer(&device, &host, task, round_view, x, NULL)));
    HOLDS(kith_device_scratch(NULL) == 0);
    HOLDS(kith_device_why(NULL)[0] == 0);
    HOLDS((kith_device_forget(NULL), 1));
}

static void test_records(void **state)
{
    (void)state;
    const kith_status slip = KITH_ERR_ARGUMENT;
    kith_device_words words;
    uint64_t spent = 7;
    memset(bytes, 1, sizeof bytes);
    memset(envelope, 1, sizeof envelope);
    HOLDS((kith_device_commitment(NULL, bytes), is_zero(bytes, 16)));
    HOLDS((kith_device_commitment(&device, NULL), 1));
    /* Bytes that nobody can load, and no old ones. */
    HOLDS((kith_device_save(NULL, bytes), is_zero(bytes, sizeof bytes)));
    HOLDS((kith_device_save(&device, NULL), 1));
    HOLDS(kith_device_load(NULL, bytes) == slip);
    HOLDS(kith_device_load(&fresh, NULL) == slip);
    HOLDS(kith_device_spent(NULL, &spent) == slip && spent == 0);
    HOLDS(kith_device_spent(bytes, NULL) == slip);
    HOLDS(kith_device_envelope(NULL, envelope) == slip &&
          is_zero(envelope, sizeof envelope));
    HOLDS(kith_device_envelope(bytes, NULL) == slip);
    HOLDS(kith_device_explain(NULL, &host, round_view, &words) == slip);
    HOLDS(kith_device_explain(&device, NULL, round_view, &words) == slip);
    HOLDS(kith_device_explain(&device, &host, NULL, &words) == slip);
    HOLDS(kith_device_explain(&device, &host, round_view, NULL) == slip);
    HOLDS(kith_device_preview(NULL, round_view, envelope) == slip);
    HOLDS(kith_device_preview(&device, NULL, envelope) == slip);
    HOLDS(kith_device_preview(&device, round_view, NULL) == slip);
}

/* Views: neither of them is opened, and why says so. */
static int unopened(const void *json, void *room, int has_out, int has_why)
{
    const kith_task_view *t = task;
    const kith_round_view *r = round_view;
    const char *a = "", *b = "";
    return kith_task_open(json, 2, room, sizeof arena, has_out ? &t : NULL,
                          has_why ? &a : NULL) == KITH_ERR_ARGUMENT &&
           kith_round_open(json, 2, room, sizeof arena, has_out ? &r : NULL,
                           has_why ? &b : NULL) == KITH_ERR_ARGUMENT &&
           (!has_out || (!t && !r)) && (!has_why || (a[0] && b[0]));
}

static int no_feature(const kith_task_view *of, uint32_t i)
{
    kith_task_feature one = {"old", "old", 1, 2};
    return kith_task_feature_at(of, i, &one) == KITH_ERR_ARGUMENT &&
           one.name[0] == 0 && one.unit[0] == 0 && one.upper == 0;
}

static int no_facts(void)
{
    kith_task_facts facts = {.title = "old", .features = 9};
    return kith_task_describe(NULL, &facts) == KITH_ERR_ARGUMENT &&
           facts.title[0] == 0 && facts.purpose[0] == 0 &&
           facts.operator_name[0] == 0 && facts.contact[0] == 0 &&
           facts.features == 0;
}

static void test_views(void **state)
{
    (void)state;
    const kith_status slip = KITH_ERR_ARGUMENT;
    const kith_task_view *t = NULL;
    const kith_round_view *r = NULL;
    kith_task_feature one;
    const char *why = NULL;
    const size_t room = sizeof arena;
    HOLDS(unopened(NULL, arena, 1, 1) && unopened("{}", NULL, 1, 1));
    HOLDS(unopened("{}", arena, 0, 1) && unopened(NULL, NULL, 0, 0));
    HOLDS(kith_task_open(NULL, 2, arena, room, &t, &why) == slip);
    HOLDS(kith_task_open("{}", 2, NULL, room, &t, &why) == slip);
    HOLDS(kith_task_open("{}", 2, arena, room, NULL, &why) == slip);
    HOLDS(kith_task_open("{}", 2, arena, room, &t, NULL) == KITH_ERR_INPUT);
    HOLDS(kith_round_open(NULL, 2, arena, room, &r, &why) == slip);
    HOLDS(kith_round_open("{}", 2, NULL, room, &r, &why) == slip);
    HOLDS(kith_round_open("{}", 2, arena, room, NULL, &why) == slip);
    HOLDS(kith_round_open("{}", 2, arena, room, &r, NULL) == KITH_ERR_INPUT);
    HOLDS(no_facts() && kith_task_describe(task, NULL) == slip);
    HOLDS(kith_task_describe(NULL, NULL) == slip);
    HOLDS(kith_task_feature_at(task, 0, NULL) == slip);
    HOLDS(kith_task_feature_at(NULL, 0, &one) == slip);
    HOLDS(no_feature(NULL, 0) && no_feature(task, BED_D));
    HOLDS(no_feature(task, UINT32_MAX) && no_feature(task, UINT32_MAX / 8));
    HOLDS(kith_task_feature_at(task, BED_D - 1, &one) == KITH_OK &&
          one.lower == BED_LOWER[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_calls),
        cmocka_unit_test(test_records),
        cmocka_unit_test(test_views),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}

/* A server that leaves something out of a call to libkith-collect gets an
 * outcome, not a crash. */
#include "support/null_call.h"
#include "support/service_bed.h"

static char folder[] = "/tmp/kith_null_XXXXXX", database[64];
static kith_collect *c;
static kith_error err;
static char *json, *text;
static uint8_t id[16], bytes[80];
static size_t count;

static int set_up(void **state)
{
    (void)state;
    int created = 0;
    assert_non_null(mkdtemp(folder));
    snprintf(database, sizeof database, "sqlite:%s/k.db", folder);
    json = bed_task_text("auto", 1, 1);
    c = bed_open(database);
    assert_int_equal(
        kith_collect_create(c, json, strlen(json), id, &created, NULL), 0);
    return 0;
}

static int tear_down(void **state)
{
    char command[64];
    (void)state;
    kith_collect_close(c);
    kith_text_free(json);
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

/* Nothing was done, and nothing was given. */
static int no_task(kith_outcome outcome)
{
    return outcome == KITH_COLLECT_NO_TASK && !text;
}

static int failed(kith_outcome outcome)
{
    return outcome == KITH_COLLECT_FAILED && !text;
}

static void test_devices(void **state)
{
    (void)state;
    uint8_t digest[32];
    kith_task_status status;
    HOLDS(no_task(kith_collect_task(NULL, id, &text, &count)));
    HOLDS(no_task(kith_collect_task(c, NULL, &text, &count)));
    HOLDS(no_task(kith_collect_task(c, id, NULL, &count)));
    HOLDS(no_task(kith_collect_task(c, id, &text, NULL)));
    HOLDS(no_task(kith_collect_round(NULL, id, 0, &text, &count, digest)));
    HOLDS(no_task(kith_collect_round(c, NULL, 0, &text, &count, digest)));
    HOLDS(no_task(kith_collect_round(c, id, 0, NULL, &count, digest)));
    HOLDS(no_task(kith_collect_round(c, id, 0, &text, NULL, digest)));
    HOLDS(no_task(kith_collect_round(c, id, 0, &text, &count, NULL)));
    HOLDS(kith_collect_round(c, id, UINT32_MAX, &text, &count, digest) ==
          KITH_COLLECT_NOT_PUBLISHED);
    HOLDS(no_task(kith_collect_result(NULL, id, &text)));
    HOLDS(no_task(kith_collect_result(c, NULL, &text)));
    HOLDS(no_task(kith_collect_result(c, id, NULL)));
    HOLDS(no_task(kith_collect_chain(NULL, id, &text)));
    HOLDS(no_task(kith_collect_chain(c, NULL, &text)));
    HOLDS(no_task(kith_collect_chain(c, id, NULL)));
    HOLDS(no_task(kith_collect_status(NULL, id, &status)));
    HOLDS(no_task(kith_collect_status(c, NULL, &status)));
    HOLDS(no_task(kith_collect_status(c, id, NULL)));
    HOLDS(kith_outcome_name((kith_outcome)-1) != NULL);
    HOLDS(kith_task_state_name((kith_task_state)-1) != NULL);
}

/* Is whoever waits told at once that it failed? */
static int told(int what)
{
    bed_answer a = {0};
    kith_enrolment torn = {.count = 2};
    kith_enrolment one = {.commitments = bytes, .count = 1};
    switch (what) {
    case 0:
        kith_collect_add(NULL, id, bytes, 1, bed_done, &a);
        break;
    case 1:
        kith_collect_add(c, NULL, bytes, 1, bed_done, &a);
        break;
    case 2:
        kith_collect_add(c, id, NULL, 1, bed_done, &a);
        break;
    case 3:
        kith_collect_enrol(NULL, id, &one, bed_done, &a);
        break;
    case 4:
        kith_collect_enrol(c, NULL, &one, bed_done, &a);
        break;
    case 5:
        kith_collect_enrol(c, id, NULL, bed_done, &a);
        break;
    default:
        kith_collect_enrol(c, id, &torn, bed_done, &a);
    }
    return a.done && a.receipt.failed == KITH_COLLECT_NO_TASK;
}

static void test_bodies(void **state)
{
    (void)state;
    kith_enrolment one = {.commitments = bytes, .count = 1};
    for (int what = 0; what <= 6; what++)
        HOLDS(told(what));
    HOLDS((kith_collect_add(c, id, bytes, 1, NULL, NULL), 1));
    HOLDS((kith_collect_enrol(c, id, &one, NULL, NULL), 1));
}

static void test_operators(void **state)
{
    (void)state;
    int created = 0;
    size_t size = strlen(json);
    char codes[1][23];
    kith_change_request request = {.what = KITH_TASK_ABORT};
    HOLDS(failed(kith_collect_create(NULL, json, size, id, &created, &err)));
    HOLDS(kith_collect_create(c, NULL, size, id, &created, &err) ==
          KITH_COLLECT_BAD_TASK);
    HOLDS(failed(kith_collect_create(c, json, size, NULL, &created, &err)));
    HOLDS(failed(kith_collect_create(c, json, size, id, NULL, &err)));
    HOLDS(no_task(kith_collect_start(NULL, id, 9, 1, &err)));
    HOLDS(no_task(kith_collect_start(c, NULL, 9, 1, &err)));
    HOLDS(no_task(kith_collect_change(NULL, id, &request, &err)));
    HOLDS(no_task(kith_collect_change(c, NULL, &request, &err)));
    HOLDS(no_task(kith_collect_change(c, id, NULL, &err)));
    HOLDS(no_task(kith_collect_invite(NULL, id, 1, codes)));
    HOLDS(no_task(kith_collect_invite(c, NULL, 1, codes)));
    HOLDS(no_task(kith_collect_invite(c, id, 1, NULL)));
    HOLDS(failed(kith_collect_list(NULL, &text)));
    HOLDS(failed(kith_collect_list(c, NULL)));
    HOLDS(no_task(kith_collect_view(NULL, id, &text)));
    HOLDS(no_task(kith_collect_view(c, NULL, &text)));
    HOLDS(no_task(kith_collect_view(c, id, NULL)));
    HOLDS(no_task(kith_collect_archive(NULL, id, &text, &count, &err)));
    HOLDS(no_task(kith_collect_archive(c, NULL, &text, &count, &err)));
    HOLDS(no_task(kith_collect_archive(c, id, NULL, &count, &err)));
    HOLDS(no_task(kith_collect_archive(c, id, &text, NULL, &err)));
    HOLDS(no_task(kith_collect_forget(NULL, id)));
    HOLDS(no_task(kith_collect_forget(c, NULL)));
}

static void test_rest(void **state)
{
    (void)state;
    kith_collect_options opt;
    kith_collect *got = NULL;
    char hex[65] = "old";
    kith_collect_options_init(&opt, sizeof opt);
    HOLDS((kith_collect_options_init(NULL, 8), 1));
    FAILS(kith_collect_open(NULL, &got, &err));
    FAILS(kith_collect_open(&opt, &got, &err)); /* of which database? */
    opt.database = database;
    FAILS(kith_collect_open(&opt, NULL, &err));
    FAILS(kith_collect_new_token(NULL, &err));
    HOLDS((kith_collect_token_digest(NULL, hex), hex[0] == 0));
    HOLDS((kith_collect_token_digest("x", NULL), 1));
    HOLDS((kith_collect_step(NULL), kith_collect_wait(NULL, 1), 1));
    HOLDS(kith_collect_ready(NULL) != NULL);
    HOLDS(failed(kith_collect_metrics(NULL, &text)));
    HOLDS(failed(kith_collect_metrics(c, NULL)));
    FAILS(kith_collect_backup(NULL, "x", &err));
    FAILS(kith_collect_backup(database, NULL, &err));
    HOLDS((kith_collect_close(NULL), 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_devices),
        cmocka_unit_test(test_bodies),
        cmocka_unit_test(test_operators),
        cmocka_unit_test(test_rest),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}

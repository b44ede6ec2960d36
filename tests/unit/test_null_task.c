/* Task files, rows played as devices, archives and bounds: a caller's slip is
 * an error. */
#include <stdlib.h>
#include <string.h>

#include "kith/kith.h"
#include "support/null_call.h"

enum { N = 64, D = 2 };

static const double low = -1, high = 1;
static const kith_bounds box = {.lower = &low, .upper = &high, .box_count = 1};
static const kith_privacy privacy = {1, 0, KITH_ADD_REMOVE};
static double rows[N * D];
static kith_error err;
static kith_task_options words;
static kith_local_options local;
static kith_players_options how;
static kith_source_options source;
static char *json, *text;
static uint8_t id[KITH_TASK_ID_BYTES], bytes[16 * N];
static kith_task *task, *got_task;
static kith_dataset *data, *sizes, *got_data;
static kith_players *players, *got_players;
static kith_session *session;
static kith_result *spent, *got;

static int set_up(void **state)
{
    (void)state;
    const double spread[] = {-3, 0.5};
    kith_session_options gate;
    kith_array array = {rows, KITH_FLOAT64, N, D, D * 8, 8};
    for (int i = 0; i < N * D; i++)
        rows[i] = spread[i % 2] * (i * 7 % 19 - 9) / 30.0;
    kith_task_options_init(&words, sizeof words);
    kith_local_options_init(&local, sizeof local);
    kith_players_options_init(&how, sizeof how);
    kith_source_options_init(&source, sizeof source);
    kith_session_options_init(&gate, sizeof gate);
    words.title = words.purpose = words.operator_name = words.contact = "Test";
    words.test = how.insecure = gate.insecure = 1;
    local.clusters = 2;
    local.epsilon = 2;
    gate.privacy = privacy;
    assert_int_equal(kith_task_text(&words, &local, D, &box, &json, id, NULL),
                     KITH_OK);
    assert_int_equal(kith_task_load(json, strlen(json), &task, NULL), KITH_OK);
    assert_int_equal(kith_dataset_from_rows(rows, N, D, &box, &data, NULL),
                     KITH_OK);
    assert_int_equal(kith_players_open(task, data, &how, &players, NULL),
                     KITH_OK);
    assert_int_equal(kith_dataset_load_sizes(&(kith_source){.array = &array},
                                             &source, 0, &sizes, NULL),
                     KITH_OK);
    assert_int_equal(kith_session_open(sizes, &gate, &session, NULL), KITH_OK);
    assert_int_equal(kith_session_result(session, &spent, NULL), KITH_OK);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    kith_result_free(spent);
    kith_session_close(session);
    kith_players_close(players);
    kith_dataset_free(data);
    kith_task_free(task);
    kith_text_free(json);
    return 0;
}

static void test_files(void **state)
{
    (void)state;
    char name[23] = "old";
    kith_bounds bounds;
    kith_local_forecast forecast;
    kith_round_facts facts;
    HOLDS((kith_task_options_init(NULL, 8), 1));
    FAILS(kith_task_text(NULL, &local, D, &box, &text, id, &err));
    FAILS(kith_task_text(&words, NULL, D, &box, &text, id, &err));
    FAILS(kith_task_text(&words, &local, D, NULL, &text, id, &err));
    FAILS(kith_task_text(&words, &local, 0, &box, &text, id, &err));
    FAILS(kith_task_text(&words, &local, D, &box, NULL, id, &err));
    FAILS(kith_task_text(&words, &local, D, &box, &text, NULL, &err));
    HOLDS((kith_task_name(NULL, name), name[0] == 0));
    HOLDS((kith_task_name(id, NULL), 1));
    HOLDS((kith_task_name(id, name), kith_task_named(NULL, id) == 0));
    HOLDS((kith_task_name(id, name), kith_task_named(name, NULL) == 0));
    FAILS(kith_task_load(NULL, 2, &got_task, &err));
    FAILS(kith_task_load(json, 2, NULL, &err));
    HOLDS(!kith_task_get_view(NULL));
    HOLDS((kith_task_get_bounds(NULL, &bounds), 1));
    HOLDS((kith_task_get_bounds(task, NULL), 1));
    FAILS(kith_task_predict(NULL, 9, &forecast, &err));
    FAILS(kith_task_predict(task, 9, NULL, &err));
    FAILS(kith_round_describe(NULL, 2, &facts, &err));
    FAILS(kith_round_describe("{}", 2, NULL, &err));
    HOLDS((kith_task_free(NULL), 1));
}

static void test_simulation(void **state)
{
    (void)state;
    FAILS(kith_task_simulate(NULL, data, 1, 1, &text, &err));
    FAILS(kith_task_simulate(task, NULL, 1, 1, &text, &err));
    FAILS(kith_task_simulate(task, data, 1, 1, NULL, &err));
    FAILS(kith_archive_replay(NULL, 2, 1, &text, &err));
    FAILS(kith_archive_replay("{}", 2, 1, NULL, &err));
}

/* Nothing is written where there are no such devices: sums must not wrap. */
static int no_commitments(uint64_t first, uint64_t count)
{
    uint8_t out[32] = {0};
    return kith_players_commitments(players, first, count, out) ==
               KITH_ERR_ARGUMENT &&
           memcmp(out, (uint8_t[32]){0}, sizeof out) == 0;
}

static void test_players(void **state)
{
    (void)state;
    kith_played played;
    const uint64_t last = UINT64_MAX;
    HOLDS((kith_players_options_init(NULL, 8), 1));
    FAILS(kith_players_open(NULL, data, &how, &got_players, &err));
    FAILS(kith_players_open(task, NULL, &how, &got_players, &err));
    FAILS(kith_players_open(task, data, NULL, &got_players, &err));
    FAILS(kith_players_open(task, data, &how, NULL, &err));
    HOLDS(kith_players_count(NULL) == 0);
    HOLDS((kith_players_key(NULL, bytes), 1));
    HOLDS((kith_players_key(players, NULL), 1));
    HOLDS(kith_players_commitments(NULL, 0, 1, bytes) == KITH_ERR_ARGUMENT);
    HOLDS(kith_players_commitments(players, 0, 1, NULL) == KITH_ERR_ARGUMENT);
    HOLDS(kith_players_commitments(players, N - 1, 1, bytes) == KITH_OK);
    HOLDS(kith_players_commitments(players, N, 0, bytes) == KITH_OK);
    HOLDS(no_commitments(N, 1) && no_commitments(N - 1, 2));
    HOLDS(no_commitments(last, 2) && no_commitments(2, last));
    HOLDS(no_commitments(last, last) && no_commitments(last - 1, 1));
    FAILS(kith_players_enrolled(NULL, 0, 1, bytes, 0, NULL, &err));
    FAILS(kith_players_enrolled(players, 0, 1, NULL, 0, NULL, &err));
    FAILS(kith_players_enrolled(players, N, 1, bytes, 0, NULL, &err));
    FAILS(kith_players_enrolled(players, last, 2, bytes, 0, NULL, &err));
    HOLDS(kith_players_enrolled(players, 0, N, bytes, 0, NULL, &err) ==
          KITH_OK);
    FAILS(kith_players_restore(NULL, 0, bytes, &err));
    FAILS(kith_players_restore(players, 0, NULL, &err));
    HOLDS(kith_players_restore(players, N, bytes, &err) == KITH_ERR_INPUT);
    HOLDS(kith_players_restore(players, last, bytes, &err) == KITH_ERR_INPUT);
    FAILS(kith_players_round(NULL, "{}", 2, &played, &err));
    FAILS(kith_players_round(players, NULL, 2, &played, &err));
    HOLDS(kith_players_round(players, "{}", 2, NULL, &err) == KITH_ERR_INPUT);
    HOLDS((kith_played_free(NULL), kith_players_close(NULL), 1));
}

/* ---- bounds that are found ---- */

static void test_bounds(void **state)
{
    (void)state;
    kith_range ranges[D] = {{-1, 1, KITH_RANGE_FOUND},
                            {-1, 1, KITH_RANGE_FOUND}};
    kith_found found = {.ranges = ranges, .dimension = D, .rows = N};
    kith_bought *got_bought = NULL, bought = {.dimension = D};
    kith_array array = {rows, KITH_FLOAT64, N, D, D * 8, 8};
    kith_source of = {.array = &array};
    double number;
    FAILS(kith_dataset_load_sizes(NULL, &source, 0, &got_data, &err));
    FAILS(kith_dataset_load_sizes(&of, NULL, 0, &got_data, &err));
    FAILS(kith_dataset_load_sizes(&of, &source, 0, NULL, &err));
    FAILS(kith_bounds_find(NULL, .5, 0, ranges, &number, &number, &err));
    FAILS(kith_bounds_find(session, .5, 0, NULL, &number, &number, &err));
    HOLDS(kith_bounds_find(session, .5, 0, ranges, NULL, &number, &err) !=
          KITH_ERR_INTERNAL);
    HOLDS(kith_bounds_find(session, .5, 0, ranges, &number, NULL, &err) !=
          KITH_ERR_INTERNAL);
    FAILS(kith_session_continue(NULL, data, &err));
    FAILS(kith_session_continue(session, NULL, &err));
    FAILS(kith_session_result(NULL, &got, &err));
    FAILS(kith_session_result(session, NULL, &err));
    FAILS(kith_bounds_text(NULL, &found, 0, &text, &err));
    FAILS(kith_bounds_text(spent, NULL, 0, &text, &err));
    FAILS(kith_bounds_text(spent, &found, 0, NULL, &err));
    FAILS(kith_bought_read(NULL, 2, &got_bought, &err));
    FAILS(kith_bought_read("{}", 2, NULL, &err));
    FAILS(kith_bought_check(NULL, &box, &privacy, KITH_UNIT_ROW, &err));
    FAILS(kith_bought_check(&bought, NULL, &privacy, KITH_UNIT_ROW, &err));
    FAILS(kith_bought_check(&bought, &box, NULL, KITH_UNIT_ROW, &err));
    HOLDS((kith_bought_free(NULL), 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_simulation),
        cmocka_unit_test(test_players),
        cmocka_unit_test(test_bounds),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}

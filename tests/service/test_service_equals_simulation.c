/* The service, fed by real devices, publishes the model of the simulation of
 * the same devices byte for byte, and so does the replay of its archive;
 * whatever the order, the batches and the repeats. */
#include "support/service_bed.h"

enum { ROWS = 6000, SEED = 5 };

/* Centres, weights, privacy, rounds, parameters: all that is after "centers"
 * but the forecast, which is computed from the same numbers, and before it the
 * word how it came about. */
static const char *from_centers(const char *model)
{
    const char *at = strstr(model, "\"centers\"");
    assert_non_null(at);
    return at;
}

/* Sent in pieces of a few, last first, some twice. */
static void send_shuffled(kith_collect *c, const uint8_t task[16],
                          const kith_played *played, uint64_t piece)
{
    uint8_t *all = malloc(played->count * 80 + 1);
    for (uint64_t i = 0; i < played->count; i++)
        assert_int_equal(
            kith_device_envelope(played->saved[played->count - 1 - i],
                                 all + 80 * i),
            KITH_OK);
    for (uint64_t at = 0; at < played->count; at += piece) {
        uint64_t some = played->count - at < piece ? played->count - at : piece;
        for (int twice = 0; twice < 2; twice++) {
            bed_answer a = {0};
            kith_collect_add(c, task, all + 80 * at, some, bed_done, &a);
            bed_wait(&a);
            assert_int_equal(a.receipt.failed, KITH_COLLECT_OK);
            assert_int_equal(a.receipt.refused, 0);
            assert_int_equal(a.receipt.stored, twice ? 0 : some);
            assert_int_equal(a.receipt.duplicates, twice ? some : 0);
        }
    }
    free(all);
}

static void play_all(kith_collect *c, const uint8_t task[16],
                     kith_players *players, uint64_t piece)
{
    for (uint32_t n = 0;; n++) {
        kith_task_status status;
        kith_played played;
        kith_error err = {0};
        char *json = NULL;
        size_t bytes = 0;
        uint8_t digest[32];
        kith_collect_step(c);
        assert_int_equal(kith_collect_status(c, task, &status), 0);
        if (status.state == KITH_TASK_FINISHED)
            return;
        assert_int_equal(status.state, KITH_TASK_RUNNING);
        assert_int_equal(status.round, n);
        assert_int_equal(kith_collect_round(c, task, n, &json, &bytes, digest),
                         0);
        if (kith_players_round(players, json, bytes, &played, &err))
            fail_msg("%s", err.message);
        send_shuffled(c, task, &played, piece);
        kith_change_request close = {.what = KITH_TASK_CLOSE, .digest = digest};
        assert_int_equal(kith_collect_change(c, task, &close, &err), 0);
        kith_played_free(&played);
        kith_text_free(json);
    }
}

static void one(const char *method, uint32_t d, uint64_t piece)
{
    char folder[] = "/tmp/kith_service_XXXXXX", database[80], file[64];
    assert_non_null(mkdtemp(folder));
    snprintf(file, sizeof file, "%s/kithd.db", folder);
    snprintf(database, sizeof database, "sqlite:%s", file);
    char *json = bed_task_text(method, d, 3), *model = NULL, *simulated = NULL,
         *archive = NULL, *replayed = NULL;
    kith_task *task = bed_task(json);
    kith_dataset *data = bed_rows(task, ROWS, d);
    kith_players *players = NULL;
    kith_players_options opt;
    kith_error err = {0};
    uint8_t id[16];
    int created = 0;
    size_t bytes = 0;
    kith_collect *c = bed_open(database);
    assert_int_equal(
        kith_collect_create(c, json, strlen(json), id, &created, &err), 0);
    assert_true(created);
    kith_players_options_init(&opt, sizeof opt);
    opt.insecure = 1;
    opt.insecure_seed = SEED;
    assert_int_equal(kith_players_open(task, data, &opt, &players, &err), 0);
    bed_enrol(c, id, players);
    assert_int_equal(kith_collect_start(c, id, 0, 0, &err), 0);
    play_all(c, id, players, piece);
    assert_int_equal(kith_collect_result(c, id, &model), 0);
    if (kith_task_simulate(task, data, SEED, 2, &simulated, &err))
        fail_msg("%s", err.message);
    assert_string_equal(from_centers(model), from_centers(simulated));
    assert_int_equal(kith_collect_archive(c, id, &archive, &bytes, &err), 0);
    if (kith_archive_replay(archive, bytes, 2, &replayed, &err))
        fail_msg("%s", err.message);
    assert_string_equal(replayed, model);
    /* One bit of it changed: it is refused. */
    archive[bytes / 2] ^= 1;
    char *broken = NULL;
    assert_int_equal(kith_archive_replay(archive, bytes, 2, &broken, &err),
                     KITH_ERR_INPUT);
    kith_text_free(archive);
    kith_text_free(replayed);
    kith_text_free(simulated);
    kith_text_free(model);
    kith_collect_close(c);
    kith_players_close(players);
    kith_dataset_free(data);
    kith_task_free(task);
    kith_text_free(json);
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

static void test_low(void **state)
{
    (void)state;
    one("auto", 2, 97);
}

static void test_high(void **state)
{
    (void)state;
    one("auto", 5, 1000);
}

static void test_one_round(void **state)
{
    (void)state;
    one("one-round", 2, 61);
}

static void test_mean(void **state)
{
    (void)state;
    one("mean", 3, 400);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_low), cmocka_unit_test(test_high),
        cmocka_unit_test(test_one_round), cmocka_unit_test(test_mean)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

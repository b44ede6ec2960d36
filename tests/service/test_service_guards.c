/* What malicious users, a full disk, a lying clock and another process try,
 * and what stops each of them. Every guard that is taken out fails here
 * (tests/mutants/service-*.txt). */
#include "collect/task_text.h"
#include "service/service_i.h"
#include "simulate/drawn_user.h"
#include "support/service_bed.h"

enum { ROWS = 1500, SEED = 8 };

typedef struct {
    char folder[32], database[64];
    char *json;
    kith_task *task;
    kith_dataset *data;
    kith_players *players;
    kith_collect *c;
    uint8_t id[16];
    kith_i_live *live;
    kith_played played; /* of round 0 */
    uint8_t (*envelopes)[80];
} bed;

/* A running task, and the envelopes of its first round. */
static void bed_start(bed *b)
{
    kith_error err = {0};
    kith_players_options opt;
    int created = 0;
    char *round = NULL;
    size_t bytes = 0;
    uint8_t digest[32];
    *b = (bed){.folder = "/tmp/kith_guards_XXXXXX"};
    assert_non_null(mkdtemp(b->folder));
    snprintf(b->database, sizeof b->database, "sqlite:%s/k.db", b->folder);
    b->json = bed_task_text("auto", 1, 1); /* several rounds */
    b->task = bed_task(b->json);
    b->data = bed_rows(b->task, ROWS, 1);
    b->c = bed_open(b->database);
    assert_int_equal(kith_collect_create(b->c, b->json, strlen(b->json), b->id,
                                         &created, &err),
                     0);
    kith_players_options_init(&opt, sizeof opt);
    opt.insecure = 1;
    opt.insecure_seed = SEED;
    assert_int_equal(
        kith_players_open(b->task, b->data, &opt, &b->players, &err), 0);
    bed_enrol(b->c, b->id, b->players);
    assert_int_equal(kith_collect_start(b->c, b->id, 0, 0, &err), 0);
    b->live = kith_i_live_find(b->c, b->id);
    assert_int_equal(kith_collect_round(b->c, b->id, 0, &round, &bytes, digest),
                     0);
    assert_int_equal(
        kith_players_round(b->players, round, bytes, &b->played, &err), 0);
    kith_text_free(round);
    b->envelopes = calloc(b->played.count, 80);
    for (uint64_t i = 0; i < b->played.count; i++)
        assert_int_equal(
            kith_device_envelope(b->played.saved[i], b->envelopes[i]), 0);
    assert_true(b->played.count > 60);
}

static void bed_end(bed *b)
{
    char command[64];
    kith_collect_close(b->c);
    kith_played_free(&b->played);
    kith_players_close(b->players);
    kith_dataset_free(b->data);
    kith_task_free(b->task);
    kith_text_free(b->json);
    free(b->envelopes);
    snprintf(command, sizeof command, "rm -r %s", b->folder);
    assert_int_equal(system(command), 0);
}

static kith_receipt_of_reports add(bed *b, const uint8_t *envelopes, size_t n)
{
    bed_answer a = {0};
    kith_collect_add(b->c, b->id, envelopes, n, bed_done, &a);
    bed_wait(&a);
    return a.receipt;
}

static kith_outcome refused(bed *b, const uint8_t envelope[80])
{
    kith_receipt_of_reports r = add(b, envelope, 1);
    assert_int_equal(r.failed, 0);
    assert_int_equal(r.stored + r.duplicates, 0);
    assert_int_equal(r.refused, 1);
    return r.reasons[0].why;
}

/* ---- malicious users ---- */

static void test_envelopes(void **state)
{
    (void)state;
    bed b;
    uint8_t e[80], seed[32];
    bed_start(&b);
    memcpy(e, b.envelopes[0], 80);
    e[20] ^= 1; /* a tag of one's own */
    assert_int_equal(refused(&b, e), KITH_COLLECT_BAD_TOKEN);
    memcpy(e, b.envelopes[0], 80);
    e[4] ^= 1; /* another secret with the tag of an enrolled one */
    assert_int_equal(refused(&b, e), KITH_COLLECT_BAD_TOKEN);
    memcpy(e, b.envelopes[0], 80);
    e[60] ^= 1; /* a nonce that one likes better */
    assert_int_equal(refused(&b, e), KITH_COLLECT_WRONG_ROUND);
    /* A device that was not drawn answers all the same, and knows how. */
    uint64_t row = 0;
    for (uint64_t i = 0; i < b.played.count && b.played.rows[i] == row; i++)
        row++;
    uint8_t key[32], commitment[16];
    memcpy(e, b.envelopes[0], 80);
    kith_players_key(b.players, key);
    kith_i_drawn_secret(key, row, e + 4);
    kith_i_draw_commit(b.id, e + 4, commitment);
    kith_i_task_tag(b.live->key, b.id, commitment, e + 20);
    kith_i_draw_seed(e + 20, e + 4, seed);
    kith_i_draw_nonce(seed, b.live->digest, 0, e + 60);
    e[58] = 0;
    assert_int_equal(refused(&b, e), KITH_COLLECT_WRONG_GROUP);
    memcpy(e, b.envelopes[0], 80);
    e[58] = 200; /* there is no such group */
    assert_int_equal(refused(&b, e), KITH_COLLECT_WRONG_GROUP);
    memcpy(e, b.envelopes[0], 80);
    e[56] = 1; /* a round to come */
    assert_int_equal(refused(&b, e), KITH_COLLECT_WRONG_ROUND);
    /* A number that cannot be, where outputs leave room for one. */
    for (uint64_t i = 0; i < b.played.count; i++) {
        const kith_i_open_group *g = &b.live->groups[b.envelopes[i][58]];
        if (g->payload != 1 || g->outputs == 256)
            continue;
        memcpy(e, b.envelopes[i], 80);
        e[76] = (uint8_t)g->outputs;
        assert_int_equal(refused(&b, e), KITH_COLLECT_BAD_REPORT);
        e[76] = b.envelopes[i][76];
        e[79] = 1; /* something after the report */
        assert_int_equal(refused(&b, e), KITH_COLLECT_BAD_REPORT);
        break;
    }
    /* Twice in a body, then alone: counted once. */
    uint8_t twice[160];
    memcpy(twice, b.envelopes[1], 80);
    memcpy(twice + 80, b.envelopes[1], 80);
    kith_receipt_of_reports r = add(&b, twice, 2);
    assert_int_equal(r.stored, 1);
    assert_int_equal(r.duplicates, 1);
    assert_int_equal(add(&b, b.envelopes[1], 1).duplicates, 1);
    bed_end(&b);
}

static void test_invitations(void **state)
{
    (void)state;
    bed b;
    char code[23], forged[23];
    bed_start(&b);
    kith_i_invitation_make(b.live, 7, code);
    assert_int_equal(kith_i_invitation_serial(b.live, code), 7);
    for (int i = 0; i < 22; i++) {
        memcpy(forged, code, 23);
        forged[i] = forged[i] == 'A' ? 'B' : 'A';
        assert_int_equal(kith_i_invitation_serial(b.live, forged), -1);
    }
    assert_int_equal(kith_i_invitation_serial(b.live, "short"), -1);
    assert_int_equal(kith_i_invitation_serial(b.live, NULL), -1);
    bed_end(&b);
}

/* What waits has a limit: beyond it nobody is told that all is well, and there
 * is room again when it is gone. */
static void test_queue_is_bounded(void **state)
{
    (void)state;
    bed b;
    bed_start(&b);
    uint64_t room = b.c->opt.queue_bytes;
    b.c->opt.queue_bytes = 100;
    assert_int_equal(add(&b, b.envelopes[0], 20).failed, KITH_COLLECT_BUSY);
    b.c->opt.queue_bytes = room;
    assert_int_equal(add(&b, b.envelopes[0], 20).stored, 20);
    bed_end(&b);
}

/* ---- the store ---- */

static void test_closed_elsewhere(void **state)
{
    (void)state;
    bed b;
    bed_start(&b);
    /* Another process closes the round; memory does not know yet. */
    assert_int_equal(KITH_I_DB_RUN(b.c->db, KITH_I_ROUND_CLOSE, NULL, NULL,
                                   NULL, kith_i_number_cell(1),
                                   kith_i_bytes_cell(b.id, 16),
                                   kith_i_number_cell(0)),
                     KITH_OK);
    kith_receipt_of_reports r = add(&b, b.envelopes[0], 3);
    assert_int_equal(r.failed, KITH_COLLECT_ROUND_CLOSED);
    assert_int_equal(r.stored, 0);
    bed_end(&b);
}

static void test_failing_store(void **state)
{
    (void)state;
    bed b;
    bed_start(&b);
    kith_i_db *db = b.c->db;
    /* No room: refused, nothing acknowledged; with room it goes on. */
    assert_int_equal(db->driver->script(db, "PRAGMA max_page_count = 1", NULL),
                     KITH_OK);
    static uint8_t many[16000];
    for (size_t i = 0; i < sizeof many; i++)
        many[i] = (uint8_t)(i * 7 + i / 251);
    bed_answer full = {0};
    kith_collect_enrol(b.c, b.id, &(kith_enrolment){many, 1000, NULL, 0},
                       bed_done, &full);
    bed_wait(&full);
    assert_int_equal(full.receipt.failed, KITH_COLLECT_DISK_FULL);
    assert_int_equal(
        db->driver->script(db, "PRAGMA max_page_count = 1000000", NULL),
        KITH_OK);
    full.done = 0;
    kith_collect_enrol(b.c, b.id, &(kith_enrolment){many, 1000, NULL, 0},
                       bed_done, &full);
    bed_wait(&full);
    assert_int_equal(full.receipt.failed, KITH_COLLECT_OK);
    /* The table is gone: the commit fails, and nobody is told that it is
     * fine. */
    assert_int_equal(
        db->driver->script(db, "ALTER TABLE segments RENAME TO away", NULL),
        KITH_OK);
    uint8_t fresh[16] = {42};
    bed_answer a = {0};
    kith_collect_enrol(b.c, b.id, &(kith_enrolment){fresh, 1, NULL, 0},
                       bed_done, &a);
    bed_wait(&a);
    assert_int_equal(a.receipt.failed, KITH_COLLECT_STORE_DOWN);
    assert_non_null(kith_collect_ready(b.c));
    assert_int_equal(
        db->driver->script(db, "ALTER TABLE away RENAME TO segments", NULL),
        KITH_OK);
    a.done = 0;
    kith_collect_enrol(b.c, b.id, &(kith_enrolment){fresh, 1, NULL, 0},
                       bed_done, &a);
    bed_wait(&a);
    assert_int_equal(a.receipt.failed, KITH_COLLECT_OK);
    assert_null(kith_collect_ready(b.c));
    bed_end(&b);
}

static kith_status copy_row(void *arg, const kith_i_cell *row, kith_error *err)
{
    bed *b = arg;
    static int64_t sequence;
    return KITH_I_DB_RUN(b->c->db, KITH_I_SEGMENT_ADD, NULL, NULL, err,
                         kith_i_bytes_cell(b->id, 16), kith_i_number_cell(0),
                         row[1], kith_i_number_cell(99),
                         kith_i_number_cell(++sequence), row[2], row[3], row[4],
                         kith_i_number_cell(1));
}

/* Two processes that stored the same reports: the fold counts them once. */
static void test_counted_once(void **state)
{
    (void)state;
    bed b;
    bed_start(&b);
    kith_error err = {0};
    kith_receipt_of_reports r = add(&b, b.envelopes[0], b.played.count);
    assert_int_equal(r.stored, b.played.count);
    assert_int_equal(
        KITH_I_DB_RUN(b.c->db, KITH_I_SEGMENT_NEWS, copy_row, &b, NULL,
                      kith_i_bytes_cell(b.id, 16), kith_i_number_cell(0),
                      kith_i_number_cell(0), kith_i_number_cell(INT64_MAX),
                      kith_i_number_cell(-1), kith_i_number_cell(1)),
        KITH_OK);
    kith_change_request close = {.what = KITH_TASK_CLOSE,
                                 .digest = b.live->digest};
    assert_int_equal(kith_collect_change(b.c, b.id, &close, &err), 0);
    kith_collect_step(b.c);
    char *view = NULL;
    assert_int_equal(kith_collect_view(b.c, b.id, &view), 0);
    assert_int_equal(b.live->number, 1);
    uint64_t received = 0, duplicates = 0;
    const char *end = strstr(view, "\"round\":1");
    for (const char *at = view; (at = strstr(at, "\"received\":")) && at < end;
         at++)
        received += strtoull(at + 11, NULL, 10);
    for (const char *at = view;
         (at = strstr(at, "\"duplicates\":")) && at < end; at++)
        duplicates += strtoull(at + 13, NULL, 10);
    assert_int_equal(received, b.played.count);
    assert_int_equal(duplicates, b.played.count);
    kith_text_free(view);
    bed_end(&b);
}

/* ---- time ---- */

static void test_rules(void **state)
{
    (void)state;
    kith_i_rule_numbers n = {.groups = 3, .now = 10, .closes_at = 20};
    assert_int_equal(kith_i_rule_of(&n), KITH_I_RULE_WAIT);
    n.at_target = 3;
    assert_int_equal(kith_i_rule_of(&n), KITH_I_RULE_CLOSE);
    n.at_target = 2;
    n.at_minimum = 3;
    assert_int_equal(kith_i_rule_of(&n), KITH_I_RULE_WAIT);
    n.now = 20;
    assert_int_equal(kith_i_rule_of(&n), KITH_I_RULE_CLOSE);
    n.at_minimum = 2;
    assert_int_equal(kith_i_rule_of(&n), KITH_I_RULE_EXTEND);
    n.extended = 1;
    assert_int_equal(kith_i_rule_of(&n), KITH_I_RULE_CLOSE);
    kith_i_range half = {0, KITH_I_CIRCLE / 2};
    assert_int_equal(kith_i_rule_expected(half, 1001), 500);
    assert_int_equal(kith_i_rule_target(half, 1000, 950000), 475);
    assert_int_equal(kith_i_rule_target(half, 1001, 1000000), 501);
    assert_true(kith_i_rule_target(half, 1000, 0) == UINT64_MAX);
    kith_i_range all = {0, KITH_I_CIRCLE};
    assert_true(kith_i_rule_target(all, UINT64_C(1) << 40, 1000000) ==
                UINT64_C(1) << 40);
}

static kith_i_driver lying;
static int64_t lie;
static kith_status (*true_now)(kith_i_db *db, int64_t *ms, kith_error *err);

static kith_status lying_now(kith_i_db *db, int64_t *ms, kith_error *err)
{
    kith_status status = true_now(db, ms, err);
    *ms += lie;
    return status;
}

/* A clock that jumps closes nothing, forward or back, a day or a year. */
static void test_clock(void **state)
{
    (void)state;
    static const int64_t day = 86400000,
                         jumps[] = {8 * 86400000LL, -86400000LL,
                                    366 * 86400000LL, -366 * 86400000LL};
    bed b;
    bed_start(&b);
    lying = *b.c->db->driver;
    true_now = lying.now;
    lying.now = lying_now;
    b.c->db->driver = &lying;
    add(&b, b.envelopes[0], b.played.count);
    kith_collect_step(b.c);
    for (size_t i = 0; i < sizeof jumps / sizeof *jumps; i++) {
        lie = jumps[i];
        kith_collect_step(b.c);
        assert_int_equal(b.live->round_state, KITH_I_ROUND_COLLECTING);
        assert_int_equal(b.live->extended, 0);
        assert_true(b.c->clock_jumped);
        lie = 0;
        kith_collect_step(b.c);
        assert_false(b.c->clock_jumped);
    }
    /* Down for eight days: no jump can be seen; the minimum holds. */
    lie = 8 * day;
    b.c->clock_known = 0;
    kith_collect_step(b.c);
    assert_int_equal(b.live->number, 1);
    bed_end(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_envelopes),
                                       cmocka_unit_test(test_invitations),
                                       cmocka_unit_test(test_queue_is_bounded),
                                       cmocka_unit_test(test_closed_elsewhere),
                                       cmocka_unit_test(test_failing_store),
                                       cmocka_unit_test(test_counted_once),
                                       cmocka_unit_test(test_rules),
                                       cmocka_unit_test(test_clock)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

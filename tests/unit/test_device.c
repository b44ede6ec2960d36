/* A device and a service that may lie: every guard of kith/device.h. */
#include "support/device_bed.h"

static const uint8_t NONE[32];
static const double X[BED_D] = {.25, 16};

typedef struct {
    uint64_t coins;
    kith_device_host host;
    const kith_task_view *task;
    bed_round made;
    const kith_round_view *round;
    kith_device device;
} bed;

static void open_bed(bed *b)
{
    struct kith_task_view task = bed_task();
    memset(b, 0, sizeof *b);
    kith_device_host_init(&b->host, bed_coins, &b->coins);
    b->task = bed_open_task(&task);
    bed_round_make(&b->made, b->task->id, 0, NONE, 1);
    b->round = bed_publish(&b->made);
}

static void close_bed(bed *b)
{
    free((void *)(uintptr_t)b->task);
    free((void *)(uintptr_t)b->round);
}

static kith_status answer(bed *b)
{
    uint64_t scratch[64];
    assert_true(kith_device_scratch(b->round) <= sizeof scratch);
    memset(scratch, 0xaa, sizeof scratch);
    kith_status status =
        kith_device_answer(&b->device, &b->host, b->task, b->round, X, scratch);
    /* Nothing of the record is left in the scratch. */
    for (size_t i = 0; !status && i < BED_D; i++)
        assert_int_equal(scratch[i], 0);
    return status;
}

/* Read a changed round: is it refused, with these words? */
static void refused(bed *b, kith_status status, const char *because)
{
    const kith_round_view *round = bed_publish(&b->made);
    uint8_t before[256], after[256];
    int asked = 1;
    kith_device_save(&b->device, before);
    assert_int_equal(kith_device_read(&b->device, &b->host, round, &asked),
                     status);
    assert_false(asked);
    if (!strstr(kith_device_why(&b->device), because))
        fail_msg("%s: %s", because, kith_device_why(&b->device));
    kith_device_save(&b->device, after);
    assert_memory_equal(before, after, sizeof after);
    free((void *)(uintptr_t)round);
}

static void test_one_answer(void **state)
{
    (void)state;
    int seen[BED_GROUPS] = {0};
    for (uint64_t user = 0; user < 60; user++) {
        bed b;
        uint8_t first[256], saved[256], one[80], two[80];
        int asked = 0;
        open_bed(&b);
        b.coins = user << 32;
        bed_enrol(&b.device, &b.host, b.task, NULL);
        assert_int_equal(answer(&b), KITH_ERR_ARGUMENT); /* not read yet */
        assert_int_equal(kith_device_read(&b.device, &b.host, b.round, &asked),
                         KITH_OK);
        assert_true(asked);
        kith_device_save(&b.device, first);
        assert_int_equal(kith_device_envelope(first, one), KITH_ERR_ARGUMENT);
        assert_int_equal(kith_device_preview(&b.device, b.round, two), KITH_OK);
        assert_int_equal(answer(&b), KITH_OK);
        kith_device_save(&b.device, saved);
        assert_int_equal(kith_device_envelope(saved, one), KITH_OK);
        /* All but the number was known before. */
        assert_memory_equal(one, two, 76);
        assert_memory_equal(two + 76, NONE, 4);
        assert_int_equal(kith_device_preview(&b.device, b.round, two),
                         KITH_ERR_ARGUMENT);
        /* The same bytes again, and no second answer, also after a restart. */
        assert_int_equal(answer(&b), KITH_ERR_BUDGET);
        assert_int_equal(kith_device_load(&b.device, saved), KITH_OK);
        assert_int_equal(answer(&b), KITH_ERR_BUDGET);
        assert_int_equal(kith_device_read(&b.device, &b.host, b.round, &asked),
                         KITH_OK);
        assert_false(asked);
        kith_device_save(&b.device, first);
        assert_memory_equal(first, saved, sizeof saved);
        assert_int_equal(kith_device_envelope(saved, two), KITH_OK);
        assert_memory_equal(one, two, sizeof one);
        /* The server counts it, in the group that both have drawn. */
        kith_i_report report;
        uint8_t seed[32], nonce[16], c[16], tag[16];
        assert_null(kith_i_report_read(one + 36, one[1], &report));
        uint16_t g = report.ticket.group;
        kith_i_draw_commit(b.task->id, one + 4, c);
        kith_i_task_tag(BED_KEY, b.task->id, c, tag);
        assert_memory_equal(tag, one + 20, 16);
        kith_i_draw_seed(tag, one + 4, seed);
        assert_true(
            kith_i_circle_has(kith_i_circle_range(&b.round->round.questions[g]),
                              kith_i_draw_point(seed)));
        kith_i_draw_nonce(seed, b.round->round.digest, g, nonce);
        assert_memory_equal(nonce, report.ticket.nonce, 16);
        /* In a fork of the round it would have been another. */
        kith_i_draw_nonce(seed, NONE, g, nonce);
        assert_memory_not_equal(nonce, report.ticket.nonce, 16);
        kith_i_tally *tally = NULL;
        kith_i_ticket ticket = {.group = g};
        memcpy(ticket.task, b.task->id, 16);
        assert_int_equal(kith_i_tally_new(&b.made.mechanisms[g], &ticket,
                                          b.round->round.digest, &tally, NULL),
                         KITH_OK);
        assert_int_equal(kith_i_tally_add(tally, one + 36, one[1], NULL),
                         KITH_OK);
        kith_i_tally_free(tally);
        uint64_t spent = 0;
        assert_int_equal(kith_device_spent(saved, &spent), KITH_OK);
        assert_int_equal(spent, KITH_LOSS_UNIT);
        seen[g]++;
        close_bed(&b);
    }
    for (int g = 0; g < BED_GROUPS; g++)
        assert_true(seen[g] > 0);
}

/* A service that could draw until it likes the group. */
static void test_drawn_once(void **state)
{
    (void)state;
    bed b;
    uint8_t c[16], tag[16], again[16] = {1};
    open_bed(&b);
    bed_enrol(&b.device, &b.host, b.task, NULL);
    kith_device_commitment(&b.device, c);
    kith_i_task_tag(BED_KEY, b.task->id, c, tag);
    assert_int_equal(kith_device_enrolled(&b.device, tag, 3, NONE), KITH_OK);
    assert_int_equal(kith_device_enrolled(&b.device, again, 0, NULL),
                     KITH_ERR_PRIVACY);
    close_bed(&b);
}

static void test_chain(void **state)
{
    (void)state;
    bed b;
    int asked;
    static const uint8_t other[32] = {1};
    open_bed(&b);
    bed_enrol(&b.device, &b.host, b.task, NULL);
    b.made.round.number = 1;
    refused(&b, KITH_ERR_PRIVACY, "missing");
    b.made.round.number = 0;
    memcpy(b.made.round.previous, other, 32);
    refused(&b, KITH_ERR_PRIVACY, "does not follow");
    memcpy(b.made.round.previous, NONE, 32);
    b.made.round.task[3] ^= 1;
    refused(&b, KITH_ERR_PRIVACY, "another task");
    b.made.round.task[3] ^= 1;
    assert_int_equal(kith_device_read(&b.device, &b.host, b.round, &asked),
                     KITH_OK);
    b.made.round.invited++; /* the same round, rewritten */
    refused(&b, KITH_ERR_PRIVACY, "published before");
    /* The second round, after another first one, and after this one. */
    b.made.round.number = 1;
    memcpy(b.made.round.previous, other, 32);
    refused(&b, KITH_ERR_PRIVACY, "does not follow");
    memcpy(b.made.round.previous, b.round->round.digest, 32);
    const kith_round_view *second = bed_publish(&b.made);
    assert_int_equal(kith_device_read(&b.device, &b.host, second, &asked),
                     KITH_OK);
    /* It was asked in the first round and did not answer: too late. */
    assert_int_equal(answer(&b), KITH_ERR_ARGUMENT);
    /* Who joins late starts at the round that was current, and at no other. */
    bed_enrol(&b.device, &b.host, b.task, second);
    assert_int_equal(kith_device_read(&b.device, &b.host, b.round, &asked),
                     KITH_ERR_PRIVACY);
    b.made.round.invited++;
    refused(&b, KITH_ERR_PRIVACY, "current at joining");
    assert_int_equal(kith_device_read(&b.device, &b.host, second, &asked),
                     KITH_OK);
    b.made.round.number = 64;
    refused(&b, KITH_ERR_PRIVACY, "too many rounds");
    free((void *)(uintptr_t)second);
    close_bed(&b);
}

static void test_limits(void **state)
{
    (void)state;
    bed b;
    open_bed(&b);
    bed_enrol(&b.device, &b.host, b.task, NULL);
    /* More than the task declares. */
    bed_round_make(&b.made, b.task->id, 0, NONE, 1.5);
    refused(&b, KITH_ERR_PRIVACY, "more than the task declares");
    /* Odds above the declared ones are not even read. */
    bed_round_make(&b.made, b.task->id, 0, NONE, 1);
    for (int g = 0; g < BED_GROUPS; g++)
        b.made.mechanisms[g].odds.num++;
    char *json = NULL;
    size_t bytes = 0;
    uint8_t digest[32];
    uint64_t arena[4096];
    const kith_round_view *view;
    assert_int_equal(
        kith_i_round_write(&b.made.round, &json, &bytes, digest, NULL),
        KITH_OK);
    assert_int_equal(
        kith_round_open(json, bytes, arena, sizeof arena, &view, NULL),
        KITH_ERR_INPUT);
    assert_null(view);
    kith_i_free(json);
    /* Groups of few. */
    bed_round_make(&b.made, b.task->id, 0, NONE, 1);
    b.made.round.invited = 199;
    refused(&b, KITH_ERR_PRIVACY, "smaller than this device allows");
    b.made.round.invited = 200;
    b.made.round.minimum = 49;
    refused(&b, KITH_ERR_PRIVACY, "smaller than this device allows");
    b.made.round.minimum = 50;
    /* One of several questions. */
    for (int g = 0; g < BED_GROUPS; g++)
        b.made.questions[g].partition = 1;
    refused(&b, KITH_ERR_PRIVACY, "one of several");
    /* Gaussian reports. */
    bed_round_make(&b.made, b.task->id, 0, NONE, 1);
    b.made.questions[0].share = 1;
    b.made.questions[0].randomizer = KITH_I_RANDOMIZER_GAUSSIAN;
    b.made.questions[0].delta = 1e-6;
    b.made.round.count = 1;
    assert_int_equal(kith_i_mechanism_make(&b.made.questions[0], BED_D,
                                           &b.made.mechanisms[0], NULL),
                     KITH_OK);
    refused(&b, KITH_ERR_PRIVACY, "Gaussian");
    close_bed(&b);
}

static void test_wallet(void **state)
{
    (void)state;
    bed b;
    int asked;
    open_bed(&b);
    b.host.wallet = 2.5;
    b.host.spent = KITH_LOSS_UNIT / 2 * 3 + 1;
    assert_int_equal(kith_device_join(&b.device, &b.host, b.task),
                     KITH_ERR_BUDGET);
    b.host.spent--;
    bed_enrol(&b.device, &b.host, b.task, NULL);
    /* Another task was paid in between: neither read nor answered. */
    b.host.spent++;
    assert_int_equal(kith_device_read(&b.device, &b.host, b.round, &asked),
                     KITH_ERR_BUDGET);
    b.host.spent--;
    assert_int_equal(kith_device_read(&b.device, &b.host, b.round, &asked),
                     KITH_OK);
    assert_true(asked);
    b.host.spent++;
    assert_int_equal(answer(&b), KITH_ERR_BUDGET);
    b.host.spent--;
    assert_int_equal(answer(&b), KITH_OK);
    for (double wallet = -1; wallet <= 0; wallet++) {
        b.host.wallet = wallet;
        assert_int_equal(kith_device_join(&b.device, &b.host, b.task),
                         KITH_ERR_BUDGET);
    }
    close_bed(&b);
}

static void test_tasks_refused(void **state)
{
    (void)state;
    for (int which = 0; which < 2; which++) {
        bed b;
        struct kith_task_view task = bed_task();
        open_bed(&b);
        task.test = which == 0;
        task.minimum = which == 0 ? 50 : 49;
        const kith_task_view *bad = bed_open_task(&task);
        assert_int_equal(kith_device_join(&b.device, &b.host, bad),
                         KITH_ERR_PRIVACY);
        b.host.test_tasks = 1;
        b.host.least_group = 49;
        assert_int_equal(kith_device_join(&b.device, &b.host, bad), KITH_OK);
        free((void *)(uintptr_t)bad);
        close_bed(&b);
    }
}

/* Another purpose, bound or epsilon is another task, whose rounds this one's
 * devices refuse. */
static void test_id_is_the_task(void **state)
{
    (void)state;
    struct kith_task_view base = bed_task();
    const kith_task_view *first = bed_open_task(&base);
    for (int i = 0; i < 5; i++) {
        struct kith_task_view task = bed_task();
        double wider[] = {-1, 10.5};
        if (i == 0)
            task.purpose = "to see that it Works";
        else if (i == 1)
            task.epsilon--;
        else if (i == 2)
            task.lower = wider;
        else if (i == 3)
            task.radius = 4.5;
        else
            task.minimum++;
        const kith_task_view *other = bed_open_task(&task);
        assert_memory_not_equal(first->id, other->id, 16);
        free((void *)(uintptr_t)other);
    }
    free((void *)(uintptr_t)first);
}

static void test_saved_bytes(void **state)
{
    (void)state;
    bed b;
    uint8_t saved[256], out[80];
    uint64_t spent;
    int asked;
    open_bed(&b);
    bed_enrol(&b.device, &b.host, b.task, NULL);
    assert_int_equal(kith_device_read(&b.device, &b.host, b.round, &asked),
                     KITH_OK);
    assert_int_equal(answer(&b), KITH_OK);
    kith_device_save(&b.device, saved);
    for (size_t i = 0; i < sizeof saved; i++)
        for (int bit = 0; bit < 8; bit++) {
            kith_device device;
            saved[i] ^= (uint8_t)(1 << bit);
            assert_int_equal(kith_device_load(&device, saved), KITH_ERR_INPUT);
            assert_int_equal(kith_device_spent(saved, &spent), KITH_ERR_INPUT);
            assert_int_equal(kith_device_envelope(saved, out), KITH_ERR_INPUT);
            saved[i] ^= (uint8_t)(1 << bit);
        }
    /* Well summed, but senseless. */
    static const struct {
        size_t at;
        uint8_t value;
    } bad[] = {{2, 2},  {3, 0},  {3, 4},  {3, 2},   {4, 65}, {8, 2},
               {9, 45}, {9, 40}, {10, 1}, {156, 1}, {223, 1}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        kith_device device;
        uint8_t copy[256];
        memcpy(copy, saved, sizeof copy);
        copy[bad[i].at] = bad[i].value;
        kith_i_sha256(copy, 224, copy + 224);
        if (kith_device_load(&device, copy) != KITH_ERR_INPUT)
            fail_msg("byte %zu", bad[i].at);
    }
    kith_device_forget(&b.device);
    for (size_t i = 0; i < 40; i++)
        assert_int_equal(b.device.inside[i], 0);
    close_bed(&b);
}

/* Coins that end after some bytes. */
static int failing(void *arg, void *bytes, size_t count)
{
    int *left = arg;
    memset(bytes, 7, count);
    return --*left < 0;
}

static void test_no_randomness(void **state)
{
    (void)state;
    for (int after = 0; after < 3; after++) {
        bed b;
        int left = 0, asked;
        uint8_t saved[256], out[80];
        open_bed(&b);
        kith_device_host broken = b.host;
        broken.coins = failing;
        broken.coins_arg = &left;
        assert_int_equal(kith_device_join(&b.device, &broken, b.task),
                         KITH_ERR_ENTROPY);
        bed_enrol(&b.device, &b.host, b.task, NULL);
        assert_int_equal(kith_device_read(&b.device, &b.host, b.round, &asked),
                         KITH_OK);
        left = after;
        b.host = broken;
        kith_status status = answer(&b);
        if (after < 2) { /* the coin, and the place on the ladder */
            assert_int_equal(status, KITH_ERR_ENTROPY);
            kith_device_save(&b.device, saved);
            assert_int_equal(kith_device_envelope(saved, out),
                             KITH_ERR_ARGUMENT);
        }
        close_bed(&b);
    }
}

/* Records outside of the bounds are as if they were on them. */
static void test_frame(void **state)
{
    (void)state;
    struct kith_task_view t = bed_task();
    kith_i_frame frame = {BED_D, t.lower, t.upper, t.center, t.radius};
    static const double in[][2] = {{1, 15},      {3, 15},         {9, 15},
                                   {-7, 15},     {1, 17},         {1, 1e300},
                                   {0. / 1, 15}, {-1e308, -1e308}};
    static const double out[][2] = {{0, 0},  {.5, 0}, {.5, 0},   {-.5, 0},
                                    {0, .5}, {0, 1},  {-.25, 0}, {0, 0}};
    for (int i = 0; i < 7; i++) {
        double got[2];
        kith_i_frame_record(&frame, in[i], got);
        for (int c = 0; c < 2; c++)
            assert_true(got[c] >= out[i][c] - 1e-12 &&
                        got[c] <= out[i][c] + 1e-12);
    }
    double odd[2] = {__builtin_nan(""), __builtin_inf()}, got[2];
    kith_i_frame_record(&frame, odd, got);
    assert_true(got[0] >= 0 && got[0] <= 0 && got[1] <= 1 && got[1] >= 1);
}

static void test_explain(void **state)
{
    (void)state;
    bed b;
    int asked;
    kith_device_words words;
    open_bed(&b);
    for (uint64_t user = 0; user < 40; user++) {
        b.coins = user << 32;
        bed_enrol(&b.device, &b.host, b.task, NULL);
        assert_int_equal(kith_device_read(&b.device, &b.host, b.round, &asked),
                         KITH_OK);
        assert_int_equal(
            kith_device_explain(&b.device, &b.host, b.round, &words), KITH_OK);
        double all = (double)words.favoured * words.likely +
                     (double)(words.numbers - words.favoured) * words.unlikely;
        assert_true(all > 1 - 1e-12 && all < 1 + 1e-12);
        assert_true(words.likely / words.unlikely <= 2.718281828459046);
        assert_true(words.epsilon >= 1 && words.epsilon <= 1);
        assert_true(words.left >= 7 && words.left <= 7);
        assert_non_null(strstr(words.text, "2.72 times as likely"));
        assert_non_null(
            strstr(words.text, "uses 1 of your epsilon and leaves 7"));
        assert_true(strlen(words.text) < sizeof words.text - 100);
        if (words.numbers == 2)
            assert_non_null(strstr(words.text, "with a chance of 73.1 %"));
    }
    close_bed(&b);
}

/* Points of devices: chi square over 64 arcs, false alarm 1e-6. */
static void test_points_are_uniform(void **state)
{
    (void)state;
    enum { USERS = 64000, ARCS = 64 };
    int seen[ARCS] = {0};
    uint64_t coins = 77;
    uint8_t task[16] = {1};
    for (int i = 0; i < USERS; i++) {
        uint8_t r[16], c[16], tag[16], seed[32];
        bed_coins(&coins, r, sizeof r);
        kith_i_draw_commit(task, r, c);
        kith_i_task_tag(BED_KEY, task, c, tag);
        kith_i_draw_seed(tag, r, seed);
        seen[kith_i_draw_point(seed) >> 47]++;
    }
    double x = 0;
    for (int a = 0; a < ARCS; a++)
        x += (seen[a] - 1000.) * (seen[a] - 1000.) / 1000;
    assert_true(x < 133.5 && x > 20); /* 63 degrees */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_answer),
        cmocka_unit_test(test_drawn_once),
        cmocka_unit_test(test_chain),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_wallet),
        cmocka_unit_test(test_tasks_refused),
        cmocka_unit_test(test_id_is_the_task),
        cmocka_unit_test(test_saved_bytes),
        cmocka_unit_test(test_no_randomness),
        cmocka_unit_test(test_frame),
        cmocka_unit_test(test_explain),
        cmocka_unit_test(test_points_are_uniform),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

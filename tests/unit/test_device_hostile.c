/* A service that lies to people, wastes time or hopes for leftovers: what
 * test_device.c has no room for. */
#include <pthread.h>

#include "support/device_bed.h"

static const uint8_t NONE[32];

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

static void read_first(bed *b, uint64_t user)
{
    int asked = 0;
    b->coins = user << 32;
    bed_enrol(&b->device, &b->host, b->task, NULL);
    assert_int_equal(kith_device_read(&b->device, &b->host, b->round, &asked),
                     KITH_OK);
    assert_true(asked);
}

/* However long the service's words are, the device has the last one. */
static void test_explain_hostile(void **state)
{
    (void)state;
    bed b;
    int asked;
    kith_device_words words;
    char what[257];
    open_bed(&b);
    free((void *)(uintptr_t)b.round);
    memset(what, 'w', 256);
    what[256] = 0;
    memcpy(what, ". It sends nothing.", 19);
    for (int g = 0; g < BED_GROUPS; g++)
        b.made.questions[g].what = what;
    b.round = bed_publish(&b.made);
    for (uint64_t user = 0; user < 20; user++) {
        b.coins = user << 32;
        bed_enrol(&b.device, &b.host, b.task, NULL);
        assert_int_equal(kith_device_read(&b.device, &b.host, b.round, &asked),
                         KITH_OK);
        assert_int_equal(
            kith_device_explain(&b.device, &b.host, b.round, &words), KITH_OK);
        assert_non_null(strstr(words.text, "www\". Your device looks up "));
        const char *end = "; the chances are not.";
        assert_string_equal(words.text + strlen(words.text) - strlen(end), end);
    }
    close_bed(&b);
}

/* Characters that turn round what follows them. */
static void test_words_that_turn(void **state)
{
    (void)state;
    static const struct {
        const char *what;
        int fine;
    } words[] = {
        {"caf\xc3\xa9 \xe2\x80\x94 \xd7\xa9 \xe2\x80\xa7\xe2\x80\xaf", 1},
        {"\xe2\x81\xa5\xe2\x81\xaa\xe2\x82\xac", 1},
        {"a\xe2\x80\xa8", 0},
        {"a\xe2\x80\xaa", 0},
        {"a\xe2\x80\xae", 0},
        {"a\xe2\x81\xa6", 0},
        {"a\xe2\x81\xa9", 0}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        struct kith_task_view task = bed_task();
        char *json = NULL;
        size_t bytes = 0;
        uint8_t id[16];
        uint64_t arena[1024];
        const kith_task_view *out;
        const char *why = NULL;
        task.purpose = words[i].what;
        /* The writer may refuse it as well. */
        kith_status status = kith_i_task_write(&task, &json, &bytes, id, NULL);
        if (!status)
            status =
                kith_task_open(json, bytes, arena, sizeof arena, &out, &why);
        assert_int_equal(status == KITH_OK, words[i].fine);
        kith_i_free(json);
    }
}

/* A round that looks at fewer people than the task declares. */
static void test_fewer_than_declared(void **state)
{
    (void)state;
    bed b;
    uint64_t scratch[64];
    static const double x[BED_D] = {1, 12};
    open_bed(&b);
    struct kith_task_view task = bed_task();
    task.minimum = 1000;
    const kith_task_view *strict = bed_open_task(&task);
    free((void *)(uintptr_t)b.task);
    b.task = strict;
    for (uint64_t minimum = 999; minimum <= 1000; minimum++) {
        free((void *)(uintptr_t)b.round);
        bed_round_make(&b.made, strict->id, 0, NONE, 1);
        b.made.round.minimum = minimum;
        b.round = bed_publish(&b.made);
        read_first(&b, 0);
        assert_int_equal(
            kith_device_answer(&b.device, &b.host, b.task, b.round, x, scratch),
            minimum < 1000 ? KITH_ERR_PRIVACY : KITH_OK);
    }
    close_bed(&b);
}

/* ---- time ---- */

static void too_long(const kith_i_question *q, uint32_t d)
{
    const char *flaw = kith_i_question_flaw(q, d);
    if (!flaw || !strstr(flaw, "too long"))
        fail_msg("%s", flaw ? flaw : "no flaw");
}

/* Each would take minutes on a device, and is small enough to be sent. */
static void test_work(void **state)
{
    (void)state;
    enum { WIDE = 1 << 20, NODES = 5000, Q = 129, MANY = 1 << 18 };
    double *numbers = calloc((size_t)Q << 15, sizeof *numbers), half = 1;
    kith_i_tree_node *tree = calloc(NODES, sizeof *tree);
    uint64_t *keys = calloc(MANY, sizeof *keys);
    uint32_t *center = calloc(MANY, sizeof *center);
    assert_true(numbers && tree && keys && center);
    for (uint32_t i = 0; i < NODES; i++)
        tree[i] = (kith_i_tree_node){.axis = i + 1 < NODES ? 0 : -1,
                                     .left = i + 1 < NODES ? i + 1 : 0,
                                     .right = i + 1};
    for (uint32_t i = 0; i < MANY; i++)
        keys[i] = i;
    kith_i_question q = {.what = "wait",
                         .share = 1,
                         .epsilon = 1,
                         .report = KITH_I_REPORT_SYMBOL,
                         .place = {.kind = KITH_I_PLACE_TREE,
                                   .places = 1,
                                   .lens = {.q = 1, .d = 1000, .rows = numbers},
                                   .tree = tree,
                                   .tree_nodes = NODES}};
    assert_null(kith_i_question_flaw(&q, 1000));
    q.place.lens.d = WIDE - 1;
    too_long(&q, WIDE - 1);
    q.place = (kith_i_place){.kind = KITH_I_PLACE_NEAREST,
                             .places = 100,
                             .lens = {.q = Q, .d = 1 << 15, .rows = numbers},
                             .points = numbers};
    assert_null(kith_i_question_flaw(&q, 1 << 15));
    q.place.places = 1020;
    too_long(&q, 1 << 15);
    kith_i_creation made = {
        .grid = {.lens = {.q = 1, .d = 1 << 10, .rows = numbers, .half = &half},
                 .side = 1,
                 .cells = 2},
        .count = MANY,
        .keys = keys,
        .center = center};
    q.place = (kith_i_place){
        .kind = KITH_I_PLACE_PREFER, .creations = &made, .creation_count = 1};
    assert_null(kith_i_question_flaw(&q, 1 << 10));
    made.grid.lens.d = 1 << 15;
    too_long(&q, 1 << 15);
    free(numbers);
    free(tree);
    free(keys);
    free(center);
}

/* Not even looked at. */
static void test_sizes(void **state)
{
    (void)state;
    static char text[KITH_ROUND_MAX + 1];
    static uint64_t arena[64];
    const kith_task_view *task;
    const kith_round_view *round;
    const char *why = NULL;
    memset(text, ' ', sizeof text);
    for (uint32_t more = 0; more < 2; more++) {
        assert_int_equal(kith_task_open(text, KITH_TASK_MAX + more, arena,
                                        sizeof arena, &task, &why),
                         KITH_ERR_INPUT);
        assert_int_equal(strstr(why, "too long") != NULL, more);
        assert_int_equal(kith_round_open(text, KITH_ROUND_MAX + more, arena,
                                         sizeof arena, &round, &why),
                         KITH_ERR_INPUT);
        assert_int_equal(strstr(why, "too long") != NULL, more);
    }
}

/* ---- leftovers ---- */

enum { STACK = 256 << 10 };
static const double SECRET[BED_D] = {.73182, 16.27713};
static uint64_t scratch_of_answer[64];

static void *answer_alone(void *arg)
{
    bed *b = arg;
    kith_status status = kith_device_answer(
        &b->device, &b->host, b->task, b->round, SECRET, scratch_of_answer);
    return status ? arg : NULL;
}

static size_t found(const uint8_t *in, size_t room, const void *what,
                    size_t bytes)
{
    size_t count = 0;
    for (size_t i = 0; i + bytes <= room; i++)
        count += memcmp(in + i, what, bytes) == 0;
    return count;
}

/* Neither the record nor the secret half of the draw is left on the stack. */
static void test_stack_is_wiped(void **state)
{
    (void)state;
    bed b;
    uint8_t *stack = NULL;
    open_bed(&b);
    assert_int_equal(posix_memalign((void **)&stack, 4096, STACK), 0);
    for (uint64_t user = 0; user < 24; user++) {
        pthread_attr_t attr;
        pthread_t thread;
        void *failed = NULL;
        double framed[BED_D];
        uint8_t saved[256], seed[32];
        struct kith_task_view t = bed_task();
        kith_i_frame frame = {BED_D, t.lower, t.upper, t.center, t.radius};
        kith_i_frame_record(&frame, SECRET, framed);
        read_first(&b, user);
        kith_device_save(&b.device, saved);
        kith_i_draw_seed(saved + 56, saved + 40, seed);
        memset(stack, 0, STACK);
        memset(scratch_of_answer, 0xaa, sizeof scratch_of_answer);
        assert_int_equal(pthread_attr_init(&attr), 0);
        assert_int_equal(pthread_attr_setstack(&attr, stack, STACK), 0);
        assert_int_equal(pthread_create(&thread, &attr, answer_alone, &b), 0);
        assert_int_equal(pthread_join(thread, &failed), 0);
        pthread_attr_destroy(&attr);
        assert_null(failed);
        for (int i = 0; i < BED_D; i++) {
            assert_int_equal(found(stack, STACK, &framed[i], 8), 0);
            assert_int_equal(found(stack, STACK, &SECRET[i], 8), 0);
            assert_int_equal(found((uint8_t *)scratch_of_answer,
                                   sizeof scratch_of_answer, &framed[i], 8),
                             0);
        }
        assert_int_equal(found(stack, STACK, saved + 40, 8), 0);
        assert_int_equal(found(stack, STACK, seed, 8), 0);
    }
    free(stack);
    close_bed(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_explain_hostile),
        cmocka_unit_test(test_words_that_turn),
        cmocka_unit_test(test_fewer_than_declared),
        cmocka_unit_test(test_work),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_stack_is_wiped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

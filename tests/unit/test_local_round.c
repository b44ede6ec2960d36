/* Published rounds: what is read is what was written, one spelling only, sizes,
 * hostile bytes. */
#include <math.h>

#include "collect/round_text.h"
#include "device/base64.h"
#include "support/cmocka_all.h"

enum { D = 3 };
static const double POINTS[] = {-.5, -.5, 0, .5, .5, .5, 0, 0, 0, .9, -.9, 0};
static const double RADII[] = {.3, .6, .1, 2};
static const double ROWS[] = {0, 1, 0, 1, 0, 0}, OFFSET[] = {.1, 0, 0},
                    HALF[] = {.4, .2, 1}, SHIFT[] = {.1, .15, 0};
static const kith_i_tree_node TREE[] = {{0, 1, 2, .1},
                                        {-1, 0, 0, 0},
                                        {1, 3, 4, -.05},
                                        {-1, 1, 0, 0},
                                        {-1, 2, 0, 0}};
static const uint64_t KEYS[] = {0, 3, 7};
static const uint32_t CENTER[] = {2, 0, 3};
static const uint8_t KEPT[] = {1, 0, 1, 1};

enum { COUNT = 7 };

/* One of each kind. */
static void fill(kith_i_question *q, kith_i_creation *made)
{
    kith_i_lens lens = {2, D, ROWS, OFFSET, HALF};
    kith_i_grid grid = {lens, .25, SHIFT, 4};
    kith_i_question base = {.what = "ein {Wort} \xc3\xa4",
                            .share = 0x1p-4,
                            .epsilon = 1,
                            .delta = 0};
    for (int i = 0; i < COUNT; i++)
        q[i] = base;
    for (int i = 0; i < COUNT; i++)
        q[i].offset = i * 0x1p-3;
    q[0].report = KITH_I_REPORT_VECTOR;
    q[0].place = (kith_i_place){.kind = KITH_I_PLACE_ONE, .places = 1};
    q[0].radii = RADII;
    q[1].report = KITH_I_REPORT_SYMBOL;
    q[1].place = (kith_i_place){.kind = KITH_I_PLACE_TREE,
                                .places = 3,
                                .lens = lens,
                                .tree = TREE,
                                .tree_nodes = 5};
    q[2].report = KITH_I_REPORT_DISTANCE;
    q[2].place = (kith_i_place){.kind = KITH_I_PLACE_NEAREST,
                                .places = 4,
                                .lens = {.q = D, .d = D},
                                .points = POINTS};
    q[2].bands = 10;
    q[2].top = 1.0 / 3;
    q[2].centers = POINTS;
    q[3].report = KITH_I_REPORT_SYMBOL;
    q[3].place =
        (kith_i_place){.kind = KITH_I_PLACE_GRID, .places = 16, .grid = grid};
    q[3].randomizer = KITH_I_RANDOMIZER_HADAMARD;
    q[4].report = KITH_I_REPORT_MOMENT;
    q[4].place = (kith_i_place){.kind = KITH_I_PLACE_LIST,
                                .places = 3,
                                .grid = grid,
                                .keys = KEYS,
                                .reach = .7};
    q[4].centers = POINTS;
    q[4].radii = RADII;
    *made = (kith_i_creation){.grid = grid,
                              .radius_number = 2,
                              .reach = 1.5,
                              .count = 3,
                              .keys = KEYS,
                              .center = CENTER};
    q[5].report = KITH_I_REPORT_SYMBOL;
    q[5].place = (kith_i_place){.kind = KITH_I_PLACE_PREFER,
                                .places = 4,
                                .points = POINTS,
                                .creations = made,
                                .creation_count = 1,
                                .kept = KEPT};
    q[5].partition = 3;
    q[5].offset = .25;
    q[6] = q[0];
    q[6].offset = .75;
    q[6].randomizer = KITH_I_RANDOMIZER_GAUSSIAN;
    q[6].delta = 1e-6;
}

typedef struct {
    kith_i_question questions[COUNT];
    kith_i_mechanism mechanisms[COUNT];
    kith_i_creation made;
    kith_i_round round;
    char *json;
    size_t bytes;
    uint8_t digest[32];
} written;

static void write_round(written *w)
{
    fill(w->questions, &w->made);
    w->round = (kith_i_round){.task = {1, 2, 250},
                              .number = 513,
                              .previous = {7},
                              .invited = 77777,
                              .minimum = 100,
                              .d = D,
                              .count = COUNT,
                              .questions = w->questions,
                              .mechanisms = w->mechanisms};
    for (int i = 0; i < COUNT; i++) {
        kith_error err;
        kith_status status =
            kith_i_mechanism_make(&w->questions[i], D, &w->mechanisms[i], &err);
        if (status)
            fail_msg("question %d: %s", i, err.message);
    }
    assert_int_equal(
        kith_i_round_write(&w->round, &w->json, &w->bytes, w->digest, NULL),
        KITH_OK);
}

static void test_read_is_what_was_written(void **state)
{
    (void)state;
    written w;
    write_round(&w);
    kith_i_round *r = NULL;
    kith_error err;
    if (kith_i_round_read(w.json, w.bytes, &r, &err))
        fail_msg("%s", err.message);
    assert_int_equal(r->number, 513);
    assert_int_equal(r->minimum, 100);
    assert_int_equal(r->invited, 77777);
    assert_int_equal(r->count, COUNT);
    assert_memory_equal(r->task, w.round.task, 16);
    assert_memory_equal(r->previous, w.round.previous, 32);
    assert_memory_equal(r->digest, w.digest, 32);
    /* Devices that read it find the same places. */
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 1, 0);
    for (int i = 0; i < COUNT; i++) {
        const kith_i_mechanism *m = &r->mechanisms[i], *n = &w.mechanisms[i];
        assert_int_equal(m->kind, n->kind);
        assert_int_equal(m->loss, n->loss);
        assert_int_equal(m->odds.num, n->odds.num);
        assert_int_equal(m->odds.den, n->odds.den);
        assert_int_equal(m->top, n->top);
        assert_int_equal(m->sigma.num, n->sigma.num);
        assert_int_equal(m->sigma.shift, n->sigma.shift);
        assert_true(m->alpha == n->alpha);
        assert_string_equal(r->questions[i].what, w.questions[i].what);
        assert_int_equal(r->questions[i].partition, w.questions[i].partition);
        assert_true(r->questions[i].offset == w.questions[i].offset);
        assert_true(r->questions[i].share == w.questions[i].share);
        for (int t = 0; t < 300; t++) {
            double x[D];
            float a[16] = {0}, b[16] = {0};
            for (int c = 0; c < D; c++)
                x[c] = 2 * kith_i_coins_unit(&coins) - 1;
            uint64_t coin = kith_i_coins_u64(&coins);
            assert_int_equal(kith_i_encode(&r->questions[i], D, x, coin, a),
                             kith_i_encode(&w.questions[i], D, x, coin, b));
            for (int c = 0; c < 16; c++)
                assert_true(fabsf(a[c] - b[c]) < 1e-5f);
        }
    }
    kith_i_round_free(r);
    kith_i_free(w.json);
}

/* Any byte changed, cut or added: refused, or (in a number) another round
 * with another digest. */
static void test_hostile_bytes(void **state)
{
    (void)state;
    written w;
    write_round(&w);
    static const char with[] = {'0', '9', 'A', '"', '}', '[', ' ', '\0', '-'};
    size_t accepted = 0;
    for (size_t i = 0; i < w.bytes; i++) {
        char was = w.json[i];
        w.json[i] = with[i % sizeof with];
        kith_i_round *r = NULL;
        kith_status status = kith_i_round_read(w.json, w.bytes, &r, NULL);
        assert_true(status == KITH_OK || status == KITH_ERR_INPUT);
        if (r && w.json[i] != was) {
            accepted++;
            assert_memory_not_equal(r->digest, w.digest, 32);
        }
        kith_i_round_free(r);
        w.json[i] = was;
        if (i % 7 == 0) {
            r = NULL;
            assert_int_equal(kith_i_round_read(w.json, i, &r, NULL),
                             KITH_ERR_INPUT);
            assert_null(r);
        }
    }
    assert_true(accepted < w.bytes);
    kith_i_free(w.json);
}

/* Not canonical: a space, an unknown key, another order, 1e0. */
static void test_one_spelling(void **state)
{
    (void)state;
    written w;
    write_round(&w);
    static const char *const pairs[][2] = {
        {"\"d\":3,", "\"d\": 3,"},
        {"\"d\":3,", "\"d\":3,\"dd\":3,"},
        {"\"d\":3,", "\"d\":3,\"d\":3,"},
        {"\"minimum\":100", "\"minimum\":1e2"},
        {"\"minimum\":100", "\"minimum\":-100"},
        {"\"version\":3", "\"version\":2"},
        {"\"version\":3", "\"version\":4"},
        {"\"version\":3}", "\"version\":3} "},
        {"\"d\":3,", "\"d\":03,"},
        {"\"d\":3,", "\"d\":,"},
        {"ein {", "ein \\n"},
        {"ein {", "ein \x07"},
        {"ein {", "ein \xc0\xaf"},
        {"ein {", "ein \xed\xa0\x80"},
        {"\"start\":1125899906842624,", "\"start\":0,"},
        {"\"start\":1125899906842624,", "\"start\":9007199254740992,"},
        {"\"length\":562949953421312", "\"length\":9007199254740992"},
        {"\"places\":4,\"points\":", "\"places\":4,\"reach\":"},
        {"\"report\":1,", "\"report\":3,"},
        {"\"rank\":0,", ""},
        {"\"rank\":0,", "\"rank\":1,"},
        {"\"rank\":1,", "\"rank\":3,"},
        {"\"places\":4,", "\"places\":5,"},
        {"\"places\":4,", "\"places\":4611686018427387904,"},
        {"\"cells\":4,", "\"cells\":4294967295,"},
        {"\"outputs\":256,", "\"outputs\":255,"},
        {"\"kind\":4,", "\"kind\":5,"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        char *at = memmem(w.json, w.bytes, pairs[i][0], strlen(pairs[i][0]));
        if (!at)
            fail_msg("%s is not there", pairs[i][0]);
        size_t before = (size_t)(at - w.json), old = strlen(pairs[i][0]),
               new = strlen(pairs[i][1]);
        char *text = malloc(w.bytes + 100);
        memcpy(text, w.json, before);
        memcpy(text + before, pairs[i][1], new);
        memcpy(text + before + new, at + old, w.bytes - before - old);
        kith_i_round *r = NULL;
        kith_error err = {0};
        if (!kith_i_round_read(text, w.bytes - old + new, &r, &err))
            fail_msg("accepted: %s", pairs[i][1]);
        if (i == 5 || i == 6)
            assert_non_null(strstr(err.message, "version"));
        free(text);
    }
    kith_i_free(w.json);
}

/* A round that is spelt well, and whose reports reveal more than it says. */
static void test_lies_about_the_loss(void **state)
{
    (void)state;
    for (int i = 0; i < COUNT; i++)
        for (int lie = 0; lie < 3; lie++) {
            written w;
            write_round(&w);
            kith_i_mechanism *m = &w.mechanisms[i];
            int gaussian = m->kind == KITH_I_RANDOMIZER_GAUSSIAN;
            if (lie == 1 && gaussian)
                m->sigma.num--;
            else if (lie == 1)
                m->odds.num++;
            else if (lie == 2)
                m->loss -= m->loss / 1000;
            kith_i_free(w.json);
            assert_int_equal(
                kith_i_round_write(&w.round, &w.json, &w.bytes, w.digest, NULL),
                KITH_OK);
            kith_i_round *r = NULL;
            assert_int_equal(kith_i_round_read(w.json, w.bytes, &r, NULL),
                             lie ? KITH_ERR_INPUT : KITH_OK);
            kith_i_round_free(r);
            kith_i_free(w.json);
        }
}

/* Memory is bounded by the length of the text, and by the arena. */
static void test_room(void **state)
{
    (void)state;
    written w;
    write_round(&w);
    size_t room = kith_i_round_room(w.bytes);
    uint64_t *arena = malloc(room);
    kith_i_round *r = NULL;
    assert_non_null(arena);
    assert_null(kith_i_round_open(w.json, w.bytes, arena, room, &r));
    assert_ptr_equal(r, arena);
    size_t low = 0, high = room;
    while (high - low > 1) { /* the least room that is enough */
        size_t middle = (low + high) / 2;
        uint8_t *exact = malloc(middle);
        if (kith_i_round_open(w.json, w.bytes, exact, middle, &r))
            low = middle;
        else
            high = middle;
        free(exact);
    }
    assert_true(high < room);
    free(arena);
    kith_i_free(w.json);
    const size_t bytes = (size_t)1 << 23;
    char *text = malloc(bytes);
    assert_non_null(text);
    for (size_t i = 0; i < bytes; i++)
        text[i] = i % 2 ? '0' : ',';
    text[0] = '[';
    assert_int_equal(kith_i_round_read(text, bytes, &r, NULL), KITH_ERR_INPUT);
    free(text);
}

/* Section 6: 1.5 k (d + 1) 4 bytes, 3 kB at k = 5, d = 100, plus a projection
 * of 1.2 kB; as text a third more, and less than 1.5 kB of words. */
static void test_size(void **state)
{
    (void)state;
    enum { WIDE = 100, CENTERS = 8, AXES = 3 };
    static double centers[CENTERS * WIDE], rows[AXES * WIDE];
    static double points[CENTERS * AXES], half[AXES] = {1, 1, 1};
    double radii[CENTERS];
    for (int i = 0; i < CENTERS; i++)
        radii[i] = .5;
    for (int i = 0; i < CENTERS * WIDE; i++)
        centers[i] = sin(i);
    for (int i = 0; i < AXES * WIDE; i++)
        rows[i] = cos(i);
    kith_i_question q = {.what = "first means",
                         .share = .141,
                         .epsilon = 1,
                         .report = KITH_I_REPORT_VECTOR,
                         .place = {.kind = KITH_I_PLACE_NEAREST,
                                   .places = CENTERS,
                                   .lens = {AXES, WIDE, rows, NULL, half},
                                   .points = points},
                         .centers = centers,
                         .radii = radii};
    kith_i_mechanism m;
    assert_int_equal(kith_i_mechanism_make(&q, WIDE, &m, NULL), KITH_OK);
    kith_i_round round = {
        .d = WIDE, .count = 1, .questions = &q, .mechanisms = &m};
    char *json;
    size_t bytes;
    uint8_t digest[32];
    assert_int_equal(kith_i_round_write(&round, &json, &bytes, digest, NULL),
                     KITH_OK);
    size_t raw = CENTERS * (WIDE + 1) * 4 + AXES * WIDE * 4;
    assert_true(bytes < raw * 4 / 3 + 1500);
    kith_i_free(json);
}

static void test_base64(void **state)
{
    (void)state;
    /* RFC 4648, section 10 */
    static const char *const pairs[][2] = {{"", ""},
                                           {"f", "Zg=="},
                                           {"fo", "Zm8="},
                                           {"foo", "Zm9v"},
                                           {"foob", "Zm9vYg=="},
                                           {"fooba", "Zm9vYmE="},
                                           {"foobar", "Zm9vYmFy"}};
    for (size_t i = 0; i < 7; i++) {
        char text[16];
        uint8_t back[16];
        size_t n = strlen(pairs[i][0]), length = kith_i_base64_length(n);
        assert_int_equal(length, strlen(pairs[i][1]));
        kith_i_base64_write((const uint8_t *)pairs[i][0], n, text);
        assert_memory_equal(text, pairs[i][1], length);
        assert_int_equal(kith_i_base64_read(text, length, back), n);
        assert_memory_equal(back, pairs[i][0], n);
    }
    static const char *const bad[] = {
        "Z",        "Zg=",  "Zh==", "Zm9=",  "====",
        "Zg==Zg==", "Z===", "Zm 9", "Zm9v\n"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_true(kith_i_base64_read(bad[i], strlen(bad[i]), NULL) ==
                    SIZE_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read_is_what_was_written),
        cmocka_unit_test(test_hostile_bytes),
        cmocka_unit_test(test_one_spelling),
        cmocka_unit_test(test_lies_about_the_loss),
        cmocka_unit_test(test_room),
        cmocka_unit_test(test_size),
        cmocka_unit_test(test_base64),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Vectors: task, round, coins and a record to the bytes that are sent. Native
 * code is compared here, WebAssembly under node by web/kith-device/test; both
 * read tests/vectors/device.json. KITH_WRITE_VECTORS=FILE writes it anew. */
#include <jansson.h>
#include <stdio.h>

#include "support/device_bed.h"

enum { USERS = 12, WIDE = 100 };

static void put_hex(json_t *to, const char *key, const uint8_t *bytes,
                    size_t count)
{
    char text[2 * 256 + 1];
    for (size_t i = 0; i < count; i++)
        sprintf(text + 2 * i, "%02x", bytes[i]);
    json_object_set_new(to, key, json_string(text));
}

/* What the texts and numbers of a vector lead to: the rest of it. */
static void play(json_t *vector)
{
    static uint64_t task_room[1 << 15], round_room[1 << 15], scratch[1 << 10];
    const char *task_json = json_string_value(json_object_get(vector, "task"));
    const char *round_json =
        json_string_value(json_object_get(vector, "round"));
    uint64_t coins =
        (uint64_t)json_integer_value(json_object_get(vector, "coins"));
    const kith_task_view *task;
    const kith_round_view *round;
    const char *why = "";
    uint8_t commitment[16], tag[16], saved[256], envelope[80];
    double x[WIDE];
    int asked = 0;
    kith_device device;
    kith_device_host host;
    kith_device_words words;
    const json_t *record = json_object_get(vector, "x");
    for (size_t i = 0; i < json_array_size(record); i++)
        x[i] = json_number_value(json_array_get(record, i));
    kith_device_host_init(&host, bed_coins, &coins);
    if (kith_task_open(task_json, strlen(task_json), task_room,
                       sizeof task_room, &task, &why) ||
        kith_round_open(round_json, strlen(round_json), round_room,
                        sizeof round_room, &round, &why))
        fail_msg("%s", why);
    assert_int_equal(kith_device_join(&device, &host, task), KITH_OK);
    kith_device_commitment(&device, commitment);
    kith_i_task_tag(BED_KEY, task->id, commitment, tag);
    assert_int_equal(kith_device_enrolled(&device, tag, 0, NULL), KITH_OK);
    assert_int_equal(kith_device_read(&device, &host, round, &asked), KITH_OK);
    assert_true(asked);
    assert_int_equal(kith_device_explain(&device, &host, round, &words),
                     KITH_OK);
    assert_true(kith_device_scratch(round) <= sizeof scratch);
    assert_int_equal(
        kith_device_answer(&device, &host, task, round, x, scratch), KITH_OK);
    kith_device_save(&device, saved);
    assert_int_equal(kith_device_envelope(saved, envelope), KITH_OK);
    put_hex(vector, "commitment", commitment, sizeof commitment);
    put_hex(vector, "tag", tag, sizeof tag);
    put_hex(vector, "saved", saved, sizeof saved);
    put_hex(vector, "envelope", envelope, sizeof envelope);
    json_object_set_new(vector, "text", json_string(words.text));
}

/* ---- making them ---- */

static json_t *text_of(char *json, size_t bytes)
{
    json_t *out = json_stringn(json, bytes);
    kith_i_free(json);
    return out;
}

/* One group for everybody, in 100 dimensions. */
static void wide_round(bed_round *b, const uint8_t *task, int moment)
{
    static const uint8_t none[32];
    static double radius = .75;
    bed_round_make(b, task, 0, none, 1);
    b->round.count = 1;
    b->round.d = WIDE;
    b->questions[0] = (kith_i_question){
        .what = "wide",
        .share = 1,
        .epsilon = 1,
        .report = moment ? KITH_I_REPORT_MOMENT : KITH_I_REPORT_VECTOR,
        .place = {.kind = KITH_I_PLACE_ONE, .places = 1},
        .radii = &radius};
    assert_int_equal(
        kith_i_mechanism_make(&b->questions[0], WIDE, &b->mechanisms[0], NULL),
        KITH_OK);
}

static json_t *make_one(int user)
{
    static const uint8_t none[32];
    static double lower[WIDE], upper[WIDE], center[WIDE];
    static const char *names[WIDE];
    int wide = user >= USERS - 2;
    struct kith_task_view task = bed_task();
    json_t *out = json_object(), *x = json_array();
    char *json;
    size_t bytes;
    uint8_t id[16], digest[32];
    bed_round b;
    for (int i = 0; i < WIDE; i++) {
        lower[i] = -1;
        upper[i] = 1;
        names[i] = "f";
    }
    if (wide) {
        task.d = WIDE;
        task.lower = lower;
        task.upper = upper;
        task.center = center;
        task.radius = 10;
        task.names = task.units = names;
    }
    assert_int_equal(kith_i_task_write(&task, &json, &bytes, id, NULL),
                     KITH_OK);
    json_object_set_new(out, "task", text_of(json, bytes));
    if (wide)
        wide_round(&b, id, user % 2);
    else
        bed_round_make(&b, id, 0, none, user % 2 ? 1 : .5);
    if (!wide && user % 2) {
        b.questions[1].randomizer = KITH_I_RANDOMIZER_HADAMARD;
        b.questions[2].randomizer = KITH_I_RANDOMIZER_OLH;
        for (int g = 1; g < 3; g++)
            assert_int_equal(kith_i_mechanism_make(&b.questions[g], BED_D,
                                                   &b.mechanisms[g], NULL),
                             KITH_OK);
    }
    assert_int_equal(kith_i_round_write(&b.round, &json, &bytes, digest, NULL),
                     KITH_OK);
    json_object_set_new(out, "round", text_of(json, bytes));
    for (uint32_t i = 0; i < task.d; i++)
        json_array_append_new(
            x, json_real(wide ? (i % 7) / 8.0 - .375 : 10.25 * i - user / 4.0));
    json_object_set_new(out, "x", x);
    json_object_set_new(out, "coins", json_integer((json_int_t)user << 20));
    play(out);
    return out;
}

static void test_vectors(void **state)
{
    (void)state;
    const char *write = getenv("KITH_WRITE_VECTORS");
    const char *source = getenv("KITH_SOURCE");
    char path[4096];
    json_t *made = json_array();
    for (int user = 0; user < USERS; user++)
        json_array_append_new(made, make_one(user));
    if (write) {
        assert_int_equal(
            json_dump_file(made, write, JSON_INDENT(1) | JSON_SORT_KEYS), 0);
        json_decref(made);
        return;
    }
    snprintf(path, sizeof path, "%s/tests/vectors/device.json",
             source ? source : ".");
    json_t *kept = json_load_file(path, 0, NULL);
    assert_non_null(kept);
    assert_int_equal(json_array_size(kept), USERS);
    for (size_t i = 0; i < USERS; i++) {
        json_t *vector = json_array_get(kept, i),
               *copy = json_deep_copy(vector);
        play(copy);
        assert_true(json_equal(copy, vector)); /* the device */
        assert_true(
            json_equal(json_array_get(made, i), vector)); /* the texts */
        json_decref(copy);
    }
    json_decref(kept);
    json_decref(made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_vectors)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The chain of published rounds: a device accepts the next round of its task,
 * made after the rounds that it has read, and nothing else. */
#include <string.h>

#include "collect/round_text.h"
#include "support/cmocka_all.h"

static const double RADIUS = 1;

/* A round with one question, published and read again. */
static kith_i_round *publish(const uint8_t task[16], uint16_t number,
                             const uint8_t previous[32], double share)
{
    kith_i_question q = {.what = "mean",
                         .share = share,
                         .epsilon = 1,
                         .report = KITH_I_REPORT_VECTOR,
                         .place = {.kind = KITH_I_PLACE_ONE, .places = 1},
                         .radii = &RADIUS};
    kith_i_mechanism mechanism;
    kith_i_round made = {.number = number,
                         .minimum = 1,
                         .d = 2,
                         .count = 1,
                         .questions = &q,
                         .mechanisms = &mechanism};
    kith_i_round *read = NULL;
    uint8_t digest[32];
    char *json = NULL;
    size_t bytes = 0;
    memcpy(made.task, task, sizeof made.task);
    memcpy(made.previous, previous, sizeof made.previous);
    assert_int_equal(kith_i_mechanism_make(&q, 2, &mechanism, NULL), KITH_OK);
    assert_int_equal(kith_i_round_write(&made, &json, &bytes, digest, NULL),
                     KITH_OK);
    assert_int_equal(kith_i_round_read(json, bytes, &read, NULL), KITH_OK);
    kith_i_free(json);
    return read;
}

static void refused(const kith_i_chain *chain, const uint8_t task[16],
                    uint16_t number, const uint8_t previous[32],
                    const char *because)
{
    kith_i_round *round = publish(task, number, previous, .1);
    const char *flaw = kith_i_round_follows(round, chain);
    assert_non_null(flaw);
    assert_string_equal(flaw, because);
    kith_i_round_free(round);
}

static void only_the_next_round_follows(void **state)
{
    (void)state;
    static const uint8_t task[16] = {1, 2, 3}, other[16] = {1, 2, 4}, none[32];
    kith_i_chain chain = {.task = {1, 2, 3}};
    kith_i_round *first = publish(task, 0, none, .1);
    kith_i_round *twin = publish(task, 0, none, .2);
    assert_null(kith_i_round_follows(first, &chain));
    refused(&chain, other, 0, none, "the round belongs to another task");
    refused(&chain, task, 1, none, "rounds are missing before this one");
    refused(&chain, task, 0, first->digest,
            "the round does not follow the one before it");
    kith_i_chain_advance(&chain, first);
    /* The first again; a round after another first round; a gap. */
    refused(&chain, task, 0, none, "the round was published before");
    refused(&chain, task, 0, first->digest, "the round was published before");
    refused(&chain, task, 1, twin->digest,
            "the round does not follow the one before it");
    refused(&chain, task, 1, none,
            "the round does not follow the one before it");
    refused(&chain, task, 2, first->digest,
            "rounds are missing before this one");
    refused(&chain, other, 1, first->digest,
            "the round belongs to another task");
    kith_i_round *second = publish(task, 1, first->digest, .1);
    assert_null(kith_i_round_follows(second, &chain));
    kith_i_chain_advance(&chain, second);
    assert_int_equal(chain.next, 2);
    assert_memory_equal(chain.digest, second->digest, 32);
    kith_i_round_free(second);
    kith_i_round_free(twin);
    kith_i_round_free(first);
}

/* One byte of the past changed is another past. */
static void every_byte_of_the_past_counts(void **state)
{
    (void)state;
    static const uint8_t task[16] = {9}, none[32];
    kith_i_round *first = publish(task, 0, none, .1);
    kith_i_chain chain = {.task = {9}};
    kith_i_chain_advance(&chain, first);
    for (int i = 0; i < 32; i++) {
        uint8_t digest[32];
        memcpy(digest, first->digest, sizeof digest);
        digest[i] ^= 1;
        refused(&chain, task, 1, digest,
                "the round does not follow the one before it");
    }
    kith_i_round_free(first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_the_next_round_follows),
        cmocka_unit_test(every_byte_of_the_past_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Secret randomness: fork-safe, wiped as it is used, deterministic only with
 * a seed (R11-R13). */

#include "noise/entropy.h"
#include "support/cmocka_all.h"
#include "support/copy_process.h"

static const kith_i_entropy_source secure = {.seeded = 0, .seed = 0};

static void test_source_is_the_system(void **state)
{
    (void)state;
    assert_int_equal(kith_i_entropy_check(NULL), KITH_OK);
    const char *name = kith_i_entropy_name();
    assert_true(!strcmp(name, "sysrandom") || !strcmp(name, "internal"));
}

static void test_words_are_wiped(void **state)
{
    (void)state;
    kith_i_entropy e;
    kith_i_entropy_open(&e, &secure, 0);
    for (int i = 0; i < 100; i++)
        (void)kith_i_entropy_word(&e);
    for (int i = 0; i < 100; i++)
        assert_int_equal(e.words[i], 0);
    kith_i_entropy_close(&e);
    const unsigned char *bytes = (const unsigned char *)&e;
    for (size_t i = 0; i < sizeof e; i++)
        assert_int_equal(bytes[i], 0);
}

enum { TAKEN = 4 };

static void take_words(void *arg, void *out)
{
    uint64_t *w = out;
    for (int i = 0; i < TAKEN; i++)
        w[i] = kith_i_entropy_word(arg);
}

/* Words of a copy, and of a copy of it. */
static void take_twice(void *arg, void *out)
{
    uint64_t *w = out;
    run_in_copy(1, take_words, arg, w + TAKEN, TAKEN * sizeof *w);
    take_words(arg, w);
}

/* A buffer filled before a process is copied must not serve both, however the
 * copy was made, nor a copy of the copy. Chance of a false alarm: 2^-57. */
static void test_fork(void **state)
{
    (void)state;
    for (int way = 0; way < COPY_WAYS; way++) {
        kith_i_entropy e;
        kith_i_entropy_open(&e, &secure, 0);
        (void)kith_i_entropy_word(&e);
        uint64_t w[3 * TAKEN];
        run_in_copy(way, take_twice, &e, w, 2 * TAKEN * sizeof *w);
        take_words(&e, w + 2 * TAKEN);
        for (int i = 0; i < 3 * TAKEN; i++)
            for (int j = 0; j < i; j++)
                assert_true(w[i] != w[j]);
        kith_i_entropy_close(&e);
    }
}

static void test_seed_and_streams(void **state)
{
    (void)state;
    kith_i_entropy_source seeded = {.seeded = 1, .seed = 42},
                          other = {.seeded = 1, .seed = 43};
    kith_i_entropy a, b, c, d;
    kith_i_entropy_open(&a, &seeded, 1);
    kith_i_entropy_open(&b, &seeded, 1);
    kith_i_entropy_open(&c, &seeded, 2);
    kith_i_entropy_open(&d, &other, 1);
    int same_c = 0, same_d = 0;
    for (int i = 0; i < 2000; i++) { /* over several refills */
        uint64_t w = kith_i_entropy_word(&a);
        assert_int_equal(w, kith_i_entropy_word(&b));
        same_c += w == kith_i_entropy_word(&c);
        same_d += w == kith_i_entropy_word(&d);
    }
    assert_int_equal(same_c + same_d, 0);
}

/* Bits of the secure source are not stuck: each of the 64 positions. */
static void test_bits_move(void **state)
{
    (void)state;
    kith_i_entropy e;
    kith_i_entropy_open(&e, &secure, 0);
    uint64_t ones = 0, zeros = 0;
    for (int i = 0; i < 64; i++) { /* false alarm: 64 * 2 * 2^-64 */
        uint64_t w = kith_i_entropy_word(&e);
        ones |= w;
        zeros |= ~w;
    }
    assert_int_equal(ones, UINT64_MAX);
    assert_int_equal(zeros, UINT64_MAX);
    kith_i_entropy_close(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_source_is_the_system),
        cmocka_unit_test(test_words_are_wiped),
        cmocka_unit_test(test_fork),
        cmocka_unit_test(test_seed_and_streams),
        cmocka_unit_test(test_bits_move),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

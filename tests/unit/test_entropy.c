/* Secret randomness: fork-safe, wiped as it is used, deterministic only with
 * a seed (R11-R13). */
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "noise/entropy.h"
#include "support/cmocka_all.h"

static const kith_i_entropy_source secure = {0, 0};

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

/* A buffer filled before a process is copied must not serve both, however the
 * copy was made: the second and third way run no handler. */
static pid_t copy_process(int way)
{
    if (way == 0)
        return fork();
    return way == 1 ? _Fork() : (pid_t)syscall(SYS_fork);
}

static void check_copy(int way)
{
    kith_i_entropy e;
    kith_i_entropy_open(&e, &secure, 0);
    (void)kith_i_entropy_word(&e);
    int pipes[2];
    assert_int_equal(pipe(pipes), 0);
    pid_t child = copy_process(way);
    if (child == 0) {
        uint64_t w[4];
        for (int i = 0; i < 4; i++)
            w[i] = kith_i_entropy_word(&e);
        _exit(write(pipes[1], w, sizeof w) == sizeof w ? 0 : 1);
    }
    uint64_t theirs[4];
    assert_int_equal(read(pipes[0], theirs, sizeof theirs), sizeof theirs);
    int status;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    for (int i = 0; i < 4; i++)
        assert_true(kith_i_entropy_word(&e) != theirs[i]); /* 2^-62 */
    kith_i_entropy_close(&e);
    close(pipes[0]);
    close(pipes[1]);
}

static void test_fork(void **state)
{
    (void)state;
    for (int way = 0; way < 3; way++)
        check_copy(way);
}

static void test_seed_and_streams(void **state)
{
    (void)state;
    kith_i_entropy_source seeded = {1, 42}, other = {1, 43};
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

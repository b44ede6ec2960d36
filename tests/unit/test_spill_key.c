/* The key of rows on disk is in one place of this process's memory, and nowhere
 * any more once they are closed: after a run, after one that failed, after a
 * disk that was full. The whole memory is searched. The key is drawn here, so
 * that it is known; it is kept inverted, so that it is not found here. */
#include <fcntl.h>
#include <signal.h>
#include <sodium.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "noise/secret.h"
#include "support/make_data.h"

enum { N = 14000, D = 150, KEY = 32, PART = 1 << 20 };

static char folder[] = "/tmp/kith_key_XXXXXX";
static double *rows;
static unsigned char inverted[KEY];
static unsigned char part[PART + KEY]; /* of the memory that is searched */

/* Takes the place of noise/secret.c. */
kith_status kith_i_secret_bytes(void *out, size_t bytes, kith_error *err)
{
    (void)err;
    unsigned char *k = out;
    randombytes_buf(out, bytes);
    for (size_t i = 0; bytes == KEY && i < KEY; i++)
        inverted[i] = (unsigned char)~k[i];
    return KITH_OK;
}

static int is_key(const unsigned char *p)
{
    int i = 0;
    while (i < KEY && p[i] == (unsigned char)~inverted[i])
        i++;
    return i == KEY;
}

/* How often it is in memory from one address to another. */
static int find_key(int memory, unsigned long from, unsigned long to)
{
    int found = 0;
    for (unsigned long at = from; at < to; at += PART) {
        size_t want = to - at < PART + KEY ? to - at : PART + KEY;
        ssize_t got = pread(memory, part, want, (off_t)at);
        ssize_t end = got - KEY + 1 < PART ? got - KEY + 1 : PART;
        for (ssize_t i = 0; i < end; i++) {
            unsigned char *p = memchr(part + i, (unsigned char)~inverted[0],
                                      (size_t)(end - i));
            if (!p)
                break;
            i = p - part;
            unsigned long where = at + (unsigned long)i;
            if (is_key(p) && (where + KEY <= (unsigned long)part ||
                              where >= (unsigned long)part + sizeof part))
                found++;
        }
    }
    explicit_bzero(part, sizeof part);
    return found;
}

static int count_keys(void)
{
    int memory = open("/proc/self/mem", O_RDONLY), found = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[512];
    assert_true(memory >= 0 && maps);
    while (fgets(line, sizeof line, maps)) {
        unsigned long from, to;
        char mode[8];
        if (sscanf(line, "%lx-%lx %7s", &from, &to, mode) == 3 &&
            mode[0] == 'r' && !strstr(line, "[v") &&
            to - from < 1UL << 32) /* not the shadow of a sanitizer */
            found += find_key(memory, from, to);
    }
    fclose(maps);
    close(memory);
    return found;
}

static kith_status load_rows(kith_dataset **out, kith_error *err)
{
    kith_array array = {.data = rows,
                        .type = KITH_FLOAT64,
                        .rows = N,
                        .columns = D,
                        .row_stride = D * sizeof *rows,
                        .column_stride = sizeof *rows};
    kith_source source = {.array = &array};
    kith_source_options opt;
    kith_source_options_init(&opt, sizeof opt);
    opt.spill = folder;
    opt.threads = 2;
    kith_bounds b = ball(4);
    return kith_dataset_load(&source, &opt, &b, out, err);
}

/* Where the file without a name is open. */
static int spill_file(void)
{
    for (int fd = 3; fd < 256; fd++) {
        char name[64], path[512] = "";
        snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
        if (readlink(name, path, sizeof path - 1) > 0 &&
            !strncmp(path, folder, strlen(folder)))
            return fd;
    }
    return -1;
}

static kith_status run(kith_dataset *data, int *keys)
{
    kith_session *s = open_session(data, 1, 1e-6, KITH_ADD_REMOVE, 2, 3);
    kith_kmeans_options opt;
    kith_kmeans_options_init(&opt, sizeof opt);
    opt.clusters = 3;
    kith_result *result = NULL;
    kith_status status = kith_kmeans(s, &opt, &result, NULL);
    *keys = count_keys();
    kith_result_free(result);
    kith_session_close(s);
    return status;
}

static void test_key_is_gone(void **state)
{
    (void)state;
    for (int touched = 0; touched < 2; touched++) {
        kith_dataset *data = NULL;
        int keys = 0;
        assert_int_equal(load_rows(&data, NULL), KITH_OK);
        if (count_keys() != 1) /* it can be found */
            fail_msg("the key is in memory %d times", count_keys());
        if (touched)
            assert_int_equal(pwrite(spill_file(), "x", 1, 1000), 1);
        assert_int_equal(run(data, &keys), touched ? KITH_ERR_STORE : KITH_OK);
        assert_int_equal(keys, 1); /* nor does a pass leave copies */
        assert_int_equal(count_keys(), 0);
        assert_int_equal(spill_file(), -1);
    }
}

static void test_key_of_a_full_disk(void **state)
{
    (void)state;
    struct rlimit old, little;
    kith_dataset *data = NULL;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    little = old;
    little.rlim_cur = 4 << 20;
    memset(inverted, 0, sizeof inverted);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &little), 0);
    kith_status status = load_rows(&data, NULL);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    assert_int_equal(status, KITH_ERR_STORE);
    assert_false(sodium_is_zero(inverted, KEY)); /* one was drawn */
    assert_int_equal(count_keys(), 0);
}

static int prepare(void **state)
{
    (void)state;
    rows = make_rows(N, D, 3, 1);
    return !mkdtemp(folder);
}

static int clean(void **state)
{
    (void)state;
    free(rows);
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_key_is_gone),
        cmocka_unit_test(test_key_of_a_full_disk),
    };
    return cmocka_run_group_tests(tests, prepare, clean);
}

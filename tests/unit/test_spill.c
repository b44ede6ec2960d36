/* Rows on disk: the same bits as in memory, and no way to read or change them:
 * what lies in the file is sealed, and a run on a file that was touched fails
 * without a result. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/domain.h"
#include "base/memory_left.h"
#include "data/fold.h"
#include "support/make_data.h"

enum { N = 60000, D = 150, K = 3 }; /* more than one wave */

static char folder[] = "/tmp/kith_spill_XXXXXX";
static double *rows;

static kith_status load_from(const char *spill, uint32_t threads,
                             kith_dataset **out, kith_error *err)
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
    opt.spill = spill;
    opt.threads = threads;
    kith_bounds b = ball(4);
    return kith_dataset_load(&source, &opt, &b, out, err);
}

/* The descriptor of the file without a name. */
static int spill_file(void)
{
    for (int fd = 3; fd < 256; fd++) {
        char name[64], path[512];
        snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
        ssize_t n = readlink(name, path, sizeof path - 1);
        if (n <= 0)
            continue;
        path[n] = 0;
        if (!strncmp(path, folder, strlen(folder)))
            return fd;
    }
    return -1;
}

static kith_status run(kith_dataset *data, uint32_t threads, char **text,
                       kith_error *err)
{
    kith_session *s = open_session(data, 1, 1e-6, KITH_ADD_REMOVE, threads, 3);
    kith_kmeans_options opt;
    kith_run about;
    kith_bounds b = ball(4);
    kith_kmeans_options_init(&opt, sizeof opt);
    kith_run_init(&about, sizeof about);
    opt.clusters = K;
    about.bounds = &b;
    about.kmeans = &opt;
    about.insecure = 1;
    about.insecure_seed = 3;
    kith_result *result = NULL;
    kith_status status = kith_kmeans(s, &opt, &result, err);
    assert_true(!status == !!result);
    if (!status)
        assert_int_equal(kith_model_text(result, &about, text, err), KITH_OK);
    kith_result_free(result);
    kith_session_close(s);
    return status;
}

static kith_dataset *load_spilled(uint32_t threads)
{
    kith_dataset *data = NULL;
    kith_error err = {0};
    if (load_from(folder, threads, &data, &err))
        fail_msg("%s", err.message);
    return data;
}

static void test_same_bits(void **state)
{
    (void)state;
    kith_dataset *data = NULL;
    kith_error err = {0};
    char *memory = NULL, *disk = NULL;
    assert_int_equal(load_from(NULL, 1, &data, &err), KITH_OK);
    assert_int_equal(spill_file(), -1);
    assert_int_equal(run(data, 1, &memory, &err), KITH_OK);
    for (uint32_t threads = 1; threads <= 3; threads += 2) {
        data = load_spilled(threads);
        assert_true(spill_file() >= 0);
        if (run(data, threads, &disk, &err))
            fail_msg("%s", err.message);
        assert_string_equal(disk, memory);
        kith_text_free(disk);
        assert_int_equal(spill_file(), -1); /* gone with the session */
    }
    kith_text_free(memory);
}

/* A byte of any chunk, a file cut short, chunks exchanged. */
static void test_touched_files(void **state)
{
    (void)state;
    for (int what = 0; what < 4; what++) {
        kith_dataset *data = load_spilled(2);
        int fd = spill_file();
        struct stat info;
        assert_int_equal(fstat(fd, &info), 0);
        off_t place = 850 * D * 2; /* somewhere in the first chunk */
        char byte[2];
        if (what == 0 || what == 1) {
            off_t at = what ? info.st_size - 40 : place;
            assert_int_equal(pread(fd, byte, 1, at), 1);
            byte[0] ^= 4;
            assert_int_equal(pwrite(fd, byte, 1, at), 1);
        }
        if (what == 2)
            assert_int_equal(ftruncate(fd, info.st_size - 1), 0);
        if (what == 3) { /* the first two chunks change places */
            off_t chunk = 1024 * D * 2 + 16;
            char *a = malloc((size_t)chunk), *b = malloc((size_t)chunk);
            assert_int_equal(pread(fd, a, (size_t)chunk, 0), chunk);
            assert_int_equal(pread(fd, b, (size_t)chunk, chunk), chunk);
            assert_int_equal(pwrite(fd, b, (size_t)chunk, 0), chunk);
            assert_int_equal(pwrite(fd, a, (size_t)chunk, chunk), chunk);
            free(a);
            free(b);
        }
        kith_error err = {0};
        char *text = NULL;
        assert_int_equal(run(data, 2, &text, &err), KITH_ERR_STORE);
        assert_non_null(strstr(err.message, "budget stays spent"));
        assert_null(text);
    }
}

/* No part of a row is in the file as it is in memory. */
static void test_nothing_in_clear(void **state)
{
    (void)state;
    /* equal rows, whose lattice values are known: +- 1/2 of 2^12 or so */
    for (size_t i = 0; i < (size_t)N * D; i++)
        rows[i] = i % 2 ? .25 : -.25;
    kith_dataset *data = load_spilled(1);
    int16_t step = (int16_t)(.25 / kith_dataset_step(data));
    int16_t pattern[8] = {(int16_t)-step, step, (int16_t)-step, step,
                          (int16_t)-step, step, (int16_t)-step, step};
    int fd = spill_file(), repeats = 0;
    unsigned char *bytes = malloc(1 << 22);
    ssize_t got = pread(fd, bytes, 1 << 22, 0);
    assert_true(got == 1 << 22);
    assert_null(memmem(bytes, (size_t)got, pattern, 8));
    for (ssize_t i = 16; i + 8 < got;
         i += 8) /* rows are equal, seals are not */
        repeats += !memcmp(bytes + i, bytes + i - 8, 8);
    assert_int_equal(repeats, 0);
    free(bytes);
    kith_dataset_free(data);
    assert_int_equal(spill_file(), -1);
}

static void test_full_disk(void **state)
{
    (void)state;
    struct rlimit old, little = {4 << 20, 4 << 20};
    kith_dataset *data = NULL;
    kith_error err = {0};
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    little.rlim_max = old.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &little), 0);
    kith_status status = load_from(folder, 2, &data, &err);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    assert_int_equal(status, KITH_ERR_STORE);
    assert_null(data);
    assert_non_null(strstr(err.message, "nothing was charged"));
    assert_int_equal(spill_file(), -1);
    assert_int_equal(load_from("/nowhere/at/all", 1, &data, &err),
                     KITH_ERR_STORE);
}

/* Who would read rows without looking whether it worked is refused. */
static void test_sessions_only(void **state)
{
    (void)state;
    kith_dataset *data = load_spilled(1);
    kith_plain_options opt;
    kith_plain_subspace_options planes;
    kith_result *result = NULL;
    kith_plain_options_init(&opt, sizeof opt);
    kith_plain_subspace_options_init(&planes, sizeof planes);
    opt.clusters = planes.clusters = 2;
    planes.subspace_dimension = 1;
    assert_int_equal(kith_plain_kmeans(data, &opt, &result, NULL),
                     KITH_ERR_ARGUMENT);
    assert_int_equal(kith_plain_kmedian(data, &opt, &result, NULL),
                     KITH_ERR_ARGUMENT);
    assert_int_equal(kith_plain_subspace(data, &planes, &result, NULL),
                     KITH_ERR_ARGUMENT);
    kith_dataset_free(data);
}

static int prepare(void **state)
{
    (void)state;
    rows = make_rows(N, D, K, 1);
    return !mkdtemp(folder);
}

static int clean(void **state)
{
    (void)state;
    free(rows);
    return rmdir(folder); /* it is empty: nothing had a name */
}

static void fill_nothing(void *arg, uint32_t worker, const kith_i_block *block,
                         int16_t *to)
{
    (void)worker;
    (void)block;
    (void)to;
    ++*(int *)arg;
}

/* A view that does not fit is refused, with what it takes and what is left:
 * 180 MB when 100 are; and it is not when 1 GB is. */
static void test_too_large_a_view(void **state)
{
    (void)state;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    skip(); /* their own memory is beyond any limit */
#endif
    enum { WIDE = 1500 };
    kith_dataset *data = NULL, *view = NULL;
    kith_bounds b = ball(4);
    assert_int_equal(load_from(folder, 1, &data, NULL), KITH_OK);
    for (int fits = 0; fits < 2; fits++) {
        struct rlimit was, now;
        kith_i_domain *domain = NULL;
        kith_error err = {0};
        int filled = 0;
        assert_int_equal(kith_i_domain_new(&b, WIDE, 0, &domain, NULL), 0);
        assert_int_equal(getrlimit(RLIMIT_AS, &was), 0);
        now = was;
        FILE *file = fopen("/proc/self/statm", "r");
        unsigned long pages = 0;
        assert_int_equal(fscanf(file, "%lu", &pages), 1);
        fclose(file);
        now.rlim_cur = pages * (rlim_t)sysconf(_SC_PAGESIZE) +
                       (fits ? 1000000000 : 100000000);
        assert_int_equal(setrlimit(RLIMIT_AS, &now), 0);
        uint64_t left = kith_i_memory_left();
        kith_status status = kith_i_dataset_derive(
            data, domain, 1, fill_nothing, &filled, &view, &err);
        assert_int_equal(setrlimit(RLIMIT_AS, &was), 0);
        assert_true(left <= (fits ? 1000000000 : 100000000));
        if (fits) {
            assert_int_equal(status, KITH_OK);
            assert_true(filled > 0);
            kith_dataset_free(view);
        } else {
            assert_int_equal(status, KITH_ERR_MEMORY);
            assert_non_null(strstr(err.message, "takes 0.2 GB, and 0.1 GB of"));
            assert_int_equal(filled, 0);
            kith_i_domain_free(domain);
        }
    }
    kith_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_touched_files),
        cmocka_unit_test(test_nothing_in_clear),
        cmocka_unit_test(test_full_disk),
        cmocka_unit_test(test_sessions_only),
        cmocka_unit_test(test_too_large_a_view),
    };
    return cmocka_run_group_tests(tests, prepare, clean);
}

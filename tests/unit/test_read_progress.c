/* How much of many files has been read: the share of their bytes, never less
 * than before, all of it at the end, for a single process and for a rank that
 * reads a part. Lines have one length here, so bytes are rows, and the truth is
 * known without looking at the files: one look comes with each piece of as many
 * rows. */
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "support/make_data.h"

enum { FILES = 24, MOST = 4000 };

static char folder[] = "/tmp/kith_meter_XXXXXX";
static char names[FILES][64];
static const char *paths[FILES];

typedef struct {
    unsigned seen[MOST], total;
    size_t count;
} looks;

static int look(void *arg, unsigned done, unsigned total)
{
    looks *l = arg;
    assert_true(l->count < MOST);
    l->seen[l->count++] = done;
    l->total = total;
    return 0;
}

/* From 3,000 to 60,000 rows, 45 bytes each. */
static uint32_t rows_of(int file)
{
    return 3000 + 57000 * (uint32_t)(file * 7 % FILES) / FILES;
}

static int prepare(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return 1;
    for (int f = 0; f < FILES; f++) {
        snprintf(names[f], sizeof names[f], "%s/%02d.csv", folder, f);
        paths[f] = names[f];
        FILE *file = fopen(names[f], "w");
        for (uint32_t r = 0; r < rows_of(f); r++)
            fprintf(file, "%.6f,%.6f,%.6f,%.6f,%.6f\n", (r % 997) / 1000., .5,
                    .25, (r % 13) / 20., .125);
        fclose(file);
    }
    return 0;
}

static int clean(void **state)
{
    (void)state;
    for (int f = 0; f < FILES; f++)
        unlink(names[f]);
    return rmdir(folder);
}

static looks read_files(size_t count, uint32_t part, uint32_t parts)
{
    looks l = {.count = 0};
    kith_source source = {.paths = paths, .path_count = count};
    kith_source_options opt;
    kith_source_options_init(&opt, sizeof opt);
    opt.progress = look;
    opt.progress_arg = &l;
    opt.threads = 1;
    opt.part = part;
    opt.parts = parts;
    kith_bounds b = unit_box();
    kith_dataset *data = NULL;
    kith_error err = {0};
    if (kith_dataset_load(&source, &opt, &b, &data, &err))
        fail_msg("%s", err.message);
    kith_dataset_free(data);
    return l;
}

/* slack: of 1. A window of text is 256 KB, and the last piece of a file has
 * fewer rows. */
static void check_straight(const looks *l, double slack)
{
    assert_true(l->count > 20);
    for (size_t i = 0; i < l->count; i++) {
        double told = l->seen[i] / (double)l->total;
        double true_share = (double)(i + 1) / (double)l->count;
        if (i > 0)
            assert_true(l->seen[i] >= l->seen[i - 1]);
        if (fabs(told - true_share) > slack)
            fail_msg("look %zu of %zu: %.3f is told, %.3f is true", i + 1,
                     l->count, told, true_share);
    }
    assert_int_equal(l->seen[l->count - 1], l->total);
}

static void test_many_files(void **state)
{
    (void)state;
    looks l = read_files(FILES, 0, 0);
    check_straight(&l, .03);
}

static void test_parts_of_many_files(void **state)
{
    (void)state;
    for (uint32_t rank = 0; rank < 3; rank++) { /* whole files, dealt */
        looks l = read_files(FILES, rank, 3);
        check_straight(&l, .09);
    }
    for (uint32_t rank = 0; rank < 3; rank++) { /* the middle of files */
        looks l = read_files(2, rank, 3);
        assert_int_equal(l.seen[l.count - 1], l.total);
        for (size_t i = 1; i < l.count; i++)
            assert_true(l.seen[i] >= l.seen[i - 1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_many_files),
        cmocka_unit_test(test_parts_of_many_files),
    };
    return cmocka_run_group_tests(tests, prepare, clean);
}

/* Out of memory everywhere in loading one row a person: each allocation fails
 * once. One thread, so that every run asks for memory alike. */
/* link: support/mem_failing.c */
#include "torture/torture.h"

#include <stdio.h>
#include <unistd.h>

enum { PEOPLE = 1500 }; /* the table grows twice */

static char path[] = "/tmp/kith_torture_XXXXXX.csv";

static kith_status open_people(const void *arg, kith_error *err)
{
    (void)arg;
    static const double low = -1, high = 1;
    kith_bounds b = {.lower = &low, .upper = &high, .box_count = 1};
    const char *paths[] = {path};
    kith_source_options so;
    kith_source_options_init(&so, sizeof so);
    so.threads = 1;
    so.user_column = "who";
    kith_dataset *data = NULL;
    kith_status status = kith_dataset_open(paths, 1, &so, &b, &data, err);
    assert_true((status == KITH_OK) == (data != NULL));
    kith_dataset_free(data);
    return status;
}

static void test_people(void **state)
{
    (void)state;
    int fd = mkstemps(path, 4);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
    assert_non_null(file);
    fprintf(file, "who,x,y\n");
    for (int i = 0; i < 2 * PEOPLE; i++)
        fprintf(file, "p%d,%g,%g\n", i % PEOPLE, i / 4000.0, -i / 4000.0);
    fclose(file);
    size_t failed = torture("people", open_people, NULL);
    unlink(path);
    assert_true(failed > 15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_people)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

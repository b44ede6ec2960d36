/* Under replace-one the number of rows is public, so nothing in a row may
 * change it (I41): the library's own door, without the command's checks. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/make_data.h"

static char path[] = "/tmp/kith-fixed-XXXXXX";

static void write_file(const char *text)
{
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, text, strlen(text)), (ssize_t)strlen(text));
    close(file);
}

static kith_status open_file(const char *text, const kith_source_options *opt,
                             kith_dataset **out)
{
    strcpy(strrchr(path, '-'), "-XXXXXX");
    write_file(text);
    const char *paths[] = {path};
    kith_bounds bounds = unit_box();
    kith_status status = kith_dataset_open(paths, 1, opt, &bounds, out, NULL);
    unlink(path);
    return status;
}

/* KITH_OK if rows read like this may be clustered under replace-one. */
static kith_status replace_one(kith_dataset *data)
{
    kith_session_options opt;
    kith_session_options_init(&opt, sizeof opt);
    opt.privacy = (kith_privacy){1, 0, KITH_REPLACE_ONE};
    kith_session *s = NULL;
    kith_status status = kith_session_open(data, &opt, &s, NULL);
    if (status) /* it stays with the caller (I23) */
        kith_dataset_free(data);
    kith_session_close(s);
    return status;
}

static void test_files(void **state)
{
    (void)state;
    static const char plain[] = "0.1,0.2\n0.3,0.4\n0.5,0.6\n",
                      missing[] = "0.1,0.2\nNA,0.4\n0.5,0.6\n",
                      words[] = "a,b\n0.3,0.4\n0.5,0.6\n",
                      blank[] = "0.1,0.2\n\n0.5,0.6\n";
    const struct {
        const char *text;
        int missing, header;
        kith_status fixed, loose; /* of reading */
    } cases[] = {
        {plain, KITH_MISSING_ERROR, KITH_HEADER_NO, KITH_OK, KITH_OK},
        {plain, KITH_MISSING_DROP, KITH_HEADER_NO, KITH_ERR_ARGUMENT, KITH_OK},
        {missing, KITH_MISSING_ERROR, KITH_HEADER_NO, KITH_ERR_INPUT,
         KITH_ERR_INPUT},
        {missing, KITH_MISSING_DROP, KITH_HEADER_NO, KITH_ERR_ARGUMENT,
         KITH_OK},
        {words, KITH_MISSING_ERROR, KITH_HEADER_AUTO, KITH_ERR_ARGUMENT,
         KITH_OK},
        {blank, KITH_MISSING_ERROR, KITH_HEADER_NO, KITH_ERR_INPUT, KITH_OK}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int fixed = 0; fixed < 2; fixed++) {
            kith_source_options opt;
            kith_source_options_init(&opt, sizeof opt);
            opt.format = KITH_FORMAT_CSV;
            opt.missing = cases[i].missing;
            opt.header = cases[i].header;
            opt.fixed_rows = fixed;
            kith_dataset *data = NULL;
            kith_status status = open_file(cases[i].text, &opt, &data);
            if (status != (fixed ? cases[i].fixed : cases[i].loose))
                fail_msg("case %zu, fixed %d: %d", i, fixed, (int)status);
            if (status)
                assert_null(data);
            else
                assert_int_equal(replace_one(data),
                                 fixed ? KITH_OK : KITH_ERR_PRIVACY);
        }
}

/* In memory the number is the caller's, unless rows are dropped. */
static void test_memory(void **state)
{
    (void)state;
    static const double rows[] = {.1, .2, .3, .4, .5, .6};
    for (int drop = 0; drop < 2; drop++) {
        kith_source_options opt;
        kith_source_options_init(&opt, sizeof opt);
        opt.missing = drop ? KITH_MISSING_DROP : KITH_MISSING_ERROR;
        kith_array array = {rows, KITH_FLOAT64, 3, 2, 16, 8};
        kith_source source = {.array = &array};
        kith_bounds bounds = unit_box();
        kith_dataset *data = NULL;
        assert_int_equal(kith_dataset_load(&source, &opt, &bounds, &data, NULL),
                         KITH_OK);
        assert_int_equal(replace_one(data), drop ? KITH_ERR_PRIVACY : KITH_OK);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_files),
                                       cmocka_unit_test(test_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

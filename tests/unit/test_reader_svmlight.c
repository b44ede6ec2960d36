/* svmlight reader: rows against hand-made tables and strtod, hostile lines
 * against the promised messages, every buffer edge. */
#include "test_reader_help.h"

#include "base/base_i.h"

static reading read_svm(const char *text, uint32_t dimension,
                        kith_missing missing, size_t chunk)
{
    kith_source_options opt = options(KITH_FORMAT_AUTO);
    opt.dimension = dimension;
    opt.missing = missing;
    return read_bytes("s.svm", text, strlen(text), chunk, &opt);
}

typedef struct {
    const char *text;
    kith_missing missing;
    size_t rows, pairs;
    double values[9]; /* dimension 3 */
} good_file;

static const good_file good_files[] = {
    {"1 1:2 3:4\n-1 2:5\n", 0, 2, 3, {2, 0, 4, 0, 5, 0}},
    {"1 1:2 3:4\r\n-1 2:5", 0, 2, 3, {2, 0, 4, 0, 5, 0}},
    {"\xef\xbb\xbf"
     "0.5e1\t3:-1e-3\n",
     0,
     1,
     1,
     {0, 0, -1e-3}},
    {"# a comment\n\n1 qid:7 1:1 # 2:2\n  +1   3:3  \n",
     0,
     2,
     2,
     {1, 0, 0, 0, 0, 3}},
    {"1\n2 # nothing\n3 qid:4\n", 0, 3, 0, {0}},
    {"1 1:0 2:-0\n", 0, 1, 2, {0, -0.0, 0}},
    {"1 1:nan\n1 2:1\n1 1:2 3:inf\n", KITH_MISSING_DROP, 1, 1, {0, 1, 0}},
    {"1 2:NA 3:1\n1 1:1e999\n1 1:1\n", KITH_MISSING_DROP, 1, 1, {1, 0, 0}},
    {"", 0, 0, 0, {0}},
    {"# only\n\n", 0, 0, 0, {0}},
};

static void test_good_files(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof good_files / sizeof *good_files; i++) {
        const good_file *f = &good_files[i];
        for (size_t chunk = 0; chunk < 30; chunk++) {
            reading r = read_svm(f->text, 3, f->missing, chunk);
            expect_rows(&r, f->rows, 3, f->values);
            assert_true(r.sparse);
            assert_int_equal(r.pairs, f->pairs);
            forget(&r);
        }
    }
}

typedef struct {
    const char *text;
    const char *words[3];
    const char *secret;
} bad_file;

static const bad_file bad_files[] = {
    {"1 1:2\n1 0:77\n", {"s.svm: line 2", "index 0"}, "77"},
    {"1 1:2\n\n1 4:77\n", {"s.svm: line 3", "--dimension"}, "77"},
    {"1 99999999999999999999999:77\n", {"s.svm: line 1", "--dimension"}, "77"},
    {"1 4294967297:77\n", {"s.svm: line 1", "--dimension"}, "77"},
    {"1 2:77 2:88\n", {"s.svm: line 1", "increase"}, "77"},
    {"1 3:77 2:88\n", {"s.svm: line 1", "increase"}, "88"},
    {"1 1:7x7\n", {"s.svm: line 1", "not a number"}, "7x7"},
    {"1 1:\n", {"s.svm: line 1", "not a number"}, NULL},
    {"1 1: 77\n", {"s.svm: line 1", "not a number"}, "77"},
    {"1 1:2:3\n", {"s.svm: line 1", "not a number"}, NULL},
    {"1 -1:77\n", {"s.svm: line 1", "index:value"}, "77"},
    {"1 x:77\n", {"s.svm: line 1", "index:value"}, "77"},
    {"1 :77\n", {"s.svm: line 1", "index:value"}, "77"},
    {"1 1\n", {"s.svm: line 1", "index:value"}, NULL},
    {"1 1:1 77\n", {"s.svm: line 1", "index:value"}, "77"},
    {"1:77 2:88\n", {"s.svm: line 1", "label"}, "77"},
    {"spam77 2:88\n", {"s.svm: line 1", "label"}, "spam"},
    {"7,8,9\n", {"s.svm: line 1", "label"}, "7,8"},
    {"1 1:nan\n", {"s.svm: line 1", "--missing drop"}, "nan"},
    {"1 3:inf\n", {"s.svm: line 1", "--missing drop"}, "inf"},
};

static void test_bad_files(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad_files / sizeof *bad_files; i++)
        for (size_t chunk = 0; chunk < 9; chunk++) {
            reading r = read_svm(bad_files[i].text, 3, 0, chunk);
            expect_failure(&r, KITH_ERR_INPUT, bad_files[i].words,
                           bad_files[i].secret);
            forget(&r);
        }
    reading r = read_svm("1 3:inf 1:2\n", 3, KITH_MISSING_DROP, 0);
    expect_failure(&r, KITH_ERR_INPUT, (const char *[]){"line 1", NULL}, NULL);
    kith_source_options opt = options(KITH_FORMAT_SVMLIGHT);
    opt.dimension = 3;
    r = read_bytes("s.svm", "1 1:1\n1 \0\n", 10, 0, &opt);
    expect_failure(&r, KITH_ERR_INPUT,
                   (const char *[]){"s.svm: line 2", "NUL", NULL}, NULL);
}

static void test_options(void **state)
{
    (void)state;
    reading r = read_svm("1 1:1\n", 0, 0, 0);
    expect_failure(&r, KITH_ERR_ARGUMENT,
                   (const char *[]){"--dimension", "public", NULL}, NULL);
    r = read_svm("1 1:1\n", 2000001, 0, 0);
    expect_failure(&r, KITH_ERR_INPUT, (const char *[]){"dimension", NULL},
                   NULL);
    r = read_svm("1 2000000:5\n", 2000000, 0, 0);
    assert_int_equal(r.status, KITH_OK);
    assert_true(r.values[1999999] == 5);
    forget(&r);
    kith_source_options opt = options(KITH_FORMAT_AUTO);
    opt.dimension = 1;
    kith_i_source mixed[] = {{"a.svm", "1 1:1\n", 6, 0},
                             {"b.csv", "1\n", 2, 0}};
    r = read_sources(mixed, 2, &opt);
    expect_failure(&r, KITH_ERR_INPUT,
                   (const char *[]){"b.csv", "sparse", NULL}, NULL);
    mixed[1] = (kith_i_source){"b.libsvm", "1 1:2\n", 6, 0};
    r = read_sources(mixed, 2, &opt);
    expect_rows(&r, 2, 1, (const double[]){1, 2});
    forget(&r);
    opt.columns = (const char *[]){"1"};
    opt.column_count = 1;
    r = read_sources(mixed, 1, &opt);
    expect_failure(&r, KITH_ERR_ARGUMENT, (const char *[]){"--columns", NULL},
                   NULL);
}

/* Random rows, many and long enough to make blocks end both ways. */
static void test_random_rows(void **state)
{
    (void)state;
    enum { ROWS = 2600, D = 400 };
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 9, 0);
    char *text = malloc((size_t)ROWS * D * 24), *p = text;
    double *want = calloc((size_t)ROWS * D, sizeof *want);
    size_t pairs = 0;
    assert_true(text && want);
    for (size_t i = 0; i < ROWS; i++) {
        p += snprintf(p, 8, "%d", (int)(i % 3));
        uint64_t rate = i < 1500 ? 20 : 1;
        for (size_t j = 0; j < D; j++) {
            if (kith_i_coins_below(&coins, rate))
                continue;
            p += snprintf(p, 8, " %zu:", j + 1);
            char *begin = p;
            p += snprintf(p, 15, "%.5g", kith_i_coins_normal(&coins));
            want[i * D + j] = strtod(begin, NULL);
            pairs++;
        }
        *p++ = '\n';
    }
    *p = 0;
    static const size_t chunks[] = {0, 501, 65536};
    for (size_t c = 0; c < 3; c++) {
        reading r = read_svm(text, D, 0, chunks[c]);
        expect_rows(&r, ROWS, D, want);
        assert_int_equal(r.pairs, pairs);
        assert_true(r.blocks >= 4);
        forget(&r);
    }
    free(text);
    free(want);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good_files),
        cmocka_unit_test(test_bad_files),
        cmocka_unit_test(test_options),
        cmocka_unit_test(test_random_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

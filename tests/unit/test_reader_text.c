/* CSV and TSV readers: values against strtod, shapes against tables, hostile
 * files against the promised messages, and every buffer edge. */
#include "test_reader_help.h"

#include <locale.h>
#include <math.h>

#include "base/base_i.h"
#include "data/reader_number.h"

/* ---- numbers ---- */

static void expect_number(const char *text)
{
    char padded[512] = {0};
    snprintf(padded, sizeof padded - 16, "%s", text);
    double got = 0, want = strtod(text, NULL); /* tests run in the C locale */
    const char *stop = kith_i_number_scan(padded, &got);
    if (!stop || memcmp(&got, &want, sizeof got) != 0) {
        print_error("%s: got %a, want %a\n", text, got, want);
        fail();
    }
    assert_ptr_equal(stop, padded + strlen(text));
}

static void test_numbers_hard_cases(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "0",
        "-0",
        "+0.0",
        "1",
        "-1",
        ".5",
        "5.",
        "1e5",
        "1E+5",
        "1e-5",
        "00012",
        "0.1",
        "0.2",
        "0.3",
        "123456789012345678",
        "9007199254740992",
        "9007199254740993",
        "9007199254740995",
        "-9007199254740993",
        "9007199254740993e1",
        "9007199254740993e-1",
        "9007199254740993.0",
        "18446744073709551615",
        "18446744073709551616",
        "9999999999999999999",
        "99999999999999999999",
        "1e22",
        "1e23",
        "8.5e22",
        "123456789e22",
        "9007199254740993e27",
        "1e28",
        "1e-27",
        "1e-28",
        "4503599627370497.5",
        "4503599627370496.5",
        "4503599627370497.50000000000000000000001",
        "1.7976931348623157e308",
        "2.2250738585072014e-308",
        "4.9e-324",
        "2e-324",
        "1e400",
        "1e-400",
        "0e99999999999",
        "1e-99999999999999999999",
        "0.000000000000000000001",
        "0.00000000000000000000000000000000000000000001234567890123456789",
        "1.8014398509481986e16",
        "36028797018963972",
        "36028797018963964e3",
        "6929495644600919.5",
        "3.14159265358979323846264338327950288",
        "000000000000000000000000000001.5",
        "9214843084008499",
        "0.500000000000000166533453693773481063544750213623046875",
        "3.518437208883201171875e13",
        "62.5364939768271845828",
        "8.10109172351e-10",
        "1.50000000000000011102230246251565",
        "5708990770823839207320493820740630171355185151999e-3"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_number(cases[i]);
}

static void test_numbers_random(void **state)
{
    (void)state;
    kith_i_coins coins;
    char text[400];
    kith_i_coins_seed(&coins, 71, 0);
    for (int i = 0; i < 300000; i++) {
        uint64_t bits = kith_i_coins_u64(&coins);
        double x;
        switch (i % 6) {
        case 0: /* any double, shortest way that comes back */
            memcpy(&x, &bits, sizeof x);
            if (!isfinite(x))
                continue;
            snprintf(text, sizeof text, "%.17g", x);
            break;
        case 1: /* what numpy.savetxt writes */
            snprintf(text, sizeof text, "%.18e",
                     kith_i_coins_normal(&coins) * 1000);
            break;
        case 2: /* any mantissa, exponents around the fast limits */
            snprintf(text, sizeof text, "%llue%d", (unsigned long long)bits,
                     (int)kith_i_coins_below(&coins, 64) - 32);
            break;
        case 3: { /* halfway between doubles, exactly: 54 bits, the last 1 */
            int shift = (int)kith_i_coins_below(&coins, i % 12 == 3 ? 3 : 60);
            long double half = (long double)(bits >> 10 | 1);
            snprintf(text, sizeof text, "%.*Lf", shift, ldexpl(half, -shift));
            break;
        }
        case 4:
            snprintf(text, sizeof text, "%.*f",
                     (int)kith_i_coins_below(&coins, 20),
                     kith_i_coins_normal(&coins));
            break;
        default: /* integers halfway between doubles: 2^53..2^64, odd tail */
            bits |= (uint64_t)1 << 63;
            bits = (bits >> 11 << 11 | 0x400) >> kith_i_coins_below(&coins, 11);
            snprintf(text, sizeof text, "%s%llu", bits & 16384 ? "-" : "",
                     (unsigned long long)bits);
        }
        expect_number(text);
    }
}

static void test_numbers_other_locale(void **state)
{
    (void)state;
    /* Where a comma is the decimal point, files still mean the same. */
    char command[400];
    snprintf(command, sizeof command,
             "localedef -i de_DE -f UTF-8 '%s' >/dev/null 2>&1",
             scratch_path("de_DE.UTF-8"));
    if (system(command) == 0)
        setenv("LOCPATH", scratch_path(""), 1);
    /* scripts/bootstrap.sh installs localedef: without it nothing is tested. */
    assert_non_null(setlocale(LC_ALL, "de_DE.UTF-8"));
    assert_true(strtod("0.5", NULL) == 0); /* it really is another locale */
    kith_source_options opt = options(KITH_FORMAT_CSV);
    reading r = read_text("1.23456789012345678901234,0.5\n", &opt);
    setlocale(LC_ALL, "C");
    double want[2] = {1.23456789012345678901234, 0.5};
    expect_rows(&r, 1, 2, want);
    forget(&r);
}

static void test_not_numbers(void **state)
{
    (void)state;
    static const char *const cases[] = {"",    "-",   "+",   ".",  "e5",
                                        "-.",  "--1", "+-1", "x",  "1e",
                                        "1e+", "nan", "inf", "-e1"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char padded[64] = {0};
        double x = 0;
        snprintf(padded, sizeof padded, "%s", cases[i]);
        assert_null(kith_i_number_scan(padded, &x));
    }
    static const char *const missing[] = {
        "",     "NA",   "na",   "N/A", "n/a",  "NaN",  "nan",     "-nan",
        "null", "NULL", "None", "inf", "-Inf", "+INF", "Infinity"};
    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++)
        assert_true(kith_i_number_is_missing(missing[i], strlen(missing[i])));
    static const char *const others[] = {"-", "n",   "nano", "na n",
                                         "0", "nil", "n.a",  "infinit"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_false(kith_i_number_is_missing(others[i], strlen(others[i])));
}

/* ---- well-formed files ---- */

typedef struct {
    const char *text;
    kith_format format;
    kith_header header;
    kith_missing missing;
    size_t rows, dimension;
    double values[8];
} good_file;

#define CSV KITH_FORMAT_CSV
#define TSV KITH_FORMAT_TSV
static const good_file good_files[] = {
    {"1,2\n3,4\n", CSV, 0, 0, 2, 2, {1, 2, 3, 4}},
    {"1,2\r\n3,4\r\n", CSV, 0, 0, 2, 2, {1, 2, 3, 4}},
    {"1,2\n3,4", CSV, 0, 0, 2, 2, {1, 2, 3, 4}},
    {"1,2\r\n3,4\r", CSV, 0, 0, 2, 2, {1, 2, 3, 4}},
    {"\xef\xbb\xbf"
     "1,2\n",
     CSV,
     0,
     0,
     1,
     2,
     {1, 2}},
    {"\xef\xbb\xbf"
     "a,b\n1,2\n",
     CSV,
     0,
     0,
     1,
     2,
     {1, 2}},
    {"\n\n1,2\n\n \t\n3,4\n\n", CSV, 0, 0, 2, 2, {1, 2, 3, 4}},
    {" 1 ,\t2 \n 3,4\t\n", CSV, 0, 0, 2, 2, {1, 2, 3, 4}},
    {"\"1\",\" 2 \"\n \"3\" ,4\n", CSV, 0, 0, 2, 2, {1, 2, 3, 4}},
    {"1\t2\n3\t 4 \n", TSV, 0, 0, 2, 2, {1, 2, 3, 4}},
    {"\"1\"\t\"2\"\n", TSV, 0, 0, 1, 2, {1, 2}},
    {"x\n-5e-1\n", CSV, 0, 0, 1, 1, {-0.5}},
    {"1,2\n3,4\n", CSV, KITH_HEADER_YES, 0, 1, 2, {3, 4}},
    {"1,\n3,4\n", CSV, 0, KITH_MISSING_DROP, 1, 2, {3, 4}},
    {"a,b\n1,2\n,4\n5,NA\nnan,1\n\"\",1\n1e999,1\n-inf,2\n7,8\n",
     CSV,
     0,
     KITH_MISSING_DROP,
     2,
     2,
     {1, 2, 7, 8}},
    {"1\t\n\t\n2\t3\n", TSV, 0, KITH_MISSING_DROP, 1, 2, {2, 3}},
    {"NA,null\n", CSV, 0, KITH_MISSING_DROP, 0, 2, {0}},
    {"\"a,1\nb\",\"x\"\"y\"\n1,2\n", CSV, 0, 0, 1, 2, {1, 2}},
    /* A header alone is a dataset without rows. */
    {"a,b\n", CSV, 0, 0, 0, 2, {0}},
    {"a\tb\tc", TSV, KITH_HEADER_YES, 0, 0, 3, {0}},
    {"2019,2020\n", CSV, KITH_HEADER_YES, 0, 0, 2, {0}},
    {"\n \nx\n1\n2", CSV, 0, 0, 2, 1, {1, 2}},
    {"\n1\n\n2\n \n", CSV, 0, KITH_MISSING_DROP, 2, 1, {1, 2}},
    {",a\n1,2\n", CSV, 0, 0, 1, 2, {1, 2}},
};

static void test_good_files_at_every_buffer_edge(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof good_files / sizeof *good_files; i++) {
        const good_file *f = &good_files[i];
        kith_source_options opt = options(f->format);
        opt.header = f->header;
        opt.missing = f->missing;
        for (size_t chunk = 0; chunk < 40; chunk++) {
            reading r = read_bytes("t", f->text, strlen(f->text), chunk, &opt);
            expect_rows(&r, f->rows, f->dimension, f->values);
            forget(&r);
        }
    }
}

static void test_blocks_of_a_longer_file(void **state)
{
    (void)state;
    /* 3000 rows of 100: blocks of 1024 rows; compared with strtod. */
    enum { ROWS = 3000, D = 100 };
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 5, 0);
    char *text = malloc(ROWS * D * 32), *p = text;
    double *want = malloc(ROWS * D * sizeof *want);
    assert_true(text && want);
    for (int i = 0; i < ROWS * D; i++) {
        char *begin = p;
        p += snprintf(p, 31, "%.*g", 1 + (int)kith_i_coins_below(&coins, 17),
                      kith_i_coins_normal(&coins));
        want[i] = strtod(begin, NULL);
        *p++ = i % D == D - 1 ? '\n' : ',';
    }
    kith_source_options opt = options(KITH_FORMAT_CSV);
    static const size_t chunks[] = {0, 1000, 4096, 65537};
    for (size_t c = 0; c < sizeof chunks / sizeof *chunks; c++) {
        reading r = read_bytes("t", text, (size_t)(p - text), chunks[c], &opt);
        expect_rows(&r, ROWS, D, want);
        assert_int_equal(r.blocks, 3);
        forget(&r);
    }
    free(text);
    free(want);
}

/* ---- columns and shards ---- */

static void test_columns(void **state)
{
    (void)state;
    const char *text = "id,name,x,y\n7,\"Ann, the \"\"A\"\"\nB\",1,2\n"
                       "8,5\" pipe,3,4\n";
    const char *by_name[] = {"y", "x"}, *by_number[] = {"4", "1"};
    kith_source_options opt = options(KITH_FORMAT_CSV);
    opt.columns = by_name;
    opt.column_count = 2;
    for (size_t chunk = 0; chunk < 30; chunk++) {
        reading r = read_bytes("t", text, strlen(text), chunk, &opt);
        expect_rows(&r, 2, 2, (const double[]){2, 1, 4, 3});
        forget(&r);
    }
    opt.columns = by_number;
    reading r = read_text(text, &opt);
    expect_rows(&r, 2, 2, (const double[]){2, 7, 4, 8});
    forget(&r);
    opt.header = KITH_HEADER_NO;
    opt.columns = (const char *[]){"1"};
    opt.column_count = 1;
    r = read_text("1,a\n2,b\n", &opt);
    expect_rows(&r, 2, 1, (const double[]){1, 2});
    forget(&r);
    /* The line number counts the newline inside a quoted field. */
    opt = options(KITH_FORMAT_CSV);
    opt.columns = (const char *[]){"x"};
    opt.column_count = 1;
    opt.header = KITH_HEADER_YES;
    r = read_text("n,x\n\"a\nb\",1\nc,?\n", &opt);
    expect_failure(&r, KITH_ERR_INPUT,
                   (const char *[]){"t.csv: line 4: column 2 (x)", NULL}, "?");
    /* Missing values in columns that nobody asked for do not matter. */
    r = read_text("n,x\n,1\nNA,2\n", &opt);
    expect_rows(&r, 2, 1, (const double[]){1, 2});
    forget(&r);
}

static void expect_column_error(const char *text, const char *column,
                                const char *second, kith_status status,
                                const char *word)
{
    kith_source_options opt = options(KITH_FORMAT_CSV);
    const char *columns[] = {column, second};
    opt.columns = columns;
    opt.column_count = second ? 2 : 1;
    reading r = read_text(text, &opt);
    expect_failure(&r, status, (const char *[]){"t.csv", word, NULL}, NULL);
}

static void test_bad_columns(void **state)
{
    (void)state;
    const char *text = "a,b,b\n1,2,3\n";
    expect_column_error(text, "z", NULL, KITH_ERR_INPUT, "no column \"z\"");
    expect_column_error(text, "b", NULL, KITH_ERR_INPUT, "more than one");
    expect_column_error(text, "0", NULL, KITH_ERR_INPUT, "no column");
    expect_column_error(text, "4", NULL, KITH_ERR_INPUT, "no column");
    expect_column_error(text, "", NULL, KITH_ERR_INPUT, "no column");
    expect_column_error(text, "1x", NULL, KITH_ERR_INPUT, "no column");
    expect_column_error(text, "99999999999999999999", NULL, KITH_ERR_INPUT,
                        "no column");
    expect_column_error(text, "a", "1", KITH_ERR_ARGUMENT, "twice");
    expect_column_error("1,2\n", "a", NULL, KITH_ERR_INPUT, "without a header");
    expect_column_error("1\n", "1", "2", KITH_ERR_INPUT, "fewer");
}

static reading read_two(const char *one, const char *two,
                        const kith_source_options *opt)
{
    kith_i_source sources[2] = {{"one.csv", one, strlen(one), 0},
                                {"two.csv", two, strlen(two), 3}};
    return read_sources(sources, 2, opt);
}

static void test_shards(void **state)
{
    (void)state;
    kith_source_options opt = options(KITH_FORMAT_AUTO);
    reading r = read_two("1,2\n", "3,4\n5,6\n", &opt);
    expect_rows(&r, 3, 2, (const double[]){1, 2, 3, 4, 5, 6});
    assert_int_equal(r.blocks, 2);
    forget(&r);
    r = read_two("a,b\n1,2\n", "a,b\n3,4\n", &opt);
    expect_rows(&r, 2, 2, (const double[]){1, 2, 3, 4});
    forget(&r);
    r = read_two("a,b\n1,2\n", "b,a\n3,4\n", &opt);
    expect_failure(&r, KITH_ERR_INPUT,
                   (const char *[]){"two.csv", "one.csv", "name", NULL}, NULL);
    r = read_two("a,b\n1,2\n", "3,4\n", &opt);
    expect_failure(&r, KITH_ERR_INPUT,
                   (const char *[]){"two.csv: line 1", "no header", NULL},
                   NULL);
    r = read_two("1,2\n", "a,b\n3,4\n", &opt);
    expect_failure(&r, KITH_ERR_INPUT, (const char *[]){"two.csv", NULL}, NULL);
    r = read_two("1,2\n", "3,4,5\n", &opt);
    expect_failure(&r, KITH_ERR_INPUT, (const char *[]){"two.csv", NULL}, NULL);
    opt.columns = (const char *[]){"b"};
    opt.column_count = 1;
    r = read_two("a,b\n1,2\n", "b,c,a\n3,x,4\n", &opt);
    expect_rows(&r, 2, 1, (const double[]){2, 3});
    forget(&r);
}

/* Without rows: the number of features comes from a header, from another
 * shard, or from the options. */
static void test_no_rows(void **state)
{
    (void)state;
    kith_source_options opt = options(KITH_FORMAT_AUTO);
    static const char *const pairs[][2] = {
        {"", "1,2\n"}, {"1,2\n", ""}, {"1,2\n", "\n \n"}, {"\n", "1,2"}};
    for (size_t i = 0; i < 4; i++) {
        reading r = read_two(pairs[i][0], pairs[i][1], &opt);
        expect_rows(&r, 1, 2, (const double[]){1, 2});
        forget(&r);
    }
    reading r = read_two("a,b\n", "a,b\n1,2\n", &opt);
    expect_rows(&r, 1, 2, (const double[]){1, 2});
    forget(&r);
    r = read_two("", "\n", &opt);
    expect_failure(&r, KITH_ERR_INPUT, (const char *[]){"one.csv", NULL}, NULL);
    opt.dimension = 3;
    r = read_two("", "\n", &opt);
    expect_rows(&r, 0, 3, NULL);
    forget(&r);
    opt.dimension = 1;
    r = read_two("", "\n", &opt);
    expect_failure(&r, KITH_ERR_INPUT,
                   (const char *[]){"two.csv: line 1: column 1", NULL}, NULL);
    opt.missing = KITH_MISSING_DROP;
    r = read_two("", "\n", &opt);
    expect_rows(&r, 0, 1, NULL);
    forget(&r);
    opt.dimension = 0;
    opt.columns = (const char *[]){"b", "a"};
    opt.column_count = 2;
    r = read_two("", "", &opt);
    expect_rows(&r, 0, 2, NULL);
    forget(&r);
    opt.dimension = 3;
    r = read_two("", "", &opt);
    expect_failure(&r, KITH_ERR_INPUT, (const char *[]){"--dimension", NULL},
                   NULL);
}

static void test_shards_are_checked_at_open(void **state)
{
    (void)state;
    const char *one = scratch_path("one.csv");
    write_file(one, "1,2\n", 4);
    kith_source_options opt = options(KITH_FORMAT_AUTO);
    const char *paths[2] = {one, scratch_path("absent.csv")};
    kith_i_reader *reader = NULL;
    kith_error err;
    assert_int_equal(kith_i_reader_open(paths, 2, &opt, &reader, &err),
                     KITH_ERR_INPUT);
    assert_null(reader);
    assert_non_null(strstr(err.message, "absent.csv"));
    /* And a file that changes before its turn comes is checked again. */
    paths[1] = scratch_path("two.csv");
    write_file(paths[1], "3,4\n", 4);
    assert_int_equal(kith_i_reader_open(paths, 2, &opt, &reader, &err), 0);
    write_file(paths[1], "3,4,5\n", 6);
    kith_i_rows rows;
    assert_int_equal(kith_i_reader_next(reader, &rows, &err), KITH_OK);
    assert_int_equal(kith_i_reader_next(reader, &rows, &err), KITH_ERR_INPUT);
    kith_i_reader_close(reader);
}

/* ---- hostile files ---- */

typedef struct {
    const char *text;
    size_t length; /* 0: strlen */
    kith_header header;
    const char *words[4];
    const char *secret;
} bad_file;

static const bad_file bad_files[] = {
    {"", 0, 0, {"t.csv", "no rows", "--dimension"}, NULL},
    {"", 0, KITH_HEADER_YES, {"t.csv", "no rows", "--dimension"}, NULL},
    {"\n \n\r\n", 0, 0, {"t.csv", "no rows"}, NULL},
    {"\xef\xbb\xbf", 0, 0, {"t.csv", "no rows"}, NULL},
    /* A first row with a mistake is no header. */
    {"0x10,2\n3,4\n", 0, 0, {"t.csv: line 1", "--no-header"}, "0x10"},
    {"\n1d5,2\n3,4\n", 0, 0, {"t.csv: line 2", "--no-header"}, "1d5"},
    {"Ann,3\nBob,4\n", 0, 0, {"t.csv: line 1", "--header"}, "Ann"},
    {"Ann,\"-4%\"\n", 0, 0, {"t.csv: line 1", "--header"}, "Ann"},
    {".x,y\n", 0, 0, {"t.csv: line 1", "--header"}, ".x"},
    {"+x\n", 0, 0, {"t.csv: line 1", "--header"}, "+x"},
    /* What may be a row is not shown. */
    {"Ann,HIV+\nBob,4\n", 0, 0, {"t.csv: line 2: column 1 is"}, "Ann"},
    {"Ann,HIV+\n1,NA\n", 0, 0, {"t.csv: line 2: column 2 has"}, "HIV"},
    /* The blank line of a file with one column is a row. */
    {"1\n\n2\n", 0, 0, {"t.csv: line 2: column 1", "--missing drop"}, NULL},
    {"x\n1\n \t\r\n", 0, 0, {"t.csv: line 3: column 1"}, NULL},
    {"\n\n1\n2\n", 0, 0, {"t.csv: line 1: column 1"}, NULL},
    {"1,2\n3\n", 0, 0, {"t.csv: line 2", "expected 2", "found 1"}, NULL},
    {"1,2\n3,4,5\n", 0, 0, {"t.csv: line 2", "expected 2", "found 3"}, NULL},
    {"1,2\n3,4,\n", 0, 0, {"t.csv: line 2", "found 3"}, NULL},
    {"1,2\n3,\n", 0, 0, {"t.csv: line 2: column 2", "--missing drop"}, NULL},
    {"a,b\n\n1,2\nNA,4242\n",
     0,
     KITH_HEADER_YES,
     {"t.csv: line 4: column 1 (a)", "--missing drop"},
     "4242"},
    {"1,2\n3,inf\n", 0, 0, {"t.csv: line 2: column 2", "--missing"}, "inf"},
    {"1,2\n3,1e999\n", 0, 0, {"t.csv: line 2: column 2"}, "1e999"},
    {"a,b\n1,secret\n",
     0,
     KITH_HEADER_YES,
     {"t.csv: line 2: column 2 (b)", "--columns"},
     "secret"},
    {"a,b\n1,12.5.6\n", 0, 0, {"t.csv: line 2: column 2 is"}, "12.5"},
    {"a,b\n1,0x1F\n", 0, 0, {"t.csv: line 2: column 2 is"}, "0x1F"},
    {"a,b\n1,77 88\n", 0, 0, {"t.csv: line 2: column 2 is"}, "77"},
    {"a,b\n1,12,34\n", 0, 0, {"line 2", "expected 2", "found 3"}, "12"},
    {"1,x7x,3\n4,5,6\n", 0, KITH_HEADER_NO, {"line 1: column 2"}, "x7x"},
    {"1,2\nx9x,4,5\n", 0, 0, {"line 2", "expected 2", "found 3"}, "x9x"},
    {"1,\"2\n3,4\n", 0, 0, {"t.csv: line 1", "quote"}, NULL},
    {"1,2\n3,\"4\" 88\n", 0, 0, {"line 2: column 2", "quote"}, "88"},
    {"a,\"b\"c\n1,2\n", 0, 0, {"t.csv", "column 2", "quote"}, NULL},
    {"1,2\n3,\0", 7, 0, {"t.csv: line 2", "NUL"}, NULL},
    {"1,\0\n3,4\n", 8, 0, {"t.csv: line 1", "NUL"}, NULL},
    {"\xff\xfe"
     "1\0,\0"
     "2\0\n\0",
     10,
     0,
     {"t.csv: line 1", "NUL"},
     NULL},
    {"a\x1b[31m,b\nx,1\n",
     0,
     KITH_HEADER_YES,
     {"line 2: column 1 (a?[31m)"},
     "\x1b"},
};

static void test_bad_files(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad_files / sizeof *bad_files; i++) {
        const bad_file *f = &bad_files[i];
        kith_source_options opt = options(KITH_FORMAT_CSV);
        opt.header = f->header;
        size_t length = f->length ? f->length : strlen(f->text);
        reading whole = read_bytes("t.csv", f->text, length, 0, &opt);
        expect_failure(&whole, KITH_ERR_INPUT, f->words, f->secret);
        for (size_t chunk = 1; chunk < 9; chunk++) {
            reading r = read_bytes("t.csv", f->text, length, chunk, &opt);
            r.rows = whole.rows; /* blocks before the error may differ */
            forget(&r);
            assert_string_equal(r.err.message, whole.err.message);
        }
        forget(&whole);
    }
}

static void test_nul_in_a_column_not_chosen(void **state)
{
    (void)state;
    kith_source_options opt = options(KITH_FORMAT_CSV);
    opt.columns = (const char *[]){"x"};
    opt.column_count = 1;
    reading r = read_bytes("t.csv", "x,y\n1,a\n2,\0\n", 12, 0, &opt);
    expect_failure(&r, KITH_ERR_INPUT,
                   (const char *[]){"t.csv: line 3", "NUL", NULL}, NULL);
    forget(&r);
}

static void test_long_names_and_lines(void **state)
{
    (void)state;
    /* A long name is cut between characters (here two bytes each). */
    char text[400] = "a", *p = text + 1;
    for (int i = 0; i < 60; i++, p += 2)
        memcpy(p, "\xc3\xa4", 2);
    memcpy(p, "\nx\n", 4);
    kith_source_options opt = options(KITH_FORMAT_CSV);
    opt.header = KITH_HEADER_YES;
    reading r = read_text(text, &opt);
    expect_failure(
        &r, KITH_ERR_INPUT,
        (const char *[]){"line 2: column 1 (a\xc3\xa4", "\xc3\xa4...)", NULL},
        NULL);
    opt.header = KITH_HEADER_AUTO;
    size_t commas = 2000000;
    char *line = malloc(commas + 1);
    assert_non_null(line);
    memset(line, ',', commas);
    r = read_bytes("t.csv", line, commas, 0, &opt);
    expect_failure(&r, KITH_ERR_INPUT,
                   (const char *[]){"t.csv: line 1", "2000000", NULL}, NULL);
    /* One less is a row, of missing values. */
    r = read_bytes("t.csv", line, commas - 1, 0, &opt);
    expect_failure(&r, KITH_ERR_INPUT,
                   (const char *[]){"t.csv: line 1: column 1", NULL}, NULL);
    free(line);
}

static void test_options(void **state)
{
    (void)state;
    kith_source_options opt = options(KITH_FORMAT_CSV);
    assert_int_equal(opt.size, sizeof opt);
    opt.dimension = 3;
    reading r = read_text("1,2\n", &opt);
    expect_failure(&r, KITH_ERR_INPUT,
                   (const char *[]){"t.csv", "--dimension", NULL}, NULL);
    opt.dimension = 2;
    r = read_text("1,2\n", &opt);
    expect_rows(&r, 1, 2, (const double[]){1, 2});
    forget(&r);
    opt = options(KITH_FORMAT_AUTO);
    r = read_bytes("t.txt", "1,2\n", 4, 0, &opt);
    expect_failure(&r, KITH_ERR_ARGUMENT,
                   (const char *[]){"t.txt", "--format", NULL}, NULL);
    r = read_bytes("-", "1,2\n", 4, 0, &opt);
    expect_failure(&r, KITH_ERR_ARGUMENT, (const char *[]){"--format", NULL},
                   NULL);
    opt.size = 0;
    r = read_text("1,2\n", &opt);
    expect_failure(&r, KITH_ERR_ARGUMENT, NULL, NULL);
    opt = options((kith_format)99);
    r = read_text("1,2\n", &opt);
    expect_failure(&r, KITH_ERR_ARGUMENT, NULL, NULL);
    opt = options(KITH_FORMAT_CSV);
    r = read_sources(NULL, 0, &opt);
    expect_failure(&r, KITH_ERR_ARGUMENT, NULL, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers_hard_cases),
        cmocka_unit_test(test_numbers_random),
        cmocka_unit_test(test_numbers_other_locale),
        cmocka_unit_test(test_not_numbers),
        cmocka_unit_test(test_good_files_at_every_buffer_edge),
        cmocka_unit_test(test_blocks_of_a_longer_file),
        cmocka_unit_test(test_columns),
        cmocka_unit_test(test_bad_columns),
        cmocka_unit_test(test_shards),
        cmocka_unit_test(test_no_rows),
        cmocka_unit_test(test_shards_are_checked_at_open),
        cmocka_unit_test(test_bad_files),
        cmocka_unit_test(test_nul_in_a_column_not_chosen),
        cmocka_unit_test(test_long_names_and_lines),
        cmocka_unit_test(test_options),
    };
    return cmocka_run_group_tests(tests, NULL, remove_scratch);
}

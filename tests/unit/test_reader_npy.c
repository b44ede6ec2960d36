/* NPY reader: arrays built byte by byte here, every type, order and byte
 * order; hostile headers; sizes that lie; missing values. */
#include "test_reader_help.h"

#include <float.h>
#include <math.h>
#include <zlib.h>

enum { MAX_BYTES = 1 << 20 };

typedef struct {
    unsigned char bytes[MAX_BYTES];
    size_t count;
} array;

static array built; /* too large for the stack */

/* Magic, version, length, then the dictionary padded to 64 bytes. */
static void put_header(array *a, int version, const char *dictionary)
{
    size_t start = version == 1 ? 10 : 12, length = strlen(dictionary) + 1;
    length += (64 - (start + length) % 64) % 64;
    memset(a->bytes, ' ', start + length);
    memcpy(a->bytes, "\x93NUMPY", 6);
    a->bytes[6] = (unsigned char)version;
    a->bytes[7] = 0;
    a->bytes[8] = (unsigned char)(length & 255);
    a->bytes[9] = (unsigned char)(length >> 8);
    if (version > 1)
        a->bytes[10] = a->bytes[11] = 0;
    memcpy(a->bytes + start, dictionary, strlen(dictionary));
    a->bytes[start + length - 1] = '\n';
    a->count = start + length;
}

static void put_array(array *a, const char *type, int fortran, size_t rows,
                      size_t columns)
{
    char dictionary[200];
    snprintf(dictionary, sizeof dictionary,
             "{'descr': '%s', 'fortran_order': %s, 'shape': (%zu, %zu), }",
             type, fortran ? "True" : "False", rows, columns);
    put_header(a, 1, dictionary);
}

/* width bytes of bits, least or most significant byte first. */
static void put_bits(array *a, uint64_t bits, unsigned width, int big)
{
    for (unsigned i = 0; i < width; i++)
        a->bytes[a->count++] =
            (unsigned char)(bits >> 8 * (big ? width - 1 - i : i));
}

static uint64_t bits_of_float(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static uint64_t bits_of_double(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static reading read_built(const kith_source_options *opt, size_t chunk)
{
    return read_bytes("a.npy", built.bytes, built.count, chunk, opt);
}

/* ---- values ---- */

typedef struct {
    const char *type; /* without byte order */
    uint64_t bits[6];
    double values[6];
} type_case;

static type_case types[] = {
    {"f8", {0}, {0.1, -2.5, DBL_MAX, 5e-324, -0.0, 3}},
    {"f4",
     {0},
     {(double)0.1f, -2.5, (double)FLT_MAX, (double)FLT_MIN, -0.0, 3}},
    /* 1, -2, largest 65504, smallest subnormal, 1/3 rounded, 0.5 */
    {"f2",
     {0x3c00, 0xc000, 0x7bff, 0x0001, 0x3555, 0x3800},
     {1, -2, 65504, 0x1p-24, 1365.0 / 4096, 0.5}},
    {"i1", {0x7f, 0x80, 0xff, 0, 1, 2}, {127, -128, -1, 0, 1, 2}},
    {"i2", {0x7fff, 0x8000, 0xffff, 0, 258, 2}, {32767, -32768, -1, 0, 258, 2}},
    {"i4",
     {0x7fffffff, 0x80000000, 0xffffffff, 0, 16909060, 2},
     {2147483647.0, -2147483648.0, -1, 0, 16909060, 2}},
    {"i8",
     {0x7fffffffffffffff, 0x8000000000000000, UINT64_MAX, 0, 0x0102030405060708,
      9007199254740993},
     {0x1p63, -0x1p63, -1, 0, 72623859790382856.0, 9007199254740992.0}},
    {"u1", {0xff, 0x80, 0, 1, 2, 3}, {255, 128, 0, 1, 2, 3}},
    {"u2", {0xffff, 0x8000, 0, 1, 258, 3}, {65535, 32768, 0, 1, 258, 3}},
    {"u4",
     {0xffffffff, 0x80000000, 0, 1, 16909060, 3},
     {4294967295.0, 2147483648.0, 0, 1, 16909060, 3}},
    {"u8",
     {UINT64_MAX, (uint64_t)1 << 63, 0, 1, 0x0102030405060708, 3},
     {0x1p64, 0x1p63, 0, 1, 72623859790382856.0, 3}},
    {"b1", {1, 0, 1, 1, 0, 1}, {1, 0, 1, 1, 0, 1}},
};

/* 3 x 2, the six values in row order. */
static void build_case(const type_case *t, char order, int fortran)
{
    char type[8];
    unsigned width = (unsigned)(t->type[1] - '0');
    snprintf(type, sizeof type, "%c%s", order, t->type);
    put_array(&built, type, fortran, 3, 2);
    for (size_t i = 0; i < 6; i++) {
        size_t at = fortran ? i % 3 * 2 + i / 3 : i; /* row-order position */
        uint64_t bits = t->bits[at];
        if (strcmp(t->type, "f8") == 0)
            bits = bits_of_double(t->values[at]);
        else if (strcmp(t->type, "f4") == 0)
            bits = bits_of_float((float)t->values[at]);
        put_bits(&built, bits, width, order == '>');
    }
}

static void test_every_type_and_order(void **state)
{
    (void)state;
    kith_source_options opt = options(KITH_FORMAT_AUTO);
    const char *path = scratch_path("a.npy");
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        for (int k = 0; k < 8; k++) {
            char order = "<>=|"[k / 2];
            int single = types[i].type[1] == '1';
            build_case(&types[i], order, k & 1);
            reading r = read_built(&opt, 0);
            if (order == '|' && !single) {
                expect_failure(&r, KITH_ERR_INPUT,
                               (const char *[]){"a.npy", "type", NULL}, NULL);
                continue;
            }
            expect_rows(&r, 3, 2, types[i].values);
            for (size_t chunk = 1; chunk < 20; chunk += 3) {
                reading again = read_built(&opt, chunk);
                expect_same(&again, &r);
                forget(&again);
            }
            /* From a plain file (column segments) as well. */
            write_file(path, built.bytes, built.count);
            kith_i_source source = {path, NULL, 0, 0};
            reading file = read_sources(&source, 1, &opt);
            expect_same(&file, &r);
            forget(&file);
            forget(&r);
        }
}

static void test_one_dimension_and_versions(void **state)
{
    (void)state;
    static const char *const headers[] = {
        "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }",
        "{'shape': (3,), 'fortran_order': True, 'descr': '<f8'}",
        "{\"fortran_order\":False,\"descr\":\"<f8\",\"shape\":(3L,)}",
        "{ 'descr' : '<f8' , 'shape' : ( 3 , 1 ) , 'fortran_order' : False }",
    };
    kith_source_options opt = options(KITH_FORMAT_NPY);
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        for (int version = 1; version <= 3; version++) {
            put_header(&built, version, headers[i]);
            for (int k = 1; k <= 3; k++)
                put_bits(&built, bits_of_double(k / 2.0), 8, 0);
            reading r = read_built(&opt, 0);
            expect_rows(&r, 3, 1, (const double[]){0.5, 1, 1.5});
            forget(&r);
        }
}

/* Many rows, some columns, both orders, all ways to get at the bytes. */
static void test_blocks_columns_and_sources(void **state)
{
    (void)state;
    enum { ROWS = 2500, COLUMNS = 70 };
    static double want[ROWS * 3];
    const char *chosen[] = {"70", "1", "33"};
    static const int index[] = {69, 0, 32};
    kith_source_options opt = options(KITH_FORMAT_NPY);
    opt.columns = chosen;
    opt.column_count = 3;
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < 3; j++)
            want[i * 3 + j] = (int16_t)(i * 7 + index[j] * 11);
    for (int fortran = 0; fortran < 2; fortran++) {
        put_array(&built, "<i2", fortran, ROWS, COLUMNS);
        for (int k = 0; k < ROWS * COLUMNS; k++) {
            int i = fortran ? k % ROWS : k / COLUMNS;
            int j = fortran ? k / ROWS : k % COLUMNS;
            put_bits(&built, (uint16_t)(i * 7 + j * 11), 2, 0);
        }
        reading memory = read_built(&opt, 777);
        expect_rows(&memory, ROWS, 3, want);
        forget(&memory);
        const char *plain = scratch_path("b.npy");
        const char *packed = scratch_path("b.npy.gz");
        write_file(plain, built.bytes, built.count);
        gzFile gz = gzopen(packed, "wb1");
        assert_int_equal(gzwrite(gz, built.bytes, (unsigned)built.count),
                         built.count);
        assert_int_equal(gzclose(gz), Z_OK);
        kith_i_source both[] = {{plain, NULL, 0, 0}, {packed, NULL, 0, 0}};
        for (int i = 0; i < 2; i++) {
            reading r = read_sources(&both[i], 1, &opt);
            expect_rows(&r, ROWS, 3, want);
            assert_int_equal(r.blocks, 3);
            forget(&r);
        }
    }
    opt.columns = (const char *[]){"x"};
    opt.column_count = 1;
    reading r = read_built(&opt, 0);
    expect_failure(&r, KITH_ERR_INPUT, (const char *[]){"a.npy", NULL}, NULL);
}

/* Fortran order from a plain file of more than one set of column segments,
 * and rows so wide that few fit the window. */
static void test_large_files(void **state)
{
    (void)state;
    enum { ROWS = 100000, COLUMNS = 200, WIDE = 600000 };
    unsigned char *bytes = malloc((size_t)ROWS * COLUMNS + 128);
    assert_non_null(bytes);
    put_array(&built, "|u1", 1, ROWS, COLUMNS);
    memcpy(bytes, built.bytes, built.count);
    for (uint32_t j = 0; j < COLUMNS; j++)
        for (uint32_t i = 0; i < ROWS; i++)
            bytes[built.count + (size_t)j * ROWS + i] =
                (unsigned char)(i * 31 + (i >> 8) + j * 7);
    const char *path = scratch_path("large.npy");
    write_file(path, bytes, built.count + (size_t)ROWS * COLUMNS);
    kith_source_options opt = options(KITH_FORMAT_AUTO);
    kith_i_reader *reader = NULL;
    kith_error err;
    kith_i_rows rows = {0};
    uint32_t i = 0;
    assert_int_equal(kith_i_reader_open(&path, 1, &opt, &reader, &err), 0);
    do {
        assert_int_equal(kith_i_reader_next(reader, &rows, &err), KITH_OK);
        for (uint32_t r = 0; r < rows.rows; r++, i++)
            for (uint32_t j = 0; j < COLUMNS; j++)
                if (rows.dense[(size_t)r * COLUMNS + j] !=
                    (unsigned char)(i * 31 + (i >> 8) + j * 7))
                    fail();
    } while (rows.rows > 0);
    assert_int_equal(i, ROWS);
    kith_i_reader_close(reader);

    put_array(&built, "<f8", 0, 3, WIDE);
    memcpy(bytes, built.bytes, built.count);
    memset(bytes + built.count, 0, (size_t)WIDE * 8 * 3);
    for (size_t r = 0; r < 3; r++) {
        double x = (double)r + 0.5;
        memcpy(bytes + built.count + (r * WIDE + 599998) * 8, &x, sizeof x);
    }
    opt.columns = (const char *[]){"599999"};
    opt.column_count = 1;
    reading r =
        read_bytes("w.npy", bytes, built.count + (size_t)WIDE * 24, 0, &opt);
    expect_rows(&r, 3, 1, (const double[]){0.5, 1.5, 2.5});
    forget(&r);
    free(bytes);
}

static void test_missing(void **state)
{
    (void)state;
    static const float values[] = {1, 2, NAN, 4, 5, 6, INFINITY, 7.5, 8, 9};
    kith_source_options opt = options(KITH_FORMAT_NPY);
    put_array(&built, "<f4", 0, 5, 2);
    for (int i = 0; i < 10; i++)
        put_bits(&built, bits_of_float(values[i]), 4, 0);
    reading r = read_built(&opt, 0);
    expect_failure(
        &r, KITH_ERR_INPUT,
        (const char *[]){"a.npy: row 2: column 1", "--missing drop", NULL},
        "7.5");
    opt.missing = KITH_MISSING_DROP;
    r = read_built(&opt, 0);
    expect_rows(&r, 3, 2, (const double[]){1, 2, 5, 6, 8, 9});
    forget(&r);
    /* A first block that is dropped whole is not the end. */
    put_array(&built, ">f8", 0, 3000, 1);
    for (int i = 0; i < 3000; i++)
        put_bits(&built, bits_of_double(i < 2999 ? -HUGE_VAL : 1.25), 8, 1);
    r = read_built(&opt, 0);
    expect_rows(&r, 1, 1, (const double[]){1.25});
    forget(&r);
    /* Half precision has its own NaN. */
    put_array(&built, "<f2", 0, 2, 1);
    put_bits(&built, 0x7e00, 2, 0);
    put_bits(&built, 0xfc00, 2, 0);
    r = read_built(&opt, 0);
    expect_rows(&r, 0, 1, NULL);
    forget(&r);
}

static void test_empty_arrays(void **state)
{
    (void)state;
    static array other;
    kith_source_options opt = options(KITH_FORMAT_NPY);
    put_array(&built, "<f4", 0, 0, 2);
    reading r = read_built(&opt, 0);
    expect_rows(&r, 0, 2, NULL);
    forget(&r);
    put_array(&other, "<u1", 0, 1, 2);
    put_bits(&other, 0x0201, 2, 0);
    kith_i_source sources[] = {{"a.npy", built.bytes, built.count, 0},
                               {"b.npy", other.bytes, other.count, 0},
                               {"c.npy", built.bytes, built.count, 0}};
    r = read_sources(sources, 3, &opt);
    expect_rows(&r, 1, 2, (const double[]){1, 2});
    forget(&r);
    put_array(&built, "<f4", 0, 0, 3);
    sources[2].count = built.count;
    r = read_sources(sources, 3, &opt);
    expect_failure(&r, KITH_ERR_INPUT, (const char *[]){"b.npy", NULL}, NULL);
}

/* ---- hostile files ---- */

#define D "'descr': '<f4', "
#define F "'fortran_order': False, "
static const char *const bad_headers[] = {
    "",
    "{",
    "{}",
    "[]",
    "{" D "}",
    "{" D F "}",
    "{" F "'shape': (2, 2)}",
    "{" D "'shape': (2, 2)}",
    "{" D D F "'shape': (2, 2)}",
    "{" D F "'shape': (2, 2), 'more': 1}",
    "{" D F "'shape': (2, 2)} x",
    "{" D F "'shape': (2, 2)",
    "{" D F "'shape': (2 2)}",
    "{" D F "'shape': ()}",
    "{" D F "'shape': (4)}",
    "{" D F "'shape': 4}",
    "{" D F "'shape': (2, 2, 2)}",
    "{" D F "'shape': (-2, 2)}",
    "{" D F "'shape': (2, -2)}",
    "{" D F "'shape': (2, 0)}",
    "{" D F "'shape': (2.5, 2)}",
    "{" D F "'shape': (,)}",
    "{" D F "'shape': (2, 2}",
    "{" D F "'shape': (1, 2000001)}",
    "{" D F "'shape': (18446744073709551616, 1)}",
    "{" D F "'shape': (18446744073709551615, 2)}",
    "{" D F "'shape': (4611686018427387904, 4)}",
    "{" D F "'shape': (2305843009213693951, 1)}",
    "{" D F "'shape': (99999999999999999999999999999999, 1)}",
    "{" D "'fortran_order': 0, 'shape': (2, 2)}",
    "{" D "'fortran_order': Falsehood, 'shape': (2, 2)}",
    "{" D "'fortran_order': 'False', 'shape': (2, 2)}",
    "{'descr': '<f3', " F "'shape': (2, 2)}",
    "{'descr': '<f16', " F "'shape': (2, 2)}",
    "{'descr': '<c8', " F "'shape': (2, 2)}",
    "{'descr': '|O', " F "'shape': (2, 2)}",
    "{'descr': '<U4', " F "'shape': (2, 2)}",
    "{'descr': '|S4', " F "'shape': (2, 2)}",
    "{'descr': '<M8[s]', " F "'shape': (2, 2)}",
    "{'descr': 'f4', " F "'shape': (2, 2)}",
    "{'descr': '', " F "'shape': (2, 2)}",
    "{'descr': '<', " F "'shape': (2, 2)}",
    "{'descr': '!f4', " F "'shape': (2, 2)}",
    "{'descr': '<f4\", " F "'shape': (2, 2)}",
    "{'descr': [('a', '<f4')], " F "'shape': (4,)}",
    "{'descr': 'ffffffffffffffffffffffffffffffff', " F "'shape': (2, 2)}",
    "{'descr': None, " F "'shape': (2, 2)}",
    "{'descr' '<f4', " F "'shape': (2, 2)}",
};

static void test_bad_headers(void **state)
{
    (void)state;
    kith_source_options opt = options(KITH_FORMAT_NPY);
    for (size_t i = 0; i < sizeof bad_headers / sizeof *bad_headers; i++)
        for (int version = 1; version <= 2; version++) {
            put_header(&built, version, bad_headers[i]);
            built.count += 16; /* the 2 x 2 floats of a good one */
            reading r = read_built(&opt, 0);
            if (r.status != KITH_ERR_INPUT)
                print_error("header: %s\n", bad_headers[i]);
            expect_failure(&r, KITH_ERR_INPUT,
                           (const char *[]){"a.npy", "header", NULL}, NULL);
        }
}

static void test_sizes_that_lie(void **state)
{
    (void)state;
    kith_source_options opt = options(KITH_FORMAT_NPY);
    for (int fortran = 0; fortran < 2; fortran++) {
        put_array(&built, "<f4", fortran, 2, 2);
        size_t header = built.count;
        for (int i = 0; i < 4; i++)
            put_bits(&built, bits_of_float((float)i), 4, 0);
        size_t full = built.count;
        for (size_t count = 0; count <= full + 1; count++) {
            if (count == full)
                continue;
            built.count = count;
            const char *path = scratch_path("lie.npy");
            write_file(path, built.bytes, count);
            kith_i_source source = {path, NULL, 0, 0};
            reading file = read_sources(&source, 1, &opt);
            reading memory = read_built(&opt, 5);
            expect_failure(&file, KITH_ERR_INPUT,
                           (const char *[]){"lie.npy", NULL}, NULL);
            expect_failure(&memory, KITH_ERR_INPUT,
                           (const char *[]){"a.npy", NULL}, NULL);
            if (count >= header)
                assert_non_null(strstr(memory.err.message,
                                       count < full ? "shorter" : "longer"));
            forget(&memory);
            forget(&file);
        }
    }
    /* A header that promises terabytes costs no memory. */
    put_array(&built, "<f8", 1, (size_t)1 << 40, 1000);
    built.count += 64;
    reading r = read_built(&opt, 0);
    expect_failure(&r, KITH_ERR_INPUT,
                   (const char *[]){"a.npy", "shorter", NULL}, NULL);
    built.bytes[6] = 4; /* version */
    r = read_built(&opt, 0);
    expect_failure(&r, KITH_ERR_INPUT,
                   (const char *[]){"a.npy", "version", NULL}, NULL);
    built.bytes[6] = 2;
    built.bytes[11] = 0x7f; /* a header of 2 GB */
    r = read_built(&opt, 0);
    expect_failure(&r, KITH_ERR_INPUT,
                   (const char *[]){"a.npy", "too long", NULL}, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_type_and_order),
        cmocka_unit_test(test_one_dimension_and_versions),
        cmocka_unit_test(test_blocks_columns_and_sources),
        cmocka_unit_test(test_large_files),
        cmocka_unit_test(test_missing),
        cmocka_unit_test(test_empty_arrays),
        cmocka_unit_test(test_bad_headers),
        cmocka_unit_test(test_sizes_that_lie),
    };
    return cmocka_run_group_tests(tests, NULL, remove_scratch);
}

/* Loading with several threads: whatever their number, the rows that are
 * stored are those of kith_dataset_from_rows on values computed here, chunk by
 * chunk and to the last bit; a failure is that of the first row at fault. */
#include "test_reader_help.h"

#include <math.h>
#include <pthread.h>
#include <zlib.h>

#include "data/dataset_i.h"

static const uint32_t thread_counts[] = {1, 2, 3, 8};
enum { COUNTS = sizeof thread_counts / sizeof *thread_counts };

/* ---- files ---- */

typedef struct {
    unsigned char *bytes;
    size_t count, room;
} file;

static void put(file *f, const void *bytes, size_t count)
{
    if (f->count + count > f->room) {
        f->room = 2 * (f->count + count);
        f->bytes = realloc(f->bytes, f->room);
        assert_non_null(f->bytes);
    }
    memcpy(f->bytes + f->count, bytes, count);
    f->count += count;
}

static void put_item(file *f, const char *type, double x)
{
    unsigned width = (unsigned)(type[2] - '0');
    uint64_t bits = (uint64_t)(int64_t)x;
    float single = (float)x;
    uint32_t single_bits;
    memcpy(&single_bits, &single, sizeof single);
    if (type[1] == 'f' && width == 8)
        memcpy(&bits, &x, sizeof bits);
    else if (type[1] == 'f')
        bits = single_bits;
    for (unsigned i = 0; i < width; i++) {
        unsigned at = type[0] == '>' ? width - 1 - i : i;
        unsigned char byte = (unsigned char)(bits >> 8 * at);
        put(f, &byte, 1);
    }
}

static void put_header(file *f, const char *type, int fortran, size_t rows,
                       size_t columns)
{
    char text[129];
    memset(text, ' ', sizeof text);
    memcpy(text, "\x93NUMPY\x01\0\x76\0", 10);
    int length =
        snprintf(text + 10, sizeof text - 10,
                 "{'descr': '%s', 'fortran_order': %s, 'shape': (%zu, %zu), }",
                 type, fortran ? "True" : "False", rows, columns);
    text[10 + length] = ' ';
    text[127] = '\n';
    put(f, text, 128);
}

/* Small whole numbers, which every type can hold; in floats also a half. */
static double value_of(const char *type, size_t i, size_t j)
{
    double v = (double)((i * 31 + j * 7 + i / 97) % 100);
    return type[1] == 'f' ? v - 50.5 : type[1] == 'i' ? v - 50 : v;
}

static file make_npy(const char *type, int fortran, size_t rows, size_t columns)
{
    file f = {0};
    put_header(&f, type, fortran, rows, columns);
    for (size_t t = 0; t < rows * columns; t++)
        put_item(&f, type,
                 fortran ? value_of(type, t % rows, t / rows)
                         : value_of(type, t / columns, t % columns));
    return f;
}

static void write_packed(const char *path, const file *f)
{
    gzFile gz = gzopen(path, "wb1");
    assert_int_equal(gzwrite(gz, f->bytes, (unsigned)f->count), f->count);
    assert_int_equal(gzclose(gz), Z_OK);
}

/* ---- datasets ---- */

static const double low = -100, high = 100;

static kith_bounds a_box(void)
{
    return (kith_bounds){.lower = &low, .upper = &high, .box_count = 1};
}

static kith_status load(const char *const *paths, size_t count,
                        kith_source_options opt, uint32_t threads,
                        kith_dataset **out, kith_error *err)
{
    kith_bounds box = a_box();
    opt.threads = threads;
    return kith_dataset_open(paths, count, &opt, &box, out, err);
}

static void expect_equal(const kith_dataset *a, const kith_dataset *b)
{
    size_t d = a->domain->dimension;
    assert_int_equal(d, b->domain->dimension);
    assert_int_equal(a->rows, b->rows);
    assert_int_equal(a->chunk_count, b->chunk_count);
    for (size_t i = 0; i < a->chunk_count; i++) {
        assert_int_equal(a->chunks[i].first, b->chunks[i].first);
        assert_int_equal(a->chunks[i].rows, b->chunks[i].rows);
        assert_memory_equal(a->chunks[i].dense, b->chunks[i].dense,
                            a->chunks[i].rows * d * sizeof(int16_t));
    }
}

/* From any number of threads: these rows. */
static void expect_stored(const char *const *paths, size_t count,
                          const kith_source_options *opt, const double *rows,
                          size_t n, uint32_t d)
{
    kith_bounds box = a_box();
    kith_dataset *want = NULL, *got = NULL;
    kith_error err;
    assert_int_equal(kith_dataset_from_rows(rows, n, d, &box, &want, &err), 0);
    for (int t = 0; t < COUNTS; t++) {
        kith_status status =
            load(paths, count, *opt, thread_counts[t], &got, &err);
        if (status)
            print_error("%u threads: %s\n", thread_counts[t], err.message);
        assert_int_equal(status, KITH_OK);
        expect_equal(want, got);
        kith_dataset_free(got);
    }
    kith_dataset_free(want);
}

/* From any number of threads: this message, again and again. */
static void expect_refused(const char *const *paths, size_t count,
                           const kith_source_options *opt, const char *message)
{
    for (int t = 0; t < 5 * COUNTS; t++) {
        kith_dataset *got = NULL;
        kith_error err;
        kith_status status =
            load(paths, count, *opt, thread_counts[t % COUNTS], &got, &err);
        assert_int_equal(status, KITH_ERR_INPUT);
        assert_null(got);
        if (!strstr(err.message, message)) {
            print_error("%u threads: no \"%s\" in: %s\n",
                        thread_counts[t % COUNTS], message, err.message);
            fail();
        }
    }
}

/* ---- tests ---- */

/* Sizes about the edges of pieces (512 rows of 100) and chunks. */
static void test_sizes(void **state)
{
    (void)state;
    static const struct {
        size_t rows;
        uint32_t columns;
    } shapes[] = {{1, 1},      {1, 100},    {2, 3},      {511, 100},
                  {512, 100},  {513, 100},  {1023, 100}, {1024, 100},
                  {1025, 100}, {3001, 100}, {2049, 1},   {700, 784},
                  {19, 40000}, {3, 262145}};
    kith_source_options opt = options(KITH_FORMAT_AUTO);
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        size_t n = shapes[s].rows, d = shapes[s].columns;
        double *rows = malloc(n * d * sizeof *rows);
        assert_non_null(rows);
        for (size_t i = 0; i < n * d; i++)
            rows[i] = value_of("<f4", i / d, i % d);
        file f = make_npy("<f4", 0, n, d);
        const char *path = scratch_path("sizes.npy");
        write_file(path, f.bytes, f.count);
        expect_stored(&path, 1, &opt, rows, n, (uint32_t)d);
        free(f.bytes);
        free(rows);
    }
}

/* Types, orders, chosen columns; plain and packed files. */
static void test_types(void **state)
{
    (void)state;
    static const char *const types[] = {"<f4", ">f4", "<f8", ">f8", "|i1",
                                        "<i2", ">i2", "<i4", ">i4", "<i8",
                                        ">i8", "|u1", "<u2", ">u4", "<u8"};
    enum { ROWS = 1333, COLUMNS = 70 };
    static double rows[ROWS * COLUMNS];
    static const char *const chosen[] = {"70", "1", "33"};
    static const size_t index[] = {69, 0, 32};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (int fortran = 0; fortran < 2; fortran++)
            for (int some = 0; some < 2; some++) {
                kith_source_options opt = options(KITH_FORMAT_AUTO);
                size_t d = some ? 3 : COLUMNS;
                if (some) {
                    opt.columns = chosen;
                    opt.column_count = 3;
                }
                for (size_t i = 0; i < ROWS * d; i++)
                    rows[i] =
                        value_of(types[t], i / d, some ? index[i % d] : i % d);
                file f = make_npy(types[t], fortran, ROWS, COLUMNS);
                const char *path = scratch_path("types.npy");
                write_file(path, f.bytes, f.count);
                expect_stored(&path, 1, &opt, rows, ROWS, (uint32_t)d);
                if (t % 4 == 0) {
                    path = scratch_path("types.npy.gz");
                    write_packed(path, &f);
                    expect_stored(&path, 1, &opt, rows, ROWS, (uint32_t)d);
                }
                free(f.bytes);
            }
}

static void *write_pipe(void *arg)
{
    const file *f = ((void **)arg)[0];
    int fd = *(int *)((void **)arg)[1];
    for (size_t at = 0; at < f->count;) {
        size_t left = f->count - at, now = left < 5000 ? left : 5000;
        ssize_t wrote = write(fd, f->bytes + at, now);
        if (wrote < 0)
            break;
        at += (size_t)wrote;
    }
    close(fd);
    return NULL;
}

/* The status of reading f from standard input. */
static kith_status load_piped(file *f, kith_format format, uint32_t threads,
                              kith_dataset **out, kith_error *err)
{
    int ends[2], saved = dup(STDIN_FILENO);
    const char *path = "-";
    pthread_t writer;
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
    close(ends[0]);
    void *arg[] = {f, &ends[1]};
    assert_int_equal(pthread_create(&writer, NULL, write_pipe, arg), 0);
    kith_status status = load(&path, 1, options(format), threads, out, err);
    pthread_join(writer, NULL);
    if (saved >= 0) {
        dup2(saved, STDIN_FILENO);
        close(saved);
    }
    return status;
}

static void test_pipes(void **state)
{
    (void)state;
    enum { ROWS = 2777, COLUMNS = 50 };
    static double rows[ROWS * COLUMNS];
    kith_bounds box = a_box();
    kith_dataset *want = NULL, *got = NULL;
    kith_error err;
    for (size_t i = 0; i < ROWS * COLUMNS; i++)
        rows[i] = value_of("<f8", i / COLUMNS, i % COLUMNS);
    assert_int_equal(
        kith_dataset_from_rows(rows, ROWS, COLUMNS, &box, &want, &err), 0);
    file text = {0};
    for (size_t i = 0; i < ROWS * COLUMNS; i++) {
        char number[40];
        int n = snprintf(number, sizeof number, "%g%c", rows[i],
                         i % COLUMNS == COLUMNS - 1 ? '\n' : ',');
        put(&text, number, (size_t)n);
    }
    for (int t = 0; t < COUNTS; t++) {
        for (int fortran = 0; fortran < 2; fortran++) {
            file f = make_npy("<f8", fortran, ROWS, COLUMNS);
            assert_int_equal(
                load_piped(&f, KITH_FORMAT_NPY, thread_counts[t], &got, &err),
                KITH_OK);
            expect_equal(want, got);
            kith_dataset_free(got);
            f.count -= 3; /* an item is cut off */
            assert_int_equal(
                load_piped(&f, KITH_FORMAT_NPY, thread_counts[t], &got, &err),
                KITH_ERR_INPUT);
            assert_non_null(strstr(err.message, "shorter"));
            f.count += 3;
            put(&f, "more", 4);
            assert_int_equal(
                load_piped(&f, KITH_FORMAT_NPY, thread_counts[t], &got, &err),
                KITH_ERR_INPUT);
            assert_non_null(strstr(err.message, "longer"));
            free(f.bytes);
        }
        assert_int_equal(
            load_piped(&text, KITH_FORMAT_CSV, thread_counts[t], &got, &err),
            KITH_OK);
        expect_equal(want, got);
        kith_dataset_free(got);
    }
    free(text.bytes);
    kith_dataset_free(want);
}

/* Several rows are at fault, in several pieces: the first is named. */
static void test_first_fault(void **state)
{
    (void)state;
    enum { ROWS = 3000, COLUMNS = 100 };
    static const size_t first[] = {0, 300, 511, 512, 1500, 2999};
    kith_source_options opt = options(KITH_FORMAT_AUTO);
    for (size_t k = 0; k < sizeof first / sizeof *first; k++)
        for (int fortran = 0; fortran < 2; fortran++) {
            file f = make_npy("<f4", fortran, ROWS, COLUMNS);
            for (size_t i = first[k]; i < ROWS; i += 200) {
                size_t at = fortran ? 41 * ROWS + i : i * COLUMNS + 41;
                float hole = i % 400 ? INFINITY : NAN;
                memcpy(f.bytes + 128 + at * 4, &hole, sizeof hole);
            }
            char message[80];
            snprintf(message, sizeof message, "fault.npy: row %zu: column 42 ",
                     first[k] + 1);
            const char *path = scratch_path("fault.npy");
            write_file(path, f.bytes, f.count);
            expect_refused(&path, 1, &opt, message);
            free(f.bytes);
        }
}

/* In text the fault may be in a value or in how lines are cut up; the first
 * one counts, not the one that is found first. */
static void test_first_fault_in_text(void **state)
{
    (void)state;
    static const struct {
        const char *bad;
        const char *message;
    } faults[] = {{"x,2,3", "column 1 is not a number"},
                  {"1,2", "expected 3 fields, found 2"},
                  {"1,,3", "column 2 has no value"},
                  {"1,\"2,3", "a quote is opened and never closed"}};
    kith_source_options opt = options(KITH_FORMAT_AUTO);
    for (size_t a = 0; a < 4; a++)
        for (size_t b = 0; b < 4; b++) {
            file f = {0};
            for (size_t i = 1; i <= 5000; i++) {
                const char *line = i == 2111    ? faults[a].bad
                                   : i == 2117  ? faults[b].bad
                                   : i == 4000  ? faults[b].bad
                                   : i % 7 == 0 ? ""
                                                : "1,2,3";
                put(&f, line, strlen(line));
                put(&f, "\n", 1);
            }
            char message[120];
            snprintf(message, sizeof message, "fault.csv: line 2111: %s",
                     faults[a].message);
            const char *path = scratch_path("fault.csv");
            write_file(path, f.bytes, f.count);
            if (a == 3 && b == 3) /* quotes: 2111 .. 2117, and once more */
                snprintf(message, sizeof message, "fault.csv: line 2111: ");
            expect_refused(&path, 1, &opt, message);
            free(f.bytes);
        }
}

/* Shards that end in the middle of a chunk, empty ones, and the last one
 * broken. */
static void test_shards(void **state)
{
    (void)state;
    enum { COLUMNS = 30, SHARDS = 5 };
    static const size_t sizes[SHARDS] = {700, 0, 1, 1500, 323};
    static double rows[2524 * COLUMNS];
    static char paths[SHARDS][256];
    const char *names[SHARDS];
    kith_source_options opt = options(KITH_FORMAT_AUTO);
    size_t n = 0;
    for (size_t s = 0; s < SHARDS; s++) {
        char name[20];
        snprintf(name, sizeof name, "shard%zu.npy", s);
        snprintf(paths[s], sizeof paths[s], "%s", scratch_path(name));
        names[s] = paths[s];
        file f = make_npy("<f4", s % 2 == 0, sizes[s], COLUMNS);
        write_file(paths[s], f.bytes, f.count);
        free(f.bytes);
        for (size_t i = 0; i < sizes[s] * COLUMNS; i++)
            rows[n * COLUMNS + i] = value_of("<f4", i / COLUMNS, i % COLUMNS);
        n += sizes[s];
    }
    expect_stored(names, SHARDS, &opt, rows, n, COLUMNS);
    file f = make_npy("<f4", 0, sizes[4], COLUMNS);
    float hole = NAN;
    memcpy(f.bytes + 128 + (100 * COLUMNS + 29) * 4, &hole, sizeof hole);
    write_file(paths[4], f.bytes, f.count);
    expect_refused(names, SHARDS, &opt, "shard4.npy: row 101: column 30 ");
    write_file(paths[4], f.bytes, f.count - 1);
    expect_refused(names, SHARDS, &opt, "shard4.npy: the file is shorter");
    free(f.bytes);
}

/* Rows that are left out leave no gap, also where a whole chunk goes. */
static void test_dropped(void **state)
{
    (void)state;
    enum { ROWS = 4000, COLUMNS = 20 };
    static double rows[2 * ROWS * COLUMNS];
    kith_source_options opt = options(KITH_FORMAT_AUTO);
    opt.missing = KITH_MISSING_DROP;
    for (int most = 0; most < 3; most++) {
        file f = make_npy("<f4", 0, ROWS, COLUMNS);
        size_t n = 0;
        for (size_t i = 0; i < ROWS; i++) {
            int drop = most == 2   ? 1
                       : most == 1 ? i / 1024 != 2 || i % 3 == 0
                                   : i % 11 == 5;
            float hole = NAN;
            if (drop)
                memcpy(f.bytes + 128 + (i * COLUMNS + i % COLUMNS) * 4, &hole,
                       sizeof hole);
            for (size_t j = 0; j < COLUMNS && !drop; j++)
                rows[n * COLUMNS + j] = value_of("<f4", i, j);
            n += !drop;
        }
        memcpy(rows + n * COLUMNS, rows, n * COLUMNS * sizeof *rows);
        const char *twice[] = {scratch_path("drop.npy"), NULL};
        twice[1] = twice[0];
        write_file(twice[0], f.bytes, f.count);
        expect_stored(twice, 1, &opt, rows, n, COLUMNS);
        expect_stored(twice, 2, &opt, rows, 2 * n, COLUMNS);
        free(f.bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_types),
        cmocka_unit_test(test_pipes),
        cmocka_unit_test(test_first_fault),
        cmocka_unit_test(test_first_fault_in_text),
        cmocka_unit_test(test_shards),
        cmocka_unit_test(test_dropped),
    };
    return cmocka_run_group_tests(tests, NULL, remove_scratch);
}

/* Streams: plain, gzip and zstd, whole, in several members, cut short and
 * damaged; standard input; pipes; names in messages. */
#include "test_reader_help.h"

#include <fcntl.h>
#include <zlib.h>
#include <zstd.h>

#include "base/base_i.h"
#include "data/stream.h"

enum { SIZE = 50000, PACKED = 120000 };

static unsigned char text[SIZE]; /* lines of varied length */
static unsigned char packed[PACKED];

static void fill_text(void)
{
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 3, 0);
    for (size_t i = 0; i < SIZE; i++)
        text[i] =
            (unsigned char)"0123456789,.-\n "[kith_i_coins_below(&coins, 15)];
}

static size_t pack_gzip(const void *bytes, size_t count, unsigned char *to)
{
    z_stream z = {0};
    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 31, 8, 0), Z_OK);
    z.next_in = (z_const Bytef *)bytes;
    z.avail_in = (uInt)count;
    z.next_out = to;
    z.avail_out = PACKED / 2;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    size_t made = z.total_out;
    deflateEnd(&z);
    return made;
}

static size_t pack_zstd(const void *bytes, size_t count, unsigned char *to)
{
    ZSTD_CCtx *context = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
    size_t made = ZSTD_compress2(context, to, PACKED / 2, bytes, count);
    assert_false(ZSTD_isError(made));
    ZSTD_freeCCtx(context);
    return made;
}

typedef size_t pack_fn(const void *bytes, size_t count, unsigned char *to);

/* Read to the end in steps; returns the status, *count: bytes that came. */
static kith_status drain(const kith_i_source *source, unsigned char *out,
                         size_t room, size_t *count, kith_error *err)
{
    kith_i_stream *stream = NULL;
    kith_status status = kith_i_stream_open(source, &stream, err);
    *count = 0;
    for (size_t step = 1; !status; step = step * 3 % 1009 + 1) {
        kith_i_window window;
        status = kith_i_stream_need(stream, step, &window, err);
        if (status)
            break;
        assert_int_equal(window.data[window.count], 0);
        size_t take = window.count < step ? window.count : step;
        assert_true(*count + take <= room);
        memcpy(out + *count, window.data, take);
        *count += take;
        kith_i_stream_skip(stream, take);
        if (take < step)
            break;
    }
    kith_i_stream_close(stream);
    return status;
}

static void expect_text(const kith_i_source *source)
{
    static unsigned char got[SIZE + 1];
    size_t count = 0;
    kith_error err = {0};
    kith_status status = drain(source, got, sizeof got, &count, &err);
    if (status)
        print_error("%s\n", err.message);
    assert_int_equal(status, KITH_OK);
    assert_int_equal(count, SIZE);
    assert_memory_equal(got, text, SIZE);
}

static void test_plain_and_packed(void **state)
{
    (void)state;
    pack_fn *pack[] = {pack_gzip, pack_zstd};
    const char *names[] = {"t.csv.gz", "t.csv.zst"};
    static const size_t chunks[] = {0, 1, 2, 7, 4096};
    for (size_t c = 0; c < sizeof chunks / sizeof *chunks; c++) {
        kith_i_source plain = {"t.csv", text, SIZE, chunks[c]};
        expect_text(&plain);
        for (int k = 0; k < 2; k++) {
            size_t made = pack[k](text, SIZE, packed);
            kith_i_source one = {names[k], packed, made, chunks[c]};
            expect_text(&one);
            /* By its first bytes, whatever it is called. */
            one.path = "-";
            expect_text(&one);
            /* Two members, and an empty one at the end. */
            made = pack[k](text, 777, packed);
            made += pack[k](text + 777, SIZE - 777, packed + made);
            made += pack[k](text, 0, packed + made);
            kith_i_source two = {names[k], packed, made, chunks[c]};
            expect_text(&two);
        }
    }
}

static void test_files_pipes_and_stdin(void **state)
{
    (void)state;
    pack_fn *pack[] = {NULL, pack_gzip, pack_zstd};
    const char *names[] = {"f.csv", "f.csv.gz", "f.csv.zst"};
    int saved = dup(STDIN_FILENO);
    for (int k = 0; k < 3; k++) {
        const char *path = scratch_path(names[k]);
        if (pack[k]) {
            size_t made = pack[k](text, SIZE, packed);
            write_file(path, packed, made);
        } else {
            write_file(path, text, SIZE);
        }
        kith_i_source file = {path, NULL, 0, 0}, input = {"-", NULL, 0, 0};
        expect_text(&file);
        int fd = open(path, O_RDONLY);
        assert_true(fd >= 0);
        dup2(fd, STDIN_FILENO);
        close(fd);
        expect_text(&input);
        char command[400];
        snprintf(command, sizeof command, "cat '%s'", path);
        FILE *pipe = popen(command, "r");
        assert_non_null(pipe);
        dup2(fileno(pipe), STDIN_FILENO);
        expect_text(&input);
        assert_int_equal(pclose(pipe), 0);
    }
    dup2(saved, STDIN_FILENO);
    close(saved);
}

/* The reader over standard input, with another shard behind it. */
static void test_reader_of_stdin(void **state)
{
    (void)state;
    int saved = dup(STDIN_FILENO), ends[2];
    const char *path = scratch_path("more.csv");
    write_file(path, "3,4\n", 4);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "a,b\n1,2\n", 8), 8);
    close(ends[1]);
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    kith_source_options opt = options(KITH_FORMAT_CSV);
    kith_i_source sources[] = {{path, NULL, 0, 0}, {"-", NULL, 0, 0}};
    opt.header = KITH_HEADER_NO;
    reading r = read_sources(sources, 2, &opt);
    expect_failure(&r, KITH_ERR_INPUT,
                   (const char *[]){"standard input: line 1: column 1", NULL},
                   NULL);
    forget(&r);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "1,2\n5,6\n", 8), 8);
    close(ends[1]);
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    r = read_sources(sources, 2, &opt);
    expect_rows(&r, 3, 2, (const double[]){3, 4, 1, 2, 5, 6});
    forget(&r);
    sources[0] = sources[1];
    dup2(saved, STDIN_FILENO);
    close(saved);
    kith_i_source twice[] = {{"-", "1\n", 2, 0}, {"-", "1\n", 2, 0}};
    r = read_sources(twice, 2, &opt);
    expect_failure(&r, KITH_ERR_ARGUMENT, (const char *[]){"once", NULL}, NULL);
}

/* Cut anywhere, a compressed stream is an error that names the file. */
static void test_cut_short(void **state)
{
    (void)state;
    static unsigned char got[SIZE + 1];
    pack_fn *pack[] = {pack_gzip, pack_zstd};
    const char *names[] = {"t.csv.gz", "t.csv.zst"};
    for (int k = 0; k < 2; k++) {
        size_t made = pack[k](text, 300, packed), count;
        for (size_t cut = 0; cut < made; cut++) {
            kith_i_source source = {names[k], packed, cut, cut % 5};
            kith_error err = {0};
            assert_int_equal(drain(&source, got, SIZE, &count, &err),
                             KITH_ERR_INPUT);
            assert_non_null(strstr(err.message, names[k]));
        }
        /* Bytes that do not belong there. */
        packed[made] = 'x';
        kith_i_source source = {names[k], packed, made + 1, 0};
        kith_error err = {0};
        assert_int_equal(drain(&source, got, SIZE, &count, &err),
                         KITH_ERR_INPUT);
        assert_non_null(strstr(err.message, names[k]));
    }
}

/* One changed byte: an error, or (in a header's unused fields) the same
 * text, never another text. */
static void test_damaged(void **state)
{
    (void)state;
    static unsigned char got[PACKED];
    pack_fn *pack[] = {pack_gzip, pack_zstd};
    for (int k = 0; k < 2; k++) {
        size_t made = pack[k](text, 300, packed), count, caught = 0;
        for (size_t i = 4; i < made; i++) {
            packed[i] ^= 0x10;
            kith_i_source source = {"-", packed, made, 0};
            kith_error err = {0};
            kith_status status = drain(&source, got, sizeof got, &count, &err);
            packed[i] ^= 0x10;
            caught += status != KITH_OK;
            if (status)
                assert_int_equal(status, KITH_ERR_INPUT);
            else
                assert_true(count == 300 && memcmp(got, text, 300) == 0);
        }
        assert_true(caught > made / 2);
    }
}

static void expect_open_error(const char *path, const char *word)
{
    kith_i_source source = {path, NULL, 0, 0};
    unsigned char got[16];
    size_t count;
    kith_error err = {0};
    assert_int_equal(drain(&source, got, sizeof got, &count, &err),
                     KITH_ERR_INPUT);
    if (!strstr(err.message, word))
        print_error("no \"%s\" in: %s\n", word, err.message);
    assert_non_null(strstr(err.message, word));
}

static void test_cannot_open(void **state)
{
    (void)state;
    char longest[3000];
    expect_open_error(scratch_path("absent.csv"), "absent.csv");
    expect_open_error(scratch_path(""), "cannot be read");
    memset(longest, 'x', sizeof longest);
    memcpy(longest + sizeof longest - 10, "/tail.csv", 10);
    expect_open_error(longest, "/tail.csv: cannot");
    write_file(scratch_path("not.csv.gz"), "1,2\n", 4);
    expect_open_error(scratch_path("not.csv.gz"), "not.csv.gz");
    write_file(scratch_path("empty.csv.zst"), "", 0);
    expect_open_error(scratch_path("empty.csv.zst"), "empty.csv.zst");
}

/* The format is looked up behind .gz and .zst. */
static void test_names_of_packed_files(void **state)
{
    (void)state;
    kith_source_options opt = options(KITH_FORMAT_AUTO);
    size_t made = pack_gzip("1,2\n", 4, packed);
    reading r = read_bytes("t.csv.gz", packed, made, 0, &opt);
    expect_rows(&r, 1, 2, (const double[]){1, 2});
    forget(&r);
    made = pack_zstd("1\t2\n", 4, packed);
    r = read_bytes("t.tsv.zst", packed, made, 0, &opt);
    expect_rows(&r, 1, 2, (const double[]){1, 2});
    forget(&r);
    r = read_bytes("t.zst", packed, made, 0, &opt);
    expect_failure(&r, KITH_ERR_ARGUMENT,
                   (const char *[]){"t.zst", "--format", NULL}, NULL);
}

static void test_line_too_long(void **state)
{
    (void)state;
    /* A bomb: 130 MiB of digits without a newline, small when packed. */
    size_t bytes = KITH_I_MAX_LINE + (2 << 20);
    char *digits = malloc(bytes);
    assert_non_null(digits);
    memset(digits, '7', bytes);
    memcpy(digits, "1\n", 2);
    size_t room = ZSTD_compressBound(bytes);
    void *bomb = malloc(room);
    assert_non_null(bomb);
    size_t made = ZSTD_compress(bomb, room, digits, bytes, 1);
    assert_false(ZSTD_isError(made));
    free(digits);
    kith_source_options opt = options(KITH_FORMAT_CSV);
    reading r = read_bytes("bomb.csv.zst", bomb, made, 0, &opt);
    expect_failure(&r, KITH_ERR_INPUT,
                   (const char *[]){"bomb.csv.zst: line 2", "longer", NULL},
                   "777");
    forget(&r);
    free(bomb);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain_and_packed),
        cmocka_unit_test(test_files_pipes_and_stdin),
        cmocka_unit_test(test_reader_of_stdin),
        cmocka_unit_test(test_cut_short),
        cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_cannot_open),
        cmocka_unit_test(test_names_of_packed_files),
        cmocka_unit_test(test_line_too_long),
    };
    fill_text();
    return cmocka_run_group_tests(tests, NULL, remove_scratch);
}

/* Readers when memory is short: every allocation fails once, the status says
 * so, and every block is given back. */
/* link: support/mem_failing.c */
#include "test_reader_help.h"

#include <zlib.h>

#include "support/mem_failing.h"

typedef struct {
    const char *what;
    kith_i_source sources[2];
    size_t count;
    kith_source_options opt;
    size_t rows;
} scene;

static void play(const scene *s)
{
    for (size_t n = 1;; n++) {
        assert_int_equal(mem_live_blocks(), 0);
        mem_fail_at(n);
        reading r = read_sources(s->sources, s->count, &s->opt);
        size_t used = mem_allocations();
        mem_fail_at(0);
        size_t rows = r.rows;
        forget(&r);
        if (r.status == KITH_OK) {
            assert_int_equal(rows, s->rows);
            assert_true(used < n && n > 5); /* all of them have failed */
            break;
        }
        if (r.status != KITH_ERR_MEMORY)
            print_error("%s, allocation %zu: %s\n", s->what, n, r.err.message);
        assert_int_equal(r.status, KITH_ERR_MEMORY);
    }
    assert_int_equal(mem_live_blocks(), 0);
}

static void test_csv(void **state)
{
    (void)state;
    static const char text[] = "a,\"b\nb\",c\n1,2,3\n4,5,6\n";
    static const char *const columns[] = {"c", "a"};
    scene s = {"csv",
               {{"one.csv", text, sizeof text - 1, 3},
                {"two.csv", text, sizeof text - 1, 0}},
               2,
               options(KITH_FORMAT_CSV),
               4};
    play(&s);
    s.opt.columns = columns;
    s.opt.column_count = 2;
    play(&s);
}

static void test_csv_gzip(void **state)
{
    (void)state;
    unsigned char packed[200];
    z_stream z = {0};
    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 31, 8, 0), Z_OK);
    z.next_in = (z_const Bytef *)"1,2\n3,4\n";
    z.avail_in = 8;
    z.next_out = packed;
    z.avail_out = sizeof packed;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    scene s = {"gzip",
               {{"one.csv.gz", packed, z.total_out, 0}},
               1,
               options(KITH_FORMAT_CSV),
               2};
    deflateEnd(&z);
    play(&s);
}

static void test_npy_fortran(void **state)
{
    (void)state;
    static char file[128 + 6] = "\x93NUMPY\x01\0v";
    memset(file + 10, ' ', 118);
    static const char header[] =
        "{'descr': '|u1', 'fortran_order': True, 'shape': (3, 2)}";
    memcpy(file + 10, header, sizeof header - 1);
    const char *path = scratch_path("m.npy");
    write_file(path, file, sizeof file);
    scene s = {"npy",
               {{path, NULL, 0, 0}, {"m.npy", file, sizeof file, 7}},
               2,
               options(KITH_FORMAT_NPY),
               6};
    play(&s);
}

static void test_svmlight(void **state)
{
    (void)state;
    /* Rows long enough to make the reader ask for more twice. */
    enum { PAIRS = 9000 };
    char *text = malloc(PAIRS * 12), *p = text;
    assert_non_null(text);
    *p++ = '1';
    for (int i = 1; i <= PAIRS; i++)
        p += snprintf(p, 12, " %d:%d", i, i % 10);
    *p++ = '\n';
    scene s = {"svmlight",
               {{"one.svm", text, (size_t)(p - text), 5000}},
               1,
               options(KITH_FORMAT_SVMLIGHT),
               1};
    s.opt.dimension = PAIRS;
    play(&s);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_csv),
        cmocka_unit_test(test_csv_gzip),
        cmocka_unit_test(test_npy_fortran),
        cmocka_unit_test(test_svmlight),
    };
    return cmocka_run_group_tests(tests, NULL, remove_scratch);
}

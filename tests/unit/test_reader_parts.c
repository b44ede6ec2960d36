/* Parts of files for ranks: together they have every row once, in order within
 * a file that is cut, whatever the number of parts, line ends or formats. */
#include "test_reader_help.h"

#include "data/reader_deal.h"

enum { ROWS = 211, MOST_PARTS = 9 };

static char folder[] = "/tmp/kith_parts_XXXXXX";

static const char *path_of(const char *name)
{
    static char path[8][128];
    static int next;
    char *to = path[next++ % 8];
    snprintf(to, sizeof path[0], "%s/%s", folder, name);
    return to;
}

/* Rows (r, r * r) as text; lines of different lengths. */
static void write_text(const char *name, const char *head, const char *end,
                       int last_end)
{
    FILE *file = fopen(path_of(name), "w");
    assert_non_null(file);
    fprintf(file, "%s", head);
    for (int r = 0; r < ROWS; r++)
        fprintf(file, "%d,%*d%s", r, r % 7, r * r,
                r + 1 < ROWS || last_end ? end : "");
    fclose(file);
}

static void write_svm(const char *name)
{
    FILE *file = fopen(path_of(name), "w");
    for (int r = 0; r < ROWS; r++)
        fprintf(file, "1 1:%d 2:%d\n", r, r * r);
    fclose(file);
}

static void write_npy(const char *name, int fortran)
{
    char header[128];
    FILE *file = fopen(path_of(name), "w");
    int n = snprintf(header, sizeof header,
                     "{'descr': '<f8', 'fortran_order': %s, 'shape': (%d, 2)}",
                     fortran ? "True" : "False", ROWS);
    memset(header + n, ' ', sizeof header - (size_t)n);
    header[117] = '\n';
    fwrite("\x93NUMPY\x01\x00\x76\x00", 1, 10, file);
    fwrite(header, 1, 118, file);
    for (int i = 0; i < 2 * ROWS; i++) {
        int r = fortran ? i % ROWS : i / 2, j = fortran ? i / ROWS : i % 2;
        double v = j ? r * r : r;
        fwrite(&v, sizeof v, 1, file);
    }
    fclose(file);
}

static reading read_part(const char *const *names, size_t count, uint32_t part,
                         uint32_t parts)
{
    kith_source_options opt = options(KITH_FORMAT_AUTO);
    kith_i_source sources[8];
    opt.part = part;
    opt.parts = parts;
    opt.dimension = 2;
    for (size_t i = 0; i < count; i++)
        sources[i] = (kith_i_source){.path = path_of(names[i])};
    return read_sources(sources, count, &opt);
}

/* One file: its parts, one after another, are the file. */
static void check_cut(const char *name)
{
    for (uint32_t parts = 1; parts <= MOST_PARTS * 30;
         parts += parts < 10 ? 1 : 61) {
        int at = 0;
        for (uint32_t p = 0; p < parts; p++) {
            reading r = read_part(&name, 1, p, parts);
            if (r.status)
                fail_msg("%s: %s", name, r.err.message);
            assert_int_equal(r.dimension, 2);
            for (size_t i = 0; i < r.rows; i++, at++)
                if (r.values[2 * i] != at || r.values[2 * i + 1] != at * at)
                    fail_msg("%s, part %u of %u: row %d is another", name, p,
                             parts, at);
            if (parts < 10 &&
                (r.rows < ROWS / parts / 2 || r.rows > 2 * ROWS / parts + 2))
                fail_msg("%s: part %u of %u has %zu rows", name, p, parts,
                         r.rows);
            forget(&r);
        }
        assert_int_equal(at, ROWS);
    }
}

static void test_cut_files(void **state)
{
    (void)state;
    write_text("plain.csv", "", "\n", 1);
    write_text("header.csv", "some,names\n", "\n", 1);
    write_text("dos.csv", "some,names\r\n", "\r\n", 1);
    write_text("open.csv", "", "\n", 0); /* the last line has no end */
    write_text("blank.csv", "\n\nsome,names\n", "\n\n", 1);
    write_text("bom.csv", "\xef\xbb\xbfsome,names\n", "\n", 1);
    write_svm("rows.svm");
    write_npy("c.npy", 0);
    write_npy("f.npy", 1);
    check_cut("plain.csv");
    check_cut("header.csv");
    check_cut("dos.csv");
    check_cut("open.csv");
    check_cut("blank.csv");
    check_cut("bom.csv");
    check_cut("rows.svm");
    check_cut("c.npy");
    check_cut("f.npy");
}

/* A header that is longer than a part. */
static void test_long_header(void **state)
{
    (void)state;
    char head[4096];
    memset(head, 'a', sizeof head);
    memcpy(head + 2000, ",b", 2);
    memcpy(head + sizeof head - 2, "\n", 2);
    write_text("long.csv", head, "\n", 1);
    const char *name = "long.csv";
    int seen[ROWS] = {0};
    for (uint32_t p = 0; p < 7; p++) {
        reading r = read_part(&name, 1, p, 7);
        assert_int_equal(r.status, KITH_OK);
        for (size_t i = 0; i < r.rows; i++)
            seen[(int)r.values[2 * i]]++;
        forget(&r);
    }
    for (int i = 0; i < ROWS; i++)
        assert_int_equal(seen[i], 1);
}

/* Several files: each row of each as often as there are files. */
static void test_dealt_files(void **state)
{
    (void)state;
    const char *names[] = {"plain.csv", "c.npy", "open.csv", "f.npy",
                           "plain.csv"};
    for (uint32_t parts = 2; parts <= MOST_PARTS; parts++) {
        int seen[ROWS] = {0};
        for (uint32_t p = 0; p < parts; p++) {
            reading r = read_part(names, 5, p, parts);
            assert_int_equal(r.status, KITH_OK);
            for (size_t i = 0; i < r.rows; i++)
                seen[(int)r.values[2 * i]]++;
            forget(&r);
        }
        for (int i = 0; i < ROWS; i++)
            assert_int_equal(seen[i], 5);
    }
}

/* Largest first to whom has least: no rank has more than the others' most and
 * one file. */
static void test_deal_is_even(void **state)
{
    (void)state;
    enum { FILES = 40, RANKS = 7 };
    uint64_t sums[RANKS] = {0}, most = 0, total = 0;
    int owners[FILES] = {0};
    for (uint32_t rank = 0; rank < RANKS; rank++) {
        kith_i_share files[FILES];
        uint64_t load[RANKS] = {0};
        for (int i = 0; i < FILES; i++)
            files[i] = (kith_i_share){.bytes = (uint64_t)(i * i * 37 % 1000),
                                      .can_cut = i % 2};
        kith_i_deal(files, FILES, rank, RANKS, load);
        for (int i = 0; i < FILES; i++) {
            assert_true(files[i].parts <= 1);
            owners[i] += (int)files[i].parts;
            if (files[i].parts)
                sums[rank] += files[i].bytes;
            if (rank == 0)
                total += files[i].bytes;
            most = files[i].bytes > most ? files[i].bytes : most;
        }
    }
    for (int i = 0; i < FILES; i++)
        assert_int_equal(owners[i], 1);
    for (int r = 0; r < RANKS; r++)
        assert_true(sums[r] <= total / RANKS + most);
}

static void test_refusals(void **state)
{
    (void)state;
    const char *name = "plain.csv";
    reading r = read_part(&name, 1, 2, 2);
    assert_int_equal(r.status, KITH_ERR_ARGUMENT);
    FILE *file = fopen(path_of("quoted.csv"), "w");
    for (int i = 0; i < 60; i++)
        fprintf(file, i == 30 ? "\"1\n\",2\n" : "1,2\n");
    fclose(file);
    name = "quoted.csv";
    int refused = 0;
    for (uint32_t p = 0; p < 3; p++) {
        r = read_part(&name, 1, p, 3);
        refused += strstr(r.err.message, "row of several lines") != NULL;
        forget(&r);
    }
    assert_true(refused > 0);
}

static int make_folder(void **state)
{
    (void)state;
    return !mkdtemp(folder);
}

static int remove_folder(void **state)
{
    (void)state;
    char command[200];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cut_files),   cmocka_unit_test(test_long_header),
        cmocka_unit_test(test_dealt_files), cmocka_unit_test(test_deal_is_even),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}

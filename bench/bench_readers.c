/* How fast the readers are: a CSV of about 100 MB (several ways of writing
 * numbers) and an NPY of about 200 MB, written to a temporary directory and
 * read from the page cache, one thread. CPU time, best of several. */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/base_i.h"
#include "data/reader.h"

enum { REPEATS = 3, CSV_DIMENSION = 50, NPY_DIMENSION = 128 };
enum { CSV_BYTES = 100 * 1000 * 1000, NPY_ROWS = 200 * 1000 * 1000 / 512 };

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static FILE *open_or_die(const char *path)
{
    FILE *f = fopen(path, "wb");
    if (!f) {
        perror(path);
        exit(1);
    }
    return f;
}

static void write_csv(const char *path, const char *format)
{
    FILE *f = open_or_die(path);
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 1, 0);
    for (long bytes = 0; bytes < CSV_BYTES;)
        for (int j = 0; j < CSV_DIMENSION; j++) {
            bytes += fprintf(f, format, kith_i_coins_normal(&coins));
            fputc(j + 1 < CSV_DIMENSION ? ',' : '\n', f);
            bytes++;
        }
    fclose(f);
}

static void write_npy(const char *path, int fortran)
{
    FILE *f = open_or_die(path);
    char header[128];
    memset(header, ' ', sizeof header);
    memcpy(header, "\x93NUMPY\x01\0v\0", 10); /* 'v': 118 bytes follow */
    int length = snprintf(header + 10, 110,
                          "{'descr': '<f4', 'fortran_order': %s, "
                          "'shape': (%d, %d), }",
                          fortran ? "True" : "False", NPY_ROWS, NPY_DIMENSION);
    header[10 + length] = ' ';
    header[127] = '\n';
    fwrite(header, 1, 128, f);
    static float values[NPY_DIMENSION * 64];
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 2, 0);
    for (int i = 0; i < NPY_DIMENSION * 64; i++)
        values[i] = (float)kith_i_coins_normal(&coins);
    for (int i = 0; i < NPY_ROWS; i++)
        fwrite(values + (i % 64) * NPY_DIMENSION, sizeof *values, NPY_DIMENSION,
               f);
    fclose(f);
}

static void measure(const char *what, const char *path)
{
    struct stat info;
    double best = 0;
    if (stat(path, &info) != 0)
        exit(1);
    for (int i = 0; i < REPEATS; i++) {
        kith_source_options opt;
        kith_i_reader *reader = NULL;
        kith_error err;
        kith_i_rows rows = {0};
        uint64_t count = 0;
        double start = cpu_seconds();
        kith_source_options_init(&opt, sizeof opt);
        kith_status status = kith_i_reader_open(&path, 1, &opt, &reader, &err);
        while (!status) {
            status = kith_i_reader_next(reader, &rows, &err);
            count += rows.rows;
            if (rows.rows == 0)
                break;
        }
        kith_i_reader_close(reader);
        if (status) {
            fprintf(stderr, "%s\n", err.message);
            exit(1);
        }
        double rate = (double)info.st_size / 1e6 / (cpu_seconds() - start);
        best = rate > best ? rate : best;
        if (i + 1 == REPEATS)
            printf("%-28s %9" PRIu64 " rows %8.0f MB/s\n", what, count, best);
    }
    unlink(path);
}

int main(void)
{
    char dir[] = "/tmp/kith_bench_XXXXXX", path[64];
    if (!mkdtemp(dir))
        return 1;
    static const struct {
        const char *what, *format;
    } csv[] = {{"csv, %.6g", "%.6g"},
               {"csv, %.17g (repr)", "%.17g"},
               {"csv, %.18e (savetxt)", "%.18e"}};
    for (size_t i = 0; i < sizeof csv / sizeof *csv; i++) {
        snprintf(path, sizeof path, "%s/x.csv", dir);
        write_csv(path, csv[i].format);
        measure(csv[i].what, path);
    }
    for (int fortran = 0; fortran < 2; fortran++) {
        snprintf(path, sizeof path, "%s/x.npy", dir);
        write_npy(path, fortran);
        measure(fortran ? "npy float32, Fortran order" : "npy float32", path);
    }
    return rmdir(dir);
}

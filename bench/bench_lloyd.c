/* What private Lloyd costs beyond loading the rows, and how that compares
 * with the plain matrix products it cannot do without:
 *     bench_lloyd FILE.npy K ROUNDS LO:HI|RADIUS
 * Prints one line of JSON; times are in seconds, CPU time (of all threads,
 * user and system) unless named wall, best of several. The noise comes from
 * the secure generator, as in a real run. */
#include <cblas.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "data/fold.h"
#include "kith/kith.h"

/* src/cluster/kmeans_lloyd.c: the first rounds use WIDE * k centres. */
enum { REPEATS = 3, WIDE = 4, PLAIN_ROWS = 8192 };

typedef struct {
    double cpu, wall;
} timing;

static timing now(void)
{
    struct rusage u;
    struct timespec t;
    getrusage(RUSAGE_SELF, &u);
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (timing){(double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
                        1e-6 *
                            (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec),
                    (double)t.tv_sec + 1e-9 * (double)t.tv_nsec};
}

/* Keep the smaller of *best and the time since start. */
static void keep_best(timing *best, timing start)
{
    timing end = now();
    double cpu = end.cpu - start.cpu, wall = end.wall - start.wall;
    best->cpu = cpu < best->cpu ? cpu : best->cpu;
    best->wall = wall < best->wall ? wall : best->wall;
}

static void check(kith_status status, const kith_error *err)
{
    if (!status)
        return;
    fprintf(stderr, "bench_lloyd: %s\n", err->message);
    exit(1);
}

typedef struct {
    const char *path;
    kith_bounds bounds;
    double low, high;
    uint32_t k, rounds, d;
    uint64_t rows;
} job;

static void run_once(job *j, uint32_t threads, timing *load, timing *cluster)
{
    kith_error err;
    kith_source_options source;
    kith_source_options_init(&source, sizeof source);
    kith_dataset *data;
    timing start = now();
    check(kith_dataset_open(&j->path, 1, &source, &j->bounds, &data, &err),
          &err);
    keep_best(load, start);
    j->d = kith_dataset_dimension(data);
    j->rows = kith_i_dataset_rows(data);
    kith_session_options session_opt;
    kith_session_options_init(&session_opt, sizeof session_opt);
    session_opt.privacy = (kith_privacy){1, 1e-6, KITH_ADD_REMOVE};
    session_opt.threads = threads;
    kith_kmeans_options opt;
    kith_kmeans_options_init(&opt, sizeof opt);
    opt.clusters = j->k;
    opt.method = KITH_KMEANS_LLOYD;
    opt.rounds = j->rounds;
    kith_session *session;
    kith_result *result;
    start = now();
    check(kith_session_open(data, &session_opt, &session, &err), &err);
    check(kith_kmeans(session, &opt, &result, &err), &err);
    keep_best(cluster, start);
    kith_result_free(result);
    kith_session_close(session);
}

/* One pass of plain products: all rows, which are doubles already, with k
 * centres, batch rows at a time. */
static void multiply(const job *j, uint32_t k, uint32_t batch,
                     const double *rows, const double *centers, double *out)
{
    for (uint64_t first = 0; first < j->rows; first += batch) {
        uint64_t left = j->rows - first;
        int n = left < batch ? (int)left : (int)batch;
        const double *at = rows + first % PLAIN_ROWS * j->d;
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)k, n,
                    (int)j->d, 1.0, centers, (int)j->d, at, (int)j->d, 0.0, out,
                    n);
    }
}

/* The best CPU time of such a pass over repetitions and batch sizes: what
 * OpenBLAS makes of it depends on them a lot. */
static double time_pass(const job *j, uint32_t k, const double *rows,
                        const double *centers, double *out)
{
    static const uint32_t batches[] = {64, 256, 1024, PLAIN_ROWS};
    timing best = {1e300, 1e300};
    for (size_t b = 0; b < sizeof batches / sizeof *batches; b++)
        for (int i = 0; i < REPEATS; i++) {
            timing start = now();
            multiply(j, k, batches[b], rows, centers, out);
            keep_best(&best, start);
        }
    return best.cpu;
}

/* The products of every round, wide ones included, one thread. */
static double time_products(const job *j)
{
    uint32_t wide_rounds = (3 * j->rounds + 4) / 8, wide = WIDE * j->k;
    size_t row_values = (size_t)PLAIN_ROWS * j->d;
    size_t center_values = (size_t)wide * j->d;
    double *rows = malloc(row_values * sizeof *rows);
    double *centers = malloc(center_values * sizeof *centers);
    double *out = malloc((size_t)PLAIN_ROWS * wide * sizeof *out);
    if (!rows || !centers || !out) {
        fprintf(stderr, "bench_lloyd: out of memory\n");
        exit(1);
    }
    for (size_t i = 0; i < row_values; i++)
        rows[i] = (double)(i * 2654435761u % 65535) - 32767;
    for (size_t i = 0; i < center_values; i++)
        centers[i] = (double)(i * 40503u % 65535) - 32767;
    int saved = openblas_get_num_threads();
    openblas_set_num_threads(1);
    double total = 0;
    if (wide_rounds > 0)
        total += wide_rounds * time_pass(j, wide, rows, centers, out);
    total += (j->rounds - wide_rounds) * time_pass(j, j->k, rows, centers, out);
    openblas_set_num_threads(saved);
    free(rows);
    free(centers);
    free(out);
    return total;
}

static int parse(int argc, char **argv, job *j)
{
    if (argc != 5)
        return -1;
    j->path = argv[1];
    j->k = (uint32_t)strtoul(argv[2], NULL, 10);
    j->rounds = (uint32_t)strtoul(argv[3], NULL, 10);
    char *end;
    j->low = strtod(argv[4], &end);
    if (*end == ':') {
        j->high = strtod(end + 1, &end);
        j->bounds =
            (kith_bounds){.lower = &j->low, .upper = &j->high, .box_count = 1};
    } else {
        j->bounds = (kith_bounds){.radius = j->low};
    }
    return j->k > 0 && j->rounds > 0 && *end == 0 ? 0 : -1;
}

int main(int argc, char **argv)
{
    job j = {0};
    if (parse(argc, argv, &j)) {
        fprintf(stderr, "usage: bench_lloyd FILE.npy K ROUNDS LO:HI|RADIUS\n");
        return 2;
    }
    timing load = {1e300, 1e300}, one = load, two = load;
    for (int i = 0; i < REPEATS; i++)
        run_once(&j, 1, &load, &one);
    for (int i = 0; i < REPEATS; i++)
        run_once(&j, 2, &load, &two);
    double plain = time_products(&j);
    printf("{\"rows\": %llu, \"dimension\": %u, \"k\": %u, \"rounds\": %u, "
           "\"load_cpu\": %.4f, \"cpu1\": %.4f, \"wall1\": %.4f, "
           "\"cpu2\": %.4f, \"wall2\": %.4f, \"dgemm_cpu\": %.4f}\n",
           (unsigned long long)j.rows, j.d, j.k, j.rounds, load.cpu, one.cpu,
           one.wall, two.cpu, two.wall, plain);
    return 0;
}

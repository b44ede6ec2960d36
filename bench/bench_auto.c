/* Costs of many private runs on one set, whose rows are loaded once:
 *     bench_auto FILE.npy LO:HI|RADIUS < runs
 * Each line of `runs` is "K EPSILON DELTA SEED METHOD" (auto, lloyd or spread);
 * K = 1 is one private mean, spread: K centres about that, at the distance that
 * auto would take if it knew the variance exactly. Each run is a child process
 * with the rows of its parent, one thread, and prints one line of JSON: cost
 * per row, CPU seconds, releases, resolution per row (0: no selection).
 * FILE.npy: float32 in C order, as bench/prepare.py and bench/ablation.py write
 * them. */
#include <cblas.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base_i.h"
#include "data/fold.h"
#include "kith/kith.h"
#include "kith/quality.h"

enum { BATCH = 1024, HEADER = 10 };

typedef struct {
    kith_dataset *data;
    float *rows;
    uint64_t n;
    uint32_t d;
    double low, high; /* of a box; equal: none */
} table;

typedef struct {
    unsigned k, seed;
    double epsilon, delta;
    char method[16];
} job;

static void stop(const char *why)
{
    fprintf(stderr, "bench_auto: %s\n", why);
    exit(1);
}

static void check(kith_status status, const kith_error *err)
{
    if (status)
        stop(err->message);
}

/* The rows as they are in the file: costs are not of quantised rows. */
static void read_rows(const char *path, table *t)
{
    unsigned char head[HEADER];
    FILE *f = fopen(path, "rb");
    size_t size = (size_t)t->n * t->d;
    t->rows = malloc(size * sizeof *t->rows);
    if (!f || !t->rows || fread(head, 1, HEADER, f) != HEADER ||
        fseek(f, head[8] + 256 * head[9], SEEK_CUR) != 0 ||
        fread(t->rows, sizeof *t->rows, size, f) != size)
        stop("cannot read the rows: float32 in C order is needed");
    fclose(f);
}

static void load(const char *path, const char *bounds, table *t)
{
    kith_error err;
    char *end;
    double low = strtod(bounds, &end), high = 0;
    kith_bounds b = {.radius = low};
    if (*end == ':') {
        high = strtod(end + 1, &end);
        b = (kith_bounds){.lower = &low, .upper = &high, .box_count = 1};
        t->low = low;
        t->high = high;
    }
    kith_source_options source;
    kith_source_options_init(&source, sizeof source);
    check(kith_dataset_open(&path, 1, &source, &b, &t->data, &err), &err);
    t->d = kith_dataset_dimension(t->data);
    t->n = kith_i_dataset_rows(t->data);
    read_rows(path, t);
}

/* Mean squared distance from the nearest of k centres. */
static double cost_of(const table *t, uint32_t k, const double *centers)
{
    uint32_t d = t->d;
    float *c = malloc((size_t)k * d * sizeof *c);
    float *dot = malloc((size_t)BATCH * k * sizeof *dot);
    double *half = malloc(k * sizeof *half), sum = 0;
    if (!c || !dot || !half)
        stop("out of memory");
    for (uint32_t j = 0; j < k; j++) {
        half[j] = 0;
        for (uint32_t i = 0; i < d; i++) {
            double v = centers[(size_t)j * d + i];
            c[(size_t)j * d + i] = (float)v;
            half[j] += v * v / 2;
        }
    }
    for (uint64_t first = 0; first < t->n; first += BATCH) {
        uint64_t left = t->n - first;
        int n = left < BATCH ? (int)left : BATCH;
        const float *x = t->rows + first * d;
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, n, (int)k, (int)d,
                    1, x, (int)d, c, (int)d, 0, dot, (int)k);
        for (int i = 0; i < n; i++) {
            uint32_t best = 0;
            const float *row = dot + (size_t)i * k;
            for (uint32_t j = 1; j < k; j++)
                best = half[j] - (double)row[j] < half[best] - (double)row[best]
                           ? j
                           : best;
            for (uint32_t a = 0; a < d; a++) /* exact, not by the product */
                sum += pow((double)x[(size_t)i * d + a] -
                               centers[(size_t)best * d + a],
                           2);
        }
    }
    free(c);
    free(dot);
    free(half);
    return sum / (double)t->n;
}

/* The mean, and k - 1 places about it in random directions. */
static double *spread_about(const table *t, const double *mean, uint32_t k,
                            unsigned seed)
{
    uint32_t d = t->d;
    double *out = malloc((size_t)k * d * sizeof *out);
    double apart =
        sqrt(cost_of(t, 1, mean) / d) * .7 * sqrt(2 * log(k)); /* choose.c */
    kith_i_coins coins;
    kith_i_coins_seed(&coins, seed, 1);
    if (!out)
        stop("out of memory");
    for (uint32_t j = 0; j < k; j++) {
        double *c = out + (size_t)j * d;
        double length = sqrt(kith_i_coins_normals(&coins, c, d));
        for (uint32_t i = 0; i < d; i++) {
            c[i] = mean[i] + (j ? apart * c[i] / length : 0);
            if (t->low < t->high)
                c[i] = fmax(t->low, fmin(t->high, c[i]));
        }
    }
    return out;
}

/* In a child: the session takes the rows, the parent keeps its own. */
static void run(const table *t, const job *j)
{
    kith_error err;
    kith_session_options session_opt;
    kith_session_options_init(&session_opt, sizeof session_opt);
    session_opt.privacy = (kith_privacy){j->epsilon, j->delta, KITH_ADD_REMOVE};
    session_opt.threads = 1;
    session_opt.insecure = 1;
    session_opt.insecure_seed = j->seed;
    kith_kmeans_options opt;
    kith_kmeans_options_init(&opt, sizeof opt);
    int spread = strcmp(j->method, "spread") == 0;
    opt.clusters = spread ? 1 : j->k;
    opt.method =
        strcmp(j->method, "lloyd") ? KITH_KMEANS_AUTO : KITH_KMEANS_LLOYD;
    opt.public_seed = j->seed;
    kith_session *session;
    kith_result *result;
    check(kith_session_open(t->data, &session_opt, &session, &err), &err);
    check(kith_kmeans(session, &opt, &result, &err), &err);
    struct rusage u;
    uint32_t k, d;
    const double *centers = kith_result_centers(result, &k, &d);
    kith_quality q = {.size = sizeof q};
    kith_result_quality(result, &q);
    if (spread)
        centers = spread_about(t, centers, j->k, j->seed);
    getrusage(RUSAGE_SELF, &u);
    double cpu = (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
                 1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
    printf("{\"k\": %u, \"epsilon\": %g, \"delta\": %g, \"seed\": %u, "
           "\"method\": \"%s\", \"cost\": %.9g, \"cpu\": %.3f, "
           "\"releases\": %zu, \"resolution\": %.4g}\n",
           j->k, j->epsilon, j->delta, j->seed, j->method,
           cost_of(t, j->k, centers), cpu, kith_result_receipt_count(result),
           isnan(q.resolution) ? 0 : q.resolution / (double)t->n);
}

int main(int argc, char **argv)
{
    table t = {0};
    job j;
    if (argc != 3) {
        fprintf(stderr, "usage: bench_auto FILE.npy LO:HI|RADIUS < runs\n");
        return 2;
    }
    load(argv[1], argv[2], &t);
    openblas_set_num_threads(1);
    while (scanf("%u %lf %lf %u %15s", &j.k, &j.epsilon, &j.delta, &j.seed,
                 j.method) == 5) {
        int status = 0;
        pid_t child = fork();
        if (child == 0) {
            run(&t, &j);
            fflush(stdout);
            _exit(0);
        }
        if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
            stop("a run failed");
    }
    return 0;
}

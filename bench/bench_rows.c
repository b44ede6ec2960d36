/* Many runs of `kith local` on the rows of one set, which are loaded once:
 *     bench_rows FILE.npy LO:HI|RADIUS K EPSILON FIRST COUNT [law|reports]
 *         [BASE [median]]
 * Seeds FIRST, FIRST + 1, ... are of groups and coins alike. One line a run:
 * the seed, the ratio of the cost to BASE (1: the cost itself), the part of the
 * rows that the least centre serves, centres whose share is below two standard
 * deviations, the last question's gain over one mean in its standard
 * deviations, the misfit, the answer that won, and by how many deviations each
 * other answer is better than the first. Then median, geometric mean, worst,
 * and the standard deviation of the logarithm. FILE.npy: float32 in C order, as
 * bench/prepare.py writes them. law: sums of reports by their law; reports:
 * every report. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/fold.h"
#include "kernel/kernel_i.h"
#include "simulate/local_run.h"

enum { HEADER = 10 };

typedef struct {
    kith_dataset *data;
    float *rows;
    uint64_t n;
    uint32_t d, k;
    double base;
    int median;
} table;

static void stop(const char *why)
{
    fprintf(stderr, "bench_rows: %s\n", why);
    exit(1);
}

static void check(kith_status status, const kith_error *err)
{
    if (status)
        stop(err->message);
}

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
    }
    kith_source_options source;
    kith_source_options_init(&source, sizeof source);
    source.fixed_rows = 1;
    check(kith_dataset_open(&path, 1, &source, &b, &t->data, &err), &err);
    t->d = kith_dataset_dimension(t->data);
    t->n = kith_i_dataset_rows(t->data);
    read_rows(path, t);
}

/* Cost for a row; members: rows of each centre, zeroed. */
static double cost_of(const table *t, const double *centers, uint32_t count,
                      double *members)
{
    double cost = 0;
    for (uint64_t r = 0; r < t->n; r++) {
        const float *x = t->rows + r * t->d;
        double near = HUGE_VAL;
        uint32_t at = 0;
        for (uint32_t j = 0; j < count; j++) {
            double far = 0;
            for (uint32_t i = 0; i < t->d; i++) {
                double by = (double)x[i] - centers[(size_t)j * t->d + i];
                far += by * by;
            }
            at = far < near ? j : at;
            near = far < near ? far : near;
        }
        cost += t->median ? sqrt(near) : near;
        members[at]++;
    }
    return cost / (double)t->n;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double run_seed(const table *t, uint64_t seed, kith_local_options *opt)
{
    kith_error err = {0};
    kith_i_local_found found = {0};
    kith_i_trace trace = {0};
    uint32_t unseen = 0;
    double least = 1, *members = calloc(t->k, sizeof *members);
    if (!members)
        stop("out of memory");
    opt->public_seed = opt->insecure_seed = seed;
    check(kith_i_local_found_make(t->k, t->d, &found, &err), &err);
    check(kith_i_local_execute(t->data, 1, opt, &trace, &found, &err), &err);
    kith_i_trace_close(&trace);
    const kith_i_local_verdict *v = &found.verdict;
    double ratio = cost_of(t, found.centers, found.count, members) / t->base;
    for (uint32_t j = 0; j < found.count; j++) {
        least = fmin(least, members[j] / (double)t->n);
        unseen += found.weights[j] < 2 * v->weight_sd[j];
    }
    printf("%llu %.4f least %.3f unseen %u found %u gain %.1f misfit %.1f won "
           "%s",
           (unsigned long long)seed, ratio, least, unseen, found.count,
           v->gain / v->gain_sd, v->excess, v->won ? v->won : "-");
    for (uint32_t i = 0; i < v->others; i++)
        printf(", %s %.1f", v->other[i].name,
               v->other[i].gain / v->other[i].sd);
    printf("\n");
    fflush(stdout);
    kith_i_local_found_free(&found);
    free(members);
    return ratio;
}

int main(int argc, char **argv)
{
    if (argc < 7)
        stop("FILE.npy LO:HI|RADIUS K EPSILON FIRST COUNT [law|reports] "
             "[BASE [median]]");
    table t = {.k = (uint32_t)atoi(argv[3]),
               .base = argc > 8 ? atof(argv[8]) : 1,
               .median = argc > 9 && !strcmp(argv[9], "median")};
    uint64_t first = strtoull(argv[5], NULL, 10);
    uint32_t count = (uint32_t)atoi(argv[6]);
    double *ratio = calloc(count, sizeof *ratio), sum = 0, square = 0;
    kith_local_options opt;
    if (!ratio || count == 0)
        stop("no runs");
    kith_local_options_init(&opt, sizeof opt);
    opt.clusters = t.k;
    opt.epsilon = atof(argv[4]);
    opt.threads = 1;
    opt.insecure = 1;
    opt.law = argc <= 7 || strcmp(argv[7], "reports") != 0;
    opt.method = KITH_LOCAL_AUTO;
    opt.objective = t.median ? KITH_OBJECTIVE_KMEDIAN : KITH_OBJECTIVE_KMEANS;
    load(argv[1], argv[2], &t);
    for (uint32_t i = 0; i < count; i++) {
        ratio[i] = run_seed(&t, first + i, &opt);
        sum += log(ratio[i]) / count;
        square += log(ratio[i]) * log(ratio[i]) / count;
    }
    qsort(ratio, count, sizeof *ratio, compare);
    printf("median %.4f geo %.4f p95 %.3f worst %.3f sd of log %.3f\n",
           (ratio[count / 2] + ratio[(count - 1) / 2]) / 2, exp(sum),
           ratio[(size_t)(.95 * (count - 1) + .5)], ratio[count - 1],
           sqrt(fmax(0, square - sum * sum)));
    kith_dataset_free(t.data);
    free(t.rows);
    free(ratio);
    return 0;
}

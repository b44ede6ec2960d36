/* How the exact assignment of quantised rows compares with one plain dgemm of
 * the same shape on doubles that are already in memory, and what it costs to
 * add up the rows. CPU time, one thread, best of several. */
#include <cblas.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "kernel/kernel_i.h"

enum { REPEATS = 7 };

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *need(size_t bytes)
{
    void *p = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (!p) {
        fprintf(stderr, "bench_assign: out of memory\n");
        exit(1);
    }
    return p;
}

typedef struct {
    uint32_t n, k, d;
    int16_t *rows;
    double *wide, *real, *product, *scratch;
    uint32_t *labels;
    int64_t *sums, *counts;
    kith_i_centers centers;
} setup;

static setup setup_new(uint32_t n, uint32_t k, uint32_t d)
{
    setup s = {.n = n, .k = k, .d = d};
    size_t values = (size_t)n * d, coords = (size_t)k * d;
    s.rows = need(values * sizeof *s.rows);
    s.wide = need(values * sizeof *s.wide);
    s.real = need(coords * sizeof *s.real);
    s.product = need((size_t)n * k * sizeof *s.product);
    s.scratch = need(kith_i_assign_scratch(KITH_I_BLOCK_ROWS, k, d, 0) *
                     sizeof *s.scratch);
    s.labels = need(n * sizeof *s.labels);
    s.sums = need(coords * sizeof *s.sums);
    s.counts = need(k * sizeof *s.counts);
    s.centers = (kith_i_centers){.k = k, .d = d};
    s.centers.coords = need(coords * sizeof(double));
    s.centers.squares = need(k * sizeof(double));
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 1, k + 1000 * d);
    for (size_t i = 0; i < values; i++) {
        s.rows[i] = (int16_t)((int)kith_i_coins_below(&coins, 65535) - 32767);
        s.wide[i] = s.rows[i];
    }
    for (size_t i = 0; i < coords; i++) {
        s.real[i] = (double)kith_i_coins_below(&coins, 65535) - 32767;
        s.sums[i] = 0;
    }
    for (uint32_t j = 0; j < k; j++)
        s.counts[j] = 0;
    kith_i_centers_set(&s.centers, s.real);
    return s;
}

static void setup_free(setup *s)
{
    free(s->rows);
    free(s->wide);
    free(s->real);
    free(s->product);
    free(s->scratch);
    free(s->labels);
    free(s->sums);
    free(s->counts);
    free(s->centers.coords);
    free(s->centers.squares);
}

static void run_dgemm(setup *s)
{
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)s->n, (int)s->k,
                (int)s->d, 1.0, s->wide, (int)s->d, s->real, (int)s->d, 0.0,
                s->product, (int)s->k);
}

static kith_i_block block_at(const setup *s, uint32_t first)
{
    uint32_t left = s->n - first;
    return (kith_i_block){.rows = left < KITH_I_BLOCK_ROWS ? left
                                                           : KITH_I_BLOCK_ROWS,
                          .dimension = s->d,
                          .dense = s->rows + (size_t)first * s->d};
}

static void run_assign(setup *s)
{
    for (uint32_t r = 0; r < s->n; r += KITH_I_BLOCK_ROWS) {
        kith_i_block block = block_at(s, r);
        kith_i_assign_block(&s->centers, &block, s->scratch, s->labels + r,
                            NULL);
    }
}

static void run_accumulate(setup *s)
{
    for (uint32_t r = 0; r < s->n; r += KITH_I_BLOCK_ROWS) {
        kith_i_block block = block_at(s, r);
        kith_i_accumulate_rows(&block, s->labels + r, s->k, s->sums, s->counts);
    }
}

static double best_time(void (*run)(setup *), setup *s)
{
    double best = 1e300;
    for (int i = 0; i < REPEATS; i++) {
        double t = cpu_seconds();
        run(s);
        t = cpu_seconds() - t;
        if (t < best)
            best = t;
    }
    return best;
}

int main(void)
{
    static const uint32_t clusters[] = {10, 64}, dims[] = {64, 100, 784};
    const uint32_t n = 70000;
    int saved = kith_i_blas_single();
    printf("%8s %4s %4s %10s %10s %6s %13s\n", "n", "k", "d", "dgemm ms",
           "assign ms", "ratio", "accumulate ms");
    for (size_t a = 0; a < 2; a++)
        for (size_t b = 0; b < 3; b++) {
            setup s = setup_new(n, clusters[a], dims[b]);
            double plain = best_time(run_dgemm, &s);
            double ours = best_time(run_assign, &s);
            double sums = best_time(run_accumulate, &s);
            printf("%8u %4u %4u %10.2f %10.2f %6.2f %13.2f\n", n, s.k, s.d,
                   1e3 * plain, 1e3 * ours, ours / plain, 1e3 * sums);
            setup_free(&s);
        }
    kith_i_blas_restore(saved);
    return 0;
}

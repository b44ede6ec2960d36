/* kith_evaluate_source and kith_assign_source on files against long double
 * loops: dense and sparse, both objectives, with a box, far from the origin,
 * any number of threads. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/base_i.h"
#include "kith/kith.h"

enum { N = 2500, D = 23, K = 9 };

typedef struct {
    double x[N * D], c[K * D], low[D], high[D];
    char csv[32], svm[32];
    kith_model_view model;
} world;

static FILE *open_temp(char *path, const char *suffix)
{
    snprintf(path, 32, "/tmp/kith_eval_XXXXXX%s", suffix);
    int fd = mkstemps(path, (int)strlen(suffix));
    assert_true(fd >= 0);
    FILE *f = fdopen(fd, "w");
    assert_non_null(f);
    return f;
}

/* Rows about offset, two thirds of them zeros when sparse; the same rows in
 * both files. */
static world *world_new(uint64_t seed, double offset, double spread)
{
    kith_i_coins coins;
    world *w = calloc(1, sizeof *w);
    assert_non_null(w);
    kith_i_coins_seed(&coins, seed, 0);
    for (size_t i = 0; i < N * D; i++)
        if (offset != 0 || kith_i_coins_below(&coins, 3) == 0)
            w->x[i] = offset + spread * kith_i_coins_normal(&coins);
    for (size_t i = 0; i < K * D; i++)
        w->c[i] = offset + spread * kith_i_coins_normal(&coins);
    memcpy(w->c + 4 * D, w->c + 2 * D, D * sizeof *w->c); /* a tie */
    memcpy(w->x + 8 * D, w->c + 5 * D, D * sizeof *w->x); /* on a centre */
    for (int i = 0; i < D; i++) {
        w->low[i] = offset - 1 - i;
        w->high[i] = offset + 2 + i * 0.5;
    }
    w->model =
        (kith_model_view){.clusters = K, .dimension = D, .centers = w->c};
    FILE *csv = open_temp(w->csv, ".csv"), *svm = open_temp(w->svm, ".svm");
    for (size_t r = 0; r < N; r++) {
        fprintf(svm, "1");
        for (size_t i = 0; i < D; i++) {
            double v = w->x[r * D + i];
            fprintf(csv, "%.17g%c", v, i + 1 < D ? ',' : '\n');
            if (v != 0)
                fprintf(svm, " %zu:%.17g", i + 1, v);
        }
        fprintf(svm, "\n");
    }
    fclose(csv);
    fclose(svm);
    return w;
}

static void world_free(world *w)
{
    unlink(w->csv);
    unlink(w->svm);
    free(w);
}

static long double naive_squared(const world *w, size_t r, size_t j)
{
    long double s = 0;
    for (size_t i = 0; i < D; i++) {
        long double e =
            (long double)w->x[r * D + i] - (long double)w->c[j * D + i];
        if (w->model.lower)
            e /= (long double)w->high[i] - (long double)w->low[i];
        s += e * e;
    }
    return s;
}

static size_t naive_label(const world *w, size_t r)
{
    size_t best = 0;
    for (size_t j = 1; j < K; j++)
        if (naive_squared(w, r, j) < naive_squared(w, r, best))
            best = j;
    return best;
}

typedef struct {
    uint32_t labels[N];
    size_t count;
} label_list;

static int keep_labels(void *arg, const uint32_t *labels, size_t count)
{
    label_list *l = arg;
    assert_true(l->count + count <= N);
    memcpy(l->labels + l->count, labels, count * sizeof *labels);
    l->count += count;
    return 0;
}

static double evaluate(const world *w, kith_objective objective, int sparse,
                       uint32_t threads)
{
    kith_source_options opt;
    kith_error err = {0};
    const char *paths[] = {sparse ? w->svm : w->csv};
    kith_source files = {.paths = paths, .path_count = 1};
    uint64_t rows = 0;
    double cost = -1;
    kith_source_options_init(&opt, sizeof opt);
    opt.dimension = D;
    opt.threads = threads;
    assert_int_equal(kith_evaluate_source(&w->model, objective, &files, &opt,
                                          &rows, &cost, &err),
                     KITH_OK);
    assert_int_equal(rows, N);
    return cost;
}

static void check_labels(const world *w, int sparse, uint32_t threads)
{
    kith_source_options opt;
    const char *paths[] = {sparse ? w->svm : w->csv};
    kith_source files = {.paths = paths, .path_count = 1};
    label_list l = {.count = 0};
    kith_source_options_init(&opt, sizeof opt);
    opt.dimension = D;
    opt.threads = threads;
    assert_int_equal(
        kith_assign_source(&w->model, &files, &opt, keep_labels, &l, NULL),
        KITH_OK);
    assert_int_equal(l.count, N);
    for (size_t r = 0; r < N; r++)
        assert_int_equal(l.labels[r], naive_label(w, r));
}

static void check_world(const world *w)
{
    long double squares = 0, distances = 0;
    for (size_t r = 0; r < N; r++) {
        long double s = naive_squared(w, r, naive_label(w, r));
        squares += s;
        distances += sqrtl(s);
    }
    for (int sparse = 0; sparse < 2; sparse++) {
        double a = evaluate(w, KITH_OBJECTIVE_KMEANS, sparse, 1);
        double b = evaluate(w, KITH_OBJECTIVE_KMEDIAN, sparse, 1);
        double c = evaluate(w, KITH_OBJECTIVE_KMEANS, sparse, 3);
        assert_true(fabsl((long double)a - squares) <= 1e-12L * squares);
        assert_true(fabsl((long double)b - distances) <= 1e-12L * distances);
        assert_memory_equal(&a, &c, sizeof a);
        check_labels(w, sparse, 1);
        check_labels(w, sparse, 4);
    }
}

static void test_plain_units(void **state)
{
    (void)state;
    world *w = world_new(50, 0, 1);
    check_world(w);
    world_free(w);
}

static void test_box_units(void **state)
{
    (void)state;
    world *w = world_new(51, 0, 1);
    double without = evaluate(w, KITH_OBJECTIVE_KMEANS, 0, 1);
    w->model.lower = w->low;
    w->model.upper = w->high;
    check_world(w);
    assert_true(fabs(evaluate(w, KITH_OBJECTIVE_KMEANS, 0, 1) - without) >
                0.1 * without);
    world_free(w);
}

/* |x|^2 is 1e15 times the distances: |x|^2 - 2 x.c + |c|^2 would know
 * nothing. */
static void test_far_from_origin(void **state)
{
    (void)state;
    world *w = world_new(52, 3e7, 1);
    check_world(w);
    world_free(w);
}

static int refuse(void *arg, const uint32_t *labels, size_t count)
{
    (void)arg;
    (void)labels;
    (void)count;
    return 1;
}

static void test_refusals(void **state)
{
    (void)state;
    world *w = world_new(53, 0, 1);
    kith_source_options opt;
    kith_error err = {0};
    const char *paths[] = {w->csv};
    kith_source files = {.paths = paths, .path_count = 1};
    uint64_t rows = 77;
    double cost = 77;
    kith_source_options_init(&opt, sizeof opt);
    assert_int_equal(
        kith_assign_source(&w->model, &files, &opt, refuse, NULL, &err),
        KITH_ERR_CANCELLED);
    w->model.dimension = D - 1;
    assert_int_equal(kith_evaluate_source(&w->model, KITH_OBJECTIVE_KMEANS,
                                          &files, &opt, &rows, &cost, &err),
                     KITH_ERR_INPUT);
    assert_non_null(strstr(err.message, "22"));
    assert_non_null(strstr(err.message, "23"));
    w->model.dimension = D;
    w->model.lower = w->low;
    assert_int_equal(kith_evaluate_source(&w->model, KITH_OBJECTIVE_KMEANS,
                                          &files, &opt, &rows, &cost, &err),
                     KITH_ERR_ARGUMENT);
    w->model.upper = w->low;
    assert_int_equal(kith_evaluate_source(&w->model, KITH_OBJECTIVE_KMEANS,
                                          &files, &opt, &rows, &cost, &err),
                     KITH_ERR_ARGUMENT);
    w->model.lower = w->model.upper = NULL;
    w->c[3] = nan("");
    assert_int_equal(kith_evaluate_source(&w->model, KITH_OBJECTIVE_KMEANS,
                                          &files, &opt, &rows, &cost, &err),
                     KITH_ERR_ARGUMENT);
    w->c[3] = 0;
    assert_int_equal(kith_evaluate_source(&w->model, (kith_objective)9, &files,
                                          &opt, &rows, &cost, &err),
                     KITH_ERR_ARGUMENT);
    paths[0] = "/tmp/kith_there_is_no_such_file.csv";
    assert_int_equal(kith_evaluate_source(&w->model, KITH_OBJECTIVE_KMEANS,
                                          &files, &opt, &rows, &cost, &err),
                     KITH_ERR_INPUT);
    assert_int_equal(rows, 77); /* outputs untouched */
    assert_true(cost == 77);
    world_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_plain_units),
                                       cmocka_unit_test(test_box_units),
                                       cmocka_unit_test(test_far_from_origin),
                                       cmocka_unit_test(test_refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

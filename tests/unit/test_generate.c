/* Example data: laws of the three generators, against what their definitions
 * say. Seeded, so a pass is a pass for ever; the limits are set so that a
 * fresh seed would fail with probability below 1e-6. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <kith/plain.h>

typedef struct table {
    uint32_t width; /* values a row */
    size_t rows, stop_after;
    uint32_t *label, *index;
    double *value;
    int sparse;
} table;

static int collect(void *arg, uint32_t label, const uint32_t *index,
                   const double *value, uint32_t count)
{
    table *t = arg;
    if (t->rows == t->stop_after)
        return 1;
    assert_int_equal(count, t->width);
    assert_int_equal(index != NULL, t->sparse);
    t->label[t->rows] = label;
    memcpy(t->value + t->rows * count, value, count * sizeof *value);
    if (index)
        memcpy(t->index + t->rows * count, index, count * sizeof *index);
    t->rows++;
    return 0;
}

static kith_generate_options options(kith_generator kind, uint64_t rows,
                                     uint32_t d, uint32_t k)
{
    kith_generate_options opt;
    kith_generate_options_init(&opt, sizeof opt);
    opt.kind = kind;
    opt.rows = rows;
    opt.dimension = d;
    opt.clusters = k;
    return opt;
}

static table make(const kith_generate_options *opt)
{
    int sparse = opt->kind == KITH_GENERATE_SPARSE;
    uint32_t width = sparse ? opt->sparsity : opt->dimension;
    table t = {.width = width,
               .stop_after = SIZE_MAX,
               .label = calloc(opt->rows, sizeof *t.label),
               .index = calloc(opt->rows * width, sizeof *t.index),
               .value = calloc(opt->rows * width, sizeof *t.value),
               .sparse = sparse};
    kith_error err;
    assert_int_equal(kith_generate(opt, collect, &t, &err), KITH_OK);
    assert_int_equal(t.rows, opt->rows);
    return t;
}

static void drop(table *t)
{
    free(t->label);
    free(t->index);
    free(t->value);
}

static double dot(const double *a, const double *b, size_t n)
{
    double s = 0;
    for (size_t i = 0; i < n; i++)
        s += a[i] * b[i];
    return s;
}

/* Labels: chi-square of k uniform cells; 4.9 is the one-sided normal quantile
 * of 5e-7, and Wilson-Hilferty turns it into a chi-square limit. */
static void check_labels(const table *t, uint32_t k)
{
    double expected = (double)t->rows / k, chi = 0;
    size_t *count = calloc(k, sizeof *count);
    for (size_t i = 0; i < t->rows; i++) {
        assert_true(t->label[i] < k);
        count[t->label[i]]++;
    }
    for (uint32_t c = 0; c < k; c++) {
        double diff = (double)count[c] - expected;
        chi += diff * diff / expected;
    }
    double f = k - 1.0, h = 2 / (9 * f);
    assert_true(chi < f * pow(1 - h + 4.9 * sqrt(h), 3));
    free(count);
}

/* With a spread that never reaches the ball's edge: cluster means on the
 * sphere of radius 0.875, residual variance spread^2. */
static void gaussians_have_their_law(void **state)
{
    (void)state;
    enum { N = 8000, D = 20, K = 4 };
    kith_generate_options opt = options(KITH_GENERATE_GAUSSIANS, N, D, K);
    opt.spread = 0.005;
    table t = make(&opt);
    check_labels(&t, K);
    double mean[K][D] = {{0}}, residual = 0;
    size_t count[K] = {0};
    for (size_t i = 0; i < N; i++) {
        count[t.label[i]]++;
        for (size_t j = 0; j < D; j++)
            mean[t.label[i]][j] += t.value[i * D + j];
    }
    for (size_t c = 0; c < K; c++)
        for (size_t j = 0; j < D; j++)
            mean[c][j] /= (double)count[c];
    for (size_t c = 0; c < K; c++) {
        /* The mean's error is spread / sqrt(2000) a coordinate = 1.1e-4. */
        double length = sqrt(dot(mean[c], mean[c], D));
        assert_true(fabs(length - 0.875) < 6 * 1.2e-4);
        for (size_t b = 0; b < c; b++) /* centres are different */
            assert_true(dot(mean[c], mean[b], D) < 0.99 * 0.875 * 0.875);
    }
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < D; j++) {
            double r = t.value[i * D + j] - mean[t.label[i]][j];
            residual += r * r;
        }
    /* (N - K) D degrees of freedom: relative sd sqrt(2 / 159920) = 0.0035. */
    double ratio = residual / ((N - K) * D) / (0.005 * 0.005);
    assert_true(fabs(ratio - 1) < 5 * 0.0036);
    drop(&t);
}

static void gaussians_stay_in_the_ball(void **state)
{
    (void)state;
    enum { N = 2000, D = 6, K = 3 };
    kith_generate_options opt = options(KITH_GENERATE_GAUSSIANS, N, D, K);
    opt.spread = 0.5;
    table t = make(&opt);
    size_t edge = 0;
    for (size_t i = 0; i < N; i++) {
        double length = sqrt(dot(t.value + i * D, t.value + i * D, D));
        assert_true(length <= 1 + 1e-12);
        edge += length > 1 - 1e-12;
    }
    assert_true(edge > N / 4 && edge < N); /* some clipped, some not */
    drop(&t);
}

/* Without noise the rows of a cluster span exactly q dimensions. */
static void subspaces_have_dimension_q(void **state)
{
    (void)state;
    enum { N = 300, D = 12, K = 3, Q = 4 };
    kith_generate_options opt = options(KITH_GENERATE_SUBSPACES, N, D, K);
    opt.subspace_dimension = Q;
    opt.spread = 0;
    table t = make(&opt);
    for (uint32_t c = 0; c < K; c++) {
        double basis[Q][D];
        int found = 0;
        for (size_t i = 0; i < N; i++) {
            if (t.label[i] != c)
                continue;
            double v[D];
            memcpy(v, t.value + i * D, sizeof v);
            assert_true(fabs(dot(v, v, D) - 1) < 1e-12);
            for (int b = 0; b < found; b++) {
                double s = dot(v, basis[b], D);
                for (int j = 0; j < D; j++)
                    v[j] -= s * basis[b][j];
            }
            double left = sqrt(dot(v, v, D));
            if (left < 1e-9)
                continue;
            assert_true(found < Q); /* one dimension too many */
            for (int j = 0; j < D; j++)
                basis[found][j] = v[j] / left;
            found++;
        }
        assert_int_equal(found, Q);
    }
    drop(&t);
}

/* Haar planes and uniform coefficients make each row uniform on the sphere
 * when every row has its own plane: E x_i^2 = 1/d, E x_i x_j = 0. */
static void subspaces_are_isotropic(void **state)
{
    (void)state;
    enum { SEEDS = 4000, D = 5, Q = 2 };
    double moment[D][D] = {{0}}, energy = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        kith_generate_options opt = options(KITH_GENERATE_SUBSPACES, 2, D, 1);
        opt.subspace_dimension = Q;
        opt.spread = 0;
        opt.seed = seed;
        table t = make(&opt);
        for (int i = 0; i < D; i++)
            for (int j = 0; j < D; j++)
                moment[i][j] += t.value[i] * t.value[j] / SEEDS;
        double inner = dot(t.value, t.value + D, D);
        energy += inner * inner / SEEDS;
        drop(&t);
    }
    /* Var x_i^2 = 2(d-1)/(d^2(d+2)) = .0457, Var x_i x_j = 1/(d(d+2)). */
    double diagonal = 5.5 * sqrt(0.0457 / SEEDS);
    double beside = 5.5 * sqrt(1.0 / (D * (D + 2)) / SEEDS);
    for (int i = 0; i < D; i++)
        for (int j = 0; j < D; j++)
            assert_true(i == j ? fabs(moment[i][j] - 1.0 / D) < diagonal
                               : fabs(moment[i][j]) < beside);
    /* Two rows of one plane: E <x,y>^2 = 1/q (sd below 1/2). */
    assert_true(fabs(energy - 1.0 / Q) < 5 * 0.5 / sqrt(SEEDS));
}

/* Within one plane no direction is preferred: the second moment M of the rows
 * has q equal eigenvalues, tr M^2 = 1/q. For q = 2, N (tr M^2 - 1/2) * 4 is
 * chi-square with 2 degrees of freedom, above 27.7 with probability 1e-6. */
static void planes_are_round(void **state)
{
    (void)state;
    enum { N = 20000, D = 5, Q = 2 };
    for (uint64_t seed = 0; seed < 3; seed++) {
        kith_generate_options opt = options(KITH_GENERATE_SUBSPACES, N, D, 1);
        opt.subspace_dimension = Q;
        opt.spread = 0;
        opt.seed = seed;
        table t = make(&opt);
        double moment[D][D] = {{0}}, square = 0;
        for (size_t r = 0; r < N; r++)
            for (size_t i = 0; i < D; i++)
                for (size_t j = 0; j < D; j++)
                    moment[i][j] += t.value[r * D + i] * t.value[r * D + j] / N;
        for (int i = 0; i < D; i++)
            square += dot(moment[i], moment[i], D);
        assert_true(square - 0.5 > -1e-9 && square - 0.5 < 27.7 / (4.0 * N));
        drop(&t);
    }
}

static void sparse_rows_are_topics(void **state)
{
    (void)state;
    enum { N = 3000, D = 5000, K = 5, S = 12 };
    kith_generate_options opt = options(KITH_GENERATE_SPARSE, N, D, K);
    opt.sparsity = S;
    table t = make(&opt);
    check_labels(&t, K);
    uint32_t *uses = calloc((size_t)K * D, sizeof *uses);
    for (size_t i = 0; i < N; i++) {
        const uint32_t *index = t.index + i * S;
        for (int j = 0; j < S; j++) {
            assert_true(index[j] < D);
            assert_true(j == 0 || index[j - 1] < index[j]);
            assert_true(t.value[i * S + (size_t)j] > 0);
            uses[(size_t)t.label[i] * D + index[j]]++;
        }
        double square = dot(t.value + i * S, t.value + i * S, S);
        assert_true(fabs(square - 1) < 1e-12);
    }
    /* A topic has 8 S words; the first is in almost every row of it. */
    for (size_t c = 0; c < K; c++) {
        size_t words = 0, most = 0, rows = 0;
        for (size_t w = 0; w < D; w++) {
            words += uses[c * D + w] > 0;
            most = uses[c * D + w] > most ? uses[c * D + w] : most;
        }
        for (size_t i = 0; i < N; i++)
            rows += t.label[i] == c;
        assert_true(words <= 8 * S && words > 6 * S);
        assert_true(most > rows * 8 / 10 && most <= rows);
    }
    free(uses);
    drop(&t);
}

/* S = d: every word, although the rare ones are hardly ever drawn. */
static void sparse_rows_may_be_full(void **state)
{
    (void)state;
    kith_generate_options opt = options(KITH_GENERATE_SPARSE, 50, 40, 2);
    opt.sparsity = 40;
    table t = make(&opt);
    for (size_t i = 0; i < t.rows * 40; i++)
        assert_int_equal(t.index[i], i % 40);
    drop(&t);
}

/* Same seed, same rows; more rows keep the first; other seeds differ. */
static void seeds_decide(void **state)
{
    (void)state;
    for (int kind = KITH_GENERATE_GAUSSIANS; kind <= KITH_GENERATE_SPARSE;
         kind++) {
        kith_generate_options opt = options((kith_generator)kind, 30, 16, 3);
        opt.subspace_dimension = 2;
        opt.sparsity = 5;
        opt.seed = 77;
        table a = make(&opt);
        opt.rows = 20;
        table b = make(&opt);
        opt.seed = 78;
        table c = make(&opt);
        size_t bytes = 20 * a.width * sizeof(double);
        assert_memory_equal(a.value, b.value, bytes);
        assert_memory_equal(a.label, b.label, 20 * sizeof *a.label);
        assert_memory_not_equal(a.value, c.value, bytes);
        drop(&a);
        drop(&b);
        drop(&c);
    }
}

static void receiver_can_stop(void **state)
{
    (void)state;
    kith_generate_options opt = options(KITH_GENERATE_GAUSSIANS, 100, 2, 2);
    table t = {.width = 2,
               .stop_after = 7,
               .label = calloc(100, sizeof(uint32_t)),
               .value = calloc(200, sizeof(double))};
    kith_error err;
    assert_int_equal(kith_generate(&opt, collect, &t, &err),
                     KITH_ERR_CANCELLED);
    assert_int_equal(t.rows, 7);
    drop(&t);
}

static int never(void *arg, uint32_t label, const uint32_t *index,
                 const double *value, uint32_t count)
{
    (void)arg, (void)label, (void)index, (void)value, (void)count;
    fail();
    return 1;
}

static void refuse(kith_generate_options opt)
{
    kith_error err = {0};
    assert_int_equal(kith_generate(&opt, never, NULL, &err), KITH_ERR_ARGUMENT);
    assert_true(strlen(err.message) > 0);
    assert_int_equal(kith_generate(&opt, never, NULL, NULL), KITH_ERR_ARGUMENT);
}

static void nonsense_is_refused(void **state)
{
    (void)state;
    kith_generate_options good = options(KITH_GENERATE_GAUSSIANS, 9, 4, 2), o;
    refuse((o = good, o.rows = 0, o));
    refuse((o = good, o.dimension = 0, o));
    refuse((o = good, o.dimension = UINT32_MAX, o));
    refuse((o = good, o.clusters = 0, o));
    refuse((o = good, o.kind = (kith_generator)0, o));
    refuse((o = good, o.kind = (kith_generator)9, o));
    refuse((o = good, o.spread = (double)NAN, o));
    refuse((o = good, o.spread = (double)INFINITY, o));
    refuse((o = good, o.size = 0, o));
    o = good;
    o.kind = KITH_GENERATE_SUBSPACES;
    refuse(o);
    o.subspace_dimension = 5;
    refuse(o);
    o = good;
    o.kind = KITH_GENERATE_SPARSE;
    refuse(o);
    o.sparsity = 5;
    refuse(o);
    o.sparsity = 2;
    o.spread = 0.1;
    refuse(o);
    assert_int_equal(kith_generate(&good, NULL, NULL, NULL), KITH_ERR_ARGUMENT);
    assert_int_equal(kith_generate(NULL, never, NULL, NULL), KITH_ERR_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gaussians_have_their_law),
        cmocka_unit_test(gaussians_stay_in_the_ball),
        cmocka_unit_test(subspaces_have_dimension_q),
        cmocka_unit_test(subspaces_are_isotropic),
        cmocka_unit_test(planes_are_round),
        cmocka_unit_test(sparse_rows_are_topics),
        cmocka_unit_test(sparse_rows_may_be_full),
        cmocka_unit_test(seeds_decide),
        cmocka_unit_test(receiver_can_stop),
        cmocka_unit_test(nonsense_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

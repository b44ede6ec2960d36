/* Parts of the solvers: graphs against dense matrices, eigenvectors against
 * LAPACK, and the optimality conditions of the convex programs of SSC and
 * LRR. */
#include "kernel/dense.h"
#include "kernel/kernel_i.h"
#include "solver/parts.h"
#include "support/planes_naive.h"

/* A ring of n nodes with random chords, cut into pieces of n / pieces. */
static void make_graph(kith_i_graph *g, uint32_t n, uint32_t pieces,
                       double *dense)
{
    enum { WIDTH = 4 };
    kith_i_lists lists;
    kith_i_coins coins;
    kith_i_coins_seed(&coins, n, 2);
    assert_true(kith_i_lists_init(&lists, n, WIDTH));
    memset(dense, 0, (size_t)n * n * sizeof *dense);
    uint32_t size = n / pieces;
    for (size_t i = 0; i < n; i++)
        for (size_t t = 0; t < WIDTH; t++) {
            size_t at = i * WIDTH + t, base = i / size * size;
            size_t j = base + kith_i_coins_below(&coins, size);
            double w = t == 3 ? 0 : kith_i_coins_unit(&coins);
            if (base + size > n || j == i)
                w = 0; /* the rest has no neighbours */
            j = w > 0 ? j : 0;
            lists.index[at] = (uint32_t)j;
            lists.weight[at] = w;
            dense[i * n + j] += w;
            dense[j * n + i] += w;
        }
    *g = (kith_i_graph){.threads = 2};
    assert_true(kith_i_graph_from_lists(g, &lists));
    kith_i_lists_free(&lists);
}

static void test_apply(void **state)
{
    (void)state;
    enum { N = 150, C = 3, R = 4 };
    static double dense[N * N], in[C * N], out[C * N];
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 6, 6);
    for (int i = 0; i < C * N; i++)
        in[i] = kith_i_coins_normal(&coins);
    for (int kernel = 0; kernel < 2; kernel++) {
        kith_i_graph g;
        make_graph(&g, N, 2, dense);
        if (kernel) {
            kith_i_graph_free(&g);
            g = (kith_i_graph){.n = N, .threads = 2, .r = R};
            g.factor = kith_i_alloc(N * R, sizeof(double));
            for (int i = 0; i < N * R; i++)
                g.factor[i] = kith_i_coins_normal(&coins);
            for (int i = 0; i < N; i++)
                for (int j = 0; j < N; j++) {
                    double sum = 0;
                    for (int t = 0; t < R; t++)
                        sum += g.factor[i * R + t] * g.factor[j * R + t];
                    dense[i * N + j] = pow(sum, 4);
                }
        }
        double *scratch = malloc(kith_i_graph_scratch(&g) * 8 + 8);
        kith_i_graph_apply(&g, C, in, scratch, out);
        for (int c = 0; c < C; c++)
            for (int i = 0; i < N; i++) {
                double want = 0, size = 1;
                for (int j = 0; j < N; j++) {
                    want += dense[i * N + j] * in[c * N + j];
                    size += fabs(dense[i * N + j] * in[c * N + j]);
                }
                assert_true(fabs(out[c * N + i] - want) < 1e-12 * size);
            }
        free(scratch);
        kith_i_graph_free(&g);
    }
}

/* Both eigensolvers give the leading space that LAPACK finds in the dense
 * matrix, with eigenvalue 1 as often as there are pieces. */
static void check_leading(uint32_t n, uint32_t pieces, uint32_t k)
{
    double *dense = malloc((size_t)n * n * sizeof *dense);
    double *scale = calloc(n, sizeof *scale);
    double *vectors = calloc((size_t)n * k, sizeof *vectors);
    double *theirs = calloc((size_t)n * k, sizeof *theirs);
    double *values = calloc(k, sizeof *values);
    double *work = malloc(kith_i_eigen_work(n) * sizeof *work);
    int *integers = malloc(kith_i_eigen_integers(n) * sizeof *integers);
    kith_i_graph g;
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 1, 2);
    make_graph(&g, n, pieces, dense);
    assert_int_equal(kith_i_graph_leading(&g, k, &coins, vectors, NULL),
                     KITH_OK);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++)
            scale[i] += dense[i * n + j];
        scale[i] = scale[i] > 0 ? 1 / sqrt(scale[i]) : 0;
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            dense[i * n + j] *= scale[i] * scale[j];
    for (uint32_t v = 0; v < k; v++) { /* Rayleigh quotient, residual */
        const double *x = vectors + (size_t)v * n;
        double rayleigh = 0, error = 0;
        for (int pass = 0; pass < 2; pass++)
            for (size_t i = 0; i < n; i++) {
                double sum = 0;
                for (size_t j = 0; j < n; j++)
                    sum += dense[i * n + j] * x[j];
                rayleigh += pass ? 0 : sum * x[i];
                error += pass ? pow(sum - rayleigh * x[i], 2) : 0;
            }
        values[v] = rayleigh;
        assert_true(sqrt(error) < 1e-6);
    }
    planes_check(vectors, 1, k, n);
    double *want = calloc(k, sizeof *want);
    assert_int_equal(
        kith_i_eigen_top(dense, n, k, work, integers, want, theirs), 0);
    for (uint32_t v = 0; v < k; v++) {
        assert_true(fabs(values[v] - want[v]) < 1e-9);
        if (v < pieces)
            assert_true(fabs(values[v] - 1) < 1e-9);
    }
    kith_i_graph_free(&g);
    free(dense);
    free(scale);
    free(vectors);
    free(theirs);
    free(values);
    free(want);
    free(work);
    free(integers);
}

static void test_leading(void **state)
{
    (void)state;
    check_leading(60, 2, 3);
    check_leading(700, 1, 4);
    check_leading(700, 5, 5);
    check_leading(703, 3, 6);
    check_leading(450, 2, 60); /* too many for blocks: dense */
}

static void test_spectral(void **state)
{
    (void)state;
    enum { PIECES = 3 };
    for (uint32_t n = 90; n <= 900; n += 810) {
        double *dense = malloc((size_t)n * n * sizeof *dense);
        uint32_t *labels = malloc(n * sizeof *labels);
        kith_i_graph g;
        kith_i_coins coins;
        kith_i_coins_seed(&coins, 1, 2);
        make_graph(&g, n, PIECES, dense);
        assert_int_equal(
            kith_i_spectral_labels(&g, PIECES, &coins, labels, NULL), KITH_OK);
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t j = 0; j < n; j++)
                if ((labels[i] == labels[j]) !=
                    (i / (n / PIECES) == j / (n / PIECES)))
                    fail_msg("n %u: nodes %u and %u", n, i, j);
        kith_i_graph_free(&g);
        free(dense);
        free(labels);
    }
}

/* c is optimal iff g = lambda X (x_i - X'c) has g_j = sign c_j where c_j is not
 * zero and |g_j| <= 1 elsewhere, j != i. */
static void test_ssc_optimum(void **state)
{
    (void)state;
    enum { N = 60, D = 7, K = 2, Q = 2 };
    double truth[K * Q * D];
    double *x = planes_rows(N, D, K, Q, 0.05, 3, truth);
    kith_i_matrix rows = {x, N, D};
    kith_i_ssc ssc;
    assert_int_equal(kith_i_ssc_init(&ssc, &rows, NULL), KITH_OK);
    ssc.tolerance = 1e-12;
    ssc.iterations = 20000;
    double *scratch = malloc(kith_i_ssc_scratch(&ssc, N) * sizeof *scratch);
    double *codes = malloc(sizeof(double) * N * N);
    int used = 0;
    /* Some rows at a time, from the middle too. */
    kith_i_ssc_codes(&ssc, 0, 13, scratch, codes);
    kith_i_ssc_codes(&ssc, 13, N - 13, scratch, codes + 13 * N);
    for (int i = 0; i < N; i++) {
        const double *c = codes + i * N;
        double rest[D];
        assert_true(c[i] == 0);
        for (int t = 0; t < D; t++) {
            rest[t] = x[i * D + t];
            for (int j = 0; j < N; j++)
                rest[t] -= c[j] * x[j * D + t];
        }
        for (int j = 0; j < N; j++) {
            double g = 0;
            for (int t = 0; t < D; t++)
                g += ssc.lambda * x[j * D + t] * rest[t];
            if (c[j] != 0)
                assert_true(fabs(g - (c[j] > 0 ? 1 : -1)) < 1e-6);
            else if (j != i)
                assert_true(fabs(g) < 1 + 1e-6);
            used += c[j] != 0;
        }
    }
    print_message("ssc: %g coefficients a row\n", (double)used / N);
    assert_true(used > N && used < N * (D + 1));
    kith_i_ssc_free(&ssc);
    free(scratch);
    free(codes);
    free(x);
}

/* Z, E are optimal iff X = Z B + E and some Y has <Y, E> = lambda |E|_2,1 with
 * rows no longer than lambda, and <Y B', Z> = |Z|_* with singular values of
 * Y B' at most 1: then the dual value <Y, X> is reached. The inexact method
 * leaves a gap, the larger the smaller lambda. */
static void check_lrr(double lambda, double gap)
{
    enum { N = 50, D = 8, K = 2, Q = 2 };
    double truth[K * Q * D];
    double *x = planes_rows(N, D, K, Q, 0.05, 9, truth);
    for (int t = 0; t < D; t++)
        x[t] = 1.0 - t; /* an outlier, for E to take up */
    kith_i_matrix rows = {x, N, D};
    kith_i_lrr l;
    assert_int_equal(kith_i_lrr_run(&l, &rows, lambda, NULL), KITH_OK);
    assert_int_equal(l.r, D);
    double errors = 0, dual = 0, nuclear = 0, b[D * D];
    double u[N * D], s[D], v[D * D], yb[N * D];
    double *work = malloc(kith_i_svd_work(N, D) * sizeof *work);
    int *integers = malloc(kith_i_svd_integers(N, D) * sizeof *integers);
    for (int i = 0; i < D * D; i++)
        b[i] = l.s[i / D] * l.v[i];
    for (int i = 0; i < N; i++) {
        double length = 0, pull = 0;
        for (int t = 0; t < D; t++) {
            double fit = l.e[i * D + t];
            for (int j = 0; j < D; j++)
                fit += l.z[i * D + j] * b[j * D + t];
            assert_true(fabs(fit - x[i * D + t]) < 1e-6);
            length += l.e[i * D + t] * l.e[i * D + t];
            pull += l.y1[i * D + t] * l.y1[i * D + t];
            dual += l.y1[i * D + t] * x[i * D + t];
        }
        assert_true(sqrt(pull) < lambda * (1 + 1e-6));
        errors += sqrt(length);
    }
    kith_i_multiply(KITH_I_FLIP_B, N, D, D, l.y1, b, yb);
    assert_int_equal(
        kith_i_svd(yb, N, D, work, integers, &(kith_i_singular){u, s, v}), 0);
    print_message("lrr: largest singular value of the dual: %.9f\n", s[0]);
    dual /= fmax(s[0], 1); /* feasible now: a lower bound of the optimum */
    assert_int_equal(
        kith_i_svd(l.j, N, D, work, integers, &(kith_i_singular){u, s, v}), 0);
    for (int t = 0; t < D; t++)
        nuclear += s[t];
    print_message("lrr: lambda %g: |Z|_* %.6f, |E| %.6f, dual %.6f\n", lambda,
                  nuclear, errors, dual);
    assert_true(errors > 0.01);
    assert_true(fabs(nuclear + lambda * errors - dual) < gap * dual);
    free(work);
    free(integers);
    free(x);
    kith_i_lrr_free(&l);
}

static void test_lrr_optimum(void **state)
{
    (void)state;
    check_lrr(0.5, 1e-4);
    check_lrr(0.1, 0.02);
}

/* Start planes lie where the planes before them leave something: of 200 rows on
 * a line and 5 on each of two others every line gets one. */
static void test_local_start(void **state)
{
    (void)state;
    enum { N = 210, D = 4, K = 3 };
    double x[N * D] = {0}, far[N], planes[K * D], truth[K * D] = {0};
    for (int i = 0; i < N; i++)
        x[i * D + (i < 200 ? 0 : i < 205 ? 1 : 2)] = i % 2 ? .5 : -1;
    for (int l = 0; l < K; l++)
        truth[l * D + l] = 1;
    kith_i_matrix rows = {x, N, D};
    for (uint64_t seed = 0; seed < 20; seed++) {
        kith_i_coins coins;
        kith_i_coins_seed(&coins, seed, 0);
        assert_int_equal(
            kith_i_kplane_local(&rows, K, 1, &coins, far, planes, NULL),
            KITH_OK);
        assert_true(planes_apart(planes, truth, K, 1, D) < 1e-9);
        for (int i = 0; i < N; i++)
            assert_true(far[i] < 1e-12);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_apply),       cmocka_unit_test(test_leading),
        cmocka_unit_test(test_spectral),    cmocka_unit_test(test_ssc_optimum),
        cmocka_unit_test(test_lrr_optimum), cmocka_unit_test(test_local_start)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The subspace solvers: exact recovery without noise, the optimum of tiny
 * cases by trying all labellings, monotone costs, the same answer for any
 * number of threads, and k orthonormal planes whatever the rows. */
#include "kernel/kernel_i.h"
#include "solver/solver_i.h"
#include "support/planes_naive.h"

static const kith_subspace_solver solvers[] = {
    KITH_SOLVER_KPLANE, KITH_SOLVER_TSC, KITH_SOLVER_TSC_COMPONENTS,
    KITH_SOLVER_SSC, KITH_SOLVER_LRR};
enum { SOLVERS = sizeof solvers / sizeof *solvers };

static double *solve_with(kith_subspace_solver solver, const double *x,
                          uint32_t n, uint32_t d, uint32_t k, uint32_t q,
                          kith_i_solver_options opt)
{
    kith_i_matrix rows = {x, n, d};
    kith_i_coins coins;
    kith_error err = {0};
    double *planes = calloc((size_t)k * q * d, sizeof *planes);
    kith_i_coins_seed(&coins, 3, 0);
    opt.solver = solver;
    if (kith_i_solve_subspaces_with(&rows, k, q, &opt, &coins, planes, &err))
        fail_msg("solver %d: %s", (int)solver, err.message);
    planes_check(planes, k, q, d);
    return planes;
}

static double *solve(kith_subspace_solver solver, const double *x, uint32_t n,
                     uint32_t d, uint32_t k, uint32_t q)
{
    return solve_with(solver, x, n, d, k, q, (kith_i_solver_options){0});
}

/* Without noise the solvers find the planes. n = 600 takes the iterative
 * eigensolver, n = 150 the dense one, where three neighbours a row are too few
 * for TSC's graph to hang together. */
static void test_recovery(void **state)
{
    (void)state;
    enum { D = 9, K = 3, Q = 2 };
    for (uint32_t n = 150; n <= 600; n += 450)
        for (int s = 0; s < SOLVERS; s++) {
            double truth[K * Q * D];
            double *x = planes_rows(n, D, K, Q, 0, n, truth);
            double *planes = solve(solvers[s], x, n, D, K, Q);
            double apart = planes_apart(planes, truth, K, Q, D);
            print_message("n %u solver %d: d_W %g\n", n, (int)solvers[s],
                          apart);
            int tsc = solvers[s] == KITH_SOLVER_TSC;
            if (solvers[s] != KITH_SOLVER_TSC_COMPONENTS && !(tsc && n == 150))
                assert_true(apart < 1e-6);
            free(x);
            free(planes);
        }
}

/* Planes at right angles: even connected components can tell them apart. */
static void test_components(void **state)
{
    (void)state;
    enum { N = 120, D = 6, K = 3, Q = 2 };
    double x[N * D] = {0}, truth[K * Q * D] = {0};
    for (int l = 0; l < K * Q; l++)
        truth[l * D + l] = 1;
    for (int i = 0; i < N; i++) {
        int l = i % K;
        x[i * D + 2 * l] = cos(0.1 + 0.37 * i);
        x[i * D + 2 * l + 1] = sin(0.1 + 0.37 * i);
    }
    double *planes = solve(KITH_SOLVER_TSC_COMPONENTS, x, N, D, K, Q);
    assert_true(planes_apart(planes, truth, K, Q, D) < 1e-9);
    free(planes);
}

/* No row is its own neighbour. Three groups at right angles, each of two
 * triples of rows: of the three neighbours that a row gets one is in the other
 * triple, which ties the group together. With the row itself among them there
 * would be six components, and the first three would span two groups. */
static void test_neighbours(void **state)
{
    (void)state;
    enum { GROUP = 6, D = 6, K = 3, Q = 2, N = GROUP * K };
    double x[N * D] = {0}, truth[K * Q * D] = {0};
    for (int l = 0; l < K * Q; l++)
        truth[l * D + l] = 1;
    for (int i = 0; i < N; i++) {
        double angle = .1 * (i % 3) + .6 * (i / 3 % 2);
        x[i * D + i / GROUP * 2] = cos(angle);
        x[i * D + i / GROUP * 2 + 1] = sin(angle);
    }
    double *planes = solve(KITH_SOLVER_TSC_COMPONENTS, x, N, D, K, Q);
    assert_true(planes_apart(planes, truth, K, Q, D) < 1e-9);
    free(planes);
}

/* A plane without rows goes to the row that costs most, the next one to the
 * next. The start's planes all lie along the first axis here: every row is
 * drawn together with two neighbours, which outweigh it. */
static void test_refill(void **state)
{
    (void)state;
    enum { N = 20, D = 5, K = 3 };
    static const double length[] = {.5, .9, .7, .6};
    double x[N * D] = {0};
    for (int i = 0; i < N; i++)
        x[i * D] = 1;
    for (int i = 0; i < 4; i++) {
        x[(N - 1 - i) * D] = 0;
        x[(N - 1 - i) * D + 1 + i] = length[i];
    }
    kith_i_solver_options opt = {.starts = 1, .rounds = 1};
    double *planes = solve_with(KITH_SOLVER_KPLANE, x, N, D, K, 1, opt);
    static const int axis[K] = {0, 2, 3}; /* of lengths 1, .9, .7 */
    for (int l = 0; l < K; l++)
        assert_true(fabs(fabs(planes[l * D + axis[l]]) - 1) < 1e-9);
    free(planes);
}

/* Rows in high dimension take the path without a Gram matrix. */
static void test_high_dimension(void **state)
{
    (void)state;
    enum { N = 400, D = 150, K = 4, Q = 3 };
    double *truth = malloc(sizeof(double) * K * Q * D);
    double *x = planes_rows(N, D, K, Q, 0.01, 5, truth);
    double *planes = solve(KITH_SOLVER_KPLANE, x, N, D, K, Q);
    double cost = planes_cost(x, N, D, planes, K, Q);
    double best = planes_cost(x, N, D, truth, K, Q);
    print_message("d %d: cost %g, of the truth %g\n", D, cost, best);
    assert_true(cost < best);
    assert_true(planes_apart(planes, truth, K, Q, D) < 0.2);
    free(x);
    free(truth);
    free(planes);
}

/* Cost of the best line for the rows of one side of a labelling (d = 2). */
static double line_cost(const double *x, uint32_t n, unsigned side)
{
    double a = 0, b = 0, c = 0;
    for (uint32_t i = 0; i < n; i++)
        if (side >> i & 1) {
            a += x[2 * i] * x[2 * i];
            b += x[2 * i] * x[2 * i + 1];
            c += x[2 * i + 1] * x[2 * i + 1];
        }
    return (a + c) / 2 - sqrt((a - c) * (a - c) / 4 + b * b);
}

static void test_tiny_optimum(void **state)
{
    (void)state;
    enum { N = 9 };
    for (uint64_t seed = 0; seed < 20; seed++) {
        double x[2 * N], best = HUGE_VAL;
        kith_i_coins coins;
        kith_i_coins_seed(&coins, seed, 4);
        for (int i = 0; i < 2 * N; i++)
            x[i] = kith_i_coins_normal(&coins);
        for (unsigned side = 0; side < 1u << N; side++)
            best = fmin(best, line_cost(x, N, side) + line_cost(x, N, ~side));
        double *planes = solve(KITH_SOLVER_KPLANE, x, N, 2, 2, 1);
        double cost = planes_cost(x, N, 2, planes, 2, 1);
        if (!(cost <= best * (1 + 1e-9)))
            fail_msg("seed %u: cost %g, optimum %g", (unsigned)seed, cost,
                     best);
        assert_true(cost >= best * (1 - 1e-9));
        free(planes);
    }
}

/* One start: more rounds never cost more. */
static void test_monotone(void **state)
{
    (void)state;
    enum { N = 300, K = 3, Q = 2 };
    for (uint32_t d = 8; d <= 140; d += 132) {
        double *truth = malloc(sizeof(double) * K * Q * d);
        double *x = planes_rows(N, d, K, Q, 0.2, 8, truth);
        double before = HUGE_VAL, first = 0;
        for (uint32_t rounds = 1; rounds < 9; rounds++) {
            kith_i_solver_options opt = {.starts = 1, .rounds = rounds};
            double *planes = solve_with(KITH_SOLVER_KPLANE, x, N, d, K, Q, opt);
            double cost = planes_cost(x, N, d, planes, K, Q);
            assert_true(cost <= before * (1 + 1e-12));
            before = cost;
            first = rounds == 1 ? cost : first;
            free(planes);
        }
        assert_true(before < first);
        free(x);
        free(truth);
    }
}

static void test_threads(void **state)
{
    (void)state;
    enum { N = 500, D = 6, K = 3, Q = 2 };
    double truth[K * Q * D];
    double *x = planes_rows(N, D, K, Q, 0.1, 2, truth);
    for (int s = 0; s < SOLVERS; s++) {
        kith_i_solver_options one = {.threads = 1}, three = {.threads = 3};
        double *a = solve_with(solvers[s], x, N, D, K, Q, one);
        double *b = solve_with(solvers[s], x, N, D, K, Q, three);
        assert_memory_equal(a, b, sizeof truth);
        free(a);
        free(b);
    }
    free(x);
}

/* Any rows at all: k orthonormal planes, and no complaint. */
static void test_total(void **state)
{
    (void)state;
    enum { N = 40, D = 4 };
    double rows[4][N * D] = {{0}}; /* zeros; equal; of rank 1; random */
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 1, 1);
    for (int i = 0; i < N * D; i++) {
        rows[1][i] = i % D ? 0.5 : -0.5;
        rows[2][i] = (i / D % 2 ? 1 : -0.3) * (1 + i % D) * (i / D % 5);
        rows[3][i] = kith_i_coins_normal(&coins);
    }
    static const uint32_t counts[] = {0, 1, 2, 3, 7, N};
    static const uint32_t shapes[][2] = {{1, 1}, {3, 2}, {2, 4}, {12, 3}};
    for (int s = 0; s < SOLVERS; s++)
        for (int kind = 0; kind < 4; kind++)
            for (int c = 0; c < 6; c++)
                for (int h = 0; h < 4; h++)
                    free(solve(solvers[s], rows[kind], counts[c], D,
                               shapes[h][0], shapes[h][1]));
}

static void test_many_equal(void **state)
{
    (void)state;
    enum { N = 1500, D = 3 };
    double *x = malloc(sizeof(double) * N * D);
    for (int i = 0; i < N; i++)
        for (int t = 0; t < D; t++)
            x[i * D + t] = t == i % 2;
    for (int s = 0; s < SOLVERS; s++) {
        double *planes = solve(solvers[s], x, N, D, 2, 1);
        if (solvers[s] != KITH_SOLVER_TSC_COMPONENTS)
            assert_true(planes_cost(x, N, D, planes, 2, 1) < 1e-9);
        free(planes);
    }
    free(x);
}

static int stop(void *arg, unsigned done, unsigned total)
{
    unsigned *calls = arg;
    assert_true(done <= total);
    return ++*calls == 2;
}

static void test_progress(void **state)
{
    (void)state;
    unsigned calls = 0;
    double x[] = {1, 0, 0, 1, 1, 1}, planes[2];
    kith_i_matrix rows = {x, 3, 2};
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 1, 0);
    kith_i_solver_options opt = {.solver = KITH_SOLVER_KPLANE,
                                 .starts = 5,
                                 .progress = stop,
                                 .progress_arg = &calls};
    assert_int_equal(
        kith_i_solve_subspaces_with(&rows, 1, 1, &opt, &coins, planes, NULL),
        KITH_ERR_CANCELLED);
    assert_int_equal(calls, 2);
    assert_int_equal(kith_i_solve_subspaces((kith_subspace_solver)99, &rows, 1,
                                            1, &coins, planes, NULL),
                     KITH_ERR_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_recovery),
                                       cmocka_unit_test(test_components),
                                       cmocka_unit_test(test_neighbours),
                                       cmocka_unit_test(test_refill),
                                       cmocka_unit_test(test_high_dimension),
                                       cmocka_unit_test(test_tiny_optimum),
                                       cmocka_unit_test(test_monotone),
                                       cmocka_unit_test(test_threads),
                                       cmocka_unit_test(test_total),
                                       cmocka_unit_test(test_many_equal),
                                       cmocka_unit_test(test_progress)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The cover of a Gram matrix (subspace/gcover.c), the floor of `auto`: against
 * a plain rewriting of its recipe, which sees the rule for planes with too few
 * rows; against the best lines for rows that are uniform on a circle; and
 * where no more than q eigenvalues stand out of the noise. */
#include <math.h>

#include "kernel/dense.h"
#include "subspace/subspace_auto_i.h"
#include "support/planes_naive.h"

/* ---- the recipe again (docs/subspace_auto.md), in three dimensions ---- */

enum { M = 3, ROWS = 4000, ROUNDS = 15, STARTS = 4 };

typedef struct {
    uint32_t k, q;
    double rows[ROWS][M];
    uint32_t label[ROWS];
    double *planes, *best; /* k x q x M */
    unsigned few;          /* planes met with a few rows, fewer than q */
    unsigned empty;        /* and with none */
} naive;

static double naive_assign(naive *c)
{
    double total = 0;
    for (int i = 0; i < ROWS; i++) {
        double most = -1;
        for (uint32_t l = 0; l < c->k; l++) {
            double in = 0;
            for (uint32_t j = 0; j < c->q; j++) {
                const double *u = c->planes + (l * c->q + j) * M;
                double dot = 0;
                for (uint32_t t = 0; t < M; t++)
                    dot += c->rows[i][t] * u[t];
                in += dot * dot;
            }
            if (in > most) {
                most = in;
                c->label[i] = l;
            }
        }
        total += most;
    }
    return total;
}

static void naive_move(naive *c)
{
    for (uint32_t l = 0; l < c->k; l++) {
        double gram[M * M] = {0}, values[M], work[66 * M + 64];
        int integers[14 * M + 16];
        unsigned n = 0;
        for (int i = 0; i < ROWS; i++) {
            n += c->label[i] == l;
            for (int t = 0; t < M * M && c->label[i] == l; t++)
                gram[t] += c->rows[i][t / M] * c->rows[i][t % M];
        }
        c->few += n > 0 && n < c->q;
        c->empty += n == 0;
        if (n < c->q)
            continue; /* it stays where it was */
        assert_int_equal(kith_i_eigen_top(gram, M, c->q, work, integers, values,
                                          c->planes + l * c->q * M),
                         0);
    }
}

/* Gram and Schmidt. */
static void naive_basis(double *p, uint32_t q)
{
    for (uint32_t j = 0; j < q; j++) {
        double *u = p + j * M, length = 0;
        for (uint32_t o = 0; o < j; o++) {
            double dot = 0;
            for (uint32_t t = 0; t < M; t++)
                dot += u[t] * p[o * M + t];
            for (uint32_t t = 0; t < M; t++)
                u[t] -= dot * p[o * M + t];
        }
        for (uint32_t t = 0; t < M; t++)
            length += u[t] * u[t];
        for (uint32_t t = 0; t < M; t++)
            u[t] /= sqrt(length);
    }
}

/* share: second moments along the axes, a part of n each. */
static void naive_cover(naive *c, const double *share, kith_i_coins *coins)
{
    double rest = fmax(1 - share[0] - share[1] - share[2], 0), best = -1;
    size_t size = (size_t)c->k * c->q * M;
    for (int i = 0; i < ROWS; i++) {
        double square = rest;
        for (uint32_t t = 0; t < M; t++) {
            c->rows[i][t] = sqrt(share[t]) * kith_i_coins_normal(coins);
            square += c->rows[i][t] * c->rows[i][t];
        }
        for (uint32_t t = 0; t < M; t++)
            c->rows[i][t] /= sqrt(square);
    }
    for (int start = 0; start < STARTS; start++) {
        for (size_t i = 0; i < size; i++) {
            double z = kith_i_coins_normal(coins);
            size_t t = i % M, j = i / M % c->q, l = i / M / c->q;
            c->planes[i] = (t == j) + (l ? .5 * z : 0);
            if (start == 0)
                c->planes[i] = sqrt(share[t]) * z;
        }
        for (uint32_t l = 0; l < c->k; l++)
            naive_basis(c->planes + l * c->q * M, c->q);
        for (int round = 0; round < ROUNDS; round++) {
            naive_assign(c);
            naive_move(c);
        }
        double kept = naive_assign(c);
        if (kept > best) {
            best = kept;
            memcpy(c->best, c->planes, size * sizeof *c->best);
        }
    }
}

/* A spectrum along the axes, without noise. */
static void cover(double *share, uint32_t d, uint32_t k, uint32_t q, double sd,
                  kith_i_coins *coins, double *planes)
{
    enum { N = 1000 };
    double values[8], vectors[8 * 8] = {0};
    for (uint32_t i = 0; i < d; i++) {
        values[i] = N * share[i];
        vectors[i * d + i] = 1;
    }
    plane_spectrum s = {d, d, values, vectors, sd * N * sqrt(2.0 * d), N};
    assert_int_equal(kith_i_plane_cover(&s, N, k, q, coins, planes, NULL),
                     KITH_OK);
    planes_check(planes, k, q, d);
}

static void test_recipe(void **state)
{
    (void)state;
    static const uint32_t shapes[][2] = {{3, 1}, {4, 2}, {500, 2}};
    static naive c;
    for (int i = 0; i < 3; i++) {
        c.k = shapes[i][0];
        c.q = shapes[i][1];
        c.few = c.empty = 0;
        size_t size = (size_t)c.k * c.q * M;
        double share[M] = {.5, .25, .15};
        double *planes = calloc(size, sizeof *planes);
        c.planes = calloc(size, sizeof *planes);
        c.best = calloc(size, sizeof *planes);
        kith_i_coins ours, theirs;
        kith_i_coins_seed(&ours, 4, 0);
        kith_i_coins_seed(&theirs, 4, 0);
        naive_cover(&c, share, &ours);
        cover(share, M, c.k, c.q, 0, &theirs, planes);
        for (uint32_t l = 0; l < c.k; l++)
            assert_true(planes_angle(planes + l * c.q * M, c.best + l * c.q * M,
                                     c.q, M) < 1e-12);
        print_message("k %u q %u: %u planes had a few rows, %u none\n", c.k,
                      c.q, c.few, c.empty);
        if (c.k == 500) /* so that the rule was seen at work */
            assert_true(c.few > 20 && c.empty > 0);
        free(planes);
        free(c.planes);
        free(c.best);
    }
}

/* Rows uniform on a circle: the best k lines are equally spaced, and a row's
 * share along its line is 1/2 + sin(pi/k) / (2 pi/k) in the mean. */
static void test_circle(void **state)
{
    (void)state;
    enum { GRID = 3600 };
    for (uint32_t k = 1; k <= 4; k++) {
        double share[2] = {.5, .5}, lines[4 * 2], kept = 0;
        kith_i_coins coins;
        kith_i_coins_seed(&coins, k, 0);
        cover(share, 2, k, 1, 0, &coins, lines);
        for (int i = 0; i < GRID; i++) {
            double a = M_PI * i / GRID, most = 0;
            for (uint32_t l = 0; l < k; l++)
                most = fmax(
                    most,
                    pow(cos(a) * lines[2 * l] + sin(a) * lines[2 * l + 1], 2));
            kept += most / GRID;
        }
        double want = .5 + sin(M_PI / k) / (2 * M_PI / k);
        print_message("k %u: %.4f of the length kept, at best %.4f\n", k, kept,
                      want);
        assert_true(kept < want + 1e-6);
        assert_true(kept > want - .002);
    }
}

/* The noise's edge is sd sqrt(2 d). What is below it is not looked at. */
static void test_edge(void **state)
{
    (void)state;
    enum { D = 5, K = 3, Q = 2 };
    double share[D] = {.3, .25, .2, .05, .02}, planes[K * Q * D];
    for (int above = 2; above <= 4; above++) {
        double edge = (share[above - 1] + share[above]) / 2;
        kith_i_coins coins;
        kith_i_coins_seed(&coins, 1, 0);
        cover(share, D, K, Q, edge / sqrt(2.0 * D), &coins, planes);
        double out = 0, spread = 0;
        for (int i = 0; i < K * Q * D; i++) {
            out += i % D >= above ? planes[i] * planes[i] : 0;
            spread += i % D >= Q ? planes[i] * planes[i] : 0;
        }
        assert_true(out < 1e-20);
        if (above == Q) /* three times the leading plane */
            assert_true(spread < 1e-20);
        else
            assert_true(spread > .1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_recipe),
                                       cmocka_unit_test(test_circle),
                                       cmocka_unit_test(test_edge)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

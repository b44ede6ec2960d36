/* Directions of planes against the noise of the matrices they are read off:
 * noise alone is not taken for rows, whichever law it has, and rows are not
 * taken for noise. Seeded, so nothing is left to chance. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/kernel_i.h"
#include "subspace/plane_rating.h"
#include "support/cmocka_all.h"

enum { MOST = 12 };
enum { GOE, KNORM, WISHART, LAWS };
static const char *const LAW[] = {"goe", "k-norm", "wishart"};

static double normal(kith_i_coins *coins)
{
    return kith_i_coins_normal(coins);
}

/* Symmetric noise with sd 1 on the diagonal, 1/sqrt 2 elsewhere; the factor of
 * its largest eigenvalue over sqrt(2 d). */
static double draw(int law, uint32_t d, kith_i_coins *coins, double *matrix)
{
    double square = 0, factor = law == WISHART ? 1.177 : 1;
    memset(matrix, 0, sizeof *matrix * d * d);
    if (law == WISHART) /* of two Wishart matrices with d + 1 degrees */
        for (uint32_t t = 0; t < 2 * (d + 1); t++) {
            double x[MOST], sign = t % 2 ? 1 : -1;
            for (uint32_t i = 0; i < d; i++)
                x[i] = normal(coins) / sqrt(2);
            for (uint32_t i = 0; i < d * d; i++)
                matrix[i] += sign * x[i / d] * x[i % d] / sqrt(d + 1);
        }
    else
        for (uint32_t i = 0; i < d; i++)
            for (uint32_t j = 0; j <= i; j++) {
                double v = normal(coins) / (i == j ? 1 : sqrt(2));
                matrix[i * d + j] = matrix[j * d + i] = v;
                square += v * v * (i == j ? 1 : 2);
            }
    if (law == KNORM) { /* its length: a sum of exponentials */
        double length = 0, m = d * (d + 1) / 2.0;
        for (int i = 0; i < m; i++) {
            double a = normal(coins), b = normal(coins);
            length += (a * a + b * b) / 2;
        }
        for (uint32_t i = 0; i < d * d; i++)
            matrix[i] *= length / sqrt(square) / sqrt(m + 1);
    }
    return factor;
}

/* The rating of the leading plane of a matrix, which is destroyed. */
static kith_i_plane_rating rate(double *matrix, uint32_t d, uint32_t q,
                                double factor, double *plane)
{
    double values[MOST];
    double *work = calloc(kith_i_eigen_work(d), sizeof *work);
    int *integers = calloc(kith_i_eigen_integers(d), sizeof *integers);
    kith_i_noisy_matrix noisy = {d, 0, 1, factor * sqrt(2 * d)};
    kith_i_plane_rating rating = {0};
    for (uint32_t i = 0; i < d; i++)
        noisy.trace += matrix[i * d + i];
    assert_int_equal(
        kith_i_eigen_top(matrix, d, q, work, integers, values, plane), 0);
    kith_i_rating_add(&rating, &noisy, values, q);
    free(work);
    free(integers);
    return rating;
}

static void test_noise_is_lost(void **state)
{
    (void)state;
    static const uint32_t dims[] = {2, 3, 5, MOST};
    double matrix[MOST * MOST], plane[MOST * MOST];
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 1, 0);
    for (int law = 0; law < LAWS; law++)
        for (int i = 0; i < 4; i++)
            for (int half = 0; half < 2; half++) {
                uint32_t d = dims[i], q = half ? d / 2 : 1, seen = 0;
                uint32_t runs = d < 5 ? 40000 : 8000;
                for (uint32_t t = 0; t < runs; t++) {
                    double factor = draw(law, d, &coins, matrix);
                    kith_i_plane_rating r = rate(matrix, d, q, factor, plane);
                    seen += r.lost < r.directions;
                }
                print_message("%-8s d %2u q %u: %u of %u taken for rows\n",
                              LAW[law], d, q, seen, runs);
                assert_true(seen <= runs / 4000);
            }
}

/* A plane with so much beyond the noise: seen, and turned as it says. */
static void test_rows_are_seen(void **state)
{
    (void)state;
    enum { D = MOST, Q = 3, RUNS = 300 };
    double matrix[D * D], plane[Q * D], said = 0, turned = 0;
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 2, 0);
    for (int t = 0; t < RUNS; t++) {
        draw(GOE, D, &coins, matrix);
        for (uint32_t i = 0; i < D; i++) /* rows elsewhere, too */
            matrix[i * D + i] += i < Q ? 30 : 5;
        kith_i_plane_rating r = rate(matrix, D, Q, 1, plane);
        assert_int_equal(r.directions, Q);
        assert_int_equal(r.lost, 0);
        said += pow(kith_i_rating_turn(&r, Q), 2) / RUNS;
        for (uint32_t j = 0; j < Q; j++)
            for (uint32_t i = Q; i < D; i++)
                turned += pow(plane[j * D + i], 2) / RUNS;
    }
    print_message("turned by %.4f, said %.4f\n", sqrt(turned), sqrt(said));
    assert_true(fabs(said / turned - 1) < .2);
}

static void test_edges(void **state)
{
    (void)state;
    kith_i_plane_rating r = {0};
    assert_true(isnan(kith_i_rating_turn(&r, 2)));
    kith_i_noisy_matrix noise = {4, 0, 1, 3};
    double values[4] = {0};
    kith_i_rating_add(&r, &noise, values, 4); /* the whole space */
    assert_true(r.directions == 4 && r.lost == 0);
    assert_true(kith_i_rating_turn(&r, 4) == 0);
    r = (kith_i_plane_rating){0};
    kith_i_rating_add_even(&r, &noise, 0, 2);
    assert_true(r.lost == 2); /* two right angles */
    assert_true(fabs(kith_i_rating_turn(&r, 2) / sqrt(2) - acos(0)) < 1e-12);
    /* one of two: the angle is of the one that is seen */
    values[0] = 1e6;
    noise.trace = 1e6;
    r = (kith_i_plane_rating){0};
    kith_i_rating_add(&r, &noise, values, 2);
    assert_true(r.directions == 2 && r.lost == 1);
    assert_true(kith_i_rating_turn(&r, 2) < 1e-5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_noise_is_lost),
        cmocka_unit_test(test_rows_are_seen),
        cmocka_unit_test(test_edges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

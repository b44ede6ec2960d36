/* A BLAS whose floats have fewer bits than IEEE's (bf16, TF32) changes no
 * label: the one here takes the place of OpenBLAS's, and cuts what it is given.
 */
#include <fenv.h>
#include <string.h>

#include <cblas.h>

#include "support/cmocka_all.h"
#include "support/kernel_naive.h"

static uint32_t kept = 0xffffffff; /* bits of a float that are looked at */

static float cut(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    bits &= kept;
    memcpy(&value, &bits, sizeof bits);
    return value;
}

void cblas_sgemm(const enum CBLAS_ORDER order,
                 const enum CBLAS_TRANSPOSE turned_a,
                 const enum CBLAS_TRANSPOSE turned_b, const blasint m,
                 const blasint n, const blasint k, const float alpha,
                 const float *a, const blasint lda, const float *b,
                 const blasint ldb, const float beta, float *c,
                 const blasint ldc)
{
    assert_true(order == CblasRowMajor && turned_a == CblasNoTrans &&
                turned_b == CblasTrans && alpha == 1 && beta == 0);
    for (blasint i = 0; i < m; i++)
        for (blasint j = 0; j < n; j++) {
            float sum = 0;
            for (blasint t = 0; t < k; t++)
                sum += cut(a[i * lda + t]) * cut(b[j * ldb + t]);
            c[i * ldc + j] = sum;
        }
}

/* Centres that differ by little, about the rows: bf16 cannot tell them. */
static void check_labels(void)
{
    enum { D = 60, K = 30, ROWS = 200 };
    kith_i_coins coins;
    double real[K * D];
    uint32_t labels[ROWS];
    kith_i_coins_seed(&coins, 30, 0);
    naive_rows rows = naive_rows_new(&coins, ROWS, D, ROWS_RANDOM);
    for (size_t i = 0; i < (size_t)K * D; i++)
        real[i] = (double)(rows.q[i % D] / 2) +
                  (double)kith_i_coins_below(&coins, 400);
    kith_i_centers centers = naive_centers_new(K, D, 0, real);
    size_t room = kith_i_assign_scratch(ROWS, K, D, 0);
    double *scratch = naive_scratch_new(room);
    kith_i_assign_block(&centers, &rows.dense, scratch, labels, NULL);
    for (size_t r = 0; r < ROWS; r++) {
        kith_i_i128 squared = 0;
        assert_int_equal(labels[r],
                         naive_nearest(rows.q + r * D, real, K, D, &squared));
    }
    assert_true(naive_scratch_free(scratch, room));
    naive_centers_free(&centers);
    naive_rows_free(&rows);
}

static void test_fewer_bits(void **state)
{
    (void)state;
    static const uint32_t cuts[] = {0xffffffff, 0xffffe000, 0xffff0000};
    for (size_t i = 0; i < 3; i++) { /* all bits, TF32, bf16 */
        kept = cuts[i];
        assert_int_equal(kith_i_singles_hold(), i == 0);
        check_labels();
    }
    kept = cuts[0];
}

static void test_other_directions(void **state)
{
    (void)state;
    static const int directions[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(fesetround(directions[i]), 0);
        int hold = kith_i_singles_hold();
        fesetround(FE_TONEAREST);
        assert_false(hold);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fewer_bits),
        cmocka_unit_test(test_other_directions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The inner loops of the Gibbs sampler against plain C: scores, the law of the
 * labels, and scatter matrices, exactly. */
#include <math.h>

#include "kernel/linear.h"
#include "support/cmocka_all.h"
#include "support/seeded_words.h"
#include "support/stat.h"

enum { ROWS = KITH_I_LABEL_ROWS, K = 5, Q = 3, D = 6, STRIDE = 8 };

static double scores[K * ROWS];

/* weights[l] after a draw are the cumulated exp(score - largest). */
static void test_weights(void **state)
{
    (void)state;
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 1, 0);
    static const double spans[] = {.01, 1, 50, 650};
    for (int s = 0; s < 4; s++)
        for (uint32_t n = 1; n <= ROWS; n += 51) {
            double before[K * ROWS];
            uint32_t coin[ROWS], label[ROWS];
            for (int i = 0; i < K * ROWS; i++)
                before[i] = scores[i] = spans[s] * kith_i_coins_unit(&coins);
            for (int i = 0; i < ROWS; i++)
                coin[i] = (uint32_t)kith_i_coins_u64(&coins);
            kith_i_label_draw(scores, K, coin, n, label);
            for (uint32_t r = 0; r < n; r++) {
                double top = before[r], sum = 0;
                for (int l = 1; l < K; l++)
                    top = fmax(top, before[l * ROWS + (int)r]);
                for (int l = 0; l < K; l++) {
                    sum += exp(before[l * ROWS + (int)r] - top);
                    assert_true(fabs(scores[l * ROWS + (int)r] / sum - 1) <
                                1e-12);
                }
                uint32_t want = 0;
                double at = (coin[r] + .5) * 0x1p-32 * sum;
                while (want + 1 < K && at >= scores[want * ROWS + r])
                    want++;
                if (label[r] < K)
                    assert_int_equal(label[r], want);
                else /* 32 bits did not decide */
                    assert_int_equal(
                        kith_i_label_finish(scores, K, r, coin[r], .5), want);
            }
        }
}

/* Coins on an edge are handed back, and decided by what follows. */
static void test_edge(void **state)
{
    (void)state;
    uint32_t coin[ROWS] = {0}, label[ROWS];
    memset(scores, 0, sizeof scores);
    double third = 0x1p32 / 3;
    coin[0] = (uint32_t)third; /* holds 1/3 */
    coin[1] = (uint32_t)third - 1;
    coin[2] = (uint32_t)third + 1;
    coin[3] = UINT32_MAX;
    kith_i_label_draw(scores, 3, coin, 4, label);
    assert_int_equal(label[0], 3);
    assert_int_equal(label[1], 0);
    assert_int_equal(label[2], 1);
    assert_int_equal(label[3], 2);
    double edge = third - floor(third);
    assert_int_equal(kith_i_label_finish(scores, 3, 0, coin[0], edge - 1e-3),
                     0);
    assert_int_equal(kith_i_label_finish(scores, 3, 0, coin[0], edge + 1e-3),
                     1);
}

/* The labels have the law of the weights. */
static void test_law(void **state)
{
    (void)state;
    static const double score[K] = {.3, -.2, 1, 0, .5};
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 2, 0);
    uint64_t seen[K] = {0};
    double p[K], total = 0;
    for (int l = 0; l < K; l++)
        total += exp(score[l]);
    for (int l = 0; l < K; l++)
        p[l] = exp(score[l]) / total;
    enum { BLOCKS = 400 };
    for (int b = 0; b < BLOCKS; b++) {
        uint32_t coin[ROWS], label[ROWS];
        for (int i = 0; i < K * ROWS; i++)
            scores[i] = score[i / ROWS];
        for (int i = 0; i < ROWS; i++)
            coin[i] = (uint32_t)kith_i_coins_u64(&coins);
        kith_i_label_draw(scores, K, coin, ROWS, label);
        for (int i = 0; i < ROWS; i++)
            seen[label[i] < K ? label[i] : 0]++;
    }
    size_t degrees;
    double x = chi_square(seen, p, K, 0, BLOCKS * ROWS, &degrees);
    assert_true(x < chi_square_limit(degrees));
}

/* Rows move between scatter matrices exactly, labels >= K are no label. */
static void test_moves(void **state)
{
    (void)state;
    enum { N = 100 };
    static double x[N * STRIDE], sums[K * D * STRIDE];
    int64_t want[K * D * D] = {0};
    uint32_t from[N], to[N];
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 3, 0);
    for (int r = 0; r < N; r++)
        for (int i = 0; i < D; i++)
            x[r * STRIDE + i] =
                (double)kith_i_coins_below(&coins, 65535) - 32767;
    for (int r = 0; r < N; r++)
        from[r] = UINT32_MAX;
    for (int round = 0; round < 20; round++) {
        for (int r = 0; r < N; r++)
            to[r] = (uint32_t)kith_i_coins_below(&coins, K + 1);
        kith_i_label_move(&(kith_i_strided){x, N, D, STRIDE}, from, to, K,
                          sums);
        memcpy(from, to, sizeof from);
    }
    for (int r = 0; r < N; r++)
        for (int i = 0; i < D && to[r] < K; i++)
            for (int j = 0; j < D; j++)
                want[((int)to[r] * D + i) * D + j] +=
                    (int64_t)x[r * STRIDE + i] * (int64_t)x[r * STRIDE + j];
    for (int l = 0; l < K; l++)
        for (int i = 0; i < D; i++)
            for (int j = 0; j <= i; j++)
                assert_true(sums[(l * D + i) * STRIDE + j] ==
                            (double)want[(l * D + i) * D + j]);
}

static void test_scores(void **state)
{
    (void)state;
    enum { N = 37 };
    double axes[K * Q * D], x[N * STRIDE] = {0}, dots[K * Q * N];
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 4, 0);
    for (int i = 0; i < K * Q * D; i++)
        axes[i] = kith_i_coins_normal(&coins);
    for (int i = 0; i < N * STRIDE; i++)
        x[i] = i % STRIDE < D ? kith_i_coins_normal(&coins) : 0;
    kith_i_project_rows(axes, K * Q, D, x, STRIDE, N, dots);
    kith_i_label_scores(dots, K, Q, N, scores);
    for (int r = 0; r < N; r++)
        for (int l = 0; l < K; l++) {
            double want = 0;
            for (int j = 0; j < Q; j++) {
                double dot = 0;
                for (int i = 0; i < D; i++)
                    dot += axes[(l * Q + j) * D + i] * x[r * STRIDE + i];
                want += dot * dot;
            }
            assert_true(fabs(scores[l * ROWS + r] - want) < 1e-12 * (1 + want));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_weights), cmocka_unit_test(test_edge),
        cmocka_unit_test(test_law),     cmocka_unit_test(test_moves),
        cmocka_unit_test(test_scores),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The law of second moments against codewords made one by one: their mean, and
 * mean and variance of every entry of an estimate, in the user's own bucket, in
 * another, and for a user in none. Limits: false alarm <= 1e-6 each, seeded. */
#include <math.h>

#include "device/randomize.h"
#include "simulate/law_sums.h"
#include "support/cmocka_all.h"

enum { D = 3, WIDTH = D + 1, KEPT = D * (D + 1) / 2, BUCKETS = 2, ONE = 1 };
enum { CELLS = KEPT * BUCKETS };

static kith_i_mechanism mechanism_of(double epsilon, uint32_t rank,
                                     uint32_t outputs)
{
    kith_i_loss loss = 0;
    assert_int_equal(kith_i_report_loss(epsilon, &loss, NULL), KITH_OK);
    kith_i_odds odds = kith_i_odds_floor(loss);
    kith_i_codebook_law law = kith_i_matrix_solve(
        (double)odds.num / (double)odds.den, WIDTH, rank, outputs, 0);
    return (kith_i_mechanism){.kind = KITH_I_RANDOMIZER_CODEBOOK,
                              .loss = loss,
                              .odds = odds,
                              .outputs = outputs,
                              .top = law.top,
                              .rank = rank,
                              .width = WIDTH,
                              .kept = KEPT,
                              .buckets = BUCKETS,
                              .alpha = law.alpha};
}

/* Moments of the server's estimate from one report, averaged over the ladder
 * exactly; first and second, of RUNS nonces. */
static void honest(const kith_i_mechanism *m, const float *z, uint32_t bucket,
                   double *first, double *second, double *error)
{
    enum { RUNS = 500 };
    int16_t u[8] = {0}, words[8 * 8];
    double spread[CELLS] = {0}, total = 0;
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 21, bucket);
    for (int i = 0; i < WIDTH; i++)
        u[i] = (int16_t)lrint((double)z[i] * 16384);
    memset(first, 0, CELLS * sizeof *first);
    memset(second, 0, CELLS * sizeof *second);
    double odds = (double)m->odds.num / (double)m->odds.den;
    total = m->top * odds + (double)m->outputs - m->top;
    for (int run = 0; run < RUNS; run++) {
        double score[256], squares[CELLS] = {0};
        uint8_t nonce[16];
        for (int i = 0; i < 16; i++)
            nonce[i] = (uint8_t)kith_i_coins_u64(&coins);
        kith_i_matrix_scores(nonce, bucket, WIDTH, m->rank, u,
                             (uint32_t)m->outputs, score);
        for (uint32_t place = 0; place < m->outputs; place++) {
            uint32_t index =
                kith_i_codebook_ranked(score, (uint32_t)m->outputs, place);
            double p = (place < m->top ? odds : 1) / total;
            for (uint32_t j = 0; j < BUCKETS; j++) {
                double all = (double)kith_i_matrix_word(nonce, j, WIDTH,
                                                        m->rank, index, words);
                double *to = first + j * KEPT, *to2 = squares + j * KEPT;
                for (int b = 0; b < D; b++)
                    for (int a = 0; a <= b; a++, to++, to2++) {
                        double c = 0;
                        for (uint32_t r = 0; r < m->rank; r++)
                            c += words[8 * r + (uint32_t)a] *
                                 (double)words[8 * r + (uint32_t)b];
                        c = c / all - (a == b ? 1.0 / WIDTH : 0);
                        *to += p * c / m->alpha / RUNS;
                        *to2 += p * c * c / m->alpha / m->alpha;
                    }
            }
        }
        for (int i = 0; i < CELLS; i++) {
            second[i] += squares[i] / RUNS;
            spread[i] += squares[i] * squares[i] / RUNS;
        }
    }
    for (int i = 0; i < CELLS; i++)
        error[i] = sqrt((spread[i] - second[i] * second[i]) / RUNS);
}

static void by_law(const kith_i_mechanism *m, const float *z, uint32_t bucket,
                   double *mean, double *variance)
{
    enum { DRAWS = 2500 };
    kith_i_law_sums law;
    kith_i_coins coins;
    double square[CELLS] = {0}, out[CELLS];
    assert_true(kith_i_law_sums_open(&law, m));
    memcpy(law.vector, z, WIDTH * sizeof *z);
    kith_i_law_sums_add(&law, m, bucket);
    kith_i_coins_seed(&coins, 22, 0);
    memset(mean, 0, CELLS * sizeof *mean);
    for (int run = 0; run < DRAWS; run++) {
        kith_i_law_sums_draw(&law, m, ONE, ONE, &coins, out);
        for (int i = 0; i < CELLS; i++) {
            mean[i] += out[i] / DRAWS;
            square[i] += out[i] * out[i] / DRAWS;
        }
    }
    for (int i = 0; i < CELLS; i++)
        variance[i] = square[i] - mean[i] * mean[i];
    kith_i_law_sums_close(&law);
}

static void check(double epsilon, uint32_t rank, uint32_t outputs,
                  const float *z, uint32_t bucket)
{
    kith_i_mechanism m = mechanism_of(epsilon, rank, outputs);
    double first[CELLS], second[CELLS], error[CELLS], mean[CELLS],
        variance[CELLS];
    honest(&m, z, bucket, first, second, error);
    by_law(&m, z, bucket, mean, variance);
    for (int j = 0, at = 0; j < BUCKETS; j++)
        for (int b = 0; b < D; b++)
            for (int a = 0; a <= b; a++, at++) {
                double truth =
                    (double)z[a] * (double)z[b] - (a == b ? 1.0 / WIDTH : 0);
                truth = (uint32_t)j == bucket ? truth : 0;
                double sd = sqrt(variance[at]);
                double spread = second[at] - truth * truth;
                /* 2500 draws of a Gaussian: sd / 50, and variances within
                 * sqrt(2) / 50 of themselves */
                assert_true(fabs(mean[at] - truth) < 5 * sd / 50);
                assert_true(fabs(first[at] - truth) < 5.5 * sqrt(spread / 500));
                assert_true(fabs(spread - variance[at]) <
                            5 * variance[at] * M_SQRT2 / 50 + 5 * error[at] +
                                .001 * variance[at]);
            }
}

static void test_matrices(void **state)
{
    (void)state;
    static const float any[WIDTH] = {.1F, -.5F, .7F, .5F};
    static const float axis[WIDTH] = {0, 1, 0, 0};
    static const float none[WIDTH] = {0, 0, 0, 1};
    check(4, 1, 32, any, 0);
    check(4, 1, 32, axis, 1);
    check(1, 2, 32, any, 1);
    check(6, 4, 16, any, 0);
    check(.5, 2, 32, axis, 0);
    check(2, 1, 32, none, BUCKETS);
}

/* Parts add up, and a row that stands for many is many rows. */
static void test_merging_and_copies(void **state)
{
    (void)state;
    static const float z[2][WIDTH] = {{.1F, -.5F, .7F, .5F},
                                      {.5F, .5F, .5F, .5F}};
    kith_i_mechanism m = mechanism_of(1, 1, 256);
    kith_i_law_sums all, part[2], one;
    double a[CELLS], b[CELLS];
    assert_true(kith_i_law_sums_open(&all, &m) &&
                kith_i_law_sums_open(&one, &m));
    for (int i = 0; i < 2; i++) {
        assert_true(kith_i_law_sums_open(&part[i], &m));
        memcpy(part[i].vector, z[i], sizeof z[i]);
        kith_i_law_sums_add(&part[i], &m, (uint64_t)i);
        memcpy(one.vector, z[i], sizeof z[i]);
        kith_i_law_sums_add(&one, &m, (uint64_t)i);
        for (int copy = 0; copy < 3; copy++) {
            memcpy(all.vector, z[i], sizeof z[i]);
            kith_i_law_sums_add(&all, &m, (uint64_t)i);
        }
    }
    kith_i_law_sums_merge(&part[1], &part[0], &m);
    const struct {
        const kith_i_law_sums *law;
        uint64_t received, copies;
    } pairs[][2] = {{{&one, 2, 1}, {&part[1], 2, 1}},
                    {{&all, 6, 1}, {&one, 6, 3}}};
    for (int p = 0; p < 2; p++) {
        kith_i_coins x, y;
        kith_i_coins_seed(&x, 5, 0);
        kith_i_coins_seed(&y, 5, 0);
        kith_i_law_sums_draw(pairs[p][0].law, &m, pairs[p][0].received,
                             pairs[p][0].copies, &x, a);
        kith_i_law_sums_draw(pairs[p][1].law, &m, pairs[p][1].received,
                             pairs[p][1].copies, &y, b);
        for (int i = 0; i < CELLS; i++)
            assert_true(fabs(a[i] - b[i]) < 1e-9);
    }
    kith_i_law_sums_close(&all);
    kith_i_law_sums_close(&one);
    kith_i_law_sums_close(&part[0]);
    kith_i_law_sums_close(&part[1]);
}

/* The mean of a codeword, averaged over the ladder exactly and over nonces by
 * simulation, is alpha z z' + b I for a z on an axis as for any other, and its
 * mean square along z is `along`. Entry by entry, in standard errors. */
static void check_matrix_mean(uint32_t width, uint32_t rank, uint32_t count,
                              double odds, int axis, kith_i_coins *coins)
{
    enum { RUNS = 600, MOST = 8 };
    kith_i_codebook_law law = kith_i_matrix_solve(odds, width, rank, count, 0);
    uint32_t stride = kith_i_codebook_stride(width);
    double z[MOST] = {0}, norm = 0, score[256];
    double sum[MOST * MOST + 1] = {0}, square[MOST * MOST + 1] = {0};
    int16_t u[MOST] = {0}, words[4 * MOST];
    for (uint32_t i = 0; i < width; i++) {
        z[i] = axis ? i == 0 : kith_i_coins_normal(coins);
        norm += z[i] * z[i];
    }
    for (uint32_t i = 0; i < width; i++) {
        u[i] = (int16_t)lrint(z[i] / sqrt(norm) * 16384);
        z[i] = u[i] / 16384.;
    }
    for (int run = 0; run < RUNS; run++) {
        double mean[MOST * MOST + 1] = {0};
        uint8_t nonce[16];
        for (int i = 0; i < 16; i++)
            nonce[i] = (uint8_t)kith_i_coins_u64(coins);
        kith_i_matrix_scores(nonce, 3, width, rank, u, count, score);
        for (uint32_t place = 0; place < count; place++) {
            uint32_t i = kith_i_codebook_ranked(score, count, place);
            double p = (place < law.top ? odds : 1) /
                       (law.top * odds + count - law.top);
            double all =
                (double)kith_i_matrix_word(nonce, 3, width, rank, i, words);
            for (uint32_t r = 0; all > 0 && r < rank; r++)
                for (uint32_t t = 0; t < width * width; t++)
                    mean[t] += p * words[r * stride + t / width] *
                               words[r * stride + t % width] / all;
            mean[MOST * MOST] += p * pow(score[i] / 16384 / 16384, 2);
        }
        for (int t = 0; t <= MOST * MOST; t++) {
            sum[t] += mean[t] / RUNS;
            square[t] += mean[t] * mean[t] / RUNS;
        }
    }
    for (uint32_t t = 0; t <= MOST * MOST; t++) {
        double b = (1 - law.alpha) / width, want = law.along;
        if (t < width * width)
            want = law.alpha * z[t / width] * z[t % width] +
                   (t / width == t % width ? b : 0);
        else if (t < MOST * MOST)
            continue;
        double error = sqrt(fmax(0, square[t] - sum[t] * sum[t]) / RUNS);
        assert_true(fabs(sum[t] - want) < 5.5 * error + 3e-4 * fabs(want));
    }
}

static void test_matrix_mean(void **state)
{
    (void)state;
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 18, 0);
    for (int axis = 0; axis < 2; axis++) {
        check_matrix_mean(2, 1, 256, exp(1), axis, &coins);
        check_matrix_mean(6, 1, 256, exp(4), axis, &coins);
        check_matrix_mean(5, 2, 256, exp(1), axis, &coins);
        check_matrix_mean(5, 4, 128, exp(.5), axis, &coins);
        check_matrix_mean(4, 1, 64, exp(8), axis, &coins);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_matrix_mean),
        cmocka_unit_test(test_matrices),
        cmocka_unit_test(test_merging_and_copies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

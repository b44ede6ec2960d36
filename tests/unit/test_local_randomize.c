/* The local randomisers: every output probability, in integers. The ratio of
 * the probabilities of an output under two inputs is at most num / den, and
 * num / den <= e^epsilon < (num + 1) / den. Then, that what is drawn has that
 * law (chi-square, false alarm <= 1e-6, seeded). */
#include <math.h>
#include <mpfr.h>
#include <stdlib.h>
#include <string.h>

#include "collect/collect_i.h"
#include "device/codebook_table.h"
#include "device/randomize.h"
#include "simulate/user_respond.h"
#include "support/cmocka_all.h"
#include "support/stat.h"

static const double EPSILONS[] = {0x1p-20, .01, .5, 1, 2, 4, 8, 13, 20};
enum { EPSILON_COUNT = sizeof EPSILONS / sizeof *EPSILONS };

static kith_i_odds odds_of(double epsilon)
{
    kith_i_loss loss = 0;
    assert_int_equal(kith_i_report_loss(epsilon, &loss, NULL), KITH_OK);
    return kith_i_odds_floor(loss);
}

static void test_odds_are_the_largest_below(void **state)
{
    (void)state;
    for (int i = 0; i < EPSILON_COUNT; i++) {
        kith_i_odds o = odds_of(EPSILONS[i]);
        mpfr_t e, low, high;
        mpfr_inits2(300, e, low, high, (mpfr_ptr)0);
        mpfr_set_d(e, EPSILONS[i], MPFR_RNDN);
        mpfr_exp(e, e, MPFR_RNDN);
        mpfr_set_ui(low, o.num, MPFR_RNDN);
        mpfr_div_ui(low, low, o.den, MPFR_RNDN);
        mpfr_set_ui(high, o.num + 1, MPFR_RNDN);
        mpfr_div_ui(high, high, o.den, MPFR_RNDN);
        assert_true(mpfr_cmp(low, e) <= 0);
        assert_true(mpfr_cmp(high, e) > 0);
        assert_true(o.num < UINT64_C(1) << 48);
        assert_true(o.den <= UINT64_C(1) << 32);
        assert_true((o.den & (o.den - 1)) == 0);
        mpfr_clears(e, low, high, (mpfr_ptr)0);
    }
    mpfr_free_cache();
    kith_i_loss loss = 7;
    const double bad[] = {0, -1, (double)NAN, HUGE_VAL, 20.5, 0x1p-60};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(kith_i_report_loss(bad[i], &loss, NULL),
                         KITH_ERR_PRIVACY);
    assert_int_equal(loss, 7);
}

/* Every coin of small ladders; the ends of every rung of real ones. */
static void test_ladder_by_enumeration(void **state)
{
    (void)state;
    static const kith_i_ladder small[] = {
        {{11, 4}, 1, 7}, {{5, 2}, 3, 8}, {{9, 8}, 7, 8}, {{3, 1}, 1, 1}};
    for (size_t s = 0; s < sizeof small / sizeof *small; s++) {
        const kith_i_ladder *l = &small[s];
        uint64_t count[8] = {0}, total = kith_i_ladder_total(l);
        for (uint64_t coin = 0; coin < total; coin++) {
            uint64_t rung = kith_i_ladder_rung(l, coin);
            assert_true(rung < l->outputs);
            count[rung]++;
        }
        for (uint64_t r = 0; r < l->outputs; r++)
            assert_int_equal(count[r], r < l->top ? l->odds.num : l->odds.den);
    }
    for (int i = 0; i < EPSILON_COUNT; i++)
        for (uint64_t top = 1; top <= 128; top += 127) {
            kith_i_ladder l = {odds_of(EPSILONS[i]), top, 256};
            uint64_t coin = 0;
            for (uint64_t r = 0; r < 256; r++) {
                uint64_t weight = r < top ? l.odds.num : l.odds.den;
                assert_int_equal(kith_i_ladder_rung(&l, coin), r);
                coin += weight;
                assert_int_equal(kith_i_ladder_rung(&l, coin - 1), r);
            }
            assert_int_equal(coin, kith_i_ladder_total(&l));
            assert_true(coin < UINT64_C(1) << 63);
        }
}

/* law[output] of a randomiser whose rungs go to outputs by `to`. */
typedef uint64_t to_output(const void *input, uint64_t rung);

static void fill_law(const kith_i_ladder *l, to_output *to, const void *input,
                     uint64_t *law)
{
    memset(law, 0, l->outputs * sizeof *law);
    for (uint64_t r = 0; r < l->outputs; r++) {
        uint64_t out = to(input, r);
        assert_true(out < l->outputs);
        assert_int_equal(law[out], 0); /* one rung to an output */
        law[out] = r < l->top ? l->odds.num : l->odds.den;
    }
}

/* a / b <= num / den for every output, both ways. */
static void check_ratio(const uint64_t *a, const uint64_t *b, uint64_t outputs,
                        kith_i_odds o)
{
    for (uint64_t i = 0; i < outputs; i++) {
        assert_true((kith_i_u128)a[i] * o.den <= (kith_i_u128)b[i] * o.num);
        assert_true((kith_i_u128)b[i] * o.den <= (kith_i_u128)a[i] * o.num);
    }
}

static uint64_t krr_to(const void *input, uint64_t rung)
{
    return kith_i_krr_output(*(const uint64_t *)input, rung);
}

static void test_krr_law(void **state)
{
    (void)state;
    uint64_t a[300], b[300];
    for (int i = 0; i < EPSILON_COUNT; i++)
        for (uint64_t k = 1; k <= 300; k = k < 9 ? k + 1 : k * 3) {
            kith_i_ladder l = {odds_of(EPSILONS[i]), 1, k > 300 ? 300 : k};
            for (uint64_t x = 0; x < l.outputs; x += 1 + l.outputs / 9)
                for (uint64_t y = 0; y < l.outputs; y += 1 + l.outputs / 7) {
                    fill_law(&l, krr_to, &x, a);
                    fill_law(&l, krr_to, &y, b);
                    check_ratio(a, b, l.outputs, l.odds);
                    assert_int_equal(a[x], l.odds.num);
                }
        }
}

/* Given the nonce, which does not depend on the record, OLH is kRR on a hash
 * and Hadamard kRR on a bit: all symbols, some nonces. */
static void test_hashed_laws(void **state)
{
    (void)state;
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 3, 0);
    for (int round = 0; round < 200; round++) {
        uint8_t nonce[16];
        for (int i = 0; i < 16; i++)
            nonce[i] = (uint8_t)kith_i_coins_u64(&coins);
        kith_i_ladder l = {odds_of(1), 1, 4}, bit = {odds_of(2), 1, 2};
        uint64_t a[4], b[4], row = kith_i_hadamard_row(nonce, 32);
        assert_true(row < 32);
        for (uint64_t x = 0; x < 30; x++) {
            uint64_t hx = kith_i_olh_hash(nonce, x, 4);
            uint64_t hy = kith_i_olh_hash(nonce, UINT64_MAX / 3 - x, 4);
            fill_law(&l, krr_to, &hx, a);
            fill_law(&l, krr_to, &hy, b);
            check_ratio(a, b, 4, l.odds);
            uint64_t cx = kith_i_hadamard_bit(row, x);
            uint64_t cy = kith_i_hadamard_bit(row, 0);
            fill_law(&bit, krr_to, &cx, a);
            fill_law(&bit, krr_to, &cy, b);
            check_ratio(a, b, 2, bit.odds);
        }
    }
}

/* Pairs of symbols fall on pairs of hash values uniformly over nonces. */
static void test_hash_is_pairwise_uniform(void **state)
{
    (void)state;
    static const uint64_t pairs[][2] = {
        {0, 1}, {1, 2}, {7, UINT64_C(1) << 40}, {0, UINT64_C(1) << 61}};
    enum { DRAWS = 200000 };
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 4, 0);
    for (size_t p = 0; p < 4; p++) {
        uint64_t seen[25] = {0}, signs[4] = {0};
        double law[25], quarter[4] = {.25, .25, .25, .25};
        size_t degrees;
        for (int i = 0; i < 25; i++)
            law[i] = 1 / 25.0;
        for (int i = 0; i < DRAWS; i++) {
            uint64_t n[2] = {kith_i_coins_u64(&coins),
                             kith_i_coins_u64(&coins)};
            uint8_t nonce[16];
            memcpy(nonce, n, 16);
            seen[5 * kith_i_olh_hash(nonce, pairs[p][0], 5) +
                 kith_i_olh_hash(nonce, pairs[p][1], 5)]++;
            signs[(kith_i_bucket_sign(n[0], n[1], pairs[p][0]) > 0) +
                  2 * (kith_i_bucket_sign(n[0], n[1], pairs[p][1]) > 0)]++;
        }
        double x = chi_square(seen, law, 25, 0, DRAWS, &degrees);
        assert_true(x < chi_square_limit(degrees));
        x = chi_square(signs, quarter, 4, 0, DRAWS, &degrees);
        assert_true(x < chi_square_limit(degrees));
    }
}

/* ---- the codebook -------------------------------------------------------- */

enum { WIDTH = 21 };

static void fill_direction(kith_i_coins *coins, int kind, int16_t *scaled,
                           uint32_t width)
{
    double v[512], sum = 0;
    assert_true(width <= 512);
    for (uint32_t i = 0; i < width; i++) {
        v[i] = kind == 0   ? (i == 0)
               : kind == 1 ? (i + 1 == width)
               : kind == 2 ? 0
                           : kith_i_coins_normal(coins);
        sum += v[i] * v[i];
    }
    for (uint32_t i = 0; i < kith_i_codebook_stride(width); i++)
        scaled[i] =
            i < width && sum > 0 ? (int16_t)lrint(v[i] / sqrt(sum) * 16384) : 0;
}

static uint64_t codebook_to(const void *input, uint64_t rung)
{
    return kith_i_codebook_ranked(input, 256, (uint32_t)rung);
}

static void test_codebook_law(void **state)
{
    (void)state;
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 5, 0);
    for (int round = 0; round < 60; round++) {
        uint8_t nonce[16];
        int16_t u[32], v[32];
        double su[256], sv[256];
        uint64_t a[256], b[256];
        for (int i = 0; i < 16; i++)
            nonce[i] = (uint8_t)kith_i_coins_u64(&coins);
        fill_direction(&coins, round % 4, u, WIDTH);
        fill_direction(&coins, round / 4 % 4, v, WIDTH);
        kith_i_codebook_scores(nonce, WIDTH, u, su);
        kith_i_codebook_scores(nonce, WIDTH, v, sv);
        kith_i_ladder l = {odds_of(EPSILONS[round % EPSILON_COUNT]),
                           (uint64_t)(1 + round * 2), 256};
        fill_law(&l, codebook_to, su, a); /* a permutation, also with ties */
        fill_law(&l, codebook_to, sv, b);
        check_ratio(a, b, 256, l.odds);
    }
}

/* The device's scores are those of the words the server makes, and its ranks
 * those of a plain sort. */
static void test_codebook_agrees_with_server(void **state)
{
    (void)state;
    static const uint32_t widths[] = {1, 2, 3, 8, 21, 101, 231, 300};
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 6, 0);
    for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
        uint8_t nonce[16];
        int16_t u[512] = {0}, word[512];
        double score[256];
        for (int i = 0; i < 16; i++)
            nonce[i] = (uint8_t)kith_i_coins_u64(&coins);
        fill_direction(&coins, 3, u, widths[w]);
        kith_i_codebook_scores(nonce, widths[w], u, score);
        for (uint32_t i = 0; i < 256; i++) {
            double dot = 0, square = 0;
            uint64_t said = kith_i_codebook_word(nonce, widths[w], i, word);
            for (uint32_t t = 0; t < widths[w]; t++) {
                dot += word[t] * (double)u[t];
                square += word[t] * (double)word[t];
            }
            assert_true((double)said == square);
            assert_true(fabs(score[i] - dot / sqrt(square)) < 1e-6);
            uint32_t rank = 0;
            for (uint32_t j = 0; j < 256; j++)
                rank += score[j] > score[i] || (score[j] == score[i] && j < i);
            assert_int_equal(kith_i_codebook_ranked(score, 256, rank), i);
        }
    }
}

/* ---- codebooks of matrices ---- */

static const struct {
    uint32_t rank, outputs;
} MATRICES[] = {{1, 256}, {2, 256}, {4, 128}, {8, 64}, {3, 7}, {512, 1}};
enum { MATRIX_COUNT = sizeof MATRICES / sizeof *MATRICES };

typedef struct {
    double score[256];
    uint32_t count;
} ranking;

static uint64_t matrix_to(const void *input, uint64_t rung)
{
    const ranking *r = input;
    return kith_i_codebook_ranked(r->score, r->count, (uint32_t)rung);
}

/* Whatever the two users are, and in whatever buckets: axes, nothing at all
 * (every score equal), anything. */
static void test_matrix_law(void **state)
{
    (void)state;
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 7, 0);
    for (int round = 0; round < 16 * MATRIX_COUNT; round++) {
        int which = round / 16;
        uint8_t nonce[16];
        int16_t u[32], v[32];
        ranking a = {.count = MATRICES[which].outputs}, b = a;
        uint64_t pa[256], pb[256];
        for (int i = 0; i < 16; i++)
            nonce[i] = (uint8_t)kith_i_coins_u64(&coins);
        fill_direction(&coins, round % 4, u, WIDTH);
        fill_direction(&coins, round / 4 % 4, v, WIDTH);
        kith_i_matrix_scores(nonce, 0, WIDTH, MATRICES[which].rank, u, a.count,
                             a.score);
        kith_i_matrix_scores(nonce, (uint32_t)round % 3, WIDTH,
                             MATRICES[which].rank, v, b.count, b.score);
        for (int e = 0; e < EPSILON_COUNT; e++) {
            kith_i_ladder l = {odds_of(EPSILONS[e]),
                               1 + (uint64_t)e * (a.count - 1) / EPSILON_COUNT,
                               a.count};
            fill_law(&l, matrix_to, &a, pa);
            fill_law(&l, matrix_to, &b, pb);
            check_ratio(pa, pb, a.count, l.odds);
        }
    }
}

/* The device's scores are <C, u u'> of the matrices that the server makes; a
 * bucket's matrices are not another's. */
static void test_matrix_agrees_with_server(void **state)
{
    (void)state;
    static const uint32_t widths[] = {2, 3, 8, 21, 101};
    static int16_t words[512 * 104];
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 8, 0);
    for (size_t w = 0; w < 5; w++)
        for (int which = 0; which < MATRIX_COUNT; which++) {
            uint32_t d = widths[w], rank = MATRICES[which].rank;
            uint32_t stride = kith_i_codebook_stride(d), equal = 0;
            uint8_t nonce[16];
            int16_t u[128] = {0};
            double score[256];
            for (int i = 0; i < 16; i++)
                nonce[i] = (uint8_t)kith_i_coins_u64(&coins);
            fill_direction(&coins, 3, u, d);
            kith_i_matrix_scores(nonce, 5, d, rank, u, MATRICES[which].outputs,
                                 score);
            for (uint32_t i = 0; i < MATRICES[which].outputs; i++)
                for (uint32_t bucket = 4; bucket <= 5; bucket++) {
                    double along = 0, all = 0;
                    uint64_t said =
                        kith_i_matrix_word(nonce, bucket, d, rank, i, words);
                    for (uint32_t r = 0; r < rank; r++) {
                        double dot = 0;
                        for (uint32_t t = 0; t < d; t++) {
                            double g = words[r * stride + t];
                            dot += g * u[t];
                            all += g * g;
                        }
                        along += dot * dot;
                    }
                    assert_true((double)said == all);
                    int same =
                        fabs(score[i] - along / all) < 1e-9 * score[i] + 1e-9;
                    assert_true(same || bucket == 4);
                    equal += (uint32_t)(same && bucket == 4);
                }
            assert_int_equal(equal, 0);
        }
}

/* Means of |N| in 4096 parts of equal probability, from erf. */
static void test_normal_table(void **state)
{
    (void)state;
    double low = 0, density = 1 / sqrt(2 * M_PI);
    for (int i = 0; i < 4096; i++) {
        double a = 0, b = 9; /* quantile (i + 1) / 4096 of |N| */
        for (int t = 0; t < 100; t++) {
            double m = (a + b) / 2;
            if (erf(m / M_SQRT2) < (i + 1) / 4096.0)
                a = m;
            else
                b = m;
        }
        double up = i == 4095 ? 0 : exp(-a * a / 2);
        double mean = 2 * density * (exp(-low * low / 2) - up) * 4096;
        assert_int_equal(kith_i_normal_table[i], lrint(512 * mean));
        low = a;
    }
}

/* draft-strombergson-chacha-test-vectors, TC1, 256-bit key, 8 rounds. */
static void test_chacha_vector(void **state)
{
    (void)state;
    static const uint8_t want[] = {
        0x3e, 0x00, 0xef, 0x2f, 0x89, 0x5f, 0x40, 0xd6, 0x7f, 0x5b, 0xb8,
        0xe8, 0x1f, 0x09, 0xa5, 0xa1, 0x2c, 0x84, 0x0e, 0xc3, 0xce, 0x9a,
        0x7f, 0x3b, 0x18, 0x1b, 0xe1, 0x88, 0xef, 0x71, 0x1a, 0x1e};
    uint32_t key[8] = {0}, out[KITH_I_BLOCK_WORDS];
    uint32_t batch[KITH_I_BLOCK_WORDS * KITH_I_BATCH];
    kith_i_chacha_block(key, 0, 0, out);
    for (size_t i = 0; i < sizeof want; i++)
        assert_int_equal((uint8_t)(out[i / 4] >> (8 * (i % 4))), want[i]);
    key[3] = 77;
    uint64_t first = UINT64_C(0xfffffffe); /* the counter carries */
    kith_i_chacha_batch(key, 5, first, batch);
    for (uint32_t b = 0; b < KITH_I_BATCH; b++) {
        kith_i_chacha_block(key, 5, first + b, out);
        for (uint32_t i = 0; i < KITH_I_BLOCK_WORDS; i++)
            assert_int_equal(batch[b * KITH_I_BLOCK_WORDS + i], out[i]);
    }
}

/* ---- what is drawn ---- */

static void test_drawn_law(void **state)
{
    (void)state;
    enum { DRAWS = 200000 };
    kith_i_entropy e;
    kith_i_entropy_source source = {.seeded = 1, .seed = 11};
    kith_i_entropy_open(&e, &source, 0);
    kith_i_words words = {.fill = kith_i_user_random, .arg = &e};
    static const uint64_t tops[] = {1, 3, 89}, outputs[] = {2, 10, 256};
    for (int s = 0; s < 3; s++) {
        kith_i_ladder l = {odds_of(s == 1 ? .5 : 1), tops[s], outputs[s]};
        uint64_t seen[256] = {0};
        double p[256], total = (double)kith_i_ladder_total(&l);
        size_t degrees;
        for (int i = 0; i < DRAWS; i++)
            seen[kith_i_ladder_draw(&l, &words)]++;
        for (uint64_t i = 0; i < l.outputs; i++)
            p[i] = (double)(i < l.top ? l.odds.num : l.odds.den) / total;
        double x = chi_square(seen, p, l.outputs, 0, DRAWS, &degrees);
        assert_true(x < chi_square_limit(degrees));
    }
    kith_i_entropy_close(&e);
}

/* A report's byte, through the whole client: symbol and vector. Averaged over
 * nonces the codeword's rank has the ladder's law. */
static void test_reports_have_the_law(void **state)
{
    (void)state;
    enum { DRAWS = 20000, D = 3 };
    static const double points[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    static const double radius = 2, x[D] = {.1, .9, 0};
    kith_i_question q = {.what = "law",
                         .share = 1,
                         .epsilon = 2,
                         .report = KITH_I_REPORT_SYMBOL,
                         .place = {.kind = KITH_I_PLACE_NEAREST,
                                   .places = 4,
                                   .lens = {.q = D, .d = D},
                                   .points = points}};
    kith_i_mechanism m, v;
    assert_int_equal(kith_i_mechanism_make(&q, D, &m, NULL), KITH_OK);
    assert_int_equal(m.kind, KITH_I_RANDOMIZER_KRR);
    kith_i_question qv = q;
    qv.report = KITH_I_REPORT_VECTOR;
    qv.place = (kith_i_place){.kind = KITH_I_PLACE_ONE, .places = 1};
    qv.radii = &radius;
    assert_int_equal(kith_i_mechanism_make(&qv, D, &v, NULL), KITH_OK);
    kith_i_entropy e;
    kith_i_entropy_source source = {.seeded = 1, .seed = 12};
    kith_i_entropy_open(&e, &source, 0);
    uint64_t seen[4] = {0}, in_top = 0;
    double scratch[64];
    assert_true(kith_i_respond_scratch(&v) <= sizeof scratch);
    for (int i = 0; i < DRAWS; i++) {
        uint8_t bytes[64], secret[32] = {0};
        memcpy(secret, &i, sizeof i);
        kith_i_ticket ticket = {.round = 1};
        kith_i_user_nonce(secret, &ticket);
        kith_i_user_respond(&(kith_i_asked){&q, &m, D, &ticket}, x, &e, scratch,
                            bytes);
        seen[bytes[40]]++;
        kith_i_user_respond(&(kith_i_asked){&qv, &v, D, &ticket}, x, &e,
                            scratch, bytes);
        /* Rank of the reported codeword, by doubles. */
        int sign = kith_i_bucket_sign(kith_i_load64(ticket.nonce),
                                      kith_i_load64(ticket.nonce + 8), 0);
        double u[4] = {.05, .45, 0, sqrt(1 - .05 * .05 - .45 * .45)}, mine = 0;
        uint32_t nearer = 0;
        for (int pass = 0; pass < 2; pass++)
            for (uint32_t c = 0; c < 256; c++) {
                int16_t word[8];
                if (pass == 0 && c != bytes[40])
                    continue;
                double square =
                    (double)kith_i_codebook_word(ticket.nonce, 4, c, word);
                double dot = 0;
                for (int t = 0; t < 4; t++)
                    dot += sign * u[t] * word[t];
                dot /= sqrt(square);
                if (pass == 0)
                    mine = dot;
                else
                    nearer += dot > mine;
            }
        in_top += nearer < v.top;
    }
    double p[4], total = (double)(m.odds.num + 3 * m.odds.den);
    size_t degrees;
    for (int i = 0; i < 4; i++)
        p[i] = (double)(i == 2 ? m.odds.num : m.odds.den) / total;
    assert_true(chi_square(seen, p, 4, 0, DRAWS, &degrees) <
                chi_square_limit(3));
    double top = v.top * (double)v.odds.num;
    /* 1e-3: near ties are ranked otherwise in doubles */
    double share = top / (top + (256.0 - v.top) * (double)v.odds.den);
    assert_true(believable(in_top, DRAWS, share) ||
                fabs((double)in_top / DRAWS - share) < 1e-3);
    kith_i_entropy_close(&e);
}

/* The same for matrices, in one of two buckets and in none: the reported
 * codeword is among the m nearest of its own bucket as often as it should. */
static void test_moments_have_the_law(void **state)
{
    (void)state;
    enum { DRAWS = 6000, D = 3 };
    static const double half[] = {1, 1, 1}, radii[] = {2, 2};
    static const uint64_t keys[] = {0, 7};
    static const double x[3][D] = {
        {-.5, -.1, -.9}, {.1, .9, .2}, {-.5, .5, .5}};
    kith_i_question q = {.what = "law",
                         .share = 1,
                         .epsilon = 2,
                         .report = KITH_I_REPORT_MOMENT,
                         .place = {.kind = KITH_I_PLACE_LIST,
                                   .places = 2,
                                   .grid = {.lens = {D, D, NULL, NULL, half},
                                            .side = 1,
                                            .cells = 2},
                                   .keys = keys},
                         .radii = radii};
    kith_i_mechanism m;
    assert_int_equal(kith_i_mechanism_make(&q, D, &m, NULL), KITH_OK);
    kith_i_entropy e;
    kith_i_entropy_source source = {.seeded = 1, .seed = 13};
    kith_i_entropy_open(&e, &source, 0);
    double scratch[64];
    assert_true(kith_i_respond_scratch(&m) <= sizeof scratch);
    for (uint32_t bucket = 0; bucket < 3; bucket++) {
        uint64_t in_top = 0;
        double u[4] = {0, 0, 0, 1};
        for (int t = 0; bucket < 2 && t < D; t++) {
            u[t] = x[bucket][t] / 2;
            u[D] -= u[t] * u[t];
        }
        u[D] = sqrt(u[D]);
        for (int i = 0; i < DRAWS; i++) {
            uint8_t bytes[64], secret[32] = {1};
            memcpy(secret + 1, &i, sizeof i);
            kith_i_ticket ticket = {.round = 1};
            kith_i_user_nonce(secret, &ticket);
            kith_i_user_respond(&(kith_i_asked){&q, &m, D, &ticket}, x[bucket],
                                &e, scratch, bytes);
            int16_t scaled[8] = {0};
            double score[256];
            for (int t = 0; t <= D; t++)
                scaled[t] = (int16_t)lrint(u[t] * 16384);
            kith_i_matrix_scores(ticket.nonce, bucket, D + 1, m.rank, scaled,
                                 (uint32_t)m.outputs, score);
            uint32_t nearer = 0;
            for (uint32_t c = 0; c < m.outputs; c++)
                nearer += score[c] > score[bytes[40]];
            in_top += nearer < m.top;
        }
        double top = m.top * (double)m.odds.num;
        double share =
            top / (top + ((double)m.outputs - m.top) * (double)m.odds.den);
        assert_true(believable(in_top, DRAWS, share));
    }
    kith_i_entropy_close(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_odds_are_the_largest_below),
        cmocka_unit_test(test_ladder_by_enumeration),
        cmocka_unit_test(test_krr_law),
        cmocka_unit_test(test_hashed_laws),
        cmocka_unit_test(test_hash_is_pairwise_uniform),
        cmocka_unit_test(test_codebook_law),
        cmocka_unit_test(test_codebook_agrees_with_server),
        cmocka_unit_test(test_matrix_law),
        cmocka_unit_test(test_matrix_agrees_with_server),
        cmocka_unit_test(test_normal_table),
        cmocka_unit_test(test_chacha_vector),
        cmocka_unit_test(test_drawn_law),
        cmocka_unit_test(test_reports_have_the_law),
        cmocka_unit_test(test_moments_have_the_law),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The server's state: estimates against the formulas for bias and variance,
 * duplicates and strangers, shards in any order, saved bytes, hostile bytes.
 * Statistical limits: false alarm <= 1e-6 each, seeded. */
#include <math.h>

#include "base/digest.h"
#include "collect/collect_i.h"
#include "device/randomize.h"
#include "simulate/user_respond.h"
#include "support/cmocka_all.h"
#include "support/stat.h"
#include "support/tally_same.h"

enum { D = 2, K = 3 };
static const double POINTS[] = {-.5, 0, .5, 0, 0, .6};
static const double RADII[] = {.5, .5, .5};
static const uint8_t DIGEST[32] = {1, 2, 3};
static const kith_i_ticket PLACE = {.task = {9}, .round = 4, .group = 2};

static kith_i_question question_of(kith_i_report_kind report,
                                   kith_i_randomizer randomizer)
{
    return (kith_i_question){.what = "test",
                             .share = 1,
                             .epsilon = 1,
                             .delta = 1e-6,
                             .randomizer = randomizer,
                             .report = report,
                             .place = {.kind = KITH_I_PLACE_NEAREST,
                                       .places = K,
                                       .lens = {.q = D, .d = D},
                                       .points = POINTS},
                             .bands = 4,
                             .top = 1,
                             .centers = POINTS,
                             .radii = RADII};
}

/* User i: two thirds at place 0, a third at place 1, nobody at 2. */
static void record_of(uint32_t i, double *x)
{
    x[0] = i % 3 == 0 ? .5 + .2 : -.5 + .1;
    x[1] = i % 3 == 0 ? -.1 : .25;
}

static size_t report_of(const kith_i_question *q, const kith_i_mechanism *m,
                        uint64_t seed, uint32_t i, uint8_t *bytes)
{
    static double scratch[64];
    kith_i_entropy e;
    kith_i_entropy_source source = {.seeded = 1, .seed = seed};
    kith_i_entropy_open(&e, &source, i);
    uint8_t secret[32];
    for (int t = 0; t < 4; t++) {
        uint64_t word = kith_i_entropy_word(&e);
        memcpy(secret + 8 * t, &word, 8);
    }
    kith_i_ticket ticket = PLACE;
    double x[D];
    record_of(i, x);
    kith_i_user_nonce(secret, &ticket);
    assert_true(kith_i_respond_scratch(m) <= sizeof scratch);
    kith_i_user_respond(&(kith_i_asked){q, m, D, &ticket}, x, &e, scratch,
                        bytes);
    assert_false(e.failed);
    kith_i_entropy_close(&e);
    return kith_i_report_bytes(m);
}

static kith_i_tally *new_tally(const kith_i_mechanism *m)
{
    kith_i_tally *t = NULL;
    assert_int_equal(kith_i_tally_new(m, &PLACE, DIGEST, &t, NULL), KITH_OK);
    return t;
}

static void fill_tally(kith_i_tally *t, const kith_i_question *q,
                       const kith_i_mechanism *m, uint64_t seed, uint32_t from,
                       uint32_t to)
{
    uint8_t bytes[256];
    for (uint32_t i = from; i < to; i++) {
        size_t n = report_of(q, m, seed, i, bytes);
        assert_int_equal(kith_i_tally_add(t, bytes, n, NULL), KITH_OK);
    }
}

/* ---- estimates ---- */

static void check_symbols(kith_i_randomizer randomizer)
{
    enum { N = 1200, RUNS = 40, SYMBOLS = 12 };
    kith_i_question q = question_of(KITH_I_REPORT_DISTANCE, randomizer);
    kith_i_mechanism m;
    assert_int_equal(kith_i_mechanism_make(&q, D, &m, NULL), KITH_OK);
    assert_int_equal(m.kind, randomizer);
    double truth[SYMBOLS] = {0}, mean[SYMBOLS] = {0}, square = 0;
    for (uint32_t i = 0; i < N; i++) {
        double x[D];
        record_of(i, x);
        truth[kith_i_encode(&q, D, x, 0, NULL)] += 1.0 / N;
    }
    double sd = 0;
    int empty = 0;
    for (int run = 0; run < RUNS; run++) {
        kith_i_answer a;
        kith_i_tally *t = new_tally(&m);
        fill_tally(t, &q, &m, 100 + (uint64_t)run, 0, N);
        assert_int_equal(kith_i_answer_alloc(&q, D, &a, NULL), KITH_OK);
        assert_int_equal(kith_i_tally_answer(t, &q, D, 1, 1, &a, NULL),
                         KITH_OK);
        assert_int_equal(a.symbols, SYMBOLS);
        assert_int_equal(a.received, N);
        sd = a.sd;
        for (int s = 0; s < SYMBOLS; s++) {
            mean[s] += a.fractions[s] / RUNS;
            if (truth[s] == 0) {
                square += a.fractions[s] * a.fractions[s];
                empty++;
            }
        }
        kith_i_answer_free(&a);
        kith_i_tally_free(t);
    }
    /* The variance of a symbol with fraction f is at most that of 0 plus
     * f (1 - p - q) / (p - q): within twice it here. */
    for (int s = 0; s < SYMBOLS; s++)
        assert_true(fabs(mean[s] - truth[s]) < 5 * M_SQRT2 * sd / sqrt(RUNS));
    /* Sample variance over empty symbols; kRR's are slightly dependent. */
    double ratio = square / empty / (sd * sd);
    assert_true(fabs(ratio - 1) < 5 * sqrt(2.0 / empty) * 1.3);
}

static void test_symbols_unbiased(void **state)
{
    (void)state;
    check_symbols(KITH_I_RANDOMIZER_KRR);
    check_symbols(KITH_I_RANDOMIZER_OLH);
    check_symbols(KITH_I_RANDOMIZER_HADAMARD);
}

/* Variance of an entry on the diagonal of a matrix of rank 1 in D + 1
 * dimensions, over twice that of one off it. */
static const double DIAGONAL = (double)D / (D + 1);

static void check_vectors(kith_i_report_kind report, kith_i_randomizer r)
{
    enum { N = 600, RUNS = 30 };
    kith_i_question q = question_of(report, r);
    kith_i_mechanism m;
    assert_int_equal(kith_i_mechanism_make(&q, D, &m, NULL), KITH_OK);
    assert_int_equal(m.rank, report == KITH_I_REPORT_MOMENT);
    double truth[K * 4] = {0}, mean[K * 4] = {0}, square = 0, noise = 0;
    size_t each = report == KITH_I_REPORT_VECTOR ? D : D * D, cells = K * each;
    for (uint32_t i = 0; i < N; i++) {
        double x[D], v[D];
        record_of(i, x);
        float z[16];
        uint64_t j = kith_i_encode(&q, D, x, 0, z);
        for (int t = 0; t < D; t++)
            v[t] = (x[t] - POINTS[j * D + (uint64_t)t]) / RADII[j];
        for (size_t t = 0; t < each; t++) {
            double less = t / D == t % D ? 1.0 / (D + 1) : 0;
            truth[j * each + t] +=
                (each == D ? v[t] : v[t / D] * v[t % D] - less) / N;
        }
    }
    for (int run = 0; run < RUNS; run++) {
        kith_i_answer a;
        kith_i_tally *t = new_tally(&m);
        fill_tally(t, &q, &m, 500 + (uint64_t)run, 0, N);
        assert_int_equal(kith_i_answer_alloc(&q, D, &a, NULL), KITH_OK);
        assert_int_equal(kith_i_tally_answer(t, &q, D, 1, 1, &a, NULL),
                         KITH_OK);
        assert_int_equal(a.buckets, K);
        noise = a.noise;
        for (size_t t2 = 0; t2 < cells; t2++) {
            mean[t2] += a.sums[t2] / RUNS;
            /* A matrix: the exact variances of the bucket with nobody in it,
             * as parts of the noise that is stated. */
            double part = 1;
            if (each == 4)
                part = t2 < 8 ? 0 : t2 % 4 % 3 ? .5 : DIAGONAL;
            if (part > 0)
                square += pow(a.sums[t2] - truth[t2], 2) / part;
        }
        kith_i_answer_free(&a);
        kith_i_tally_free(t);
    }
    for (size_t t = 0; t < cells; t++)
        assert_true(fabs(mean[t] - truth[t]) < 6 * noise / sqrt(RUNS));
    /* The noise that is stated is the second moment averaged over all width
     * coordinates; coordinates differ a little (along u more, in the own
     * bucket less): 12 %, plus 5 sd of the sample, halved freedom for the
     * symmetric entries. */
    double runs = each == 4 ? RUNS * 4 : (double)(RUNS * cells);
    double ratio = square / runs / (noise * noise);
    double wide = each == 4 ? 0 : .12;
    assert_true(fabs(ratio - 1) < wide + 5 * sqrt(4.0 / runs));
}

static void test_vectors_unbiased(void **state)
{
    (void)state;
    check_vectors(KITH_I_REPORT_VECTOR, KITH_I_RANDOMIZER_CODEBOOK);
    check_vectors(KITH_I_REPORT_MOMENT, KITH_I_RANDOMIZER_CODEBOOK);
    check_vectors(KITH_I_REPORT_VECTOR, KITH_I_RANDOMIZER_GAUSSIAN);
}

/* Triangles to symmetric matrices. */
static void test_matrices_are_unpacked(void **state)
{
    (void)state;
    kith_i_question q =
        question_of(KITH_I_REPORT_MOMENT, KITH_I_RANDOMIZER_CODEBOOK);
    kith_i_answer a;
    static const double packed[K * 3] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    static const double want[K * 4] = {1, 2, 2, 3, 4, 5, 5, 6, 7, 8, 8, 9};
    assert_int_equal(kith_i_answer_alloc(&q, D, &a, NULL), KITH_OK);
    kith_i_answer_unpack(&q, D, packed, &a);
    assert_memory_equal(a.sums, want, sizeof want);
    kith_i_answer_free(&a);
}

/* Noise by the formulas, against figures of an independent prototype. */
static void test_formulas(void **state)
{
    (void)state;
    static const double eps[] = {.5, 1, 2, 4, 8};
    static const double olh[] = {3.98, 1.92, .85, .276, .037};
    static const double krr10[] = {3.98, 1.91, .61, .148, .018};
    static const double d21[] = {4.98, 2.50, 1.27, .675, .411};
    static const double d101[] = {5.02, 2.52, 1.28, .666, .390};
    static const uint32_t top[] = {108, 89, 57, 18, 1};
    for (int i = 0; i < 5; i++) {
        assert_true(fabs(kith_i_olh_sd(eps[i]) / olh[i] - 1) < .01);
        assert_true(fabs(kith_i_symbol_sd(eps[i], 10) / krr10[i] - 1) < .03);
        assert_true(fabs(kith_i_vector_sd(eps[i], 21) / d21[i] - 1) < .006);
        assert_true(fabs(kith_i_vector_sd(eps[i], 101) / d101[i] - 1) < .006);
        assert_int_equal(kith_i_codebook_solve(exp(eps[i]), 21, 0).top, top[i]);
    }
    /* Order statistics of beta laws by another quadrature (SciPy). */
    static const double m6[] = {4.376, 2.071, .9552, .4524};
    static const double m21[] = {4.868, 2.323, 1.024, .4284};
    static const double m101[] = {4.996, 2.392, 1.054, .4245};
    for (int i = 0; i < 4; i++) {
        assert_true(fabs(kith_i_moment_sd(eps[i], 6) / m6[i] - 1) < .001);
        assert_true(fabs(kith_i_moment_sd(eps[i], 21) / m21[i] - 1) < .001);
        assert_true(fabs(kith_i_moment_sd(eps[i], 101) / m101[i] - 1) < .001);
    }
    assert_true(kith_i_moment_sd(0, 21) == HUGE_VAL);
    assert_true(kith_i_symbol_sd(1, 1) == 0);
    assert_true(kith_i_symbol_sd(0, 5) == HUGE_VAL);
    kith_i_question q =
        question_of(KITH_I_REPORT_VECTOR, KITH_I_RANDOMIZER_GAUSSIAN);
    kith_i_mechanism m;
    assert_int_equal(kith_i_mechanism_make(&q, D, &m, NULL), KITH_OK);
    assert_true(fabs(kith_i_mechanism_sd(&m) - 8.45) < .01);
}

/* The variance of an estimate of any share: that of a binomial. */
static void test_share_variance(void **state)
{
    (void)state;
    static const kith_i_randomizer kinds[] = {KITH_I_RANDOMIZER_KRR,
                                              KITH_I_RANDOMIZER_OLH,
                                              KITH_I_RANDOMIZER_HADAMARD};
    for (int i = 0; i < 3; i++) {
        kith_i_question q = question_of(KITH_I_REPORT_SYMBOL, kinds[i]);
        kith_i_mechanism m;
        double one = 0, n = 1000;
        assert_int_equal(kith_i_mechanism_make(&q, D, &m, NULL), KITH_OK);
        kith_i_support s = kith_i_mechanism_support(&m);
        kith_i_answer a = {.fractions = &one};
        kith_i_answer_precision(&m, 1000, &a);
        for (double f = 0; f <= 1; f += .125) {
            double chance = s.q + (s.p - s.q) * f;
            double exact =
                chance * (1 - chance) / (n * (s.p - s.q) * (s.p - s.q));
            double told = a.sd * a.sd + f * a.per_share - f * f / n;
            assert_true(fabs(told - exact) < 1e-12 * exact);
        }
    }
}

static int decreasing(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* Order statistics of 256 directions by simulation, against the quadrature:
 * alpha for m = 1 and for the best m. */
static void test_codebook_alpha(void **state)
{
    (void)state;
    enum { RUNS = 1500 };
    static const uint32_t widths[] = {2, 5, 30};
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 17, 0);
    for (int w = 0; w < 3; w++) {
        double odds = exp(1), sum = 0, squares = 0;
        kith_i_codebook_law law = kith_i_codebook_solve(odds, widths[w], 0);
        for (int run = 0; run < RUNS; run++) {
            uint8_t nonce[16];
            for (int i = 0; i < 16; i++)
                nonce[i] = (uint8_t)kith_i_coins_u64(&coins);
            int16_t u[32] = {0};
            /* a direction on no axis */
            for (uint32_t i = 0; i < widths[w]; i++)
                u[i] = (int16_t)(16384 / sqrt((double)widths[w]));
            double score[256], mean = 0;
            kith_i_codebook_scores(nonce, widths[w], u, score);
            qsort(score, 256, sizeof *score, decreasing);
            for (uint32_t r = 0; r < 256; r++)
                mean += (r < law.top ? odds : 1) * score[r] / 16384;
            mean /= law.top * odds + 256 - law.top;
            sum += mean / RUNS;
            squares += mean * mean / RUNS;
        }
        double error = sqrt((squares - sum * sum) / RUNS);
        assert_true(fabs(sum - law.alpha) < 5 * error + 2e-4 * law.alpha);
    }
}

/* ---- the state ---- */

static const struct {
    kith_i_report_kind report;
    kith_i_randomizer randomizer;
} KINDS[] = {{KITH_I_REPORT_DISTANCE, KITH_I_RANDOMIZER_KRR},
             {KITH_I_REPORT_SYMBOL, KITH_I_RANDOMIZER_OLH},
             {KITH_I_REPORT_SYMBOL, KITH_I_RANDOMIZER_HADAMARD},
             {KITH_I_REPORT_VECTOR, KITH_I_RANDOMIZER_CODEBOOK},
             {KITH_I_REPORT_MOMENT, KITH_I_RANDOMIZER_CODEBOOK},
             {KITH_I_REPORT_VECTOR, KITH_I_RANDOMIZER_GAUSSIAN}};
enum { KIND_COUNT = sizeof KINDS / sizeof *KINDS };

static void setup(int kind, kith_i_question *q, kith_i_mechanism *m)
{
    *q = question_of(KINDS[kind].report, KINDS[kind].randomizer);
    assert_int_equal(kith_i_mechanism_make(q, D, m, NULL), KITH_OK);
}

static void check_same(const kith_i_tally *a, const kith_i_tally *b)
{
    assert_true(tally_same(a, b) && tally_same(b, a));
}

/* One server; three shards merged in two orders: the same. */
static void test_shards_merge_to_the_bit(void **state)
{
    (void)state;
    enum { N = 300 };
    for (int kind = 0; kind < KIND_COUNT; kind++) {
        kith_i_question q;
        kith_i_mechanism m;
        setup(kind, &q, &m);
        kith_i_tally *one = new_tally(&m), *a = new_tally(&m),
                     *b = new_tally(&m), *c = new_tally(&m),
                     *other = new_tally(&m);
        fill_tally(one, &q, &m, 7, 0, N);
        fill_tally(a, &q, &m, 7, 100, 250);
        fill_tally(b, &q, &m, 7, 250, N);
        fill_tally(c, &q, &m, 7, 0, 100);
        assert_int_equal(kith_i_tally_merge(other, b, NULL), KITH_OK);
        assert_int_equal(kith_i_tally_merge(other, c, NULL), KITH_OK);
        assert_int_equal(kith_i_tally_merge(other, a, NULL), KITH_OK);
        assert_int_equal(kith_i_tally_merge(a, b, NULL), KITH_OK);
        assert_int_equal(kith_i_tally_merge(a, c, NULL), KITH_OK);
        check_same(one, a);
        check_same(one, other);
        /* What is merged twice, or into itself, is refused and changes
         * nothing. */
        assert_int_equal(kith_i_tally_merge(a, b, NULL), KITH_ERR_INPUT);
        assert_int_equal(kith_i_tally_merge(a, a, NULL), KITH_ERR_ARGUMENT);
        check_same(one, a);
        /* A merged tally knows its nonces; one report more is not the same. */
        uint8_t again[256];
        size_t n = report_of(&q, &m, 7, 5, again);
        assert_int_equal(kith_i_tally_add(a, again, n, NULL), KITH_ERR_INPUT);
        n = report_of(&q, &m, 7, N, again);
        assert_int_equal(kith_i_tally_add(a, again, n, NULL), KITH_OK);
        assert_false(tally_same(one, a));
        kith_i_tally_free(one);
        kith_i_tally_free(a);
        kith_i_tally_free(b);
        kith_i_tally_free(c);
        kith_i_tally_free(other);
    }
}

static void test_duplicates_and_strangers(void **state)
{
    (void)state;
    for (int kind = 0; kind < KIND_COUNT; kind++) {
        kith_i_question q;
        kith_i_mechanism m;
        setup(kind, &q, &m);
        kith_i_tally *t = new_tally(&m), *before = new_tally(&m);
        fill_tally(t, &q, &m, 3, 0, 20);
        fill_tally(before, &q, &m, 3, 0, 20);
        uint8_t bytes[256];
        size_t n = report_of(&q, &m, 3, 4, bytes);
        assert_int_equal(kith_i_tally_add(t, bytes, n, NULL), KITH_ERR_INPUT);
        bytes[40] ^= 1; /* the nonce, not the content, tells reports apart */
        assert_int_equal(kith_i_tally_add(t, bytes, n, NULL), KITH_ERR_INPUT);
        /* Each byte of the header before the nonce matters. */
        n = report_of(&q, &m, 3, 99, bytes);
        for (int i = 0; i < 24; i++) {
            bytes[i] ^= 64;
            assert_int_equal(kith_i_tally_add(t, bytes, n, NULL),
                             KITH_ERR_INPUT);
            bytes[i] ^= 64;
        }
        for (size_t cut = 0; cut < n; cut++)
            assert_int_equal(kith_i_tally_add(t, bytes, cut, NULL),
                             KITH_ERR_INPUT);
        bytes[n] = 0;
        assert_int_equal(kith_i_tally_add(t, bytes, n + 1, NULL),
                         KITH_ERR_INPUT);
        if (m.outputs && m.outputs < 256) {
            bytes[40] = (uint8_t)m.outputs;
            assert_int_equal(kith_i_tally_add(t, bytes, n, NULL),
                             KITH_ERR_INPUT);
        }
        check_same(t, before);
        kith_i_tally_free(t);
        kith_i_tally_free(before);
    }
}

/* The worst that one report can do to an estimate. */
static void test_influence_is_bounded(void **state)
{
    (void)state;
    kith_i_question q;
    kith_i_mechanism m;
    setup(5, &q, &m);
    kith_i_tally *t = new_tally(&m);
    uint8_t bytes[256];
    size_t n = report_of(&q, &m, 3, 4, bytes);
    memset(bytes + 40, 0x7f, n - 40);
    assert_int_equal(kith_i_tally_add(t, bytes, n, NULL), KITH_OK);
    kith_i_answer a;
    assert_int_equal(kith_i_answer_alloc(&q, D, &a, NULL), KITH_OK);
    assert_int_equal(kith_i_tally_answer(t, &q, D, 1, 1, &a, NULL), KITH_OK);
    for (int i = 0; i < K * D; i++)
        assert_true(fabs(a.sums[i]) <= 1.1 + 8 * kith_i_mechanism_sd(&m));
    kith_i_answer_free(&a);
    kith_i_tally_free(t);
    setup(3, &q, &m);
    t = new_tally(&m);
    n = report_of(&q, &m, 3, 4, bytes);
    assert_int_equal(kith_i_tally_add(t, bytes, n, NULL), KITH_OK);
    assert_int_equal(kith_i_answer_alloc(&q, D, &a, NULL), KITH_OK);
    assert_int_equal(kith_i_tally_answer(t, &q, D, 1, 1, &a, NULL), KITH_OK);
    for (int j = 0; j < K; j++)
        assert_true(hypot(a.sums[2 * j], a.sums[2 * j + 1]) <=
                    1.0001 / m.alpha);
    kith_i_answer_free(&a);
    kith_i_tally_free(t);
    /* A matrix of trace 1 at most, none of it negative, less I / (D + 1). */
    setup(4, &q, &m);
    t = new_tally(&m);
    n = report_of(&q, &m, 3, 4, bytes);
    assert_int_equal(kith_i_tally_add(t, bytes, n, NULL), KITH_OK);
    assert_int_equal(kith_i_answer_alloc(&q, D, &a, NULL), KITH_OK);
    assert_int_equal(kith_i_tally_answer(t, &q, D, 1, 1, &a, NULL), KITH_OK);
    for (int j = 0; j < K; j++) {
        const double *c = a.sums + (ptrdiff_t)j * D * D;
        double x = c[0] * m.alpha + 1.0 / (D + 1);
        double y = c[3] * m.alpha + 1.0 / (D + 1);
        assert_true(x >= 0 && y >= 0 && x + y <= 1.0001);
        assert_true(pow(c[1] * m.alpha, 2) <= x * y + 1e-4);
    }
    kith_i_answer_free(&a);
    kith_i_tally_free(t);
}

static void test_nobody_or_too_few(void **state)
{
    (void)state;
    for (int kind = 0; kind < KIND_COUNT; kind++) {
        kith_i_question q;
        kith_i_mechanism m;
        setup(kind, &q, &m);
        kith_i_tally *t = new_tally(&m);
        for (int some = 0; some < 2; some++) {
            kith_i_answer a;
            if (some)
                fill_tally(t, &q, &m, 3, 0, 9);
            assert_int_equal(kith_i_answer_alloc(&q, D, &a, NULL), KITH_OK);
            assert_int_equal(kith_i_tally_answer(t, &q, D, 10, 1, &a, NULL),
                             KITH_OK);
            assert_int_equal(a.received, 0);
            assert_true(a.sd == HUGE_VAL && a.noise == HUGE_VAL);
            for (uint64_t s = 0; a.fractions && s < a.symbols; s++)
                assert_true(a.fractions[s] == 0);
            for (int s = 0; a.sums && s < K * D; s++)
                assert_true(a.sums[s] == 0);
            kith_i_answer_free(&a);
        }
        kith_i_tally_free(t);
    }
}

/* Saved bytes with any one byte changed, or cut, or with sums that no reports
 * make, are refused. */
/* A round that is over keeps its answer, and takes nothing any more: whose
 * reports were counted is forgotten. */
static void test_a_round_that_is_over(void **state)
{
    (void)state;
    for (int kind = 0; kind < KIND_COUNT; kind++) {
        kith_i_question q;
        kith_i_mechanism m;
        setup(kind, &q, &m);
        kith_i_tally *t = new_tally(&m), *other = new_tally(&m);
        fill_tally(t, &q, &m, 3, 0, 50);
        kith_i_answer open, over;
        assert_int_equal(kith_i_answer_alloc(&q, D, &open, NULL), KITH_OK);
        assert_int_equal(kith_i_answer_alloc(&q, D, &over, NULL), KITH_OK);
        assert_int_equal(kith_i_tally_answer(t, &q, D, 1, 1, &open, NULL),
                         KITH_OK);
        kith_i_tally_close(t);
        assert_int_equal(kith_i_tally_answer(t, &q, D, 1, 1, &over, NULL),
                         KITH_OK);
        assert_true(open.received == 50 && over.received == 50);
        for (uint64_t s = 0; open.fractions && s < open.symbols; s++)
            assert_true(open.fractions[s] == over.fractions[s]);
        for (int s = 0; open.sums && s < K * D; s++)
            assert_true(open.sums[s] == over.sums[s]);
        uint8_t bytes[256];
        size_t n = report_of(&q, &m, 3, 4, bytes);
        assert_int_equal(kith_i_tally_add(t, bytes, n, NULL), KITH_ERR_INPUT);
        n = report_of(&q, &m, 3, 99, bytes);
        assert_int_equal(kith_i_tally_add(t, bytes, n, NULL), KITH_ERR_INPUT);
        fill_tally(other, &q, &m, 5, 0, 3);
        assert_int_equal(kith_i_tally_merge(other, t, NULL), KITH_ERR_ARGUMENT);
        assert_int_equal(kith_i_tally_merge(t, other, NULL), KITH_ERR_ARGUMENT);
        assert_int_equal(kith_i_tally_received(t), 50);
        kith_i_answer_free(&open);
        kith_i_answer_free(&over);
        kith_i_tally_free(t);
        kith_i_tally_free(other);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_symbols_unbiased),
        cmocka_unit_test(test_vectors_unbiased),
        cmocka_unit_test(test_matrices_are_unpacked),
        cmocka_unit_test(test_formulas),
        cmocka_unit_test(test_share_variance),
        cmocka_unit_test(test_codebook_alpha),
        cmocka_unit_test(test_shards_merge_to_the_bit),
        cmocka_unit_test(test_duplicates_and_strangers),
        cmocka_unit_test(test_influence_is_bounded),
        cmocka_unit_test(test_nobody_or_too_few),
        cmocka_unit_test(test_a_round_that_is_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

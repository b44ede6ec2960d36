/* The fast samplers and the naive ones read the same words and must return
 * the same values and stop at the same word: on random words over many
 * scales, and on words forced to tie so that the wide path is taken. */
/* link: support/sampler_reference.c */
#include "support/cmocka_all.h"
#include "support/sampler_reference.h"

static const kith_i_scale scales[] = {{1, 0},
                                      {1, 4},
                                      {3, 0},
                                      {7, 2},
                                      {1000003, 20},
                                      {5, 1},
                                      {1ull << 40, 40},
                                      {(1ull << 41) - 1, 40},
                                      {1ull << 40, 33},
                                      {1ull << 40, 10},
                                      {999999999, 0},
                                      {1ull << 50, 0},
                                      {(1ull << 54) - 1, 0},
                                      {1ull << 58, 8},
                                      {(1ull << 62) - 1, 20}};
enum { SCALES = sizeof scales / sizeof *scales };

static void open_twice(kith_i_entropy *a, kith_i_entropy *b, uint64_t seed)
{
    kith_i_entropy_source source = {.seeded = 1, .seed = seed};
    kith_i_entropy_open(a, &source, 7);
    kith_i_entropy_open(b, &source, 7);
}

/* Same number of words taken: the next words agree. */
static void assert_in_step(kith_i_entropy *a, kith_i_entropy *b)
{
    assert_int_equal(a->refills, b->refills);
    assert_int_equal(a->next, b->next);
}

static void test_laplace(void **state)
{
    (void)state;
    for (size_t i = 0; i < SCALES; i++) {
        kith_i_entropy a, b;
        open_twice(&a, &b, i);
        for (int n = 0; n < 2000; n++)
            assert_int_equal(kith_i_sample_laplace(&a, scales[i]),
                             reference_laplace(&b, scales[i]));
        assert_in_step(&a, &b);
    }
}

static void test_gaussian(void **state)
{
    (void)state;
    for (size_t i = 0; i < SCALES; i++) {
        kith_i_entropy a, b;
        open_twice(&a, &b, 100 + i);
        for (int n = 0; n < 1500; n++)
            assert_int_equal(kith_i_sample_gaussian(&a, scales[i]),
                             reference_gaussian(&b, scales[i]));
        assert_in_step(&a, &b);
    }
}

static void test_bernoulli(void **state)
{
    (void)state;
    static const uint64_t pairs[][2] = {{0, 1},
                                        {1, 1},
                                        {1, 3},
                                        {2, 3},
                                        {1, UINT64_MAX},
                                        {UINT64_MAX - 1, UINT64_MAX},
                                        {1ull << 63, UINT64_MAX},
                                        {12345, 99991}};
    kith_i_entropy a, b;
    open_twice(&a, &b, 5);
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        for (int n = 0; n < 2000; n++) {
            assert_int_equal(
                kith_i_sample_bernoulli(&a, pairs[i][0], pairs[i][1]),
                reference_bernoulli(&b, pairs[i][0], pairs[i][1]));
            assert_int_equal(
                kith_i_sample_bernoulli_exp(&a, pairs[i][0], pairs[i][1]),
                reference_bernoulli_exp(&b, pairs[i][0], pairs[i][1]));
        }
    assert_in_step(&a, &b);
}

/* 1/3 has the digits 5555...: a word of them leaves the coin undecided. */
static void test_bernoulli_tie(void **state)
{
    (void)state;
    for (unsigned ties = 1; ties < 5; ties++)
        for (int more = 0; more < 2; more++) {
            kith_i_entropy a, b;
            open_twice(&a, &b, 1);
            for (unsigned i = 0; i < ties; i++)
                a.words[i] = b.words[i] = 0x5555555555555555u;
            a.words[ties] = b.words[ties] =
                more ? 0x5555555555555556u : 0x5555555555555554u;
            assert_int_equal(kith_i_sample_bernoulli(&a, 1, 3), !more);
            assert_int_equal(reference_bernoulli(&b, 1, 3), !more);
            assert_int_equal(a.next, ties + 1);
            assert_in_step(&a, &b);
        }
}

/* Words picked so that a Gaussian draw needs more digits. k = 0: the first
 * coin Bernoulli(exp(-1/2)) fails when its first word is below 1/2 and the
 * next at or above 1/4. Then x, and a coin u < x^2/2: x = 2^-1 exactly has
 * x^2/2 = 2^-3, and u = 2^-3 ties on the first digit. */
static void test_gaussian_tie(void **state)
{
    (void)state;
    for (uint64_t low = 0; low < 4; low++)
        for (int after = 0; after < 16; after++) {
            kith_i_entropy a, b;
            open_twice(&a, &b, 77 + (uint64_t)after);
            uint64_t words[] = {0, UINT64_MAX / 2, 1ull << 63,
                                (1ull << 61) + low - 2};
            memcpy(a.words, words, sizeof words);
            memcpy(b.words, words, sizeof words);
            kith_i_scale sigma = {1ull << 40, 40};
            assert_int_equal(kith_i_sample_gaussian(&a, sigma),
                             reference_gaussian(&b, sigma));
            assert_in_step(&a, &b);
        }
}

/* x just at a rounding border: sigma = 1, k + x = 1/2 +- a digit. */
static void test_rounding_tie(void **state)
{
    (void)state;
    for (uint64_t first = (1ull << 63) - 2; first < (1ull << 63) + 2; first++) {
        kith_i_entropy e;
        kith_i_entropy_source source = {.seeded = 1, .seed = 3};
        kith_i_entropy_open(&e, &source, 0);
        kith_i_lazy x = {.digit = {first}, .count = 1};
        int64_t r = kith_i_wide_round(&e, (kith_i_scale){1, 0}, 0, &x);
        assert_int_equal(r, first >= 1ull << 63);
        /* a scale of 3 puts a border inside the digit 5555... */
        kith_i_lazy y = {.digit = {0x2aaaaaaaaaaaaaaau}, .count = 1};
        e.words[e.next] = 0xaaaaaaaaaaaaaaaau + first;
        r = kith_i_wide_round(&e, (kith_i_scale){3, 0}, 0, &y);
        assert_int_equal(r, 0xaaaaaaaaaaaaaaaau + first > 0xaaaaaaaaaaaaaaaau);
        assert_int_equal(y.count, 2);
    }
}

/* Digits that never decide end in a failure, not in a loop. */
static void test_undecided_fails_closed(void **state)
{
    (void)state;
    kith_i_entropy e;
    kith_i_entropy_source source = {.seeded = 1, .seed = 3};
    kith_i_entropy_open(&e, &source, 0);
    for (int i = 0; i < KITH_I_ENTROPY_WORDS; i++)
        e.words[i] = 0xaaaaaaaaaaaaaaaau;
    kith_i_lazy y = {.digit = {0x2aaaaaaaaaaaaaaau}, .count = 1};
    (void)kith_i_wide_round(&e, (kith_i_scale){3, 0}, 0, &y);
    assert_true(e.failed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bernoulli),
        cmocka_unit_test(test_bernoulli_tie),
        cmocka_unit_test(test_laplace),
        cmocka_unit_test(test_gaussian),
        cmocka_unit_test(test_gaussian_tie),
        cmocka_unit_test(test_rounding_tie),
        cmocka_unit_test(test_undecided_fails_closed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Noise W1 - W2, W1 and W2 with density proportional to exp(-tr W / b) on
 * positive definite p x p matrices (decision 16). What is known of its law:
 *   - p = 1: Laplace with scale b;
 *   - a diagonal entry for p = 3: the difference of two Gamma(2), in units of
 * b, so that Pr[z > x] = e^{-x} (2 + x) / 4;
 *   - Z > 0 with probability 2^{-p(p+1)/2}, and given that it has the law of
 * W1: tr Z / b is Gamma(p (p+1) / 2). (On Z > 0 the density is c e^{-tr Z / b},
 *     with no other factor.)
 * Against a second construction (Bartlett's, in doubles), and the density's
 * ratio for p = 2 by quadrature. Each assertion has a false-alarm rate <= 1e-6
 * and a fixed seed. */
#include "base/base_i.h"
#include "kernel/dense.h"
#include "support/cmocka_all.h"
#include "support/stat.h"

static int allocations_left = -1; /* -1: no end */
static void *count_alloc(size_t n, size_t size);
#define kith_i_alloc count_alloc
#include "budget/budget_i.h"
#include "noise/normal_digits.c"
#include "noise/sampler_wishart.c"
#undef kith_i_alloc
static void *count_alloc(size_t n, size_t size)
{
    if (allocations_left == 0)
        return NULL;
    allocations_left -= allocations_left > 0;
    return kith_i_alloc(n, size);
}

#include "kernel/quartic.h"
#include "noise/noise_wishart.h"

static kith_i_wishart *draw(uint64_t seed, uint32_t p, uint32_t threads)
{
    static kith_i_entropy_source source;
    source = (kith_i_entropy_source){.seeded = 1, .seed = seed};
    kith_i_wishart *w = NULL;
    assert_int_equal(kith_i_wishart_open(&source, 5, p, threads, &w, NULL),
                     KITH_OK);
    return w;
}

static int64_t entry(kith_i_wishart *w, kith_i_scale b, uint32_t x, uint32_t y)
{
    kith_i_wishart_mix mix = {.plain = 1, .over = 1, .x = {x}, .y = {y}};
    int64_t z = kith_i_wishart_round(w, b, &mix);
    assert_int_equal(kith_i_wishart_state(w, NULL), KITH_OK);
    return z;
}

/* Pr[Gamma(d) <= x] for integer d. */
static double gamma_cdf(int d, double x)
{
    double term = exp(-x), sum = 0;
    for (int i = 0; i < d; i++) {
        sum += term;
        term *= x / (i + 1);
    }
    return 1 - sum;
}

/* Pr[diagonal entry > x b] for p = 1 and p = 3. */
static double tail(uint32_t p, double x)
{
    return x < 0 ? 1 - tail(p, -x) : exp(-x) * (p == 1 ? .5 : (2 + x) / 4);
}

/* Small scales: the law after rounding, exactly. */
static void check_rounded(uint32_t p, uint64_t seed)
{
    enum { HALF = 25, DRAWS = 60000 };
    kith_i_scale b = {3, 1};
    uint64_t seen[2 * HALF + 1] = {0}, rest = 0;
    double at[2 * HALF + 1];
    for (uint64_t t = 0; t < DRAWS; t++) {
        kith_i_wishart *w = draw(seed << 32 | t, p, 1);
        int64_t z = entry(w, b, p - 1, p - 1);
        if (z < -HALF || z > HALF)
            rest++;
        else
            seen[z + HALF]++;
        kith_i_wishart_close(w);
    }
    for (int z = -HALF; z <= HALF; z++)
        at[z + HALF] = tail(p, (z - .5) / 1.5) - tail(p, (z + .5) / 1.5);
    size_t degrees;
    double chi = chi_square(seen, at, 2 * HALF + 1, rest, DRAWS, &degrees);
    print_message("p %u: chi-square %.1f, %zu degrees\n", p, chi, degrees);
    assert_true(chi <= chi_square_limit(degrees));
}

static void test_rounded(void **state)
{
    (void)state;
    check_rounded(1, 1);
    check_rounded(3, 2);
}

/* Is a symmetric matrix positive definite? By its pivots. */
static int is_positive(const double *z, size_t p)
{
    double a[16];
    memcpy(a, z, p * p * sizeof *a);
    for (size_t k = 0; k < p; k++) {
        if (a[k * p + k] <= 0)
            return 0;
        for (size_t i = k + 1; i < p; i++)
            for (size_t j = k + 1; j < p; j++)
                a[i * p + j] -= a[i * p + k] * a[k * p + j] / a[k * p + k];
    }
    return 1;
}

static void check_positive(uint32_t p, uint64_t draws, uint64_t seed)
{
    enum { CELLS = 16 };
    kith_i_scale b = {(uint64_t)5 << 40, 3};
    uint64_t both[2] = {0}, radial[2][CELLS] = {{0}};
    double even[CELLS], scale = kith_i_scale_value(b);
    for (uint64_t t = 0; t < draws; t++) {
        kith_i_wishart *w = draw(seed << 32 | t, p, 1);
        double z[16], minus[16], trace = 0;
        for (uint32_t x = 0; x < p; x++)
            for (uint32_t y = 0; y < p; y++) {
                z[x * p + y] = (double)entry(w, b, x, y) / scale;
                minus[x * p + y] = -z[x * p + y];
                trace += x == y ? z[x * p + y] : 0;
            }
        kith_i_wishart_close(w);
        for (int s = 0; s < 2; s++)
            if (is_positive(s ? minus : z, p)) {
                double u = gamma_cdf((int)(p * (p + 1) / 2), fabs(trace));
                both[s]++;
                radial[s][(int)(u * CELLS) % CELLS]++;
            }
    }
    for (int c = 0; c < CELLS; c++)
        even[c] = 1.0 / CELLS;
    for (int s = 0; s < 2; s++) {
        size_t degrees;
        double chi = chi_square(radial[s], even, CELLS, 0, both[s], &degrees);
        print_message("p %u: %s in %zu of %zu, chi-square of the trace %.1f\n",
                      p, s ? "negative" : "positive", (size_t)both[s],
                      (size_t)draws, chi);
        assert_true(
            believable(both[s], draws, ldexp(1, -(int)(p * (p + 1) / 2))));
        assert_true(chi <= chi_square_limit(degrees));
    }
}

static void test_positive(void **state)
{
    (void)state;
    check_positive(2, 40000, 3);
    check_positive(3, 60000, 4);
}

/* Bartlett: W = (b/2) L L', L lower triangular, normal below the diagonal, its
 * diagonal chi with p + 1, p, .., 2 degrees. */
static void add_bartlett(uint32_t p, kith_i_coins *coins, double sign,
                         double *z)
{
    double l[64] = {0};
    for (uint32_t i = 0; i < p; i++) {
        double square = 0;
        for (uint32_t t = 0; t < p + 1 - i; t++) {
            double g = kith_i_coins_normal(coins);
            square += g * g;
        }
        l[i * p + i] = sqrt(square);
        for (uint32_t j = 0; j < i; j++)
            l[i * p + j] = kith_i_coins_normal(coins);
    }
    for (uint32_t i = 0; i < p; i++)
        for (uint32_t j = 0; j < p; j++)
            for (uint32_t t = 0; t < p; t++)
                z[i * p + j] += sign / 2 * l[i * p + t] * l[j * p + t];
}

static double largest(double *z, uint32_t p)
{
    double work[4096], value, vector[8];
    int integers[256];
    assert_true(kith_i_eigen_work(p) <= 4096);
    assert_true(kith_i_eigen_integers(p) <= 256);
    assert_int_equal(kith_i_eigen_top(z, p, 1, work, integers, &value, vector),
                     0);
    return value;
}

/* Largest eigenvalue and an off-diagonal entry: two samples of each, compared
 * in cells that the second sample's quantiles make. */
static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void test_bartlett(void **state)
{
    (void)state;
    enum { P = 5, DRAWS = 12000, CELLS = 12 };
    static double got[2][DRAWS], want[2][DRAWS];
    kith_i_scale b = {(uint64_t)3 << 40, 0};
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 5, 0);
    for (size_t t = 0; t < DRAWS; t++) {
        kith_i_wishart *w = draw((uint64_t)5 << 32 | t, P, 1);
        double z[P * P], other[P * P] = {0};
        for (uint32_t i = 0; i < P * P; i++)
            z[i] = (double)entry(w, b, i / P, i % P) / kith_i_scale_value(b);
        kith_i_wishart_close(w);
        add_bartlett(P, &coins, 1, other);
        add_bartlett(P, &coins, -1, other);
        got[1][t] = z[1];
        want[1][t] = other[1];
        got[0][t] = largest(z, P);
        want[0][t] = largest(other, P);
    }
    for (int s = 0; s < 2; s++) {
        double chi = 0;
        qsort(got[s], DRAWS, sizeof(double), compare_doubles);
        qsort(want[s], DRAWS, sizeof(double), compare_doubles);
        for (size_t c = 0, from = 0; c < CELLS; c++) {
            double high = want[s][(c + 1) * DRAWS / CELLS - 1];
            size_t to = from;
            while (to < DRAWS && (c == CELLS - 1 || got[s][to] <= high))
                to++;
            double n = (double)(to - from), m = (double)DRAWS / CELLS;
            chi += (n - m) * (n - m) / (n + m); /* two samples */
            from = to;
        }
        print_message("%s: chi-square %.1f\n", s ? "off-diagonal" : "largest",
                      chi);
        assert_true(chi <= chi_square_limit(CELLS - 1));
    }
}

/* ---- the density's ratio, p = 2 ---- */

/* h(Z) for b = 1 and Z = diag(z1, z2): the integral of e^{-2 tr V} over V > 0,
 * Z + V > 0; the off-diagonal entry of V by its length. */
static double region(double z1, double z2)
{
    enum { STEPS = 900 };
    double sum = 0, step = 12.0 / STEPS;
    double low1 = fmax(0, -z1), low2 = fmax(0, -z2);
    for (int i = 0; i < STEPS; i++)
        for (int j = 0; j < STEPS; j++) {
            double x = low1 + (i + .5) * step, y = low2 + (j + .5) * step;
            double room = fmin(x * y, (x + z1) * (y + z2));
            sum += exp(-2 * (x + y)) * 2 * sqrt(fmax(room, 0));
        }
    return sum * step * step;
}

/* log f of a symmetric 2 x 2 matrix, up to a constant. */
static double log_density(double a, double b, double c)
{
    double mean = (a + c) / 2, half = hypot((a - c) / 2, b);
    return -(a + c) + log(region(mean + half, mean - half));
}

static void test_ratio(void **state)
{
    (void)state;
    /* Z, then what is added, then what is removed, as vectors */
    static const double cases[][7] = {
        {0, 0, 0, 1, 0, 0, 0},       {1, .3, 2, 1, 0, 0, 0},
        {-1, .5, -2, 0, 1, 0, 0},    {.2, -1, .4, .6, .8, 0, 0},
        {0, 0, 0, 1, 0, 0, 1},       {9, 0, -9, 1, 0, 0, 1},
        {-9, 0, 9, 1, 0, 0, 1},      {2, 1, -1, .8, .6, .6, -.8},
        {.5, .1, -.2, .5, .5, 0, 1}, {3, 0, 1, 0, .3, .7, .7}};
    double most[2] = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const double *z = cases[i], *v = z + 3, *u = z + 5;
        double there = log_density(z[0] + v[0] * v[0] - u[0] * u[0],
                                   z[1] + v[0] * v[1] - u[0] * u[1],
                                   z[2] + v[1] * v[1] - u[1] * u[1]);
        double lost = fabs(there - log_density(z[0], z[1], z[2]));
        double paid = v[0] * v[0] + v[1] * v[1] + u[0] * u[0] + u[1] * u[1];
        print_message("ratio %.4f of %.4f\n", lost, paid);
        assert_true(lost <= paid * (1 + 2e-3)); /* quadrature */
        int replaced = u[0] != 0 || u[1] != 0;
        most[replaced] = fmax(most[replaced], lost / paid);
    }
    /* the bound is reached where Z is definite, and nearly so by a replacement
     * far out: less would not do */
    assert_true(most[0] > .995);
    assert_true(most[1] > .95);
}

/* ---- digits ---- */

/* out = sum of |v_x| + |v_y| + 1 over G and H, v = floor(|g| 2^(64 digits)):
 * how far off an inner product can be, in units of 2^-(128 digits). */
static void worst_error(const kith_i_wishart *w, uint32_t x, uint32_t y,
                        uint32_t digits, mpz_t out)
{
    mpz_t v;
    mpz_init(v);
    mpz_set_ui(out, 0);
    for (size_t m = 0; m < 2; m++)
        for (size_t t = 0; t < 2 * (size_t)w->columns; t++) {
            size_t row = m * w->p + (t & 1 ? x : y);
            size_t i = row * w->columns + t / 2;
            int k = w->g.whole[i] < 0 ? -1 - w->g.whole[i] : w->g.whole[i];
            mpz_set_si(v, k);
            for (uint32_t d = 0; d < digits; d++) {
                mpz_mul_2exp(v, v, 64);
                mpz_add_ui(v, v, w->g.digit[d][i]);
            }
            mpz_add(out, out, v);
            mpz_add_ui(out, out, t & 1);
        }
    mpz_clear(v);
}

/* The sums are what the deviates say, and each digit narrows the same number.
 */
static void test_enclosures(void **state)
{
    (void)state;
    enum { P = 7 };
    kith_i_wishart *w = draw(6, P, 1);
    mpz_t low, high, before[2], worst;
    mpz_inits(low, high, before[0], before[1], worst, NULL);
    for (uint32_t x = 0; x < P; x++)
        for (uint32_t y = 0; y < P; y++)
            for (uint32_t digits = 1; digits <= KITH_I_LAZY_DIGITS; digits++) {
                mpz_set_ui(low, 0);
                mpz_set_ui(w->error, 0);
                if (digits == 1)
                    add_first(w, low, x, y);
                else
                    add_deep(w, low, x, y, digits);
                mpz_add(high, low, w->error);
                mpz_sub(low, low, w->error);
                /* all in units of 2^-1024; the error: below 2^11 / 2^(64
                 * digits)
                 */
                mp_bitcnt_t unit = digits == 1 ? UNIT : 128 * digits;
                assert_true(mpz_sizeinbase(w->error, 2) + 64 * digits <
                            unit + 11);
                worst_error(w, x, y, digits, worst);
                mpz_mul_2exp(worst, worst, unit);
                mpz_fdiv_q_2exp(worst, worst, 128 * digits);
                assert_true(mpz_cmp(w->error, worst) >= 0);
                mpz_mul_2exp(low, low, 1024 - unit);
                mpz_mul_2exp(high, high, 1024 - unit);
                if (digits > 1) {
                    assert_true(mpz_cmp(before[0], low) <= 0);
                    assert_true(mpz_cmp(high, before[1]) <= 0);
                }
                mpz_set(before[0], low);
                mpz_set(before[1], high);
            }
    mpz_clears(low, high, before[0], before[1], worst, NULL);
    kith_i_wishart_close(w);
}

/* Rounding that the first digits decide and rounding that they are kept from
 * deciding agree, whatever is asked for first. */
static void test_refinement(void **state)
{
    (void)state;
    enum { P = 12 };
    kith_i_scale b = {(uint64_t)1 << 61, 16};
    for (uint64_t seed = 0; seed < 20; seed++) {
        kith_i_wishart *plain = draw(seed, P, 1), *deep = draw(seed, P, 1);
        for (uint32_t x = 0; x < P; x++)
            deep->slack[x] |= (uint64_t)1 << 62;
        for (uint32_t i = 0; i < 200; i++) {
            uint32_t x = P - 1 - i % P, y = i * 5 % P, u = i * 7 % P;
            kith_i_wishart_mix mix = {
                i % 3, 3 - i % 3, 1 + i % 6, {x, y, u}, {y, u, u}};
            assert_int_equal(kith_i_wishart_round(deep, b, &mix),
                             kith_i_wishart_round(plain, b, &mix));
        }
        for (size_t c = 0; c < deep->g.chunks; c++)
            assert_int_equal(deep->g.depth[c], 2);
        assert_int_equal(kith_i_wishart_state(deep, NULL), KITH_OK);
        kith_i_wishart_close(plain);
        kith_i_wishart_close(deep);
    }
}

/* A deviate that took two digits to draw keeps the second. */
static void test_early(void **state)
{
    (void)state;
    kith_i_wishart *w = draw(8, 3, 1);
    w->g.early[0] =
        (kith_i_early_deviate){7, {.digit = {1, 42, 43}, .count = 3}};
    w->g.early[1] = (kith_i_early_deviate){9, {.digit = {1, 44}, .count = 2}};
    atomic_store(&w->g.early_count, 2);
    deepen_chunk(&w->g, 0);
    deepen_chunk(&w->g, 0);
    assert_true(w->g.digit[1][7] == 42 && w->g.digit[2][7] == 43);
    assert_true(w->g.digit[1][9] == 44 && w->g.digit[2][9] != 0);
    assert_true(w->g.digit[1][8] != w->g.digit[1][6]);
    kith_i_wishart_close(w);
}

/* No memory for more digits: no noise, and it is said. */
static void test_no_memory(void **state)
{
    (void)state;
    kith_i_scale b = {(uint64_t)1 << 50, 0};
    kith_i_wishart_mix mix = {.plain = 1, .over = 1};
    kith_i_wishart *w = draw(9, 4, 1);
    w->slack[0] = (uint64_t)1 << 62;
    allocations_left = 0;
    assert_int_equal(kith_i_wishart_round(w, b, &mix), 0);
    allocations_left = -1;
    assert_int_equal(kith_i_wishart_state(w, NULL), KITH_ERR_MEMORY);
    kith_i_wishart_close(w);
    kith_i_entropy_source source = {.seeded = 1, .seed = 1};
    for (int left = 0;; left++) { /* and none to begin with */
        allocations_left = left;
        kith_status status = kith_i_wishart_open(&source, 0, 9, 2, &w, NULL);
        allocations_left = -1;
        if (!status)
            break;
        assert_int_equal(status, KITH_ERR_MEMORY);
        assert_null(w);
    }
    kith_i_wishart_close(w);
}

/* Threads change nothing; p beyond a tile, columns beyond a block. */
static void test_threads(void **state)
{
    (void)state;
    enum { P = 140 };
    kith_i_scale b = {(uint64_t)1 << 50, 0};
    kith_i_wishart *one = draw(10, P, 1), *three = draw(10, P, 3);
    for (uint32_t x = 0; x < P; x++)
        for (uint32_t y = 0; y <= x; y++) {
            int64_t z = entry(one, b, x, y);
            assert_int_equal(z, entry(three, b, x, y));
            assert_int_equal(z, entry(one, b, y, x));
        }
    /* no word is used twice: chunks, digits and calls have their own */
    deepen_chunk(&one->g, 0);
    deepen_chunk(&one->g, 1);
    kith_i_entropy_source source = {.seeded = 1, .seed = 10};
    kith_i_wishart *next = NULL;
    assert_int_equal(kith_i_wishart_open(&source, 6, P, 1, &next, NULL),
                     KITH_OK);
    for (size_t i = 0; i < CHUNK; i++) {
        uint64_t v = one->g.digit[0][i];
        assert_true(v != one->g.digit[0][i + CHUNK] &&
                    v != next->g.digit[0][i]);
        assert_true(one->g.digit[1][i] != one->g.digit[1][i + CHUNK]);
        for (size_t j = 0; j < CHUNK; j++)
            assert_true(v != one->g.digit[1][j]);
    }
    kith_i_wishart_close(next);
    kith_i_wishart_close(one);
    kith_i_wishart_close(three);
}

/* ---- tensors ---- */

static double weight(uint32_t i, uint32_t j)
{
    return i == j ? 1 : sqrt(2);
}

/* The noise on a distinct entry is the mean over all orders of its indices of
 * the matrix's entry, without the weights. */
static void test_quartic(void **state)
{
    (void)state;
    enum { W = 4, P = 10, SIZE = 35 };
    static const int orders[24][4] = {
        {0, 1, 2, 3}, {0, 1, 3, 2}, {0, 2, 1, 3}, {0, 2, 3, 1}, {0, 3, 1, 2},
        {0, 3, 2, 1}, {1, 0, 2, 3}, {1, 0, 3, 2}, {1, 2, 0, 3}, {1, 2, 3, 0},
        {1, 3, 0, 2}, {1, 3, 2, 0}, {2, 0, 1, 3}, {2, 0, 3, 1}, {2, 1, 0, 3},
        {2, 1, 3, 0}, {2, 3, 0, 1}, {2, 3, 1, 0}, {3, 0, 1, 2}, {3, 0, 2, 1},
        {3, 1, 0, 2}, {3, 1, 2, 0}, {3, 2, 0, 1}, {3, 2, 1, 0}};
    uint32_t at[W][W], next = 0;
    for (uint32_t i = 0; i < W; i++)
        for (uint32_t j = i; j < W; j++)
            at[i][j] = at[j][i] = next++;
    kith_i_scale b = {(uint64_t)1 << 40, 0};
    kith_i_entropy_source source = {.seeded = 1, .seed = 11};
    kith_i_noise noise = {
        .scales = &b, .source = &source, .stream = 5, .threads = 1};
    int64_t got[SIZE], *entry_at = got;
    for (int i = 0; i < SIZE; i++)
        got[i] = 1000 * i;
    assert_int_equal(kith_i_noise_add_quartic(&noise, W, got, NULL), KITH_OK);
    kith_i_wishart *w = draw(11, P, 1);
    for (uint32_t a = 0, i = 0; a < W; a++)
        for (uint32_t c = a; c < W; c++)
            for (uint32_t d = c; d < W; d++)
                for (uint32_t e = d; e < W; e++, i++) {
                    uint32_t t[4] = {a, c, d, e};
                    double sum = 1000.0 * i;
                    for (int o = 0; o < 24; o++) {
                        uint32_t s[4];
                        for (int j = 0; j < 4; j++)
                            s[j] = t[orders[o][j]];
                        int64_t z = entry(w, b, at[s[0]][s[1]], at[s[2]][s[3]]);
                        sum += (double)z / 24 / weight(s[0], s[1]) /
                               weight(s[2], s[3]);
                    }
                    assert_true(fabs((double)*entry_at++ - sum) <= 1.01);
                }
    kith_i_wishart_close(w);
}

/* A Gram matrix gets the rounded entries, both triangles the same. */
static void test_matrix(void **state)
{
    (void)state;
    enum { P = 6 };
    kith_i_scale b = {(uint64_t)1 << 40, 0};
    kith_i_entropy_source source = {.seeded = 1, .seed = 12};
    kith_i_noise noise = {
        .scales = &b, .source = &source, .stream = 5, .threads = 1};
    int64_t got[P * P];
    for (int i = 0; i < P * P; i++)
        got[i] = 100 * (i / P) * (i % P);
    assert_int_equal(kith_i_noise_add_wishart(&noise, P, got, NULL), KITH_OK);
    kith_i_wishart *w = draw(12, P, 1);
    for (uint32_t i = 0; i < P * P; i++)
        assert_int_equal(got[i],
                         entry(w, b, i / P, i % P) + 100 * (i / P) * (i % P));
    kith_i_wishart_close(w);
    /* noise that does not fit is an error, not a saturated number */
    b = (kith_i_scale){(uint64_t)1 << 61, 0};
    int64_t *z = got;
    int failed = 0;
    for (uint64_t seed = 0; seed < 20; seed++) {
        source.seed = seed;
        failed += kith_i_noise_add_wishart(&noise, P, z, NULL) != KITH_OK;
    }
    assert_true(failed > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rounded),    cmocka_unit_test(test_positive),
        cmocka_unit_test(test_bartlett),   cmocka_unit_test(test_ratio),
        cmocka_unit_test(test_enclosures), cmocka_unit_test(test_refinement),
        cmocka_unit_test(test_early),      cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_threads),    cmocka_unit_test(test_quartic),
        cmocka_unit_test(test_matrix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
